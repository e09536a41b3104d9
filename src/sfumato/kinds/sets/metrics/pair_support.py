"""How wrong the supports of pairs of less frequent items are."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.estimate.supports import count_supports
from sfumato.kinds.sets.metrics.mining import draw_copy
from sfumato.kinds.sets.metrics.pair_metric import PairMetric, relative_errors
from sfumato.metrics.metric import Operation
from sfumato.metrics.partial_sums import PartialSums
from sfumato.params import Param

__all__ = ["PairSupport"]


@dataclasses.dataclass(frozen=True)
class PairSupport(PairMetric):
    """Measure re: the mean relative error of the supports of pairs of items that are neither frequent nor rare.

    The error of a pair is the difference of its supports in original and release, divided by the mean of the two; a
    pair that neither has is no error. Of a disassociated release, supports are averages over `copies`
    reconstructions; ``expected`` is the error of the average over all possible ones, in whole records. In a release
    with generalised items the support of a value is divided among its members: evenly, or with less for members that
    finer values publish (:func:`sfumato.kinds.sets.estimate.weights.weigh_members`).

    Items are ranked by support in the original, the most frequent one having rank 0. Where there are fewer than
    `last` items the same number from the middle of the ranking is taken; ``first_rank`` says where they begin.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> PairSupport().measure(Comparison(data, result.release)).details["pairs"]
    3

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 6, Equation 3, and Section 7.
    """

    name: ClassVar[str] = "pair-support"
    title: ClassVar[str] = "Relative error of pair supports (re)"
    explanation = "Relative error of the number of {many} with two items of medium frequency."
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012), Section 6"
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A coarser release may answer more accurately by chance."

    copies: Annotated[int, Param("Number of reconstructions to average over.", ge=1)] = 1

    def count(self, view: SetComparison, pairs: list[tuple[str, str]]) -> dict[str, Any]:
        """Count the pairs in the release, and in copies of it where it has chunks."""
        expected = {"expected": view.expect(pairs)}
        if not view.is_disassociated:
            return expected
        counts = [count_supports(draw_copy(view, number), pairs) for number in range(self.copies)]
        return {**expected, "copied": np.sum(counts, axis=0)}

    def compare(self, partial: PartialSums) -> tuple[float, dict[str, Any]]:
        """Compare the supports."""
        truth, expected = partial["truth"], partial["expected"]
        details: dict[str, Any] = {"median_support": float(np.median(truth))}
        if "copied" not in partial:
            return float(relative_errors(truth, expected).mean()), details
        details["expected"] = float(relative_errors(truth, np.rint(expected)).mean())
        details["copies"] = self.copies
        return float(relative_errors(truth, partial["copied"] / self.copies).mean()), details
