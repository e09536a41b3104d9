"""How little is left: whether a release tells far less apart than its original, and what would help.

The rule is one for all kinds. A promise of k makes things share a published value, about k of them if all goes well.
Where a published value stands for more than four times as many on average, the promise alone does not explain it:
something in the data (a few very long records, many rare values, no hierarchy) drags everything else along. What is
counted is said by ``count_leftover`` in the comparison of every kind.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import numpy as np

from sfumato.core.dataset import Dataset
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.core.rooms import look_up

__all__ = [
    "FAR",
    "Leftover",
    "count_different",
    "find_leftover",
    "name_long",
    "name_values",
    "share_of",
    "warn_of_leftover",
]

FAR = 4
_FEW = 20
_LONG = 10


@dataclasses.dataclass(frozen=True)
class Leftover:
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
    >>> found = Leftover(4913, 6, "{had} places are published as {left} values.", "Lower k.", expected=5)
    >>> found.is_little, str(found)
    (True, '4,913 places are published as 6 values. Lower k.')
    """

    had: int
    left: int
    sentence: str
    advice: str
    expected: float = 1.0

    @property
    def is_little(self) -> bool:
        """Tell whether far less is left than the promise asks for."""
        return self.had >= _FEW and self.left * FAR * self.expected < self.had

    def __str__(self) -> str:
        return f"{self.sentence.format(had=f'{self.had:,}', left=f'{self.left:,}')} {self.advice}"


def warn_of_leftover(original: Dataset, release: Release) -> str | None:
    """Say in a sentence or two that little is left and what would help, or return None where enough is.

    Examples
    --------
    >>> from sfumato.kinds.sets.methods.hierarchical_generalisation import Apriori
    >>> from sfumato.core.hierarchy import Hierarchy
    >>> from sfumato.core.run import Run
    >>> tree = Hierarchy.from_paths([(f"item {n}", "*") for n in range(40)])
    >>> data = Dataset.of("sets", [[f"item {n}"] for n in range(40)], hierarchy=tree)
    >>> warn_of_leftover(data, Apriori(k=2, m=1).anonymize(data, Run(bytes(32))).release)
    'Little is left: 40 items are published as 1 value. A smaller k or m, a hierarchy with more levels, or
     disassociation, which keeps every item, would leave more.'
    """
    found = find_leftover(original, release)
    return f"Little is left: {found}" if found is not None and found.is_little else None


def find_leftover(original: Dataset, release: Release) -> Leftover | None:
    """Count what is left of what there was; None where nothing of the kind is counted."""
    counter: Callable[[Dataset, Release], Leftover] | None = look_up(release.kind, "comparison", "count_leftover")
    return None if counter is None else counter(original, release)


def share_of(release: Release) -> float:
    """Return how many things share a value if the promise is kept at its best."""
    claim = release.guarantee
    return float(max(getattr(claim, "k", None) or getattr(claim, "l", None) or 1, 1))


def count_different(histories: Ragged) -> int:
    """Count the different values that occur."""
    return len(np.unique(histories.codes))


def name_values(number: int) -> str:
    """Name so many values, with a place for the number."""
    return "{left} value" if number == 1 else "{left} values"


def name_long(histories: Ragged, what: str) -> str:
    """Name records that are much longer than the others: whatever they hold must be hidden together."""
    lengths = histories.lengths
    longest, mean = int(lengths.max(initial=0)), float(lengths.mean()) if len(lengths) else 0.0
    if longest < _LONG * max(mean, 1.0):
        return ""
    return f"leaving out the few longest records (the longest has {longest:,} {what}, the mean is {mean:.1f}), "
