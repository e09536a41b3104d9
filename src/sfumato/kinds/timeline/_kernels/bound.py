"""An error that no way of keeping several sensitive events rare can stay below."""

import numpy as np
import numpy.typing as npt
from numba import njit

from sfumato.kinds.timeline._kernels.joint import rise, sink
from sfumato.kinds.timeline._kernels.sanitisation import Occurrences, Rule, needed

__all__ = ["least_error", "least_needs"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@njit(cache=True, nogil=True)
def least_needs(counts: Ints, length: int, rule: Rule) -> Ints:
    """Return the least deletions of every event that a prefix must have, whatever happens to the others.

    Deleting one event shortens the prefix and makes the others more frequent. Deletions that keep all of them rare are
    closed under that, so that starting from none and raising what is too low never passes any of them.
    """
    gone = np.zeros(len(counts), np.int64)
    total, raised = 0, True
    while raised:
        raised = False
        for s in range(len(counts)):
            least = needed(counts[s], length - total + gone[s], rule)
            if least > gone[s]:
                total += least - gone[s]
                gone[s] = least
                raised = True
    return gone


@njit(cache=True, nogil=True)
def _needs_of_prefixes(where: Occurrences, rule: Rule, ends: Ints) -> Ints:
    """Return the sum of what the events need at least in the prefixes that end at some time points, else 0."""
    needs = np.zeros(len(where.totals), np.int64)
    counts = np.zeros(len(where.offsets) - 1, np.int64)
    seen = where.offsets[:-1].copy()
    lengths = np.cumsum(where.totals)
    for end in ends:
        for s in range(len(counts)):
            while seen[s] < where.offsets[s + 1] and where.points[seen[s]] <= end:
                counts[s] += where.counts[seen[s]]
                seen[s] += 1
        needs[end] = least_needs(counts, lengths[end], rule).sum()
    return needs


@njit(cache=True, nogil=True)
def _cheapest(costs: Floats, n: float, squares: float, own: Floats) -> None:
    """Bound from below what each number of deletions at a time point costs, however they are spread.

    ``own`` holds 2f+1 of the sensitive events there. The squares of whole numbers with sum K add up to K at least, and
    those of any m numbers to a m-th of the square of their sum.
    """
    kinds, largest, others = len(own), own.max(), squares
    for i in range(kinds):
        others -= own[i] * own[i]
    rest = n - own.sum()
    for k in range(len(costs)):
        share = k / n
        even = share * share * (others + rest * rest / kinds)
        spread, mixed, owned = share * share * squares, 2.0 * share * k * largest, max(1.0 * k, k * k / kinds)
        # The three may cancel; what is left must not be larger than it is because of rounding.
        whole = spread - mixed + owned - 1e-12 * (spread + mixed + owned)
        costs[k] = 4.0 * max(even, whole, 0.0) / ((n - 2.0 * k) * (n - 2.0 * k))


@njit(cache=True, nogil=True)
def _find_convex_rises(costs: Floats, rises: Floats) -> None:
    """Write the rises of the largest convex function that stays below some costs."""
    corners = np.zeros(len(costs), np.int64)
    size = 1
    for k in range(1, len(costs)):
        while size > 1:
            a, b = corners[size - 2], corners[size - 1]
            if (costs[b] - costs[a]) * (k - b) < (costs[k] - costs[b]) * (b - a):
                break
            size -= 1
        corners[size] = k
        size += 1
    for i in range(1, size):
        a, b = corners[i - 1], corners[i]
        rises[a:b] = (costs[b] - costs[a]) / (b - a)


@njit(cache=True, nogil=True)
def _rises(where: Occurrences, alphabet: int) -> tuple[Ints, Floats]:
    """Return the rising costs of deletions at every time point, and where those of each time point begin."""
    points = len(where.totals)
    order = np.argsort(where.points, kind="mergesort")
    offsets = np.zeros(points + 1, np.int64)
    starts = np.zeros(points + 1, np.int64)
    for i in range(len(order)):
        offsets[where.points[i] + 1] += where.counts[i]
        starts[where.points[i] + 1] += 1
    offsets, starts = np.cumsum(offsets), np.cumsum(starts)
    rises = np.zeros(offsets[-1])
    for t in range(points):
        if starts[t] < starts[t + 1]:
            own = (2 * where.counts[order[starts[t] : starts[t + 1]]] + 1).astype(np.float64)
            costs = np.zeros(offsets[t + 1] - offsets[t] + 1)
            _cheapest(costs, float(2 * where.totals[t] + alphabet), float(where.squares[t]), own)
            _find_convex_rises(costs, rises[offsets[t] : offsets[t + 1]])
    return offsets, rises


@njit(cache=True, nogil=True)
def least_error(where: Occurrences, rule: Rule, ends: Ints) -> float:
    """Return an error that no solution can stay below, rounded.

    All sensitive events of a time point are taken as one, whose deletions cost no more than any way to spread them,
    and the prefixes that end at the given time points (ascending) need the sum of what each event needs at least.
    """
    needs = _needs_of_prefixes(where, rule, ends)
    offsets, rises = _rises(where, rule.alphabet)
    heap, keys = np.empty(len(needs), np.int64), np.zeros(len(needs))
    nexts = offsets[:-1].copy()
    size, gone, error = 0, 0, 0.0
    for t in range(len(needs)):
        if nexts[t] < offsets[t + 1]:
            keys[t] = rises[nexts[t]]
            heap[size] = t
            size += 1
            rise(heap, size, keys)
        while gone < needs[t]:
            at = heap[0]
            error += keys[at]
            gone += 1
            nexts[at] += 1
            if nexts[at] < offsets[at + 1]:
                keys[at] = rises[nexts[at]]
            else:
                size -= 1
                heap[0] = heap[size]
            sink(heap, size, keys)
    return error
