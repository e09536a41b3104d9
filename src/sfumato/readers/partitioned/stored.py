"""People who lie where a cluster works, between the passes over them: this machine has keys and digests, no records.

Each pass takes the files of one bucket, share of places or part from a shelf, works on them as on files of this
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
from sfumato.readers.options import Reading
from sfumato.readers.partitioned.buckets import Buckets, count_groups, deal, draw_salt, spell_rows, spell_types
from sfumato.readers.partitioned.disk import open_together
from sfumato.readers.partitioned.gathering import Gathering, ReadWhole
from sfumato.readers.partitioned.named_files import move_named_files, pack_named_files
from sfumato.readers.partitioned.observations import SHARES, name_known, share_out, spell_shares, spell_wanted
from sfumato.readers.partitioned.passes import BucketFacts, BucketJob, read_one, sort_with, thin_one
from sfumato.readers.partitioned.records import (
    Whole,
    build_part,
    fill,
    list_places,
    load_contents,
    load_keys,
    name_keys_file,
    name_records_file,
    name_sorted_file,
)
from sfumato.readers.partitioned.remote import RemoteFiles
from sfumato.readers.partitioned.rows import Laid
from sfumato.release.partition_bounds import Slices
from sfumato.release.partitioned import name_part
from sfumato.release.store import Files, Kept, Shelf

__all__ = ["OnShelf"]

_ROWS, _RECORDS, _VISITS, _KNOWN, _SORTED, _WANTED, _PARTS = (
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


class OnShelf:
    """Buckets of people as files on a shelf.

    Parameters
    ----------
    folder
        Of this machine, for what is no record: the keys and digests of people along the line.
    shelf
        Where everything else lies.
    """

    def __init__(self, folder: Path, shelf: Shelf) -> None:
        self.folder, self._shelf = folder, shelf
        self._whole: Whole | None = None
        self._numbers = range(0)

    def lay_aside(self, source: Path | RemoteFiles, reading: Reading, gathering: Gathering) -> Laid:
        """Lay the rows of files aside in buckets: where they are read, or handed over from this machine."""
        if isinstance(source, RemoteFiles):
            laid = source.lay_aside(reading, self._shelf, _ROWS)
        else:
            rows, key = open_together(source, reading, gathering)
            numbers: set[int] = set()
            count = count_groups(int(rows.size * gathering.growth(reading)))
            self._shelf.put(_deal_rows(rows.batches(), key, count, numbers))
            laid = Laid(rows, tuple(sorted(numbers)))
        self._numbers = range(max(laid.numbers, default=-1) + 1)
        return laid

    def read(self, jobs: Sequence[BucketJob]) -> Iterator[BucketFacts | str]:
        """Read buckets, and lay their records aside; what they were read as before is gone."""
        self._shelf.clear(_RECORDS, _VISITS)
        work = functools.partial(read_shelved, {job.number: job for job in jobs}, pack_named_files(jobs[0].reading))
        return self._shelf.change([_ROWS], self._numbers, work, [_RECORDS, _VISITS], [_RECORDS])

    def settle(self, jobs: Sequence[BucketJob], whole: Whole) -> None:  # noqa: ARG002 (all buckets go together)
        """Take up what all records say together; rows are no longer needed."""
        self._whole = whole
        self._shelf.clear(_ROWS)

    def thin(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Keep so many visits of every place as parts need; yield shares of the places that are done."""
        job = dataclasses.replace(jobs[0], others=tuple(bucket.number for bucket in jobs))
        yield from self._shelf.change([_VISITS], range(SHARES), functools.partial(thin_shelved, job), [_KNOWN])

    def sort(self, jobs: Sequence[BucketJob]) -> Iterator[int]:
        """Sort the records of buckets along the line; their keys and digests come to the folder."""
        assert self._whole is not None
        work = functools.partial(sort_shelved, jobs[0], self._whole)
        for bucket in self._shelf.change([_RECORDS], self._numbers, work, [_SORTED], [_SORTED]):
            np.save(name_keys_file(self.folder, bucket.number), bucket.keys)
            np.save(_name_contents_file(self.folder, bucket.number), bucket.contents)
            yield len(bucket.keys)
        self._shelf.clear(_RECORDS, _VISITS)

    def stream(
        self, work: Callable[[Any], Any], job: Any, parts: Sequence[Slices], numbers: Sequence[int]
    ) -> Iterator[Any]:
        """Yield what comes of some of the parts, whose jobs are like one job but for their number and people."""
        assert self._whole is not None
        if not numbers:
            return
        handing = Handing.of([parts[number] for number in numbers], self._whole)
        self._finish([_SORTED], self._numbers, functools.partial(hand_out, handing), [_PARTS, _WANTED])
        if self._whole.knows_fixes:
            self._finish([_KNOWN, _WANTED], range(SHARES), tell_parts, [_PARTS])
        making = Making(work, job, tuple(numbers), self._whole)
        yield from self._shelf.stream([_PARTS], range(len(numbers)), functools.partial(make_part, making))

    def _finish(
        self, boards: Sequence[str], numbers: range, work: Callable[[int, Files], Iterable[Any]], gives: Sequence[str]
    ) -> None:
        """Do work that answers nothing, and remove what it was done on."""
        for _ in self._shelf.change(boards, numbers, work, gives):
            pass
        self._shelf.clear(*boards)

    def list_contents(self, part: Slices) -> npt.NDArray[np.uint64]:
        """Return the digests of the records of a part."""
        files = ((np.load(_name_contents_file(self.folder, at), mmap_mode="r"), *span) for at, *span in part)
        return np.concatenate([digests[begin:end] for digests, begin, end in files])

    def clear(self) -> None:
        """Remove everybody from the shelf."""
        self._shelf.clear(_ROWS, _RECORDS, _VISITS, _KNOWN, _SORTED, _WANTED, _PARTS)


class SortedBucket(NamedTuple):
    """What this machine is told of the records of a bucket, along the line: their keys and digests."""

    number: int
    keys: npt.NDArray[np.bytes_]
    contents: npt.NDArray[np.uint64]


class Handing(NamedTuple):
    """Which records of each bucket go to which part: rows of bucket, part, place among its slices, begin and end."""

    slices: npt.NDArray[np.int64]
    whole: Whole

    @classmethod
    def of(cls, parts: Sequence[Slices], whole: Whole) -> Handing:
        """Hand out records to parts, which are numbered as they come.

        Examples
        --------
        >>> Handing.of([((4, 0, 2), (5, 0, 1)), ((4, 2, 3),)], None).slices.tolist()
        [[4, 0, 0, 0, 2], [4, 1, 0, 2, 3], [5, 0, 1, 0, 1]]
        """
        rows = [
            (bucket, part, at, begin, end)
            for part, slices in enumerate(parts)
            for at, (bucket, begin, end) in enumerate(slices)
        ]
        return cls(np.array(sorted(rows), np.int64).reshape(-1, 5), whole)


class Making(NamedTuple):
    """All that making parts needs but their people: the work, its job, and the numbers of the parts."""

    work: Callable[[Any], Any]
    job: Any
    numbers: tuple[int, ...]
    whole: Whole


def _deal_rows(batches: Iterable[pa.RecordBatch], key: str | None, count: int, numbers: set[int]) -> Iterator[Kept]:
    """Yield rows bucket by bucket, many at a time; add the buckets that have some to their numbers."""
    salt, rows, types, lots = draw_salt(), 0, set[str](), list[tuple[int, pa.RecordBatch]]()
    for batch in batches:
        types.add(spell_types(batch))
        if len(types) > 1:
            raise ReadWhole("a column changes its type")
        lots.extend(deal(batch, key, count, salt, rows))
        rows += batch.num_rows
        if sum(portion.nbytes for _, portion in lots) > _LOT:
            yield from _bind(lots, rows)
            numbers.update(bucket for bucket, _ in lots)
            lots = []
    yield from _bind(lots, rows)
    numbers.update(bucket for bucket, _ in lots)


def _bind(dealt: Sequence[tuple[int, pa.RecordBatch]], rows: int) -> Iterator[Kept]:
    """Put the rows of a bucket together."""
    bound: dict[int, list[pa.RecordBatch]] = {}
    for bucket, portion in dealt:
        bound.setdefault(bucket, []).append(portion)
    for bucket, batches in bound.items():
        yield Kept(_ROWS, bucket, f"{rows:012}", spell_rows(batches))


@contextlib.contextmanager
def _lay_out(files: Files) -> Iterator[Path]:
    """Put files into a folder of a task, of which nothing stays."""
    with tempfile.TemporaryDirectory(prefix="sfumato-") as name:
        folder = Path(name)
        for file_name, content in files.items():
            (folder / file_name).write_bytes(content)
        yield folder


def _keep(board: str, number: int, path: Path) -> Kept:
    return Kept(board, number, path.name, path.read_bytes())


def _name_contents_file(folder: Path, number: int) -> Path:
    return folder / f"contents-{number:05}.npy"


def read_shelved(
    jobs: Mapping[int, BucketJob], named: Mapping[str, bytes], number: int, rows: Files
) -> Iterator[Kept | BucketFacts | str]:
    """Read a bucket as :func:`read_one` does, with the files that options name."""
    with _lay_out({}) as folder:
        with Buckets(folder) as buckets:
            for content in rows.values():
                for batch in pa.ipc.open_stream(content):
                    buckets.put(number, batch)
        job = jobs[number]
        moved = move_named_files(job.reading, named, folder)
        facts = read_one(dataclasses.replace(job, folder=folder, reading=moved))
        if not isinstance(facts, str):
            yield _keep(_RECORDS, number, name_records_file(folder, number))
            if facts.has_fixes:
                yield from (Kept(_VISITS, *share) for share in spell_shares(folder, number))
            facts = _name_as_given(facts, job.reading, moved)
    yield facts


def _name_as_given(facts: BucketFacts, given: Mapping[str, Any], moved: Mapping[str, Any]) -> BucketFacts:
    """Return facts whose options name files as they were named before these were moved."""
    reading = facts.dataset.reading
    back = {name: value for name, value in given.items() if value != moved[name] and reading.get(name) == moved[name]}
    return dataclasses.replace(facts, dataset=dataclasses.replace(facts.dataset, reading={**reading, **back}))


def thin_shelved(job: BucketJob, share: int, visits: Files) -> Iterator[Kept | int]:
    """Keep what is known of a share of places as :func:`thin_one` does."""
    with _lay_out(visits) as folder:
        thin_one(dataclasses.replace(job, folder=folder, number=share))
        yield _keep(_KNOWN, share, folder / name_known(share))
    yield share


def sort_shelved(job: BucketJob, whole: Whole, number: int, records: Files) -> Iterator[Kept | SortedBucket]:
    """Sort a bucket along the line as :func:`sort_one` does."""
    with _lay_out(records) as folder:
        sort_with(dataclasses.replace(job, folder=folder, number=number), whole)
        path = name_sorted_file(folder, number)
        yield _keep(_SORTED, number, path)
        yield SortedBucket(number, np.array(load_keys(folder, number)), np.array(load_contents(path)))


def hand_out(handing: Handing, number: int, files: Files) -> Iterator[Kept]:
    """Hand out the records of a bucket to parts, and ask for what is known of the places they visit."""
    (content,) = files.values()
    table, wanted = pa.ipc.open_file(content).read_all(), []
    for part, at, begin, end in handing.slices[handing.slices[:, 0] == number][:, 1:].tolist():
        records = table.slice(begin, end - begin)
        yield Kept(_PARTS, part, f"{_SLICE}{at:05}", spell_rows(records.to_batches()))
        if handing.whole.knows_fixes:
            wanted.append((part, list_places(fill(handing.whole.dataset, records))[1]))
    for share, request in spell_wanted(wanted):
        yield Kept(_WANTED, share, f"wanted-{number:05}.npy", request)


def tell_parts(share: int, files: Files) -> Iterator[Kept]:
    """Send what is known of a share of places to the parts that asked for it."""
    wanted = [io.BytesIO(content) for name, content in files.items() if name != name_known(share)]
    if wanted:
        for part, answer in share_out(io.BytesIO(files[name_known(share)]), wanted):
            yield Kept(_PARTS, part, name_known(share), answer)


def make_part(making: Making, at: int, files: Files) -> Iterator[Any]:
    """Unite what all buckets have of a part, and do the work."""
    number = making.numbers[at]
    try:
        slices = [pa.ipc.open_stream(files[name]).read_all() for name in files if name.startswith(_SLICE)]
        with _lay_out({name: files[name] for name in files if not name.startswith(_SLICE)}) as folder:
            people = build_part(pa.concat_tables(slices).combine_chunks(), making.whole, folder)
        made = making.work(dataclasses.replace(making.job, number=number, people=people))
    except SfumatoError:
        raise
    except Exception as error:
        # What was raised may quote what somebody did.
        raise SfumatoError(f"engine: {name_part(number)} failed ({type(error).__name__}).") from None
    yield made
