"""Full-subtree generalisation of items: the cheapest move of a cut through a hierarchy for every rare itemset.

A cut holds one node above every item; items are published as their node. For sizes 1 up to m, the rare itemsets are
taken one after the other, rarest first, as the cut shows them. Where one is still rare, all ways to move its nodes up
are compared, and the cheapest that makes it frequent is taken.

References
----------
M. Terrovitis, N. Mamoulis, P. Kalnis, "Privacy-preserving anonymization of set-valued data", Section 4 (apriori-based
anonymisation).
"""

from collections.abc import Callable
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.baskets import Baskets, fill_baskets, read_image
from sfumato.kinds.sets._kernels.itemset_counts import (
    ItemsetCounts,
    count_itemsets,
    list_rare,
    read_support,
    unite_codes,
)

__all__ = ["Moved", "Taxonomy", "move_cut", "price_nodes"]

_BLOCK = 1 << 16


class Taxonomy(NamedTuple):
    """A tree over the items; item i is leaf i.

    Attributes
    ----------
    parent
        Node above each node, -1 for the root.
    first_leaf, leaves
        The leaves below node v are ``first_leaf[v]`` up to ``first_leaf[v] + leaves[v]``.
    price
        What it costs to publish the items below each node as that node.
    allowed
        Nodes a cut may hold. With an allowed node, all nodes below it are allowed.
    """

    parent: NDArray[np.int32]
    first_leaf: NDArray[np.int64]
    leaves: NDArray[np.int64]
    price: NDArray[np.int64]
    allowed: NDArray[np.bool_]


class Moved(NamedTuple):
    """A cut and how it came about.

    Attributes
    ----------
    node
        The node each item is published as.
    moves, repaired
        How often a node of the cut was moved to, and how many rare itemsets asked for it.
    left
        Rare itemsets that no allowed move helps.
    """

    node: NDArray[np.int64]
    moves: int
    repaired: int
    left: int


class _Front(NamedTuple):
    """The cut as codes of baskets: nodes of the cut that rows hold, from left to right.

    Attributes
    ----------
    start_codes
        The codes of the rows at the beginning of this size, beside ``Baskets.offsets``.
    low, high
        Codes below each node at the beginning: ``low[v]`` up to ``high[v]``.
    node
        The node each united code stands for now.
    stamp
        For each row, the last question it was counted for.
    done
        Moves, itemsets repaired, rare itemsets that no allowed move helps, questions.
    """

    start_codes: NDArray[np.int32]
    low: NDArray[np.int64]
    high: NDArray[np.int64]
    node: NDArray[np.int64]
    stamp: NDArray[np.int64]
    done: NDArray[np.int64]


def price_nodes(
    leaves: NDArray[np.int64], first_leaf: NDArray[np.int64], support: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Price every node by NCP: the occurrences below it times its leaves; a single leaf costs nothing.

    Examples
    --------
    >>> price_nodes(np.array([1, 1, 2]), np.array([0, 1, 0]), np.array([5, 1])).tolist()
    [0, 0, 12]
    """
    below = np.concatenate([[0], np.cumsum(support)])
    occurrences = below[first_leaf + leaves] - below[first_leaf]
    return np.where(leaves > 1, occurrences * leaves, 0).astype(np.int64)


def move_cut(
    offsets: NDArray[np.int64],
    codes: NDArray[np.int32],
    node: NDArray[np.int64],
    tree: Taxonomy,
    k: int,
    sizes: tuple[int, ...],
    report: Callable[[int, int, int], None],
) -> Moved:
    """Move a cut up until every itemset of the sizes that a row holds is held by k rows.

    Parameters
    ----------
    offsets, codes
        The items of row r are ``codes[offsets[r] : offsets[r + 1]]``.
    node
        The cut to begin with: the node of each item.
    tree
        The hierarchy.
    k
        The least support of an itemset that occurs.
    sizes
        Sizes of itemsets, ascending from 1.
    report
        Called with size, rare itemsets looked at, and their number.

    Examples
    --------
    Two leaves below a root; leaf 1 is in one row only.

    >>> tree = Taxonomy(np.array([2, 2, -1], np.int32), np.array([0, 1, 0]), np.array([1, 1, 2]),
    ...                 np.array([0, 0, 6]), np.ones(3, bool))
    >>> rows = np.array([0, 1, 2, 3]), np.array([0, 0, 1], np.int32)
    >>> move_cut(*rows, np.arange(2), tree, 2, (1,), lambda *_: None).node.tolist()
    [2, 2]
    """
    node = node.copy()
    totals = np.zeros(4, np.int64)
    for size in sizes:
        baskets, front = _set_out(offsets, codes, node, tree)
        itemset_counts = count_itemsets(baskets, size)
        rare, _ = list_rare(baskets, itemset_counts, k)
        for begin in range(0, len(rare), _BLOCK):
            report(size, begin, len(rare))
            itemset_counts = _repair(rare[begin : begin + _BLOCK], k, tree, baskets, itemset_counts, front)
        node = _read_cut(node, tree, baskets, front)
        totals += front.done
    return Moved(node, *(int(total) for total in totals[:3]))


def _set_out(
    offsets: NDArray[np.int64], codes: NDArray[np.int32], node: NDArray[np.int64], tree: Taxonomy
) -> tuple[Baskets, _Front]:
    occurs = np.zeros(node.size, bool)
    occurs[codes] = True
    live = np.unique(node[occurs])
    live = live[np.argsort(tree.first_leaf[live], kind="stable")]
    number = np.full(tree.parent.size, -1, np.int64)
    number[live] = np.arange(live.size)
    baskets = fill_baskets(offsets, codes, number[node], live.size)
    begins = tree.first_leaf[live]
    front = _Front(
        baskets.codes.copy(),
        np.searchsorted(begins, tree.first_leaf).astype(np.int64),
        np.searchsorted(begins, tree.first_leaf + tree.leaves).astype(np.int64),
        live.astype(np.int64),
        np.zeros(baskets.lengths.size, np.int64),
        np.zeros(4, np.int64),
    )
    return baskets, front


def _read_cut(node: NDArray[np.int64], tree: Taxonomy, baskets: Baskets, front: _Front) -> NDArray[np.int64]:
    """Return the node of every item; items that no row holds go along with the others below their node."""
    cut = node.copy()
    for code in np.flatnonzero(baskets.forward == np.arange(baskets.forward.size)):
        top = front.node[code]
        cut[tree.first_leaf[top] : tree.first_leaf[top] + tree.leaves[top]] = top
    return cut


@njit(cache=True, nogil=True)
def _repair(
    rare: NDArray[np.int64], k: int, tree: Taxonomy, baskets: Baskets, itemset_counts: ItemsetCounts, front: _Front
) -> ItemsetCounts:
    """Look at the rare itemsets in turn and move the cut where they are still rare."""
    size = itemset_counts.size
    image = np.empty(size, np.int64)
    best = np.empty(size, np.int64)
    for position in range(rare.shape[0]):
        if read_image(baskets, rare[position], image) < size or read_support(baskets, itemset_counts, image) >= k:
            continue
        number = _choose_move(image, k, tree, baskets, front, best)
        front.done[1 if number > 0 else 2] += 1
        for i in range(number):
            itemset_counts = _move_to(best[i], baskets, itemset_counts, front)
    return itemset_counts


@njit(cache=True, nogil=True)
def _move_to(node: int, baskets: Baskets, itemset_counts: ItemsetCounts, front: _Front) -> ItemsetCounts:
    """Unite all codes below a node under the one with the most rows."""
    low, high = front.low[node], front.high[node]
    survivor = -1
    for code in range(low, high):
        if baskets.forward[code] == code and (survivor < 0 or baskets.support[code] > baskets.support[survivor]):
            survivor = code
    if front.node[survivor] == node:
        return itemset_counts
    for code in range(low, high):
        if baskets.forward[code] == code and code != survivor:
            itemset_counts = unite_codes(baskets, itemset_counts, code, survivor)
    front.node[survivor] = node
    front.done[0] += 1
    return itemset_counts


@njit(cache=True, nogil=True)
def _choose_move(
    image: NDArray[np.int64], k: int, tree: Taxonomy, baskets: Baskets, front: _Front, best: NDArray[np.int64]
) -> int:
    """Write the nodes of the cheapest move that makes an itemset frequent, and return their number; 0 if none does."""
    size = image.size
    targets, highest = np.empty(size, np.int64), np.empty(size, np.int64)
    for i in range(size):
        targets[i] = front.node[image[i]]
    least, number = np.int64(-1), 0
    while _climb(image, tree, front, targets):
        length = _keep_highest(tree, targets, highest)
        price = np.int64(0)
        for i in range(length):
            price += _price_of_move(highest[i], tree, baskets, front)
        if (least < 0 or price < least) and _is_held(highest, length, k, baskets, front):
            least, number = price, length
            best[:length] = highest[:length]
    return number


@njit(cache=True, nogil=True)
def _climb(image: NDArray[np.int64], tree: Taxonomy, front: _Front, targets: NDArray[np.int64]) -> bool:
    """Go on to the next choice of one node above each code; the last code climbs first. False after the last."""
    at = targets.size - 1
    while at >= 0:
        above = tree.parent[targets[at]]
        if above >= 0 and tree.allowed[above]:
            targets[at] = above
            return True
        targets[at] = front.node[image[at]]
        at -= 1
    return False


@njit(cache=True, nogil=True)
def _keep_highest(tree: Taxonomy, targets: NDArray[np.int64], highest: NDArray[np.int64]) -> int:
    """Write the targets that lie below no other target, each once, and return their number."""
    length = 0
    for i in range(targets.size):
        first, leaves = tree.first_leaf[targets[i]], tree.leaves[targets[i]]
        is_below = False
        for j in range(targets.size):
            other, count = tree.first_leaf[targets[j]], tree.leaves[targets[j]]
            if other <= first and first + leaves <= other + count:
                # Nodes with the same leaves differ only along a chain; the higher one has the higher number.
                same = count == leaves and (targets[j] < targets[i] or (targets[j] == targets[i] and j >= i))
                is_below = is_below or not same
        if not is_below:
            highest[length] = targets[i]
            length += 1
    return length


@njit(cache=True, nogil=True)
def _price_of_move(node: int, tree: Taxonomy, baskets: Baskets, front: _Front) -> int:
    """What it costs more to publish a node than what is published below it now."""
    price = tree.price[node]
    for code in range(front.low[node], front.high[node]):
        if baskets.forward[code] == code:
            price -= tree.price[front.node[code]]
    return int(price)


@njit(cache=True, nogil=True)
def _is_held(nodes: NDArray[np.int64], length: int, k: int, baskets: Baskets, front: _Front) -> bool:
    """Whether at least k rows hold something below each of the nodes."""
    rarest, least = 0, np.int64(-1)
    for i in range(length):
        number = baskets.holder_offsets[front.high[nodes[i]]] - baskets.holder_offsets[front.low[nodes[i]]]
        if least < 0 or number < least:
            rarest, least = i, number
    front.done[3] += 1
    question = front.done[3]
    count = 0
    begin, end = front.low[nodes[rarest]], front.high[nodes[rarest]]
    for i in range(baskets.holder_offsets[begin], baskets.holder_offsets[end]):
        row = baskets.holders[i]
        if front.stamp[row] == question:
            continue
        front.stamp[row] = question
        holds = True
        for j in range(length):
            if j != rarest and not _holds(row, front.low[nodes[j]], front.high[nodes[j]], baskets, front):
                holds = False
                break
        if holds:
            count += 1
            if count == k:
                return True
    return False


@njit(cache=True, nogil=True)
def _holds(row: int, low: int, high: int, baskets: Baskets, front: _Front) -> bool:
    """Whether a row held one of some neighbouring codes in the beginning."""
    first, last = baskets.offsets[row], baskets.offsets[row + 1]
    while first < last:
        middle = (first + last) >> 1
        if front.start_codes[middle] < low:
            first = middle + 1
        else:
            last = middle
    return bool(first < baskets.offsets[row + 1] and front.start_codes[first] < high)
