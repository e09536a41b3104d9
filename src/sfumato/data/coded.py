"""Columns as codes into a dictionary of what each entry may be in the original: nouns, which count nothing."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.lists import ListColumn

__all__ = ["MISSING", "Coded", "CodedTable", "ValueSets"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Axis = npt.NDArray[Any]

MISSING = ""
"""The label of a value that is missing."""


@dataclasses.dataclass(frozen=True, eq=False)
class ValueSets:
    """What every entry of a dictionary may be in the original: labels, a range on an axis, anything, or no value.

    Parameters
    ----------
    suppressed
        Entries that may be any value, or none.
    missing
        Entries that are a missing value. Among labels, that one is empty.
    labels, starts, members
        Entry e is one of the labels ``members[starts[e]:starts[e + 1]]``, in the order in which they are listed.
    low, high
        Closed ranges of the entries on an axis; None where values are labels.
    scale
        What the axis counts: ``integer``, ``decimal``, ``date`` (days since 1970), ``timestamp`` (microseconds since
        then); empty where values are labels.
    names
        Entries that are one label, which may stand for several; none in columns of other cells.
    texts
        The entries as they stand in the files; None where they stand in none.

    Examples
    --------
    >>> city = ValueSets.of_labels(("Bern", "Rome"), [(0,), (0, 1), ()], suppressed=[2])
    >>> city.labels_of(1), city.suppressed.tolist()
    (('Bern', 'Rome'), [False, False, True])
    >>> age = ValueSets.single(("20", "30"), np.array([20, 30]), "integer")
    >>> age.low.tolist(), age.missing.tolist()
    ([20, 30, 0], [False, False, True])
    """

    suppressed: Flags
    missing: Flags
    labels: tuple[str, ...] = ()
    starts: Ints = dataclasses.field(default_factory=lambda: np.zeros(1, np.int64))
    members: Ints = dataclasses.field(default_factory=lambda: np.empty(0, np.int64))
    low: Axis | None = None
    high: Axis | None = None
    scale: str = ""
    names: tuple[str, ...] = ()
    texts: pa.StringArray | None = None

    def __len__(self) -> int:
        return len(self.suppressed)

    @classmethod
    def of_labels(
        cls, labels: Sequence[str], members: Sequence[Sequence[int]], suppressed: Collection[int] = ()
    ) -> ValueSets:
        """Make a dictionary of sets of labels; those of suppressed entries do not matter."""
        starts = np.concatenate([[0], np.cumsum([len(codes) for codes in members])]).astype(np.int64)
        flat = np.array([code for codes in members for code in codes], dtype=np.int64)
        return cls.of_members(tuple(labels), starts, flat, np.isin(np.arange(len(members)), list(suppressed)))

    @classmethod
    def of_members(cls, labels: tuple[str, ...], starts: Ints, members: Ints, suppressed: Flags) -> ValueSets:
        """Make a dictionary of sets of labels that are one behind the other."""
        missing = (np.diff(starts) == 1) & ~suppressed
        missing[missing] = np.array([label == MISSING for label in labels], dtype=bool)[members[starts[:-1][missing]]]
        return cls(suppressed, missing, labels, starts, members)

    @classmethod
    def of_ranges(cls, low: Axis, high: Axis, missing: Flags, suppressed: Flags, scale: str) -> ValueSets:
        """Make a dictionary of ranges on an axis."""
        return cls(suppressed, missing, low=low, high=high, scale=scale)

    @classmethod
    def single(cls, labels: Sequence[str], axis: Axis | None = None, scale: str = "") -> ValueSets:
        """Make the dictionary of an original: every entry is one value, and the last one is the missing value."""
        entries = np.arange(len(labels) + 1)
        nothing, missing = np.zeros(len(entries), dtype=bool), entries == len(labels)
        ends = None if axis is None else np.append(axis, np.zeros(1, axis.dtype))
        return cls(
            nothing,
            missing,
            (*labels, MISSING),
            np.arange(len(entries) + 1),
            entries,
            ends,
            ends,
            "" if axis is None else scale,
        )

    @property
    def bounds(self) -> tuple[Axis, Axis]:
        """Lower and upper bounds on the axis."""
        assert self.low is not None and self.high is not None
        return self.low, self.high

    @property
    def sizes(self) -> Ints:
        """Number of labels of every entry."""
        return np.diff(self.starts)

    @cached_property
    def entry_of_member(self) -> Ints:
        """The entry to which every member belongs."""
        return np.repeat(np.arange(len(self)), self.sizes)

    def text_of(self, entry: int) -> str:
        """Return an entry as it stands in the files."""
        assert self.texts is not None
        return str(self.texts[entry].as_py())

    def labels_of(self, entry: int) -> tuple[str, ...]:
        """Return the labels that an entry may be."""
        return tuple(self.labels[code] for code in self.members[self.starts[entry] : self.starts[entry + 1]].tolist())


@dataclasses.dataclass(frozen=True, eq=False)
class Coded:
    """A column of codes into a dictionary, of a release or of an original.

    Parameters
    ----------
    name, role
        Of the column.
    codes
        Entry of every cell.
    values
        What the entries may be.
    offsets
        Where every record begins in a column of lists; None where a record has one cell.

    Examples
    --------
    >>> Coded("city", "plain", np.array([0, 0, 1]), ValueSets.single(("Bern",))).values.missing.tolist()
    [False, True]
    """

    name: str
    role: str
    codes: Ints
    values: ValueSets
    offsets: Ints | None = None

    @property
    def lists(self) -> ListColumn:
        """The lists of labels of a column that has lists."""
        assert self.offsets is not None
        return ListColumn(self.offsets, self.codes.astype(np.int32), self.values.names)


@dataclasses.dataclass(frozen=True, eq=False)
class CodedTable:
    """The columns of a release, or of an original, that say something of its records.

    Examples
    --------
    >>> table = CodedTable((Coded("city", "plain", np.array([0, 0]), ValueSets.single(("Bern",))),), 2)
    >>> [column.name for column in table.with_role("plain")], table.column("city").role
    (['city'], 'plain')
    """

    columns: tuple[Coded, ...]
    records: int

    def column(self, name: str) -> Coded:
        """Return the column of a name."""
        return next(column for column in self.columns if column.name == name)

    def with_role(self, *roles: str) -> tuple[Coded, ...]:
        """Return the columns that have one of some roles, in their order."""
        return tuple(column for column in self.columns if column.role in roles)
