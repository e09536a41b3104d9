"""Durations of activities per interval, and the squared distances between people that follow from them.

Durations are whole numbers of slots, and so are their products and sums: held in double precision they are exact up to
2**53, in whatever order they are added, so equal distances are equal on every machine.

Most durations are zero, for few activities fill an hour. Products of them are therefore added up column by column with
the zeros left out, which takes less time than a dense matrix product, and no threads that wait for each other.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

__all__ = ["Activities", "aggregate", "number_selected", "sum_durations", "tabulate_squares"]

_CELLS_PER_BLOCK = 4_000_000  # durations held at a time while distances are added up: 32 MB


class Activities(NamedTuple):
    """What everybody did in every slot.

    Attributes
    ----------
    codes
        By person and slot: the activity, from 0 up to, not including, ``activities``.
    activities
        How many activities there are.
    sensitive
        Codes of the sensitive activities, distinct.
    gap
        Code of time that nothing is known about, which is none of the sensitive ones; -1 if there is none.

    Examples
    --------
    >>> home, away, gap = 0, 1, 2
    >>> days = Activities(np.array([[home, away], [home, gap]], np.int32), 3, np.array([away]), gap)
    >>> (days.codes == days.gap).sum(axis=1).tolist()
    [0, 1]
    """

    codes: NDArray[np.int32]
    activities: int
    sensitive: NDArray[np.int64]
    gap: int = -1


def number_selected(activities: int, selected: NDArray[np.int64]) -> NDArray[np.int64]:
    """Number some activities from 0; the others get -1.

    Examples
    --------
    >>> number_selected(4, np.array([1, 3])).tolist()
    [-1, 0, -1, 1]
    """
    column = np.full(activities, -1, np.int64)
    column[selected] = np.arange(selected.size)
    return column


def aggregate(
    codes: NDArray[np.int32], length: int, column: NDArray[np.int64], people: NDArray[np.int64] | None = None
) -> NDArray[np.float64]:
    """Count how many slots of every interval people spend on every kept activity.

    Parameters
    ----------
    codes
        By person and slot: the activity.
    length
        Slots in an interval; the last one may have fewer.
    column
        By activity: its number among the kept ones, or -1.
    people
        Whose durations; everybody's when left out.

    Returns
    -------
    NDArray[np.float64]
        By person: durations of the kept activities in the first interval, then in the second, and so on.

    Examples
    --------
    >>> aggregate(np.array([[0, 1, 1, 1, 0]], np.int32), 2, np.array([0, 1])).tolist()
    [[1.0, 1.0, 0.0, 2.0, 1.0, 0.0]]
    """
    if people is None:
        people = np.arange(codes.shape[0])
    return sum_durations(codes, length, column, people, np.arange(people.size))


def sum_durations(
    codes: NDArray[np.int32],
    length: int,
    column: NDArray[np.int64],
    people: NDArray[np.int64],
    group: NDArray[np.int64],
) -> NDArray[np.float64]:
    """Add up durations by group of people: `aggregate`, with one row per group.

    Examples
    --------
    >>> codes = np.array([[0, 1], [1, 1], [0, 0]], np.int32)
    >>> sum_durations(codes, 2, np.array([0, 1]), np.array([0, 2, 1]), np.array([0, 0, 1])).tolist()
    [[3.0, 1.0], [0.0, 2.0]]
    """
    column_count = int(column.max(initial=-1)) + 1
    intervals = -(-codes.shape[1] // length)
    durations = np.zeros((int(group.max(initial=-1)) + 1, intervals * column_count))
    _add_durations(codes, (length, column_count), column, people, group, durations)
    return durations


@njit(cache=True, nogil=True)
def _add_durations(
    codes: NDArray[np.int32],
    shape: tuple[int, int],
    column: NDArray[np.int64],
    people: NDArray[np.int64],
    group: NDArray[np.int64],
    durations: NDArray[np.float64],
) -> None:
    """Add the durations of people to the rows of their groups."""
    length, column_count = shape
    for at in range(people.size):
        row, slots = durations[group[at]], codes[people[at]]
        start = 0
        for begin in range(0, slots.size, length):
            for slot in range(begin, min(begin + length, slots.size)):
                number = column[slots[slot]]
                if number >= 0:
                    row[start + number] += 1.0
            start += column_count


def tabulate_squares(
    codes: NDArray[np.int32], length: int, column: NDArray[np.int64], people: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Tabulate the squared distances between the durations of all pairs of people.

    Examples
    --------
    >>> codes = np.array([[0, 1, 1, 1], [0, 0, 0, 0], [1, 0, 1, 1]], np.int32)
    >>> tabulate_squares(codes, 2, np.array([0, 1]), np.arange(3)).tolist()
    [[0, 10, 0], [10, 0, 10], [0, 10, 0]]
    >>> tabulate_squares(codes, 1, np.array([0, 1]), np.arange(3)).tolist()
    [[0, 6, 4], [6, 0, 6], [4, 6, 0]]
    """
    products = (
        _count_agreements(codes, column, people) if length == 1 else _multiply_pairs(codes, length, column, people)
    )
    norms = products.diagonal().copy()
    products *= -2
    products += norms[:, None]
    products += norms[None, :]
    return products


def _multiply_pairs(
    codes: NDArray[np.int32], length: int, column: NDArray[np.int64], people: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Multiply the durations of all pairs of people, so many intervals at a time that they stay small."""
    column_count = int(column.max(initial=-1)) + 1
    intervals = max(1, _CELLS_PER_BLOCK // max(1, people.size * column_count))
    products = np.zeros((people.size, people.size))
    for begin in range(0, codes.shape[1], intervals * length):
        durations = aggregate(codes[:, begin : begin + intervals * length], length, column, people)
        _add_products(np.ascontiguousarray(durations.T), products)
    return products.astype(np.int64)


@njit(cache=True, nogil=True)
def _add_products(columns: NDArray[np.float64], products: NDArray[np.float64]) -> None:
    """Add the products of all pairs of people; durations are given column by column."""
    people = columns.shape[1]
    for column in columns:
        for person in range(people):
            duration = column[person]
            if duration != 0.0:
                row = products[person]
                for other in range(people):
                    row[other] += duration * column[other]


def _count_agreements(
    codes: NDArray[np.int32], column: NDArray[np.int64], people: NDArray[np.int64]
) -> NDArray[np.int64]:
    """Count the slots in which pairs of people do the same kept activity, without a column per slot and activity."""
    column_count = int(column.max(initial=-1)) + 1
    narrow = np.uint8 if column_count < 254 else np.uint32
    # Activities that are not kept never agree: they have another number on the left than on the right.
    left, right = (np.where(column < 0, column_count + side, column).astype(narrow)[codes[people]] for side in (0, 1))
    agreements: NDArray[np.int64] = _compare_slots(left, right)
    return agreements


@njit(cache=True, nogil=True)
def _compare_slots(left: NDArray[np.uint8], right: NDArray[np.uint8]) -> NDArray[np.int64]:
    """Count equal slots of every pair."""
    people = left.shape[0]
    agreements = np.zeros((people, people), np.int64)
    for person in range(people):
        for other in range(person, people):
            equal = 0
            for slot in range(left.shape[1]):
                equal += left[person, slot] == right[other, slot]
            agreements[person, other] = agreements[other, person] = equal
    return agreements
