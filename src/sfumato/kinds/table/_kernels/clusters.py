"""CLUSTER: a record and those that are published with it at the least price, again and again."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.class_bounds import ClassBounds, bound_classes, price_with, take_up
from sfumato.kinds.table._kernels.neighbours import (
    Tree,
    find_leaf_boxes,
    make_buffers,
    plant_tree,
    search_nearest,
    take_out,
)
from sfumato.kinds.table._kernels.prices import Space

__all__ = ["group_by_cluster"]


def group_by_cluster(space: Space, k: int, at_a_time: int | None = None) -> NDArray[np.int64]:
    """Group records by CLUSTER; the seeds are the first records that are left, so shuffle the records before.

    Every cluster is a seed and the k - 1 records that are cheapest with it; records that are left over, fewer than k,
    join the cluster whose hull is then the cheapest. Of equally cheap ones the first counts. What is found is the
    same as by looking at every record for every seed.

    Parameters
    ----------
    space
        Records and prices.
    k
        Number of records in a cluster, at least 1. Fewer records than that are one cluster.
    at_a_time
        How many records a cluster takes up before it looks again which are cheapest with all that it has: k - 1, as in
        the paper, if not given; else a number that divides k - 1.

    Returns
    -------
    NDArray[np.int64]
        By record: the number of its cluster, counted from 0 in the order in which they are formed.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> ages = np.array([20.0, 21.0, 30.0, 60.0, 61.0])
    >>> space = build_space(np.array([[0], [3], [1], [4], [2]]), [RANGE], [ages], [1.0])
    >>> group_by_cluster(space, 2).tolist()
    [0, 1, 0, 1, 0]

    References
    ----------
    Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing data with relational and transaction attributes
    (2013), Section 5, algorithm CLUSTER.
    """
    records = len(space.codes)
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    if records < 2 * k or k == 1:
        return np.arange(records) if k == 1 else np.zeros(records, np.int64)
    clusters = records // k
    tree, point = plant_tree(space)
    group = np.full(records, -1, np.int64)
    bounds = bound_classes(space, group, clusters)
    _build_clusters(space, tree, point, k, at_a_time or k - 1, bounds, group)
    left = np.flatnonzero(group < 0)
    group[left] = _place_left(space, bounds, left)
    return group


@njit(cache=True, nogil=True)
def _build_clusters(
    space: Space,
    tree: Tree,
    point: NDArray[np.int64],
    k: int,
    at_a_time: int,
    bounds: ClassBounds,
    group: NDArray[np.int64],
) -> None:
    """Form clusters of k records around the first that are left, as long as there are k."""
    leaf_box = find_leaf_boxes(tree)
    waiting, nearest = make_buffers(tree, at_a_time)
    number, left = 0, group.size
    for seed in range(group.size):
        if left < k:
            break
        if group[seed] >= 0:
            continue
        group[seed] = number
        take_up(space, bounds, number, seed)
        take_out(tree, point[seed : seed + 1], leaf_box)
        while bounds.records[number] < k:
            search_nearest(space, tree, bounds, number, waiting, nearest)
            for row in nearest.number:
                group[row] = number
                take_up(space, bounds, number, row)
            take_out(tree, nearest.mark, leaf_box)
        number, left = number + 1, left - k


@njit(cache=True, nogil=True)
def _place_left(space: Space, bounds: ClassBounds, left: NDArray[np.int64]) -> NDArray[np.int64]:
    """Find for every record that is left the cluster that is cheapest with it."""
    clusters = np.empty(left.size, np.int64)
    for at in range(left.size):
        best, least = 0, np.inf
        for c in range(bounds.records.size):
            price = price_with(space, bounds, c, space.codes[left[at]])
            if price < least:
                best, least = c, price
        take_up(space, bounds, best, left[at])
        clusters[at] = best
    return clusters
