"""Published snapshots in numbers, and the original as they write it: what verifiers, attackers and measures share."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.checks.cache import cached
from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit, count_units, find_moments
from sfumato.release.release import ExtraTable, Release

__all__ = [
    "PublishedSnapshots",
    "column_of",
    "count_snapshots",
    "original_codes",
    "original_times",
    "read_codes",
    "shift_times",
]

Ints = npt.NDArray[np.int64]


class PublishedSnapshots(NamedTuple):
    """The records of a release and the sensitive values of their groups.

    Where sensitive values stand beside the records, every record is a group of its own.

    Attributes
    ----------
    times
        Snapshot of every record: a number, or microseconds since 1970.
    group
        Group of every record, numbered over all snapshots.
    group_time
        Snapshot of every group.
    pair_group, pair_value, pair_count
        Sensitive values of every group, in the order of groups, and how often they occur.
    labels
        Names of the sensitive values.
    """

    times: Ints
    group: Ints
    group_time: Ints
    pair_group: Ints
    pair_value: Ints
    pair_count: Ints
    labels: tuple[str, ...]

    @classmethod
    @cached
    def of(cls, release: Release) -> PublishedSnapshots:
        """Read a release whose columns and parts have the shape of snapshots.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = Dataset.of("snapshots", [(1, "30", "flu"), (1, "40", "cold")], ("age",), "ill")
        >>> release = sf.anonymize(data, sf.methods.Anatomy(l=2), secret=bytes(32)).release
        >>> found = PublishedSnapshots.of(release)
        >>> found.group.tolist(), found.pair_count.tolist(), found.labels
        ([0, 0], [1, 1], ('cold', 'flu'))
        """
        times = _read_times(release.table.column(column_of(release, "time")))
        extra_table = release.extra_tables.get("sensitive")
        if extra_table is None:
            values, labels = read_codes(release.table.column(column_of(release, "sensitive")))
            rows = np.arange(len(times))
            return cls(times, rows, times, rows, values, np.ones(len(times), np.int64), labels)
        groups = _read_numbers(release.table.column(column_of(release, "group")))
        pair_times = _read_times(extra_table.table.column(column_of(extra_table, "time")))
        pair_groups = _read_numbers(extra_table.table.column(column_of(extra_table, "group")))
        at_times, at = np.unique(np.append(times, pair_times), return_inverse=True)
        named, name = np.unique(np.append(groups, pair_groups), return_inverse=True)
        keys, number = np.unique(at.astype(np.int64) * len(named) + name, return_inverse=True)
        order = np.argsort(number[len(times) :], kind="stable")
        values, labels = read_codes(extra_table.table.column(column_of(extra_table, "sensitive")))
        counts = _read_numbers(extra_table.table.column(column_of(extra_table, "count")))
        pairs = number[len(times) :][order]
        return cls(
            times,
            number[: len(times)],
            at_times[keys // max(len(named), 1)],
            pairs,
            values[order],
            counts[order],
            labels,
        )

    @property
    def sizes(self) -> Ints:
        """Number of records in every group."""
        return np.bincount(self.group, minlength=len(self.group_time))

    @property
    def listed(self) -> Ints:
        """Number of sensitive values listed for every group."""
        return np.bincount(self.pair_group, self.pair_count, minlength=len(self.group_time)).astype(np.int64)


def column_of(described: Release | ExtraTable, role: str) -> str:
    """Return the name of the column of a release or part that has a role."""
    return next(column.name for column in described.columns if column.role == role)


def _read_times(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)


def _read_numbers(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.to_numpy(), dtype=np.int64)


def read_codes(column: pa.ChunkedArray) -> tuple[Ints, tuple[str, ...]]:
    """Return a column of text as codes in the order of the alphabet, and the names.

    Examples
    --------
    >>> codes, labels = read_codes(pa.chunked_array([["b", "a", "b"]]))
    >>> codes.tolist(), labels
    ([1, 0, 1], ('a', 'b'))
    """
    coded = column.cast(pa.string()).combine_chunks().dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    labels = coded.dictionary.to_pylist()
    order = sorted(range(len(labels)), key=lambda i: labels[i])
    rank = np.empty(len(labels), np.int64)
    rank[order] = np.arange(len(labels))
    codes = rank[coded.indices.to_numpy()] if len(labels) else np.empty(0, np.int64)
    return codes, tuple(labels[i] for i in order)


def original_times(original: Dataset, release: Release) -> Ints:
    """Return the times of the original records as the release writes them."""
    times = np.asarray(original.table.column(original.schema.time).to_numpy(), dtype=np.int64)
    form = next(column.form for column in release.columns if column.role == "time")
    # A release of dates holds points in time, whatever the unit of the clock.
    as_published = original.time_unit.to_arrow(times) if form.type == "timestamp" else pa.array(times)
    return np.asarray(as_published.cast(pa.int64()).to_numpy(), dtype=np.int64)


def count_snapshots(time_unit: TimeUnit, times: Ints) -> Ints:
    """Return the number of the snapshot of every published time.

    Examples
    --------
    >>> count_snapshots(TimeUnit("minute"), np.array([120_000_000])).tolist()
    [2]
    """
    return times if time_unit.unit is None else count_units(time_unit.unit, times)


def shift_times(time_unit: TimeUnit, times: Ints, snapshots: int) -> Ints:
    """Return published times so many snapshots later.

    Examples
    --------
    >>> shift_times(TimeUnit(), np.array([7]), 2).tolist(), shift_times(TimeUnit("minute"), np.array([0]), 2).tolist()
    ([9], [120000000])
    """
    return (
        times + snapshots
        if time_unit.unit is None
        else find_moments(time_unit.unit, count_units(time_unit.unit, times) + snapshots)
    )


def original_codes(original: Dataset, labels: tuple[str, ...]) -> Ints:
    """Return the sensitive value of every original record as a code of published values, -1 if it is not published."""
    name = next(column.name for column in original.schema.columns if column.role == "sensitive")
    codes, own_labels = read_codes(original.table.column(name))
    code = {label: i for i, label in enumerate(labels)}
    recode = np.array([code.get(label, -1) for label in own_labels], dtype=np.int64)
    return recode[codes] if len(recode) else codes
