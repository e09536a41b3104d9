"""How far the time that a population spends on activities is from what a release says."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.messages import Message, option
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["WeightedDurations"]


@dataclasses.dataclass(frozen=True)
class WeightedDurations(SummedMetric):
    """Measure how far off the mean time of a population is, by survey weights, when the release is asked.

    Before, the mean is over all people of the original by their weights; after, over all people published, who count
    alike because weights are not published. The value is the relative difference of the means, averaged over all
    activities that occur. ``with_weights`` is the same for someone who knows what the people of every class weigh.

    Examples
    --------
    >>> import sfumato as sf
    >>> days = [["sleep", "work"], ["sleep", "work"], ["sleep", "sleep"], ["sleep", "sleep"]]
    >>> data = sf.Dataset.of("activity", days)
    >>> data = dataclasses.replace(data, weights=np.array([3.0, 3.0, 1.0, 1.0]))
    >>> result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32))
    >>> score = WeightedDurations().measure(Comparison(data, result.release, result.owner_record.rows))
    >>> round(score.value, 4), score.details["with_weights"]
    (0.25, 0.0)
    """

    name: ClassVar[str] = "weighted-durations"
    title: ClassVar[str] = "Change of weighted mean durations"
    explanation = (
        "Relative error of the average time that the population spends on an activity: the original with "
        "survey weights, the release without."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: the same durations, 1: nothing in common"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = "Weights are not published, so means differ even if everything else is exact."
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "Suppressing records may bring the means of the others closer to those of all."

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that the original has no weights."""
        reason = super().obstacle(comparison)
        if reason is None and comparison.original.weights is None:
            return Message("the data have no survey weights; read them with ", option("weight", "COLUMN"), ".")
        return reason

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up the time of people by their weights, and of classes by their people."""
        view, weights = comparison.view(ActivityComparison), comparison.original.weights
        assert weights is not None
        partial = {
            "before": weights @ view.totals,
            "weights": float(weights.sum()),
            "after": view.sizes @ view.class_totals,
            "published": int(view.sizes.sum()),
        }
        if comparison.rows is not None:
            heavy = np.array([weights[group.rows].sum() for group in view.classes()])
            partial |= {"better": heavy @ view.class_totals, "weights_published": float(heavy.sum())}
        return partial

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare weighted means with those of the release."""
        before = partial["before"] / partial["weights"]
        value, largest = _change(before, partial["after"] / max(partial["published"], 1))
        details: dict[str, Any] = {"largest_change": largest}
        if "better" in partial:
            details["with_weights"] = _change(before, partial["better"] / max(partial["weights_published"], 1e-300))[0]
        return value, details


def _change(before: Any, after: Any) -> tuple[float, float]:
    most = np.maximum(before, after)
    used = most > 0
    changes = np.abs(before - after)[used] / most[used]
    return (float(changes.mean()) if len(changes) else 0.0), float(changes.max(initial=0.0))
