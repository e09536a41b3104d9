"""GPX files: tracks of points with times."""

from __future__ import annotations

from collections.abc import Iterable

import pyarrow as pa

from sfumato.exceptions import SchemaError
from sfumato.formats.xml_text import walk_xml

__all__ = ["parse_gpx"]

_POINTS = {"trkpt": "trk", "rtept": "rte"}


def parse_gpx(name: str, blocks: Iterable[bytes]) -> pa.Table:
    """Make a table of the points of tracks and routes: ``track, time, lat, lon``, one row per point.

    A track without a name is named by its number, and a repeated name is followed by its number. There is no column
    ``time`` where no point has one. Single way points are left out.

    Examples
    --------
    >>> text = b'''<gpx><trk><name>walk</name><trkseg><trkpt lat="53.1" lon="8.2">
    ... <time>2024-01-01T10:00:00Z</time></trkpt></trkseg></trk></gpx>'''
    >>> parse_gpx("walk.gpx", [text]).to_pylist()
    [{'track': 'walk', 'time': '2024-01-01T10:00:00Z', 'lat': '53.1', 'lon': '8.2'}]
    """
    tracks = _Tracks(name)
    walk_xml(name, blocks, tracks)
    return tracks.table()


class _Tracks:
    def __init__(self, name: str) -> None:
        self.name = name
        self.names: list[str] = []
        self.track: list[int] = []
        self.columns: dict[str, list[str | None]] = {"time": [], "lat": [], "lon": []}

    def begin(self, path: tuple[str, ...], tag: str, attributes: dict[str, str]) -> None:
        if not path and tag != "gpx":
            raise SchemaError(f"{self.name}: this is not a GPX file: its first element is not gpx.")
        if tag in _POINTS.values() and path == ("gpx",):
            self.names.append("")
        elif tag in _POINTS and _POINTS[tag] in path:
            self.track.append(len(self.names) - 1)
            self.columns["time"].append(None)
            for axis in ("lat", "lon"):
                self.columns[axis].append(attributes.get(axis))

    def end(self, path: tuple[str, ...], tag: str, text: str) -> None:
        if tag == "name" and path and path[-1] in _POINTS.values():
            self.names[-1] = text.strip()
        elif tag == "time" and path and path[-1] in _POINTS:
            self.columns["time"][-1] = text.strip()

    def table(self) -> pa.Table:
        if not self.track:
            raise SchemaError(f"{self.name}: the file has no points of tracks or routes.")
        seen: set[str] = set()
        labels = []
        for number, given in enumerate(self.names, start=1):
            label = given or f"track {number}"
            labels.append(f"{label} ({number})" if label in seen else label)
            seen.add(labels[-1])
        columns = {"track": pa.array([labels[number] for number in self.track], pa.string())}
        for column, cells in self.columns.items():
            if column != "time" or any(cells):
                columns[column] = pa.array(cells, pa.string())
        return pa.table(columns)
