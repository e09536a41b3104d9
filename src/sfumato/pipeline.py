"""The whole flow on one screen: read, anonymise, write, verify, measure."""

from __future__ import annotations

import dataclasses
from collections.abc import Collection, Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato import registry, report
from sfumato.core import itemset_support
from sfumato.core.comparison import Comparison
from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError, VerificationError
from sfumato.core.method import Method
from sfumato.core.metric import Score
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release, Result
from sfumato.core.risk import Finding
from sfumato.core.run import Run
from sfumato.core.secret import Secret
from sfumato.core.verdict import Verdict
from sfumato.core.workload import Workload
from sfumato.families import reconstruction
from sfumato.io import owner, releases, streams
from sfumato.io.reading import Reading
from sfumato.io.stage import staged

__all__ = [
    "anonymize",
    "apply",
    "attack",
    "estimate",
    "inspect",
    "measure",
    "read",
    "reconstruct",
    "verify",
    "write",
]

PathLike = str | Path


def read(path: PathLike, kind: str, **options: Any) -> Dataset:
    """Read data of a kind from CSV, Parquet, JSON lines or the formats of the neighbours.

    Parameters
    ----------
    path
        The file.
    kind
        What one row is, such as ``trajectories``.
    options
        Fields of :class:`sfumato.io.reading.Reading`: ``columns``, ``places``, ``split``, ``sensitive``,
        ``hierarchies``, ``constraints``, ``drop`` and others.
    """
    return registry.reader(kind).read(Path(path), Reading.of(kind, options))  # type: ignore[no-any-return]


def anonymize(
    dataset: Dataset, method: Method, *, secret: Secret | bytes | None = None, run: Run | None = None
) -> Result:
    """Make a release that keeps the method's guarantee, with the trace that stays with the owner.

    Parameters
    ----------
    dataset
        The original.
    method
        A method with its parameters, such as ``sf.methods.SeqAnon(k=5, m=2)``.
    secret
        The 32 bytes kept in ``owner/`` of an earlier release, to make it again. Drawn afresh if not given: a secret of
        one's own choosing could be guessed, and whoever guesses it undoes the release.
    run
        Progress and engine, where the defaults do not fit.
    """
    run = run or Run(secret)
    with run.phase("anonymize"):
        return method.anonymize(dataset, run)


def write(result: Result, out: PathLike, *, force: bool = False, reports: bool = True) -> Verdict:
    """Publish a result: ``out/release`` for everybody, ``out/owner`` for its owner, or nothing.

    The files are written aside and verified from what was written. A release whose claim fails is not left
    on disk.
    """
    run_seconds = result.trace.seconds
    clock = Run()
    with staged(Path(out), force=force) as stage:
        with clock.phase("write"):
            releases.write_release(result.release, stage.release)
        with clock.phase("verify"):
            verdict = _settle(verify(stage.folder), _verify_with_owner(result, stage.folder))
        if not verdict:
            raise VerificationError(
                f"{result.release.guarantee.name}: the release does not keep its claim; {verdict!r}."
            )
        if reports and result.trace.original is not None:
            with clock.phase("report"):
                _write_report(result, stage.owner / "report.html")
        run_seconds.update(clock.seconds)
        owner.write_owner(result, stage.owner, version("sfumato"))
        stage.commit()
    return verdict


def _verify_with_owner(result: Result, path: Path) -> Verdict | None:
    """Check what was written against the original too, where the published files alone may leave the claim open."""
    verifier = registry.verifier(result.release.guarantee)
    if result.trace.original is None or not getattr(verifier, "NEEDS_ORIGINAL", False):
        return None
    written = releases.read_release(path)
    verdict: Verdict = verifier.verify_against(written, result.trace.original, result.trace.rows)
    return verdict


def _settle(alone: Verdict, counted: Verdict | None) -> Verdict:
    """Combine what the files say with what was counted in the original, which settles what the files leave open."""
    return alone if counted is None else dataclasses.replace(alone, unsettled=()) & counted


def verify(path: PathLike, original: Dataset | None = None) -> Verdict:
    """Check the published files against their claim; with the original, also what an attacker could match.

    Nothing of the method is trusted: the records are read from disk and counted anew.
    """
    folder = releases.find_release(Path(path))
    release = releases.read_release(folder)
    verifier = registry.verifier(release.guarantee)
    verdict: Verdict = verifier.verify(release)
    rows = None if original is None else owner.read_rows(Path(path))
    against = None if original is None else verifier.verify_against(release, original, rows)
    if against is not None:
        verdict = _settle(verdict, against) if getattr(verifier, "NEEDS_ORIGINAL", False) else verdict & against
    verdict &= _verify_files(release, folder)
    if original is not None and rows is not None:
        verdict &= registry.faithful_verifier(release.kind).verify_faithful(release, original, rows)
    return verdict


def _verify_files(release: Release, folder: Path) -> Verdict:
    """Check that the CSV holds the same records as the Parquet file, and that nothing else lies there."""
    if streams.is_stream(folder):
        stray = streams.stray_files(folder)
        verdict = Verdict(not stray, {}, {}, {"files": stray} if stray else None, {"only snapshots": not stray})
        for part in streams.snapshot_folders(folder):
            verdict &= _verify_files(releases.read_release(part), part)
        return verdict
    spelled = releases.read_release(folder, "data.csv").table
    same = all(_same_cells(release.table.column(name), spelled.column(name)) for name in release.table.column_names)
    stray = releases.stray_files(folder, release)
    checks = {"data.csv equals data.parquet": same, "no stray files": not stray}
    witness = None if all(checks.values()) else {"files": stray or ["data.csv"]}
    return Verdict(all(checks.values()), {}, {}, witness, checks)


def _same_cells(left: Any, right: Any) -> bool:
    """Compare two columns by content; the numbering of a dictionary is not content."""
    left, right = left.combine_chunks(), right.combine_chunks()
    if not pa.types.is_list(left.type) or not pa.types.is_dictionary(left.type.value_type):
        return bool(left.equals(right))
    ours, theirs = Ragged.from_arrow(left), Ragged.from_arrow(right)
    if not np.array_equal(ours.offsets, theirs.offsets):
        return False
    code = {label: i for i, label in enumerate(theirs.labels)}
    recode = np.array([code.get(label, -1) for label in ours.labels], dtype=np.int64)
    return bool(np.array_equal(recode[ours.codes], theirs.codes))


def inspect(dataset: Dataset, m: int = 2) -> dict[str, Any]:
    """Say what the data are and how identifying they are as they stand."""
    return {
        **dataset.describe(),
        "notes": list(dataset.notes),
        "risk": [risk.to_dict() for risk in registry.attacker_of_kind(dataset.kind).attack_original(dataset, m)],
    }


def attack(path: PathLike, original: Dataset) -> Finding:
    """Attack a release with the knowledge its guarantee is about."""
    release = _release_of(path, original)
    found: Finding = registry.attacker(release.guarantee).attack(release, original, owner.read_rows(Path(path)))
    return found


def measure(path: PathLike, original: Dataset, *, workload: Workload | None = None, seed: int = 0) -> list[Score]:
    """Measure what a release is still good for, one score per measure."""
    release = _release_of(path, original)
    return measure_release(Comparison(original, release, owner.read_rows(Path(path)), seed, workload))


def reconstruct(release: Release | PathLike, *, copies: int = 1, seed: int | None = None) -> list[Dataset]:
    """Draw data sets that could have been the original of a release of separated sets, to be analysed like it."""
    return reconstruction.reconstruct(_as_release(release), seed, copies)


def estimate(release: Release | PathLike, itemsets: Iterable[Collection[str]]) -> list[dict[str, Any]]:
    """Say how many records hold each itemset: how many certainly do, and how many are to be expected."""
    asked = [tuple(itemset) for itemset in itemsets]
    published = _as_release(release)
    certain = itemset_support.certain_support(published, asked)
    expected = itemset_support.estimate(published, asked)
    return [
        {"itemset": itemset, "certain": int(sure), "expected": float(likely)}
        for itemset, sure, likely in zip(asked, certain, expected, strict=True)
    ]


def _as_release(release: Release | PathLike) -> Release:
    return release if isinstance(release, Release) else releases.read_release(Path(release))


def _release_of(path: PathLike, original: Dataset) -> Release:
    """Read a release and make sure that it can come from this original."""
    release = releases.read_release(Path(path))
    if len(original) != release.records_in:
        raise SchemaError(
            f"the original has {len(original)} records and the release was made from {release.records_in}: "
            "it is another original, or it was read with other options (--places, --split, --column)."
        )
    return release


def measure_release(comparison: Comparison) -> list[Score]:
    """Return every score that applies."""
    scores = []
    for metric in registry.metrics_for(comparison.release.kind):
        if metric.applies(comparison):
            scores.append(metric.measure(comparison))
    return scores


def apply(path: PathLike, dataset: Dataset, *, unknown: str = "error", run: Run | None = None) -> Result:
    """Publish a later batch with the recoding of an earlier release.

    ``unknown`` says what happens to values the recoding does not know: ``error`` or ``suppress``. The
    guarantee is claimed for the batch on its own and is checked when the result is written: a batch that breaks
    it is refused.
    """
    earlier = releases.read_release(Path(path))
    recoding = owner.read_recoding(Path(path))
    run = run or Run()
    method = registry.find(earlier.method)(**owner.read_trace(Path(path))["parameters"])
    with run.phase("apply"):
        return method.apply(dataset, recoding, earlier, unknown, run)


def _write_report(result: Result, path: Path) -> None:
    release, original = result.release, result.trace.original
    assert original is not None
    comparison = Comparison(original, release, result.trace.rows)
    m = getattr(release.guarantee, "m", 2)
    before = registry.attacker_of_kind(original.kind).attack_original(original, m)[-1]
    after = registry.attacker(release.guarantee).attack(release, original, result.trace.rows)
    facts = {f"{phase}, seconds": f"{seconds:.2f}" for phase, seconds in result.trace.seconds.items()}
    facts |= {name.replace("_", " "): f"{count:,}" for name, count in result.trace.counters.items()}
    page = report.render(comparison, before, after, measure_release(comparison), facts=facts)
    path.write_text(page, encoding="utf-8")
