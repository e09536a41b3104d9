"""Distances among some people: from a person, from the centroid of those left, and between groups.

Squared distances are whole numbers. A small set of people has them all in a table; a large one keeps durations that
are not zero and works out rows when they are asked for, so memory stays at the size of the aggregated data. The squared
distance from a centroid follows from sums of squared distances, exactly, so no centroid is ever rounded.

The plain distance is Euclid's over all activities. The weighted one is ``d1 - weight * d2`` with d1 over the activities
that are not sensitive and d2 over the sensitive ones; it may be negative and is no metric.
"""

import math
from collections.abc import Sequence
from fractions import Fraction
from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.activity._kernels.durations import Activities, aggregate, number_selected, tabulate_squares

__all__ = [
    "Points",
    "Space",
    "build_space",
    "measure_from_centroid",
    "measure_from_person",
    "measure_gap",
    "rank_groups",
    "take_out",
]

_SMALL = 2048  # so many people have a table of all distances, whatever their durations take
_CELLS_OF_ROWS = 8_000_000  # distances of a large set that are remembered: 64 MB
_PEOPLE_PER_BLOCK = 256  # so many are aggregated at a time
_LARGEST = 1 << 62


class Points(NamedTuple):
    """People as durations of activities, or as the distances between these.

    Attributes
    ----------
    offsets, kind, duration
        Person p spends ``duration[i]`` slots on activity and interval ``kind[i]`` for i from ``offsets[p]`` up to
        ``offsets[p + 1]``; no offsets when all distances are in the table.
    width
        How many activities and intervals there are.
    norms
        By person: the squared length of the durations.
    rows
        Squared distances from some people to everybody.
    place
        By person: which of the rows is theirs, or -1.
    holder
        By row: whose it is, or -1.
    cursor
        The row to be overwritten next.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [0, 1, 1]], np.int32)
    >>> build_space(Activities(codes, 2, np.array([1])), np.arange(2), 3, None).plain.rows.tolist()
    [[0, 2], [2, 0]]
    """

    offsets: NDArray[np.int64]
    kind: NDArray[np.int32]
    duration: NDArray[np.int32]
    width: int
    norms: NDArray[np.int64]
    rows: NDArray[np.int64]
    place: NDArray[np.int64]
    holder: NDArray[np.int64]
    cursor: NDArray[np.int64]


class Space(NamedTuple):
    """Some people, numbered from 0, and how far they are from each other.

    Attributes
    ----------
    plain
        Durations of the activities that count as they are.
    secret
        Durations of the sensitive activities when the distance is weighted; else of nobody.
    plain_sums, secret_sums
        By person: the sum of the squared distances to everybody.
    weight
        The weight of the sensitive activities.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [0, 1, 1]], np.int32)
    >>> space = build_space(Activities(codes, 2, np.array([1])), np.arange(2), 3, 0.5)
    >>> space.plain_sums.tolist(), space.secret_sums.tolist()
    ([1, 1], [1, 1])
    """

    plain: Points
    secret: Points
    plain_sums: NDArray[np.int64]
    secret_sums: NDArray[np.int64]
    weight: float


def build_space(activities: Activities, people: NDArray[np.int64], length: int, weight: float | None) -> Space:
    """Place some people by their durations per interval.

    Parameters
    ----------
    activities
        What everybody did.
    people
        Who, in rising order, so that the first of equally distant people is the first of all.
    length
        Slots in an interval.
    weight
        The weight of the sensitive activities; None: they count like any other.

    Raises
    ------
    OverflowError
        If sums of squared distances do not fit 62 bits; coarser slots will do.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [0, 1, 1], [2, 2, 2]], np.int32)
    >>> space = build_space(Activities(codes, 3, np.array([2])), np.arange(3), 3, None)
    >>> space.plain.rows.tolist(), space.plain_sums.tolist()
    ([[0, 2, 14], [2, 0, 14], [14, 14, 0]], [16, 16, 28])
    """
    slots = activities.codes.shape[1]
    if 2 * slots * min(length, slots) * people.size**2 >= _LARGEST:
        raise OverflowError("sums of squared durations need more than 62 bits: use coarser slots")
    everything = np.arange(activities.activities)
    if weight is None:
        plain = _build_points(activities, people, length, everything)
        nobody = _build_points(activities, people[:0], length, everything[:0])
        return Space(plain, nobody, _sum_rows(plain), _sum_rows(nobody), 0.0)
    plain = _build_points(activities, people, length, np.setdiff1d(everything, activities.sensitive))
    secret = _build_points(activities, people, length, activities.sensitive)
    return Space(plain, secret, _sum_rows(plain), _sum_rows(secret), float(weight))


def _fits_table(size: int, width: int) -> bool:
    """Tell whether a table of all distances is small, or no larger than the durations."""
    return size <= max(_SMALL, width)


def _build_points(
    activities: Activities, people: NDArray[np.int64], length: int, selected: NDArray[np.int64]
) -> Points:
    """Place people by their durations of some activities."""
    column = number_selected(activities.activities, selected)
    width = -(-activities.codes.shape[1] // length) * selected.size
    size, cursor = people.size, np.zeros(1, np.int64)
    if _fits_table(size, width):
        table = tabulate_squares(activities.codes, length, column, people)
        nothing, norms = np.empty(0, np.int64), np.zeros(size, np.int64)
        none = nothing.astype(np.int32)
        return Points(nothing, none, none, width, norms, table, np.arange(size), np.arange(size), cursor)
    offsets, kind, duration, norms = _list_durations(activities.codes, length, column, people)
    rows = np.empty((max(4, _CELLS_OF_ROWS // size), size), np.int64)
    place, holder = np.full(size, -1, np.int64), np.full(rows.shape[0], -1, np.int64)
    return Points(offsets, kind, duration, width, norms, rows, place, holder, cursor)


def _list_durations(
    codes: NDArray[np.int32], length: int, column: NDArray[np.int64], people: NDArray[np.int64]
) -> tuple[NDArray[np.int64], NDArray[np.int32], NDArray[np.int32], NDArray[np.int64]]:
    """List the durations that are not zero: offsets by person, kinds, durations, and squared lengths by person."""
    kinds, durations, counts, norms = [], [], [], []
    for begin in range(0, people.size, _PEOPLE_PER_BLOCK):
        block = aggregate(codes, length, column, people[begin : begin + _PEOPLE_PER_BLOCK])
        person, kind = np.nonzero(block)
        kinds.append(kind.astype(np.int32))
        durations.append(block[person, kind].astype(np.int32))
        counts.append(np.bincount(person, minlength=block.shape[0]))
        norms.append(np.einsum("ij,ij->i", block, block).astype(np.int64))
    offsets = np.concatenate(([0], np.cumsum(np.concatenate(counts)))).astype(np.int64)
    return offsets, np.concatenate(kinds), np.concatenate(durations), np.concatenate(norms)


def _sum_rows(points: Points) -> NDArray[np.int64]:
    """Sum the squared distances from every person to everybody."""
    if points.offsets.size == 0:
        return np.asarray(points.rows.sum(axis=1))
    products = _multiply(points, _add_durations(points, np.arange(points.norms.size)))
    return np.asarray(points.norms * points.norms.size + points.norms.sum() - 2 * products)


@njit(cache=True, nogil=True)
def _add_durations(points: Points, people: NDArray[np.int64]) -> NDArray[np.int64]:
    """Add up the durations of some people by activity and interval."""
    total = np.zeros(points.width, np.int64)
    for person in people:
        for at in range(points.offsets[person], points.offsets[person + 1]):
            total[points.kind[at]] += points.duration[at]
    return total


@njit(cache=True, nogil=True)
def _multiply(points: Points, total: NDArray[np.int64]) -> NDArray[np.int64]:
    """Multiply everybody's durations with others."""
    products = np.zeros(points.norms.size, np.int64)
    for person in range(products.size):
        product = 0
        for at in range(points.offsets[person], points.offsets[person + 1]):
            product += points.duration[at] * total[points.kind[at]]
        products[person] = product
    return products


@njit(cache=True, nogil=True)
def _find_row(points: Points, person: int) -> NDArray[np.int64]:
    """Find the squared distances from a person to everybody; good until a few more have been asked for."""
    place = points.place[person]
    if place < 0:
        place = points.cursor[0]
        points.cursor[0] = (place + 1) % points.holder.size
        if points.holder[place] >= 0:
            points.place[points.holder[place]] = -1
        points.holder[place], points.place[person] = person, place
        products = _multiply(points, _add_durations(points, np.array([person])))
        row, own = points.rows[place], points.norms[person]
        for other in range(row.size):
            row[other] = points.norms[other] + own - 2 * products[other]
    distances: NDArray[np.int64] = points.rows[place]
    return distances


@njit(cache=True, nogil=True)
def measure_from_person(space: Space, person: int, distance: NDArray[np.float64]) -> None:
    """Fill in how far everybody is from a person, squared when the distance is plain."""
    row = _find_row(space.plain, person)
    if space.secret.place.size == 0:
        for other in range(row.size):
            distance[other] = row[other]
        return
    secret = _find_row(space.secret, person)
    for other in range(row.size):
        distance[other] = math.sqrt(row[other]) - space.weight * math.sqrt(secret[other])


@njit(cache=True, nogil=True)
def measure_from_centroid(
    space: Space, plain_sums: NDArray[np.int64], secret_sums: NDArray[np.int64], left: NDArray[np.bool_]
) -> NDArray[np.float64]:
    """Tell how far everybody is from the centroid of those left, as a number that ranks them alike.

    The sums are of squared distances to those left: divided by their number they are the squared distances from the
    centroid, but for a constant.
    """
    distance = np.empty(left.size)
    if space.secret.place.size == 0:
        for person in range(left.size):
            distance[person] = plain_sums[person]
        return distance
    size, plain_total, secret_total = 0, 0, 0
    for person in range(left.size):
        if left[person]:
            size += 1
            plain_total += plain_sums[person]
            secret_total += secret_sums[person]
    square = float(size * size)
    for person in range(left.size):
        plain = (size * plain_sums[person] - plain_total // 2) / square
        secret = (size * secret_sums[person] - secret_total // 2) / square
        distance[person] = math.sqrt(plain) - space.weight * math.sqrt(secret)
    return distance


@njit(cache=True, nogil=True)
def take_out(points: Points, people: NDArray[np.int64], sums: NDArray[np.int64]) -> None:
    """Take some people out of everybody's sum of squared distances."""
    if points.offsets.size == 0:
        for person in people:
            row = points.rows[person]
            for other in range(sums.size):
                sums[other] -= row[other]
        return
    products = _multiply(points, _add_durations(points, people))
    norm = points.norms[people].sum()
    for other in range(sums.size):
        sums[other] -= people.size * points.norms[other] + norm - 2 * products[other]


@njit(cache=True, nogil=True)
def _sum_between(points: Points, group: NDArray[np.int64], others: NDArray[np.int64]) -> int:
    """Sum the squared distances between every person of one group and every person of another."""
    if points.offsets.size == 0:
        between = 0
        for person in group:
            for other in others:
                between += points.rows[person, other]
        return between
    product = (_add_durations(points, group) * _add_durations(points, others)).sum()
    return int(others.size * points.norms[group].sum() + group.size * points.norms[others].sum() - 2 * product)


def measure_gap(points: Points, group: NDArray[np.int64], others: NDArray[np.int64]) -> Fraction:
    """Measure the squared distance between the centroids of two groups, exactly.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [0, 1, 1], [2, 2, 2]], np.int32)
    >>> space = build_space(Activities(codes, 3, np.array([2])), np.arange(3), 3, None)
    >>> measure_gap(space.plain, np.array([0, 1]), np.array([2]))
    Fraction(27, 2)
    """
    between = Fraction(int(_sum_between(points, group, others)), group.size * others.size)
    within = Fraction(int(_sum_between(points, group, group)), 2 * group.size**2)
    return between - within - Fraction(int(_sum_between(points, others, others)), 2 * others.size**2)


def rank_groups(space: Space, groups: Sequence[NDArray[np.int64]], people: NDArray[np.int64]) -> list[int]:
    """Rank groups by the distance of their centroid from that of some people, earlier groups first when equally far.

    Examples
    --------
    >>> codes = np.array([[0, 0, 1], [0, 1, 1], [2, 2, 2], [1, 1, 1]], np.int32)
    >>> space = build_space(Activities(codes, 3, np.array([2])), np.arange(4), 3, None)
    >>> rank_groups(space, [np.array([2]), np.array([0, 1])], np.array([3]))
    [1, 0]
    """
    plain = [measure_gap(space.plain, group, people) for group in groups]
    if space.secret.place.size == 0:
        return sorted(range(len(groups)), key=plain.__getitem__)
    secret = [measure_gap(space.secret, group, people) for group in groups]
    far = [
        math.sqrt(plain_gap) - space.weight * math.sqrt(other) for plain_gap, other in zip(plain, secret, strict=True)
    ]
    return sorted(range(len(groups)), key=far.__getitem__)
