"""LOWER: visits that are published coarser than they need be go down together, as far as the others allow."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import Counter, read_key
from sfumato.kinds.trajectories.kernels.labels import (
    Demand,
    Paths,
    Scratch,
    Visits,
    holds_broken,
    new_scratch,
    read_labels,
    relabel,
)

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
    return paths.start[place + 1] - paths.start[place] - 1 - paths.depth[node]


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
    counter: Counter, visits: Visits, paths: Paths, node: int, demand: Demand, chosen: NDArray[np.int64], record_of: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Leave out visits in a pair that stays rare even if all others go down."""
    before, after = np.zeros(demand.base, np.int64), np.zeros(demand.base, np.int64)
    seen_before, seen_after = np.full(demand.base, -1, np.int64), np.full(demand.base, -1, np.int64)
    is_chosen = np.zeros(visits.place.size, np.bool_)
    is_chosen[chosen] = True
    checked = False
    while True:
        before[:] = 0
        after[:] = 0
        seen_before[:] = -1
        seen_after[:] = -1
        alone, latest = 0, -1
        for v in chosen:
            record = record_of[v]
            alone += record != latest
            latest = record
            for j in range(visits.offsets[record], visits.offsets[record + 1]):
                label = node if is_chosen[j] else paths.node[paths.start[visits.place[j]] + visits.level[j]]
                if j < v and seen_before[label] != record:
                    before[label] += 1
                    seen_before[label] = record
                if j > v and seen_after[label] != record:
                    after[label] += 1
                    seen_after[label] = record
        if read_key(counter, (node + 1) * demand.kinds) + alone < demand.k:
            return chosen[:0]
        kept = 0
        for i in range(chosen.size):
            v = chosen[i]
            record = record_of[v]
            hopeless = False
            for j in range(visits.offsets[record], visits.offsets[record + 1]):
                if j == v or demand.size < 2:
                    continue
                label = node if is_chosen[j] else paths.node[paths.start[visits.place[j]] + visits.level[j]]
                key = (label + 1) * demand.base + node + 1 if j < v else (node + 1) * demand.base + label + 1
                more = before[label] if j < v else after[label]
                if read_key(counter, key * demand.kinds) + more < demand.k:
                    hopeless = True
                    break
            if hopeless:
                is_chosen[v] = False
            else:
                chosen[kept] = v
                kept += 1
        if kept == chosen.size:
            if demand.size >= 3 and not checked:
                checked = True
                kept = 0
                for v in chosen:
                    if _triples_hope(counter, visits, paths, node, demand, v, record_of[v], before, after, is_chosen):
                        chosen[kept] = v
                        kept += 1
                    else:
                        is_chosen[v] = False
                if kept < chosen.size:
                    chosen = chosen[:kept]
                    continue
            return chosen
        chosen = chosen[:kept]
        if kept == 0:
            return chosen


@njit(cache=True, nogil=True)
def _triples_hope(counter, visits, paths, node, demand, v, record, before, after, is_chosen):
    first, last = visits.offsets[record], visits.offsets[record + 1]
    mine, base = node + 1, demand.base
    labels = read_labels(visits, paths, record)
    for j in range(first, last):
        if is_chosen[j]:
            labels[j - first] = node
    for i in range(first, last):
        if i == v:
            continue
        one = labels[i - first]
        gain = before[one] if i < v else after[one]
        for j in range(i + 1, last):
            if j == v:
                continue
            two = labels[j - first]
            more = min(gain, before[two] if j < v else after[two])
            if v < i:
                key = (mine * base + one + 1) * base + two + 1
            elif v < j:
                key = ((one + 1) * base + mine) * base + two + 1
            else:
                key = ((one + 1) * base + two + 1) * base + mine
            if read_key(counter, key * demand.kinds) + more < demand.k:
                return False
    return True


@njit(cache=True, nogil=True)
def _keep_apart(visits: Visits, paths: Paths, node: int, chosen: NDArray[np.int64], record_of: NDArray[np.int64]) -> NDArray[np.int64]:
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
        if holds_broken(counter, read_labels(visits, paths, record), i, demand) or holds_broken(counter, old, i, demand):
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
