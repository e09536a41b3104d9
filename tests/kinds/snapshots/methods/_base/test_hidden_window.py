"""Delays that tell nothing: even orders, kept promises, chances over many secrets."""

from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.snapshots.naive import hidden_delays as naive
from tests.kinds.snapshots.naive.people import dataset

import sfumato as sf
from sfumato.api import calls
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.snapshots.knowledge.record_delays import RecordDelays
from sfumato.kinds.snapshots.methods._base.hidden_window import HiddenWindow, spread_evenly
from sfumato.kinds.snapshots.methods._base.stream import release_snapshots

DAYS = st.lists(st.lists(st.integers(0, 4), max_size=14), min_size=1, max_size=7)


def publish(data, l=2, window=3, secret=1, **more):
    """Publish even where one value is too frequent overall, which the method itself refuses."""
    method = sf.methods.Reposition(l=l, window=window, delays="hidden", **more)
    run = sf.Run(bytes([secret] * 32))
    return release_snapshots(method, data, method.stream(data.schema, data.time_unit, secret=run.secret), run)


def where(result, data):
    found = [None] * len(data)
    for row, time in zip(result.owner_record.rows.tolist(), result.release.table["snapshot"].to_pylist(), strict=True):
        found[row] = time
    return found


@settings(max_examples=150)
@given(st.lists(st.integers(1, 12), min_size=1, max_size=7))
def test_values_are_spread_so_evenly_that_no_prefix_is_off_by_one(counts):
    order = spread_evenly(np.array(counts)).tolist()
    assert order == naive.spread(counts)
    assert Counter(order) == dict(enumerate(counts))
    assert naive.largest_deviation(order, counts) < 1


@settings(max_examples=150)
@given(DAYS, st.integers(2, 4), st.integers(1, 4), st.integers(0, 255))
def test_hidden_delays_keep_their_promise(days, l, window, secret):
    data = dataset(days)
    if not len(data):
        return
    try:
        result = publish(data, l, window, secret)
    except InfeasibleError:
        return
    published = where(result, data)
    people = [(row["time"], row["ill"]) for row in data.table.to_pylist()]
    assert not naive.telling_cohorts(people, published, l)
    assert all(at is None or 0 <= at - time < window for (time, _), at in zip(people, published, strict=True))
    for time in set(published) - {None}:
        there = Counter(value for (_, value), at in zip(people, published, strict=True) if at == time)
        assert l * max(there.values()) <= sum(there.values())
    verifier = calls.plugins.find_verifier(result.release.guarantee)
    assert verifier.verify(result.release).outcome == "unsettled"
    assert verifier.verify_against(result.release, data, result.owner_record.rows)
    assert len(result.release) + sum(result.release.suppressed_records.values()) == len(data)


@settings(max_examples=60)
@given(DAYS, st.integers(2, 3), st.integers(1, 4))
def test_the_program_with_frequent_values_gains_what_the_one_with_all_values_gains(days, l, window):
    plan = HiddenWindow(l, window)
    gained = []
    solve = HiddenWindow._solve

    def watch(self, moves, origins, left, shares, time):
        amounts = solve(self, moves, origins, left, shares, time)
        worth = [self.size - (target - origins[row]) for row, target in moves]
        mine = {origin: Counter(self._queues[origin].codes.tolist()) for origin in origins.tolist()}
        rest = {origin: self._queues[origin].left for origin in origins.tolist()}
        gained.append((float(np.dot(worth, amounts)), naive.best_plan(mine, rest, l, window, self.now, time)))
        return amounts

    plan._solve = watch.__get__(plan)
    for time, day in enumerate(days):
        plan.push(time, np.array(day, dtype=np.int64))
    plan.flush()
    for ours, best in gained:
        assert ours == pytest.approx(best, abs=1e-6)


@settings(max_examples=40)
@given(st.lists(st.integers(0, 3), min_size=1, max_size=12))
def test_every_record_is_as_likely_as_any_other_to_be_at_any_place(day):
    """Turned by every number of places once, each record stands at each place exactly once."""
    order = np.argsort(spread_evenly(np.bincount(day)[np.bincount(day) > 0]), kind="stable")
    places = [np.roll(order, turn) for turn in range(len(day))]
    assert all(sorted(column) == list(range(len(day))) for column in np.array(places).T.tolist())


def test_fates_do_not_depend_on_the_value_over_many_secrets():
    """A day with one value above 1/2, then one without it: late and on time alike have the day's frequencies."""
    days = [[0] * 6 + [1, 2], [1, 2, 3, 4] * 3]
    data = dataset(days)
    late = Counter()
    for secret in range(120):
        record_delays = RecordDelays.of((result := publish(data, 2, 2, secret)).release, data, result.owner_record.rows)
        late.update(
            np.array(record_delays.labels)[
                record_delays.value[(record_delays.origin == 0) & (record_delays.delay == 1)]
            ].tolist()
        )
    assert sum(late.values()) > 100
    assert late["v0"] / sum(late.values()) == pytest.approx(6 / 8, abs=0.08)
    paper = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), max_suppressed_records=1)
    record_delays = RecordDelays.of(paper.release, data, paper.owner_record.rows)
    assert {record_delays.labels[v] for v in record_delays.value[record_delays.delay > 0]} == {"v0"}


def test_groups_of_mixed_snapshots_are_four_times_as_large():
    days = [[0] * 30 + [1, 2, 3] * 5, [0, 1, 2, 3, 4, 5] * 20]
    result = publish(dataset(days), 2, 2)
    sizes = Counter(zip(*(result.release.table[name].to_pylist() for name in ("snapshot", "group")), strict=True))
    mixed = [size for (time, _), size in sizes.items() if time == 1]
    assert min(mixed) >= 8
    pure = [size for (time, _), size in sizes.items() if time == 0]
    assert all(size < 8 for size in pure)


def test_a_hidden_stream_goes_on_from_its_state():
    rng = np.random.default_rng(5)
    days = [np.minimum(rng.exponential(1.0 + time % 3, 25), 5).astype(int).tolist() for time in range(10)]
    data = dataset(days)
    method = sf.methods.Reposition(l=2, window=3, delays="hidden")

    def begin():
        return method.stream(data.schema, data.time_unit, secret=bytes([1] * 32))

    stream = begin()
    expected = [out for snapshot in stream.cut(data) for out in stream.push(snapshot)] + stream.flush()
    stream, found = begin(), []
    for snapshot in stream.cut(data):
        state = stream.state()
        stream = begin()
        stream.restore(state)
        found += stream.push(snapshot)
    found += stream.flush()
    assert [out.table.to_pydict() for out in found] == [out.table.to_pydict() for out in expected]
    assert [out.rows.tolist() for out in found] == [out.rows.tolist() for out in expected]
