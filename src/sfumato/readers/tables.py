"""Tables from the files people have, with every cell of a text kept as the text it is."""

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
from sfumato.readers.files import choose_format, load, to_utf8
from sfumato.readers.geojson import is_geojson, parse_geojson
from sfumato.readers.gpx import parse_gpx
from sfumato.readers.xes import parse_xes
from sfumato.readers.xlsx import parse_sheet

__all__ = ["check_columns", "check_delimiter", "detect_delimiter", "first_lines", "parse_table", "read_table"]

_DELIMITERS = (",", ";", "\t")
_DELIMITER_NAMES = {"space": " ", "comma": ",", "semicolon": ";", "tab": "\t", "\\t": "\t"}
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
    """Read a table; CSV cells stay text, so that ``007`` and ``NA`` are what they are in the file.

    Parameters
    ----------
    path
        CSV, Parquet, JSON lines, XLSX, XES, GPX or GeoJSON, possibly packed as ``.gz`` or ``.xz``.
    delimiter
        Of CSV; without it comma, semicolon or tab, whichever the first lines agree on.
    format
        ``csv``, ``parquet``, ``jsonl`` and so on where the extension is not to decide.
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
        raise ParameterError(f"{name}: format {format} is not a table. Give {', '.join(TABLES[:-1])} or {TABLES[-1]}.")
    if format == "jsonl" and is_geojson(data):
        format = "geojson"
    text = data if format in {"parquet", "xlsx", "xes", "gpx"} else to_utf8(name, data, encoding)
    if not text.strip():
        raise SchemaError(f"{name}: the file is empty.")
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
    """Return a table whose columns have names of their own and that has rows, or say what it lacks."""
    first = {column: i for i, column in reversed(list(enumerate(table.column_names)))}
    repeated = [i for i, column in enumerate(table.column_names) if first[column] < i]
    if repeated:
        positions = ", ".join(str(i + 1) for i in repeated[:5])
        raise SchemaError(
            f"{name}: every column needs a name of its own; column {positions} repeats an earlier name. "
            "Rename it in the file."
        )
    if table.num_rows == 0:
        raise SchemaError(f"{name}: there are no rows, only a header.")
    return table


def check_delimiter(delimiter: str) -> str:
    """Return the character a delimiter stands for: itself, or ``tab``, ``comma``, ``semicolon`` in words.

    Examples
    --------
    >>> check_delimiter("tab"), check_delimiter("|")
    ('\\t', '|')
    """
    character = _DELIMITER_NAMES.get(delimiter, delimiter)
    if len(character) != 1 or character in '"\r\n' or not character.isascii():
        raise ParameterError(f"reading: delimiter must be one character such as , or ; or tab, got {delimiter!r}.")
    return character


def first_lines(data: bytes, count: int = _SAMPLED_LINES) -> list[str]:
    """Return the first non-empty lines of a text, at most so many.

    Examples
    --------
    >>> first_lines(b"a,b\\r\\n\\r\\nc,d\\r\\n", 2)
    ['a,b', 'c,d']
    """
    lines = (match.group().decode("utf-8", errors="replace") for match in _LINE.finditer(data))
    return list(itertools.islice((line for line in lines if line.strip()), count))


def detect_delimiter(lines: Sequence[str]) -> str:
    """Return comma, semicolon or tab: the one that cuts the first lines into equally many cells.

    Where several do, the one with more cells wins; where none does, the one the first line has most of. Where there is
    none of them, and blanks cut all lines into equally many cells, at least three, it is blanks.

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
        raise SchemaError(f"{name}: the file has no text in it, only control characters.")
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
            f"{name}: the header given names {len(names)} columns, the file has {table.num_columns}. "
            "Name every column, or give the delimiter."
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
        # A line break inside a quoted name hides columns, whose cells would not be left as text.
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
            f"{name}: every row must have as many cells as the first line; row {number} has {actual}, "
            f"not {expected}. Check the delimiter, taken to be {delimiter!r}, and the quotes."
        )
    raise SchemaError(
        f"{name}: this is not CSV with the delimiter {delimiter!r}, or a line is over {_BLOCK:,} bytes long."
    )


def _check_quotes(name: str, data: bytes, delimiter: str) -> None:
    """Refuse a quote that is never closed, as it would swallow the rows after it without a word."""
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
            f"{name}: a quoted cell is not closed, or is over {csv.field_size_limit():,} characters long; "
            f"noticed in line {reader.line_num}. Write a quote inside a quoted cell twice."
        ) from None


def _parse_json_lines(name: str, data: bytes) -> pa.Table:
    deep = find_deep_line(data)
    if deep is not None:
        raise SchemaError(f"{name}: every line must be one JSON object with distinct names; line {deep} is not.")
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
    """Find the line that is at fault and say so."""
    types: dict[str, str] = {}
    type_names = {
        str: "text",
        bool: "true or false",
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
            raise SchemaError(f"{name}: every line must be one JSON object with distinct names; line {number} is not.")
        for column, value in record.items():
            type_name = type_names.get(type(value), "nothing")
            if value is not None and types.setdefault(column, type_name) != type_name:
                raise SchemaError(
                    f"{name}: column {column!r} is {types[column]} in one line and {type_name} in line {number}. "
                    "Write it the same way everywhere."
                )
    raise SchemaError(f"{name}: this is not JSON lines, or a line is over {_BLOCK:,} bytes long.")


def _refuse_repeats(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    if len({name for name, _ in pairs}) < len(pairs):
        raise ValueError("repeated name")
    return dict(pairs)
