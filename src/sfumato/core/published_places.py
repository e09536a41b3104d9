"""Where published coordinates of places come from, and what may be published of people's own positions.

Coordinates that people's visits brought along are theirs: a mean of them tells how many there were, and a single one
where somebody was. So they are never published. What is published of such a place is the centre of a cell of a
hierarchy that is the same for all data: the smallest cell in which at least k people were at that place. A place where
no k people were has no coordinates.

The hierarchy is a square around 0, quartered again and again. At level L it has 2^L columns and rows of ``side / 2^L``;
column i, which may be negative, begins at ``i * side / 2^L``.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.core.dataset import Dataset

__all__ = [
    "CELLS",
    "GIVEN",
    "GRID",
    "QUADTREE",
    "REGIONS",
    "UNQUESTIONED",
    "Fixes",
    "PlaceOrigin",
    "explain_hidden",
    "publish_places",
    "refuse_small_squares",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

GIVEN, CELLS, GRID, QUADTREE, REGIONS = "given", "cells", "grid", "quadtree", "regions"
_SOURCES = (GIVEN, CELLS, GRID, QUADTREE, REGIONS)
_SIDES = {"lonlat": 360.0, "plane": 2.0**41}
_LEVELS = {"lonlat": 24, "plane": 61}


class Fixes(NamedTuple):
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
        told: dict[str, Any] = {"source": self.source, "coordinates": self.coordinates}
        if self.source in {CELLS, QUADTREE}:
            told |= {"side": self.side, "levels": self.levels}
        if self.source == GRID:
            told["size"] = self.size
        if self.source == QUADTREE:
            told["people"] = self.people
        return told

    @classmethod
    def from_dict(cls, told: Mapping[str, Any]) -> PlaceOrigin:
        """Read what :meth:`to_dict` wrote, and nothing else.

        Examples
        --------
        >>> PlaceOrigin.from_dict({"source": "cells", "coordinates": "lonlat", "side": 1.0, "levels": 24})
        Traceback (most recent call last):
            ...
        sfumato.core.errors.ParameterError: coordinates: not one of the ways in which this program publishes places.
        """
        known = told.get("source") in _SOURCES and told.get("coordinates") in tuple(_SIDES)
        size, people = told.get("size", 0.0), told.get("people", 0)
        if known and type(size) is float and type(people) is int:
            origin = cls(told["source"], told["coordinates"], size, people)
            if origin.to_dict() == dict(told):
                return origin
        raise ParameterError("coordinates: not one of the ways in which this program publishes places.")

    def columns_and_rows(self, x: Floats, y: Floats) -> tuple[Ints, Ints]:
        """Return column and row of points at the finest level."""
        step = self.side / 2**self.levels
        last = 2 ** (self.levels - 1) - 1
        found = []
        for values in (x, y):
            at = np.floor(values / step).astype(np.int64)
            # A quotient may have been rounded up to a whole number; borders themselves are exact.
            at -= at * step > values
            at += (at + 1) * step <= values
            found.append(np.minimum(at, last))
        return found[0], found[1]

    def bounds(self, level: int, column: int, row: int) -> tuple[float, float, float, float]:
        """Return west, south, east and north of a cell.

        Examples
        --------
        >>> PlaceOrigin("cells", "lonlat").bounds(2, -1, 0)
        (-90.0, 0.0, 0.0, 90.0)
        >>> PlaceOrigin("cells", "lonlat").bounds(0, 0, 0)
        (-180.0, -180.0, 180.0, 180.0)
        """
        step = self.side / 2**level
        first = 0.5 if level == 0 else 0.0  # one square around 0, and not beside it
        west, south = (column - first) * step, (row - first) * step
        return west, south, west + step, south + step


def refuse_small_squares(origin: PlaceOrigin, k: int) -> None:
    """Refuse a quadtree whose squares were quartered among fewer than k people.

    Examples
    --------
    >>> refuse_small_squares(PlaceOrigin("quadtree", "lonlat", people=10), k=5)
    """
    if origin.source == QUADTREE and origin.people < k:
        raise ParameterError(
            f"reading: places=quadtree quarters a square among {origin.people} people, and k is {k}, so that a small "
            f"square could give fewer than k people away. Read the data with places=quadtree:N,people={k} or more."
        )


UNQUESTIONED = PlaceOrigin()
"""Coordinates that come with the data as their owner made them, on a plane."""


def publish_places(dataset: Dataset, shown: list[str], k: int) -> pa.Table | None:
    """Return what is published of some places, ascending: their names and what may be told of where they are."""
    if dataset.places is None:
        return None
    origin = dataset.place_origin
    refuse_small_squares(origin, k)
    row_of = {place: row for row, place in enumerate(dataset.places.column("place").to_pylist())}
    known = np.array([row_of[place] for place in shown if place in row_of], dtype=np.int64)
    table = dataset.places.take(pa.array(known))
    first, second = origin.axes
    if first not in table.column_names:
        return table.select(["place"])
    if origin.source != CELLS:
        outline = ["outline"] if "outline" in table.column_names else []
        return table.select(["place", first, second, *outline])
    level, x, y = _choose_cells(dataset.fixes, origin, k, dataset.places.num_rows)
    hidden = level[known] < 0
    return pa.table(
        {
            "place": table.column("place"),
            first: pa.array(x[known], mask=hidden),
            second: pa.array(y[known], mask=hidden),
            "level": pa.array(level[known], mask=hidden),
        }
    )


def explain_hidden(places: pa.Table | None) -> str:
    """Say how many published places have no coordinates, and what would help; nothing where all have.

    Examples
    --------
    >>> explain_hidden(pa.table({"place": ["a", "b"], "level": [None, 7]}))
    '1 of 2 published places have no coordinates, because fewer than k people were there. If it is publicly known \
where they are, give a places file (--places-file).'
    """
    if places is None or "level" not in places.column_names or not places.column("level").null_count:
        return ""
    return (
        f"{places.column('level').null_count:,} of {places.num_rows:,} published places have no coordinates, because "
        "fewer than k people were there. If it is publicly known where they are, give a places file (--places-file)."
    )


def _choose_cells(fixes: Fixes | None, origin: PlaceOrigin, k: int, places: int) -> tuple[Ints, Floats, Floats]:
    """Return level and centre of the smallest cell with k people of every place; level -1 where there is none.

    Of several such cells of a place the one with most people is taken, then the first by row and column.
    """
    level, x, y = np.full(places, -1, np.int64), np.zeros(places), np.zeros(places)
    if fixes is None or not len(fixes.place):
        return level, x, y
    column, row = origin.columns_and_rows(fixes.x, fixes.y)
    visits, _ = _distinct(np.stack([fixes.place, fixes.person, column, row]))
    # Most places are of a few people only, and those need no search.
    people = np.bincount(_distinct(visits[:2])[0][0], minlength=places)
    visits = visits[:, people[visits[0]] >= k]
    # What holds k people at some level does so at all levels above: the finest one is found by halving.
    lowest, highest = np.full(places, -1, np.int64), np.full(places, origin.levels, np.int64)
    while (open_ := lowest < highest).any():
        middle = np.where(open_, (lowest + highest + 1) // 2, -1)
        crowded = np.zeros(places, bool)
        where, _, _, crowd = _count_people(visits, middle, origin.levels)
        crowded[where[crowd >= k]] = True
        lowest = np.where(open_ & crowded, middle, lowest)
        highest = np.where(open_ & ~crowded, middle - 1, highest)
    where, columns, rows, crowd = _count_people(visits, lowest, origin.levels)
    order = np.lexsort((columns, rows, -crowd, where))
    first = order[np.unique(where[order], return_index=True)[1]]
    for place, i, j in zip(where[first].tolist(), columns[first].tolist(), rows[first].tolist(), strict=True):
        level[place] = lowest[place]
        west, south, east, north = origin.bounds(int(lowest[place]), i, j)
        x[place], y[place] = (west + east) / 2, (south + north) / 2
    return level, x, y


def _count_people(visits: Ints, level: Ints, finest: int) -> tuple[Ints, Ints, Ints, Ints]:
    """Return place, column, row and number of people of every cell, at a level of each place's own (none: -1)."""
    place, person, column, row = visits[:, level[visits[0]] >= 0]
    shift = finest - level[place]
    is_whole = shift == finest  # the whole square has no borders at 0
    cells = np.stack([place, *(np.where(is_whole, 0, axis >> shift) for axis in (column, row)), person])
    (where, columns, rows), people = _distinct(_distinct(cells)[0][:3])
    return where, columns, rows, people


def _distinct(columns: Ints) -> tuple[Ints, Ints]:
    """Return the distinct columns of an array in ascending order, and how often each occurs."""
    ordered = columns[:, np.lexsort(columns[::-1])]
    is_new = np.append(np.ones(min(ordered.shape[1], 1), bool), (ordered[:, 1:] != ordered[:, :-1]).any(axis=0))
    starts = np.flatnonzero(is_new)
    return ordered[:, starts], np.diff(np.append(starts, ordered.shape[1])).astype(np.int64)
