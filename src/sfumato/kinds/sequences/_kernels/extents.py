"""The index of clusters: extents in a tree, searched best first for the cluster nearest to another.

Ties are resolved by number: of clusters at the same loss per event the one with the smallest number is the nearest.
Every entry of the tree knows the smallest number below it, so that ties are pruned like everything else.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sequences._kernels.bounds import (
    Extent,
    bound_by_extent,
    bound_by_fingerprint,
    bound_by_neighbours,
    bound_by_parts,
    describe_extent,
    divide_down,
)
from sfumato.kinds.sequences._kernels.clusters import (
    BEGIN,
    COUNT,
    END,
    FIRST,
    INFINITE,
    LAST,
    LONE,
    PAIRS_BEGIN,
    PAIRS_END,
    Store,
    measure_union,
    need_single_interval,
    price_single_interval,
)
from sfumato.kinds.sequences._kernels.hilbert import order_along_curve
from sfumato.kinds.sequences._kernels.windows import have_conflict

__all__ = ["EVALUATIONS", "Tree", "build_tree", "find_nearest", "insert_cluster", "remove_cluster"]

_FANOUT = 16

# Columns of nodes.
ABOVE, FIRST_CHILD, END_CHILD, EXTENT = range(4)
EVENTS, NUMBER = EXTENT + 4, EXTENT + 7
# What a search counts.
EVALUATIONS, BOUNDS, NODES = range(3)
# What an entry of the heap is: a node of the tree, or a cluster with a rough or a close bound.
_NODE, _ROUGH, _CLOSE = range(3)


class Tree(NamedTuple):
    """Extents of clusters. Nodes are numbered from the leaves to the root; a leaf has as many places as the fan-out.

    Attributes
    ----------
    place
        By cluster: its place, or -1 when it is not in the tree.
    cluster
        By place: the cluster there, or -1.
    nodes
        By node: the node above, the first of its children and the one after the last (places for a leaf), what the
        clusters below have in common (see `Extent`; no events when there are none), and the smallest cluster below.
    leaves
        How many nodes are leaves.
    spare
        The next spare place.
    """

    place: NDArray[np.int64]
    cluster: NDArray[np.int64]
    nodes: NDArray[np.int64]
    leaves: int
    spare: NDArray[np.int64]


class Heap(NamedTuple):
    """Entries still to be looked at, the smallest bound first, then the smallest number.

    Attributes
    ----------
    bound, number
        What entries are ordered by.
    item
        A node or a cluster times 3, plus which of `_NODE`, `_ROUGH`, `_CLOSE` it is.
    """

    bound: NDArray[np.float64]
    number: NDArray[np.int64]
    item: NDArray[np.int64]


def build_tree(store: Store, alive: NDArray[np.int64]) -> tuple[Tree, Heap]:
    """Index clusters: those with about as many times side by side, and among these along the Hilbert curve.

    There is a spare leaf for clusters that are merged; when it is full, or most clusters are gone, build anew.
    """
    cards = store.cards[alive]
    along = order_along_curve(cards[:, FIRST], cards[:, LAST])
    alive, cards = alive[along], cards[along]
    lengths = np.where(cards[:, LONE], 0, np.frexp(cards[:, COUNT])[1])
    alive = alive[np.argsort(lengths, kind="stable")]
    spare = _count_nodes(alive.size) * _FANOUT
    widths = [_count_nodes(spare) + 1]
    while widths[-1] > 1:
        widths.append(_count_nodes(widths[-1]))
    tree = _make_tree(widths, store.cards.shape[0], spare)
    tree.cluster[: alive.size] = alive
    tree.place[alive] = np.arange(alive.size)
    _refresh_all(tree, store.cards)
    capacity = tree.nodes.shape[0] + tree.cluster.size
    return tree, Heap(np.empty(capacity), np.empty(capacity, np.int64), np.empty(capacity, np.int64))


def _count_nodes(children: int) -> int:
    """Count the nodes that so many children need."""
    return -(-children // _FANOUT)


def _make_tree(widths: list[int], clusters: int, spare: int) -> Tree:
    """Make an empty tree with so many nodes on each level, the leaves first and the root last."""
    nodes = np.full((sum(widths), NUMBER + 1), -1)
    begin, below, children = 0, 0, widths[0] * _FANOUT
    for width in widths:
        level = nodes[begin : begin + width]
        level[:, ABOVE] = begin + width + np.arange(width) // _FANOUT
        level[:, FIRST_CHILD] = below + np.arange(width) * _FANOUT
        level[:, END_CHILD] = np.minimum(level[:, FIRST_CHILD] + _FANOUT, below + children)
        begin, below, children = begin + width, begin, width
    nodes[-1, ABOVE] = -1
    places = widths[0] * _FANOUT
    return Tree(np.full(clusters, -1), np.full(places, -1), nodes, widths[0], np.array([spare]))


@njit(cache=True, nogil=True)
def _refresh_all(tree: Tree, cards: NDArray[np.int64]) -> None:
    """Find what the clusters below every node have in common."""
    for node in range(tree.nodes.shape[0]):
        _refresh_node(tree, cards, node)


@njit(cache=True, nogil=True)
def _refresh_node(tree: Tree, cards: NDArray[np.int64], node: int) -> None:
    """Find what the clusters below a node have in common, from its children."""
    number, events, hollow, lone = INFINITE, 0, 1, 1
    earliest_start, latest_start, earliest_end, latest_end = INFINITE, -INFINITE, INFINITE, -INFINITE
    for child in range(tree.nodes[node, FIRST_CHILD], tree.nodes[node, END_CHILD]):
        if node < tree.leaves:
            smallest = tree.cluster[child]
            if smallest < 0:
                continue
            extent = describe_extent(cards[smallest])
        else:
            smallest = tree.nodes[child, NUMBER]
            if tree.nodes[child, EVENTS] == 0:
                continue
            extent = _read_extent(tree.nodes[child])
        number = min(number, smallest)
        earliest_start = min(earliest_start, extent.earliest_start)
        latest_start = max(latest_start, extent.latest_start)
        earliest_end = min(earliest_end, extent.earliest_end)
        latest_end = max(latest_end, extent.latest_end)
        events = max(events, extent.events)
        hollow = min(hollow, extent.hollow)
        lone = min(lone, extent.lone)
    row = tree.nodes[node]
    row[EXTENT], row[EXTENT + 1], row[EXTENT + 2] = earliest_start, latest_start, earliest_end
    row[EXTENT + 3], row[EXTENT + 4], row[EXTENT + 5], row[EXTENT + 6] = latest_end, events, hollow, lone
    row[NUMBER] = number


@njit(cache=True, nogil=True)
def _read_extent(row: NDArray[np.int64]) -> Extent:
    """Describe the clusters below a node."""
    return Extent(
        row[EXTENT],
        row[EXTENT + 1],
        row[EXTENT + 2],
        row[EXTENT + 3],
        row[EXTENT + 4],
        row[EXTENT + 5],
        row[EXTENT + 6],
    )


@njit(cache=True, nogil=True)
def remove_cluster(tree: Tree, cards: NDArray[np.int64], cluster: int) -> None:
    """Take a cluster out of the tree."""
    place = tree.place[cluster]
    tree.place[cluster] = tree.cluster[place] = -1
    _refresh_path(tree, cards, place)


def has_capacity(tree: Tree) -> bool:
    """Whether there is a spare place."""
    return bool(tree.spare[0] < tree.cluster.size)


@njit(cache=True, nogil=True)
def insert_cluster(tree: Tree, cards: NDArray[np.int64], cluster: int) -> None:
    """Put a cluster at the next spare place of the tree; there must be one."""
    place = tree.spare[0]
    tree.spare[0] += 1
    tree.place[cluster], tree.cluster[place] = place, cluster
    _refresh_path(tree, cards, place)


@njit(cache=True, nogil=True)
def _refresh_path(tree: Tree, cards: NDArray[np.int64], place: int) -> None:
    """Bring the nodes above a place up to date."""
    node = place // _FANOUT
    while node >= 0:
        _refresh_node(tree, cards, node)
        node = tree.nodes[node, ABOVE]


@njit(cache=True, nogil=True)
def find_nearest(tree: Tree, heap: Heap, store: Store, cluster: int, gap: int, counts: NDArray[np.int64]) -> int:
    """Find the cluster of the tree whose union with a cluster has the least loss per event, or -1.

    Parameters
    ----------
    tree, heap, store
        The index, room for the search, and all clusters.
    cluster
        Whose neighbour to find; it must not be in the tree itself.
    gap
        Clusters that do the same within so much time are passed over; all are looked at when it is negative.
    counts
        Counted up: evaluations of the loss, of bounds, and nodes visited.

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 4.2, Algorithm 2.
    """
    best, nearest = np.inf, -1
    root = tree.nodes.shape[0] - 1
    size = 0
    if tree.nodes[root, EVENTS] > 0:
        size = push(heap, 0, 0.0, tree.nodes[root, NUMBER], 3 * root + _NODE)
    while size > 0:
        bound, number, item = heap.bound[0], heap.number[0], heap.item[0]
        if bound > best or (bound == best and number >= nearest):
            break
        size = pop(heap, size)
        other, kind = item // 3, item % 3
        if kind == _NODE and other >= tree.leaves:
            counts[NODES] += 1
            size = _open_node(tree, heap, size, store, cluster, other, best, counts)
        elif kind == _NODE:
            counts[NODES] += 1
            size = _open_leaf(tree, heap, size, store, cluster, other, best, counts)
        elif kind == _ROUGH:
            counts[BOUNDS] += 1
            bound = max(bound, bound_by_neighbours(store, cluster, other))
            size = push(heap, size, bound, number, 3 * other + _CLOSE)
        elif gap < 0 or not are_in_conflict(store, cluster, other, gap):
            counts[EVALUATIONS] += 1
            loss = measure_union(store, cluster, other) / (store.cards[cluster, COUNT] + store.cards[other, COUNT])
            if loss < best or (loss == best and other < nearest):
                best, nearest = loss, other
    return int(nearest)


@njit(cache=True, nogil=True)
def _open_node(
    tree: Tree, heap: Heap, size: int, store: Store, cluster: int, node: int, best: float, counts: NDArray[np.int64]
) -> int:
    """Put the nodes below a node on the heap unless they are worse than the best, and return its new size."""
    card = store.cards[cluster]
    profile = store.pool[card[BEGIN] : card[END]]
    for child in range(tree.nodes[node, FIRST_CHILD], tree.nodes[node, END_CHILD]):
        row = tree.nodes[child]
        if row[EVENTS] > 0:
            counts[BOUNDS] += 1
            bound = bound_by_extent(card, profile, _read_extent(row), store.prices.time, store.prices.leaf)
            if bound <= best:
                size = push(heap, size, bound, row[NUMBER], 3 * child + _NODE)
    return size


@njit(cache=True, nogil=True)
def _open_leaf(
    tree: Tree, heap: Heap, size: int, store: Store, cluster: int, node: int, best: float, counts: NDArray[np.int64]
) -> int:
    """Put the clusters of a leaf on the heap unless they are worse than the best, and return its new size."""
    card, prices = store.cards[cluster], store.prices
    profile = store.pool[card[BEGIN] : card[END]]
    for place in range(tree.nodes[node, FIRST_CHILD], tree.nodes[node, END_CHILD]):
        other = tree.cluster[place]
        if other < 0:
            continue
        counts[BOUNDS] += 1
        if need_single_interval(card, store.cards[other]):
            kind = _CLOSE
            bound = divide_down(price_single_interval(card, store.cards[other], prices), 1)
        else:
            kind = _ROUGH
            bound = bound_by_extent(card, profile, describe_extent(store.cards[other]), prices.time, prices.leaf)
            if bound <= best:
                counts[BOUNDS] += 2
                bound = max(
                    bound, bound_by_parts(card, store.cards[other]), bound_by_fingerprint(store, cluster, other)
                )
        if bound <= best:
            size = push(heap, size, bound, other, 3 * other + kind)
    return size


@njit(cache=True, nogil=True)
def are_in_conflict(store: Store, cluster: int, other: int, gap: int) -> bool:
    """Whether members of two clusters do the same within so much time."""
    mine, yours = store.cards[cluster], store.cards[other]
    return bool(
        have_conflict(
            store.key[mine[PAIRS_BEGIN] : mine[PAIRS_END]], store.key[yours[PAIRS_BEGIN] : yours[PAIRS_END]], gap
        )
    )


@njit(cache=True, nogil=True)
def push(heap: Heap, size: int, bound: float, number: int, item: int) -> int:
    """Add an entry, and return the new size."""
    at = size
    while at > 0:
        above = (at - 1) // 2
        if heap.bound[above] < bound or (heap.bound[above] == bound and heap.number[above] <= number):
            break
        heap.bound[at], heap.number[at], heap.item[at] = heap.bound[above], heap.number[above], heap.item[above]
        at = above
    heap.bound[at], heap.number[at], heap.item[at] = bound, number, item
    return size + 1


@njit(cache=True, nogil=True)
def pop(heap: Heap, size: int) -> int:
    """Take the first entry away, and return the new size."""
    size -= 1
    bound, number, item = heap.bound[size], heap.number[size], heap.item[size]
    at, below = 0, 1
    while below < size:
        after = below + 1
        if after < size and (
            heap.bound[after] < heap.bound[below]
            or (heap.bound[after] == heap.bound[below] and heap.number[after] < heap.number[below])
        ):
            below = after
        if bound < heap.bound[below] or (bound == heap.bound[below] and number <= heap.number[below]):
            break
        heap.bound[at], heap.number[at], heap.item[at] = heap.bound[below], heap.number[below], heap.item[below]
        at, below = below, 2 * below + 1
    heap.bound[at], heap.number[at], heap.item[at] = bound, number, item
    return size
