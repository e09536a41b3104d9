"""Where coordinates of places come from: what a dataset knows of it, and what a release says.

Coordinates that people's visits brought along are theirs, and are never published as they are. What is published of
them lies in cells of a hierarchy that is the same for all data: a square around 0, quartered again and again.
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
    """Where people were, visit by visit: place and person as numbers, and the position as it was recorded."""

    place: Ints
    person: Ints
    x: Floats
    y: Floats


@dataclasses.dataclass(frozen=True)
class PlaceOrigin:
    """Where coordinates of places come from.

    Parameters
    ----------
    source
        ``given`` by somebody who knows the places, ``cells`` around visits of k people, or squares that are the places
        (``grid``, ``quadtree``), or ``regions`` that somebody drew.
    coordinates
        ``lonlat`` in degrees, or ``plane``.
    size
        For a grid: the side of its cells, in metres or plane units.
    people
        For a quadtree: the fewest people among whom a square is quartered.

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
        """Side of the square that the hierarchy of cells begins with."""
        return _SIDES[self.coordinates]

    @property
    def levels(self) -> int:
        """How often it may be quartered."""
        return _LEVELS[self.coordinates]

    @property
    def axes(self) -> tuple[str, str]:
        """Names of the published coordinates."""
        return ("lon", "lat") if self.coordinates == "lonlat" else ("x", "y")

    def to_dict(self) -> dict[str, Any]:
        """Return what a reader needs to find the cells again."""
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
        """Read what :meth:`to_dict` wrote, and nothing else.

        Examples
        --------
        >>> PlaceOrigin.from_dict({"source": "cells", "coordinates": "lonlat", "side": 1.0, "levels": 24})
        Traceback (most recent call last):
            ...
        sfumato.exceptions.ParameterError: coordinates: not one of the ways in which this program publishes places.
        """
        is_valid = description.get("source") in _SOURCES and description.get("coordinates") in tuple(_SIDES)
        size, people = description.get("size", 0.0), description.get("people", 0)
        if is_valid and type(size) is float and type(people) is int:
            origin = cls(description["source"], description["coordinates"], size, people)
            if origin.to_dict() == dict(description):
                return origin
        raise ParameterError("coordinates: not one of the ways in which this program publishes places.")


UNQUESTIONED = PlaceOrigin()
"""Coordinates that come with the data as their owner made them, on a plane."""
