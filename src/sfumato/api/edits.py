"""Tables that were edited: changed when they are read, or written to a file with its steps beside it."""

from __future__ import annotations

import dataclasses
import hashlib
import json
from collections.abc import Sequence
from pathlib import Path

from sfumato.data.kind import TABLES
from sfumato.data.notes import Note
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.formats.frames import make_file
from sfumato.formats.json_text import read_toml
from sfumato.formats.memory import Place
from sfumato.readers.options import ReadOptions
from sfumato.readers.sources import Source
from sfumato.readers.tables import read_table
from sfumato.readers.transform import apply_steps

__all__ = ["change_file", "describe_edited", "note_edited", "write_edited"]

_BESIDE = ".steps.toml"


def change_file(place: Place, read_options: ReadOptions) -> tuple[Place, ReadOptions, Sequence[str]]:
    """Return the file to read, how to read it, and the steps it was changed by: those asked for, or recorded beside it.

    Where steps are asked for, that is a file in memory with the table after the steps.
    """
    if not read_options.steps:
        return place, read_options, describe_edited(place) if isinstance(place, Path) else ()
    source = Source(place, read_options)
    if source.format not in TABLES:
        raise ParameterError(f"steps: only tables ({', '.join(TABLES)}) can be edited.")
    table, changes = apply_steps(source.table(), read_options.steps)
    rest = dataclasses.replace(
        read_options, steps=(), delimiter=None, format=None, encoding=None, header=(), sheet=None
    )
    return make_file(table, source.name), rest, changes


def note_edited(step: str) -> Note:
    """Note one step that a table was edited by.

    Examples
    --------
    >>> str(note_edited("drop mail"))
    'The table was edited: drop mail.'
    """
    return Note("table-edited", "The table was edited: {step}.", details={"step": step})


def write_edited(
    path: Path,
    out: Path,
    steps: Sequence[str],
    *,
    delimiter: str | None = None,
    encoding: str | None = None,
    header: Sequence[str] = (),
) -> list[str]:
    """Write a table with steps applied, and the steps beside it; return what was done, step by step.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> _ = (folder / "a.csv").write_text("venue,mail\\ncafe,x\\n")
    >>> write_edited(folder / "a.csv", folder / "b.csv", ["rename venue=place", "drop mail"])
    ['rename venue=place: 1 column renamed', 'drop mail: 1 column left out']
    >>> (folder / "b.csv").read_text().split()
    ['place', 'cafe']
    >>> describe_edited(folder / "b.csv")
    ('rename venue=place', 'drop mail')
    """
    from sfumato.exports import write_table

    if out.resolve() == path.resolve():
        raise ParameterError("edit: the output is the original file. Choose another file.")
    if path.is_dir():
        raise ParameterError("edit: a folder of files cannot be edited; give one table.")
    table, changes = apply_steps(
        read_table(path, delimiter=delimiter, header=tuple(header) or True, encoding=encoding), steps
    )
    write_table(table, out)
    lines = [
        f"# Replay: sfumato edit SOURCE --steps {out.name}{_BESIDE} --out FILE",
        f"source = {json.dumps(path.name, ensure_ascii=False)}",
        f'source_sha256 = "{_hash(path)}"',
        f'sha256 = "{_hash(out)}"',
        "steps = [",
        *(f"  {json.dumps(step.strip(), ensure_ascii=False)}," for step in steps),
        "]",
    ]
    _beside(out).write_text("\n".join(lines) + "\n", encoding="utf-8")
    return changes


def describe_edited(path: Path) -> tuple[str, ...]:
    """Return the steps a file was made by, if they lie beside it and the file is still what they made."""
    beside = _beside(path)
    if not path.is_file() or not beside.is_file():
        return ()
    try:
        content = read_toml(beside)
    except (SchemaError, ParameterError):
        return ()
    steps = content.get("steps")
    if content.get("sha256") != _hash(path) or not isinstance(steps, list):
        return ()
    return tuple(str(step) for step in steps)


def _beside(path: Path) -> Path:
    return path.with_name(path.name + _BESIDE)


def _hash(path: Path) -> str:
    with path.open("rb") as file:
        return hashlib.file_digest(file, "sha256").hexdigest()
