"""What comes after what: how much of it the release still tells."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Better, Metric, Operation
from sfumato.core.params import Param
from sfumato.kinds.activity.comparison import ActivityComparison

__all__ = ["METRIC", "ActivityTransitions"]

Floats = npt.NDArray[np.float64]

_PEOPLE = 64


@dataclasses.dataclass(frozen=True)
class ActivityTransitions(Metric):
    """Measure how far off the chances are that somebody who does one thing does another thing some time later.

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
    sfumato.core.errors.ParameterError: ActivityTransitions: step must be at least 1, got 0.
    """

    name: ClassVar[str] = "activity-transitions"
    title: ClassVar[str] = "Change of what follows what"
    explanation = "How far off the chances are that one activity follows another, an interval later."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "Chances under independence may be right for a larger class by accident."

    step: Annotated[int, Param("How many published intervals later.", ge=1)] = 1

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        if (known := super().obstacle(comparison)) is not None:
            return known
        intervals = comparison.view(ActivityComparison).intervals
        if len(intervals) <= self.step:
            return f"needs more than {self.step} published intervals, got {len(intervals)}."
        return None if (intervals[:-1] == intervals[0]).all() else "needs published intervals of equal length."

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Compare the two tables."""
        found = comparison.view(ActivityComparison)
        length = int(found.intervals[0])
        before, after = _count_pairs(found, self.step * length), _expect_pairs(found, self.step)
        return float(np.abs(before - after).sum()) / 2, {
            "same_before_share": float(np.trace(before)),
            "same_after_share": float(np.trace(after)),
            "slots_apart": self.step * length,
        }


def _count_pairs(found: ActivityComparison, apart: int) -> Floats:
    """Return the shares of pairs of activities so many slots apart, over everybody."""
    width = len(found.labels)
    counts = np.zeros(width * width)
    for first in range(0, found.people, _PEOPLE):
        codes = found.codes[first : first + _PEOPLE].astype(np.int64)
        pairs = codes[:, :-apart] * width + codes[:, apart:]
        counts += np.bincount(pairs.reshape(-1), minlength=width * width)
    return np.asarray(counts.reshape(width, width) / max(counts.sum(), 1.0))


def _expect_pairs(found: ActivityComparison, step: int) -> Floats:
    """Return the shares to expect where nothing but its class is known of a person."""
    # The last interval may be shorter: its time counts once at the end, and less before it.
    weights = np.minimum(found.intervals[:-step], found.intervals[step:])
    table = np.zeros((len(found.labels), len(found.labels)))
    for each in found.classes():
        table += each.size * (each.shares[:-step] * weights[:, None]).T @ each.shares[step:]
    return np.asarray(table / max(table.sum(), 1e-300))


METRIC = ActivityTransitions
