"""How many sets of items a published record may stand for."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.comparison import SetMetric
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, divide
from sfumato.metrics.partial_sums import Most, PartialSums

__all__ = ["UtilityLoss"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class UtilityLoss(SetMetric):
    """Measure how much of a record is left open: the sets of items it may stand for, in bits.

    A value with n members stands for one of 2^n - 1 sets, which is log2(2^n - 1) bits of doubt: none for an item that
    is published unchanged. The doubts of a record's values add up; a suppressed item adds one bit, as any record may or
    may not have had it. The value is the mean over the original records as a share of what there would be to doubt if
    nothing were known, one bit per item there is; a suppressed record counts as that. ``bits_per_record`` is the mean
    over published records in bits.

    The paper's UL adds up 2^n - 1 over the values of a record and divides by 2^s - 1, s being the sum of their sizes.
    Generalising makes s grow faster than the sum: a release then seems better than the data it was made from. It is
    kept for comparison as ``paper``, beside ``paper_unchanged``, which it gives on the published records unchanged;
    items all weigh the same, and powers are handled by their logarithms, so that large values do not overflow.

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_parents({"bread": "food", "wine": "drink", "beer": "drink", "food": "*", "drink": "*"})
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "beer"]], hierarchy=tree)
    >>> result = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes(32))
    >>> round(UtilityLoss().measure(Comparison(data, result.release)).value, 4)
    0.5283

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes, Section 5.
    """

    name: ClassVar[str] = "utility-loss"
    title: ClassVar[str] = "Uncertainty of generalised items (utility loss)"
    explanation = (
        "Uncertainty about the items of a record, in bits, as a share of knowing nothing: 0 is exact, 1 is "
        "nothing known."
    )
    unit: ClassVar[str] = "of the possible uncertainty"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact items, 1: nothing is known"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 5"
    )
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")
    not_monotone: ClassVar[str] = "A value from which one member is suppressed everywhere stands for fewer sets."
    forms: ClassVar[tuple[str, ...]] = ("records",)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up the records' doubts."""
        published = comparison.published
        bits = np.bincount(published.row_of_token, _doubts(comparison.sizes)[published.codes], minlength=len(published))
        bits += len(comparison.release.suppressed())
        width, suppressed_records = max(len(comparison.places), 1), len(comparison.original) - len(published)
        # Overlapping values of a record may doubt an item twice; there is no more to doubt than whether it is there.
        partial = {
            "doubted": float(np.minimum(bits, width).sum()) + suppressed_records * float(width),
            "width": Most(width),
            "bits": float(bits.sum()),
            "records": len(comparison.original),
            "published": len(published),
            "values": {comparison.keys[value] for value in np.unique(published.codes).tolist()},
            "paper": _add_losses(published, comparison.sizes),
        }
        if comparison.rows is not None:
            originals = comparison.history.take(comparison.rows)
            partial["unchanged"] = _add_losses(originals, np.ones(len(originals.labels)))
        return partial

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average the records' doubts."""
        details: dict[str, Any] = {
            "bits_per_record": divide(partial["bits"], partial["published"]),
            "values": len(partial["values"]),
            "paper": _average(partial["paper"]),
        }
        if "unchanged" in partial:
            details["paper_unchanged"] = _average(partial["unchanged"])
        return divide(partial["doubted"], float(partial["width"]) * partial["records"]), details


def _doubts(sizes: npt.NDArray[Any]) -> Floats:
    """Return log2(2^n - 1) of every size n."""
    amounts = np.maximum(sizes.astype(np.float64), 1.0)
    return np.asarray(amounts + np.log2(1.0 - 2.0**-amounts))


def _log_losses(records: ListColumn, sizes: npt.NDArray[Any]) -> Floats:
    """Return the binary logarithm of every record's loss according to the paper."""
    amounts = sizes.astype(np.float64)[records.codes]
    rows = records.row_of_token
    total = np.bincount(rows, amounts, minlength=len(records))
    # Relative to the largest value of the record, so that no power overflows.
    largest = np.zeros(len(records))
    np.maximum.at(largest, rows, amounts)
    shares = np.bincount(rows, 2.0 ** (amounts - largest[rows]) * (1 - 2.0**-amounts), minlength=len(records))
    held = total > 0
    losses: Floats = np.log2(shares[held]) + largest[held] - total[held] - np.log2(1 - 2.0 ** -total[held])
    return losses


def _add_losses(records: ListColumn, sizes: npt.NDArray[Any]) -> dict[str, float]:
    """Add up what records lose according to the paper; those without items do not count."""
    losses = _log_losses(records, sizes)
    return {"sum": float((2.0**losses).sum()), "records": len(losses)}


def _average(losses: dict[str, float]) -> float:
    return losses["sum"] / losses["records"] if losses["records"] else 1.0
