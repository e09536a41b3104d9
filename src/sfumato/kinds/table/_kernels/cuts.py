"""Cuts of parts of records in two or more: along missing values, along a tree, or in the middle."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.table._kernels.class_bounds import ClassBounds, price_cell
from sfumato.kinds.table._kernels.prices import TREE, Space, price_pair

__all__ = ["cut_between_values", "cut_in_halves", "measure_widths"]


@njit(cache=True, nogil=True)
def measure_widths(space: Space, bounds: ClassBounds) -> NDArray[np.float64]:
    """Measure what every part publishes of every attribute.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.class_bounds import bound_classes
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> measure_widths(space, bound_classes(space, np.array([0, 0, 1]), 2)).tolist()
    [[0.25], [0.0]]
    """
    widths = np.empty((bounds.records.size, space.form.size))
    for c in range(bounds.records.size):
        for d in range(space.form.size):
            widths[c, d] = price_cell(space, bounds, d, c)
    return widths


@njit(cache=True, nogil=True)
def cut_between_values(
    space: Space,
    rows: NDArray[np.int64],
    begin: NDArray[np.int64],
    attribute: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Cut every part along one attribute so that equal values stay together.

    Missing values are cut off first. Below a tree, every child of the node that the part publishes is a piece. Else
    the cut is as near to the middle as one between two values can be, the lower one of two that are equally near.

    Parameters
    ----------
    space
        Records and prices.
    rows, begin
        The records of part p are ``rows[begin[p]:begin[p + 1]]``.
    attribute
        By part: the attribute along which it is cut, where its records differ.

    Returns
    -------
    NDArray[np.int64]
        By place in `rows`: the piece of the part, counted from 0.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> cut_between_values(space, np.arange(4), np.array([0, 4]), np.array([0])).tolist()
    [0, 1, 1, 1]
    """
    piece = np.empty(rows.size, np.int64)
    for p in range(attribute.size):
        d, inside = attribute[p], piece[begin[p] : begin[p + 1]]
        codes = space.codes[rows[begin[p] : begin[p + 1]], d]
        if _cut_off_missing(codes, inside):
            continue
        if space.form[d] == TREE:
            _cut_along_tree(space, d, codes, inside)
        else:
            last = _find_middle(np.sort(codes))
            for at in range(codes.size):
                inside[at] = 1 if codes[at] > last else 0
    return piece


@njit(cache=True, nogil=True)
def cut_in_halves(
    space: Space,
    rows: NDArray[np.int64],
    begin: NDArray[np.int64],
    attribute: NDArray[np.int64],
) -> NDArray[np.int64]:
    """Cut every part along one attribute into halves of the same size, where neither values are missing nor a tree.

    Records that have the value in the middle are shared out between the halves in the order of `rows`. Parameters and
    result are those of :func:`cut_between_values`.

    Examples
    --------
    >>> from sfumato.kinds.table._kernels.prices import RANGE, build_space
    >>> space = build_space(np.array([[0], [1], [1], [2]]), [RANGE], [np.array([20.0, 30.0, 60.0])], [1.0])
    >>> cut_in_halves(space, np.arange(4), np.array([0, 4]), np.array([0])).tolist()
    [0, 0, 1, 1]
    """
    piece = np.empty(rows.size, np.int64)
    for p in range(attribute.size):
        d, inside = attribute[p], piece[begin[p] : begin[p + 1]]
        codes = space.codes[rows[begin[p] : begin[p + 1]], d]
        if _cut_off_missing(codes, inside):
            continue
        if space.form[d] == TREE:
            _cut_along_tree(space, d, codes, inside)
        else:
            order = np.argsort(codes, kind="mergesort")
            for at in range(codes.size):
                inside[order[at]] = 1 if at >= codes.size // 2 else 0
    return piece


@njit(cache=True, nogil=True)
def _cut_off_missing(codes: NDArray[np.int32], piece: NDArray[np.int64]) -> bool:
    """Put missing values into a piece of their own; tell whether there are such and others."""
    missing = 0
    for at in range(codes.size):
        piece[at] = 0 if codes[at] < 0 else 1
        missing += 1 - piece[at]
    return 0 < missing < codes.size


@njit(cache=True, nogil=True)
def _cut_along_tree(space: Space, d: int, codes: NDArray[np.int32], piece: NDArray[np.int64]) -> None:
    """Make a piece of every child of the node above all values: it ends where the step to the next is widest."""
    low, high = codes.min(), codes.max()
    widest = price_pair(space, d, low, high)
    child = np.zeros(high - low + 1, np.int64)
    for at in range(1, child.size):
        child[at] = child[at - 1] + (1 if price_pair(space, d, low + at - 1, low + at) >= widest else 0)
    number = np.full(child.size, -1, np.int64)
    for code in codes:
        number[child[code - low]] = 0
    count = 0
    for at in range(number.size):
        if number[at] == 0:
            number[at] = count
            count += 1
    for at in range(codes.size):
        piece[at] = number[child[codes[at] - low]]


@njit(cache=True, nogil=True)
def _find_middle(codes: NDArray[np.int32]) -> int:
    """Return the last of sorted values, which differ, before the cut that is nearest to the middle."""
    middle = codes[codes.size // 2]
    below, upto = np.searchsorted(codes, middle, side="left"), np.searchsorted(codes, middle, side="right")
    # Twice the distance from the middle, so that halves are whole numbers.
    if upto == codes.size or (below > 0 and abs(2 * below - codes.size) <= abs(2 * upto - codes.size)):
        return int(codes[below - 1])
    return int(middle)
