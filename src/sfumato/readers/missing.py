"""Empty cells: refused by row, left out with their rows, or given a value."""

from __future__ import annotations

from collections.abc import Collection, Mapping
from typing import NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.readers.cells import Cells, marks
from sfumato.readers.options import Reading

__all__ = ["Settled", "settle_missing"]


class Settled(NamedTuple):
    """A table without the rows that were left out, and what messages call it from now on."""

    name: str
    table: pa.Table


def settle_missing(
    name: str, table: pa.Table, columns: Mapping[str, str], reading: Reading, notes: list[str], fill: Collection[str]
) -> Settled:
    """Leave out rows with empty cells, or fill the cells in, as the reading says; note how many.

    Cells of other columns are not looked at. Who somebody is, when and where something was cannot be made up, so only
    the columns that hold what happened are filled in; readers refuse what is left.

    Parameters
    ----------
    name
        Of the file, for messages.
    table
        Its cells.
    columns
        The column of every role.
    reading
        How to read it: ``missing`` and ``empty``.
    notes
        Where it is noted.
    fill
        Roles whose empty cells may be filled in.

    Examples
    --------
    >>> table, notes = pa.table({"who": ["7", "8"], "what": ["a", " "]}), []
    >>> columns = {"person": "who", "event": "what"}
    >>> settled = settle_missing("a.csv", table, columns, Reading("sequences", missing="drop"), notes, ["event"])
    >>> settled.table.num_rows, notes
    (1, ['Rows with empty cells in `what`, which were left out: 1.'])
    >>> settle_missing("a.csv", table, columns, Reading("sequences", missing="none"), [], ["event"]).table["what"][1]
    <pyarrow.StringScalar: 'none'>
    """
    if reading.missing in {"keep", "error"} and not reading.empty:
        return Settled(name, table)
    empty = {column: _find_empty(table.column(column), reading.empty) for column in columns.values()}
    empty = {column: marked for column, marked in empty.items() if marked.any()}
    if reading.missing == "drop" and empty:
        left = ~np.logical_or.reduce(list(empty.values()))
        where = ", ".join(f"`{column}`" for column in empty)
        notes.append(f"Rows with empty cells in {where}, which were left out: {int((~left).sum()):,}.")
        return Settled(f"{name} (rows counted without those left out)", table.filter(pa.array(left)))
    filled = [columns[role] for role in fill if columns.get(role) in empty]
    for column, marked in empty.items():
        value = reading.missing if column in filled and reading.missing not in {"keep", "error"} else None
        cells = table.column(column)
        if value is not None and not _is_text(cells):
            cells = cells.cast(pa.string())
        new_cells = pc.if_else(pa.array(marked), pa.scalar(value, cells.type), cells)
        table = table.set_column(table.column_names.index(column), column, new_cells)
        if value is not None:
            notes.append(f"Empty cells in `{column}`, which were given the value that was asked for: {marked.sum():,}.")
    return Settled(name, table)


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
