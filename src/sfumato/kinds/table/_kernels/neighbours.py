"""The records that a class can take up at the least price, found in a tree of boxes from which records are taken out.

Equal records are one point. Points are split where a cut keeps most pairs of them far apart, until few are left
together. A box knows the lowest and highest value of its points, and a price can only grow with the span, so that the
near edge of a box bounds what any of its records costs from below. Sums are taken in the same order for bounds and for
prices, and rounding keeps the order of numbers: a bound is never above the price that it bounds, in floating point
either, and the search is exact.

Records are taken from a point in their order, since a seed is the first of all that are left and equal records are
equally near: what is left of a point is the end of its list.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.cheapest import Cheapest, is_cheaper, make_heap, offer
from sfumato.kinds.table._kernels.class_bounds import ClassBounds, price_labels, price_with
from sfumato.kinds.table._kernels.prices import RANGE, SET, Space, price_pair

__all__ = ["Tree", "Waiting", "find_leaf_boxes", "make_buffers", "plant_tree", "search_nearest", "take_out"]

_LEAF = 8  # points that are looked at one by one
_NOBODY = np.iinfo(np.int64).max
_CHANGED = -1


class Tree(NamedTuple):
    """Points, which are equal records, in nested boxes.

    Attributes
    ----------
    points
        By point and attribute: its values. The points of a box are consecutive.
    begin, rows, taken
        The records of point p are ``rows[begin[p]:begin[p + 1]]``, rising; the first ``taken[p]`` are gone.
    span
        By box: its first point and the one after its last.
    child, parent
        By box: the first of its two halves, the other one being next; -1 for none. And the box that it is half of.
    low, high, missing
        By box and attribute: the values of the points that still have records.
    first
        By box: its first record that is left.
    """

    points: NDArray[np.int32]
    begin: NDArray[np.int64]
    rows: NDArray[np.int64]
    taken: NDArray[np.int64]
    span: NDArray[np.int64]
    child: NDArray[np.int64]
    parent: NDArray[np.int64]
    low: NDArray[np.int32]
    high: NDArray[np.int32]
    missing: NDArray[np.bool_]
    first: NDArray[np.int64]


class Waiting(NamedTuple):
    """Boxes that are still to be looked at, the last one first, with the bounds of their prices."""

    box: NDArray[np.int64]
    bound: NDArray[np.float64]


def plant_tree(space: Space) -> tuple[Tree, NDArray[np.int64]]:
    """Plant the tree of all records; return it with the point of every record.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> space = build_space(np.array([[1], [0], [1]]), [RANGE], [np.array([20.0, 30.0])], [1.0])
    >>> tree, point = plant_tree(space)
    >>> tree.points.ravel().tolist(), tree.rows.tolist(), point.tolist()
    ([0, 1], [1, 0, 2], [1, 0, 1])
    """
    points, of_record = np.unique(space.codes, axis=0, return_inverse=True)
    of_record = of_record.reshape(-1)
    boxes = 2 * max(len(points), 1)
    order = np.arange(len(points))
    span, child, parent = (np.full(shape, -1, np.int64) for shape in ((boxes, 2), boxes, boxes))
    made = _split_boxes(space, points.astype(np.int32), order, span, child, parent)
    place = np.empty(len(points), np.int64)
    place[order] = np.arange(len(points))
    point = place[of_record]
    rows = np.argsort(point, kind="stable")
    begin = np.concatenate([np.zeros(1, np.int64), np.cumsum(np.bincount(point, minlength=len(points)))])
    shape = (made, space.codes.shape[1])
    tree = Tree(
        np.ascontiguousarray(points[order], np.int32),
        begin,
        rows,
        np.zeros(len(points), np.int64),
        span[:made],
        child[:made],
        parent[:made],
        np.zeros(shape, np.int32),
        np.zeros(shape, np.int32),
        np.zeros(shape, np.bool_),
        np.zeros(made, np.int64),
    )
    _measure_boxes(tree)
    return tree, point


@njit(cache=True, nogil=True)
def make_buffers(tree: Tree, most: int) -> tuple[Waiting, Cheapest]:
    """Make room for a search of so many records.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> tree, _ = plant_tree(build_space(np.array([[1], [0], [1]]), [RANGE], [np.array([20.0, 30.0])], [1.0]))
    >>> make_buffers(tree, 2)[1].number.size
    2
    """
    boxes = tree.child.size + 1
    return Waiting(np.empty(boxes, np.int64), np.empty(boxes)), make_heap(most)


@njit(cache=True, nogil=True)
def _split_boxes(
    space: Space,
    points: NDArray[np.int32],
    order: NDArray[np.int64],
    span: NDArray[np.int64],
    child: NDArray[np.int64],
    parent: NDArray[np.int64],
) -> int:
    """Split the box of all points, and its halves, until boxes are small; tell how many boxes there are."""
    span[0, 0], span[0, 1] = 0, order.size
    made, at = 1, 0
    while at < made:
        begin, end = span[at, 0], span[at, 1]
        if end - begin > _LEAF:
            best, attribute, last = 0.0, -1, 0
            for d in range(space.form.size):
                gain, code = _find_cut(space, d, np.sort(points[order[begin:end], d]))
                if gain > best:
                    best, attribute, last = gain, d, code
            if attribute >= 0:
                middle = _part(points[:, attribute], order, begin, end, last)
                child[at] = made
                span[made, 0], span[made, 1], parent[made] = begin, middle, at
                span[made + 1, 0], span[made + 1, 1], parent[made + 1] = middle, end, at
                made += 2
        at += 1
    return made


@njit(cache=True, nogil=True)
def _find_cut(space: Space, d: int, codes: NDArray[np.int32]) -> tuple[float, int]:
    """Find where to cut sorted values: pairs that are parted times how far they are; and the last value before it."""
    best, last, n = 0.0, 0, codes.size
    for at in range(1, n):
        if codes[at] == codes[at - 1]:
            continue
        if space.form[d] == RANGE and codes[at - 1] >= 0:
            far = 0.5 * price_pair(space, d, codes[at // 2], codes[at + (n - at) // 2])
        else:
            far = price_pair(space, d, codes[at - 1], codes[at])
        gain = far * at * (n - at)
        if gain > best:
            best, last = gain, codes[at - 1]
    return best, last


@njit(cache=True, nogil=True)
def _part(values: NDArray[np.int32], order: NDArray[np.int64], begin: int, end: int, last: int) -> int:
    """Put the points with values up to the last one first, keeping their order; tell where the others begin."""
    points = order[begin:end].copy()
    middle = begin
    for point in points:
        if values[point] <= last:
            order[middle] = point
            middle += 1
    at = middle
    for point in points:
        if values[point] > last:
            order[at] = point
            at += 1
    return middle


@njit(cache=True, nogil=True)
def _measure_box(tree: Tree, box: int) -> None:
    """Find values and first record of what is left in a box: from its halves, or from its points."""
    low, high, missing = tree.low[box], tree.high[box], tree.missing[box]
    low[:], high[:], missing[:] = np.iinfo(np.int32).max, -1, False
    tree.first[box] = _NOBODY
    half = tree.child[box]
    if half >= 0:
        for part in (half, half + 1):
            tree.first[box] = min(tree.first[box], tree.first[part])
            for d in range(low.size):
                low[d] = min(low[d], tree.low[part, d])
                high[d] = max(high[d], tree.high[part, d])
                missing[d] |= tree.missing[part, d]
        return
    for p in range(tree.span[box, 0], tree.span[box, 1]):
        at = tree.begin[p] + tree.taken[p]
        if at == tree.begin[p + 1]:
            continue
        tree.first[box] = min(tree.first[box], tree.rows[at])
        for d in range(low.size):
            code = tree.points[p, d]
            if code < 0:
                missing[d] = True
            else:
                low[d] = min(low[d], code)
                high[d] = max(high[d], code)


@njit(cache=True, nogil=True)
def _measure_boxes(tree: Tree) -> None:
    """Measure all boxes, halves before what they are halves of."""
    for box in range(tree.child.size - 1, -1, -1):
        _measure_box(tree, box)


@njit(cache=True, nogil=True)
def find_leaf_boxes(tree: Tree) -> NDArray[np.int64]:
    """Return the smallest box of every point.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> tree, _ = plant_tree(build_space(np.array([[1], [0], [1]]), [RANGE], [np.array([20.0, 30.0])], [1.0]))
    >>> find_leaf_boxes(tree).tolist()
    [0, 0]
    """
    leaf_box = np.empty(tree.points.shape[0], np.int64)
    for box in range(tree.child.size):
        if tree.child[box] < 0:
            leaf_box[tree.span[box, 0] : tree.span[box, 1]] = box
    return leaf_box


@njit(cache=True, nogil=True)
def take_out(tree: Tree, points: NDArray[np.int64], leaf_box: NDArray[np.int64]) -> None:
    """Take the next record of every point out of the tree; of a point that is given twice, the next two.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import build_space
    >>> tree, point = plant_tree(build_space(np.array([[1], [0], [1]]), [RANGE], [np.array([20.0, 30.0])], [1.0]))
    >>> take_out(tree, point[:2], find_leaf_boxes(tree))
    >>> tree.taken.tolist(), int(tree.first[0])
    ([1, 1], 2)
    """
    for p in points:
        tree.taken[p] += 1
        tree.first[leaf_box[p]] = _CHANGED
    for p in points:
        box = leaf_box[p]
        if tree.first[box] != _CHANGED:
            continue
        while box >= 0:
            _measure_box(tree, box)
            box = tree.parent[box]


@njit(cache=True, nogil=True)
def _bound(space: Space, tree: Tree, box: int, bounds: ClassBounds, c: int) -> float:
    """Bound from below what a class costs that takes up any record of a box: one with the nearest of all its values."""
    total = 0.0
    for d in range(space.form.size):
        low, high = tree.low[box, d], tree.high[box, d]
        least, most = bounds.low[c, d], bounds.high[c, d]
        if least > most:
            total += 0.0 if tree.missing[box, d] else space.weight[d]
        elif low > high or bounds.missing[c, d]:
            total += space.weight[d]
        elif space.form[d] != SET:
            total += price_pair(space, d, min(least, high), max(most, low))
        else:
            total += price_labels(space, bounds, d, c, low, high)
    return total


@njit(cache=True, nogil=True)
def search_nearest(space: Space, tree: Tree, bounds: ClassBounds, c: int, waiting: Waiting, nearest: Cheapest) -> None:
    """Find the records that are left and that a class can take up at the least price, earlier ones if equally cheap.

    Parameters
    ----------
    space, tree
        Prices and records.
    bounds, c
        The class.
    waiting
        Room for the boxes that wait.
    nearest
        Filled in: as many records as it has room for, each priced as if it came alone.
    """
    nearest.filled[0] = 0
    waiting.box[0], waiting.bound[0], count = 0, 0.0, 1
    while count:
        count -= 1
        box = waiting.box[count]
        if tree.first[box] == _NOBODY or not is_cheaper(nearest, waiting.bound[count], tree.first[box]):
            continue
        half = tree.child[box]
        if half < 0:
            for p in range(tree.span[box, 0], tree.span[box, 1]):
                _offer_point(space, tree, bounds, c, p, nearest)
            continue
        bound, other = _bound(space, tree, half, bounds, c), _bound(space, tree, half + 1, bounds, c)
        # Of equally near halves the one with the first record, which counts if their records are equally near too.
        swap = other < bound or (other == bound and tree.first[half + 1] < tree.first[half])
        far, near = (half, half + 1) if swap else (half + 1, half)
        waiting.box[count], waiting.bound[count] = far, max(bound, other)
        waiting.box[count + 1], waiting.bound[count + 1] = near, min(bound, other)
        count += 2


@njit(cache=True, nogil=True)
def _offer_point(space: Space, tree: Tree, bounds: ClassBounds, c: int, p: int, nearest: Cheapest) -> None:
    """Take up the records of a point that are among the nearest."""
    at = tree.begin[p] + tree.taken[p]
    if at == tree.begin[p + 1]:
        return
    price = price_with(space, bounds, c, tree.points[p])
    while at < tree.begin[p + 1] and offer(nearest, price, tree.rows[at], p):
        at += 1
