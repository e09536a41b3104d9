"""Published coordinates of places, looked at anew: none may come from a person.

A release says where its coordinates come from. Those that someone gave, or drew as regions, are what they are. All
others are centres of squares that lie where they lie whatever the data are, so that files alone show that no digit
depends on anyone: ``side``, ``levels`` or ``size`` of ``release.json`` are all that is needed to find the squares
again. How many people were in a square only the original can tell.
"""

from __future__ import annotations

import math
import re
from collections.abc import Iterator
from typing import Any

import numpy as np

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.places import CELLS, GIVEN, GRID, QUADTREE, REGIONS, Observations, PlaceOrigin
from sfumato.kinds.trajectories.dataset.locations import EARTH_RADIUS
from sfumato.release.release import Release

__all__ = ["check_coordinates", "check_listed", "verify_coordinates"]

Counterexample = dict[str, Any] | None

_MORE = {GIVEN: [], CELLS: ["level"], GRID: ["outline"], QUADTREE: ["outline"], REGIONS: ["outline"]}
_NAME = {GRID: re.compile(r"x(-?\d{1,18})y(-?\d{1,18})"), QUADTREE: re.compile(r"z(\d{1,2})x(-?\d{1,18})y(-?\d{1,18})")}


def check_listed(release: Release) -> Counterexample:
    """Look for places that values stand for and that are not described."""
    if release.places is None:
        return None
    if "place" not in release.places.column_names:
        return {"found": release.places.column_names}
    described = set(release.places.column("place").to_pylist())
    for value, places in release.meanings().items():
        if not described.issuperset(places):
            return {"value": value}
    return None


def check_coordinates(release: Release) -> Counterexample:
    """Look for coordinates that are not what the release says they are."""
    if release.places is None:
        return None
    origin, columns = release.place_origin, release.places.column_names
    wanted = ["place"]
    if origin is not None:
        if origin.source not in _MORE:
            return {"source": origin.source}
        wanted += [*origin.axes, *_MORE[origin.source]]
    if columns != wanted:
        return {"declared": wanted, "found": columns}
    if origin is None:
        return None
    for row, place in enumerate(release.places.to_pylist(), 1):
        if not _is_sound(place, origin):
            return {"rows": [row], "file": "places.csv"}
    return None


def _is_sound(place: dict[str, Any], origin: PlaceOrigin) -> bool:
    x, y = (place[axis] for axis in origin.axes)
    if origin.source == CELLS and x is None and y is None and place["level"] is None:
        return True
    if x is None or y is None or not (math.isfinite(x) and math.isfinite(y)):
        return False
    if origin.coordinates == "lonlat" and (abs(x) > 180 or abs(y) > 180):
        return False
    if origin.source == CELLS:
        return place["level"] is not None and _is_centre(x, y, place["level"], origin)
    if origin.source in {GRID, QUADTREE}:
        return _is_named_square(place, x, y, origin)
    return True


def _is_centre(x: float, y: float, level: int, origin: PlaceOrigin) -> bool:
    """Return whether a point is the centre of a square of the hierarchy, to the last digit."""
    if not 0 <= level <= origin.levels:
        return False
    if level == 0:
        return x == 0 and y == 0
    step = origin.side / 2**level
    columns = [math.floor(value / step) for value in (x, y)]
    inside = all(-(2 ** (level - 1)) <= column < 2 ** (level - 1) for column in columns)
    return inside and all((c + 0.5) * step == value for c, value in zip(columns, (x, y), strict=True))


def _is_named_square(place: dict[str, Any], x: float, y: float, origin: PlaceOrigin) -> bool:
    """Return whether centre and outline are those of the square that the place is called."""
    name = _NAME[origin.source].fullmatch(place["place"])
    if name is None:
        return False
    *level, column, row = (int(number) for number in name.groups())
    corners = _tree_square(level[0], column, row, origin) if level else _grid_square(column, row, origin)
    if corners is None:
        return False
    west, south, east, north = corners
    for value, middle in ((x, (west + east) / 2), (y, (south + north) / 2)):
        if origin.coordinates == "lonlat":
            if value != round(value, 9) or abs(value - middle) > 2e-9:
                return False
        elif not math.isclose(value, middle, rel_tol=1e-14, abs_tol=1e-300):
            return False
    return bool(place["outline"] == _format_polygon(corners, origin))


def _grid_square(column: int, row: int, origin: PlaceOrigin) -> tuple[float, float, float, float] | None:
    size = origin.size
    if not (0 < size < math.inf):
        return None
    if origin.coordinates == "plane":
        return column * size, row * size, (column + 1) * size, (row + 1) * size
    rows = max(1, round(math.pi * EARTH_RADIUS / size))
    if not 0 <= row < rows:
        return None
    circle = 2 * math.pi * EARTH_RADIUS * math.cos(math.radians((row + 0.5) * (180 / rows) - 90))
    columns = max(1.0, float(np.round(circle / size)))
    if not 0 <= column < columns:
        return None
    width, height = 360 / columns, 180 / rows
    return column * width - 180, row * height - 90, (column + 1) * width - 180, (row + 1) * height - 90


def _tree_square(level: int, column: int, row: int, origin: PlaceOrigin) -> tuple[float, float, float, float] | None:
    if level > origin.levels:
        return None
    if level == 0:
        half = origin.side / 2
        return (-half, -half, half, half) if column == row == 0 else None
    step, most = origin.side / 2**level, 2 ** (level - 1)
    if not (-most <= column < most and -most <= row < most):
        return None
    return column * step, row * step, (column + 1) * step, (row + 1) * step


def _format_polygon(corners: tuple[float, float, float, float], origin: PlaceOrigin) -> str:
    rounded = [round(side, 7) for side in corners] if origin.coordinates == "lonlat" else list(corners)
    w, s, e, n = (f"{side:.12g}" for side in rounded)
    return f"POLYGON (({w} {s}, {e} {s}, {e} {n}, {w} {n}, {w} {s}))"


def verify_coordinates(release: Release, original: Dataset, k: int) -> Verdict:
    """Check published coordinates against the original: given ones are those given, and squares hold k people.

    A place that nobody of this original visits comes from an earlier release with the same recoding, and has been
    judged there.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    k
        The fewest people whose positions may be published together.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
    >>> data = Dataset.of("trajectories", [["a"], ["a"]], {"a": (0, 0)})
    >>> verify_coordinates(SeqAnon(k=2, m=1).anonymize(data, Run(bytes(32))).release, data, 2).checks
    {'coordinates come from where the release says': True, 'coordinates are those of at least k people': True}
    """
    if release.place_origin is None or release.places is None:
        return Verdict(True, {}, {})
    same, of_k_people = "coordinates come from where the release says", "coordinates are those of at least k people"
    counterexample: Counterexample = None
    checks = {same: original.places is not None and original.place_origin == release.place_origin, of_k_people: True}
    if not checks[same]:
        counterexample = {"check": same, "declared": release.place_origin.source, "found": original.place_origin.source}
    else:
        for row, people in _count_people(release, original):
            if people is None:
                checks[same], counterexample = False, {"check": same, "rows": [row], "file": "places.csv"}
                break
            if people < k:
                checks[of_k_people] = False
                counterexample = {"check": of_k_people, "rows": [row], "people": people, "file": "places.csv"}
                break
    return Verdict(counterexample is None, {}, {}, counterexample, checks)


def _count_people(release: Release, original: Dataset) -> Iterator[tuple[int, int | None]]:
    """Yield, for published rows of places, how many people were in the square; None where the row is not the given."""
    origin, places, original_places = release.place_origin, release.places, original.places
    assert origin is not None
    assert places is not None
    assert original_places is not None
    code = {place: i for i, place in enumerate(original_places.column("place").to_pylist())}
    if origin.source in {GIVEN, REGIONS}:
        theirs = original_places.select(places.column_names).to_pylist()
        for row, place in enumerate(places.to_pylist(), 1):
            if place["place"] in code and theirs[code[place["place"]]] != place:
                yield row, None
        return
    if origin.source == GRID:
        return
    nobody = Observations(np.empty(0, np.int64), np.empty(0, np.int64), np.empty(0), np.empty(0))
    observations, first, second = original.observations or nobody, *origin.axes
    order = np.argsort(observations.place, kind="stable")
    ends = np.searchsorted(observations.place[order], np.arange(len(code) + 1))
    for row, place in enumerate(places.to_pylist(), 1):
        at = code.get(place["place"])
        if origin.source == QUADTREE:
            corners = _quartered(place["place"], origin)
            if corners is not None and at is not None:
                yield row, _people_within(observations, np.arange(len(order)), corners)
        elif place[first] is not None:
            mine = order[ends[at] : ends[at + 1]] if at is not None else order[:0]
            half = origin.side / 2 ** (place["level"] + 1)
            x, y = place[first], place[second]
            yield row, _people_within(observations, mine, (x - half, y - half, x + half, y + half))


def _quartered(name: str, origin: PlaceOrigin) -> tuple[float, float, float, float] | None:
    """Return the square of which a square of the quadtree is a quarter; None for the one that is no quarter."""
    match = _NAME[QUADTREE].fullmatch(name)
    level, column, row = (int(number) for number in match.groups()) if match else (0, 0, 0)
    if level == 0:
        return None
    return _tree_square(level - 1, column // 2 if level > 1 else 0, row // 2 if level > 1 else 0, origin)


def _people_within(observations: Observations, chosen: Any, corners: tuple[float, float, float, float]) -> int:
    west, south, east, north = corners
    x, y = observations.x[chosen], observations.y[chosen]
    # The meridian of 180 degrees belongs to the last column.
    inside = (x >= west) & ((x < east) | ((x == east) & (east == 180))) & (y >= south) & (y < north)
    return len(np.unique(observations.person[chosen][inside]))
