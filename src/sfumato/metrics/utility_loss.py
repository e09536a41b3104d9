"""How many sets of items a published record may stand for."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.comparison import Comparison
from sfumato.core.metric import Better, Operation
from sfumato.core.ragged import Ragged
from sfumato.core.set_metric import SetMetric

__all__ = ["METRIC", "UtilityLoss"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class UtilityLoss(SetMetric):
    """Measure UL: the sets of items that the generalised values of a record may stand for, on average over records.

    A value with n members may stand for 2^n - 1 sets. A record's loss is the sum over its values, divided by the
    number of sets that all its members make, 2^s - 1 with s the sum of the values' sizes; all items weigh the same.
    Powers are handled by their logarithms, so that large values do not overflow.

    A record published exactly has a loss, too: 1 if it has a single item, much less if it has many.
    ``exact`` is the measure of the published records if nothing were generalised, and ``log2`` the logarithm of the
    value, which tells apart what is too small for the value.

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_parents({"bread": "food", "wine": "drink", "beer": "drink", "food": "*", "drink": "*"})
    >>> data = sf.Dataset.from_sets([["bread", "wine"], ["bread", "beer"]], hierarchy=tree)
    >>> result = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes(32))
    >>> round(UtilityLoss().measure(Comparison(data, result.release)).value, 4)
    0.5714

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes, Section 5.
    """

    name: ClassVar[str] = "utility-loss"
    title: ClassVar[str] = "Utility loss of generalised items (UL)"
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 5"
    )
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")
    not_monotone: ClassVar[str] = "A value from which one member is suppressed everywhere stands for fewer sets."
    forms: ClassVar[tuple[str, ...]] = ("records",)

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Average the records' losses."""
        published = comparison.published
        losses = _log_losses(published, comparison.sizes)
        details: dict[str, Any] = {"log2": _log_mean(losses), "values": len(np.unique(published.codes))}
        if comparison.rows is not None:
            originals = comparison.history.take(comparison.rows)
            details["exact"] = float(2.0 ** _log_mean(_log_losses(originals, np.ones(len(originals.labels)))))
        return float(2.0 ** details["log2"]), details


def _log_losses(records: Ragged, sizes: npt.NDArray[Any]) -> Floats:
    """Return the binary logarithm of every record's loss."""
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


def _log_mean(logarithms: Floats) -> float:
    """Return the binary logarithm of the mean of numbers given by theirs; 0 where there are none."""
    if not len(logarithms):
        return 0.0
    most = float(logarithms.max())
    return most + float(np.log2(np.mean(2.0 ** (logarithms - most))))


METRIC = UtilityLoss
