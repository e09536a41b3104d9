"""How much larger classes are than the guarantee asks for."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.table.comparison import TableComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.grouping import merge_grouped
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Most, PartialSums

__all__ = ["AverageClassSize"]


@dataclasses.dataclass(frozen=True)
class AverageClassSize(SummedMetric):
    """Measure C_avg: original records per published class, over k.

    1 is a release whose classes are as small as k allows, with nobody suppressed. Records that are suppressed have no
    class and are counted among the records all the same. Classes of two partitions of a release that look the same,
    cell by cell and with the same members, are one class.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> AverageClassSize().measure(Comparison(data, result.release))
    average-class-size: 1 times k (lower is better; 1: groups as small as k allows; no upper bound)
      Number of records per group of equal records, in multiples of k: 1 is the best possible for k.
        Suppressed people count and have no group.
      classes   2
      smallest  2
      median    2
      largest   2

    References
    ----------
    LeFevre et al., Mondrian multidimensional k-anonymity (2006), Section 5.
    """

    name: ClassVar[str] = "average-class-size"
    title: ClassVar[str] = "Average class size (C_avg)"
    explanation = (
        "Number of records per group of equal records, in multiples of k: 1 is the best possible for k. "
        "Suppressed {many} count and have no group."
    )
    unit: ClassVar[str] = "times k"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "1: groups as small as k allows; no upper bound"
    paper: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity (2006), Section 5"
    unchanged: ClassVar[float | str] = "It depends on k and on how many records of the original are equal."
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "suppress", "withhold")

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count records, and list the classes."""
        view = comparison.view(TableComparison)
        k = max(getattr(comparison.release.guarantee, "k", 1), 1)
        return {"classes": [view.classes], "records": view.records, "k": Most(k)}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Divide the records by the classes; those of two partitions that look the same are one."""
        sizes, records = merge_grouped(partial["classes"])["records"], partial["records"]
        return records / (max(len(sizes), 1) * float(partial["k"])), {
            "classes": len(sizes),
            "smallest": int(sizes.min(initial=records)),
            "median": float(np.median(sizes)) if len(sizes) else 0.0,
            "largest": int(sizes.max(initial=0)),
        }
