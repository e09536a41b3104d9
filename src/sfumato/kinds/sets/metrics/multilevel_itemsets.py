"""How many of the most frequent itemsets of all levels of a hierarchy are still found."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.hierarchy import Hierarchy
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Better, Operation
from sfumato.core.params import Param
from sfumato.core.ragged import Ragged
from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.kernels.frequent_itemsets import Itemsets, top_itemsets
from sfumato.kinds.sets.metrics.mining import compare_top, draw_copy, extend_upwards
from sfumato.kinds.sets.metrics.set_metric import SetMetric

__all__ = ["METRIC", "MultilevelItemsets"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class MultilevelItemsets(SetMetric):
    """Measure tKd-ML2: as tKd, over items and the groups above them in the hierarchy.

    Every record has its items and all groups they belong to, except the root. Itemsets with an item and its own group
    are left out. Of a disassociated release one reconstruction is mined. A generalised value counts as the lowest
    group that holds all its members, and has the groups above it: itemsets below that are lost.

    Examples
    --------
    >>> import sfumato as sf
    >>> tree = sf.Hierarchy.from_parents({"bread": "food", "wine": "drink", "beer": "drink", "food": "*", "drink": "*"})
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "beer"], ["bread"], ["bread"]], hierarchy=tree)
    >>> result = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes(32))
    >>> MultilevelItemsets(count=5).measure(Comparison(data, result.release)).value
    0.0

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 6.
    """

    name: ClassVar[str] = "multilevel-itemsets"
    title: ClassVar[str] = "Most frequent itemsets of all levels lost (tKd-ML^2)"
    explanation = "How many of the most frequent combinations of items and groups of items an analyst no longer finds."
    unit: ClassVar[str] = "of the itemsets"
    better: ClassVar[Better] = "lower"
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012), Section 6"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = (
        "It compares two rankings: losing itemsets that should not be there lets others back in."
    )

    count: Annotated[int, Param("Number of itemsets.", ge=1, le=5000)] = 1000

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        told = super().obstacle(comparison)
        if told is not None:
            return told
        hierarchy = comparison.view(SetComparison).hierarchy
        if hierarchy is None:
            return "needs a hierarchy of the items."
        known = set(hierarchy.leaf_labels)
        return (
            None
            if known.issuperset(comparison.view(SetComparison).items)
            else "the hierarchy does not have all items as leaves."
        )

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Mine the original and the release with all ancestors."""
        found = comparison.view(SetComparison)
        hierarchy = found.hierarchy
        assert hierarchy is not None
        leaf_of = {label: leaf for leaf, label in enumerate(hierarchy.leaf_labels)}
        leaves = np.array([leaf_of[label] for label in found.items], dtype=np.int64)
        original = _mine(found.original, leaves, hierarchy, self.count)
        if found.is_disassociated:
            return compare_top(original, _mine(draw_copy(found), leaves, hierarchy, self.count))
        return compare_top(original, _mine(comparison.published, _nodes_of(found, hierarchy), hierarchy, self.count))


def _nodes_of(found: SetComparison, hierarchy: Hierarchy) -> Ints:
    """Return the lowest node that holds all members of every published value."""
    members = found.comparison.release.members()
    return np.array(
        [hierarchy.lca(*members.get(label, (label,))) for label in found.comparison.published.labels], dtype=np.int64
    )


def _mine(rows: Ragged, nodes: Ints, hierarchy: Hierarchy, count: int) -> Itemsets:
    """Return the most frequent itemsets over nodes, numbered by their labels."""
    extended, order = extend_upwards(rows, nodes, hierarchy)
    first = hierarchy.first_leaf.astype(np.int64)[order]
    spans = (first, first + hierarchy.leaves[order] - 1)
    return top_itemsets(extended.offsets, extended.codes, count, spans, len(order))


METRIC = MultilevelItemsets
