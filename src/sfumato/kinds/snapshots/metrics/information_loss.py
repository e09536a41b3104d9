"""What late publication and suppression cost, by the cost model of reposition."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np

from sfumato.kinds.snapshots.comparison import SnapshotComparison
from sfumato.kinds.snapshots.costs import CostModel
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation
from sfumato.params import Param

__all__ = ["InformationLoss"]


@dataclasses.dataclass(frozen=True)
class InformationLoss(Metric):
    """Cost of late and of suppressed records, per original record.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("snapshots", [(1, "flu"), (1, "flu"), (2, "cold"), (3, "cough")], (), "ill")
    >>> result = sf.anonymize(data, sf.methods.Reposition(l=2, window=2), max_suppressed_records=1)
    >>> InformationLoss().measure(Comparison(data, result.release, result.owner_record.rows))
    information-loss: 1.25 (lower is better; 0: no cost; no upper bound)
      Cost of publishing records late and of suppressing records, by the chosen costs.
      total                  5
      of late records        1
      of suppressed records  4

    References
    ----------
    Wang et al., Anonymizing Temporal Data, Section II.C.
    """

    name: ClassVar[str] = "information-loss"
    title: ClassVar[str] = "Information loss of late and suppressed records"
    explanation = "Cost of publishing records late and of suppressing records, by the chosen costs."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: no cost; no upper bound"
    paper: ClassVar[str] = "Wang et al., Anonymizing Temporal Data (2010), II.C"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")

    cost: Annotated[str, Param("Cost of publishing late: linear, quadratic or a table such as 1,3,6.")] = "linear"
    beta: Annotated[str | None, Param("Cost of suppressing a record; by default that of a whole window.")] = None

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that the row map is missing."""
        reason = super().obstacle(comparison)
        return reason or (None if comparison.rows is not None else "needs the owner's row map.")

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Add up the costs."""
        assert comparison.rows is not None
        window = getattr(comparison.release.guarantee, "window", 1)
        costs = CostModel.read(self.message_name, self.cost, self.beta, window)
        view = SnapshotComparison(comparison)
        late = int(costs.by_distance()[np.clip(view.delays, 0, window - 1)].sum())
        suppressed_records = np.ones(len(comparison.original), dtype=bool)
        suppressed_records[comparison.rows] = False
        suppressed = int(costs.by_value(view.values)[view.codes[suppressed_records]].sum())
        parts = {"total": late + suppressed, "of_late_records": late, "of_suppressed_records": suppressed}
        shown = {name: _plain(units / costs.scale) for name, units in parts.items()}
        return (late + suppressed) / costs.scale / max(len(comparison.original), 1), shown


def _plain(number: float) -> float | int:
    return int(number) if number == int(number) else number
