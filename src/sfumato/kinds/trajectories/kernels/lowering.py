"""LOWER: visits that are published coarser than they need be go down together, as far as the others allow."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import Counter
from sfumato.kinds.trajectories.kernels.demand import BORROWING, Demand, holds_broken, is_broken, read_support
from sfumato.kinds.trajectories.kernels.labels import (
    SMALLEST,
    Paths,
    Scratch,
    Visits,
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


class Sweep(NamedTuple):
    """Scratch of one sweep over nodes.

    Attributes
    ----------
    labels
        By visit: its label once all that go down have gone.
    gains
        By side (before and after a visit that goes down) and label: how many records win the pair; at the end of the
        first side, how many records win the node.
    seen
        The same: the last record that was counted, as a number of its own in every count.
    clock
        One number: how many records were counted in, and checks begun.
    broke
        By label: when a step back last broke a sequence with it, by the clock.
    former
        By visit: its level before.
    goal
        One number: the node that visits go down to.
    """

    labels: NDArray[np.int32]
    gains: NDArray[np.int64]
    seen: NDArray[np.int64]
    clock: NDArray[np.int64]
    broke: NDArray[np.int64]
    former: NDArray[np.int32]
    goal: NDArray[np.int64]


@njit(**BORROWING)
def _level_of(paths: Paths, place: int, node: int) -> int:
    """Return how far up the path of a place a node above it is."""
    return int(paths.start[place + 1] - paths.start[place] - 1 - paths.depth[node])


@njit(**BORROWING)
def _sort(numbers: NDArray[np.int64]) -> None:
    """Put numbers into ascending order."""
    gap = numbers.size // 2
    while gap > 0:
        for i in range(gap, numbers.size):
            number, j = numbers[i], i
            while j >= gap and numbers[j - gap] > number:
                numbers[j] = numbers[j - gap]
                j -= gap
            numbers[j] = number
        gap = 1 if gap == 2 else gap * 5 // 11


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
    if paths.last[node] - paths.first[node] > 1:
        _sort(found)
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
    sweep: Sweep,
) -> NDArray[np.int64]:
    """Leave out visits in a pair that stays rare even if all others go down; once, in a triple too."""
    labels = sweep.labels
    for v in chosen:
        record = record_of[v]
        for j in range(visits.offsets[record], visits.offsets[record + 1]):
            labels[j] = paths.node[paths.start[visits.place[j]] + visits.level[j]]
    for v in chosen:
        labels[v] = node
    size = min(demand.size, 2)
    while chosen.size > 0:
        _count_gains(visits.offsets, chosen, record_of, demand.base, sweep)
        support = read_support(counter.dense, counter.slots, (node + 1) * demand.kinds)
        if support + sweep.gains[0, demand.base - 1] < demand.k:
            return chosen[:0]
        kept = 0
        for v in chosen:
            if size > 1 and _is_hopeless(counter, visits.offsets, record_of[v], v, demand, sweep, size):
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


@njit(**BORROWING)
def _is_hopeless(
    counter: Counter, offsets: NDArray[np.int64], record: int, v: int, demand: Demand, sweep: Sweep, size: int
) -> bool:
    """Tell whether a pair, or a triple, through a visit stays rare even if all others go down."""
    dense, slots, labels, gains = counter.dense, counter.slots, sweep.labels, sweep.gains
    mine, base, first, last = labels[v] + 1, demand.base, offsets[record], offsets[record + 1]
    for i in range(first, last):
        one, gain = labels[i] + 1, gains[int(i > v), labels[i]]
        if i == v or (size == 2 and gain >= demand.k):
            continue
        if size == 2:
            key = one * base + mine if i < v else mine * base + one
            if read_support(dense, slots, key * demand.kinds) + gain < demand.k:
                return True
            continue
        for j in range(i + 1, last):
            two, more = labels[j] + 1, min(gain, gains[int(j > v), labels[j]])
            if v < i:
                key = (mine * base + one) * base + two
            elif v < j:
                key = (one * base + mine) * base + two
            else:
                key = (one * base + two) * base + mine
            if j != v and more < demand.k and read_support(dense, slots, key * demand.kinds) + more < demand.k:
                return True
    return False


@njit(**BORROWING)
def _count_gains(
    offsets: NDArray[np.int64], chosen: NDArray[np.int64], record_of: NDArray[np.int64], base: int, sweep: Sweep
) -> None:
    """Count by label the records that win it before and after a visit that goes down; at the end, all that win one."""
    labels, gains, seen = sweep.labels, sweep.gains, sweep.seen
    for label in range(base):
        gains[0, label] = 0
        gains[1, label] = 0
    latest = -1
    for v in chosen:
        record = record_of[v]
        if record != latest:
            latest = record
            gains[0, base - 1] += 1
            sweep.clock[0] += 1
        stamp = sweep.clock[0]
        for j in range(offsets[record], offsets[record + 1]):
            side = int(j > v)
            if j != v and seen[side, labels[j]] != stamp:
                gains[side, labels[j]] += 1
                seen[side, labels[j]] = stamp


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


@njit(**BORROWING)
def _is_concerned(visits: Visits, paths: Paths, record: int, sweep: Sweep, since: int) -> bool:
    """Tell whether a record holds or held a label of a sequence that was broken since then."""
    for v in range(visits.offsets[record], visits.offsets[record + 1]):
        start = paths.start[visits.place[v]]
        if sweep.broke[paths.node[start + visits.level[v]]] > since:
            return True
        if sweep.broke[paths.node[start + sweep.former[v]]] > since:
            return True
    return False


@njit(**BORROWING)
def _note_broken(counter: Counter, different: NDArray[np.int64], demand: Demand, sweep: Sweep) -> None:
    """Note a label of every sequence that a step back has broken: not the goal, which all records at hand hold."""
    sweep.clock[0] += 1
    for key in different:
        if is_broken(counter.dense, counter.slots, key, demand.k, demand):
            rest, label = key, sweep.goal[0]
            while rest > 0 and label == sweep.goal[0]:
                label = rest % demand.base - 1
                rest //= demand.base
            sweep.broke[label] = sweep.clock[0]


@njit(cache=True, nogil=True)
def _take_back(
    counter: Counter,
    scratch: Scratch,
    visits: Visits,
    paths: Paths,
    demand: Demand,
    group: NDArray[np.int64],
    record: int,
    sweep: Sweep,
) -> tuple[Counter, Scratch, int]:
    """Take back visits of one record that broke something; ``group`` are those that went down."""
    first, former, taken = visits.offsets[record], sweep.former, 0
    labels = read_labels(visits, paths, record)
    old, level = np.empty(labels.size, np.int32), np.empty(labels.size, np.int32)
    for i in range(labels.size):
        level[i] = visits.level[first + i]
        old[i] = paths.node[paths.start[visits.place[first + i]] + former[first + i]]
    for v in group:
        i = v - first
        if level[i] == former[v] or not (
            holds_broken(counter, labels, i, demand) or holds_broken(counter, old, i, demand)
        ):
            continue
        for j in range(level.size):
            if j == i or demand.kinds > 1:
                level[j], labels[j] = former[first + j], old[j]
        counter, scratch, different = relabel(counter, scratch, visits, paths, record, demand, level)
        _note_broken(counter, different, demand, sweep)
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
    scratch = new_scratch(SMALLEST, 1)
    lowered = 0
    level = np.empty(_longest(visits.offsets), np.int32)
    sweep = Sweep(
        np.empty(visits.place.size, np.int32),
        np.zeros((2, demand.base), np.int64),
        np.zeros((2, demand.base), np.int64),
        np.zeros(1, np.int64),
        np.zeros(demand.base, np.int64),
        visits.level.copy(),
        np.zeros(1, np.int64),
    )
    for node in nodes:
        chosen = _candidates(visits, paths, node, by_place, ends)
        if chosen.size == 0:
            continue
        if demand.kinds > 1:
            chosen = _keep_apart(visits, paths, node, chosen, record_of)
        chosen = _drop_hopeless(counter, visits, paths, node, demand, chosen, record_of, sweep)
        if demand.kinds > 1:
            chosen = _keep_apart(visits, paths, node, chosen, record_of)
        starts = _starts_of_records(chosen, record_of)
        for i in range(starts.size - 1):
            record = record_of[chosen[starts[i]]]
            first, last = visits.offsets[record], visits.offsets[record + 1]
            for v in range(first, last):
                level[v - first] = visits.level[v]
                sweep.former[v] = visits.level[v]
            for j in range(starts[i], starts[i + 1]):
                level[chosen[j] - first] = _level_of(paths, visits.place[chosen[j]], node)
            counter, scratch, _ = relabel(counter, scratch, visits, paths, record, demand, level)
        lowered += chosen.size
        sweep.goal[0] = node
        checked = np.zeros(starts.size, np.int64)
        taken = chosen.size
        while taken > 0:
            taken = 0
            for i in range(starts.size - 1):
                record = record_of[chosen[starts[i]]]
                # Nothing has changed for a record since it was checked unless one of its sequences broke.
                if checked[i] > 0 and not _is_concerned(visits, paths, record, sweep, checked[i]):
                    continue
                sweep.clock[0] += 1
                checked[i] = sweep.clock[0]
                group = chosen[starts[i] : starts[i + 1]]
                counter, scratch, number = _take_back(counter, scratch, visits, paths, demand, group, record, sweep)
                taken += number
            lowered -= taken
    return counter, lowered


@njit(**BORROWING)
def _longest(offsets: NDArray[np.int64]) -> int:
    longest = 0
    for record in range(offsets.size - 1):
        longest = max(longest, offsets[record + 1] - offsets[record])
    return longest


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
