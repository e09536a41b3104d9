"""How large the cells are that values are published as."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

from sfumato.kinds.table.comparison import TableComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["Ncp"]


@dataclasses.dataclass(frozen=True)
class Ncp(SummedMetric):
    """Measure NCP, the normalised certainty penalty: the share of its column that a cell may stand for, on average.

    A range loses its length over that of the column, a node of a hierarchy its leaves over all leaves, a set of labels
    its members over all values of the column. An exact cell and a missing one lose nothing, a suppressed one loses
    everything. Attributes count alike, whatever weights the method was given; a record that is suppressed loses all of
    them.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20, "f"), (24, "m"), (60, "m"), (60, "m")], ("age", "sex"))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> Ncp().measure(Comparison(data, result.release)).value
    0.275

    References
    ----------
    Xu et al., Utility-based anonymization using local recoding (2006).
    """

    name: ClassVar[str] = "ncp"
    title: ClassVar[str] = "Loss of generalised values (NCP)"
    explanation = (
        "Average share of its column that a published cell may stand for: 0 is exact, 1 is any value. "
        "Suppressed {many} count as 1."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: nothing lost, 1: all lost"
    paper: ClassVar[str] = "Xu et al., Utility-based anonymization using local recoding (2006)"
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "suppress", "withhold")

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up over all cells of all records; a column is as wide as that of the whole original."""
        view = comparison.view(TableComparison)
        return {
            # Records are shuffled when they are published: the sum must not depend on their order.
            "losses": math.fsum(view.record_losses.tolist()),
            "by_attribute": {c.name: float(c.losses[c.codes].sum()) for c in view.columns},
            "exact": sum(int(column.amounts[column.exact].sum()) for column in view.columns),
            "suppressed": sum(int(column.amounts[column.values.suppressed].sum()) for column in view.columns),
            "cells": view.published.records * len(view.columns),
            "withheld": view.suppressed_records,
            "records": view.records,
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average over all cells of all records."""
        records, cells, suppressed_records = max(partial["records"], 1), max(partial["cells"], 1), partial["withheld"]
        return (partial["losses"] + suppressed_records) / records, {
            "by_attribute": {
                name: (lost + suppressed_records) / records for name, lost in partial["by_attribute"].items()
            },
            "exact_share": partial["exact"] / cells,
            "suppressed_share": partial["suppressed"] / cells,
            "withheld_share": suppressed_records / records,
        }
