"""How far the items of a cluster's records are from those they would hide among in a merged cluster.

The distance of two records is the paper's BTD, ``(ones(a xor b) + 1) / (ones(a and b) + 1)`` of their bit vectors: with
p and q items of which c are common, ``(p + q - 2c + 1) / (c + 1)``. A record of the seed would hide among the k records
of the merged cluster that are nearest to it, itself included; the distance of two clusters is that of the k-th of them,
averaged over the records of the seed.

Most records have no item in common with a given one, and their distance depends on their length only: with p and q
items it is p + q + 1, so that those within p + L + 1 are the records of at most L items, whose number is known of every
cluster. The others are found in a list of the records of every item; each is nearer than its length says, and counts
from a smaller L on, which is its step. The smallest L within which there are k records leaves only those of one step to
be put in order. So a record is compared with those that share an item with it, and not with all.

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
    """Count the records of every cluster with at most so many items; records of cluster -1 are in none.

    Examples
    --------
    >>> lists = list_items(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2)
    >>> count_lengths(lists, np.array([0, 0]), 1).tolist()
    [[0, 1, 2]]
    """
    lengths = np.diff(lists.offsets)
    width = int(lengths.max(initial=0)) + 1
    inside = cluster >= 0
    counted = np.bincount(cluster[inside] * width + lengths[inside], minlength=clusters * width)
    return counted.reshape(clusters, width).cumsum(axis=1).astype(np.int64)


class _Near(NamedTuple):
    """The records that have an item in common with a given one, cluster by cluster.

    Attributes
    ----------
    starts
        Those of cluster c are at positions ``starts[c]`` to ``starts[c + 1]``.
    length
        How many items they have.
    step
        From which L on they are within the distance of a record of L items without a common one.
    distance
        How far they are.
    """

    starts: NDArray[np.int64]
    length: NDArray[np.int64]
    step: NDArray[np.int64]
    distance: NDArray[np.float64]


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
        Of every cluster, how many records have at most so many items.
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
    distances = np.zeros(wanted.size)
    common = np.zeros(cluster.size, np.int32)
    near = np.empty(cluster.size, np.int64)
    for at in range(seed.size):
        size = lists.offsets[seed[at] + 1] - lists.offsets[seed[at]]
        count = _find_near(lists, cluster, seed[at], common, near)
        grouped = _group_near(lists, cluster, size, near[:count], common, wanted.size)
        _add_kth(distances, grouped, cluster[seed[at]], lengths, wanted, size, k)
        for i in range(count):
            common[near[i]] = 0
    for other in range(wanted.size):
        distances[other] = distances[other] / seed.size if wanted[other] else np.inf
    return distances


@njit(cache=True, nogil=True)
def _find_near(
    lists: ItemLists, cluster: NDArray[np.int64], record: int, common: NDArray[np.int32], near: NDArray[np.int64]
) -> int:
    """Count the items that a record has in common with every other, list those with any, and return their number."""
    count = 0
    for i in range(lists.offsets[record], lists.offsets[record + 1]):
        item = lists.codes[i]
        for j in range(lists.starts[item], lists.starts[item + 1]):
            other = lists.holders[j]
            if common[other] == 0:
                if cluster[other] < 0:
                    continue
                near[count] = other
                count += 1
            common[other] += 1
    return count


@njit(cache=True, nogil=True)
def _group_near(
    lists: ItemLists,
    cluster: NDArray[np.int64],
    size: int,
    near: NDArray[np.int64],
    common: NDArray[np.int32],
    clusters: int,
) -> _Near:
    """Measure the records that have an item in common with one of so many items, cluster by cluster."""
    starts = np.zeros(clusters + 2, np.int64)
    for i in range(near.size):
        starts[cluster[near[i]] + 2] += 1
    for c in range(clusters):
        starts[c + 2] += starts[c + 1]
    length = np.empty(near.size, np.int64)
    step = np.empty(near.size, np.int64)
    distance = np.empty(near.size)
    for i in range(near.size):
        other = near[i]
        place = starts[cluster[other] + 1]
        starts[cluster[other] + 1] += 1
        length[place] = lists.offsets[other + 1] - lists.offsets[other]
        distance[place] = (size + length[place] - 2 * common[other] + 1) / (common[other] + 1)
        step[place] = max(0, int(np.ceil(distance[place])) - size - 1)
    return _Near(starts, length, step, distance)


@njit(cache=True, nogil=True)
def _add_kth(
    totals: NDArray[np.float64],
    near: _Near,
    own: int,
    lengths: NDArray[np.int64],
    wanted: NDArray[np.bool_],
    size: int,
    k: int,
) -> None:
    """Add the distance of the k-th nearest record of the seed and each wanted cluster to one of so many items."""
    starts, length, step, distance = near
    mine = distance[starts[own] : starts[own + 1]]
    upto, within = np.zeros(lengths.shape[1], np.int64), np.zeros(lengths.shape[1] + 1, np.int64)
    for i in range(starts[own], starts[own + 1]):
        upto[step[i]] += 1
        within[step[i]] += 1
        within[length[i]] -= 1
    upto, within = np.cumsum(upto), np.cumsum(within)[:-1] + lengths[own]
    # Nobody is hidden by more than the k nearest ones, and a few of many are found without sorting them all.
    mine = np.sort(np.partition(mine, k)[:k] if mine.size > k else mine)
    change, candidates = np.zeros(lengths.shape[1] + 1, np.int64), np.empty(k + distance.size)
    for other in range(wanted.size):
        if not wanted[other]:
            continue
        begin, end = starts[other], starts[other + 1]
        for i in range(begin, end):
            change[step[i]] += 1
            change[length[i]] -= 1
        reach, nearer, before, reached = -1, 0, 0, 0
        rank = min(k, within[-1] + lengths[other, -1])
        while reached < rank:
            reach, before = reach + 1, reached
            nearer += change[reach]
            reached = within[reach] + lengths[other, reach] + nearer
        # Of the records that come in with the last step, those without a common item are the farthest.
        first = upto[reach - 1] if reach > 0 else 0
        last = min(upto[reach], first + rank - before)
        count = last - first
        for i in range(begin, end):
            change[step[i]] = 0
            change[length[i]] = 0
            if step[i] == reach:
                candidates[count] = distance[i]
                count += 1
        if count < rank - before:
            totals[other] += size + reach + 1.0
        else:
            candidates[: last - first] = mine[first:last]
            totals[other] += _select(candidates[:count], rank - before)


@njit(cache=True, nogil=True)
def _select(values: NDArray[np.float64], place: int) -> float:
    """Return the value at a place, counted from 1, in their order; they change places."""
    low, high = 0, values.size - 1
    while low < high:
        pivot, i, j = values[(low + high) // 2], low, high
        while i <= j:
            while values[i] < pivot:
                i += 1
            while values[j] > pivot:
                j -= 1
            if i <= j:
                values[i], values[j] = values[j], values[i]
                i, j = i + 1, j - 1
        if place - 1 <= j:
            high = j
        elif place - 1 >= i:
            low = i
        else:
            break
    return float(values[place - 1])
