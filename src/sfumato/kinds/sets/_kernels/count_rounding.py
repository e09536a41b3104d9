"""Random whole numbers in place of a table of expected numbers, with the same sums."""

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["round_table"]

Floats = NDArray[np.float64]
Ints = NDArray[np.int64]

_TOLERANCE = 1e-9


def round_table(expected: Floats, generator: np.random.Generator) -> NDArray[np.int64]:
    """Round every cell up or down at random so that its mean is what is expected.

    Sums of rows must be whole numbers and stay as they are; sums of columns are rounded up or down, too.

    A further row fills the columns up to whole numbers. Then every row and column with a fraction has two, and there
    are cycles of such cells. Around a cycle, cells are raised and lowered in turn until one is whole, up or down with
    the chances that keep the means.

    Parameters
    ----------
    expected
        Numbers of at least 0.
    generator
        Source of randomness.

    Examples
    --------
    >>> found = round_table(np.array([[0.5, 0.5], [1.5, 0.5]]), np.random.default_rng(1))
    >>> found.sum(axis=1).tolist(), found.sum(axis=0).tolist()
    ([1, 2], [2, 1])
    """
    load = expected.sum(axis=0)
    table = np.vstack([expected, np.ceil(load - _TOLERANCE) - load])
    whole = np.floor(table + _TOLERANCE)
    fractions = np.maximum(table - whole, 0.0)
    chances = generator.random(int((fractions > _TOLERANCE).sum()))
    _cancel_cycles(fractions, chances)
    rounded: NDArray[np.int64] = np.rint(whole + fractions)[:-1].astype(np.int64)
    return rounded


@njit(cache=True, nogil=True)
def _cancel_cycles(table: Floats, chances: Floats) -> None:
    """Make every cell whole, in place; each cycle uses up one of the random numbers and at least one fraction."""
    rows, columns = table.shape
    path = np.empty((2 * (rows + columns), 2), dtype=np.int64)
    row_met = np.full(rows, -1, dtype=np.int64)
    column_met = np.full(columns, -1, dtype=np.int64)
    # Cells that are whole stay whole, so the search for fractions in a row or column never has to go back.
    in_row = np.zeros((rows, 2), dtype=np.int64)
    in_column = np.zeros((columns, 2), dtype=np.int64)
    used = 0
    start = 0
    while start < rows:
        length = 0
        row = start
        column = -1
        first = -1
        while first < 0:
            row_met[row] = length
            column = _next_in_row(table, in_row, row, column)
            if column < 0:
                break
            path[length, 0], path[length, 1] = row, column
            length += 1
            if column_met[column] >= 0:
                first = column_met[column]
                break
            column_met[column] = length
            row = _next_in_column(table, in_column, row, column)
            if row < 0:
                break
            path[length, 0], path[length, 1] = row, column
            length += 1
            first = row_met[row]
        for step in range(length):
            row_met[path[step, 0]] = -1
            column_met[path[step, 1]] = -1
        row_met[start] = -1
        if first >= 0:
            _shift(table, path, first, length, chances[used % len(chances)])
            used += 1
        elif length == 0:
            start += 1
        else:
            # A cell alone in its row or column is a fraction by rounding errors only.
            row, column = path[length - 1, 0], path[length - 1, 1]
            table[row, column] = np.rint(table[row, column])


@njit(cache=True, nogil=True)
def _next_in_row(table: Floats, reached: Ints, row: int, column: int) -> int:
    """Return the first column other than the given one where the row has a fraction, or -1.

    There is no fraction before ``reached[row, 0]``, and none but that between it and ``reached[row, 1]``.
    """
    first = reached[row, 0]
    while first < table.shape[1] and not _TOLERANCE < table[row, first] < 1 - _TOLERANCE:
        first += 1
    reached[row, 0] = first
    if first != column:
        return first if first < table.shape[1] else -1
    second = max(reached[row, 1], first + 1)
    while second < table.shape[1] and not _TOLERANCE < table[row, second] < 1 - _TOLERANCE:
        second += 1
    reached[row, 1] = second
    return second if second < table.shape[1] else -1


@njit(cache=True, nogil=True)
def _next_in_column(table: Floats, reached: Ints, row: int, column: int) -> int:
    """Return the first row other than the given one where the column has a fraction, or -1; see `_next_in_row`."""
    first = reached[column, 0]
    while first < table.shape[0] and not _TOLERANCE < table[first, column] < 1 - _TOLERANCE:
        first += 1
    reached[column, 0] = first
    if first != row:
        return first if first < table.shape[0] else -1
    second = max(reached[column, 1], first + 1)
    while second < table.shape[0] and not _TOLERANCE < table[second, column] < 1 - _TOLERANCE:
        second += 1
    reached[column, 1] = second
    return second if second < table.shape[0] else -1


@njit(cache=True, nogil=True)
def _shift(table: Floats, path: Ints, first: int, length: int, chance: float) -> None:
    """Raise and lower the cells of a cycle, part of a path, in turn until one of them is whole."""
    up = 1.0
    down = 1.0
    for step in range(first, length):
        value = table[path[step, 0], path[step, 1]]
        if (step - first) % 2:
            value = 1 - value
        up = min(up, 1 - value)
        down = min(down, value)
    amount = up if chance * (up + down) < down else -down
    for step in range(first, length):
        change = -amount if (step - first) % 2 else amount
        table[path[step, 0], path[step, 1]] += change
