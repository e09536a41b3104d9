"""Releases in parts, looked at one part after another and told of as one: attacked, measured, counted and drawn."""

from __future__ import annotations

import dataclasses
import functools
from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato import registry
from sfumato.checking.risk import Finding, Risk, unite_risks
from sfumato.core.dataset import Dataset
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.tally import Tally, add_tallies
from sfumato.core.measuring.uniting import Union
from sfumato.core.measuring.whole import Whole
from sfumato.core.progress import tell, track
from sfumato.core.publishing.leftover import warn_of_leftover
from sfumato.core.selection import take_rows
from sfumato.io.releases.source import Source, pick_parts_beside, read_divided_from

if TYPE_CHECKING:
    from sfumato.report.divided import Divided

__all__ = [
    "attack_original",
    "attack_with_less",
    "compare_parts",
    "look_at_parts",
    "measure_parts",
    "name_unit",
    "unite_findings",
    "write_parts_report",
]


def compare_parts(source: Source, whole: Whole) -> Iterator[Comparison]:
    """Set every part of a release beside its people, one at a time; a release in one piece is the only part."""
    for number, (release, known, rows, chosen) in enumerate(pick_parts_beside(source, whole.original)):
        yield Comparison(known, release, rows, whole.seed, whole.workload, whole, chosen, number)


def measure_parts(source: Source, whole: Whole, parameters: Mapping[str, object] | None = None) -> Union:
    """Let every measure count in the parts of a release, one after another."""
    union = Union(registry.metrics_for(whole.original.kind, parameters), whole, tuple(parameters or ()))
    for comparison in track("measure", compare_parts(source, whole)):
        union.add(comparison)
    return union


def unite_findings(found: Sequence[Any]) -> Finding:
    """Return what an attacker found in all parts of a release, from counts and not from means."""
    risks = [finding for finding in found if isinstance(finding, Risk)]
    if len(risks) == len(found) > 1:
        return unite_risks(risks)
    united: Finding = functools.reduce(lambda one, other: one.join(other), found)
    return united


def name_unit(found: Finding, original: Dataset) -> Finding:
    """Say what was attacked in the words of the data."""
    return dataclasses.replace(found, unit=original.unit) if isinstance(found, Risk) else found


def attack_original(dataset: Dataset, m: int) -> list[Finding]:
    found: list[Finding] = registry.attacker_of_kind(dataset.kind).attack_original(dataset, m)
    return found


def attack_with_less(comparison: Comparison) -> Iterator[tuple[int | None, Finding]]:
    """Attack a release with what its promise is about; where that has an m, also with fewer pieces of knowledge."""
    original, release, rows = comparison.original, comparison.release, comparison.rows
    attacker, m = registry.attacker(release.guarantee), getattr(release.guarantee, "m", None)
    after = name_unit(attacker.attack(release, original, rows), original)
    if not isinstance(m, int) or m < 2 or not isinstance(after, Risk):
        yield None, after
        return
    for known in range(1, m):
        claim = dataclasses.replace(release.guarantee, m=known)  # type: ignore[call-arg]
        less = attacker.attack(dataclasses.replace(release, guarantee=claim), original, rows)
        yield known, dataclasses.replace(less, unit=original.unit)
    yield m, after


def write_parts_report(folder: Path, original: Dataset, path: Path, facts: Mapping[str, str]) -> None:
    """Write the owner's report on a release in parts, looking at one part after another."""
    from sfumato.report.divided import render_divided

    seen = look_at_parts(folder, original)
    tell("report: draw", 0, 0)
    path.write_text(render_divided(seen, facts), encoding="utf-8")


def look_at_parts(folder: str | Path, original: Dataset, *, scored: bool = True) -> Divided:
    """Attack, measure and count every part of a release once, and unite what was found.

    Measures and attackers that go beyond the promise are left out unless they are asked for.
    """
    from sfumato.report.divided import Divided

    divided = read_divided_from(folder)
    room, m = registry.find_room(divided.kind, "report"), getattr(divided.guarantee, "m", None)
    union = Union(registry.metrics_for(divided.kind) if scored else [], Whole(original))
    tally: Tally = {}
    risks, beyond, little = defaultdict[int | None, list[Finding]](list), defaultdict[str, list[Finding]](list), []
    for comparison in track("report: look at parts", compare_parts(folder, union.whole), len(divided.parts)):
        union.add(comparison)
        tally = add_tallies(tally, room.count_part(comparison))
        assert comparison.chosen is not None
        # An attacker of a part knows of nobody else.
        alone = dataclasses.replace(comparison, original=take_rows(original, comparison.chosen))
        little += [text] if (text := warn_of_leftover(alone.original, alone.release)) is not None else []
        for fewer, finding in attack_with_less(alone):
            risks[fewer].append(finding)
        for name, more in _attack_beyond(alone) if scored else ():
            beyond[name].append(more)
    tell("report: attack before", 0, 0)
    before: list[Any] = [name_unit(each, original) for each in attack_original(original, m or 2)]
    after: dict[Any, Any] = {fewer: unite_findings(found) for fewer, found in risks.items()}
    by_m = {each.m: each for each in before if isinstance(each, Risk)}
    tell("report: measure", 0, 0)
    return Divided(
        union.whole,
        divided,
        before[-1],
        after[None] if None in after else after[m],
        [] if None in after else [(by_m[fewer], after[fewer]) for fewer in sorted(after)],
        [unite_findings(found) for found in beyond.values()],
        union.scores(),
        tally,
        _warn_of_little(little, len(divided.parts)),
    )


def _attack_beyond(comparison: Comparison) -> Iterator[tuple[str, Finding]]:
    """Attack a part with more than its promise is about."""
    release, original = comparison.release, comparison.original
    for module in registry.attackers_beyond(release.kind, release.guarantee.knowledge):
        found = module.attack(release, original, comparison.rows)
        if found is not None:
            yield module.__name__, name_unit(found, original)


def _warn_of_little(said: Sequence[str], parts: int) -> Sequence[str]:
    """Say of how many parts little is left, and what that means for one of them."""
    if not said:
        return ()
    return [f"In {len(said):,} of {parts:,} parts little is left; of one of them: {said[0].partition(': ')[2]}"]
