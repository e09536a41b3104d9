"""JSON files, read strictly and written in one form."""

from __future__ import annotations

import json
import os
import stat
from typing import Any, NoReturn

from sfumato.exceptions import SchemaError
from sfumato.formats.json_text import check_nesting, read_bounded
from sfumato.formats.memory import MemoryPlace, Place

__all__ = ["check_plain", "encode_json", "parse_json", "read_json"]


def check_plain(path: Place) -> None:
    """Refuse links, pipes and folders: the target of a link is not in the folder, and a pipe never ends."""
    missing = f"{path.name}: the file is missing from the release."
    if isinstance(path, MemoryPlace):
        if not path.is_file():
            raise SchemaError(missing)
        return
    try:
        mode = os.lstat(path).st_mode
    except FileNotFoundError:
        raise SchemaError(missing) from None
    except (OSError, ValueError):
        raise SchemaError(f"{path.name}: the file cannot be read.") from None
    if stat.S_ISLNK(mode):
        raise SchemaError(f"{path.name}: the file is a link.", hint="Replace it by a copy of the file it links to.")
    if not stat.S_ISREG(mode):
        raise SchemaError(f"{path.name}: this is not a regular file.")


def read_json(path: Place) -> Any:
    """Read a JSON file of a release or of its owner.

    An object with the same key twice is refused, because programs differ in which value they take; so are numbers
    that JSON does not have.

    Examples
    --------
    >>> import tempfile
    >>> from pathlib import Path
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     path = Path(folder) / "release.json"
    ...     _ = path.write_text('{"k": 5, "k": 2}')
    ...     read_json(path)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: release.json: an object has the same key twice.
    """
    check_plain(path)
    return parse_json(path.name, read_bounded(path))


def parse_json(name: str, data: bytes) -> Any:
    """Parse a JSON text strictly; the name is for error messages, which never quote the text.

    Examples
    --------
    >>> parse_json("release.json", b"[" * 20_000)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: release.json: this is not valid JSON.
    """
    try:
        text = data.decode("utf-8-sig")
        value = json.loads(text, object_pairs_hook=_take_pairs, parse_constant=_refuse_constant)
        check_nesting(name, value)
        if "\\u" in text:
            # Escapes can stand for half a surrogate pair, which is no text.
            encode_json(value)
    except _TwiceError:
        raise SchemaError(f"{name}: an object has the same key twice.") from None
    except (ValueError, RecursionError):
        raise SchemaError(f"{name}: this is not valid JSON.") from None
    return value


class _TwiceError(Exception):
    """An object has the same key twice."""


def _take_pairs(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    mapping = dict(pairs)
    if len(mapping) < len(pairs):
        raise _TwiceError
    return mapping


def _refuse_constant(name: str) -> NoReturn:
    raise ValueError(name)


def encode_json(value: Any) -> bytes:
    """Encode plain values as the text of a file.

    Examples
    --------
    >>> encode_json({"k": 5})
    b'{\\n  "k": 5\\n}\\n'
    """
    return (json.dumps(value, indent=2, ensure_ascii=False, allow_nan=False) + "\n").encode()
