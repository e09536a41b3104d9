"""What data and releases risk, what they are still good for, and how that is shown."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato import plugins, reports
from sfumato.api.aggregate import (
    attack_original,
    attack_with_less,
    combine_attacks,
    describe_untested,
    evaluate_partitions,
    measure_partitions,
    name_unit,
    unite_findings,
)
from sfumato.attacks import pairs
from sfumato.attacks.inference import find_inferences
from sfumato.attacks.pairs import PairFinding
from sfumato.attacks.risk import Finding, Findings, FindingsByKnowledge, Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Scores
from sfumato.metrics.retained_detail import FEW, RetainedDetail, find_retained, judge_retained
from sfumato.metrics.utility_warning import judge_usefulness
from sfumato.metrics.workload import Workload
from sfumato.progress import report_phase, report_progress, track
from sfumato.readers.identifiers import detect_identifiers
from sfumato.release import storage
from sfumato.release.locate import (
    Source,
    find_original,
    find_release_in,
    is_divided,
    pick_partitions_beside,
    read_partitions,
    set_beside,
    set_partitions_beside,
)
from sfumato.release.release import Release, Result
from sfumato.reports.html import Figures

if TYPE_CHECKING:
    from sfumato.reports.figure import Figure

__all__ = [
    "attack",
    "attack_beyond",
    "attack_both",
    "attack_more",
    "attack_rising",
    "attack_together",
    "draw_workload",
    "inspect",
    "measure",
    "measure_release",
    "plot",
    "reconstruct",
    "save_plots",
    "sum_up_attacks",
    "write_report",
]

PathLike = str | Path
Ints = npt.NDArray[np.int64]


def inspect(dataset: Dataset, m: int = 2) -> dict[str, Any]:
    """Say what the data are and how identifying they are as they stand.

    The risks are those of an attacker who knows one piece of everybody, two, and so on up to m: places, items, slots,
    events or attributes, whatever the data are made of.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> inspect(data)["risk"][0]["smallest_anonymity_set"]
    1
    """
    attacker = plugins.find_original_attacker(dataset.kind)
    with report_phase("inspect"):
        risks = [name_unit(risk, dataset) for risk in attacker.attack_original(dataset, m)]
        more = plugins.find_stronger_attackers(dataset.kind, attacker.KNOWLEDGE)
        stronger = [module.attack_original(dataset) for module in more]
    return {
        **dataset.describe(),
        "notes": [note.message for note in dataset.notes],
        "identifiers": [suspect.to_dict() for suspect in detect_identifiers(dataset)],
        "doubts": [doubt.message for doubt in dataset.doubts],
        "risk": [risk.to_dict() for risk in risks],
        "in_words": [risk.sentence for risk in risks if isinstance(risk, Risk)],
        "beyond": [name_unit(finding, dataset).to_dict() for finding in stronger if finding is not None],
    }


def attack(source: Source, original: Dataset | None = None) -> Finding:
    """Attack a release, on disk or in memory, with the knowledge its guarantee is about.

    A result knows its original; with a directory or a release, it must be given.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> attack(result).smallest_anonymity_set
    2
    """
    findings = [
        name_unit(plugins.find_attacker(release.guarantee).attack(release, dataset, rows), dataset)
        for release, dataset, rows in set_partitions_beside(source, original)
    ]
    return unite_findings(findings)


def attack_rising(source: Source, original: Dataset | None = None, m: int = 2) -> FindingsByKnowledge:
    """Attack the original and its release with ever more knowledge, whatever the guarantee is about.

    Returns what an attacker reaches who knows one piece of everybody, two, and so on up to m, ``before`` and ``after``.
    Where a kind of data has another scale of knowledge, such as the time that was watched, it is that.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> {when: [risk.mean_success for risk in found] for when, found in attack_rising(result).items()}
    {'before': [1.0, 1.0], 'after': [0.5, 0.5]}
    """
    partitions: list[list[Finding]] = []
    for release, dataset, rows in set_partitions_beside(source, original):
        attacker = plugins.find_attacker(release.guarantee)
        partitions.append(list(attacker.attack_by_knowledge(release, dataset, m, rows)))
    whole = find_original(source, original)
    assert whole is not None
    after = [unite_findings(level) for level in zip(*partitions, strict=True)]
    by_time = {"before": attack_original(whole, m), "after": after}
    named = {when: Findings(name_unit(finding, whole) for finding in findings) for when, findings in by_time.items()}
    return FindingsByKnowledge(named)


def attack_together(first: Source, second: Source, original: Dataset | None = None) -> PairFinding:
    """Say what two releases of the same people give away together that neither does alone.

    With the original that both were made from, people are followed from one to the other; without it, records are
    compared.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> attack_together(result, sf.anonymize(data, sf.methods.Mondrian(k=4))).only_in_second
    4
    """
    original = find_original(first, original)
    partitions, other = (list(_list_partitions(source, original)) for source in (first, second))
    (mine, _), (yours, _) = partitions[0], other[0]
    if (mine.kind, mine.unit) != (yours.kind, yours.unit):
        raise ParameterError(
            f"two releases: one is of {mine.kind} and one of {yours.kind}, or what a record is differs."
        )
    return pairs.attack_pair(partitions, other)


def _list_partitions(source: Source, original: Dataset | None) -> Iterator[tuple[Release, Ints | None]]:
    """Yield a release, or each of its partitions, and the rows of the original that its records have, if known."""
    if original is None:
        for release in read_partitions(source):
            yield release, None
        return
    for release, _, rows, chosen in pick_partitions_beside(source, original):
        yield release, None if rows is None else chosen[rows]


def sum_up_attacks(source: Source, original: Dataset | None, risk: Finding, stronger: Sequence[Finding]) -> Remaining:
    """Return what remains possible by the attacks on a release that were made, and by its published files.

    Parameters
    ----------
    source, original
        The release, on disk or in memory, and what it was made from.
    risk
        What :func:`attack` found.
    stronger
        What :func:`attack_beyond` found.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> sum_up_attacks(result, data, attack(result), attack_beyond(result))
    Remaining(Uniqueness for someone who knows more than the guarantee covers was not tested.)
    """
    partitions = list(read_partitions(source))
    remaining = Remaining.unite(find_inferences(partition, {}) for partition in partitions).refine(
        combine_attacks(risk, stronger)
    )
    return remaining.refine(describe_untested(partitions[0], original, stronger))


def attack_beyond(source: Source, original: Dataset | None = None) -> Findings:
    """Attack a release with the same knowledge and more ways to use it than its guarantee is about.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> attack_beyond(result)
    There is no attacker of this sort.
    """
    by_module: dict[str, list[Finding]] = {}
    for release, dataset, rows in set_partitions_beside(source, original):
        modules = plugins.find_stronger_attackers(release.kind, release.guarantee.knowledge)
        for module in track("attack with more", modules):
            finding = module.attack(release, dataset, rows)
            if finding is not None:
                by_module.setdefault(module.__name__, []).append(name_unit(finding, dataset))
    return Findings(unite_findings(findings) for findings in by_module.values())


def measure(
    source: Source,
    original: Dataset | None = None,
    *,
    workload: Workload | None = None,
    seed: int = 0,
    parameters: Mapping[str, object] | None = None,
) -> Scores:
    """Measure what a release is still good for, one score per measure; parameters are those of the measures.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> measure(result)["average-class-size"].value
    1.0
    """
    if not is_divided(source):
        release, dataset, rows = set_beside(source, original)
        return measure_release(Comparison(dataset, release, rows, seed, workload), parameters)
    given = find_original(source, original)
    if given is None:
        raise ParameterError("original is missing. Give the data that the release was made from, as sf.read returns.")
    scores = measure_partitions(source, FullOriginal(given, seed, workload), parameters).scores()
    scores.remaining = judge_usefulness(scores)
    return scores


def plot(source: Source, original: Dataset | None = None) -> Figures:
    """Draw the plots of the report on a release, on disk or in memory, for a notebook: risk before and after, and more.

    They may show labels of places, events and items, and so are for the owner, as the report is.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> "anonymity-sets" in plot(result)
    True
    """
    return Figures(_draw(source, original))


def _draw(source: Source, original: Dataset | None) -> dict[str, Figure]:
    """Draw the figures of the report on a release, in one piece or in partitions."""
    if is_divided(source) and original is not None:
        from sfumato.reports.partitioned import draw_divided

        return draw_divided(evaluate_partitions(str(source), original, scored=False))
    release, original, rows = set_beside(source, original)
    comparison = Comparison(original, release, rows)
    return reports.figures(comparison, *attack_both(comparison))


def draw_workload(dataset: Dataset, count: int = 100, seed: int = 0) -> Workload:
    """Draw COUNT queries about data of any kind, to be put to any release made of them.

    They are what the kind's own measure asks: subsequences of places, sets of items, conditions on attributes, both
    together, or events, activities and values in ranges of time.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (21, "f"), (30, "m"), (31, "m")], ("age", "sex"))
    >>> len(draw_workload(data, count=5).queries)
    5
    """
    for metric in plugins.metrics_for(dataset.kind, {"queries": count}):
        drawn = metric.draw_workload(dataset, seed)
        if drawn is not None:
            return drawn
    raise ParameterError(f"workload: no measure of {dataset.kind} asks COUNT queries.")


def reconstruct(release: Release | PathLike, *, copies: int = 1, seed: int | None = None) -> list[Dataset]:
    """Draw data sets that could have been the original of a release of separated sets, to be analysed like it.

    Examples
    --------
    >>> import sfumato as sf
    >>> baskets = sf.Dataset.of("sets", [["tea", "rye"], ["tea", "rye"], ["tea", "jam"], ["tea", "jam"]])
    >>> release = sf.anonymize(baskets, sf.methods.Disassociation(k=2, m=2), secret=bytes(32)).release
    >>> len(reconstruct(release, copies=3, seed=1))
    3
    """
    published = find_release_in(release)
    draw = plugins.find_kind(published.kind).reconstruct
    if draw is None:
        raise ParameterError("reconstruct: the release publishes records, not chunks. Use its records.")
    return draw.load()(published, seed, copies)


def measure_release(
    comparison: Comparison, parameters: Mapping[str, object] | None = None, retained: RetainedDetail | None = None
) -> Scores:
    """Return every score that applies, with what they say of the use of the release.

    A measure that was given a parameter has to apply. What is left of the original is counted where it is not given.
    """
    requested = set(parameters or ())
    metrics = plugins.metrics_for(comparison.release.kind, parameters)
    wanted = [m for m in metrics if m.applies(comparison) or requested & m.parameters().keys()]
    scores = Scores(metric.measure(comparison) for metric in track("measure", wanted))
    left = retained or find_retained(comparison.original, comparison.release)
    if len(comparison.original) >= FEW:
        useful = judge_usefulness(scores, left.advice if left is not None else "")
        scores.remaining = Remaining.of([judge_retained(left)]).refine(useful)
    return scores


def write_report(
    result: Result, path: Path, remaining: Remaining = NOTHING, stronger: Sequence[Finding] = ()
) -> Remaining:
    """Write the owner's report on a result whose original is at hand; return what remains possible by all it found.

    Parameters
    ----------
    result
        The release with its trace.
    path
        The file.
    remaining
        What is known to remain possible.
    stronger
        What attackers found who know or do more.
    """
    original, release = result.owner_record.original, result.release
    assert original is not None
    comparison = Comparison(original, release, result.owner_record.rows)
    report_progress("report: attack before and after", 0, 0)
    before, after, curve = attack_both(comparison)
    facts = {f"{phase}, seconds": f"{seconds:.2f}" for phase, seconds in result.owner_record.seconds.items()}
    facts |= {name: f"{count:,}" for name, count in result.owner_record.counters.items()}
    report_progress("report: measure", 0, 0)
    scores = measure_release(comparison)
    refined = remaining.refine(combine_attacks(after, stronger)).refine(scores.remaining)
    report_progress("report: draw", 0, 0)
    page = reports.render(
        comparison, before, after, scores, remaining=refined, facts=facts, stronger=stronger, curve=curve
    )
    path.write_text(page, encoding="utf-8")
    return refined


def attack_both(comparison: Comparison) -> tuple[Finding, Finding, list[tuple[Risk, Risk]]]:
    """Attack the original and its release; where the promise has an m, also with fewer pieces of knowledge."""
    original, m = comparison.original, getattr(comparison.release.guarantee, "m", None)
    findings = [name_unit(finding, original) for finding in attack_original(original, m or 2)]
    by_m = {finding.m: finding for finding in findings if isinstance(finding, Risk)}
    risks = list(attack_with_less(comparison))
    curve = [(by_m[pieces], risk) for pieces, risk in risks if pieces is not None and isinstance(risk, Risk)]
    return findings[-1], risks[-1][1], curve


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
    from sfumato.reports.figure import FORMATS

    if form not in FORMATS:
        raise ParameterError(f"plot: the format must be one of {', '.join(FORMATS)}, got {form!r}.", option="as")
    published, target = Path(str(storage.find_release(Path(path)))).resolve(), Path(folder).resolve()
    if target.exists() and not target.is_dir():
        raise ParameterError("plot: the folder for the plots is a file. Use another folder.")
    if target == published or published in target.parents:
        raise ParameterError("plot: plots show the original data and do not belong in release/. Use another folder.")
    drawn = _draw(path, original)
    there = [f"{name}.{form}" for name in drawn if (target / f"{name}.{form}").exists()]
    if there and not force:
        raise ParameterError(
            f"plot: {there[0]} already exists.",
            hint=Message("Use another folder, or replace it: ", option("force", True), "."),
        )
    target.mkdir(parents=True, exist_ok=True)
    return reports.save_plots(drawn, target, form)


def attack_more(release: Release, original: Dataset | None, rows: Ints | None) -> Findings:
    """Attack a release with more than its promise is about, where the original is at hand."""
    if original is None:
        return Findings()
    modules = plugins.find_stronger_attackers(release.kind, release.guarantee.knowledge)
    findings = [module.attack(release, original, rows) for module in modules]
    return Findings(name_unit(finding, original) for finding in findings if finding is not None)
