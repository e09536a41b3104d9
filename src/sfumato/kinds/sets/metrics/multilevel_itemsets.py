"""How many of the most frequent itemsets of all levels of a hierarchy are still found."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets._kernels.frequent_itemsets import Itemsets, top_itemsets
from sfumato.kinds.sets.comparison import SetComparison, SetMetric, list_items, number_items
from sfumato.kinds.sets.metrics.mining import Records, compare_top, draw_copy, extend_upwards
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation
from sfumato.metrics.partial_sums import PartialSums
from sfumato.params import Param

__all__ = ["MultilevelItemsets"]

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
    explanation = (
        "Share of the most frequent combinations of items and groups of items that the release no longer shows."
    )
    unit: ClassVar[str] = "of the itemsets"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: all itemsets are found, 1: none is"
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012), Section 6"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "It compares two rankings: losing false itemsets lets true ones back in."

    count: Annotated[int, Param("Number of itemsets.", ge=1, le=5000)] = 1000

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        reason = super().obstacle(comparison)
        if reason is not None:
            return reason
        hierarchy = comparison.view(SetComparison).hierarchy
        if hierarchy is None:
            return "needs a hierarchy of the items."
        leaves = set(hierarchy.leaf_labels)
        return (
            None
            if leaves.issuperset(comparison.view(SetComparison).items)
            else "the hierarchy does not have all items as leaves."
        )

    def partial(self, comparison: Comparison) -> PartialSums:
        """Keep the records with all ancestors as numbers: what is frequent is only known of all partitions together."""
        view = comparison.view(SetComparison)
        hierarchy = view.hierarchy
        assert hierarchy is not None
        rows = draw_copy(view) if view.is_disassociated else comparison.published
        nodes = _leaves_of(comparison.full_original) if view.is_disassociated else _nodes_of(view, hierarchy)
        return {"records": [Records(extend_upwards(rows, nodes, hierarchy)[0])]}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:
        """Mine the original and the release with all ancestors."""
        hierarchy = full_original.original.hierarchies["item"]
        history = number_items(full_original.original.history(), list_items(full_original))
        original, order = extend_upwards(history, _leaves_of(full_original), hierarchy)
        released = Records.merge(partial["records"], len(order))
        return compare_top(*(_mine(rows, order, hierarchy, self.count) for rows in (original, released)))


def _nodes_of(view: SetComparison, hierarchy: Hierarchy) -> Ints:
    """Return the lowest node that holds all members of every published value."""
    members = view.comparison.release.members()
    return np.array(
        [hierarchy.lca(*members.get(label, (label,))) for label in view.comparison.published.labels], dtype=np.int64
    )


def _leaves_of(full_original: FullOriginal) -> Ints:
    """Return the leaf of every item of the whole original."""
    leaf_of = {label: leaf for leaf, label in enumerate(full_original.original.hierarchies["item"].leaf_labels)}
    return np.array([leaf_of[label] for label in list_items(full_original)], dtype=np.int64)


def _mine(rows: ListColumn, order: Ints, hierarchy: Hierarchy, count: int) -> Itemsets:
    """Return the most frequent itemsets over nodes, numbered by their labels."""
    first = hierarchy.first_leaf.astype(np.int64)[order]
    spans = (first, first + hierarchy.leaves[order] - 1)
    return top_itemsets(rows.offsets, rows.codes, count, spans, len(order))
