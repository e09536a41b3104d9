"""Squares as places: a grid, or a quadtree. Their positions never depend on the data.

A square's name is its position, in every file and every batch alike: ``x3y5`` is column 3 and row 5 of a grid,
``z14x-4823y2263`` the square of a hierarchy at level 14. Of the data it depends only which squares occur and, in a
quadtree, where squares are quartered, which takes a number of people.
"""

from __future__ import annotations

import heapq
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.places import PlaceOrigin
from sfumato.exceptions import ParameterError
from sfumato.kinds.trajectories.dataset.cells import find_bounds, find_cells
from sfumato.kinds.trajectories.dataset.locations import EARTH_RADIUS
from sfumato.messages import Message, option

__all__ = ["Squares", "cut_grid", "grow_quadtree"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_MOST = 2**31


class Squares(NamedTuple):
    """The square of every point, and name and corners (west, south, east, north) of the squares.

    Examples
    --------
    >>> cut_grid(100.0, np.array([1.0, 101.0, 2.0]), np.zeros(3), lonlat=False).codes.tolist()
    [0, 1, 0]
    """

    codes: Ints
    labels: list[str]
    corners: Floats


def cut_grid(size: float, x: Floats, y: Floats, *, lonlat: bool) -> Squares:
    """Put points into the cells of a grid, squares of a size in metres or plane units.

    On a plane, column i begins at ``i * size``. On the globe rows have the height that divides the way from pole to
    pole best, and the columns of a row have the width, at the middle of the row, that divides its circle best: so a
    cell has its size wherever it lies.

    Examples
    --------
    >>> cells = cut_grid(100.0, np.array([0.0, 120.0]), np.array([0.0, -1.0]), lonlat=False)
    >>> cells.labels, cells.corners.tolist()
    (['x0y0', 'x1y-1'], [[0.0, 0.0, 100.0, 100.0], [100.0, -100.0, 200.0, 0.0]])
    """
    columns, rows = _globe_cells(size, x, y) if lonlat else (np.floor(x / size), np.floor(y / size))
    if max(np.abs(columns).max(initial=0), np.abs(rows).max(initial=0)) >= _MOST:
        raise ParameterError(
            Message(option("places", f"grid:{size:g}m"), f" is too fine for data of {np.ptp(x):g} x {np.ptp(y):g}."),
            hint="Give larger cells.",
        )
    west, south, height = columns.min(), rows.min(), int(np.ptp(rows)) + 1
    keys = (columns - west).astype(np.int64) * height + (rows - south).astype(np.int64)
    distinct, codes = np.unique(keys, return_inverse=True)
    column, row = np.divmod(distinct, height)
    column, row = column + int(west), row + int(south)
    labels = [f"x{i}y{j}" for i, j in zip(column.tolist(), row.tolist(), strict=True)]
    corners = np.column_stack([column, row, column + 1, row + 1]) * size
    if lonlat:
        count = _count_rows(size)
        width, tall = 360 / _count_columns(size, row, count), 180 / count
        corners = np.column_stack(
            [column * width - 180, row * tall - 90, (column + 1) * width - 180, (row + 1) * tall - 90]
        )
    return Squares(codes.astype(np.int32), labels, corners)


def _globe_cells(size: float, lon: Floats, lat: Floats) -> tuple[Floats, Floats]:
    count = _count_rows(size)
    rows = np.minimum(np.floor((lat + 90) * (count / 180)), count - 1)
    across = _count_columns(size, rows, count)
    # The meridian of 180 degrees is that of -180.
    columns = np.minimum(np.floor((lon + 180) % 360 * (across / 360)), across - 1)
    return columns, rows


def _count_rows(size: float) -> int:
    return max(1, round(np.pi * EARTH_RADIUS / size))


def _count_columns(size: float, rows: Floats | Longs, count: int) -> Floats:
    latitude = np.radians((rows + 0.5) * (180 / count) - 90)
    fitting: Floats = np.maximum(1.0, np.round(2 * np.pi * EARTH_RADIUS * np.cos(latitude) / size))
    return fitting


class _Square(NamedTuple):
    level: int
    column: int
    row: int
    points: Longs


def grow_quadtree(limit: int, origin: PlaceOrigin, x: Floats, y: Floats, person: Longs | Ints) -> Squares:
    """Quarter squares of the hierarchy where people are, at most so many squares being left.

    The square with most people is quartered first, ties by level, column and row, until one more would exceed the
    limit; it is the smallest square around its points that is quartered. A square with fewer people than
    ``origin.people`` is not.

    Examples
    --------
    >>> corner = np.array([0.1, 0.1, 0.1, 0.7])
    >>> origin = PlaceOrigin("quadtree", "plane", people=2)
    >>> squares = grow_quadtree(4, origin, corner, corner, np.array([0, 1, 1, 2]))
    >>> squares.codes.tolist(), squares.labels[1], squares.corners[1].tolist()
    ([0, 0, 0, 1], 'z42x1y1', [0.5, 0.5, 1.0, 1.0])
    """
    finest = origin.levels
    columns, rows = find_cells(origin, x, y)
    final: list[_Square] = []
    waiting: list[tuple[int, int, int, int, Longs]] = []

    def add(level: int, points: Longs) -> None:
        shift, first = finest - level, points[0]
        square = _Square(level, int(columns[first]) >> shift, int(rows[first]) >> shift, points)
        people = len(np.unique(person[points]))
        if people < origin.people or common_level(points) == finest:
            final.append(square if level else _Square(0, 0, 0, points))
        else:
            heapq.heappush(waiting, (-people, *(square if level else (0, 0, 0, points))))

    def common_level(points: Longs) -> int:
        """Return the level of the smallest square that holds the points."""
        spread = 0
        for axis in (columns[points], rows[points]):
            low, high = int(axis.min()), int(axis.max())
            # Only the whole square holds both sides of 0.
            spread = max(spread, finest if low < 0 <= high else (low ^ high).bit_length())
        return finest - spread

    add(0, np.arange(len(x)))
    while waiting:
        points = waiting[0][-1]
        level = common_level(points) + 1
        quarters = np.stack([columns[points] >> (finest - level), rows[points] >> (finest - level)])
        distinct, which = np.unique(quarters, axis=1, return_inverse=True)
        if len(final) + len(waiting) - 1 + distinct.shape[1] > limit:
            break
        heapq.heappop(waiting)
        for number in range(distinct.shape[1]):
            add(level, points[which.ravel() == number])
    final.extend(_Square(level, column, row, points) for _, level, column, row, points in waiting)
    final.sort(key=lambda square: square[:3])
    codes = np.empty(len(x), np.int32)
    for code, square in enumerate(final):
        codes[square.points] = code
    labels = [f"z{level}x{column}y{row}" for level, column, row, _ in final]
    corners = np.array([find_bounds(origin, *square[:3]) for square in final], dtype=np.float64)
    return Squares(codes, labels, corners)
