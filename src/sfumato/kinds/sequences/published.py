"""Published timed records: which share a monitored part, and how many did one thing at about the same time.

Plain NumPy over the published columns. It shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.clock import UNITS
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release

__all__ = [
    "Entries",
    "SequenceColumns",
    "Stretches",
    "TimedRecords",
    "Window",
    "busiest_window",
    "last_at_most",
    "most_people",
    "number_rows",
    "read_lists",
    "sequence_columns",
    "ticks",
]

Ints = npt.NDArray[np.int64]

_MICROSECONDS = 1_000_000
_LONGEST = 1 << 62
_PORTION = 500_000


class SequenceColumns(NamedTuple):
    """Names of the columns of a release of sequences.

    Examples
    --------
    >>> SequenceColumns("monitored", "monitored_times", "events", "times").intervals
    'monitored_times'
    """

    monitored: str
    intervals: str
    events: str
    times: str
    blurred: str | None = None
    stretches: str | None = None


def sequence_columns(release: Release) -> SequenceColumns:
    """Find the columns of a release of sequences by role and form.

    The first history is the monitored one and the last that of events with times; one between them is what is told of
    blurred events. Intervals come in the same order.
    """
    histories = [column.name for column in release.columns if column.role == "history"]
    intervals = [column.name for column in release.columns if column.role == "time" and column.form.cell == "interval"]
    times = next(column.name for column in release.columns if column.role == "time" and column.form.cell == "exact")
    blurred, stretches = (histories[1], intervals[1]) if len(histories) > 2 else (None, None)
    return SequenceColumns(histories[0], intervals[0], histories[-1], times, blurred, stretches)


def ticks(release: Release, unit: str | None) -> int | None:
    """Return how many steps of the published times a unit has; None if the times are not in such units.

    Plain numbers have no unit. Points in time are counted in microseconds, so that nothing is rounded.
    """
    kinds = {column.form.type for column in release.columns if column.role == "time"}
    if kinds == {"int64"}:
        return None if unit else 1
    return UNITS[unit] * _MICROSECONDS if unit in UNITS and kinds == {"timestamp"} else None


def read_lists(column: pa.ChunkedArray | pa.Array) -> tuple[Ints, pa.Array]:
    """Return where each list begins and the cells one after the other.

    Examples
    --------
    >>> offsets, cells = read_lists(pa.chunked_array([[[1, 2]], [[], [3]]]))
    >>> offsets.tolist(), cells.to_pylist()
    ([0, 2, 2, 3], [1, 2, 3])
    """
    array: Any = column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], array.type)
    offsets = array.offsets.to_numpy().astype(np.int64)
    return offsets - offsets[0], array.flatten()


def _numbers(cells: pa.Array) -> Ints:
    return np.asarray(cells.cast(pa.int64()).to_numpy(zero_copy_only=False), dtype=np.int64)


def _by_label(histories: Ragged) -> Ragged:
    """Give equal labels one code: a dictionary may list a label twice, and a label counts by what it says."""
    code: dict[str, int] = {}
    recode = np.array([code.setdefault(label, len(code)) for label in histories.labels], dtype=np.int32)
    return histories if len(code) == len(recode) else Ragged(histories.offsets, recode[histories.codes], tuple(code))


def number_rows(offsets: Ints, *columns: npt.NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
    """Number lists such that equal ones have the same number; return the first row of each, and all numbers.

    Examples
    --------
    >>> first, number = number_rows(np.array([0, 2, 3, 5]), np.array([7, 8, 7, 7, 8]))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    cells = np.column_stack([np.asarray(column, dtype=np.int64) for column in columns])
    spelled = cells.tobytes()
    bounds = (offsets * cells.itemsize * len(columns)).tolist()
    seen: dict[bytes, int] = {}
    number = [seen.setdefault(spelled[a:b], len(seen)) for a, b in itertools.pairwise(bounds)]
    of_row = np.array(number, dtype=np.int64)
    return np.unique(of_row, return_index=True)[1].astype(np.int64), of_row


def _positions(offsets: Ints, rows: Ints) -> Ints:
    """Return where the cells of some rows are, row after row."""
    lengths = np.diff(offsets)[rows]
    before = np.cumsum(lengths) - lengths
    return np.asarray(np.arange(int(lengths.sum())) + np.repeat(offsets[rows] - before, lengths))


@dataclasses.dataclass(frozen=True, eq=False)
class Entries:
    """Events with their times, row by row.

    Examples
    --------
    >>> entries = Entries(Ragged.from_lists([["news", "shop"], ["news"]]), np.array([3, 9, 4]))
    >>> entries.take(np.array([1])).times.tolist()
    [4]
    """

    events: Ragged
    times: Ints

    @classmethod
    def read(cls, events: pa.ChunkedArray, times: pa.ChunkedArray) -> Entries:
        """Read two aligned list columns; points in time become microseconds."""
        return cls(_by_label(Ragged.from_arrow(events)), _numbers(read_lists(times)[1]))

    def take(self, rows: Ints) -> Entries:
        """Return the given rows, in that order."""
        return Entries(self.events.take(rows), self.times[_positions(self.events.offsets, rows)])

    def keep(self, marked: npt.NDArray[np.bool_]) -> Entries:
        """Return the same rows with only the marked entries left in them."""
        return Entries(self.events.keep(marked), self.times[marked])


@dataclasses.dataclass(frozen=True, eq=False)
class Stretches:
    """Events that are told with an interval in place of a time, row by row.

    Examples
    --------
    >>> told = Stretches(Ragged.from_lists([["news"], []]), np.array([3]), np.array([9]))
    >>> told.events.row_of_token.tolist(), (told.hi - told.lo).tolist()
    ([0], [6])
    """

    events: Ragged
    lo: Ints
    hi: Ints

    @classmethod
    def read(cls, events: pa.ChunkedArray, intervals: pa.ChunkedArray) -> Stretches:
        """Read two aligned list columns; points in time become microseconds."""
        lo, hi = (_numbers(bound) for bound in read_lists(intervals)[1].flatten())
        return cls(_by_label(Ragged.from_arrow(events)), lo, hi)


@dataclasses.dataclass(frozen=True, eq=False)
class TimedRecords:
    """The records of a release of sequences, grouped by what they publish of the monitored events.

    Parameters
    ----------
    class_of_row, sizes
        Number of the class of every record, and how many records each class has. Records of a class publish
        the same categories and intervals.
    cover
        Categories of each class.
    lo, hi
        The closed intervals that go with them; those of one class ascend and do not meet.
    entries
        The other events, record by record.
    labels, holds
        Original events, and for every category (code of ``cover``) the positions in ``labels`` of the events it
        stands for: ascending numbers, category * len(labels) + event.
    suppressing
        Whether monitored events may have been left out.

    Examples
    --------
    >>> cover, entries = Ragged.from_lists([["mail"]]), Entries(Ragged.from_lists([["news"], []]), np.array([3]))
    >>> lo, hi, holds = np.array([1]), np.array([4]), np.array([0])
    >>> records = TimedRecords(np.array([0, 0]), np.array([2]), cover, lo, hi, entries, ("mail", "chat"), holds, False)
    >>> records.covering(np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([4, 5, 4])).tolist()
    [0, -1, -1]
    """

    class_of_row: Ints
    sizes: Ints
    cover: Ragged
    lo: Ints
    hi: Ints
    entries: Entries
    labels: tuple[str, ...]
    holds: Ints
    suppressing: bool

    @classmethod
    def of(cls, release: Release, labels: Sequence[str] = ()) -> TimedRecords:
        """Read a release whose structure was checked; original events are known by their place in ``labels``."""
        names = sequence_columns(release)
        monitored = _by_label(Ragged.from_arrow(release.table.column(names.monitored)))
        intervals: Any = read_lists(release.table.column(names.intervals))[1]
        lo, hi = (_numbers(bound) for bound in intervals.flatten())
        first, class_of_row = number_rows(monitored.offsets, monitored.codes, lo, hi)
        at = _positions(monitored.offsets, first)
        return cls(
            class_of_row,
            np.bincount(class_of_row, minlength=len(first)).astype(np.int64),
            monitored.take(first),
            lo[at],
            hi[at],
            Entries.read(release.table.column(names.events), release.table.column(names.times)),
            tuple(labels),
            _membership(monitored.labels, release.members(), labels),
            bool(getattr(release.guarantee, "suppressing", False)),
        )

    def alike(self, release: Release) -> Ints:
        """Number the records such that those with the same monitored part and the same blurred part are equal."""
        names = sequence_columns(release)
        if names.blurred is None or names.stretches is None:
            return self.class_of_row
        told = Stretches.read(release.table.column(names.blurred), release.table.column(names.stretches))
        number = number_rows(told.events.offsets, told.events.codes, told.lo, told.hi)[1]
        pairs = np.column_stack([self.class_of_row, number])
        return np.asarray(np.unique(pairs, axis=0, return_inverse=True)[1], dtype=np.int64).reshape(-1)

    def rows_of(self, classes: Ints) -> Ints:
        """Return the records of some classes, in published order."""
        offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        return np.sort(self._rows_by_class[_positions(offsets, classes)])

    @functools.cached_property
    def _rows_by_class(self) -> Ints:
        return np.argsort(self.class_of_row, kind="stable")

    def covering(self, classes: Ints, events: npt.NDArray[np.integer[Any]], times: Ints) -> Ints:
        """Find, for each event with its time, the pair of the given class that covers it; -1 if none does.

        Events are positions in ``labels``, pairs are positions in ``cover``. As intervals ascend and do not
        meet, only the last that begins by then can hold the time.
        """
        begin, end = self.cover.offsets[classes], self.cover.offsets[classes + 1]
        if not len(self.lo):
            return np.full(len(times), -1)
        at = last_at_most(self.lo, begin, end, times)
        inside = (at >= begin) & (times <= self.hi[at])
        asked = self.cover.codes[at].astype(np.int64) * max(len(self.labels), 1) + events
        return np.where(inside & _is_among(asked, self.holds), at, -1)


def last_at_most(numbers: Ints, begin: Ints, end: Ints, limits: Ints) -> Ints:
    """Search stretches of ascending numbers for the last that is at most a limit; begin - 1 if none is.

    Examples
    --------
    >>> last_at_most(np.array([1, 5, 2, 9]), np.array([0, 2, 2]), np.array([2, 4, 4]), np.array([6, 2, 1])).tolist()
    [1, 2, 1]
    """
    low, high = begin, end
    while (low < high).any():
        middle = (low + high) // 2
        begun = (low < high) & (numbers[np.minimum(middle, len(numbers) - 1)] <= limits)
        low, high = np.where(begun, middle + 1, low), np.where(begun, high, np.minimum(high, middle))
    return low - 1


def _is_among(asked: Ints, ascending: Ints) -> npt.NDArray[np.bool_]:
    if not len(ascending):
        return np.zeros(len(asked), dtype=bool)
    at = np.minimum(np.searchsorted(ascending, asked), len(ascending) - 1)
    return np.asarray(ascending[at] == asked)


def _membership(categories: Sequence[str], members: Mapping[str, Sequence[str]], labels: Sequence[str]) -> Ints:
    code = {label: i for i, label in enumerate(labels)}
    numbers = {
        value * len(labels) + code[event]
        for value, name in enumerate(categories)
        for event in members.get(name, (name,))
        if event in code
    }
    return np.array(sorted(numbers), dtype=np.int64)


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


def most_people(entries: Entries, group_of_row: Ints, groups: int, length: int) -> Ints:
    """Count, for every group of rows, the most rows that hold one event inside one window of a length.

    A window holds both its ends. A row counts once, however often it holds the event.

    Examples
    --------
    >>> entries = Entries(Ragged.from_lists([["a", "a"], ["a"], ["b"]]), np.array([1, 2, 5, 2]))
    >>> most_people(entries, np.array([0, 0, 1]), 2, 2).tolist(), most_people(entries, np.zeros(3, int), 1, 3).tolist()
    ([1, 1], [2])
    """
    found = np.zeros(groups, dtype=np.int64)
    rows = np.argsort(group_of_row, kind="stable")
    for part in _portions(rows, group_of_row, entries.events.lengths):
        pairs, _, inside = _sweep(entries.take(part), group_of_row[part], length)
        if len(pairs):
            group = pairs // max(len(entries.events.labels), 1)
            begin = np.flatnonzero(np.diff(group, prepend=-1))
            found[group[begin]] = np.maximum.reduceat(inside, begin)
    return found


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


def busiest_window(entries: Entries, rows: Ints, length: int) -> Window | None:
    """Return the event and the window of a length that most of some rows share; None if they hold no event.

    Examples
    --------
    >>> entries = Entries(Ragged.from_lists([["a"], ["b"], ["b"]]), np.array([1, 7, 9]))
    >>> busiest_window(entries, np.array([0, 1, 2]), 2)
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
