"""How many of the most frequent itemsets the published chunks show by themselves."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

from sfumato.kinds.sets.comparison import SetComparison, SetMetric
from sfumato.kinds.sets.metrics.mining import compare_top, list_certain, top_of_partitions, top_original
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation
from sfumato.metrics.partial_sums import PartialSums
from sfumato.params import Param

__all__ = ["TopItemsetsCertain"]


@dataclasses.dataclass(frozen=True)
class TopItemsetsCertain(SetMetric):
    """Measure tKd-a: as tKd, but counting only what the chunks certify, without reconstructing anything.

    The support of an itemset is the number of subrecords that hold it; a single item counts once more for every term
    chunk it is in. These are lower bounds of the true supports.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> TopItemsetsCertain(count=3).measure(Comparison(data, result.release)).value
    0.0

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Sections 6 and 7.1.
    """

    name: ClassVar[str] = "top-itemsets-certain"
    title: ClassVar[str] = "Most frequent itemsets lost, by what is certain (tKd-a)"
    explanation = "Share of the most frequent combinations of items that the release does not certainly show as such."
    unit: ClassVar[str] = "of the itemsets"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: all itemsets are certain, 1: none is"
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012), Section 7.1"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "It compares two rankings: losing false itemsets lets true ones back in."
    forms: ClassVar[tuple[str, ...]] = ("chunks",)

    count: Annotated[int, Param("Number of itemsets.", ge=1, le=5000)] = 1000

    def partial(self, comparison: Comparison) -> PartialSums:
        """Keep the published subrecords as numbers: what is frequent is only known of all partitions together."""
        return {"records": [list_certain(comparison.view(SetComparison))]}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Mine the original and the published subrecords."""
        return compare_top(
            top_original(full_original, self.count), top_of_partitions(partial["records"], full_original, self.count)
        )
