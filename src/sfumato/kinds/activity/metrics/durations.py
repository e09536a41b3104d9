"""How much time people spend on activities, before and after."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.core.clock import UNITS
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Better, Metric, Operation
from sfumato.core.params import Param
from sfumato.kinds.activity.comparison import ActivityComparison, choose_activities

__all__ = ["METRIC", "ActivityDurations"]

_LISTED = 10


@dataclasses.dataclass(frozen=True)
class ActivityDurations(Metric):
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
    explanation = "How far off the average time spent on an activity is when the release is asked."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = "Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data, Section 4.7"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Withholding records may bring the means of the others closer to those of everybody."

    activities: Annotated[str | None, Param("Activities to list, separated by commas.")] = None

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Compare means, and list some of them."""
        found = comparison.view(ActivityComparison)
        before = found.totals.mean(axis=0) if found.people else np.zeros(len(found.labels))
        weights = found.sizes / max(int(found.sizes.sum()), 1)
        after = weights @ found.class_totals
        most = np.maximum(before, after)
        used = most > 0
        changes = np.abs(before - after)[used] / most[used]
        unit = comparison.original.clock.unit
        scale = 1.0 if unit is None else UNITS[unit] / UNITS["minute"] / found.days
        details: dict[str, Any] = {"largest_change": float(changes.max(initial=0.0))}
        for code in choose_activities(found, self.activities, _LISTED):
            details[f"{found.labels[code]}, before"] = float(before[code] * scale)
            details[f"{found.labels[code]}, after"] = float(after[code] * scale)
        return float(changes.mean()) if len(changes) else 0.0, details


METRIC = ActivityDurations
