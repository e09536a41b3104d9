"""How much time people spend on activities, before and after."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.data.time_units import UNITS
from sfumato.kinds.activity.comparison import ActivityComparison, choose_activities
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Facts, PartialSums
from sfumato.params import Param

__all__ = ["ActivityDurations"]

_LISTED = 10


@dataclasses.dataclass(frozen=True)
class ActivityDurations(SummedMetric):
    """Measure how far off the mean time spent on activities is when the release is asked.

    Before, the mean is over all people of the original; after, over all people published, each as the mean of the
    class. Classes keep means, so only people who are left out (and rounding) can change them. The value is the relative
    difference of the means, averaged over all activities that occur. Details list the minutes per day of the activities
    that take most time, or of those named; in slots altogether where nobody knows what a day is.

    Examples
    --------
    >>> ActivityDurations(activities="Sleeping, Going Out").parameters()
    {'activities': 'Sleeping, Going Out'}

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 4.7.
    """

    name: ClassVar[str] = "activity-durations"
    title: ClassVar[str] = "Change of mean durations"
    explanation = "Relative error of the average time spent on an activity."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: the same durations, 1: nothing in common"
    paper: ClassVar[str] = "Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data, Section 4.7"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Suppressing records may bring the means of the others closer to those of all."

    activities: Annotated[str | None, Param("Activities to compare, separated by commas.")] = None

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up the time of people, and of classes by their people."""
        view = comparison.view(ActivityComparison)
        unit = comparison.original.time_unit.unit
        scale = 1.0 if unit is None else UNITS[unit] / UNITS["minute"] / view.days
        chosen = choose_activities(view, self.activities, _LISTED)
        return {
            "before": view.totals.sum(axis=0).astype(np.float64),
            "after": view.sizes @ view.class_totals,
            "people": view.people,
            "published": int(view.sizes.sum()),
            "listed": Facts((code, (view.labels[code], scale)) for code in chosen),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare means, and list some of them."""
        before = partial["before"] / max(partial["people"], 1)
        after = partial["after"] / max(partial["published"], 1)
        most = np.maximum(before, after)
        used = most > 0
        changes = np.abs(before - after)[used] / most[used]
        details: dict[str, Any] = {"largest_change": float(changes.max(initial=0.0))}
        for code, (label, scale) in partial["listed"].items():
            details[f"{label}, before"] = float(before[code] * scale)
            details[f"{label}, after"] = float(after[code] * scale)
        return float(changes.mean()) if len(changes) else 0.0, details
