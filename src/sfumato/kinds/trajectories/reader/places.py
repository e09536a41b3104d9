"""The place of every row, and the coordinates of places."""

from __future__ import annotations

from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.notes import Note
from sfumato.data.places import CELLS, GIVEN, QUADTREE, Observations, PlaceOrigin
from sfumato.exceptions import SchemaError
from sfumato.hierarchies.h3 import draw_hexagons
from sfumato.kinds.trajectories.reader.place_rules import derive_places, parse_place_rule
from sfumato.kinds.trajectories.reader.positions import Positions, find_positions, project_points
from sfumato.kinds.trajectories.reader.projection import Projection
from sfumato.kinds.trajectories.reader.visits import Visits
from sfumato.messages import Message, option
from sfumato.readers.cells import list_marked, name_marked
from sfumato.readers.notes import note_unused
from sfumato.readers.ownership import OWNER
from sfumato.readers.role_errors import refuse_without

__all__ = ["AVERAGED", "Places", "average_positions", "find_places", "tabulate_places"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


AVERAGED = "places-averaged"
"""Noted of places that are not always at the same point."""


class Places(NamedTuple):
    """The place of every row (-1 for none), and what is known about the places.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.reader.positions import project_points
    >>> x = np.array([3.0, 4.0])
    >>> points = project_points("visits.csv", ("x", "y"), (x, x), lonlat=False)
    >>> places = Places(np.array([1, 0], np.int32), ["a", "b"], points, x[::-1], x[::-1])
    >>> places.tabulate(np.array([1], np.int32)).to_pylist()
    [{'place': 'b', 'x': 3.0, 'y': 3.0}]
    """

    codes: Ints
    labels: list[str]
    positions: Positions | None = None
    x: Floats | None = None
    y: Floats | None = None
    outlines: list[str] | None = None
    origin: PlaceOrigin = PlaceOrigin()

    def observations(self, person: Ints | None, wanted: Ints) -> Observations | None:
        """Return the people and points of visits to some places, where points may not be published unchanged."""
        if person is None or self.positions is None or self.origin.source not in {CELLS, QUADTREE}:
            return None
        new = np.full(len(self.labels), -1, np.int64)
        new[wanted] = np.arange(len(wanted))
        # The visits of all rows count, also those that stay at a place.
        visits = np.flatnonzero((self.codes >= 0) & (new[self.codes] >= 0))
        given = self.positions.given_x[visits], self.positions.given_y[visits]
        return Observations(new[self.codes[visits]], person[visits].astype(np.int64), *given)

    def tabulate(self, wanted: Ints) -> pa.Table | None:
        if self.positions is None or self.x is None or self.y is None:
            return None
        labels = [self.labels[code] for code in wanted]
        outlines = None if self.outlines is None else [self.outlines[code] for code in wanted]
        return tabulate_places(labels, self.x[wanted], self.y[wanted], self.positions.projection, outlines)


def find_places(visits: Visits, person: Ints | None) -> Places:
    """Find the place of every row, and coordinates of the places if there are any."""
    derived = visits.read_options.places is not None
    if derived and parse_place_rule(str(visits.read_options.places)).limit < 0:
        return _draw_cells(visits)
    labels = None
    if "place" in visits.columns and (not derived or visits.read_options.places_file is not None):
        labels = visits.labels("place")
    positions = find_positions(visits, labels)
    if derived:
        return _derive(visits, positions, person)
    if labels is None:
        if positions is None:
            raise refuse_without(visits.name, "place")
        raise SchemaError(
            f"{visits.name}: there is no column for the place.",
            option="places",
            hint=Message("Derive places from the coordinates: ", option("places", "grid:500m"), "."),
        )
    if positions is None:
        return Places(labels.codes, labels.labels.to_pylist())
    x, y, differ = average_positions(labels.codes, len(labels.labels), positions)
    if differ:
        template = "{places} {places:place has|places have} varying coordinates; their mean is used."
        visits.notes.append(Note(AVERAGED, template, {"places": differ}))
    coordinates = "plane" if positions.projection is None else "lonlat"
    origin = PlaceOrigin(CELLS if visits.read_options.places_file is None else GIVEN, coordinates)
    if origin.source == CELLS:
        visits.notes.append(_note_coordinates(is_known=person is not None))
    return Places(labels.codes, labels.labels.to_pylist(), positions, x, y, origin=origin)


def _note_coordinates(*, is_known: bool) -> Note:
    """Note how coordinates of visits are published, which depends on whether people are known."""
    template = (
        "Coordinates come from visits: places are published at the centre of the smallest cell with k people, or "
        "without coordinates. "
        if is_known
        else "Coordinates come from visits of unknown people: places are published without coordinates. If a column "
        "links visits to people: {columns_option}. "
    )
    return Note(
        "coordinates-of-visits",
        f"{template}If it is publicly known where the places are: {{places_file}}.",
        details={
            "columns_option": option("columns", {OWNER: "NAME"}),
            "places_file": option("places_file", "FILE"),
        },
    )


def _draw_cells(visits: Visits) -> Places:
    """Read places that are cells of H3, whose names give their coordinates."""
    if "place" not in visits.columns:
        raise SchemaError(
            f"{visits.name}: there is no column for the place.",
            option="places",
            hint=Message("Derive cells from the coordinates: ", option("places", "h3:8"), "."),
        )
    labels = visits.labels("place")
    names = labels.labels.to_pylist()
    first = np.empty(len(names), np.int64)
    first[labels.codes[::-1]] = np.arange(len(labels.codes), 0, -1)
    column = visits.columns["place"]
    lon, lat, outlines = draw_hexagons(f"{visits.name}: column {column!r}", names, first.tolist())
    unused = tuple(visits.columns[role] for role in ("x", "y") if role in visits.columns)
    if unused:
        visits.notes.append(note_unused(unused, "coordinates come from the cells"))
    visits.notes.append(Note("places-are-cells", "Places are cells of H3."))
    where = project_points(visits.name, ("lon", "lat"), (lon[labels.codes], lat[labels.codes]), lonlat=True)
    origin = parse_place_rule("h3").origin(lonlat=True)
    return Places(labels.codes, names, where, lon, lat, outlines, origin)


def _derive(visits: Visits, positions: Positions | None, person: Ints | None) -> Places:
    """Make places of coordinates."""
    given = option("places", visits.read_options.places)
    if positions is None:
        raise SchemaError(
            Message(f"{visits.name}: ", given, " needs coordinates."),
            hint=Message("Name their columns: ", option("columns", {"lon": "NAME", "lat": "NAME"}), "."),
        )
    rule = parse_place_rule(str(visits.read_options.places))
    if rule.kind == "h3" and positions.projection is None:
        raise SchemaError(
            Message(f"{visits.name}: ", given, " needs longitude and latitude."),
            hint=Message("For coordinates on a plane: ", option("places", "grid:500m"), "."),
        )
    if person is None and rule.kind == "quadtree":
        raise SchemaError(
            Message(f"{visits.name}: ", given, " counts people in squares, and no column links visits to people."),
            hint=Message(
                *("Name it: ", option("columns", {OWNER: "NAME"}), ", or use ", option("places", "grid:500m"), "."),
            ),
        )
    derived = derive_places(rule, positions, person)
    outside = derived.codes < 0
    if outside.any() and (rule.outside == "error" or outside.all()):
        text = f"regions:{rule.file},outside=drop"
        raise SchemaError(
            f"{visits.name}: every point must be in a region; look at {name_marked(outside)} "
            f"({int(outside.sum()):,} in all).",
            option="places",
            rows=list_marked(outside),
            hint=Message("Add regions, or leave out such points: ", option("places", text), "."),
        )
    if "place" in visits.columns and visits.read_options.places_file is None:
        visits.notes.append(note_unused([visits.columns["place"]], "places come from coordinates"))
    details = {"rule": rule.describe()}
    visits.notes.append(Note("places-derived", "Places derived from coordinates: {rule}.", details=details))
    origin = rule.origin(lonlat=positions.projection is not None)
    return Places(derived.codes, derived.labels, positions, derived.x, derived.y, derived.outlines, origin)


def average_positions(codes: Longs | Ints, count: int, points: Positions) -> tuple[Floats, Floats, int]:
    """Return one point per place, the mean of its points, and the number of places whose points differ.

    The points are as the file has them: longitude and latitude, if it has those.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.reader.positions import project_points
    >>> x = np.array([0.0, 2.0, 5.0])
    >>> points = project_points("visits.csv", ("x", "y"), (x, x), lonlat=False)
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
    """Return places as ``place, x, y``, with ``lon, lat`` if they have those and ``outline`` if there are any.

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
