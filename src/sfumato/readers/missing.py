"""Empty cells: refused, left out with their rows, or filled in."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.notes import Note
from sfumato.readers.cells import Cells, marks
from sfumato.readers.notes import note_empty_rows
from sfumato.readers.options import ReadOptions

__all__ = ["ResolvedTable", "resolve_missing"]


class ResolvedTable(NamedTuple):
    """A table without the rows that were left out, and its name for messages."""

    name: str
    table: pa.Table


def resolve_missing(
    name: str,
    table: pa.Table,
    columns: Mapping[str, str],
    read_options: ReadOptions,
    notes: list[Note],
    fill: Collection[str],
) -> ResolvedTable:
    """Leave out rows with empty cells, or fill the cells in, as the options say; note how many.

    Cells of other columns do not count. People, times and positions cannot be made up, so only columns with values of
    histories are filled in; readers refuse other empty cells.

    Parameters
    ----------
    name
        Of the file, for messages.
    table
        Its cells.
    columns
        The column of every role.
    read_options
        How to read it: ``missing`` and ``empty``.
    notes
        Where to add notes.
    fill
        Roles whose empty cells may be filled in.

    Examples
    --------
    >>> table, notes = pa.table({"who": ["7", "8"], "what": ["a", " "]}), []
    >>> columns = {"person": "who", "event": "what"}
    >>> resolved = resolve_missing("a.csv", table, columns, ReadOptions("sequences", missing="drop"), notes, ["event"])
    >>> resolved.table.num_rows, str(notes[0])
    (1, 'Left out 1 row with empty cells in `what`.')
    >>> options = ReadOptions("sequences", missing="none")
    >>> resolve_missing("a.csv", table, columns, options, [], ["event"]).table["what"][1]
    <pyarrow.StringScalar: 'none'>
    """
    if read_options.missing in {"keep", "error"} and not read_options.empty:
        return ResolvedTable(name, table)
    empty = {column: _find_empty(table.column(column), read_options.empty) for column in columns.values()}
    empty = {column: marked for column, marked in empty.items() if marked.any()}
    if read_options.missing == "drop" and empty:
        left = ~np.logical_or.reduce(list(empty.values()))
        notes.append(note_empty_rows(int((~left).sum()), empty))
        return ResolvedTable(f"{name} (rows counted without those left out)", table.filter(pa.array(left)))
    filled = [columns[role] for role in fill if columns.get(role) in empty]
    for column, marked in empty.items():
        value = read_options.missing if column in filled and read_options.missing not in {"keep", "error"} else None
        cells = table.column(column)
        if value is not None and not _is_text(cells):
            cells = cells.cast(pa.string())
        new_cells = pc.if_else(pa.array(marked), pa.scalar(value, cells.type), cells)
        table = table.set_column(table.column_names.index(column), column, new_cells)
        if value is not None:
            notes.append(
                Note(
                    "empty-cells-filled",
                    "Filled {cells} empty {cells:cell|cells} in {columns} with the given value.",
                    {"cells": int(marked.sum())},
                    (column,),
                )
            )
    return ResolvedTable(name, table)


def _is_text(cells: Cells) -> bool:
    return bool(pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type))


def _find_empty(cells: Cells, texts: Collection[str]) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    empty = cells.is_null()
    if _is_text(cells):
        trimmed: Cells = pc.utf8_trim_whitespace(cells)
        empty = pc.fill_null(pc.is_in(trimmed, value_set=pa.array(["", *texts], cells.type)), True)
    return marks(empty)
