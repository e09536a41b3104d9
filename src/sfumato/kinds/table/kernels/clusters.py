"""CLUSTER: a record and those that are published with it at the least price, again and again."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table.kernels.hulls import Hulls, form_hulls, join_hulls, price_joined
from sfumato.kinds.table.kernels.neighbours import Nearest, Tree, plant_tree, refresh, search_nearest
from sfumato.kinds.table.kernels.prices import Space

__all__ = ["group_by_cluster"]


def group_by_cluster(space: Space, k: int) -> NDArray[np.int64]:
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

    Returns
    -------
    NDArray[np.int64]
        By record: the number of its cluster, counted from 0 in the order in which they are formed.

    Examples
    --------
    >>> from sfumato.kinds.table.kernels.prices import RANGE, lay_out
    >>> ages = np.array([20.0, 21.0, 30.0, 60.0, 61.0])
    >>> space = lay_out(np.array([[0], [3], [1], [4], [2]]), [RANGE], [ages], [1.0])
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
    if records < 2 * k:
        return np.zeros(records, np.int64)
    tree, point = plant_tree(space)
    group = np.full(records, -1, np.int64)
    _form_clusters(space, tree, point, k, group)
    left = np.flatnonzero(group < 0)
    clusters = records // k
    if len(left):
        group[left] = np.arange(clusters, clusters + len(left))
        hulls = form_hulls(space, group, clusters + len(left))
        group[left] = _place_left(space, hulls, clusters)
    return group


@njit(cache=True, nogil=True)
def _form_clusters(
    space: Space, tree: Tree, point: NDArray[np.int64], k: int, group: NDArray[np.int64]
) -> None:
    """Form clusters of k records, as long as there are k."""
    home = np.empty(tree.points.shape[0], np.int64)
    for box in range(tree.child.size):
        if tree.child[box] < 0:
            home[tree.span[box, 0] : tree.span[box, 1]] = box
    stack, bounds = np.empty(tree.child.size + 1, np.int64), np.empty(tree.child.size + 1)
    nearest = Nearest(np.empty(k - 1), np.empty(k - 1, np.int64), np.empty(k - 1, np.int64), np.zeros(1, np.int64))
    changed = np.full(tree.child.size, -1, np.int64)
    number, left = 0, group.size
    for seed in range(group.size):
        if left < k:
            break
        if group[seed] >= 0:
            continue
        group[seed] = number
        tree.taken[point[seed]] += 1  # boxes that do not know it yet only bound less well
        if k > 1:
            search_nearest(space, tree, space.codes[seed], stack, bounds, nearest)
        for at in range(k - 1):
            group[nearest.row[at]] = number
            tree.taken[nearest.point[at]] += 1
        for at in range(k):
            box = home[nearest.point[at]] if at < k - 1 else home[point[seed]]
            if changed[box] != number:
                changed[box] = number
                refresh(tree, box)
        number, left = number + 1, left - k


@njit(cache=True, nogil=True)
def _place_left(space: Space, hulls: Hulls, clusters: int) -> NDArray[np.int64]:
    """Find for every record that is left, a class of its own so far, the cluster that stays cheapest with it."""
    found = np.empty(hulls.records.size - clusters, np.int64)
    for at in range(found.size):
        best, least = 0, np.inf
        for c in range(clusters):
            price = price_joined(space, hulls, c, clusters + at)
            if price < least:
                best, least = c, price
        join_hulls(hulls, best, clusters + at)
        found[at] = best
    return found
