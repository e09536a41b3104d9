"""Who does an activity throughout a window of time: counted, and bounded by what is published of a class."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

__all__ = ["bound_from_above", "bound_from_below", "find_throughout", "slide_minimum"]

Ints = npt.NDArray[np.int64]
Codes = npt.NDArray[np.int32]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_NEARLY = 1e-6
"""Far above the rounding of a share times a number of people, and far below one person."""


def slide_minimum(table: npt.NDArray[Any], width: int) -> npt.NDArray[Any]:
    """Return the smallest of every so many neighbours in each row.

    Examples
    --------
    >>> slide_minimum(np.array([[3, 1, 2, 4, 5]]), 3).tolist()
    [[1, 1, 2]]
    >>> slide_minimum(np.array([[3, 1]]), 3).shape
    (1, 0)
    """
    if width > table.shape[1]:
        return table[:, :0]
    span = 1
    while span < width:
        step = min(span, width - span)
        table = np.minimum(table[:, :-step], table[:, step:])
        span += step
    return table


def find_throughout(codes: Codes, activity: int, begins: Ints, window: int) -> Flags:
    """Tell who does an activity in all slots of each window of so many intervals: person, first interval.

    Examples
    --------
    >>> find_throughout(np.array([[7, 7, 7, 7, 7, 0], [0, 7, 7, 7, 7, 7]]), 7, np.array([0, 2, 4]), 2).tolist()
    [[True, False], [False, True]]
    """
    if not len(begins):
        return np.zeros((len(codes), 0), dtype=bool)
    filled = np.logical_and.reduceat(codes == activity, begins, axis=1)
    return np.asarray(slide_minimum(filled, window))


def bound_from_above(shares: Floats, sizes: Ints, window: int, error: float = 0.0) -> Ints:
    """Return how many people of each class at most do an activity throughout a window, told by its shares alone.

    Whoever does it throughout does it in the interval in which least of the class's time goes into it.

    Parameters
    ----------
    shares
        Share of the activity by class and interval.
    sizes
        People in each class.
    window
        Intervals in a window.
    error
        By how much shares may be rounded.

    Examples
    --------
    >>> bound_from_above(np.array([[1.0, 0.7, 0.9, 0.5]]), np.array([4]), 2).tolist()
    [[2, 2, 2]]
    """
    least = slide_minimum(shares, window) + error
    return np.minimum(np.floor(least * sizes[:, None] + _NEARLY).astype(np.int64), sizes[:, None])


def bound_from_below(shares: Floats, sizes: Ints, window: int, slot: int, error: float = 0.0) -> Ints:
    """Return how many people of each class at least do an activity throughout a window, told by its shares alone.

    Whoever does not do it throughout does something else for a slot, and the slots of something else are known.

    Parameters
    ----------
    shares, sizes, window, error
        As in :func:`bound_from_above`.
    slot
        Slots in an interval, or more.

    Examples
    --------
    >>> bound_from_below(np.array([[1.0, 0.75, 1.0, 0.0]]), np.array([4]), 2, slot=1).tolist()
    [[3, 3, 0]]
    """
    if window > shares.shape[1]:
        return np.zeros((len(sizes), 0), dtype=np.int64)
    others = np.floor((1.0 - shares + error) * (sizes[:, None] * slot) + _NEARLY).astype(np.int64)
    sums = np.concatenate([np.zeros((len(sizes), 1), np.int64), np.cumsum(others, axis=1)], axis=1)
    return np.asarray(np.maximum(sizes[:, None] - (sums[:, window:] - sums[:, :-window]), 0))
