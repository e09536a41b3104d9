"""How little is left: whether a release tells far less apart than its original, and what would help.

The rule is one for all kinds. A promise of k makes things share a published value, about k of them if all goes well.
Where a published value stands for more than four times as many on average, the promise alone does not explain it:
something in the data (a few very long records, many rare values, no hierarchy) drags everything else along. What is
counted is said by ``count_retained`` in the comparison of every kind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np

from sfumato.base.remaining import Possibility, quote
from sfumato.data.dataset import Dataset
from sfumato.data.kind import find_kind
from sfumato.data.lists import ListColumn
from sfumato.release.release import Release

__all__ = [
    "FAR",
    "FEW",
    "RetainedDetail",
    "count_different",
    "find_retained",
    "judge_retained",
    "merge_retained",
    "name_long",
    "name_values",
    "share_of",
]

FAR = 4
FEW = 20
"""Of so few things, or records, a release that tells little apart is no surprise."""
_LONG = 10


@dataclasses.dataclass(frozen=True)
class RetainedDetail:
    """What is left of what there was.

    Parameters
    ----------
    had, left
        Number of different things in the original, and of those the release tells apart.
    sentence
        Says so; ``{had}`` and ``{left}`` stand for the numbers.
    advice
        What would leave more.
    expected
        How many things share one anyway, where the promise is kept at its best.

    Examples
    --------
    >>> found = RetainedDetail(4913, 6, "{had} places are published as {left} values.", "Lower k.", expected=5)
    >>> found.is_low_utility, str(found)
    (True, '4,913 places are published as 6 values. Lower k.')
    """

    had: int
    left: int
    sentence: str
    advice: str
    expected: float = 1.0

    @property
    def is_low_utility(self) -> bool:
        """Tell whether far less is left than the promise asks for, or whether all that is published is alike."""
        return self.had >= FEW and (self.left <= 1 or self.left * FAR * self.expected < self.had)

    def __str__(self) -> str:
        return f"{self.sentence.format(had=f'{self.had:,}', left=f'{self.left:,}')} {self.advice}"


def judge_retained(retained: RetainedDetail | None) -> Possibility | None:
    """Say in a sentence or two that little is left and what would help, or return None where enough is.

    Examples
    --------
    >>> found = RetainedDetail(40, 1, "{had} items are published as {left} value.", "A smaller k would leave more.")
    >>> str(judge_retained(found))
    'Low utility: 40 items are published as 1 value. A smaller k would leave more.'
    """
    if retained is None or not retained.is_low_utility:
        return None
    sentence = retained.sentence[:1].upper() + retained.sentence[1:]
    counts = {"had": retained.had, "left": retained.left}
    return Possibility("utility", "leftover", "warning", f"Low utility: {sentence}", quote(retained.advice), counts)


def merge_retained(warnings: Sequence[Possibility], parts: int) -> Possibility | None:
    """Say of how many partitions of a release little is left, and what that means for one of them.

    Examples
    --------
    >>> one = judge_retained(RetainedDetail(40, 1, "{had} items are published as {left} value.", "A smaller k helps."))
    >>> str(merge_retained([one], 3))
    'Low utility: in 1 of 3 partitions little is left; of one of them: 40 items are published as 1 value. ...'
    """
    if not warnings:
        return None
    sentence = quote(warnings[0].sentence.partition(": ")[2])
    wording = (
        f"Low utility: in {{parts_with_little}} of {{parts}} partitions little is left; of one of them: {sentence}"
    )
    counts = {"parts_with_little": len(warnings), "parts": parts}
    return dataclasses.replace(warnings[0], wording=wording, counts=counts)


def find_retained(original: Dataset, release: Release) -> RetainedDetail:
    """Count what is left of what there was."""
    return find_kind(release.kind).count_retained.load()(original, release)


def share_of(release: Release) -> float:
    """Return how many things share a value if the promise is kept at its best."""
    guarantee = release.guarantee
    return float(max(getattr(guarantee, "k", None) or getattr(guarantee, "l", None) or 1, 1))


def count_different(histories: ListColumn) -> int:
    """Count the different values that occur."""
    return len(np.unique(histories.codes))


def name_values(number: int) -> str:
    """Name so many values, with a place for the number."""
    return "{left} value" if number == 1 else "{left} values"


def name_long(histories: ListColumn, what: str) -> str:
    """Name records that are much longer than the others: whatever they hold must be hidden together."""
    lengths = histories.lengths
    longest, mean = int(lengths.max(initial=0)), float(lengths.mean()) if len(lengths) else 0.0
    if longest < _LONG * max(mean, 1.0):
        return ""
    return f"leaving out the few longest records (the longest has {longest:,} {what}, the mean is {mean:.1f}), "
