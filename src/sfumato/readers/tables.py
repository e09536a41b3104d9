"""Tables from files; cells of text files stay text."""

from __future__ import annotations

import csv
import io
import itertools
import json
import os
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NoReturn

import numpy as np
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.json as pa_json

from sfumato.data.kind import TABLES
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.json_text import find_deep_line
from sfumato.formats.parquet import read_parquet
from sfumato.messages import Message, option
from sfumato.readers.files import choose_format, load, to_utf8
from sfumato.readers.geojson import is_geojson, parse_geojson
from sfumato.readers.gpx import parse_gpx
from sfumato.readers.xes import parse_xes
from sfumato.readers.xlsx import parse_sheet

__all__ = ["check_columns", "check_delimiter", "detect_delimiter", "first_lines", "parse_table", "read_table"]

_DELIMITERS = (",", ";", "\t")
_DELIMITER_NAMES = {"space": " ", "comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t"}
_TABLE_FORMATS = f"{', '.join(TABLES[:-1])} or {TABLES[-1]}"
_SAMPLED_LINES = 20
_LINE = re.compile(rb"[^\r\n]+")
_QUOTED = re.compile(r'"[^"]*"')
_BLOCK = 1 << 24  # a record longer than this is refused; rows of data about people are far shorter


def read_table(
    path: str | os.PathLike[str],
    *,
    delimiter: str | None = None,
    format: str | None = None,
    header: bool | Sequence[str] = True,
    encoding: str | None = None,
) -> pa.Table:
    """Read a table; CSV cells stay text, so that ``007`` and ``NA`` are as in the file.

    Parameters
    ----------
    path
        CSV, Parquet, JSON lines, XLSX, XES, GPX or GeoJSON, possibly packed as ``.gz`` or ``.xz``.
    delimiter
        Of CSV; if not given, it is detected from the first lines: comma, semicolon or tab.
    format
        ``csv``, ``parquet``, ``jsonl`` and so on; detected by the extension if not given.
    header
        Of CSV and sheets: True if the first line names the columns, or the names if it does not.
    encoding
        Of CSV and JSON lines, if not UTF-8.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "visits.csv"
    >>> _ = file.write_text("person;place\\n007;NA\\n")
    >>> read_table(file).to_pylist()
    [{'person': '007', 'place': 'NA'}]
    """
    data = load(path)
    return parse_table(
        Path(path).name,
        data,
        choose_format(path, format),
        delimiter=delimiter,
        header=header,
        encoding=encoding,
    )


def parse_table(
    name: str,
    data: bytes,
    format: str,
    *,
    delimiter: str | None = None,
    header: bool | Sequence[str] = True,
    encoding: str | None = None,
    sheet: str | None = None,
) -> pa.Table:
    """Make a table of the content of a file; the name is for error messages.

    Examples
    --------
    >>> parse_table("visits.jsonl", b'{"person": "007", "place": "a"}', "jsonl").to_pylist()
    [{'person': '007', 'place': 'a'}]
    """
    if format not in TABLES:
        raise ParameterError(
            Message(f"{name}: {format} is not a format of tables. Set ", option("format"), f" to {_TABLE_FORMATS}.")
        )
    if format == "jsonl" and is_geojson(data):
        format = "geojson"
    text = data if format in {"parquet", "xlsx", "xes", "gpx"} else to_utf8(name, data, encoding)
    if not text.strip():
        raise SchemaError(f"{name}: the file is empty.", hint="Give a file with rows.")
    if format == "parquet":
        table = read_parquet(name, pa.BufferReader(data), len(data))
    elif format == "xlsx":
        table = parse_sheet(name, data, sheet, header)
    elif format == "xes":
        table = parse_xes(name, [data])
    elif format == "gpx":
        table = parse_gpx(name, [data])
    elif format == "geojson":
        table = parse_geojson(name, text)
    elif format == "jsonl":
        table = _parse_json_lines(name, text)
    else:
        table = _parse_csv(name, text, delimiter, header)
    return check_columns(name, table)


def check_columns(name: str, table: pa.Table) -> pa.Table:
    """Return a table, or refuse one without rows or with repeated names of columns."""
    first = {column: i for i, column in reversed(list(enumerate(table.column_names)))}
    repeated = [i for i, column in enumerate(table.column_names) if first[column] < i]
    if repeated:
        positions = ", ".join(str(i + 1) for i in repeated[:5])
        several = len(repeated) > 1
        raise SchemaError(
            f"{name}: column{'s' * several} {positions} repeat{'' if several else 's'} an earlier name.",
            hint=f"Rename {'them' if several else 'it'} in the file.",
        )
    if table.num_rows == 0:
        raise SchemaError(f"{name}: there are no rows.", hint="Give data with rows.")
    return table


def check_delimiter(delimiter: str) -> str:
    """Return the character of a delimiter, given as itself or as ``tab``, ``comma`` or ``semicolon``.

    Examples
    --------
    >>> check_delimiter("tab"), check_delimiter("|")
    ('\\t', '|')
    """
    character = _DELIMITER_NAMES.get(delimiter, delimiter)
    if len(character) != 1 or character in '"\r\n' or not character.isascii():
        rule = f" must be one character such as , or ; or tab, got {delimiter!r}."
        raise ParameterError(Message(option("delimiter"), rule))
    return character


def first_lines(data: bytes, count: int = _SAMPLED_LINES) -> list[str]:
    """Return the first non-empty lines of a text.

    Examples
    --------
    >>> first_lines(b"a,b\\r\\n\\r\\nc,d\\r\\n", 2)
    ['a,b', 'c,d']
    """
    lines = (match.group().decode("utf-8", errors="replace") for match in _LINE.finditer(data))
    return list(itertools.islice((line for line in lines if line.strip()), count))


def detect_delimiter(lines: Sequence[str]) -> str:
    """Return the delimiter that splits the first lines into equally many cells: comma, semicolon or tab.

    Of several such delimiters the one with more cells wins; without any, the one that is most frequent in the first
    line. Lines without these delimiters are split at blanks, if that gives equally many cells, at least three.

    Examples
    --------
    >>> detect_delimiter(["person;x;y", "007;1,5;2,5"])
    ';'
    """
    bare = [_QUOTED.sub("", line) for line in lines]

    def judge(delimiter: str) -> tuple[bool, int]:
        counts = [line.count(delimiter) for line in bare]
        return len(set(counts)) == 1 and counts[0] > 0, counts[0]

    if len(lines) > 1 and not any(mark in line for mark in (*_DELIMITERS, '"') for line in lines):
        cells = {len(line.split()) for line in lines}
        if len(cells) == 1 and min(cells) >= 3:
            return " "
    return max(_DELIMITERS, key=judge) if lines else ","


def _parse_csv(name: str, data: bytes, delimiter: str | None, header: bool | Sequence[str]) -> pa.Table:
    lines = first_lines(data)
    if not lines:
        raise SchemaError(f"{name}: the file has control characters and no text.")
    if not data.endswith((b"\n", b"\r")):
        data += b"\n"
    cut = check_delimiter(delimiter) if delimiter is not None else detect_delimiter(lines)
    quoted = b'"' in data
    if cut == " " and not quoted:  # columns are often aligned by several blanks
        data = re.sub(rb"(?m)^ +| +\r?$", b"", re.sub(rb"[ \t]+", b" ", data))
    if quoted:
        _check_quotes(name, data, cut)
    table = _cut_cells(name, data, cut, quoted, header is True)
    if header is True:
        names = [str(cell).strip() for cell in table.slice(0, 1).to_pylist()[0].values()]
        table = table.slice(1)
    else:
        names = list(header) if header else [""] * table.num_columns
    if len(names) != table.num_columns:
        raise SchemaError(
            Message(f"{name}: ", option("header"), f" names {len(names)} columns, the file has {table.num_columns}."),
            hint=Message("Name every column, or set ", option("delimiter"), "."),
        )
    return table.rename_columns([given or f"column{i}" for i, given in enumerate(names, start=1)])


def _cut_cells(name: str, data: bytes, delimiter: str, quoted: bool, header: bool) -> pa.Table:
    def cut(width: int, threads: bool = True, note: Any = None) -> pa.Table:
        source: Any = pa.BufferReader(data)
        return pa_csv.read_csv(
            source,
            read_options=pa_csv.ReadOptions(use_threads=threads, block_size=_BLOCK, autogenerate_column_names=True),
            parse_options=pa_csv.ParseOptions(delimiter=delimiter, newlines_in_values=quoted, invalid_row_handler=note),
            convert_options=pa_csv.ConvertOptions(
                column_types={f"f{i}": pa.string() for i in range(width)}, strings_can_be_null=False
            ),
        )

    width = first_lines(data, 1)[0].count(delimiter) + 1
    try:
        table = cut(width)
        # A line break inside a quoted name hides columns; their cells would not stay text.
        return table if table.num_columns <= width else cut(table.num_columns)
    except pa.ArrowInvalid:
        # The message of Arrow quotes the row, so it must not be shown; count the rows once more instead.
        faults: list[tuple[int, int, int]] = []

        def note(row: Any) -> str:
            faults.append((row.number - header, row.expected_columns, row.actual_columns))
            return "skip"

        try:
            cut(width, False, note)
        except pa.ArrowInvalid:
            faults.clear()
    if faults:
        number, expected, actual = faults[0]
        raise SchemaError(
            f"{name}: row {number} has {actual} cell{'s' * (actual != 1)}, the first line has {expected}.",
            rows=(number,),
            hint=Message("Check the quotes and the delimiter: ", option("delimiter", delimiter), "."),
        )
    fault = f", or a line has over {_BLOCK:,} bytes."
    raise SchemaError(Message(f"{name}: this is not CSV with ", option("delimiter", delimiter), fault))


def _check_quotes(name: str, data: bytes, delimiter: str) -> None:
    """Refuse a quote that is not closed: the rows after it would silently become one cell."""
    text = np.frombuffer(data, np.uint8)
    quotes = np.flatnonzero(text == ord('"'))
    around = np.isin(np.arange(256), [ord(c) for c in delimiter + '"\r\n'])
    before = around[text[quotes[0::2] - 1]] | (quotes[0::2] == 0)
    after = around[text[np.minimum(quotes[1::2] + 1, len(text) - 1)]]
    if len(quotes) % 2 == 0 and before.all() and after.all():
        return
    reader = csv.reader(io.StringIO(data.decode(), newline=""), delimiter=delimiter, strict=True)
    try:
        for _ in reader:
            pass
    except csv.Error:
        raise SchemaError(
            f"{name}: a quoted cell is not closed, or has over {csv.field_size_limit():,} characters (noticed in line "
            f"{reader.line_num}).",
            rows=(reader.line_num,),
            hint="Write a quote inside a quoted cell twice.",
        ) from None


def _parse_json_lines(name: str, data: bytes) -> pa.Table:
    deep = find_deep_line(data)
    if deep is not None:
        raise _refuse_line(name, deep)
    options = pa_json.ReadOptions(block_size=_BLOCK)

    def parse(schema: pa.Schema | None) -> pa.Table:
        source: Any = pa.BufferReader(data)
        return pa_json.read_json(source, options, pa_json.ParseOptions(explicit_schema=schema))

    try:
        table = parse(None)
        inferred = [field.name for field in table.schema if pa.types.is_timestamp(field.type)]
        if inferred:  # a text that looks like a date may be a label, so it has to stay text
            table = parse(pa.schema([(column, pa.string()) for column in inferred]))
    except pa.ArrowInvalid:
        table = None  # its message may quote a cell, so it must not even be the context of ours
    return table if table is not None else _complain_about_json(name, data)


def _complain_about_json(name: str, data: bytes) -> NoReturn:
    """Raise an error that names the line at fault."""
    types: dict[str, str] = {}
    type_names = {
        str: "text",
        bool: "boolean",
        int: "number",
        float: "number",
        dict: "object",
        list: "list",
    }
    for number, line in enumerate(data.decode().splitlines(), start=1):
        if not line.strip():
            continue
        try:
            record = json.loads(line, object_pairs_hook=_refuse_repeats)
        except (ValueError, RecursionError):
            record = None
        if not isinstance(record, dict):
            raise _refuse_line(name, number)
        for column, value in record.items():
            type_name = type_names.get(type(value), "nothing")
            if value is not None and types.setdefault(column, type_name) != type_name:
                raise SchemaError(
                    f"{name}: column {column!r} is {types[column]} in one line and {type_name} in line {number}.",
                    column=column,
                    rows=(number,),
                    hint="Write it as one type.",
                )
    raise SchemaError(f"{name}: this is not JSON lines, or a line has over {_BLOCK:,} bytes.")


def _refuse_line(name: str, number: int) -> SchemaError:
    return SchemaError(
        f"{name}: every line must be one JSON object with distinct names; line {number} is not.", rows=(number,)
    )


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("repeated name")
    return dict(pairs)
