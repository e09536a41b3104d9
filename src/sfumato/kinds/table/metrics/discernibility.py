"""From how many others a published record cannot be distinguished."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

from sfumato.kinds.table.comparison import TableComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.grouping import merge_grouped
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Most, PartialSums

__all__ = ["Discernibility"]


@dataclasses.dataclass(frozen=True)
class Discernibility(SummedMetric):
    """Add up, over all records, how many records look the same: the squares of the sizes of the classes.

    A record that is suppressed cannot be distinguished from any other, and counts as many as there are records. The
    worst case is one class of all: the square of their number; ``share_of_worst`` is the share of that. ``unchanged``
    is what the original gives, published unchanged. Classes of two partitions of a release that look the same, cell by
    cell and with the same members, are one class.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> Discernibility().measure(Comparison(data, result.release))
    discernibility: 8 (lower is better; number of records: all differ; its square: all are alike)
      Sum of the squared sizes of groups of equal records. Suppressed people count as equal to all
        records.
      share of worst  0.5
      unchanged       4
      largest class   2
      withheld        0

    References
    ----------
    Bayardo, Agrawal, Data privacy through optimal k-anonymization (2005).
    """

    name: ClassVar[str] = "discernibility"
    title: ClassVar[str] = "Discernibility (DM)"
    explanation = (
        "Sum of the squared sizes of groups of equal records. Suppressed {many} count as equal to all records."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "number of records: all differ; its square: all are alike"
    paper: ClassVar[str] = "Bayardo, Agrawal, Data privacy through optimal k-anonymization (2005)"
    unchanged: ClassVar[float | str] = "It depends on how many records of the original are equal."
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "suppress")
    not_monotone: ClassVar[str] = (
        "A record suppressed from a group of more than half of the records costs less than its group saves."
    )

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count records, and list the classes."""
        view = comparison.view(TableComparison)
        return {
            "classes": [view.classes],
            "records": view.records,
            "withheld": view.suppressed_records,
            "unchanged": Most((view.original_classes**2).sum()),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Add up the squares; classes of two partitions that look the same are one."""
        sizes, records = merge_grouped(partial["classes"])["records"].astype(float), partial["records"]
        penalty = float((sizes**2).sum()) + float(partial["withheld"]) * records
        return penalty, {
            "share_of_worst": penalty / max(records, 1) ** 2,
            "unchanged": int(partial["unchanged"]),
            "largest_class": int(sizes.max(initial=0)),
            "withheld": partial["withheld"],
        }
