"""Reading of JSON and TOML files with limits of size and nesting."""

from __future__ import annotations

import json
import re
import tomllib
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.exceptions import SchemaError
from sfumato.formats.memory import Place

__all__ = [
    "DEEPEST",
    "LONGEST",
    "check_nesting",
    "find_deep_line",
    "format_toml",
    "read_bounded",
    "read_toml",
    "refuse_nesting",
]

_BARE = re.compile(r"[A-Za-z0-9_-]+", re.ASCII)


def format_toml(value: Any) -> str:
    """Write a value as TOML.

    Examples
    --------
    >>> format_toml({"k": 5, "a b": ["x", 0.5, True]})
    '{ k = 5, "a b" = ["x", 0.5, true] }'
    """
    if isinstance(value, bool):
        return "true" if value else "false"
    if isinstance(value, int | float):
        return repr(value)
    if isinstance(value, Mapping):
        pairs = (
            f"{name if _BARE.fullmatch(name) else format_toml(name)} = {format_toml(entry)}"
            for name, entry in value.items()
        )
        return "{ " + ", ".join(pairs) + " }"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(format_toml, value)) + "]"
    return json.dumps(str(value), ensure_ascii=False).replace("\x7f", "\\u007f")


DEEPEST = 64
"""Largest depth of nested lists and objects."""
LONGEST = 1 << 30
"""Largest size of a file in bytes."""

_TOKEN = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)


def refuse_nesting(name: str) -> SchemaError:
    """Return the error of a file whose lists and objects are nested too deeply."""
    return SchemaError(f"{name}: lists and objects are nested more than {DEEPEST} deep.")


def check_nesting(name: str, value: Any) -> Any:
    """Return plain values, or refuse those that are nested too deeply.

    Examples
    --------
    >>> check_nesting("release.json", {"k": [5]})
    {'k': [5]}
    """
    if _nested(value) > DEEPEST:
        raise refuse_nesting(name)
    return value


def read_bounded(path: Place, longest: int = LONGEST) -> bytes:
    """Return the content of a file, or refuse one that is too large.

    Examples
    --------
    >>> read_bounded(Path(__file__), 10)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: json_text.py: the file is larger than 10 bytes, the limit for such files.
    """
    try:
        with path.open("rb") as file:
            data = file.read(longest + 1)
    except OSError as error:
        reason = (
            "there is no such file"
            if isinstance(error, FileNotFoundError)
            else f"the file cannot be read ({error.strerror})"
        )
        raise SchemaError(f"{path}: {reason}.") from None
    except ValueError:
        raise SchemaError(f"{path}: this is not a valid path.") from None
    if len(data) > longest:
        raise SchemaError(f"{path.name}: the file is larger than {longest:,} bytes, the limit for such files.")
    return data


def read_toml(path: Path) -> dict[str, Any]:
    """Read a TOML file within the same bounds.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "policy.toml"
    >>> _ = file.write_text("k = 5")
    >>> read_toml(file)
    {'k': 5}
    """
    data = read_bounded(path, 1 << 20)
    deep = SchemaError(f"{path}: tables and lists are nested more than {DEEPEST} deep.")
    if max((line.count(b".") for line in data.splitlines()), default=0) > 1000:
        raise deep
    try:
        document = tomllib.loads(data.decode("utf-8"))
    except RecursionError:
        raise deep from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError) as error:
        raise SchemaError(f"{path}: this is not a TOML file ({error}).") from None
    except ValueError:
        raise SchemaError(f"{path}: this is not a TOML file (a number or date cannot be read).") from None
    if _nested(document) > DEEPEST:
        raise deep
    return document


def find_deep_line(data: bytes) -> int | None:
    """Return the number of the first line of JSON lines that is nested too deeply for a parser to be safe.

    Examples
    --------
    >>> find_deep_line(b'{"a": 1}\\n' + b"[" * 100)
    2
    """
    text = np.frombuffer(data, np.uint8)
    opening = np.flatnonzero((text == ord("[")) | (text == ord("{")))
    if len(opening) <= DEEPEST:
        return None
    ends = np.flatnonzero(text == ord("\n"))
    line_of = np.searchsorted(ends, opening)
    numbers, counts = np.unique(line_of, return_counts=True)
    for number in numbers[counts > DEEPEST].tolist():
        first = int(ends[number - 1]) + 1 if number else 0
        last = int(ends[number]) if number < len(ends) else len(data)
        if _measure_depth(data[first:last]) > DEEPEST:
            return int(number) + 1
    # A line end inside of an object begins no new record for a parser that looks for objects only.
    return 1 if _measure_depth(data) > DEEPEST else None


def _measure_depth(data: bytes) -> int:
    """Return the depth of nested brackets outside of texts; counting ends where it is too deep."""
    if data.count(b"[") + data.count(b"{") <= DEEPEST:
        return 0
    depth = deepest = 0
    for token in _TOKEN.finditer(data):
        first = data[token.start()]
        if first in b"[{":
            depth += 1
            deepest = max(deepest, depth)
            if deepest > DEEPEST:
                break
        elif first in b"]}":
            depth -= 1
    return deepest


def _nested(value: Any) -> int:
    """Return the depth of nested lists and objects; counting ends where it is too deep."""
    depth, level = 0, [value] if isinstance(value, dict | list) else []
    while level and depth <= DEEPEST:
        depth += 1
        inside = (container.values() if isinstance(container, dict) else container for container in level)
        level = [inner for cells in inside for inner in cells if isinstance(inner, (dict, list))]
    return depth
