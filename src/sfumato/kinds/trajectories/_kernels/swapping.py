"""SWAP: within one record, a visit gets a finer label at the price of coarser ones, where the record gets cheaper."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter
from sfumato.kinds.trajectories._kernels.demand import BORROWING, Demand, advance, holds_broken, read_support
from sfumato.kinds.trajectories._kernels.labels import SMALLEST, Paths, Visits, count_record, new_scratch, read_labels

__all__ = ["swap_labels"]

_MOST_LABELS = 1_200
"""A record whose visits have more labels to choose from is left as it is."""


class Choice(NamedTuple):
    """The labels that the visits of a record can have, one visit after the other.

    Attributes
    ----------
    begin
        Those of visit i are numbered from ``begin[i]`` up to ``begin[i + 1]``.
    owner, node, cost
        Of every label: whose it is, which node, and what it costs.
    first, last
        Of every label: the places below it, as `Paths` has them.
    secret
        By number of a sensitive place: whether the record visits it.
    conflict
        Scratch, by visit: whether it has still to be raised.
    fitting
        For two labels, whether the record may hold them together (1) or not (0), -1 before anybody asked; on the
        diagonal, alone.

    Examples
    --------
    >>> Choice(*6 * [np.zeros(1, np.int64)], *2 * [np.zeros(1, bool)], np.ones((1, 1), np.int8)).fitting.tolist()
    [[1]]
    """

    begin: NDArray[np.int64]
    owner: NDArray[np.int64]
    node: NDArray[np.int64]
    cost: NDArray[np.int64]
    first: NDArray[np.int64]
    last: NDArray[np.int64]
    secret: NDArray[np.bool_]
    conflict: NDArray[np.bool_]
    fitting: NDArray[np.int8]


@njit(**BORROWING)
def _fits(
    dense: NDArray[np.int32], slots: NDArray[np.int64], secret: NDArray[np.bool_], key: int, demand: Demand
) -> bool:
    """Tell whether a record that is not counted may hold a sequence."""
    support = read_support(dense, slots, key * demand.kinds) + 1
    if support < demand.k:
        return False
    for place in range(1, demand.kinds):
        visitors = read_support(dense, slots, key * demand.kinds + place) + int(secret[place])
        if demand.l * visitors > support:
            return False
    return True


@njit(cache=True, nogil=True)
def _list_choice(visits: Visits, paths: Paths, record: int, kinds: int) -> Choice:
    """List the labels that the visits of a record can have."""
    start, n = visits.offsets[record], visits.offsets[record + 1] - visits.offsets[record]
    begin = np.zeros(n + 1, np.int64)
    for i in range(n):
        begin[i + 1] = begin[i] + paths.start[visits.place[start + i] + 1] - paths.start[visits.place[start + i]]
    owner, cost, node = np.empty(begin[n], np.int64), np.empty(begin[n], np.int64), np.empty(begin[n], np.int64)
    first, last = np.empty(begin[n], np.int64), np.empty(begin[n], np.int64)
    for i in range(n):
        for a in range(begin[i], begin[i + 1]):
            at = paths.start[visits.place[start + i]] + a - begin[i]
            owner[a], node[a], cost[a] = i, paths.node[at], paths.cost[at]
            first[a], last[a] = paths.first[node[a]], paths.last[node[a]]
    secret = np.zeros(kinds, np.bool_)
    if kinds > 1:
        for i in range(visits.secret_offsets[record], visits.secret_offsets[record + 1]):
            secret[visits.secret[i]] = True
    fitting = np.empty((begin[n], begin[n]), np.int8)
    for a in range(begin[n]):
        for b in range(begin[n]):
            fitting[a, b] = -1
    return Choice(begin, owner, node, cost, first, last, secret, np.zeros(n, np.bool_), fitting)


@njit(**BORROWING)
def _check_pair(counter: Counter, choice: Choice, a: int, b: int, demand: Demand) -> int:
    """Find out whether a record may hold two labels together, or one alone if both are the same."""
    dense, slots, node, fitting = counter.dense, counter.slots, choice.node, choice.fitting
    if choice.owner[a] > choice.owner[b]:
        a, b = b, a
    if fitting[a, a] < 0:
        fitting[a, a] = int(_fits(dense, slots, choice.secret, np.int64(node[a]) + 1, demand))
    fits = fitting[a, a] > 0
    if fits and a != b and demand.kinds > 1 and node[a] != node[b]:
        fits = choice.first[a] >= choice.last[b] or choice.first[b] >= choice.last[a]
    if fits and a != b and demand.size > 1:
        fits = _fits(dense, slots, choice.secret, (np.int64(node[a]) + 1) * demand.base + node[b] + 1, demand)
    fitting[a, b] = int(fits)
    fitting[b, a] = int(fits)
    return int(fits)


@njit(**BORROWING)
def _suits(counter: Counter, choice: Choice, at: NDArray[np.int64], j: int, demand: Demand) -> bool:
    """Tell whether the label of visit j fits alone and with those of all visits that are in no conflict."""
    for h in range(at.size):
        if h != j and choice.conflict[h]:
            continue
        fits = choice.fitting[at[j], at[h]]
        if fits < 0:
            fits = _check_pair(counter, choice, at[j], at[h], demand)
        if fits == 0:
            return False
    return True


@njit(**BORROWING)
def _try(
    counter: Counter, choice: Choice, at: NDArray[np.int64], i: int, frozen: NDArray[np.int8], demand: Demand
) -> bool:
    """Raise what conflicts with visit i to the first label that fits, lower what now fits; False if stuck.

    ``frozen`` is 1 where a visit must stay as it is.
    """
    conflict, fitting = choice.conflict, choice.fitting
    if _check_pair(counter, choice, at[i], at[i], demand) == 0:
        return False
    for must_stay in range(1, -1, -1):
        for j in range(at.size):
            if j == i or frozen[j] != must_stay:
                continue
            fits = fitting[at[i], at[j]]
            if fits < 0:
                fits = _check_pair(counter, choice, at[i], at[j], demand)
            if must_stay and fits == 0:
                return False
            conflict[j] = fits == 0
    conflict[i] = False
    for j in range(at.size):
        if not conflict[j]:
            continue
        at[j] += 1
        while at[j] < choice.begin[j + 1] and not _suits(counter, choice, at, j, demand):
            at[j] += 1
        if at[j] == choice.begin[j + 1]:
            return False
        conflict[j] = False
    for j in range(at.size):
        here = at[j]
        for a in range(choice.begin[j], here if frozen[j] == 0 and j != i else choice.begin[j]):
            if choice.cost[a] < choice.cost[here]:
                at[j] = a
                if _suits(counter, choice, at, j, demand):
                    break
                at[j] = here
    return True


@njit(cache=True, nogil=True)
def _longer_fit(
    counter: Counter, choice: Choice, at: NDArray[np.int64], before: NDArray[np.int64], demand: Demand
) -> bool:
    """Tell whether a record may hold all sequences of three labels and more that go through changed visits."""
    chosen = np.empty(demand.size, np.int64)
    for number in range(3, min(demand.size, at.size) + 1):
        for i in range(number):
            chosen[i] = i
        while True:
            key, concerned = np.int64(0), False
            for i in range(number):
                key = key * demand.base + choice.node[at[chosen[i]]] + 1
                concerned = concerned or at[chosen[i]] != before[chosen[i]]
            if concerned and not _fits(counter.dense, counter.slots, choice.secret, key, demand):
                return False
            if not advance(chosen, number, at.size):
                break
    return True


@njit(cache=True, nogil=True)
def _swap_record(
    counter: Counter, visits: Visits, paths: Paths, record: int, demand: Demand, frozen: NDArray[np.int8]
) -> bool:
    """Improve the labels of a record that is not counted; tell whether anything changed."""
    first, n = visits.offsets[record], frozen.size
    choice = _list_choice(visits, paths, record, demand.kinds)
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
            for j in range(n):
                trial[j] = at[j]
            trial[i] = a
            if not _try(counter, choice, trial, i, frozen, demand):
                continue
            price = 0
            for j in range(n):
                price += choice.cost[trial[j]]
            if price >= total or (demand.size >= 3 and not _longer_fit(counter, choice, trial, at, demand)):
                continue
            for j in range(n):
                at[j] = trial[j]
            total, better = price, True
            break
    for i in range(n):
        visits.level[first + i] = at[i] - choice.begin[i]
    return better


@njit(**BORROWING)
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
    scratch = new_scratch(SMALLEST, 1, demand.base)
    better = 0
    stricter = Demand(demand.k + 1, demand.l, demand.size, demand.base, demand.kinds)
    for record in range(first, last):
        frozen = np.zeros(visits.offsets[record + 1] - visits.offsets[record], np.int8)
        if _is_stuck(visits, paths, record, frozen):
            continue
        labels = read_labels(visits, paths, record)
        if demand.kinds == 1:
            # What k records hold with this one would be rare without it.
            for i in range(frozen.size):
                frozen[i] = holds_broken(counter, labels, i, stricter)
            if _is_stuck(visits, paths, record, frozen):
                continue
        counter, scratch = count_record(counter, scratch, visits, paths, record, demand, -1)
        for i in range(frozen.size if demand.kinds > 1 else 0):
            frozen[i] = holds_broken(counter, labels, i, demand)
        better += _swap_record(counter, visits, paths, record, demand, frozen)
        counter, scratch = count_record(counter, scratch, visits, paths, record, demand, 1)
    return counter, better
