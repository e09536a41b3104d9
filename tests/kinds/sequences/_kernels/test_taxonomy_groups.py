"""Groups by taxonomy: equal to the plain ones, fulfilling the demand, and found whenever there is a way."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import taxonomy as naive
from tests.kinds.sequences.naive.covers import count_events, least_loss
from tests.kinds.sequences.naive.time_groups import fulfils

from sfumato.kinds.sequences._kernels.clusters import BEGIN, END
from sfumato.kinds.sequences._kernels.covers import Monitored, find_loss
from sfumato.kinds.sequences._kernels.demand import Demand
from sfumato.kinds.sequences._kernels.hilbert import order_along_curve
from sfumato.kinds.sequences._kernels.prices import set_prices
from sfumato.kinds.sequences._kernels.profiles import NODE, new_table
from sfumato.kinds.sequences._kernels.taxonomy_distance import build_branches, load_pivot
from sfumato.kinds.sequences._kernels.taxonomy_groups import et
from sfumato.kinds.sequences._kernels.taxonomy_parts import split_people
from sfumato.kinds.sequences._kernels.taxonomy_repair import (
    bound_closely,
    bound_roughly,
    find_nearest,
    merge_members,
    open_repair,
)
from sfumato.kinds.sequences._kernels.windows import Unmonitored, key_pairs

ordinary = settings(max_examples=60)

TREE = np.array([8, 8, 9, 9, 10, 10, 10, 10, 11, 11, 11, -1], np.int32)
LEAVES = np.array([1] * 8 + [2, 2, 4, 8], np.int64)
SPAN = 7
WEIGHTS = st.sampled_from([(1, 1), (1, 0), (0, 1), (3, 1)])

events = st.tuples(st.integers(0, SPAN), st.integers(0, 7))
pairs = st.tuples(st.integers(0, 2), st.integers(0, SPAN))


@st.composite
def cases(draw, most_people=11):
    rows = draw(st.lists(st.lists(events, min_size=1, max_size=4), min_size=1, max_size=most_people))
    others = [draw(st.lists(pairs, max_size=2)) for _ in rows]
    return rows, others, draw(st.permutations(range(len(rows))))


demands = st.tuples(st.integers(1, 4), st.sampled_from([0, 0, 1, 2, 3]), st.integers(0, 5))


def list_column(rows):
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return offsets, *(np.array([item[i] for row in rows for item in row], np.int64) for i in (0, 1))


def monitor(rows):
    offsets, times, leaf = list_column(rows)
    return Monitored(offsets, times, leaf.astype(np.int32))


def leave(others):
    offsets, event, time = list_column(others)
    return Unmonitored(offsets, event.astype(np.int32), time)


def price(rows, weights):
    return set_prices(*weights, SPAN, count_events(rows), TREE, LEAVES)


def run(rows, others, permutation, weights, demand):
    calls = []
    outcome = et(
        monitor(rows),
        leave(others),
        price(rows, weights),
        Demand(*demand),
        np.array(permutation, np.int64),
        lambda *call: calls.append(call),
    )
    return outcome, calls


def rank_by_time(rows):
    """Everyone's place on the Hilbert curve of first and last times."""
    first, last = (np.array([pick(row)[0] for row in rows], np.int64) for pick in (min, max))
    rank = np.empty(len(rows), np.int64)
    rank[order_along_curve(first, last)] = np.arange(len(rows))
    return rank


def list_groups(group):
    return {frozenset(np.flatnonzero(group == number).tolist()) for number in set(group.tolist())}


@ordinary
@given(cases(), demands, WEIGHTS)
def test_groups_equal_the_plain_ones(case, demand, weights):
    rows, others, permutation = case
    outcome, _ = run(rows, others, permutation, weights, demand)
    rank = rank_by_time(rows)
    expected = naive.group_by_taxonomy(rows, others, TREE.tolist(), weights, SPAN, demand, permutation, rank)
    assert (outcome.status == "done") == (expected is not None)
    if expected is not None:
        assert list_groups(outcome.group) == set(map(frozenset, expected.values()))


@settings(max_examples=150)
@given(cases(most_people=40), demands, WEIGHTS)
def test_every_group_fulfils_the_demand_whenever_there_is_a_way(case, demand, weights):
    rows, others, permutation = case
    outcome, calls = run(rows, others, permutation, weights, demand)
    assert (outcome.status == "done") == fulfils(range(len(rows)), others, *demand)
    if outcome.status != "done":
        assert outcome.status == ("too few" if len(rows) < max(demand[:2]) else "not diverse")
        assert not calls
        return
    groups = list_groups(outcome.group)
    assert all(fulfils(group, others, *demand) for group in groups)
    assert [outcome.group.tolist().index(number) for number in range(len(groups))] == sorted(map(min, groups))
    assert calls == sorted(calls)
    assert calls[-1] == (2 * len(rows), 2 * len(rows))
    assert len(groups) == outcome.counts["parts"] - outcome.counts["merges"]
    assert outcome.counts["violators"] or not outcome.counts["merges"]


@pytest.mark.parametrize("n", [1, 7, 64, 100])
@pytest.mark.parametrize("k", [1, 2, 5])
def test_people_who_are_all_alike_are_halved_in_time(n, k):
    rows = [[(3, 1), (4, 5), (4, 5)] for _ in range(n)]
    outcome, _ = run(rows, [[]] * n, range(n), (1, 1), (k, 0, 0))
    assert outcome.status == ("done" if n >= k else "too few")
    assert outcome.counts.get("violators", 0) == 0
    if n >= k:
        assert all(k <= size < 2 * k for size in np.bincount(outcome.group))


def test_events_part_people_before_time_does():
    # Shoppers and searchers, early and late: nobody shares a group with a person of another kind.
    rows = [[(time, leaf)] for time in (0, 7) for leaf in (4, 2) for _ in range(3)]
    outcome, _ = run(rows, [[]] * 12, [3, 7, 11, 0, 5, 9, 2, 1, 4, 6, 8, 10], (1, 1), (3, 0, 0))
    assert list_groups(outcome.group) == {frozenset(range(at, at + 3)) for at in (0, 3, 6, 9)}
    assert (outcome.counts["parts"], outcome.counts["merges"]) == (4, 0)


def test_the_fullest_window_says_what_would_be_feasible():
    others = [[(1, 5)], [(1, 6)], [(1, 7), (0, 3)], []]
    outcome, calls = run([[(1, 0)]] * 4, others, range(4), (1, 1), (2, 2, 2))
    assert (outcome.status, outcome.event, outcome.start, outcome.largest_l) == ("not diverse", 1, 5, 1)
    assert not calls
    assert run([[(1, 0)]] * 4, others, range(4), (1, 1), (2, outcome.largest_l, 2))[0].status == "done"


def test_nobody_at_all():
    outcome, _ = run([], [], [], (1, 1), (1, 0, 0))
    assert (outcome.status, outcome.group.size) == ("done", 0)


@pytest.mark.parametrize(
    ("rows", "order", "demand"),
    [
        ([[(1, 0)], []], [0, 1], (1, 0, 0)),
        ([[(1, 0)], [(1, 0)]], [0, 0], (1, 0, 0)),
        ([[(1, 0)]], [0], (0, 0, 0)),
        ([[(1, 0)]], [0], (1, 1, -1)),
    ],
)
def test_what_makes_no_sense_is_refused(rows, order, demand):
    with pytest.raises(ValueError, match="must"):
        run(rows, [[]] * len(rows), order, (1, 1), demand)


@ordinary
@given(cases(most_people=30), st.integers(2, 9))
def test_parts_equal_the_plain_ones(case, room):
    rows, _, permutation = case
    rank = rank_by_time(rows)
    order = np.array(permutation, np.int64)
    offsets, _, leaf = list_column(rows)
    branches = build_branches(offsets, leaf.astype(np.int32), TREE)
    ends, _ = split_people(branches, LEAVES, rank, order, room, lambda _: None)
    did = [[event for _, event in row] for row in rows]
    expected = naive.split_people(list(permutation), did, TREE.tolist(), rank, room)
    assert [part.tolist() for part in np.split(order, ends[:-1])] == expected


@st.composite
def clusters(draw):
    """Rows in a few clusters of one to three people, with all of them as numbers."""
    rows, _, _ = draw(cases(most_people=7))
    cuts = sorted(draw(st.sets(st.integers(1, len(rows)))) | {len(rows)})
    return rows, np.array(cuts)


def build_clusters(rows, ends, weights, prices=None):
    offsets, _, leaf = list_column(rows)
    branches = build_branches(offsets, leaf.astype(np.int32), TREE)
    repair = open_repair(monitor(rows), key_pairs(leave([[]] * len(rows)), 0), prices or price(rows, weights), branches)
    starts = np.concatenate(([0], ends[:-1]))
    merge_members(repair, np.arange(len(rows)), starts, ends)
    members = {start: rows[start:end] for start, end in zip(starts.tolist(), ends.tolist(), strict=True)}
    return repair, members


@ordinary
@given(clusters(), WEIGHTS)
def test_bounds_are_bounds_and_the_nearest_is_the_nearest(case, weights):
    rows, ends = case
    prices = price(rows, weights)
    repair, members = build_clusters(rows, ends, weights)
    unit = prices.whole
    for one in members:
        losses = {}
        for other in members.keys() - {one}:
            load_pivot(repair.common, one, repair.pivot)
            union = [*members[one], *members[other]]
            loss = least_loss(union, weights, SPAN, TREE.tolist()) * unit / count_events(union)
            bound_roughly(repair, one, np.array([other]))
            assert repair.rough[other] <= float(loss)
            assert bound_closely(repair, one, other) <= float(loss)
            losses[other] = loss
        if losses:
            nearest = find_nearest(repair, np.array(sorted(members)), one)
            assert nearest == min(losses, key=lambda other: (losses[other], other))


@ordinary
@given(clusters(), WEIGHTS)
def test_clusters_lose_the_least_there_is(case, weights):
    rows, ends = case
    prices = price(rows, weights)
    repair, members = build_clusters(rows, ends, weights)
    for number, cluster in members.items():
        card = repair.store.cards[number]
        profile = np.ascontiguousarray(repair.store.pool[card[BEGIN] : card[END], : NODE + 1])
        loss = find_loss(profile, prices, new_table(len(profile)), repair.store.runs)
        assert loss == least_loss(cluster, weights, SPAN, TREE.tolist()) * prices.whole


@ordinary
@given(clusters())
def test_clusters_keep_the_nodes_that_all_members_reach(case):
    rows, ends = case
    repair, members = build_clusters(rows, ends, (1, 1))
    below = {node: naive.list_leaves(node, TREE.tolist()) for node in range(len(TREE))}
    for number, cluster in members.items():
        begin, length = repair.common.begin[number], repair.common.length[number]
        kept = repair.common.node[begin : begin + length].tolist()
        common = [n for n in below if all(any(leaf in below[n] for _, leaf in row) for row in cluster)]
        assert sorted(kept) == common
        for at, node in enumerate(kept):
            inside = [other for other in kept if below[other] <= below[node]]
            assert kept[at : at + repair.common.span[begin + at]] == [node, *(n for n in kept[at + 1 :] if n in inside)]
            total = sum(leaf in below[node] for row in cluster for _, leaf in row)
            assert repair.common.events[begin + at] == total


def test_bounds_spare_most_evaluations():
    generator = np.random.default_rng(5)
    rows = []
    for _ in range(150):
        favourite = generator.integers(0, 3)
        low, high = [(0, 2), (2, 4), (4, 8)][favourite]
        count = generator.integers(1, 4)
        times = generator.integers(0, SPAN, count)
        rows.append([(int(t), int(e)) for t, e in zip(times, generator.integers(low, high, count), strict=True)])
    outcome, _ = run(rows, [[]] * 150, generator.permutation(150), (1, 1), (3, 0, 0))
    assert outcome.counts["violators"] > 0
    assert outcome.counts["evaluations"] < outcome.counts["bounded"] / 2
