"""How far the items of a cluster's records are from those they would hide among in a merged cluster.

The distance of two records is the paper's BTD, ``(ones(a xor b) + 1) / (ones(a and b) + 1)`` of their bit vectors: with
p and q items of which c are common, ``(p + q - 2c + 1) / (c + 1)``. A record of the seed would hide among the k records
of the merged cluster that are nearest to it, itself included; the distance of two clusters is that of the k-th of them,
averaged over the records of the seed.

Most records have no item in common with a given one, and their distance depends on their length only: they are counted
by length, cluster by cluster. The others are found in a list of the records of every item. So a record is compared with
those that share an item with it, and not with all.

References
----------
Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing data with relational and transaction attributes (2013),
Section 5 (efficiency optimisation strategies).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["ItemLists", "count_lengths", "list_items", "measure_joined"]


class ItemLists(NamedTuple):
    """The items of all records, and the records of all items; make it with :func:`list_items`.

    Attributes
    ----------
    offsets, codes
        The items of record r are ``codes[offsets[r] : offsets[r + 1]]``.
    starts, holders
        The records with item i are ``holders[starts[i] : starts[i + 1]]``.

    Examples
    --------
    >>> lists = list_items(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2)
    >>> lists.starts.tolist(), lists.holders.tolist()
    ([0, 1, 3], [0, 0, 1])
    """

    offsets: NDArray[np.int64]
    codes: NDArray[np.int32]
    starts: NDArray[np.int64]
    holders: NDArray[np.int64]


def list_items(offsets: NDArray[np.int64], codes: NDArray[np.int32], items: int) -> ItemLists:
    """List the records of every item.

    Examples
    --------
    >>> list_items(np.array([0, 1]), np.array([0], np.int32), 1).holders.tolist()
    [0]
    """
    row = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    order = np.argsort(codes, kind="stable")
    starts = np.searchsorted(codes[order], np.arange(items + 1)).astype(np.int64)
    return ItemLists(offsets, codes, starts, row[order].astype(np.int64))


def count_lengths(lists: ItemLists, cluster: NDArray[np.int64], clusters: int) -> NDArray[np.int64]:
    """Count the records of every cluster by their number of items; records of cluster -1 are in none.

    Examples
    --------
    >>> lists = list_items(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2)
    >>> count_lengths(lists, np.array([0, 0]), 1).tolist()
    [[0, 1, 1]]
    """
    lengths = np.diff(lists.offsets)
    width = int(lengths.max(initial=0)) + 1
    inside = cluster >= 0
    counted = np.bincount(cluster[inside] * width + lengths[inside], minlength=clusters * width)
    return counted.reshape(clusters, width).astype(np.int64)


@njit(cache=True, nogil=True)
def measure_joined(
    lists: ItemLists,
    cluster: NDArray[np.int64],
    lengths: NDArray[np.int64],
    seed: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    k: int,
) -> NDArray[np.float64]:
    """Return the distance of the seed's records to the k-th nearest of the seed and each wanted cluster, on average.

    Parameters
    ----------
    lists
        The items.
    cluster
        The cluster of every record, -1 for none.
    lengths
        Of every cluster, how many records have so many items.
    seed
        The records of the seed, at least one.
    wanted
        Clusters to measure; others are infinitely far.
    k
        How many records hide one, itself included.

    Examples
    --------
    Three records: a and b; a; c. The first is the seed.

    >>> lists = list_items(np.array([0, 2, 3, 4]), np.array([0, 1, 0, 2], np.int32), 3)
    >>> of = np.arange(3)
    >>> measure_joined(lists, of, count_lengths(lists, of, 3), np.array([0]), of > 0, 2).tolist()
    [inf, 1.0, 4.0]
    """
    found = np.zeros(wanted.size)
    common = np.zeros(cluster.size, np.int64)
    near = np.empty(cluster.size, np.int64)
    apart = np.zeros((2, lengths.shape[1]), np.int64)
    own = cluster[seed[0]]
    for at in range(seed.size):
        count = _find_near(lists, cluster, seed[at], common, near)
        order = _sort_near(lists, cluster, seed[at], near[:count], common, lengths.shape[1])
        first = np.searchsorted(order[:, 0], own)
        last = np.searchsorted(order[:, 0], own + 1)
        mine = order[first:last]
        _set_apart(lengths[own], mine, apart[0])
        begin = 0
        for other in range(wanted.size):
            end = begin
            while end < count and order[end, 0] == other:
                end += 1
            if wanted[other]:
                _set_apart(lengths[other], order[begin:end], apart[1])
                size = lists.offsets[seed[at] + 1] - lists.offsets[seed[at]]
                found[other] += _find_kth(mine, order[begin:end], apart, size, k)
            begin = end
        for i in range(count):
            common[near[i]] = 0
    for other in range(wanted.size):
        found[other] = found[other] / seed.size if wanted[other] else np.inf
    return found


@njit(cache=True, nogil=True)
def _find_near(
    lists: ItemLists, cluster: NDArray[np.int64], record: int, common: NDArray[np.int64], near: NDArray[np.int64]
) -> int:
    """Count the items that a record has in common with every other, list those with any, and return their number."""
    count = 0
    for i in range(lists.offsets[record], lists.offsets[record + 1]):
        item = lists.codes[i]
        for j in range(lists.starts[item], lists.starts[item + 1]):
            other = lists.holders[j]
            if cluster[other] < 0:
                continue
            if common[other] == 0:
                near[count] = other
                count += 1
            common[other] += 1
    return count


@njit(cache=True, nogil=True)
def _sort_near(
    lists: ItemLists,
    cluster: NDArray[np.int64],
    record: int,
    near: NDArray[np.int64],
    common: NDArray[np.int64],
    width: int,
) -> NDArray[np.int64]:
    """Return cluster, length and items in common of near records, cluster by cluster from the nearest on.

    There are few different distances, so that records are counted into place: by distance, then by cluster.
    """
    size = lists.offsets[record + 1] - lists.offsets[record]
    reach = np.full((size + 1) * width, np.inf)
    for shared in range(1, size + 1):
        for length in range(shared, width):
            reach[shared * width + length] = (size + length - 2 * shared + 1) / (shared + 1)
    rank = np.empty(reach.size, np.int64)
    rank[np.argsort(reach)] = np.arange(reach.size)
    first = np.empty(near.size, np.int64)
    highest = np.int64(0)
    for i in range(near.size):
        length = lists.offsets[near[i] + 1] - lists.offsets[near[i]]
        first[i] = rank[common[near[i]] * width + length]
        highest = max(highest, cluster[near[i]])
    order = _count_into_place(first, reach.size)
    second = np.empty(near.size, np.int64)
    for i in range(near.size):
        second[i] = cluster[near[order[i]]]
    place = _count_into_place(second, highest + 1)
    found = np.empty((near.size, 3), np.int64)
    for i in range(near.size):
        other = near[order[place[i]]]
        found[i, 0] = cluster[other]
        found[i, 1] = lists.offsets[other + 1] - lists.offsets[other]
        found[i, 2] = common[other]
    return found


@njit(cache=True, nogil=True)
def _count_into_place(keys: NDArray[np.int64], width: int) -> NDArray[np.int64]:
    """Return positions in the order of small keys; equal ones stay as they are."""
    begin = np.zeros(width + 1, np.int64)
    for i in range(keys.size):
        begin[keys[i] + 1] += 1
    for key in range(width):
        begin[key + 1] += begin[key]
    order = np.empty(keys.size, np.int64)
    for i in range(keys.size):
        order[begin[keys[i]]] = i
        begin[keys[i]] += 1
    return order


@njit(cache=True, nogil=True)
def _set_apart(lengths: NDArray[np.int64], near: NDArray[np.int64], apart: NDArray[np.int64]) -> None:
    """Count the records of a cluster that have nothing in common, by their length."""
    for length in range(lengths.size):
        apart[length] = lengths[length]
    for i in range(near.shape[0]):
        apart[near[i, 1]] -= 1


@njit(cache=True, nogil=True)
def _find_kth(mine: NDArray[np.int64], others: NDArray[np.int64], apart: NDArray[np.int64], size: int, k: int) -> float:
    """Return the distance of the k-th nearest record: two sorted lists, and the records with nothing in common."""
    one, other, length, passed = 0, 0, 0, 0
    reached = 0.0
    while passed < k:
        while length < apart.shape[1] and apart[0, length] + apart[1, length] == 0:
            length += 1
        distance, source = np.inf, 0
        if length < apart.shape[1]:
            distance = size + length + 1.0
        if one < mine.shape[0]:
            reach = (size + mine[one, 1] - 2 * mine[one, 2] + 1) / (mine[one, 2] + 1)
            if reach <= distance:
                distance, source = reach, 1
        if other < others.shape[0]:
            reach = (size + others[other, 1] - 2 * others[other, 2] + 1) / (others[other, 2] + 1)
            if reach < distance:
                distance, source = reach, 2
        if distance == np.inf:  # fewer than k records altogether
            break
        reached = distance
        if source == 1:
            one, passed = one + 1, passed + 1
        elif source == 2:
            other, passed = other + 1, passed + 1
        else:
            passed += apart[0, length] + apart[1, length]
            length += 1
    return reached
