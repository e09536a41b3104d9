"""Plain microaggregation of numbers: groups of at least k rows that are alike (MDAV), and what they cost.

Columns are kept one after the other, so that a distance to all rows is a few vectorised passes; rows that have found
their group are swept out now and then.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["group_by_mdav", "measure_error_share", "standardise"]

_BLOCK = 1024  # rows whose squared distances stay in the fastest cache while the columns pass by
_SWEEP = 8  # sweep when one row in so many is gone


def standardise(table: NDArray[np.float64]) -> NDArray[np.float64]:
    """Bring every column to mean 0 and sample standard deviation 1; a constant column becomes 0.

    Examples
    --------
    >>> standardise(np.array([[1.0, 5.0], [2.0, 5.0], [3.0, 5.0]])).tolist()
    [[-1.0, 0.0], [0.0, 0.0], [1.0, 0.0]]
    """
    if table.shape[0] < 2:
        return np.zeros_like(table, dtype=np.float64)
    centred = table - table.mean(axis=0)
    deviation = table.std(axis=0, ddof=1)
    constant = (table == table[0]).all(axis=0) | (deviation == 0)
    return np.where(constant, 0.0, centred / np.where(constant, 1.0, deviation))


def measure_error_share(table: NDArray[np.float64], group: NDArray[np.int64]) -> float:
    """Measure the share of the spread that is lost when rows become the mean of their group (SSE / SST).

    Examples
    --------
    >>> measure_error_share(np.array([[0.0], [2.0], [10.0], [12.0]]), np.array([0, 0, 1, 1]))
    0.038461538461538464
    """
    counts = np.bincount(group).astype(np.float64)
    lost = 0.0
    for column in table.T:
        mean = np.bincount(group, weights=column) / counts
        lost += float(((column - mean[group]) ** 2).sum())
    spread = float(((table - table.mean(axis=0)) ** 2).sum())
    return lost / spread if spread else 0.0


def group_by_mdav(table: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Group rows by MDAV: around the row farthest from the centroid, around the row farthest from that, and so on.

    Groups have k to 2k - 1 rows, fewer only when the table has. Of equally distant rows the first counts.

    Parameters
    ----------
    table
        Finite numbers, one row a record; standardise the columns first if their units differ.
    k
        The least number of rows in a group, at least 1.

    Returns
    -------
    NDArray[np.int64]
        By row: the number of its group, counted from 0 in the order in which groups are formed.

    Examples
    --------
    >>> group_by_mdav(np.array([[0.0], [9.0], [1.0], [8.0], [20.0], [21.0]]), k=2).tolist()
    [1, 2, 1, 2, 0, 0]

    References
    ----------
    Domingo-Ferrer, Torra, "Ordinal, continuous and heterogeneous k-anonymity through microaggregation", Data Mining
    and Knowledge Discovery 11 (2005): algorithm MDAV-generic.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, got {k}")
    group: NDArray[np.int64] = _group_columns(np.array(table.T, np.float64, order="C"), k)
    return group


@njit(cache=True, nogil=True)
def _group_columns(columns: NDArray[np.float64], k: int) -> NDArray[np.int64]:
    """Group the rows of a table given by its columns, which are overwritten."""
    rows = columns.shape[1]
    group = np.full(rows, -1, np.int64)
    origin = np.arange(rows)
    sums = np.zeros(columns.shape[0])
    for d in range(columns.shape[0]):
        for row in range(rows):
            sums[d] += columns[d, row]
    square, nearest = np.empty(rows), np.empty(k, np.int64)
    width, left, number = rows, rows, 0
    while left >= 2 * k:
        _square_distances(columns, width, sums / left, square)
        pivot = _find_farthest(square, group, origin, width)
        _square_distances(columns, width, columns[:, pivot].copy(), square)
        _find_nearest(square, group, origin, width, nearest)
        _close_group(columns, sums, group, origin, nearest, number)
        left, number = left - k, number + 1
        if left >= 2 * k:
            pivot = _find_farthest(square, group, origin, width)
            _square_distances(columns, width, columns[:, pivot].copy(), square)
            _find_nearest(square, group, origin, width, nearest)
            _close_group(columns, sums, group, origin, nearest, number)
            left, number = left - k, number + 1
        if (width - left) * _SWEEP > width:
            width = _sweep(columns, group, origin, width)
    for row in range(rows):
        if group[row] < 0:
            group[row] = number
    return group


@njit(cache=True, nogil=True)
def _square_distances(
    columns: NDArray[np.float64], width: int, point: NDArray[np.float64], square: NDArray[np.float64]
) -> None:
    """Fill in the squared distances of all rows from a point."""
    for begin in range(0, width, _BLOCK):
        end = min(begin + _BLOCK, width)
        block = square[begin:end]
        block[:] = 0.0
        for d in range(columns.shape[0]):
            column, value = columns[d, begin:end], point[d]
            for at in range(end - begin):
                difference = column[at] - value
                block[at] += difference * difference


@njit(cache=True, nogil=True)
def _find_farthest(square: NDArray[np.float64], group: NDArray[np.int64], origin: NDArray[np.int64], width: int) -> int:
    """Find the first of the rows without a group that are farthest."""
    farthest, most = -1, -1.0
    for at in range(width):
        if square[at] > most and group[origin[at]] < 0:
            farthest, most = at, square[at]
    return farthest


@njit(cache=True, nogil=True)
def _find_nearest(
    square: NDArray[np.float64],
    group: NDArray[np.int64],
    origin: NDArray[np.int64],
    width: int,
    nearest: NDArray[np.int64],
) -> None:
    """Fill in the nearest of the rows without a group, earlier rows first where equally near."""
    count, bound = 0, np.inf
    for at in range(width):
        distance = square[at]
        if distance < bound and group[origin[at]] < 0:
            count = min(count + 1, nearest.size)
            place = count - 1
            while place > 0 and square[nearest[place - 1]] > distance:
                nearest[place] = nearest[place - 1]
                place -= 1
            nearest[place] = at
            if count == nearest.size:
                bound = square[nearest[count - 1]]


@njit(cache=True, nogil=True)
def _close_group(
    columns: NDArray[np.float64],
    sums: NDArray[np.float64],
    group: NDArray[np.int64],
    origin: NDArray[np.int64],
    members: NDArray[np.int64],
    number: int,
) -> None:
    """Give rows their group and take them out of the sums."""
    for at in members:
        group[origin[at]] = number
        for d in range(columns.shape[0]):
            sums[d] -= columns[d, at]


@njit(cache=True, nogil=True)
def _sweep(columns: NDArray[np.float64], group: NDArray[np.int64], origin: NDArray[np.int64], width: int) -> int:
    """Move the rows without a group to the front, in their order; tell how many there are."""
    count = 0
    for at in range(width):
        if group[origin[at]] < 0:
            for d in range(columns.shape[0]):
                columns[d, count] = columns[d, at]
            origin[count] = origin[at]
            count += 1
    return count
