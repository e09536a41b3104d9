"""Whether those who do more of one thing still do more, or less, of another."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.activity.comparison import ActivityComparison, choose_activities
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Facts, PartialSums
from sfumato.params import Param

__all__ = ["ActivityCorrelations", "correlate", "judge"]

Floats = npt.NDArray[np.float64]

_CHOSEN = 3


@dataclasses.dataclass(frozen=True)
class ActivityCorrelations(SummedMetric):
    """Measure how far off correlations between durations are, original people against published classes.

    Pearson's correlation of the time spent on two activities, over people before, over classes after: each class counts
    once, as it does for someone who takes the published classes as records. Averages over a class vary less than people
    do and there are fewer of them, so correlations of the release are stronger or weaker by chance; details have the
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
    explanation = "Change of the correlations between the times spent on two activities."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: no change, 2: every correlation reversed"
    paper: ClassVar[str] = "Parameshwarappa, Chen, Koru, Anonymization of Daily Activity Data, Section 4.7"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = (
        "Correlations over fewer, larger classes are not bounded, so they may also come closer to the original."
    )

    activities: Annotated[str | None, Param("Activities whose pairs are compared, separated by commas.")] = None

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up what correlations are made of, for every pair before and after."""
        view = comparison.view(ActivityComparison)
        chosen = choose_activities(view, self.activities, _CHOSEN)
        # Sums of squares about a value in the middle stay exact; any one is right.
        middle = view.all_slots[chosen] / max(len(comparison.full_original.original), 1)
        after = view.class_totals[:, chosen]
        return {
            "chosen": Facts(enumerate(view.labels[code] for code in chosen)),
            "before": _Moments.of(view.totals[:, chosen].astype(np.float64), middle),
            "after": _Moments.of(after, middle),
            "weighted": _Moments.of(after, middle, view.sizes.astype(np.float64)),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Correlate every pair before and after."""
        changes, details = [], {}
        labels, before, after = partial["chosen"], partial["before"], partial["after"]
        for left, right in itertools.combinations(sorted(labels), 2):
            old, new = before.correlate(left, right), after.correlate(left, right)
            if old is None or new is None:
                continue
            changes.append(abs(old - new))
            weighted = partial["weighted"].correlate(left, right)
            named = f"{labels[left]} and {labels[right]}"
            details[f"{named}, before"], details[f"{named}, after"] = old, new
            details[f"{named}, weighted"] = new if weighted is None else weighted
            details[f"{named}, p before"] = judge(old, before.count)
            details[f"{named}, p after"] = judge(new, after.count)
        return float(np.mean(changes)) if changes else 0.0, {"pairs": len(changes), **details}


@dataclasses.dataclass(frozen=True, eq=False)
class _Moments:
    """Sums over rows, about a value in the middle: of weights, of columns, and of the products of two columns."""

    count: int
    weight: float
    sums: Floats
    products: Floats
    largest: float

    @classmethod
    def of(cls, rows: Floats, middle: Floats, weights: Floats | None = None) -> _Moments:
        apart, shares = rows - middle, np.ones(len(rows)) if weights is None else weights
        weighted = apart * shares[:, None]
        largest = float(np.abs(rows).max(initial=0.0))
        return cls(len(rows), float(shares.sum()), weighted.sum(axis=0), weighted.T @ apart, largest)

    def __add__(self, other: _Moments) -> _Moments:
        return _Moments(
            self.count + other.count,
            self.weight + other.weight,
            self.sums + other.sums,
            self.products + other.products,
            max(self.largest, other.largest),
        )

    def correlate(self, left: int, right: int) -> float | None:
        """Return Pearson's correlation of two columns; None where one of them does not vary."""
        if self.count < 2 or self.weight <= 0:
            return None
        spread = self.products - np.outer(self.sums, self.sums) / self.weight
        both = float(spread[left, left]) * float(spread[right, right])
        # Sums of shares are not exact: what varies less than they err does not vary.
        if min(spread[left, left], spread[right, right]) <= 0 or both <= (1e-9 * max(self.largest, 1e-300)) ** 4:
            return None
        return float(np.clip(spread[left, right] / np.sqrt(both), -1.0, 1.0))


def correlate(pairs: Floats, weights: Floats | None = None) -> float | None:
    """Return Pearson's correlation of two columns; None where one of them does not vary.

    Examples
    --------
    >>> correlate(np.array([[1.0, 2.0], [2.0, 4.0], [3.0, 6.0]]))
    1.0
    >>> correlate(np.array([[1.0, 2.0], [1.0, 4.0]]))
    """
    middle = pairs.mean(axis=0) if len(pairs) else np.zeros(2)
    return _Moments.of(pairs, middle, weights).correlate(0, 1)


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
