"""Searches of the lattice: the best node, and all minimal ones.

Two things are known without looking at a node. A *lasting* lack (see :mod:`class_demand`) that breaks the limit at a
node breaks it at all nodes below; and a node that breaks the limit for no lasting reason does so nowhere above. So the
nodes that pass are closed upwards, and their lower border is found as Flash does: from a node that is unknown, a chain
goes up through unknown nodes, the cheapest first, and is halved until its lowest passing node is found. Where the
demand has only lasting parts, a node that passes is feasible, and the other way round. Where nothing may be withheld,
a node passes if nothing has to be: that too is closed upwards, whatever is asked, and is the same as feasible. In all
other cases passing is necessary, and every node that passes is examined unless its cost is known to be too high.

References
----------
F. Kohlmayer, F. Prasser et al., "Flash: efficient, stable and optimal k-anonymity" (2012). K. LeFevre, D. DeWitt,
R. Ramakrishnan, "Incognito: efficient full-domain k-anonymity" (2005).
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.class_demand import DISTINCT, Demand
from sfumato.kinds.table._kernels.generalisation_lattice import CELLS, Search, examine, levels_of, price_node

__all__ = ["Best", "find_best", "find_minimal", "is_lasting"]

FAILS, PASSES, EXAMINED, COVERED = np.uint8(1), np.uint8(2), np.uint8(4), np.uint8(8)
_CLEARLY = 1 - 1e-12
"""A node is better if it costs less than this share: sums of the same prices in another order differ by less."""


class Best(NamedTuple):
    """What a search found.

    Attributes
    ----------
    node
        The best node, -1 if none is feasible.
    cost
        What it costs.
    suppressed_records
        Records it withholds.
    examined
        Nodes whose classes were counted.
    """

    node: int
    cost: float
    suppressed_records: int
    examined: int


class _State(NamedTuple):
    """What is known while a search goes on.

    Attributes
    ----------
    tag
        Of every node.
    guide
        Where to look first: a price that grows from node to node.
    best
        Cost of the best node so far.
    outcome
        The best node, what it withholds, nodes examined.
    seen, bound
        Nodes examined, and what all nodes above them cost at least; only where this is not the guide.
    stack
        Memory.
    priced
        Cost of every feasible node examined, and what it withholds.
    """

    tag: NDArray[np.uint8]
    guide: NDArray[np.float64]
    best: NDArray[np.float64]
    outcome: NDArray[np.int64]
    seen: NDArray[np.int64]
    bound: NDArray[np.float64]
    stack: NDArray[np.int64]
    priced: dict[int, tuple[float, int]]


def is_lasting(demand: Demand, has_people: bool) -> bool:
    """Tell whether passing nodes are the feasible ones: nothing but lasting parts, or nothing may be withheld.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.class_demand import make_demand
    >>> is_lasting(make_demand(5, 100), False), is_lasting(make_demand(5, 100, closeness=(0.2, 1)), False)
    (True, False)
    """
    return demand.limit == 0 or not (has_people or demand.diversity > DISTINCT or demand.distance > 0)


def _begin(search: Search, nodes: int) -> _State:
    guide = np.zeros(1)
    for attribute, top in enumerate(search.lattice.top.tolist()):
        guide = np.add.outer(guide, search.loss.level_sum[attribute, : top + 1]).ravel()
    memory = nodes if search.loss.how != CELLS else 1
    return _State(
        np.zeros(nodes, np.uint8),
        guide,
        np.array([np.inf]),
        np.array([-1, 0, 0], np.int64),
        np.empty(memory, np.int64),
        np.empty(memory),
        np.empty(nodes + 1, np.int64),
        {},
    )


def find_best(search: Search) -> Best:
    """Find the node of least cost that withholds no more than the limit.

    Every node is examined, or lies below one that fails, or costs at least as much as the best by its bound: so no node
    is clearly better than the one returned, whatever is asked of classes and however the cost goes up and down. Where
    levels can be lowered one by one for the same cost, they are.
    """
    state = _begin(search, search.lattice.nodes)
    order = np.argsort(state.guide, kind="stable")
    _search_border(search, state, order, True)
    _search_rest(search, state, order)
    _lower_levels(search, state)
    node, suppressed_records, examined = state.outcome.tolist()
    return Best(node, float(state.best[0]), suppressed_records, examined)


def find_minimal(search: Search) -> tuple[NDArray[np.int64], NDArray[np.float64], NDArray[np.int64], int]:
    """Find all feasible nodes with no feasible node below them; return them, their cost, what they withhold.

    The last number is that of nodes examined. The nodes of the whole lattice are settled one by one: below a node that
    fails all fail; where passing is being feasible, those that pass and all of whose direct predecessors fail are the
    minimal ones, since passing is closed upwards. Otherwise nodes that pass are taken by the sum of their levels; one
    that is not above a minimal node is examined, and is minimal if it is feasible, for every node below it came before.
    This is the set that Incognito finds subset by subset of the attributes: a node of a subset is the node of the whole
    lattice with the other attributes on their highest level.
    """
    state = _begin(search, search.lattice.nodes)
    order = np.argsort(state.guide, kind="stable")
    _search_border(search, state, order, False)
    if is_lasting(search.demand, search.records.people.size > 0):
        nodes = _list_border(search, state)
    else:
        height = np.zeros(1, np.int64)
        for top in search.lattice.top.tolist():
            height = np.add.outer(height, np.arange(top + 1)).ravel()
        nodes = _list_uncovered(search, state, np.argsort(height, kind="stable"))
    cost, suppressed_records = (
        zip(*(state.priced[node] for node in nodes.tolist()), strict=True) if len(nodes) else ((), ())
    )
    return nodes, np.array(cost), np.array(suppressed_records, np.int64), int(state.outcome[2])


def _evaluate_node(search: Search, state: _State, node: int) -> bool:
    """Examine a node, remember it if it is the best so far, and return whether it passes."""
    lasting, gone = examine(search, node)
    limit = search.demand.limit
    state.tag[node] |= EXAMINED
    at = int(state.outcome[2])
    state.outcome[2] += 1
    if gone <= limit or search.loss.how != CELLS:
        bound, cost = price_node(search, node)
        if search.loss.how != CELLS:
            state.seen[at], state.bound[at] = node, bound
        if gone <= limit:
            state.priced[node] = cost, gone
        if gone <= limit and cost < state.best[0] * _CLEARLY:
            state.best[0] = cost
            state.outcome[:2] = node, gone
    return gone == 0 if limit == 0 else lasting <= limit


def _classify_node(search: Search, state: _State, node: int) -> bool:
    """Examine a node and spread whether it passes."""
    passes = _evaluate_node(search, state, node)
    lattice = search.lattice
    _spread(lattice.top, lattice.stride, state.tag, state.stack, node, PASSES if passes else FAILS, 1 if passes else -1)
    return passes


def _cover(search: Search, state: _State, node: int) -> None:
    """Mark a node and all above it as not worth a look."""
    _spread(search.lattice.top, search.lattice.stride, state.tag, state.stack, node, COVERED, 1)


@njit(cache=True, nogil=True)
def _spread(
    top: NDArray[np.int64],
    stride: NDArray[np.int64],
    tag: NDArray[np.uint8],
    stack: NDArray[np.int64],
    node: int,
    mark: int,
    step: int,
) -> None:
    """Mark a node and all above (step 1) or below it (step -1); beyond a marked node all are marked already."""
    tag[node] |= mark
    stack[0] = node
    filled = 1
    while filled:
        filled -= 1
        here = stack[filled]
        for attribute in range(top.size):
            level = here // stride[attribute] % (top[attribute] + 1) + step
            if 0 <= level <= top[attribute]:
                other = here + step * stride[attribute]
                if not tag[other] & mark:
                    tag[other] |= mark
                    stack[filled] = other
                    filled += 1


@njit(cache=True, nogil=True)
def _climb(
    top: NDArray[np.int64],
    stride: NDArray[np.int64],
    tag: NDArray[np.uint8],
    guide: NDArray[np.float64],
    node: int,
    below: float,
) -> NDArray[np.int64]:
    """Follow unknown nodes upwards, the cheapest first, as long as they cost less than `below`."""
    chain = np.empty(top.sum() + 1, np.int64)
    length = 0
    while node >= 0:
        chain[length] = node
        length += 1
        above, least = -1, below
        for attribute in range(top.size):
            if node // stride[attribute] % (top[attribute] + 1) < top[attribute]:
                other = node + stride[attribute]
                if not tag[other] & (FAILS | PASSES) and guide[other] < least:
                    above, least = other, guide[other]
        node = above
    return chain[:length]


@njit(cache=True, nogil=True)
def _find_next(tag: NDArray[np.uint8], order: NDArray[np.int64], at: int, mask: int, wanted: int) -> int:
    """Return where the next node of an order is whose tag, as far as the mask goes, is the wanted one."""
    while at < order.size and tag[order[at]] & mask != wanted:
        at += 1
    return at


def _search_border(search: Search, state: _State, order: NDArray[np.int64], bounded: bool) -> None:
    """Settle which nodes pass; if `bounded`, only where a node could still be the best."""
    lattice = search.lattice
    limited = bounded and search.loss.how == CELLS
    at = 0
    while (at := _find_next(state.tag, order, at, FAILS | PASSES, 0)) < order.size:
        node = int(order[at])
        if limited and state.guide[node] >= state.best[0] * _CLEARLY:
            break  # from here on all cost more
        below = float(state.best[0]) if limited else np.inf
        chain = _climb(lattice.top, lattice.stride, state.tag, state.guide, node, below).tolist()
        low, high = 0, len(chain) - 1
        while low <= high:
            middle = (low + high) // 2
            if _classify_node(search, state, chain[middle]):
                high = middle - 1
            else:
                low = middle + 1


def _is_too_dear(search: Search, state: _State, node: int) -> bool:
    """Tell whether a node examined below this one shows that it cannot be the best."""
    lattice, used = search.lattice, int(state.outcome[2])
    dear = state.seen[:used][state.bound[:used] >= state.best[0] * _CLEARLY]
    levels = dear[:, None] // lattice.stride % (lattice.top + 1)
    return bool((levels <= levels_of(lattice, node)).all(axis=1).any())


def _search_rest(search: Search, state: _State, order: NDArray[np.int64]) -> None:
    """Examine every node that passes and could still be the best."""
    at = 0
    while (at := _find_next(state.tag, order, at, PASSES | EXAMINED | COVERED, PASSES)) < order.size:
        node = int(order[at])
        if search.loss.how != CELLS and _is_too_dear(search, state, node):
            _cover(search, state, node)
        elif search.loss.how == CELLS and state.guide[node] >= state.best[0] * _CLEARLY:
            break
        else:
            _evaluate_node(search, state, node)


def _lower_levels(search: Search, state: _State) -> None:
    """Lower the levels of the best node as long as it costs no more and withholds no more than the limit."""
    lattice = search.lattice
    attribute = 0
    while state.outcome[0] >= 0 and attribute < lattice.top.size:
        node, stride = int(state.outcome[0]), int(lattice.stride[attribute])
        if node // stride % (lattice.top[attribute] + 1) > 0 and not state.tag[node - stride] & FAILS:
            _, gone = examine(search, node - stride)
            _, cost = price_node(search, node - stride)
            if gone <= search.demand.limit and cost * _CLEARLY <= state.best[0]:
                state.outcome[:2] = node - stride, gone
                attribute = -1
        attribute += 1


def _list_border(search: Search, state: _State) -> NDArray[np.int64]:
    """List the nodes that pass and whose direct predecessors all fail."""
    lattice = search.lattice
    passes = (state.tag & PASSES).astype(np.bool_).reshape(lattice.top + 1)
    lowest = passes.copy()
    for attribute in range(lattice.top.size):
        upper = [slice(None)] * lattice.top.size
        lower = list(upper)
        upper[attribute], lower[attribute] = slice(1, None), slice(None, -1)
        lowest[tuple(upper)] &= ~passes[tuple(lower)]
    return np.flatnonzero(lowest).astype(np.int64)


def _list_uncovered(search: Search, state: _State, order: NDArray[np.int64]) -> NDArray[np.int64]:
    """List the feasible nodes with no feasible one below, from the bottom up."""
    nodes = []
    at = 0
    while (at := _find_next(state.tag, order, at, PASSES | COVERED, PASSES)) < order.size:
        node = int(order[at])
        if not state.tag[node] & EXAMINED:
            _evaluate_node(search, state, node)
        if node in state.priced:
            nodes.append(node)
            _cover(search, state, node)
        at += 1
    return np.sort(np.array(nodes, np.int64))
