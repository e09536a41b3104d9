"""LOWER: visits that are published coarser than they need be go down together, as far as the others allow."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter
from sfumato.kinds.trajectories._kernels.buffers import Buffers, fits_buffers, make_buffers, relabel_in_buffers
from sfumato.kinds.trajectories._kernels.demand import BORROWING, Demand, holds_broken, holds_short_broken, is_broken
from sfumato.kinds.trajectories._kernels.labels import (
    SMALLEST,
    Paths,
    Scratch,
    Visits,
    new_scratch,
    read_labels,
    relabel,
)
from sfumato.kinds.trajectories._kernels.pruning import Sweep, prune_visits

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


@njit(**BORROWING)
def _level_of(paths: Paths, place: int, node: int) -> int:
    """Return how far up the path of a place a node above it is."""
    return int(paths.start[place + 1] - paths.start[place] - 1 - paths.depth[node])


@njit(**BORROWING)
def _sort(numbers: NDArray[np.int64], size: int) -> None:
    """Put the first so many numbers into ascending order."""
    gap = size // 2
    while gap > 0:
        for i in range(gap, size):
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
    candidates = np.empty(ends[paths.last[node]] - ends[paths.first[node]], np.int64)
    return candidates[: _find_candidates(visits, paths, node, by_place, ends, candidates)]


@njit(**BORROWING)
def _find_candidates(
    visits: Visits,
    paths: Paths,
    node: int,
    by_place: NDArray[np.int64],
    ends: NDArray[np.int64],
    candidates: NDArray[np.int64],
) -> int:
    """Put them into an array and return how many they are."""
    number = 0
    for i in range(ends[paths.first[node]], ends[paths.last[node]]):
        v = by_place[i]
        place = visits.place[v]
        level = _level_of(paths, place, node)
        here = paths.start[place] + visits.level[v]
        if visits.level[v] > level and paths.cost[paths.start[place] + level] < paths.cost[here]:
            candidates[number] = v
            number += 1
    if paths.last[node] - paths.first[node] > 1:
        _sort(candidates, number)
    return number


@njit(cache=True, nogil=True)
def _keep_apart(
    visits: Visits, paths: Paths, node: int, chosen: NDArray[np.int64], record_of: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Leave out records that would then hold two labels one of which lies inside the other."""
    count = 0
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
                chosen[count] = chosen[i]
                count += 1
        start = stop
    return chosen[:count]


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
    sweep.counter_of_checks[0] += 1
    for key in different:
        if is_broken(counter.dense, counter.slots, key, demand.k, demand):
            rest, label = key, sweep.goal[0]
            while rest > 0 and label == sweep.goal[0]:
                label = rest % demand.base - 1
                rest //= demand.base
            sweep.broke[label] = sweep.counter_of_checks[0]


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


@njit(**BORROWING)
def _take_back_in_buffers(
    counter: Counter,
    visits: Visits,
    paths: Paths,
    demand: Demand,
    group: NDArray[np.int64],
    record: int,
    sweep: Sweep,
    buffers: Buffers,
) -> int:
    """Do the same with a short record, where pairs at most are counted."""
    first, former, taken = visits.offsets[record], sweep.former, 0
    n = visits.offsets[record + 1] - first
    labels, old, level = buffers.labels[:n], buffers.former[:n], buffers.level[:n]
    for i in range(n):
        start = paths.start[visits.place[first + i]]
        level[i] = visits.level[first + i]
        labels[i] = paths.node[start + level[i]]
        old[i] = paths.node[start + former[first + i]]
    for v in group:
        i = v - first
        if level[i] == former[v] or not (
            holds_short_broken(counter.dense, counter.slots, labels, i, demand)
            or holds_short_broken(counter.dense, counter.slots, old, i, demand)
        ):
            continue
        level[i], labels[i] = former[v], old[i]
        number = relabel_in_buffers(counter, visits, paths, record, demand, level, buffers)
        _note_broken(counter, buffers.keys[:number], demand, sweep)
        taken += 1
    return taken


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
    scratch, buffers = new_scratch(SMALLEST, 1, demand.base), make_buffers(demand.base)
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
        chosen = prune_visits(counter, visits, paths, node, demand, chosen, record_of, sweep)
        if demand.kinds > 1:
            chosen = _keep_apart(visits, paths, node, chosen, record_of)
        starts = _starts_of_records(chosen, record_of)
        for i in range(starts.size - 1):
            record = record_of[chosen[starts[i]]]
            _aim(visits, paths, record, node, chosen[starts[i] : starts[i + 1]], sweep, level)
            if fits_buffers(counter, visits, record, demand):
                relabel_in_buffers(counter, visits, paths, record, demand, level, buffers)
            else:
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
                sweep.counter_of_checks[0] += 1
                checked[i] = sweep.counter_of_checks[0]
                group = chosen[starts[i] : starts[i + 1]]
                if fits_buffers(counter, visits, record, demand):
                    taken += _take_back_in_buffers(counter, visits, paths, demand, group, record, sweep, buffers)
                else:
                    counter, scratch, more = _take_back(counter, scratch, visits, paths, demand, group, record, sweep)
                    taken += more
            lowered -= taken
    return counter, lowered


@njit(**BORROWING)
def _aim(
    visits: Visits,
    paths: Paths,
    record: int,
    node: int,
    group: NDArray[np.int64],
    sweep: Sweep,
    level: NDArray[np.int32],
) -> None:
    """Write down the levels of a record before and after some of its visits go down to a node."""
    first = visits.offsets[record]
    for v in range(first, visits.offsets[record + 1]):
        level[v - first] = visits.level[v]
        sweep.former[v] = visits.level[v]
    for v in group:
        level[v - first] = _level_of(paths, visits.place[v], node)


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
