"""Flat records: one plain value per cell, so that data frames, databases and spreadsheets work on them directly.

=====================  ===============================================================================
published cell         flat cells
=====================  ===============================================================================
exact                  the value, with its type
range (interval)       ``NAME_lo`` and ``NAME_hi``, both included; the same value twice where it is exact
no value (``[]``)      two nulls, and ``NAME_missing`` is true
category               its label, as text
set                    its label as in ``data.csv``, such as ``{A|B}``
suppressed             null, or two nulls
list of such cells     a list of such values; two lists where the cells are ranges
=====================  ===============================================================================

A column is a range, or is not, for all of its rows. A missing value that is text is an empty text, and never null.
"""

from __future__ import annotations

import dataclasses
from collections import Counter
from collections.abc import Iterator
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.release.layouts import LayoutTable
from sfumato.release.release import PublishedColumn
from sfumato.release.text import ValueFormat, encode

__all__ = ["FlatShape", "flatten", "name_flat_columns"]

LOWER, UPPER, MISSING = "_lo", "_hi", "_missing"
"""What the names of the columns end with that a column of ranges becomes."""


@dataclasses.dataclass(frozen=True)
class FlatShape:
    """Which columns become what, the same for all partitions of a release.

    Parameters
    ----------
    ranges
        Columns with a range in some cell: two columns each, for all rows.
    labels
        Columns with a set or a category in some cell: text.
    missing
        Columns of ranges that have no value in some cell: a third column tells it from a suppressed one.
    types
        Columns with the type of their values; one with two types becomes text.

    Examples
    --------
    >>> shape = FlatShape(frozenset({"age"})).join(FlatShape(labels=frozenset({"town"})))
    >>> shape.ranges, shape.labels
    (frozenset({'age'}), frozenset({'town'}))
    """

    ranges: frozenset[str] = frozenset()
    labels: frozenset[str] = frozenset()
    missing: frozenset[str] = frozenset()
    types: frozenset[tuple[str, str]] = frozenset()

    @classmethod
    def of(cls, layout_table: LayoutTable) -> FlatShape:
        """Return the shape of one table."""
        ranges = frozenset(column.name for column in layout_table.columns if column.form.cell == "interval")
        labels = frozenset(column.name for column in layout_table.columns if column.form.cell in {"set", "category"})
        lacking = frozenset(name for name in ranges if _lacks_values(_join_chunks(layout_table.table.column(name))))
        return cls(
            ranges, labels, lacking, frozenset((column.name, column.form.type) for column in layout_table.columns)
        )

    def join(self, other: FlatShape) -> FlatShape:
        """Return the shape of two tables together."""
        types = self.types | other.types
        counts = Counter(name for name, _ in types)
        mixed = {name for name, count in counts.items() if count > 1}
        return FlatShape(
            self.ranges | other.ranges, self.labels | other.labels | mixed, self.missing | other.missing, types
        )


def flatten(layout_table: LayoutTable, shape: FlatShape | None = None) -> LayoutTable:
    """Return the same rows with one plain value per cell.

    Parameters
    ----------
    layout_table
        The records in a layout.
    shape
        What columns become, where other partitions of the release decide it, too.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.release.layouts import arrange_records
    >>> data = sf.Dataset.of("table", [(20, "a"), (21, "b"), (60, "c"), (70, "c")], ("age", "town"))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> flatten(arrange_records(release, "wide")).table.to_pylist()[0]
    {'age_lo': 20, 'age_hi': 21, 'town': '{a|b}'}
    """
    shape = shape or FlatShape.of(layout_table)
    columns: list[PublishedColumn] = []
    cells: list[Any] = []
    entries: list[str] = []
    for column in layout_table.columns:
        array = _join_chunks(layout_table.table.column(column.name))
        for flat, values in _flatten_column(column, array, shape):
            columns.append(flat)
            cells.append(values)
            entries += [flat.name] * (column.name in layout_table.entries)
    _refuse_collisions(layout_table.columns, columns)
    table = pa.table({column.name: values for column, values in zip(columns, cells, strict=True)})
    return dataclasses.replace(
        layout_table, columns=tuple(columns), table=table, entries=tuple(entries), part=None, exact=(), flat=True
    )


def name_flat_columns(layout_table: LayoutTable) -> list[str]:
    """Return the names that the columns of a flat table have."""
    return [
        column.name
        for column in flatten(dataclasses.replace(layout_table, table=layout_table.table.slice(0, 0))).columns
    ]


def _flatten_column(column: PublishedColumn, array: Any, shape: FlatShape) -> Iterator[tuple[PublishedColumn, Any]]:
    """Yield the flat columns that a column becomes."""
    name, form = column.name, column.form
    if name in shape.ranges:
        if name in shape.labels:
            raise SchemaError(
                f"column {name!r} has ranges in one partition and labels in another.",
                column=name,
                hint=Message("Keep both in one column: ", option("nested", True), "."),
            )
        bound = ValueFormat("exact", form.type, history=form.history)
        for suffix, side in ((LOWER, "lo"), (UPPER, "hi")):
            values = _map_lists(array, form, lambda cells, side=side: _read_bound(cells, side))
            yield PublishedColumn(name + suffix, column.role, bound), values
        if name in shape.missing:
            flag = ValueFormat("exact", "bool", history=form.history)
            yield PublishedColumn(name + MISSING, column.role, flag), _map_lists(array, form, _find_missing)
    elif name in shape.labels and form.cell == "exact":
        text = ValueFormat("category", history=form.history)
        yield PublishedColumn(name, column.role, text), _map_lists(array, form, lambda cells: _write_text(cells, form))
    else:
        yield column, _map_lists(array, form, lambda cells: _write_label(cells, form))


def _map_lists(array: Any, form: ValueFormat, change: Any) -> Any:
    """Change cells, or the entries of the lists that they are."""
    if not form.history:
        return change(array)
    # Lists that are null or cut out of longer ones have offsets of their own: they are counted anew.
    kind, number = (pa.LargeListArray, pa.int64()) if pa.types.is_large_list(array.type) else (pa.ListArray, pa.int32())
    lengths = pc.fill_null(pc.list_value_length(array), 0).cast(number)
    offsets = pa.concat_arrays([pa.array([0], number), pc.cumulative_sum(lengths)])
    mask = array.is_null() if array.null_count else None
    return kind.from_arrays(offsets, change(array.flatten()), mask=mask)


def _read_bound(cells: Any, side: str) -> Any:
    return pc.struct_field(cells, side) if pa.types.is_struct(cells.type) else cells


def _lacks_values(array: Any) -> bool:
    cells = array if pa.types.is_struct(array.type) else array.flatten()
    return pc.any(_find_missing(cells)).as_py() is True


def _find_missing(cells: Any) -> Any:
    """Tell for every range whether it says that there is no value."""
    if not pa.types.is_struct(cells.type):
        return pa.array([False] * len(cells), pa.bool_())
    unbounded = pc.and_(pc.struct_field(cells, "lo").is_null(), pc.struct_field(cells, "hi").is_null())
    return pc.and_(cells.is_valid(), unbounded)


def _write_label(cells: Any, form: ValueFormat) -> Any:
    """Return exact cells as they are, categories as plain text, and sets as the text they are published as."""
    if form.cell == "category":
        return cells.cast(pa.string())
    if form.cell == "set":
        return _keep_nulls(encode(cells, dataclasses.replace(form, history=False)), cells)
    return cells


def _write_text(cells: Any, form: ValueFormat) -> Any:
    """Return exact cells of one partition as text beside labels of another."""
    if form.type == "string":
        return cells
    return _keep_nulls(encode(cells, ValueFormat("exact", form.type)), cells)


def _keep_nulls(texts: Any, cells: Any) -> Any:
    return pc.if_else(cells.is_null(), pa.scalar(None, pa.string()), texts)


def _refuse_collisions(columns: tuple[PublishedColumn, ...], flat: list[PublishedColumn]) -> None:
    """Refuse names that two flat columns would have."""
    counts = Counter(column.name for column in flat)
    twice = sorted(name for name, count in counts.items() if count > 1)
    if not twice:
        return
    sources = [c.name for c in columns if any(c.name + suffix in twice for suffix in (LOWER, UPPER, MISSING))]
    raise ParameterError(
        f"column {', '.join(map(repr, sources))}: its ranges become columns that exist: {', '.join(map(repr, twice))}.",
        column=sources[0] if sources else "",
        hint=Message("Keep ranges in one column: ", option("nested", True), "."),
    )


def _join_chunks(column: Any) -> Any:
    array = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    return array
