"""The point of every row of a file: by its own columns, or by its place and the places file."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.trajectories.reader.projection import Projection
from sfumato.kinds.trajectories.reader.visits import LATITUDES, LONGITUDES, WORDS, Visits
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, Labels, encode_labels, list_marked, name_failing, name_marked, parse_numbers
from sfumato.readers.notes import note_unused
from sfumato.readers.options import ReadOptions
from sfumato.readers.roles import Vocabulary, assign_roles
from sfumato.readers.tables import read_table

__all__ = ["Positions", "find_positions", "project_points"]

Floats = npt.NDArray[np.float64]

_WIDEST = 1e12  # beyond this, plane coordinates lose the digits that distinguish places
_PLACE_WORDS = Vocabulary(
    roles={role: meant for role, meant in WORDS.roles.items() if meant in {"place", "x", "y"}},
    names={name: role for name, role in WORDS.names.items() if role in {"place", "x", "y"}},
)


class Positions(NamedTuple):
    """Points as they are in the file, and on the plane.

    Examples
    --------
    >>> degrees = np.array([0.0, 1.0])
    >>> points = project_points("visits.csv", ("lon", "lat"), (degrees, np.zeros(2)), lonlat=True)
    >>> points.given_x.tolist(), points.x.round().tolist()
    ([0.0, 1.0], [0.0, 111195.0])
    """

    given_x: Floats
    given_y: Floats
    x: Floats
    y: Floats
    projection: Projection | None
    """The projection of the points; None if they were plane."""


def project_points(owner: str, names: tuple[str, str], given: tuple[Floats, Floats], *, lonlat: bool) -> Positions:
    """Bring points to a plane; longitude and latitude are projected to metres.

    Examples
    --------
    >>> lon, lat = np.array([8.21, 8.22]), np.array([53.14, 53.14])
    >>> points = project_points("visits.csv", ("lon", "lat"), (lon, lat), lonlat=True)
    >>> round(float(points.x[1] - points.x[0]))
    667
    >>> project_points("visits.csv", ("lon", "lat"), (lat, 2 * lat), lonlat=True)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: visits.csv: column 'lat' must hold numbers from -90 to 90; rows 1, 2
    do not. Correct the data, or read plane coordinates: coordinates='plane'.
    """
    bounds = (180.0, 90.0) if lonlat else (_WIDEST, _WIDEST)
    plane = Message("Correct the data, or read plane coordinates: ", option("coordinates", "plane"), ".")
    for name, values, bound in zip(names, given, bounds, strict=True):
        outside = np.abs(values) > bound
        if outside.any():
            raise SchemaError(
                f"{owner}: column {name!r} must hold numbers from -{bound:g} to {bound:g}; {name_failing(outside)}.",
                column=name,
                rows=list_marked(outside),
                hint=plane if lonlat else "Correct the data.",
            )
    if not lonlat:
        return Positions(*given, *given, None)
    projection = Projection.about(*given)
    return Positions(*given, *projection.forward(*given), projection)


def find_positions(visits: Visits, labels: Labels | None) -> Positions | None:
    """Return the points of rows, by the places file if there is one; None without coordinates.

    ``labels`` are the places of the rows, if they have any.
    """
    given = [role for role in ("x", "y") if role in visits.columns]
    if visits.read_options.places_file is not None:
        if labels is None:
            raise SchemaError(
                Message(f"{visits.name}: ", option("places_file"), " needs a column for the place."),
                hint=Message("Name it: ", option("columns", {"place": "NAME"}), "."),
            )
        if given:
            unused = [visits.columns[role] for role in given]
            visits.notes.append(note_unused(unused, "coordinates come from the places file"))
        return _read_coordinates(visits.read_options, Path(visits.read_options.places_file), visits.name, labels)
    if len(given) == 1:
        missing = "y" if given == ["x"] else "x"
        raise SchemaError(
            f"{visits.name}: there is a column for {given[0]} but none for {missing}.",
            option="columns",
            hint=Message("Name it: ", option("columns", {missing: "NAME"}), "."),
        )
    return _parse_positions(visits.name, visits.table, visits.columns, visits.read_options) if given else None


def _parse_positions(name: str, table: pa.Table, columns: Mapping[str, str], read_options: ReadOptions) -> Positions:
    names = columns["x"], columns["y"]
    x, y = (parse_numbers(name, column, table.column(column)) for column in names)
    return project_points(name, names, (x, y), lonlat=_is_lonlat(name, names, read_options))


def _is_lonlat(name: str, columns: tuple[str, str], read_options: ReadOptions) -> bool:
    x, y = (column.lower() for column in columns)
    if x in LATITUDES or y in LONGITUDES:
        raise ParameterError(
            f"{name}: x must be the longitude and y the latitude.",
            option="columns",
            hint=Message("Swap them: ", option("columns", {"lon": columns[1], "lat": columns[0]}), "."),
        )
    if read_options.coordinates != "auto":
        return read_options.coordinates == "lonlat"
    is_named = (x in LONGITUDES or "lon" in read_options.columns, y in LATITUDES or "lat" in read_options.columns)
    if is_named[0] != is_named[1]:
        raise SchemaError(
            f"{name}: columns {columns[0]!r} and {columns[1]!r} may be longitude and latitude, or plane coordinates.",
            column=columns[0],
            option="coordinates",
            hint=Message("Give ", option("coordinates", "lonlat"), " or ", option("coordinates", "plane"), "."),
        )
    return is_named[0]


def _read_coordinates(read_options: ReadOptions, file: Path, name: str, labels: Labels) -> Positions:
    """Take the coordinates of every row from the places file."""
    table = read_table(file)
    both = {"x", "y", "lon", "lat"} <= set(table.column_names)
    if both:  # as in the places of a release, where x and y are lon and lat on the plane
        table = table.drop_columns(["lon", "lat"] if read_options.coordinates == "plane" else ["x", "y"])
    plain = ReadOptions(read_options.kind, drop=("*",), coordinates=read_options.coordinates)
    columns = assign_roles(file.name, table.column_names, plain, _PLACE_WORDS).columns
    missing = [role for role in ("place", "x", "y") if role not in columns]
    if missing:
        raise SchemaError(
            f"{file.name}: a places file needs the columns place,x,y or place,lon,lat; {missing[0]} is missing.",
            option="places_file",
            hint="Add the column.",
        )
    places = encode_labels(file.name, columns["place"], table.column(columns["place"]))
    if len(places.labels) < len(places.codes):
        again = np.ones(len(places.codes), bool)
        again[np.unique(places.codes, return_index=True)[1]] = False
        raise SchemaError(
            f"{file.name}: every place must be listed once; look at {name_marked(again)}.",
            column=columns["place"],
            rows=list_marked(again),
            hint="Remove the rows.",
        )
    points = _parse_positions(file.name, table, columns, plain)
    rows: Cells = pc.index_in(labels.labels, places.labels)
    index = rows.fill_null(-1).to_numpy()[labels.codes]
    if (index < 0).any():
        raise SchemaError(
            f"{name}: every place must be in {file.name}; look at {name_marked(index < 0)}.",
            option="places_file",
            rows=list_marked(index < 0),
            hint="Add these places to the file.",
        )
    given = points.given_x[index], points.given_y[index]
    return project_points(name, (columns["x"], columns["y"]), given, lonlat=points.projection is not None)
