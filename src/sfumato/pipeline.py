"""The whole flow on one screen: read, anonymise, write, verify, measure."""

from __future__ import annotations

import dataclasses
import warnings
from collections.abc import Collection, Iterable, Mapping, Sequence
from importlib.metadata import version
from pathlib import Path
from typing import Any

from sfumato import counting, registry, report
from sfumato.checking import people, together
from sfumato.checking.asked import verify_asked
from sfumato.checking.order import verify_order
from sfumato.checking.risk import Finding, Findings, Risk
from sfumato.checking.structure import READABLE
from sfumato.checking.together import Together
from sfumato.checking.verdict import Verdict
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError, ReleaseWarning, VerificationError
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Scores
from sfumato.core.measuring.workload import Workload
from sfumato.core.method import Method
from sfumato.core.publishing.leftover import warn_of_leftover
from sfumato.core.publishing.secret import Secret
from sfumato.core.publishing.withholding import WITHHOLD_AT_MOST, read_limit, refuse_excess
from sfumato.core.release import Release, Result
from sfumato.core.run import Run
from sfumato.io import frames, releases
from sfumato.io.edited import change_file
from sfumato.io.export import export_release
from sfumato.io.identifiers import look_at_columns, refuse_identifiers
from sfumato.io.memory import Place
from sfumato.io.reading import Reading
from sfumato.io.releases import inventory, owner
from sfumato.io.releases.ledger import Ledger, people_of, read_ledger
from sfumato.io.releases.source import Source, find_kept, find_original, find_place, find_release_in, set_beside
from sfumato.io.releases.stage import staged
from sfumato.report.notebook import Figures

__all__ = [
    "anonymize",
    "apply",
    "attack",
    "attack_beyond",
    "attack_rising",
    "attack_together",
    "draw_workload",
    "estimate",
    "export",
    "inspect",
    "measure",
    "plot",
    "read",
    "reconstruct",
    "verify",
    "write",
]

PathLike = str | Path


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
    """
    run_seconds = result.trace.seconds
    clock = Run()
    with staged(Path(out), force=force) as stage:
        with clock.phase("write"):
            releases.write_release(result.release, stage.release, [Path(path) for path in include])
        with clock.phase("verify"):
            alone = _verify_published(stage.folder)
            verdict = _settle(alone, _verify_with_owner(result, stage.folder, alone))
        if not verdict:
            raise VerificationError(_say_refused(result.release, verdict))
        counted = {name: verdict.measured[name] for name in people.COUNTED if name in verdict.measured}
        result.trace.counters.update(counted)
        with clock.phase("attack"):
            beyond = _attack_result(result)
        if reports and result.trace.original is not None:
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


def _say_refused(release: Release, verdict: Verdict) -> str:
    name = release.guarantee.name
    if not verdict.holds:
        return f"{name}: the release does not keep its claim; {verdict!r}."
    found = "; ".join((*verdict.unsettled, *verdict.undeclared))
    return f"{name}: the release was written, but it is not as a release should be, and was not left on disk: {found}."


def _attack_result(result: Result) -> list[Finding]:
    """Attack what is to be published with more than its promise is about, where the original is at hand."""
    original, release = result.trace.original, result.release
    if original is None:
        return []
    modules = registry.attackers_beyond(release.kind, release.guarantee.knowledge)
    found = [module.attack(release, original, result.trace.rows) for module in modules]
    return [_name_unit(finding, original) for finding in found if finding is not None]


def _verify_with_owner(result: Result, path: Path, alone: Verdict) -> Verdict | None:
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
    """
    place = find_place(source)
    alone = _verify_published(place)
    original = find_original(source, original)
    if original is None or not alone.checks.get(READABLE, True):
        return alone
    release = releases.read_release(place)
    kept = find_kept(source, original)
    counted: Verdict = registry.verifier(release.guarantee).verify_against(release, original, kept.rows)
    counted &= verify_asked(release, original, kept.claim, kept.recoded)
    if kept.rows is not None:
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


def inspect(dataset: Dataset, m: int = 2) -> dict[str, Any]:
    """Say what the data are and how identifying they are as they stand.

    The risks are those of an attacker who knows one piece of everybody, two, and so on up to m: places, items, slots,
    events or attributes, whatever the data are made of.
    """
    attacker = registry.attacker_of_kind(dataset.kind)
    risks = [_name_unit(risk, dataset) for risk in attacker.attack_original(dataset, m)]
    beyond = [module.attack_original(dataset) for module in registry.attackers_beyond(dataset.kind, attacker.KNOWLEDGE)]
    return {
        **dataset.describe(),
        "notes": list(dataset.notes),
        "identifiers": [suspect.to_dict() for suspect in look_at_columns(dataset)],
        "risk": [risk.to_dict() for risk in risks],
        "in_words": [risk.sentence for risk in risks if isinstance(risk, Risk)],
        "beyond": [_name_unit(finding, dataset).to_dict() for finding in beyond if finding is not None],
    }


def attack(source: Source, original: Dataset | None = None) -> Finding:
    """Attack a release, on disk or in memory, with the knowledge its guarantee is about.

    A result knows its original; with a directory or a release, it must be given.
    """
    release, original, rows = set_beside(source, original)
    found = registry.attacker(release.guarantee).attack(release, original, rows)
    return _name_unit(found, original)


def attack_rising(source: Source, original: Dataset | None = None, m: int = 2) -> dict[str, Findings]:
    """Attack the original and its release with ever more knowledge, whatever the guarantee is about.

    Returns what an attacker reaches who knows one piece of everybody, two, and so on up to m, ``before`` and ``after``.
    Where a kind of data has another scale of knowledge, such as the time that was watched, it is that.
    """
    release, original, rows = set_beside(source, original)
    attacker = registry.attacker(release.guarantee)
    if hasattr(attacker, "attack_rising"):
        after = attacker.attack_rising(release, original, m, rows)
    else:
        after = [attacker.attack(release, original, rows)]
    found = {"before": _attack_original(original, m), "after": after}
    return {when: Findings(_name_unit(finding, original) for finding in each) for when, each in found.items()}


def _attack_original(dataset: Dataset, m: int) -> list[Finding]:
    found: list[Finding] = registry.attacker_of_kind(dataset.kind).attack_original(dataset, m)
    return found


def _name_unit(found: Finding, original: Dataset) -> Finding:
    """Say what was attacked in the words of the data."""
    return dataclasses.replace(found, unit=original.unit) if isinstance(found, Risk) else found


def attack_together(first: Source, second: Source, original: Dataset | None = None) -> Together:
    """Say what two releases of the same people give away together that neither does alone.

    With the original that both were made from, people are followed from one to the other; without it, records are
    compared.
    """
    original = find_original(first, original)
    one, other = find_release_in(first), find_release_in(second)
    if (one.kind, one.unit) != (other.kind, other.unit):
        raise ParameterError(
            f"two releases: one is of {one.kind} and one of {other.kind}, or what a record is differs."
        )
    if original is None:
        return together.attack_together(one, other, (None, None))
    rows = set_beside(first, original)[2], set_beside(second, original)[2]
    return together.attack_together(one, other, rows)


def attack_beyond(source: Source, original: Dataset | None = None) -> Findings:
    """Attack a release with the same knowledge and more ways to use it than its guarantee is about."""
    release, original, rows = set_beside(source, original)
    modules = registry.attackers_beyond(release.kind, release.guarantee.knowledge)
    found = [module.attack(release, original, rows) for module in modules]
    return Findings(_name_unit(finding, original) for finding in found if finding is not None)


def measure(
    source: Source,
    original: Dataset | None = None,
    *,
    workload: Workload | None = None,
    seed: int = 0,
    parameters: Mapping[str, object] | None = None,
) -> Scores:
    """Measure what a release is still good for, one score per measure; parameters are those of the measures."""
    release, original, rows = set_beside(source, original)
    return measure_release(Comparison(original, release, rows, seed, workload), parameters)


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
    """
    export_release(find_release_in(source), Path(out), layout, format, force=force)


def plot(source: Source, original: Dataset | None = None) -> Figures:
    """Draw the plots of the report on a release, on disk or in memory, for a notebook: risk before and after, and more.

    They may show labels of places, events and items, and so are for the owner, as the report is.
    """
    release, original, rows = set_beside(source, original)
    comparison = Comparison(original, release, rows)
    return Figures(report.figures(comparison, *_attack_both(comparison)))


def draw_workload(dataset: Dataset, count: int = 100, seed: int = 0) -> Workload:
    """Draw COUNT queries about data of any kind, to be put to any release made of them.

    They are what the kind's own measure asks: subsequences of places, sets of items, conditions on attributes, both
    together, or events, activities and values in ranges of time.
    """
    for metric in registry.metrics_for(dataset.kind, {"queries": count}):
        drawn = metric.draw_workload(dataset, seed)
        if drawn is not None:
            return drawn
    raise ParameterError(f"workload: no measure of {dataset.kind} asks COUNT queries.")


def reconstruct(release: Release | PathLike, *, copies: int = 1, seed: int | None = None) -> list[Dataset]:
    """Draw data sets that could have been the original of a release of separated sets, to be analysed like it."""
    published = find_release_in(release)
    if not registry.has_room(published.kind, "estimate"):
        raise ParameterError("reconstruct: the release publishes records, not chunks. Use its records as they are.")
    drawn: list[Dataset] = registry.find_room(published.kind, "estimate").reconstruct(published, seed, copies)
    return drawn


def estimate(release: Release | PathLike, itemsets: Iterable[Collection[str]]) -> list[dict[str, Any]]:
    """Say how many records hold each itemset: how many certainly do, and how many are to be expected."""
    asked = [tuple(itemset) for itemset in itemsets]
    published = find_release_in(release)
    if not registry.has_room(published.kind, "estimate"):
        offered = [kind for kind in registry.all_kinds() if registry.has_room(kind, "estimate")]
        raise ParameterError(
            f"estimate: this is a release of {published.kind}; itemsets can be counted in releases of "
            f"{', '.join(offered)}."
        )
    room = registry.find_room(published.kind, "estimate")
    certain, expected = room.certain_support(published, asked), room.estimate(published, asked)
    return [
        {"itemset": itemset, "certain": int(sure), "expected": float(likely)}
        for itemset, sure, likely in zip(asked, certain, expected, strict=True)
    ]


def measure_release(comparison: Comparison, parameters: Mapping[str, object] | None = None) -> Scores:
    """Return every score that applies; a measure that was given a parameter has to."""
    asked = set(parameters or ())
    metrics = registry.metrics_for(comparison.release.kind, parameters)
    return Scores(m.measure(comparison) for m in metrics if m.applies(comparison) or asked & m.parameters().keys())


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
    """
    limit = read_limit(withhold_at_most)
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


def write_report(result: Result, path: Path, beyond: Sequence[Finding] = ()) -> None:
    """Write the owner's report on a result whose original is at hand."""
    original = result.trace.original
    assert original is not None
    comparison = Comparison(original, result.release, result.trace.rows)
    before, after, curve = _attack_both(comparison)
    facts = {f"{phase}, seconds": f"{seconds:.2f}" for phase, seconds in result.trace.seconds.items()}
    facts |= {name: f"{count:,}" for name, count in result.trace.counters.items()}
    scores = measure_release(comparison)
    page = report.render(comparison, before, after, scores, facts=facts, beyond=beyond, curve=curve)
    path.write_text(page, encoding="utf-8")


def _attack_both(comparison: Comparison) -> tuple[Finding, Finding, list[tuple[Risk, Risk]]]:
    """Attack the original and its release; where the promise has an m, also with fewer pieces of knowledge."""
    original, release, rows = comparison.original, comparison.release, comparison.rows
    attacker, m = registry.attacker(release.guarantee), getattr(release.guarantee, "m", None)
    found = [_name_unit(each, original) for each in _attack_original(original, m or 2)]
    after = _name_unit(attacker.attack(release, original, rows), original)
    by_m = {each.m: each for each in found if isinstance(each, Risk)}
    curve: list[tuple[Risk, Risk]] = []
    if isinstance(m, int) and m > 1 and isinstance(after, Risk):
        for known in range(1, m):
            claim = dataclasses.replace(release.guarantee, m=known)  # type: ignore[call-arg]
            less = attacker.attack(dataclasses.replace(release, guarantee=claim), original, rows)
            curve.append((by_m[known], dataclasses.replace(less, unit=original.unit)))
        curve.append((by_m[m], after))
    return found[-1], after, curve


def save_plots(
    path: PathLike, original: Dataset, folder: PathLike, form: str = "html", *, force: bool = False
) -> list[Path]:
    """Draw what the owner's report shows of a release, each figure as a file of its own.

    Parameters
    ----------
    path
        The release.
    original
        What it was made from.
    folder
        Where the files go. Plots show the original: they are the owner's, and are not written into ``release/``.
    form
        ``html`` (with details under the pointer), ``png``, ``svg`` or ``pdf``; none of them needs a network.
    force
        Whether to replace plots that are there.
    """
    from sfumato.report.figure import FORMATS

    if form not in FORMATS:
        raise ParameterError(f"plot: the format must be one of {', '.join(FORMATS)}, got {form!r}.")
    published, target = Path(str(releases.find_release(Path(path)))).resolve(), Path(folder).resolve()
    if target.exists() and not target.is_dir():
        raise ParameterError("plot: a file has the name of the folder for the plots. Name another folder.")
    if target == published or published in target.parents:
        raise ParameterError("plot: plots show the original data and must not lie in release/. Name another folder.")
    release, original, rows = set_beside(path, original)
    comparison = Comparison(original, release, rows)
    drawn = report.figures(comparison, *_attack_both(comparison))
    there = [f"{name}.{form}" for name in drawn if (target / f"{name}.{form}").exists()]
    if there and not force:
        raise ParameterError(f"plot: {there[0]} is there already. Name another folder, or replace it (force).")
    target.mkdir(parents=True, exist_ok=True)
    return report.save_plots(drawn, target, form)
