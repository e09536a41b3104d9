"""Where places go on paper: one scale for both axes, outlines, hulls, thinning, colours."""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

__all__ = ["Frame", "choose_colours", "find_window", "fit_frame", "parse_outline", "project", "thin_out"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Bools = npt.NDArray[np.bool_]
Ring = list[tuple[float, float]]

_OUTER_RING = re.compile(r"\(\s*\(([^()]+)\)")
_FAR_TAIL = 0.005


class Frame(NamedTuple):
    """A rectangle of the plane on paper: pixels per unit, the same both ways, and where its corner is.

    Examples
    --------
    >>> frame = fit_frame(np.array([[0.0, 0.0], [10.0, 5.0]]), width=120, tallest=200, margin=10)
    >>> frame.height, frame.draw(np.array([[0.0, 5.0]])).tolist()
    (70.0, [[10.0, 10.0]])
    """

    left: float
    top: float
    scale: float
    width: float
    height: float

    def draw(self, points: Floats) -> Floats:
        """Return points in pixels, y downwards, to a tenth of a pixel."""
        x = (points[:, 0] - self.left) * self.scale
        y = (self.top - points[:, 1]) * self.scale
        return np.column_stack([x, y]).round(1)


def fit_frame(points: Floats, width: float, tallest: float, margin: float = 12.0) -> Frame:
    """Fit points into a width and a largest height, both axes at the same scale."""
    low, high = (points.min(axis=0), points.max(axis=0)) if len(points) else (np.zeros(2), np.zeros(2))
    span = high - low
    inner, inner_height = width - 2 * margin, tallest - 2 * margin
    scale = min(inner / span[0] if span[0] else math.inf, inner_height / span[1] if span[1] else math.inf)
    if not math.isfinite(scale):
        scale = 1.0
    height = min(max(span[1] * scale + 2 * margin, 0.3 * width), tallest)
    centre = (low + high) / 2
    return Frame(
        left=float(centre[0] - width / 2 / scale),
        top=float(centre[1] + height / 2 / scale),
        scale=float(scale),
        width=width,
        height=round(float(height), 1),
    )


def find_window(points: Floats, weights: Ints) -> Bools:
    """Mark the points worth a map: all, unless a few far away would press the others together.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [1.0, 1.0], [900.0, 900.0]])
    >>> find_window(points, np.array([500, 500, 1])).tolist()
    [True, True, False]
    >>> find_window(points, np.array([5, 5, 5])).tolist()
    [True, True, True]
    """
    if not len(points) or not weights.sum():
        return np.ones(len(points), dtype=bool)
    low, high = (np.array([_weighted_quantile(axis, weights, q) for axis in points.T])
                 for q in (_FAR_TAIL, 1 - _FAR_TAIL))  # fmt: skip
    margin = 0.2 * (high - low)
    if np.all(2 * (high - low + 2 * margin) >= np.ptp(points, axis=0)):
        return np.ones(len(points), dtype=bool)
    inside: Bools = np.all((points >= low - margin) & (points <= high + margin), axis=1)
    return inside


def _weighted_quantile(values: Floats, weights: Ints, share: float) -> float:
    order = np.argsort(values, kind="stable")
    filled = np.cumsum(weights[order])
    return float(values[order][np.searchsorted(filled, share * filled[-1])])


def thin_out(pixels: Floats, weights: Ints, most: int) -> tuple[Ints, float]:
    """Keep at most so many points: the heaviest of every square, with squares just large enough.

    Returns
    -------
    tuple
        Positions of the points kept, and the side of the squares (0 if all are kept).

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [0.4, 0.4], [9.0, 9.0]])
    >>> thin_out(points, np.array([1, 5, 1]), most=2)
    (array([1, 2]), 1.0)
    """
    if len(pixels) <= most:
        return np.arange(len(pixels)), 0.0
    order = np.argsort(-weights, kind="stable")
    shifted = pixels[order] - pixels.min(axis=0)
    side = 1.0
    while True:
        squares = np.floor(shifted / side).astype(np.int64)
        _, first = np.unique(squares, axis=0, return_index=True)
        if len(first) <= most:
            return np.sort(order[first]), side
        side += 0.5


def parse_outline(wkt: str | None) -> list[Floats]:
    """Read the outer rings of a WKT polygon or multipolygon; none where the text is something else.

    Examples
    --------
    >>> parse_outline("POLYGON ((0 0, 1 0, 1 1, 0 0), (0.1 0, 0.2 0, 0.2 0.1, 0.1 0))")[0].tolist()
    [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0], [0.0, 0.0]]
    >>> parse_outline("POINT (1 2)")
    []
    """
    rings = []
    for ring in _OUTER_RING.findall(wkt or ""):
        try:
            corners = [[float(number) for number in corner.split()[:2]] for corner in ring.split(",")]
            rings.append(np.array(corners, dtype=np.float64).reshape(len(corners), 2))
        except ValueError:
            return []
    return rings


def project(points: Floats, reference: Floats, plane: Floats) -> Floats:
    """Bring longitudes and latitudes to the plane, seeing from known points how that was done.

    Plane coordinates are multiples of longitude and latitude; where the data lie on both sides of the date
    line, western longitudes count on beyond 180.

    Examples
    --------
    >>> known, plane = np.array([[179.0, 10.0], [-179.0, 20.0]]), np.array([[358.0, 30.0], [362.0, 60.0]])
    >>> project(np.array([[-180.0, 10.0]]), known, plane).tolist()
    [[360.0, 30.0]]
    """
    stronger = (reference[:, 0] < 0) & (plane[:, 0] > 0)
    unrolled = reference + np.column_stack([360.0 * stronger, np.zeros(len(reference))])
    squares = (unrolled**2).sum(axis=0)
    factors = np.where(squares > 0, (unrolled * plane).sum(axis=0) / np.where(squares > 0, squares, 1.0), 1.0)
    moved = points + np.column_stack([360.0 * (stronger.any() & (points[:, 0] < 0)), np.zeros(len(points))])
    scaled: Floats = moved * factors
    return scaled


def choose_colours(pixels: Floats, group: Ints, count: int) -> Ints:
    """Give every group one of `count` colours so that neighbours differ wherever that can be had.

    Parameters
    ----------
    pixels
        Where the members are.
    group
        Group of every member, numbered from 0.
    count
        How many colours there are.

    Examples
    --------
    >>> points = np.array([[0.0, 0.0], [1.0, 0.0], [2.0, 0.0]])
    >>> choose_colours(points, np.array([0, 1, 0]), 6).tolist()
    [0, 1]
    """
    groups = int(group.max(initial=-1)) + 1
    neighbours = _find_neighbours(pixels, group)
    colours = np.full(groups, -1, dtype=np.int64)
    used = np.zeros(count, dtype=np.int64)
    for number in np.argsort(-np.bincount(group, minlength=groups), kind="stable"):
        around = colours[list(neighbours[int(number)])] if neighbours[int(number)] else colours[:0]
        clashes = np.bincount(around[around >= 0], minlength=count)
        colours[number] = np.lexsort((used, clashes))[0]
        used[colours[number]] += 1
    return colours


def _find_neighbours(pixels: Floats, group: Ints) -> dict[int, set[int]]:
    """Return the groups that have a member in the same square of a grid or in one next to it."""
    side = max(4.0, 1.2 * math.sqrt(float(np.ptp(pixels, axis=0).prod()) / len(pixels))) if len(pixels) else 1.0
    squares: dict[tuple[int, int], set[int]] = defaultdict(set)
    for x, y, number in zip(*(pixels // side).astype(int).T.tolist(), group.tolist(), strict=True):
        squares[x, y].add(number)
    neighbours: dict[int, set[int]] = defaultdict(set)
    for (x, y), here in squares.items():
        around: set[int] = set()
        for i, j in _SQUARES_AROUND:
            around |= squares.get((x + i, y + j), set())
        for number in here:
            neighbours[number] |= around - {number}
    return neighbours


_SQUARES_AROUND: Sequence[tuple[int, int]] = [(i, j) for i in (-1, 0, 1) for j in (-1, 0, 1)]
