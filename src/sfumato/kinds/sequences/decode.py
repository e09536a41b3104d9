"""Published timed records as arrays: the columns, which records share a monitored part, and what a part covers.

Plain NumPy over the published columns. It shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterable, Mapping, Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.checks.cache import cached
from sfumato.checks.subsequences import is_among
from sfumato.data.lists import ListColumn
from sfumato.data.time_units import MONTHS, UNITS, TimeUnit, find_moments
from sfumato.kinds.sequences.dataset import locate_entries
from sfumato.release.release import Release

__all__ = [
    "Entries",
    "SequenceColumns",
    "Stretches",
    "TimedRecords",
    "convert_times",
    "count_steps",
    "count_ticks",
    "find_columns",
    "find_last",
    "mark_events",
    "number_rows",
    "read_lists",
    "recode_events",
]

Ints = npt.NDArray[np.int64]

_MICROSECONDS = 1_000_000


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


def find_columns(release: Release) -> SequenceColumns:
    """Find the columns of a release of sequences by role and form.

    The first history is the monitored one and the last that of events with times; one between them is what is published
    of blurred events. Intervals come in the same order.
    """
    histories = [column.name for column in release.columns if column.role == "history"]
    intervals = [column.name for column in release.columns if column.role == "time" and column.form.cell == "interval"]
    times = next(column.name for column in release.columns if column.role == "time" and column.form.cell == "exact")
    blurred, stretches = (histories[1], intervals[1]) if len(histories) > 2 else (None, None)
    return SequenceColumns(histories[0], intervals[0], histories[-1], times, blurred, stretches)


def count_ticks(release: Release, unit: str | None) -> int | None:
    """Return how many steps of the published times a unit has, on average; None if the times are not in such units.

    Plain numbers have no unit. Points in time are counted in microseconds.
    """
    kinds = {column.form.type for column in release.columns if column.role == "time"}
    if kinds == {"int64"}:
        return None if unit else 1
    return UNITS[unit] * _MICROSECONDS if unit in UNITS and kinds == {"timestamp"} else None


def count_steps(release: Release, length: int) -> int | None:
    """Return a length of the claim in steps of the published times; None if it is in a unit they do not have.

    Months are not equally long. Beginnings of them are so many apart if they lie no more than half of one further apart
    than so many mean ones.
    """
    unit = getattr(release.guarantee, "unit", "") or None
    steps = count_ticks(release, unit)
    return None if steps is None else length * steps + (steps // 2 if unit in MONTHS else 0)


def convert_times(release: Release, time_unit: TimeUnit, times: Ints) -> Ints | None:
    """Return times of a clock as a release writes them; None if it publishes other times.

    Examples
    --------
    >>> import sfumato as sf
    >>> mails = [[("mail", 1)], [("mail", 2)]]
    >>> data = sf.Dataset.of("sequences", mails, monitored=("mail",), time_unit=TimeUnit("month"))
    >>> release = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32)).release
    >>> (convert_times(release, data.time_unit, data.times()) // 86_400_000_000).tolist()
    [31, 59]
    """
    if count_ticks(release, time_unit.unit) is None:
        return None
    return times if time_unit.unit is None else find_moments(time_unit.unit, times)


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


def recode_events(events: ListColumn, labels: Sequence[str]) -> Ints:
    """Return the events as positions in other labels; -1 where they are not among these.

    Examples
    --------
    >>> recode_events(ListColumn.from_lists([["mail", "news"], ["mail"]]), ("chat", "mail")).tolist()
    [1, -1, 1]
    """
    code = {label: i for i, label in enumerate(labels)}
    return np.array([code.get(label, -1) for label in events.labels], dtype=np.int64)[events.codes]


def number_rows(offsets: Ints, *columns: npt.NDArray[np.integer[Any]]) -> tuple[Ints, Ints]:
    """Number lists such that equal ones have the same number; return the first row of each, and all numbers.

    Examples
    --------
    >>> first, number = number_rows(np.array([0, 2, 3, 5]), np.array([7, 8, 7, 7, 8]))
    >>> first.tolist(), number.tolist()
    ([0, 1], [0, 1, 0])
    """
    cells = np.column_stack([np.asarray(column, dtype=np.int64) for column in columns])
    encoded = cells.tobytes()
    bounds = (offsets * cells.itemsize * len(columns)).tolist()
    seen: dict[bytes, int] = {}
    number = [seen.setdefault(encoded[a:b], len(seen)) for a, b in itertools.pairwise(bounds)]
    of_row = np.array(number, dtype=np.int64)
    return np.unique(of_row, return_index=True)[1].astype(np.int64), of_row


def mark_events(events: ListColumn, named: Iterable[str]) -> npt.NDArray[np.bool_]:
    """Mark the entries that are one of some named events.

    Examples
    --------
    >>> mark_events(ListColumn.from_lists([["mail", "news"], ["mail"]]), ["mail"]).tolist()
    [True, False, True]
    """
    wanted = set(named)
    return np.array([label in wanted for label in events.labels], dtype=bool)[events.codes]


@dataclasses.dataclass(frozen=True, eq=False)
class Entries:
    """Events with their times, row by row.

    Examples
    --------
    >>> entries = Entries(ListColumn.from_lists([["news", "shop"], ["news"]]), np.array([3, 9, 4]))
    >>> entries.take(np.array([1])).times.tolist()
    [4]
    """

    events: ListColumn
    times: Ints

    @classmethod
    def read(cls, events: pa.ChunkedArray, times: pa.ChunkedArray) -> Entries:
        """Read two aligned list columns; points in time become microseconds."""
        return cls(ListColumn.from_arrow(events), _numbers(read_lists(times)[1]))

    def take(self, rows: Ints) -> Entries:
        """Return the given rows, in that order."""
        return Entries(self.events.take(rows), self.times[locate_entries(self.events.offsets, rows)])

    def keep(self, marked: npt.NDArray[np.bool_]) -> Entries:
        """Return the same rows with only the marked entries left in them."""
        return Entries(self.events.keep(marked), self.times[marked])


@dataclasses.dataclass(frozen=True, eq=False)
class Stretches:
    """Events that are published with an interval in place of a time, row by row.

    Examples
    --------
    >>> stretches = Stretches(ListColumn.from_lists([["news"], []]), np.array([3]), np.array([9]))
    >>> stretches.events.row_of_token.tolist(), (stretches.hi - stretches.lo).tolist()
    ([0], [6])
    """

    events: ListColumn
    lo: Ints
    hi: Ints

    @classmethod
    def read(cls, events: pa.ChunkedArray, intervals: pa.ChunkedArray) -> Stretches:
        """Read two aligned list columns; points in time become microseconds."""
        lo, hi = (_numbers(bound) for bound in read_lists(intervals)[1].flatten())
        return cls(ListColumn.from_arrow(events), lo, hi)


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
    >>> cover = ListColumn.from_lists([["mail"]])
    >>> entries = Entries(ListColumn.from_lists([["news"], []]), np.array([3]))
    >>> lo, hi, holds = np.array([1]), np.array([4]), np.array([0])
    >>> records = TimedRecords(np.array([0, 0]), np.array([2]), cover, lo, hi, entries, ("mail", "chat"), holds, False)
    >>> records.find_cover(np.array([0, 0, 0]), np.array([0, 0, 1]), np.array([4, 5, 4])).tolist()
    [0, -1, -1]
    """

    class_of_row: Ints
    sizes: Ints
    cover: ListColumn
    lo: Ints
    hi: Ints
    entries: Entries
    labels: tuple[str, ...]
    holds: Ints
    suppressing: bool

    @classmethod
    def of(cls, release: Release, labels: Sequence[str] = ()) -> TimedRecords:
        """Read a release whose structure was checked; original events are known by their place in ``labels``."""
        read = cls._read(release)
        holds = _membership(read.cover.labels, release.members(), labels)
        return dataclasses.replace(read, labels=tuple(labels), holds=holds)

    @classmethod
    @cached
    def _read(cls, release: Release) -> TimedRecords:
        names = find_columns(release)
        monitored = ListColumn.from_arrow(release.table.column(names.monitored))
        intervals: Any = read_lists(release.table.column(names.intervals))[1]
        lo, hi = (_numbers(bound) for bound in intervals.flatten())
        first, class_of_row = number_rows(monitored.offsets, monitored.codes, lo, hi)
        at = locate_entries(monitored.offsets, first)
        return cls(
            class_of_row,
            np.bincount(class_of_row, minlength=len(first)).astype(np.int64),
            monitored.take(first),
            lo[at],
            hi[at],
            Entries.read(release.table.column(names.events), release.table.column(names.times)),
            (),
            np.zeros(0, np.int64),
            bool(getattr(release.guarantee, "suppressing", False)),
        )

    def number_groups(self, release: Release) -> Ints:
        """Number the records such that those with the same monitored part and the same blurred part are equal."""
        names = find_columns(release)
        if names.blurred is None or names.stretches is None:
            return self.class_of_row
        stretches = Stretches.read(release.table.column(names.blurred), release.table.column(names.stretches))
        number = number_rows(stretches.events.offsets, stretches.events.codes, stretches.lo, stretches.hi)[1]
        pairs = np.column_stack([self.class_of_row, number])
        return np.asarray(np.unique(pairs, axis=0, return_inverse=True)[1], dtype=np.int64).reshape(-1)

    def rows_of(self, classes: Ints) -> Ints:
        """Return the records of some classes, in published order."""
        offsets = np.concatenate([[0], np.cumsum(self.sizes)])
        return np.sort(self._rows_by_class[locate_entries(offsets, classes)])

    @functools.cached_property
    def _rows_by_class(self) -> Ints:
        return np.argsort(self.class_of_row, kind="stable")

    def find_cover(self, classes: Ints, events: npt.NDArray[np.integer[Any]], times: Ints) -> Ints:
        """Find, for each event with its time, the pair of the given class that covers it; -1 if none does.

        Events are positions in ``labels``, pairs are positions in ``cover``. As intervals ascend and do not
        meet, only the last that begins by then can hold the time.
        """
        begin, end = self.cover.offsets[classes], self.cover.offsets[classes + 1]
        if not len(self.lo):
            return np.full(len(times), -1)
        at = find_last(self.lo, begin, end, times)
        inside = (at >= begin) & (times <= self.hi[at])
        keys = self.cover.codes[at].astype(np.int64) * max(len(self.labels), 1) + events
        return np.where(inside & is_among(keys, self.holds), at, -1)


def find_last(numbers: Ints, begin: Ints, end: Ints, limits: Ints) -> Ints:
    """Search stretches of ascending numbers for the last that is at most a limit; begin - 1 if none is.

    Examples
    --------
    >>> find_last(np.array([1, 5, 2, 9]), np.array([0, 2, 2]), np.array([2, 4, 4]), np.array([6, 2, 1])).tolist()
    [1, 2, 1]
    """
    at, last = begin - 1, end - 1
    # Steps of powers of two, the largest first, forwards as long as the limit is kept.
    for power in reversed(range(int((end - begin).max(initial=0)).bit_length())):
        further = at + (1 << power)
        at = np.where((further <= last) & (numbers[np.minimum(further, last)] <= limits), further, at)
    return at


def _membership(categories: Sequence[str], members: Mapping[str, Sequence[str]], labels: Sequence[str]) -> Ints:
    code = {label: i for i, label in enumerate(labels)}
    numbers = {
        value * len(labels) + code[event]
        for value, name in enumerate(categories)
        for event in members.get(name, (name,))
        if event in code
    }
    return np.array(sorted(numbers), dtype=np.int64)
