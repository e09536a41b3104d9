"""Groups of people for receivers who collude: alike in what they did, by a taxonomy, and in when they did it (ET).

People are split into parts; parts that do not fulfil the demand are merged with the nearest. A cluster's number is the
smallest number of a member; clusters are repaired in the order of their numbers, and among clusters at the same loss
per event the smallest number is the nearest.

References
----------
R. Sherkat, J. Li, N. Mamoulis, "Efficient timestamped event sequence anonymization", Section 5.1 and Algorithm 4.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kinds.sequences.kernels.baseline import Rule
from sfumato.kinds.sequences.kernels.coverage import Monitored
from sfumato.kinds.sequences.kernels.grouping import Demand
from sfumato.kinds.sequences.kernels.hilbert import hilbert_order
from sfumato.kinds.sequences.kernels.prices import Prices
from sfumato.kinds.sequences.kernels.taxonomy_distance import build_branches
from sfumato.kinds.sequences.kernels.taxonomy_parts import split_people
from sfumato.kinds.sequences.kernels.taxonomy_repair import (
    Repair,
    find_nearest,
    fulfils,
    merge_members,
    merge_two,
    open_repair,
)
from sfumato.kinds.sequences.kernels.windows import Keyed, Unmonitored, find_crowds, key_pairs

__all__ = ["Outcome", "et"]

_SLICE = 8  # clusters put together before a call returns


class Outcome(NamedTuple):
    """The groups, or why there are none.

    Attributes
    ----------
    status
        ``done``; ``too few`` when there are fewer people than a group needs; ``not diverse`` when even all people in
        one group are not diverse enough.
    group
        By person: the number of the group, counted from 0 in the order of the first members; all 0 when not done.
    event, start
        When not diverse: the event that too many do, and when the first window of length g begins in which the most
        do it. -1 and 0 otherwise.
    largest_l
        When not diverse: the largest l that is feasible. 0 otherwise.
    evaluations, bounded
        How often the loss of two clusters was evaluated, and how often a bound made that unnecessary.
    distances
        How many distances of events were computed.
    parts, violators, merges
        How many parts the splitting left, how many of them did not fulfil the demand, and merges to repair that.
    """

    status: Literal["done", "too few", "not diverse"]
    group: NDArray[np.int64]
    event: int = -1
    start: int = 0
    largest_l: int = 0
    evaluations: int = 0
    bounded: int = 0
    distances: int = 0
    parts: int = 0
    violators: int = 0
    merges: int = 0


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

    Raises
    ------
    OverflowError
        If unmonitored events and times do not fit 62 bits; times of a coarser resolution will do.
    ValueError
        If someone has no monitored event, the order is no permutation, or the demand is out of range.

    Examples
    --------
    >>> from sfumato.kinds.sequences.kernels.prices import set_prices
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
    _check_input(monitored, demand, order)
    keyed = Keyed(np.zeros(people + 1, np.int64), np.empty(0, np.int64), 0, 1, 0)
    if demand.l > 0:
        keyed = key_pairs(unmonitored, demand.g)
    rule = Rule(max(demand.k, demand.l), demand.l, keyed.gap)
    if people == 0:
        return Outcome("done", np.zeros(0, np.int64))
    refused = _refuse(people, keyed, rule)
    if refused is not None:
        return refused
    branches = build_branches(monitored.offsets, monitored.leaf, prices.parent)
    first, last = (pick.reduceat(monitored.times, monitored.offsets[:-1]) for pick in (np.minimum, np.maximum))
    rank = np.empty(people, np.int64)
    rank[hilbert_order(first, last)] = np.arange(people)
    order = order.copy()
    ends, distances = split_people(
        branches, prices.leaves, rank, order, 2 * rule.people, lambda done: report(done, 2 * people)
    )
    repair = open_repair(monitored, keyed, prices, branches)
    violators, merges = _settle(repair, order, ends, rule, report)
    home = repair.store.home
    while (home[home] != home).any():
        home = home[home]
    group = np.unique(home, return_inverse=True)[1].astype(np.int64)
    evaluations, bounded = repair.tally.tolist()
    return Outcome(
        "done",
        group,
        evaluations=evaluations,
        bounded=bounded,
        distances=distances,
        parts=ends.size,
        violators=violators,
        merges=merges,
    )


def _check_input(monitored: Monitored, demand: Demand, order: NDArray[np.int64]) -> None:
    """Refuse what would otherwise lead astray."""
    people = monitored.offsets.size - 1
    if people and np.diff(monitored.offsets).min() < 1:
        raise ValueError("everyone must have at least one monitored event")
    if order.size != people or (np.bincount(order, minlength=people) != 1).any():
        raise ValueError("the order must be a permutation of the people")
    if max(demand.k, demand.l) < 1 or min(demand.k, demand.l, demand.g) < 0:
        raise ValueError("k or l must be positive, and g not negative")


def _refuse(people: int, keyed: Keyed, rule: Rule) -> Outcome | None:
    """Say why there can be no groups. If all people in one group are diverse enough, there are."""
    together = np.zeros(people, np.int64)
    if people < rule.people:
        return Outcome("too few", together)
    crowds = find_crowds(keyed, together)
    most = int(crowds.most[0])
    if rule.l * most <= people:
        return None
    return Outcome("not diverse", together, int(crowds.event[0]), int(crowds.start[0]), people // most)


def _settle(
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
    violators = [cluster for cluster in alive.tolist() if not fulfils(repair.store, cluster, rule, seen)]
    merges = 0
    for turn, cluster in enumerate(violators):
        if home[cluster] == cluster:
            while not fulfils(repair.store, cluster, rule, seen):
                nearest = int(find_nearest(repair, alive, cluster))
                alive = alive[alive != max(cluster, nearest)]
                cluster = int(merge_two(repair, cluster, nearest))
                merges += 1
        report(people + people * turn // len(violators), 2 * people)
    report(2 * people, 2 * people)
    return len(violators), merges
