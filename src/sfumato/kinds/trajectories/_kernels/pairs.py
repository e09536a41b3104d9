"""Sequences of up to two labels of a record, without a table of those seen.

A record holds the pair (a, b) exactly if its first a comes before its last b. So it is enough to know the ends of every
label: ``ends`` has, by label, the first and last position in one row (0, 1) and in another (2, 3), -1 where there is
none, and whether the label has been dealt with (4); it is handed over and left full of -1.
"""

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.trajectories._kernels.demand import BORROWING

__all__ = ["ENDS", "list_changes", "list_pairs"]

ENDS = 5
"""Rows of the array of ends."""


@njit(**BORROWING)
def _mark(row: NDArray[np.int32], ends: NDArray[np.int32], at: int) -> None:
    for i in range(row.size):
        if ends[at, row[i]] < 0:
            ends[at, row[i]] = i
        ends[at + 1, row[i]] = i


@njit(**BORROWING)
def _unmark(row: NDArray[np.int32], ends: NDArray[np.int32]) -> None:
    for i in range(row.size):
        for at in range(ENDS):
            ends[at, row[i]] = -1


@njit(**BORROWING)
def list_pairs(row: NDArray[np.int32], size: int, base: int, ends: NDArray[np.int32], keys: NDArray[np.int64]) -> int:
    """List the different sequences of up to ``size`` labels, at most two, and return how many there are."""
    number = 0
    _mark(row, ends, 0)
    for i in range(row.size):
        if ends[0, row[i]] != i:
            continue
        first_label = np.int64(row[i]) + 1
        keys[number] = first_label
        number += 1
        for j in range(i + 1, row.size if size > 1 else 0):
            if ends[1, row[j]] == j:
                keys[number] = first_label * base + row[j] + 1
                number += 1
    _unmark(row, ends)
    return number


@njit(**BORROWING)
def list_changes(
    old: NDArray[np.int32],
    new: NDArray[np.int32],
    touched: NDArray[np.bool_],
    size: int,
    base: int,
    ends: NDArray[np.int32],
    keys: NDArray[np.int64],
) -> tuple[int, int]:
    """List the sequences of up to two labels that go and then those that come when touched labels change.

    Returns
    -------
    tuple
        How many go, and how many go or come.
    """
    _mark(old, ends, 0)
    _mark(new, ends, 2)
    lost = _list_unheld(old, touched, size, base, ends, 0, keys, 0)
    for i in range(old.size):
        ends[4, old[i]] = -1
    number = _list_unheld(new, touched, size, base, ends, 2, keys, lost)
    _unmark(old, ends)
    _unmark(new, ends)
    return lost, number


@njit(**BORROWING)
def _list_unheld(
    row: NDArray[np.int32],
    touched: NDArray[np.bool_],
    size: int,
    base: int,
    ends: NDArray[np.int32],
    mine: int,
    keys: NDArray[np.int64],
    number: int,
) -> int:
    """List the sequences with a label of a touched position that the other row does not hold.

    ``mine`` says where the ends of the row are; return how many keys are listed then.
    """
    other = 2 - mine
    for u in range(row.size):
        x = np.int64(row[u])
        if not touched[u] or ends[4, x] == 1:
            continue
        ends[4, x] = 1
        if ends[other, x] < 0:
            keys[number] = x + 1
            number += 1
        for j in range(row.size if size > 1 else 0):
            y = np.int64(row[j])
            if ends[mine, y] != j or (y != x and ends[4, y] == 1):
                continue
            if ends[mine, x] < ends[mine + 1, y] and not 0 <= ends[other, x] < ends[other + 1, y]:
                keys[number] = (x + 1) * base + y + 1
                number += 1
            if y != x and ends[mine, y] < ends[mine + 1, x] and not 0 <= ends[other, y] < ends[other + 1, x]:
                keys[number] = (y + 1) * base + x + 1
                number += 1
    return number
