"""Strips of some groups: when their monitored events happened above, what is published of them below."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.core.clock import UNITS, Clock
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.unit import Unit
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.kinds.sequences.report.lengths import show_length
from sfumato.report.markup import shorten
from sfumato.report.numerals import show_amount, show_count, show_number
from sfumato.report.palette import AFTER, BEFORE, GRID, INK, MUTED
from sfumato.report.plots import PANEL_WIDTH

__all__ = ["Strip", "choose_strips", "draw_strips", "find_obstacle"]

Ints = npt.NDArray[np.int64]
Spec = dict[str, Any]

_SHOWN_GROUPS = 5
_SHOWN_PEOPLE = 8
_ROW, _BAR = 12, 18
_LETTER, _FEWEST_LETTERS, _MOST_LETTERS = 6.5, 6, 60
_NEAREST = 3
_TIME_FORMATS = {
    "year": "%Y",
    "quarter": "%b %Y",
    "month": "%b %Y",
    "week": "%-d %b",
    "date": "%-d %b",
    "hours": "%H:%M",
    "minutes": "%H:%M",
    "seconds": "%H:%M:%S",
    "milliseconds": "",
}
_RANKS = ("Shortest intervals", "Short intervals", "Typical intervals", "Long intervals", "Longest intervals")


def find_obstacle(comparison: Comparison) -> str | None:
    """Say why there is no timeline, or return None when there is one."""
    if comparison.obstacle:
        return f"There is no timeline: {comparison.obstacle}"
    if not len(comparison.view(SequenceComparison).covers.lows):
        return "There is no timeline because nothing is published of monitored events."
    return None


@dataclasses.dataclass(frozen=True, eq=False)
class Strip:
    """A group on its axis of time: its people's events, and the intervals it publishes.

    Examples
    --------
    >>> strip = Strip("", people=2, shown=2, points=[(0, 1), (1, 9)], intervals=[("mail", 1, 3), ("mail", 8, 9)])
    >>> strip.average, strip.extent
    (1.5, (1, 9))
    """

    rank: str
    people: int
    shown: int
    points: list[tuple[int, int]]
    intervals: list[tuple[str, int, int]]

    @property
    def average(self) -> float:
        """Average length of the intervals."""
        return float(np.mean([high - low for _, low, high in self.intervals]))

    @property
    def extent(self) -> tuple[int, int]:
        """First and last time on the strip."""
        times = [time for _, time in self.points] + [time for _, *ends in self.intervals for time in ends]
        return min(times), max(times)


def choose_strips(comparison: Comparison, most: int = _SHOWN_GROUPS) -> list[Strip]:
    """Choose groups from those with the shortest to those with the longest intervals, evenly."""
    found = comparison.view(SequenceComparison)
    covers = found.group_covers
    counts = np.diff(covers.offsets)
    able = np.flatnonzero(counts)
    means = np.bincount(covers.row_of_interval, covers.lengths, minlength=len(covers))[able] / counts[able]
    # Among equals the middle one is as good as any; sorting by size as well keeps the choice the same.
    able = able[np.lexsort((found.group_sizes[able], means))]
    chosen = np.unique(np.linspace(0, len(able) - 1, min(most, len(able))).round().astype(int))
    ranks = _RANKS if len(chosen) == len(_RANKS) else [""] * len(chosen)
    return [_read_strip(comparison, int(able[at]), rank) for at, rank in zip(chosen, ranks, strict=True)]


def _read_strip(comparison: Comparison, group: int, rank: str) -> Strip:
    found = comparison.view(SequenceComparison)
    rows = np.flatnonzero(found.group == group)
    shown = rows[np.unique(np.linspace(0, len(rows) - 1, min(_SHOWN_PEOPLE, len(rows))).round().astype(int))]
    events, times = found.monitored_originals
    spans = [(int(events.offsets[row]), int(events.offsets[row + 1])) for row in shown]
    points = [(line, time) for line, (a, b) in enumerate(spans) for time in sorted(set(times[a:b].tolist()))]
    cover = found.group_covers.take(np.array([group]))
    labels = [comparison.published.labels[code] for code in cover.categories]
    intervals = list(zip(labels, cover.lows.tolist(), cover.highs.tolist(), strict=True))
    return Strip(rank, len(rows), len(shown), points, intervals)


def draw_strips(comparison: Comparison, strips: list[Strip], width: float = 2 * PANEL_WIDTH - 20) -> Spec:
    """Draw the strips below each other, each on its own axis of time."""
    clock, unit = comparison.original.clock, comparison.release.unit
    named = len(comparison.published.labels) > 1
    views = [_strip_view(strip, clock, width, unit, named=named) for strip in strips]
    return {"vconcat": [_legend_view(width, unit), *views], "spacing": 18}


def _legend_view(width: float, unit: Unit) -> Spec:
    """Draw what dots and bars are."""
    place = {"x": {"field": "x", "type": "quantitative", "axis": None, "scale": {"domain": [0, width]}}}
    marks = (
        ({"type": "circle", "color": BEFORE, "size": 40}, {"x": 6}),
        (
            {"type": "text", "align": "left", "color": MUTED},
            {"x": 16, "text": f"before: a monitored event, a line per {unit.one}"},
        ),
        ({"type": "rect", "color": AFTER, "height": 10}, {"x": 300, "x2": 324}),
        (
            {"type": "text", "align": "left", "color": MUTED},
            {"x": 332, "text": "after: an interval, published for the whole group"},
        ),
    )
    layers = [
        {
            "data": {"values": [values]},
            "mark": {"aria": False, **mark},
            "encoding": place
            | {"y": {"value": 7}}
            | ({"x2": {"field": "x2"}} if "x2" in values else {})
            | ({"text": {"field": "text"}} if "text" in values else {}),
        }
        for mark, values in marks
    ]
    return {"width": width, "height": 14, "layer": layers}


def _strip_view(strip: Strip, clock: Clock, width: float, unit: Unit, *, named: bool) -> Spec:
    """Draw a line of dots for each person, and below them the intervals, whose shades reach up to the dots."""
    first, last = strip.extent
    margin = max((last - first) * 0.02, 0.5)
    low, high = first - margin, last + margin
    height = strip.shown * _ROW + _BAR + 16 * named
    to_pixel = (width - 1) / (high - low)
    scale = {"domain": [_to_axis(low, clock), _to_axis(high, clock)], "nice": False}
    x = {"field": "x", "axis": _time_axis(clock)} | (
        {"type": "quantitative", "scale": scale}
        if clock.unit is None
        else {"type": "temporal", "scale": {"type": "utc", **scale}}
    )
    y = {"field": "y", "type": "quantitative", "axis": None, "scale": {"domain": [height, 0]}}

    def layer(values: list[dict[str, Any]], mark: dict[str, Any], **more: Any) -> Spec:
        return {"data": {"values": values}, "mark": {"aria": False, **mark}, "encoding": {"x": x, "y": y, **more}}

    begin, end, top = _to_axis(low, clock), _to_axis(high, clock), strip.shown * _ROW
    lines = [{"x": begin, "x2": end, "y": (line + 0.5) * _ROW} for line in range(strip.shown)]
    ends = [(_to_axis(a, clock), _to_axis(b, clock)) for _, a, b in strip.intervals]
    shades = [{"x": a, "x2": b, "y": 0, "y2": top + 4} for a, b in ends]
    bars = [{"x": a, "x2": b, "y": top + 4, "y2": top + _BAR - 4} for a, b in ends]
    # Dots that would fall on each other are drawn once; a busy person's thousands would only make the file large.
    dots = {(line, round((time - low) * to_pixel / _NEAREST)): time for line, time in strip.points}
    points = [{"x": _to_axis(time, clock), "y": (line + 0.5) * _ROW} for (line, _), time in dots.items()]
    reach = {"x2": {"field": "x2"}, "y2": {"field": "y2"}}
    layers = [
        layer(lines, {"type": "rule", "color": GRID}, x2={"field": "x2"}),
        layer(shades, {"type": "rect", "color": AFTER, "opacity": 0.13, "xOffset": -1, "x2Offset": 1}, **reach),
        layer(bars, {"type": "rect", "color": AFTER, "xOffset": -1, "x2Offset": 1}, **reach),
        layer(points, {"type": "circle", "color": BEFORE, "size": 26, "opacity": 0.9}),
    ]
    if named:
        mark = {"type": "text", "align": "left", "baseline": "top", "color": INK, "fontSize": 11}
        texts = _label_bars(strip, to_pixel, clock, top + _BAR)
        layers.append(layer(texts, mark, text={"field": "text"}))
    return {"width": width, "height": height, "title": _strip_title(strip, clock, unit), "layer": layers}


def _label_bars(strip: Strip, to_pixel: float, clock: Clock, y: float) -> list[dict[str, Any]]:
    """Name the categories where there is room for a few letters before the next name."""
    texts = []
    starts = [*(start for _, start, _ in strip.intervals), strip.extent[1]]
    for (name, start, _), following in zip(strip.intervals, starts[1:], strict=True):
        room = int(((following - start) * to_pixel - 8) / _LETTER)
        if room >= min(len(name), _FEWEST_LETTERS):
            texts.append({"x": _to_axis(start, clock), "y": y, "text": shorten(name, min(room, _MOST_LETTERS))})
    return texts


def _strip_title(strip: Strip, clock: Clock, unit: Unit) -> Spec:
    crowd = show_amount(strip.people, unit.one, unit.many)
    if strip.shown < strip.people:
        crowd += f" ({show_count(strip.shown)} shown)"
    count, length = len(strip.intervals), show_length(strip.average, clock)
    what = f"1 interval, {length} long" if count == 1 else f"{show_count(count)} intervals, {length} long on average"
    first, last = strip.extent
    until = "" if first == last else f" to {_show_time(last, clock)}"
    zone = " UTC" if clock.unit in {"second", "minute", "hour"} else ""
    return {
        "text": f"{strip.rank}{': ' * bool(strip.rank)}{what}, for {crowd}",
        "subtitle": f"{_show_time(first, clock)}{until}{zone}",
        "offset": 4,
    }


def _time_axis(clock: Clock) -> Spec:
    axis: Spec = {"title": None, "grid": False, "tickCount": 8, "labelOverlap": True, "labelFlush": True}
    return {**axis, "format": ",~r"} if clock.unit is None else {**axis, "format": _TIME_FORMATS}


def _to_axis(time: float, clock: Clock) -> float:
    """Return a time as plots count it: milliseconds since 1970, or the number itself."""
    return time if clock.unit is None else time * UNITS[clock.unit] * 1000


def _show_time(time: int, clock: Clock) -> str:
    if clock.unit is None:
        return show_number(time)
    try:
        moment = datetime.datetime.fromtimestamp(time * UNITS[clock.unit], datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return f"{show_number(time)} {clock.unit}s after 1970"
    day = f"{moment.day} {moment:%b} {moment.year}"
    return {"day": day, "second": f"{day} {moment:%H:%M:%S}"}.get(clock.unit, f"{day} {moment:%H:%M}")
