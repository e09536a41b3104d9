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

__all__ = [
    "Branches",
    "Pivot",
    "build_branches",
    "clear_pivot",
    "event_distance",
    "is_less",
    "load_pivot",
    "match_cost",
    "new_pivot",
    "pool_rows",
]

_CLOSE = 1e-14  # floats that differ by more, in proportion, come from fractions that differ the same way


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
    leaves = np.array(events, np.int32)
    _sort_rows(offsets, leaves)
    depth = _measure_depth(np.ascontiguousarray(parent, np.int32))
    sizes = _count_nodes(offsets, leaves, parent, depth)
    node, count, span = np.zeros((3, int(sizes.sum())), np.int32)
    branches = Branches(np.cumsum(sizes) - sizes, sizes, node, count, span)
    _fill_nodes(offsets, leaves, parent, depth, branches)
    return branches


def pool_rows(
    offsets: NDArray[np.int64], events: NDArray[np.int32], group: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Put the events of each group's rows together, for the distance between clusters.

    Parameters
    ----------
    offsets, events
        Rows of events.
    group
        Group of each row, counted from 0; rows with a negative one are left out.

    Examples
    --------
    >>> offsets, events = pool_rows(np.array([0, 2, 3, 4]), np.array([5, 6, 7, 8], np.int32), np.array([1, 0, 1]))
    >>> offsets.tolist(), events.tolist()
    ([0, 1, 4], [7, 5, 6, 8])
    """
    lengths = np.diff(offsets)
    owner = np.repeat(group, lengths)
    kept = owner >= 0
    order = np.argsort(owner[kept], kind="stable")
    sizes = np.bincount(owner[kept], minlength=int(group.max(initial=-1)) + 1)
    return np.concatenate((np.zeros(1, np.int64), np.cumsum(sizes))), events[kept][order]


def event_distance(branches: Branches, one: int, other: int, leaves: NDArray[np.int64]) -> tuple[int, int]:
    """Compare two rows: the least cost of making their events equal by going up to categories.

    Parameters
    ----------
    branches
        The rows, from :func:`build_branches`; rows of pooled events give the distance between clusters.
    one, other
        Row numbers.
    leaves
        Number of leaves below each node.

    Returns
    -------
    tuple
        Numerator and denominator, not reduced. The denominator is the number of leaves times the events of both rows.
        Two empty rows are equal, (0, 1); one empty row cannot be matched at all, (1, 0).

    Examples
    --------
    >>> parent = np.array([8, 8, 9, 9, 10, 10, 10, 10, 11, 11, 11, -1], np.int32)
    >>> leaves = np.array([1] * 8 + [2, 2, 4, 8])
    >>> rows = np.array([0, 5, 9]), np.array([0, 1, 2, 4, 5, 0, 0, 3, 6], np.int32)
    >>> event_distance(build_branches(*rows, parent), 0, 1, leaves)
    (24, 72)
    """
    if not branches.length[one] or not branches.length[other]:
        return (0, 1) if branches.length[one] == branches.length[other] else (1, 0)
    pivot = new_pivot(leaves.size)
    load_pivot(branches, one, pivot)
    events = int(branches.events[branches.begin[one]]) + int(branches.events[branches.begin[other]])
    return int(match_cost(branches, other, leaves, pivot)), int(leaves.max()) * events


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
def is_less(one: int, one_parts: int, other: int, other_parts: int) -> bool:
    """Whether one / one_parts < other / other_parts, exactly; all are at least 0 and the parts above 0."""
    near, far = one / one_parts, other / other_parts
    if abs(near - far) > _CLOSE * (near + far):
        return near < far
    # Whole parts decide; if they agree, the remainders are compared, upside down.
    while True:
        whole, other_whole = one // one_parts, other // other_parts
        if whole != other_whole:
            return whole < other_whole
        one -= whole * one_parts
        other -= other_whole * other_parts
        if one == 0 or other == 0:
            return one < other
        one, one_parts, other, other_parts = other_parts, other, one_parts, one


@njit(cache=True, nogil=True)
def _sort_rows(offsets: NDArray[np.int64], leaves: NDArray[np.int32]) -> None:
    for row in range(offsets.size - 1):
        leaves[offsets[row] : offsets[row + 1]].sort()


@njit(cache=True, nogil=True)
def _measure_depth(parent: NDArray[np.int32]) -> NDArray[np.int32]:
    """Count the steps from the root to every node."""
    depth = np.zeros(parent.size, np.int32)
    for node in range(parent.size - 1, -1, -1):
        if parent[node] >= 0:
            depth[node] = depth[parent[node]] + 1
    return depth


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
