"""Clusters that are too small or not diverse, and the nearest cluster they are merged with.

The nearest is the one with the least loss per event of the union, as for clusters in time, but categories count: every
interval holds an event of every member, so its category is a node that all members reach. Clusters keep these nodes.

References
----------
R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Section 5.1 and Algorithm 4.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.bounds import bound_by_neighbours, divide_down
from sfumato.kinds.sequences._kernels.clusters import (
    AROUND,
    BEGIN,
    COUNT,
    END,
    LOSS,
    Store,
    measure_union,
    merge_clusters,
    new_store,
)
from sfumato.kinds.sequences._kernels.covers import Monitored
from sfumato.kinds.sequences._kernels.prices import Prices
from sfumato.kinds.sequences._kernels.profiles import EVENTS
from sfumato.kinds.sequences._kernels.taxonomy_distance import Branches, Pivot, clear_pivot, load_pivot, new_pivot
from sfumato.kinds.sequences._kernels.windows import Keyed

__all__ = [
    "Repair",
    "bound_closely",
    "bound_roughly",
    "find_nearest",
    "merge_members",
    "merge_two",
    "open_repair",
]

_SHAVE = 1 - 2.0**-48  # a sum of rounded quotients is no lower bound until it has lost this


class Repair(NamedTuple):
    """Clusters being repaired.

    Attributes
    ----------
    store, time_store
        What losses depend on, and the same as if categories cost nothing.
    common
        By cluster: the nodes that all its members reach, with the events of all of them.
    pivot
        The cluster whose nearest is searched.
    length
        By cluster: the sum over its events of the shortest interval each can lie in.
    rough
        Room for a bound of each cluster.
    counts
        Unions evaluated, and left out because of a bound.
    """

    store: Store
    time_store: Store
    common: Branches
    pivot: Pivot
    length: NDArray[np.int64]
    rough: NDArray[np.float64]
    counts: NDArray[np.int64]


def open_repair(monitored: Monitored, keyed: Keyed, prices: Prices, branches: Branches) -> Repair:
    """Put every person into a cluster of their own."""
    people = monitored.offsets.size - 1
    store = new_store(monitored, keyed, prices, 1)
    return Repair(
        store=store,
        time_store=store._replace(prices=prices._replace(leaf=0)),
        common=branches,
        pivot=new_pivot(prices.leaves.size),
        length=np.zeros(people, np.int64),
        rough=np.zeros(people),
        counts=np.zeros(2, np.int64),
    )


@njit(cache=True, nogil=True)
def merge_members(
    repair: Repair,
    order: NDArray[np.int64],
    starts: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> None:
    """Make a cluster of each part: two people, then two pairs, and so on, which is less work than one by one."""
    for part in range(ends.size):
        members = order[starts[part] : ends[part]].copy()
        left = members.size
        while left > 1:
            for at in range(0, left - 1, 2):
                members[at // 2] = merge_two(repair, members[at], members[at + 1])
            if left % 2 == 1:
                members[left // 2] = members[left - 1]
            left = (left + 1) // 2


@njit(cache=True, nogil=True)
def merge_two(repair: Repair, cluster: int, other: int) -> int:
    """Make one cluster of two, and return its number."""
    _intersect(repair.common, cluster, other, repair.pivot)
    merged = merge_clusters(repair.store, cluster, other)
    card, pool = repair.store.cards[merged], repair.store.pool
    repair.length[merged] = 0
    for at in range(card[BEGIN], card[END]):
        repair.length[merged] += pool[at, EVENTS] * pool[at, AROUND]
    return int(merged)


@njit(cache=True, nogil=True)
def _intersect(common: Branches, cluster: int, other: int, pivot: Pivot) -> None:
    """Keep, for the smaller number, the nodes that both clusters have; their events are added up."""
    load_pivot(common, cluster, pivot)
    begin, length = common.begin[other], common.length[other]
    node = np.empty(length, np.int32)
    events = np.empty(length, np.int32)
    source = np.empty(length, np.int64)
    before = np.zeros(length + 1, np.int64)  # nodes kept before each
    count, at = 0, 0
    while at < length:
        here = common.node[begin + at]
        if pivot.events[here] > 0:
            node[count], events[count], source[count] = here, common.events[begin + at] + pivot.events[here], at
            count += 1
            at += 1
            before[at] = count
        else:
            skipped = at + common.span[begin + at]
            before[at + 1 : skipped + 1] = count
            at = skipped
    clear_pivot(common, pivot)
    number = min(cluster, other)
    to = common.begin[number]
    common.length[number] = count
    for at in range(count):
        end = source[at] + common.span[begin + source[at]]
        source[at] = before[end] - before[source[at]]
    common.node[to : to + count] = node[:count]
    common.events[to : to + count] = events[:count]
    common.span[to : to + count] = source[:count]


@njit(cache=True, nogil=True)
def _sum_categories(
    node: NDArray[np.int32],
    events: NDArray[np.int32],
    span: NDArray[np.int32],
    parent: NDArray[np.int32],
    leaves: NDArray[np.int64],
    pivot: NDArray[np.int32],
) -> int:
    """Sum, over the events of a cluster and the pivot, the leaves of the smallest category that both clusters share.

    An interval holds an event of every member, so its category is a node that all members reach.
    """
    total = leaves[node[0]] * (np.int64(events[0]) + np.int64(pivot[node[0]]))
    at = 1
    while at < node.size:
        here = node[at]
        if pivot[here] > 0:
            total -= (leaves[parent[here]] - leaves[here]) * (np.int64(events[at]) + np.int64(pivot[here]))
            at += 1
        else:
            at += span[at]
    return int(total)


@njit(cache=True, nogil=True)
def bound_roughly(repair: Repair, cluster: int, others: NDArray[np.int64]) -> None:
    """Bound the loss per event of unions by their parts, and by the lengths and categories that every event needs."""
    # Millions of pairs are looked at: arrays are taken out of their tuples once.
    cards, length, rough = repair.store.cards, repair.length, repair.rough
    prices, common, pivot = repair.store.prices, repair.common, repair.pivot.events
    time, leaf, parent, leaves = prices.time, prices.leaf, prices.parent, prices.leaves
    begins, lengths, node, events, span = common.begin, common.length, common.node, common.events, common.span
    for other in others:
        loss = time * (length[cluster] + length[other])
        if leaf > 0:
            begin, end = begins[other], begins[other] + lengths[other]
            loss += leaf * _sum_categories(node[begin:end], events[begin:end], span[begin:end], parent, leaves, pivot)
        # Intervals that suit both also suit each.
        loss = max(loss, cards[cluster, LOSS] + cards[other, LOSS])
        rough[other] = divide_down(loss, cards[cluster, COUNT] + cards[other, COUNT])


@njit(cache=True, nogil=True)
def bound_closely(repair: Repair, cluster: int, other: int) -> float:
    """Bound the loss per event of a union by the lengths that everyone's nearest events force, and by categories."""
    bound, prices = bound_by_neighbours(repair.time_store, cluster, other), repair.store.prices
    if prices.leaf > 0:
        events = repair.store.cards[cluster, COUNT] + repair.store.cards[other, COUNT]
        common = repair.common
        place = slice(common.begin[other], common.begin[other] + common.length[other])
        leaves = _sum_categories(
            common.node[place],
            common.events[place],
            common.span[place],
            prices.parent,
            prices.leaves,
            repair.pivot.events,
        )
        bound = (bound + divide_down(prices.leaf * leaves, events)) * _SHAVE
    return float(bound)


@njit(cache=True, nogil=True)
def _measure_loss(repair: Repair, cluster: int, other: int) -> float:
    """Loss per event of a union."""
    cards = repair.store.cards
    repair.counts[0] += 1
    return float(measure_union(repair.store, cluster, other) / (cards[cluster, COUNT] + cards[other, COUNT]))


@njit(cache=True, nogil=True)
def find_nearest(repair: Repair, alive: NDArray[np.int64], cluster: int) -> int:
    """Find the cluster whose union with a cluster loses the least per event; the smallest number among equals."""
    load_pivot(repair.common, cluster, repair.pivot)
    bound_roughly(repair, cluster, alive)
    rough = repair.rough
    nearest = -1
    for other in alive:
        if other != cluster and (nearest < 0 or rough[other] < rough[nearest]):
            nearest = other
    best = _measure_loss(repair, cluster, nearest)
    rivals = np.empty(alive.size, np.int64)
    count = 0
    for other in alive:
        if other not in (cluster, nearest) and rough[other] <= best:
            rivals[count] = other
            count += 1
    repair.counts[1] += alive.size - 2 - count
    for other in rivals[:count][np.argsort(rough[rivals[:count]], kind="mergesort")]:
        if rough[other] > best or bound_closely(repair, cluster, other) > best:
            repair.counts[1] += 1
            continue
        loss = _measure_loss(repair, cluster, other)
        if loss < best or (loss == best and other < nearest):
            best, nearest = loss, other
    clear_pivot(repair.common, repair.pivot)
    return int(nearest)
