"""What comes after what: how much of it the release still tells."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Most, PartialSums
from sfumato.params import Param

__all__ = ["ActivityTransitions"]

Floats = npt.NDArray[np.float64]

_PEOPLE = 64


@dataclasses.dataclass(frozen=True)
class ActivityTransitions(SummedMetric):
    """Measure how far off the chances are that someone who does one thing does another thing some time later.

    Before, all moments that lie so far apart are counted, for everybody. A release of class averages does not say who
    did what twice: nothing links the people of one interval to those of the next. After, the two activities are
    therefore taken as independent of each other within a class, which is the best a receiver can do, and too little for
    activities that people stay with. The value is the total variation distance between the two tables of activity and
    later activity: 0 where they agree, 1 where they have nothing in common. Details say how often people did the same
    thing both times.

    The distance in time is that of `step` published intervals; anything shorter is not in the release at all.

    Examples
    --------
    >>> ActivityTransitions(step=0)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: ActivityTransitions: step must be at least 1, got 0.
    """

    name: ClassVar[str] = "activity-transitions"
    title: ClassVar[str] = "Change of transitions between activities"
    explanation = "Change of the probability that one activity follows another, an interval later."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: the same transitions, 1: none in common"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "Probabilities under independence may be right for a larger class by chance."

    step: Annotated[int, Param("Number of published intervals between the two activities.", ge=1)] = 1

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        if (reason := super().obstacle(comparison)) is not None:
            return reason
        intervals = comparison.view(ActivityComparison).intervals
        if len(intervals) <= self.step:
            return f"needs more than {self.step} published intervals, got {len(intervals)}."
        return None if (intervals[:-1] == intervals[0]).all() else "needs published intervals of equal length."

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count pairs of activities, and expect them."""
        view = comparison.view(ActivityComparison)
        apart = self.step * int(view.intervals[0])
        return {"before": _count_pairs(view, apart), "after": _expect_pairs(view, self.step), "apart": Most(apart)}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the two tables."""
        before = partial["before"] / max(partial["before"].sum(), 1.0)
        after = partial["after"] / max(partial["after"].sum(), 1e-300)
        return float(np.abs(before - after).sum()) / 2, {
            "same_before_share": float(np.trace(before)),
            "same_after_share": float(np.trace(after)),
            "slots_apart": int(partial["apart"]),
        }


def _count_pairs(view: ActivityComparison, apart: int) -> Floats:
    """Return how often pairs of activities are so many slots apart, over everybody."""
    width = len(view.labels)
    counts = np.zeros(width * width)
    for first in range(0, view.people, _PEOPLE):
        codes = view.codes[first : first + _PEOPLE].astype(np.int64)
        pairs = codes[:, :-apart] * width + codes[:, apart:]
        counts += np.bincount(pairs.reshape(-1), minlength=width * width)
    return counts.reshape(width, width)


def _expect_pairs(view: ActivityComparison, step: int) -> Floats:
    """Return what to expect where nothing but its class is known of a person."""
    # The last interval may be shorter: its time counts once at the end, and less before it.
    weights = np.minimum(view.intervals[:-step], view.intervals[step:])
    table = np.zeros((len(view.labels), len(view.labels)))
    for group in view.classes():
        table += group.size * (group.shares[:-step] * weights[:, None]).T @ group.shares[step:]
    return table
