"""(delta, epsilon)-diversity of daily activities: how many of a class do a sensitive activity throughout a window.

A window is delta consecutive slots, and begins at any slot. Somebody marks it who does the sensitive activity in it and
nothing else that is known: unknown time counts as if spent on it. A run of an activity marks one range of windows, so
people join and leave a class at the cost of the windows they mark.

Only windows that begin where somebody's range of them does are kept. Of those who mark another window, one began last,
and all of them mark the window in which that one began: so the most that mark a window are found among those kept,
whoever is in the class.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = [
    "ClassCounts",
    "Rule",
    "Windows",
    "count_most",
    "find_fullest",
    "find_windows",
    "holds",
    "is_diverse",
    "join",
    "leave",
    "most_with",
    "new_rule",
]

SIZE, MOST = range(2)


class Windows(NamedTuple):
    """The windows throughout which every person may do a sensitive activity.

    Attributes
    ----------
    offsets, first, stop
        Person p marks the windows ``first[i]`` up to, not including, ``stop[i]`` for i from ``offsets[p]`` up to
        ``offsets[p + 1]``.
    activity, start
        By window: which of the sensitive activities it is about, and the slot at which it begins.
    total
        How many windows there are in all.

    Examples
    --------
    >>> windows = find_windows(np.array([[7, 7, 7, 0], [0, 0, 7, 7]], np.int32), np.array([7]), delta=2)
    >>> windows.start.tolist(), windows.offsets.tolist(), windows.total
    ([0, 2], [0, 1, 2], 2)
    """

    offsets: NDArray[np.int64]
    first: NDArray[np.int64]
    stop: NDArray[np.int64]
    activity: NDArray[np.int64]
    start: NDArray[np.int64]
    total: int


class ClassCounts(NamedTuple):
    """A class that people join and leave.

    Attributes
    ----------
    counts
        By window: how many members mark it.
    heights
        By number: how many windows are marked by so many members.
    state
        How many members there are (``SIZE``), and the most that mark one window (``MOST``).

    Examples
    --------
    >>> rule = new_rule(find_windows(np.array([[7, 7], [0, 7]], np.int32), np.array([7]), delta=2), 1, 2)
    >>> join(rule, 0)
    >>> join(rule, 1)
    >>> rule.counts.state.tolist(), rule.counts.counts.tolist()
    ([2, 1], [1])
    """

    counts: NDArray[np.int64]
    heights: NDArray[np.int64]
    state: NDArray[np.int64]


class Rule(NamedTuple):
    """What classes have to fulfil: at most the share ``numerator / denominator`` of a class marks a window.

    Attributes
    ----------
    windows
        What every person marks.
    counts
        A class to work with, empty between calls.
    numerator, denominator
        Epsilon as a fraction.

    Examples
    --------
    >>> windows = find_windows(np.array([[7, 7], [0, 7]], np.int32), np.array([7]), delta=2)
    >>> is_diverse(new_rule(windows, 1, 2), np.array([0, 1])), is_diverse(new_rule(windows, 1, 3), np.array([0, 1]))
    (True, False)
    """

    windows: Windows
    counts: ClassCounts
    numerator: int
    denominator: int


def find_windows(codes: NDArray[np.int32], sensitive: NDArray[np.int64], delta: int, gap: int = -1) -> Windows:
    """Find the windows throughout which people may do a sensitive activity, those that decide.

    Parameters
    ----------
    codes
        By person and slot: the activity.
    sensitive
        Codes of the sensitive activities, distinct.
    delta
        Slots in a window.
    gap
        Code of time that nothing is known about; -1 if there is none.

    Examples
    --------
    >>> codes = np.array([[7, 7, 7, 7, 7, 0], [0, 7, 7, 7, 7, 7]], np.int32)
    >>> windows = find_windows(codes, np.array([7]), delta=3)
    >>> windows.start.tolist(), windows.first.tolist(), windows.stop.tolist()
    ([0, 1], [0, 1], [2, 2])
    """
    if delta < 1:
        raise ValueError(f"delta must be at least 1, got {delta}")
    people, slots = codes.shape
    per_activity = max(0, slots - delta + 1)
    offsets = np.zeros(people + 1, np.int64)
    nothing = np.empty(0, np.int64)
    if per_activity:
        _mark_windows(codes, sensitive, (delta, gap), offsets, nothing, nothing)
    first, stop = np.empty(offsets[-1], np.int64), np.empty(offsets[-1], np.int64)
    if first.size:
        _mark_windows(codes, sensitive, (delta, gap), offsets, first, stop)
    windows = np.unique(first)
    first, stop = np.searchsorted(windows, first), np.searchsorted(windows, stop)
    activity, start = np.divmod(windows, max(per_activity, 1))
    return Windows(offsets, first, stop, activity, start, windows.size)


@njit(cache=True, nogil=True)
def _mark_windows(
    codes: NDArray[np.int32],
    sensitive: NDArray[np.int64],
    shape: tuple[int, int],
    offsets: NDArray[np.int64],
    first: NDArray[np.int64],
    stop: NDArray[np.int64],
) -> None:
    """Count the ranges of windows when there is no room for them, else fill them in."""
    delta, gap = shape
    slots = codes.shape[1]
    count = 0
    for person in range(codes.shape[0]):
        days = codes[person]
        for number in range(sensitive.size):
            shift = number * (slots - delta + 1)
            end = 0
            while end < slots:
                begin = end
                while end < slots and (days[end] == sensitive[number] or days[end] == gap):
                    end += 1
                if end - begin >= delta:
                    count = _mark_run(days, sensitive[number], (begin, end, delta, shift, count), first, stop)
                end += 1
        offsets[person + 1] = count


@njit(cache=True, nogil=True)
def _mark_run(
    days: NDArray[np.int32],
    activity: int,
    shape: tuple[int, int, int, int, int],
    first: NDArray[np.int64],
    stop: NDArray[np.int64],
) -> int:
    """Mark the windows of a stretch of nothing but an activity and unknown time that have a slot of the activity."""
    begin, end, delta, shift, count = shape
    low, high = -1, -1
    slot = begin
    while slot < end:
        if days[slot] != activity:
            slot += 1
            continue
        lowest = max(begin, slot - delta + 1)
        while slot < end and days[slot] == activity:
            slot += 1
        if low < 0 or lowest > high:
            if low >= 0:
                if first.size:
                    first[count], stop[count] = shift + low, shift + high
                count += 1
            low = lowest
        high = min(end - delta, slot - 1) + 1
    if low >= 0:
        if first.size:
            first[count], stop[count] = shift + low, shift + high
        count += 1
    return count


def new_rule(windows: Windows, numerator: int, denominator: int) -> Rule:
    """Make a rule, with an empty class to work with.

    Examples
    --------
    >>> nothing = np.empty(0, np.int64)
    >>> nobody = Windows(np.zeros(3, np.int64), nothing, nothing, nothing, nothing, 0)
    >>> is_diverse(new_rule(nobody, 1, 2), np.array([0, 1]))
    True
    """
    if not 0 <= numerator <= denominator or denominator < 1:
        raise ValueError("epsilon must be a fraction from 0 to 1")
    heights = np.zeros(windows.offsets.size + 1, np.int64)
    heights[0] = windows.total
    counts = ClassCounts(np.zeros(windows.total, np.int64), heights, np.zeros(2, np.int64))
    return Rule(windows, counts, numerator, denominator)


@njit(cache=True, nogil=True)
def join(rule: Rule, person: int) -> None:
    """Let a person join the class."""
    windows, counts = rule.windows, rule.counts
    counts.state[SIZE] += 1
    for at in range(windows.offsets[person], windows.offsets[person + 1]):
        for window in range(windows.first[at], windows.stop[at]):
            height = counts.counts[window] + 1
            counts.counts[window] = height
            counts.heights[height - 1] -= 1
            counts.heights[height] += 1
            counts.state[MOST] = max(counts.state[MOST], height)


@njit(cache=True, nogil=True)
def leave(rule: Rule, person: int) -> None:
    """Let a member leave the class."""
    windows, counts = rule.windows, rule.counts
    counts.state[SIZE] -= 1
    for at in range(windows.offsets[person], windows.offsets[person + 1]):
        for window in range(windows.first[at], windows.stop[at]):
            height = counts.counts[window]
            counts.counts[window] = height - 1
            counts.heights[height] -= 1
            counts.heights[height - 1] += 1
    while counts.state[MOST] > 0 and counts.heights[counts.state[MOST]] == 0:
        counts.state[MOST] -= 1


@njit(cache=True, nogil=True)
def most_with(windows: Windows, counts: NDArray[np.int64], most: int, person: int) -> int:
    """Tell the most that would mark one window if the person joined a class with that tally."""
    for at in range(windows.offsets[person], windows.offsets[person + 1]):
        for window in range(windows.first[at], windows.stop[at]):
            most = max(most, counts[window] + 1)
    return most


@njit(cache=True, nogil=True)
def holds(rule: Rule) -> bool:
    """Tell whether the class is diverse; nobody at all is."""
    return bool(rule.counts.state[MOST] * rule.denominator <= rule.numerator * rule.counts.state[SIZE])


@njit(cache=True, nogil=True)
def count_most(rule: Rule, people: NDArray[np.int64]) -> int:
    """Count the most of some people who mark one window."""
    for person in people:
        join(rule, person)
    most = rule.counts.state[MOST]
    for person in people:
        leave(rule, person)
    return int(most)


@njit(cache=True, nogil=True)
def is_diverse(rule: Rule, people: NDArray[np.int64]) -> bool:
    """Tell whether some people make up a diverse class."""
    return bool(count_most(rule, people) * rule.denominator <= rule.numerator * people.size)


def find_fullest(windows: Windows, people: NDArray[np.int64]) -> tuple[int, int, int]:
    """Find the window that most of some people mark: the activity, its first slot, and how many mark it.

    The activity is its place among the sensitive ones; of windows marked by as many the first counts. Without any it
    is -1, -1 and 0.

    Examples
    --------
    >>> codes = np.array([[7, 7, 7, 7, 7, 0], [0, 7, 7, 7, 7, 7]], np.int32)
    >>> find_fullest(find_windows(codes, np.array([3, 7]), delta=3), np.array([0, 1]))
    (1, 1, 2)
    """
    change = np.zeros(windows.total + 1, np.int64)
    for person in people:
        marked = slice(windows.offsets[person], windows.offsets[person + 1])
        np.add.at(change, windows.first[marked], 1)
        np.add.at(change, windows.stop[marked], -1)
    counts = np.cumsum(change[:-1])
    if not counts.any():
        return -1, -1, 0
    fullest = int(counts.argmax())
    return int(windows.activity[fullest]), int(windows.start[fullest]), int(counts[fullest])
