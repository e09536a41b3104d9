"""CSV files in one form, so that equal tables are equal bytes."""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from sfumato.exceptions import SchemaError
from sfumato.formats.memory import Place, open_for_arrow

__all__ = ["encode_csv", "read_csv", "read_header", "write_csv"]

_ROWS = 1 << 16
"""Rows that are encoded together."""

_QUOTED = '[",\r\n]'
_QUOTE, _COMMA, _NOTHING = (pa.scalar(text, pa.large_string()) for text in ('"', ",", ""))


def encode_csv(table: pa.Table) -> Iterator[bytes]:
    r"""Encode a table of text as CSV, some rows at a time.

    A cell is quoted if it holds a comma, a quote or a line break, or is an empty text; lines end with a line feed. A
    null is an unquoted empty cell, which every tool reads as a missing number, unless the line would be empty.

    Examples
    --------
    >>> b"".join(encode_csv(pa.table({"person": ["1", "2"], "places": ['a "x", b', ""]})))
    b'person,places\n1,"a ""x"", b"\n2,""\n'
    >>> b"".join(encode_csv(pa.table({"age": ["20", None], "town": [None, "a"]})))
    b'age,town\n20,\n,a\n'
    """
    yield _encode_rows([pa.array([name], pa.large_string()) for name in table.column_names])
    for begin in range(0, table.num_rows, _ROWS):
        part = table.slice(begin, _ROWS)
        yield _encode_rows([part.column(name).combine_chunks().cast(pa.large_string()) for name in table.column_names])


def _encode_rows(columns: list[pa.Array]) -> bytes:
    if not columns:
        return b"\n"
    cells = []
    for column in columns:
        column = column.combine_chunks() if isinstance(column, pa.ChunkedArray) else column
        quoted = pc.or_(pc.match_substring_regex(column, _QUOTED), pc.equal(column, ""))
        if pc.any(quoted).as_py():
            wrapped = pc.binary_join_element_wise(_QUOTE, pc.replace_substring(column, '"', '""'), _QUOTE, _NOTHING)
            column = pc.if_else(quoted, wrapped, column)
        if column.null_count:
            column = pc.fill_null(column, '""' if len(columns) == 1 else "")
        cells.append(column)
    lines = pc.binary_join_element_wise(*cells, _COMMA).to_pylist()
    return ("\n".join(lines) + "\n").encode()


def write_csv(table: pa.Table, path: Place) -> None:
    """Write a table of text."""
    with path.open("wb") as file:
        file.writelines(encode_csv(table))


def read_csv(path: Place, columns: list[str]) -> pa.Table:
    """Read some columns of a CSV file as text."""
    try:
        table = pacsv.read_csv(
            open_for_arrow(path),
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
            convert_options=pacsv.ConvertOptions(
                column_types={name: pa.string() for name in columns}, strings_can_be_null=False
            ),
        )
        present = table.column_names
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise SchemaError(f"{path.name}: this is not a complete CSV file.") from None
    for name in columns:
        if present.count(name) != 1:
            fault = "is missing" if name not in present else "occurs more than once"
            raise SchemaError(f"{path.name}: column {name!r} {fault}.", column=name)
    return table.select(columns)


def read_header(path: Place) -> list[str]:
    """Return the column names of a CSV file."""
    try:
        with pacsv.open_csv(
            open_for_arrow(path),
            read_options=pacsv.ReadOptions(block_size=1 << 20),
            parse_options=pacsv.ParseOptions(newlines_in_values=True),
        ) as reader:
            return [str(name) for name in reader.schema.names]
    except (pa.ArrowException, OSError, UnicodeDecodeError):
        raise SchemaError(f"{path.name}: this is not a complete CSV file.") from None
