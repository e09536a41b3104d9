"""Buckets of people in the store of a cluster; this machine has their keys and digests, no records.

Each pass reads the files of a bucket, a share of places or a partition from the store, works on them as on local files,
and writes the results to the store.
"""

from __future__ import annotations

import contextlib
import dataclasses
import functools
import io
import tempfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import SfumatoError
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.buckets import Buckets, count_groups, distribute, draw_salt, encode_rows, format_types
from sfumato.readers.partitioned.disk import open_files
from sfumato.readers.partitioned.named_files import move_named_files, pack_named_files
from sfumato.readers.partitioned.observations import (
    SHARES,
    encode_requests,
    encode_shares,
    name_observations,
    share_out,
)
from sfumato.readers.partitioned.passes import BucketFacts, BucketJob, read_job, sort_with, thin_job
from sfumato.readers.partitioned.reading import PartitionedReading, ReadWhole
from sfumato.readers.partitioned.records import (
    SharedData,
    build_partition,
    fill,
    list_places,
    load_contents,
    load_keys,
    name_keys_file,
    name_records_file,
    name_sorted_file,
)
from sfumato.readers.partitioned.remote import RemoteFiles
from sfumato.readers.partitioned.rows import SpilledRows
from sfumato.release.partition_bounds import Slices
from sfumato.release.partitioned import name_partition
from sfumato.release.store import Files, FileStore, StoredContent

__all__ = ["InStore"]

_ROWS, _RECORDS, _OBSERVATIONS, _SAMPLES, _SORTED, _WANTED, _PARTITIONS = (
    "rows",
    "records",
    "visits",
    "known",
    "sorted",
    "wanted",
    "parts",
)
_SLICE = "slice-"
_LOT = 1 << 26
"""Bytes of rows that are stored together, approximately."""


class InStore:
    """Buckets of people as files in a store.

    Parameters
    ----------
    folder
        A local folder, for the keys and digests of records in order.
    store
        The store of all other files.
    """

    def __init__(self, folder: Path, store: FileStore) -> None:
        self.folder, self._store = folder, store
        self._whole: SharedData | None = None
        self._numbers = range(0)

    def spill_rows(
        self, source: Path | RemoteFiles, read_options: ReadOptions, partitioned_reading: PartitionedReading
    ) -> SpilledRows:
        """Distribute the rows of files to buckets, in the cluster or from this machine."""
        if isinstance(source, RemoteFiles):
            spilled = source.spill_rows(read_options, self._store, _ROWS)
        else:
            rows, key = open_files(source, read_options, partitioned_reading)
            numbers: set[int] = set()
            count = count_groups(int(rows.size * partitioned_reading.growth(read_options)))
            self._store.add(_distribute_rows(rows.batches(), key, count, numbers))
            spilled = SpilledRows(rows, tuple(sorted(numbers)))
        self._numbers = range(max(spilled.numbers, default=-1) + 1)
        return spilled

    def read(self, jobs: Sequence[BucketJob]) -> Iterator[BucketFacts | str]:
        """Read buckets, and store their records in the place of earlier ones."""
        self._store.clear(_RECORDS, _OBSERVATIONS)
        work = functools.partial(read_stored, {job.number: job for job in jobs}, pack_named_files(jobs[0].read_options))
        return self._store.change([_ROWS], self._numbers, work, [_RECORDS, _OBSERVATIONS], [_RECORDS])

    def finish(self, jobs: Sequence[BucketJob], whole: SharedData) -> None:  # noqa: ARG002 (all buckets go together)
        """Store the data shared by all records, and remove the rows."""
        self._whole = whole
        self._store.clear(_ROWS)

    def thin(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Sample the visits of every place; yield the shares of places that are done."""
        job = dataclasses.replace(jobs[0], others=tuple(bucket.number for bucket in jobs))
        yield from self._store.change([_OBSERVATIONS], range(SHARES), functools.partial(sample_stored, job), [_SAMPLES])

    def sort(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Sort the records of buckets by their keys; keys and digests come to the local folder."""
        assert self._whole is not None
        work = functools.partial(sort_stored, jobs[0], self._whole)
        for bucket in self._store.change([_RECORDS], self._numbers, work, [_SORTED], [_SORTED]):
            np.save(name_keys_file(self.folder, bucket.number), bucket.keys)
            np.save(_name_contents_file(self.folder, bucket.number), bucket.contents)
            yield len(bucket.keys)
        self._store.clear(_RECORDS, _OBSERVATIONS)

    def stream(
        self, work: Callable[[Any], Any], job: Any, partitions: Sequence[Slices], numbers: Sequence[int]
    ) -> Iterator[Any]:
        """Yield the results of some partitions; their jobs differ only in number and people."""
        assert self._whole is not None
        if not numbers:
            return
        handing = Handing.of([partitions[number] for number in numbers], self._whole)
        self._consume([_SORTED], self._numbers, functools.partial(hand_out, handing), [_PARTITIONS, _WANTED])
        if self._whole.has_observations:
            self._consume([_SAMPLES, _WANTED], range(SHARES), distribute_observations, [_PARTITIONS])
        making = Making(work, job, tuple(numbers), self._whole)
        yield from self._store.stream([_PARTITIONS], range(len(numbers)), functools.partial(make_partition, making))

    def _consume(
        self,
        collections: Sequence[str],
        numbers: range,
        work: Callable[[int, Files], Iterable[Any]],
        gives: Sequence[str],
    ) -> None:
        """Do work without results, and remove its input."""
        for _ in self._store.change(collections, numbers, work, gives):
            pass
        self._store.clear(*collections)

    def list_contents(self, partition: Slices) -> npt.NDArray[np.uint64]:
        """Return the digests of the records of a partition."""
        files = ((np.load(_name_contents_file(self.folder, at), mmap_mode="r"), *span) for at, *span in partition)
        return np.concatenate([digests[begin:end] for digests, begin, end in files])

    def clear(self) -> None:
        """Remove all records from the store."""
        self._store.clear(_ROWS, _RECORDS, _OBSERVATIONS, _SAMPLES, _SORTED, _WANTED, _PARTITIONS)


class SortedBucket(NamedTuple):
    """The keys and digests of the records of a bucket, in order."""

    number: int
    keys: npt.NDArray[np.bytes_]
    contents: npt.NDArray[np.uint64]


class Handing(NamedTuple):
    """The records of each bucket by partition: rows of bucket, partition, position among its slices, begin and end."""

    slices: npt.NDArray[np.int64]
    whole: SharedData

    @classmethod
    def of(cls, partitions: Sequence[Slices], whole: SharedData) -> Handing:
        """Assign records to partitions, which are numbered in their order.

        Examples
        --------
        >>> Handing.of([((4, 0, 2), (5, 0, 1)), ((4, 2, 3),)], None).slices.tolist()
        [[4, 0, 0, 0, 2], [4, 1, 0, 2, 3], [5, 0, 1, 0, 1]]
        """
        rows = [
            (bucket, partition, at, begin, end)
            for partition, slices in enumerate(partitions)
            for at, (bucket, begin, end) in enumerate(slices)
        ]
        return cls(np.array(sorted(rows), np.int64).reshape(-1, 5), whole)


class Making(NamedTuple):
    """Arguments for making partitions without their people: the work, its job, and the numbers of the partitions."""

    work: Callable[[Any], Any]
    job: Any
    numbers: tuple[int, ...]
    whole: SharedData


def _distribute_rows(
    batches: Iterable[pa.RecordBatch], key: str | None, count: int, numbers: set[int]
) -> Iterator[StoredContent]:
    """Yield rows bucket by bucket, many at a time; add the numbers of buckets with rows."""
    salt, rows, types, lots = draw_salt(), 0, set[str](), list[tuple[int, pa.RecordBatch]]()
    for batch in batches:
        types.add(format_types(batch))
        if len(types) > 1:
            raise ReadWhole("a column changes its type")
        lots.extend(distribute(batch, key, count, salt, rows))
        rows += batch.num_rows
        if sum(portion.nbytes for _, portion in lots) > _LOT:
            yield from _bind(lots, rows)
            numbers.update(bucket for bucket, _ in lots)
            lots = []
    yield from _bind(lots, rows)
    numbers.update(bucket for bucket, _ in lots)


def _bind(portions: Sequence[tuple[int, pa.RecordBatch]], rows: int) -> Iterator[StoredContent]:
    """Combine the rows of each bucket."""
    bound: dict[int, list[pa.RecordBatch]] = {}
    for bucket, portion in portions:
        bound.setdefault(bucket, []).append(portion)
    for bucket, batches in bound.items():
        yield StoredContent(_ROWS, bucket, f"{rows:012}", encode_rows(batches))


@contextlib.contextmanager
def _write_folder(files: Files) -> Iterator[Path]:
    """Write files into a temporary folder of a task."""
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name:
        folder = Path(name)
        for file_name, content in files.items():
            (folder / file_name).write_bytes(content)
        yield folder


def _keep(collection: str, number: int, path: Path) -> StoredContent:
    return StoredContent(collection, number, path.name, path.read_bytes())


def _name_contents_file(folder: Path, number: int) -> Path:
    return folder / f"contents-{number:05}.npy"


def read_stored(
    jobs: Mapping[int, BucketJob], named: Mapping[str, bytes], number: int, rows: Files
) -> Iterator[StoredContent | BucketFacts | str]:
    """Read a bucket as :func:`read_job` does, with the files that options name."""
    with _write_folder({}) as folder:
        with Buckets(folder) as buckets:
            for content in rows.values():
                for batch in pa.ipc.open_stream(content):
                    buckets.add(number, batch)
        job = jobs[number]
        moved = move_named_files(job.read_options, named, folder)
        facts = read_job(dataclasses.replace(job, folder=folder, read_options=moved))
        if not isinstance(facts, str):
            yield _keep(_RECORDS, number, name_records_file(folder, number))
            if facts.has_observations:
                yield from (StoredContent(_OBSERVATIONS, *share) for share in encode_shares(folder, number))
            facts = _name_as_given(facts, job.read_options, moved)
    yield facts


def _name_as_given(facts: BucketFacts, given: Mapping[str, Any], moved: Mapping[str, Any]) -> BucketFacts:
    """Return facts with the names of files in options as before these were moved."""
    read_options = facts.dataset.read_options
    back = {
        name: value for name, value in given.items() if value != moved[name] and read_options.get(name) == moved[name]
    }
    return dataclasses.replace(facts, dataset=dataclasses.replace(facts.dataset, read_options={**read_options, **back}))


def sample_stored(job: BucketJob, share: int, visits: Files) -> Iterator[StoredContent | int]:
    """Sample the visits of a share of places as :func:`thin_job` does."""
    with _write_folder(visits) as folder:
        thin_job(dataclasses.replace(job, folder=folder, number=share))
        yield _keep(_SAMPLES, share, folder / name_observations(share))
    yield share


def sort_stored(
    job: BucketJob, whole: SharedData, number: int, records: Files
) -> Iterator[StoredContent | SortedBucket]:
    """Sort a bucket as :func:`sort_job` does."""
    with _write_folder(records) as folder:
        sort_with(dataclasses.replace(job, folder=folder, number=number), whole)
        path = name_sorted_file(folder, number)
        yield _keep(_SORTED, number, path)
        yield SortedBucket(number, np.array(load_keys(folder, number)), np.array(load_contents(path)))


def hand_out(handing: Handing, number: int, files: Files) -> Iterator[StoredContent]:
    """Send the records of a bucket to partitions, and request the observations of the places they visit."""
    (content,) = files.values()
    table, wanted = pa.ipc.open_file(content).read_all(), []
    for partition, at, begin, end in handing.slices[handing.slices[:, 0] == number][:, 1:].tolist():
        records = table.slice(begin, end - begin)
        yield StoredContent(_PARTITIONS, partition, f"{_SLICE}{at:05}", encode_rows(records.to_batches()))
        if handing.whole.has_observations:
            wanted.append((partition, list_places(fill(handing.whole.dataset, records))[1]))
    for share, request in encode_requests(wanted):
        yield StoredContent(_WANTED, share, f"wanted-{number:05}.npy", request)


def distribute_observations(share: int, files: Files) -> Iterator[StoredContent]:
    """Send the observations of a share of places to the partitions that requested them."""
    wanted = [io.BytesIO(content) for name, content in files.items() if name != name_observations(share)]
    if wanted:
        for partition, answer in share_out(io.BytesIO(files[name_observations(share)]), wanted):
            yield StoredContent(_PARTITIONS, partition, name_observations(share), answer)


def make_partition(making: Making, at: int, files: Files) -> Iterator[Any]:
    """Combine the records of a partition from all buckets, and do the work."""
    number = making.numbers[at]
    try:
        slices = [pa.ipc.open_stream(files[name]).read_all() for name in files if name.startswith(_SLICE)]
        with _write_folder({name: files[name] for name in files if not name.startswith(_SLICE)}) as folder:
            people = build_partition(pa.concat_tables(slices).combine_chunks(), making.whole, folder)
        made = making.work(dataclasses.replace(making.job, number=number, people=people))
    except SfumatoError:
        raise
    except Exception as error:
        # The error may quote personal data.
        raise SfumatoError(f"engine: {name_partition(number)} failed ({type(error).__name__}).") from None
    yield made
