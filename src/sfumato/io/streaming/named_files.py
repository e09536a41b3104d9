"""Files beside the data that options for reading name, such as hierarchies and maps."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["find_named_files"]


def find_named_files(options: Mapping[str, Any], *others: str) -> dict[str, os.stat_result]:
    """Return the files of this machine that options name, or that are given, with what the system knows of them.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     list(find_named_files({"hierarchies": {"place": file.name}, "split": "day"})) == [file.name]
    True
    """
    texts = [text for value in options.values() for text in _texts_in(value)]
    named = {*others, *(text[at:] for text in texts for at in (0, 1, len("regions:")))}
    return {name: found for name in sorted(named) if (found := _stat(name)) is not None}


def _texts_in(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, dict) else value if isinstance(value, list | tuple) else ()
    return [text for text in inside if isinstance(text, str)]


def _stat(name: str) -> os.stat_result | None:
    try:
        return Path(name.partition(",")[0]).stat() if name else None
    except (OSError, ValueError):
        return None
