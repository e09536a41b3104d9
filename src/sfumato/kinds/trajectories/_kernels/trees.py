"""Trees of places: near ones together, level by level; and what every label costs every place below it."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.trajectories._kernels.labels import Paths

__all__ = ["GROWTH", "MOST_LINKED", "Grown", "build_tree", "grow_paths", "join_trees", "trim_tree"]

GROWTH = 3.0
"""A level of the tree begins where the diameter has grown so many times."""

MOST_LINKED = 5_000
"""More places than that are put into quarters of squares instead of being linked."""

_STEPS = 2**30
_SAMPLE = 1_024


class Grown(NamedTuple):
    """Paths over places in the order of the tree's leaves.

    Attributes
    ----------
    paths
        Paths over the places, renumbered.
    order
        The old number of every place.
    unit
        What one step of the cost is in the unit of the distances: the same for all trees over the same places.

    Examples
    --------
    >>> points = np.array([[0.0, 0, 0], [9, 0, 0], [1, 0, 0]])
    >>> near = grow_paths(build_tree(points, 0.0), 3, points, 0.0)
    >>> near.order.tolist(), np.diff(near.paths.start).tolist()
    ([1, 0, 2], [2, 3, 3])
    """

    paths: Paths
    order: NDArray[np.int64]
    unit: float


def build_tree(points: NDArray[np.float64], diameter: float) -> NDArray[np.int64]:
    """Return the parent of every node of a tree over places: leaves first, the root last, -1 for its parent.

    Up to :data:`MOST_LINKED` places it is the complete-linkage dendrogram, of which only those nodes are kept whose
    diameter is the last below a third, a ninth and so on of that of all; above, squares are quartered.

    Examples
    --------
    >>> build_tree(np.array([[0.0, 0, 0], [9, 0, 0], [1, 0, 0]]), 0.0).tolist()
    [3, 4, 3, 4, -1]
    """
    if len(points) == 1:
        return np.array([-1])
    if len(points) > MOST_LINKED:
        return _quarter(points, diameter)
    from scipy.cluster.hierarchy import linkage
    from scipy.spatial.distance import pdist

    merges = linkage(pdist(points), method="complete")
    leaves = len(points)
    above = np.full(2 * leaves - 1, -1, np.int64)
    for i in range(leaves - 1):
        above[merges[i, :2].astype(np.int64)] = leaves + i
    height = np.concatenate([np.zeros(leaves), merges[:, 2]])
    top, positive = height[-1], height[height > 0]
    steps = 1 if not len(positive) else int(np.ceil(np.log(top / positive.min()) / np.log(GROWTH))) + 1
    bounds = (top / GROWTH ** np.arange(steps))[::-1]
    reached = np.searchsorted(bounds, height, side="left")
    retained = np.ones(len(above), bool)
    retained[leaves:-1] = reached[leaves:-1] < reached[above[leaves:-1]]
    return _keep_nodes(above, retained)


def _keep_nodes(above: NDArray[np.int64], retained: NDArray[np.bool_]) -> NDArray[np.int64]:
    """Leave nodes out of a tree; what was below them is then below the next one that is kept."""
    number = np.cumsum(retained) - 1
    nearest = np.full(len(above), -1, np.int64)
    for node in range(len(above) - 2, -1, -1):  # parents have higher numbers
        up = above[node]
        nearest[node] = number[up] if retained[up] else nearest[up]
    return nearest[retained]


def _quarter(points: NDArray[np.float64], diameter: float) -> NDArray[np.int64]:
    """Return the parents in a tree of squares that are quartered until each holds one place, or one point."""
    if diameter:
        radius = diameter / 2
        flat = np.column_stack(
            [np.arctan2(points[:, 1], points[:, 0]) * radius, np.arcsin(np.clip(points[:, 2] / radius, -1, 1)) * radius]
        )
    else:
        flat = points[:, :2]
    low, side = flat.min(axis=0), max(float(np.ptp(flat, axis=0).max()), 1e-300)
    fine = np.minimum(((flat - low) / side * 2**24).astype(np.int64), 2**24 - 1)
    parent = [-1] * len(points)
    groups: list[tuple[NDArray[np.int64], int, int]] = [(np.arange(len(points)), 24, -1)]
    inner: list[int] = []
    while groups:
        members, level, up = groups.pop()
        while level > 0:
            quarter = (fine[members, 0] >> (level - 1)) * 2**24 + (fine[members, 1] >> (level - 1))
            if quarter.min() != quarter.max():
                break
            level -= 1
        here = len(inner)
        inner.append(up)
        if level == 0:
            for place in members.tolist():
                parent[place] = here
            continue
        for value in np.unique(quarter).tolist():
            part = members[quarter == value]
            if len(part) == 1:
                parent[int(part[0])] = here
            else:
                groups.append((part, level - 1, here))
    # Inner nodes were numbered from the root down; their numbers are turned round.
    last = len(points) + len(inner) - 1
    return np.array([last - up for up in parent] + [last - up if up >= 0 else -1 for up in inner[::-1]])


def join_trees(group: NDArray[np.int64], points: NDArray[np.float64], diameter: float) -> NDArray[np.int64]:
    """Return the parents of one tree over a tree inside of every group of places.

    Examples
    --------
    >>> join_trees(np.array([0, 1, 0]), np.array([[0.0, 0, 0], [9, 0, 0], [1, 0, 0]]), 0.0).tolist()
    [3, 4, 3, 4, -1]
    """
    parent = np.full(len(group), -2, np.int64)
    inner: list[NDArray[np.int64]] = []
    count = len(group)
    for number in np.unique(group).tolist():
        members = np.flatnonzero(group == number)
        tree = build_tree(points[members], diameter)
        moved = np.where(tree < 0, -2, tree - len(members) + count)
        parent[members] = moved[: len(members)]
        inner.append(moved[len(members) :])
        count += len(tree) - len(members)
    joined = np.concatenate([parent, *inner])
    if (joined == -2).sum() == 1 and len(joined) > 1:
        joined[joined == -2] = -1
        return joined
    joined[joined == -2] = count
    return np.append(joined, -1)


def trim_tree(node: NDArray[np.int64], parent: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return the parents in a given tree of which only some leaves are wanted, without nodes that tell nothing apart.

    Parents have higher numbers than what is below them.

    Examples
    --------
    >>> trim_tree(np.array([1, 0]), np.array([3, 4, 3, 4, 5, -1])).tolist()
    [2, 2, -1]
    """
    place_of = {int(at): place for place, at in enumerate(node)}
    below: list[list[int]] = [[] for _ in parent]
    above = [-1] * len(node)
    for at, up in enumerate(parent.tolist()):
        parts = [place_of[at]] if at in place_of else below[at]
        if len(parts) > 1:
            for part in parts:
                above[part] = len(above)
            parts = [len(above)]
            above.append(-1)
        if up >= 0:
            below[up] += parts
    return np.array(above)


def grow_paths(parent: NDArray[np.int64], places: int, points: NDArray[np.float64], diameter: float) -> Grown:
    """Order the places by the tree, and measure what every label costs: the mean distance to the places below it.

    Without points it costs the number of other places below it.
    """
    children: list[list[int]] = [[] for _ in parent]
    for node, up in enumerate(parent.tolist()):
        if up >= 0:
            children[up].append(node)
    order: list[int] = []
    first, last, depth = np.zeros(len(parent), np.int64), np.zeros(len(parent), np.int64), [0] * len(parent)
    waiting = [(len(parent) - 1, False)]
    while waiting:
        node, done = waiting.pop()
        if done:
            last[node] = len(order)
            continue
        first[node] = len(order)
        if node < places:
            order.append(node)
        waiting.append((node, True))
        for child in reversed(children[node]):
            depth[child] = depth[node] + 1
            waiting.append((child, False))
    rank = np.empty(places, np.int64)
    rank[order] = np.arange(places)
    number = np.concatenate([rank, np.arange(places, len(parent))])
    node_of: list[int] = []
    start = [0]
    for place in order:
        at = place
        while at >= 0:
            node_of.append(int(number[at]))
            at = int(parent[at])
        start.append(len(node_of))
    back = np.argsort(number)
    bounds = (np.array(depth, np.int32)[back], first[back], last[back])
    begin, nodes = np.array(start, np.int64), np.array(node_of, np.int32)
    if points.size == 0:
        means, unit = (bounds[2] - bounds[1] - 1.0)[nodes], 1.0
    else:
        # Some of very many places are enough to tell how far they are.
        most = places if places <= MOST_LINKED else _SAMPLE
        means = _mean_distances(begin, nodes, bounds[1], bounds[2], points[order], diameter, most)
        unit = 2 * float(np.sqrt((np.ptp(points, axis=0) ** 2).sum())) / _STEPS or 1.0
    return Grown(Paths(begin, nodes, np.rint(means / unit).astype(np.int64), *bounds), np.array(order, np.int64), unit)


@njit(cache=True, nogil=True)
def _mean_distances(
    start: NDArray[np.int64],
    node: NDArray[np.int32],
    first: NDArray[np.int64],
    last: NDArray[np.int64],
    points: NDArray[np.float64],
    diameter: float,
    most: int,
) -> NDArray[np.float64]:
    """Return, for every step of every path, the mean distance of the place to the places there, or to some of them."""
    means = np.zeros(node.size)
    for place in range(points.shape[0]):
        total, low, high = 0.0, place, place + 1
        for i in range(start[place] + 1, start[place + 1]):
            left, right = first[node[i]], last[node[i]]
            if right - left <= most:
                for other in range(left, low):
                    total += _distance(points, place, other, diameter)
                for other in range(high, right):
                    total += _distance(points, place, other, diameter)
                low, high = left, right
                means[i] = total / (right - left)
            else:
                sampled_total = 0.0
                for j in range(most):
                    sampled_total += _distance(points, place, left + (right - left) * j // most, diameter)
                means[i] = sampled_total / most
    return means


@njit(cache=True, nogil=True)
def _distance(points: NDArray[np.float64], place: int, other: int, diameter: float) -> float:
    straight = 0.0
    for axis in range(3):
        straight += (points[place, axis] - points[other, axis]) ** 2
    straight = np.sqrt(straight)
    return float(straight if diameter == 0.0 else diameter * np.arcsin(min(straight / diameter, 1.0)))
