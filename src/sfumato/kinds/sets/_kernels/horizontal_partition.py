"""HORPART: records that share frequent terms come into one cluster.

A part is split into the records that have its most frequent term and the others. What remains after a split is
split by its own most frequent term, and so on: a *chain*. Counts only fall along a chain, so a heap of counts that
may be out of date finds each next term, and the occurrences of a part are read a fixed number of times. The parts
that were split off are split in their turn.

A term that all but a few records of a part have splits off too few records to stand alone; they stay with their
sibling, and the term is not looked at again below. This also leaves out the terms a part was made by, since all of its
records have them.

References
----------
Terrovitis, Liagouris, Mamoulis, Skiadopoulos, "Privacy Preservation by Disassociation", Section 4, HORPART.
"""

import heapq
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Partition", "partition_records"]


class Partition(NamedTuple):
    """Clusters of records.

    Attributes
    ----------
    order
        Records, cluster after cluster.
    bounds
        Cluster c holds the records ``order[bounds[c] : bounds[c + 1]]``.
    """

    order: NDArray[np.int64]
    bounds: NDArray[np.int64]


class _Chain(NamedTuple):
    """Arrays for one chain, allocated once.

    `counts` and `start` are by term, `terms` holds the terms that occur, `holders` the records by term as positions
    within the part, `group` the split each record of the part went with.
    """

    counts: NDArray[np.int64]
    start: NDArray[np.int64]
    terms: NDArray[np.int64]
    holders: NDArray[np.int64]
    group: NDArray[np.int64]


@njit(cache=True, nogil=True)
def partition_records(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], term_count: int, smallest: int, largest: int
) -> Partition:
    """Put records into clusters of `smallest` to `largest` records that share frequent terms.

    Parameters
    ----------
    offsets, codes
        The records as sets of terms. Of equally frequent terms the one with the lower code is used. Where no term
        splits a part, neighbours stay together, so records are best given in lexicographic order.
    term_count
        Codes run from 0 to ``term_count - 1``.
    smallest, largest
        Sizes of clusters. The upper bound gives way where a part of more records cannot be cut into parts of
        `smallest`; it always holds when ``largest >= 2 * smallest - 1``.

    Examples
    --------
    >>> rows = np.array([0, 0, 1, 1], np.int32)
    >>> found = partition_records(np.array([0, 1, 2, 3, 4]), rows, term_count=2, smallest=2, largest=3)
    >>> found.order.tolist(), found.bounds.tolist()
    ([0, 1, 2, 3], [0, 2, 4])
    """
    total = offsets.size - 1
    order = np.arange(total)
    ends = np.zeros(total + 1, np.bool_)
    chain = _Chain(
        np.zeros(term_count, np.int64),
        np.zeros(term_count, np.int64),
        np.empty(term_count, np.int64),
        np.empty(codes.size, np.int64),
        np.empty(total, np.int64),
    )
    waiting = [(0, total)]
    while len(waiting) > 0:
        low, high = waiting.pop()
        if high - low <= largest:
            ends[high] = True
            continue
        sizes = _split_chain(offsets, codes, order[low:high], chain, smallest, largest)
        end = low
        for i in range(len(sizes) - 1):
            waiting.append((end, end + sizes[i]))
            end += sizes[i]
        _cut_evenly(ends, end, high, smallest, largest)
    ends[total] = True
    bounds = np.flatnonzero(ends)
    return Partition(order, np.concatenate((np.zeros(1, np.int64), bounds[bounds > 0])))


@njit(cache=True, nogil=True)
def _cut_evenly(ends: NDArray[np.bool_], low: int, high: int, smallest: int, largest: int) -> None:
    """Mark the ends of clusters of about equal size."""
    size = high - low
    if size == 0:
        return
    parts = max(1, min(-(-size // largest), size // smallest))
    end = low
    for part in range(parts):
        end += size // parts + (1 if part < size % parts else 0)
        ends[end] = True


@njit(cache=True, nogil=True)
def _split_chain(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    part: NDArray[np.int64],
    chain: _Chain,
    smallest: int,
    largest: int,
) -> list[int]:
    """Split off the records with the most frequent term, again and again; return the sizes, the rest last.

    The records of the part are brought into the order of the splits.
    """
    base = chain.counts.size
    term_count = _index_part(offsets, codes, part, chain)
    heap = [0 for _ in range(0)]
    for i in range(term_count):
        term = chain.terms[i]
        if chain.counts[term] >= smallest:
            heap.append(-(chain.counts[term] * base + base - 1 - term))
    heapq.heapify(heap)
    sizes = [0 for _ in range(0)]
    left = part.size
    while left > largest and len(heap) > 0:
        key = -heapq.heappop(heap)
        seen, term = key // base, base - 1 - key % base
        count = chain.counts[term]
        if count < seen:
            if count >= smallest:
                heapq.heappush(heap, -(count * base + base - 1 - term))
        elif count <= left - smallest:
            _take_holders(offsets, codes, part, chain, term, len(sizes))
            sizes.append(count)
            left -= count
    sizes.append(left)
    _reorder(part, chain.group[: part.size], sizes)
    for i in range(term_count):
        chain.counts[chain.terms[i]] = 0
    return sizes


@njit(cache=True, nogil=True)
def _index_part(offsets: NDArray[np.int64], codes: NDArray[np.int32], part: NDArray[np.int64], chain: _Chain) -> int:
    """Count the terms of a part and list who has them; return how many terms occur."""
    term_count = 0
    for record in part:
        for at in range(offsets[record], offsets[record + 1]):
            term = codes[at]
            if chain.counts[term] == 0:
                chain.terms[term_count] = term
                term_count += 1
            chain.counts[term] += 1
    write = 0
    for i in range(term_count):
        chain.start[chain.terms[i]] = write
        write += chain.counts[chain.terms[i]]
    for i in range(part.size):
        chain.group[i] = -1
        for at in range(offsets[part[i]], offsets[part[i] + 1]):
            chain.holders[chain.start[codes[at]]] = i
            chain.start[codes[at]] += 1
    for i in range(term_count):  # Writing moved every start to its end.
        chain.start[chain.terms[i]] -= chain.counts[chain.terms[i]]
    return term_count


@njit(cache=True, nogil=True)
def _take_holders(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    part: NDArray[np.int64],
    chain: _Chain,
    term: int,
    group: int,
) -> None:
    """Give the records that still have the term to a group, and take them out of the counts."""
    # Holders were listed when the chain began; those of earlier splits are passed over.
    at = chain.start[term]
    left = chain.counts[term]
    while left > 0:
        i = chain.holders[at]
        at += 1
        if chain.group[i] >= 0:
            continue
        chain.group[i] = group
        left -= 1
        for token in range(offsets[part[i]], offsets[part[i] + 1]):
            chain.counts[codes[token]] -= 1


@njit(cache=True, nogil=True)
def _reorder(part: NDArray[np.int64], group: NDArray[np.int64], sizes: list[int]) -> None:
    """Bring the records into the order of their groups, those of no group last; stable."""
    write = np.zeros(len(sizes), np.int64)
    for i in range(1, len(sizes)):
        write[i] = write[i - 1] + sizes[i - 1]
    before = part.copy()
    for i in range(before.size):
        at = group[i] if group[i] >= 0 else len(sizes) - 1
        part[write[at]] = before[i]
        write[at] += 1
