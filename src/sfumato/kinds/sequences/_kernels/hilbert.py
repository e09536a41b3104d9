"""Hilbert order of intervals: neighbours in the order begin and end at nearly the same times."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["number_cells", "order_along_curve", "rank_along_curve"]

_MOST_BITS = 31  # two coordinates of so many bits fit a 64-bit number


@njit(cache=True, nogil=True)
def number_cells(x: NDArray[np.int64], y: NDArray[np.int64], bits: int) -> NDArray[np.int64]:
    """Number cells of a grid with 2^bits cells along each side by their place on the Hilbert curve.

    Examples
    --------
    >>> number_cells(np.array([0, 0, 1, 1]), np.array([0, 1, 1, 0]), 1).tolist()
    [0, 1, 2, 3]
    """
    index = np.empty(x.size, np.int64)
    for point in range(x.size):
        column, row, place = x[point], y[point], 0
        for bit in range(bits - 1, -1, -1):
            right, upper = (column >> bit) & 1, (row >> bit) & 1
            place = 4 * place + ((3 * right) ^ upper)
            if upper == 0:
                # The curve runs through the lower quarters turned, and through the right one backwards.
                if right == 1:
                    column, row = ~column, ~row
                column, row = row, column
        index[point] = place
    return index


def order_along_curve(start: NDArray[np.int64], end: NDArray[np.int64]) -> NDArray[np.int64]:
    """Order intervals along the Hilbert curve through the plane of their start and end.

    A cell of the grid is one unit of time wide, or as few units as 31 bits allow. Intervals in the same cell keep
    their order.

    Examples
    --------
    >>> order_along_curve(np.array([0, 5, 1]), np.array([9, 6, 9])).tolist()
    [1, 0, 2]

    References
    ----------
    Sherkat, Li, Mamoulis, "Efficient timestamped event sequence anonymization", Section 4.3.1.
    """
    if start.size == 0:
        return np.empty(0, np.int64)
    low = min(start.min(), end.min())
    bits = int(max(start.max(), end.max()) - low).bit_length()
    shift = max(0, bits - _MOST_BITS)
    index = number_cells((start - low) >> shift, (end - low) >> shift, min(bits, _MOST_BITS))
    return np.argsort(index, kind="stable").astype(np.int64, copy=False)


def rank_along_curve(offsets: NDArray[np.int64], times: NDArray[np.int64]) -> NDArray[np.int64]:
    """Rank people along the Hilbert curve of their first and last times; everyone has at least one.

    Examples
    --------
    >>> rank_along_curve(np.array([0, 2, 4, 5]), np.array([0, 9, 5, 6, 1])).tolist()
    [2, 1, 0]
    """
    first, last = (pick.reduceat(times, offsets[:-1]) for pick in (np.minimum, np.maximum))
    rank = np.empty(offsets.size - 1, np.int64)
    rank[order_along_curve(first, last)] = np.arange(rank.size)
    return rank
