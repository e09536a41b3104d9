"""How far two multisets of events are from each other in a taxonomy, in whole numbers.

A multiset is kept as the nodes it reaches, from the root down and from left to right. Two multisets are compared from
the root: where both reach the same children the comparison goes on below, elsewhere the node itself is the smallest
category that makes them equal. Distances are fractions; nothing is rounded.

References
----------
R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Section 5.2 and Algorithm 5.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.prices import measure_depths

__all__ = [
    "Branches",
    "Pivot",
    "build_branches",
    "clear_pivot",
    "load_pivot",
    "match_cost",
    "new_pivot",
]


class Branches(NamedTuple):
    """The nodes that each row's events reach, in preorder.

    Attributes
    ----------
    begin, length
        Where the nodes of each row stand in the columns below, the root first, and how many there are.
    node
        Node of the taxonomy.
    events
        How many of the row's events lie below the node, each as often as it happened.
    span
        How many entries belong to the node: itself and all below.

    Examples
    --------
    >>> parent = np.array([3, 3, 4, 4, -1], np.int32)  # leaves 0 and 1 below 3; 3 and leaf 2 below the root 4
    >>> branches = build_branches(np.array([0, 2, 3]), np.array([0, 2, 1], np.int32), parent)
    >>> branches.node[branches.begin[1] :].tolist(), branches.length.tolist()
    ([4, 3, 1], [4, 3])
    """

    begin: NDArray[np.int64]
    length: NDArray[np.int64]
    node: NDArray[np.int32]
    events: NDArray[np.int32]
    span: NDArray[np.int32]


class Pivot(NamedTuple):
    """One row of the branches laid out by node, so that many others can be compared with it.

    Attributes
    ----------
    events
        By node: how many events lie below, 0 where none does.
    children
        By node: how many of its children are reached.
    row
        Number of the row laid out, -1 when there is none.

    Examples
    --------
    >>> parent = np.array([3, 3, 4, 4, -1], np.int32)
    >>> pivot = new_pivot(5)
    >>> load_pivot(build_branches(np.array([0, 2]), np.array([0, 2], np.int32), parent), 0, pivot)
    >>> pivot.events.tolist(), pivot.children.tolist()
    ([1, 0, 1, 1, 2], [0, 0, 0, 1, 2])
    """

    events: NDArray[np.int32]
    children: NDArray[np.int32]
    row: NDArray[np.int64]


def build_branches(offsets: NDArray[np.int64], events: NDArray[np.int32], parent: NDArray[np.int32]) -> Branches:
    """Prepare multisets of events for comparison.

    Parameters
    ----------
    offsets
        The events of row r stand from ``offsets[r]`` up to ``offsets[r + 1]``.
    events
        Leaves of the taxonomy, in any order; an event that happened twice stands there twice.
    parent
        Node above each node, -1 for the root. Leaves come first, numbered from left to right; every inner node has a
        higher number than all nodes below it.

    Examples
    --------
    >>> parent = np.array([3, 3, 4, 4, -1], np.int32)  # leaves 0 and 1 below 3; 3 and leaf 2 below the root 4
    >>> branches = build_branches(np.array([0, 3]), np.array([1, 0, 1], np.int32), parent)
    >>> branches.node.tolist(), branches.events.tolist(), branches.span.tolist()
    ([4, 3, 0, 1], [3, 3, 1, 2], [4, 3, 1, 1])
    """
    offsets = np.ascontiguousarray(offsets, np.int64)
    owner = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    leaves = np.ascontiguousarray(events[np.lexsort((events, owner))], np.int32)
    depth = measure_depths(parent)
    sizes = _count_nodes(offsets, leaves, parent, depth)
    node, count, span = np.zeros((3, int(sizes.sum())), np.int32)
    branches = Branches(np.cumsum(sizes) - sizes, sizes, node, count, span)
    _fill_nodes(offsets, leaves, parent, depth, branches)
    return branches


def new_pivot(nodes: int) -> Pivot:
    """Make room for one row of a taxonomy with so many nodes.

    Examples
    --------
    >>> new_pivot(3).events.tolist()
    [0, 0, 0]
    """
    return Pivot(np.zeros(nodes, np.int32), np.zeros(nodes, np.int32), np.full(1, -1, np.int64))


@njit(cache=True, nogil=True)
def load_pivot(branches: Branches, row: int, pivot: Pivot) -> None:
    """Lay out a row by node, in place of the one before, which must not have changed."""
    clear_pivot(branches, pivot)
    pivot.row[0] = row
    for at in range(branches.begin[row], branches.begin[row] + branches.length[row]):
        pivot.events[branches.node[at]] = branches.events[at]
        end = at + branches.span[at]
        child = at + 1
        while child < end:
            pivot.children[branches.node[at]] += 1
            child += branches.span[child]


@njit(cache=True, nogil=True)
def clear_pivot(branches: Branches, pivot: Pivot) -> None:
    """Forget the row laid out."""
    row = pivot.row[0]
    pivot.row[0] = -1
    if row >= 0:
        for at in range(branches.begin[row], branches.begin[row] + branches.length[row]):
            pivot.events[branches.node[at]] = 0
            pivot.children[branches.node[at]] = 0


@njit(cache=True, nogil=True)
def match_cost(branches: Branches, row: int, leaves: NDArray[np.int64], pivot: Pivot) -> int:
    """Sum, over the events of a row and of the pivot, the leaves of the category each goes up to; none is empty."""
    cost = 0
    at = branches.begin[row]
    end = at + branches.length[row]
    # Every entry looked at belongs to a node that both reach; the root is one.
    while at < end:
        node = branches.node[at]
        below = at + branches.span[at]
        child = at + 1
        shared = 0
        while child < below and pivot.events[branches.node[child]] > 0:
            shared += 1
            child += branches.span[child]
        if child == below and shared > 0 and shared == pivot.children[node]:
            at += 1
        else:
            cost += leaves[node] * (np.int64(branches.events[at]) + np.int64(pivot.events[node]))
            at = below
    return cost


@njit(cache=True, nogil=True)
def _count_nodes(
    offsets: NDArray[np.int64], leaves: NDArray[np.int32], parent: NDArray[np.int32], depth: NDArray[np.int32]
) -> NDArray[np.int64]:
    """Count the nodes that each row reaches; its leaves are sorted."""
    sizes = np.zeros(offsets.size - 1, np.int64)
    path = np.empty(depth.max() + 1 if depth.size else 1, np.int32)
    for row in range(offsets.size - 1):
        path[:] = -1
        for at in range(offsets[row], offsets[row + 1]):
            node = leaves[at]
            while node >= 0 and path[depth[node]] != node:
                path[depth[node]] = node
                sizes[row] += 1
                node = parent[node]
    return sizes


@njit(cache=True, nogil=True)
def _fill_nodes(
    offsets: NDArray[np.int64],
    leaves: NDArray[np.int32],
    parent: NDArray[np.int32],
    depth: NDArray[np.int32],
    branches: Branches,
) -> None:
    """Write the nodes that each row reaches.

    Leaves are sorted, so a node is left for good when another takes its place in the path.
    """
    path = np.empty(depth.max() + 1 if depth.size else 1, np.int32)
    entry = np.empty(path.size, np.int64)
    for row in range(offsets.size - 1):
        path[:] = -1
        end = branches.begin[row]
        for at in range(offsets[row], offsets[row + 1]):
            node = leaves[at]
            while node >= 0 and path[depth[node]] != node:
                path[depth[node]] = node
                node = parent[node]
            top = depth[node] + 1 if node >= 0 else 0
            for level in range(depth[leaves[at]] + 1):
                if level >= top:
                    entry[level] = end
                    branches.node[end] = path[level]
                    end += 1
                branches.events[entry[level]] += 1
            for level in range(depth[leaves[at]] + 1):
                branches.span[entry[level]] = end - entry[level]
