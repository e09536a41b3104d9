"""Sheets of XLSX and ODS workbooks."""

from __future__ import annotations

import contextlib
import io
import logging
import zipfile
import zlib
from collections.abc import Sequence
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.limits import check_expansion, largest_expansion
from sfumato.messages import Message, option

__all__ = ["parse_sheet"]

_INSTALL = "Install it: pip install 'sfumato[excel]'."
_BLOCK = 1 << 20
_MIDNIGHT = r"^(\d{4}-\d\d-\d\d)[ T]00:00:00(\.0+)?$"


def parse_sheet(name: str, data: bytes, sheet: str | None = None, header: bool | Sequence[str] = True) -> pa.Table:
    """Make a table of a sheet, with every cell as text.

    Whole numbers have no decimal point, times are written as ``2024-01-31 18:00:00`` and days without the time. Empty
    cells are null.

    Parameters
    ----------
    name
        Of the file, for messages.
    data
        Its content.
    sheet
        Name of the sheet; the first if not given.
    header
        True if the first line names the columns, or the names if it does not.
    """
    try:
        import fastexcel
    except ImportError:
        raise ParameterError(f"{name}: workbooks need the package fastexcel.", hint=_INSTALL) from None
    _check_bounds(name, data)
    logging.getLogger("fastexcel").setLevel(logging.ERROR)
    logging.getLogger("fastexcel.types.dtype").setLevel(logging.ERROR)
    rows: Any = None
    book: Any = None
    with contextlib.suppress(fastexcel.FastExcelError):  # its message may quote cells
        book = fastexcel.read_excel(data)
    if book is None:
        raise _refuse_damaged(name)
    names = book.sheet_names
    if sheet is not None and sheet not in names:
        raise ParameterError(
            f"{name}: there is no sheet {sheet!r}.",
            option="sheet",
            hint=Message(f"Its sheets are {', '.join(map(repr, names[:20]))}: ", option("sheet", names[0]), "."),
        )
    with contextlib.suppress(fastexcel.FastExcelError):
        rows = book.load_sheet(sheet or 0, header_row=None, dtypes="string").to_arrow()
    if rows is None or not rows.num_columns or not rows.num_rows:
        raise SchemaError(
            f"{name}: the sheet {sheet or names[0]!r} is empty or cannot be read.",
            hint=Message("Choose another sheet with ", option("sheet"), "."),
        )
    return _name_columns(name, pa.Table.from_batches([rows]), header)


def _name_columns(name: str, table: pa.Table, header: bool | Sequence[str]) -> pa.Table:
    """Name the columns by the first row, and leave out empty rows and columns."""
    if header is True:
        first = [str(cell or "").strip() for cell in table.slice(0, 1).to_pylist()[0].values()]
        table = table.slice(1)
    else:
        first = list(header or [])
    if len(first) != table.num_columns:
        raise SchemaError(
            Message(f"{name}: ", option("header"), f" names {len(first)} columns, the sheet has {table.num_columns}."),
            hint="Name every column.",
        )
    positions = [i for i, column in enumerate(table.columns) if first[i] or column.null_count < len(column)]
    cells = {first[i] or f"column{i + 1}": _shorten_days(table.column(i)) for i in positions}
    if len(cells) < len(positions):
        raise SchemaError(f"{name}: two columns have the same name.", hint="Rename one of them in the sheet.")
    sheet = pa.table(cells)
    filled: Any = None
    for column in sheet.columns:
        there = pc.is_valid(column)
        filled = there if filled is None else pc.or_(filled, there)
    return sheet if filled is None else sheet.filter(filled)


def _shorten_days(column: Any) -> Any:
    """Write days without a time where no cell of a column has one."""
    given = column.drop_null()
    if len(given) and pc.all(pc.match_substring_regex(given, _MIDNIGHT)).as_py():
        return pc.replace_substring_regex(column, _MIDNIGHT, r"\1")
    return column


def _check_bounds(name: str, data: bytes) -> None:
    """Unpack a workbook, which is an archive, once to check the limit of expansion."""
    total, limit = 0, largest_expansion(len(data))
    try:
        with zipfile.ZipFile(io.BytesIO(data)) as archive:
            for member in archive.infolist():
                with archive.open(member) as file:
                    while block := file.read(_BLOCK):
                        total += len(block)
                        if total > limit:
                            check_expansion(name, len(data), total)
    except (zipfile.BadZipFile, zlib.error, OSError, EOFError, NotImplementedError, RuntimeError):
        raise _refuse_damaged(name) from None


def _refuse_damaged(name: str) -> SchemaError:
    return SchemaError(f"{name}: this is not a workbook, or it is damaged.", hint="Save it again, or as CSV.")
