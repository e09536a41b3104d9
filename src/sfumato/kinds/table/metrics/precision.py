"""How far up their hierarchies values are published."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.kinds.table.comparison import TableComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["Precision"]


@dataclasses.dataclass(frozen=True)
class Precision(SummedMetric):
    """Measure Prec: one less the mean level of all cells, each as a share of the height of its hierarchy.

    A leaf is at level 0 and so is a missing value, the root and a suppressed cell at the height of the tree. Columns
    without a hierarchy of labels have no levels; there the share of the column that a cell may stand for (its NCP)
    takes their place. A record that is suppressed has a precision of 0.

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*")])
    >>> data = sf.Dataset.of("table", [("a",), ("b",), ("d",), ("d",)], ("city",), hierarchies={"city": tree})
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> Precision().measure(Comparison(data, result.release)).value
    0.75

    References
    ----------
    Sweeney, Achieving k-anonymity privacy protection using generalization and suppression (2002).
    """

    name: ClassVar[str] = "precision"
    title: ClassVar[str] = "Precision of generalised values (Prec)"
    explanation = (
        "Average depth of published values in their hierarchies: 1 is exact, 0 is the top. Suppressed "
        "{many} count as 0."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "higher"
    ends: ClassVar[str] = "1: exact values, 0: all at the top of their hierarchies"
    paper: ClassVar[str] = (
        "Sweeney, Achieving k-anonymity privacy protection using generalization and suppression (2002)"
    )
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 1.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "suppress", "withhold")

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up the levels of all cells."""
        view = comparison.view(TableComparison)
        levels = {c.name: float(c.levels[c.codes].sum()) for c in view.columns}
        return {"levels": levels, "withheld": view.suppressed_records, "records": view.records}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average the levels of all cells."""
        records, suppressed_records = max(partial["records"], 1), partial["withheld"]
        precisions = {name: 1 - (levels + suppressed_records) / records for name, levels in partial["levels"].items()}
        return sum(precisions.values()) / len(precisions) if precisions else 1 - suppressed_records / records, {
            "by_attribute": precisions
        }
