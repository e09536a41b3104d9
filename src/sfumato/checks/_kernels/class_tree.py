"""A tree over published classes: every node has the ranges and the labels of all classes below it.

Labels are bits of bytes. In a leaf they lie the other way round: one word for every label, with a bit for each class,
so that up to 63 classes are told apart at once.

Examples
--------
>>> low, high = np.array([[0], [5], [9]]), np.array([[4], [9], [9]])
>>> masks, none = np.array([[1], [3], [2]], np.uint8), np.zeros(0, np.int64)
>>> tree = build_tree(low, high, masks, (low + high) / 2, 1)
>>> offsets, classes = find_classes(np.array([[9], [3]]), np.array([0, 1, 2]), np.array([1, 0]), *tree)
>>> offsets.tolist(), sorted(classes[:2].tolist()), classes[2:].tolist()
([0, 2, 3], [1, 2], [0])
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["build_tree", "find_classes"]

Ints = NDArray[np.int64]
Bytes = NDArray[np.uint8]


@njit(cache=True, nogil=True)
def build_tree(
    low: Ints, high: Ints, masks: Bytes, centres: NDArray[np.float64], leaf: int
) -> tuple[Ints, Ints, Ints, Ints, Ints, Ints, Bytes, Ints]:
    """Halve the classes where their centres differ most, until at most so many are left: no more than 63.

    Returns the classes in the order of the tree; the first child of every node, -1 for a leaf; where its classes begin
    in that order, and end; ranges of nodes, and behind them of classes; labels of nodes; and words of leaves.
    """
    classes, columns = centres.shape
    most = 4 * (classes // leaf) + 3
    child, begin, end = np.full(most, -1, np.int64), np.zeros(most, np.int64), np.zeros(most, np.int64)
    order = np.arange(classes)
    end[0], nodes, node = classes, 1, 0
    while node < nodes:
        a, b = begin[node], end[node]
        if b - a > leaf:
            widest, best = -1.0, 0
            for column in range(columns):
                total, squares = 0.0, 0.0
                for at in range(a, b):
                    value = centres[order[at], column]
                    total += value
                    squares += value * value
                spread = squares * (b - a) - total * total
                if spread > widest:
                    widest, best = spread, column
            members = order[a:b].copy()
            keys = np.zeros(b - a, np.float64)
            if columns > 0:
                for at in range(b - a):
                    keys[at] = centres[members[at], best]
            order[a:b] = members[np.argsort(keys)]
            child[node] = nodes
            begin[nodes], end[nodes] = a, (a + b) // 2
            begin[nodes + 1], end[nodes + 1] = (a + b) // 2, b
            nodes += 2
        node += 1
    ranges, width = low.shape[1], masks.shape[1]
    all_low, all_high = np.empty((nodes + classes, ranges), np.int64), np.empty((nodes + classes, ranges), np.int64)
    all_low[nodes:], all_high[nodes:] = low[order], high[order]
    # A byte, and a label, after the other: what is asked of neighbours lies together.
    labels, words = np.zeros((width, nodes), np.uint8), np.zeros((8 * width, nodes), np.int64)
    for node in range(nodes - 1, -1, -1):
        first, last = child[node], child[node] + 2
        if first < 0:
            first, last = nodes + begin[node], nodes + end[node]
            for at in range(begin[node], end[node]):
                for label in range(8 * width):
                    if (masks[order[at], label >> 3] >> (label & 7)) & 1:
                        words[label, node] |= 1 << (at - begin[node])
                for place in range(width):
                    labels[place, node] |= masks[order[at], place]
        else:
            for place in range(width):
                labels[place, node] = labels[place, first] | labels[place, first + 1]
        for column in range(ranges):
            all_low[node, column], all_high[node, column] = np.iinfo(np.int64).max, np.iinfo(np.int64).min
            for below in range(first, last):
                all_low[node, column] = min(all_low[node, column], all_low[below, column])
                all_high[node, column] = max(all_high[node, column], all_high[below, column])
    return order, child[:nodes].copy(), begin[:nodes].copy(), end[:nodes].copy(), all_low, all_high, labels, words


@njit(cache=True, nogil=True)
def find_classes(
    values: Ints,
    offsets: Ints,
    facts: Ints,
    order: Ints,
    child: Ints,
    begin: Ints,
    end: Ints,
    low: Ints,
    high: Ints,
    labels: Bytes,
    words: Ints,
) -> tuple[Ints, Ints]:
    """List, case by case, the classes whose ranges hold all values of the case and which have all its labels.

    A case has a value for every range, and facts ``offsets[case]`` to ``offsets[case + 1]``, which are labels.
    """
    cases, ranges, nodes = offsets.size - 1, low.shape[1], child.size
    starts = np.zeros(cases + 1, np.int64)
    classes = np.empty(2 * cases + 64, np.int64)
    waiting = np.empty(130, np.int64)
    count = 0
    for case in range(cases):
        waiting[0], left = 0, 1
        # The fact that told the last node apart is tried first: it often tells the next one apart, too.
        telling = offsets[case]
        while left > 0:
            left -= 1
            node, holds = waiting[left], True
            for column in range(ranges):
                if values[case, column] < low[node, column] or values[case, column] > high[node, column]:
                    holds = False
                    break
            if not holds:
                continue
            if child[node] >= 0:
                if telling < offsets[case + 1] and not (labels[facts[telling] >> 3, node] >> (facts[telling] & 7)) & 1:
                    continue
                for at in range(offsets[case], offsets[case + 1]):
                    if not (labels[facts[at] >> 3, node] >> (facts[at] & 7)) & 1:
                        telling, holds = at, False
                        break
                if holds:
                    waiting[left], waiting[left + 1] = child[node] + 1, child[node]
                    left += 2
                continue
            word = -1
            if telling < offsets[case + 1]:
                word = words[facts[telling], node]
            for at in range(offsets[case], offsets[case + 1]):
                if word == 0:
                    break
                word &= words[facts[at], node]
                if word == 0:
                    telling = at
            if word == 0:
                continue
            for number in range(end[node] - begin[node]):
                if not (word >> number) & 1:
                    continue
                at, holds = nodes + begin[node] + number, True
                for column in range(ranges):
                    if values[case, column] < low[at, column] or values[case, column] > high[at, column]:
                        holds = False
                        break
                if holds:
                    if count == classes.size:
                        larger = np.empty(2 * count, np.int64)
                        larger[:count] = classes
                        classes = larger
                    classes[count] = order[begin[node] + number]
                    count += 1
        starts[case + 1] = count
    return starts, classes[:count].copy()
