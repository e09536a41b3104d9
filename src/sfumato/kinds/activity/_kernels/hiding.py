"""Intervals of a class of which nothing is published, because too few of its people were observed then."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.classes import Demand
from sfumato.kinds.activity._kernels.durations import Activities

__all__ = ["find_hidden"]

Flags = NDArray[np.bool_]


def find_hidden(activities: Activities, people: NDArray[np.int64], demand: Demand, length: int) -> Flags:
    """Tell of which intervals of a class nothing may be published.

    These are the intervals with a slot in which fewer than k of its people are observed, and as many more as it takes
    until in every window that is left only a share epsilon of those who are observed in it may do a sensitive activity
    throughout. Of the intervals that would do, those in most such windows are taken first.

    Parameters
    ----------
    activities
        What everybody did.
    people
        Who is in the class.
    demand
        What it has to fulfil.
    length
        Slots in an interval; the last one may have fewer.

    Examples
    --------
    >>> home, away, gap = 0, 1, 2
    >>> codes = np.array([[home, home, gap, gap], [home, gap, home, away], [home, home, home, away]], np.int32)
    >>> activities = Activities(codes, 3, np.array([away]), gap)
    >>> find_hidden(activities, np.arange(3), Demand(k=2, delta=1, numerator=1, denominator=2), 1).tolist()
    [False, False, False, True]
    """
    slots = activities.codes.shape[1]
    begins = np.arange(0, slots, length)
    codes = activities.codes[people]
    if activities.gap < 0 or not (codes == activities.gap).any():
        return np.zeros(begins.size, np.bool_)
    observed = (codes != activities.gap).sum(axis=0)
    hidden: Flags = np.minimum.reduceat(observed, begins) < demand.k
    windows = slots - demand.delta + 1
    if windows < 1:
        return hidden
    excessive = np.zeros(windows, np.bool_)
    for activity in activities.sensitive:
        may, seen = _count_in_windows(codes, activity, activities.gap, demand.delta)
        excessive |= may * demand.denominator > demand.numerator * seen
    _hide(np.flatnonzero(excessive), hidden, length, demand.delta)
    return hidden


@njit(cache=True, nogil=True)
def _count_in_windows(
    codes: NDArray[np.int32], activity: int, gap: int, delta: int
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Count by window who is seen doing an activity and nothing else, and who is seen at all."""
    windows = codes.shape[1] - delta + 1
    may, seen = np.zeros(windows, np.int64), np.zeros(windows, np.int64)
    for person in range(codes.shape[0]):
        doing, other = -1, -1  # when last seen doing it, and something else
        for slot in range(codes.shape[1]):
            if codes[person, slot] == activity:
                doing = slot
            elif codes[person, slot] != gap:
                other = slot
            start = slot - delta + 1
            if start >= 0 and (doing >= start or other >= start):
                seen[start] += 1
                may[start] += other < start
    return may, seen


def _hide(starts: NDArray[np.int64], hidden: Flags, length: int, delta: int) -> None:
    """Hide intervals until none of some windows can be seen."""
    first, last = starts // length, (starts + delta - 1) // length
    while True:
        before = np.concatenate(([0], np.cumsum(hidden)))
        seen = before[first] == before[last + 1]
        if not seen.any():
            return
        first, last = first[seen], last[seen]
        change = np.zeros(hidden.size + 1, np.int64)
        np.add.at(change, first, 1)
        np.add.at(change, last + 1, -1)
        hidden[np.cumsum(change[:-1]).argmax()] = True
