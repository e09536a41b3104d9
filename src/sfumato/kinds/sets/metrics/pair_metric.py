"""What measures of the supports of pairs of items have in common: which pairs, and how an error is reported."""

from __future__ import annotations

import abc
import dataclasses
import itertools
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sets.comparison import SetComparison, SetMetric
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better
from sfumato.metrics.partial_sums import Most, PartialSums
from sfumato.params import Param

__all__ = ["PairMetric", "relative_errors"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class PairMetric(SetMetric):
    """Base of measures of how wrong the supports of pairs of items are that are neither frequent nor rare.

    A subclass says how the supports of the pairs are counted and compared.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.sets.metrics.pair_support_certain import PairSupportCertain
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> found = Comparison(data, result.release).view(SetComparison)
    >>> PairSupportCertain(first=0, last=2).choose_pairs(found)
    ([('bread', 'wine')], 0)
    """

    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact supports, 2: nothing in common"
    unchanged: ClassVar[float | str] = 0.0

    first: Annotated[int, Param("Rank of the most frequent item used for pairs, from 0.", ge=0)] = 200
    last: Annotated[int, Param("Rank after the least frequent item used for pairs.", ge=2)] = 220

    @abc.abstractmethod
    def count(self, view: SetComparison, pairs: list[tuple[str, str]]) -> dict[str, Any]:
        """Return the supports of pairs according to one partition of a release."""

    @abc.abstractmethod
    def compare(self, partial: PartialSums) -> tuple[float, dict[str, Any]]:
        """Return the mean error of the supports of pairs, and what stands behind it."""

    def partial(self, comparison: Comparison) -> PartialSums:
        """Choose pairs by the whole original, and count what original and release say of them."""
        view = comparison.view(SetComparison)
        pairs, start = self.choose_pairs(view)
        numbers = {"pairs": Most(len(pairs)), "start": Most(start)}
        return {**numbers, "truth": view.truth(pairs), **self.count(view, pairs)} if pairs else numbers

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare what all partitions together say of the pairs."""
        value, details = self.compare(partial) if "truth" in partial else (0.0, {})
        return value, {"pairs": int(partial["pairs"]), "first_rank": int(partial["start"]), **details}

    def choose_pairs(self, view: SetComparison) -> tuple[list[tuple[str, str]], int]:
        """Return all pairs of the items of these ranks, or of as many in the middle, and the first rank used."""
        wanted = max(self.last - self.first, 0)
        start = self.first if self.last <= len(view.items) else max(0, (len(view.items) - wanted) // 2)
        chosen = [view.items[item] for item in view.ranking[start : start + wanted].tolist()]
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
