"""Hierarchy files: reading and writing."""

from __future__ import annotations

import difflib
import gzip
import lzma
import os
import re
from pathlib import Path

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.files import FORMATTERS, PARSERS, Source, detect_format, recognise_ranges
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.hierarchies.rules import RULES
from sfumato.messages import Message, call
from sfumato.readers.files import COPY_AGAIN, unpack

__all__ = ["read_hierarchy", "write_hierarchy"]


def read_hierarchy(path: str | os.PathLike[str], format: str | None = None, *, root: str | None = None) -> Hierarchy:
    """Read a hierarchy from a file in one of four formats, detected by its content.

    Text is UTF-8 with any line ends; ``.gz`` and ``.xz`` files are unpacked.

    Parameters
    ----------
    path
        The file.
    format
        ``arx``, ``amnesia``, ``parent-child`` or ``indented``; detected if not given.
        :mod:`sfumato.hierarchies.files` describes them.
    root
        Label of an artificial root to put above several roots; without it they are an error, except in
        indented files.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> folder = pathlib.Path(tempfile.mkdtemp())
    >>> _ = (folder / "work.csv").write_text("Private;Paid;*\\nState;Paid;*\\nNever worked;*\\n")
    >>> read_hierarchy(folder / "work.csv")
    Hierarchy below *: 3 of 5 nodes are leaves, height 2
    *
      Paid
        Private
        State
      Never worked
    """
    path = Path(path)
    source = Source(path.name, re.split(r"\r\n|\n|\r", _read_text(path)))
    if not source.filled:
        source.complain("the file is empty; a hierarchy needs at least one label.")
    format_name = detect_format(source) if format is None else _check_format(format, "read_hierarchy")
    return PARSERS[format_name](source, root)


def write_hierarchy(hierarchy: Hierarchy, path: str | os.PathLike[str], format: str) -> None:
    """Write a hierarchy to a file, atomically; reading it back gives an equal one.

    Parameters
    ----------
    hierarchy
        The hierarchy.
    path
        The file; it is packed where its name ends in ``.gz`` or ``.xz``.
    format
        ``arx``, ``amnesia``, ``parent-child`` or ``indented``.

    Examples
    --------
    >>> import pathlib, tempfile
    >>> file = pathlib.Path(tempfile.mkdtemp()) / "codes.txt"
    >>> write_hierarchy(Hierarchy.from_paths([("a1", "A", "ALL"), ("a 2", "A", "ALL")]), file, "amnesia")
    >>> print(file.read_text())
    distinct
    name codes
    type string
    height 3
    <BLANKLINE>
    A has a1 a%202
    <BLANKLINE>
    ALL has A
    <BLANKLINE>
    """
    path = Path(path)
    format_name = _check_format(format, "write_hierarchy")
    if format_name != "amnesia" and hierarchy.kind == "labels" and recognise_ranges(hierarchy) is not hierarchy:
        raise SchemaError(
            "write_hierarchy: every label looks like a range, and would be read back as one.",
            option="format",
            hint=Message(
                "Write the format amnesia, which distinguishes labels from ranges: ",
                call("format='amnesia'", "--as amnesia"),
            ),
        )
    lines = FORMATTERS[format_name](hierarchy, path.name.partition(".")[0] or "hierarchy")
    _write_text(path, "".join(f"{line}\n" for line in lines))


def _check_format(format: str, owner: str) -> str:
    if format not in PARSERS:
        near = difflib.get_close_matches(format, PARSERS, 1)
        hint = f"Did you mean {near[0]}?" if near else ""
        rule = f"{owner}: format must be one of {', '.join(PARSERS)}, got {format!r}."
        raise ParameterError(rule, option="format", hint=hint)
    return format


def _read_text(path: Path) -> str:
    try:
        data = path.read_bytes()
    except OSError as error:
        rule = path.name.partition(":")[0] in RULES
        hint = "The rule of this name is not for these values." if rule else ""
        if isinstance(error, FileNotFoundError):
            raise SchemaError(f"{path.name}: there is no such hierarchy file.", hint=hint) from None
        raise SchemaError(f"{path.name}: the file cannot be read ({error.strerror}).", hint=hint) from None
    packed = path.suffix in {".gz", ".xz"}
    unpacked = unpack(path.name, data)
    if packed and data and unpacked is data:
        raise SchemaError(
            f"{path.name}: the file is truncated, or not compressed as its extension says.", hint=COPY_AGAIN
        )
    data = unpacked
    try:
        return data.decode("utf-8-sig")
    except UnicodeDecodeError as error:
        line = len(re.findall(rb"\r\n|\n|\r", data[: error.start])) + 1
        raise SchemaError(
            f"{path.name}: text must be UTF-8, line {line} is not.", rows=(line,), hint="Save it as UTF-8."
        ) from None


def _write_text(path: Path, text: str) -> None:
    data = text.encode()
    if path.suffix == ".gz":
        data = gzip.compress(data, mtime=0)
    elif path.suffix == ".xz":
        data = lzma.compress(data)
    temporary = path.with_name(f".{path.name}.{os.getpid()}.part")
    try:
        temporary.write_bytes(data)
        temporary.replace(path)
    except OSError as error:
        temporary.unlink(missing_ok=True)
        raise SchemaError(f"{path.name}: the file cannot be written ({error.strerror}).") from None
