"""Files named by options of reading, such as hierarchies and maps."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterable, Mapping
from pathlib import Path
from typing import Any

__all__ = ["find_named_files", "move_named_files", "pack_named_files"]

_REGIONS = "regions:"
_NAMING = ("hierarchies", "places", "places_file")
"""Options with files that are needed to read buckets."""


def find_named_files(options: Mapping[str, Any], *others: str) -> dict[str, os.stat_result]:
    """Return the given local files and those that options name, with their status.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     list(find_named_files({"hierarchies": {"place": file.name}, "separator": ","})) == [file.name]
    True
    """
    texts = [text for value in options.values() for text in _texts_in(value)]
    named = {text[at:] for text in texts for at in (0, 1, len(_REGIONS))}
    stats = {name: _stat(name) for name in sorted({*others, *named})}
    # A text may also be the name of a folder, whose status changes with its files.
    return {name: of for name, of in stats.items() if of is not None and (name in others or stat.S_ISREG(of.st_mode))}


def pack_named_files(options: Mapping[str, Any]) -> dict[str, bytes]:
    """Return the contents of the files that are needed to read buckets, by their names.

    Examples
    --------
    >>> import tempfile
    >>> with tempfile.NamedTemporaryFile() as file:
    ...     list(pack_named_files({"places": f"regions:{file.name},outside=drop"}).values())
    [b'']
    """
    named = [_find_name(text) for option in _NAMING for text in _texts_in(options.get(option))]
    stats = {name: _stat(name) for name in named}
    return {name: Path(name).read_bytes() for name, of in stats.items() if of is not None and stat.S_ISREG(of.st_mode)}


def move_named_files(options: Mapping[str, Any], packed: Mapping[str, bytes], folder: Path) -> dict[str, Any]:
    """Write files into a folder; return the options with their names there.

    Examples
    --------
    >>> import tempfile
    >>> folder = Path(tempfile.mkdtemp())
    >>> moved = move_named_files({"hierarchies": {"age": "/far/age.csv"}}, {"/far/age.csv": b"young,*"}, folder)
    >>> Path(moved["hierarchies"]["age"]).read_bytes()
    b'young,*'
    """
    places = {}
    for at, (name, content) in enumerate(packed.items()):
        path = folder / f"named-{at}" / Path(name).name
        path.parent.mkdir()
        path.write_bytes(content)
        places[name] = str(path)

    def move(value: Any) -> Any:
        if isinstance(value, Mapping):
            return {key: move(inside) for key, inside in value.items()}
        name = _find_name(value) if isinstance(value, str) else ""
        if name not in places:
            return value
        begin = len(_REGIONS) * value.startswith(_REGIONS)
        return f"{value[:begin]}{places[name]}{value[begin + len(name) :]}"

    return {name: move(value) if name in _NAMING else value for name, value in options.items()}


def _find_name(text: str) -> str:
    """Return the name of the file in an option, or the option itself."""
    return text.removeprefix(_REGIONS).partition(",")[0] if text.startswith(_REGIONS) else text


def _texts_in(value: object) -> Iterable[str]:
    if isinstance(value, str):
        return [value]
    inside = value.values() if isinstance(value, Mapping) else value if isinstance(value, list | tuple) else ()
    return [text for text in inside if isinstance(text, str)]


def _stat(name: str) -> os.stat_result | None:
    first = name.partition(",")[0]
    try:
        return Path(first).stat() if first else None
    except (OSError, ValueError):
        return None
