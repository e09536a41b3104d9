"""SWAP: within one record, a visit gets a finer label at the price of coarser ones, where the record gets cheaper."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kernels.counter import Counter
from sfumato.kinds.trajectories.kernels.demand import Demand, advance, holds_broken, read_support
from sfumato.kinds.trajectories.kernels.labels import Paths, Visits, count_record, new_scratch, read_labels

__all__ = ["swap_labels"]

_MOST_LABELS = 1_200
"""A record whose visits have more labels to choose from is left as it is."""


@njit(cache=True, nogil=True)
def _fits(
    dense: NDArray[np.int32], slots: NDArray[np.int64], visits: Visits, record: int, key: int, demand: Demand
) -> bool:
    """Tell whether a record that is not counted may hold a sequence."""
    support = read_support(dense, slots, key * demand.kinds) + 1
    fits = support >= demand.k
    if fits and demand.kinds > 1:
        for place in range(1, demand.kinds):
            visitors = read_support(dense, slots, key * demand.kinds + place)
            for i in range(visits.secret_offsets[record], visits.secret_offsets[record + 1]):
                visitors += visits.secret[i] == place
            fits = fits and demand.l * visitors <= support
    return bool(fits)


class Choice(NamedTuple):
    """The labels that the visits of a record can have, one visit after the other.

    Attributes
    ----------
    begin
        Those of visit i are numbered from ``begin[i]`` up to ``begin[i + 1]``.
    owner, node, cost
        Of every label: whose it is, which node, and what it costs.
    fitting
        For two labels, whether the record may hold them together; on the diagonal, alone.

    Examples
    --------
    >>> Choice(*4 * [np.zeros(1, np.int64)], np.ones((1, 1), bool)).fitting.tolist()
    [[True]]
    """

    begin: NDArray[np.int64]
    owner: NDArray[np.int64]
    node: NDArray[np.int32]
    cost: NDArray[np.int64]
    fitting: NDArray[np.bool_]


@njit(cache=True, nogil=True)
def _list_choice(visits: Visits, paths: Paths, record: int) -> Choice:
    """List the labels that the visits of a record can have."""
    first, n = visits.offsets[record], visits.offsets[record + 1] - visits.offsets[record]
    begin = np.zeros(n + 1, np.int64)
    for i in range(n):
        begin[i + 1] = begin[i] + paths.start[visits.place[first + i] + 1] - paths.start[visits.place[first + i]]
    owner, cost = np.empty(begin[n], np.int64), np.empty(begin[n], np.int64)
    node = np.empty(begin[n], np.int32)
    for i in range(n):
        start = paths.start[visits.place[first + i]]
        for a in range(begin[i], begin[i + 1]):
            owner[a], node[a], cost[a] = i, paths.node[start + a - begin[i]], paths.cost[start + a - begin[i]]
    return Choice(begin, owner, node, cost, np.zeros((begin[n], begin[n]), np.bool_))


@njit(cache=True, nogil=True)
def _ask(counter: Counter, visits: Visits, paths: Paths, record: int, demand: Demand, choice: Choice) -> None:
    """Find out which labels a record may hold together."""
    dense, slots = counter.dense, counter.slots
    begin, node, fitting = choice.begin, choice.node, choice.fitting
    n = begin.size - 1
    for i in range(n):
        for a in range(begin[i], begin[i + 1]):
            one = node[a]
            fitting[a, a] = _fits(dense, slots, visits, record, one + 1, demand)
            for b in range(begin[i + 1], begin[n]):
                two = node[b]
                fits = fitting[a, a]
                if fits and demand.kinds > 1 and one != two:
                    fits = paths.first[one] >= paths.last[two] or paths.first[two] >= paths.last[one]
                if fits and demand.size > 1:
                    fits = _fits(dense, slots, visits, record, (one + 1) * demand.base + two + 1, demand)
                fitting[a, b] = fits
                fitting[b, a] = fits


@njit(cache=True, nogil=True)
def _try(choice: Choice, at: NDArray[np.int64], frozen: NDArray[np.int8]) -> bool:
    """Raise what conflicts with the chosen visit to the first label that fits, lower what now fits; False if stuck.

    ``frozen`` is 1 where a visit must stay as it is and 2 for the chosen one.
    """
    i, fitting = np.argmax(frozen), choice.fitting
    if not fitting[at[i], at[i]]:
        return False
    for j in range(at.size):
        if frozen[j] == 1 and not fitting[at[i], at[j]]:
            return False
    conflict = np.zeros(at.size, np.bool_)
    for j in range(at.size):
        conflict[j] = j != i and not fitting[at[i], at[j]]
    for j in range(at.size):
        if not conflict[j]:
            continue
        fits = False
        while not fits:
            at[j] += 1
            if at[j] == choice.begin[j + 1]:
                return False
            fits = True
            for h in range(at.size):
                if not conflict[h] or h == j:
                    fits = fits and fitting[at[j], at[h]]
        conflict[j] = False
    for j in range(at.size):
        here = at[j]
        for a in range(choice.begin[j], here if frozen[j] == 0 else choice.begin[j]):
            if choice.cost[a] < choice.cost[here]:
                at[j] = a
                fits = True
                for h in range(at.size):
                    fits = fits and fitting[a, at[h]]
                if fits:
                    break
                at[j] = here
    return True


@njit(cache=True, nogil=True)
def _longer_fit(
    counter: Counter, visits: Visits, record: int, labels: NDArray[np.int32], changed: NDArray[np.bool_], demand: Demand
) -> bool:
    """Tell whether a record may hold all sequences of three labels and more that go through changed visits."""
    dense, slots = counter.dense, counter.slots
    at = np.empty(demand.size, np.int64)
    for chosen in range(3, min(demand.size, labels.size) + 1):
        for i in range(chosen):
            at[i] = i
        while True:
            key, concerned = 0, False
            for i in range(chosen):
                key = key * demand.base + labels[at[i]] + 1
                concerned = concerned or changed[at[i]]
            if concerned and not _fits(dense, slots, visits, record, key, demand):
                return False
            if not advance(at, chosen, labels.size):
                break
    return True


@njit(cache=True, nogil=True)
def _swap_record(
    counter: Counter, visits: Visits, paths: Paths, record: int, demand: Demand, frozen: NDArray[np.int8]
) -> bool:
    """Improve the labels of a record that is not counted; tell whether anything changed."""
    first, n = visits.offsets[record], frozen.size
    choice = _list_choice(visits, paths, record)
    _ask(counter, visits, paths, record, demand, choice)
    at, trial = np.empty(n, np.int64), np.empty(n, np.int64)
    total = 0
    for i in range(n):
        at[i] = choice.begin[i] + visits.level[first + i]
        total += choice.cost[at[i]]
    better = False
    for i in range(n):
        for a in range(choice.begin[i], choice.begin[i + 1]):
            if frozen[i] or choice.cost[a] >= choice.cost[at[i]]:
                continue
            trial[:] = at
            trial[i] = a
            frozen[i] = 2
            done = _try(choice, trial, frozen)
            frozen[i] = 0
            price = choice.cost[trial].sum() if done else total
            if price >= total:
                continue
            if demand.size >= 3 and not _longer_fit(counter, visits, record, choice.node[trial], trial != at, demand):
                continue
            at[:] = trial
            total, better = price, True
            break
    for i in range(n):
        visits.level[first + i] = at[i] - choice.begin[i]
    return better


@njit(cache=True, nogil=True)
def _is_stuck(visits: Visits, paths: Paths, record: int, frozen: NDArray[np.int8]) -> bool:
    """Tell whether no visit of a record could get cheaper, or there are too many labels to choose from."""
    first = visits.offsets[record]
    labels, stuck = 0, True
    for i in range(frozen.size):
        start, end = paths.start[visits.place[first + i]], paths.start[visits.place[first + i] + 1]
        labels += end - start
        stuck = stuck and (frozen[i] > 0 or paths.cost[start + visits.level[first + i]] == 0)
    return stuck or labels > _MOST_LABELS


@njit(cache=True, nogil=True)
def swap_labels(
    counter: Counter, visits: Visits, paths: Paths, demand: Demand, first: int, last: int
) -> tuple[Counter, int]:
    """Improve record after record from ``first`` up to ``last``, each taken out of the counts and put back; count them.

    A sequence that others hold and that would break without the record keeps its visits as they are.
    """
    scratch = new_scratch()
    better = 0
    one_more = Demand(demand.k + 1, demand.l, demand.size, demand.base, demand.kinds)
    for record in range(first, last):
        frozen = np.zeros(visits.offsets[record + 1] - visits.offsets[record], np.int8)
        if _is_stuck(visits, paths, record, frozen):
            continue
        labels = read_labels(visits, paths, record)
        if demand.kinds == 1:
            # What k records hold with this one would be rare without it.
            for i in range(frozen.size):
                frozen[i] = holds_broken(counter, labels, i, one_more)
            if _is_stuck(visits, paths, record, frozen):
                continue
        counter, scratch = count_record(counter, scratch, visits, paths, record, demand, -1)
        for i in range(frozen.size if demand.kinds > 1 else 0):
            frozen[i] = holds_broken(counter, labels, i, demand)
        better += _swap_record(counter, visits, paths, record, demand, frozen)
        counter, scratch = count_record(counter, scratch, visits, paths, record, demand, 1)
    return counter, better
