"""How much the time spent on each activity differs, person by person and day by day."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.activity.comparison import ActivityComparison, PublishedClass
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Facts, Most, PartialSums

__all__ = ["RelativeDifference"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

_BLOCK = 1 << 22
"""Numbers held at a time."""


@dataclasses.dataclass(frozen=True)
class RelativeDifference(SummedMetric):
    """Measure the mean relative difference of durations, original against published.

    The relative difference of two durations is the distance between them as a share of the larger one, and 0 where both
    are 0. It is averaged over published people, days and the activities that occur: a person is published as the
    class, so what anyone in the class did counts against everybody who did not. Where the release has longer intervals
    than a span asked for, time is taken to be spread equally within them.

    The value is that of days, or of slots where nobody knows what a day is. Details have other spans, and
    ``with_suppressed``, in which people who are left out count as published with nothing.

    Examples
    --------
    >>> RelativeDifference().unit, RelativeDifference().better
    ('', 'lower')

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 4.5.
    """

    name: ClassVar[str] = "relative-difference"
    title: ClassVar[str] = "Relative difference of daily durations"
    explanation = (
        "Relative difference between the time each {one} spends on an activity in a day and the published "
        "mean of its class."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact durations, 1: nothing in common"
    paper: ClassVar[str] = "Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data, Section 4.5"
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "The mean of a larger class may be closer to a record than that of a smaller one."

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        return super().obstacle(comparison) or comparison.obstacle

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up over people, spans and activities, for every length of span."""
        view = comparison.view(ActivityComparison)
        spans = {name: len(view.level_edges(length)) - 1 for name, length in view.levels.items()}
        sums = dict.fromkeys(spans, 0.0)
        for group in view.classes():
            for name, length in view.levels.items():
                sums[name] += _sum_slots(view, group) if length == 1 else _sum_spans(view, group, length)
        return {
            "sums": sums,
            "spans": Facts(spans),
            "activities": Most(view.occurring.sum()),
            "published": len(comparison.release),
            "people": view.people,
            "lost": _sum_suppressed_records(view, comparison, _choose_level(spans)),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average over people, spans and activities."""
        sums, spans, activities = partial["sums"], partial["spans"], max(int(partial["activities"]), 1)
        means = {name: sums[name] / (max(partial["published"], 1) * spans[name] * activities) for name in spans}
        usual = _choose_level(spans)
        everybody = max(partial["people"], 1) * spans[usual] * activities
        return means[usual], {
            **{f"per_{name}": value for name, value in means.items() if name != usual},
            "with_suppressed": (sums[usual] + partial["lost"]) / everybody,
            "activities": activities,
        }


def _choose_level(spans: Mapping[str, int]) -> str:
    return "day" if "day" in spans else "slot"


def _sum_slots(view: ActivityComparison, group: PublishedClass) -> float:
    """Add up differences of slots: a person did one thing, and is published with a share of everything done."""
    assert group.rows is not None
    interval = np.repeat(np.arange(len(view.intervals)), view.intervals)
    published = (group.shares > 0).sum(axis=1)
    total = 0.0
    for row in group.rows:
        own = group.shares[interval, view.codes[row]]
        total += float((1.0 - own).sum() + (published[interval] - (own > 0)).sum())
    return total


def _sum_spans(view: ActivityComparison, group: PublishedClass, length: int) -> float:
    """Add up differences of longer spans, some people at a time."""
    assert group.rows is not None
    edges = view.level_edges(length)
    after = view.published_durations(group.shares, edges)
    step = max(1, _BLOCK // max(after.size, view.slots))
    return sum(
        _sum_differences(view.original_durations(group.rows[first : first + step], edges), after)
        for first in range(0, len(group.rows), step)
    )


def _sum_suppressed_records(view: ActivityComparison, comparison: Comparison, level: str) -> float:
    """Count what people did who are not published; each is lost altogether."""
    rows = np.setdiff1d(np.arange(view.people), comparison.row_map)
    edges = view.level_edges(view.levels[level])
    step = max(1, _BLOCK // max(len(edges) * len(view.labels), view.slots))
    return float(
        sum(
            (view.original_durations(rows[first : first + step], edges) > 0).sum()
            for first in range(0, len(rows), step)
        )
    )


def _sum_differences(before: Longs, after: Floats) -> float:
    """Add up the relative differences of durations to those published for all.

    Examples
    --------
    >>> _sum_differences(np.array([[[4, 0, 0]]]), np.array([[3.0, 1.0, 0.0]]))
    1.25
    """
    most = np.maximum(before, after)
    return float((np.abs(before - after) / np.where(most > 0, most, 1.0)).sum())
