"""How many sets of items a published record may stand for."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.rt.comparison import RtComparison
from sfumato.kinds.rt.costs import list_item_losses
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric, divide
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["UtilityLoss"]


@dataclasses.dataclass(frozen=True)
class UtilityLoss(SummedMetric):
    """Measure UL of the items: what tum-bound keeps below delta.

    A record whose values stand for n1, n2, ... items has the sum of 2^n - 1 over 2^s - 1, s being the sum of all n: the
    sets that its values stand for one by one over those they could all together. A single value has 1, however exact it
    is, many small ones have almost 0. Sensitive items are published unchanged and do not count; a record without
    others has 0, and a suppressed one 1.

    As generalising makes s grow too, UL is no measure of doubt: ``bits_per_record`` is. It adds up log2(2^n - 1) over
    the values of a record, which is 0 where items are exact.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("rt", [(20,), (20,)], ("age",), [["a", "c"], ["b", "c"]])
    >>> result = sf.anonymize(data, sf.methods.RFirst(k=2, m=2, transaction="coat"), secret=bytes(32))
    >>> round(UtilityLoss().measure(Comparison(data, result.release)).value, 6)  # {a|b} and c: 4/7
    0.571429

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 5.
    """

    name: ClassVar[str] = "utility-loss"
    title: ClassVar[str] = "Loss of generalised items (UL)"
    explanation = (
        "Number of sets of items that the values of a record may stand for one by one, divided by the number they may "
        "stand for together."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "1: one value or suppressed record, near 0: many values"
    paper: ClassVar[str] = (
        "Poulis et al., Anonymizing data with relational and transaction attributes (2013), Section 5"
    )
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = "A record of n exact items has n / (2^n - 1)."
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "A larger value beside others increases the divisor more than the sum."

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up over the records."""
        view = comparison.view(RtComparison)
        amounts = view.sizes.astype(np.float64)
        doubts = np.asarray(amounts + np.log2(1.0 - 2.0**-amounts))
        used = np.unique(view.known_values.codes)
        return {
            "losses": math.fsum(list_item_losses(view.known_values, view.sizes).tolist()),
            "withheld": len(comparison.original) - len(comparison.release),
            "records": len(comparison.original),
            "published": len(comparison.release),
            "bits": float(doubts[view.known_values.codes].sum()),
            "values": {comparison.keys[value] for value in used.tolist()},
            "exact": {comparison.keys[value] for value in used[view.sizes[used] == 1].tolist()},
            "members": float(amounts[view.known_values.codes].sum()),
            "entries": len(view.known_values.codes),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average over the records."""
        return (partial["losses"] + partial["withheld"]) / max(partial["records"], 1), {
            "bits_per_record": partial["bits"] / max(partial["published"], 1),
            "values": len(partial["values"]),
            "exact_values": len(partial["exact"]),
            "mean_size": divide(partial["members"], partial["entries"]),
        }
