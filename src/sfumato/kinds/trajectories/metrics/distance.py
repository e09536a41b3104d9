"""How far published trajectories are from the original ones."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.trajectories.comparison import PlaceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric, divide, sum_over_records
from sfumato.metrics.partial_sums import Most, PartialSums

__all__ = ["Distance"]


@dataclasses.dataclass(frozen=True)
class Distance(SummedMetric):
    """Measure the trajectory data-set distance D.

    The distance of a place to the value it is published as is the mean distance to all members, itself
    included; that of a trajectory is the mean over its places, and D the mean over the published
    trajectories. ``normalised`` divides by the largest distance between two places.

    The paper has no suppression here. A suppressed place has no published counterpart and is left out of
    the mean of its trajectory; ``suppressed_as_largest`` is D with the largest distance for every
    suppressed place instead, so that suppression cannot pass for accuracy. Suppressed records do not count.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> round(Distance().measure(Comparison(data, result.release)).value, 4)
    0.1667

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definition 6;
    Select-Organize-Anonymize, Definition 4.
    """

    name: ClassVar[str] = "distance"
    title: ClassVar[str] = "Trajectory data-set distance D"
    explanation = "Average distance between the true place of a visit and the places that the release says it may be."
    unit: ClassVar[str] = "metres, or units of x and y"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact places; no upper bound"
    paper: ClassVar[str] = (
        "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), Definition 6"
    )
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = (
        "More members near the true place bring a value closer on average; suppressed values and records "
        "have no distance."
    )

    def obstacle(self, comparison: Comparison) -> str | None:
        """Ask for coordinates and for matched records."""
        if not comparison.view(PlaceComparison).has_coordinates:
            return super().obstacle(comparison) or "needs the coordinates of places (x, y)."
        return super().obstacle(comparison) or comparison.obstacle

    def unit_of(self, comparison: Comparison) -> str:
        """Return metres where places lie on the globe, and otherwise the units of their coordinates."""
        places = comparison.original.places
        return "metres" if places is not None and "lon" in places.column_names else "units of x and y"

    def partial(self, comparison: Comparison) -> PartialSums:
        """Average over places, and add up over trajectories."""
        places = comparison.view(PlaceComparison)
        distances = places.member_distances[comparison.member_entries]
        suppressed = comparison.published_values < 0
        everywhere = np.zeros(len(suppressed))
        everywhere[~suppressed] = distances
        offsets = comparison.originals.offsets
        return {
            "distance": sum_over_records(distances, comparison.published.offsets),
            "with_suppressed": sum_over_records(everywhere, offsets),
            "suppressed_share": sum_over_records(suppressed.astype(np.float64), offsets),
            "suppressed_entries": int(suppressed.sum()),
            "trajectories": len(comparison.published),
            "largest": Most(places.largest_distance),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average over trajectories."""
        largest, trajectories = float(partial["largest"]), partial["trajectories"]
        value = divide(partial["distance"], trajectories)
        return value, {
            "normalised": divide(value, largest),
            "largest_distance": largest,
            "trajectories": trajectories,
            "suppressed_entries": partial["suppressed_entries"],
            "suppressed_as_largest": divide(
                partial["with_suppressed"] + largest * partial["suppressed_share"], trajectories
            ),
        }
