"""Groups of people for receivers who collude: alike in what they did, by a taxonomy, and in when they did it (ET).

People are split into parts; parts that do not fulfil the demand are merged with the nearest. A cluster's number is the
smallest number of a member; clusters are repaired in the order of their numbers, and among clusters at the same loss
per event the smallest number is the nearest.

References
----------
R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Section 5.1 and Algorithm 4.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.clusters import number_groups
from sfumato.kinds.sequences._kernels.covers import Monitored
from sfumato.kinds.sequences._kernels.demand import Demand, Outcome, Rule, fulfils, refuse, set_rule
from sfumato.kinds.sequences._kernels.hilbert import rank_along_curve
from sfumato.kinds.sequences._kernels.prices import Prices
from sfumato.kinds.sequences._kernels.taxonomy_distance import build_branches
from sfumato.kinds.sequences._kernels.taxonomy_parts import split_people
from sfumato.kinds.sequences._kernels.taxonomy_repair import (
    Repair,
    find_nearest,
    merge_members,
    merge_two,
    open_repair,
)
from sfumato.kinds.sequences._kernels.windows import Unmonitored

__all__ = ["et"]

_SLICE = 8  # clusters put together before a call returns


def et(
    monitored: Monitored,
    unmonitored: Unmonitored,
    prices: Prices,
    demand: Demand,
    order: NDArray[np.int64],
    report: Callable[[int, int], None],
) -> Outcome:
    """Group people by what they did and when (ET).

    Parameters
    ----------
    monitored
        The monitored events of every person, with their leaves; everyone must have at least one.
    unmonitored
        Unmonitored events, only looked at when diversity is asked for.
    prices
        What intervals and categories cost, with the taxonomy: leaves come first, numbered from left to right, and every
        inner node has a higher number than all nodes below it.
    demand
        What groups have to fulfil.
    order
        A permutation of the people: who parts are split about.
    report
        Called with steps done and steps in all, every now and then: every person is split off, then settled.

    Returns
    -------
    Outcome
        It counts how often the loss of two clusters was evaluated (``evaluations``), and how often a bound made that
        unnecessary (``bounded``); the ``distances`` of events; how many ``parts`` the splitting left, how many of them
        did not fulfil the demand (``violators``), and the ``merges`` to repair that.

    Raises
    ------
    OverflowError
        If unmonitored events and times do not fit 62 bits; times of a coarser resolution will do.
    ValueError
        If someone has no monitored event, the order is no permutation, or the demand is out of range.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> parent, leaves = np.array([4, 4, 5, 5, 6, 6, -1], np.int32), np.array([1, 1, 1, 1, 2, 2, 4])
    >>> events = Monitored(np.arange(5), np.array([1, 2, 1, 2]), np.array([0, 2, 1, 3], np.int32))
    >>> nothing = Unmonitored(np.zeros(5, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    >>> prices = set_prices(1, 1, 10, 4, parent, leaves)
    >>> et(events, nothing, prices, Demand(k=2), np.arange(4), lambda *_: None).group.tolist()
    [0, 1, 0, 1]

    References
    ----------
    R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Section 5.1, Algorithm 4.
    """
    people = monitored.offsets.size - 1
    rule, keyed = set_rule(monitored, unmonitored, demand, order)
    if people == 0:
        return Outcome("done", np.zeros(0, np.int64))
    refused = refuse(people, keyed, rule)
    if refused is not None:
        return refused
    branches = build_branches(monitored.offsets, monitored.leaf, prices.parent)
    rank = rank_along_curve(monitored.offsets, monitored.times)
    order = order.copy()
    ends, distances = split_people(
        branches, prices.leaves, rank, order, 2 * rule.people, lambda done: report(done, 2 * people)
    )
    repair = open_repair(monitored, keyed, prices, branches)
    violators, merges = _repair_parts(repair, order, ends, rule, report)
    evaluations, bounded = repair.counts.tolist()
    counts = {"evaluations": evaluations, "bounded": bounded, "distances": distances, "merges": merges}
    counts |= {"parts": ends.size, "violators": violators}
    return Outcome("done", number_groups(repair.store.home), counts=counts)


def _repair_parts(
    repair: Repair,
    order: NDArray[np.int64],
    ends: NDArray[np.int64],
    rule: Rule,
    report: Callable[[int, int], None],
) -> tuple[int, int]:
    """Make clusters of the parts, and merge those that do not fulfil the rule with their nearest until all do.

    Returns
    -------
    tuple
        How many did not fulfil the rule, and merges to repair them.
    """
    people, home = order.size, repair.store.home
    starts = np.concatenate((np.zeros(1, np.int64), ends[:-1]))
    for at in range(0, ends.size, _SLICE):
        merge_members(repair, order, starts[at : at + _SLICE], ends[at : at + _SLICE])
        report(people, 2 * people)
    alive = np.flatnonzero(home == np.arange(people))
    seen = np.zeros(people, np.int32)
    violators = [cluster for cluster in alive.tolist() if not fulfils(repair.store, rule, cluster, seen)]
    merges = 0
    for turn, cluster in enumerate(violators):
        if home[cluster] == cluster:
            while not fulfils(repair.store, rule, cluster, seen):
                nearest = int(find_nearest(repair, alive, cluster))
                alive = alive[alive != max(cluster, nearest)]
                cluster = int(merge_two(repair, cluster, nearest))
                merges += 1
        report(people + people * turn // len(violators), 2 * people)
    report(2 * people, 2 * people)
    return len(violators), merges
