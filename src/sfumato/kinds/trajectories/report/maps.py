"""The map before and after: original places on the left, what is published of them on the right."""

from __future__ import annotations

import dataclasses
import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.kinds.trajectories.comparison import PlaceComparison
from sfumato.kinds.trajectories.dataset import find_coordinates
from sfumato.kinds.trajectories.dataset.locations import convex_hull
from sfumato.kinds.trajectories.report import geometry
from sfumato.kinds.trajectories.report.geometry import Floats, Frame, Ints, Ring
from sfumato.metrics.comparison import Comparison
from sfumato.reports.html import shorten
from sfumato.reports.numbers import show_amount, show_bin, show_count, show_share
from sfumato.reports.palette import BEFORE, GRID, GROUPS, INK, MUTED, NEUTRAL, STEPS

__all__ = ["MapPanel", "draw_panels", "find_obstacle"]

_MOST_DOTS = 2_500
_MOST_CORNERS = 24_000
_MOST_LABELS = 25
_LABEL_LENGTH = 14
_STRIP = 44
_MARGIN, _LABEL_MARGIN = 12.0, 44.0
_COARSENESS = (1, 2, 6, 21, 51)


@dataclasses.dataclass(frozen=True)
class MapPanel:
    """One side of the map in pixels: shapes as GeoJSON features that carry their style, and texts.

    Examples
    --------
    >>> MapPanel("Before", "2 places", 100.0, 80.0).title
    'Before'
    """

    title: str
    subtitle: str
    width: float
    height: float
    shapes: list[dict[str, Any]] = dataclasses.field(default_factory=list)
    texts: list[dict[str, Any]] = dataclasses.field(default_factory=list)

    def add_dots(self, pixels: Floats, colour: str, size: float) -> None:
        """Add round dots: lines of no length with round ends, the shortest way to write many."""
        self._add("MultiLineString", [[p, p] for p in pixels.tolist()], stroke=colour, width=size)

    def add_crosses(self, pixels: Floats, colour: str, size: float = 2.2) -> None:
        """Add crosses."""
        strokes = [
            [[round(x - size, 1), round(y - way * size, 1)], [round(x + size, 1), round(y + way * size, 1)]]
            for x, y in pixels.tolist()
            for way in (1, -1)
        ]
        self._add("MultiLineString", strokes, stroke=colour, width=1.2)

    def add_areas(self, rings: list[Ring], fill: str, opacity: float, stroke: str, width: float) -> None:
        """Add filled outlines."""
        self._add("MultiPolygon", [[ring] for ring in rings], fill=fill, opacity=opacity, stroke=stroke, width=width)

    def add_text(self, x: float, y: float, text: str, colour: str = MUTED) -> None:
        """Add a text that starts at a point."""
        self.texts.append({"x": x, "y": y, "text": text, "colour": colour})

    def _add(self, kind: str, coordinates: list[Any], **style: Any) -> None:
        if coordinates:
            properties = {"fill": "transparent", "opacity": 0, **style}
            shape = {"type": kind, "coordinates": coordinates}
            self.shapes.append({"type": "Feature", "geometry": shape, "properties": properties})


@dataclasses.dataclass(frozen=True, eq=False)
class _Ground:
    """The places that are drawn, in pixels."""

    frame: Frame
    inside: npt.NDArray[np.bool_]
    places: Ints
    pixels: Floats
    visits: Ints
    outlines: list[list[Ring]] | None
    labels: tuple[str, ...]
    notes: tuple[str, ...]

    def rings(self, chosen: npt.NDArray[np.bool_]) -> list[Ring]:
        """Return the outlines of the chosen ones."""
        assert self.outlines is not None
        return [ring for at in np.flatnonzero(chosen) for ring in self.outlines[at]]

    def paint(self, panel: MapPanel, chosen: npt.NDArray[np.bool_], colour: str, size: float) -> None:
        """Draw the chosen places as they are: cells where outlines are known, dots elsewhere."""
        if self.outlines is None:
            panel.add_dots(self.pixels[chosen], colour, size)
        else:
            panel.add_areas(self.rings(chosen), colour, 0.75, colour, 0.4)


def find_obstacle(comparison: Comparison) -> str | None:
    """Say why there is no map, or return None when there is one.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("trajectories", [["a"], ["a"]], {"a": (0, 0)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=1), secret=bytes(32)).release
    >>> find_obstacle(Comparison(sf.Dataset.of("trajectories", [["a"], ["a"]]), release))
    'Maps are not drawn because the places have no coordinates.'
    """
    if not comparison.view(PlaceComparison).has_coordinates:
        return "Maps are not drawn because the places have no coordinates."
    if not len(comparison.history.labels):
        return "Maps are not drawn because the data have no places."
    if comparison.obstacle:
        return f"Maps are not drawn: {comparison.obstacle}"
    return None


def draw_panels(comparison: Comparison, width: float) -> tuple[list[MapPanel], tuple[str, ...]]:
    """Draw both sides of the map, and say what is left out of it."""
    ground = _survey(comparison, width)
    draw = _draw_groups if comparison.is_global else _draw_coarseness
    return [_draw_original(comparison, ground), draw(comparison, ground)], ground.notes


def _survey(comparison: Comparison, width: float) -> _Ground:
    """Choose what is drawn, and where."""
    points = find_coordinates(comparison.original)
    visits = np.bincount(comparison.history.codes, minlength=len(points)).astype(np.int64)
    inside = geometry.find_window(points, visits)
    near = np.flatnonzero(inside)
    outlines = _read_outlines(comparison, near)
    corners = np.concatenate([ring for rings in outlines for ring in rings]) if outlines else points[near]
    few = len(points) <= _MOST_LABELS
    frame = geometry.fit_frame(corners, width, 1.15 * width, _LABEL_MARGIN if few else _MARGIN)
    pixels = frame.draw(points[near])
    drawn, side = np.arange(len(near)), 0.0
    if not outlines:
        drawn, side = geometry.thin_out(pixels, visits[near], _MOST_DOTS)
    return _Ground(
        frame=frame,
        inside=inside,
        places=near[drawn],
        pixels=pixels[drawn],
        visits=visits[near[drawn]],
        outlines=[[_to_ring(frame.draw(r)) for r in rings] for rings in outlines] if outlines else None,
        labels=tuple(shorten(label, _LABEL_LENGTH) for label in comparison.history.labels) if few else (),
        notes=_explain_omissions(comparison, visits, near, len(drawn), side),
    )


def _explain_omissions(comparison: Comparison, visits: Ints, near: Ints, drawn: int, side: float) -> tuple[str, ...]:
    notes, places, table = [], len(visits), comparison.original.places
    if side:
        notes.append(
            f"{show_count(drawn)} of {show_count(places)} places are drawn: of those within {side:g} "
            "pixels only the most visited one."
        )
        if table is not None and "outline" in table.column_names:
            notes.append("They are drawn as dots because their outlines would be too small to see.")
    if len(near) < places:
        share = 1 - visits[near].sum() / max(int(visits.sum()), 1)
        notes.append(
            f"{show_amount(places - len(near), 'place', 'places')} with {show_share(float(share))} of the "
            "visits: too far away for this map."
        )
    return tuple(notes)


def _read_outlines(comparison: Comparison, near: Ints) -> list[list[Floats]]:
    """Return the outlines of places in plane units, or none if any is missing or they are too many to be seen."""
    places = comparison.original.places
    if places is None or "outline" not in places.column_names:
        return []
    texts = places.column("outline").to_pylist()
    outlines = [geometry.parse_outline(texts[place]) for place in near]
    corners = sum(len(ring) for rings in outlines for ring in rings)
    if not all(outlines) or corners > _MOST_CORNERS:
        return []
    if "lon" not in places.column_names:
        return outlines
    given = np.column_stack([places.column(name).to_numpy() for name in ("lon", "lat")])
    lengths = [len(ring) for rings in outlines for ring in rings]
    every = np.concatenate([ring for rings in outlines for ring in rings])
    plane = iter(
        np.split(geometry.project(every, given, find_coordinates(comparison.original)), np.cumsum(lengths)[:-1])
    )
    return [[next(plane) for _ in rings] for rings in outlines]


def _to_ring(corners: Floats) -> Ring:
    return [(x, y) for x, y in corners.tolist()]


def _panel(ground: _Ground, title: str, subtitle: str) -> MapPanel:
    return MapPanel(title, subtitle, ground.frame.width, round(ground.frame.height + _STRIP, 1))


def _label_places(panel: MapPanel, ground: _Ground) -> None:
    if ground.labels:
        for place, (x, y) in zip(ground.places.tolist(), ground.pixels.tolist(), strict=True):
            panel.add_text(x + 5, y - 6, ground.labels[place], INK)


def _draw_original(comparison: Comparison, ground: _Ground) -> MapPanel:
    """Draw every place by how often it is visited."""
    total = show_count(len(comparison.history.codes))
    subtitle = f"{show_amount(len(comparison.history.labels), 'place', 'places')}, {total} visits"
    panel = _panel(ground, "Before: original places", subtitle)
    floors = _visit_classes(int(ground.visits.max(initial=1)))
    number = np.maximum(np.searchsorted(floors, ground.visits, side="right") - 1, 0)
    base = ground.frame.height + 14
    x = _add_scale_bar(panel, comparison, ground.frame)
    panel.add_text(x, base, "visits")
    x += 42
    for step, floor in enumerate(floors):
        chosen = number == step
        at = np.array([[x, base]])
        if ground.outlines is None:
            size = 2.4 * 1.55**step
            panel.add_dots(ground.pixels[chosen], BEFORE, size)
            panel.add_dots(at, BEFORE, size)
        else:
            opacity = 0.12 + 0.83 * step / (len(floors) - 1)
            panel.add_areas(ground.rings(chosen), BEFORE, opacity, GRID, 0.5)
            panel.add_areas([_square(x, base)], BEFORE, opacity, BEFORE, 0.5)
        text = f"{show_count(floor)}+"
        panel.add_text(x + 10, base, text)
        x += 28 + 6.8 * len(text)
    _label_places(panel, ground)
    return panel


def _visit_classes(most: int) -> list[int]:
    """Return the smallest number of visits of each of up to five classes."""
    if most < 10:
        return [1, 2, 5]
    if most <= 100:
        return [1, 5, 20, 50]
    powers = [10**power for power in range(int(math.log10(most)) + 1)]
    return [1, *powers[-4:]] if len(powers) > 5 else powers


def _square(x: float, y: float, half: float = 4.0) -> Ring:
    return [(x - half, y - half), (x + half, y - half), (x + half, y + half), (x - half, y + half),
            (x - half, y - half)]  # fmt: skip


def _add_scale_bar(panel: MapPanel, comparison: Comparison, frame: Frame) -> float:
    """Draw a round length, and return where the next thing may begin."""
    if len(comparison.history.labels) < 2:
        return 4.0
    longest = frame.width / 5 / frame.scale
    power = 10.0 ** math.floor(math.log10(longest))
    length = max(step * power for step in (1, 2, 5) if step * power <= longest)
    pixels = round(length * frame.scale, 1)
    y = frame.height + 14
    panel._add("MultiLineString", [[[4, y], [4 + pixels, y]]], stroke=MUTED, width=2)
    panel.add_text(4, y + 13, _name_length(comparison, length))
    return 4 + pixels + 20


def _name_length(comparison: Comparison, length: float) -> str:
    places = comparison.original.places
    assert places is not None
    if "lon" not in places.column_names:
        return f"{length:g} of x or y" if length < 1000 else f"{show_count(round(length))} of x or y"
    return f"{length:g} m" if length < 1000 else f"{length / 1000:,g} km"


def _draw_groups(comparison: Comparison, ground: _Ground) -> MapPanel:
    """Draw each generalised place in one colour, and exact ones in grey."""
    members = comparison.members
    value_of = np.full(len(comparison.places), -1, dtype=np.int64)
    value_of[members.codes] = members.row_of_token
    value_of = value_of[: len(comparison.history.labels)]
    # Value -1 reads the entry added at the end, which need not be there in an empty release.
    is_exact = (value_of >= 0) & ~np.append(comparison.generalised, False)[value_of]
    generalised = int(comparison.generalised.sum())
    subtitle = (
        f"{show_count(len(members) - generalised)} exact, {show_count(generalised)} generalised from "
        f"{show_count(int(comparison.sizes[comparison.generalised].sum()))}"
    )
    panel = _panel(ground, "After: published places", subtitle)
    _add_groups(panel, comparison, ground, np.where(is_exact, -1, value_of))
    exact, removed = is_exact[ground.places], value_of[ground.places] < 0
    ground.paint(panel, exact, NEUTRAL, 3.4)
    panel.add_crosses(ground.pixels[removed], BEFORE)
    _add_group_legend(panel, ground, exact=bool(exact.any()), removed=bool(removed.any()))
    _label_places(panel, ground)
    return panel


def _add_groups(panel: MapPanel, comparison: Comparison, ground: _Ground, value_of: Ints) -> None:
    """Draw the hull of every group, or the cells of its members, in a colour unlike its neighbours'.

    Hulls go around all members, also those that are not drawn as dots.
    """
    grouped = np.flatnonzero(ground.inside & (value_of >= 0))
    pixels = ground.frame.draw(find_coordinates(comparison.original)[grouped])
    _, group = np.unique(value_of[grouped], return_inverse=True)
    shade_of_group = geometry.choose_colours(pixels, group.astype(np.int64), len(GROUPS))
    shade_of_place = np.full(len(value_of), -1)
    shade_of_place[grouped] = shade_of_group[group]
    order = np.argsort(group, kind="stable")
    outlines = [convex_hull(part) for part in np.split(pixels[order], np.cumsum(np.bincount(group))[:-1])]
    for shade, colour in enumerate(GROUPS):
        mine = shade_of_place[ground.places] == shade
        if ground.outlines is not None:
            panel.add_areas(ground.rings(mine), colour, 0.55, colour, 0.8)
            continue
        panel.add_areas([outlines[at] for at in np.flatnonzero(shade_of_group == shade)], colour, 0.14, colour, 0.9)
        panel.add_dots(ground.pixels[mine], colour, 2.6)


def _add_group_legend(panel: MapPanel, ground: _Ground, *, exact: bool, removed: bool) -> None:
    x, y = 8.0, ground.frame.height + 14
    panel.add_areas([_square(x, y)], GROUPS[0], 0.2, GROUPS[0], 1)
    panel.add_text(x + 10, y, "one generalised place (colours repeat)")
    if exact:
        if ground.outlines is None:
            panel.add_dots(np.array([[x, y + 17]]), NEUTRAL, 5)
        else:
            panel.add_areas([_square(x, y + 17)], NEUTRAL, 0.75, NEUTRAL, 0.4)
        panel.add_text(x + 10, y + 17, "published exactly")
        x += 130
    if removed:
        panel.add_crosses(np.array([[x, y + 17]]), BEFORE, 3)
        panel.add_text(x + 10, y + 17, "not published")


def _draw_coarseness(comparison: Comparison, ground: _Ground) -> MapPanel:
    """Draw each place by how many places its visits are published as, on average over its visits.

    A release that recodes groups of people differently has a place in many generalised places, and
    outlines of all of them on top of each other would show nothing.
    """
    generalised = comparison.generalised
    subtitle = f"{show_count(int(generalised.sum()))} generalised places, which differ between records"
    panel = _panel(ground, "After: generalisation of the visits to a place", subtitle)
    is_published = comparison.published_values >= 0
    codes, values = comparison.originals.codes[is_published], comparison.published_values[is_published]
    width = len(comparison.places)
    times = np.bincount(codes, minlength=width)
    total = np.bincount(codes, comparison.sizes[values], minlength=width)
    average = (total / np.maximum(times, 1))[ground.places]
    published = times[ground.places] > 0
    # An average is never below one; everything above it is to some degree generalised.
    step = np.searchsorted(_COARSENESS, np.ceil(np.round(average, 9)), side="right") - 1
    x, y = 8.0, ground.frame.height + 14
    for number, colour in enumerate(STEPS):
        ground.paint(panel, published & (step == number), colour, 4)
        panel.add_dots(np.array([[x, y + 17]]), colour, 6)
        end = _COARSENESS[number + 1] if number + 1 < len(_COARSENESS) else None
        text = f"over {_COARSENESS[-1] - 1}" if end is None else show_bin(_COARSENESS[number], end)
        panel.add_text(x + 9, y + 17, text)
        x += 24 + 6.8 * len(text)
    panel.add_crosses(ground.pixels[~published], BEFORE)
    panel.add_text(4, y, "average number of places that a visit here may be published as (1: exact)")
    _label_places(panel, ground)
    return panel
