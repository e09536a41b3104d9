"""Releases as JSON lines: an object per row, times as ISO 8601 has them.

Nested cells that are ranges are objects ``{"lo": ..., "hi": ...}``.
"""

from __future__ import annotations

import dataclasses
import datetime
import json
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import IO, Any

import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.formats.json_text import find_deep_line
from sfumato.release.layouts import LayoutTable
from sfumato.release.release import Release
from sfumato.release.text import ValueFormat

__all__ = ["begin", "build_column", "encode_file", "parse", "read_names", "show_time"]

_ROWS = 10_000


def encode_file(release: Release, layout_table: LayoutTable) -> Iterator[bytes]:  # noqa: ARG001
    """Yield the text of a file."""
    yield from _encode_table(layout_table.table)


def begin(file: IO[bytes]) -> Callable[[LayoutTable | None], None]:
    """Begin a file to which partitions of a release are written one after another; None ends it."""

    def write(layout_table: LayoutTable | None) -> None:
        for piece in [] if layout_table is None else _encode_table(layout_table.table):
            file.write(piece)

    return write


def _encode_table(table: pa.Table) -> Iterator[bytes]:
    for batch in table.to_batches(max_chunksize=_ROWS):
        lines = (json.dumps(row, ensure_ascii=False, allow_nan=False, default=show_time) for row in batch.to_pylist())
        yield "".join(f"{line}\n" for line in lines).encode()


def show_time(value: datetime.date | datetime.datetime) -> str:
    """Spell a day or a moment.

    Examples
    --------
    >>> show_time(datetime.datetime(2024, 1, 2, tzinfo=datetime.UTC)), show_time(datetime.date(2024, 1, 2))
    ('2024-01-02T00:00:00Z', '2024-01-02')
    """
    return value.isoformat().replace("+00:00", "Z")


def read_names(path: Path) -> list[str]:
    """Return the names of the columns of a file: those of its first row."""
    return list(next(iter(_read(path)), {}))


def parse(path: Path, release: Release, layout_table: LayoutTable) -> pa.Table:  # noqa: ARG001
    """Read a file back."""
    rows = _read(path)
    columns = {column.name: [row[column.name] for row in rows] for column in layout_table.columns}
    return pa.table({column.name: build_column(columns[column.name], column.form) for column in layout_table.columns})


def _read(path: Path) -> list[dict[str, Any]]:
    data = path.read_bytes()
    deep = find_deep_line(data)
    if deep is not None:
        raise SchemaError(f"{path.name}: line {deep} is not an object of an export.")
    return [json.loads(line) for line in data.decode().split("\n") if line]


def build_column(values: list[Any], form: ValueFormat) -> Any:
    """Return plain values as a column of a form; the text of a time is read as one."""
    inside = dataclasses.replace(form, history=False)
    if form.history:
        offsets = pa.array([0, *_add_up(len(value) for value in values)], pa.int32())
        flat = build_column([entry for value in values for entry in value], inside)
        return pa.ListArray.from_arrays(offsets, flat)
    if form.cell == "category":
        return pa.array(values, pa.string()).dictionary_encode()
    if form.cell == "set" and any(isinstance(value, str) for value in values):
        raise TypeError("a flat export has labels instead of sets")
    read = _READ.get(form.type)
    if read is not None and form.cell == "interval":
        values = [value and {side: value[side] and read(value[side]) for side in ("lo", "hi")} for value in values]
    elif read is not None:
        values = [None if value is None else read(value) for value in values]
    return pa.array(values, form.arrow)


def _add_up(lengths: Iterator[int]) -> Iterator[int]:
    total = 0
    for length in lengths:
        total += length
        yield total


_READ = {"date": datetime.date.fromisoformat, "timestamp": datetime.datetime.fromisoformat}
