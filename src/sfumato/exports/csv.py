"""Releases as CSV: text in the spelling of published files, and nothing where a record has no entry.

In flat files a suppressed number, date or time is an empty cell, so that its column stays one of numbers; a suppressed
text is ``*`` and an empty one is ``\\e``, as in ``data.csv``.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import SchemaError
from sfumato.formats.csv_files import encode_csv, read_csv, read_header
from sfumato.release.layouts import LayoutTable
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat, decode, encode

__all__ = ["begin", "encode_file", "parse", "read_names", "refuse_other_columns"]


def encode_file(release: Release, layout_table: LayoutTable) -> Iterator[bytes]:  # noqa: ARG001
    """Yield the text of a file."""
    yield from encode_csv(
        pa.table({column.name: _format_column(layout_table, column) for column in layout_table.columns})
    )


def begin(file: IO[bytes]) -> Callable[[LayoutTable | None], None]:
    """Begin a file to which partitions of a release are written one after another, under one head; None ends it."""
    head: list[tuple[str, ...]] = []

    def write(layout_table: LayoutTable | None) -> None:
        if layout_table is None:
            return
        names = tuple(column.name for column in layout_table.columns)
        refuse_other_columns(head, names)
        text = encode_csv(
            pa.table({column.name: _format_column(layout_table, column) for column in layout_table.columns})
        )
        for piece in itertools.islice(text, len(head) > 1, None):
            file.write(piece)

    return write


def refuse_other_columns(head: list[tuple[str, ...]], names: tuple[str, ...]) -> None:
    """Keep the names of the columns of a partition, or refuse them if those of the first one are others.

    Examples
    --------
    >>> refuse_other_columns([("age",)], ("age", "sex"))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: export: the partitions do not have the same columns. Export every partition on its
    own.
    """
    head.append(names)
    if head[0] != names:
        raise SchemaError("export: the partitions do not have the same columns. Export every partition on its own.")


def _format_column(layout_table: LayoutTable, column: PublishedColumn) -> Any:
    cells = _combine_chunks(layout_table.table.column(column.name))
    if layout_table.flat:
        return _format_flat(cells, column.form, entry=column.name in layout_table.entries)
    texts = encode(cells, column.form)
    if column.form.cell == "interval" and layout_table.part is not None:
        exact = encode(cells.field("lo"), ValueFormat("exact", column.form.type))
        texts = pc.if_else(_is_exact(layout_table, layout_table.table.column(layout_table.part)), exact, texts)
    if column.name in layout_table.entries:
        texts = pc.if_else(cells.is_null(), "", texts)
    return texts


def _format_flat(cells: Any, form: ValueFormat, *, entry: bool) -> Any:
    """Return plain values as text: what is null is empty where it is a number or no entry, and suppressed elsewhere."""
    if form.history and form.cell == "category":
        return encode(pa.ListArray.from_arrays(cells.offsets, cells.values.dictionary_encode()), form)
    if form.history and form.cell == "set":
        return pc.binary_join(pa.ListArray.from_arrays(cells.offsets, pc.fill_null(cells.values, "*")), ";")
    if form.history:
        return encode(cells, form)
    # Labels of sets are texts of published files already.
    texts = cells if form.cell == "set" else encode(cells, form)
    is_text = form.cell in {"set", "category"} or form.type == "string"
    nothing = pa.scalar("*" if is_text and not entry else None, pa.string())
    return pc.if_else(cells.is_null(), nothing, texts)


def _is_exact(layout_table: LayoutTable, parts: Any) -> Any:
    """Tell which rows are entries of lists that have no intervals."""
    named = _combine_chunks(parts)
    named = named.cast(pa.string()) if pa.types.is_dictionary(named.type) else named
    return pc.is_in(named, value_set=pa.array(layout_table.exact, pa.string()))


def read_names(path: Path) -> list[str]:
    """Return the names of the columns of a file."""
    return read_header(path)


def parse(path: Path, release: Release, layout_table: LayoutTable) -> pa.Table:  # noqa: ARG001
    """Read a file back, cell by cell as the forms of the release say."""
    texts = read_csv(path, [column.name for column in layout_table.columns])
    return pa.table({column.name: _read_column(layout_table, column, texts) for column in layout_table.columns})


def _read_column(layout_table: LayoutTable, column: PublishedColumn, texts: pa.Table) -> Any:
    cells = _combine_chunks(texts.column(column.name))
    missing = pc.equal(cells, "") if column.name in layout_table.entries else pa.array([False] * len(cells), pa.bool_())
    # What stands for no entry is read as suppressed, and both are null.
    cells = pc.if_else(missing, "*", cells)
    if column.form.cell == "interval" and layout_table.part is not None:
        exact = _is_exact(layout_table, texts.column(layout_table.part))
        cells = pc.if_else(exact, pc.binary_join_element_wise("[", cells, "..", cells, "]", ""), cells)
    return decode(cells, column.form)


def _combine_chunks(column: Any) -> Any:
    array = column.combine_chunks()
    if isinstance(array, pa.ChunkedArray):
        array = pa.concat_arrays(array.chunks) if array.num_chunks else pa.array([], column.type)
    return array
