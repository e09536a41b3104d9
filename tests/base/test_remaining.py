"""What remains possible is one list, whoever found it: refined for a release, added up over partitions, shown alike."""

import dataclasses
import json

import sfumato as sf
from sfumato.base.remaining import NOTHING, Possibility, Remaining, quote
from sfumato.base.verdict import Verdict


def make_possibility(about, severity="note", people=1, of=10, **worst):
    wording = "{people} of {of} people ({share})."
    return Possibility("uniqueness", about, severity, wording, "", {"people": people, "of": of}, worst)


def test_partitions_add_up_and_the_worst_is_kept():
    partitions = [
        Remaining((make_possibility("a", people=2, of=10, blur=5),)),
        Remaining((make_possibility("a", "warning", 3, 40, blur=9), make_possibility("b"))),
    ]
    united = Remaining.unite(partitions)
    assert [one.about for one in united] == ["a", "b"]
    first = next(iter(united))
    assert (first.counts, first.worst, first.is_warning) == ({"people": 5, "of": 50}, {"blur": 9}, True)
    assert first.sentence == "5 of 50 people (10 %)."


def test_what_is_known_better_replaces_what_was_known():
    rough = Remaining((make_possibility("a", people=9), make_possibility("b")))
    fine = rough.refine(Remaining((make_possibility("a", people=1),)))
    assert {one.about: one.counts["people"] for one in fine} == {"a": 1, "b": 1}


def test_warnings_come_first_and_shares_are_never_rounded_to_all_or_none():
    found = Remaining(
        (
            make_possibility("a"),
            make_possibility("b", "warning", 999_999, 1_000_000),
            make_possibility("c", people=1, of=10_000),
        )
    )
    assert [one.about for one in found] == ["b", "a", "c"]
    assert "more than 99.9 %" in found.warnings[0] and "less than 0.1 %" in list(found)[2].sentence


def test_names_with_braces_stay_names():
    assert Possibility("inference", "x", "note", f"Of {quote('{ill}')}.").sentence == "Of {ill}."


def test_it_survives_being_written_down():
    one = make_possibility("a", "warning", blur=5)
    assert Possibility(**json.loads(json.dumps(dataclasses.asdict(one)))) == one


def test_a_verdict_carries_it_and_shows_it():
    verdict = Verdict(True, {"k": 5}, {"k": 5}, remaining=Remaining((make_possibility("a", "warning"),)))
    assert verdict and verdict.outcome == "holds"
    assert verdict.to_dict()["remaining"][0]["numbers"] == {"people": 1, "of": 10}
    assert "What remains possible" in verdict._repr_html_() and "1 of 10 people (10 %)." in verdict._repr_html_()
    assert (verdict & Verdict(True, {}, {})).remaining == verdict.remaining
    assert Verdict.unite({"one": verdict, "two": verdict}).remaining.to_dict()[0]["numbers"]["people"] == 2


def test_notebooks_show_it_of_attacks_and_measures():
    data = sf.Dataset.of("table", [(n, "flu") for n in range(20)], ("age", "ill"), sensitive=("ill",))
    result = sf.anonymize(data, sf.methods.Mondrian(k=5))
    assert "match only records with the same value" in sf.attack_beyond(result)._repr_html_()
    assert "What remains possible" in sf.attack(result)._repr_html_()
    assert "COUNT queries are off by" in sf.measure(result)._repr_html_()
    assert NOTHING._repr_html_() == ""
