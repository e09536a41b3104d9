"""What the cells of a release may be in the original: its columns as codes into dictionaries, for all who check it.

The distinct cells of a column are numbered once for a release, in Arrow; its files are written from the same numbers.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple
from weakref import WeakKeyDictionary

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.coded import MISSING, Coded, CodedTable, ValueSets
from sfumato.data.lists import ListColumn
from sfumato.release.distinct_cells import combine_chunks, number_cells
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat, format_cells

__all__ = ["NumberedCells", "decode", "decode_column", "list_members", "number_column"]

Ints = npt.NDArray[np.int64]
Members = Mapping[str, tuple[str, ...]]

_SCALES = {"int64": "integer", "float64": "decimal", "date": "date", "timestamp": "timestamp"}


class NumberedCells(NamedTuple):
    """The distinct cells of a column, their texts, and the cell of every row; null where a row is suppressed.

    Examples
    --------
    >>> NumberedCells.of(pa.array(["a", None, "a"]), ValueFormat("exact")).index.to_pylist()
    [0, None, 0]
    """

    cells: Any
    index: Any
    texts: Any

    @classmethod
    def of(cls, column: Any, form: ValueFormat) -> NumberedCells:
        """Number the cells of a column that holds no lists."""
        cells, index = number_cells(column, form.cell)
        return cls(cells, index, format_cells(cells, form))


_numbered: WeakKeyDictionary[Release, dict[str, NumberedCells]] = WeakKeyDictionary()
_decoded: WeakKeyDictionary[Release, CodedTable] = WeakKeyDictionary()


def number_column(release: Release, column: PublishedColumn) -> NumberedCells:
    """Number the cells of a column that holds no lists, once for a release."""
    numbered = _numbered.setdefault(release, {})
    if column.name not in numbered:
        numbered[column.name] = NumberedCells.of(release.table.column(column.name), column.form)
    return numbered[column.name]


def decode(release: Release) -> CodedTable:
    """Return the columns of a release whose structure was checked, but for names of people and lists of other cells.

    Entries are in the order of their values, a suppressed one last. A release is decoded once.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "a"), (29, "b"), (70, "c"), (79, None)], ("age", "city"))
    >>> age, city = decode(sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release).columns
    >>> age.values.low.tolist(), age.values.high.tolist(), city.values.texts.to_pylist()
    ([20, 70], [29, 79], ['{a|b}', '*'])
    """
    if release not in _decoded:
        columns = tuple(_decode(release, column) for column in release.columns if _is_decoded(column))
        _decoded[release] = CodedTable(columns, release.table.num_rows)
    return _decoded[release]


def _is_decoded(column: PublishedColumn) -> bool:
    return column.role != "identifier" and not (column.form.history and column.form.cell != "category")


def _decode(release: Release, column: PublishedColumn) -> Coded:
    members = list_members(release, column.name) if column.form.cell == "category" else {}
    if not column.form.history:
        return _sort_entries(number_column(release, column), column, members)
    lists = combine_chunks(release.table.column(column.name))
    offsets = lists.offsets.to_numpy().astype(np.int64)
    cells = PublishedColumn(column.name, column.role, ValueFormat("category"))
    coded = decode_column(lists.flatten(), cells, members)
    return Coded(coded.name, coded.role, coded.codes, coded.values, offsets - offsets[0])


def list_members(release: Release, column: str) -> dict[str, tuple[str, ...]]:
    """Return the members of every generalised label of a column that is listed.

    Examples
    --------
    >>> import sfumato as sf
    >>> release = sf.anonymize(sf.Dataset.of("table", [("a",), ("b",)], ("city",)), sf.methods.Mondrian(k=2)).release
    >>> list_members(release, "city")
    {}
    """
    rows = release.values.filter(pc.equal(release.values.column("column"), column))
    members: dict[str, list[str]] = {}
    for value, member in zip(rows.column("value").to_pylist(), rows.column("member").to_pylist(), strict=True):
        if value is not None:
            members.setdefault(value, []).append(member)
    return {value: tuple(named) for value, named in members.items()}


def decode_column(column: Any, described: PublishedColumn, members: Members) -> Coded:
    """Return a published column as codes; ``members`` are those of its generalised labels.

    Examples
    --------
    >>> column = PublishedColumn("city", "quasi-identifier", ValueFormat("category"))
    >>> coded = decode_column(pa.array(["Europe", None]), column, {"Europe": ("Bern", "Rome")})
    >>> coded.codes.tolist(), coded.values.labels_of(0), coded.values.suppressed.tolist()
    ([0, 1], ('Bern', 'Rome'), [False, True])
    """
    return _sort_entries(NumberedCells.of(column, described.form), described, members)


def _sort_entries(numbered: NumberedCells, column: PublishedColumn, members: Members) -> Coded:
    """Put cells in their order, those that occur, a suppressed one last."""
    index = numbered.index.fill_null(len(numbered.cells)).to_numpy(zero_copy_only=False).astype(np.int64)
    used = np.bincount(index, minlength=len(numbered.cells) + 1) > 0
    there = np.flatnonzero(used[:-1])
    hidden = int(used[-1])
    values, order = _read_cells(numbered.cells.take(pa.array(there)), column.form, members, hidden)
    place = np.full(len(used), len(there), np.int64)
    place[there[order]] = np.arange(len(there))
    texts = pa.concat_arrays([numbered.texts.take(pa.array(there[order])), pa.array(["*"] * hidden, pa.string())])
    return Coded(column.name, column.role, place[index], dataclasses.replace(values, texts=texts))


def _read_cells(cells: Any, form: ValueFormat, members: Members, hidden: int) -> tuple[ValueSets, Ints]:
    """Return what cells may be in the original, in their order, and this order."""
    if form.cell == "interval" or (form.cell == "exact" and form.type in _SCALES):
        return _read_ranges(cells, form, hidden)
    if form.cell == "set":
        return _read_sets(cells, hidden)
    names = cells.cast(pa.string()).to_pylist()
    order = sorted(range(len(names)), key=names.__getitem__)
    names = [names[at] for at in order]
    sets = [members.get(name, (name,)) for name in names]
    labels = sorted({label for entry in sets for label in entry})
    code = {label: at for at, label in enumerate(labels)}
    codes = [[code[label] for label in entry] for entry in sets] + [[]] * hidden
    values = ValueSets.of_labels(labels, codes, range(len(names), len(codes)))
    return dataclasses.replace(values, names=(*names, *[MISSING] * hidden)), np.array(order, dtype=np.int64)


def _read_sets(cells: Any, hidden: int) -> tuple[ValueSets, Ints]:
    flat = combine_chunks(cells.flatten()).dictionary_encode()
    listed = [*(label or MISSING for label in flat.dictionary.to_pylist()), MISSING]
    labels = sorted({*listed[:-1], *([MISSING] if flat.null_count else [])})
    place = {label: at for at, label in enumerate(labels)}
    numbers = flat.indices.fill_null(len(listed) - 1).to_numpy(zero_copy_only=False)
    codes = np.array([place.get(label, -1) for label in listed], dtype=np.int32)[numbers]
    sets = ListColumn(cells.offsets.to_numpy().astype(np.int64) - cells.offsets[0].as_py(), codes, ())
    # Codes with the highest byte first, one behind the other, are in the order of their sets.
    ends = pa.py_buffer(codes.itemsize * sets.offsets)
    keys = pa.Array.from_buffers(pa.large_binary(), len(sets), [None, ends, pa.py_buffer(codes.astype(">i4"))])
    order = pc.array_sort_indices(keys).to_numpy().astype(np.int64)
    sets = sets.take(order)
    starts = np.append(sets.offsets, np.full(hidden, sets.offsets[-1]))
    suppressed = np.arange(len(order) + hidden) >= len(order)
    return ValueSets.of_members(tuple(labels), starts, sets.codes.astype(np.int64), suppressed), order


def _read_ranges(cells: Any, form: ValueFormat, hidden: int) -> tuple[ValueSets, Ints]:
    sides = [cells.field(side) for side in (0, 1)] if form.cell == "interval" else [cells, cells]
    empty = [side.is_null().to_numpy(zero_copy_only=False) for side in sides]
    low, high = (_to_axis(side, form.type) for side in sides)
    order = np.lexsort((high, low, empty[1], empty[0]))
    low, high, missing = (np.append(side[order], np.zeros(hidden, side.dtype)) for side in (low, high, empty[0]))
    suppressed = np.arange(len(order) + hidden) >= len(order)
    return ValueSets.of_ranges(low, high, missing, suppressed, _SCALES[form.type]), order.astype(np.int64)


def _to_axis(values: Any, kind: str) -> Any:
    """Return where values lie: numbers, days since 1970, microseconds since then; 0 where there is none."""
    if kind == "float64":
        return values.fill_null(0.0).to_numpy(zero_copy_only=False)
    numbers = values.cast(pa.int32()) if kind == "date" else values
    return numbers.cast(pa.int64()).fill_null(0).to_numpy(zero_copy_only=False)
