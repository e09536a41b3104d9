"""LOWER: visits that are published coarser than they need be go down together, as far as the others allow."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import Counter
from sfumato.kinds.trajectories.kernels.demand import Demand, holds_broken, read_support
from sfumato.kinds.trajectories.kernels.labels import Paths, Scratch, Visits, new_scratch, read_labels, relabel

__all__ = ["lower_labels", "order_nodes"]


def order_nodes(visits: Visits, paths: Paths) -> NDArray[np.int64]:
    """Return the nodes in the order in which visits are lowered to them: leaves first, the most visited first.

    Examples
    --------
    >>> two = Paths(np.array([0, 2, 4]), np.array([0, 2, 1, 2], np.int32), np.array([0, 5, 0, 5]),
    ...             np.array([1, 1, 0], np.int32), np.array([0, 1, 0]), np.array([1, 2, 2]))
    >>> visits = Visits(np.array([0, 3]), np.array([1, 0, 1], np.int32), *3 * [np.empty(0, np.int32)])
    >>> order_nodes(visits, two).tolist()
    [1, 0, 2]
    """
    at = np.bincount(visits.place, minlength=len(paths.start) - 1)
    before = np.concatenate([[0], np.cumsum(at)])
    below = before[paths.last] - before[paths.first]
    inner = np.arange(len(below)) >= len(at)
    return np.lexsort((np.arange(len(below)), -below, inner))


@njit(cache=True, nogil=True)
def _level_of(paths: Paths, place: int, node: int) -> int:
    """Return how far up the path of a place a node above it is."""
    return int(paths.start[place + 1] - paths.start[place] - 1 - paths.depth[node])


@njit(cache=True, nogil=True)
def _candidates(
    visits: Visits, paths: Paths, node: int, by_place: NDArray[np.int64], ends: NDArray[np.int64]
) -> NDArray[np.int64]:
    """List the visits below a node that are published coarser and would be cheaper there, in ascending order."""
    first, last = ends[paths.first[node]], ends[paths.last[node]]
    found = np.empty(last - first, np.int64)
    number = 0
    for i in range(first, last):
        v = by_place[i]
        place = visits.place[v]
        level = _level_of(paths, place, node)
        here = paths.start[place] + visits.level[v]
        if visits.level[v] > level and paths.cost[paths.start[place] + level] < paths.cost[here]:
            found[number] = v
            number += 1
    found = found[:number]
    found.sort()
    return found


@njit(cache=True, nogil=True)
def _drop_hopeless(
    counter: Counter,
    visits: Visits,
    paths: Paths,
    node: int,
    demand: Demand,
    chosen: NDArray[np.int64],
    record_of: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Leave out visits in a pair that stays rare even if all others go down; once, in a triple too."""
    dense, slots = counter.dense, counter.slots
    labels = np.empty(visits.place.size, np.int32)
    for v in chosen:
        record = record_of[v]
        for j in range(visits.offsets[record], visits.offsets[record + 1]):
            labels[j] = paths.node[paths.start[visits.place[j]] + visits.level[j]]
    labels[chosen] = node
    size = min(demand.size, 2)
    while chosen.size > 0:
        gains = _count_gains(visits, labels, chosen, record_of, demand.base)
        if read_support(dense, slots, (node + 1) * demand.kinds) + gains[0, demand.base - 1] < demand.k:
            return chosen[:0]
        kept = 0
        for v in chosen:
            first, last = visits.offsets[record_of[v]], visits.offsets[record_of[v] + 1]
            if size > 1 and _is_hopeless(counter, labels[first:last], v - first, demand, gains, size):
                # Those after it reckon with its staying where it is.
                labels[v] = paths.node[paths.start[visits.place[v]] + visits.level[v]]
            else:
                chosen[kept] = v
                kept += 1
        if kept < chosen.size:
            chosen = chosen[:kept]
            size = 4 if size == 3 else size
        elif size == 2 and demand.size >= 3:
            size = 3
        else:
            break
        if size == 4:
            size, demand = 2, Demand(demand.k, demand.l, 2, demand.base, demand.kinds)
    return chosen


@njit(cache=True, nogil=True)
def _is_hopeless(
    counter: Counter, labels: NDArray[np.int32], u: int, demand: Demand, gains: NDArray[np.int64], size: int
) -> bool:
    """Tell whether a pair, or a triple, through position u stays rare even if all others go down.

    ``gains`` says by label how many records win it before (0) and after (1) a visit that goes down.
    """
    dense, slots = counter.dense, counter.slots
    mine, base, n = labels[u] + 1, demand.base, labels.size
    for i in range(n):
        one, gain = labels[i] + 1, gains[int(i > u), labels[i]]
        if i == u:
            continue
        if size == 2:
            key = one * base + mine if i < u else mine * base + one
            if read_support(dense, slots, key * demand.kinds) + gain < demand.k:
                return True
            continue
        for j in range(i + 1, n):
            two, more = labels[j] + 1, min(gain, gains[int(j > u), labels[j]])
            if u < i:
                key = (mine * base + one) * base + two
            elif u < j:
                key = (one * base + mine) * base + two
            else:
                key = (one * base + two) * base + mine
            if j != u and read_support(dense, slots, key * demand.kinds) + more < demand.k:
                return True
    return False


@njit(cache=True, nogil=True)
def _count_gains(
    visits: Visits, labels: NDArray[np.int32], chosen: NDArray[np.int64], record_of: NDArray[np.int64], base: int
) -> NDArray[np.int64]:
    """Count by label the records that win it before and after a visit that goes down; at the end, all that win one."""
    gains = np.zeros((2, base), np.int64)
    seen = np.full((2, base), -1, np.int64)
    latest = -1
    for v in chosen:
        record = record_of[v]
        gains[0, base - 1] += record != latest
        latest = record
        for j in range(visits.offsets[record], visits.offsets[record + 1]):
            side = int(j > v)
            if j != v and seen[side, labels[j]] != record:
                gains[side, labels[j]] += 1
                seen[side, labels[j]] = record
    return gains


@njit(cache=True, nogil=True)
def _keep_apart(
    visits: Visits, paths: Paths, node: int, chosen: NDArray[np.int64], record_of: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Leave out records that would then hold two labels one of which lies inside the other."""
    kept = 0
    start = 0
    while start < chosen.size:
        record = record_of[chosen[start]]
        stop = start
        while stop < chosen.size and record_of[chosen[stop]] == record:
            stop += 1
        above = 0
        for v in range(visits.offsets[record], visits.offsets[record + 1]):
            label = paths.node[paths.start[visits.place[v]] + visits.level[v]]
            above += paths.first[label] <= paths.first[node] and paths.last[node] <= paths.last[label] and label != node
        if above == stop - start:
            for i in range(start, stop):
                chosen[kept] = chosen[i]
                kept += 1
        start = stop
    return chosen[:kept]


@njit(cache=True, nogil=True)
def _take_back(
    counter: Counter,
    scratch: Scratch,
    visits: Visits,
    paths: Paths,
    demand: Demand,
    group: NDArray[np.int64],
    former: NDArray[np.int32],
) -> tuple[Counter, Scratch, int]:
    """Take back visits of one record that broke something; ``group`` are its visits, ``former`` all its old levels."""
    record = np.searchsorted(visits.offsets, group[0], side="right") - 1
    first = visits.offsets[record]
    taken = 0
    current = visits.level[first : visits.offsets[record + 1]].copy()
    lowered = current.copy()
    visits.level[first : first + former.size] = former
    old = read_labels(visits, paths, record)
    visits.level[first : first + former.size] = current
    for v in group:
        i = v - first
        if lowered[i] == former[i]:
            continue
        if holds_broken(counter, read_labels(visits, paths, record), i, demand) or holds_broken(
            counter, old, i, demand
        ):
            if demand.kinds > 1:
                lowered[:] = former
            else:
                lowered[i] = former[i]
            counter, scratch, _ = relabel(counter, scratch, visits, paths, record, demand, lowered)
            taken += 1
    return counter, scratch, taken


@njit(cache=True, nogil=True)
def lower_labels(
    counter: Counter,
    visits: Visits,
    paths: Paths,
    demand: Demand,
    nodes: NDArray[np.int64],
    record_of: NDArray[np.int64],
    by_place: NDArray[np.int64],
    ends: NDArray[np.int64],
) -> tuple[Counter, int]:
    """Lower visits to each of some nodes in turn; return how many went down.

    ``by_place`` lists the visits by their places, those of place p from ``ends[p]`` up to ``ends[p + 1]``.
    """
    scratch = new_scratch()
    lowered = 0
    former = visits.level.copy()
    for node in nodes:
        chosen = _candidates(visits, paths, node, by_place, ends)
        if chosen.size == 0:
            continue
        if demand.kinds > 1:
            chosen = _keep_apart(visits, paths, node, chosen, record_of)
        chosen = _drop_hopeless(counter, visits, paths, node, demand, chosen, record_of)
        if demand.kinds > 1:
            chosen = _keep_apart(visits, paths, node, chosen, record_of)
        starts = _starts_of_records(chosen, record_of)
        for i in range(starts.size - 1):
            record = record_of[chosen[starts[i]]]
            first, last = visits.offsets[record], visits.offsets[record + 1]
            level = visits.level[first:last].copy()
            former[first:last] = level
            for v in chosen[starts[i] : starts[i + 1]]:
                level[v - first] = _level_of(paths, visits.place[v], node)
            counter, scratch, _ = relabel(counter, scratch, visits, paths, record, demand, level)
        lowered += chosen.size
        taken = chosen.size
        while taken > 0:
            taken = 0
            for i in range(starts.size - 1):
                record = record_of[chosen[starts[i]]]
                first, last = visits.offsets[record], visits.offsets[record + 1]
                group = chosen[starts[i] : starts[i + 1]]
                counter, scratch, number = _take_back(
                    counter, scratch, visits, paths, demand, group, former[first:last]
                )
                taken += number
            lowered -= taken
    return counter, lowered


@njit(cache=True, nogil=True)
def _starts_of_records(chosen: NDArray[np.int64], record_of: NDArray[np.int64]) -> NDArray[np.int64]:
    """Return where the visits of each record begin among some visits, and their number at the end."""
    starts = np.empty(chosen.size + 1, np.int64)
    number = 0
    for i in range(chosen.size):
        if i == 0 or record_of[chosen[i]] != record_of[chosen[i - 1]]:
            starts[number] = i
            number += 1
    starts[number] = chosen.size
    return starts[: number + 1]
