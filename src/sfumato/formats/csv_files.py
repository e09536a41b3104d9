"""CSV files in one form, so that equal tables are equal bytes."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.csv as pacsv

from sfumato.exceptions import SchemaError
from sfumato.formats.memory import Place, open_for_arrow

__all__ = ["encode_csv", "read_csv", "read_header", "write_csv"]

_ROWS = 1 << 16
"""Rows that are encoded together."""

_QUOTED = '[",\r\n]'
_QUOTE, _COMMA, _LINE, _NOTHING = (pa.scalar(text, pa.large_string()) for text in ('"', ",", "\n", ""))


def encode_csv(table: pa.Table) -> Iterator[bytes]:
    r"""Encode a table of text as CSV, some rows at a time.

    A cell is quoted if it holds a comma, a quote or a line break, or is an empty text; lines end with a line feed. A
    null is an unquoted empty cell, which every tool reads as a missing number, unless the line would be empty.
    Columns may be dictionaries of texts.

    Examples
    --------
    >>> b"".join(encode_csv(pa.table({"person": ["1", "2"], "places": ['a "x", b', ""]})))
    b'person,places\n1,"a ""x"", b"\n2,""\n'
    >>> b"".join(encode_csv(pa.table({"age": ["20", None], "town": [None, "a"]})))
    b'age,town\n20,\n,a\n'
    """
    yield _join([_quote(pa.array([name], pa.large_string())) for name in table.column_names])
    columns = [_quote_dictionary(table.column(name)) for name in table.column_names]
    for begin in range(0, table.num_rows, _ROWS):
        yield _join([_take_texts(column.slice(begin, _ROWS)) for column in columns])


def _quote_dictionary(column: pa.ChunkedArray) -> Any:
    """Quote the texts of a dictionary, each once."""
    if not pa.types.is_dictionary(column.type) or not column.num_chunks:
        return column
    coded = pa.concat_arrays(column.unify_dictionaries().chunks)
    return pa.DictionaryArray.from_arrays(coded.indices, _quote(coded.dictionary.cast(pa.large_string())))


def _take_texts(column: Any) -> Any:
    if pa.types.is_dictionary(column.type):
        return column.dictionary.take(column.indices)
    return _quote(column.combine_chunks().cast(pa.large_string()))


def _quote(texts: Any) -> Any:
    quoted = pc.or_(pc.match_substring_regex(texts, _QUOTED), pc.equal(texts, ""))
    if not pc.any(quoted).as_py():
        return texts
    wrapped = pc.binary_join_element_wise(_QUOTE, pc.replace_substring(texts, '"', '""'), _QUOTE, _NOTHING)
    return pc.if_else(quoted, wrapped, texts)


def _join(columns: list[Any]) -> bytes:
    """Return rows of texts as lines."""
    if not columns:
        return b"\n"
    cells = [pc.fill_null(column, '""' if len(columns) == 1 else "") for column in columns]
    lines = pc.binary_join_element_wise(pc.binary_join_element_wise(*cells, _COMMA), _LINE, _NOTHING)
    lines = lines.combine_chunks() if isinstance(lines, pa.ChunkedArray) else lines
    _, ends, text = lines.buffers()
    begin, end = np.frombuffer(ends, np.int64)[[lines.offset, lines.offset + len(lines)]].tolist()
    return bytes(text.slice(begin, end - begin))


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
