"""What every class must keep, and which classes are withheld because they do not.

A class is published or withheld whole. What is asked of a class alone (its size, the diversity of its sensitive values,
its share of a population) is asked once. Closeness is asked against the distribution of all published records, which
changes when classes are withheld: classes that are too far away are withheld, the distribution is counted anew, and so
on until all that are left are close. What is left keeps everything that was asked, whatever the way to it.

Let g be a node, and h a node above it, so that classes of h are unions of classes of g.

- *Enough records* and *enough different values* hold for every union with a class that has them. So the records in
  classes that lack them only become fewer from g to h, and what breaks the limit at h breaks it at g. These two are
  called *lasting* here. Entropy of at least ln(l) and recursive (c,l) both need l different values, so l different
  values are asked as a lasting part of them.
- *Entropy, recursive diversity, closeness, presence* hold for the union of classes that all have them: entropy is
  concave; with top(i) the sum of the i most frequent, top(1) and top(l-1) of a union are at most the sums of those of
  its parts, and so the rest is at least; distances are convex in the class's distribution; a ratio of sums lies between
  the ratios.
  The union with a class that lacks them may lack them too. So if *no* class of g lacks anything, none of h does, for
  then nothing is withheld and the distribution of all records is the same at both; but if some records are withheld at
  g, nothing follows for h.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.generalised_classes import Classes

__all__ = ["Demand", "count_overall", "judge_against", "judge_classes", "make_demand"]

DISTINCT, ENTROPY, RECURSIVE = 1, 2, 3
EQUAL, ORDERED, HIERARCHICAL = 1, 2, 3
_SLACK = 1e-10


class Demand(NamedTuple):
    """What is asked of every class.

    Attributes
    ----------
    k
        Records.
    limit
        Records that may be withheld.
    presence
        Largest share of the people of the population who fit; asked where classes have people.
    l, diversity, c
        Diversity of each sensitive column: none (0), distinct, entropy or recursive.
    t, distance
        Distance from the distribution of all published records: none (0), equal, ordered or hierarchical.
    column
        First value of every sensitive column, and the number of all values.
    parent, cost
        For the hierarchical distance: trees whose first nodes are all values; node above each node (-1 above a root),
        a node always before the one above it, and height of each node over that of its tree.
    """

    k: int
    limit: int
    presence: float
    l: int
    diversity: int
    c: float
    t: float
    distance: int
    column: NDArray[np.int64]
    parent: NDArray[np.int64]
    cost: NDArray[np.float64]


def make_demand(
    k: int,
    limit: int,
    *,
    presence: float = 1.0,
    diversity: tuple[int, int, float] = (1, 0, 0.0),
    closeness: tuple[float, int] = (1.0, 0),
    widths: tuple[int, ...] = (),
    trees: tuple[NDArray[np.int64], NDArray[np.float64]] | None = None,
) -> Demand:
    """Put a demand together; ``diversity`` is (l, how, c) and ``closeness`` is (t, which distance).

    Examples
    --------
    >>> make_demand(2, 0, diversity=(3, ENTROPY, 0.0), widths=(4,)).column.tolist()
    [0, 4]
    """
    column = np.cumsum([0, *widths]).astype(np.int64)
    parent, cost = trees if trees is not None else (np.empty(0, np.int64), np.empty(0))
    l, how, c = diversity
    t, which = closeness
    return Demand(k, limit, presence, l, how, float(c), float(t), which, column, parent, cost)


@njit(cache=True, nogil=True)
def _has_values(classes: Classes, place: int, demand: Demand) -> bool:
    """Tell whether a class has enough different values in every sensitive column."""
    column, seen = demand.column, np.zeros(demand.column.size - 1, np.int64)
    for entry in range(classes.start[place], classes.start[place + 1]):
        at = 0
        while classes.sensitive[entry] >= column[at + 1]:
            at += 1
        seen[at] += 1
    smallest = seen[0]
    for at in range(1, seen.size):
        smallest = min(smallest, seen[at])
    return bool(smallest >= demand.l)


@njit(cache=True, nogil=True)
def _is_mixed(classes: Classes, place: int, demand: Demand) -> bool:
    """Tell whether a class is diverse by entropy, or recursively, in every sensitive column."""
    begin, end = classes.start[place], classes.start[place + 1]
    total = classes.weight[place]
    sensitive, times = classes.sensitive, classes.times
    for column in range(demand.column.size - 1):
        counts = np.empty(end - begin, np.int64)
        value_count = 0
        for entry in range(begin, end):
            if demand.column[column] <= sensitive[entry] < demand.column[column + 1]:
                counts[value_count] = times[entry]
                value_count += 1
        if demand.diversity == ENTROPY:
            entropy = 0.0
            for i in range(value_count):
                share = counts[i] / total
                entropy -= share * np.log(share)
            if entropy < np.log(demand.l) - _SLACK:
                return False
        elif not _is_rare(counts, value_count, total, demand.l, demand.c):
            return False
    return True


@njit(cache=True, nogil=True)
def _is_rare(counts: NDArray[np.int64], value_count: int, total: int, l: int, c: float) -> bool:
    """Tell whether the most frequent value is rarer than c times all from the l-th most frequent on."""
    most, rest = np.int64(0), np.int64(total)
    for rank in range(min(l - 1, value_count)):  # l is small; sorting would take longer, to compile above all
        largest = rank
        for i in range(rank + 1, value_count):
            if counts[i] > counts[largest]:
                largest = i
        counts[rank], counts[largest] = counts[largest], counts[rank]
        rest -= counts[rank]
        most = max(most, counts[rank])
    return bool(most < c * rest)


@njit(cache=True, nogil=True)
def _distance(
    classes: Classes,
    place: int,
    demand: Demand,
    overall: NDArray[np.float64],
    column: int,
    scratch: NDArray[np.float64],
) -> float:
    """Return how far the values of a class are from all published ones, in one column."""
    low, high = demand.column[column], demand.column[column + 1]
    total = classes.weight[place]
    extra = scratch[0]
    for value in range(low, high):
        extra[value] = -overall[value]
    for entry in range(classes.start[place], classes.start[place + 1]):
        value = classes.sensitive[entry]
        if low <= value < high:
            extra[value] += classes.times[entry] / total
    apart = 0.0
    if demand.distance == EQUAL:
        for value in range(low, high):
            apart += abs(extra[value])
        return apart / 2
    if demand.distance == ORDERED:
        occurring = 0
        cumulated = 0.0
        for value in range(low, high):
            if overall[value] > 0:
                apart += abs(cumulated)  # of the value before: after the last one nothing is left to carry
                cumulated += extra[value]
                occurring += 1
        return apart / max(occurring - 1, 1)
    carried: float = _carry_up(demand, low, high, scratch)
    return carried


@njit(cache=True, nogil=True)
def _carry_up(demand: Demand, low: int, high: int, scratch: NDArray[np.float64]) -> float:
    """Carry differences up the trees and return what that costs; the values of other columns stay out."""
    extra, up, down = scratch[0], scratch[1], scratch[2]
    values = demand.column[-1]
    for node in range(demand.parent.size):
        up[node] = 0.0
        down[node] = 0.0
        if node >= values or not low <= node < high:
            extra[node] = 0.0
    spent = 0.0
    for node in range(demand.parent.size):
        spent += demand.cost[node] * min(up[node], down[node])
        above = demand.parent[node]
        if above >= 0:
            if extra[node] > 0:
                up[above] += extra[node]
            else:
                down[above] -= extra[node]
            extra[above] += extra[node]
    return spent


@njit(cache=True, nogil=True)
def _suppress_distant(
    classes: Classes, demand: Demand, is_suppressed: NDArray[np.bool_], gone: int, at_most: int
) -> int:
    """Withhold classes that are too far from what is published, until none is; return how many records are withheld."""
    values = demand.column[-1]
    overall = np.empty(values)
    scratch = np.empty((3, max(values, demand.parent.size)))
    size = classes.size[0]
    while True:
        for value in range(values):
            overall[value] = 0.0
        published = 0
        for place in range(size):
            if not is_suppressed[place]:
                published += classes.weight[place]
                for entry in range(classes.start[place], classes.start[place + 1]):
                    overall[classes.sensitive[entry]] += classes.times[entry]
        if published == 0:
            return gone
        for value in range(values):
            overall[value] /= published
        before = gone
        for place in range(size):
            if is_suppressed[place] or classes.weight[place] == 0:
                continue
            for column in range(demand.column.size - 1):
                if _distance(classes, place, demand, overall, column, scratch) > demand.t + _SLACK:
                    is_suppressed[place] = True
                    gone += classes.weight[place]
                    break
        if gone == before or gone > at_most:
            return gone


@njit(cache=True, nogil=True)
def judge_classes(classes: Classes, demand: Demand, is_suppressed: NDArray[np.bool_], at_most: int) -> tuple[int, int]:
    """Tell which classes are withheld, and how many records are: for lasting reasons, and in all.

    Parameters
    ----------
    classes
        Classes of a node. Those without records, which only people of the population have, are not withheld.
    demand
        What is asked.
    is_suppressed
        Is filled for every class.
    at_most
        When more records than this are withheld, the rest need not be counted; the second number is then too small,
        but still above it.
    """
    lasting = 0
    count, k = classes.weight, demand.k
    for place in range(classes.size[0]):
        is_suppressed[place] = 0 < count[place] < k
        if is_suppressed[place]:
            lasting += count[place]
    for place in range(classes.size[0] if demand.diversity > 0 and lasting <= at_most else 0):
        if count[place] >= k and not _has_values(classes, place, demand):
            is_suppressed[place] = True
            lasting += count[place]
    gone = lasting
    has_people = classes.people.size > 0
    if gone > at_most or not (has_people or demand.diversity > DISTINCT or demand.distance > 0):
        return lasting, gone
    for place in range(classes.size[0]):
        if is_suppressed[place] or classes.weight[place] == 0:
            continue
        people = classes.people[place] if has_people else 0
        is_exposed = has_people and (people == 0 or classes.weight[place] / people > demand.presence)
        if is_exposed or (demand.diversity > DISTINCT and not _is_mixed(classes, place, demand)):
            is_suppressed[place] = True
            gone += classes.weight[place]
    if gone <= at_most and demand.distance > 0:
        gone = _suppress_distant(classes, demand, is_suppressed, gone, at_most)
    return lasting, gone


@njit(cache=True, nogil=True)
def count_overall(classes: Classes, is_suppressed: NDArray[np.bool_], values: int) -> NDArray[np.float64]:
    """Return the share of every sensitive value among the records of all classes that are not withheld."""
    overall = np.zeros(values)
    published = 0
    for place in range(classes.size[0] if classes.start.size > 0 else 0):
        if not is_suppressed[place]:
            published += classes.weight[place]
            for entry in range(classes.start[place], classes.start[place + 1]):
                overall[classes.sensitive[entry]] += classes.times[entry]
    for value in range(values):
        overall[value] /= max(published, 1)
    return overall


@njit(cache=True, nogil=True)
def judge_against(
    classes: Classes, demand: Demand, overall: NDArray[np.float64], is_suppressed: NDArray[np.bool_]
) -> None:
    """Tell of every class whether it is withheld if the distribution of all published records is the one given."""
    scratch = np.empty((3, max(overall.size, demand.parent.size)))
    has_people = classes.people.size > 0
    for place in range(classes.size[0]):
        count = classes.weight[place]
        is_suppressed[place] = 0 < count < demand.k
        if is_suppressed[place] or count == 0:
            continue
        if has_people:
            people = classes.people[place]
            is_suppressed[place] = people == 0 or count / people > demand.presence
        if demand.diversity > 0 and not is_suppressed[place]:
            is_suppressed[place] = not _has_values(classes, place, demand)
        if demand.diversity > DISTINCT and not is_suppressed[place]:
            is_suppressed[place] = not _is_mixed(classes, place, demand)
        for column in range(demand.column.size - 1 if demand.distance > 0 else 0):
            if is_suppressed[place]:
                break
            is_suppressed[place] = _distance(classes, place, demand, overall, column, scratch) > demand.t + _SLACK
