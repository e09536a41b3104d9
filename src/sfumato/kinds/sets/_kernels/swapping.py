"""SWAP: within one record, an item gets a finer label at the price of coarser ones, where the record gets cheaper.

A record is looked at as if it were not counted. Labels in a set that others hold, but fewer than k of them, are frozen:
others need the record for it. Then an item is brought down to a node, with all others of the record below it; labels
that do not go with it are raised to the first one above that does; what then fits is brought down. The record may hold
a set of labels if k - 1 others do, so that the promise holds after every record.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import read_key
from sfumato.kinds.sets._kernels.label_sets import LabelSets, count_sets, find_scarce, make_label_sets
from sfumato.kinds.sets._kernels.local_labels import (
    Labelled,
    Scratch,
    Tree,
    advance,
    is_coarser,
    list_labels,
    make_scratch,
)

__all__ = ["find_above", "swap_labels"]


class _Record(NamedTuple):
    """A record that is looked at, and what is tried with it.

    Attributes
    ----------
    leaf, now, trial
        Of every occurrence: its item, its label so far, and the one that is tried.
    is_chosen
        Of every occurrence: whether it is one of those brought down to the node that is tried.
    mine, frozen
        Of every node: whether the record is counted with this label, and whether it has to keep it.
    held, place, number
        Labels that go together in the trial; where each node is among them, -1 for nowhere; how many they are.
    """

    leaf: NDArray[np.int32]
    now: NDArray[np.int64]
    trial: NDArray[np.int64]
    is_chosen: NDArray[np.bool_]
    mine: NDArray[np.bool_]
    frozen: NDArray[np.bool_]
    held: NDArray[np.int64]
    place: NDArray[np.int64]
    number: NDArray[np.int64]


def find_above(tree: Tree) -> NDArray[np.int64]:
    """Return the next label above each node that is published otherwise, -1 above the root.

    Examples
    --------
    >>> parent = np.array([2, 3, 3, -1], np.int32)
    >>> find_above(Tree(parent, np.array([0, 1, 0, 0]), np.array([1, 1, 1, 2]), np.array([0, 0, 0, 2]))).tolist()
    [3, 3, 3, -1]
    """
    nodes = tree.parent.size
    lowest = np.arange(nodes)
    for node in range(nodes - 1):  # parents have higher numbers
        above = tree.parent[node]
        if tree.leaves[above] == tree.leaves[node]:
            lowest[above] = lowest[node]
    labels_above = np.full(nodes, -1, np.int64)
    for node in range(nodes - 2, -1, -1):
        above = tree.parent[node]
        labels_above[node] = labels_above[above] if tree.leaves[above] == tree.leaves[node] else lowest[above]
    return labels_above


def swap_labels(rows: Labelled, tree: Tree, k: int, size: int) -> int:
    """Go through the rows once and give them cheaper labels, in place; return what is gained, in leaves.

    Parameters
    ----------
    rows
        Rows and their labels, every set of up to `size` of which has k rows.
    tree
        The hierarchy.
    k, size
        What every set of up to `size` labels of a row must have.

    Examples
    --------
    The first record gives the first item away for the second, which is published as one of three.

    >>> from sfumato.kinds.sets._kernels.local_labels import label_rows
    >>> parent, first = np.array([5, 5, 6, 6, 6, 7, 7, -1], np.int32), np.array([0, 1, 2, 3, 4, 0, 2, 0])
    >>> tree = Tree(parent, first, np.array([1, 1, 1, 1, 1, 2, 3, 5]), np.array([0, 0, 0, 0, 0, 2, 3, 5]))
    >>> items = np.array([0, 2, 0, 3, 0, 4, 1, 2, 1, 2], np.int32)
    >>> rows = label_rows(np.arange(0, 11, 2), items, np.arange(5), 8)
    >>> rows.label[:] = [0, 6, 0, 6, 0, 6, 5, 2, 5, 2]
    >>> rows.support[:] = [3, 0, 2, 0, 0, 2, 3, 0]
    >>> swap_labels(rows, tree, 2, 2), rows.label[:2].tolist()
    (1, [5, 2])
    """
    nodes = tree.parent.size
    scratch = make_scratch(rows)
    longest = scratch.labels.size
    record = _Record(
        np.empty(longest, np.int32),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.bool_),
        np.zeros(nodes, np.bool_),
        np.zeros(nodes, np.bool_),
        np.empty(longest + 1, np.int64),
        np.full(nodes, -1, np.int64),
        np.zeros(1, np.int64),
    )
    return int(_swap(rows, tree, find_above(tree), make_label_sets(nodes, size), k, record, scratch))


@njit(cache=True, nogil=True)
def _swap(
    rows: Labelled,
    tree: Tree,
    above: NDArray[np.int64],
    supports: LabelSets,
    k: int,
    record: _Record,
    scratch: Scratch,
) -> int:
    labels = scratch.labels
    number = rows.offsets.size - 1
    for row in range(number):
        length = list_labels(rows, row, -1, tree, scratch, labels)
        supports = count_sets(supports, labels[:length], 1)
    total = np.int64(0)
    for row in range(number):
        first, end = rows.offsets[row], rows.offsets[row + 1]
        coarse = False
        for at in range(first, end):
            coarse |= tree.cost[rows.label[at]] > 0
        if not coarse:
            continue
        length = list_labels(rows, row, -1, tree, scratch, labels)
        for label in labels[:length]:
            record.mine[label] = True
        find_scarce(supports, rows.support, labels[:length], k, record.frozen)
        gained = _improve(rows, row, tree, above, supports, k, record)
        for label in labels[:length]:
            record.mine[label] = record.frozen[label] = False
        if gained > 0:
            total += gained
            supports = count_sets(supports, labels[:length], -1)
            rows.support[labels[:length]] -= 1
            rows.label[first:end] = record.now[: end - first]
            length = list_labels(rows, row, -1, tree, scratch, labels)
            supports = count_sets(supports, labels[:length], 1)
            rows.support[labels[:length]] += 1
    return int(total)


@njit(cache=True, nogil=True)
def _improve(
    rows: Labelled,
    row: int,
    tree: Tree,
    above: NDArray[np.int64],
    supports: LabelSets,
    k: int,
    record: _Record,
) -> int:
    """Try finer labels for every item of a row, keep what is cheaper, and return what is gained."""
    first, length = rows.offsets[row], rows.offsets[row + 1] - rows.offsets[row]
    total = np.int64(0)
    for i in range(length):
        record.leaf[i] = rows.leaf[first + i]
        record.now[i] = rows.label[first + i]
        total += tree.cost[record.now[i]]
    before = total
    for i in range(length):
        label, node = record.now[i], np.int64(record.leaf[i])
        if record.frozen[label]:
            continue
        while tree.cost[node] < tree.cost[label]:
            price = _try_node(node, length, rows.support, tree, above, supports, k, record)
            if 0 <= price < total:
                total = price
                record.now[:length] = record.trial[:length]
                break
            node = above[node]
    return int(before - total)


@njit(cache=True, nogil=True)
def _try_node(
    node: int,
    length: int,
    support: NDArray[np.int64],
    tree: Tree,
    above: NDArray[np.int64],
    supports: LabelSets,
    k: int,
    record: _Record,
) -> int:
    """Bring what lies below a node down to it, and make the other labels go with it; return the price, -1 for none."""
    gain = np.int64(0)
    for i in range(length):
        label = record.now[i]
        record.is_chosen[i] = not record.frozen[label] and is_coarser(label, record.leaf[i], node, tree)
        record.trial[i] = node if record.is_chosen[i] else label
        gain += tree.cost[label] - tree.cost[record.trial[i]]
        if record.frozen[label] and record.place[label] < 0:
            _hold(record, label)
    price = np.int64(-1)
    if (record.place[node] >= 0 or _fits(node, support, supports, k, record)) and _is_worth(
        node, length, gain, tree, above, supports, k, record
    ):
        if record.place[node] < 0:
            _hold(record, node)
        if _raise_others(length, support, above, supports, k, record):
            _lower_others(length, support, tree, above, supports, k, record)
            price = np.int64(0)
            for i in range(length):
                price += tree.cost[record.trial[i]]
    for at in range(record.number[0]):
        record.place[record.held[at]] = -1
    record.number[0] = 0
    return int(price)


@njit(cache=True, nogil=True)
def _is_worth(
    node: int,
    length: int,
    gain: int,
    tree: Tree,
    above: NDArray[np.int64],
    supports: LabelSets,
    k: int,
    record: _Record,
) -> bool:
    """Whether a gain is more than it takes to raise by one level what does not go with a node."""
    for i in range(length):
        label = record.now[i]
        if supports.size < 2 or record.is_chosen[i] or record.frozen[label] or label == node:
            continue
        if not _is_compatible(label, node, supports, k, record):
            if above[label] < 0:
                return False
            gain -= tree.cost[above[label]] - tree.cost[label]
            if gain <= 0:
                return False
    return True


@njit(cache=True, nogil=True)
def _raise_others(
    length: int, support: NDArray[np.int64], above: NDArray[np.int64], supports: LabelSets, k: int, record: _Record
) -> bool:
    """Hold the labels that go with those held, then raise the others to the first that does; False if none does."""
    for i in range(length):
        label = record.now[i]
        if not record.is_chosen[i] and record.place[label] < 0 and _fits(label, support, supports, k, record):
            _hold(record, label)
    for i in range(length):
        label = record.trial[i]
        if record.is_chosen[i] or record.place[label] >= 0:
            continue
        up = above[label]
        while up >= 0 and record.place[up] < 0 and not _fits(up, support, supports, k, record):
            up = above[up]
        if up < 0:
            return False
        if record.place[up] < 0:
            _hold(record, up)
        for j in range(i, length):
            if record.trial[j] == label:
                record.trial[j] = up
    return True


@njit(cache=True, nogil=True)
def _lower_others(
    length: int,
    support: NDArray[np.int64],
    tree: Tree,
    above: NDArray[np.int64],
    supports: LabelSets,
    k: int,
    record: _Record,
) -> None:
    """Give every item the finest label that goes with the others, item by item."""
    for i in range(length):
        label = record.trial[i]
        if record.frozen[label] or tree.cost[label] == 0:
            continue
        times = 0
        for j in range(length):
            times += record.trial[j] == label
        if times == 1:
            _remove_label(record, label)
        node = np.int64(record.leaf[i])
        while tree.cost[node] < tree.cost[label]:
            if record.place[node] >= 0 or _fits(node, support, supports, k, record):
                break
            node = above[node]
        record.trial[i] = node
        if record.place[node] < 0:
            _hold(record, node)


@njit(cache=True, nogil=True)
def _hold(record: _Record, label: int) -> None:
    record.place[label] = record.number[0]
    record.held[record.number[0]] = label
    record.number[0] += 1


@njit(cache=True, nogil=True)
def _remove_label(record: _Record, label: int) -> None:
    record.number[0] -= 1
    last = record.held[record.number[0]]
    record.held[record.place[label]] = last
    record.place[last] = record.place[label]
    record.place[label] = -1


@njit(cache=True, nogil=True)
def _is_compatible(label: int, other: int, supports: LabelSets, k: int, record: _Record) -> bool:
    """Whether k - 1 other rows hold two labels."""
    key = (min(label, other) + 1) * supports.base + max(label, other) + 1
    return bool(read_key(supports.sets, key) - (record.mine[label] and record.mine[other]) >= k - 1)


@njit(cache=True, nogil=True)
def _fits(label: int, support: NDArray[np.int64], supports: LabelSets, k: int, record: _Record) -> bool:
    """Whether k - 1 other rows hold every set of a label with labels held."""
    if support[label] - record.mine[label] < k - 1:
        return False
    count = record.number[0]
    for at in range(count if supports.size > 1 else 0):
        if not _is_compatible(label, record.held[at], supports, k, record):
            return False
    labels = np.empty(supports.size, np.int64)
    for size in range(2, min(supports.size - 1, count) + 1):
        pick = np.arange(size)
        more = True
        while more:
            labels[:size] = record.held[pick]
            labels[size] = label
            own = record.mine[label]
            for other in labels[:size]:
                own &= record.mine[other]
            labels[: size + 1].sort()
            key = np.int64(0)
            for other in labels[: size + 1]:
                key = key * supports.base + other + 1
            if read_key(supports.sets, key) - own < k - 1:
                return False
            more = advance(pick, count)
    return True
