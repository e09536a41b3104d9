"""How many places are published exactly."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["PlaceCounts"]


@dataclasses.dataclass(frozen=True)
class PlaceCounts(SummedMetric):
    """Count places published unchanged, generalised places and suppressed places.

    The value is the number of original places that are published unchanged. With local recoding a
    place may be published unchanged to some and generalised to others; it then counts here and in the
    generalised places it is a member of. Average and largest size are those of the generalised places,
    0 when there are none. ``exact_share`` is the share of published entries that are exact. In a release in
    partitions, a place counts once if any partition publishes it as it is, and as suppressed if any partition
    suppresses it; generalised places of two partitions are the same if they have the same members.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> PlaceCounts().measure(Comparison(data, result.release)).value
    1.0

    References
    ----------
    Poulis et al., Distance-based k^m-anonymization of trajectory data, Section V; Apriori-based
    algorithms for k^m-anonymizing trajectory data, Section 5.1.
    """

    name: ClassVar[str] = "place-counts"
    title: ClassVar[str] = "Places published exactly"
    explanation = "Number of places that the release names exactly."
    unit: ClassVar[str] = "places"
    better: ClassVar[Better] = "higher"
    ends: ClassVar[str] = "0: no place keeps its name; at most the number of places"
    paper: ClassVar[str] = "Poulis et al., Distance-based k^m-anonymization of trajectory data (2013), Section V"
    unchanged: ClassVar[float | str] = "Unchanged data keep all their places, however many those are."
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise", "withhold")
    not_monotone: ClassVar[str] = "Where all but one member of a value are suppressed, the last is published as itself."

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count entries, and list what there is."""
        entries = np.bincount(comparison.published.codes, minlength=len(comparison.sizes))
        used, keys = np.flatnonzero(entries), comparison.keys
        return {
            "exact": {keys[value][0] for value in used.tolist() if not comparison.generalised[value]},
            "generalised": {keys[value][1] for value in used.tolist() if comparison.generalised[value]},
            "suppressed": set(comparison.release.suppressed()),
            "exact_entries": int(entries[~comparison.generalised].sum()),
            "entries": int(entries.sum()),
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Count every place and every generalised place once."""
        sizes = np.array([len(members) for members in partial["generalised"]])
        return len(partial["exact"]), {
            "original": len(full_original.original.view_history().labels),
            "exact": len(partial["exact"]),
            "generalised": len(sizes),
            "suppressed": len(partial["suppressed"]),
            "average_size": float(sizes.mean()) if len(sizes) else 0.0,
            "largest_size": int(sizes.max(initial=0)),
            "exact_share": partial["exact_entries"] / max(partial["entries"], 1),
        }
