"""(g,l)-diversity: how many people of a group do the same thing within the same window of time."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Fullest", "Keyed", "Unmonitored", "find_fullest", "have_conflict", "key_pairs", "sweep_pairs"]

_LARGEST_KEY = 1 << 62
_PAIRS_PER_SLICE = 2_000_000  # so many are sorted at a time: some tenths of a second


class Unmonitored(NamedTuple):
    """The events of every person that the receiver does not monitor.

    Attributes
    ----------
    offsets
        The pairs of person p are at ``offsets[p]`` up to ``offsets[p + 1]`` of the columns below, in any order.
    event, time
        Codes of events, not negative, and when they happened.

    Examples
    --------
    >>> two = Unmonitored(np.array([0, 2, 3]), np.array([1, 0, 1], np.int32), np.array([5, 7, 9]))
    >>> two.time[two.offsets[1] : two.offsets[2]].tolist()
    [9]
    """

    offsets: NDArray[np.int64]
    event: NDArray[np.int32]
    time: NDArray[np.int64]


class Keyed(NamedTuple):
    """Pairs of event and time as single numbers, rising for every person.

    Attributes
    ----------
    offsets, key
        The pairs of person p are ``key[offsets[p] : offsets[p + 1]]``, where a key is
        ``event * stride + time - earliest``.
    earliest, stride
        The first time, and a number larger than any two times and a window together.
    gap
        The length of windows: two keys differ by at most that if, and only if, the events are the same and the
        times are that close.

    Examples
    --------
    >>> keyed = key_pairs(Unmonitored(np.array([0, 2]), np.array([1, 0], np.int32), np.array([5, 7])), g=3)
    >>> (keyed.key // keyed.stride).tolist(), (keyed.key % keyed.stride + keyed.earliest).tolist()
    ([0, 1], [7, 5])
    """

    offsets: NDArray[np.int64]
    key: NDArray[np.int64]
    earliest: int
    stride: int
    gap: int


class Fullest(NamedTuple):
    """The fullest window of every group.

    Attributes
    ----------
    people
        How many people the group has.
    most
        The most of them who do one event within one window; 0 when there are no events.
    event, start
        That event, and when the window begins: the smallest event code first, then the earliest window. -1 and 0
        when there are no events.

    Examples
    --------
    >>> found = Fullest(np.array([6]), np.array([2]), np.array([1]), np.array([5]))
    >>> (found.people // found.most).tolist()
    [3]
    """

    people: NDArray[np.int64]
    most: NDArray[np.int64]
    event: NDArray[np.int64]
    start: NDArray[np.int64]


def key_pairs(unmonitored: Unmonitored, g: int) -> Keyed:
    """Write event and time in one number each, sorted for every person.

    Raises
    ------
    OverflowError
        If the numbers need more than 62 bits; times of a coarser resolution will do.

    Examples
    --------
    >>> pairs = Unmonitored(np.array([0, 2, 3]), np.array([1, 0, 1], np.int32), np.array([5, 7, 9]))
    >>> keyed = key_pairs(pairs, g=3)
    >>> keyed.key.tolist(), keyed.stride
    ([2, 8, 12], 8)
    """
    earliest = int(unmonitored.time.min()) if unmonitored.time.size else 0
    extent = int(unmonitored.time.max()) - earliest if unmonitored.time.size else 0
    gap = min(g, extent)
    stride = extent + gap + 1
    if (int(unmonitored.event.max(initial=0)) + 1) * stride >= _LARGEST_KEY:
        raise OverflowError("events and times need more than 62 bits: use times of a coarser resolution")
    key = unmonitored.event.astype(np.int64)
    key *= stride
    key += unmonitored.time
    key -= earliest
    _sort_rows(unmonitored.offsets, key)
    return Keyed(unmonitored.offsets, key, earliest, stride, gap)


@njit(cache=True, nogil=True)
def _sort_rows(offsets: NDArray[np.int64], key: NDArray[np.int64]) -> None:
    """Sort every row in place."""
    for row in range(offsets.size - 1):
        key[offsets[row] : offsets[row + 1]].sort()


def find_fullest(keyed: Keyed, group: NDArray[np.int64]) -> Fullest:
    """Find the fullest window of every group.

    A window is closed: it holds times t to t + g. A person counts once per event and window. A group is
    (g,l)-diverse when ``l * most <= people``.

    Parameters
    ----------
    keyed
        Pairs of every person.
    group
        By person: the number of the group, counted from 0; people with a negative one are left out.

    Examples
    --------
    >>> pairs = Unmonitored(np.array([0, 2, 3, 4]), np.array([1, 0, 1, 1], np.int32), np.array([5, 7, 9, 8]))
    >>> found = find_fullest(key_pairs(pairs, g=3), np.array([0, 0, 0]))
    >>> found.people.tolist(), found.most.tolist(), found.event.tolist(), found.start.tolist()
    ([3], [2], [1], [5])

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 3.2, Definition 1.
    """
    groups = int(group.max(initial=-1)) + 1
    people = np.bincount(group[group >= 0], minlength=groups).astype(np.int64)
    members = np.argsort(group, kind="stable")[np.count_nonzero(group < 0) :]
    # Pairs before each member, and members before each group.
    before = np.concatenate(([0], np.cumsum(np.diff(keyed.offsets)[members])))
    ends = np.concatenate(([0], np.cumsum(people)))
    most, fullest = np.zeros(groups, np.int64), np.full(groups, -1)
    person_counts = np.zeros(group.size, np.int32)
    begin = 0
    while begin < groups:
        stop = int(np.searchsorted(before[ends], before[ends[begin]] + _PAIRS_PER_SLICE, "right")) - 1
        stop = min(groups, max(begin + 1, stop))
        person, at = _list_pairs(keyed.offsets, members[ends[begin] : ends[stop]])
        order = np.lexsort((keyed.key[at], group[person]))
        bounds = before[ends[begin : stop + 1]] - before[ends[begin]]
        _sweep_groups(
            keyed.key[at[order]], person[order], bounds, keyed.gap, person_counts, most[begin:], fullest[begin:]
        )
        begin = stop
    start = np.where(fullest < 0, 0, fullest % keyed.stride + keyed.earliest)
    return Fullest(people, most, np.where(fullest < 0, -1, fullest // keyed.stride), start)


def _list_pairs(offsets: NDArray[np.int64], members: NDArray[np.int64]) -> tuple[NDArray[np.int32], NDArray[np.int64]]:
    """List the pairs of some people: whose, and where they are."""
    sizes = np.diff(offsets)[members]
    shift = offsets[members] - np.cumsum(sizes) + sizes
    return np.repeat(members.astype(np.int32), sizes), np.arange(sizes.sum()) + np.repeat(shift, sizes)


@njit(cache=True, nogil=True)
def _sweep_groups(
    key: NDArray[np.int64],
    person: NDArray[np.int32],
    bounds: NDArray[np.int64],
    gap: int,
    person_counts: NDArray[np.int32],
    most: NDArray[np.int64],
    fullest: NDArray[np.int64],
) -> None:
    """Find the fullest window of groups whose pairs, sorted by key, are between the bounds."""
    for group in range(bounds.size - 1):
        begin, end = bounds[group], bounds[group + 1]
        most[group], fullest[group] = sweep_pairs(key[begin:end], person[begin:end], gap, person_counts)


@njit(cache=True, nogil=True)
def sweep_pairs(
    key: NDArray[np.int64], person: NDArray[np.int32], gap: int, person_counts: NDArray[np.int32]
) -> tuple[int, int]:
    """Find the most people within one window of pairs sorted by key, and the first key of the first such window.

    The tally, by person, must be all zero, and is so again afterwards.
    """
    most, fullest = 0, -1
    present, left = 0, 0
    for right in range(key.size):
        while key[right] - key[left] > gap:
            person_counts[person[left]] -= 1
            present -= person_counts[person[left]] == 0
            left += 1
        person_counts[person[right]] += 1
        present += person_counts[person[right]] == 1
        if present > most:
            most, fullest = present, key[left]
    for at in range(left, key.size):
        person_counts[person[at]] = 0
    return most, fullest


@njit(cache=True, nogil=True)
def have_conflict(keys: NDArray[np.int64], other: NDArray[np.int64], gap: int) -> bool:
    """Whether two sorted lists hold keys that differ by at most the gap: the same event, at nearly the same time.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 3.3, Definition 2.
    """
    i, j = 0, 0
    while i < keys.size and j < other.size:
        difference = keys[i] - other[j]
        if -gap <= difference <= gap:
            return True
        if difference < 0:
            i += 1
        else:
            j += 1
    return False
