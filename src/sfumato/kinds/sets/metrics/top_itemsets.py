"""How many of the most frequent itemsets an analyst of the release still finds."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

from sfumato.kinds.sets.comparison import SetComparison, SetMetric
from sfumato.kinds.sets.metrics.mining import compare_top, list_published, top_of_partitions, top_original
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation
from sfumato.metrics.partial_sums import PartialSums
from sfumato.params import Param

__all__ = ["TopItemsets"]


@dataclasses.dataclass(frozen=True)
class TopItemsets(SetMetric):
    """Measure tKd: the share of the original's most frequent itemsets that are not among those of the release.

    Itemsets of all sizes are ranked by support, then size, then labels, so that there are no ties. Of a disassociated
    release the itemsets of one random reconstruction are taken. Of a release with generalised items they are the
    itemsets of published values; those with a generalised value take places and are no itemsets of the original.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["bread"]])
    >>> result = sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32))
    >>> TopItemsets(count=3).measure(Comparison(data, result.release)).value
    0.0

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 6, Equation 2.
    """

    name: ClassVar[str] = "top-itemsets"
    title: ClassVar[str] = "Most frequent itemsets lost (tKd)"
    explanation = "Share of the most frequent combinations of items that the release no longer shows."
    unit: ClassVar[str] = "of the itemsets"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: all itemsets are found, 1: none is"
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012), Section 6"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "It compares two rankings: losing false itemsets lets true ones back in."

    count: Annotated[int, Param("Number of itemsets.", ge=1, le=5000)] = 1000

    def partial(self, comparison: Comparison) -> PartialSums:
        """Keep the published records as numbers: what is frequent is only known of all partitions together."""
        return {"records": [list_published(comparison.view(SetComparison))]}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Mine the original and the release."""
        return compare_top(
            top_original(full_original, self.count), top_of_partitions(partial["records"], full_original, self.count)
        )
