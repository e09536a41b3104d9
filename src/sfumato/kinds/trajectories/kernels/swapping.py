"""SWAP: within one record, a visit gets a finer label at the price of coarser ones, where the record gets cheaper."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import Counter, read_key
from sfumato.kinds.trajectories.kernels.labels import (
    Demand,
    Paths,
    Visits,
    advance,
    count_record,
    holds_broken,
    new_scratch,
    read_labels,
)

__all__ = ["swap_labels"]

_MOST_LABELS = 1_200
"""A record whose visits have more labels to choose from is left as it is."""


@njit(cache=True, nogil=True)
def _fits(counter: Counter, visits: Visits, record: int, key: int, demand: Demand) -> bool:
    """Tell whether a record that is not counted may hold a sequence."""
    support = read_key(counter, key * demand.kinds) + 1
    if support < demand.k:
        return False
    if demand.kinds == 1:
        return True
    for place in range(1, demand.kinds):
        visitors = read_key(counter, key * demand.kinds + place)
        for i in range(visits.secret_offsets[record], visits.secret_offsets[record + 1]):
            visitors += visits.secret[i] == place
        if demand.l * visitors > support:
            return False
    return True


@njit(cache=True, nogil=True)
def _list_fitting(
    counter: Counter, visits: Visits, paths: Paths, record: int, demand: Demand, begin: NDArray[np.int64]
) -> NDArray[np.bool_]:
    """Tell which labels of two visits of a record fit together; on the diagonal, which fit at all."""
    first = visits.offsets[record]
    n = begin.size - 1
    fitting = np.zeros((begin[n], begin[n]), np.bool_)
    for i in range(n):
        start = paths.start[visits.place[first + i]]
        for a in range(begin[i], begin[i + 1]):
            one = paths.node[start + a - begin[i]]
            fitting[a, a] = _fits(counter, visits, record, one + 1, demand)
            if demand.size < 2 or not fitting[a, a]:
                continue
            for j in range(i + 1, n):
                other = paths.start[visits.place[first + j]]
                for b in range(begin[j], begin[j + 1]):
                    two = paths.node[other + b - begin[j]]
                    if demand.kinds > 1 and one != two and paths.first[one] < paths.last[two]:
                        if paths.first[two] < paths.last[one]:
                            continue
                    fitting[a, b] = _fits(counter, visits, record, (one + 1) * demand.base + two + 1, demand)
                    fitting[b, a] = fitting[a, b]
    if demand.size < 2:
        for i in range(n):
            for j in range(n):
                if i != j:
                    fitting[begin[i] : begin[i + 1], begin[j] : begin[j + 1]] = True
    return fitting


@njit(cache=True, nogil=True)
def _fits_all(fitting: NDArray[np.bool_], begin: NDArray[np.int64], at: NDArray[np.int64], i: int, skip: NDArray[np.bool_]) -> bool:
    """Tell whether the label of a visit fits with those of all others that are not to be skipped."""
    if not fitting[at[i], at[i]]:
        return False
    for j in range(at.size):
        if j != i and not skip[j] and not fitting[at[i], at[j]]:
            return False
    return True


@njit(cache=True, nogil=True)
def _try(
    fitting: NDArray[np.bool_], begin: NDArray[np.int64], at: NDArray[np.int64], i: int, frozen: NDArray[np.bool_], cost: NDArray[np.int64]
) -> bool:
    """Raise what conflicts with visit i to the first label that fits, then lower what now fits; False if stuck."""
    conflict = np.zeros(at.size, np.bool_)
    if not fitting[at[i], at[i]]:
        return False
    for j in range(at.size):
        if j != i and not fitting[at[i], at[j]]:
            if frozen[j]:
                return False
            conflict[j] = True
    for j in range(at.size):
        if not conflict[j]:
            continue
        while True:
            at[j] += 1
            if at[j] == begin[j + 1]:
                return False
            if _fits_all(fitting, begin, at, j, conflict):
                break
        conflict[j] = False
    for j in range(at.size):
        if frozen[j] or j == i:
            continue
        here = at[j]
        for a in range(begin[j], here):
            at[j] = a
            if cost[a] < cost[here] and _fits_all(fitting, begin, at, j, conflict):
                break
            at[j] = here
    return True


@njit(cache=True, nogil=True)
def _longer_fit(
    counter: Counter, visits: Visits, record: int, labels: NDArray[np.int32], changed: NDArray[np.bool_], demand: Demand
) -> bool:
    """Tell whether a record may hold all sequences of three labels and more that go through changed visits."""
    at = np.empty(demand.size, np.int64)
    for chosen in range(3, min(demand.size, labels.size) + 1):
        for i in range(chosen):
            at[i] = i
        while True:
            key, concerned = 0, False
            for i in range(chosen):
                key = key * demand.base + labels[at[i]] + 1
                concerned = concerned or changed[at[i]]
            if concerned and not _fits(counter, visits, record, key, demand):
                return False
            if not advance(at, chosen, labels.size):
                break
    return True


@njit(cache=True, nogil=True)
def _swap_record(counter: Counter, visits: Visits, paths: Paths, record: int, demand: Demand) -> bool:
    """Improve the labels of a record that is not counted; tell whether anything changed."""
    first, n = visits.offsets[record], visits.offsets[record + 1] - visits.offsets[record]
    begin = np.zeros(n + 1, np.int64)
    for i in range(n):
        begin[i + 1] = begin[i] + paths.start[visits.place[first + i] + 1] - paths.start[visits.place[first + i]]
    cost, node = np.empty(begin[n], np.int64), np.empty(begin[n], np.int32)
    at, frozen = np.empty(n, np.int64), np.empty(n, np.bool_)
    labels = read_labels(visits, paths, record)
    stuck = True
    for i in range(n):
        start = paths.start[visits.place[first + i]]
        for a in range(begin[i], begin[i + 1]):
            cost[a], node[a] = paths.cost[start + a - begin[i]], paths.node[start + a - begin[i]]
        at[i] = begin[i] + visits.level[first + i]
        frozen[i] = holds_broken(counter, labels, i, demand)
        stuck = stuck and (frozen[i] or cost[at[i]] == 0)
    if stuck:
        return False
    fitting = _list_fitting(counter, visits, paths, record, demand, begin)
    better = False
    for i in range(n):
        if frozen[i]:
            continue
        for a in range(begin[i], begin[i + 1]):
            if cost[a] >= cost[at[i]]:
                continue
            trial = at.copy()
            trial[i] = a
            if not _try(fitting, begin, trial, i, frozen, cost) or cost[trial].sum() >= cost[at].sum():
                continue
            if demand.size >= 3 and not _longer_fit(counter, visits, record, node[trial], trial != at, demand):
                continue
            at, better = trial, True
            break
    for i in range(n):
        visits.level[first + i] = at[i] - begin[i]
    return better


@njit(cache=True, nogil=True)
def swap_labels(
    counter: Counter, visits: Visits, paths: Paths, demand: Demand, first: int, last: int
) -> tuple[Counter, int]:
    """Improve record after record from ``first`` up to ``last``, each taken out of the counts and put back; count them.

    A sequence that others hold and that would break without the record keeps its visits as they are.
    """
    scratch = new_scratch()
    better = 0
    for record in range(first, last):
        labels, finest = 0, True
        for v in range(visits.offsets[record], visits.offsets[record + 1]):
            place = visits.place[v]
            labels += paths.start[place + 1] - paths.start[place]
            finest = finest and paths.cost[paths.start[place] + visits.level[v]] == 0
        if finest or labels > _MOST_LABELS:
            continue
        counter, scratch = count_record(counter, scratch, visits, paths, record, demand, -1)
        better += _swap_record(counter, visits, paths, record, demand)
        counter, scratch = count_record(counter, scratch, visits, paths, record, demand, 1)
    return counter, better
