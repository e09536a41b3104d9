"""How many published records hold one event inside one window of time: what (g,l)-diversity limits.

Plain NumPy: the end of a window moves over time, and records enter and leave.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sequences.decode import Entries

__all__ = ["Window", "Windows", "count_most", "find_busiest"]

Ints = npt.NDArray[np.int64]

_LONGEST = 1 << 62
_PORTION = 500_000


class Windows(NamedTuple):
    """Where a receiver wants to predict events: inside windows of a length, with more certainty than 1/l.

    Examples
    --------
    >>> Windows(length=3600, l=4).length
    3600
    """

    length: int
    l: int


class Window(NamedTuple):
    """How many of some records hold an event inside one window, and where.

    Examples
    --------
    >>> Window("news", 3, 4, people=2, records=5, rows=np.array([0, 2])).people
    2
    """

    event: str
    first: int
    last: int
    people: int
    records: int
    rows: Ints


def count_most(entries: Entries, group_of_row: Ints, groups: int, length: int) -> Ints:
    """Count, for every group of rows, the most rows that hold one event inside one window of a length.

    A window holds both its ends. A row counts once, however often it holds the event.

    Examples
    --------
    >>> from sfumato.data.lists import ListColumn
    >>> entries = Entries(ListColumn.from_lists([["a", "a"], ["a"], ["b"]]), np.array([1, 2, 5, 2]))
    >>> count_most(entries, np.array([0, 0, 1]), 2, 2).tolist(), count_most(entries, np.zeros(3, int), 1, 3).tolist()
    ([1, 1], [2])
    """
    counts = np.zeros(groups, dtype=np.int64)
    rows = np.argsort(group_of_row, kind="stable")
    for part in _portions(rows, group_of_row, entries.events.lengths):
        pairs, _, inside = _sweep(entries.take(part), group_of_row[part], length)
        if len(pairs):
            group = pairs // max(len(entries.events.labels), 1)
            begin = np.flatnonzero(np.diff(group, prepend=-1))
            counts[group[begin]] = np.maximum.reduceat(inside, begin)
    return counts


def _portions(rows: Ints, group_of_row: Ints, lengths: Ints) -> Iterator[Ints]:
    """Cut rows that are sorted by group where a group ends, into parts that are small enough to sort fast."""
    total = np.cumsum(lengths[rows])
    ends = np.append(np.flatnonzero(np.diff(group_of_row[rows])) + 1, len(rows))
    begin = 0
    while begin < len(rows):
        before = total[begin - 1] if begin else 0
        fits = ends[np.searchsorted(total[ends - 1], before + _PORTION, side="right") - 1]
        end = fits if fits > begin else ends[np.searchsorted(ends, begin, side="right")]
        yield rows[begin:end]
        begin = end


def find_busiest(entries: Entries, rows: Ints, length: int) -> Window | None:
    """Return the event and the window of a length that most of some rows share; None if they hold no event.

    Examples
    --------
    >>> from sfumato.data.lists import ListColumn
    >>> entries = Entries(ListColumn.from_lists([["a"], ["b"], ["b"]]), np.array([1, 7, 9]))
    >>> find_busiest(entries, np.array([0, 1, 2]), 2)
    Window(event='b', first=7, last=9, people=2, records=3, rows=array([1, 2]))
    """
    taken = entries.take(rows)
    pairs, ends, inside = _sweep(taken, np.zeros(len(rows), dtype=np.int64), length)
    if not len(pairs):
        return None
    at = int(np.argmax(inside))
    event, end = int(pairs[at]), int(ends[at])
    held = (taken.events.codes == event) & (taken.times <= end) & (taken.times >= end - min(length, _LONGEST))
    seen = np.unique(taken.events.row_of_token[held])
    times = taken.times[held]
    return Window(
        taken.events.labels[event], int(times.min()), int(times.max()), int(inside[at]), len(rows), np.sort(rows[seen])
    )


def _sweep(entries: Entries, group_of_row: Ints, length: int) -> tuple[Ints, Ints, Ints]:
    """Move the end of a window over time: group and event, the moment, and the rows inside from then on."""
    length = min(length, _LONGEST)
    base = max(len(entries.events.labels), 1)
    key = entries.events.row_of_token * base + entries.events.codes
    order = np.lexsort((entries.times, key))
    key, times = key[order], entries.times[order]
    # A row is inside from its first entry until length after its last, unless entries lie further apart.
    fresh = np.ones(len(key), dtype=bool)
    fresh[1:] = (key[1:] != key[:-1]) | (np.diff(times) > length)
    first = np.flatnonzero(fresh)
    last = np.append(first[1:], len(key))[: len(first)] - 1
    pair = group_of_row[key[first] // base] * base + key[first] % base
    moment = np.concatenate([times[first], times[last] + length])
    step = np.repeat(np.array([1, -1], dtype=np.int8), len(first))
    pairs = np.concatenate([pair, pair])
    # Both ends belong to the window. Sorting keeps order, so who enters at a moment still meets who leaves then.
    order = np.lexsort((moment, pairs))
    return pairs[order], moment[order], np.cumsum(step[order], dtype=np.int64)
