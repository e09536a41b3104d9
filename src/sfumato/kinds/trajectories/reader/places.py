"""Places from coordinates: cells of a grid, squares of a quadtree, or regions drawn by somebody."""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.errors import ParameterError, SchemaError
from sfumato.core.places import GRID, QUADTREE, REGIONS, PlaceOrigin
from sfumato.io.cells import name_marked
from sfumato.kinds.trajectories.reader.projection import Projection
from sfumato.kinds.trajectories.reader.regions import locate_in_regions, read_regions
from sfumato.kinds.trajectories.reader.squares import cut_grid, grow_quadtree

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
_PEOPLE = 10  # among whom a square is quartered, unless told otherwise


@dataclasses.dataclass(frozen=True)
class PlaceRule:
    """How places are made of coordinates.

    Examples
    --------
    >>> parse_place_rule("grid:0.5km").describe()
    'square cells of 500 m'
    """

    kind: str
    size: float = 0.0
    limit: int = 0
    file: str = ""
    outside: str = "error"
    people: int = _PEOPLE

    def describe(self) -> str:
        """Say in words what a place is."""
        if self.kind == "grid":
            return f"square cells of {self.size:g} m"
        if self.kind == "quadtree":
            return f"at most {self.limit:,} squares, quartered where at least {self.people:,} people are"
        return "regions"

    def origin(self, *, lonlat: bool) -> PlaceOrigin:
        """Return what is to be said about where the places lie."""
        coordinates = "lonlat" if lonlat else "plane"
        if self.kind == "grid":
            return PlaceOrigin(GRID, coordinates, size=self.size)
        if self.kind == "quadtree":
            return PlaceOrigin(QUADTREE, coordinates, people=self.people)
        return PlaceOrigin(REGIONS, coordinates)


def parse_place_rule(text: str) -> PlaceRule:
    """Read ``grid:500m``, ``grid:0.5km``, ``quadtree:500[,people=10]`` or ``regions:FILE[,outside=drop]``.

    Examples
    --------
    >>> parse_place_rule("quadtree:500").limit, parse_place_rule("quadtree:500,people=50").people
    (500, 50)
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
    elif kind == "quadtree" and (match := re.fullmatch(r"(\d{1,9})(?:,\s*people=(\d{1,9}))?", rest)):
        limit, people = int(match[1]), int(match[2] or _PEOPLE)
        if limit >= 1 and people >= 2:
            return PlaceRule("quadtree", limit=limit, people=people)
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
    """The place of every point (-1 for none), and the places; x and y as the file has them."""

    codes: Ints
    labels: list[str]
    x: Floats
    y: Floats
    outlines: list[str]


def derive_places(rule: PlaceRule, points: Positions, person: Ints | None) -> DerivedPlaces:
    """Make places of points by a rule; ``person`` says whose the points are, which a quadtree needs to know.

    Examples
    --------
    >>> corner = np.array([0.0, 120.0, 130.0])
    >>> points = locate("visits.csv", ("x", "y"), (corner, corner), lonlat=False)
    >>> cells = derive_places(parse_place_rule("grid:100"), points, np.array([0, 0, 1], np.int32))
    >>> cells.codes.tolist(), cells.labels, cells.x.tolist()
    ([0, 1, 1], ['x0y0', 'x1y1'], [50.0, 150.0])
    >>> cells.outlines[0]
    'POLYGON ((0 0, 100 0, 100 100, 0 100, 0 0))'
    """
    lonlat = points.projection is not None
    if rule.kind == "regions":
        regions = read_regions(rule.file, lonlat=lonlat)
        codes = locate_in_regions(regions, points.given_x, points.given_y)
        centres = np.array([region.centre() for region in regions], dtype=np.float64)
        names, outlines = [region.name for region in regions], [region.outline() for region in regions]
        return DerivedPlaces(codes, names, centres[:, 0], centres[:, 1], outlines)
    given = points.given_x, points.given_y
    if rule.kind == "grid" or person is None:
        squares = cut_grid(rule.size, *given, lonlat=lonlat)
    else:
        squares = grow_quadtree(rule.limit, rule.origin(lonlat=lonlat), *given, person)
    west, south, east, north = squares.corners.T
    x, y = (west + east) / 2, (south + north) / 2
    if lonlat:
        x, y = np.round(x, 9), np.round(y, 9)
    return DerivedPlaces(squares.codes, squares.labels, x, y, [_outline(square, lonlat) for square in squares.corners])


def _outline(corners: Floats, lonlat: bool) -> str:
    """Write a square as WKT, to a centimetre on the globe."""
    w, s, e, n = (f"{side:.12g}" for side in (np.round(corners, 7) if lonlat else corners).tolist())
    return f"POLYGON (({w} {s}, {e} {s}, {e} {n}, {w} {n}, {w} {s}))"


def average_positions(codes: Longs | Ints, count: int, points: Positions) -> tuple[Floats, Floats, int]:
    """Return one point per place, the mean of its points, and the number of places whose points differ.

    The points are as the file has them: longitude and latitude, if it has those.

    Examples
    --------
    >>> x = np.array([0.0, 2.0, 5.0])
    >>> points = locate("visits.csv", ("x", "y"), (x, x), lonlat=False)
    >>> average_positions(np.array([0, 0, 1]), 2, points)
    (array([1., 5.]), array([1., 5.]), 1)
    """
    first = np.empty(count, np.int64)
    first[codes[::-1]] = np.arange(len(codes))[::-1]
    x, y = points.given_x[first], points.given_y[first]
    differ = np.zeros(count, bool)
    differ[codes[(points.given_x != x[codes]) | (points.given_y != y[codes])]] = True
    rows = np.flatnonzero(differ[codes])
    if len(rows):
        # Sorted first, so that the order of the rows cannot change the last digit.
        rows = rows[np.lexsort((points.y[rows], points.x[rows], codes[rows]))]
        _, starts, counts = np.unique(codes[rows], return_index=True, return_counts=True)
        means = [np.add.reduceat(axis[rows], starts) / counts for axis in (points.x, points.y)]
        x[differ], y[differ] = means if points.projection is None else points.projection.inverse(*means)
    return x, y, int(differ.sum())


def tabulate_places(
    labels: list[str], x: Floats, y: Floats, projection: Projection | None, outlines: list[str] | None = None
) -> pa.Table:
    """Lay places out as ``place, x, y``, with ``lon, lat`` if they have those and ``outline`` if there are any.

    Examples
    --------
    >>> tabulate_places(["a"], np.array([1.0]), np.array([2.0]), None).to_pylist()
    [{'place': 'a', 'x': 1.0, 'y': 2.0}]
    >>> tabulate_places(["a"], np.array([180.0]), np.array([0.0]), Projection(0.0)).column_names
    ['place', 'x', 'y', 'lon', 'lat']
    """
    columns: dict[str, object] = {"place": pa.array(labels, pa.string()), "x": x, "y": y}
    if projection is not None:
        columns["x"], columns["y"] = projection.forward(x, y)
        columns["lon"], columns["lat"] = x, y
    if outlines is not None:
        columns["outline"] = pa.array(outlines, pa.string())
    return pa.table(columns)
