"""Grouping along the Hilbert curve, for people whose neighbours on it are alike."""

import math
from collections.abc import Callable

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.bounds import bound_by_neighbours
from sfumato.kinds.sequences._kernels.clusters import BEGIN, COUNT, END, FIRST, LAST, LONE, TOP, Store
from sfumato.kinds.sequences._kernels.covers import find_loss
from sfumato.kinds.sequences._kernels.extents import BOUNDS, EVALUATIONS
from sfumato.kinds.sequences._kernels.prices import join_nodes
from sfumato.kinds.sequences._kernels.profiles import NODE, unite_profiles

__all__ = ["assign_all", "assign_regions", "partition_curve"]

# So much work at a time, and then it can be interrupted: some tenths of a second.
_STEPS_PER_SLICE = 5_000_000


def assign_regions(store: Store, order: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Tell who is in region A: who has one distinct time only, or is closer than average to the one before.

    Closeness is the bound by neighbours of two people next to each other on the curve; the first person is compared
    with the second.

    Parameters
    ----------
    store
        One cluster for every person.
    order
        People along the Hilbert curve.
    counts
        Counted up: evaluations of bounds.

    Returns
    -------
    NDArray[np.bool_]
        By place in the order: whether the person is in region A.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 4.3.2.
    """
    lone: NDArray[np.bool_] = store.cards[order, LONE] > 0
    if order.size < 2:
        return lone
    apart = np.empty(order.size)
    _compare_neighbours(store, order, apart[1:])
    apart[0] = apart[1]
    counts[BOUNDS] += order.size - 1
    close: NDArray[np.bool_] = apart < math.fsum(apart.tolist()) / apart.size
    return lone | close


def assign_all(store: Store, order: NDArray[np.int64], counts: NDArray[np.int64]) -> NDArray[np.bool_]:  # noqa: ARG001
    """Put everyone into region A; arguments are those of `assign_regions`."""
    return np.ones(order.size, np.bool_)


@njit(cache=True, nogil=True)
def _compare_neighbours(store: Store, order: NDArray[np.int64], apart: NDArray[np.float64]) -> None:
    """Bound the loss per event of everyone but the first with the one before."""
    for at in range(apart.size):
        apart[at] = bound_by_neighbours(store, order[at], order[at + 1])


def partition_curve(
    store: Store, order: NDArray[np.int64], people: int, counts: NDArray[np.int64], report: Callable[[int, int], None]
) -> NDArray[np.int64]:
    """Cut the curve into groups of at least so many people, and fewer than twice as many, at the least loss.

    The loss of a cut is the sum over groups of people times loss per event: NCP but for a constant. Equals go to the
    smaller last group.

    Parameters
    ----------
    store
        One cluster for every person.
    order
        People along the Hilbert curve, at least as many as a group needs.
    people
        The least number of members of a group.
    counts
        Counted up: evaluations of the loss.
    report
        Called with people done and people in all.

    Returns
    -------
    NDArray[np.int64]
        By place in the order: the number of the group, rising from 0.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 4.3.3.
    """
    best = np.full(order.size + 1, np.inf)
    best[0] = 0
    size = np.zeros(order.size + 1, np.int64)
    before = np.concatenate((np.zeros(2 * people - 1, np.int64), np.cumsum(store.cards[order, COUNT])))
    longest = int((before[2 * people - 1 :] - before[: order.size]).max())
    buffers = np.empty((2, longest, NODE + 1), np.int64)
    pace = max(1, _STEPS_PER_SLICE // (2 * people) ** 2)
    for begin in range(0, order.size, pace):
        end = min(order.size, begin + pace)
        counts[EVALUATIONS] += _extend_cuts(store, order, people, begin, end, best, size, buffers)
        report(end, order.size)
    starts = np.zeros(order.size, np.int64)
    at = order.size
    while at > 0:
        at -= size[at]
        starts[at] = 1
    return np.cumsum(starts) - 1


@njit(cache=True, nogil=True)
def _extend_cuts(
    store: Store,
    order: NDArray[np.int64],
    people: int,
    begin: int,
    end: int,
    best: NDArray[np.float64],
    size: NDArray[np.int64],
    buffers: NDArray[np.int64],
) -> int:
    """Find the best last group up to every place from `begin` to `end`, and return how often a loss was evaluated."""
    evaluations = 0
    for last in range(begin, end):
        card = store.cards[order[last]]
        buffer, spare = buffers[0], buffers[1]
        n = card[END] - card[BEGIN]
        for at in range(n):
            for column in range(NODE + 1):
                buffer[at, column] = store.pool[card[BEGIN] + at, column]
        events, first, final, top, lone = card[COUNT], card[FIRST], card[LAST], card[TOP], card[LONE]
        loss = 0
        for members in range(1, min(2 * people - 1, last + 1) + 1):
            before = last + 1 - members
            card = store.cards[order[before]]
            if members > 1:
                events += card[COUNT]
                first, final, lone = min(first, card[FIRST]), max(final, card[LAST]), lone | card[LONE]
                top = join_nodes(top, card[TOP], store.prices) if store.prices.leaf > 0 else 0
                if lone == 0:
                    n = unite_profiles(buffer[:n], store.pool[card[BEGIN] : card[END]], spare, store.prices)
                    buffer, spare = spare, buffer
            # A group loses at least as much as a part of it.
            if members < people or best[before] + members * (loss / events) >= best[last + 1]:
                continue
            evaluations += 1
            if lone == 0:
                loss = find_loss(buffer[:n], store.prices, store.table, store.runs)
            else:
                price = store.prices.time * (final - first)
                if store.prices.leaf > 0:
                    price += store.prices.leaf * store.prices.leaves[top]
                loss = events * price
            if best[before] + members * (loss / events) < best[last + 1]:
                best[last + 1], size[last + 1] = best[before] + members * (loss / events), members
    return evaluations
