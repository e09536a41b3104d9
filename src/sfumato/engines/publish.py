"""Partitioned releases: people who are alike are published together, in bounded memory and on any engine.

One theorem carries it. Split the people into disjoint partitions and publish each so that it keeps the guarantee on
its own; then all of them together keep it. So every partition is a release that is made and verified by itself, and a
partition that is missing can be made alone.
"""

from __future__ import annotations

import dataclasses
import warnings
from collections import Counter
from collections.abc import Iterable, Mapping
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.api import calls
from sfumato.api.aggregate import combine_attacks, describe_untested, write_partitions_report
from sfumato.api.attack import attack_more
from sfumato.api.edits import describe_edited, note_edited
from sfumato.api.protect import anonymize
from sfumato.api.verify import check_written
from sfumato.base.method import Method
from sfumato.base.remaining import Possibility, Remaining
from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.notes import Note, merge_notes
from sfumato.data.secret import Secret
from sfumato.engines.checkpoint import PartitionsCheckpoint
from sfumato.engines.local import Local
from sfumato.engines.scan import scan
from sfumato.engines.tasks import (
    HeldPartitions,
    StoredPartitions,
    choose_place,
    count_people_per_place,
    mark_file,
    mark_partitions,
    open_store,
)
from sfumato.engines.upload import open_upload
from sfumato.exceptions import ParameterError, ReleaseWarning, SfumatoError, VerificationError
from sfumato.formats.memory import MemoryPlace
from sfumato.messages import Message, option, pack, unpack
from sfumato.metrics.retained_detail import find_retained, judge_retained, merge_retained
from sfumato.old_names import with_old_keywords
from sfumato.readers.archives import name_place
from sfumato.readers.files import is_uri
from sfumato.readers.identifiers import refuse_identifiers
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.reading import ReadWhole
from sfumato.readers.partitioned.records import StoredPartition
from sfumato.readers.partitioned.remote import RemoteFiles, find_source
from sfumato.release import owner
from sfumato.release.attachments import copy_in
from sfumato.release.folder import StagingFolder, check_free, open_staging
from sfumato.release.partitioned import (
    DATA,
    TAKEN,
    DividedRelease,
    check_divided,
    describe_partition,
    name_partition,
    unite_partitions,
    write_divided,
)
from sfumato.release.release import OwnerRecord, Result, describe_guarantee
from sfumato.release.run import PartitionEngine, Progress, Run, silent
from sfumato.release.storage import write_release
from sfumato.release.store import FileStore
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS, read_limit, refuse_excess

__all__ = ["REPORTED", "Divided", "PartitionJob", "PublishedPartition", "publish_in_partitions", "publish_partition"]

REPORTED = 200_000
"""Records of a file up to which they are all read into memory for what needs everybody, such as a report."""
_MAX_SENTENCES = 5
"""Sentences about partitions that are repeated for all of them."""


_UNREPORTED = Note(
    "report-left-out",
    "No report was written: it needs all records in memory, and there are more than {most}. `sfumato attack` and "
    "`sfumato measure` give its numbers where there is enough memory.",
    details={"most": f"{REPORTED:,}"},
)


@dataclasses.dataclass(frozen=True, eq=False)
class PartitionJob:
    """All that publishing one partition needs, wherever that is done; its people, or where they lie on this machine.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
    >>> PartitionJob(0, data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32))).number
    0
    """

    number: int
    people: Dataset | StoredPartition
    method: Method
    secret: Secret
    protect: str = "records"
    max_suppressed_records: float = MAX_SUPPRESSED_RECORDS

    @property
    def dataset(self) -> Dataset:
        """The people of the partition."""
        return self.people if isinstance(self.people, Dataset) else self.people.load()


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedPartition:
    """A partition that was published and verified: its files by path, and what is to be told of it.

    Examples
    --------
    >>> PublishedPartition(0, {"release/release.json": b"{}"}, {"notes": []}).number
    0
    """

    number: int
    files: dict[str, bytes]
    facts: dict[str, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Divided:
    """A release in partitions that is on disk: what it says, what was verified, and what its owner is to know.

    Examples
    --------
    >>> import tempfile
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["tea"]] * 4)
    >>> with tempfile.TemporaryDirectory() as out:
    ...     made = sf.publish_in_partitions(data, sf.methods.Apriori(k=2, m=1), out, partition_size=4, engine=Local(1))
    ...     made.release, sf.verify(out).holds
    (DividedRelease(sets by apriori: 8 of 8 records in 2 partitions, 2^1-anonymity of items), True)
    """

    release: DividedRelease
    verdict: Verdict
    notes: tuple[Note, ...]
    warnings: tuple[str, ...]
    seconds: dict[str, float]
    counters: dict[str, int]
    original: Dataset
    """What was published, without its records where it was read from a file in bounded memory."""
    read_whole: str = ""
    """Why a file was read whole, if it was."""


@with_old_keywords("publish_in_partitions")
def publish_in_partitions(
    data: Dataset | str | Path,
    method: Method,
    out: str | Path,
    *,
    kind: str = "",
    reading: Mapping[str, Any] | None = None,
    partition_size: int | None = None,
    engine: PartitionEngine | None = None,
    secret: Secret | bytes | None = None,
    protect: str = "records",
    max_suppressed_records: float = MAX_SUPPRESSED_RECORDS,
    force: bool = False,
    include: Iterable[str | Path] = (),
    reports: bool = False,
    progress: Progress = silent,
) -> Divided:
    """Publish data in partitions of people who are alike, or nothing; a run that was stopped goes on where it was.

    The release is the same on any engine and any number of cores.

    Parameters
    ----------
    data
        The original; or its file or folder of files, which is read in bounded memory where that can be. A text such as
        ``hdfs://...`` is what Spark reads under this name.
    method
        A method with its parameters, whose promise can be kept partition by partition.
    out
        The directory for ``release/`` and ``owner/``; a text such as ``hdfs://...`` is where Spark puts them.
    kind, reading
        Of a file: what one row of the data is, and the options of :func:`sfumato.read`.
    partition_size
        People in a partition at most; a constant of the kind of data if not given.
    engine
        Where partitions are made: ``sf.engines.Local(cores)`` or ``sf.engines.Spark(session)``.
    secret
        The 32 bytes kept in ``owner/`` of an earlier release, to make it again.
    protect, max_suppressed_records
        As for :func:`sfumato.anonymize`.
    force, include
        As for :func:`sfumato.write`.
    reports
        Whether to write ``owner/report.html``; not of files of very many people, since it needs everybody in memory.
    progress
        Shows how many partitions are ready.

    Examples
    --------
    >>> import tempfile
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(age,) for age in range(20, 40)], ("age",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = publish_in_partitions(
    ...         data, sf.methods.Mondrian(k=2), f"{folder}/out", partition_size=10, engine=sf.engines.Local(cores=1)
    ...     )
    ...     print(len(made.release.partitions), sf.verify(f"{folder}/out", original=data).holds)
    2 True
    """
    chosen: PartitionEngine = engine or Local()
    if isinstance(out, str) and is_uri(out):
        with open_upload(out, chosen, force=force) as upload:
            return publish_in_partitions(
                data,
                method,
                upload,
                kind=kind,
                reading=reading,
                partition_size=partition_size,
                engine=chosen,
                secret=secret,
                protect=protect,
                max_suppressed_records=max_suppressed_records,
                include=include,
                reports=reports,
                progress=progress,
            )
    out, limit = Path(out), read_limit(max_suppressed_records)
    check_free(out, force=force)
    source: Dataset | Path | RemoteFiles
    options = None
    if isinstance(data, Dataset):
        source = data
        refuse_identifiers(data)
        mark = mark_partitions(data, method, protect, limit, partition_size)
    else:
        options = ReadOptions.of(kind, reading or {})
        source = files = find_source(data if is_uri(str(data)) else name_place(Path(data)), options.format, chosen)
        mark = mark_file(files, options, method, protect, limit, partition_size)
    given, timer = None if secret is None else Secret.of(secret), Run(bytes(32))
    with PartitionsCheckpoint(out, mark, given) as checkpoint, open_store(source, chosen) as store:
        with timer.phase("plan"):
            partitions = _find_partitions(source, options, method, checkpoint, partition_size, chosen, store, progress)
            if not isinstance(source, Dataset):
                checkpoint.keep_for(partitions.mark())
            missing = [number for number in range(len(partitions)) if not checkpoint.is_ready(number)]
        ready = len(partitions) - len(missing)
        with timer.phase("parts"):
            job = PartitionJob(0, partitions.dataset, method, checkpoint.secret, protect, limit)
            progress("parts", ready, len(partitions))
            for made, partition in enumerate(partitions.stream(publish_partition, job, missing), start=1):
                checkpoint.keep(partition.number, partition.files, partition.facts)
                progress("parts", ready + made, len(partitions))
        outcomes = [checkpoint.read_facts(number) for number in range(len(partitions))]
        # What methods count lies with each partition: a sum would mean nothing where they count the largest of
        # something.
        counters = {"parts": len(partitions), "parts_from_before": ready}
        nobody = np.empty(0, np.int64)
        owner_record = OwnerRecord(
            nobody, checkpoint.secret, timer.seconds, counters, method.parameters(), None, partitions.dataset
        )
        with timer.phase("write"), open_staging(out, force=force) as staging:
            checkpoint.hand_over(len(partitions), staging)
            included = copy_in([Path(path) for path in include], staging.release, TAKEN)
            heads = (
                describe_partition(staging.release / DATA / name, name)
                for name in map(name_partition, range(len(partitions)))
            )
            release = unite_partitions(heads, included)
            refuse_excess(release, limit)
            write_divided(release, staging.release)
            verdict = _check(release, staging.release, outcomes)
            guarantee = describe_guarantee(release)
            owner.write_division(
                owner_record, partitions.contents(), guarantee, staging.owner, version("sfumato"), partition_size
            )
            too_many = isinstance(partitions, StoredPartitions) and release.records_in > REPORTED
            if reports and not too_many:
                verdict = _report(source, options, partitions, verdict, staging, checkpoint, timer)
            staging.commit()
    warning_texts = (*map(str, partitions.dataset.doubts), *verdict.warnings, *verdict.remaining.warnings)
    for text in warning_texts:
        warnings.warn(text, ReleaseWarning, stacklevel=3)
    notes = (*_count_notes(outcome["notes"] for outcome in outcomes), *([_UNREPORTED] if reports and too_many else []))
    return Divided(
        release, verdict, notes, warning_texts, timer.seconds, counters, partitions.dataset, partitions.read_whole
    )


def _find_partitions(
    source: Dataset | Path | RemoteFiles,
    options: ReadOptions | None,
    method: Method,
    checkpoint: PartitionsCheckpoint,
    partition_size: int | None,
    engine: PartitionEngine,
    store: FileStore | None,
    progress: Progress,
) -> HeldPartitions | StoredPartitions:
    """Cut people into partitions: lying aside where they are read from a file and can be, else in memory."""
    if isinstance(source, Dataset) or options is None:
        assert isinstance(source, Dataset)
        return HeldPartitions.of(source, method, checkpoint.secret, partition_size, engine)
    place = choose_place(checkpoint.create_spill_folder(), engine, store)
    try:
        scanned = scan(
            source,
            options,
            method,
            checkpoint.secret,
            place,
            partition_size=partition_size,
            people_per_place=count_people_per_place(method),
            progress=progress,
        )
        steps = describe_edited(source) if isinstance(source, Path) else ()
        edited = tuple(note_edited(step) for step in steps)
        dataset = dataclasses.replace(scanned.dataset, notes=(*edited, *scanned.dataset.notes))
        return StoredPartitions(dataset, scanned.partitions, scanned.fingerprint, place)
    except ReadWhole as why:
        reason = str(why)
    place.clear()
    progress("read", 0, 0)
    dataset = _read_whole(source, options, checkpoint)
    refuse_identifiers(dataset)
    return dataclasses.replace(
        HeldPartitions.of(dataset, method, checkpoint.secret, partition_size, engine), read_whole=reason
    )


def _read_whole(source: Path | RemoteFiles, options: ReadOptions, checkpoint: PartitionsCheckpoint) -> Dataset:
    folder = checkpoint.create_spill_folder()
    path = source if isinstance(source, Path) else source.fetch(folder)
    plain = {name: value for name, value in options.to_dict().items() if name != "kind"}
    return calls.read(path, options.kind, **plain)


def _report(
    source: Dataset | Path | RemoteFiles,
    options: ReadOptions | None,
    partitions: HeldPartitions | StoredPartitions,
    verdict: Verdict,
    staging: StagingFolder,
    checkpoint: PartitionsCheckpoint,
    timer: Run,
) -> Verdict:
    """Write the owner's report, which needs the whole original; return the verdict with all that remains possible."""
    original = partitions.dataset
    if isinstance(partitions, StoredPartitions):
        assert not isinstance(source, Dataset) and options is not None
        original = _read_whole(source, options, checkpoint)
    with timer.phase("report"):
        facts = {f"{phase}, seconds": f"{seconds:.2f}" for phase, seconds in timer.seconds.items()}
        path = staging.owner / "report.html"
        remaining = write_partitions_report(staging.folder, original, path, facts, verdict.remaining)
    return dataclasses.replace(verdict, remaining=remaining)


def publish_partition(job: PartitionJob) -> PublishedPartition:
    """Anonymise a partition, and verify it from the bytes of its files; nothing is written anywhere.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
    >>> sorted(publish_partition(PartitionJob(0, data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32)))).files)[-2:]
    ['release/release.json', 'release/values.csv']
    """
    run, dataset = Run(job.secret, engine=Local(1), max_suppressed_records=job.max_suppressed_records), job.dataset
    try:
        with run.phase("anonymize"):
            result = anonymize(dataset, job.method, run, job.protect)
        reason = result.release.guarantee.bound_to_whole
        if reason:
            raise ParameterError(
                Message(job.method.message_name, f": this guarantee cannot be kept in partitions: {reason}."),
                hint=Message("Publish without partitions: leave out ", option("engine"), "."),
            )
        # The secret is that of the whole, and no partition has a recoding for others.
        result = Result(result.release, dataclasses.replace(result.owner_record, secret=None, recoding=None))
        place = MemoryPlace()
        write_release(result.release, place / "release")
        with run.phase("verify"):
            verdict = check_written(result, place)
    except SfumatoError as error:
        raise error.at(name_partition(job.number)) from None
    stronger = attack_more(result.release, dataset, result.owner_record.rows)
    remaining = verdict.remaining.refine(combine_attacks(None, stronger))
    remaining = remaining.refine(describe_untested(result.release, dataset, stronger))
    low_utility = Remaining.of([judge_retained(find_retained(dataset, result.release))])
    owner.write_owner(result, place / "owner", version("sfumato"))
    outcome = {
        "claimed": verdict.claimed,
        "measured": verdict.measured,
        "checks": verdict.checks,
        "notes": [note.to_dict() for note in run.notes],
        "warnings": list(map(pack, verdict.warnings)),
        "remaining": [possibility.pack() for possibility in remaining],
        "little": [possibility.pack() for possibility in low_utility],
    }
    return PublishedPartition(job.number, dict(place.files()), outcome)


def _check(release: DividedRelease, folder: Path, outcomes: list[dict[str, Any]]) -> Verdict:
    """Check what lies beside the partitions, and that the partitions are those that were verified."""
    whole = check_divided(release, folder)
    same = all(
        partition.sha256 == outcome["sha256"] for partition, outcome in zip(release.partitions, outcomes, strict=True)
    )
    if not whole or not same:
        raise VerificationError(
            f"{release.guarantee.name}: the partitions are not on disk as they were verified; nothing was published."
        )
    partitions = map(_read_verdict, outcomes)
    merged = (
        Verdict.unite(dict(zip((partition.name for partition in release.partitions), partitions, strict=True))) & whole
    )
    low_utility = merge_retained(
        [Possibility.unpack(fields) for outcome in outcomes for fields in outcome["little"]], len(outcomes)
    )
    return dataclasses.replace(merged, remaining=merged.remaining.refine(Remaining.of([low_utility])))


def _read_verdict(outcome: dict[str, Any]) -> Verdict:
    """Return what was found of a partition, as it was kept."""
    remaining = Remaining.of(Possibility.unpack(fields) for fields in outcome["remaining"])
    warnings = tuple(map(unpack, outcome["warnings"]))
    checks = outcome["checks"]
    return Verdict(True, outcome["claimed"], outcome["measured"], checks=checks, warnings=warnings, remaining=remaining)


def _count_notes(notes: Iterable[list[dict[str, Any]]]) -> tuple[Note, ...]:
    """Return the notes on all partitions, each once, with its counts added up and the number of partitions.

    Examples
    --------
    >>> late, sorted_ = Note("late", "Left out {rows}.", {"rows": 2}), Note("sorted", "Sorted.")
    >>> [str(note) for note in _count_notes([[late.to_dict(), sorted_.to_dict()], [late.to_dict()], []])]
    ['Left out 4. (in 2 partitions)', 'Sorted. (in 1 partition)']
    """
    taken = [[Note.from_dict(fields) for fields in entry] for entry in notes]
    times = Counter(key for entry in taken for key in {note.key for note in entry})
    merged = merge_notes(note for entry in taken for note in entry)
    most = sorted(merged, key=lambda note: -times[note.key])[:_MAX_SENTENCES]
    chosen = [note for note in merged if note in most]
    counted = [
        dataclasses.replace(
            note,
            template=note.template + " (in {partitions} {partitions:partition|partitions})",
            counts={**note.counts, "partitions": times[note.key]},
        )
        for note in chosen
    ]
    others = Note(
        "notes-left-out",
        "{notes} similar {notes:note|notes} on partitions {notes:is|are} left out.",
        {"notes": len(merged) - len(chosen)},
    )
    return (*counted, *([others] if len(merged) > len(chosen) else []))
