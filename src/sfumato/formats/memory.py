"""Files and folders in memory with the methods of paths, for readers and checks of files."""

from __future__ import annotations

import io
import os
from collections.abc import Iterator
from pathlib import Path, PurePosixPath
from typing import Any, NamedTuple, TypeAlias

import pyarrow as pa

__all__ = ["MemoryPlace", "Place", "Readable", "as_place", "open_for_arrow"]


class _Size(NamedTuple):
    """Facts of a file in memory, named as by :func:`os.stat`."""

    st_size: int


class MemoryPlace:
    """A file or folder in memory, with the methods of a path that reading and writing need.

    Parameters
    ----------
    files
        Content by path, shared by all places below this one.
    at
        The path of this place.
    label
        Name in messages, where the name of the file has no meaning.

    Examples
    --------
    >>> folder = MemoryPlace()
    >>> (folder / "release" / "data.csv").write_bytes(b"person")
    6
    >>> [entry.name for entry in folder.iterdir()], (folder / "release" / "data.csv").is_file()
    (['release'], True)
    """

    def __init__(self, files: dict[str, bytes] | None = None, at: str = "", label: str = "") -> None:
        self._files: dict[str, bytes] = {} if files is None else files
        self._at = PurePosixPath(at)
        self._label = label

    def __truediv__(self, name: str) -> MemoryPlace:
        return MemoryPlace(self._files, str(self._at / name))

    def __str__(self) -> str:
        return self._label or str(self._at)

    def __repr__(self) -> str:
        return f"MemoryPlace({str(self)!r})"

    @property
    def name(self) -> str:
        """Its name in messages."""
        return self._label or self._at.name

    @property
    def suffix(self) -> str:
        """The extension of its name."""
        return self._at.suffix

    def with_suffix(self, suffix: str) -> MemoryPlace:
        """Return the file beside it with another extension."""
        return MemoryPlace(self._files, str(self._at.with_suffix(suffix)))

    def is_file(self) -> bool:
        """Return whether this is a file."""
        return str(self._at) in self._files

    def is_dir(self) -> bool:
        """Return whether there are files below."""
        return any(True for _ in self.iterdir())

    def iterdir(self) -> Iterator[MemoryPlace]:
        """Yield the files and folders directly below, in the order of names."""
        paths = (PurePosixPath(path) for path in self._files)
        below = (path.relative_to(self._at).parts for path in paths if path != self._at and self._is_above(path))
        for name in sorted({parts[0] for parts in below}):
            yield self / name

    def files(self) -> dict[str, bytes]:
        """Return all files, by path.

        Examples
        --------
        >>> place = MemoryPlace()
        >>> _ = (place / "release" / "data.csv").write_bytes(b"person")
        >>> place.files()
        {'release/data.csv': b'person'}
        """
        return dict(self._files)

    def _is_above(self, path: PurePosixPath) -> bool:
        return self._at == PurePosixPath() or self._at in path.parents

    def read_bytes(self) -> bytes:
        """Return the content."""
        if not self.is_file():
            raise FileNotFoundError(2, os.strerror(2), str(self))
        return self._files[str(self._at)]

    def write_bytes(self, data: bytes) -> int:
        """Store a content."""
        self._files[str(self._at)] = bytes(data)
        return len(data)

    def open(self, mode: str = "rb") -> io.BytesIO:
        """Open the content for reading, or a new one that is stored when it is closed."""
        return io.BytesIO(self.read_bytes()) if mode == "rb" else _MemoryWriter(self)

    def stat(self) -> _Size:
        """Return the size of the content."""
        return _Size(len(self.read_bytes()))


class _MemoryWriter(io.BytesIO):
    """Content that is stored in memory when it is closed."""

    def __init__(self, place: MemoryPlace) -> None:
        super().__init__()
        self._place = place

    def close(self) -> None:
        if not self.closed:
            self._place.write_bytes(self.getvalue())
        super().close()


Place: TypeAlias = Path | MemoryPlace
"""Where files are: on disk or in memory."""

Readable: TypeAlias = str | os.PathLike[str] | MemoryPlace
"""Sources of readers."""


def as_place(path: Readable) -> Place:
    """Return a path as an object, and a place in memory unchanged.

    Examples
    --------
    >>> as_place("visits.csv").name
    'visits.csv'
    """
    return path if isinstance(path, MemoryPlace) else Path(path)


def open_for_arrow(place: Place) -> Any:
    """Return a file for a reader of Arrow.

    Examples
    --------
    >>> file = MemoryPlace() / "visits.csv"
    >>> _ = file.write_bytes(b"person")
    >>> open_for_arrow(file).size()
    6
    """
    return place if isinstance(place, Path) else pa.BufferReader(place.read_bytes())
