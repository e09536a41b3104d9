"""How much larger classes are than the promise asks for."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Better, Metric, Operation
from sfumato.kinds.table.comparison import TableComparison

__all__ = ["METRIC", "AverageClassSize"]


@dataclasses.dataclass(frozen=True)
class AverageClassSize(Metric):
    """Measure C_avg: original records per published class, over k.

    1 is a release whose classes are as small as k allows, with nobody withheld. Records that are withheld have no class
    and are counted among the records all the same.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> AverageClassSize().measure(Comparison(data, result.release))
    Score(average-class-size: 1 times k, lower is better; classes=2, smallest=2, median=2, largest=2)

    References
    ----------
    LeFevre et al., Mondrian multidimensional k-anonymity (2006), Section 5.
    """

    name: ClassVar[str] = "average-class-size"
    title: ClassVar[str] = "Average class size (C_avg)"
    explanation = (
        "How many records there are per class of records that look the same, in multiples of k: 1 is as good as k "
        "allows. {Many} that are withheld are counted and have no class."
    )
    unit: ClassVar[str] = "times k"
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = "LeFevre et al., Mondrian multidimensional k-anonymity (2006), Section 5"
    unchanged: ClassVar[float | str] = "It depends on how many records of the original are the same anyway, and on k."
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "suppress", "withhold")

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Divide the records by the classes."""
        found = comparison.view(TableComparison)
        sizes = found.published.sizes
        k = max(getattr(comparison.release.guarantee, "k", 1), 1)
        return found.records / (max(len(sizes), 1) * k), {
            "classes": len(sizes),
            "smallest": int(sizes.min(initial=found.records)),
            "median": float(np.median(sizes)) if len(sizes) else 0.0,
            "largest": int(sizes.max(initial=0)),
        }


METRIC = AverageClassSize
