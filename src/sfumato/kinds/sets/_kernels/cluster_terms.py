"""The terms of every cluster and who has them: what chunks are made of.

An *entry* is a term of a cluster. Entries stand cluster after cluster, in a cluster by their code.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.horizontal_partition import Partition

__all__ = ["ClusterTerms", "count_bits", "index_clusters", "set_bit"]


class ClusterTerms(NamedTuple):
    """Terms of clusters with their records.

    Attributes
    ----------
    bounds
        Cluster c is the seats ``bounds[c]`` to ``bounds[c + 1]``; a seat is a record's place in the order of clusters.
    first
        Its entries are ``first[c]`` to ``first[c + 1]``.
    term, cluster
        Of every entry.
    start
        Entry e is in the seats ``seat[start[e] : start[e + 1]]``, ascending.
    seat
        Seats, entry after entry.
    """

    bounds: NDArray[np.int64]
    first: NDArray[np.int64]
    term: NDArray[np.int32]
    cluster: NDArray[np.int64]
    start: NDArray[np.int64]
    seat: NDArray[np.int64]


@njit(cache=True, nogil=True)
def index_clusters(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], partition: Partition, term_count: int
) -> ClusterTerms:
    """List the terms of every cluster and the seats of the records that have them.

    Examples
    --------
    >>> rows = np.array([1, 0, 1], np.int32)
    >>> index = index_clusters(np.array([0, 1, 3]), rows, Partition(np.array([0, 1]), np.array([0, 2])), 2)
    >>> index.term.tolist(), index.start.tolist(), index.seat.tolist()
    ([0, 1], [0, 1, 3], [1, 0, 1])
    """
    order, bounds = partition.order, partition.bounds
    clusters = bounds.size - 1
    seat, term = _sort_by_term(offsets, codes, order, term_count)
    cluster_of = np.empty(order.size, np.int64)
    write = np.zeros(clusters + 1, np.int64)
    for c in range(clusters):
        for at in range(bounds[c], bounds[c + 1]):
            cluster_of[at] = c
            write[c + 1] += offsets[order[at] + 1] - offsets[order[at]]
    write = np.cumsum(write)
    sorted_seat, sorted_term = np.empty(codes.size, np.int64), np.empty(codes.size, np.int32)
    for i in range(codes.size):
        at = write[cluster_of[seat[i]]]
        sorted_seat[at], sorted_term[at] = seat[i], term[i]
        write[cluster_of[seat[i]]] += 1
    begins = np.zeros(codes.size + 1, np.bool_)
    for i in range(codes.size):
        begins[i] = (
            i == 0
            or sorted_term[i] != sorted_term[i - 1]
            or cluster_of[sorted_seat[i]] != cluster_of[sorted_seat[i - 1]]
        )
    begins[codes.size] = True
    start = np.flatnonzero(begins)
    cluster = cluster_of[sorted_seat[start[:-1]]]
    first = np.searchsorted(cluster, np.arange(clusters + 1))
    return ClusterTerms(bounds, first, sorted_term[start[:-1]], cluster, start, sorted_seat)


@njit(cache=True, nogil=True)
def _sort_by_term(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], order: NDArray[np.int64], term_count: int
) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """List all occurrences by term, those of a term by seat."""
    write = np.zeros(term_count + 1, np.int64)
    for code in codes:
        write[code + 1] += 1
    write = np.cumsum(write)
    seat, term = np.empty(codes.size, np.int64), np.empty(codes.size, np.int32)
    for place in range(order.size):
        for at in range(offsets[order[place]], offsets[order[place] + 1]):
            seat[write[codes[at]]], term[write[codes[at]]] = place, codes[at]
            write[codes[at]] += 1
    return seat, term


@njit(cache=True, nogil=True)
def set_bit(bits: NDArray[np.uint64], at: int) -> None:
    """Set one bit of a row of words.

    Examples
    --------
    >>> words = np.zeros(2, np.uint64)
    >>> set_bit(words, 65)
    >>> words.tolist()
    [0, 2]
    """
    bits[at >> 6] |= np.uint64(1) << np.uint64(at & 63)


@njit(cache=True, nogil=True)
def count_bits(word: np.uint64) -> int:
    """Count the ones of a word.

    Examples
    --------
    >>> count_bits(np.uint64(0b1011))
    3
    """
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    word += word >> np.uint64(8)
    word += word >> np.uint64(16)
    word += word >> np.uint64(32)
    return int(np.int64(word & np.uint64(0x7F)))
