"""Files of constraints, changed row by row: what is saved is what the command line reads, and can be taken back."""

from __future__ import annotations

import csv
import hashlib
import json
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.readers.constraints import format_groups
from sfumato.web.policies import read_recipe
from sfumato.web.project import Project, replace_text

__all__ = [
    "LARGEST",
    "SORTS",
    "can_undo",
    "change_rows",
    "check_rows",
    "digest_text",
    "find_uses",
    "read_new_rows",
    "read_row",
    "save_rows",
    "undo_save",
]

SORTS = {"utility": "utility: a row may be put together", "privacy": "privacy: a row must be hidden"}
"""What constraints are for, in plain words."""
LARGEST = 1 << 20
"""Bytes of the largest file that is shown and edited row by row."""
_MAX_VERSIONS = 20

Rows = list[tuple[str, tuple[str, ...]]]
"""Groups of values, each with its name."""


def read_row(text: str, name: str) -> tuple[str, ...]:
    """Read the values of a row as they are typed: separated by commas, in quotes where they hold one.

    Examples
    --------
    >>> read_row('tea, "rye, dark", tea', "row 1")
    ('tea', 'rye, dark')
    >>> read_row('tea, "rye', "row 7")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Row 7: quotes must stand around a whole value, and be closed.
    """
    try:
        cells = next(csv.reader([text], skipinitialspace=True, strict=True), [])
    except csv.Error:
        message = f"{name.capitalize()}: quotes must stand around a whole value, and be closed."
        raise ParameterError(message) from None
    return tuple(dict.fromkeys(cell.strip() for cell in cells if cell.strip()))


def read_new_rows(text: str) -> Rows:
    """Read rows that are typed one per line.

    Examples
    --------
    >>> read_new_rows("tea, rye\\n\\nwine")
    [('new row 1', ('tea', 'rye')), ('new row 3', ('wine',))]
    """
    names = ((f"new row {number}", line) for number, line in enumerate(text.split("\n"), start=1))
    read = ((name, read_row(line, name)) for name, line in names)
    return [(name, items) for name, items in read if items]


def change_rows(rows: Iterable[tuple[int, Sequence[str]]], changed: Mapping[int, Sequence[str]]) -> Rows:
    """Return rows by their names, with some of them changed; those without a value are left out.

    Examples
    --------
    >>> change_rows([(1, ["tea"]), (2, ["rye"])], {1: [], 2: ["rye", "tea"]})
    [('row 2', ('rye', 'tea'))]
    """
    named_rows = [(f"row {number}", tuple(dict.fromkeys(changed.get(number, items)))) for number, items in rows]
    return [(name, items) for name, items in named_rows if items]


def check_rows(rows: Rows, sort: str) -> None:
    """Refuse rows that no data can be read with.

    Examples
    --------
    >>> check_rows([("row 1", ("tea", "rye")), ("new row 1", ("wine", "tea"))], "utility")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: Row 1 and new row 1 share a value. Keep each value in one row only.
    """
    if not rows:
        raise ParameterError("Constraints need at least one row.")
    row_of: dict[str, str] = {}
    for name, items in rows:
        for item in items:
            first = row_of.setdefault(item, name)
            if sort == "utility" and first != name:
                raise ParameterError(
                    f"{first.capitalize()} and {name} share a value.", hint="Keep each value in one row only."
                )


def digest_text(content: bytes) -> str:
    """Return by what a text is known again."""
    return hashlib.sha256(content).hexdigest()


def save_rows(project: Project, name: str, rows: Rows, seen: str) -> None:
    """Write rows in the place of those that were seen, by the digest of their file; what was there is remembered."""
    path = project.find("constraints", name)
    before = path.read_bytes()
    if digest_text(before) != seen:
        raise ParameterError("The file changed after the page was opened. Nothing was saved.", hint="Open it again.")
    text = format_groups(items for _, items in rows)
    after = digest_text(text.encode())
    if after == seen:
        raise ParameterError("Nothing was changed.")
    past = [*_recall(project, name), {"before": before.decode("utf-8", errors="surrogateescape"), "after": after}]
    replace_text(_place(project, name), json.dumps(past[-_MAX_VERSIONS:]))
    replace_text(path, text)


def can_undo(project: Project, name: str) -> bool:
    """Return whether the file is as it was last saved here, so that this can be taken back."""
    past = _recall(project, name)
    return bool(past) and past[-1]["after"] == digest_text(project.find("constraints", name).read_bytes())


def undo_save(project: Project, name: str) -> None:
    """Put the file back as it was before it was last saved, byte by byte."""
    if not can_undo(project, name):
        raise ParameterError("The file changed after it was saved here, so the change cannot be undone.")
    *past, last = _recall(project, name)
    path = project.find("constraints", name)
    temporary = path.with_name(f".{path.name}")
    temporary.write_bytes(last["before"].encode("utf-8", errors="surrogateescape"))
    temporary.replace(path)
    replace_text(_place(project, name), json.dumps(past))


def find_uses(project: Project, name: str) -> list[tuple[str, str]]:
    """Return the data that are read with a file of constraints, and as what."""
    path, uses = project.find("constraints", name), []
    for data in project.list("data"):
        try:
            recipe = read_recipe(project, data)
        except SfumatoError:
            continue
        given = {} if recipe is None else recipe.options.get("constraints", {})
        uses += [(data, str(sort)) for sort, file in given.items() if Path(file).resolve() == path]
    return uses


def _recall(project: Project, name: str) -> list[dict[str, Any]]:
    try:
        entries = json.loads(_place(project, name).read_bytes())
    except (OSError, ValueError):
        return []
    return [entry for entry in entries if isinstance(entry, dict)] if isinstance(entries, list) else []


def _place(project: Project, name: str) -> Path:
    return project.hidden("constraints") / f"{name}.json"
