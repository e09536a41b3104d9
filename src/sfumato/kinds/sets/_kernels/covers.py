"""Terms that all records of a cluster have, and ways to have none.

A term in all records of a cluster belongs to whoever is known to be in the cluster by another chunk. Clusters come from
splitting by frequent terms, so most have such terms. Two clusters that have none of them in common lose them all by
exchanging one record each; what covers a cluster after that goes to its term chunk.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.cluster_terms import ClusterTerms
from sfumato.kinds.sets._kernels.horizontal_partition import Partition
from sfumato.kinds.sets._kernels.vertical_partition import renumber_chunks

__all__ = ["Exchange", "exchange_records", "find_covers", "move_covers"]

_MAX_BACK = 64
"""How many other clusters a cluster is tried with."""

_RECORDS_PER_TURN = 8
"""A cluster that has lost its covers helps others, once more for so many of its records."""


class Exchange(NamedTuple):
    """Clusters after the exchange, and how many records changed their cluster."""

    partition: Partition
    exchanged: int


@njit(cache=True, nogil=True)
def find_covers(index: ClusterTerms, chunk: NDArray[np.int64]) -> NDArray[np.bool_]:
    """Mark the entries in record chunks that all records of their cluster have.

    A cluster that publishes a single record chunk and nothing else has nothing that could be linked; it is passed over.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> one_cluster = Partition(np.arange(2), np.array([0, 2]))
    >>> index = index_clusters(np.array([0, 2, 3]), np.array([0, 1, 0], np.int32), one_cluster, 2)
    >>> find_covers(index, np.array([1, 0])).tolist(), find_covers(index, np.array([1, 1])).tolist()
    ([True, False], [False, False])
    """
    covers = np.zeros(chunk.size, np.bool_)
    for cluster in range(index.bounds.size - 1):
        low, high = index.first[cluster], index.first[cluster + 1]
        alone = True
        for entry in range(low, high):
            alone = alone and chunk[entry] == 1
        size = index.bounds[cluster + 1] - index.bounds[cluster]
        for entry in range(low, high):
            covers[entry] = not alone and chunk[entry] > 0 and index.start[entry + 1] - index.start[entry] == size
    return covers


@njit(cache=True, nogil=True)
def exchange_records(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    partition: Partition,
    index: ClusterTerms,
    covers: NDArray[np.bool_],
) -> Exchange:
    """Exchange records so that the terms that cover clusters no longer do, as far as it goes.

    Each cluster that has covers exchanges one record with the nearest such cluster before it that can help. It can if
    the two records have none of the terms that cover the cluster they come to; of several, the shortest are taken.
    Where most clusters share a cover, the others help again, in turn. Sizes stay, and no record moves twice.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> partition = Partition(np.arange(4), np.array([0, 2, 4]))
    >>> offsets, codes = np.array([0, 1, 3, 4, 6]), np.array([0, 0, 2, 1, 1, 2], np.int32)
    >>> index = index_clusters(offsets, codes, partition, 3)
    >>> covers = find_covers(index, np.array([1, 0, 1, 0]))
    >>> exchange_records(offsets, codes, partition, index, covers).partition.order.tolist()
    [2, 1, 0, 3]
    """
    order = partition.order.copy()
    moved = np.zeros(order.size, np.bool_)
    waiting, helpers = [0 for _ in range(0)], [0 for _ in range(0)]
    for cluster in range(index.bounds.size - 1):
        own = _list_covers(index, covers, cluster)
        if own.size == 0:
            continue
        helped = False
        for back in range(min(_MAX_BACK, len(waiting))):
            at = len(waiting) - 1 - back
            other = _list_covers(index, covers, waiting[at])
            here = _shortest_without(offsets, codes, order, moved, index.bounds[cluster : cluster + 2], other)
            there = _shortest_without(offsets, codes, order, moved, index.bounds[waiting[at] : waiting[at] + 2], own)
            if here >= 0 and there >= 0:
                _swap(order, moved, here, there)
                helpers.append(waiting.pop(at))
                helpers.append(cluster)
                helped = True
                break
        if not helped:
            waiting.append(cluster)
    _help_again(offsets, codes, (order, moved), index, covers, waiting, helpers)
    return Exchange(Partition(order, partition.bounds), int(np.count_nonzero(moved)))


@njit(cache=True, nogil=True)
def _help_again(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    seats: tuple[NDArray[np.int64], NDArray[np.bool_]],
    index: ClusterTerms,
    covers: NDArray[np.bool_],
    waiting: list[int],
    helpers: list[int],
) -> None:
    """Exchange one record of each waiting cluster with one of a cluster that has lost its covers before."""
    order, moved = seats
    turns = np.empty(len(helpers), np.int64)
    for i in range(turns.size):
        turns[i] = (index.bounds[helpers[i] + 1] - index.bounds[helpers[i]]) // _RECORDS_PER_TURN
    none = np.empty(0, np.int32)
    at = 0
    for cluster in waiting:
        own = _list_covers(index, covers, cluster)
        here = _shortest_without(offsets, codes, order, moved, index.bounds[cluster : cluster + 2], none)
        for _ in range(min(_MAX_BACK, len(helpers))):
            at = at + 1 if at + 1 < len(helpers) else 0
            if turns[at] == 0:
                continue
            bounds = index.bounds[helpers[at] : helpers[at] + 2]
            there = _shortest_without(offsets, codes, order, moved, bounds, own)
            if there >= 0:
                _swap(order, moved, here, there)
                turns[at] -= 1
                break


@njit(cache=True, nogil=True)
def _swap(order: NDArray[np.int64], moved: NDArray[np.bool_], here: int, there: int) -> None:
    order[here], order[there] = order[there], order[here]
    moved[here] = moved[there] = True


@njit(cache=True, nogil=True)
def _list_covers(index: ClusterTerms, covers: NDArray[np.bool_], cluster: int) -> NDArray[np.int32]:
    low, high = index.first[cluster], index.first[cluster + 1]
    return index.term[low:high][covers[low:high]]


@njit(cache=True, nogil=True)
def _shortest_without(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    order: NDArray[np.int64],
    moved: NDArray[np.bool_],
    bounds: NDArray[np.int64],
    terms: NDArray[np.int32],
) -> int:
    """Find the seat of the shortest record that did not move and has none of the given terms, or -1."""
    best, shortest = -1, 0
    for seat in range(bounds[0], bounds[1]):
        low, high = offsets[order[seat]], offsets[order[seat] + 1]
        if moved[seat] or (best >= 0 and high - low >= shortest):
            continue
        a, b = low, 0
        while a < high and b < terms.size and codes[a] != terms[b]:
            if codes[a] < terms[b]:
                a += 1
            else:
                b += 1
        if a == high or b == terms.size:
            best, shortest = seat, high - low
    return best


@njit(cache=True, nogil=True)
def move_covers(index: ClusterTerms, chunk: NDArray[np.int64]) -> int:
    """Move what covers a cluster to its term chunk, in place; return how many terms were moved.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> one_cluster = Partition(np.arange(2), np.array([0, 2]))
    >>> index = index_clusters(np.array([0, 2, 3]), np.array([0, 1, 0], np.int32), one_cluster, 2)
    >>> chunk = np.array([1, 0])
    >>> move_covers(index, chunk), chunk.tolist()
    (1, [0, 0])
    """
    covers = find_covers(index, chunk)
    moved = 0
    for cluster in range(index.bounds.size - 1):
        low, high = index.first[cluster], index.first[cluster + 1]
        before = moved
        for entry in range(low, high):
            if covers[entry]:
                chunk[entry] = 0
                moved += 1
        if moved > before:
            renumber_chunks(chunk[low:high])
    return moved
