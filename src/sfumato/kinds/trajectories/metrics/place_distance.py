"""How far apart the members of generalised places are."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.trajectories.comparison import PlaceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric, divide
from sfumato.metrics.partial_sums import Facts, Most, PartialSums

__all__ = ["PlaceDistance"]


@dataclasses.dataclass(frozen=True)
class PlaceDistance(SummedMetric):
    """Average the distance of members inside generalised places, as a share of the largest distance.

    The distance inside a generalised place is the mean over the pairs of its different members; the
    measure is the mean over the generalised places, each counting once, divided by the largest distance
    between two places. It is 0 when nothing is generalised or all places are at one point. In a release in partitions,
    generalised places with the same members are one.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> PlaceDistance().measure(Comparison(data, result.release)).value
    0.25

    References
    ----------
    Poulis et al., Distance-based k^m-anonymization of trajectory data, Section V; Apriori-based
    algorithms for k^m-anonymizing trajectory data, Section 5.1.
    """

    name: ClassVar[str] = "place-distance"
    title: ClassVar[str] = "Distance inside generalised places"
    explanation = "Average distance between the members of a generalised place."
    unit: ClassVar[str] = "of the largest distance"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact places, 1: the largest distance between places"
    paper: ClassVar[str] = "Poulis et al., Distance-based k^m-anonymization of trajectory data (2013), Section V"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "It is a mean over generalised places: one more with close members lowers it."

    def obstacle(self, comparison: Comparison) -> str | None:
        """Ask for coordinates."""
        if not comparison.view(PlaceComparison).has_coordinates:
            return super().obstacle(comparison) or "needs the coordinates of places (x, y)."
        return super().obstacle(comparison)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Average over pairs, for every generalised place."""
        distances, generalised = comparison.view(PlaceComparison).member_distances, comparison.generalised
        located = ~np.isnan(distances)
        value_of = comparison.members.row_of_token[located]
        sizes = np.bincount(value_of, minlength=len(comparison.members))
        totals = np.bincount(value_of, distances[located], minlength=len(sizes))
        # A member's distance is a mean over all members, itself included; pairs leave itself out.
        inside = totals[generalised] / np.maximum(sizes[generalised] - 1, 1)
        values = (comparison.keys[value][1] for value in np.flatnonzero(generalised).tolist())
        return {
            "inside": Facts(zip(values, inside.tolist(), strict=True)),
            "largest": Most(comparison.view(PlaceComparison).largest_distance),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average over generalised places, each of which counts once, however many partitions have it."""
        inside, largest = list(partial["inside"].values()), float(partial["largest"])
        average = divide(sum(inside), len(inside))
        return divide(average, largest), {
            "average_distance": average,
            "largest_distance": largest,
            "generalised": len(inside),
        }
