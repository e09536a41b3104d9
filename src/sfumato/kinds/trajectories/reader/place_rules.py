"""Places from coordinates: cells of a grid, squares of a quadtree, hexagons, or regions of a file."""

from __future__ import annotations

import dataclasses
import difflib
import math
import re
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.places import GRID, QUADTREE, REGIONS, PlaceOrigin
from sfumato.exceptions import ParameterError
from sfumato.hierarchies.h3 import FINEST, draw_hexagons, find_hexagons
from sfumato.kinds.trajectories.reader.positions import Positions
from sfumato.kinds.trajectories.reader.regions import locate_in_regions, read_regions
from sfumato.kinds.trajectories.reader.squares import cut_grid, grow_quadtree
from sfumato.messages import Message, option

__all__ = ["CHECKS", "DerivedPlaces", "PlaceRule", "derive_places", "parse_place_rule"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

_PEOPLE = 10  # in a square that is quartered, unless another number is given


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
        """Return in words what a place is."""
        if self.kind == "grid":
            return f"square cells of {self.size:g} m"
        if self.kind == "quadtree":
            return f"at most {self.limit:,} squares, quartered where at least {self.people:,} people are"
        if self.kind == "h3":
            return f"cells of H3, resolution {self.limit}" if self.limit >= 0 else "cells of H3"
        return "regions"

    def origin(self, *, lonlat: bool) -> PlaceOrigin:
        """Return the origin of the coordinates of places."""
        coordinates = "lonlat" if lonlat else "plane"
        if self.kind == "grid":
            return PlaceOrigin(GRID, coordinates, size=self.size)
        if self.kind == "quadtree":
            return PlaceOrigin(QUADTREE, coordinates, people=self.people)
        return PlaceOrigin(REGIONS, coordinates)


def parse_place_rule(text: str) -> PlaceRule:
    """Read ``grid:500m``, ``quadtree:500[,people=10]``, ``h3:8``, ``h3`` or ``regions:FILE[,outside=drop]``.

    Examples
    --------
    >>> parse_place_rule("quadtree:500").limit, parse_place_rule("quadtree:500,people=50").people
    (500, 50)
    >>> parse_place_rule("regions:districts.geojson,outside=drop").outside
    'drop'
    >>> parse_place_rule("grd:500m")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: places= must be grid:500m, quadtree:500, h3:8, h3 or regions:FILE, got
    'grd:500m'. Did you mean grid?
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
    elif text.strip() == "h3":
        return PlaceRule("h3", limit=-1)
    elif kind == "h3" and re.fullmatch(r"\d{1,2}", rest, re.ASCII):
        if int(rest) <= FINEST:
            return PlaceRule("h3", limit=int(rest))
    elif kind == "regions" and rest:
        file, separator, outside = rest.rpartition(",outside=")
        if not separator:
            return PlaceRule("regions", file=rest)
        if file and outside.strip() in {"drop", "error"}:
            return PlaceRule("regions", file=file, outside=outside.strip())
    near = difflib.get_close_matches(kind, ("grid", "quadtree", "h3", "regions"), n=1)
    raise ParameterError(
        Message(option("places"), f" must be grid:500m, quadtree:500, h3:8, h3 or regions:FILE, got {text!r}."),
        hint=f"Did you mean {near[0]}?" if near and near[0] != kind else "",
    )


class DerivedPlaces(NamedTuple):
    """The place of every point (-1 for none), and the places; x and y as the file has them.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.reader.positions import project_points
    >>> corner = np.array([0.0, 120.0])
    >>> points = project_points("visits.csv", ("x", "y"), (corner, corner), lonlat=False)
    >>> derive_places(parse_place_rule("grid:1km"), points, None).labels
    ['x0y0']
    """

    codes: Ints
    labels: list[str]
    x: Floats
    y: Floats
    outlines: list[str]


CHECKS = {"places": parse_place_rule}
"""Checks of options by their names."""


def derive_places(rule: PlaceRule, points: Positions, person: Ints | None) -> DerivedPlaces:
    """Make places of points by a rule; a quadtree needs ``person``, the person of every point.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.reader.positions import project_points
    >>> corner = np.array([0.0, 120.0, 130.0])
    >>> points = project_points("visits.csv", ("x", "y"), (corner, corner), lonlat=False)
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
    if rule.kind == "h3":
        codes, names = find_hexagons(*given, rule.limit)
        return DerivedPlaces(codes, names, *draw_hexagons("places", names))
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
