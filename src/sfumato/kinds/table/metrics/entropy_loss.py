"""How many bits of what people's values were are gone."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.table.comparison import NEEDS_ROWS, TableComparison
from sfumato.kinds.table.comparison.losses import ComparedColumn
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["EntropyLoss"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class EntropyLoss(SummedMetric):
    """Measure the non-uniform entropy: the bits it takes to say which value of its cell each record has.

    A reader who knows how frequent values are guesses the value of a cell by that: the cell costs ``-log2`` of the
    share that the true value has among the original records whose values the cell may stand for. A rare value in a
    frequent company costs more than the other way round. All costs are added and divided by what they are when every
    cell is suppressed; a record that is suppressed costs as much as that.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [(20,), (29,), (70,), (79,)], ("age",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> EntropyLoss().measure(Comparison(data, result.release, result.owner_record.rows)).value
    0.5

    References
    ----------
    De Waal, Willenborg, Information loss through global recoding and local suppression (1999); Gionis, Tassa,
    k-Anonymization with minimal loss of information (2007).
    """

    name: ClassVar[str] = "entropy-loss"
    title: ClassVar[str] = "Loss of information (non-uniform entropy)"
    explanation = (
        "Share of the information in the values that is lost, in bits: 0 is exact, 1 is all of it. "
        "Suppressed {many} lose all of theirs."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: nothing lost, 1: all lost"
    paper: ClassVar[str] = "Gionis, Tassa, k-Anonymization with minimal loss of information (2007)"
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "suppress", "withhold")

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that the row map is missing."""
        return super().obstacle(comparison) or (NEEDS_ROWS if comparison.rows is None else None)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up the bits of all cells; how frequent a value is, is what it is in the whole original."""
        view = comparison.view(TableComparison)
        rows = comparison.row_map
        lost: dict[str, float] = {}
        there: dict[str, float] = {}
        for column in view.columns:
            full_original = _measure_full_bits(column)
            bits = np.minimum(_cell_bits(column, rows), full_original[rows])
            lost[column.name] = float(bits.sum() + full_original.sum() - full_original[rows].sum())
            there[column.name] = float(full_original.sum())
        return {"lost": lost, "there": there, "records": view.records}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Divide what is lost by what was there."""
        lost, there, records = partial["lost"], partial["there"], max(partial["records"], 1)
        total = sum(there.values())
        shares = {name: lost[name] / there[name] if there[name] > 0 else 0.0 for name in lost}
        return sum(lost.values()) / total if total > 0 else 0.0, {
            "by_attribute": shares,
            "bits_per_record": sum(lost.values()) / records,
            "bits_per_record_at_worst": total / records,
        }


def _measure_full_bits(column: ComparedColumn) -> Floats:
    """Return what the value of every original record costs when its cell is suppressed."""
    counts = column.frequencies[column.attribute.codes]
    return np.asarray(np.log2(column.frequencies.sum() / np.maximum(counts, 1)))


def _cell_bits(column: ComparedColumn, rows: npt.NDArray[np.int64]) -> Floats:
    """Return what the value of every published record costs in its cell."""
    counts = column.frequencies[column.attribute.codes[rows]]
    return np.asarray(np.log2(np.maximum(column.masses[column.codes], counts) / np.maximum(counts, 1)))
