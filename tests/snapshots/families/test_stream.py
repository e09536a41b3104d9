"""Streams of snapshots: what happens to records that are late, to gaps, to new values; and to bad requests."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.core.clock import Clock
from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.schema import Column, Schema
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.kinds.snapshots.families.feed import SnapshotFeed
from sfumato.kinds.snapshots.families.reposition_window import RepositionWindow
from sfumato.kinds.snapshots.families.stream import CLOSED, SUPPRESSED, Snapshot

SCHEMA = Schema("snapshots", (Column("time", "time"), Column("age", "quasi-identifier"), Column("ill", "sensitive")))


def snapshot(time, values, first=0):
    ages = [str(first + i) for i in range(len(values))]
    table = pa.table({"age": pa.array(ages, pa.string()), "ill": pa.array(values, pa.string())})
    return Snapshot(time, table, np.arange(first, first + len(values)))


def stream(window=3, **more):
    return sf.methods.Reposition(l=2, window=window, then="none", **more).stream(SCHEMA, secret=bytes([1] * 32))


def names(leaving):
    return [(out.time, sorted(out.table["ill"].to_pylist()), out.suppressed) for out in leaving]


def test_a_snapshot_leaves_when_the_window_is_full_and_never_waits_longer():
    flow = stream(3)
    pushed = [names(flow.push(snapshot(t, ["a", "b"], 2 * t))) for t in range(5)]
    assert pushed == [[], [], *([(t, ["a", "b"], 0)] for t in range(3))]
    assert names(flow.flush()) == [(3, ["a", "b"], 0), (4, ["a", "b"], 0)]


def test_a_late_record_of_an_open_snapshot_waits_for_the_next_ones():
    flow = stream(3)
    flow.push(snapshot(1, ["a", "b"]))
    flow.push(snapshot(2, ["a", "b"], 2))
    assert flow.push(snapshot(1, ["a"], 4)) == []
    out = flow.push(snapshot(3, ["b"], 5)) + flow.flush()
    assert flow.withheld == {SUPPRESSED: 0, CLOSED: 0}
    assert sum(len(leaving.rows) for leaving in out) == 6
    assert all(0 <= leaving.time - home < 3 for leaving in out for home in leaving.homes)


def test_a_late_record_after_the_first_window_is_published_later_and_in_time():
    flow = stream(3)
    for time in range(4):
        flow.push(snapshot(time, ["a", "b"], 2 * time))
    flow.push(snapshot(2, ["a"], 100))
    out = flow.push(snapshot(4, ["b"], 101)) + flow.flush()
    where = {int(row): leaving.time for leaving in out for row in leaving.rows}
    assert 2 < where[100] <= 4
    assert names(out)[-1] == (4, ["a", "b"], 0)


def test_a_record_of_a_closed_snapshot_is_withheld_and_counted():
    flow = stream(2)
    for time in range(4):
        flow.push(snapshot(time, ["a", "b"], 2 * time))
    assert flow.push(snapshot(0, ["a", "b", "a"], 50)) == []
    assert flow.withheld[CLOSED] == 3
    out = flow.flush()
    assert not any(row >= 50 for leaving in out for row in leaving.rows)


def test_late_records_can_be_refused():
    flow = stream(2, late="error")
    flow.push(snapshot(3, ["a", "b"]))
    with pytest.raises(SchemaError, match=r"must come in the order of time; 2 came after a later snapshot"):
        flow.push(snapshot(2, ["secret", "secret"]))


def test_an_empty_snapshot_is_a_place_where_records_can_go():
    flow = stream(3)
    for time in range(3):
        flow.push(snapshot(time, ["a", "b"], 2 * time))
    flow.push(snapshot(2, ["a", "b"], 50))
    out = flow.push(snapshot(3, [])) + flow.flush()
    assert names(out)[-1] == (3, ["a", "b"], 0)
    assert names(stream(2).push(snapshot(0, []))) == []


def test_gaps_count_as_empty_snapshots():
    """A record is published at most window-1 units of time late, not window-1 snapshots with records."""
    flow = stream(3)
    flow.push(snapshot(0, ["a"]))
    out = flow.push(snapshot(5, ["b"], 1)) + flow.flush()
    assert flow.withheld[SUPPRESSED] == 2
    assert all(not len(leaving.rows) for leaving in out)
    flow = stream(6)
    flow.push(snapshot(0, ["a"]))
    assert names(flow.push(snapshot(5, ["b"], 1)) + flow.flush()) == [(5, ["a", "b"], 0)]


def test_a_gap_longer_than_the_window_begins_a_first_window_anew():
    flow = stream(2)
    flow.push(snapshot(0, ["a", "b"]))
    assert names(flow.push(snapshot(10**15, ["a", "a"], 2))) == [(0, ["a", "b"], 0)]
    flow.push(snapshot(10**15 + 1, ["b", "b"], 4))
    assert names(flow.flush()) == [(10**15 + 1, ["a", "a", "b", "b"], 0)]


def test_a_value_never_seen_before_may_come_at_any_time():
    flow = stream(2)
    for time, values in enumerate([["a", "b"], ["c", "c"], ["d", "e", "d"], ["f"]]):
        flow.push(snapshot(time, values, 10 * time))
    flow.flush()
    assert sum(flow.withheld.values()) <= 2


def test_a_flushed_stream_can_go_on():
    flow = stream(2)
    flow.push(snapshot(0, ["a", "b"]))
    assert names(flow.flush()) == [(0, ["a", "b"], 0)]
    flow.push(snapshot(1, ["a", "b"], 2))
    assert names(flow.flush()) == [(1, ["a", "b"], 0)]


@pytest.mark.parametrize("stop", range(1, 9))
def test_a_restored_stream_goes_on_as_if_nothing_had_happened(stop):
    rng = np.random.default_rng(stop)
    pushed = [
        snapshot(int(t), list(rng.choice(list("aaabc"), 6)), 10 * i)
        for i, t in enumerate([0, 1, 2, 4, 5, 4, 9, 10, 11, 12])
    ]
    whole = stream(3)
    expected = [out for part in pushed for out in whole.push(part)] + whole.flush()
    first, second = stream(3), stream(3)
    found = [out for part in pushed[:stop] for out in first.push(part)]
    second.restore(first.state())
    found += [out for part in pushed[stop:] for out in second.push(part)] + second.flush()
    assert [(out.time, out.rows.tolist()) for out in found] == [(out.time, out.rows.tolist()) for out in expected]
    assert second.withheld == whole.withheld


def test_memory_is_bounded_by_the_window():
    flow = stream(3)
    for time in range(60):
        flow.push(snapshot(time, ["a", "b", "b"], 3 * time))
        assert len(flow.state().homes) <= 5


def test_the_first_window_shrinks_to_what_an_integer_program_can(monkeypatch):
    monkeypatch.setattr("sfumato.kinds.snapshots.families.reposition_window._LARGEST_PROGRAM", 12)
    flow = stream(4)
    out = [leaving for t in range(9) for leaving in flow.push(snapshot(t, ["a", "a", "b"], 3 * t))] + flow.flush()
    assert sum(len(leaving.rows) for leaving in out) + flow.withheld[SUPPRESSED] == 27
    assert all(0 <= leaving.time - home < 4 for leaving in out for home in leaving.homes)


@pytest.mark.parametrize("limit", [1, 10**6])
def test_an_integer_program_for_the_first_window_is_never_worse(monkeypatch, limit):
    monkeypatch.setattr("sfumato.kinds.snapshots.families.reposition_window._LARGEST_PROGRAM", limit)
    costs = CostModel.read("test", "linear", None, 3)
    window = RepositionWindow(2, costs, ["a", "b"])
    for time, arrived in enumerate([[3, 0], [0, 1], [0, 2]]):
        shipped = window.push(time, np.array(arrived))
    lost = int(shipped.suppressed.sum()) + sum(int(left.suppressed.sum()) for left in window.flush())
    assert lost == 0


def test_a_window_refuses_what_is_out_of_step():
    window = RepositionWindow(2, CostModel.read("test", "linear", None, 2), ["a"])
    window.push(0, np.array([1]))
    with pytest.raises(ParameterError, match="next whole number"):
        window.push(2, np.array([1]))
    with pytest.raises(ParameterError, match="only an empty window"):
        window.skip_to(9)


def test_records_of_the_same_cost_are_chosen_at_random():
    picked = set()
    for seed in range(30):
        flow = sf.methods.Reposition(l=2, window=1, then="none").stream(SCHEMA, secret=bytes([seed] * 32))
        (out,) = flow.push(snapshot(0, ["a", "a", "a", "b"]))
        picked.add(tuple(sorted(out.rows.tolist())))
    assert picked == {(0, 3), (1, 3), (2, 3)}


@pytest.mark.parametrize("sizes", [[1, 1, 1, 1, 1, 1], [2, 4], [6], [5, 1]])
def test_a_feed_gives_the_same_snapshots_however_records_are_batched(sizes):
    times = np.array([1, 1, 4, 3, 4, 6])
    table = pa.table({"ill": list("abcdef")})
    feed, closed, at = SnapshotFeed(), [], 0
    for size in sizes:
        closed += feed.add(times[at : at + size], table.slice(at, size))
        at += size
    closed += feed.finish()
    assert [[(s.time, s.rows.tolist()) for s in part.snapshots] for part in closed] == [
        [(1, [0, 1])],
        [(3, [3]), (4, [2, 4])],
        [(6, [5])],
    ]
    assert [part.rows for part in closed] == [2, 5, 6]
    assert list(feed.add(np.empty(0, np.int64), table.slice(0, 0))) == []


BAD = {
    "cost": ["cubic", "3,2", "0", "1,1", "1,3,4", "1;2", "1", "nan", "-1,0,1"],
    "beta": ["0", "-3", "flu", "=3", "flu=,cold=3", "a=1,b"],
    "then": ["generalise"],
    "late": ["drop"],
}


@pytest.mark.parametrize(("name", "value"), [(name, value) for name, values in BAD.items() for value in values])
def test_bad_parameters_are_refused_without_naming_values(name, value):
    with pytest.raises(ParameterError, match=f"Reposition: {name} must") as error:
        sf.methods.Reposition(l=2, window=4, **{name: value})
    assert name != "beta" or "flu=,cold" not in str(error.value)


def test_costs_are_read_exactly():
    model = CostModel.read("test", "0.1,0.3", "0.7,a\\,b=1/3", 3)
    assert (model.mu, model.beta, model.scale) == ((0, 3, 9), 21, 30)
    assert model.by_value(["a,b", "other"]).tolist() == [10, 21]
    with pytest.raises(ParameterError, match="fewer digits"):
        CostModel.read("test", "linear", "0.0000000000001", 3)


def test_costs_of_suppression_decide_whether_waiting_pays():
    data = sf.Dataset.of("snapshots", [(0, "1", "a"), (1, "2", "b")], ("age",), "ill")
    for beta, published in ((None, 2), ("0.4", 0), ("a=5,*=0.4", 2)):
        flow = sf.methods.Reposition(l=2, window=2, beta=beta).stream(data.schema, secret=bytes([1] * 32))
        out = [leaving for part in flow.cut(data) for leaving in flow.push(part)] + flow.flush()
        assert sum(len(leaving.rows) for leaving in out) == published


@pytest.mark.parametrize("name", ["snapshot", "group", "count"])
def test_names_the_release_needs_are_refused(name):
    data = sf.Dataset.of("snapshots", [(0, "1", "a"), (0, "2", "b")], (name,), "ill")
    with pytest.raises(SchemaError, match=f"a column '{name}' of its own"):
        sf.anonymize(data, sf.methods.Reposition(l=2))


def test_methods_refuse_other_kinds_and_nobody():
    with pytest.raises(SchemaError, match="hold no record"):
        sf.anonymize(sf.Dataset.of("snapshots", [], ("age",), "ill"), sf.methods.Reposition(l=2))
    with pytest.raises(SchemaError, match="works on snapshots"):
        sf.anonymize(sf.Dataset.of("trajectories", [["a"]]), sf.methods.Anatomy(l=2))
    with pytest.raises(sf.InfeasibleError, match=r"Reposition: no snapshot can be published"):
        sf.anonymize(sf.Dataset.of("snapshots", [(0, "1", "a")], ("age",), "ill"), sf.methods.Reposition(l=2))


def test_dates_are_published_as_dates():
    data = sf.Dataset.of("snapshots", [(19725, "1", "a"), (19725, "2", "b")], ("age",), "ill", clock=Clock("day"))
    release = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes([1] * 32)).release
    assert release.table["snapshot"][0].as_py().isoformat() == "2024-01-03T00:00:00+00:00"
    assert release.parts["sensitive"].table["snapshot"].type == release.table["snapshot"].type
