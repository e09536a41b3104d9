"""GeoJSON: features that are points, with properties."""

from __future__ import annotations

import json
from typing import Any

import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.formats.json_text import DEEPEST, check_nesting
from sfumato.hierarchies.build import name_rows

__all__ = ["is_geojson", "parse_geojson"]


def is_geojson(begin: bytes) -> bool:
    """Tell by its beginning whether a JSON file is a collection of features.

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
        raise SchemaError(f"{name}: lists and objects lie more than {DEEPEST} deep in one another.") from None
    except ValueError:
        pass
    check_nesting(name, collection)
    features = collection.get("features") if isinstance(collection, dict) else None
    if not isinstance(features, list) or collection.get("type") != "FeatureCollection":
        raise SchemaError(f"{name}: this is not a FeatureCollection of GeoJSON, or the file is cut short.")
    points = [_find_point(feature) for feature in features]
    strange = [number for number, point in enumerate(points, start=1) if point is None]
    if strange:
        raise SchemaError(
            f"{name}: every feature must be a point of longitude and latitude, not so {name_rows(strange, 'feature')} "
            f"({len(strange):,} in all). Write one feature per visit."
        )
    rows = [feature.get("properties") or {} for feature in features]
    columns = dict.fromkeys(key for row in rows for key in row)
    table = {column: pa.array([_format_value(row.get(column)) for row in rows], pa.string()) for column in columns}
    for axis, short, long in ((0, "lon", "longitude"), (1, "lat", "latitude")):
        # A property of the same name stays, and the reader asks which of the two is meant.
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
