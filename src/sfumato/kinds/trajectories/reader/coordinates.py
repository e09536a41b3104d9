"""Latitude and longitude in one cell: ``53.14,8.21`` or ``POINT (8.21 53.14)``."""

from __future__ import annotations

import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import SchemaError
from sfumato.messages import Message, option
from sfumato.readers.cells import Cells, as_text, list_marked, marks, name_failing, refuse_empty

__all__ = ["PAIRS", "split_coordinates"]

PAIRS = {
    "lat_lon": (
        "latlon",
        "lat_lng",
        "latlng",
        "lat_long",
        "lat,lon",
        "lat,lng",
        "lat, lon",
        "lat/lon",
        "latitude_longitude",
    ),
    "lon_lat": ("lonlat", "lng_lat", "lnglat", "lon,lat", "lng,lat", "lon, lat", "lon/lat", "wkt", "point"),
}
"""Roles of columns that hold both, with their known names."""

_NUMBER = r"[+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?"
_PAIR = rf"^\s*[\[(]?\s*(?P<first>{_NUMBER})\s*[,;/\s]\s*(?P<second>{_NUMBER})\s*[\])]?\s*$"
_WKT = (
    rf"(?i)^\s*(?:SRID=4326;)?\s*POINT\s*(?:Z\s*)?\(\s*(?P<first>{_NUMBER})\s+(?P<second>{_NUMBER})"
    rf"(?:\s+{_NUMBER})?\s*\)\s*$"
)


def split_coordinates(name: str, table: pa.Table, columns: dict[str, str]) -> tuple[pa.Table, dict[str, str]]:
    """Split the two numbers of a cell into two columns with the roles x and y.

    Parameters
    ----------
    name
        Of the file, for messages.
    table
        Its cells.
    columns
        The column of every role, maybe one of ``lat_lon`` and ``lon_lat``. Points of WKT are longitude first.

    Examples
    --------
    >>> table = pa.table({"where": ["53.14, 8.21", "POINT (8.21 53.14)"]})
    >>> split, columns = split_coordinates("visits.csv", table, {"lat_lon": "where"})
    >>> columns, split.column("lat").to_pylist(), split.column("lon").to_pylist()
    ({'x': 'lon', 'y': 'lat'}, ['53.14', '53.14'], ['8.21', '8.21'])
    """
    given = [role for role in PAIRS if role in columns]
    if not given:
        return table, columns
    if len(given) > 1 or "x" in columns or "y" in columns:
        both = [columns[role] for role in (*given, "x", "y") if role in columns]
        raise SchemaError(
            f"{name}: columns {both[0]!r} and {both[1]!r} could both be the coordinates.",
            column=both[1],
            hint=Message("Leave one of them out: ", option("drop", [both[1]]), "."),
        )
    column = columns[given[0]]
    refuse_empty(name, column, table.column(column))
    cells = as_text(name, column, table.column(column)).cast(pa.string())
    pairs: Cells = pc.extract_regex(cells, _PAIR)
    points: Cells = pc.extract_regex(cells, _WKT)
    strange = marks(pc.and_(pc.is_null(pairs), pc.is_null(points)))
    if strange.any():
        raise SchemaError(
            f"{name}: column {column!r} must hold two numbers such as 53.14,8.21 or POINT (8.21 53.14); "
            f"{name_failing(strange)}.",
            column=column,
            rows=list_marked(strange),
            hint=Message("Correct the data, or leave out rows with empty cells: ", option("missing", "drop"), "."),
        )
    first, second = (_pick(points, pairs, part) for part in ("first", "second"))
    if given[0] == "lat_lon":
        is_point = pc.is_valid(points)
        first, second = pc.if_else(is_point, first, second), pc.if_else(is_point, second, first)
    extended = table.drop_columns([axis for axis in ("lat", "lon") if axis in table.column_names])
    extended = extended.append_column("lon", first).append_column("lat", second)
    rest = {role: column_name for role, column_name in columns.items() if role not in PAIRS}
    return extended, {**rest, "x": "lon", "y": "lat"}


def _pick(points: Cells, pairs: Cells, part: str) -> Cells:
    return pc.coalesce(pc.struct_field(points, part), pc.struct_field(pairs, part))
