"""Records in which every item has a label of its own on its path to the root, and counts of the sets of these labels.

A record is published as the set of its labels. Counts are kept in ledgers: one column for each node that is looked at
closely, with the number of records that hold this node together with others. A ledger is as long as there are nodes and
not as their square, however long the records are; only sets of three labels and more are hashed.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import LARGEST_KEY, Counter, add_keys, new_counter, read_key

__all__ = [
    "Labelled",
    "Scratch",
    "SetCounts",
    "Tree",
    "advance",
    "clear_counts",
    "count_row",
    "has_rare_set",
    "is_coarser",
    "label_rows",
    "list_labels",
    "make_counts",
    "make_scratch",
    "open_column",
]

_BUFFER = 4096
_FEW = 32
_SMALLEST = 2048


class Tree(NamedTuple):
    """A hierarchy; item i is leaf i.

    Attributes
    ----------
    parent
        Node above each node, -1 for the root.
    first_leaf, leaves
        The leaves below node v are ``first_leaf[v]`` up to ``first_leaf[v] + leaves[v]``.
    cost
        What an item loses that is published as the node: the number of its leaves, 0 for a single one.
    """

    parent: NDArray[np.int32]
    first_leaf: NDArray[np.int64]
    leaves: NDArray[np.int64]
    cost: NDArray[np.int64]


class Labelled(NamedTuple):
    """Rows of items and the label of every occurrence.

    Attributes
    ----------
    offsets, leaf
        The items of row r are ``leaf[offsets[r] : offsets[r + 1]]``, ascending.
    label
        The node each occurrence is published as; changes.
    row
        Row of each occurrence.
    first, by_leaf
        The occurrences of item i are ``by_leaf[first[i] : first[i + 1]]``.
    support
        Number of rows that hold each node as a label; changes.
    """

    offsets: NDArray[np.int64]
    leaf: NDArray[np.int32]
    label: NDArray[np.int32]
    row: NDArray[np.int32]
    first: NDArray[np.int64]
    by_leaf: NDArray[np.int64]
    support: NDArray[np.int64]


class Scratch(NamedTuple):
    """Room that is used again and again.

    Attributes
    ----------
    stamp, counted
        For each node and each row, the last question it was listed or counted for.
    question
        The numbers of these questions.
    labels
        Labels of a row.
    """

    stamp: NDArray[np.int64]
    counted: NDArray[np.int64]
    question: NDArray[np.int64]
    labels: NDArray[np.int64]


class SetCounts(NamedTuple):
    """How many rows hold some nodes, one column each, together with other labels.

    Attributes
    ----------
    size
        Largest size of a set.
    nodes, used
        The node of each column, and how many columns are used.
    pairs
        Rows that hold the node of a column with each label; at the node itself, the rows that hold it.
    touched, touches, is_touched
        Labels whose entry of a column may differ from 0, their number, and marks.
    sets
        Rows that hold the node of a column with two labels and more, by a number made of column and labels.
    """

    size: int
    nodes: NDArray[np.int64]
    used: NDArray[np.int64]
    pairs: NDArray[np.int32]
    touched: NDArray[np.int32]
    touches: NDArray[np.int64]
    is_touched: NDArray[np.bool_]
    sets: Counter


def label_rows(offsets: NDArray[np.int64], leaf: NDArray[np.int32], node: NDArray[np.int64], nodes: int) -> Labelled:
    """Begin with a cut: every occurrence of an item has the node of the item as its label.

    Examples
    --------
    >>> rows = label_rows(np.array([0, 2, 3]), np.array([0, 1, 1], np.int32), np.array([2, 2]), 3)
    >>> rows.label.tolist(), rows.support.tolist()
    ([2, 2, 2], [0, 0, 2])
    """
    row = np.repeat(np.arange(offsets.size - 1), np.diff(offsets)).astype(np.int32)
    first = np.concatenate([[0], np.cumsum(np.bincount(leaf, minlength=node.size))]).astype(np.int64)
    label = node[leaf].astype(np.int32)
    held = np.unique(row.astype(np.int64) * nodes + label) % nodes
    support = np.bincount(held, minlength=nodes).astype(np.int64)
    return Labelled(offsets, leaf, label, row, first, np.argsort(leaf, kind="stable"), support)


def make_scratch(rows: Labelled) -> Scratch:
    """Make room for the labels of the longest row."""
    longest = int(np.diff(rows.offsets).max(initial=0))
    return Scratch(
        np.zeros(rows.support.size, np.int64),
        np.zeros(rows.offsets.size, np.int64),
        np.zeros(2, np.int64),
        np.empty(longest + 1, np.int64),
    )


def make_counts(nodes: int, columns: int, size: int) -> SetCounts:
    """Make an empty ledger for sets of up to `size` labels.

    Raises
    ------
    ValueError
        If there are more sets of labels than 62 bits can number.

    Examples
    --------
    >>> make_counts(7, 2, 3).pairs.shape
    (2, 7)
    """
    if size > 2 and columns * (nodes + 1) ** (size - 1) > LARGEST_KEY:
        raise ValueError(f"{nodes} groups of items have too many combinations of {size}; choose a smaller m.")
    return SetCounts(
        size,
        np.full(columns, -1, np.int64),
        np.zeros(1, np.int64),
        np.zeros((columns, nodes), np.int32),
        np.zeros((columns, nodes), np.int32),
        np.zeros(columns, np.int64),
        np.zeros((columns, nodes), np.bool_),
        new_counter(LARGEST_KEY, 0),
    )


@njit(cache=True, nogil=True)
def list_labels(rows: Labelled, row: int, below: int, tree: Tree, scratch: Scratch, labels: NDArray[np.int64]) -> int:
    """List the labels of a row, ascending, as if its items below a node were not published coarser; -1 for as they are.

    Examples
    --------
    >>> tree = Tree(np.array([2, 2, -1], np.int32), np.array([0, 1, 0]), np.array([1, 1, 2]), np.array([0, 0, 2]))
    >>> rows = label_rows(np.array([0, 2]), np.array([0, 1], np.int32), np.array([2, 2]), 3)
    >>> scratch = make_scratch(rows)
    >>> number = list_labels(rows, 0, 1, tree, scratch, scratch.labels)
    >>> scratch.labels[:number].tolist()
    [1, 2]
    """
    scratch.question[0] += 1
    question = scratch.question[0]
    number = 0
    for at in range(rows.offsets[row], rows.offsets[row + 1]):
        label = np.int64(rows.label[at])
        if below >= 0 and is_coarser(label, rows.leaf[at], below, tree):
            label = np.int64(below)
        if scratch.stamp[label] != question:
            scratch.stamp[label] = question
            labels[number] = label
            number += 1
    if number > _FEW:
        labels[:number].sort()
        return number
    for i in range(1, number):
        label, at = labels[i], i
        while at > 0 and labels[at - 1] > label:
            labels[at] = labels[at - 1]
            at -= 1
        labels[at] = label
    return number


@njit(cache=True, nogil=True)
def is_coarser(label: int, leaf: int, node: int, tree: Tree) -> bool:
    """Whether an item lies below a node and is published coarser than that."""
    return bool(
        tree.cost[label] > tree.cost[node] and tree.first_leaf[node] <= leaf < tree.first_leaf[node] + tree.leaves[node]
    )


@njit(cache=True, nogil=True)
def clear_counts(counts: SetCounts, retained: int) -> SetCounts:
    """Forget all columns after the first ones; where sets of three and more are counted, these must be all or none."""
    for column in range(retained, counts.used[0]):
        for i in range(counts.touches[column]):
            label = counts.touched[column, i]
            counts.pairs[column, label] = 0
            counts.is_touched[column, label] = False
        counts.touches[column] = 0
        counts.nodes[column] = -1
    counts.used[0] = min(retained, counts.used[0])
    sets = counts.sets
    if retained == 0 and sets.used[0] > 0:
        # A table of the smallest size: the next column may have few sets.
        sets = Counter(sets.dense, np.full(_SMALLEST, -1, np.int64), np.zeros(1, np.int64))
    return SetCounts(
        counts.size, counts.nodes, counts.used, counts.pairs, counts.touched, counts.touches, counts.is_touched, sets
    )


@njit(cache=True, nogil=True)
def open_column(counts: SetCounts, node: int) -> int:
    """Take the next column for a node, and return its number."""
    column = counts.used[0]
    counts.nodes[column] = node
    counts.used[0] += 1
    return int(column)


@njit(cache=True, nogil=True)
def count_row(counts: SetCounts, column: int, labels: NDArray[np.int64], step: int) -> SetCounts:
    """Add a row's sets with the node of a column, or take them away; go on with the ledger returned.

    Examples
    --------
    >>> counts = make_counts(4, 1, 2)
    >>> column = open_column(counts, 2)
    >>> counts = count_row(counts, column, np.array([1, 2]), 1)
    >>> counts.pairs[0].tolist()
    [0, 1, 1, 0]
    """
    pairs, is_touched = counts.pairs[column], counts.is_touched[column]
    for label in labels:
        pairs[label] += step
        if not is_touched[label]:
            is_touched[label] = True
            counts.touched[column, counts.touches[column]] = label
            counts.touches[column] += 1
    if counts.size < 3 or labels.size < 3:
        return counts
    sets = counts.sets
    keys = np.empty(_BUFFER, np.int64)
    others, filled = _leave_out(labels, counts.nodes[column]), 0
    for size in range(2, min(counts.size - 1, others.size) + 1):
        pick = np.arange(size)
        more = True
        while more:
            keys[filled] = _number_set(counts, column, others, pick)
            filled += 1
            if filled == _BUFFER:
                sets = add_keys(sets, keys, filled, step)
                filled = 0
            more = advance(pick, others.size)
    sets = add_keys(sets, keys, filled, step)
    return SetCounts(
        counts.size, counts.nodes, counts.used, counts.pairs, counts.touched, counts.touches, counts.is_touched, sets
    )


@njit(cache=True, nogil=True)
def has_rare_set(counts: SetCounts, column: int, labels: NDArray[np.int64], k: int, least: int) -> bool:
    """Whether some set of these labels with the node of a column has at least `least` rows, but fewer than k.

    Examples
    --------
    >>> counts = make_counts(4, 1, 2)
    >>> column = open_column(counts, 2)
    >>> counts = count_row(counts, column, np.array([1, 2]), 1)
    >>> has_rare_set(counts, column, np.array([1, 2]), 2, 0), has_rare_set(counts, column, np.array([0]), 2, 1)
    (True, False)
    """
    node = counts.nodes[column]
    for label in labels:
        if (counts.size > 1 or label == node) and least <= counts.pairs[column, label] < k:
            return True
    if counts.size < 3 or labels.size < 3:
        return False
    others = _leave_out(labels, node)
    for size in range(2, min(counts.size - 1, others.size) + 1):
        pick = np.arange(size)
        more = True
        while more:
            if least <= read_key(counts.sets, _number_set(counts, column, others, pick)) < k:
                return True
            more = advance(pick, others.size)
    return False


@njit(cache=True, nogil=True)
def _leave_out(labels: NDArray[np.int64], node: int) -> NDArray[np.int64]:
    others = np.empty(labels.size, np.int64)
    number = 0
    for label in labels:
        if label != node:
            others[number] = label
            number += 1
    return others[:number]


@njit(cache=True, nogil=True)
def _number_set(counts: SetCounts, column: int, others: NDArray[np.int64], pick: NDArray[np.int64]) -> int:
    """Return the number of a set: its labels, from 1 on, are digits, so that sets of different sizes differ."""
    base = counts.pairs.shape[1] + 1
    key = np.int64(0)
    for at in pick:
        key = key * base + others[at] + 1
    return int(key * counts.nodes.size + column)


@njit(cache=True, nogil=True)
def advance(pick: NDArray[np.int64], limit: int) -> bool:
    """Go on to the next combination of ascending positions below `limit`; False after the last."""
    size = pick.size
    at = size - 1
    while at >= 0 and pick[at] == limit - size + at:
        at -= 1
    if at < 0:
        return False
    pick[at] += 1
    for after in range(at + 1, size):
        pick[after] = pick[after - 1] + 1
    return True
