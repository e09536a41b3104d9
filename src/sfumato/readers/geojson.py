"""GeoJSON: features that are points, with properties."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.formats.json_text import check_nesting, refuse_nesting
from sfumato.hierarchies.build import name_rows, select_shown

__all__ = ["is_geojson", "parse_geojson"]


def is_geojson(begin: bytes) -> bool:
    """Return whether a JSON file is a collection of features, by its beginning.

    Examples
    --------
    >>> is_geojson(b'{"type": "FeatureCollection", "features": []}'), is_geojson(b'{"person": 7}')
    (True, False)
    """
    return begin.lstrip().startswith(b"{") and b'"FeatureCollection"' in begin[:4096]


def parse_geojson(name: str, data: bytes) -> pa.Table:
    """Make a table of features that are points: their properties as text, then ``lon`` and ``lat``.

    Examples
    --------
    >>> point = b'{"type": "Feature", "properties": {"user": 7}, "geometry": {"type": "Point", "coordinates": [8, 53]}}'
    >>> parse_geojson("a.geojson", b'{"type": "FeatureCollection", "features": [' + point + b"]}").to_pylist()
    [{'user': '7', 'lon': 8.0, 'lat': 53.0}]
    """
    collection: Any = None
    try:
        collection = json.loads(data)
    except RecursionError:
        raise refuse_nesting(name) from None
    except ValueError:
        pass
    check_nesting(name, collection)
    features = collection.get("features") if isinstance(collection, dict) else None
    if not isinstance(features, list) or collection.get("type") != "FeatureCollection":
        raise SchemaError(f"{name}: this is not a GeoJSON FeatureCollection, or the file is truncated.")
    points = [_find_point(feature) for feature in features]
    strange = [number for number, point in enumerate(points, start=1) if point is None]
    if strange:
        raise SchemaError(
            f"{name}: every feature must be a point of longitude and latitude; {name_rows(strange, 'feature')} "
            f"({len(strange):,} in all) {'is' if len(strange) == 1 else 'are'} not.",
            rows=select_shown(strange),
            hint="Write one point per visit.",
        )
    rows = [feature.get("properties") or {} for feature in features]
    columns = dict.fromkeys(key for row in rows for key in row)
    table = {column: pa.array([_format_value(row.get(column)) for row in rows], pa.string()) for column in columns}
    for axis, short, long in ((0, "lon", "longitude"), (1, "lat", "latitude")):
        # A property of the same name stays, and the reader refuses two columns with one role.
        table[long if short in table else short] = pa.array([point[axis] for point in points if point], pa.float64())
    return pa.table(table)


def _find_point(feature: Any) -> tuple[float, float] | None:
    geometry = feature.get("geometry") if isinstance(feature, dict) else None
    if not isinstance(geometry, dict) or geometry.get("type") != "Point":
        return None
    if not isinstance(feature.get("properties") or {}, dict):
        return None
    coordinates = geometry.get("coordinates")
    if not isinstance(coordinates, list) or len(coordinates) < 2:
        return None
    if not all(isinstance(number, int | float) and not isinstance(number, bool) for number in coordinates[:2]):
        return None
    return float(coordinates[0]), float(coordinates[1])


def _format_value(value: Any) -> str | None:
    if value is None or isinstance(value, str):
        return value
    return json.dumps(value, ensure_ascii=False)
