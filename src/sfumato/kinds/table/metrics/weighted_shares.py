"""How far the shares of values in the population are from those that a release gives."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.queries import expect_matches
from sfumato.kinds.table.comparison.weights import NO_WEIGHTS, find_parts, share_population, weigh_published
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["WeightedShares"]


@dataclasses.dataclass(frozen=True)
class WeightedShares(SummedMetric):
    """Measure the distance of weighted marginals: shares of values in the population, and as the release has them.

    For every column, its values are cut into at most ten parts: ranges of numbers, or the most frequent labels. Half
    the sum of the differences of the parts' shares is the distance of the column (total variation); the value is the
    mean over columns. The release is asked as a receiver would ask it, without weights, unless these are published in
    ranges. ``with_weights`` is the distance for someone who knows the weights of the published records.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("table", [("a",), ("a",), ("b",), ("b",)], ("city",))
    >>> data = dataclasses.replace(data, weights=np.array([3.0, 3.0, 1.0, 1.0]))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> WeightedShares().measure(Comparison(data, result.release, result.owner_record.rows))
    weighted-shares: 0.25 (lower is better; 0: the same shares, 1: nothing in common)
      Distance between the shares of values in the population, by survey weights, and in the release: 0
        is equal, 1 is nothing in common.
      city, distance  0.25
      with weights    0
    """

    name: ClassVar[str] = "weighted-shares"
    title: ClassVar[str] = "Distance of weighted marginals"
    explanation = (
        "Distance between the shares of values in the population, by survey weights, and in the release: 0 "
        "is equal, 1 is nothing in common."
    )
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: the same shares, 1: nothing in common"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = "Weights are not published, so shares differ even if everything else is exact."
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "An error in one share may reduce the error in another."

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that the original has no weights."""
        reason = super().obstacle(comparison)
        return reason or (NO_WEIGHTS if comparison.original.weights is None else None)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up weights, column by column."""
        view, weights = comparison.view(TableComparison), comparison.original.weights
        assert weights is not None
        counted = weigh_published(view)
        partial: dict[str, Any] = {"truth": {}, "estimate": {}}
        if comparison.rows is not None:
            partial["better"] = {}
        for name, column in view.by_name.items():
            parts = list(find_parts(column))
            likely = [expect_matches([part], view.by_name, view.published.records) for part in parts]
            partial["truth"][name] = np.array([weights[part.of_records()].sum() for part in parts])
            partial["estimate"][name] = np.array([counted @ expected for expected in likely])
            if comparison.rows is not None:
                partial["better"][name] = np.array([weights[comparison.rows] @ expected for expected in likely])
        return {
            **partial,
            "weights": float(weights.sum()),
            "counted": float(counted.sum()),
            "published": view.published.records,
            "records": view.records,
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare shares, column by column."""
        truth = {name: sums / partial["weights"] for name, sums in partial["truth"].items()}
        distances = {name: _differ(truth[name], share_population(partial, partial["estimate"][name])) for name in truth}
        details: dict[str, Any] = {f"{name}, distance": distance for name, distance in distances.items()}
        if partial.get("better"):
            better = [_differ(truth[name], sums / partial["weights"]) for name, sums in partial["better"].items()]
            details["with_weights"] = float(np.mean(better))
        return float(np.mean(list(distances.values()))) if distances else 0.0, details


def _differ(truth: Any, estimate: Any) -> float:
    """Return half the sum of the differences, what is in no part being a part of its own."""
    rest = abs((1.0 - truth.sum()) - (1.0 - estimate.sum()))
    return float((np.abs(truth - estimate).sum() + rest) / 2)
