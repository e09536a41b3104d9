"""Files that stay where an engine works: what is done to them is sent there, and only answers come back."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from typing import Any, NamedTuple, Protocol

__all__ = ["FileStore", "Files", "StoredContent"]

Files = Mapping[str, Any]
"""Contents of files by their names, as what Arrow reads from."""


class StoredContent(NamedTuple):
    """A file for a store: its collection and number, its name there, and its content."""

    collection: str
    number: int
    name: str
    content: bytes


class FileStore(Protocol):
    """Collections of files, each file under a number.

    Work is given what lies under one number at a time. Of what it yields, every :class:`StoredContent` is stored, and
    anything else is an answer, which can be pickled. Work may be done again, and must then yield the same.
    """

    def add(self, files: Iterable[StoredContent]) -> None:
        """Hand over files of this machine, of which few are in memory at a time."""

    def read_files(
        self, uri: str, sizes: Mapping[str, int], work: Callable[[str, Any], Iterable[Any]], gives: Sequence[str] = ()
    ) -> Iterator[Any]:
        """Work on files that a URI stands for, each as a whole; yield the answers.

        Parameters
        ----------
        uri
            What the files were listed by.
        sizes
            Their bytes, by where they are: of others nothing is read, and one that changed is refused.
        work
            Is given where a file is, and its content.
        gives
            Boards that the work puts files on.
        """

    def change(
        self,
        collections: Sequence[str],
        numbers: range,
        work: Callable[[int, Files], Iterable[Any]],
        gives: Sequence[str],
        in_place: Sequence[str] = (),
    ) -> Iterator[Any]:
        """Work on what boards have under each number; yield the answers when everything is done.

        Parameters
        ----------
        collections, numbers
            What is worked on.
        work
            Is given a number, and the files under it.
        gives
            Boards that the work puts files on.
        in_place
            Those of them on which files have the number of what they were made of: they need not be moved to be worked
            on again.
        """

    def stream(
        self, collections: Sequence[str], numbers: range, work: Callable[[int, Files], Iterable[Any]]
    ) -> Iterator[Any]:
        """Work on what boards have under each number, some numbers at a time; yield the answers as they come."""

    def clear(self, *collections: str) -> None:
        """Remove what lies on boards."""
