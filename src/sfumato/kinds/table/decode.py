"""A published table read back: which values a cell may stand for, and which records are the same."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.checks.cache import cached
from sfumato.checks.class_index import HeldLabels
from sfumato.kinds.table.dataset import MISSING, Attribute
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat, encode

__all__ = ["Cells", "PublishedTable", "format_cell", "list_members", "number_rows", "quasi_columns", "read_cells"]

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
    form: ValueFormat
    cells: tuple[Any, ...]
    index: Ints
    members: dict[str, tuple[str, ...]]

    @classmethod
    @cached
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
        cells, index = read_cells(release.table.column(column.name), column.form)
        members = list_members(release, column.name) if column.form.cell == "category" else {}
        return cls(column.name, column.form, cells, index, members)

    def meaning(self, cell: int) -> frozenset[str] | None:
        """Return the labels a cell may stand for, None where it may be anything; only for columns of labels."""
        value = self.cells[cell]
        if value is None:
            return None
        return frozenset(value) if isinstance(value, list) else frozenset(self.members.get(value, (value,)))

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

    def sort_values(self, attribute: Attribute) -> tuple[Ints, HeldLabels]:
        """Put values of an original column that lie in the same cells together.

        Returns the kind of every value, the missing one last, and which cells hold which kinds.

        Examples
        --------
        >>> import sfumato as sf
        >>> from sfumato.kinds.table.dataset import attribute_of
        >>> data = sf.Dataset.of("table", [(1,), (2,), (8,), (9,)], ("age",))
        >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
        >>> kind, held = Cells.of(release, release.columns[0]).sort_values(attribute_of(data, "age"))
        >>> kind.tolist(), held.low.tolist(), held.high.tolist()
        ([0, 0, 1, 1, 2], [0, 1], [0, 1])
        """
        if self.form.cell == "interval":
            return self._sort_on_axis(attribute)
        missing = len(attribute.labels)
        code = {label: i for i, label in enumerate(attribute.labels)} | {MISSING: missing}
        holds = np.zeros((len(self.cells), missing + 1), dtype=bool)
        for at in range(len(self.cells)):
            labels = self.meaning(at)
            holds[at, slice(None) if labels is None else [code[label] for label in labels if label in code]] = True
        _, first, kind = np.unique(np.packbits(holds, axis=0), axis=1, return_index=True, return_inverse=True)
        # Kinds in the order of their first values: labels that are neighbours there often share their cells.
        order = np.argsort(first)
        rank = np.empty(len(order), np.int64)
        rank[order] = np.arange(len(order))
        return rank[kind.reshape(-1)], HeldLabels.of(holds[:, first[order]])

    def _sort_on_axis(self, attribute: Attribute) -> tuple[Ints, HeldLabels]:
        """Number values along their axis, and say from which to which every cell holds them."""
        low, high, missing, suppressed = self.bounds
        # A column of labels has no place on an axis: no range holds any of its values.
        axis = attribute.axis if attribute.axis is not None else np.zeros(0)
        above = np.searchsorted(np.sort(low), axis, side="right")
        passed = np.searchsorted(np.sort(high), axis, side="left")
        kind = np.zeros(len(attribute.labels), np.int64)
        kind[1 : len(axis)] = np.cumsum((np.diff(above) != 0) | (np.diff(passed) != 0))
        none = int(kind.max(initial=-1)) + 1
        begin, end = np.searchsorted(axis, low, side="left"), np.searchsorted(axis, high, side="right")
        is_empty, kinds = begin >= end, np.append(kind, none)
        begins = np.where(is_empty | missing, none, kinds[np.minimum(begin, len(kind))])
        ends = np.where(is_empty, -1, kinds[np.maximum(end - 1, 0)])
        begins, ends = np.where(suppressed, 0, begins), np.where(missing | suppressed, none, ends)
        return kinds, HeldLabels(begins, ends)


def list_members(release: Release, column: str) -> dict[str, tuple[str, ...]]:
    """Return the members of every generalised label of a column that is listed.

    Examples
    --------
    >>> import sfumato as sf
    >>> release = sf.anonymize(sf.Dataset.of("table", [("a",), ("b",)], ("city",)), sf.methods.Mondrian(k=2)).release
    >>> list_members(release, "city")
    {}
    """
    by_value: dict[str, list[str]] = {}
    for row in release.values.filter(pc.equal(release.values.column("column"), column)).to_pylist():
        if row["value"] is not None:
            by_value.setdefault(row["value"], []).append(row["member"])
    return {value: tuple(members) for value, members in by_value.items()}


def read_cells(column: pa.ChunkedArray, form: ValueFormat) -> tuple[tuple[Any, ...], Ints]:
    """Return the different cells of a column in their order, and which of them every row has.

    Examples
    --------
    >>> read_cells(pa.chunked_array([[["b"], None, ["a", "b"], ["b"]]]), ValueFormat("set"))
    ((['a', 'b'], ['b'], None), array([1, 2, 0, 1]))
    """
    cells = column.combine_chunks()
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.unify_dictionaries() if pa.types.is_dictionary(cells.type) else cells
        cells = pa.concat_arrays(cells.chunks) if cells.num_chunks else pa.array([], cells.type)
    return _number_cells(cells, form)


def _number_cells(cells: pa.Array, form: ValueFormat) -> tuple[tuple[Any, ...], Ints]:
    """Return the different cells in their order, suppressed ones last, and which one every row has."""
    if form.cell == "interval":
        return _number_ranges(cells)
    if form.cell == "set":
        return _number_sets(cells)
    # Labels are read anew: how a dictionary numbers them, or whether one is in it twice, is not content.
    coded = cells.cast(pa.string()).dictionary_encode()
    labels = [*coded.dictionary.to_pylist(), None]
    index = coded.indices.fill_null(len(labels) - 1).to_numpy(zero_copy_only=False).astype(np.int64)
    if not coded.null_count:
        labels.pop()
    return _arrange(labels, index, lambda label: label)


def _number_sets(cells: pa.Array) -> tuple[tuple[Any, ...], Ints]:
    coded = cells.flatten().dictionary_encode()
    labels = [*coded.dictionary.to_pylist(), None]
    codes = coded.indices.fill_null(len(labels) - 1).to_numpy(zero_copy_only=False).astype(np.int32)
    suppressed = cells.is_null().to_numpy(zero_copy_only=False)
    lengths = pc.list_value_length(cells).fill_null(0).to_numpy(zero_copy_only=False).astype(np.int64)
    # The codes of a set, one behind the other, are a text that Arrow can number.
    ends = np.concatenate([[0], codes.itemsize * np.cumsum(lengths)])
    validity = pa.array(~suppressed).buffers()[1]
    encoded = pa.Array.from_buffers(pa.large_binary(), len(cells), [validity, pa.py_buffer(ends), pa.py_buffer(codes)])
    number = encoded.dictionary_encode()
    sets: list[Any] = [
        [labels[i] for i in np.frombuffer(key, codes.dtype).tolist()] for key in number.dictionary.to_pylist()
    ]
    index = number.indices.fill_null(len(sets)).to_numpy(zero_copy_only=False).astype(np.int64)
    if suppressed.any():
        sets.append(None)
    return _arrange(sets, index, lambda cell: [label or "" for label in cell])


def _number_ranges(cells: pa.Array) -> tuple[tuple[Any, ...], Ints]:
    suppressed = cells.is_null().to_numpy(zero_copy_only=False)
    key = np.zeros(len(cells), np.int64)
    for side in (0, 1):
        bound = cells.field(side).dictionary_encode()
        empty = len(bound.dictionary)
        codes = bound.indices.fill_null(empty).to_numpy(zero_copy_only=False).astype(np.int64)
        key = key * (empty + 1) + codes
    key[suppressed] = -1
    number = pa.array(key).dictionary_encode()
    at = number.indices.to_numpy().astype(np.int64)
    first = np.empty(len(number.dictionary), np.int64)
    first[at[::-1]] = np.arange(len(at))[::-1]
    order = np.argsort(number.dictionary.to_numpy())
    rank = np.empty_like(order)
    rank[order] = np.arange(len(order))
    return _arrange(cells.take(pa.array(first[order])).to_pylist(), rank[at], _place_range)


def _place_range(cell: dict[str, Any]) -> tuple[Any, ...]:
    """Return where a range stands among others: by its bounds, the missing value behind them."""
    low, high = cell["lo"], cell["hi"]
    missing = (low is None, high is None)
    return (*missing, 0 if low is None else _on_axis(low), 0 if high is None else _on_axis(high))


def _arrange(cells: list[Any], index: Ints, place: Callable[[Any], Any]) -> tuple[tuple[Any, ...], Ints]:
    """Put different cells in order, suppressed ones last, and number rows by it."""
    order = sorted(range(len(cells)), key=lambda i: (cells[i] is None, () if cells[i] is None else place(cells[i])))
    renamed = np.empty(len(order), np.int64)
    renamed[order] = np.arange(len(order))
    return tuple(cells[i] for i in order), renamed[index] if order else index


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
    @cached
    def of(cls, release: Release) -> PublishedTable:
        """Read the quasi-identifiers of a release."""
        return cls(tuple(Cells.of(release, column) for column in quasi_columns(release)), release.table.num_rows)

    @cached_property
    def group(self) -> Ints:
        """Class of every record; classes are numbered in the order of their cells."""
        return number_rows([column.index for column in self.columns], self.records)

    @cached_property
    def sizes(self) -> Ints:
        """Number of records of every class."""
        return np.bincount(self.group).astype(np.int64)

    @property
    def cells(self) -> Ints:
        """Cell of every class in every column, one row per class."""
        columns = [column.index[self.example] for column in self.columns]
        return np.column_stack(columns) if columns else np.zeros((len(self.sizes), 0), np.int64)

    @cached_property
    def example(self) -> Ints:
        """A record of every class."""
        examples = np.zeros(len(self.sizes), np.int64)
        examples[self.group[::-1]] = np.arange(self.records)[::-1]
        return examples

    def format_cells(self, group: int) -> dict[str, str]:
        """Return the cells of a class by column, as they are published."""
        row = int(self.example[group])
        return {column.name: format_cell(column.cells[column.index[row]], column.form) for column in self.columns}

    def rows_of(self, group: int, most: int) -> list[int]:
        """Return the published rows of a class, from 1, the first so many of them."""
        return [int(row) + 1 for row in np.flatnonzero(self.group == group)[:most]]


def format_cell(cell: Any, form: ValueFormat) -> str:
    """Spell a published cell.

    Examples
    --------
    >>> format_cell({"lo": 20, "hi": 29}, ValueFormat("interval", "int64")), format_cell(None, ValueFormat("category"))
    ('[20..29]', '*')
    """
    kind = pa.string() if form.cell == "category" else form.arrow
    return str(encode(pa.array([cell], kind), form)[0].as_py())


def number_rows(columns: Sequence[Ints], rows: int) -> Ints:
    """Number rows so that equal ones, and only those, have the same number, in the order of their columns.

    Examples
    --------
    >>> number_rows([np.array([1, 0, 1]), np.array([5, 5, 5])], 3).tolist()
    [1, 0, 1]
    """
    key, width = np.zeros(rows, np.int64), 1
    for column in columns:
        span = int(column.max(initial=-1)) + 1
        if width * span >= 1 << 62:
            key = np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
            width = int(key.max(initial=-1)) + 1
        key, width = key * span + column, width * span
    return np.unique(key, return_inverse=True)[1].reshape(-1).astype(np.int64)
