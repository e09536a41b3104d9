"""Bit-vector distance of clusters of records (BTD), by complete linkage.

The distance of two records is ``(ones(a xor b) + 1) / (ones(a and b) + 1)``; that of a cluster is the largest of any
two of its records, a record and itself included. Two records with p and q items are at most p + q + 1 apart. So the
records of a cluster stand in a list from the most to the fewest items, and a pair that cannot be further apart than the
furthest one so far ends the search: of most pairs of clusters, a few pairs of records are looked at.

Equal sets of items are one *set*; a cluster has every set once. Lists are linked, so that two clusters are merged in
place and nothing has to be laid out anew.

References
----------
Poulis, Loukides, Gkoulalas-Divanis, Skiadopoulos: Anonymizing data with relational and transaction attributes (2013),
Section 5 (efficiency optimisation strategies).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Linked", "link_clusters", "measure_joined", "merge_lists", "pack_sets"]

_WORD = 64
_END = -1


class Linked(NamedTuple):
    """The sets of items of every cluster, from the largest to the smallest.

    Attributes
    ----------
    bits, ones
        By set: its items, one bit each, and how many there are.
    head
        By cluster: the first entry of its list, -1 for none.
    following, entry
        By entry: the next one of the list, -1 at the end, and the set it stands for.
    within
        By cluster: the distance of its two most distant records.

    Examples
    --------
    >>> bits = pack_sets(np.array([0, 2, 3]), np.array([0, 1, 2], np.int32), 3)
    >>> link_clusters(bits, np.array([0, 0]), 1).within.tolist()
    [4.0]
    """

    bits: NDArray[np.uint64]
    ones: NDArray[np.int64]
    head: NDArray[np.int64]
    following: NDArray[np.int64]
    entry: NDArray[np.int64]
    within: NDArray[np.float64]


def pack_sets(offsets: NDArray[np.int64], codes: NDArray[np.int32], items: int) -> NDArray[np.uint64]:
    """Write rows of items as bit vectors.

    Examples
    --------
    >>> pack_sets(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), 2).tolist()
    [[3], [2]]
    """
    bits = np.zeros((offsets.size - 1, max(-(-items // _WORD), 1)), np.uint64)
    row = np.repeat(np.arange(offsets.size - 1), np.diff(offsets))
    np.bitwise_or.at(bits, (row, codes // _WORD), np.uint64(1) << (codes % _WORD).astype(np.uint64))
    return bits


def link_clusters(bits: NDArray[np.uint64], group: NDArray[np.int64], clusters: int) -> Linked:
    """Put the sets of records into the lists of their clusters; records of group -1 are in none.

    Examples
    --------
    >>> bits = np.array([[3], [1], [3]], np.uint64)
    >>> linked = link_clusters(bits, np.array([0, 0, 1]), 2)
    >>> linked.ones[linked.entry[linked.head]].tolist(), measure_joined(linked, np.array([True, True]), 0).tolist()
    ([2, 2], [1.0, 1.0])
    """
    different, number = np.unique(bits, axis=0, return_inverse=True)
    ones = np.array([sum(int(word).bit_count() for word in row) for row in different.tolist()], np.int64)
    inside = group >= 0
    # The largest sets of every cluster come first; of equally large ones, those with the lower number.
    keys = np.unique(
        np.column_stack([group[inside], -ones[number.reshape(-1)[inside]], number.reshape(-1)[inside]]), axis=0
    )
    head = np.full(clusters, _END, np.int64)
    following = np.full(len(keys), _END, np.int64)
    begins = np.flatnonzero(np.diff(keys[:, 0], prepend=-1)) if len(keys) else np.empty(0, np.int64)
    if len(keys):
        head[keys[begins, 0]] = begins
        following[:-1] = np.where(keys[1:, 0] == keys[:-1, 0], np.arange(1, len(keys)), _END)
    linked = Linked(different, ones, head, following, keys[:, 2].astype(np.int64), np.zeros(clusters))
    for cluster in range(clusters):
        linked.within[cluster] = _measure_cross(linked, cluster, cluster, 0.0)
    return linked


@njit(cache=True, nogil=True)
def _count_ones(word: np.uint64) -> np.uint64:
    """Count the bits of a word that are set."""
    word = word - ((word >> np.uint64(1)) & np.uint64(0x5555555555555555))
    word = (word & np.uint64(0x3333333333333333)) + ((word >> np.uint64(2)) & np.uint64(0x3333333333333333))
    word = (word + (word >> np.uint64(4))) & np.uint64(0x0F0F0F0F0F0F0F0F)
    return (word * np.uint64(0x0101010101010101)) >> np.uint64(56)


@njit(cache=True, nogil=True)
def _measure_cross(linked: Linked, a: int, b: int, least: float) -> float:
    """Return the largest distance of a record of one cluster and one of another, or `least` if that is larger."""
    furthest = least
    if linked.head[b] < 0:
        return furthest
    largest = linked.ones[linked.entry[linked.head[b]]]
    one = linked.head[a]
    while one >= 0:
        p = linked.entry[one]
        if linked.ones[p] + largest + 1 <= furthest:
            break
        other = linked.head[b]
        while other >= 0:
            q = linked.entry[other]
            together = linked.ones[p] + linked.ones[q]
            if together + 1 <= furthest:
                break
            common = np.int64(0)
            for word in range(linked.bits.shape[1]):
                common += np.int64(_count_ones(linked.bits[p, word] & linked.bits[q, word]))
            furthest = max(furthest, (together - 2 * common + 1) / (common + 1))
            other = linked.following[other]
        one = linked.following[one]
    return furthest


@njit(cache=True, nogil=True)
def measure_joined(linked: Linked, wanted: NDArray[np.bool_], seed: int) -> NDArray[np.float64]:
    """Return the distance that a cluster would have together with each wanted one; infinite for all others.

    Examples
    --------
    >>> bits = np.array([[3], [1], [4]], np.uint64)
    >>> linked = link_clusters(bits, np.array([0, 1, 2]), 3)
    >>> measure_joined(linked, np.array([False, True, True]), 0).tolist()
    [inf, 1.0, 4.0]
    """
    found = np.full(wanted.size, np.inf)
    for cluster in range(wanted.size):
        if wanted[cluster]:
            least = max(linked.within[seed], linked.within[cluster])
            found[cluster] = _measure_cross(linked, seed, cluster, least)
    return found


@njit(cache=True, nogil=True)
def merge_lists(linked: Linked, into: int, gone: int) -> None:
    """Let a cluster take up another one; a set that both have is kept once.

    Examples
    --------
    >>> bits = np.array([[3], [1], [4]], np.uint64)
    >>> linked = link_clusters(bits, np.array([0, 1, 2]), 3)
    >>> merge_lists(linked, 0, 2)
    >>> linked.within.tolist(), linked.head.tolist()
    ([4.0, 0.5, 0.5], [0, 1, -1])
    """
    least = max(linked.within[into], linked.within[gone])
    linked.within[into] = _measure_cross(linked, into, gone, least)
    one, other = linked.head[into], linked.head[gone]
    last = np.int64(_END)
    while one >= 0 or other >= 0:
        if other >= 0 and one >= 0 and linked.entry[one] == linked.entry[other]:
            other = linked.following[other]
            continue
        if other < 0 or (one >= 0 and _comes_first(linked, linked.entry[one], linked.entry[other])):
            chosen = one
            one = linked.following[one]
        else:
            chosen = other
            other = linked.following[other]
        if last < 0:
            linked.head[into] = chosen
        else:
            linked.following[last] = chosen
        last = chosen
    if last >= 0:
        linked.following[last] = _END
    linked.head[gone] = _END


@njit(cache=True, nogil=True)
def _comes_first(linked: Linked, p: int, q: int) -> bool:
    return bool(linked.ones[p] > linked.ones[q] or (linked.ones[p] == linked.ones[q] and p < q))
