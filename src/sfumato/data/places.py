"""Origins of coordinates of places, in datasets and releases.

Coordinates of visits are personal data and are never published unchanged. Published coordinates are in cells of a
hierarchy that is the same for all data: a square around 0 that is quartered repeatedly.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError

__all__ = ["CELLS", "GIVEN", "GRID", "QUADTREE", "REGIONS", "UNQUESTIONED", "Observations", "PlaceOrigin"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

GIVEN, CELLS, GRID, QUADTREE, REGIONS = "given", "cells", "grid", "quadtree", "regions"
_SOURCES = (GIVEN, CELLS, GRID, QUADTREE, REGIONS)
_SIDES = {"lonlat": 360.0, "plane": 2.0**41}
_LEVELS = {"lonlat": 24, "plane": 61}


class Observations(NamedTuple):
    """Positions of visits: place and person as numbers, and the coordinates as recorded."""

    place: Ints
    person: Ints
    x: Floats
    y: Floats


@dataclasses.dataclass(frozen=True)
class PlaceOrigin:
    """The origin of coordinates of places.

    Parameters
    ----------
    source
        ``given`` by the owner, ``cells`` around visits of k people, squares that are the places (``grid``,
        ``quadtree``), or ``regions`` from a file.
    coordinates
        ``lonlat`` in degrees, or ``plane``.
    size
        For a grid: the side of its cells, in metres or plane units.
    people
        For a quadtree: the fewest people in a square that is quartered.

    Examples
    --------
    >>> PlaceOrigin("cells", "lonlat").to_dict()
    {'source': 'cells', 'coordinates': 'lonlat', 'side': 360.0, 'levels': 24}
    >>> PlaceOrigin("grid", "plane", size=500.0).to_dict()
    {'source': 'grid', 'coordinates': 'plane', 'size': 500.0}
    """

    source: str = GIVEN
    coordinates: str = "plane"
    size: float = 0.0
    people: int = 0

    @property
    def side(self) -> float:
        """Side of the largest square of the hierarchy of cells."""
        return _SIDES[self.coordinates]

    @property
    def levels(self) -> int:
        """How often it can be quartered."""
        return _LEVELS[self.coordinates]

    @property
    def axes(self) -> tuple[str, str]:
        """Names of the published coordinates."""
        return ("lon", "lat") if self.coordinates == "lonlat" else ("x", "y")

    def to_dict(self) -> dict[str, Any]:
        """Return the plain values from which the cells can be computed again."""
        description: dict[str, Any] = {"source": self.source, "coordinates": self.coordinates}
        if self.source in {CELLS, QUADTREE}:
            description |= {"side": self.side, "levels": self.levels}
        if self.source == GRID:
            description["size"] = self.size
        if self.source == QUADTREE:
            description["people"] = self.people
        return description

    @classmethod
    def from_dict(cls, description: Mapping[str, Any]) -> PlaceOrigin:
        """Make an origin from exactly what :meth:`to_dict` returned.

        Examples
        --------
        >>> PlaceOrigin.from_dict({"source": "cells", "coordinates": "lonlat", "side": 1.0, "levels": 24})
        Traceback (most recent call last):
            ...
        sfumato.exceptions.ParameterError: coordinates: they must be as this version writes them.
        """
        is_valid = description.get("source") in _SOURCES and description.get("coordinates") in tuple(_SIDES)
        size, people = description.get("size", 0.0), description.get("people", 0)
        if is_valid and type(size) is float and type(people) is int:
            origin = cls(description["source"], description["coordinates"], size, people)
            if origin.to_dict() == dict(description):
                return origin
        raise ParameterError("coordinates: they must be as this version writes them.")


UNQUESTIONED = PlaceOrigin()
"""Coordinates given with the data, on a plane."""
