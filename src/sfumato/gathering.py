"""People read from their file in bounded memory: bucket by bucket, and then part by part.

A file is read three times over, never whole. First its rows are laid aside in buckets, all rows of a person in one.
Then each bucket is read by the reader of its kind as if it were a file; what the buckets say of all rows is put
together, and where they were read differently the file is read whole after all. At last the records of each bucket
are sorted along the line in which neighbours are alike, so that a part is a slice of every bucket.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato import registry
from sfumato.core.cutting import cut_pieces, pack_keys
from sfumato.core.dataset import Dataset
from sfumato.core.errors import SfumatoError, StoppedError
from sfumato.core.locality import Survey, take_survey
from sfumato.core.method import Method
from sfumato.core.plan import check_parts, draw_chances
from sfumato.core.progress import Progress, watch
from sfumato.core.publishing.contents import Fingerprint, digest_records
from sfumato.core.publishing.secret import Secret
from sfumato.core.rooms import find_room
from sfumato.core.run import PartEngine
from sfumato.core.selection import find_names, thin_fixes
from sfumato.io.agreement import DISAGREED, Said, count_owners, listen, unite_notes, unite_said
from sfumato.io.frames import FrameFile
from sfumato.io.identifiers import refuse_identifiers
from sfumato.io.ownership import tell_owners
from sfumato.io.reading import Reading
from sfumato.io.streaming.buckets import count_buckets, lay_aside, name_bucket, read_bucket
from sfumato.io.streaming.fixes import SHARES, save_fixes, thin_share
from sfumato.io.streaming.gathering import All, Gathering, ReadWhole
from sfumato.io.streaming.records import (
    StoredPart,
    Whole,
    list_labels,
    load_keys,
    load_records,
    load_whole,
    save_records,
    save_sorted,
    save_whole,
    strip,
    unite_labels,
)
from sfumato.io.streaming.rows import Rows, open_rows

__all__ = ["BucketJob", "Gathered", "gather", "read_one", "sort_one", "thin_one"]

_FORM = ("delimiter", "format", "encoding", "header", "sheet")
"""Options that say how a file is written, and nothing about a bucket."""


@dataclasses.dataclass(frozen=True, eq=False)
class BucketJob:
    """All that reading or sorting one bucket needs."""

    folder: Path
    number: int
    name: str
    reading: Mapping[str, Any]
    secret: Secret
    known_people: int
    said: Mapping[str, Any] = dataclasses.field(default_factory=dict)
    others: tuple[int, ...] = ()
    """Numbers of all buckets."""


@dataclasses.dataclass(frozen=True, eq=False)
class BucketFacts:
    """What was found in a bucket, but for its records."""

    number: int
    dataset: Dataset
    has_fixes: bool
    survey: Survey
    said: dict[str, Said]
    fingerprint: Fingerprint

    @property
    def labels(self) -> dict[str, list[str]]:
        """The values of every column that has a list of them."""
        return list_labels(self.dataset.table)


@dataclasses.dataclass(frozen=True, eq=False)
class Gathered:
    """People who lie on disk, part by part.

    Parameters
    ----------
    dataset
        The data without their records.
    parts
        The parts.
    fingerprint
        What tells the data from others.
    """

    dataset: Dataset
    parts: tuple[StoredPart, ...]
    fingerprint: Fingerprint


def gather(
    path: Path,
    reading: Reading,
    method: Method,
    secret: Secret,
    folder: Path,
    *,
    part_size: int | None,
    known_people: int,
    engine: PartEngine,
    progress: Progress,
) -> Gathered:
    """Read a file in bounded memory, and lay its people aside in parts of neighbours.

    Raise :class:`~sfumato.io.streaming.gathering.ReadWhole` where it has to be read whole.
    """
    gathering: Gathering | None = getattr(registry.reader(reading.kind), "GATHERING", None)
    if gathering is None:
        raise ReadWhole(f"files of {reading.kind} are")
    try:
        rows = open_rows(path, reading, gathering)
        key = gathering.keep_together(rows.columns, reading)
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None
    count = count_buckets(rows.size)
    with watch(progress):
        lay_aside(rows.batches(), key, count, folder)
    numbers = [number for number in range(count) if name_bucket(folder, number).exists()]
    usual: dict[str, Any] = {name: getattr(Reading(reading.kind), name) for name in _FORM}
    plain = dataclasses.replace(gathering.loosen(reading), **usual)
    jobs = [BucketJob(folder, number, rows.name, plain.to_dict(), secret, known_people) for number in numbers]
    facts = _read_all(jobs, engine, progress)
    whole = _unite(facts, gathering, reading, rows, plain)
    fingerprint = sum((each.fingerprint for each in facts), Fingerprint(0, 0, 0))
    k = getattr(method, "k", None)
    size = check_parts(reading.kind, whole.dataset.unit, method, part_size)
    if isinstance(k, int) and k > fingerprint.count:
        raise ReadWhole("there are fewer people than k")
    save_whole(folder, whole)
    if whole.knows_fixes:
        shares = [dataclasses.replace(jobs[0], number=share, others=tuple(numbers)) for share in range(SHARES)]
        for done, _ in enumerate(_stream(engine, thin_one, shares), start=1):
            progress("count visits", done, SHARES)
    chosen = secret.derive(fingerprint.to_bytes(), "parts")
    sorting = [dataclasses.replace(job, secret=chosen) for job in jobs]
    for done, _ in enumerate(_stream(engine, sort_one, sorting), start=1):
        progress("sort people", done, len(sorting))
    slices = cut_pieces([load_keys(folder, number) for number in numbers], size)
    parts = tuple(
        StoredPart(folder, tuple((numbers[piece], begin, end) for piece, begin, end in each)) for each in slices
    )
    return Gathered(dataclasses.replace(whole.dataset, source=path.name), parts, fingerprint)


def _read_all(jobs: Sequence[BucketJob], engine: PartEngine, progress: Progress) -> list[BucketFacts]:
    """Read all buckets, again where what all rows decide is not what a bucket decided alone."""
    found: dict[int, BucketFacts] = {}

    def read(some: Sequence[BucketJob]) -> None:
        for done, facts in enumerate(_stream(engine, read_one, some), start=1):
            if isinstance(facts, str):
                raise ReadWhole(facts)
            found[facts.number] = facts
            progress("read people", done, len(some))

    read(jobs)
    said = unite_said([facts.said for facts in found.values()])
    again = []
    for job in jobs:
        own = {name: what.value for name, what in found[job.number].said.items() if what.how in {"least", "most"}}
        known = {name: said[name] for name in own}
        if known != own:
            again.append(dataclasses.replace(job, said=known))
    read(again)
    return [found[number] for number in sorted(found)]


def _stream(engine: PartEngine, work: Callable[[Any], Any], jobs: Sequence[BucketJob]) -> Iterator[Any]:
    try:
        yield from engine.stream(work, iter(jobs))
    except StoppedError:
        raise
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None


def read_one(job: BucketJob) -> BucketFacts | str:
    """Read a bucket as if it were a file, lay its records aside, and return everything else; or why that cannot be."""
    table, rows = read_bucket(name_bucket(job.folder, job.number))
    reading = Reading.from_dict(job.reading)
    try:
        with listen(job.said) as said:
            found: Dataset = registry.reader(reading.kind).read(FrameFile.hold(table, job.name), reading)
        refuse_identifiers(found)
    except (SfumatoError, ReadWhole):
        return "something may be wrong with it"
    if find_names(found) is None and len(found) != len(rows):
        return "rows are left out"
    rows = rows if find_names(found) is None else np.zeros(len(found), np.int64)
    content = digest_records(found)
    save_records(job.folder, job.number, found, rows, content)
    fixes = thin_fixes(found, job.secret, job.known_people).fixes
    if fixes is not None:
        save_fixes(job.folder, job.number, found.view_history().labels, fixes)
    stripped = strip(found, list_labels(found.table))
    counted = take_survey(found)
    return BucketFacts(job.number, stripped, fixes is not None, counted, dict(said), Fingerprint.of(content))


def thin_one(job: BucketJob) -> int:
    """Keep what is known of where people were, of one share of the places; return which."""
    thin_share(job.folder, job.number, job.others, job.secret, job.known_people)
    return job.number


def sort_one(job: BucketJob) -> int:
    """Sort the records of a bucket along the line; return how many there are."""
    whole = load_whole(job.folder)
    dataset, rows, table = load_records(job.folder, job.number, whole.dataset)
    keys = find_room(dataset.kind, "locality").lay_in_line(dataset, whole.survey)
    names = find_names(dataset)
    chances = draw_chances(job.secret, rows.tolist() if names is None else names.to_pylist())
    packed = pack_keys(keys, chances)
    save_sorted(job.folder, job.number, table, np.lexsort((chances, keys)), packed)
    name_bucket(job.folder, job.number).unlink()
    return len(dataset)


def _unite(facts: Sequence[BucketFacts], gathering: Gathering, reading: Reading, rows: Rows, plain: Reading) -> Whole:
    """Put together what buckets say of everybody, and settle what all values decide."""
    said = unite_said([each.said for each in facts])
    if len({_spell(each.dataset) for each in facts}) > 1 or DISAGREED in said.values():
        raise ReadWhole("its rows are not all written in the same way")
    first, labels = facts[0].dataset, unite_labels([each.labels for each in facts])
    decided = {name: value for name, value in first.reading.items() if value != plain.to_dict().get(name)}
    places = [each.dataset.places for each in facts if each.dataset.places is not None]
    data = dataclasses.replace(
        strip(first, labels),
        places=pa.concat_tables(places) if places else None,
        reading={**reading.to_dict(), **decided},
    )
    records = sum(each.fingerprint.count for each in facts)
    found = All(data, _unite_surveys(facts, labels), said, rows.name, records)
    try:
        settled, more = gathering.settle(found, reading)
        notes = _unite_notes(facts, gathering, dataclasses.replace(found, dataset=settled))
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None
    told = (*notes[:1], *rows.notes, *notes[1:], *more)
    return Whole(dataclasses.replace(settled, notes=told), found.survey, all(each.has_fixes for each in facts))


def _spell(dataset: Dataset) -> str:
    """Write down all that must be the same in all buckets."""
    types = [field.type for field in dataset.table.schema]
    about = (dataset.schema, dataset.clock, dataset.unit, dataset.place_origin, dataset.people is None, types)
    columns = None if dataset.places is None else dataset.places.column_names
    return repr((about, columns, sorted(dataset.hierarchies), sorted(dataset.reading.items())))


def _unite_notes(facts: Sequence[BucketFacts], gathering: Gathering, found: All) -> list[str]:
    notes = [list(each.dataset.notes) for each in facts]
    rebuilt, data = gathering.rebuild(found, notes), found.dataset
    if data.unit.owner and data.people is not None:
        counted = [count_owners(each) for each in notes]
        owners, most = sum(each[0] for each in counted), max(each[1] for each in counted)
        rebuilt["There are "] = tell_owners(data.unit, found.records, owners, most)
    united = unite_notes(notes, rebuilt)
    if united is None:
        raise ReadWhole("its rows are not all written in the same way")
    return united


def _unite_surveys(facts: Sequence[BucketFacts], labels: Mapping[str, Sequence[str]]) -> Survey:
    """Count values in all buckets, by their codes among the values of everybody."""
    column = _history_of(facts[0].dataset)
    if column is None:
        return facts[0].survey
    code, limits = {label: at for at, label in enumerate(labels[column])}, np.iinfo(np.int64)
    timed = len(facts[0].survey.first) > 0
    counts = np.zeros(len(code), np.int64)
    first, last = (np.full(len(code) if timed else 0, at, np.int64) for at in (limits.max, limits.min))
    for each in facts:
        at = np.array([code[label] for label in each.labels[column]], dtype=np.int64)
        counts[at] += each.survey.counts
        if timed:
            first[at] = np.minimum(first[at], each.survey.first)
            last[at] = np.maximum(last[at], each.survey.last)
    return Survey(counts, first, last)


def _history_of(dataset: Dataset) -> str | None:
    return next((column.name for column in dataset.schema.columns if column.role == "history"), None)
