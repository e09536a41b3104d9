"""Partitioned releases, one partition after another and told of as one: attacked, measured, counted and drawn."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato import plugins
from sfumato.attacks.risk import Finding, Risk, unite_risks
from sfumato.base.remaining import NOTHING, Possibility, Remaining
from sfumato.data.dataset import Dataset
from sfumato.data.kind import require
from sfumato.data.select import take_rows
from sfumato.metrics.aggregate import Union
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.partial_sums import PartialSums, add_partial_sums
from sfumato.metrics.retained_detail import find_retained, judge_retained, merge_retained
from sfumato.metrics.utility_warning import judge_usefulness
from sfumato.progress import report_progress, track
from sfumato.release.locate import Source, pick_partitions_beside, read_divided_from

if TYPE_CHECKING:
    from sfumato.reports.partitioned import Divided

__all__ = [
    "attack_original",
    "attack_with_less",
    "combine_attacks",
    "compare_partitions",
    "describe_untested",
    "evaluate_partitions",
    "measure_partitions",
    "name_unit",
    "unite_findings",
    "write_partitions_report",
]


def compare_partitions(source: Source, full_original: FullOriginal) -> Iterator[Comparison]:
    """Set every partition of a release beside its people, one at a time; a whole release is the only partition."""
    for number, (release, original, rows, chosen) in enumerate(pick_partitions_beside(source, full_original.original)):
        yield Comparison(
            original, release, rows, full_original.seed, full_original.workload, full_original, chosen, number
        )


def measure_partitions(
    source: Source, full_original: FullOriginal, parameters: Mapping[str, object] | None = None
) -> Union:
    """Let every measure count in the partitions of a release, one after another."""
    union = Union(plugins.metrics_for(full_original.original.kind, parameters), full_original, tuple(parameters or ()))
    for comparison in track("measure", compare_partitions(source, full_original)):
        union.add(comparison)
    return union


def unite_findings(findings: Sequence[Any]) -> Finding:
    """Return what an attacker found in all partitions of a release, from counts and not from means."""
    risks = [finding for finding in findings if isinstance(finding, Risk)]
    if len(risks) == len(findings) > 1:
        return unite_risks(risks)
    merged: Finding = functools.reduce(lambda joined, other: joined.join(other), findings)
    return merged


def name_unit(finding: Finding, original: Dataset) -> Finding:
    """Say what was attacked in the words of the data."""
    return dataclasses.replace(finding, unit=original.unit) if isinstance(finding, Risk) else finding


def attack_original(dataset: Dataset, m: int) -> list[Finding]:
    return list(plugins.find_original_attacker(dataset.kind).attack_original(dataset, m))


def attack_with_less(comparison: Comparison) -> Iterator[tuple[int | None, Finding]]:
    """Attack a release with what its promise is about; where that has an m, also with fewer pieces of knowledge."""
    original, release, rows = comparison.original, comparison.release, comparison.rows
    attacker, m = plugins.find_attacker(release.guarantee), getattr(release.guarantee, "m", None)
    after = name_unit(attacker.attack(release, original, rows), original)
    if not isinstance(m, int) or m < 2 or not isinstance(after, Risk):
        yield None, after
        return
    for fewer in range(1, m):
        guarantee = dataclasses.replace(release.guarantee, m=fewer)  # type: ignore[call-arg]
        less = attacker.attack(dataclasses.replace(release, guarantee=guarantee), original, rows)
        yield fewer, name_unit(less, original)
    yield m, after


def write_partitions_report(
    folder: Path, original: Dataset, path: Path, facts: Mapping[str, str], remaining: Remaining
) -> Remaining:
    """Write the owner's report on a release in partitions, looking at one partition after another.

    Return what remains possible: what was known of it before, and what was found.
    """
    from sfumato.reports.partitioned import render_divided

    seen = evaluate_partitions(folder, original)
    report_progress("report: draw", 0, 0)
    refined = remaining.refine(combine_attacks(seen.after, seen.stronger)).refine(seen.scores.remaining)
    path.write_text(render_divided(seen, facts, refined), encoding="utf-8")
    return refined


def evaluate_partitions(folder: str | Path, original: Dataset, *, scored: bool = True) -> Divided:
    """Attack, measure and count every partition of a release once, and unite what was found.

    Measures and attackers that go beyond the promise are left out unless they are asked for.
    """
    from sfumato.reports.partitioned import Divided

    divided = read_divided_from(folder)
    report, m = require(plugins.find_kind(divided.kind).partitions_report), getattr(divided.guarantee, "m", None)
    union = Union(plugins.metrics_for(divided.kind) if scored else [], FullOriginal(original))
    counts: PartialSums = {}
    risks, stronger = defaultdict[int | None, list[Finding]](list), defaultdict[str, list[Finding]](list)
    low_utility: list[Possibility] = []
    for comparison in track(
        "report: look at partitions", compare_partitions(folder, union.full_original), len(divided.partitions)
    ):
        union.add(comparison)
        counts = add_partial_sums(counts, report.count_partition(comparison))
        assert comparison.chosen is not None
        # An attacker of a partition knows of nobody else.
        alone = dataclasses.replace(comparison, original=take_rows(original, comparison.chosen))
        low_utility += Remaining.of([judge_retained(find_retained(alone.original, alone.release))])
        for fewer, finding in attack_with_less(alone):
            risks[fewer].append(finding)
        for name, more in _attack_stronger(alone) if scored else ():
            stronger[name].append(more)
    report_progress("report: attack before", 0, 0)
    before: list[Any] = [name_unit(risk, original) for risk in attack_original(original, m or 2)]
    after: dict[Any, Any] = {fewer: unite_findings(findings) for fewer, findings in risks.items()}
    by_m = {risk.m: risk for risk in before if isinstance(risk, Risk)}
    report_progress("report: measure", 0, 0)
    scores = union.scores()
    scores.remaining = Remaining.of([merge_retained(low_utility, len(divided.partitions))]).refine(
        judge_usefulness(scores)
    )
    return Divided(
        union.full_original,
        divided,
        before[-1],
        after[None] if None in after else after[m],
        [] if None in after else [(by_m[fewer], after[fewer]) for fewer in sorted(after)],
        [unite_findings(findings) for findings in stronger.values()],
        scores,
        counts,
    )


def _attack_stronger(comparison: Comparison) -> Iterator[tuple[str, Finding]]:
    """Attack a partition with more than its promise is about."""
    release, original = comparison.release, comparison.original
    for module in plugins.find_stronger_attackers(release.kind, release.guarantee.knowledge):
        finding = module.attack(release, original, comparison.rows)
        if finding is not None:
            yield module.__name__, name_unit(finding, original)


def combine_attacks(risk: Finding | None, stronger: Sequence[Finding]) -> Remaining:
    """Return what remains possible by an attack with the knowledge of the promise, and by those that go beyond it.

    Where the latter name columns, what the former says of sensitive values in general is said already.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [(20, "flu"), (21, "flu"), (30, "flu"), (31, "cold")]
    >>> data = sf.Dataset.of("table", rows, ("age", "ill"), sensitive=("ill",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2))
    >>> [(one.topic, one.about) for one in combine_attacks(sf.attack(result), sf.attack_beyond(result))]
    [('inference', 'ill'), ('uniqueness', 'ill')]
    """
    more = Remaining.collect(stronger)
    named = any(possibility.topic == "inference" for possibility in more)
    general = Remaining.collect([] if risk is None else [risk])
    return Remaining.of(
        possibility for possibility in general if not (named and possibility.topic == "inference")
    ).refine(more)


def describe_untested(release: Any, original: Dataset | None, stronger: Sequence[Finding]) -> Remaining:
    """Say that nobody with more knowledge than the promise is about was tried, where nobody was.

    Parameters
    ----------
    release
        A release, or what is said of one in partitions.
    original
        What it was made from, where it is known.
    stronger
        What attackers found who know or do more.
    """
    if any(possibility.topic == "uniqueness" for possibility in Remaining.collect(stronger)):
        return NOTHING
    m = getattr(release.guarantee, "m", None)
    wording, remedy = "Uniqueness for someone who knows more than the guarantee covers was not tested.", ""
    if original is None:
        remedy = "Give the original as well, to verify or to attack."
    elif not plugins.find_stronger_attackers(release.kind, release.guarantee.knowledge):
        wording = f"No attacker for {release.kind} knows more than the guarantee covers; that was not tested."
        if isinstance(m, int) and hasattr(plugins.find_attacker(release.guarantee), "attack_by_knowledge"):
            remedy = f"Attack with more pieces of knowledge (m={m + 1})."
    return Remaining((Possibility("uniqueness", "", "note", wording, remedy),))
