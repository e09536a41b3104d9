"""What was read from files, kept until the files change: a page that is opened again costs no second reading."""

from __future__ import annotations

import collections
import threading
from collections.abc import Callable, Hashable
from pathlib import Path
from typing import Generic, TypeVar

__all__ = ["Versions"]

Content = TypeVar("Content")


class Versions(Generic[Content]):
    """Keeps what a function made of a file for as long as the file is the same; of few files at a time.

    Parameters
    ----------
    read
        Makes something of a file that nobody changes afterwards.
    most
        How many files are remembered; those that were not asked for the longest are forgotten.

    Examples
    --------
    >>> import tempfile
    >>> path = Path(tempfile.mkdtemp()) / "notes.txt"
    >>> _ = path.write_text("one")
    >>> notes = Versions(lambda path: print("reading") or path.read_text())
    >>> notes.of(path), notes.of(path)
    reading
    ('one', 'one')
    >>> _ = path.write_text("three")
    >>> notes.of(path)
    reading
    'three'
    """

    def __init__(self, read: Callable[[Path], Content], most: int = 256) -> None:
        self._read, self._most = read, most
        self._cache: collections.OrderedDict[Path, tuple[Hashable, Content]] = collections.OrderedDict()
        self._lock = threading.Lock()

    def of(self, path: Path) -> Content:
        """Return what the file holds now."""
        stat = path.stat()
        version = (stat.st_ino, stat.st_mtime_ns, stat.st_size)
        with self._lock:
            entry = self._cache.get(path)
            if entry is not None and entry[0] == version:
                self._cache.move_to_end(path)
                return entry[1]
        content = self._read(path)
        with self._lock:
            self._cache[path] = (version, content)
            self._cache.move_to_end(path)
            while len(self._cache) > self._most:
                self._cache.popitem(last=False)
        return content
