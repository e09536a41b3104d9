"""Regions of a file: polygons from GeoJSON or WKT, and the region of a point."""

from __future__ import annotations

import dataclasses
import json
import os
import re
from collections.abc import Iterable
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError
from sfumato.formats.json_files import parse_json
from sfumato.readers.cells import LONGEST_LABEL
from sfumato.readers.files import load, to_utf8
from sfumato.readers.tables import parse_table

__all__ = ["Region", "locate_in_regions", "read_regions"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]

_PAIR = re.compile(r"([^\s(),]+)\s+([^\s(),]+)(?:\s+[^\s(),]+)*")
_BATCH_PAIRS = 1 << 20  # edges times points held in memory together


@dataclasses.dataclass(frozen=True, eq=False)
class Region:
    """A named area: polygons, each an outer ring and its holes, each ring an (n, 2) array that is not closed.

    Examples
    --------
    >>> square = Region("centre", (((np.array([[0.0, 0], [2, 0], [2, 2], [0, 2]])),),))
    >>> square.centre(), square.outline()
    ((1.0, 1.0), 'POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))')
    """

    name: str
    polygons: tuple[tuple[Floats, ...], ...]

    def centre(self) -> tuple[float, float]:
        """Return the centre of gravity."""
        total, moment = 0.0, np.zeros(2)
        for polygon in self.polygons:
            for i, ring in enumerate(polygon):
                area, ring_moment = _area_and_moment(ring)
                sign = (1 if i == 0 else -1) * (1 if area >= 0 else -1)
                total += sign * area
                moment += sign * ring_moment
        x, y = moment / total
        return float(x), float(y)

    def area(self) -> float:
        """Return the area, holes taken off."""
        return sum(
            (1 if i == 0 else -1) * abs(_area_and_moment(ring)[0])
            for polygon in self.polygons
            for i, ring in enumerate(polygon)
        )

    def outline(self) -> str:
        """Return the area as WKT."""
        texts = ["(" + ", ".join(_format_ring(ring) for ring in polygon) + ")" for polygon in self.polygons]
        return f"POLYGON {texts[0]}" if len(texts) == 1 else f"MULTIPOLYGON ({', '.join(texts)})"

    def edges(self) -> Floats:
        """Return all edges as rows x1, y1, x2, y2 with y1 <= y2.

        Both neighbours of a common edge see the same numbers, so that no point is in both or in none.
        """
        parts = []
        for ring in (ring for polygon in self.polygons for ring in polygon):
            edge = np.hstack([ring, np.roll(ring, -1, axis=0)])
            parts.append(np.where((edge[:, 1] > edge[:, 3])[:, None], edge[:, [2, 3, 0, 1]], edge))
        return np.vstack(parts)


def _area_and_moment(ring: Floats) -> tuple[float, Floats]:
    origin = ring[0]  # numbers close to 0 keep their digits
    here = ring - origin
    there = np.roll(here, -1, axis=0)
    cross = here[:, 0] * there[:, 1] - there[:, 0] * here[:, 1]
    area = float(cross.sum() / 2)
    moment = ((here + there) * cross[:, None]).sum(axis=0) / 6
    return area, moment + area * origin


def _format_ring(ring: Floats) -> str:
    closed = np.vstack([ring, ring[:1]])
    return "(" + ", ".join(f"{x:.12g} {y:.12g}" for x, y in closed.tolist()) + ")"


def read_regions(path: str | os.PathLike[str], *, lonlat: bool) -> list[Region]:
    """Read regions from a GeoJSON FeatureCollection or from CSV with the columns ``name,wkt``.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "districts.csv"
    >>> _ = file.write_text('name,wkt\\ncentre,"POLYGON ((0 0, 2 0, 2 2, 0 2, 0 0))"\\n')
    >>> [region.name for region in read_regions(file, lonlat=False)]
    ['centre']
    """
    name = Path(path).name
    data = to_utf8(name, load(path))
    shapes = _from_geojson(name, data) if data.lstrip().startswith(b"{") else _from_csv(name, data)
    regions: list[Region] = []
    seen: dict[str, int] = {}
    for number, (label, nested) in enumerate(shapes, start=1):
        if not label.strip() or len(label) > LONGEST_LABEL:
            raise SchemaError(
                f"{name}: region {number} needs a name of at most {LONGEST_LABEL:,} characters.",
                option="places",
                hint="Give it in the property name or id.",
            )
        if seen.setdefault(label, number) != number:
            raise SchemaError(
                f"{name}: region {number} has the name of region {seen[label]}.",
                option="places",
                hint="Make them one multipolygon, or rename one.",
            )
        region = Region(label, tuple(_rings(name, number, polygon, lonlat) for polygon in nested))
        if not region.polygons or not region.area() > 0:
            raise SchemaError(f"{name}: region {number} has no area.", option="places", hint="Draw it as a polygon.")
        regions.append(region)
    if not regions:
        raise SchemaError(f"{name}: there are no regions in the file.", option="places", hint="Add regions.")
    return regions


def _from_geojson(name: str, data: bytes) -> Iterable[tuple[str, list[Any]]]:
    try:
        document = parse_json(name, data)
    except SchemaError:
        document = None
    features = document.get("features") if isinstance(document, dict) else None
    if not isinstance(features, list):
        raise SchemaError(
            f"{name}: this is not a GeoJSON FeatureCollection.",
            option="places",
            hint="Give one, or a CSV file with the columns name and wkt.",
        )
    for number, feature in enumerate(features, start=1):
        try:
            properties = feature.get("properties") or {}
            label = next(
                v for v in (properties.get("name"), properties.get("id"), feature.get("id"), "") if v is not None
            )
            kind, nested = feature["geometry"]["type"], feature["geometry"]["coordinates"]
        except (AttributeError, KeyError, TypeError):
            kind, nested, label = "", [], ""
        if kind not in {"Polygon", "MultiPolygon"}:
            raise SchemaError(
                f"{name}: feature {number} must be a Polygon or MultiPolygon.",
                option="places",
                hint="Remove it, or draw it as a polygon.",
            )
        yield str(label), [nested] if kind == "Polygon" else nested


def _from_csv(name: str, data: bytes) -> Iterable[tuple[str, list[Any]]]:
    table = parse_table(name, data, "csv")
    if not {"name", "wkt"} <= set(table.column_names):
        raise SchemaError(
            f"{name}: a table of regions needs the columns name and wkt.",
            option="places",
            hint="Add them, or give a GeoJSON file.",
        )
    rows = zip(table.column("name").to_pylist(), table.column("wkt").to_pylist(), strict=True)
    for number, (label, text) in enumerate(rows, start=1):
        kind, _, body = str(text).strip().partition("(")
        kind = kind.strip().upper().removesuffix(" Z").strip()
        try:
            pairs = _PAIR.sub(lambda m: json.dumps([float(m[1]), float(m[2])]), f"({body}")
            nested = json.loads(pairs.replace("(", "[").replace(")", "]"))
        except (ValueError, RecursionError):
            kind, nested = "", []
        if kind not in {"POLYGON", "MULTIPOLYGON"}:
            raise SchemaError(
                f"{name}: row {number}: wkt must be a POLYGON or MULTIPOLYGON.",
                option="places",
                column="wkt",
                rows=(number,),
                hint="Correct or remove the row.",
            )
        yield str(label), [nested] if kind == "POLYGON" else nested


def _rings(name: str, number: int, polygon: Any, lonlat: bool) -> tuple[Floats, ...]:
    try:
        rings = [np.array([point[:2] for point in ring], dtype=np.float64) for ring in polygon]
    except (TypeError, ValueError, KeyError, IndexError):
        rings = []
    bounds = np.array([180.0, 90.0]) if lonlat else np.array([1e12, 1e12])
    for i, ring in enumerate(rings):
        if ring.ndim != 2 or ring.shape[1] != 2 or not (np.abs(ring) <= bounds).all():
            raise SchemaError(
                f"{name}: region {number} must have corners of two finite numbers"
                f"{', longitude up to 180 and latitude up to 90 degrees' if lonlat else ''}.",
                option="places",
                hint="Correct its corners.",
            )
        rings[i] = ring[:-1] if len(ring) > 1 and (ring[0] == ring[-1]).all() else ring
    if not rings or min(len(ring) for ring in rings) < 3:
        raise SchemaError(
            f"{name}: region {number} must have rings of at least three corners.",
            option="places",
            hint="Correct its corners.",
        )
    return tuple(rings)


def locate_in_regions(regions: list[Region], x: Floats, y: Floats) -> Ints:
    """Return the first region each point lies in, -1 for none.

    Examples
    --------
    >>> left = Region("left", ((np.array([[0.0, 0], [1, 0], [1, 1], [0, 1]]),),))
    >>> right = Region("right", ((np.array([[1.0, 0], [2, 0], [2, 1], [1, 1]]),),))
    >>> locate_in_regions([left, right], np.array([0.5, 1.0, 3.0]), np.array([0.5, 0.5, 0.5])).tolist()
    [0, 1, -1]
    """
    order = np.argsort(x, kind="stable")
    ranked_x, ranked_y = x[order], y[order]
    codes = np.full(len(x), -1, np.int32)
    for code, region in enumerate(regions):
        edges = region.edges()
        west, east = min(edges[:, 0].min(), edges[:, 2].min()), max(edges[:, 0].max(), edges[:, 2].max())
        low, high = np.searchsorted(ranked_x, west, "left"), np.searchsorted(ranked_x, east, "right")
        near = np.arange(low, high)
        near = near[(ranked_y[near] >= edges[:, 1].min()) & (ranked_y[near] <= edges[:, 3].max())]
        near = near[codes[order[near]] < 0]
        if len(near):
            inside = _crossings(edges, ranked_x[near], ranked_y[near]) % 2 == 1
            codes[order[near[inside]]] = code
    return codes


def _crossings(edges: Floats, x: Floats, y: Floats) -> npt.NDArray[np.int64]:
    """Count the edges a ray to the east of each point crosses."""
    count = np.zeros(len(x), np.int64)
    step = max(_BATCH_PAIRS // len(x), 1)
    for start in range(0, len(edges), step):
        x1, y1, x2, y2 = edges[start : start + step].T[:, :, None]
        meets = (y1 <= y) & (y < y2)
        with np.errstate(divide="ignore", invalid="ignore"):
            reached = x < x1 + (y - y1) * (x2 - x1) / (y2 - y1)
        count += (meets & reached).sum(axis=0)
    return count
