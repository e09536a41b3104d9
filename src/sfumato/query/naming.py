"""Names that stand for several values: the nodes of hierarchies."""

from __future__ import annotations

from sfumato.core.hierarchy import Hierarchy

__all__ = ["list_categories"]


def list_categories(hierarchy: Hierarchy | None) -> dict[str, tuple[str, ...]]:
    """Return the leaves below every inner node of a hierarchy, by its label; nothing where there is none.

    Examples
    --------
    >>> list_categories(Hierarchy.from_parents({"cafe": "drinks", "bar": "drinks"}))
    {'drinks': ('cafe', 'bar')}
    """
    if hierarchy is None or hierarchy.kind != "labels":
        return {}
    leaves = hierarchy.leaf_labels
    return {
        hierarchy.labels[node]: leaves[hierarchy.first_leaf[node] : hierarchy.first_leaf[node] + hierarchy.leaves[node]]
        for node in range(len(leaves), len(hierarchy.labels))
    }
