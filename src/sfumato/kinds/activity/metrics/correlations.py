"""Whether those who do more of one thing still do more, or less, of another."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Better, Metric, Operation
from sfumato.core.params import Param
from sfumato.kinds.activity.comparison import ActivityComparison, choose_activities

__all__ = ["METRIC", "ActivityCorrelations", "correlate", "judge"]

Floats = npt.NDArray[np.float64]

_CHOSEN = 3


@dataclasses.dataclass(frozen=True)
class ActivityCorrelations(Metric):
    """Measure how far off correlations between durations are, original people against published classes.

    Pearson's correlation of the time spent on two activities, over people before, over classes after: each class counts
    once, as it does for whoever takes the published classes as records. Averages over a class vary less than people do
    and there are fewer of them, so correlations of the release are stronger or weaker by chance; details have the
    probability that a correlation as large comes of nothing (p), and ``weighted``, with classes counted by people.

    The value is the mean change over all pairs of the activities named, or of the three that take most time. A pair in
    which one activity takes everybody the same time has no correlation and is left out.

    Examples
    --------
    >>> ActivityCorrelations(activities="Sleeping, Having Conversation").parameters()
    {'activities': 'Sleeping, Having Conversation'}

    References
    ----------
    Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data by Using l-diversity Privacy Model, Section 4.7.
    """

    name: ClassVar[str] = "activity-correlations"
    title: ClassVar[str] = "Change of correlations between durations"
    explanation = "How far off correlations between the times spent on two activities are."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = "Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data, Section 4.7"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "Correlations of fewer, larger classes may be anything, the original ones included."

    activities: Annotated[str | None, Param("Activities to pair, separated by commas.")] = None

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Correlate every pair before and after."""
        found = comparison.view(ActivityComparison)
        changes, details = [], {}
        chosen = choose_activities(found, self.activities, _CHOSEN)
        for left, right in itertools.combinations(chosen, 2):
            pair = [left, right]
            before = correlate(found.totals[:, pair].astype(np.float64))
            after = correlate(found.class_totals[:, pair])
            if before is None or after is None:
                continue
            changes.append(abs(before - after))
            weighted = correlate(found.class_totals[:, pair], found.sizes.astype(np.float64))
            named = f"{found.labels[left]} and {found.labels[right]}"
            details[f"{named}, before"], details[f"{named}, after"] = before, after
            details[f"{named}, weighted"] = after if weighted is None else weighted
            details[f"{named}, p before"] = judge(before, found.people)
            details[f"{named}, p after"] = judge(after, len(found.sizes))
        return float(np.mean(changes)) if changes else 0.0, {"pairs": len(changes), **details}


def correlate(pairs: Floats, weights: Floats | None = None) -> float | None:
    """Return Pearson's correlation of two columns; None where one of them does not vary.

    Examples
    --------
    >>> correlate(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]))
    1.0
    >>> correlate(np.array([[1.0, 2.0], [1.0, 4.0]]))
    """
    if len(pairs) < 2:
        return None
    average = np.average(pairs, axis=0, weights=weights)
    left, right = (pairs - average).T
    shares = np.ones(len(pairs)) if weights is None else weights
    spread = float((shares * left * left).sum()) * float((shares * right * right).sum())
    # Sums of shares are not exact: what varies less than they err does not vary.
    if spread <= (1e-9 * max(float(np.abs(pairs).max()), 1e-300)) ** 4:
        return None
    return float(np.clip((shares * left * right).sum() / np.sqrt(spread), -1.0, 1.0))


def judge(correlation: float, count: int) -> float:
    """Return how likely a correlation at least as far from 0 is between things that have nothing to do with another.

    Examples
    --------
    >>> judge(0.42, 200) < 1e-9 < judge(0.42, 20) < 0.1
    True
    """
    from scipy.special import betainc

    if count < 3:
        return 1.0
    return float(betainc((count - 2) / 2, 0.5, 1.0 - correlation * correlation))


METRIC = ActivityCorrelations
