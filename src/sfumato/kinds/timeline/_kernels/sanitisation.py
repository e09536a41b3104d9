"""Fewest and cheapest deletions that keep sensitive events rare in every prefix of a timeline.

Only occurrences of sensitive events go. Deleting k of the f occurrences of an event from a time point whose smoothed
total is N costs A k^2 / (N (N-k))^2, where A is the sum of the other events' squared smoothed counts and of
(N-f-1/2)^2. Everything is kept as whole numbers by counting halves: n = 2N, and 4A instead of A.

The cost is convex in k, so that walking the prefixes and always taking the cheapest next deletion among the time points
seen so far is optimal for one event. Costs are compared as floating point numbers where these are far enough apart to
be sure, and otherwise as exact fractions (:func:`is_cheaper`).
"""

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
from numba import njit

__all__ = [
    "LARGEST",
    "Event",
    "Occurrences",
    "Rule",
    "delete_cheapest",
    "is_cheaper",
    "needed",
    "sanitise_event",
    "sanitise_events",
    "shorten",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Limbs = npt.NDArray[np.uint64]

LARGEST = 1 << 29
"""Most occurrences and labels together: squares of twice as many still fit 61 bits."""

# The key of a deletion is a product of nine rounded factors, so two keys that differ by more than this are in the
# right order.
_SURE = 1e-14
_LIMBS = 12
_LOW = (1 << 32) - 1


class Rule(NamedTuple):
    """No sensitive event may reach numerator / denominator; unseen labels of the alphabet smooth the counts."""

    numerator: int
    denominator: int
    alphabet: int


class Occurrences(NamedTuple):
    """Where the sensitive events occur: those of event s at ``offsets[s]`` up to ``offsets[s + 1]``, in time order.

    ``totals`` and ``squares`` are of time points: occurrences of all events, and the sum of (2f+1)^2 over the
    alphabet.
    """

    offsets: Ints
    points: Ints
    counts: Ints
    totals: Ints
    squares: Ints


class Event(NamedTuple):
    """Where one event occurs, what is there, and what each next deletion costs."""

    points: Ints
    counts: Ints
    removed: Ints
    sizes: Ints
    weights: Ints
    keys: Floats


@njit(cache=True, nogil=True)
def needed(count: int, length: int, rule: Rule) -> int:
    """Return the least number of occurrences that must go from a prefix for the event to stay below the threshold.

    Where the prefix holds nothing but the event, all must go.
    """
    excess = rule.denominator * count - rule.numerator * length
    if count == 0 or excess < 0:
        return 0
    if count == length:
        return count
    return int(excess // (rule.denominator - rule.numerator) + 1)


@njit(cache=True, nogil=True)
def _multiply(number: Limbs, factor: int) -> Limbs:
    """Multiply a number of 32-bit limbs, least first, by a factor below 2^63."""
    low, high = np.uint64(factor & _LOW), np.uint64(factor >> 32)
    shift, mask = np.uint64(32), np.uint64(_LOW)
    product = np.zeros(_LIMBS, np.uint64)
    carry = np.uint64(0)
    for i in range(_LIMBS):
        partial = number[i] * low + carry
        product[i] = partial & mask
        carry = partial >> shift
    carry = np.uint64(0)
    for i in range(_LIMBS - 1):
        partial = product[i + 1] + number[i] * high + carry
        product[i + 1] = partial & mask
        carry = partial >> shift
    return product


@njit(cache=True, nogil=True)
def _cross(event: Event, place: int, other: int) -> Limbs:
    """Multiply the numerator of one deletion's cost by the denominator of the other's."""
    k, n = event.removed[place], event.sizes[place]
    product = np.zeros(_LIMBS, np.uint64)
    product[0] = 1
    own = event.weights[place], n * (2 * k + 1) - 4 * k * (k + 1)
    n, left = event.sizes[other], event.sizes[other] - 2 * event.removed[other]
    for factor in (*own, n, left * left, (left - 2) * (left - 2)):
        product = _multiply(product, factor)
    return product


@njit(cache=True, nogil=True)
def is_cheaper(event: Event, place: int, other: int) -> bool:
    """Tell whether the next deletion at one place costs less than that at another.

    Of equal ones the later wins: it shortens fewer prefixes, which is kinder to other sensitive events. The next
    deletion after k costs 16 A n (n(2k+1) - 4k(k+1)) / (n (n-2k) (n-2k-2))^2.
    """
    left, right = event.keys[place], event.keys[other]
    if abs(left - right) > _SURE * max(left, right):
        return bool(left < right)
    is_equal = event.sizes[place] == event.sizes[other] and event.weights[place] == event.weights[other]
    if is_equal and event.removed[place] == event.removed[other]:
        return place > other
    ours, theirs = _cross(event, place, other), _cross(event, other, place)
    for i in range(_LIMBS - 1, -1, -1):
        if ours[i] != theirs[i]:
            return bool(ours[i] < theirs[i])
    return place > other


@njit(cache=True, nogil=True)
def _price(event: Event, at: int) -> None:
    """Set the key of the next deletion at a place: its cost, rounded."""
    k, n = event.removed[at], event.sizes[at]
    left = float(n - 2 * k)
    rise = float(n * (2 * k + 1) - 4 * k * (k + 1))
    event.keys[at] = float(event.weights[at]) * rise / (float(n) * left * left * (left - 2.0) * (left - 2.0))


@njit(cache=True, nogil=True)
def _sift_down(heap: Ints, size: int, event: Event) -> None:
    """Move the first entry of a heap down to where it belongs."""
    i = 0
    entry = heap[0]
    while True:
        child = 2 * i + 1
        if child >= size:
            break
        if child + 1 < size and is_cheaper(event, heap[child + 1], heap[child]):
            child += 1
        if not is_cheaper(event, heap[child], entry):
            break
        heap[i] = heap[child]
        i = child
    heap[i] = entry


@njit(cache=True, nogil=True)
def _sift_up(heap: Ints, size: int, event: Event) -> None:
    """Move the last entry of a heap up to where it belongs."""
    i = size - 1
    entry = heap[i]
    while i > 0:
        parent = (i - 1) // 2
        if not is_cheaper(event, entry, heap[parent]):
            break
        heap[i] = heap[parent]
        i = parent
    heap[i] = entry


@njit(cache=True, nogil=True)
def _delete_occurrence(event: Event, heap: Ints, size: int) -> int:
    """Delete one more occurrence where that is cheapest, and return how many places are left."""
    at = heap[0]
    event.removed[at] += 1
    if event.removed[at] < event.counts[at]:
        _price(event, at)
    else:
        size -= 1
        heap[0] = heap[size]
    if size:
        _sift_down(heap, size, event)
    return size


@njit(cache=True, nogil=True)
def delete_cheapest(event: Event, needs: Ints) -> None:
    """Walk the places of an event and delete the cheapest occurrences seen so far until each prefix has what it needs.

    What goes is added to ``event.removed``, which starts at zero.
    """
    heap = np.empty(len(needs), np.int64)
    size, gone = 0, 0
    for i in range(len(needs)):
        if event.counts[i] > 0:
            _price(event, i)
            heap[size] = i
            size += 1
            _sift_up(heap, size, event)
        while gone < needs[i]:
            size = _delete_occurrence(event, heap, size)
            gone += 1


@njit(cache=True, nogil=True)
def sanitise_event(points: Ints, counts: Ints, lengths: Ints, totals: Ints, squares: Ints, rule: Rule) -> Ints:
    """Return how many occurrences of one event go at each place, at least cost in all.

    A prefix that ends between two places needs no more than the one that ends at the earlier place: the event has the
    same count there and the prefix is longer. So only prefixes that end at a place are looked at.

    Parameters
    ----------
    points, counts
        Time points where the event occurs, ascending, and how often it does.
    lengths
        Occurrences of all events up to and including each time point.
    totals, squares
        Occurrences of all events, and the sum of (2f+1)^2 over the alphabet, of each time point.
    rule
        The threshold, and the size of the alphabet.

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 4.2.
    """
    removed = np.zeros(len(points), np.int64)
    needs = np.zeros(len(points), np.int64)
    count, most = 0, 0
    for i in range(len(points)):
        count += counts[i]
        needs[i] = needed(count, lengths[points[i]], rule)
        most = max(most, needs[i])
    if most == 0:
        return removed
    n = 2 * totals[points] + rule.alphabet
    own = 2 * counts + 1
    weights = squares[points] - own * own + (n - own) * (n - own)
    delete_cheapest(Event(points, counts, removed, n, weights, np.zeros(len(points))), needs)
    return removed


@njit(cache=True, nogil=True)
def _apply(at: Ints, removed: Ints, totals: Ints, squares: Ints, counts: Ints) -> bool:
    """Take deletions of one event into account, and tell whether there were any."""
    has_deletions = False
    for i in range(len(at)):
        k = removed[i]
        if k:
            has_deletions = True
            before, after = 2 * counts[i] + 1, 2 * (counts[i] - k) + 1
            squares[at[i]] -= before * before - after * after
            totals[at[i]] -= k
            counts[i] -= k
    return has_deletions


@njit(cache=True, nogil=True)
def shorten(lengths: Ints, points: Ints, amounts: Ints) -> None:
    """Take occurrences at some time points, ascending, off the lengths of all prefixes that hold them."""
    gone = 0
    for i in range(len(points)):
        gone += amounts[i]
        end = points[i + 1] if i + 1 < len(points) else len(lengths)
        if gone:
            for t in range(points[i], end):
                lengths[t] -= gone


@njit(cache=True, nogil=True)
def sanitise_events(where: Occurrences, rule: Rule) -> tuple[Ints, int]:
    """Sanitise the events one after the other, again and again, until no prefix needs anything.

    Every turn starts from what the turns before left, and its costs are those of changing that.

    Parameters
    ----------
    where
        Occurrences of the sensitive events, in the order in which these take turns.
    rule
        The threshold, and the size of the alphabet.

    Returns
    -------
    tuple
        Occurrences that go, place by place, and the number of rounds that deleted something.

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 4.3.
    """
    totals, squares, counts = where.totals.copy(), where.squares.copy(), where.counts.copy()
    lengths = np.cumsum(totals)
    rounds = 0
    while True:
        changed = False
        for s in range(len(where.offsets) - 1):
            a, b = where.offsets[s], where.offsets[s + 1]
            gone = sanitise_event(where.points[a:b], counts[a:b], lengths, totals, squares, rule)
            if _apply(where.points[a:b], gone, totals, squares, counts[a:b]):
                changed = True
                shorten(lengths, where.points[a:b], gone)
        if not changed:
            return where.counts - counts, rounds
        rounds += 1
