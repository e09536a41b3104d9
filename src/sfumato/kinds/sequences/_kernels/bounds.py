"""Lower bounds of the loss per event of the union of two clusters, cheaper than the loss itself.

A bound divides a whole number no larger than the loss by a number of events no smaller than that of the union.
Division rounds monotonically, so no bound ever exceeds the loss it is compared with.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.clusters import (
    ACROSS,
    AHEAD,
    AROUND,
    BEGIN,
    COUNT,
    END,
    FIRST,
    INFINITE,
    LAST,
    LONE,
    LOSS,
    MARKS,
    Store,
)
from sfumato.kinds.sequences._kernels.prices import Prices
from sfumato.kinds.sequences._kernels.profiles import EVENTS, NEVER, NODE, REACH, TIME

__all__ = [
    "Extent",
    "bound_by_extent",
    "bound_by_fingerprint",
    "bound_by_neighbours",
    "bound_by_parts",
    "describe_extent",
]

_EXACT = 1 << 53  # above, whole numbers are rounded before they are divided
_SHAVE = 1 - 2.0**-50


class Extent(NamedTuple):
    """What a set of clusters has in common.

    Attributes
    ----------
    earliest_start, latest_start, earliest_end, latest_end
        Ranges of the first and of the last time of the clusters.
    events
        The most monitored events a cluster has.
    hollow
        Not 0 when surely no cluster has an event after the latest start and before the earliest end.
    lone
        Not 0 when one interval only can cover any of the clusters.

    Examples
    --------
    >>> Extent(0, 5, 20, 30, events=4, hollow=1, lone=0).earliest_end
    20
    """

    earliest_start: int
    latest_start: int
    earliest_end: int
    latest_end: int
    events: int
    hollow: int
    lone: int


@njit(cache=True, nogil=True)
def describe_extent(card: NDArray[np.int64]) -> Extent:
    """Describe one cluster, by its card, as a set."""
    hollow = 1 if card[END] - card[BEGIN] <= 2 else 0
    return Extent(card[FIRST], card[FIRST], card[LAST], card[LAST], card[COUNT], hollow, card[LONE])


@njit(cache=True, nogil=True)
def divide_down(loss: int, events: int) -> float:
    """Divide such that the result never exceeds the loss per event of anything that loses as much or more."""
    return loss / events if loss < _EXACT else loss / events * _SHAVE


@njit(cache=True, nogil=True)
def bound_by_extent(
    card: NDArray[np.int64], profile: NDArray[np.int64], extent: Extent, time_price: int, leaf_price: int
) -> float:
    """Bound the loss per event of a cluster, by its card and profile, with any one of a set of clusters (D_Extent).

    Where the cluster has events in the hollow of the extent, some of them may be covered from the left and the
    others from the right; the lemma as printed forgets that, and then is no bound. Beyond the lemma, an interval
    that sticks out at either end also holds an event of the other cluster.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Appendix A, Lemmas 5 and 6.
    """
    first, last = card[FIRST], card[LAST]
    if card[LONE] | extent.lone | (last <= extent.earliest_start) | (first >= extent.latest_end):
        # A single interval covers all.
        length = max(last, extent.earliest_end) - min(first, extent.latest_start)
        return float(divide_down(time_price * length + leaf_price, 1))
    outside, begin = 0, 0
    while profile[begin, TIME] < extent.earliest_start:
        outside += profile[begin, EVENTS]
        begin += 1
    loss = outside * (extent.earliest_start - first)
    outside, end = 0, profile.shape[0]
    while profile[end - 1, TIME] > extent.latest_end:
        end -= 1
        outside += profile[end, EVENTS]
    loss += outside * (last - extent.latest_end)
    if extent.hollow:
        loss += _bridge_hollow(profile[begin:end], extent.latest_start, extent.earliest_end)
    # At either end one of the two sticks out, if any does; an event of the other cluster is covered just as badly.
    loss += max(0, extent.earliest_start - first, first - extent.latest_start)
    loss += max(0, last - extent.latest_end, extent.earliest_end - last)
    most = card[COUNT] + extent.events
    return float(divide_down(time_price * loss + leaf_price * most, most))


@njit(cache=True, nogil=True)
def _bridge_hollow(profile: NDArray[np.int64], low: int, high: int) -> int:
    """Cover the times between two others at the least loss: the first ones from the left, the rest from the right."""
    begin, end = 0, profile.shape[0]
    while begin < end and profile[begin, TIME] <= low:
        begin += 1
    while end > begin and profile[end - 1, TIME] >= high:
        end -= 1
    if begin == end:
        return 0
    left, right = 0, 0
    for at in range(begin, end):
        right += profile[at, EVENTS]
    least = right * (high - profile[begin, TIME])
    for at in range(begin, end):
        left += profile[at, EVENTS]
        right -= profile[at, EVENTS]
        loss = left * (profile[at, TIME] - low)
        if at + 1 < end:
            loss += right * (high - profile[at + 1, TIME])
        least = min(least, loss)
    return int(least)


@njit(cache=True, nogil=True)
def bound_by_fingerprint(store: Store, cluster: int, other: int) -> float:
    """Bound the loss per event of a union by the parts of time in which only one of the clusters has events (D_fp).

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Appendix A, Lemma 4.
    """
    mine, yours = store.cards[cluster, MARKS], store.cards[other, MARKS]
    all_parts = (1 << store.parts) - 1
    parts = _count_gaps(mine, yours, all_parts) + _count_gaps(yours, mine, all_parts)
    events = store.cards[cluster, COUNT] + store.cards[other, COUNT]
    # The same as parts * extent // parts of the whole, but never beyond 64 bits.
    loss = parts // store.parts * store.extent + parts % store.parts * store.extent // store.parts
    return float(divide_down(store.prices.time * loss + store.prices.leaf * events, events))


@njit(cache=True, nogil=True)
def _count_gaps(marks: int, others: int, all_parts: int) -> int:
    """Add up how many empty parts lie between each mark and the nearest of the others."""
    near = (others | (others << 1) | (others >> 1)) & all_parts
    far = marks & ~near
    gaps = 0
    while far != 0:
        # Whatever is more than d parts away has at least d empty parts between.
        rest = far
        while rest != 0:
            rest &= rest - 1
            gaps += 1
        near |= ((near << 1) | (near >> 1)) & all_parts
        far &= ~near
    return gaps


@njit(cache=True, nogil=True)
def bound_by_parts(mine: NDArray[np.int64], yours: NDArray[np.int64]) -> float:
    """Bound the loss per event of a union by what either cluster loses alone: intervals for both suit each.

    Both are given by their cards.
    """
    return float(divide_down(mine[LOSS] + yours[LOSS], mine[COUNT] + yours[COUNT]))


@njit(cache=True, nogil=True)
def bound_by_neighbours(store: Store, cluster: int, other: int) -> float:
    """Bound the loss per event of a union by how far each event is from every member (D_LB).

    For two people this is the bound as printed. For clusters it is tighter: each event lies in an interval that
    holds all members of either cluster, not only one member after the other. Where categories count, that of an
    event is also above some event of the other cluster.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Appendix A, Lemma 7.
    """
    mine, yours, prices = store.cards[cluster], store.cards[other], store.prices
    profile, opposite = store.pool[mine[BEGIN] : mine[END]], store.pool[yours[BEGIN] : yours[END]]
    loss = prices.time * _meet_everyone(profile, opposite)
    if prices.leaf > 0:
        leaves = _meet_somebody(profile, opposite, prices, store.stamps)
        loss += prices.leaf * (leaves + _meet_somebody(opposite, profile, prices, store.stamps))
    return float(divide_down(loss, mine[COUNT] + yours[COUNT]))


@njit(cache=True, nogil=True)
def _meet_everyone(profile: NDArray[np.int64], other: NDArray[np.int64]) -> int:
    """Add up the lengths of the shortest intervals around each event that hold everyone in one cluster or the other."""
    i, j, loss = 0, 0, 0
    # What is seen of either cluster from between its last and its next time.
    reach, ahead, across = NEVER, profile[0, AHEAD], INFINITE
    far_reach, far_ahead, far_across = NEVER, other[0, AHEAD], INFINITE
    n, m = profile.shape[0], other.shape[0]
    while i < n or j < m:
        mine = j == m or (i < n and profile[i, TIME] <= other[j, TIME])
        yours = i == n or (j < m and other[j, TIME] <= profile[i, TIME])
        time = profile[i, TIME] if mine else other[j, TIME]
        near = profile[i, AROUND] if mine else min(time - reach, ahead - time, across)
        far = other[j, AROUND] if yours else min(time - far_reach, far_ahead - time, far_across)
        if mine:
            loss += profile[i, EVENTS] * max(near, far)
            reach = profile[i, REACH]
            i += 1
            ahead, across = (profile[i, AHEAD], profile[i, ACROSS]) if i < n else (INFINITE, INFINITE)
        if yours:
            loss += other[j, EVENTS] * max(near, far)
            far_reach = other[j, REACH]
            j += 1
            far_ahead, far_across = (other[j, AHEAD], other[j, ACROSS]) if j < m else (INFINITE, INFINITE)
    return int(loss)


@njit(cache=True, nogil=True)
def _meet_somebody(
    profile: NDArray[np.int64], opposite: NDArray[np.int64], prices: Prices, stamps: NDArray[np.int64]
) -> int:
    """Add up the leaves below the lowest category of each event that is above an event of the other cluster too.

    Nodes above events of the other cluster get a new stamp; the last entry of the stamps is the latest one.
    """
    stamps[-1] += 1
    for at in range(opposite.shape[0]):
        node = opposite[at, NODE]
        while node >= 0 and stamps[node] != stamps[-1]:
            stamps[node] = stamps[-1]
            node = prices.parent[node]
    leaves = 0
    for at in range(profile.shape[0]):
        node = profile[at, NODE]
        while stamps[node] != stamps[-1]:
            node = prices.parent[node]
        leaves += profile[at, EVENTS] * prices.leaves[node]
    return int(leaves)
