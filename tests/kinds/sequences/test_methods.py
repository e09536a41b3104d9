"""HN, HI, HY, HL, ET and the comparators: worked examples, equal groups, and requests that have no answer.

Random event sequences go through every method: a plain receiver finds nobody and predicts nothing.
"""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import knowledge as naive
from tests.notes import find_note

import sfumato as sf
from sfumato.exceptions import InfeasibleError, ParameterError, SchemaError
from sfumato.exports import write_table
from sfumato.hierarchies.derive import balanced
from sfumato.kinds.sequences.generators import generate
from sfumato.kinds.sequences.methods._base.grouping import TOO_FEW, TOO_SIMILAR
from sfumato.kinds.sequences.methods.comparators import Sa, Ta
from sfumato.kinds.sequences.methods.groups import Et, Hi, Hl, Hn, Hy
from sfumato.params import declared
from sfumato.plugins import find_kind, find_verifier, methods_for
from sfumato.release.run import Run

SINGLE = [Hn, Hi, Hy, Hl]
METHODS = list(methods_for("sequences").values())
ASKED = [{"k": 2}, {"k": 3}, {"g": 4, "l": 2}, {"k": 3, "g": 2, "l": 2}, {"g": 0, "l": 3}]


def clicks(*rows: str) -> sf.Dataset:
    """Rows such as ``m1 m10 x4``: an event and its time; m is monitored."""
    timed = [[(word[0], int(word[1:])) for word in row.split()] for row in rows]
    labels = sorted({event for row in timed for event, _ in row})
    return sf.Dataset.of("sequences", timed, monitored=("m",), hierarchy=balanced(labels, 2))


def covers(result) -> list:
    """The published intervals in the owner's order."""
    table = result.release.table
    rows = dict(zip(result.owner_record.rows.tolist(), table["monitored_times"].to_pylist(), strict=True))
    return [[(cell["lo"], cell["hi"]) for cell in rows[row]] for row in sorted(rows)]


@pytest.mark.parametrize("method", SINGLE, ids=lambda m: m.name)
def test_two_people_are_covered_by_the_two_intervals_of_the_worked_example(method):
    result = method(k=2).anonymize(clicks("m1 m10", "m3 m11"), Run(bytes([1] * 32)))
    assert covers(result) == [[(1, 3), (10, 11)]] * 2


@pytest.mark.parametrize("method", SINGLE, ids=lambda m: m.name)
def test_unmonitored_events_keep_their_times(method):
    result = method(k=2).anonymize(clicks("m1 x4 m10", "m3 m11 y7"), Run(bytes([1] * 32)))
    table = result.release.table.to_pylist()
    assert sorted((row["events"], row["times"]) for row in table) == [(["x"], [4]), (["y"], [7])]


@pytest.mark.parametrize("method", SINGLE, ids=lambda m: m.name)
def test_diversity_keeps_people_who_do_the_same_apart(method):
    rows = ["m1 x5", "m1 x6", "m2 y5", "m2 z5", "m3 x90", "m3 w5"]
    release = method(g=2, l=2).anonymize(clicks(*rows), Run(bytes([1] * 32))).release
    assert release.guarantee.l == 2
    groups = {}
    for row in release.table.to_pylist():
        groups.setdefault(str(row["monitored_times"]), []).append((row["events"][0], row["times"][0]))
    for members in groups.values():
        near_x = sum(event == "x" and time < 10 for event, time in members)
        assert 2 * near_x <= len(members)


@pytest.mark.parametrize("method", [*SINGLE, Et], ids=lambda m: m.name)
def test_diversity_that_no_grouping_reaches_is_infeasible_with_the_largest_l(method):
    rows = ["m1 x5", "m1 x6", "m2 x6", "m3 x7", *["m9 y5 z90"], *[f"m8 w{i}0" for i in range(6)]]
    with pytest.raises(InfeasibleError, match=r"too frequent for l=3. .*4 of 11 people have it. Use l=2 or less"):
        method(g=2, l=3).anonymize(clicks(*rows), Run(bytes([1] * 32)))


def test_records_without_monitored_events_are_a_group_of_their_own_or_withheld():
    few = Hi(k=2).anonymize(clicks("m1", "m2", "x5"), Run(bytes([1] * 32))).release
    assert dict(few.suppressed_records) == {TOO_FEW: 1} and len(few) == 2
    enough = Hi(k=2).anonymize(clicks("m1", "m2", "x5", "y6"), Run(bytes([1] * 32))).release
    assert len(enough) == 4 and not enough.suppressed_records
    alike = Hi(g=3, l=2).anonymize(clicks("m1", "m2", "x5", "x6"), Run(bytes([1] * 32))).release
    assert dict(alike.suppressed_records) == {TOO_SIMILAR: 2}


def test_of_records_without_monitored_events_only_as_many_are_withheld_as_diversity_needs():
    run = Run(bytes([1] * 32))
    data = clicks("m1", "m2", "x5", "x6", "x7", "x8", "y5", "z5", "y50")
    release = Hi(g=3, l=2).anonymize(data, run).release
    assert dict(release.suppressed_records) == {TOO_SIMILAR: 1} and len(release) == 8
    assert find_note(run.notes, "similar-records-suppressed").counts == {"suppressed": 1, "records": 7, "least": 1}


def test_too_few_people_with_monitored_events_are_infeasible():
    with pytest.raises(InfeasibleError, match="only 1 of 3 people have a monitored event; a group needs 2"):
        Hi(k=2).anonymize(clicks("m1", "x2", "y3"), Run())


@pytest.mark.parametrize(
    ("parameters", "message"),
    [({}, "k or l is missing"), ({"l": 2}, "g is missing"), ({"k": 2, "g": 5}, "l is missing")],
)
def test_half_a_request_is_refused(parameters, message):
    with pytest.raises(ParameterError, match=message):
        Hi(**parameters).anonymize(clicks("m1", "m2"), Run())


def test_monitored_events_must_be_named():
    with pytest.raises(ParameterError, match="monitored"):
        Hi(k=2).anonymize(sf.Dataset.of("sequences", [[("m", 1)], [("m", 2)]]), Run())


@settings(max_examples=150)
@given(st.data())
def test_hi_gives_the_groups_of_hn(data):
    row = st.lists(st.tuples(st.sampled_from("mmxy"), st.integers(0, 30)), min_size=1, max_size=6)
    rows = data.draw(st.lists(row, min_size=4, max_size=14))
    dataset = sf.Dataset.of("sequences", rows, monitored=("m",))
    asked = data.draw(st.sampled_from([{"k": 2}, {"k": 3}, {"g": 3, "l": 2}, {"k": 3, "g": 1, "l": 2}]))
    found = []
    for method in (Hn, Hi):
        try:
            found.append(covers(method(**asked).anonymize(dataset, Run(bytes([5] * 32)))))
        except InfeasibleError as error:
            found.append(str(error).split(":", 1)[1])
    assert found[0] == found[1]


@pytest.mark.large
@pytest.mark.parametrize("asked", [{"k": 5}, {"g": 600, "l": 4}], ids=["k", "gl"])
def test_hi_gives_the_groups_of_hn_on_a_larger_sample_with_far_fewer_evaluations(asked, tmp_path):
    write_table(generate(2000, 3, events=300, portals=1, portal_share=0.05, mean_events=30), tmp_path / "c.parquet")
    data = sf.read(tmp_path / "c.parquet", kind="sequences", monitored=["portal1"])
    slow, fast = (method(**asked).anonymize(data, Run(bytes([2] * 32))) for method in (Hn, Hi))
    assert covers(slow) == covers(fast)
    assert 10 * fast.owner_record.counters["cp_evaluations"] < slow.owner_record.counters["cp_evaluations"]


def test_et_generalises_events_to_categories_and_needs_a_taxonomy():
    rows = [[("google", 1), ("ebay", 9)], [("bing", 2), ("amazon", 8)], [("google", 50)], [("bing", 51)]]
    web = sf.Hierarchy.from_parents(
        [("google", "search"), ("bing", "search"), ("ebay", "shop"), ("amazon", "shop"), ("search", "*"), ("shop", "*")]
    )
    everything = ("google", "bing", "ebay", "amazon")
    data = sf.Dataset.of("sequences", rows, monitored=everything, hierarchy=web)
    release = Et(k=2).anonymize(data, Run(bytes([1] * 32))).release
    assert sorted(map(tuple, release.table["monitored"].to_pylist())) == [("search",)] * 2 + [("search", "shop")] * 2
    assert release.members()["search"] == ("bing", "google")
    assert all(not row for row in release.table["events"].to_pylist())
    with pytest.raises(SchemaError, match="needs a hierarchy of the events"):
        Et(k=2).anonymize(sf.Dataset.of("sequences", rows, monitored=everything), Run())


def test_ta_suppresses_and_says_so_where_sa_and_hn_do_not():
    data = clicks("m1 m10", "m3 m11 m40", "m2 m9")
    suppressed = {}
    for method in (Ta, Sa, Hn):
        result = method(k=3).anonymize(data, Run(bytes([1] * 32)))
        intervals = covers(result)
        times = [
            [time for event, time in zip(e, t, strict=True) if event == "m"]
            for e, t in zip(data.history().lists(), np.split(data.times(), data.history().offsets[1:-1]), strict=True)
        ]
        suppressed[method.name] = sum(
            not any(lo <= time <= hi for lo, hi in cover)
            for cover, own in zip(intervals, times, strict=True)
            for time in own
        )
    assert suppressed == {"ta": 1, "sa": 0, "hn": 0}
    assert Ta(k=3).build_guarantee(data).suppressing


def records_of(release) -> list:
    """The published records as plain pairs and events."""
    found = []
    for row in release.table.to_pylist():
        pairs = [(c, t["lo"], t["hi"]) for c, t in zip(row["monitored"], row["monitored_times"], strict=True)]
        found.append(naive.Record(pairs, list(zip(row["events"], row["times"], strict=True))))
    return found


@pytest.mark.parametrize("method", METHODS, ids=lambda m: m.name)
@settings(max_examples=60)
@given(data=st.data(), seed=st.integers(0, 9))
def test_no_receiver_finds_fewer_than_k_records_nor_predicts_an_event_and_verifiers_agree(method, data, seed):
    row = st.lists(st.tuples(st.sampled_from("mnxyz"), st.integers(0, 25)), min_size=1, max_size=5)
    rows = data.draw(st.lists(row, min_size=4, max_size=14))
    monitored = data.draw(st.sampled_from([("m",), ("m", "n"), ("m", "n", "x", "y", "z")]))
    dataset = sf.Dataset.of("sequences", rows, monitored=monitored, hierarchy=balanced(list("mnxyz"), 2))
    known = {p.name for p in declared(method)}
    asked = data.draw(st.sampled_from([wish for wish in ASKED if set(wish) <= known]))
    try:
        result = method(**asked).anonymize(dataset, Run(bytes([seed] * 32)))
    except InfeasibleError:
        return
    release, members = result.release, result.release.members()
    records = records_of(release)
    k, l, g = asked.get("k", 1), asked.get("l", 1), asked.get("g", 0)
    assert min(len(group) for group in naive.classes(records)) >= k
    if l > 1:
        assert all(l * naive.most_in_window(group, g) <= len(group) for group in naive.classes(records))
    fits = naive.matches_with_gaps if getattr(release.guarantee, "suppressing", False) else naive.matches_all
    for number, person in enumerate(rows):
        knowledge = naive.known_of(person, monitored)
        matching = [record for record in records if fits(record, knowledge, members)]
        assert len(matching) >= k if number in result.owner_record.rows else len(matching) == 0 or len(matching) >= k
        if l > 1 and matching:
            assert l * naive.most_in_window(matching, g) <= len(matching)
    if not getattr(release.guarantee, "suppressing", False):
        for record, number in zip(records, result.owner_record.rows, strict=True):
            assert naive.is_faithful(record, rows[number], monitored, members)
    assert len(records) + sum(release.suppressed_records.values()) == len(rows)
    measured = find_verifier(release.guarantee).verify(release)
    assert measured and measured.measured["k"] == min(len(group) for group in naive.classes(records))
    assert find_kind("sequences").verify_faithful.load()(release, dataset, result.owner_record.rows)
