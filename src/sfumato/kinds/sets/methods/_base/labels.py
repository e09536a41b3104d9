"""A hierarchy for methods that bring labels down: what labels cost, which are published alike, which come first."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.hierarchies.hierarchy import Hierarchy

if TYPE_CHECKING:
    from sfumato.kinds.sets._kernels.local_labels import Tree

__all__ = ["cost_tree", "find_lowest", "order_nodes"]

Ints = npt.NDArray[np.int64]


def cost_tree(hierarchy: Hierarchy) -> Tree:
    """Return a hierarchy as arrays, with what an item loses by each label.

    Examples
    --------
    >>> cost_tree(Hierarchy.from_paths([("a", "*"), ("b", "*")])).cost.tolist()
    [0, 0, 2]
    """
    from sfumato.kinds.sets._kernels.local_labels import Tree

    first, leaves = np.array(hierarchy.first_leaf, np.int64), np.array(hierarchy.leaves, np.int64)
    return Tree(np.array(hierarchy.parent, np.int32), first, leaves, np.where(leaves > 1, leaves, 0))


def find_lowest(hierarchy: Hierarchy) -> Ints:
    """Return for every node the lowest one with the same leaves, which is published alike.

    Examples
    --------
    >>> find_lowest(Hierarchy.from_paths([("a", "A", "*"), ("b", "*")])).tolist()
    [0, 1, 0, 3]
    """
    lowest = np.arange(len(hierarchy))
    for node, above in enumerate(hierarchy.parent.tolist()):  # parents have higher numbers
        if above >= 0 and hierarchy.leaves[above] == hierarchy.leaves[node]:
            lowest[above] = lowest[node]
    return lowest


def order_nodes(hierarchy: Hierarchy, counts: Ints) -> Ints:
    """Order the nodes below the root level by level, in each by how frequent their ancestors and they are.

    Nodes below the same parent are neighbours. Nodes that hold nothing, or the same as the node below, are left out.

    Examples
    --------
    >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "C", "*"), ("d", "C", "*")])
    >>> [tree.labels[node] for node in order_nodes(tree, np.array([1, 2, 0, 9]))]
    ['C', 'A', 'd', 'b', 'a']
    """
    below = np.concatenate([[0], np.cumsum(counts)])
    frequency = below[hierarchy.first_leaf + hierarchy.leaves] - below[hierarchy.first_leaf]
    rank = np.zeros(len(hierarchy), dtype=np.int64)
    levels = [np.empty(0, dtype=np.int64)]
    for depth in range(1, hierarchy.height + 1):
        nodes = np.flatnonzero(hierarchy.depth == depth)
        nodes = nodes[np.lexsort((nodes, -frequency[nodes], rank[hierarchy.parent[nodes]]))]
        rank[nodes] = np.arange(len(nodes))
        levels.append(nodes)
    order = np.concatenate(levels)
    remaining: Ints = order[(frequency[order] > 0) & (find_lowest(hierarchy)[order] == order)]
    return remaining
