"""Labels of records brought down a hierarchy, node by node, while every set of up to m labels keeps its k records.

For a node, all records that publish an item below it coarser are brought down at once; then records go back that hold a
set with fewer than k records, or that others need for a set they have left, until there is none. What goes back is as
it was before, so that the promise holds after every node, and no item is ever published coarser than before.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.local_labels import (
    Labelled,
    Scratch,
    SetCounts,
    Tree,
    clear_counts,
    count_row,
    has_rare_set,
    is_coarser,
    list_labels,
    make_counts,
    make_scratch,
    open_column,
)

__all__ = ["lower_labels"]


class _Counts(NamedTuple):
    """What is counted: sets with the node that records come down to, and sets with the nodes above it.

    Attributes
    ----------
    own, above
        The two ledgers; the second has a column for every node above that is a label somewhere.
    """

    own: SetCounts
    above: SetCounts


class _Candidates(NamedTuple):
    """Records that may come down to a node.

    Attributes
    ----------
    rows
        The records.
    left
        Marks those that have not gone back.
    ends
        Where the labels of each end: as they are, and as they would be after coming down.
    now, after
        These labels.
    held, seen
        For each row, the last turn in which it was seen to hold the node (negative: and was counted), and to publish
        something below it coarser.
    """

    rows: NDArray[np.int64]
    left: NDArray[np.bool_]
    ends: NDArray[np.int64]
    now: NDArray[np.int64]
    after: NDArray[np.int64]
    held: NDArray[np.int64]
    seen: NDArray[np.int64]


def lower_labels(
    rows: Labelled, tree: Tree, order: NDArray[np.int64], k: int, size: int, *, all_or_none: bool = False
) -> NDArray[np.int64]:
    """Bring labels down to the nodes of an order, in turn and in place; return what is gained by each, in leaves.

    Parameters
    ----------
    rows
        Rows and their labels, every set of up to `size` of which has k rows.
    tree
        The hierarchy.
    order
        Nodes; those with the same nodes above them had better be neighbours.
    k, size
        What every set of up to `size` labels of a row must have.
    all_or_none
        Bring all records down to a node or none, so that an item that has one label everywhere keeps having one.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.local_labels import label_rows
    >>> tree = Tree(np.array([2, 2, -1], np.int32), np.array([0, 1, 0]), np.array([1, 1, 2]), np.array([0, 0, 2]))
    >>> rows = label_rows(np.arange(6), np.array([0, 0, 0, 1, 0], np.int32), np.array([2, 2]), 3)
    >>> lower_labels(rows, tree, np.array([0, 1]), 2, 2).tolist(), rows.label.tolist()
    ([6, 0], [2, 0, 0, 2, 0])
    """
    nodes = tree.parent.size
    depth = np.zeros(nodes, np.int64)
    for node in range(nodes - 2, -1, -1):  # parents have higher numbers
        depth[node] = depth[tree.parent[node]] + 1
    counts = _Counts(make_counts(nodes, 1, size), make_counts(nodes, int(depth.max()) + 1, size))
    gained = np.zeros(order.size, np.int64)
    _lower(rows, tree, (order, gained), k, counts, _make_candidates(rows), make_scratch(rows), all_or_none)
    return gained


def _make_candidates(rows: Labelled) -> _Candidates:
    number, longest = rows.offsets.size - 1, rows.label.size
    return _Candidates(
        np.empty(number, np.int64),
        np.empty(number, np.bool_),
        np.zeros((2, number + 1), np.int64),
        np.empty(longest, np.int64),
        np.empty(longest, np.int64),
        np.zeros(number, np.int64),
        np.zeros(number, np.int64),
    )


@njit(cache=True, nogil=True)
def _lower(
    rows: Labelled,
    tree: Tree,
    turns: tuple[NDArray[np.int64], NDArray[np.int64]],
    k: int,
    counts: _Counts,
    candidates: _Candidates,
    scratch: Scratch,
    all_or_none: bool,
) -> None:
    order, gained = turns
    for turn in range(order.size):
        node = order[turn]
        number, holders = _find_candidates(node, turn + 1, rows, tree, candidates)
        if number == 0 or holders < k:
            continue
        counts = _bring_down(node, number, rows, tree, counts, candidates, scratch)
        counts, left = _send_back_rare(number, k, counts, candidates)
        if left == 0 or (all_or_none and left < number):
            continue
        counts = _open_above(node, rows, tree, counts, scratch)
        for i in range(number):
            if candidates.left[i]:
                counts = _shift_above(i, 1, counts, candidates)
        counts, left = _keep_frequent(number, k, counts, candidates)
        if all_or_none and left < number:
            for i in range(number):
                if candidates.left[i]:
                    candidates.left[i] = False
                    counts = _shift_above(i, -1, counts, candidates)
        gained[turn] = _relabel(node, number, rows, tree, candidates)


@njit(cache=True, nogil=True)
def _find_candidates(node: int, turn: int, rows: Labelled, tree: Tree, candidates: _Candidates) -> tuple[int, int]:
    """Find the records that publish an item below a node coarser; return their number, and how many may hold it."""
    number, holders = 0, 0
    first = tree.first_leaf[node]
    for at in range(rows.first[first], rows.first[first + tree.leaves[node]]):
        token = rows.by_leaf[at]
        label, row = rows.label[token], rows.row[token]
        if tree.cost[label] > tree.cost[node]:
            if candidates.seen[row] != turn:
                candidates.seen[row] = turn
                candidates.rows[number] = row
                candidates.left[number] = True
                number += 1
                holders += candidates.held[row] != turn
        elif label == node and candidates.held[row] != turn:
            candidates.held[row] = turn
            holders += candidates.seen[row] != turn
    return number, holders


@njit(cache=True, nogil=True)
def _bring_down(
    node: int, number: int, rows: Labelled, tree: Tree, counts: _Counts, candidates: _Candidates, scratch: Scratch
) -> _Counts:
    """Count the sets with a node as if all records had come down to it."""
    own = clear_counts(counts.own, 0)
    column = open_column(own, node)
    turn = candidates.seen[candidates.rows[0]]
    old, new = 0, 0
    for i in range(number):
        old += list_labels(rows, candidates.rows[i], -1, tree, scratch, candidates.now[old:])
        new += list_labels(rows, candidates.rows[i], node, tree, scratch, candidates.after[new:])
        candidates.ends[0, i + 1], candidates.ends[1, i + 1] = old, new
        own = count_row(own, column, _labels_after(candidates, i), 1)
    first = tree.first_leaf[node]
    for at in range(rows.first[first], rows.first[first + tree.leaves[node]]):
        token = rows.by_leaf[at]
        row = rows.row[token]
        if rows.label[token] == node and candidates.seen[row] != turn and candidates.held[row] == turn:
            candidates.held[row] = -turn
            length = list_labels(rows, row, -1, tree, scratch, scratch.labels)
            own = count_row(own, column, scratch.labels[:length], 1)
    return _Counts(own, counts.above)


@njit(cache=True, nogil=True)
def _labels_now(candidates: _Candidates, i: int) -> NDArray[np.int64]:
    return candidates.now[candidates.ends[0, i] : candidates.ends[0, i + 1]]


@njit(cache=True, nogil=True)
def _labels_after(candidates: _Candidates, i: int) -> NDArray[np.int64]:
    return candidates.after[candidates.ends[1, i] : candidates.ends[1, i + 1]]


@njit(cache=True, nogil=True)
def _send_back_rare(number: int, k: int, counts: _Counts, candidates: _Candidates) -> tuple[_Counts, int]:
    """Send records back that hold a rare set with the node, until none does; return how many are left."""
    own = counts.own
    again, left = True, 0
    while again:
        again, left = False, 0
        for i in range(number):
            if not candidates.left[i]:
                continue
            if has_rare_set(own, 0, _labels_after(candidates, i), k, 0):
                own = _uncount(i, own, candidates)
                again = True
            else:
                left += 1
    return _Counts(own, counts.above), left


@njit(cache=True, nogil=True)
def _uncount(i: int, own: SetCounts, candidates: _Candidates) -> SetCounts:
    """Send a record back, in the counts of the node."""
    row = candidates.rows[i]
    candidates.left[i] = False
    own = count_row(own, 0, _labels_after(candidates, i), -1)
    if candidates.held[row] == candidates.seen[row]:
        own = count_row(own, 0, _labels_now(candidates, i), 1)
    return own


@njit(cache=True, nogil=True)
def _open_above(node: int, rows: Labelled, tree: Tree, counts: _Counts, scratch: Scratch) -> _Counts:
    """Count the sets with every label above a node; columns that are there already stay, from the root down."""
    above = counts.above
    path, length = np.empty(above.nodes.size, np.int64), 0
    up = tree.parent[node]
    while up >= 0:
        if rows.support[up] > 0:
            path[length] = up
            length += 1
        up = tree.parent[up]
    path = path[:length][::-1]
    retained = 0
    while retained < min(length, above.used[0]) and above.nodes[retained] == path[retained]:
        retained += 1
    if above.size > 2 and retained > 0:
        for column in range(retained, above.used[0]):
            above = _fill_column(above, column, -1, rows, tree, scratch)
    above = clear_counts(above, retained)
    for column in range(retained, length):
        above = _fill_column(above, open_column(above, path[column]), 1, rows, tree, scratch)
    return _Counts(counts.own, above)


@njit(cache=True, nogil=True)
def _fill_column(counts: SetCounts, column: int, step: int, rows: Labelled, tree: Tree, scratch: Scratch) -> SetCounts:
    """Count the sets of all rows that hold the node of a column, or take them all away."""
    node = counts.nodes[column]
    scratch.question[1] += 1
    first = tree.first_leaf[node]
    for at in range(rows.first[first], rows.first[first + tree.leaves[node]]):
        token = rows.by_leaf[at]
        row = rows.row[token]
        if rows.label[token] == node and scratch.counted[row] != scratch.question[1]:
            scratch.counted[row] = scratch.question[1]
            length = list_labels(rows, row, -1, tree, scratch, scratch.labels)
            counts = count_row(counts, column, scratch.labels[:length], step)
    return counts


@njit(cache=True, nogil=True)
def _shift_above(i: int, step: int, counts: _Counts, candidates: _Candidates) -> _Counts:
    """Follow a record that comes down (step 1) or goes back (step -1) in the counts of the nodes above."""
    above = counts.above
    now, after = _labels_now(candidates, i), _labels_after(candidates, i)
    for column in range(above.used[0]):
        if _holds(now, above.nodes[column]):
            above = count_row(above, column, now, -step)
        if _holds(after, above.nodes[column]):
            above = count_row(above, column, after, step)
    return _Counts(counts.own, above)


@njit(cache=True, nogil=True)
def _keep_frequent(number: int, k: int, counts: _Counts, candidates: _Candidates) -> tuple[_Counts, int]:
    """Send records back until no set with the node, or that a record has left, is rare; return how many stay."""
    again, left = True, 0
    while again:
        again, left = False, 0
        for i in range(number):
            if not candidates.left[i]:
                continue
            left += 1
            now, after = _labels_now(candidates, i), _labels_after(candidates, i)
            back = has_rare_set(counts.own, 0, after, k, 0)
            for column in range(counts.above.used[0]):
                up = counts.above.nodes[column]
                if not back and _holds(now, up) and not _holds(after, up):
                    back = has_rare_set(counts.above, column, now, k, 1)
            if back:
                counts = _shift_above(i, -1, counts, candidates)
                counts = _Counts(_uncount(i, counts.own, candidates), counts.above)
                again = True
    return counts, left


@njit(cache=True, nogil=True)
def _relabel(node: int, number: int, rows: Labelled, tree: Tree, candidates: _Candidates) -> int:
    """Give the records that are left their new labels; return what is gained."""
    gained = np.int64(0)
    for i in range(number):
        if not candidates.left[i]:
            continue
        for label in _labels_now(candidates, i):
            rows.support[label] -= 1
        for label in _labels_after(candidates, i):
            rows.support[label] += 1
        row = candidates.rows[i]
        for at in range(rows.offsets[row], rows.offsets[row + 1]):
            label = np.int64(rows.label[at])
            if is_coarser(label, rows.leaf[at], node, tree):
                gained += tree.cost[label] - tree.cost[node]
                rows.label[at] = node
    return int(gained)


@njit(cache=True, nogil=True)
def _holds(labels: NDArray[np.int64], node: int) -> bool:
    """Whether a node is among some ascending labels."""
    at = np.searchsorted(labels, node)
    return bool(at < labels.size and labels[at] == node)
