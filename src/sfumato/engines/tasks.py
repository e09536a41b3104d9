"""People cut into partitions: held in memory, or lying aside."""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.fingerprint import Fingerprint, digest_records
from sfumato.data.secret import Secret, digest
from sfumato.data.select import sample_observations, take_partition
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.disk import OnDisk
from sfumato.readers.partitioned.named_files import find_named_files
from sfumato.readers.partitioned.remote import RemoteFiles
from sfumato.readers.partitioned.stored import InStore
from sfumato.release.partition_bounds import Slices
from sfumato.release.partition_plan import Plan, make_plan
from sfumato.release.run import FileEngine, PartitionEngine
from sfumato.release.store import FileStore

__all__ = [
    "HeldPartitions",
    "StoredPartitions",
    "choose_place",
    "count_people_per_place",
    "mark_data",
    "mark_file",
    "mark_partitions",
    "open_store",
]

_MIN_PEOPLE_PER_PLACE = 100
Contents = Iterator[tuple[npt.NDArray[np.int32], npt.NDArray[np.uint64]]]


@dataclasses.dataclass(frozen=True, eq=False)
class HeldPartitions:
    """Partitions of people who are in memory.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["tea"]] * 4)
    >>> partitions = HeldPartitions.of(data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32)), 4, sf.engines.Local(1))
    >>> len(partitions), len(partitions.load(0))
    (2, 4)
    """

    dataset: Dataset
    plan: Plan
    thinned: Dataset
    engine: PartitionEngine
    read_whole: str = ""

    @classmethod
    def of(
        cls, dataset: Dataset, method: Method, secret: Secret, partition_size: int | None, engine: PartitionEngine
    ) -> HeldPartitions:
        """Plan the partitions of a dataset."""
        plan = make_plan(dataset, method, secret, partition_size)
        return cls(dataset, plan, sample_observations(dataset, secret, count_people_per_place(method)), engine)

    def __len__(self) -> int:
        return len(self.plan)

    def load(self, number: int) -> Dataset:
        """Return the people of a partition."""
        return take_partition(self.thinned, np.flatnonzero(self.plan.partition == number))

    def stream(self, work: Callable[[Any], Any], job: Any, numbers: Sequence[int]) -> Iterator[Any]:
        """Yield what comes of some of the partitions, whose jobs are like one job but for their number and people."""
        jobs = (dataclasses.replace(job, number=number, people=self.load(number)) for number in numbers)
        return self.engine.stream(work, jobs)

    def contents(self) -> Contents:
        """Yield in which partition records are, and what they hold."""
        yield self.plan.partition, digest_records(self.dataset)

    def mark(self) -> bytes:
        """Return a digest of the data."""
        return mark_data(self.dataset, Fingerprint.of(digest_records(self.dataset)))


@dataclasses.dataclass(frozen=True, eq=False)
class StoredPartitions:
    """Partitions of people who lie aside; the dataset has everything but them."""

    dataset: Dataset
    partitions: tuple[Slices, ...]
    fingerprint: Fingerprint
    place: OnDisk | InStore
    read_whole: str = ""

    def __len__(self) -> int:
        return len(self.partitions)

    def stream(self, work: Callable[[Any], Any], job: Any, numbers: Sequence[int]) -> Iterator[Any]:
        """Yield what comes of some of the partitions, whose jobs are like one job but for their number and people."""
        return self.place.stream(work, job, self.partitions, numbers)

    def contents(self) -> Contents:
        """Yield in which partition records are, and what they hold, partition by partition."""
        for number, partition in enumerate(self.partitions):
            digests = self.place.list_contents(partition)
            yield np.full(len(digests), number, np.int32), digests

    def mark(self) -> bytes:
        """Return a digest of the data."""
        return mark_data(self.dataset, self.fingerprint)


def open_store(source: object, engine: PartitionEngine) -> AbstractContextManager[FileStore | None]:
    """Return the shelf for people of files, where an engine has one.

    Examples
    --------
    >>> import sfumato as sf
    >>> with open_store(Path("visits.csv"), sf.engines.Local()) as store:
    ...     print(store)
    None
    """
    if isinstance(source, Dataset) or not isinstance(engine, FileEngine):
        return nullcontext()
    return engine.open_store()


def choose_place(folder: Path, engine: PartitionEngine, store: FileStore | None) -> OnDisk | InStore:
    """Return where people lie between the passes over them: on a shelf if there is one, else in a folder."""
    return OnDisk(folder, engine) if store is None else InStore(folder, store)


def count_people_per_place(method: Method) -> int:
    """Return of how many people at a place every partition knows where they were: more than its crowds need.

    Examples
    --------
    >>> import sfumato as sf
    >>> count_people_per_place(sf.methods.Apriori(k=50, m=1))
    200
    """
    k = getattr(method, "k", None)
    return max(_MIN_PEOPLE_PER_PLACE, 4 * k) if isinstance(k, int) else _MIN_PEOPLE_PER_PLACE


def mark_data(dataset: Dataset, fingerprint: Fingerprint | None = None) -> bytes:
    """Return a digest of data and of all that is known about them; of their records by their fingerprint, if given."""
    about = {field.name: getattr(dataset, field.name) for field in dataclasses.fields(dataset)}
    tables = [about.pop(name) for name in ("table", "places", "population")]
    if fingerprint is not None:
        tables[0] = None
        tables[1] = None if tables[1] is None else tables[1].sort_by("place")
        about |= {"people": None, "weights": None, "observations": None}
    rest = [pickle.dumps(dict(value) if hasattr(value, "keys") else value) for _, value in sorted(about.items())]
    state = hashlib.blake2b(digest_size=32)
    for piece in (*(b"" if table is None else digest(table) for table in tables), *rest):
        state.update(hashlib.blake2b(piece).digest())
    state.update(b"" if fingerprint is None else fingerprint.to_bytes())
    return state.digest()


def mark_partitions(dataset: Dataset, method: Method, *others: object) -> str:
    """Return a digest of all that decides on the partitions of a dataset, so that they are known again."""
    about = repr((version("sfumato"), type(method).__qualname__, method, *others))
    return hashlib.blake2b(mark_data(dataset) + about.encode(), digest_size=32).hexdigest()


def mark_file(source: Path | RemoteFiles, read_options: ReadOptions, method: Method, *others: object) -> str:
    """Return a digest of all that decides on the parts of a file, by its name, size and time, and those it leads to.

    Examples
    --------
    >>> import sfumato as sf
    >>> method = sf.methods.Apriori(k=2, m=1)
    >>> mark_file(Path("a.csv"), ReadOptions("sets"), method) == mark_file(Path("b.csv"), ReadOptions("sets"), method)
    False
    """
    options = read_options.to_dict()
    named = find_named_files(options, *([str(source)] if isinstance(source, Path) else []))
    stamps = [(name, status.st_size, status.st_mtime_ns) for name, status in named.items()]
    where = str(source.resolve()) if isinstance(source, Path) else (source.uri, sorted(source.files.items()))
    about = repr((version("sfumato"), where, stamps, options, type(method).__qualname__, method, *others))
    return hashlib.blake2b(about.encode(), digest_size=32).hexdigest()
