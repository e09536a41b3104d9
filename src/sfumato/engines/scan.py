"""People read from their file in bounded memory: bucket by bucket, and then partition by partition.

A file is read three times over, never whole. First its rows are laid aside in buckets, all rows of a person in one.
Then each bucket is read by the reader of its kind as if it were a file; what the buckets say of all rows is put
together, and where they were read differently the file is read whole after all. At last the records of each bucket
are sorted along the line in which neighbours are alike, so that a partition is a slice of every bucket. Buckets lie in
a folder of this machine, or where a cluster works.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.fingerprint import Fingerprint
from sfumato.data.kind import find_kind
from sfumato.data.notes import Note
from sfumato.data.secret import Secret
from sfumato.exceptions import SfumatoError, StoppedError
from sfumato.progress import Progress, watch
from sfumato.readers.notes import FILES_READ, OWNERS, ROWS_READ
from sfumato.readers.options import ReadOptions
from sfumato.readers.ownership import describe_owners
from sfumato.readers.partitioned.agreement import DISAGREED, Decision, merge_decisions, unite_notes
from sfumato.readers.partitioned.bucket_summary import BucketSummary
from sfumato.readers.partitioned.disk import OnDisk
from sfumato.readers.partitioned.observations import SHARES
from sfumato.readers.partitioned.passes import BucketFacts, BucketJob
from sfumato.readers.partitioned.reading import All, PartitionedReading, ReadWhole
from sfumato.readers.partitioned.records import SharedData, load_keys, strip
from sfumato.readers.partitioned.remote import RemoteFiles
from sfumato.readers.partitioned.rows import Rows
from sfumato.readers.partitioned.stored import InStore
from sfumato.release.partition_bounds import Slices, cut_pieces
from sfumato.release.partition_plan import check_partitions

__all__ = ["ScanResult", "scan"]

_FILE_OPTIONS = ("delimiter", "format", "encoding", "header", "sheet")
"""Options that say how a file is written, and nothing about a bucket."""


@dataclasses.dataclass(frozen=True, eq=False)
class ScanResult:
    """People who lie aside, bucket by bucket, and how they are cut into partitions.

    Parameters
    ----------
    dataset
        The data without their records.
    partitions
        What each partition has of the buckets.
    fingerprint
        What tells the data from others.
    place
        Where people lie.
    """

    dataset: Dataset
    partitions: tuple[Slices, ...]
    fingerprint: Fingerprint
    place: OnDisk | InStore


def scan(
    source: Path | RemoteFiles,
    read_options: ReadOptions,
    method: Method,
    secret: Secret,
    place: OnDisk | InStore,
    *,
    partition_size: int | None,
    people_per_place: int,
    progress: Progress,
) -> ScanResult:
    """Read files in bounded memory, and lay their people aside in partitions of neighbours.

    Raise :class:`~sfumato.readers.partitioned.reading.ReadWhole` where it has to be read whole.
    """
    specified = find_kind(read_options.kind).partitioned_reading
    if specified is None:
        raise ReadWhole(f"files of {read_options.kind} are read so")
    partitioned_reading = specified.load()
    with watch(progress):
        rows, numbers, begins = place.spill_rows(source, read_options, partitioned_reading)
    if not numbers:
        raise ReadWhole("there are no rows")
    usual: dict[str, Any] = {name: getattr(ReadOptions(read_options.kind), name) for name in _FILE_OPTIONS}
    plain = dataclasses.replace(partitioned_reading.relax(read_options), **usual)
    job = BucketJob(
        place.folder, 0, rows.name, plain.to_dict(), secret, people_per_place, files=rows.files, begins=begins
    )
    jobs = [dataclasses.replace(job, number=number) for number in numbers]
    facts, summary = _read_all(jobs, place, progress)
    whole = _unite(facts, summary, partitioned_reading, read_options, rows, plain)
    fingerprint = sum((entry.fingerprint for entry in facts), Fingerprint(0, 0, 0))
    k = getattr(method, "k", None)
    size = check_partitions(read_options.kind, whole.dataset.unit, method, partition_size)
    if isinstance(k, int) and k > fingerprint.records:
        raise ReadWhole("there are fewer people than k")
    place.finish(jobs, whole)
    if whole.has_observations:
        _follow(place.thin(jobs), progress, "count visits", SHARES)
    chosen = secret.derive(fingerprint.to_bytes(), "parts")
    _follow(place.sort([dataclasses.replace(job, secret=chosen) for job in jobs]), progress, "sort people", len(jobs))
    partitions = cut_pieces([functools.partial(load_keys, place.folder, number) for number in numbers], size)
    slices = (tuple((numbers[piece], begin, end) for piece, begin, end in entry) for entry in partitions)
    return ScanResult(dataclasses.replace(whole.dataset, source=source.name), tuple(slices), fingerprint, place)


def _follow(answers: Iterator[Any], progress: Progress, phase: str, total: int) -> None:
    progress(phase, 0, total)
    for done, _ in enumerate(_check_answers(answers), start=1):
        progress(phase, done, total)


def _check_answers(answers: Iterator[Any]) -> Iterator[Any]:
    """Yield answers; where something is wrong, whoever reads the file whole can tell what."""
    try:
        yield from answers
    except StoppedError:
        raise
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None


def _read_all(
    jobs: Sequence[BucketJob], place: OnDisk | InStore, progress: Progress
) -> tuple[list[BucketFacts], BucketSummary]:
    """Read all buckets, again where what all rows decide is not what a bucket decided alone."""
    by_bucket: dict[int, BucketFacts] = {}
    summary = BucketSummary()

    def read(batch: Sequence[BucketJob]) -> None:
        progress("read people", 0, len(batch))
        for done, facts in enumerate(_check_answers(place.read(batch)), start=1):
            if isinstance(facts, str):
                raise ReadWhole(facts)
            by_bucket[facts.number] = summary.add(facts)
            progress("read people", done, len(batch))

    read(jobs)
    decisions = merge_decisions([facts.decisions for facts in by_bucket.values()])
    again = any(
        _extremes(decisions, bucket.decisions)
        != {name: bucket.decisions[name].value for name in _extremes(decisions, bucket.decisions)}
        for bucket in by_bucket.values()
    )
    if again:
        summary = BucketSummary()
        # All of them, so that nothing is counted twice; what a bucket decides must not be mixed with what it decided.
        read(
            [dataclasses.replace(job, decisions=_extremes(decisions, by_bucket[job.number].decisions)) for job in jobs]
        )
    return [by_bucket[number] for number in sorted(by_bucket)], summary


def _extremes(decisions: Mapping[str, Any], own: Mapping[str, Decision]) -> dict[str, Any]:
    """Return the least and the most of all rows, of what a bucket told."""
    return {name: decisions[name] for name, what in own.items() if what.how in {"least", "most"}}


def _unite(
    facts: Sequence[BucketFacts],
    summary: BucketSummary,
    partitioned_reading: PartitionedReading,
    read_options: ReadOptions,
    rows: Rows,
    plain: ReadOptions,
) -> SharedData:
    """Put together what buckets say of everybody, and settle what all values decide."""
    decisions = merge_decisions([entry.decisions for entry in facts])
    if len({entry.description for entry in facts}) > 1 or DISAGREED in decisions.values():
        raise ReadWhole("its rows are not all written in the same way")
    first, labels = facts[0].dataset, summary.labels()
    decided = {name: value for name, value in first.read_options.items() if value != plain.to_dict().get(name)}
    data = dataclasses.replace(
        strip(first, labels), places=summary.places, read_options={**read_options.to_dict(), **decided}
    )
    records = sum(entry.fingerprint.records for entry in facts)
    column = next((entry.name for entry in first.schema.columns if entry.role == "history"), None)
    combined = All(data, summary.sort_survey(column), decisions, rows.name, records)
    try:
        finished, more = partitioned_reading.finish(combined, read_options)
        notes = _unite_notes(facts, partitioned_reading, dataclasses.replace(combined, dataset=finished))
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None
    begin = len(list(itertools.takewhile(lambda note: note.code in {FILES_READ, ROWS_READ}, notes)))
    merged_notes = (*notes[:begin], *rows.notes, *notes[begin:], *more)
    return SharedData(
        dataclasses.replace(finished, notes=merged_notes),
        combined.survey,
        all(entry.has_observations for entry in facts),
    )


def _unite_notes(facts: Sequence[BucketFacts], partitioned_reading: PartitionedReading, combined: All) -> list[Note]:
    notes = [entry.dataset.notes for entry in facts]
    summary, data = partitioned_reading.summarise(combined, notes), combined.dataset
    counted = [note.counts for entry in notes for note in entry if note.code == OWNERS]
    if data.unit.owner and data.people is not None:
        owners, most = (
            sum(counts["owners"] for counts in counted),
            max((counts["most"] for counts in counted), default=0),
        )
        summary[OWNERS] = describe_owners(data.unit, combined.records, owners, most)
    merged = unite_notes(notes, summary)
    if merged is None:
        raise ReadWhole("its rows are not all written in the same way")
    return merged
