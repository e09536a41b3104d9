"""Places from coordinates: cells of a grid, cells of a quadtree, or regions drawn by somebody."""

from __future__ import annotations

import dataclasses
import difflib
import heapq
import math
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.errors import ParameterError, SchemaError
from sfumato.io.cells import name_marked
from sfumato.io.projection import Projection
from sfumato.io.regions import locate_in_regions, read_regions

__all__ = [
    "DerivedPlaces",
    "PlaceRule",
    "Positions",
    "average_positions",
    "derive_places",
    "locate",
    "parse_place_rule",
    "tabulate_places",
]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

_WIDEST = 1e12  # beyond this, plane coordinates lose the digits that tell places apart
_LEVELS = 31  # of a quadtree: two coordinates of 31 bits fit a whole number of 64


@dataclasses.dataclass(frozen=True)
class PlaceRule:
    """How places are made of coordinates.

    Examples
    --------
    >>> parse_place_rule("grid:0.5km")
    PlaceRule(kind='grid', size=500.0, limit=0, file='', outside='error')
    """

    kind: str
    size: float = 0.0
    limit: int = 0
    file: str = ""
    outside: str = "error"

    def describe(self) -> str:
        """Say in words what a place is."""
        if self.kind == "grid":
            return f"square cells of {self.size:g} m"
        return f"cells of a quadtree of at most {self.limit:,}" if self.kind == "quadtree" else "regions"


def parse_place_rule(text: str) -> PlaceRule:
    """Read ``grid:500m``, ``grid:0.5km``, ``quadtree:500`` or ``regions:FILE[,outside=drop]``.

    Examples
    --------
    >>> parse_place_rule("quadtree:500").limit
    500
    >>> parse_place_rule("regions:districts.geojson,outside=drop").outside
    'drop'
    >>> parse_place_rule("grd:500m")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: reading: places must be grid:500m, quadtree:500 or regions:FILE,
    got 'grd:500m'. Did you mean grid?
    """
    kind, _, rest = text.partition(":")
    kind, rest = kind.strip(), rest.strip()
    if kind == "grid" and (match := re.fullmatch(r"(\d+\.?\d*|\.\d+)\s*(m|km|)", rest)):
        size = float(match[1]) * (1_000 if match[2] == "km" else 1)
        if 0 < size < math.inf:
            return PlaceRule("grid", size=size)
    elif kind == "quadtree" and re.fullmatch(r"\d{1,9}", rest) and int(rest) >= 1:
        return PlaceRule("quadtree", limit=int(rest))
    elif kind == "regions" and rest:
        file, found, outside = rest.rpartition(",outside=")
        if not found:
            return PlaceRule("regions", file=rest)
        if file and outside.strip() in {"drop", "error"}:
            return PlaceRule("regions", file=file, outside=outside.strip())
    near = difflib.get_close_matches(kind, ("grid", "quadtree", "regions"), n=1)
    hint = f" Did you mean {near[0]}?" if near and near[0] != kind else ""
    raise ParameterError(f"reading: places must be grid:500m, quadtree:500 or regions:FILE, got {text!r}.{hint}")


class Positions(NamedTuple):
    """Points as they are in the file, and on the plane."""

    given_x: Floats
    given_y: Floats
    x: Floats
    y: Floats
    projection: Projection | None
    """How the points came to the plane; None if they were there."""


def locate(owner: str, names: tuple[str, str], given: tuple[Floats, Floats], *, lonlat: bool) -> Positions:
    """Bring points to a plane; longitude and latitude are projected to metres.

    Examples
    --------
    >>> lon, lat = np.array([8.21, 8.22]), np.array([53.14, 53.14])
    >>> points = locate("visits.csv", ("lon", "lat"), (lon, lat), lonlat=True)
    >>> round(float(points.x[1] - points.x[0]))
    667
    >>> locate("visits.csv", ("lon", "lat"), (lat, 2 * lat), lonlat=True)
    Traceback (most recent call last):
        ...
    sfumato.core.errors.SchemaError: visits.csv: column 'lat' must lie between -90 and 90, not so in rows 1, 2.
    Correct the data, or say that coordinates are plane.
    """
    bounds = (180.0, 90.0) if lonlat else (_WIDEST, _WIDEST)
    hint = "Correct the data, or say that coordinates are plane." if lonlat else "Correct the data."
    for name, values, bound in zip(names, given, bounds, strict=True):
        outside = np.abs(values) > bound
        if outside.any():
            raise SchemaError(
                f"{owner}: column {name!r} must lie between -{bound:g} and {bound:g}, not so in "
                f"{name_marked(outside)}. {hint}"
            )
    if not lonlat:
        return Positions(*given, *given, None)
    projection = Projection.about(*given)
    return Positions(*given, *projection.forward(*given), projection)


class DerivedPlaces(NamedTuple):
    """The place of every point (-1 for none), and the places."""

    codes: Ints
    labels: list[str]
    x: Floats
    y: Floats
    outlines: list[str]


def derive_places(rule: PlaceRule, points: Positions) -> DerivedPlaces:
    """Make places of points by a rule.

    Examples
    --------
    >>> corner = np.array([0.0, 120.0, 130.0])
    >>> points = locate("visits.csv", ("x", "y"), (corner, corner), lonlat=False)
    >>> cells = derive_places(parse_place_rule("grid:100"), points)
    >>> cells.codes.tolist(), cells.labels, cells.x.tolist()
    ([0, 1, 1], ['x0y0', 'x1y1'], [50.0, 150.0])
    >>> cells.outlines[0]
    'POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))'
    """
    if rule.kind == "grid":
        return _grid(rule.size, points)
    if rule.kind == "quadtree":
        return _quadtree(rule.limit, points)
    regions = read_regions(rule.file, lonlat=points.projection is not None)
    codes = locate_in_regions(regions, points.given_x, points.given_y)
    centres = np.array([region.centre() for region in regions], dtype=np.float64)
    x, y = centres[:, 0], centres[:, 1]
    if points.projection is not None:
        x, y = points.projection.forward(x, y)
    names, outlines = [region.name for region in regions], [region.outline() for region in regions]
    return DerivedPlaces(codes, names, x, y, outlines)


def _grid(size: float, points: Positions) -> DerivedPlaces:
    columns, rows = np.floor(points.x / size), np.floor(points.y / size)
    west, south = columns.min(), rows.min()
    if max(np.ptp(columns), np.ptp(rows), abs(west), abs(south)) >= 2**31:
        raise ParameterError(
            f"reading: places=grid:{size:g}m is too fine for data that extend over "
            f"{np.ptp(points.x):g} x {np.ptp(points.y):g}. Give larger cells."
        )
    height = int(np.ptp(rows)) + 1
    keys = (columns - west).astype(np.int64) * height + (rows - south).astype(np.int64)
    distinct, codes = np.unique(keys, return_inverse=True)
    column, row = np.divmod(distinct, height)
    left, bottom = (west + column) * size, (south + row) * size
    labels = [f"x{i}y{j}" for i, j in zip(column.tolist(), row.tolist(), strict=True)]
    corners = np.stack([left, bottom, (west + column + 1) * size, (south + row + 1) * size])
    return DerivedPlaces(codes.astype(np.int32), labels, *_centres_and_outlines(corners, points.projection))


def _quadtree(limit: int, points: Positions) -> DerivedPlaces:
    """Split the fullest cell, ties by label, until one more split would exceed the limit."""
    west, south = points.x.min(), points.y.min()
    side = float(max(np.ptp(points.x), np.ptp(points.y))) or 1.0
    keys = _interleave(*((v / side * 2**_LEVELS) for v in (points.x - west, points.y - south)))
    order = np.argsort(keys, kind="stable")
    ranked = keys[order]
    final: list[tuple[str, int, int]] = []
    heap: list[tuple[int, str, int, int]] = []

    def add(path: str, low: int, high: int) -> None:
        if ranked[low] == ranked[high - 1]:
            final.append((path, low, high))
        else:
            heapq.heappush(heap, (low - high, path, low, high))

    add("q", 0, len(ranked))
    while heap:
        _, path, low, high = heap[0]
        shift = 2 * (_LEVELS - len(path))
        first = int(ranked[low]) >> (shift + 2) << 2
        cuts = np.searchsorted(ranked[low:high], [(first + quarter) << shift for quarter in (1, 2, 3)])
        ends = [low, *(low + cuts).tolist(), high]
        filled = [q for q in range(4) if ends[q] < ends[q + 1]]
        if len(final) + len(heap) - 1 + len(filled) > limit:
            break
        heapq.heappop(heap)
        for quarter in filled:
            add(f"{path}{quarter}", ends[quarter], ends[quarter + 1])
    final.extend((path, low, high) for _, path, low, high in heap)
    codes = np.empty(len(ranked), np.int32)
    for code, (_, low, high) in enumerate(final):
        codes[order[low:high]] = code
    labels = [path for path, _, _ in final]
    corners = np.array([_square(path, west, south, side) for path in labels]).T
    return DerivedPlaces(codes, labels, *_centres_and_outlines(corners, points.projection))


def _interleave(x: Floats, y: Floats) -> Longs:
    """Mix the bits of two coordinates, so that each quarter of a square is a run of numbers."""
    mixed = np.zeros(len(x), np.int64)
    for shift, values in ((0, x), (1, y)):
        bits = np.minimum(values, 2**_LEVELS - 1).astype(np.int64)
        for step, mask in (
            (16, 0x0000FFFF0000FFFF),
            (8, 0x00FF00FF00FF00FF),
            (4, 0x0F0F0F0F0F0F0F0F),
            (2, 0x3333333333333333),
            (1, 0x5555555555555555),
        ):
            bits = (bits | bits << step) & mask
        mixed |= bits << shift
    return mixed


def _square(path: str, west: float, south: float, side: float) -> tuple[float, float, float, float]:
    """Return the corners of a cell: quarters are 0 south-west, 1 south-east, 2 north-west, 3 north-east."""
    column = row = 0
    for quarter in path[1:]:
        column, row = 2 * column + int(quarter) % 2, 2 * row + int(quarter) // 2
    edge = side / 2 ** (len(path) - 1)
    return (
        west + column * edge,
        south + row * edge,
        west + (column + 1) * edge,
        south + (row + 1) * edge,
    )


def _centres_and_outlines(corners: Floats, projection: Projection | None) -> tuple[Floats, Floats, list[str]]:
    left, bottom, right, top = corners
    x, y = (left + right) / 2, (bottom + top) / 2
    if projection is not None:
        left, bottom = projection.unrolled(left, bottom)
        right, top = projection.unrolled(right, top)
        left, bottom, right, top = (np.round(side, 7) for side in (left, bottom, right, top))
    outlines = []
    for w, s, e, n in zip(left.tolist(), bottom.tolist(), right.tolist(), top.tolist(), strict=True):
        w, s, e, n = (f"{side:.12g}" for side in (w, s, e, n))
        outlines.append(f"POLYGON (({w} {s}, {e} {s}, {e} {n}, {w} {n}, {w} {s}))")
    return x, y, outlines


def average_positions(codes: Longs | Ints, count: int, points: Positions) -> tuple[Floats, Floats, int]:
    """Return one point per place, the mean of its points, and the number of places whose points differ.

    Examples
    --------
    >>> x = np.array([0.0, 2.0, 5.0])
    >>> points = locate("visits.csv", ("x", "y"), (x, x), lonlat=False)
    >>> average_positions(np.array([0, 0, 1]), 2, points)
    (array([1., 5.]), array([1., 5.]), 1)
    """
    first = np.empty(count, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    x, y = points.x[first], points.y[first]
    differ = np.zeros(count, bool)
    differ[codes[(points.x != x[codes]) | (points.y != y[codes])]] = True
    rows = np.flatnonzero(differ[codes])
    if len(rows):
        # Sorted first, so that the order of the rows cannot change the last digit.
        rows = rows[np.lexsort((points.y[rows], points.x[rows], codes[rows]))]
        _, starts, counts = np.unique(codes[rows], return_index=True, return_counts=True)
        x[differ] = np.add.reduceat(points.x[rows], starts) / counts
        y[differ] = np.add.reduceat(points.y[rows], starts) / counts
    return x, y, int(differ.sum())


def tabulate_places(
    labels: list[str], x: Floats, y: Floats, projection: Projection | None, outlines: list[str] | None = None
) -> pa.Table:
    """Lay places out as ``place, x, y``, with ``lon, lat`` if projected and ``outline`` if there are any.

    Examples
    --------
    >>> tabulate_places(["a"], np.array([1.0]), np.array([2.0]), None).to_pylist()
    [{'place': 'a', 'x': 1.0, 'y': 2.0}]
    """
    columns: dict[str, object] = {"place": pa.array(labels, pa.string()), "x": x, "y": y}
    if projection is not None:
        columns["lon"], columns["lat"] = projection.inverse(x, y)
    if outlines is not None:
        columns["outline"] = pa.array(outlines, pa.string())
    return pa.table(columns)
