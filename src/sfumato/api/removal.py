"""People who are to be forgotten: left out of an original as it is read, and what that changes in a release."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.attacks.pairs import attack_pair
from sfumato.data.kind import find_kind
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.frames import FrameFile, make_file
from sfumato.readers.cells import as_text
from sfumato.readers.files import choose_format
from sfumato.readers.options import ReadOptions
from sfumato.readers.tables import read_table
from sfumato.release.release import Release

__all__ = ["Changes", "compare_releases", "leave_out", "read_as_table"]

_TABLES = ("csv", "parquet", "jsonl")
_OF_FILES = ("format", "delimiter", "encoding", "header")


@dataclasses.dataclass(frozen=True)
class Changes:
    """What a release without some people has that the earlier one had not.

    Parameters
    ----------
    people
        How many were asked for.
    rows
        Rows of the original that were theirs.
    records_in, published
        Records before and after.
    gone, new, same
        Published records of the earlier release that are not there any more, that were not there, and that were; as
        their cells are, whoever they are of.
    """

    people: int
    rows: int
    records_in: tuple[int, int]
    published: tuple[int, int]
    gone: int
    new: int
    same: int

    def to_dict(self) -> dict[str, Any]:
        """Return plain values for JSON."""
        return dataclasses.asdict(self)


def leave_out(
    path: Path, people: Collection[str], read_options: ReadOptions, column: str | None = None
) -> tuple[FrameFile, int]:
    """Return an original without the rows of some people, as a file in memory, and how many rows those were.

    Parameters
    ----------
    path
        The original: a table.
    people
        What they are called there.
    read_options
        How the original was read.
    column
        The column that says whose a row is; told by how the original was read if not given.
    """
    format = choose_format(path, read_options.format)
    if format not in _TABLES or read_options.item_file is not None:
        raise ParameterError(
            f"erase: {path.name}: people can be left out of one table (csv, parquet, jsonl) with a column that names "
            "them. Remove them from the original, and anonymise it anew."
        )
    table = read_table(
        path,
        delimiter=read_options.delimiter,
        format=read_options.format,
        header=read_options.header or True,
        encoding=read_options.encoding,
    )
    name = column or _find_column(table.column_names, read_options)
    if name is None or name not in table.column_names:
        raise ParameterError(
            f"erase: {path.name}: there is no column {name!r}. Say which column names people (column)."
            if name is not None
            else f"erase: {path.name}: nothing tells which column names people. Say which (column)."
        )
    who = as_text(path.name, name, table.column(name))
    wanted = pa.array(sorted(people), who.type)
    missing = len(people) - len(pc.unique(pc.filter(who, pc.is_in(who, value_set=wanted))))
    if missing:
        raise SchemaError(
            f"erase: {path.name}: {missing} of {len(people)} are not in column {name!r}. Nothing was changed.",
            column=name,
            hint="Name people exactly as the column does.",
        )
    remaining = table.filter(pc.fill_null(pc.invert(pc.is_in(who, value_set=wanted)), True))
    if not remaining.num_rows:
        raise SchemaError(f"erase: {path.name}: nobody would be left.")
    return make_file(remaining), table.num_rows - remaining.num_rows


def read_as_table(read_options: ReadOptions) -> ReadOptions:
    """Return how the table is read that is left: as the file was, less what is about files."""
    empty = ReadOptions(read_options.kind)
    return dataclasses.replace(read_options, **{name: getattr(empty, name) for name in _OF_FILES})


def _find_column(present: list[str], read_options: ReadOptions) -> str | None:
    """Return the column that names people: as the owner said, or as the reader knows it."""
    for role in ("owner", "person"):
        if role in read_options.columns:
            return read_options.columns[role]
    named = [name for entry in read_options.identifier for name in (entry, *entry.split(",")) if name in present]
    if named:
        return named[0]
    vocabulary = find_kind(read_options.kind).vocabulary
    words = None if vocabulary is None else vocabulary.load()
    roles = {} if words is None else {**words.names, **words.roles}
    return next((name for name in present if roles.get(name.lower()) == "person"), None)


def compare_releases(earlier: Release, later: Release, people: int, rows: int) -> Changes:
    """Say what changed between two releases of nearly the same people."""
    comparison = attack_pair([(earlier, None)], [(later, None)])
    return Changes(
        people,
        rows,
        (earlier.records_in, later.records_in),
        (len(earlier), len(later)),
        gone=comparison.only_in_first,
        new=comparison.only_in_second,
        same=comparison.in_both,
    )
