"""Deletions of several sensitive events taken together: each is planned anew while the others stay as they are.

Where K occurrences go from a time point, k of the f of each sensitive event, the error there is
4 (K^2 Q - 2 K n X + n^2 R) / (n (n-2K))^2 with n twice the smoothed total, Q the sum of (2f+1)^2 over the alphabet, X
that of (2f+1)k and R that of k^2 over the sensitive events. Plans are compared as floating point numbers here: they are
candidates, and whoever chooses between them adds up their errors exactly.
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

from sfumato.kinds.timeline._kernels.sanitisation import Occurrences, Rule, needed, shorten

__all__ = ["DeletionSums", "error_of", "keeps", "plan_anew", "repair", "sum_up"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


class DeletionSums(NamedTuple):
    """Deletions of all sensitive events by time point: K, X and R."""

    removed: Ints
    mixed: Ints
    squared: Ints


@njit(cache=True, nogil=True)
def add(sums: DeletionSums, where: Occurrences, place: int, k: int, already: int) -> None:
    """Take k more deletions at a place into account, where some are already; a negative k takes them back."""
    t = where.points[place]
    sums.removed[t] += k
    sums.mixed[t] += (2 * where.counts[place] + 1) * k
    sums.squared[t] += k * (2 * already + k)


@njit(cache=True, nogil=True)
def sum_up(where: Occurrences, removed: Ints) -> DeletionSums:
    """Add up deletions by time point."""
    points = len(where.totals)
    sums = DeletionSums(np.zeros(points, np.int64), np.zeros(points, np.int64), np.zeros(points, np.int64))
    for i in range(len(removed)):
        add(sums, where, i, removed[i], 0)
    return sums


@njit(cache=True, nogil=True)
def _cost(n: float, squares: float, removed: float, mixed: float, squared: float) -> float:
    share = removed / n
    return 4.0 * (share * share * squares - 2.0 * share * mixed + squared) / ((n - 2.0 * removed) * (n - 2.0 * removed))


@njit(cache=True, nogil=True)
def error_of(where: Occurrences, removed: Ints, alphabet: int) -> float:
    """Return the error of deletions, rounded."""
    sums = sum_up(where, removed)
    error = 0.0
    for t in range(len(where.totals)):
        if sums.removed[t]:
            n = float(2 * where.totals[t] + alphabet)
            error += _cost(n, where.squares[t], sums.removed[t], sums.mixed[t], sums.squared[t])
    return error


@njit(cache=True, nogil=True)
def _price(where: Occurrences, sums: DeletionSums, place: int, already: int, alphabet: int) -> float:
    """Return what one more deletion at a place adds to the error."""
    t = where.points[place]
    n = float(2 * where.totals[t] + alphabet)
    k, mixed, squared = float(sums.removed[t]), float(sums.mixed[t]), float(sums.squared[t])
    after = _cost(n, where.squares[t], k + 1.0, mixed + 2 * where.counts[place] + 1, squared + 2 * already + 1)
    return float(after - _cost(n, where.squares[t], k, mixed, squared))


@njit(cache=True, nogil=True)
def is_first(keys: Floats, entry: int, other: int) -> bool:
    """Tell whether an entry leaves a heap before another: the cheaper, and of equal ones the later."""
    return bool(keys[entry] < keys[other] or (keys[entry] == keys[other] and entry > other))


@njit(cache=True, nogil=True)
def rise(heap: Ints, size: int, keys: Floats) -> None:
    """Move the last entry of a heap up to where it belongs."""
    i, entry = size - 1, heap[size - 1]
    while i > 0 and is_first(keys, entry, heap[(i - 1) // 2]):
        heap[i] = heap[(i - 1) // 2]
        i = (i - 1) // 2
    heap[i] = entry


@njit(cache=True, nogil=True)
def sink(heap: Ints, size: int, keys: Floats) -> None:
    """Move the first entry of a heap down to where it belongs."""
    i, entry = 0, heap[0]
    while 2 * i + 1 < size:
        child = 2 * i + 1
        if child + 1 < size and is_first(keys, heap[child + 1], heap[child]):
            child += 1
        if not is_first(keys, heap[child], entry):
            break
        heap[i] = heap[child]
        i = child
    heap[i] = entry


@njit(cache=True, nogil=True)
def _needs_more(where: Occurrences, s: int, removed: Ints, lengths: Ints, rule: Rule) -> bool:
    count = 0
    for i in range(where.offsets[s], where.offsets[s + 1]):
        count += where.counts[i] - removed[i]
        if needed(count, lengths[where.points[i]], rule):
            return True
    return False


@njit(cache=True, nogil=True)
def keeps(where: Occurrences, removed: Ints, rule: Rule) -> bool:
    """Tell whether deletions keep every sensitive event rare in every prefix."""
    lengths = np.cumsum(where.totals - sum_up(where, removed).removed)
    missing = 0
    for s in range(len(where.offsets) - 1):
        missing += int(_needs_more(where, s, removed, lengths, rule))
    return missing == 0


@njit(cache=True, nogil=True)
def _delete_event(where: Occurrences, s: int, removed: Ints, sums: DeletionSums, lengths: Ints, rule: Rule) -> int:
    """Delete more of one event until it is rare, at least added error, and return how many went."""
    if not _needs_more(where, s, removed, lengths, rule):
        return 0
    first = where.offsets[s]
    heap, keys = np.empty(where.offsets[s + 1] - first, np.int64), np.zeros(where.offsets[s + 1] - first)
    before = removed[first : where.offsets[s + 1]].copy()
    size, gone, count = 0, 0, 0
    for place in range(first, where.offsets[s + 1]):
        count += where.counts[place] - removed[place]
        if removed[place] < where.counts[place]:
            keys[place - first] = _price(where, sums, place, removed[place], rule.alphabet)
            heap[size] = place - first
            size += 1
            rise(heap, size, keys)
        need = needed(count + gone, lengths[where.points[place]], rule)
        while gone < need:
            at = first + heap[0]
            add(sums, where, at, 1, removed[at])
            removed[at] += 1
            gone += 1
            count -= 1
            if removed[at] < where.counts[at]:
                keys[heap[0]] = _price(where, sums, at, removed[at], rule.alphabet)
            else:
                size -= 1
                heap[0] = heap[size]
            sink(heap, size, keys)
    own = slice(first, where.offsets[s + 1])
    shorten(lengths, where.points[own], removed[own] - before)
    return gone


@njit(cache=True, nogil=True)
def plan_anew(where: Occurrences, removed: Ints, rule: Rule) -> None:
    """Take back the deletions of one event after the other, and plan them anew with the others as they are.

    An event planned later may leave too little for one planned earlier, so that the result need not keep the rule.
    """
    sums = sum_up(where, removed)
    lengths = np.cumsum(where.totals - sums.removed)
    for s in range(len(where.offsets) - 1):
        own = slice(where.offsets[s], where.offsets[s + 1])
        shorten(lengths, where.points[own], -removed[own])
        for place in range(where.offsets[s], where.offsets[s + 1]):
            add(sums, where, place, -removed[place], removed[place])
            removed[place] = 0
        _delete_event(where, s, removed, sums, lengths, rule)


@njit(cache=True, nogil=True)
def repair(where: Occurrences, removed: Ints, rule: Rule) -> None:
    """Delete more of the events that need it, in turn, until the rule is kept."""
    sums = sum_up(where, removed)
    lengths = np.cumsum(where.totals - sums.removed)
    gone = 1
    while gone:
        gone = 0
        for s in range(len(where.offsets) - 1):
            gone += _delete_event(where, s, removed, sums, lengths, rule)
