"""Groups in which no value repeats: records of the fullest buckets are put together, one of each."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["group_buckets"]

Ints = NDArray[np.int64]


@njit(cache=True, nogil=True)
def group_buckets(counts: Ints, l: int, draws: Ints) -> tuple[Ints, Ints]:
    """Return values and groups of records so that every group has l records or more and no value twice.

    The l fullest buckets give one record each to a new group, as long as l buckets have any; ties are broken by the
    random draws. What is left, at most one record of each of fewer than l values, joins random groups that do not have
    the value.

    Parameters
    ----------
    counts
        Records by value; none may be above 1/l of the sum.
    l
        Smallest size of a group.
    draws
        Random whole numbers, not negative: two for every record.

    Returns
    -------
    tuple
        The value and the group of every record, group by group until the last records, which join earlier groups.
    """
    total = counts.sum()
    value, group = np.empty(total, np.int64), np.empty(total, np.int64)
    order = np.argsort(-counts, kind="mergesort")
    left = counts[order].copy()
    done, groups, draw = 0, 0, 0
    while len(left) >= l and left[l - 1] > 0:
        draw = _draw_ties(order, left, l, draws, draw)
        for k in range(l):
            value[done], group[done] = order[k], groups
            left[k] -= 1
            done += 1
        groups += 1
        _restore_order(order, left, l)
    for k in range(len(left)):
        if left[k] == 0:
            break
        taken = np.zeros(groups, np.bool_)
        for i in range(done):
            if value[i] == order[k]:
                taken[group[i]] = True
        at = draws[draw % len(draws)] % groups
        draw += 1
        while taken[at]:
            at = (at + 1) % groups
        value[done], group[done] = order[k], at
        done += 1
    return value, group


@njit(cache=True, nogil=True)
def _draw_ties(order: Ints, left: Ints, l: int, draws: Ints, draw: int) -> int:
    """Put a random choice of the buckets as full as the l-th to the front of their equals."""
    first, last = l - 1, l - 1
    while first > 0 and left[first - 1] == left[l - 1]:
        first -= 1
    while last + 1 < len(left) and left[last + 1] == left[l - 1]:
        last += 1
    for k in range(first, min(l, last)):
        other = k + draws[draw % len(draws)] % (last - k + 1)
        draw += 1
        order[k], order[other] = order[other], order[k]
    return draw


@njit(cache=True, nogil=True)
def _restore_order(order: Ints, left: Ints, l: int) -> None:
    """Sort the buckets by fullness again after the first l have lost one record each."""
    low = left[l - 1]
    first = l - 1
    while first > 0 and left[first - 1] == low:
        first -= 1
    last = l - 1
    while last + 1 < len(left) and left[last + 1] > low:
        last += 1
    # Buckets first..l-1 hold one record less than l..last: the two runs change places, at their shorter length.
    for k in range(min(l - first, last - l + 1)):
        order[first + k], order[last - k] = order[last - k], order[first + k]
        left[first + k], left[last - k] = left[last - k], left[first + k]
