"""VERPART: the terms of a cluster are dealt out to record chunks that hide rare combinations, and to a term chunk.

Terms are taken in the order of falling support. A chunk takes each term that leaves it k^m-anonymous, which only the
combinations of the new term with terms already there can break; they are counted as intersections of bit sets.

References
----------
Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy Preservation by Disassociation", Section 4 (VERPART) and
Section 5 (Lemma 2).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.cluster_terms import ClusterTerms, count_bits, set_bit

__all__ = [
    "Terms",
    "count_subrecords",
    "falling_supports",
    "fits_chunk",
    "is_full",
    "is_self_sufficient",
    "partition_terms",
    "renumber_chunks",
]


MOST_COMBINATIONS = 10**5
"""Combinations of a new term with those of a chunk that are counted, a millisecond of work."""


class Terms(NamedTuple):
    """Chunks of the terms of all clusters.

    Attributes
    ----------
    chunk
        Of every entry: its chunk in its cluster, 0 for the term chunk.
    moved
        How many clusters gave a term to the term chunk because they had too few subrecords.
    """

    chunk: NDArray[np.int64]
    moved: int


@njit(cache=True, nogil=True)
def partition_terms(index: ClusterTerms, apart: NDArray[np.bool_], k: int, m: int) -> Terms:
    """Deal out the terms of every cluster to chunks.

    Parameters
    ----------
    index
        Terms of the clusters.
    apart
        By term: whether it always goes to the term chunk.
    k, m
        Every combination of up to m terms in a record chunk occurs in at least k of its subrecords.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    >>> one_cluster = Partition(np.arange(4), np.array([0, 4]))
    >>> rows = np.array([0, 1, 0, 1, 0, 2, 1], np.int32)
    >>> index = index_clusters(np.array([0, 2, 4, 6, 7]), rows, one_cluster, 3)
    >>> partition_terms(index, np.zeros(3, np.bool_), k=2, m=2).chunk.tolist()
    [1, 1, 0]
    """
    chunk = np.zeros(index.term.size, np.int64)
    moved = 0
    for cluster in range(index.bounds.size - 1):
        low, high = index.first[cluster], index.first[cluster + 1]
        supports = index.start[low + 1 : high + 1] - index.start[low:high]
        order = low + falling_supports(supports)
        count = 0
        for entry in order:
            if supports[entry - low] >= k and not apart[index.term[entry]]:
                order[count] = entry
                count += 1
        order = order[:count]
        _fill_chunks(index, cluster, order, chunk, k, m)
        if count == high - low and not is_self_sufficient(index, cluster, chunk, k, m):
            chunk[order[count - 1]] = 0
            renumber_chunks(chunk[low:high])
            moved += 1
    return Terms(chunk, moved)


@njit(cache=True, nogil=True)
def falling_supports(supports: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order positions by falling support, equal ones as they stand.

    Examples
    --------
    >>> falling_supports(np.array([2, 5, 2])).tolist()
    [1, 0, 2]
    """
    count = supports.size
    keys = np.empty(count, np.int64)
    for i in range(count):
        keys[i] = -supports[i] * count + i
    keys.sort()
    return keys % max(count, 1)


@njit(cache=True, nogil=True)
def _fill_chunks(
    index: ClusterTerms, cluster: int, order: NDArray[np.int64], chunk: NDArray[np.int64], k: int, m: int
) -> None:
    """Number the chunks of the given entries, which come in the order of falling support."""
    base = index.bounds[cluster]
    bits = np.zeros((order.size, ((index.bounds[cluster + 1] - base + 63) >> 6)), np.uint64)
    for i in range(order.size):
        for at in range(index.start[order[i]], index.start[order[i] + 1]):
            set_bit(bits[i], index.seat[at] - base)
    held = np.empty((min(m, order.size) + 1, bits.shape[1]), np.uint64)
    chosen = np.empty(order.size, np.int64)
    number, placed = 0, 0
    while placed < order.size:
        number += 1
        count = 0
        for i in range(order.size):
            if chunk[order[i]] == 0 and fits_chunk(bits, chosen[:count], i, k, m, held):
                chosen[count] = i
                count += 1
        for i in range(count):
            chunk[order[chosen[i]]] = number
        placed += count


@njit(cache=True, nogil=True)
def fits_chunk(
    bits: NDArray[np.uint64], chosen: NDArray[np.int64], new: int, k: int, m: int, held: NDArray[np.uint64]
) -> bool:
    """Tell whether a new term leaves a k^m-anonymous chunk k^m-anonymous, and is not too much for it.

    Parameters
    ----------
    bits
        By term: the records that have it.
    chosen
        Terms of the chunk.
    new
        The term that is tried; at least k records have it.
    k, m
        What is asked for.
    held
        Room for the records of the combinations under way: a row for each size up to that of the chunk, or m.

    Examples
    --------
    >>> bits = np.array([[0b0111], [0b0011], [0b1001]], np.uint64)
    >>> held = np.empty((3, 1), np.uint64)
    >>> fits_chunk(bits, np.array([0]), 1, 2, 2, held), fits_chunk(bits, np.array([0]), 2, 2, 2, held)
    (True, False)
    """
    if is_full(chosen.size, m):
        return False
    words = bits.shape[1]
    last = min(m, chosen.size + 1)
    for word in range(words):
        held[0, word] = bits[new, word]
    reached = np.zeros(last + 1, np.int64)
    depth = 0
    while depth >= 0:
        if depth == last - 1 or reached[depth] == chosen.size:
            depth -= 1
            continue
        other = bits[chosen[reached[depth]]]
        reached[depth] += 1
        count = 0
        for word in range(words):
            both = held[depth, word] & other[word]
            held[depth + 1, word] = both
            count += count_bits(both)
        if 0 < count < k:
            return False
        if count > 0:
            reached[depth + 1] = reached[depth]
            depth += 1
    return True


@njit(cache=True, nogil=True)
def is_full(terms: int, m: int) -> bool:
    """Tell whether a chunk has so many terms that what a new one is in with them would take too long to count.

    Only with a large m: from some 80 terms for m=4, from some 28 for m=6.

    Examples
    --------
    >>> is_full(10_000, 2), is_full(90, 4), is_full(80, 4), is_full(30, 6)
    (False, True, False, True)
    """
    ways, combinations = 1.0, 0.0
    for size in range(1, min(m, terms + 1)):
        ways *= (terms - size + 1) / size
        combinations += ways
    return combinations > MOST_COMBINATIONS


@njit(cache=True, nogil=True)
def is_self_sufficient(index: ClusterTerms, cluster: int, chunk: NDArray[np.int64], k: int, m: int) -> bool:
    """Tell whether the record chunks of a cluster have enough subrecords to do without a term chunk (Lemma 2).

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    >>> one_cluster = Partition(np.arange(3), np.array([0, 3]))
    >>> index = index_clusters(np.array([0, 1, 2, 3]), np.array([0, 0, 0], np.int32), one_cluster, 1)
    >>> is_self_sufficient(index, 0, np.array([1]), 3, 2), is_self_sufficient(index, 0, np.array([0]), 3, 2)
    (True, False)
    """
    chunks, subrecords = count_subrecords(index, cluster, chunk)
    size = index.bounds[cluster + 1] - index.bounds[cluster]
    return bool(chunks > 0 and subrecords >= size + k * (min(m, chunks) - 1))


@njit(cache=True, nogil=True)
def count_subrecords(index: ClusterTerms, cluster: int, chunk: NDArray[np.int64]) -> tuple[int, int]:
    """Count the record chunks of a cluster, and their subrecords together.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
    >>> from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    >>> one_cluster = Partition(np.arange(2), np.array([0, 2]))
    >>> index = index_clusters(np.array([0, 2, 3]), np.array([0, 1, 0], np.int32), one_cluster, 2)
    >>> count_subrecords(index, 0, np.array([1, 2]))
    (2, 3)
    """
    low, high = index.first[cluster], index.first[cluster + 1]
    base, size = index.bounds[cluster], index.bounds[cluster + 1] - index.bounds[cluster]
    chunks = 0
    for entry in range(low, high):
        chunks = max(chunks, chunk[entry])
    seen = np.zeros((chunks + 1, size), np.bool_)
    subrecords = 0
    for entry in range(low, high):
        if chunk[entry] == 0:
            continue
        for at in range(index.start[entry], index.start[entry + 1]):
            seat = index.seat[at] - base
            if not seen[chunk[entry], seat]:
                seen[chunk[entry], seat] = True
                subrecords += 1
    return chunks, subrecords


@njit(cache=True, nogil=True)
def renumber_chunks(chunk: NDArray[np.int64]) -> None:
    """Close the gaps in the numbers of chunks that lost all their terms, in place; 0 stays 0.

    Examples
    --------
    >>> chunk = np.array([3, 0, 1])
    >>> renumber_chunks(chunk)
    >>> chunk.tolist()
    [2, 0, 1]
    """
    last = 0
    for value in chunk:
        last = max(last, value)
    number = np.zeros(last + 1, np.int64)
    for value in chunk:
        number[value] = 1
    before = 0
    for value in range(1, last + 1):
        before += number[value]
        number[value] = before
    for i in range(chunk.size):
        if chunk[i] > 0:
            chunk[i] = number[chunk[i]]
