"""Original and published snapshots side by side: delays, and counts of values over time."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import place_moment
from sfumato.kinds.snapshots.decode import PublishedSnapshots, count_snapshots, original_times, read_codes
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.retained_detail import RetainedDetail
from sfumato.release.release import Release

__all__ = ["SnapshotComparison", "ValueCounts", "count_retained", "merge_snapshots", "suppress_plainly"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class ValueCounts:
    """How often sensitive values occur from when to when; times are snapshots, counted from the first.

    Parameters
    ----------
    first, last
        First and last snapshot of every count; it is spread evenly between them.
    value, count
        Code of the value and how often it occurs.

    Examples
    --------
    >>> merged = ValueCounts(np.array([0]), np.array([3]), np.array([7]), np.array([8]))
    >>> merged.count_in(7, np.array([0, 1]), 2).tolist()
    [4.0, 4.0]
    """

    first: Ints
    last: Ints
    value: Ints
    count: Ints

    @cached_property
    def _order(self) -> Ints:
        return np.lexsort((self.first, self.value))

    def count_in(self, value: int, begin: Ints, length: int) -> Floats:
        """Return how often a value occurs in windows of a length."""
        values = self.value[self._order]
        mine = self._order[slice(*np.searchsorted(values, [value, value + 1]))]
        if not len(mine):
            return np.zeros(len(begin))
        edges = np.stack([self.first[mine], self.last[mine] + 1], axis=1).reshape(-1)
        so_far = np.cumsum(self.count[mine]).astype(np.float64)
        sums = np.stack([np.append(0.0, so_far[:-1]), so_far], axis=1).reshape(-1)
        return np.asarray(np.interp(begin + length, edges, sums) - np.interp(begin, edges, sums))


@dataclasses.dataclass(frozen=True, eq=False)
class SnapshotComparison:
    """What measures of snapshots need to know of a comparison.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("snapshots", [(1, "flu"), (1, "flu"), (2, "cold"), (2, "cold")], (), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), secret=bytes(32))
    >>> found = SnapshotComparison(Comparison(data, result.release, result.owner_record.rows))
    >>> sorted(found.delays.tolist()), found.values
    ([0, 0, 1, 1], ('cold', 'flu'))
    """

    comparison: Comparison

    @cached_property
    def published(self) -> PublishedSnapshots:
        """The release in numbers."""
        return PublishedSnapshots.of(self.comparison.release)

    def _count(self, times: Ints) -> Ints:
        return count_snapshots(self.comparison.original.time_unit, times)

    @cached_property
    def _raw_times(self) -> Ints:
        return original_times(self.comparison.original, self.comparison.release)

    @cached_property
    def _origin(self) -> int:
        return int(self._count(self._raw_times).min()) if len(self._raw_times) else 0

    def time_of(self, snapshot: float) -> float:
        """Return the time of a snapshot counted from the first: microseconds since 1970, or a number of the file."""
        unit, number = self.comparison.original.time_unit.unit, self._origin + snapshot
        return number if unit is None else place_moment(unit, number)

    @cached_property
    def times(self) -> Ints:
        """Snapshot of every original record, counted from the first."""
        return self._count(self._raw_times) - self._origin

    @cached_property
    def delays(self) -> Ints:
        """How many snapshots late every published record is; the owner's row map must be known."""
        assert self.comparison.rows is not None
        return self._count(self.published.times) - self._count(self._raw_times[self.comparison.rows])

    @cached_property
    def codes(self) -> Ints:
        """Sensitive value of every original record."""
        return self._values[0]

    @property
    def values(self) -> tuple[str, ...]:
        """Names of the sensitive values of the original."""
        return self._values[1]

    @cached_property
    def _values(self) -> tuple[Ints, tuple[str, ...]]:
        schema = self.comparison.original.schema
        name = next(column.name for column in schema.columns if column.role == "sensitive")
        return read_codes(self.comparison.original.table.column(name))

    @cached_property
    def original_counts(self) -> ValueCounts:
        """How often every value occurs in every snapshot of the original."""
        base = max(len(self.values), 1)
        cells, counts = np.unique(self.times * base + self.codes, return_counts=True)
        return ValueCounts(cells // base, cells // base, cells % base, counts.astype(np.int64))

    @cached_property
    def published_counts(self) -> ValueCounts:
        """How often every value occurs in every published snapshot."""
        published, base = self.published, max(len(self.values), 1)
        code = {label: i for i, label in enumerate(self.values)}
        recode = np.array([code.get(label, -1) for label in published.labels], dtype=np.int64)
        times = self._count(published.group_time[published.pair_group]) - self._origin
        cells, at = np.unique(times * base + recode[published.pair_value], return_inverse=True)
        counts = np.bincount(at, published.pair_count, minlength=len(cells)).astype(np.int64)
        return ValueCounts(cells // base, cells // base, cells % base, counts)


def suppress_plainly(counts: ValueCounts, l: int) -> ValueCounts:
    """Return what is left when every snapshot is made l-eligible on its own, by suppression alone.

    Examples
    --------
    >>> three_to_one = ValueCounts(np.array([0, 0]), np.array([0, 0]), np.array([0, 1]), np.array([3, 1]))
    >>> suppress_plainly(three_to_one, 2).count.tolist()
    [1, 1]
    """
    remaining = counts.count.copy()
    for begin, end in _runs(counts.first):
        remaining[begin:end] = np.minimum(remaining[begin:end], _level(remaining[begin:end], l))
    return ValueCounts(counts.first, counts.last, counts.value, remaining)


def merge_snapshots(counts: ValueCounts, l: int) -> ValueCounts:
    """Return what is published when snapshots are merged with the next ones until they are l-eligible.

    What is left at the end and is not eligible is suppressed as far as it must be.

    Examples
    --------
    >>> flu_then_cold = ValueCounts(np.array([0, 1]), np.array([0, 1]), np.array([0, 1]), np.array([2, 2]))
    >>> merged = merge_snapshots(flu_then_cold, 2)
    >>> merged.first.tolist(), merged.last.tolist(), merged.count.tolist()
    ([0, 0], [1, 1], [2, 2])
    """
    parts: list[tuple[int, int, dict[int, int]]] = []
    sums: dict[int, int] = {}
    first: int | None = None
    for begin, end in _runs(counts.first):
        first = int(counts.first[begin]) if first is None else first
        for value, count in zip(counts.value[begin:end].tolist(), counts.count[begin:end].tolist(), strict=True):
            sums[value] = sums.get(value, 0) + count
        if l * max(sums.values()) <= sum(sums.values()):
            parts.append((first, int(counts.first[begin]), sums))
            sums, first = {}, None
    if first is not None:
        level = _level(np.array(list(sums.values())), l)
        parts.append((first, int(counts.first[-1]), {value: min(count, level) for value, count in sums.items()}))
    flat = [(first, last, value, count) for first, last, of in parts for value, count in sorted(of.items())]
    columns = np.array(flat, dtype=np.int64).reshape(-1, 4)
    return ValueCounts(*columns.T)


def _runs(first: Ints) -> list[tuple[int, int]]:
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(first)) + 1, [len(first)]])
    return list(zip(bounds[:-1].tolist(), bounds[1:].tolist(), strict=True)) if len(first) else []


def _level(counts: Ints, l: int) -> int:
    """Return the largest number of records per value that makes a snapshot l-eligible."""
    level = int(counts.max(initial=0))
    while level and int(np.minimum(counts, level).sum()) < l * level:
        level = min(level - 1, int(np.minimum(counts, level).sum()) // l)
    return level


def count_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was, for the owner to see where that is little."""
    sentence = "of {had} records {left} are published."
    return RetainedDetail(len(original), len(release), sentence, "A smaller l or a larger window retains more.")
