"""Profiles of files: their format, their columns and the shapes of these.

Profiles keep and show no values, only names and counts of columns.
"""

from __future__ import annotations

import dataclasses
import functools
import re
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import SchemaError
from sfumato.readers.cells import Cells, holds_values
from sfumato.readers.identifiers import Suspect, detect_identifier
from sfumato.readers.options import ReadOptions
from sfumato.readers.roles import Vocabulary
from sfumato.readers.sources import Source
from sfumato.readers.tables import detect_delimiter
from sfumato.readers.times import parse_times
from sfumato.readers.unnamed_columns import name_columns_by_cells

__all__ = ["ColumnProfile", "Detection", "FileProfile", "find_no_value"]

_SAMPLED = 500
"""Different values by which the shape of a column is detected."""
_LINES = 200
_WHOLE = re.compile(r"[+-]?\d{1,18}", re.ASCII)
_DECIMAL = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d+)?", re.ASCII)
_CALENDAR = re.compile(r"(19|20)\d\d(0[1-9]|1[0-2])(0[1-9]|[12]\d|3[01])", re.ASCII)
_DATA_LIKE = re.compile(r"[+-]?[\d.]+([eE][+-]?\d+)?|\d{1,4}[-/.]\d{1,2}[-/.]\d{1,4}.*|[<>=?]+.*", re.ASCII)
_NO_VALUE = ("?", "N/A", "n/a", "NULL", "null", "NaN", "nan")


class Detection(NamedTuple):
    """How a kind of data would read a file.

    Attributes
    ----------
    kind
        Of data.
    score
        How sure it is, from 0 to 100.
    options
        How to read the file.
    reasons
        Why, in sentences.
    method, parameters
        The first method to try.
    open
        Decisions left to the owner, in sentences.
    warnings
        Sensitive values without a guarantee, in sentences.
    of_lines
        Whether lines were recognised, and not columns.
    """

    kind: str
    score: int
    options: dict[str, Any]
    reasons: list[str]
    method: str
    parameters: dict[str, Any]
    open: tuple[str, ...] = ()
    of_lines: bool = False
    warnings: tuple[str, ...] = ()

    def add(self, reason: str, **parameters: Any) -> Detection:
        """Return the detection with further parameters, and the reason for them."""
        return self._replace(parameters={**self.parameters, **parameters}, reasons=[*self.reasons, reason])

    def warn(self, text: str) -> Detection:
        """Return the detection with a further warning."""
        return self._replace(warnings=(*self.warnings, text))


class ColumnProfile(NamedTuple):
    """The profile of a column.

    Its shape is ``whole``, ``decimal``, ``date``, ``calendar`` (20240131), ``text``, ``list``, ``empty``, or ``other``
    for records, bytes and times of day, which attributes cannot have.

    Examples
    --------
    >>> table = pa.table({"born": ["2000-01-31", "1999-12-01", ""]})
    >>> FileProfile.of_table("people.csv", table).columns["born"][:4]
    ('born', 'date', 2, 1)
    """

    name: str
    shape: str
    distinct: int
    empty: int
    rows: int
    suspect: Suspect | None

    @property
    def filled(self) -> int:
        """Number of cells that are not empty."""
        return self.rows - self.empty

    @property
    def repeats(self) -> bool:
        """Whether values occur several times, as people with several rows do."""
        return self.distinct * 1.05 < self.filled


@dataclasses.dataclass(frozen=True, eq=False)
class FileProfile:
    """The profile of a file.

    Parameters
    ----------
    path
        The file, or what was chosen in a folder or archive.
    name
        Its name in messages.
    format
        Its format; empty if its extension is not that of one.
    lines
        First lines of a text.
    rows
        Its cells, where it is a table.
    read_options
        Options that reading it as any kind needs: a header, a delimiter, texts that mean no value.
    reasons
        Why, in sentences.
    given
        Options that the owner has given; they take precedence over detection.

    Examples
    --------
    >>> look = FileProfile.of_table("a.csv", pa.table({"uid": ["7", "7", "8"], "venue": ["a", "b", "a"]}))
    >>> look.columns["uid"].repeats, look.columns["venue"].shape
    (True, 'text')
    """

    path: Path
    name: str
    format: str
    lines: tuple[str, ...] = ()
    rows: pa.Table | None = None
    read_options: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    reasons: tuple[str, ...] = ()
    given: Mapping[str, Any] = dataclasses.field(default_factory=dict)

    @classmethod
    def of_table(cls, name: str, table: pa.Table, given: Mapping[str, Any] | None = None) -> FileProfile:
        """Return the profile of a table."""
        return cls(Path(name), name, "csv", (), table, given=given or {})

    @classmethod
    def of(cls, path: Path, options: Mapping[str, Any] | None = None) -> FileProfile:
        """Return the profile of a file: of its table, or of its first lines if it is none."""
        source = Source(path, ReadOptions("table"))
        reasons: list[str] = []
        try:
            format = source.format
        except SchemaError:
            format = "csv"
            reasons.append("The extension is not that of a known format; the content is text and is read as CSV.")
        given: dict[str, Any] = {"format": format} if reasons else {}
        lines = tuple(source.sample(_LINES)) if format == "csv" else ()
        if format == "csv" and lines:
            more, header_reasons = _find_header(lines)
            given |= more
            reasons += header_reasons
        table = _try_table(path, given)
        if table is not None:
            reasons.append(f"{format} with {table.num_rows:,} rows and {table.num_columns} columns.")
        return cls(path, source.name, format, lines, table, given, tuple(reasons), options or {})

    @functools.cached_property
    def columns(self) -> dict[str, ColumnProfile]:
        """The profiles of the columns, by name."""
        if self.rows is None:
            return {}
        return {name: _profile_column(name, self.rows.column(name)) for name in self.rows.column_names}

    def find_roles(self, words: Vocabulary) -> dict[str, str]:
        """Return the column of every role with a known name; of several, the first of the best shape."""
        candidates: dict[str, list[str]] = {}
        for name in (name for name, column in self.columns.items() if column.shape != "other"):
            role = words.names.get(name.lower()) or (name.lower() if name.lower() in words.roles.values() else None)
            if role is not None:
                candidates.setdefault(role, []).append(name)
        return {role: self._best(role, names) for role, names in candidates.items()}

    def _best(self, role: str, names: Sequence[str]) -> str:
        if role != "time":
            return names[0]
        return min(names, key=lambda name: self.columns[name].shape not in {"date", "calendar"})

    def find_dates(self) -> list[str]:
        """Return the columns that hold dates."""
        return [name for name, column in self.columns.items() if column.shape in {"date", "calendar"}]

    def suggest_missing(self, names: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
        """Return options that leave out rows without a value, if there are any, and the reason."""
        empty = {name: self.columns[name].empty for name in names if self.columns[name].empty}
        if not empty:
            return {}, []
        listing = ", ".join(f"`{name}` ({count:,})" for name, count in empty.items())
        return {"missing": "drop"}, [f"Rows with empty cells are left out: {listing}."]


def _find_header(lines: Sequence[str]) -> tuple[dict[str, Any], list[str]]:
    """Detect whether the first line names columns, and name them by their cells if not."""
    delimiter = detect_delimiter(lines[:20])
    first = [cell.strip().strip('"') for cell in re.split(r"\s+", lines[0].strip()) if cell]
    if delimiter != " ":
        first = [cell.strip().strip('"') for cell in lines[0].split(delimiter)]
    delimiter_name = {",": "commas", ";": "semicolons", "\t": "tabs", " ": "spaces"}[delimiter]
    if len(first) > 1 and sum(_DATA_LIKE.fullmatch(cell) is not None for cell in first) >= 2:
        header = name_columns_by_cells(
            [line.split(None if delimiter == " " else delimiter) for line in lines], len(first)
        )
        reason = (
            f"The first line is data, so columns are named by their position; cells are separated by {delimiter_name}."
        )
        positions = [f"`{name}` ({at})" for at, name in enumerate(header, start=1) if name != f"column{at}"]
        return {"header": tuple(header)}, [
            reason,
            *([f"Named by their cells: {', '.join(positions)}."] if positions else []),
        ]
    return {}, [f"The first line names the columns; cells are separated by {delimiter_name}."]


def _try_table(path: Path, given: Mapping[str, Any]) -> pa.Table | None:
    try:
        table = Source(path, ReadOptions("table", **given)).table()
    except SchemaError:
        return None
    return table


def _profile_column(name: str, cells: Cells) -> ColumnProfile:
    rows = len(cells)
    if pa.types.is_list(cells.type) or pa.types.is_large_list(cells.type):
        return ColumnProfile(name, "list", rows, cells.null_count, rows, None)
    if not holds_values(cells.type):
        return ColumnProfile(name, "other", rows, cells.null_count, rows, None)
    if pa.types.is_dictionary(cells.type):
        cells = cells.cast(cells.type.value_type)
    distinct = cells.unique()
    empty = cells.null_count
    if pa.types.is_string(cells.type) or pa.types.is_large_string(cells.type):
        blank = pc.is_in(pc.utf8_trim_whitespace(cells), value_set=pa.array(["", *_NO_VALUE], cells.type))
        empty = int(pc.sum(pc.fill_null(blank, True)).as_py() or 0)
        texts = [text.strip() for text in distinct.slice(0, _SAMPLED).to_pylist() if text and text.strip()]
        texts = [text for text in texts if text not in _NO_VALUE]
        count = len(distinct) - (empty > 0)
        return ColumnProfile(name, _shape_of(texts), max(count, 0), empty, rows, detect_identifier(name, cells))
    shape = "decimal" if pa.types.is_floating(cells.type) or pa.types.is_decimal(cells.type) else "whole"
    if pa.types.is_timestamp(cells.type) or pa.types.is_date(cells.type):
        shape = "date"
    elif pa.types.is_boolean(cells.type):
        shape = "text"
    return ColumnProfile(name, shape, len(distinct) - (empty > 0), empty, rows, detect_identifier(name, cells))


def _shape_of(texts: list[str]) -> str:
    if not texts:
        return "empty"
    if all(_CALENDAR.fullmatch(text) for text in texts):
        return "calendar"
    if all(_WHOLE.fullmatch(text) for text in texts):
        return "whole"
    if all(_DECIMAL.fullmatch(text) for text in texts):
        return "decimal"
    try:
        dated = parse_times("file", "column", pa.chunked_array([texts])).micros is not None
    except SchemaError:
        return "text"
    return "date" if dated else "text"


def find_no_value(preview: FileProfile) -> list[str]:
    """Return texts in a table that mean no value, such as a question mark."""
    placeholders: dict[str, None] = {}
    for column in preview.rows.columns if preview.rows is not None else ():
        if pa.types.is_string(column.type) or pa.types.is_large_string(column.type):
            trimmed = pc.utf8_trim_whitespace(column)
            placeholders |= {text: None for text in _NO_VALUE if pc.any(pc.equal(trimmed, text)).as_py()}
    return list(placeholders)
