"""The whole flow on one screen: read, anonymise, write, verify, measure."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Iterable
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sfumato import counting, registry
from sfumato.assessment import (
    attack,
    attack_beyond,
    attack_result,
    attack_rising,
    attack_together,
    draw_workload,
    estimate,
    inspect,
    measure,
    measure_release,
    plot,
    reconstruct,
    save_plots,
    write_report,
)
from sfumato.checking import people
from sfumato.checking.asked import verify_asked
from sfumato.checking.order import verify_order
from sfumato.checking.structure import READABLE
from sfumato.checking.verdict import Verdict
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, ReleaseWarning, SchemaError, VerificationError
from sfumato.core.method import Method
from sfumato.core.progress import tell
from sfumato.core.publishing.leftover import warn_of_leftover
from sfumato.core.publishing.secret import Secret
from sfumato.core.publishing.withholding import WITHHOLD_AT_MOST, read_limit, refuse_excess
from sfumato.core.release import Release, Result
from sfumato.core.run import Run
from sfumato.core.selection import take_rows
from sfumato.io import frames, releases
from sfumato.io.edited import change_file
from sfumato.io.export import export_release
from sfumato.io.identifiers import refuse_identifiers
from sfumato.io.memory import Place
from sfumato.io.reading import Reading
from sfumato.io.releases import divided, inventory, owner
from sfumato.io.releases.ledger import Ledger, people_of, read_ledger
from sfumato.io.releases.owner import NOTHING_KEPT, Kept
from sfumato.io.releases.source import Source, find_kept, find_original, find_place, find_release_in
from sfumato.io.releases.stage import staged

__all__ = [
    "anonymize",
    "apply",
    "attack",
    "attack_beyond",
    "attack_rising",
    "attack_together",
    "check_written",
    "draw_workload",
    "estimate",
    "export",
    "inspect",
    "measure",
    "measure_release",
    "plot",
    "read",
    "reconstruct",
    "save_plots",
    "verify",
    "write",
    "write_report",
]

PathLike = str | Path


_WHO_IS_WHERE = (
    "The release is in parts, and who is in which part is not at hand, so that it was not compared with the original. "
    "Keep owner/ beside release/."
)
_REORDERED = "has the same records in another order than was published from; they were matched by what they hold"


def read(path: PathLike | Any, kind: str, **options: Any) -> Dataset:
    """Read data of a kind from CSV, Parquet, JSON lines or the formats of the neighbours, or from a data frame.

    Parameters
    ----------
    path
        The file, or a table of pandas, Polars, Arrow or another library that hands tables over (by
        ``__arrow_c_stream__`` or ``__dataframe__``).
    kind
        What one row is, such as ``trajectories``.
    options
        Fields of :class:`sfumato.io.reading.Reading`: ``columns``, ``places``, ``split``, ``sensitive``,
        ``hierarchies``, ``constraints``, ``drop``, ``steps`` and others.

    Examples
    --------
    >>> import pyarrow as pa
    >>> read(pa.table({"person": ["ann", "ann", "bob"], "item": ["tea", "rye", "tea"]}), "sets").describe()["people"]
    2
    """
    foreign = [name for name in ("format", "delimiter", "encoding", "header") if options.get(name)]
    if frames.is_frame(path) and foreign:
        raise ParameterError(f"reading: {foreign[0]} means nothing for a data frame. Leave it out.")
    reading = Reading.of(kind, options)
    given = frames.make_file(path) if frames.is_frame(path) else Path(path)
    file, rest, steps = change_file(given, reading)
    found: Dataset = registry.reader(kind).read(file, rest)
    notes = (*getattr(given, "notes", ()), *(f"The table was edited: {step}." for step in steps), *found.notes)
    source = given.name if isinstance(given, Path) else ""
    kept = {**found.reading, **reading.to_dict()} if steps else found.reading
    return dataclasses.replace(found, notes=notes, reading=kept, source=source)


def anonymize(
    dataset: Dataset,
    method: Method,
    *,
    secret: Secret | bytes | None = None,
    count: str = "records",
    run: Run | None = None,
    withhold_at_most: float = WITHHOLD_AT_MOST,
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
    count
        What k counts: ``records``, or different ``people``, where people have several records.
    run
        Progress and engine, where the defaults do not fit.
    withhold_at_most
        Share of the records that may be left out; a release that withholds more is refused with the reasons counted.

    Examples
    --------
    >>> import sfumato as sf
    >>> result = anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2))
    >>> result.release.table.column("age").to_pylist()
    [{'lo': 20, 'hi': 21}, {'lo': 20, 'hi': 21}]
    """
    limit = read_limit(withhold_at_most)
    run = run or Run(secret)
    run.withhold_at_most = limit
    refuse_identifiers(dataset)
    with run.phase("anonymize"):
        result = counting.anonymize(dataset, method, run, count)
    refuse_excess(result.release, limit)
    return result


def write(
    result: Result,
    out: PathLike,
    *,
    force: bool = False,
    reports: bool = True,
    include: Iterable[PathLike] = (),
) -> Verdict:
    """Publish a result: ``out/release`` for everybody, ``out/owner`` for its owner, or nothing.

    The files are written aside and verified from what was written. A release whose claim fails is not left
    on disk. Where attackers who do more than the promise is about find people all the same, or where far less is left
    than the promise asks for, a :class:`ReleaseWarning` says so and what would help.

    Parameters
    ----------
    result
        What :func:`anonymize` returned.
    out
        The directory for both parts.
    force
        Whether to replace a release that is there.
    reports
        Whether to write ``owner/report.html``.
    include
        Files to publish beside the release, such as a licence; they are declared in ``release.json``.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     write(sf.anonymize(sf.Dataset.of("table", [[20], [21]], ["age"]), sf.methods.Mondrian(k=2)), f"{folder}/o")
    Verdict(holds=True, claimed k=2, measured k=2, classes=1)
    """
    run_seconds = result.trace.seconds
    clock = Run()
    with staged(Path(out), force=force) as stage:
        tell("write", 0, 0)
        with clock.phase("write"):
            releases.write_release(result.release, stage.release, [Path(path) for path in include])
        tell("verify", 0, 0)
        with clock.phase("verify"):
            verdict = check_written(result, stage.folder)
        counted = {name: verdict.measured[name] for name in people.COUNTED if name in verdict.measured}
        result.trace.counters.update(counted)
        tell("attack", 0, 0)
        with clock.phase("attack"):
            beyond = attack_result(result)
        if reports and result.trace.original is not None:
            tell("report", 0, 0)
            with clock.phase("report"):
                write_report(result, stage.owner / "report.html", beyond)
        run_seconds.update(clock.seconds)
        owner.write_owner(result, stage.owner, version("sfumato"))
        if result.trace.recoding is not None:
            _enter_ledger(result, Path(out), stage.owner)
        stage.commit()
    loud = [text for finding in beyond for text in getattr(finding, "warnings", ())]
    if result.trace.original is not None:
        little = warn_of_leftover(result.trace.original, result.release)
        loud += [] if little is None else [little]
    for text in loud:
        warnings.warn(text, ReleaseWarning, stacklevel=2)
    return verdict


def check_written(result: Result, place: Place) -> Verdict:
    """Check the files that were written of a result; raise where its claim does not hold or something is amiss."""
    alone = _verify_published(place)
    verdict = _settle(alone, _verify_with_owner(result, place, alone))
    if not verdict:
        raise VerificationError(_say_refused(result.release, verdict))
    return verdict


def _say_refused(release: Release, verdict: Verdict) -> str:
    name = release.guarantee.name
    if not verdict.holds:
        return f"{name}: the release does not keep its claim; {verdict!r}."
    found = "; ".join((*verdict.unsettled, *verdict.undeclared))
    return f"{name}: the release was written, but it is not as a release should be, and was not left on disk: {found}."


def _verify_with_owner(result: Result, path: Place, alone: Verdict) -> Verdict | None:
    """Check what was written against the original too, where the published files alone leave the claim open."""
    original, rows = result.trace.original, result.trace.rows
    if original is None:
        return None
    verifier = registry.verifier(result.release.guarantee)
    written = releases.read_release(path)
    verdict: Verdict = people.verify_people(written, original, rows)
    if alone.unsettled or getattr(verifier, "NEEDS_ORIGINAL", False):
        verdict &= verifier.verify_against(written, original, rows)
    return verdict


def _settle(alone: Verdict, counted: Verdict | None) -> Verdict:
    """Combine what the files say with what was counted in the original, which settles what the files leave open."""
    return alone if counted is None else dataclasses.replace(alone, unsettled=()) & counted


def verify(source: Source, original: Dataset | None = None) -> Verdict:
    """Check the published files against their claim; with the original, also what an attacker could match.

    Nothing of the method is trusted: the records are read from the files and counted anew.

    Parameters
    ----------
    source
        The directory of a release. Or a result or release that was not written: it is checked from the bytes of the
        files that would be, in memory. A result knows its original; give ``result.release`` to see what the published
        files tell alone.
    original
        What was published from.

    Examples
    --------
    >>> import sfumato as sf
    >>> verify(sf.anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2)))
    Verdict(holds=True, claimed k=2, measured k=2, classes=1, fitting=2)
    """
    folder = divided.find_divided(source) if isinstance(source, str | Path) else None
    if folder is not None:
        return _verify_parts(Path(str(source)), folder, original)
    original = find_original(source, original)
    return _verify_at(find_place(source), original, NOTHING_KEPT if original is None else find_kept(source, original))


def _verify_parts(path: Path, folder: Place, original: Dataset | None) -> Verdict:
    """Check a release in parts: what it says of all of them, and one part after another."""
    release = divided.read_divided(folder)
    verdict = divided.check_divided(release, folder)
    if not verdict.holds:
        return verdict
    rows = None if original is None else owner.read_division(path, original)
    if original is not None and rows is None:
        verdict &= Verdict(True, {}, {}, unsettled=(_WHO_IS_WHERE,))
    found = {}
    for number, part in enumerate(release.parts):
        place, some, kept = folder / divided.DATA / part.name, None, NOTHING_KEPT
        if original is not None and rows is not None:
            some = take_rows(original, rows[number])
            kept = owner.read_kept(path / "owner" / part.name, some)
        try:
            found[part.name] = _verify_at(place, some, kept)
        except SchemaError as error:
            raise SchemaError(f"{part.name}: {error}") from None
    return Verdict.unite(found) & verdict


def _verify_at(place: Place, original: Dataset | None, kept: Kept) -> Verdict:
    """Check the files at a place, with the original and what its owner keeps where they are at hand."""
    tell("verify the published files", 0, 0)
    alone = _verify_published(place)
    if original is None or not alone.checks.get(READABLE, True):
        return alone
    release = releases.read_release(place)
    tell("verify with the original", 0, 0)
    counted: Verdict = registry.verifier(release.guarantee).verify_against(release, original, kept.rows)
    counted &= verify_asked(release, original, kept.claim, kept.recoded)
    if kept.rows is not None:
        tell("compare every record with its original", 0, 0)
        counted &= registry.faithful_verifier(release.kind).verify_faithful(release, original, kept.rows)
    if kept.reordered:
        counted &= Verdict(True, {}, {"original": _REORDERED})
    return _settle(alone, counted & people.verify_people(release, original, kept.rows))


def _verify_published(path: Place) -> Verdict:
    """Check what the published files tell on their own."""
    folder = releases.find_release(path)
    release = releases.read_release(folder)
    verdict: Verdict = registry.verifier(release.guarantee).verify(release)
    if not verdict.checks.get(READABLE, True):
        return verdict
    return verdict & _verify_files(release, folder) & people.leave_people_open(release)


def _verify_files(release: Release, folder: Place) -> Verdict:
    """Check everything that lies in the folder, byte by byte, and what order and numbers could tell."""
    verdict = verify_order(release) & _verify_method(release)
    kind = releases.marked_kind(folder)
    if kind is None:
        return verdict & inventory.check_folder(release, folder)
    checked: Verdict = registry.find_room(kind, "folder").check_folder(release, folder)
    return verdict & checked


def _verify_method(release: Release) -> Verdict:
    """Look for a method that is none, or that never makes such a claim: a name can say anything."""
    method = registry.methods_for(release.kind).get(release.method)
    if method is not None and type(release.guarantee) in method.promises:
        return Verdict(True, {}, {})
    return Verdict(True, {}, {}, undeclared=("release.json: a method that does not make such releases",))


def export(
    source: Source, out: PathLike, *, layout: str | None = None, format: str | None = None, force: bool = False
) -> None:
    """Write the records of a release as other tools read them: a row per visit, event or item, or one per record.

    Parameters
    ----------
    source
        The directory of a release, a release or a result.
    out
        The file.
    layout
        ``long`` or ``wide``; ``long`` where records have lists.
    format
        ``csv``, ``parquet``, ``jsonl``, ``geojson``, ``xes`` or ``spmf``; told by the extension if not given.
    force
        Whether to replace a file that is there.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> result = sf.anonymize(sf.Dataset.of("table", [(20,), (21,)], ("age",)), sf.methods.Mondrian(k=2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     export(result, f"{folder}/people.csv")
    ...     Path(folder, "people.csv").read_text().split()
    ['age', '[20..21]', '[20..21]']
    """
    export_release(find_release_in(source), Path(out), layout, format, force=force)


def apply(
    path: PathLike,
    dataset: Dataset,
    *,
    unknown: str = "error",
    run: Run | None = None,
    withhold_at_most: float = WITHHOLD_AT_MOST,
) -> Result:
    """Publish a later batch with the recoding of an earlier release.

    ``unknown`` says what happens to values the recoding does not know: ``error`` or ``suppress``. The
    guarantee is claimed for the batch on its own and is checked when the result is written: a batch that breaks
    it is refused. So is one that withholds more than ``withhold_at_most`` of its records, and one that differs by fewer
    than k people from a batch already published with this recoding: the difference of the two releases would show them.

    Examples
    --------
    >>> import tempfile, sfumato as sf
    >>> first, later = (sf.Dataset.of("trajectories", [["a"], ["b"]] * n, {"a": (0, 0), "b": (1, 0)}) for n in (1, 2))
    >>> with tempfile.TemporaryDirectory() as folder:
    ...     _ = sf.write(sf.anonymize(first, sf.methods.SeqAnon(k=2, m=1)), f"{folder}/out")
    ...     apply(f"{folder}/out", later).release.members()
    {'{a|b}': ('a', 'b')}
    """
    limit = read_limit(withhold_at_most)
    divided.refuse_divided(path)
    earlier = releases.read_release(Path(path))
    recoding = owner.read_recoding(Path(path))
    refuse_identifiers(dataset)
    run = run or Run()
    run.withhold_at_most = limit
    method = registry.find(earlier.method)(**owner.read_trace(Path(path))["parameters"])
    with run.phase("apply"):
        result = method.apply(dataset, recoding, earlier, unknown, run)
        trace = dataclasses.replace(result.trace, recoding=recoding, earlier=Path(path))
    result = Result(result.release, trace)
    refuse_excess(result.release, limit)
    ledger = _ledger_of(result)
    ledger.refuse_near(ledger.mark(result.release, people_of(result)), result.release)
    return result


def _ledger_of(result: Result) -> Ledger:
    """Return the batches already published with the recoding of a result."""
    trace, secret = result.trace, result.trace.secret or Secret.fresh()
    if trace.earlier is None:
        return Ledger.begin(secret)
    return read_ledger(trace.earlier) or owner.begin_ledger(trace.earlier, releases.read_release(trace.earlier))


def _enter_ledger(result: Result, out: Path, folder: Path) -> None:
    """Keep what is published by hashes, here and where the recoding comes from, before it appears."""
    ledger = _ledger_of(result)
    batch = ledger.mark(result.release, people_of(result))
    ledger.refuse_near(batch, result.release)
    here = str((out / "owner").resolve())
    ledger = ledger.add(batch)
    ledger = dataclasses.replace(ledger, folders=tuple(dict.fromkeys((*ledger.folders, here))))
    ledger.write(folder)
    ledger.write_everywhere()
