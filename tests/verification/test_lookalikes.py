"""Values that look the same are named beside the verdict, for every kind of data, and change nothing else."""

from __future__ import annotations

import dataclasses
import unicodedata

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.base.verdict import Verdict
from sfumato.data.time_units import TimeUnit
from sfumato.verification.lookalikes import _group_confusables, fold, warn_of_lookalikes

PLAIN, OTHER = "flu", "flu\u200b"


def snapshots(one: str, other: str) -> sf.Result:
    people = [(1, "30", one), (1, "40", other), (1, "50", one), (1, "60", other)]
    return sf.anonymize(sf.Dataset.of("snapshots", people, ("age",), "ill"), sf.methods.Anatomy(l=2))


def table(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("table", [(20, one), (21, other)] * 2, ("age", "ill"), sensitive=("ill",))
    return sf.anonymize(data, sf.methods.Mondrian(k=2, l=2))


def labels(one: str, other: str) -> sf.Result:
    """A quasi-identifier whose two values are published as a set."""
    return sf.anonymize(sf.Dataset.of("table", [(one,), (other,), ("x",), ("y",)], ("town",)), sf.methods.Mondrian(k=2))


def rt(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("rt", [(20,)] * 4, ("age",), [["a", one], ["a", other]] * 2)
    return sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"))


def sets(one: str, other: str) -> sf.Result:
    return sf.anonymize(sf.Dataset.of("sets", [[one, "a"], [other, "a"]] * 2), sf.methods.Pcta(k=2, m=1))


def members(one: str, other: str) -> sf.Result:
    """Two items that are published as one value, which lists them."""
    return sf.anonymize(sf.Dataset.of("sets", [[one], [other]]), sf.methods.Pcta(k=2, m=1))


def trajectories(one: str, other: str) -> sf.Result:
    where = {one: (0, 0), other: (9, 9), "a": (5, 5)}
    data = sf.Dataset.of("trajectories", [[one, "a"], [other, "a"]] * 2, where)
    return sf.anonymize(data, sf.methods.SeqAnon(k=2, m=1))


def sequences(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("sequences", [[("mail", 1), (one, 5)], [("mail", 2), (other, 6)]], monitored=("mail",))
    return sf.anonymize(data, sf.methods.Hi(k=2))


def timeline(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("timeline", [{one: 3, "ill": 1}, {other: 4, "ill": 1}], sensitive=("ill",))
    return sf.anonymize(data, sf.methods.Essa(delta="1/2"))


def activity(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("activity", [[one, other], [other, one]] * 2, time_unit=TimeUnit("hour"))
    return sf.anonymize(data, sf.methods.Mc(k=2, aggregate="hour"))


def attribute(one: str, other: str) -> sf.Result:
    people = [(1, place, ill) for place, ill in zip([one, other] * 2, "abab", strict=True)]
    return sf.anonymize(sf.Dataset.of("snapshots", people, ("where",), "ill"), sf.methods.Anatomy(l=2))


def attribute_beside_items(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("rt", [(one,), (other,)] * 2, ("town",), [["a", "b"]] * 4)
    return sf.anonymize(data, sf.methods.RFirst(k=2, m=1, transaction="coat"))


def plain(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("table", [(1, one), (2, other)] * 2, ("age", "note"), plain=("note",))
    return sf.anonymize(data, sf.methods.Mondrian(k=2))


def chunks(one: str, other: str) -> sf.Result:
    return sf.anonymize(sf.Dataset.of("sets", [["a", one], ["a", other]] * 8), sf.methods.Disassociation(k=2, m=2))


def monitored(one: str, other: str) -> sf.Result:
    data = sf.Dataset.of("sequences", [[(one, 1), ("x", 5)], [(other, 2), ("x", 9)]], monitored=(one, other))
    return sf.anonymize(data, sf.methods.Hi(k=2))


OTHERS = (attribute, attribute_beside_items, plain, chunks, monitored)
RELEASES = (snapshots, table, labels, rt, sets, members, trajectories, sequences, timeline, activity, *OTHERS)
COLUMNS = {
    snapshots: "ill",
    table: "ill",
    labels: "town",
    rt: "items",
    sets: "items",
    members: "items",
    trajectories: "places",
    sequences: "monitored' and 'events",
    attribute: "where",
    attribute_beside_items: "town",
    plain: "note",
    chunks: "items",
    monitored: "monitored' and 'events",
    timeline: "events",
    activity: "activity",
}
WAYS = {
    "zero width": ("flu", "flu\u200b", "'flu' and 'flu\\u{200b}'"),
    "at the end": ("flu", "flu ", "'flu' and 'flu '"),
    "no-break space": ("new flu", "new\u00a0flu", "'new flu' and 'new\\u{a0}flu'"),
    "composed": ("caf\u00e9", "cafe\u0301", "'caf\\u{e9}' and 'cafe\\u{301}'"),
    "compatible": ("file", "\ufb01le", "'\\u{fb01}le' and 'file'"),
    "variation": ("a", "a\ufe0f", "'a' and 'a\\u{fe0f}'"),
}

DIFFERENT = [("flu", "Flu"), ("flu", "flue"), ("a b", "ab"), ("1", "2"), ("é", "e"), ("m²", "m2"), ("①", "1")]


@pytest.mark.parametrize("make", RELEASES, ids=lambda make: make.__name__)
def test_values_that_look_the_same_are_named_in_every_kind(make) -> None:
    odd, even = sf.verify(make(PLAIN, OTHER)), sf.verify(make(PLAIN, "gout"))
    assert even.warnings == ()
    assert len(odd.warnings) == 1
    columns = f"columns '{COLUMNS[make]}'" if " and " in COLUMNS[make] else f"column '{COLUMNS[make]}'"
    assert odd.warnings[0].startswith(f"2 values of {columns} look like others and count as different: ")
    assert "'flu' and 'flu\\u{200b}'" in odd.warnings[0]
    assert (odd.outcome, bool(odd), odd.checks.keys()) == (even.outcome, bool(even), even.checks.keys())
    assert odd.to_dict()["warnings"] == odd.warnings
    assert "Warning: 2 values" in odd._repr_html_() and "Warning" not in even._repr_html_()


@pytest.mark.parametrize("way", WAYS)
def test_every_way_to_look_the_same_is_seen(way: str) -> None:
    one, other, shown = WAYS[way]
    assert shown in sf.verify(table(one, other)).warnings[0]


@pytest.mark.parametrize(("one", "other"), DIFFERENT)
def test_what_is_seen_to_differ_is_no_finding(one: str, other: str) -> None:
    assert sf.verify(table(one, other)).warnings == ()


def test_a_value_that_only_the_claim_names_is_compared_too() -> None:
    where = {"a": (0, 0), "clinic ": (1, 1)}
    data = sf.Dataset.of("trajectories", [["a"]] * 4 + [["a", "clinic "]], where, sensitive=("clinic ",))
    release = sf.anonymize(data, sf.methods.LmAnon(k=2, m=1, l=2), secret=bytes(32)).release
    assert warn_of_lookalikes(release).warnings == ()
    other = dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, sensitive=("clinic",)))
    assert "'clinic' and 'clinic '" in warn_of_lookalikes(other).warnings[0]


def test_many_are_counted_and_three_are_shown() -> None:
    column = pa.array([text for number in range(9) for text in (f"v{number}", f"v{number} ")])
    assert len(_group_confusables([column])) == 9
    rows = [(20, text) for text in column.to_pylist()]
    data = sf.Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    warned = sf.verify(sf.anonymize(data, sf.methods.Mondrian(k=2))).warnings[0]
    assert warned.startswith("18 values of ")
    assert "'v0' and 'v0 '; 'v1' and 'v1 '; 'v2' and 'v2 '; and 6 more groups." in warned


def test_the_warning_stays_when_the_original_is_at_hand(tmp_path) -> None:
    data = sf.Dataset.of("table", [(20, PLAIN), (21, OTHER)] * 2, ("age", "ill"), sensitive=("ill",))
    with pytest.warns(sf.ReleaseWarning, match="2 values of column 'ill' look like others"):
        sf.write(sf.anonymize(data, sf.methods.Mondrian(k=2, l=2)), tmp_path / "out")
    verdict = sf.verify(tmp_path / "out", original=data)
    assert verdict.outcome == "holds" and len(verdict.warnings) == 1


def test_parts_of_a_release_warn_once() -> None:
    same = Verdict(True, {}, {}, warnings=("Once.",))
    united = Verdict.unite({"part-00000": same, "part-00001": same})
    assert united.warnings == ("Once.",) and united.outcome == "holds"


@settings(max_examples=200)
@given(st.lists(st.text(st.sampled_from("ab \u00a0\u200b\u0301\ufe0f\t\u00e1"), max_size=5), unique=True, max_size=12))
def test_groups_are_the_labels_that_fold_alike(texts: list[str]) -> None:
    found = {frozenset(group) for group in _group_confusables([pa.array(texts, pa.string())])}
    confusables = {frozenset(other for other in texts if fold(other) == fold(text)) for text in texts}
    assert found == {group for group in confusables if len(group) > 1}
    for text in texts:
        assert fold(fold(text)) == fold(text) == unicodedata.normalize("NFC", fold(text))
