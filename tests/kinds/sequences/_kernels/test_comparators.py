"""Aligned and symmetric groups: worked cases, plain twins, and what their publications must satisfy."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import comparators as naive

from sfumato.kinds.sequences._kernels.comparators import align_groups, mirror_groups
from sfumato.kinds.sequences._kernels.covers import Monitored, locate_events
from sfumato.kinds.sequences._kernels.hilbert import order_along_curve, rank_along_curve
from sfumato.kinds.sequences._kernels.prices import set_prices

ordinary = settings(max_examples=80)

TREE = np.array([8, 8, 9, 9, 10, 10, 10, 10, 11, 11, 11, -1], np.int32)
LEAVES = np.array([1] * 8 + [2, 2, 4, 8], np.int64)
SPAN = 20


def list_column(rows):
    """Rows of (time, leaf) as arrays."""
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    times, leaf = (np.array([event[i] for row in rows for event in row], np.int64) for i in (0, 1))
    return Monitored(offsets, times, leaf.astype(np.int32))


def priced(rows, wt=1, we=1):
    return set_prices(wt, we, SPAN, sum(map(len, rows)), TREE, LEAVES)


def align(rows, k, permutation, wt=1, we=1):
    calls = []
    found = align_groups(
        list_column(rows), priced(rows, wt, we), k, np.array(permutation, np.int64), lambda *call: calls.append(call)
    )
    return found, calls


events = st.tuples(st.integers(0, SPAN), st.integers(0, 7))


@st.composite
def cases(draw, most_people=7, most_events=4):
    rows = draw(st.lists(st.lists(events, max_size=most_events), min_size=1, max_size=most_people))
    weights = draw(st.sampled_from([(1, 1), (1, 0), (0, 1), (2, 1)]))
    return rows, draw(st.integers(1, 4)), draw(st.permutations(range(len(rows)))), weights


def test_two_people_of_the_worked_example():
    found, calls = align([[(1, 0), (10, 0)], [(3, 0), (11, 0)]], 2, [0, 1], we=0)
    assert found.intervals.start.tolist() == [1, 10]
    assert found.intervals.end.tolist() == [3, 11]
    assert found.intervals.loss.tolist() == [2 * 2 + 2 * 1]
    assert found.interval.tolist() == [0, 1, 0, 1]
    assert calls == [(2, 2)]


def test_points_without_a_partner_are_suppressed():
    found, _ = align([[(1, 0), (5, 4), (10, 0)], [(2, 1), (10, 0)]], 2, [0, 1])
    assert found.interval.tolist() == [0, -1, 1, 0, 1]
    assert found.intervals.node.tolist() == [8, 0]  # social, and the leaf itself
    # Lengths cost 1/20 and leaves 1/8 of a whole, that is 2 and 5; a suppressed event costs as much as the whole.
    assert found.intervals.loss.tolist() == [2 * (2 + 2 * 5) + 2 * 5 + (20 * 2 + 8 * 5)]


def test_events_at_one_time_leave_only_one():
    found, _ = align([[(4, 0), (4, 5)], [(4, 5), (4, 6)]], 2, [0, 1])
    assert (found.interval == 0).sum() == 2
    assert found.intervals.start.tolist() == found.intervals.end.tolist() == [4]


def test_slots_stay_disjoint_when_a_match_would_make_them_overlap():
    # Matching 7 with the first slot and 8 with the second would give [1, 7] and [6, 9].
    found, _ = align([[(1, 0), (6, 0)], [(5, 0), (9, 0)], [(7, 0), (8, 0)]], 3, [0, 1, 2], we=0)
    assert (found.intervals.end[:-1] < found.intervals.start[1:]).all()


@pytest.mark.parametrize("k", [3, 5])
def test_fewer_people_than_k_are_infeasible(k):
    rows = [[(1, 0)], [], [(2, 1)]]
    found, _ = align(rows, k, [0, 1, 2])
    assert not found.feasible
    assert found.group.tolist() == [-1, -1, -1]
    mirrored = mirror_groups(list_column(rows), priced(rows), k, np.zeros(3, np.int64), np.arange(3))
    assert not mirrored.feasible
    assert mirrored.interval.tolist() == [-1, -1]


@ordinary
@given(cases())
def test_aligned_groups_equal_the_plain_ones(case):
    rows, k, permutation, (wt, we) = case
    found, _ = align(rows, k, permutation, wt, we)
    costs = naive.Costs(wt, we, SPAN, TREE.tolist())
    expected = naive.align_groups(rows, costs, k, permutation)
    assert found.feasible == (expected is not None)
    for number, group in enumerate(expected or []):
        begin, end = found.intervals.offsets[number : number + 2]
        assert sorted(group.people) == np.flatnonzero(found.group == number).tolist()
        assert found.intervals.start[begin:end].tolist() == [min(slot.times()) for slot in group.slots]
        assert found.intervals.end[begin:end].tolist() == [max(slot.times()) for slot in group.slots]
        categories = [costs.find_category(slot.leaves()) for slot in group.slots]
        assert found.intervals.node[begin:end].tolist() == categories


@ordinary
@given(cases(most_people=12, most_events=8))
def test_every_slot_holds_exactly_one_event_of_every_member(case):
    rows, k, permutation, (wt, we) = case
    found, calls = align(rows, k, permutation, wt, we)
    if not found.feasible:
        return
    monitored, prices = list_column(rows), priced(rows, wt, we)
    owner = np.repeat(np.arange(len(rows)), np.diff(monitored.offsets))
    assert ((found.group >= 0) == (np.diff(monitored.offsets) > 0)).all()
    assert np.bincount(found.group[found.group >= 0]).min() >= k
    people = (found.group >= 0).sum()
    assert calls[-1] == (people, people)
    for group in range(found.intervals.loss.size):
        members = np.flatnonzero(found.group == group)
        begin, end = found.intervals.offsets[group : group + 2]
        assert end > begin
        assert (found.intervals.end[begin : end - 1] < found.intervals.start[begin + 1 : end]).all()
        loss = prices.whole * (found.interval[np.isin(owner, members)] < 0).sum()
        for slot in range(begin, end):
            inside = np.flatnonzero(found.interval == slot)
            assert sorted(owner[inside]) == members.tolist()
            assert monitored.times[inside].min() == found.intervals.start[slot]
            assert monitored.times[inside].max() == found.intervals.end[slot]
            length = np.ptp(monitored.times[inside])
            size = LEAVES[found.intervals.node[slot]] if we else 0
            loss += inside.size * (prices.time * length + prices.leaf * size)
        assert loss == found.intervals.loss[group]
        assert found.intervals.events[group] == np.isin(owner, members).sum()
        assert found.intervals.people[group] == members.size


def test_bounds_spare_most_alignments():
    generator = np.random.default_rng(1)
    rows = [
        [(int(t), int(e)) for t, e in zip(generator.integers(0, SPAN, n), generator.integers(0, 8, n), strict=True)]
        for n in generator.integers(1, 9, 120)
    ]
    found, _ = align(rows, 6, generator.permutation(120))
    assert found.evaluations < found.skipped


@ordinary
@given(
    st.lists(st.none() | st.integers(0, 12), min_size=1, max_size=14).flatmap(
        lambda keys: st.tuples(st.just(keys), st.permutations(range(len(keys))))
    ),
    st.integers(1, 5),
)
def test_symmetric_groups_equal_the_plain_ones(case, k):
    keys, permutation = case
    rows = [[] if key is None else [(key, 0)] for key in keys]
    array = np.array([0 if key is None else key for key in keys])
    found = mirror_groups(list_column(rows), priced(rows), k, array, np.array(permutation))
    expected = naive.mirror_groups(keys, k, permutation)
    assert found.feasible == (expected is not None)
    groups = {frozenset(np.flatnonzero(found.group == group).tolist()) for group in set(found.group) - {-1}}
    assert groups == set(map(frozenset, expected or []))
    assert all(len(group) >= k for group in groups)


@ordinary
@given(cases(most_people=12, most_events=6))
def test_symmetric_groups_suppress_nothing_and_cover_everyone(case):
    rows, k, permutation, (wt, we) = case
    monitored = list_column(rows)
    key = np.array([row[0][0] if row else 0 for row in rows])
    found = mirror_groups(monitored, priced(rows, wt, we), k, key, np.array(permutation))
    if not found.feasible:
        return
    owner = np.repeat(np.arange(len(rows)), np.diff(monitored.offsets))
    assert (found.interval >= 0).all()
    assert (found.intervals.start[found.interval] <= monitored.times).all()
    assert (monitored.times <= found.intervals.end[found.interval]).all()
    for group in range(found.intervals.loss.size):
        members = np.flatnonzero(found.group == group)
        for interval in range(*found.intervals.offsets[group : group + 2]):
            assert set(owner[found.interval == interval]) == set(members)


def test_events_outside_all_intervals_are_not_located():
    rows = [[(1, 0), (9, 0)], [(3, 0)], [(5, 0)]]
    group = np.array([0, 0, -1])
    found = mirror_groups(list_column(rows[:2]), priced(rows), 2, np.array([1, 3]), np.arange(2))
    shorter = found.intervals._replace(end=np.array([8]))
    assert locate_events(list_column(rows), group, shorter).tolist() == [0, -1, 0, -1]


@ordinary
@given(st.lists(st.lists(st.integers(-5, 2**33), min_size=1, max_size=3), min_size=1, max_size=9))
def test_ranks_along_the_curve_are_in_hilbert_order(rows):
    monitored = list_column([[(time, 0) for time in row] for row in rows])
    rank = rank_along_curve(monitored.offsets, monitored.times)
    first, last = (np.array([pick(row) for row in rows], np.int64) for pick in (min, max))
    assert np.argsort(rank).tolist() == order_along_curve(first, last).tolist()
