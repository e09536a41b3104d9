"""Releases as GeoJSON: a feature per visit, at its place, or at the places that it may be."""

from __future__ import annotations

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.exports.jsonl import build_column
from sfumato.formats.json_files import parse_json
from sfumato.release.layouts import LayoutTable
from sfumato.release.release import Release

__all__ = ["encode_file", "parse"]

_AXES = ("lon", "lat")
_ROWS = 10_000


def encode_file(release: Release, layout_table: LayoutTable) -> Iterator[bytes]:
    """Yield the text of a file; a visit to a place whose coordinates are not published has no geometry."""
    where = _find_points(release)
    members = release.members()
    place = next(column.name for column in layout_table.columns if column.role == "history")
    skipped = {*_AXES, "x", "y"}
    yield b'{"type": "FeatureCollection", "features": [\n'
    between = ""
    for batch in layout_table.table.to_batches(max_chunksize=_ROWS):
        features = []
        for row in batch.to_pylist():
            stands_for = members.get(row[place], (row[place],))
            points = [where[member] for member in stands_for if member in where]
            properties = {name: value for name, value in row.items() if name not in skipped}
            properties |= {"members": list(stands_for)} if len(stands_for) > 1 else {}
            features.append({"type": "Feature", "geometry": _draw(points), "properties": properties})
        texts = (json.dumps(feature, ensure_ascii=False, allow_nan=False) for feature in features)
        yield (between + ",\n".join(texts)).encode()
        between = ",\n"
    yield b"\n]}\n"


def _find_points(release: Release) -> dict[str, tuple[float, float]]:
    places = release.places
    if places is None or not set(_AXES) <= set(places.column_names):
        raise ParameterError(
            "export: GeoJSON has longitudes and latitudes, and this release publishes none. Choose csv, parquet, jsonl "
            "or spmf."
        )
    rows = zip(*(places.column(name).to_pylist() for name in ("place", *_AXES)), strict=True)
    return {place: (lon, lat) for place, lon, lat in rows if lon is not None and lat is not None}


def _draw(points: list[tuple[float, float]]) -> dict[str, Any] | None:
    if not points:
        return None
    if len(points) == 1:
        return {"type": "Point", "coordinates": points[0]}
    return {"type": "MultiPoint", "coordinates": points}


def parse(path: Path, release: Release, layout_table: LayoutTable) -> pa.Table:  # noqa: ARG001
    """Read a file back; where things are follows from what they are."""
    collection = parse_json(path.name, path.read_bytes())
    if not isinstance(collection, dict) or collection.get("type") != "FeatureCollection":
        raise SchemaError(f"{path.name}: not a collection of features.")
    rows = [feature["properties"] for feature in collection["features"]]
    columns = [column for column in layout_table.columns if column.role != "coordinate"]
    return pa.table({column.name: build_column([row[column.name] for row in rows], column.form) for column in columns})
