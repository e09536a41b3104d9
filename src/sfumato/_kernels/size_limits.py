"""How many short sequences records hold, told before they are counted one by one."""

import math

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["count_distinct", "refuse_endless", "refuse_endless_sets"]

MOST = 10**11
"""So many in all take a quarter of an hour or more to count."""
MAX_PER_RECORD = 2 * 10**8
"""So many in one record are all different, and fill some gigabytes."""


@njit(cache=True, nogil=True)
def count_distinct(row: NDArray[np.int32], size: int, latest: NDArray[np.int64], held: NDArray[np.float64]) -> float:
    """Count the distinct sequences of a size in one row.

    Parameters
    ----------
    row, size
        Tokens, and how many of them a sequence has.
    latest
        By token: all -1, and so again afterwards.
    held
        Room, with a row more than there are tokens and a column more than `size`.

    Examples
    --------
    >>> row = np.array([0, 1, 0], np.int32)
    >>> count_distinct(row, 2, np.full(2, -1), np.empty((4, 3)))
    3.0
    """
    held[0, 1:] = 0.0
    held[:, 0] = 1.0
    for position in range(row.size):
        before = latest[row[position]]
        for length in range(1, size + 1):
            new = held[position, length - 1]
            if before >= 0:
                new -= held[before, length - 1]
            held[position + 1, length] = held[position, length] + new
        latest[row[position]] = position
    for token in row:
        latest[token] = -1
    return float(held[row.size, size])


def refuse_endless(
    start: NDArray[np.int64], length: NDArray[np.int64], tokens: NDArray[np.int32], size: int, base: int
) -> None:
    """Refuse rows that hold more sequences of a size than can be counted.

    Row r is ``tokens[start[r] : start[r] + length[r]]``, of tokens below `base`.

    Raises
    ------
    ValueError
        If one row or all together hold too many; the message has their number.

    Examples
    --------
    >>> few = np.arange(300, dtype=np.int32)
    >>> refuse_endless(np.array([0]), np.array([300]), few, 3, 300)
    >>> refuse_endless(np.array([0]), np.array([300]), few, 9, 300)
    Traceback (most recent call last):
    ValueError: a record has 300 values, which hold 4.8e+16 sequences of 9, more than can be counted; ...
    """
    if _are_few(length, size):
        return
    latest, total = np.full(base, -1, np.int64), 0.0
    held = np.empty((int(length.max(initial=0)) + 1, size + 1))
    for row in range(length.size):
        many = count_distinct(tokens[start[row] : start[row] + length[row]], size, latest, held)
        _refuse(many, MAX_PER_RECORD, f"a record has {length[row]} values, which hold {many:.2g} sequences of {size}")
        total += many
    _refuse(total, MOST, f"the records hold {total:.2g} sequences of {size} values")


def refuse_endless_sets(length: NDArray[np.int64], size: int) -> None:
    """Refuse rows of different items that hold more sets of a size than can be counted, as :func:`refuse_endless`.

    Examples
    --------
    >>> refuse_endless_sets(np.array([300, 2]), 9)
    Traceback (most recent call last):
    ValueError: a record has 300 items, which hold 4.8e+16 sets of 9, more than can be counted; ...
    """
    if not _are_few(length, size):
        longest = int(length.max(initial=0))
        many = float(math.comb(longest, size))
        _refuse(many, MAX_PER_RECORD, f"a record has {longest} items, which hold {many:.2g} sets of {size}")
        _refuse(math.inf, MOST, f"the records hold more than {MOST:.0e} sets of {size} items")


def _are_few(length: NDArray[np.int64], size: int) -> bool:
    """Tell whether even all ways of choosing positions are few."""
    lengths, times = np.unique(length, return_counts=True)
    ways = [math.comb(int(n), size) for n in lengths]
    total = sum(way * int(n) for way, n in zip(ways, times, strict=True))
    return max(ways, default=0) <= MAX_PER_RECORD and total <= MOST


def _refuse(many: float, most: float, problem: str) -> None:
    if many > most:
        raise ValueError(
            f"{problem}, more than can be counted; use a smaller m, split records into shorter ones, or leave the "
            "longest out."
        )
