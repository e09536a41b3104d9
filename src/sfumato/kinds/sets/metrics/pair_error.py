"""Relative errors of the supports of pairs of items."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sets.comparison import SetComparison

__all__ = ["choose_pairs", "relative_errors"]

Floats = npt.NDArray[np.float64]


def choose_pairs(found: SetComparison, first: int, last: int) -> tuple[list[tuple[str, str]], int]:
    """Return all pairs of the items ranked `first` up to `last` by support in the original, and the first rank used.

    Ranks count from 0 and the last one is not included. Where there are not so many items the same number from
    the middle of the ranking is taken.
    """
    wanted = max(last - first, 0)
    start = first if last <= len(found.items) else max(0, (len(found.items) - wanted) // 2)
    chosen = [found.items[item] for item in found.ranking[start : start + wanted].tolist()]
    return list(itertools.combinations(chosen, 2)), start


def relative_errors(truth: Floats, answer: Floats) -> Floats:
    """Return |truth - answer| divided by the mean of the two: between 0 and 2, and 0 where both are 0.

    Examples
    --------
    >>> relative_errors(np.array([4.0, 0.0, 0.0]), np.array([2.0, 3.0, 0.0])).tolist()
    [0.6666666666666666, 2.0, 0.0]
    """
    middle = (truth + answer) / 2
    errors: Floats = np.abs(truth - answer) / np.where(middle > 0, middle, 1.0)
    return errors
