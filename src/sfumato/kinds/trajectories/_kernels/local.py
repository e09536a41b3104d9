"""Local recoding: every visit gets a label of its own, the finest that keeps every sequence of labels in a crowd."""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato._kernels.counter import LARGEST_KEY, Counter
from sfumato._kernels.size_limits import refuse_endless
from sfumato.kinds.trajectories._kernels.demand import Demand
from sfumato.kinds.trajectories._kernels.labels import Paths, Visits, count_all, new_labels_counter
from sfumato.kinds.trajectories._kernels.lowering import lower_labels, order_nodes
from sfumato.kinds.trajectories._kernels.raising import mean_step, raise_labels
from sfumato.kinds.trajectories._kernels.swapping import swap_labels

__all__ = ["Outcome", "recode_from_above", "recode_from_below"]

# So much work at a time, and then it can be interrupted.
_NODES_PER_SLICE = 256
_ROWS_PER_SLICE = 5_000

Report = Callable[[int, int, int], None]


class Outcome(NamedTuple):
    """How the recoding ended: the levels of all visits, unless nothing helps, and what was done.

    Examples
    --------
    >>> Outcome(True, np.zeros(2, np.int32), 0, 3).swapped
    3
    """

    done: bool
    level: NDArray[np.int32]
    lowered: int
    swapped: int


def recode_from_below(visits: Visits, paths: Paths, demand: Demand, report: Report) -> Outcome:
    """Raise exact visits until nothing is rare; then lower and swap, twice for pairs, and lower.

    Parameters
    ----------
    visits, paths
        The visits, and the labels that they can have; not modified.
    demand
        What to reach.
    report
        Called with the size of sequences, steps done and steps in all.

    Raises
    ------
    ValueError
        If sequences of so many labels cannot be told apart by a 62-bit number.

    Examples
    --------
    >>> two = Paths(np.array([0, 2, 4]), np.array([0, 2, 1, 2], np.int32), np.array([0, 5, 0, 5]),
    ...             np.array([1, 1, 0], np.int32), np.array([0, 1, 0]), np.array([1, 2, 2]))
    >>> visits = Visits(np.arange(5), np.array([0, 1, 0, 0], np.int32), np.zeros(4, np.int32), np.zeros(5, np.int64),
    ...                 np.empty(0, np.int32))
    >>> recode_from_below(visits, two, Demand(2, 1, 1, 4, 1), lambda *_: None).level.tolist()
    [1, 1, 0, 0]
    """
    _refuse_too_many(visits, demand)
    visits = visits._replace(level=visits.level.copy())
    step = mean_step(paths)
    counter = None
    for size in range(min(2, demand.size), demand.size + 1):
        short = demand._replace(size=size)
        counter = count_all(new_labels_counter(visits, short), visits, paths, short)
        for t in range(2, demand.k + 1):
            report(size, t - 2, demand.k - 1)
            counter, done = raise_labels(counter, visits, paths, short, t, step)
            if not done:
                return Outcome(False, visits.level, 0, 0)
    assert counter is not None
    return _refine(counter, visits, paths, demand, report, "LSLSL" if demand.size < 3 else "LSL")


def recode_from_above(visits: Visits, paths: Paths, demand: Demand, report: Report) -> Outcome:
    """Lower, swap and lower visits whose labels keep the demand already."""
    _refuse_too_many(visits, demand)
    visits = visits._replace(level=visits.level.copy())
    counter = count_all(new_labels_counter(visits, demand), visits, paths, demand)
    return _refine(counter, visits, paths, demand, report, "LSL")


def _refuse_too_many(visits: Visits, demand: Demand) -> None:
    if demand.base**demand.size * demand.kinds > LARGEST_KEY:
        raise ValueError(
            f"sequences of {demand.size} out of {demand.base} labels are too many to tell apart; use a smaller m."
        )
    places = int(visits.place.max(initial=0)) + 1
    refuse_endless(visits.offsets[:-1], np.diff(visits.offsets), visits.place, demand.size, places)


def _refine(counter: Counter, visits: Visits, paths: Paths, demand: Demand, report: Report, steps: str) -> Outcome:
    """Lower (L) and swap (S) in turn."""
    nodes = order_nodes(visits, paths)
    record_of = np.repeat(np.arange(len(visits.offsets) - 1), np.diff(visits.offsets))
    by_place = np.argsort(visits.place, kind="stable")
    ends = np.searchsorted(visits.place[by_place], np.arange(len(paths.start)))
    lowered = swapped = 0
    for number, step in enumerate(steps):
        report(demand.size, number, len(steps))
        if step == "L":
            for at in range(0, len(nodes), _NODES_PER_SLICE):
                batch = nodes[at : at + _NODES_PER_SLICE]
                counter, more = lower_labels(counter, visits, paths, demand, batch, record_of, by_place, ends)
                lowered += more
                report(demand.size, number, len(steps))
        else:
            for first in range(0, len(visits.offsets) - 1, _ROWS_PER_SLICE):
                last = min(first + _ROWS_PER_SLICE, len(visits.offsets) - 1)
                counter, more = swap_labels(counter, visits, paths, demand, first, last)
                swapped += more
                report(demand.size, number, len(steps))
    return Outcome(True, visits.level, lowered, swapped)
