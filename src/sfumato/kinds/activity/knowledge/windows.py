"""Who does an activity throughout a window of time, and who is seen in it, counted in the original.

A window is so many consecutive slots, whenever it begins. Who is seen doing the activity in a window and nothing else
*may* do it throughout, and is compared with those who are *seen* in it at all: unknown time may be spent on anything.
"""

from __future__ import annotations

from fractions import Fraction
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.kinds.activity.decode import measure_intervals
from sfumato.progress import track

__all__ = ["WindowCounts", "count_in_windows", "count_shown", "find_shown", "slide_minimum"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Flags = npt.NDArray[np.bool_]

_CELLS = 1 << 22
"""So many slots are looked at at a time."""


def slide_minimum(table: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    """Return the smallest of every so many neighbours in each row.

    Examples
    --------
    >>> slide_minimum(np.array([[3, 1, 2, 4, 5]]), 3).tolist()
    [[1, 1, 2]]
    >>> slide_minimum(np.array([[3, 1]]), 3).shape
    (1, 0)
    """
    if width > table.shape[1]:
        return table[:, :0]
    span = 1
    while span < width:
        step = min(span, width - span)
        table = np.minimum(table[:, :-step], table[:, step:])
        span += step
    return table


class WindowCounts(NamedTuple):
    """People of a class by window, in the order of time: who may do an activity throughout it, and who is seen in it.

    Attributes
    ----------
    may, seen
        How many these are.

    Examples
    --------
    >>> counts = WindowCounts(np.array([1, 2]), np.array([4, 3]))
    >>> counts.largest(), counts.exceed(Fraction(1, 2)).tolist()
    ((Fraction(2, 3), 1), [False, True])
    """

    may: Ints
    seen: Ints

    def exceed(self, epsilon: Fraction) -> Flags:
        """Tell where those who may are more than a share of those who are seen."""
        return np.asarray(self.may * epsilon.denominator > epsilon.numerator * self.seen)

    def largest(self) -> tuple[Fraction, int]:
        """Return the largest share, and the first window it is found in; 0 where there is none."""
        if not len(self.may):
            return Fraction(0), 0
        at = int(np.argmax(self.may / np.maximum(self.seen, 1)))
        return Fraction(int(self.may[at]), max(int(self.seen[at]), 1)), at


def count_in_windows(codes: Codes, activity: int, gap: int, window: int) -> WindowCounts:
    """Count by window of so many slots who is seen doing an activity and nothing else, and who is seen at all.

    Parameters
    ----------
    codes
        By person of a class and slot: the activity.
    activity, gap
        Codes of the activity and of unknown time; -1 where nobody does it, or nothing is unknown.
    window
        Slots in a window.

    Examples
    --------
    >>> home, away, gap = 0, 1, 2
    >>> days = np.array([[away, away, away, home], [home, away, gap, gap], [gap, gap, gap, home]], np.int32)
    >>> [counts.tolist() for counts in count_in_windows(days, away, gap, 2)]
    [[1, 2, 0], [2, 2, 2]]
    """
    windows = max(codes.shape[1] - window + 1, 0)
    may, seen = np.zeros(windows, np.int64), np.zeros(windows, np.int64)
    if not windows:
        return WindowCounts(may, seen)
    step = max(1, _CELLS // codes.shape[1])
    for first in track("compare records", range(0, len(codes), step)):
        block = codes[first : first + step]
        doing = block == activity
        nothing = block == gap
        concerned = doing.any(axis=1)
        seen += len(block)
        if nothing.any():
            seen -= slide_minimum(nothing, window).sum(axis=0)
        only = slide_minimum(doing[concerned] | nothing[concerned], window)
        may += (only & ~slide_minimum(nothing[concerned], window)).sum(axis=0)
    return WindowCounts(may, seen)


def find_shown(hidden: Flags, slots: int, slot: int, window: int) -> Ints:
    """Return the slots at which windows begin in which something is published of a class throughout.

    Parameters
    ----------
    hidden
        Of which intervals nothing is published.
    slots, slot
        Slots in all, and in an interval.
    window
        Slots in a window.

    Examples
    --------
    >>> find_shown(np.array([False, True, False]), slots=6, slot=2, window=2).tolist()
    [0, 4]
    """
    sums = np.concatenate([[0], np.cumsum(np.repeat(hidden, measure_intervals(slots, slot)))])
    return np.flatnonzero(sums[window:] == sums[: max(slots + 1 - window, 0)])


def count_shown(codes: Codes, activity: int, gap: int, hidden: Flags, guarantee: Any) -> tuple[Ints, WindowCounts]:
    """Return the windows in which something is published of a class, by the slot they begin at, and who is in them.

    Parameters
    ----------
    codes, activity, gap
        As in :func:`count_in_windows`.
    hidden
        Of which intervals nothing is published.
    guarantee
        What says how many slots there are (``slots``, and ``slot`` in an interval) and how long a window is
        (``delta_slots``).

    Examples
    --------
    >>> from types import SimpleNamespace
    >>> guarantee = SimpleNamespace(slots=4, slot=2, delta_slots=2)
    >>> starts, counts = count_shown(np.array([[1, 1, 1, 0]], np.int32), 1, -1, np.array([False, True]), guarantee)
    >>> starts.tolist(), counts.may.tolist(), counts.seen.tolist()
    ([0], [1], [1])
    """
    starts = find_shown(hidden, guarantee.slots, guarantee.slot, guarantee.delta_slots)
    everywhere = count_in_windows(codes, activity, gap, guarantee.delta_slots)
    return starts, WindowCounts(everywhere.may[starts], everywhere.seen[starts])
