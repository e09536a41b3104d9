"""A tree over published classes: every node has the ranges and the labels of all classes below it.

Nodes come first, then the classes in the order of the tree. What a node holds are other nodes or classes, one after the
other, so that both are compared in the same way.

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
) -> tuple[Ints, Ints, Ints, Ints, Ints, Bytes]:
    """Halve the classes where their centres differ most, until so few are left.

    Returns the classes in the order of the tree; of every node the first and the end of what it holds; and ranges and
    masks of all nodes and classes.
    """
    classes, columns = centres.shape
    most = 4 * (classes // leaf) + 3
    begin, end = np.zeros(most, np.int64), np.zeros(most, np.int64)
    first, last = np.zeros(most, np.int64), np.zeros(most, np.int64)
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
            keys = np.empty(b - a, np.float64)
            for at in range(b - a):
                keys[at] = centres[members[at], best] if columns > 0 else 0.0
            order[a:b] = members[np.argsort(keys)]
            first[node], last[node] = nodes, nodes + 2
            begin[nodes], end[nodes] = a, (a + b) // 2
            begin[nodes + 1], end[nodes + 1] = (a + b) // 2, b
            nodes += 2
        node += 1
    ranges, width = low.shape[1], masks.shape[1]
    all_low, all_high = np.empty((nodes + classes, ranges), np.int64), np.empty((nodes + classes, ranges), np.int64)
    all_masks = np.zeros((nodes + classes, width), np.uint8)
    all_low[nodes:], all_high[nodes:], all_masks[nodes:] = low[order], high[order], masks[order]
    for node in range(nodes - 1, -1, -1):
        if last[node] == 0:
            first[node], last[node] = nodes + begin[node], nodes + end[node]
        for column in range(ranges):
            all_low[node, column], all_high[node, column] = np.iinfo(np.int64).max, np.iinfo(np.int64).min
            for below in range(first[node], last[node]):
                all_low[node, column] = min(all_low[node, column], all_low[below, column])
                all_high[node, column] = max(all_high[node, column], all_high[below, column])
        for below in range(first[node], last[node]):
            for place in range(width):
                all_masks[node, place] |= all_masks[below, place]
    return order, first[:nodes].copy(), last[:nodes].copy(), all_low, all_high, all_masks


@njit(cache=True, nogil=True)
def find_classes(
    values: Ints, offsets: Ints, facts: Ints, order: Ints, first: Ints, last: Ints, low: Ints, high: Ints, masks: Bytes
) -> tuple[Ints, Ints]:
    """List, case by case, the classes whose ranges hold all values of the case and whose masks have all its facts.

    A case has a value for every range, and facts ``offsets[case]`` to ``offsets[case + 1]``, which are bits of masks.
    """
    cases, ranges, nodes = offsets.size - 1, low.shape[1], first.size
    starts = np.zeros(cases + 1, np.int64)
    classes = np.empty(2 * cases + 64, np.int64)
    waiting = np.empty(64 * int((last - first).max()) + 1, np.int64)
    found = 0
    for case in range(cases):
        waiting[0], left = 0, 1
        # The fact that told the last node apart is asked first: it often tells the next one apart, too.
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
            if telling < offsets[case + 1] and not (masks[node, facts[telling] >> 3] >> (facts[telling] & 7)) & 1:
                continue
            for at in range(offsets[case], offsets[case + 1]):
                if not (masks[node, facts[at] >> 3] >> (facts[at] & 7)) & 1:
                    telling, holds = at, False
                    break
            if not holds:
                continue
            if node < nodes:
                for below in range(first[node], last[node]):
                    waiting[left] = below
                    left += 1
                continue
            if found == classes.size:
                larger = np.empty(2 * found, np.int64)
                larger[:found] = classes
                classes = larger
            classes[found] = order[node - nodes]
            found += 1
        starts[case + 1] = found
    return starts, classes[:found].copy()
