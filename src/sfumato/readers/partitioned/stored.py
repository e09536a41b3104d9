"""People who lie where a cluster works, between the passes over them: this machine has keys and digests, no records.

Each pass takes the files of one bucket, share of places or partition from a shelf, works on them as on files of this
machine, and puts what it makes back.
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
"""Bytes of rows that are handed over together, about."""


class InStore:
    """Buckets of people as files on a shelf.

    Parameters
    ----------
    folder
        Of this machine, for what is no record: the keys and digests of people along the line.
    store
        Where everything else lies.
    """

    def __init__(self, folder: Path, store: FileStore) -> None:
        self.folder, self._store = folder, store
        self._whole: SharedData | None = None
        self._numbers = range(0)

    def spill_rows(
        self, source: Path | RemoteFiles, read_options: ReadOptions, partitioned_reading: PartitionedReading
    ) -> SpilledRows:
        """Lay the rows of files aside in buckets: where they are read, or handed over from this machine."""
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
        """Read buckets, and lay their records aside; what they were read as before is gone."""
        self._store.clear(_RECORDS, _OBSERVATIONS)
        work = functools.partial(read_stored, {job.number: job for job in jobs}, pack_named_files(jobs[0].read_options))
        return self._store.change([_ROWS], self._numbers, work, [_RECORDS, _OBSERVATIONS], [_RECORDS])

    def finish(self, jobs: Sequence[BucketJob], whole: SharedData) -> None:  # noqa: ARG002 (all buckets go together)
        """Take up what all records say together; rows are no longer needed."""
        self._whole = whole
        self._store.clear(_ROWS)

    def thin(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Keep so many visits of every place as partitions need; yield shares of the places that are done."""
        job = dataclasses.replace(jobs[0], others=tuple(bucket.number for bucket in jobs))
        yield from self._store.change([_OBSERVATIONS], range(SHARES), functools.partial(sample_stored, job), [_SAMPLES])

    def sort(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Sort the records of buckets along the line; their keys and digests come to the folder."""
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
        """Yield what comes of some of the partitions, whose jobs are like one job but for their number and people."""
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
        """Do work that answers nothing, and remove what it was done on."""
        for _ in self._store.change(collections, numbers, work, gives):
            pass
        self._store.clear(*collections)

    def list_contents(self, partition: Slices) -> npt.NDArray[np.uint64]:
        """Return the digests of the records of a partition."""
        files = ((np.load(_name_contents_file(self.folder, at), mmap_mode="r"), *span) for at, *span in partition)
        return np.concatenate([digests[begin:end] for digests, begin, end in files])

    def clear(self) -> None:
        """Remove everybody from the shelf."""
        self._store.clear(_ROWS, _RECORDS, _OBSERVATIONS, _SAMPLES, _SORTED, _WANTED, _PARTITIONS)


class SortedBucket(NamedTuple):
    """What this machine is told of the records of a bucket, along the line: their keys and digests."""

    number: int
    keys: npt.NDArray[np.bytes_]
    contents: npt.NDArray[np.uint64]


class Handing(NamedTuple):
    """Which records of each bucket go where: rows of bucket, partition, place among its slices, begin and end."""

    slices: npt.NDArray[np.int64]
    whole: SharedData

    @classmethod
    def of(cls, partitions: Sequence[Slices], whole: SharedData) -> Handing:
        """Hand out records to partitions, which are numbered as they come.

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
    """All that making partitions needs but their people: the work, its job, and the numbers of the partitions."""

    work: Callable[[Any], Any]
    job: Any
    numbers: tuple[int, ...]
    whole: SharedData


def _distribute_rows(
    batches: Iterable[pa.RecordBatch], key: str | None, count: int, numbers: set[int]
) -> Iterator[StoredContent]:
    """Yield rows bucket by bucket, many at a time; add the buckets that have some to their numbers."""
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
    """Put the rows of a bucket together."""
    bound: dict[int, list[pa.RecordBatch]] = {}
    for bucket, portion in portions:
        bound.setdefault(bucket, []).append(portion)
    for bucket, batches in bound.items():
        yield StoredContent(_ROWS, bucket, f"{rows:012}", encode_rows(batches))


@contextlib.contextmanager
def _write_folder(files: Files) -> Iterator[Path]:
    """Put files into a folder of a task, of which nothing stays."""
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
    """Return facts whose options name files as they were named before these were moved."""
    read_options = facts.dataset.read_options
    back = {
        name: value for name, value in given.items() if value != moved[name] and read_options.get(name) == moved[name]
    }
    return dataclasses.replace(facts, dataset=dataclasses.replace(facts.dataset, read_options={**read_options, **back}))


def sample_stored(job: BucketJob, share: int, visits: Files) -> Iterator[StoredContent | int]:
    """Keep what is known of a share of places as :func:`thin_job` does."""
    with _write_folder(visits) as folder:
        thin_job(dataclasses.replace(job, folder=folder, number=share))
        yield _keep(_SAMPLES, share, folder / name_observations(share))
    yield share


def sort_stored(
    job: BucketJob, whole: SharedData, number: int, records: Files
) -> Iterator[StoredContent | SortedBucket]:
    """Sort a bucket along the line as :func:`sort_job` does."""
    with _write_folder(records) as folder:
        sort_with(dataclasses.replace(job, folder=folder, number=number), whole)
        path = name_sorted_file(folder, number)
        yield _keep(_SORTED, number, path)
        yield SortedBucket(number, np.array(load_keys(folder, number)), np.array(load_contents(path)))


def hand_out(handing: Handing, number: int, files: Files) -> Iterator[StoredContent]:
    """Hand out the records of a bucket to partitions, and ask for what is known of the places they visit."""
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
    """Send what is known of a share of places to the partitions that asked for it."""
    wanted = [io.BytesIO(content) for name, content in files.items() if name != name_observations(share)]
    if wanted:
        for partition, answer in share_out(io.BytesIO(files[name_observations(share)]), wanted):
            yield StoredContent(_PARTITIONS, partition, name_observations(share), answer)


def make_partition(making: Making, at: int, files: Files) -> Iterator[Any]:
    """Unite what all buckets have of a partition, and do the work."""
    number = making.numbers[at]
    try:
        slices = [pa.ipc.open_stream(files[name]).read_all() for name in files if name.startswith(_SLICE)]
        with _write_folder({name: files[name] for name in files if not name.startswith(_SLICE)}) as folder:
            people = build_partition(pa.concat_tables(slices).combine_chunks(), making.whole, folder)
        made = making.work(dataclasses.replace(making.job, number=number, people=people))
    except SfumatoError:
        raise
    except Exception as error:
        # What was raised may quote what somebody did.
        raise SfumatoError(f"engine: {name_partition(number)} failed ({type(error).__name__}).") from None
    yield made
