"""Releases in parts: people who are alike are published together, part by part, in bounded memory and on any engine.

One theorem carries it. Split the people into disjoint parts and publish each so that it keeps the guarantee on its own;
then all of them together keep it. So every part is a release that is made and verified by itself, and a part that is
missing can be made alone.
"""

from __future__ import annotations

import dataclasses
import hashlib
import pickle
import warnings
from collections import Counter
from collections.abc import Iterable, Iterator
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np

from sfumato import counting
from sfumato.assessment import attack_result
from sfumato.checking.verdict import Verdict
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, ReleaseWarning, SfumatoError, VerificationError
from sfumato.core.method import Method
from sfumato.core.plan import Plan, make_plan
from sfumato.core.publishing.contents import Fingerprint, digest_records
from sfumato.core.publishing.leftover import warn_of_leftover
from sfumato.core.publishing.secret import Secret, digest
from sfumato.core.publishing.withholding import WITHHOLD_AT_MOST, read_limit, refuse_excess
from sfumato.core.release import Result, Trace
from sfumato.core.run import PartEngine, Progress, Run, silent
from sfumato.core.selection import take_part, thin_fixes
from sfumato.engines.local import Local
from sfumato.io.identifiers import refuse_identifiers
from sfumato.io.memory import MemoryPlace
from sfumato.io.releases import owner, write_release
from sfumato.io.releases.divided import (
    DATA,
    TAKEN,
    DividedRelease,
    check_divided,
    describe_part,
    name_part,
    unite_parts,
    write_divided,
)
from sfumato.io.releases.included import copy_in
from sfumato.io.releases.stage import check_free, staged
from sfumato.io.releases.workshop import Workshop
from sfumato.verification import check_written

__all__ = ["Divided", "PartJob", "PublishedPart", "publish_in_parts", "publish_part"]

_KNOWN = 100
_SAID = 5
"""Sentences about parts that are repeated for all of them."""


@dataclasses.dataclass(frozen=True, eq=False)
class PartJob:
    """All that publishing one part needs, wherever that is done.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
    >>> PartJob(0, data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32))).number
    0
    """

    number: int
    dataset: Dataset
    method: Method
    secret: Secret
    count: str = "records"
    withhold_at_most: float = WITHHOLD_AT_MOST


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedPart:
    """A part that was published and verified: its files by path, and what is to be told of it.

    Examples
    --------
    >>> PublishedPart(0, {"release/release.json": b"{}"}, {"warnings": []}).number
    0
    """

    number: int
    files: dict[str, bytes]
    told: dict[str, Any]


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


def publish_in_parts(
    dataset: Dataset,
    method: Method,
    out: str | Path,
    *,
    part_size: int | None = None,
    engine: PartEngine | None = None,
    secret: Secret | bytes | None = None,
    count: str = "records",
    withhold_at_most: float = WITHHOLD_AT_MOST,
    force: bool = False,
    include: Iterable[str | Path] = (),
    progress: Progress = silent,
) -> Divided:
    """Publish data in parts of people who are alike, or nothing; a run that was stopped goes on where it was.

    The release is the same on any engine and any number of cores.

    Parameters
    ----------
    dataset
        The original.
    method
        A method with its parameters, whose promise can be kept part by part.
    out
        The directory for ``release/`` and ``owner/``.
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
    out, limit = Path(out), read_limit(withhold_at_most)
    check_free(out, force=force)
    refuse_identifiers(dataset)
    given, clock = None if secret is None else Secret.of(secret), Run(bytes(32))
    with Workshop(out, _mark(dataset, method, count, limit, part_size), given) as shop:
        with clock.phase("plan"):
            plan = make_plan(dataset, method, shop.secret, part_size)
            missing = [number for number in range(len(plan)) if not shop.is_ready(number)]
        ready = len(plan) - len(missing)
        with clock.phase("parts"):
            known = thin_fixes(
                dataset, shop.secret.derive(Fingerprint.of(digest_records(dataset)).to_bytes()), _count_known(method)
            )
            jobs = _jobs(known, plan, set(missing), PartJob(0, dataset, method, shop.secret, count, limit))
            progress("parts", ready, len(plan))
            for made, part in enumerate((engine or Local()).stream(publish_part, jobs), start=1):
                shop.keep(part.number, part.files, part.told)
                progress("parts", ready + made, len(plan))
        told = [shop.told(number) for number in range(len(plan))]
        # What methods count lies with each part: a sum would mean nothing where they count the largest of something.
        counters = {"parts": len(plan), "parts_from_before": ready}
        trace = Trace(np.empty(0, np.int64), shop.secret, clock.seconds, counters, method.parameters(), None, dataset)
        with clock.phase("write"), staged(out, force=force) as stage:
            shop.hand_over(len(plan), stage)
            included = copy_in([Path(path) for path in include], stage.release, TAKEN)
            heads = (describe_part(stage.release / DATA / name, name) for name in map(name_part, range(len(plan))))
            release = unite_parts(heads, included)
            refuse_excess(release, limit)
            write_divided(release, stage.release)
            verdict = _check(release, stage.release, told)
            claim = {"name": release.guarantee.name, **release.guarantee.parameters(), "parts": len(plan)}
            owner.write_division(trace, plan.part, claim, stage.owner, version("sfumato"))
            stage.commit()
    loud = _count_alike(each["warnings"] for each in told)
    for text in loud:
        warnings.warn(text, ReleaseWarning, stacklevel=2)
    return Divided(release, verdict, _count_alike(each["notes"] for each in told), loud, clock.seconds, counters)


def _mark(dataset: Dataset, method: Method, *others: object) -> str:
    """Return a digest of all that decides on the parts, so that they are known again."""
    about = {field.name: getattr(dataset, field.name) for field in dataclasses.fields(dataset)}
    tables = [about.pop(name) for name in ("table", "places", "population")]
    rest = [pickle.dumps(dict(value) if hasattr(value, "keys") else value) for _, value in sorted(about.items())]
    state = hashlib.blake2b(digest_size=32)
    for piece in (*(b"" if table is None else digest(table) for table in tables), *rest):
        state.update(hashlib.blake2b(piece).digest())
    state.update(repr((version("sfumato"), type(method).__qualname__, method, *others)).encode())
    return state.hexdigest()


def _count_known(method: Method) -> int:
    """Return of how many people at a place every part knows where they were: more than its crowds need."""
    k = getattr(method, "k", None)
    return max(_KNOWN, 4 * k) if isinstance(k, int) else _KNOWN


def _jobs(dataset: Dataset, plan: Plan, missing: set[int], job: PartJob) -> Iterator[PartJob]:
    """Yield the parts that are missing, each with its people, when there is room for it."""
    for number, rows in enumerate(plan):
        if number in missing:
            yield dataclasses.replace(job, number=number, dataset=take_part(dataset, rows))


def publish_part(job: PartJob) -> PublishedPart:
    """Anonymise a part, and verify it from the bytes of its files; nothing is written anywhere.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["wine"], ["wine"]])
    >>> sorted(publish_part(PartJob(0, data, sf.methods.Apriori(k=2, m=1), Secret(bytes(32)))).files)[-2:]
    ['release/release.json', 'release/values.csv']
    """
    run = Run(job.secret, engine=Local(1), withhold_at_most=job.withhold_at_most)
    try:
        with run.phase("anonymize"):
            result = counting.anonymize(job.dataset, job.method, run, job.count)
        reason = result.release.guarantee.bound_to_whole
        if reason:
            raise ParameterError(
                f"{type(job.method).__name__}: this promise cannot be kept in parts: {reason}. Leave the engine out."
            )
        # The secret is that of the whole, and no part has a recoding for others.
        result = Result(result.release, dataclasses.replace(result.trace, secret=None, recoding=None))
        place = MemoryPlace()
        write_release(result.release, place / "release")
        with run.phase("verify"):
            verdict = check_written(result, place)
    except SfumatoError as error:
        raise type(error)(f"{name_part(job.number)}: {error}") from None
    beyond = [text for finding in attack_result(result) for text in getattr(finding, "warnings", ())]
    little = warn_of_leftover(job.dataset, result.release)
    owner.write_owner(result, place / "owner", version("sfumato"))
    told = {
        "claimed": verdict.claimed,
        "measured": verdict.measured,
        "checks": verdict.checks,
        "notes": run.notes,
        "warnings": beyond + ([] if little is None else [little]),
    }
    return PublishedPart(job.number, dict(place.files()), told)


def _check(release: DividedRelease, folder: Path, told: list[dict[str, Any]]) -> Verdict:
    """Check what lies beside the parts, and that the parts are those that were verified."""
    whole = check_divided(release, folder)
    same = all(part.sha256 == each["sha256"] for part, each in zip(release.parts, told, strict=True))
    if not whole or not same:
        raise VerificationError(
            f"{release.guarantee.name}: the parts are not on disk as they were verified; nothing was published."
        )
    parts = (Verdict(True, each["claimed"], each["measured"], None, each["checks"]) for each in told)
    return Verdict.unite(dict(zip((part.name for part in release.parts), parts, strict=True))) & whole


def _count_alike(said: Iterable[list[str]]) -> tuple[str, ...]:
    """Return what was said of parts, each sentence once, with the number of parts where it is not the only one."""
    counted = Counter(text for texts in said for text in dict.fromkeys(texts))
    told = [text if times == 1 else f"{text} (in {times:,} parts)" for text, times in counted.most_common(_SAID)]
    left = len(counted) - len(told)
    return (*told, *([f"Much the same is said of further parts, {left:,} times."] if left else []))
