"""Notes that readers of several kinds take, so that the same thing has the same code and the same sentence."""

from __future__ import annotations

from collections.abc import Iterable

from sfumato.data.notes import Note

__all__ = [
    "EMPTY_ROWS",
    "FILES_READ",
    "OWNERS",
    "ROLE",
    "ROWS_READ",
    "SPMF_LINES",
    "SUMMARY",
    "note_empty_rows",
    "note_empty_sequences",
    "note_encoding",
    "note_files",
    "note_layout",
    "note_left_out",
    "note_record_column",
    "note_role",
    "note_rows",
    "note_shared_times",
    "note_strangers",
    "note_truncated",
    "note_unused",
    "note_zone",
]

EMPTY_ROWS = "empty-rows-left-out"
"""Rows that were left out because of empty cells: the columns of all partitions are listed together."""
FILES_READ = "files-read"
SUMMARY = "summary"
"""How much there is of everything: what is counted may be in several partitions, so that counts do not add up."""
OWNERS = "owners"
ROLE = "role-assigned"
ROWS_READ = "rows-read"
SPMF_LINES = Note("spmf-sequences", "Each line is a sequence (SPMF).")


def note_files(name: str, files: int) -> Note:
    """Note that several files were read as one.

    Examples
    --------
    >>> str(note_files("visits.zip", 2))
    'Read 2 files of visits.zip as one.'
    """
    return Note(FILES_READ, "Read {files} files of {file} as one.", details={"files": f"{files:,}", "file": name})


def note_rows(name: str, rows: int) -> Note:
    """Note how many rows were read.

    Examples
    --------
    >>> str(note_rows("visits.csv", 1))
    'Read 1 row of visits.csv.'
    """
    return Note(ROWS_READ, "Read {rows} {rows:row|rows} of {file}.", {"rows": rows}, details={"file": name})


def note_layout(layout: str) -> Note:
    """Note which files without a header these are."""
    return Note("layout-recognised", "Recognised {layout}.", details={"layout": layout})


def note_encoding(encoding: str) -> Note:
    """Note that a text was not UTF-8."""
    return Note("text-decoded", "The text is not UTF-8 and was read as {encoding}.", details={"encoding": encoding})


def note_role(column: str, role: str) -> Note:
    """Note what a column is read as.

    Examples
    --------
    >>> str(note_role("uid", "person"))
    'Reading `uid` as person.'
    """
    return Note(ROLE, "Reading {columns} as {role}.", columns=(column,), details={"role": role})


def note_left_out(columns: Iterable[str]) -> Note:
    """Note which columns are not read.

    Examples
    --------
    >>> str(note_left_out(["name"])), str(note_left_out(["name", "mail"]))
    ('Left out column `name`.', 'Left out columns `name` and `mail`.')
    """
    return Note("columns-left-out", "Left out {columns:column|columns} {columns}.", columns=tuple(columns))


def note_unused(columns: Iterable[str], reason: str) -> Note:
    """Note which columns are not used.

    Examples
    --------
    >>> str(note_unused(["x", "y"], "places come from cells"))
    '`x` and `y` are not used: places come from cells.'
    """
    template = "{columns} {columns:is|are} not used: {reason}."
    return Note("columns-unused", template, columns=tuple(columns), details={"reason": reason})


def note_empty_rows(rows: int, columns: Iterable[str]) -> Note:
    """Note how many rows were left out because of empty cells.

    Examples
    --------
    >>> str(note_empty_rows(2, ["time"]))
    'Left out 2 rows with empty cells in `time`.'
    """
    template = "Left out {rows} {rows:row|rows} with empty cells in {columns}."
    return Note(EMPTY_ROWS, template, {"rows": rows}, tuple(columns))


def note_empty_sequences(sequences: int, values: str) -> Note:
    """Note how many sequences hold nothing."""
    template = "Left out {sequences} {sequences:sequence|sequences} without {values}."
    return Note("empty-records-left-out", template, {"sequences": sequences}, details={"values": values})


def note_record_column(column: str) -> Note:
    """Note which column tells records apart where none names people."""
    return Note("no-person-column", "No column names people: each {columns} is a record.", columns=(column,))


def note_zone() -> Note:
    """Note that times have no zone."""
    return Note("times-without-zone", "Times have no time zone and are read as UTC.")


def note_strangers(kind: str, entries: int, values: str) -> Note:
    """Note how many entries of constraints are no values of the data.

    Examples
    --------
    >>> str(note_strangers("utility", 1, "items"))
    '1 entry of the utility constraints is not among the items of the data.'
    """
    return Note(
        "constraints-with-strangers",
        "{entries} {entries:entry|entries} of the {kind} constraints {entries:is|are} not among the {values} of the "
        "data.",
        {"entries": entries},
        details={"kind": kind, "values": values},
    )


def note_truncated(times: int, unit: str) -> Note:
    """Note how many times were finer than the resolution.

    Examples
    --------
    >>> str(note_truncated(1, "hour"))
    'Truncated 1 time to the hour.'
    """
    template = "Truncated {times} {times:time|times} to the {unit}."
    return Note("times-truncated", template, {"times": times}, details={"unit": unit})


def note_shared_times(rows: int, one: str, many: str) -> Note:
    """Note how many rows times leave in no order.

    Examples
    --------
    >>> str(note_shared_times(7519, "event", "events"))
    '7,519 events share a timestamp within a record; their order is alphabetical, not real.'
    """
    return Note(
        "shared-timestamps",
        "{rows} {rows:{one} shares|{many} share} a timestamp within a record; {rows:its|their} order is alphabetical, "
        "not real.",
        {"rows": rows},
        details={"one": one, "many": many},
    )
