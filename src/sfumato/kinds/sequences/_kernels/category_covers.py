"""CP with categories: the least loss of covering a group when intervals cost by length and by category.

The category of an interval is the lowest node above its events. Two ways fill the same table with the same numbers.
One tries all left ends of the last interval, which takes squares of the number of times. The other takes a queue for
every depth of the taxonomy: at a depth the times fall into runs whose events lie below the same node. Inside a run,
with that node as the category, only lengths differ, and a queue of left ends that will ever be the best replaces the
search among all of them. The best over all depths is the best: a category higher than needed never costs less.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.prices import LARGEST_LOSS, Prices, join_nodes
from sfumato.kinds.sequences._kernels.profiles import BEFORE, BEST, CHOICE, NODE, REACH, TIME

__all__ = ["Runs", "fill_by_category", "fill_by_left_ends", "fill_by_runs", "new_runs"]

_FEW_TIMES = 24
"""Up to so many distinct times trying all left ends takes less time than queues do."""


class Runs(NamedTuple):
    """The present run at each depth, and its left ends.

    Attributes
    ----------
    node
        The node the run lies below, -1 when there is no run.
    head, tail
        Where the queue of left ends begins and ends.
    entering
        The next left end that is not in the queue yet.
    queue, since
        By depth: left ends that are or will be the best, and the right end from which on each is.
    """

    node: NDArray[np.int64]
    head: NDArray[np.int64]
    tail: NDArray[np.int64]
    entering: NDArray[np.int64]
    queue: NDArray[np.int64]
    since: NDArray[np.int64]


def new_runs(times: int, prices: Prices) -> Runs:
    """Make room for so many distinct times; where categories do not count, none is needed."""
    times = times if prices.leaf else 0
    depths = int(prices.depth.max(initial=0)) + 1
    node, head, tail, entering = np.full((4, depths), -1, np.int64)
    queue, since = np.empty((2, depths, times), np.int64)
    return Runs(node, head, tail, entering, queue, since)


@njit(cache=True, nogil=True)
def fill_by_category(profile: NDArray[np.int64], prices: Prices, table: NDArray[np.int64], runs: Runs) -> None:
    """Fill the table when categories cost too; equals go to the later left end."""
    if profile.shape[0] <= _FEW_TIMES:
        fill_by_left_ends(profile, prices, table)
    else:
        fill_by_runs(profile, prices, table, runs)


@njit(cache=True, nogil=True)
def fill_by_left_ends(profile: NDArray[np.int64], prices: Prices, table: NDArray[np.int64]) -> None:
    """Extend the last interval to the left while it alone costs less."""
    for j in range(profile.shape[0]):
        best, choice = LARGEST_LOSS, -1
        node = profile[j, NODE]
        for i in range(j, -1, -1):
            node = join_nodes(node, profile[i, NODE], prices)
            price = prices.time * (profile[j, TIME] - profile[i, TIME]) + prices.leaf * prices.leaves[node]
            loss = (table[j + 1, BEFORE] - table[i, BEFORE]) * price
            if loss >= best:
                break
            if profile[i, TIME] <= profile[j, REACH] and table[i, BEST] + loss < best:
                best, choice = table[i, BEST] + loss, i
        table[j + 1, BEST], table[j + 1, CHOICE] = best, choice


@njit(cache=True, nogil=True)
def fill_by_runs(profile: NDArray[np.int64], prices: Prices, table: NDArray[np.int64], runs: Runs) -> None:
    """Take the best left end of the queues of all depths."""
    unit = prices.time
    runs.node[:] = -1
    for j in range(profile.shape[0]):
        node = profile[j, NODE]
        depth = prices.depth[node]
        runs.node[depth + 1 :] = -1
        best, choice = LARGEST_LOSS, -1
        while node >= 0:
            if runs.node[depth] != node:
                runs.node[depth] = node
                runs.head[depth] = runs.tail[depth] = 0
                runs.entering[depth] = j
            price = prices.leaf * prices.leaves[node]
            _let_in(j, depth, price, unit, profile, table, runs)
            head = runs.head[depth]
            if runs.tail[depth] > head:
                i = runs.queue[depth, head]
                loss = _lose(i, j, price, unit, profile, table)
                if loss < best or (loss == best and i > choice):
                    best, choice = loss, i
            node = prices.parent[node]
            depth -= 1
        table[j + 1, BEST], table[j + 1, CHOICE] = best, choice


@njit(cache=True, nogil=True)
def _lose(i: int, j: int, price: int, unit: int, profile: NDArray[np.int64], table: NDArray[np.int64]) -> int:
    """Loss when the last interval is from time i to time j, by the price of its category and of a unit of length."""
    covered = table[j + 1, BEFORE] - table[i, BEFORE]
    return int(table[i, BEST] + covered * (unit * (profile[j, TIME] - profile[i, TIME]) + price))


@njit(cache=True, nogil=True)
def _let_in(
    j: int, depth: int, price: int, unit: int, profile: NDArray[np.int64], table: NDArray[np.int64], runs: Runs
) -> None:
    """Put the left ends that have come into reach into the queue, and drop those that have been overtaken."""
    n = profile.shape[0]
    queue, since = runs.queue[depth], runs.since[depth]
    head, tail, i = runs.head[depth], runs.tail[depth], runs.entering[depth]
    while i <= j and profile[i, TIME] <= profile[j, REACH]:
        if table[i, BEST] < LARGEST_LOSS:
            first = j
            while tail > head:
                rival, at = queue[tail - 1], max(since[tail - 1], j)
                if _lose(i, at, price, unit, profile, table) > _lose(rival, at, price, unit, profile, table):
                    first = at + 1
                    break
                tail -= 1
            if tail > head:
                # The first right end from which on this left end is as good as the one before it.
                end = n
                while first < end:
                    middle = (first + end) // 2
                    mine = _lose(i, middle, price, unit, profile, table)
                    if mine <= _lose(queue[tail - 1], middle, price, unit, profile, table):
                        end = middle
                    else:
                        first = middle + 1
            if first < n:
                queue[tail], since[tail] = i, first
                tail += 1
        i += 1
    while tail - head > 1 and since[head + 1] <= j:
        head += 1
    runs.head[depth], runs.tail[depth], runs.entering[depth] = head, tail, i
