"""Records that are the same are counted once."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["MIX", "Records", "choose_factors", "collapse"]

_LARGEST_KEY = 1 << 62
MIX = np.uint64(0x9E3779B97F4A7C15)
"""Keys are multiplied with it and spread over a hash table."""


class Records(NamedTuple):
    """Different records with how often they occur.

    Attributes
    ----------
    value
        Value of every attribute, one row per different record.
    weight
        How many records are like this.
    people
        How many people of a population are like this; empty where there is no population.
    start, sensitive, times
        Different record r has the sensitive values ``sensitive[start[r]:start[r + 1]]``, so many ``times`` each;
        ``start`` is empty where they are not asked for. Values of several columns are numbered one after the other.
    """

    value: NDArray[np.int32]
    weight: NDArray[np.int64]
    people: NDArray[np.int64]
    start: NDArray[np.int64]
    sensitive: NDArray[np.int32]
    times: NDArray[np.int64]


def choose_factors(sizes: list[int]) -> tuple[NDArray[np.int64], bool]:
    """Return what to multiply codes with, so that sums tell rows apart, and whether they always do.

    Where 62 bits do not number all rows there could be, the factors are odd numbers without a pattern: sums may meet,
    and rows are then compared code by code.

    Examples
    --------
    >>> choose_factors([10, 3])
    (array([ 1, 10]), True)
    """
    radix, factor = 1, []
    for size in sizes:
        factor.append(radix)
        radix *= size
    if radix < _LARGEST_KEY:
        return np.array(factor, np.int64), True
    odd = [(0xD1342543DE82EF95 * (2 * i + 3) ^ 0x2545F4914F6CDD1D) % _LARGEST_KEY | 1 for i in range(len(sizes))]
    return np.array(odd, np.int64), False


@njit(cache=True, nogil=True)
def _number_rows(
    value: NDArray[np.int32], factor: NDArray[np.int64], is_exact: bool
) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return which different row every row is, and where each different row is found first."""
    rows, width = value.shape
    slots = np.int64(16)
    while slots < 2 * rows:
        slots *= 2
    mask = np.uint64(slots - 1)
    keys = np.empty(slots, np.int64)
    owner = np.full(slots, -1, np.int32)
    number = np.empty(rows, np.int64)
    first = np.empty(rows, np.int64)
    count = 0
    for row in range(rows):
        key = np.int64(0)
        for attribute in range(width):
            key += value[row, attribute] * factor[attribute]
        mixed = np.uint64(key) * MIX
        slot = (mixed ^ (mixed >> np.uint64(29))) & mask
        while True:
            if owner[slot] < 0:
                keys[slot], owner[slot], first[count] = key, count, row
                number[row] = count
                count += 1
                break
            if keys[slot] == key:
                here = first[owner[slot]]
                same = True
                if not is_exact:
                    for attribute in range(width):
                        same = same and value[row, attribute] == value[here, attribute]
                if same:
                    number[row] = owner[slot]
                    break
            slot = (slot + np.uint64(1)) & mask
    return number, first[:count].copy()


def collapse(
    value: NDArray[np.int32],
    is_person: NDArray[np.bool_] | None = None,
    sensitive: list[NDArray[np.int64]] | None = None,
    widths: list[int] | None = None,
) -> tuple[Records, NDArray[np.int64]]:
    """Count records that are the same once; return the different records, and which of them every row is.

    Parameters
    ----------
    value
        Value of every attribute, one row per record; with a population, its people are rows as well.
    is_person
        Whether a row is a person of the population and no record.
    sensitive
        Value of every record in each sensitive column that is asked about.
    widths
        Number of values of each sensitive column.

    Examples
    --------
    >>> records, number = collapse(np.array([[0, 1], [2, 0], [0, 1]], np.int32), sensitive=[np.array([1, 0, 0])],
    ...                            widths=[2])
    >>> records.value.tolist(), records.weight.tolist(), number.tolist()
    ([[0, 1], [2, 0]], [2, 1], [0, 1, 0])
    >>> records.start.tolist(), records.sensitive.tolist(), records.times.tolist()
    ([0, 2, 3], [0, 1, 0], [1, 1, 1])
    """
    rows = np.ascontiguousarray(value, dtype=np.int32)
    factor, is_exact = choose_factors([int(column.max(initial=0)) + 1 for column in value.T])
    number, first = _number_rows(rows, factor, is_exact)
    people = np.empty(0, np.int64)
    mine = number
    if is_person is not None:
        people = np.bincount(number[is_person], minlength=len(first)).astype(np.int64)
        mine = number[~is_person]
    count = np.bincount(mine, minlength=len(first)).astype(np.int64)
    start, values, times = np.empty(0, np.int64), np.empty(0, np.int32), np.empty(0, np.int64)
    if sensitive:
        start, values, times = _list_values(mine, len(first), sensitive, widths or [])
    return Records(rows[first], count, people, start, values, times), number


def _list_values(
    number: NDArray[np.int64], different: int, sensitive: list[NDArray[np.int64]], widths: list[int]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int64]]:
    """Return the sensitive values of every different record, columns numbered one after the other."""
    width = sum(widths)
    offset = np.cumsum([0, *widths])
    keys = np.concatenate([number * width + begin + values for begin, values in zip(offset, sensitive, strict=False)])
    keys.sort()
    is_first = np.empty(len(keys), np.bool_)
    is_first[:1] = True
    np.not_equal(keys[1:], keys[:-1], out=is_first[1:])
    at = np.flatnonzero(is_first)
    times = np.diff(np.append(at, len(keys)))
    owner, value = np.divmod(keys[at], width)
    start = np.searchsorted(owner, np.arange(different + 1)).astype(np.int64)
    return start, value.astype(np.int32), times.astype(np.int64)
