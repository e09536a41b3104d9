"""How far below the truth the certain supports of pairs of less frequent items are."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.metrics.pair_metric import PairMetric, relative_errors
from sfumato.metrics.metric import Operation
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["PairSupportCertain"]


@dataclasses.dataclass(frozen=True)
class PairSupportCertain(PairMetric):
    """Measure re-a: as re, but counting only subrecords that hold the pair, without reconstructing anything.

    ``bounded`` is the error of the best lower bounds, which also count records where parts must meet because almost
    every record of a cluster has one of them.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> PairSupportCertain().measure(Comparison(data, result.release)).details["pairs"]
    3

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 7.1.
    """

    name: ClassVar[str] = "pair-support-certain"
    title: ClassVar[str] = "Relative error of pair supports, by what is certain (re-a)"
    explanation = "Relative error of the same numbers, counting only records that certainly have both items."
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012), Section 7.1"
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Releases of this form suppress neither values nor records."
    forms: ClassVar[tuple[str, ...]] = ("chunks",)

    def count(self, view: SetComparison, pairs: list[tuple[str, str]]) -> dict[str, Any]:
        """Count the pairs in the chunks."""
        return {how: view.support_in_chunks(pairs, how) for how in ("inside", "certain")}

    def compare(self, partial: PartialSums) -> tuple[float, dict[str, Any]]:
        """Compare the supports."""
        inside, certain = (relative_errors(partial["truth"], partial[how]) for how in ("inside", "certain"))
        return float(inside.mean()), {"bounded": float(certain.mean())}
