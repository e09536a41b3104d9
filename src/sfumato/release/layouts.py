"""Two ways to lay the records of a release out: wide, a row per record; long, a row per visit, event or item."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.kind import KindSpec, find_kind
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

__all__ = ["LAYOUTS", "LayoutTable", "arrange_records", "collect_entries"]

Ints = npt.NDArray[np.int64]

LAYOUTS = ("wide", "long")
_RECORD, _PART = "record", "part"
_AXES = ("x", "y", "lon", "lat")


@dataclasses.dataclass(frozen=True, eq=False)
class LayoutTable:
    """The records of a release in a layout.

    Parameters
    ----------
    layout
        ``wide`` or ``long``.
    columns
        What the columns of the table are.
    table
        The cells.
    entries
        Columns whose cells belong to one entry: null where a record has no entry. A null elsewhere is suppressed.
    part
        The column that says which list of the record an entry comes from, where there are several.
    exact
        Lists whose entries have exact cells, though others have intervals in the same columns.
    key
        The column that says which record a row belongs to.
    flat
        Whether cells are plain values, as :func:`sfumato.release.flat.flatten` makes them.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine", "bread"], ["wine", "bread"]])
    >>> release = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes(32)).release
    >>> arrange_records(release, "long").table.to_pydict()
    {'person': ['1', '1', '2', '2'], 'item': ['bread', 'wine', 'bread', 'wine']}
    """

    layout: str
    columns: tuple[PublishedColumn, ...]
    table: pa.Table
    entries: tuple[str, ...] = ()
    part: str | None = None
    exact: tuple[str, ...] = ()
    key: str | None = None
    flat: bool = False


def arrange_records(release: Release, layout: str) -> LayoutTable:
    """Return the records of a release in a layout; the long one calls columns what readers of originals call them."""
    if layout not in LAYOUTS:
        raise ParameterError(Message(option("layout"), f" must be one of {', '.join(LAYOUTS)}, got {layout!r}."))
    if layout == "wide":
        return LayoutTable(layout, release.columns, release.table)
    shape = _Shape.of(release)
    lengths = [
        _combine_chunks(release.table.column(group[0].name)).value_lengths().to_numpy() for group in shape.groups
    ]
    record, part = _place_entries(np.array(lengths, dtype=np.int64).reshape(len(lengths), -1))
    cells: dict[str, Any] = {}
    if shape.numbered:
        cells[shape.key] = pa.array(record + 1, pa.int64())
    for column in shape.row_columns:
        cells[column.name] = _combine_chunks(release.table.column(column.name)).take(pa.array(record))
    if shape.part is not None:
        labels = pa.array([group[0].name for group in shape.groups], pa.string())
        cells[shape.part] = pa.DictionaryArray.from_arrays(pa.array(part, pa.int32(), mask=part < 0), labels)
    if shape.position:
        cells[shape.position] = pa.array(_count_up(record), pa.int64(), mask=part < 0)
    for at, column in enumerate(shape.entries):
        pieces = [_entries_of(release, group[at], column.form) for group in shape.groups]
        cells[column.name] = _interleave(pieces, part)
    located = {} if release.places is None else _locate(release.places, cells[shape.entries[0].name])
    columns = (
        *shape.columns,
        *(PublishedColumn(name, "coordinate", ValueFormat("exact", "float64")) for name in located),
    )
    table = pa.table({column.name: {**cells, **located}[column.name] for column in columns})
    entered = [name for name in (shape.part, shape.position or None) if name is not None]
    names = (*entered, *located, *(column.name for column in shape.entries))
    return LayoutTable(layout, columns, table, names, shape.part, shape.exact, shape.key)


def collect_entries(release: Release, table: pa.Table) -> pa.Table:
    """Put a table of the long layout together again: the wide table of the release, with its columns and forms.

    Rows may come in any order of records; those of a record stay in their order.
    """
    shape = _Shape.of(release)
    keys = _combine_chunks(table.column(shape.key))
    record = keys.to_numpy().astype(np.int64) - 1 if shape.numbered else _number_keys(keys)
    order = np.argsort(record, kind="stable")
    rows, first = np.unique(record[order], return_index=True)
    table = table.take(pa.array(order))
    record = np.searchsorted(rows, record[order])
    part = _read_parts(table, shape)
    cells: dict[str, Any] = {}
    for column in shape.row_columns:
        cells[column.name] = _combine_chunks(table.column(column.name)).take(pa.array(first))
    for number, group in enumerate(shape.groups):
        mine = part == number
        ends = np.cumsum(np.bincount(record[mine], minlength=len(rows)))
        offsets = pa.array(np.concatenate([[0], ends]), pa.int32())
        for column, entry in zip(group, shape.entries, strict=True):
            flat = _combine_chunks(table.column(entry.name)).filter(pa.array(mine))
            cells[column.name] = pa.ListArray.from_arrays(offsets, _narrow(flat, column.form))
    return pa.table({column.name: cells[column.name] for column in release.columns})


@dataclasses.dataclass(frozen=True)
class _Shape:
    """Which columns of a release are lists that belong together, and what they are called in the long layout."""

    row_columns: tuple[PublishedColumn, ...]
    groups: tuple[tuple[PublishedColumn, ...], ...]
    entries: tuple[PublishedColumn, ...]
    key: str
    numbered: bool
    part: str | None
    position: str
    exact: tuple[str, ...]

    @classmethod
    def of(cls, release: Release) -> _Shape:
        kind = find_kind(release.kind)
        lists = [column for column in release.columns if column.form.history]
        if not lists:
            raise ParameterError(
                f"layout: a row of this release of {release.kind} holds no list of entries, so that it has no long "
                "layout. Use the wide one."
            )
        starts = [at for at, column in enumerate(lists) if column.role == "history"]
        ends = [*starts[1:], len(lists)]
        groups = tuple(tuple(lists[start:end]) for start, end in zip(starts, ends, strict=True))
        if len({len(group) for group in groups}) != 1:
            raise SchemaError("release.json: lists that belong together entry by entry are missing.")
        row_columns = tuple(column for column in release.columns if not column.form.history)
        entries = tuple(_name_entry(kind, [group[at] for group in groups]) for at in range(len(groups[0])))
        taken = {column.name for column in (*row_columns, *entries)}
        named = next((c.name for c in row_columns if c.role in {"identifier", "time"}), None)
        key = named or _free_name(_RECORD, taken)
        part = _free_name(_PART, taken | {key}) if len(groups) > 1 else None
        position = _free_name(kind.position, taken | {key}) if kind.position else ""
        exact = tuple(group[0].name for group in groups if all(column.form.cell != "interval" for column in group))
        return cls(row_columns, groups, entries, key, named is None, part, position, exact)

    @property
    def columns(self) -> tuple[PublishedColumn, ...]:
        """The columns of the long layout, in their order."""
        number = ValueFormat("exact", "int64")
        return (
            *((PublishedColumn(self.key, "record", number),) if self.numbered else ()),
            *self.row_columns,
            *((PublishedColumn(self.position, "position", number),) if self.position else ()),
            *self.entries,
            *((PublishedColumn(self.part, "part", ValueFormat("category")),) if self.part is not None else ()),
        )


def _name_entry(kind: KindSpec, columns: Sequence[PublishedColumn]) -> PublishedColumn:
    """Describe the column that holds the entries of several lists; where some are intervals, all are."""
    cells = [column.form.cell for column in columns]
    cell = "interval" if "interval" in cells else cells[0]
    form = dataclasses.replace(columns[0].form, cell=cell, history=False)
    return PublishedColumn(kind.entries.get(columns[0].name, columns[0].name), columns[0].role, form)


def _free_name(name: str, taken: set[str]) -> str:
    while name in taken:
        name += "_"
    return name


def _place_entries(lengths: Ints) -> tuple[Ints, Ints]:
    """Return record and list of every row of the long layout; a record without entries is one row of no list."""
    groups, records = lengths.shape
    empty = (lengths.sum(axis=0) == 0).astype(np.int64)
    counts = np.vstack([lengths, empty]).T.reshape(-1)
    record = np.repeat(np.repeat(np.arange(records), groups + 1), counts)
    part = np.repeat(np.tile(np.append(np.arange(groups), -1), records), counts)
    return record, part


def _count_up(record: Ints) -> Ints:
    """Number the rows of every record from 1."""
    starts = np.searchsorted(record, record, side="left")
    return np.arange(len(record)) - starts + 1


def _entries_of(release: Release, column: PublishedColumn, form: ValueFormat) -> pa.Array:
    """Return the entries of a list column one after the other, with the type of the column they go to."""
    flat = _combine_chunks(release.table.column(column.name)).flatten()
    if pa.types.is_dictionary(flat.type):
        flat = flat.cast(pa.string())
    if form.cell == "interval" and column.form.cell != "interval":
        flat = pa.StructArray.from_arrays([flat, flat], names=["lo", "hi"])
    return flat if form.cell == "category" else flat.cast(form.arrow)


def _interleave(pieces: list[pa.Array], part: Ints) -> Any:
    """Return entries of several lists in the order of the rows, null for rows of no list."""
    starts = np.cumsum([0, *(len(piece) for piece in pieces)])
    at = np.zeros(len(part), dtype=np.int64)
    for number in range(len(pieces)):
        mine = part == number
        at[mine] = starts[number] + np.arange(int(mine.sum()))
    joined = pa.concat_arrays(pieces).take(pa.array(at, pa.int64(), mask=part < 0))
    return joined.dictionary_encode() if pa.types.is_string(joined.type) else joined


def _locate(places: pa.Table, entries: Any) -> dict[str, Any]:
    """Return the published coordinates of entries that are one place; what stands for several has none."""
    axes = [name for name in _AXES if name in places.column_names]
    at = pc.index_in(entries.cast(pa.string()), value_set=_combine_chunks(places.column("place")))
    # An entry that is missing is no place without a name.
    at = pc.if_else(entries.is_null(), pa.scalar(None, pa.int32()), at)
    coordinates = {name: _combine_chunks(places.column(name)).take(at) for name in axes}
    return {name: cells for name, cells in coordinates.items() if cells.null_count < len(cells)}


def _narrow(flat: Any, form: ValueFormat) -> Any:
    """Return entries with the type of the list they go back to."""
    if pa.types.is_struct(flat.type) and form.cell != "interval":
        flat = flat.field("lo")
    if form.cell == "category":
        return (flat.cast(pa.string()) if pa.types.is_dictionary(flat.type) else flat).dictionary_encode()
    return flat.cast(dataclasses.replace(form, history=False).arrow)


def _read_parts(table: pa.Table, shape: _Shape) -> Ints:
    """Return the list of every row, -1 where it is of none."""
    if shape.part is None:
        missing = _combine_chunks(table.column(shape.entries[0].name)).is_null().to_numpy(zero_copy_only=False)
        return np.where(missing, -1, 0)
    number = {group[0].name: at for at, group in enumerate(shape.groups)}
    try:
        parts = [-1 if name is None else number[name] for name in _combine_chunks(table.column(shape.part)).to_pylist()]
    except KeyError:
        raise SchemaError(f"column {shape.part!r}: must name lists of the release.") from None
    return np.array(parts, dtype=np.int64)


def _number_keys(keys: Any) -> Ints:
    """Number records by the first row they have."""
    coded = keys if pa.types.is_dictionary(keys.type) else keys.dictionary_encode()
    return np.asarray(coded.indices.to_numpy(zero_copy_only=False), dtype=np.int64)


def _combine_chunks(column: Any) -> Any:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    return array
