"""Releases in parts: people who are alike are published together, part by part, in bounded memory and on any engine.

One theorem carries it. Split the people into disjoint parts and publish each so that it keeps the guarantee on its own;
then all of them together keep it. So every part is a release that is made and verified by itself, and a part that is
missing can be made alone.
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

from sfumato.api import calls, protect
from sfumato.api.aggregate import combine_attacks, describe_untested, write_parts_report
from sfumato.api.attack import attack_more
from sfumato.api.edits import describe_edited
from sfumato.api.verify import check_written
from sfumato.base.method import Method
from sfumato.base.remaining import Possibility, Remaining
from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.secret import Secret
from sfumato.engines.checkpoint import PartsCheckpoint
from sfumato.engines.local import Local
from sfumato.engines.scan import scan
from sfumato.engines.tasks import (
    HeldParts,
    StoredParts,
    choose_place,
    count_people_per_place,
    mark_file,
    mark_parts,
    open_store,
)
from sfumato.engines.upload import open_upload
from sfumato.exceptions import ParameterError, ReleaseWarning, SfumatoError, VerificationError
from sfumato.formats.memory import MemoryPlace
from sfumato.metrics.retained_detail import find_retained, judge_retained, merge_retained
from sfumato.readers.archives import name_place
from sfumato.readers.files import is_uri
from sfumato.readers.identifiers import refuse_identifiers
from sfumato.readers.options import ReadOptions
from sfumato.readers.partitioned.reading import ReadWhole
from sfumato.readers.partitioned.records import StoredPart
from sfumato.readers.partitioned.remote import RemoteFiles, find_source
from sfumato.release import owner
from sfumato.release.attachments import copy_in
from sfumato.release.folder import StagingFolder, check_free, open_staging
from sfumato.release.partitioned import (
    DATA,
    TAKEN,
    DividedRelease,
    check_divided,
    describe_part,
    name_part,
    unite_parts,
    write_divided,
)
from sfumato.release.release import OwnerRecord, Result, describe_guarantee
from sfumato.release.run import PartEngine, Progress, Run, silent
from sfumato.release.storage import write_release
from sfumato.release.store import FileStore
from sfumato.release.suppression import WITHHOLD_AT_MOST, read_limit, refuse_excess

__all__ = ["REPORTED", "Divided", "PartJob", "PublishedPart", "publish_in_parts", "publish_part"]

REPORTED = 200_000
"""Records of a file up to which they are all read into memory for what needs everybody, such as a report."""
_MAX_SENTENCES = 5
"""Sentences about parts that are repeated for all of them."""


_UNREPORTED = (
    f"No report was written: it needs everybody in memory, and there are more than {REPORTED:,} records. `sfumato "
    "attack` and `sfumato measure` tell what it would, where there is memory for it."
)


@dataclasses.dataclass(frozen=True, eq=False)
class PartJob:
    """All that publishing one part needs, wherever that is done; its people, or where they lie on this machine.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
    >>> PartJob(0, data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32))).number
    0
    """

    number: int
    people: Dataset | StoredPart
    method: Method
    secret: Secret
    count: str = "records"
    withhold_at_most: float = WITHHOLD_AT_MOST

    @property
    def dataset(self) -> Dataset:
        """The people of the part."""
        return self.people if isinstance(self.people, Dataset) else self.people.load()


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedPart:
    """A part that was published and verified: its files by path, and what is to be told of it.

    Examples
    --------
    >>> PublishedPart(0, {"release/release.json": b"{}"}, {"notes": []}).number
    0
    """

    number: int
    files: dict[str, bytes]
    facts: dict[str, Any]


@dataclasses.dataclass(frozen=True, eq=False)
class Divided:
    """A release in parts that is on disk: what it says, what was verified, and what its owner is to know.

    Examples
    --------
    >>> import tempfile
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["tea"]] * 4)
    >>> with tempfile.TemporaryDirectory() as out:
    ...     made = sf.publish_in_parts(data, sf.methods.Apriori(k=2, m=1), out, part_size=4, engine=Local(1))
    ...     made.release, sf.verify(out).holds
    (DividedRelease(sets by apriori: 8 of 8 records in 2 parts, km-items (k=2, m=1, l=1)), True)
    """

    release: DividedRelease
    verdict: Verdict
    notes: tuple[str, ...]
    warnings: tuple[str, ...]
    seconds: dict[str, float]
    counters: dict[str, int]
    original: Dataset
    """What was published, without its records where it was read from a file in bounded memory."""
    read_whole: str = ""
    """Why a file was read whole, if it was."""


def publish_in_parts(
    data: Dataset | str | Path,
    method: Method,
    out: str | Path,
    *,
    kind: str = "",
    reading: Mapping[str, Any] | None = None,
    part_size: int | None = None,
    engine: PartEngine | None = None,
    secret: Secret | bytes | None = None,
    count: str = "records",
    withhold_at_most: float = WITHHOLD_AT_MOST,
    force: bool = False,
    include: Iterable[str | Path] = (),
    reports: bool = False,
    progress: Progress = silent,
) -> Divided:
    """Publish data in parts of people who are alike, or nothing; a run that was stopped goes on where it was.

    The release is the same on any engine and any number of cores.

    Parameters
    ----------
    data
        The original; or its file or folder of files, which is read in bounded memory where that can be. A text such as
        ``hdfs://...`` is what Spark reads under this name.
    method
        A method with its parameters, whose promise can be kept part by part.
    out
        The directory for ``release/`` and ``owner/``; a text such as ``hdfs://...`` is where Spark puts them.
    kind, reading
        Of a file: what one row of the data is, and the options of :func:`sfumato.read`.
    part_size
        People in a part at most; a constant of the kind of data if not given.
    engine
        Where parts are made: ``sf.engines.Local(cores)`` or ``sf.engines.Spark(session)``.
    secret
        The 32 bytes kept in ``owner/`` of an earlier release, to make it again.
    count, withhold_at_most
        As for :func:`sfumato.anonymize`.
    force, include
        As for :func:`sfumato.write`.
    reports
        Whether to write ``owner/report.html``; not of files of very many people, since it needs everybody in memory.
    progress
        Shows how many parts are ready.

    Examples
    --------
    >>> import tempfile
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(age,) for age in range(20, 40)], ("age",))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     made = publish_in_parts(
    ...         data, sf.methods.Mondrian(k=2), f"{folder}/out", part_size=10, engine=sf.engines.Local(cores=1)
    ...     )
    ...     print(len(made.release.parts), sf.verify(f"{folder}/out", original=data).holds)
    2 True
    """
    chosen: PartEngine = engine or Local()
    if isinstance(out, str) and is_uri(out):
        with open_upload(out, chosen, force=force) as upload:
            return publish_in_parts(
                data,
                method,
                upload,
                kind=kind,
                reading=reading,
                part_size=part_size,
                engine=chosen,
                secret=secret,
                count=count,
                withhold_at_most=withhold_at_most,
                include=include,
                reports=reports,
                progress=progress,
            )
    out, limit = Path(out), read_limit(withhold_at_most)
    check_free(out, force=force)
    source: Dataset | Path | RemoteFiles
    options = None
    if isinstance(data, Dataset):
        source = data
        refuse_identifiers(data)
        mark = mark_parts(data, method, count, limit, part_size)
    else:
        options = ReadOptions.of(kind, reading or {})
        source = files = find_source(data if is_uri(str(data)) else name_place(Path(data)), options.format, chosen)
        mark = mark_file(files, options, method, count, limit, part_size)
    given, timer = None if secret is None else Secret.of(secret), Run(bytes(32))
    with PartsCheckpoint(out, mark, given) as checkpoint, open_store(source, chosen) as store:
        with timer.phase("plan"):
            parts = _find_parts(source, options, method, checkpoint, part_size, chosen, store, progress)
            if not isinstance(source, Dataset):
                checkpoint.keep_for(parts.mark())
            missing = [number for number in range(len(parts)) if not checkpoint.is_ready(number)]
        ready = len(parts) - len(missing)
        with timer.phase("parts"):
            job = PartJob(0, parts.dataset, method, checkpoint.secret, count, limit)
            progress("parts", ready, len(parts))
            for made, part in enumerate(parts.stream(publish_part, job, missing), start=1):
                checkpoint.keep(part.number, part.files, part.facts)
                progress("parts", ready + made, len(parts))
        outcomes = [checkpoint.read_facts(number) for number in range(len(parts))]
        # What methods count lies with each part: a sum would mean nothing where they count the largest of something.
        counters = {"parts": len(parts), "parts_from_before": ready}
        nobody = np.empty(0, np.int64)
        owner_record = OwnerRecord(
            nobody, checkpoint.secret, timer.seconds, counters, method.parameters(), None, parts.dataset
        )
        with timer.phase("write"), open_staging(out, force=force) as staging:
            checkpoint.hand_over(len(parts), staging)
            included = copy_in([Path(path) for path in include], staging.release, TAKEN)
            heads = (describe_part(staging.release / DATA / name, name) for name in map(name_part, range(len(parts))))
            release = unite_parts(heads, included)
            refuse_excess(release, limit)
            write_divided(release, staging.release)
            verdict = _check(release, staging.release, outcomes)
            guarantee = describe_guarantee(release)
            owner.write_division(
                owner_record, parts.contents(), guarantee, staging.owner, version("sfumato"), part_size
            )
            too_many = isinstance(parts, StoredParts) and release.records_in > REPORTED
            if reports and not too_many:
                verdict = _report(source, options, parts, verdict, staging, checkpoint, timer)
            staging.commit()
    warning_texts = (*parts.dataset.doubts, *verdict.warnings, *verdict.remaining.warnings)
    for text in warning_texts:
        warnings.warn(text, ReleaseWarning, stacklevel=2)
    notes = (*_count_notes(outcome["notes"] for outcome in outcomes), *([_UNREPORTED] if reports and too_many else []))
    return Divided(release, verdict, notes, warning_texts, timer.seconds, counters, parts.dataset, parts.read_whole)


def _find_parts(
    source: Dataset | Path | RemoteFiles,
    options: ReadOptions | None,
    method: Method,
    checkpoint: PartsCheckpoint,
    part_size: int | None,
    engine: PartEngine,
    store: FileStore | None,
    progress: Progress,
) -> HeldParts | StoredParts:
    """Cut people into parts: lying aside where they are read from a file and can be, else in memory."""
    if isinstance(source, Dataset) or options is None:
        assert isinstance(source, Dataset)
        return HeldParts.of(source, method, checkpoint.secret, part_size, engine)
    place = choose_place(checkpoint.create_spill_folder(), engine, store)
    try:
        scanned = scan(
            source,
            options,
            method,
            checkpoint.secret,
            place,
            part_size=part_size,
            people_per_place=count_people_per_place(method),
            progress=progress,
        )
        steps = describe_edited(source) if isinstance(source, Path) else ()
        edited = tuple(f"The table was edited: {step}." for step in steps)
        dataset = dataclasses.replace(scanned.dataset, notes=(*edited, *scanned.dataset.notes))
        return StoredParts(dataset, scanned.parts, scanned.fingerprint, place)
    except ReadWhole as why:
        reason = str(why)
    place.clear()
    progress("read", 0, 0)
    dataset = _read_whole(source, options, checkpoint)
    refuse_identifiers(dataset)
    return dataclasses.replace(HeldParts.of(dataset, method, checkpoint.secret, part_size, engine), read_whole=reason)


def _read_whole(source: Path | RemoteFiles, options: ReadOptions, checkpoint: PartsCheckpoint) -> Dataset:
    folder = checkpoint.create_spill_folder()
    path = source if isinstance(source, Path) else source.fetch(folder)
    plain = {name: value for name, value in options.to_dict().items() if name != "kind"}
    return calls.read(path, options.kind, **plain)


def _report(
    source: Dataset | Path | RemoteFiles,
    options: ReadOptions | None,
    parts: HeldParts | StoredParts,
    verdict: Verdict,
    staging: StagingFolder,
    checkpoint: PartsCheckpoint,
    timer: Run,
) -> Verdict:
    """Write the owner's report, which needs the whole original; return the verdict with all that remains possible."""
    original = parts.dataset
    if isinstance(parts, StoredParts):
        assert not isinstance(source, Dataset) and options is not None
        original = _read_whole(source, options, checkpoint)
    with timer.phase("report"):
        facts = {f"{phase}, seconds": f"{seconds:.2f}" for phase, seconds in timer.seconds.items()}
        path = staging.owner / "report.html"
        remaining = write_parts_report(staging.folder, original, path, facts, verdict.remaining)
    return dataclasses.replace(verdict, remaining=remaining)


def publish_part(job: PartJob) -> PublishedPart:
    """Anonymise a part, and verify it from the bytes of its files; nothing is written anywhere.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
    >>> sorted(publish_part(PartJob(0, data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32)))).files)[-2:]
    ['release/release.json', 'release/values.csv']
    """
    run, dataset = Run(job.secret, engine=Local(1), withhold_at_most=job.withhold_at_most), job.dataset
    try:
        with run.phase("anonymize"):
            result = protect.anonymize(dataset, job.method, run, job.count)
        reason = result.release.guarantee.bound_to_whole
        if reason:
            raise ParameterError(
                f"{type(job.method).__name__}: this promise cannot be kept in parts: {reason}. Leave the engine out."
            )
        # The secret is that of the whole, and no part has a recoding for others.
        result = Result(result.release, dataclasses.replace(result.owner_record, secret=None, recoding=None))
        place = MemoryPlace()
        write_release(result.release, place / "release")
        with run.phase("verify"):
            verdict = check_written(result, place)
    except SfumatoError as error:
        raise type(error)(f"{name_part(job.number)}: {error}") from None
    stronger = attack_more(result.release, dataset, result.owner_record.rows)
    remaining = verdict.remaining.refine(combine_attacks(None, stronger))
    remaining = remaining.refine(describe_untested(result.release, dataset, stronger))
    low_utility = Remaining.of([judge_retained(find_retained(dataset, result.release))])
    owner.write_owner(result, place / "owner", version("sfumato"))
    outcome = {
        "claimed": verdict.claimed,
        "measured": verdict.measured,
        "checks": verdict.checks,
        "notes": run.notes,
        "warnings": verdict.warnings,
        "remaining": [dataclasses.asdict(possibility) for possibility in remaining],
        "little": [dataclasses.asdict(possibility) for possibility in low_utility],
    }
    return PublishedPart(job.number, dict(place.files()), outcome)


def _check(release: DividedRelease, folder: Path, outcomes: list[dict[str, Any]]) -> Verdict:
    """Check what lies beside the parts, and that the parts are those that were verified."""
    whole = check_divided(release, folder)
    same = all(part.sha256 == outcome["sha256"] for part, outcome in zip(release.parts, outcomes, strict=True))
    if not whole or not same:
        raise VerificationError(
            f"{release.guarantee.name}: the parts are not on disk as they were verified; nothing was published."
        )
    parts = map(_read_verdict, outcomes)
    merged = Verdict.unite(dict(zip((part.name for part in release.parts), parts, strict=True))) & whole
    low_utility = merge_retained(
        [Possibility(**fields) for outcome in outcomes for fields in outcome["little"]], len(outcomes)
    )
    return dataclasses.replace(merged, remaining=merged.remaining.refine(Remaining.of([low_utility])))


def _read_verdict(outcome: dict[str, Any]) -> Verdict:
    """Return what was found of a part, as it was kept."""
    remaining = Remaining.of(Possibility(**fields) for fields in outcome["remaining"])
    warnings = tuple(outcome["warnings"])
    checks = outcome["checks"]
    return Verdict(True, outcome["claimed"], outcome["measured"], checks=checks, warnings=warnings, remaining=remaining)


def _count_notes(notes: Iterable[list[str]]) -> tuple[str, ...]:
    """Return what was said of parts, each sentence once and with the number of parts.

    Examples
    --------
    >>> _count_notes([["2 are left out.", "Sorted."], ["3 are left out.", "Sorted."], []])
    ('2 are left out. (in 1 part)', '3 are left out. (in 1 part)', 'Sorted. (in 2 parts)')
    """
    placed = [(text, at) for texts in notes for at, text in enumerate(dict.fromkeys(texts))]
    counted, place = Counter(text for text, _ in placed), dict(placed)
    chosen = sorted(counted.most_common(_MAX_SENTENCES), key=lambda entry: place[entry[0]])
    sentences = [f"{text} (in {times:,} part{'s' * (times > 1)})" for text, times in chosen]
    left = len(counted) - len(sentences)
    return (*sentences, *([f"Much the same is said of further parts, {left:,} times."] if left else []))
