"""Whether a release is of any use: where its own measures say that it is not.

The thresholds stand here and nowhere else. Each is on the scale of its measure and has a reason that a reader can
check: what an analyst would reach without the release.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable
from typing import Protocol

from sfumato.base.remaining import Possibility, Remaining

__all__ = ["THRESHOLDS", "Threshold", "judge_usefulness"]


class Measured(Protocol):
    """What a measure found."""

    @property
    def name(self) -> str:
        """Name of the measure."""

    @property
    def value(self) -> float:
        """What it found."""


@dataclasses.dataclass(frozen=True)
class Threshold:
    """From where on a measure says that a release is of little use.

    Parameters
    ----------
    useless
        A value as large as this one, or larger, is that of a release of little use.
    meaning
        What a value means, in a sentence with ``{value}``.
    reason
        Why it is this value.
    is_primary
        Whether the value is told also where it is fine: how far off the kind's own queries are.

    Examples
    --------
    >>> THRESHOLDS["ncp"].useless
    0.9
    """

    useless: float
    meaning: str
    reason: str
    is_primary: bool = False


_QUERIES = Threshold(
    0.75,
    "COUNT queries are off by {value} on average; answering 0 to all of them is off by 100 %.",
    "An analyst without the release answers 0 to every query, which is off by 1. A release that is off by three "
    "quarters of that tells hardly more.",
    is_primary=True,
)
_COVERED = "A cell that covers nine tenths of what there is tells next to nothing about its record."

THRESHOLDS = {
    **dict.fromkeys(
        ("attribute-queries", "average-relative-error", "item-queries", "queries", "window-queries"), _QUERIES
    ),
    "ncp": Threshold(0.9, "An average cell covers {value} of its column's range.", _COVERED),
    "item-loss": Threshold(0.9, "An average published item stands for {value} of all items.", _COVERED),
    "interval-loss": Threshold(0.9, "An average published interval loses {value} of its time and category.", _COVERED),
    "place-distance": Threshold(0.9, "An average published place spans {value} of the largest distance.", _COVERED),
    "deleted-share": Threshold(
        0.9,
        "{value} of all occurrences were deleted.",
        "A timeline of which one occurrence in ten is left tells neither when nor how often anything happened.",
    ),
}
"""By the names of measures; a name has the same scale in all kinds of data."""


def judge_usefulness(scores: Iterable[Measured], advice: str = "") -> Remaining:
    """Say what measures with a threshold found, loudly where it is of little use.

    Parameters
    ----------
    scores
        What was measured.
    advice
        What would leave more, if that is known.

    Examples
    --------
    >>> from sfumato.metrics.metric import Score
    >>> judge_usefulness([Score("ncp", 0.95), Score("discernibility", 9e6)], "A smaller k would leave more.").warnings
    ("Low utility: An average cell covers 95 % of its column's range. A smaller k would leave more.",)
    >>> judge_usefulness([Score("queries", 0.12), Score("ncp", 0.026)])
    Remaining(COUNT queries are off by 12 % on average; answering 0 to all of them is off by 100 %.)
    """
    return Remaining.of(_judge(score, advice) for score in scores if score.name in THRESHOLDS)


def _judge(score: Measured, advice: str) -> Possibility | None:
    threshold, worst = THRESHOLDS[score.name], {"value": float(score.value)}
    if score.value < threshold.useless:
        fine = Possibility("utility", score.name, "note", threshold.meaning, worst=worst)
        return fine if threshold.is_primary else None
    remedy = advice or "Compare methods and parameters: sfumato explore."
    return Possibility("utility", score.name, "warning", f"Low utility: {threshold.meaning}", remedy, worst=worst)
