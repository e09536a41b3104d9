"""A published table read back: which values a cell may stand for, and which records are the same."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.forms import Form
from sfumato.core.release import PublishedColumn, Release
from sfumato.kinds.table.model import MISSING, Attribute

__all__ = ["Cells", "PublishedTable", "quasi_columns"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def quasi_columns(release: Release) -> tuple[PublishedColumn, ...]:
    """Return the columns that an attacker may know, in the order of the release."""
    return tuple(column for column in release.columns if column.role == "quasi-identifier")


@dataclasses.dataclass(frozen=True, eq=False)
class Cells:
    """The different cells of a published column, and which of them every record has.

    Attributes
    ----------
    name, form
        Of the column.
    cells
        The different cells as Python values: ``{"lo", "hi"}``, a list of labels, a label, or None if suppressed.
    index
        Cell of every published record.
    members
        Members of the generalised labels of the column.
    """

    name: str
    form: Form
    cells: tuple[Any, ...]
    index: Ints
    members: dict[str, tuple[str, ...]]

    @classmethod
    def of(cls, release: Release, column: PublishedColumn) -> Cells:
        """Read a column of a release.

        Examples
        --------
        >>> import sfumato as sf
        >>> data = sf.Dataset.of("table", [(20, "a"), (29, "a")], ("age", "city"))
        >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
        >>> Cells.of(release, release.columns[0]).cells
        ({'lo': 20, 'hi': 29},)
        """
        cells = release.table.column(column.name).combine_chunks()
        cells = pa.concat_arrays(cells.chunks) if isinstance(cells, pa.ChunkedArray) else cells
        found, index = _number_cells(cells, column.form)
        members: dict[str, list[str]] = {}
        if column.form.cell == "category":
            for row in release.values.to_pylist():
                if row["column"] == column.name and row["value"] is not None:
                    members.setdefault(row["value"], []).append(row["member"])
        return cls(column.name, column.form, found, index, {value: tuple(named) for value, named in members.items()})

    def meaning(self, cell: int) -> frozenset[str] | None:
        """Return the labels a cell may stand for, None where it may be anything; only for columns of labels."""
        found = self.cells[cell]
        if found is None:
            return None
        return frozenset(found) if isinstance(found, list) else frozenset(self.members.get(found, (found,)))

    @cached_property
    def bounds(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any], Flags, Flags]:
        """Lower and upper bounds of all cells on their axis, which are missing values, and which are suppressed."""
        suppressed = np.array([cell is None for cell in self.cells], dtype=bool)
        missing = np.array([cell is not None and cell["lo"] is None for cell in self.cells], dtype=bool)
        kind = np.float64 if self.form.type == "float64" else np.int64
        sides = []
        for side in ("lo", "hi"):
            values = [0 if cell is None or cell[side] is None else _on_axis(cell[side]) for cell in self.cells]
            sides.append(np.array(values, dtype=kind))
        return sides[0], sides[1], missing, suppressed

    def holds(self, attribute: Attribute) -> Flags:
        """Tell which values of an original column lie in which cells: one row per cell, the missing value last.

        Examples
        --------
        >>> import sfumato as sf
        >>> from sfumato.kinds.table.model import attribute_of
        >>> data = sf.Dataset.of("table", [("a",), ("b",), ("c",), ("c",)], ("city",))
        >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
        >>> cells = Cells.of(release, release.columns[0])
        >>> found = cells.holds(attribute_of(data, "city"))
        >>> dict(zip(map(str, cells.cells), found.tolist()))["['a', 'b']"]
        [True, True, False, False]
        """
        width = len(attribute.labels) + 1
        if self.form.cell == "interval":
            low, high, missing, suppressed = self.bounds
            axis = attribute.axis if attribute.axis is not None else np.empty(0)
            inside = (axis[None, :] >= low[:, None]) & (axis[None, :] <= high[:, None]) & ~missing[:, None]
            inside = np.column_stack([inside, missing])
            return np.asarray(inside | suppressed[:, None])
        code = {label: i for i, label in enumerate(attribute.labels)} | {MISSING: width - 1}
        inside = np.zeros((len(self.cells), width), dtype=bool)
        for at in range(len(self.cells)):
            labels = self.meaning(at)
            if labels is None:
                inside[at] = True
            else:
                inside[at, [code[label] for label in labels if label in code]] = True
        return inside


def _number_cells(cells: pa.Array, form: Form) -> tuple[tuple[Any, ...], Ints]:
    """Return the different cells in their order, and which one every row has."""
    if form.cell == "interval":
        return _number_ranges(cells)
    if form.cell == "set":
        texts = [None if cell is None else tuple(cell) for cell in cells.to_pylist()]
        known = sorted(set(texts), key=lambda cell: (cell is None, cell or ()))
        at = {cell: i for i, cell in enumerate(known)}
        return tuple(None if c is None else list(c) for c in known), np.array([at[c] for c in texts], np.int64)
    coded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    labels = coded.dictionary.to_pylist()
    indices = coded.indices.fill_null(len(labels)).to_numpy(zero_copy_only=False).astype(np.int64)
    used = np.unique(indices)
    ordered = sorted(used.tolist(), key=lambda i: (i == len(labels), labels[i] if i < len(labels) else ""))
    place = np.zeros(len(labels) + 1, np.int64)
    place[ordered] = np.arange(len(ordered))
    return tuple(labels[i] if i < len(labels) else None for i in ordered), place[indices]


def _number_ranges(cells: pa.Array) -> tuple[tuple[Any, ...], Ints]:
    suppressed = cells.is_null().to_numpy(zero_copy_only=False)
    sides = []
    for side in (0, 1):
        bound = cells.field(side)
        empty = bound.is_null().to_numpy(zero_copy_only=False) | suppressed
        numbers = bound.cast(pa.int32()) if pa.types.is_date32(bound.type) else bound
        values = numbers.fill_null(0).to_numpy(zero_copy_only=False)
        sides += [empty, np.where(empty, 0, values)]
    # Bit patterns of bounds, so that equal cells are found by sorting whole numbers.
    keys = np.column_stack([suppressed, sides[0], sides[2], *(_as_bits(side) for side in (sides[1], sides[3]))])
    _, first, index = np.unique(keys, axis=0, return_index=True, return_inverse=True)
    found = cells.take(pa.array(first)).to_pylist()
    return tuple(found), index.reshape(-1).astype(np.int64)


def _as_bits(values: npt.NDArray[Any]) -> Ints:
    wide = values.astype(np.float64 if values.dtype.kind == "f" else np.int64)
    return wide.view(np.int64)


def _on_axis(value: Any) -> Any:
    return value.toordinal() - 719163 if hasattr(value, "toordinal") else value


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedTable:
    """The quasi-identifiers of a release as numbers, and the classes of records that are the same in all of them.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> found = PublishedTable.of(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release)
    >>> found.sizes.tolist()
    [2, 2]
    """

    columns: tuple[Cells, ...]
    records: int

    @classmethod
    def of(cls, release: Release) -> PublishedTable:
        """Read the quasi-identifiers of a release."""
        return cls(tuple(Cells.of(release, column) for column in quasi_columns(release)), release.table.num_rows)

    @cached_property
    def group(self) -> Ints:
        """Class of every record; classes are numbered in the order of their cells."""
        if not self.columns:
            return np.zeros(self.records, np.int64)
        keys = np.column_stack([column.index for column in self.columns])
        return np.unique(keys, axis=0, return_inverse=True)[1].reshape(-1).astype(np.int64)

    @cached_property
    def sizes(self) -> Ints:
        """Number of records of every class."""
        return np.bincount(self.group).astype(np.int64)

    @cached_property
    def example(self) -> Ints:
        """A record of every class."""
        found = np.zeros(len(self.sizes), np.int64)
        found[self.group[::-1]] = np.arange(self.records)[::-1]
        return found

    def cells_of(self, group: int) -> dict[str, Any]:
        """Return the cells of a class by column, as they are published."""
        row = int(self.example[group])
        return {column.name: column.cells[column.index[row]] for column in self.columns}
