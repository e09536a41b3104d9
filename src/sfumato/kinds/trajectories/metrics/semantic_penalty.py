"""How much meaning generalised places mix."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.trajectories.comparison import PlaceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric, divide, sum_over_records
from sfumato.metrics.partial_sums import Facts, PartialSums

__all__ = ["SemanticPenalty"]


@dataclasses.dataclass(frozen=True)
class SemanticPenalty(SummedMetric):
    """Measure the semantic similarity penalty P under the hierarchy of places.

    The semantic dissimilarity SD of a generalised place is the share of the hierarchy's leaves that lie
    below the lowest common ancestor of its members. P is the mean over the published trajectories of the
    mean SD of their places. A place published unchanged mixes nothing and counts 0, which is what lets P
    reach the lower end of the paper's range from 0 to 1.

    Where coordinates are known and records can be matched, ``combined_distance`` is the combined
    trajectory data-set distance C: the distance D with every place's distance weighted by the SD of
    what it is published as.

    Examples
    --------
    >>> import sfumato as sf
    >>> at = {"a": (0, 0), "b": (1, 0), "c": (4, 0)}
    >>> tree = sf.Hierarchy.from_parents({"a": "food", "b": "food", "c": "*", "food": "*"})
    >>> data = sf.Dataset.of("trajectories", [["a", "c"], ["b", "c"], ["c"]], at, hierarchy=tree)
    >>> result = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32))
    >>> round(SemanticPenalty().measure(Comparison(data, result.release)).value, 4)
    0.2222

    References
    ----------
    Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data, Definitions 7 and 8,
    Section 5 (Measures).
    """

    name: ClassVar[str] = "semantic-penalty"
    title: ClassVar[str] = "Semantic similarity penalty P"
    explanation = "How different the kinds of place are that a generalised place mixes, by the hierarchy."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact places, 1: all kinds of place mixed"
    paper: ClassVar[str] = (
        "Poulis et al., Apriori-based algorithms for k^m-anonymizing trajectory data (2014), Section 5"
    )
    averages: ClassVar[bool] = True
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Suppressed places and records are not in the mean, even the costly ones."

    def obstacle(self, comparison: Comparison) -> str | None:
        """Ask for a hierarchy of places."""
        if "place" not in comparison.original.hierarchies:
            return super().obstacle(comparison) or "needs a hierarchy of places."
        return super().obstacle(comparison)

    def partial(self, comparison: Comparison) -> PartialSums:
        """Average over places, and add up over trajectories."""
        dissimilarity, published = self.dissimilarity(comparison), comparison.published
        generalised = np.flatnonzero(comparison.generalised).tolist()
        partial: dict[str, Any] = {
            "generalised": Facts({comparison.keys[value][1]: dissimilarity[value] for value in generalised}),
            "penalty": sum_over_records(dissimilarity[published.codes], published.offsets),
            "trajectories": len(published),
        }
        if comparison.view(PlaceComparison).has_coordinates and comparison.obstacle is None:
            distances = comparison.view(PlaceComparison).member_distances[comparison.member_entries]
            partial["combined"] = sum_over_records(distances * dissimilarity[published.codes], published.offsets)
        return partial

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Average over trajectories, and over generalised places."""
        generalised, trajectories = list(partial["generalised"].values()), partial["trajectories"]
        details: dict[str, Any] = {
            "average_dissimilarity": divide(sum(generalised), len(generalised)),
            "generalised": len(generalised),
        }
        if "combined" in partial:
            details["combined_distance"] = divide(partial["combined"], trajectories)
        return divide(partial["penalty"], trajectories), details

    def dissimilarity(self, comparison: Comparison) -> npt.NDArray[np.float64]:
        """Return SD of every published value; 0 for a place published unchanged."""
        hierarchy = comparison.original.hierarchies["place"]
        members = comparison.members
        leaves = hierarchy.require([members.labels[code] for code in members.codes], self.name)
        share = np.zeros(len(members))
        if len(members):
            # Leaves are numbered from left to right, so the outermost two have the ancestor of all.
            first = np.minimum.reduceat(leaves, members.offsets[:-1])
            last = np.maximum.reduceat(leaves, members.offsets[:-1])
            share[:] = hierarchy.leaves[hierarchy.lca_many(first, last)] / len(hierarchy.leaf_labels)
        return np.where(comparison.generalised, share, 0.0)
