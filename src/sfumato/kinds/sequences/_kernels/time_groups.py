"""Groups of people whose monitored times are alike, for a single receiver: HN, HI, HY and HL.

All four take the same arguments and return an `Outcome`; `baseline` says in which order things happen and how ties
are resolved, `regions` what is done along the Hilbert curve.
"""

from collections.abc import Callable

import numpy as np
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.baseline import Index, Scan, Search, group_greedily
from sfumato.kinds.sequences._kernels.clusters import FIRST, LAST, Store, merge_runs, new_store, number_groups
from sfumato.kinds.sequences._kernels.covers import Monitored
from sfumato.kinds.sequences._kernels.demand import Demand, Outcome, refuse, set_rule
from sfumato.kinds.sequences._kernels.extents import NODES
from sfumato.kinds.sequences._kernels.hilbert import order_along_curve
from sfumato.kinds.sequences._kernels.prices import Prices
from sfumato.kinds.sequences._kernels.regions import assign_all, assign_regions, partition_curve
from sfumato.kinds.sequences._kernels.windows import Unmonitored, find_fullest

__all__ = ["hi", "hl", "hn", "hy", "hy_blocks"]

Report = Callable[[int, int], None]
Searcher = Callable[[Store, NDArray[np.int64], NDArray[np.int64]], Search]
Assignment = Callable[[Store, NDArray[np.int64], NDArray[np.int64]], NDArray[np.bool_]]


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

    Returns
    -------
    Outcome
        It counts how often the loss of two clusters was evaluated (``evaluations``), how often a bound (``bounds``),
        and how many ``nodes`` of the index were visited.

    Raises
    ------
    OverflowError
        If events and times do not fit 62 bits; times of a coarser resolution will do.
    ValueError
        If someone has no monitored event, the order is no permutation, or the demand is out of range.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
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


def hy_blocks(
    monitored: Monitored,
    unmonitored: Unmonitored,
    prices: Prices,
    demand: Demand,
    order: NDArray[np.int64],
    report: Report,
    *,
    block: int,
) -> Outcome:
    """Group like `hi` within blocks of consecutive people on the Hilbert curve.

    Clusters that are too small at the end join the nearest group of any block. Arguments are those of `hn`, and the
    number of people a block has about; with everybody in one block it is `hi`.

    Examples
    --------
    >>> from sfumato.kinds.sequences._kernels.prices import set_prices
    >>> four = Monitored(np.array([0, 2, 3, 5, 6]), np.array([1, 10, 5, 3, 11, 6]))
    >>> nothing = Unmonitored(np.zeros(5, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    >>> prices = set_prices(1, 0, span=10, events=6)
    >>> hy_blocks(four, nothing, prices, Demand(k=2), np.arange(4), lambda *_: None, block=2).group.tolist()
    [0, 1, 0, 1]
    """
    problem = _Problem(monitored, unmonitored, prices, demand, order)
    return problem.refuse() or problem.cut_blocks(block, report)


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
        self.rule, self.keyed = set_rule(monitored, unmonitored, demand, order)
        self.monitored, self.prices, self.demand, self.order = monitored, prices, demand, order
        self.counts = np.zeros(NODES + 1, np.int64)

    def refuse(self) -> Outcome | None:
        """Say why there can be no groups."""
        return refuse(self.people, self.keyed, self.rule)

    def merge(self, search: Searcher, report: Report) -> Outcome:
        """Group everyone greedily."""
        store = new_store(self.monitored, self.keyed, self.prices, self.demand.bits)
        group_greedily(store, self.rule, [self.order], search, self.counts, report)
        return self.finish(store)

    def cut(self, assign: Assignment, report: Report) -> Outcome:
        """Group the people of region A along the Hilbert curve, and the others greedily."""
        store = new_store(self.monitored, self.keyed, self.prices, self.demand.bits)
        curve = order_along_curve(store.cards[:, FIRST], store.cards[:, LAST])
        curve = curve[assign(store, curve, self.counts)]
        steps = curve.size
        group = np.full(self.people, -1)
        if curve.size >= self.rule.people:
            group[curve] = partition_curve(
                store, curve, self.rule.people, self.counts, lambda done, _: report(done, self.people)
            )
        if self.rule.l > 0:
            fullest = find_fullest(self.keyed, group)
            too_frequent = np.flatnonzero(self.rule.l * fullest.most > fullest.people)
            group[np.isin(group, too_frequent)] = -1
        curve = curve[group[curve] >= 0]
        merge_runs(store, curve, group[curve])
        others = self.order[group[self.order] < 0]
        group_greedily(
            store, self.rule, [others], Index, self.counts, lambda done, left: report(steps + done, steps + left)
        )
        return self.finish(store)

    def cut_blocks(self, block: int, report: Report) -> Outcome:
        """Group everyone greedily within stretches of the Hilbert curve of about as many people."""
        store = new_store(self.monitored, self.keyed, self.prices, self.demand.bits)
        place = np.empty(self.people, np.int64)
        place[order_along_curve(store.cards[:, FIRST], store.cards[:, LAST])] = np.arange(self.people)
        blocks = max(1, self.people // block)
        number = place[self.order] * blocks // self.people
        orders = [self.order[number == at] for at in range(blocks)]
        group_greedily(store, self.rule, orders, Index, self.counts, report)
        return self.finish(store)

    def finish(self, store: Store) -> Outcome:
        """Number the groups, and say what was counted."""
        names = ("evaluations", "bounds", "nodes")
        counts = dict(zip(names, self.counts.tolist(), strict=True))
        return Outcome("done", number_groups(store.home), counts=counts)
