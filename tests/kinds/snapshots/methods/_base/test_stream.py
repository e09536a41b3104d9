"""Streams of snapshots: late records, gaps, new values, and going on from a state."""

import numpy as np
import pyarrow as pa
import pytest

import sfumato as sf
from sfumato.data.schema import Column, Schema
from sfumato.exceptions import SchemaError
from sfumato.kinds.snapshots.methods._base.origins import Snapshot
from sfumato.kinds.snapshots.methods._base.stream import CLOSED, SUPPRESSED

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
    assert flow.suppressed_records == {SUPPRESSED: 0, CLOSED: 0}
    assert sum(len(leaving.rows) for leaving in out) == 6
    assert all(0 <= leaving.time - origin < 3 for leaving in out for origin in leaving.origins)


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
    assert flow.suppressed_records[CLOSED] == 3
    out = flow.flush()
    assert not any(row >= 50 for leaving in out for row in leaving.rows)


def test_late_records_can_be_refused():
    flow = stream(2, late="error")
    flow.push(snapshot(3, ["a", "b"]))
    with pytest.raises(SchemaError, match=r"2 records came after a later snapshot"):
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
    assert flow.suppressed_records[SUPPRESSED] == 2
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
    assert sum(flow.suppressed_records.values()) <= 2


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
    assert second.suppressed_records == whole.suppressed_records


def test_memory_is_bounded_by_the_window():
    flow = stream(3)
    for time in range(60):
        flow.push(snapshot(time, ["a", "b", "b"], 3 * time))
        assert len(flow.state().origins) <= 5


def test_the_first_window_shrinks_to_what_an_integer_program_can(monkeypatch):
    monkeypatch.setattr("sfumato.kinds.snapshots.methods._base.reposition_window._LARGEST_PROGRAM", 12)
    flow = stream(4)
    out = [leaving for t in range(9) for leaving in flow.push(snapshot(t, ["a", "a", "b"], 3 * t))] + flow.flush()
    assert sum(len(leaving.rows) for leaving in out) + flow.suppressed_records[SUPPRESSED] == 27
    assert all(0 <= leaving.time - origin < 4 for leaving in out for origin in leaving.origins)


def test_records_of_the_same_cost_are_chosen_at_random():
    picked = set()
    for seed in range(30):
        flow = sf.methods.Reposition(l=2, window=1, then="none").stream(SCHEMA, secret=bytes([seed] * 32))
        (out,) = flow.push(snapshot(0, ["a", "a", "a", "b"]))
        picked.add(tuple(sorted(out.rows.tolist())))
    assert picked == {(0, 3), (1, 3), (2, 3)}
