"""People read from their file in bounded memory: bucket by bucket, and then part by part.

A file is read three times over, never whole. First its rows are laid aside in buckets, all rows of a person in one.
Then each bucket is read by the reader of its kind as if it were a file; what the buckets say of all rows is put
together, and where they were read differently the file is read whole after all. At last the records of each bucket
are sorted along the line in which neighbours are alike, so that a part is a slice of every bucket.
"""

from __future__ import annotations

import dataclasses
import functools
import itertools
from collections.abc import Callable, Iterator, Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

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
from sfumato.engines.local import Local
from sfumato.io.agreement import DISAGREED, Said, count_owners, listen, unite_notes, unite_said
from sfumato.io.frames import FrameFile
from sfumato.io.identifiers import refuse_identifiers
from sfumato.io.ownership import tell_owners
from sfumato.io.reading import Reading
from sfumato.io.streaming.buckets import count_buckets, lay_aside, name_bucket, read_bucket
from sfumato.io.streaming.errands import Errand, run_errand
from sfumato.io.streaming.fixes import SHARES, save_fixes, spell_share, thin_share
from sfumato.io.streaming.gathering import All, Gathering, ReadWhole
from sfumato.io.streaming.named_files import find_named_files
from sfumato.io.streaming.records import (
    WHOLE,
    StoredPart,
    Whole,
    list_labels,
    load_keys,
    load_records,
    load_whole,
    name_records_file,
    save_records,
    save_sorted,
    save_whole,
    strip,
)
from sfumato.io.streaming.remote import Laid, RemoteFiles
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
    files: int = 1
    """How many files the rows come from."""
    begins: tuple[int, ...] = ()
    """Where each of the files begins, if rows were numbered file by file."""


@dataclasses.dataclass(frozen=True, eq=False)
class BucketFacts:
    """What was found in a bucket, but for its records."""

    number: int
    dataset: Dataset
    has_fixes: bool
    survey: Survey | None
    said: dict[str, Said]
    fingerprint: Fingerprint
    told: str = ""
    """All that must be the same in all buckets, where it was written down."""


class Tally:
    """What the buckets that were read so far say together; a bucket leaves nothing behind but what is new in it."""

    def __init__(self) -> None:
        self.codes: dict[str, dict[str, int]] = {}
        self.survey: Survey | None = None
        self.places: pa.Table | None = None

    def add(self, facts: BucketFacts) -> BucketFacts:
        """Take up the values and places of a bucket; return the bucket without them."""
        labels = list_labels(facts.dataset.table)
        for name, texts in labels.items():
            known = self.codes.setdefault(name, {})
            for text in texts:
                known.setdefault(text, len(known))
        column = next((each.name for each in facts.dataset.schema.columns if each.role == "history"), None)
        if column is not None and facts.survey is not None:
            self._count(facts.survey, [self.codes[column][text] for text in labels[column]], len(self.codes[column]))
        if facts.dataset.places is not None:
            self._place(facts.dataset.places)
        bare = dataclasses.replace(strip(facts.dataset, dict.fromkeys(labels, ())), places=None)
        return dataclasses.replace(facts, dataset=bare, told=_spell(facts.dataset), survey=None)

    def _count(self, found: Survey, at: list[int], size: int) -> None:
        limits, timed = np.iinfo(np.int64), len(found.first) > 0
        counts, first, last = (
            np.full(size if timed or not edge else 0, edge, np.int64) for edge in (0, limits.max, limits.min)
        )
        before = slice(0, 0 if self.survey is None else len(self.survey.counts))
        for survey, where in ((self.survey, before), (found, at)):
            if survey is None:
                continue
            counts[where] += survey.counts
            if timed:
                first[where] = np.minimum(first[where], survey.first)
                last[where] = np.maximum(last[where], survey.last)
        self.survey = Survey(counts, first, last)

    def _place(self, places: pa.Table) -> None:
        """Add places that are new; refuse to go on where one is somewhere else than it was."""
        if self.places is None:
            self.places = places
            return
        at = pc.index_in(places.column("place"), value_set=self.places.column("place").combine_chunks())
        axes = ("lon", "lat") if "lon" in places.column_names else ("x", "y")
        again = at.is_valid()
        seen = self.places.take(at.drop_null())
        if any(not places.column(axis).filter(again).equals(seen.column(axis)) for axis in axes):
            raise ReadWhole("coordinates of places vary, and their means need all rows")
        self.places = pa.concat_tables([self.places, places.filter(pc.invert(again))]).combine_chunks()

    def labels(self) -> dict[str, list[str]]:
        """Return all values, by the column, in the order of their letters."""
        return {name: sorted(known) for name, known in self.codes.items()}

    def settle_survey(self, column: str | None) -> Survey:
        """Return the counts in the order of :meth:`labels`."""
        if self.survey is None or column is None:
            nothing = np.zeros(0, np.int64)
            return Survey(nothing, nothing, nothing)
        order = np.array([self.codes[column][text] for text in sorted(self.codes[column])], dtype=np.int64)
        timed = len(self.survey.first) > 0
        return Survey(self.survey.counts[order], *(each[order] if timed else each for each in self.survey[1:]))


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
    source: Path | RemoteFiles,
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
    """Read files in bounded memory, and lay their people aside in parts of neighbours.

    Raise :class:`~sfumato.io.streaming.gathering.ReadWhole` where it has to be read whole.
    """
    gathering: Gathering | None = getattr(registry.reader(reading.kind), "GATHERING", None)
    if gathering is None:
        raise ReadWhole(f"files of {reading.kind} are read so")
    with watch(progress):
        rows, count, begins = _lay_aside(source, reading, gathering, folder)
    numbers = [number for number in range(count) if name_bucket(folder, number).exists()]
    usual: dict[str, Any] = {name: getattr(Reading(reading.kind), name) for name in _FORM}
    plain = dataclasses.replace(gathering.loosen(reading), **usual)
    job = BucketJob(folder, 0, rows.name, plain.to_dict(), secret, known_people, files=rows.files, begins=begins)
    jobs = [dataclasses.replace(job, number=number) for number in numbers]
    # Files that are named beside the data lie here, and only processes of this machine read them.
    readers = Local() if find_named_files(plain.to_dict()) and not _shares_files(engine) else engine
    facts, tally = _read_all(jobs, readers, progress)
    whole = _unite(facts, tally, gathering, reading, rows, plain)
    for number in numbers:
        name_bucket(folder, number).unlink()
    fingerprint = sum((each.fingerprint for each in facts), Fingerprint(0, 0, 0))
    k = getattr(method, "k", None)
    size = check_parts(reading.kind, whole.dataset.unit, method, part_size)
    if isinstance(k, int) and k > fingerprint.records:
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
    slices = cut_pieces([functools.partial(load_keys, folder, number) for number in numbers], size)
    parts = tuple(
        StoredPart(folder, tuple((numbers[piece], begin, end) for piece, begin, end in each)) for each in slices
    )
    return Gathered(dataclasses.replace(whole.dataset, source=source.name), parts, fingerprint)


def _lay_aside(source: Path | RemoteFiles, reading: Reading, gathering: Gathering, folder: Path) -> Laid:
    """Lay rows aside in buckets, here or where they are read."""
    if isinstance(source, RemoteFiles):
        return source.lay_aside(reading, folder)
    try:
        rows = open_rows(source, reading, gathering)
        key = gathering.keep_together(rows.columns, reading)
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None
    count = count_buckets(int(rows.size * gathering.growth(reading)))
    lay_aside(rows.batches(), key, count, folder)
    return Laid(rows, count)


def _read_all(jobs: Sequence[BucketJob], engine: PartEngine, progress: Progress) -> tuple[list[BucketFacts], Tally]:
    """Read all buckets, again where what all rows decide is not what a bucket decided alone."""
    found: dict[int, BucketFacts] = {}
    tally = Tally()

    def read(some: Sequence[BucketJob]) -> None:
        for done, facts in enumerate(_stream(engine, read_one, some), start=1):
            if isinstance(facts, str):
                raise ReadWhole(facts)
            found[facts.number] = tally.add(facts)
            progress("read people", done, len(some))

    read(jobs)
    said = unite_said([facts.said for facts in found.values()])
    again = any(
        _extremes(said, each.said) != {name: each.said[name].value for name in _extremes(said, each.said)}
        for each in found.values()
    )
    if again:
        tally = Tally()
        # All of them, so that nothing is counted twice; what a bucket decides must not be mixed with what it decided.
        read([dataclasses.replace(job, said=_extremes(said, found[job.number].said)) for job in jobs])
    return [found[number] for number in sorted(found)], tally


def _extremes(said: Mapping[str, Any], own: Mapping[str, Said]) -> dict[str, Any]:
    """Return the least and the most of all rows, of what a bucket told."""
    return {name: said[name] for name, what in own.items() if what.how in {"least", "most"}}


def _shares_files(engine: PartEngine) -> bool:
    return bool(getattr(engine, "shares_files", False))


def _stream(engine: PartEngine, work: Callable[[Any], Any], jobs: Sequence[BucketJob]) -> Iterator[Any]:
    """Yield the answers of jobs; where an engine does not reach their files, these go to and fro."""
    try:
        if _shares_files(engine):
            yield from engine.stream(work, iter(jobs))
            return
        errands = (Errand(work, job, _NEEDS[work](job)) for job in jobs)
        for brought in engine.stream(run_errand, errands):
            yield brought.put_into(jobs[0].folder)
    except StoppedError:
        raise
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None


def read_one(job: BucketJob) -> BucketFacts | str:
    """Read a bucket as if it were a file, lay its records aside, and return everything else; or why that cannot be."""
    table, rows = read_bucket(name_bucket(job.folder, job.number), job.begins)
    reading = Reading.from_dict(job.reading)
    try:
        with listen(job.said) as said:
            found: Dataset = registry.reader(reading.kind).read(FrameFile.hold(table, job.name, job.files), reading)
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
    return len(dataset)


def _send(*files: Path) -> dict[str, bytes]:
    return {path.name: path.read_bytes() for path in files}


_NEEDS: dict[Callable[[Any], Any], Callable[[BucketJob], dict[str, bytes]]] = {
    read_one: lambda job: _send(name_bucket(job.folder, job.number)),
    thin_one: lambda job: spell_share(job.folder, job.number, job.others),
    sort_one: lambda job: _send(job.folder / WHOLE, name_records_file(job.folder, job.number)),
}
"""The files that a piece of work needs."""


def _unite(
    facts: Sequence[BucketFacts], tally: Tally, gathering: Gathering, reading: Reading, rows: Rows, plain: Reading
) -> Whole:
    """Put together what buckets say of everybody, and settle what all values decide."""
    said = unite_said([each.said for each in facts])
    if len({each.told for each in facts}) > 1 or DISAGREED in said.values():
        raise ReadWhole("its rows are not all written in the same way")
    first, labels = facts[0].dataset, tally.labels()
    decided = {name: value for name, value in first.reading.items() if value != plain.to_dict().get(name)}
    data = dataclasses.replace(strip(first, labels), places=tally.places, reading={**reading.to_dict(), **decided})
    records = sum(each.fingerprint.records for each in facts)
    column = next((each.name for each in first.schema.columns if each.role == "history"), None)
    found = All(data, tally.settle_survey(column), said, rows.name, records)
    try:
        settled, more = gathering.settle(found, reading)
        notes = _unite_notes(facts, gathering, dataclasses.replace(found, dataset=settled))
    except SfumatoError:
        raise ReadWhole("something may be wrong with it") from None
    begin = len(list(itertools.takewhile(lambda note: note.startswith("Read "), notes)))
    told = (*notes[:begin], *rows.notes, *notes[begin:], *more)
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
