"""How the times of two records, or of two values, lie to each other: on originals, and on releases beside the truth."""

import dataclasses
import tempfile
from pathlib import Path

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given, settings

import sfumato as sf
from sfumato.division import publish_in_parts
from sfumato.engines.local import Local
from sfumato.kinds.sequences.evidence import of_dataset
from sfumato.query.asking import ask as ask_evidence

CARE = [
    [("clinic", 1), ("pharmacy", 5), ("clinic", 4)],
    [("clinic", 6), ("pharmacy", 2), ("clinic", 9)],
    [("clinic", 2), ("clinic", 8)],
]


def ask(data, question):
    return sf.query(data, question).table.to_pylist()


def ends(text):
    first, _, last = text.partition("..")
    return tuple(int(time) if time.lstrip("-").isdigit() else np.datetime64(time, "us") for time in (first, last))


def test_two_records_are_compared_at_the_values_they_share_and_as_wholes():
    whole, shared, *places = ask(sf.Dataset.of("sequences", CARE), "relation record 1 and 2")
    assert (whole["of"], whole["relation"], whole["first_certain"]) == ("all values", "overlaps", "1..6")
    # Before at the clinic and after at the pharmacy: no relation stands for both.
    assert (shared["of"], shared["relation"]) == ("shared values", "none that prevails")
    assert {row["of"]: row["relation"] for row in places} == {"clinic": "before", "pharmacy": "after"}


def test_one_relation_prevails_where_all_shared_values_have_it():
    rows = ask(sf.Dataset.of("sequences", [[("a", 1), ("b", 5)], [("a", 3), ("b", 9)]]), "relation record 1 and 2")
    assert [(row["of"], row["relation"]) for row in rows] == [
        ("all values", "overlaps"),
        ("shared values", "before"),
        ("a", "before"),
        ("b", "before"),
    ]


def test_two_values_are_compared_over_all_records():
    (row,) = ask(sf.Dataset.of("sequences", CARE), "relation value pharmacy and clinic")
    assert (row["relation"], row["first_possible"], row["second_possible"]) == ("during", "2..6", "1..10")


def test_what_cannot_be_compared_is_said():
    data = sf.Dataset.of("sequences", CARE)
    with pytest.raises(sf.SfumatoError, match="numbered from 1 to 3"):
        sf.query(data, "relation record 1 and 4")
    with pytest.raises(sf.SfumatoError, match="no times"):
        sf.query(sf.Dataset.of("trajectories", [["a", "b"]]), "relation value a and b")
    with pytest.raises(sf.SfumatoError, match="two records or two values"):
        sf.query(data, "relation pair 1 and 2")


def check_bounds(data, source, question):
    """Hold the periods that a release tells of against the true ones."""
    (exact,), (told,) = ask(data, question), ask(source, question)
    if "not told" in (exact["relation"], told["relation"]):
        return False
    for side in ("first", "second"):
        begin, end = ends(exact[f"{side}_certain"])
        (earliest, latest), (from_, to) = ends(told[f"{side}_possible"]), ends(told[f"{side}_certain"])
        assert earliest <= begin <= from_ < to <= end <= latest
    return True


@settings(max_examples=6)
@given(st.lists(st.tuples(*[st.integers(0, 30)] * 3), min_size=20, max_size=30))
def test_periods_of_values_unite_over_the_parts_of_a_release(times):
    people = [[("clinic", one), ("clinic", other), ("cafe", third)] for one, other, third in times]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    with tempfile.TemporaryDirectory() as folder:
        out = Path(folder) / "out"
        publish_in_parts(data, sf.methods.Hl(k=2), out, part_size=10, secret=bytes(32), engine=Local(1))
        assert len(list((out / "release" / "data").iterdir())) > 1
        assert check_bounds(data, out, "relation value clinic and cafe")


def test_a_name_that_only_one_part_knows_is_compared(tmp_path):
    people = [[("clinic", number), ("cafe" if number > 25 else "bar", number + 1)] for number in range(30)]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    publish_in_parts(data, sf.methods.Hl(k=2), tmp_path / "out", part_size=10, secret=bytes(32), engine=Local(1))
    assert check_bounds(data, tmp_path / "out", "relation value clinic and cafe")
    with pytest.raises(sf.SfumatoError, match=r"nothing here is called 'caffe'\. Did you mean 'cafe'"):
        sf.query(tmp_path / "out", "relation value clinic and caffe")


@settings(max_examples=20)
@given(st.lists(st.lists(st.sampled_from("abc"), min_size=6, max_size=6), min_size=2, max_size=6), st.integers(1, 3))
def test_periods_of_activities_of_classes_hold_the_true_ones(days, length):
    data = sf.Dataset.of("activity", days)
    release = sf.anonymize(
        data, sf.methods.Mc(k=2, aggregate=str(length)), secret=bytes(32), withhold_at_most=1
    ).release
    for asked in ("a and b", "b and c"):
        if not release.withheld:
            check_bounds(data, release, f'relation value "{asked[0]}" and "{asked[-1]}"')


@settings(max_examples=20)
@given(st.lists(st.tuples(st.integers(0, 6), st.permutations("abc")), min_size=2, max_size=8), st.integers(1, 3))
def test_periods_of_values_of_groups_hold_the_true_ones(drawn, window):
    rows = [(time, "x", value) for time, values in drawn for value in values[:2]]
    data = sf.Dataset.of("snapshots", rows, ("age",), "ill")
    method = sf.methods.Reposition(l=2, window=window)
    release = sf.anonymize(data, method, secret=bytes(32), withhold_at_most=1).release
    if not release.withheld:
        check_bounds(data, release, 'relation value "a" and "b"')


def test_periods_of_a_timeline_are_those_of_values_not_of_moments():
    data = sf.Dataset.of("timeline", [{"a": 1, "b": 9}, {"b": 9}, {"a": 1, "b": 9}], sensitive=("a",))
    assert ask(data, "relation value a and b")[0]["relation"] == "equals"
    with pytest.raises(sf.SfumatoError, match="is one moment: compare two values"):
        sf.query(data, "relation record 1 and 2")


def test_of_classes_no_single_records_are_compared_and_what_was_left_out_is_said():
    days = sf.Dataset.of("activity", [list("aab"), list("aab"), list("abb"), list("abb")])
    release = sf.anonymize(days, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release
    with pytest.raises(sf.SfumatoError, match="nothing is published here: compare two values"):
        sf.query(release, "relation record 1 and 2")


@pytest.mark.parametrize("withheld", [0, 1])
def test_what_was_left_out_is_said_to_be_in_no_period(withheld):
    told = of_dataset(sf.Dataset.of("sequences", CARE))
    answer = ask_evidence(dataclasses.replace(told, withheld=withheld), "relation value clinic and pharmacy")
    assert ("left out of the release is not in these periods" in " ".join(answer.notes)) == bool(withheld)


@settings(max_examples=15)
@given(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9), st.integers(0, 9)), min_size=4, max_size=8))
def test_the_true_periods_lie_between_what_is_certain_and_what_is_possible(times):
    people = [[("clinic", one), ("clinic", other), ("cafe", third)] for one, other, third in times]
    data = sf.Dataset.of("sequences", people, monitored=("clinic",))
    release = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32), withhold_at_most=1).release
    (exact,) = ask(data, "relation value clinic and cafe")
    (told,) = ask(release, "relation value clinic and cafe")
    if told["relation"] == "not told":
        return
    for side in ("first", "second"):
        begin, end = ends(exact[f"{side}_certain"])
        (earliest, latest), (from_, to) = ends(told[f"{side}_possible"]), ends(told[f"{side}_certain"])
        assert earliest <= begin <= from_ < to <= end <= latest
