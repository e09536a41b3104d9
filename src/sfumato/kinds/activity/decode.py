"""Published classes of people by their daily activities, read back as arrays."""

from __future__ import annotations

import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.checks.cache import cached
from sfumato.exceptions import SchemaError
from sfumato.release.release import Release

__all__ = ["PublishedClasses", "begin_intervals", "measure_intervals"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


def begin_intervals(slots: int, length: int) -> Ints:
    """Return the slots at which intervals of a length begin; the last one may be shorter.

    Examples
    --------
    >>> begin_intervals(5, 2).tolist()
    [0, 2, 4]
    """
    return np.arange(0, slots, length, dtype=np.int64)


def measure_intervals(slots: int, length: int) -> Ints:
    """Return how many slots each interval of a length has.

    Examples
    --------
    >>> measure_intervals(5, 2).tolist()
    [2, 2, 1]
    """
    return np.diff(np.append(begin_intervals(slots, length), slots))


class PublishedClasses(NamedTuple):
    """Published classes as arrays, class by class, in the order of intervals and activities.

    Attributes
    ----------
    names, sizes
        Of every class: its name and number of people.
    begins
        What tells the intervals apart, in order: their number, or microseconds since 1970.
    labels
        Names of the activities.
    owner, interval, activity, share
        Of every listed share: class, interval and activity by number, and the share itself.
    """

    names: tuple[str, ...]
    sizes: Ints
    begins: Ints
    labels: tuple[str, ...]
    owner: Ints
    interval: Ints
    activity: Ints
    share: Floats

    @classmethod
    @cached
    def of(cls, release: Release) -> PublishedClasses:
        """Read a release. Raise :class:`SchemaError` where a class is named twice or not listed.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = sf.Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
        >>> found = PublishedClasses.of(sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot")).release)
        >>> found.sizes.tolist(), found.labels, found.share.tolist()
        ([2], ('eat', 'sleep'), [1.0, 0.5, 0.5])
        """
        extra_table, table = release.extra_tables["classes"].table, release.table
        names = tuple(extra_table.column("class").to_pylist())
        position = {name: at for at, name in enumerate(names)}
        if len(position) < len(names):
            raise SchemaError("classes.csv: two classes have the same name.")
        owners, classes = _encode(table.column("class"))
        unlisted = [name for name in classes if name not in position]
        if unlisted:
            raise SchemaError("A row of data.csv names a class that classes.csv does not list.")
        owner = np.array([position[name] for name in classes], dtype=np.int64)[owners]
        activity, labels = _encode(table.column("activity"))
        begins, interval = np.unique(_numbers(table.column("interval")), return_inverse=True)
        order = np.lexsort((activity, interval, owner))
        share = np.asarray(table.column("share").to_numpy(), dtype=np.float64)
        return cls(
            names,
            _numbers(extra_table.column("size")),
            begins,
            labels,
            owner[order],
            interval.reshape(-1)[order].astype(np.int64),
            activity[order],
            share[order],
        )

    def shares_of(self, label: str) -> Floats:
        """Return the share of an activity by class and interval."""
        shares = np.zeros((len(self.names), len(self.begins)))
        if label in self.labels:
            chosen = self.activity == self.labels.index(label)
            shares[self.owner[chosen], self.interval[chosen]] = self.share[chosen]
        return shares

    def find_hidden(self, gap: str | None) -> Flags:
        """Tell of which classes and intervals nothing is published: all of their time is unknown."""
        if gap is None:
            return np.zeros((len(self.names), len(self.begins)), dtype=bool)
        return np.asarray(self.shares_of(gap) >= 1.0)

    def tables(self) -> Iterator[Floats]:
        """Go through the classes: shares by interval and activity."""
        ends = np.searchsorted(self.owner, np.arange(len(self.names) + 1))
        for begin, end in itertools.pairwise(ends.tolist()):
            table = np.zeros((len(self.begins), len(self.labels)))
            table[self.interval[begin:end], self.activity[begin:end]] = self.share[begin:end]
            yield table

    def members(self, rows: Ints) -> list[Ints]:
        """Cut the owner's row map into classes."""
        return np.split(rows, np.cumsum(self.sizes)[:-1]) if len(self.sizes) else []


def _numbers(column: pa.ChunkedArray) -> Ints:
    return np.asarray(column.cast(pa.int64()).to_numpy(), dtype=np.int64)


def _encode(column: pa.ChunkedArray) -> tuple[Ints, tuple[str, ...]]:
    """Return a column of text or categories as codes in the order of the alphabet, and the names."""
    text = column.cast(pa.string()).combine_chunks()
    coded = text.dictionary_encode()
    if isinstance(coded, pa.ChunkedArray):
        coded = coded.combine_chunks()
    names = coded.dictionary.to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    number = np.empty(len(names), dtype=np.int64)
    number[order] = np.arange(len(names))
    codes = number[coded.indices.to_numpy()] if len(names) else np.zeros(0, dtype=np.int64)
    return codes, tuple(names[at] for at in order)
