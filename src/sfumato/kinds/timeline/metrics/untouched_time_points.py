"""At how many time points nothing was deleted."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation

__all__ = ["UntouchedTimePoints"]


@dataclasses.dataclass(frozen=True)
class UntouchedTimePoints(Metric):
    """Measure the share of time points that are published as they were.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/4"))
    >>> UntouchedTimePoints().measure(Comparison(data, result.release)).value
    0.5

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 5.
    """

    name: ClassVar[str] = "untouched-time-points"
    title: ClassVar[str] = "Time points published unchanged"
    explanation = "Share of the time points that are published unchanged."
    unit: ClassVar[str] = "of the time points"
    better: ClassVar[Better] = "higher"
    ends: ClassVar[str] = "1: all unchanged, 0: none unchanged"
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 5"
    unchanged: ClassVar[float | str] = 1.0
    monotone: ClassVar[tuple[Operation, ...]] = ("suppress",)

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Count the time points without deletions."""
        timelines = TimelineComparison(comparison)
        touched = int(np.count_nonzero(timelines.removed_by_point))
        emptied = int(((timelines.totals > 0) & (timelines.totals == timelines.removed_by_point)).sum())
        share = 1 - touched / max(len(timelines.before), 1)
        return share, {"time_points_changed": touched, "time_points_emptied": emptied}
