"""Groups of people whose monitored times are alike, for a single receiver: HN, HI, HY and HL.

All four take the same arguments and return an `Outcome`; `baseline` says in which order things happen and how ties
are resolved, `regions` what is done along the Hilbert curve.
"""

from collections.abc import Callable
from typing import Literal, NamedTuple

import numpy as np
from numpy.typing import NDArray

from sfumato.kinds.sequences.kernels.baseline import Index, Rule, Scan, Search, group_greedily
from sfumato.kinds.sequences.kernels.clusters import FIRST, LAST, MOST_BITS, Store, merge_runs, new_store
from sfumato.kinds.sequences.kernels.coverage import Monitored
from sfumato.kinds.sequences.kernels.extents import NODES
from sfumato.kinds.sequences.kernels.hilbert import hilbert_order
from sfumato.kinds.sequences.kernels.prices import Prices
from sfumato.kinds.sequences.kernels.regions import assign_all, assign_regions, partition_curve
from sfumato.kinds.sequences.kernels.windows import Keyed, Unmonitored, find_crowds, key_pairs

__all__ = ["Demand", "Outcome", "hi", "hl", "hn", "hy"]

Report = Callable[[int, int], None]
Searcher = Callable[[Store, NDArray[np.int64], NDArray[np.int64]], Search]
Assignment = Callable[[Store, NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]


class Demand(NamedTuple):
    """What groups have to fulfil.

    Attributes
    ----------
    k
        The least number of people in a group; 0: not asked for.
    l, g
        At most one in l of a group does any unmonitored event within any window of length g, and a group has at least
        l people; l is 0 when not asked for.
    bits
        How many bits a fingerprint has, from 1 to 62; it has no influence on the groups.
    """

    k: int = 0
    l: int = 0
    g: int = 0
    bits: int = 32


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
    evaluations, bounds, nodes
        How often the loss of two clusters was evaluated, how often a bound, and how many nodes of the index were
        visited.
    """

    status: Literal["done", "too few", "not diverse"]
    group: NDArray[np.int64]
    event: int
    start: int
    largest_l: int
    evaluations: int
    bounds: int
    nodes: int


def hn(
    monitored: Monitored,
    unmonitored: Unmonitored,
    prices: Prices,
    demand: Demand,
    order: NDArray[np.int64],
    report: Report,
) -> Outcome:
    """Group greedily, looking at all clusters for the nearest.

    Parameters
    ----------
    monitored
        Monitored events; everyone must have at least one.
    unmonitored
        Unmonitored events, only looked at when diversity is asked for.
    prices
        What intervals cost.
    demand
        What groups have to fulfil.
    order
        A permutation of the people: in which order they begin.
    report
        Called with steps done and steps in all; there may turn out to be more of these.

    Raises
    ------
    OverflowError
        If events and times do not fit 62 bits; times of a coarser resolution will do.
    ValueError
        If someone has no monitored event, the order is no permutation, or the demand is out of range.

    Examples
    --------
    >>> from sfumato.kinds.sequences.kernels.prices import set_prices
    >>> four = Monitored(np.array([0, 2, 3, 5, 6]), np.array([1, 10, 5, 3, 11, 6]))
    >>> nothing = Unmonitored(np.zeros(5, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    >>> prices = set_prices(1, 0, span=10, events=6)
    >>> hn(four, nothing, prices, Demand(k=2), np.arange(4), lambda *_: None).group.tolist()
    [0, 1, 0, 1]

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Algorithm 1.
    """
    problem = _Problem(monitored, unmonitored, prices, demand, order)
    return problem.refuse() or problem.merge(Scan, report)


def hi(
    monitored: Monitored,
    unmonitored: Unmonitored,
    prices: Prices,
    demand: Demand,
    order: NDArray[np.int64],
    report: Report,
) -> Outcome:
    """Group greedily, finding the nearest cluster through the index: the same groups as `hn`, sooner.

    Arguments are those of `hn`.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Algorithm 2.
    """
    problem = _Problem(monitored, unmonitored, prices, demand, order)
    return problem.refuse() or problem.merge(Index, report)


def hy(
    monitored: Monitored,
    unmonitored: Unmonitored,
    prices: Prices,
    demand: Demand,
    order: NDArray[np.int64],
    report: Report,
) -> Outcome:
    """Group people with close neighbours along the Hilbert curve, and the others like `hi`.

    Groups on the curve that are not diverse are dissolved, and their members grouped with the others. Clusters of
    theirs that are too small at the end join the nearest group, be it on the curve or not, so that there always is
    one. Arguments are those of `hn`.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 4.3, Algorithm 3.
    """
    problem = _Problem(monitored, unmonitored, prices, demand, order)
    return problem.refuse() or problem.cut(assign_regions, report)


def hl(
    monitored: Monitored,
    unmonitored: Unmonitored,
    prices: Prices,
    demand: Demand,
    order: NDArray[np.int64],
    report: Report,
) -> Outcome:
    """Group everyone along the Hilbert curve; for groups that are not diverse see `hy`.

    Arguments are those of `hn`.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 6, Table 2.
    """
    problem = _Problem(monitored, unmonitored, prices, demand, order)
    return problem.refuse() or problem.cut(assign_all, report)


class _Problem:
    """One call: the data as the compiled parts want them, and what was counted."""

    def __init__(
        self,
        monitored: Monitored,
        unmonitored: Unmonitored,
        prices: Prices,
        demand: Demand,
        order: NDArray[np.int64],
    ) -> None:
        self.people = monitored.offsets.size - 1
        _check_input(monitored, demand, order)
        self.monitored, self.prices, self.demand, self.order = monitored, prices, demand, order
        if demand.l:
            self.keyed = key_pairs(unmonitored, demand.g)
        else:
            self.keyed = Keyed(np.zeros(self.people + 1, np.int64), np.empty(0, np.int64), 0, 1, 0)
        self.rule = Rule(max(demand.k, demand.l), demand.l, self.keyed.gap)
        self.counts = np.zeros(NODES + 1, np.int64)

    def refuse(self) -> Outcome | None:
        """Say why there can be no groups. If all people in one group are diverse enough, there are."""
        group = np.zeros(self.people, np.int64)
        if 0 < self.people < self.rule.people:
            return Outcome("too few", group, -1, 0, 0, 0, 0, 0)
        if self.people == 0 or self.rule.l == 0:
            return None
        crowds = find_crowds(self.keyed, group)
        most = int(crowds.most[0])
        if self.rule.l * most <= self.people:
            return None
        return Outcome("not diverse", group, int(crowds.event[0]), int(crowds.start[0]), self.people // most, 0, 0, 0)

    def merge(self, search: Searcher, report: Report) -> Outcome:
        """Group everyone greedily."""
        store = new_store(self.monitored, self.keyed, self.prices, self.demand.bits)
        group_greedily(store, self.rule, self.order, search, self.counts, report)
        return self.finish(store)

    def cut(self, assign: Assignment, report: Report) -> Outcome:
        """Group the people of region A along the Hilbert curve, and the others greedily."""
        store = new_store(self.monitored, self.keyed, self.prices, self.demand.bits)
        curve = hilbert_order(store.cards[:, FIRST], store.cards[:, LAST])
        curve = curve[assign(store, curve, self.counts)]
        steps = curve.size
        group = np.full(self.people, -1)
        if curve.size >= self.rule.people:
            group[curve] = partition_curve(
                store, curve, self.rule.people, self.counts, lambda done, _: report(done, self.people)
            )
        if self.rule.l > 0:
            crowds = find_crowds(self.keyed, group)
            crowded = np.flatnonzero(self.rule.l * crowds.most > crowds.people)
            group[np.isin(group, crowded)] = -1
        curve = curve[group[curve] >= 0]
        merge_runs(store, curve, group[curve])
        others = self.order[group[self.order] < 0]
        group_greedily(
            store, self.rule, others, Index, self.counts, lambda done, left: report(steps + done, steps + left)
        )
        return self.finish(store)

    def finish(self, store: Store) -> Outcome:
        """Number the groups in the order of their first members."""
        # Clusters are merged into those with smaller numbers, so one look after the other leads to the last.
        home = store.home
        while (home[home] != home).any():
            home = home[home]
        group = np.unique(home, return_inverse=True)[1].reshape(-1)
        evaluations, bounds, nodes = (int(count) for count in self.counts)
        return Outcome("done", group.astype(np.int64, copy=False), -1, 0, 0, evaluations, bounds, nodes)


def _check_input(monitored: Monitored, demand: Demand, order: NDArray[np.int64]) -> None:
    """Refuse what would otherwise lead astray."""
    people = monitored.offsets.size - 1
    if people and np.diff(monitored.offsets).min() < 1:
        raise ValueError("everyone must have at least one monitored event")
    if order.size != people or (np.bincount(order, minlength=people) != 1).any():
        raise ValueError("the order must be a permutation of the people")
    if max(demand.k, demand.l) < 1 or min(demand.k, demand.l, demand.g) < 0 or not 1 <= demand.bits <= MOST_BITS:
        raise ValueError(f"k or l must be positive, g not negative, and bits from 1 to {MOST_BITS}")
