"""Everything that lies in a release folder, compared with what its release would write there."""

from __future__ import annotations

import itertools
import json
import os
from collections.abc import Collection, Iterable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.base.verdict import Verdict
from sfumato.formats.csv_files import encode_csv, read_header
from sfumato.formats.json_files import check_plain, encode_json, read_json
from sfumato.formats.memory import MemoryPlace, Place
from sfumato.formats.parquet_metadata import find_beside_records
from sfumato.release.attachments import digest_file, is_plain_name
from sfumato.release.manifest import describe_release
from sfumato.release.readme import PAGE, render_page
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.storage import encode_tables, published_names, read_data, same_cells, write_data

__all__ = ["check_folder", "check_tables", "compare_json", "compare_page", "find_undeclared", "show"]

DECLARED = "nothing lies there that is not declared"
STATEMENT = "the statement is the one its claim makes"
COUNTED = "the numbers in release.json agree"
SAME = "data.csv equals data.parquet"

_STATEMENT_KEY = "guarantee.statement"
_RECORDS_KEY = "records."
_SHOWN = 80
_SHORT = 20


def check_folder(release: Release, folder: Place) -> Verdict:
    """Compare every byte in the folder of a release with what the release, as it was read, would write.

    A difference that changes what the release says breaks it. A difference that does not, such as a column, a key or a
    file that nobody declared, is named as undeclared: it may say anything.
    """
    undeclared = find_undeclared(folder, published_names(release))
    undeclared += [f"{file.name}: its content is not the declared one" for file in _find_changed(release, folder)]
    names = [file.name for file in release.included]
    if names != sorted(set(names)):
        undeclared.append("release.json: included files that are not in order")
    undeclared += compare_page(folder / PAGE, render_page(release))
    otherwise, more = compare_json(folder / "release.json", describe_release(release))
    undeclared += more
    undeclared += [
        f"release.json: {show(key)} is not written as in a release"
        for key in otherwise
        if key != _STATEMENT_KEY and not key.startswith(_RECORDS_KEY)
    ]
    differing, more, writer = check_tables(release, folder, published_names(release))
    undeclared += more
    statement = _STATEMENT_KEY in otherwise
    counts = [key for key in otherwise if key.startswith(_RECORDS_KEY)]
    checks = {DECLARED: not undeclared, STATEMENT: not statement, COUNTED: not counts, SAME: not differing}
    counterexample: dict[str, Any] | None = None
    if statement:
        counterexample = {
            "check": STATEMENT,
            "file": "release.json",
            "the_claim_says": release.guarantee.statement(release.unit),
        }
    elif counts:
        counterexample = {"check": COUNTED, "file": "release.json", "keys": counts}
    elif differing:
        counterexample = {"check": SAME, "files": differing}
    measured: dict[str, Any] = {"data.parquet": f"compared by content: written by {writer}"} if writer else {}
    if release.included:
        measured["included_not_judged"] = [file.name for file in release.included]
    return Verdict(counterexample is None, {}, measured, counterexample, checks, (), _shorten(undeclared))


def check_tables(release: Release, folder: Place, names: Collection[str]) -> tuple[list[str], list[str], str]:
    """Compare tables on disk with those of a release.

    Returns the files that hold other cells, what the files hold beyond what they should, and the program that wrote
    data.parquet where it is another one.
    """
    columns = {
        "data.csv": release.columns,
        **{f"{name}.csv": extra_table.columns for name, extra_table in release.extra_tables.items()},
    }
    cells = {
        "data.csv": release.table,
        **{f"{name}.csv": extra_table.table for name, extra_table in release.extra_tables.items()},
    }
    differing: list[str] = []
    undeclared: list[str] = []
    for name, table in encode_tables(release):
        if name not in names:
            continue
        extras = _compare_csv(folder / name, table)
        if extras and name in cells and not _holds_cells(folder / name, cells[name], columns[name]):
            differing.append(name)
        else:
            undeclared += [f"{name}: {what}" for what in extras]
    path = folder / "data.parquet"
    check_plain(path)
    extras, writer = find_beside_records(path, _write_again(release))
    if extras and not _holds_cells(path, release.table, release.columns):
        return [*differing, path.name], undeclared, writer
    return differing, undeclared + [f"data.parquet: {what}" for what in extras], writer


def _holds_cells(path: Place, table: pa.Table, columns: tuple[PublishedColumn, ...]) -> bool:
    return same_cells(read_data(path, columns), table, columns)


def _write_again(release: Release) -> pa.Buffer:
    sink = pa.BufferOutputStream()
    write_data([release.table], release.columns, sink)
    return sink.getvalue()


def _shorten(undeclared: list[str]) -> tuple[str, ...]:
    if len(undeclared) <= _SHORT:
        return tuple(undeclared)
    return (*undeclared[:_SHORT], f"and {len(undeclared) - _SHORT:,} more")


def show(name: str) -> str:
    """Spell a name that a stranger chose so that all of it can be seen.

    Examples
    --------
    >>> show("notes.txt"), show("notes\\u200b.txt")
    ('notes.txt', "'notes\\\\u200b.txt'")
    """
    shown = name if is_plain_name(name) and name.isascii() else ascii(name)
    return shown if len(shown) <= _SHOWN else f"{shown[:_SHOWN]}..."


def find_undeclared(folder: Place, declared: set[str]) -> list[str]:
    """Name what lies in a folder and is not known there, and what is attached to files that are."""
    undeclared = []
    if isinstance(folder, MemoryPlace):
        return [
            f"{show(entry.name)}: a file that is not declared"
            for entry in folder.iterdir()
            if entry.name not in declared
        ]
    for entry in sorted(os.scandir(folder), key=lambda entry: entry.name):
        if entry.name not in declared:
            kind = "link" if entry.is_symlink() else "folder" if entry.is_dir() else "file"
            undeclared.append(f"{show(entry.name)}: a {kind} that is not declared")
        undeclared += [f"{show(entry.name)}: extended attribute {show(name)}" for name in _attributes(entry.path)]
    return undeclared + [f"the folder itself: extended attribute {show(name)}" for name in _attributes(folder)]


def _attributes(path: str | Path) -> list[str]:
    """Return the extended attributes that people can write; others belong to the system."""
    if not hasattr(os, "listxattr"):
        return []
    try:
        return sorted(name for name in os.listxattr(path, follow_symlinks=False) if name.startswith("user."))
    except OSError:
        return []


def _find_changed(release: Release, folder: Place) -> Iterator[Any]:
    for file in release.included:
        check_plain(folder / file.name)
        if digest_file(folder / file.name) != file:
            yield file


def compare_page(path: Place, expected: bytes) -> list[str]:
    """Look for a page that says something else than what a release says of itself."""
    check_plain(path)
    if path.read_bytes() == expected:
        return []
    with path.open("rb") as file:
        line = _first_difference(file, _lines([expected]))
    return [f"{path.name}: line {line} is not what a release says there"]


def compare_json(path: Place, expected: dict[str, Any]) -> tuple[list[str], list[str]]:
    """Compare a manifest with what it should say: the keys where it says something else, and what it has beyond."""
    actual, wanted = read_json(path), json.loads(encode_json(expected))
    differences = list(_walk(actual, wanted, ""))
    otherwise = sorted(where for where, beyond in differences if not beyond)
    undeclared = sorted(f"{path.name}: key {show(where)}" for where, beyond in differences if beyond)
    if not differences and path.read_bytes() != encode_json(expected):
        undeclared.append(f"{path.name}: spaces, escapes or an order of keys that a release does not have")
    return otherwise, undeclared


def _walk(actual: Any, wanted: Any, where: str) -> Iterator[tuple[str, bool]]:
    """Yield the keys at which two values differ, and whether the first has something there that the other has not."""
    if isinstance(actual, dict) and isinstance(wanted, dict):
        for key in actual.keys() | wanted.keys():
            below = f"{where}.{key}" if where else str(key)
            if key not in wanted:
                yield below, True
            elif key not in actual:
                yield below, False
            else:
                yield from _walk(actual[key], wanted[key], below)
    elif isinstance(actual, list) and isinstance(wanted, list) and len(actual) == len(wanted):
        for number, pair in enumerate(zip(actual, wanted, strict=True), 1):
            yield from _walk(*pair, f"{where}[{number}]")
    elif type(actual) is not type(wanted) or actual != wanted:
        yield where, False


def _compare_csv(path: Place, table: pa.Table) -> list[str]:
    check_plain(path)
    with path.open("rb") as file:
        if all(file.read(len(extra_table)) == extra_table for extra_table in encode_csv(table)) and not file.read(1):
            return []
    extra = [name for name in read_header(path) if name not in table.column_names]
    if extra:
        return [f"column {show(name)}" for name in extra]
    with path.open("rb") as file:
        line = _first_difference(file, _lines(encode_csv(table)))
    return [f"line {line} is not written as in a release"]


def _lines(extra_tables: Iterable[bytes]) -> Iterator[bytes]:
    for extra_table in extra_tables:
        yield from extra_table.splitlines(keepends=True)


def _first_difference(actual: Iterable[bytes], wanted: Iterable[bytes]) -> int:
    for number, (line, other) in enumerate(itertools.zip_longest(actual, wanted), 1):
        if line != other:
            return number
    return 0
