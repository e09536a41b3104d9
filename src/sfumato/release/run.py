"""One run of a method: its secret, progress, timing and the engine, passed in and never global."""

from __future__ import annotations

import contextlib
import time
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import AbstractContextManager
from pathlib import Path
from typing import Any, NamedTuple, Protocol, TypeVar, runtime_checkable

from sfumato.data.notes import Note
from sfumato.data.secret import Secret
from sfumato.old_names import with_old_names
from sfumato.progress import Progress, silent
from sfumato.release.store import FileStore
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS

__all__ = ["Engine", "FileEngine", "PartitionEngine", "Progress", "Run", "StoredFile", "silent"]

A = TypeVar("A")
B = TypeVar("B")


class Engine(Protocol):
    """Something that runs independent parts."""

    stopping: bool

    def map(self, work: Callable[[A], B], parts: Iterable[A]) -> list[B]:
        """Return the results in the order of the parts."""


class PartitionEngine(Protocol):
    """Something that publishes the partitions of a release: in processes of this machine, or on a cluster.

    Unless it is a :class:`FileEngine`, it reads and writes files where this process does.
    """

    def stream(self, work: Callable[[A], B], jobs: Iterable[A]) -> Iterator[B]:
        """Yield the results as they come; jobs are taken when there is room for them, and can be pickled."""


class StoredFile(NamedTuple):
    """A file that an engine reaches: where it is, its bytes, and when it was changed."""

    path: str
    size: int
    changed: str


@runtime_checkable
class FileEngine(PartitionEngine, Protocol):
    """An engine that reads and writes files which this machine may not reach, and keeps people where it works."""

    def open_store(self) -> AbstractContextManager[FileStore]:
        """Return a shelf for files of people; what lies on it is gone when it is left."""

    def list_files(self, uri: str) -> list[StoredFile]:
        """Return the files that a URI stands for: a file, a folder or a pattern."""

    def work_on_files(self, uri: str, sizes: Mapping[str, int], work: Callable[[str, Any], Iterable[B]]) -> Iterator[B]:
        """Yield what comes of files, each of which is worked on as a whole where it is read."""

    def check_free(self, uri: str, *, force: bool) -> None:
        """Refuse a folder in which no release can be put."""

    def upload_release(self, folder: Path, uri: str, *, force: bool) -> None:
        """Put a release that lies in a folder of this machine where a URI says, whole or not at all."""


class _Serial:
    stopping = False

    def map(self, work: Callable[[A], B], parts: Iterable[A]) -> list[B]:
        return [work(part) for part in parts]


@with_old_names
class Run:
    """Secret, progress, phase times and the engine of one run.

    Everything random comes from the secret, which is drawn from the operating system. Given one that was kept, the run
    is repeated. Counters say what was done; a method adds to ``notes`` what the owner should know.
    Methods that can leave out records to spare the others may do so up to ``max_suppressed_records``, a share of all.

    Examples
    --------
    >>> run = Run()
    >>> with run.phase("count"):
    ...     pass
    >>> list(run.seconds)
    ['count']
    """

    def __init__(
        self,
        secret: Secret | bytes | None = None,
        progress: Progress = silent,
        engine: Engine | None = None,
        max_suppressed_records: float = MAX_SUPPRESSED_RECORDS,
    ) -> None:
        self.secret = Secret.fresh() if secret is None else Secret.of(secret)
        self.progress = progress
        self.engine: Engine = engine or _Serial()
        self.max_suppressed_records = max_suppressed_records
        self.seconds: dict[str, float] = {}
        self.counters: dict[str, int] = {}
        self.notes: list[Note] = []

    def report(self, phase: str) -> Callable[[int, int, int], None]:
        """Return what a kernel calls to show how far it is with sequences of a size."""

        def show(size: int, done: int, total: int) -> None:
            # Partitions that run beside the main thread never see Ctrl-C; they stop here.
            if self.engine.stopping:
                raise KeyboardInterrupt
            self.progress(f"{phase} of {size}", done, total)

        return show

    @contextlib.contextmanager
    def phase(self, name: str) -> Iterator[None]:
        """Time a phase of the run."""
        start = time.perf_counter()
        try:
            yield
        finally:
            self.seconds[name] = self.seconds.get(name, 0.0) + time.perf_counter() - start
