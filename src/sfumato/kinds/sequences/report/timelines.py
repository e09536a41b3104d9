"""Strips of some groups: when their monitored events happened above, what is published of them below."""

from __future__ import annotations

import dataclasses
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.data.record_unit import RecordUnit
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.kinds.sequences.report.lengths import show_length
from sfumato.metrics.comparison import Comparison
from sfumato.reports.figure import inline
from sfumato.reports.html import shorten
from sfumato.reports.numbers import show_amount, show_count
from sfumato.reports.palette import AFTER, BEFORE, GRID, INK
from sfumato.reports.plots import PANEL_WIDTH, Figure, LegendEntry
from sfumato.reports.times import show_time, time_axis
from sfumato.reports.times import to_axis as _to_axis

__all__ = ["GroupTimeline", "choose_timelines", "draw_timelines", "find_obstacle"]

Ints = npt.NDArray[np.int64]

_SHOWN_GROUPS = 5
_SHOWN_PEOPLE = 8
_ROW, _BAR = 12, 18
_LETTER, _MIN_LETTERS, _MOST_LETTERS = 6.5, 6, 60
_NEAREST = 3
_RANKS = ("Shortest intervals", "Short intervals", "Typical intervals", "Long intervals", "Longest intervals")


def find_obstacle(comparison: Comparison) -> str | None:
    """Say why there is no timeline, or return None when there is one."""
    if comparison.obstacle:
        return f"Timelines are not drawn: {comparison.obstacle}"
    if not len(comparison.view(SequenceComparison).covers.lows):
        return "Timelines are not drawn because no monitored events are published."
    return None


@dataclasses.dataclass(frozen=True, eq=False)
class GroupTimeline:
    """A group on its axis of time: its people's events, and the intervals it publishes.

    Examples
    --------
    >>> intervals = [("mail", 1, 3), ("mail", 8, 9)]
    >>> timeline = GroupTimeline("", people=2, shown=2, points=[(0, 1), (1, 9)], intervals=intervals)
    >>> timeline.average, timeline.extent
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


def choose_timelines(comparison: Comparison, most: int = _SHOWN_GROUPS) -> list[GroupTimeline]:
    """Choose groups from those with the shortest to those with the longest intervals, evenly."""
    view = comparison.view(SequenceComparison)
    covers = view.group_covers
    counts = np.diff(covers.offsets)
    able = np.flatnonzero(counts)
    means = np.bincount(covers.row_of_interval, covers.lengths, minlength=len(covers))[able] / counts[able]
    # Among equals the middle one is as good as any; sorting by size as well keeps the choice the same.
    able = able[np.lexsort((view.group_sizes[able], means))]
    chosen = np.unique(np.linspace(0, len(able) - 1, min(most, len(able))).round().astype(int))
    ranks = _RANKS if len(chosen) == len(_RANKS) else [""] * len(chosen)
    return [_read_timeline(comparison, int(able[at]), rank) for at, rank in zip(chosen, ranks, strict=True)]


def _read_timeline(comparison: Comparison, group: int, rank: str) -> GroupTimeline:
    view = comparison.view(SequenceComparison)
    rows = np.flatnonzero(view.group == group)
    shown = rows[np.unique(np.linspace(0, len(rows) - 1, min(_SHOWN_PEOPLE, len(rows))).round().astype(int))]
    events, times = view.monitored_originals
    spans = [(int(events.offsets[row]), int(events.offsets[row + 1])) for row in shown]
    points = [(line, time) for line, (a, b) in enumerate(spans) for time in sorted(set(times[a:b].tolist()))]
    cover = view.group_covers.take(np.array([group]))
    labels = [comparison.published.labels[code] for code in cover.categories]
    intervals = list(zip(labels, cover.lows.tolist(), cover.highs.tolist(), strict=True))
    return GroupTimeline(rank, len(rows), len(shown), points, intervals)


def draw_timelines(comparison: Comparison, timelines: list[GroupTimeline], width: float = PANEL_WIDTH) -> Figure:
    """Draw the strips, each on its own axis of time."""
    time_unit, unit = comparison.original.time_unit, comparison.release.unit
    named = len(comparison.published.labels) > 1
    groups = int((np.diff(comparison.view(SequenceComparison).group_covers.offsets) > 0).sum())
    note = f"{show_count(len(timelines))} of {show_amount(groups, 'group is', 'groups are')} shown"
    return Figure(
        title="Monitored events of some groups, before and after",
        description="For each group: dots at the times of its monitored events, and bars for the published intervals "
        "below them.",
        panels=[_draw_timeline(timeline, time_unit, width, unit, named=named) for timeline in timelines],
        legend=(
            LegendEntry("circle", BEFORE, f"before: a monitored event, a line per {unit.one}"),
            LegendEntry("square", AFTER, "after: an interval, published for the whole group"),
        ),
        notes=[f"{note}, from the shortest to the longest intervals." if len(timelines) < groups else f"{note}."],
        head=["Group", unit.many.capitalize(), "Intervals", "Average length", "Longest"],
        rows=[
            [
                timeline.rank or f"Group {number}",
                show_count(timeline.people),
                show_count(len(timeline.intervals)),
                show_length(timeline.average, time_unit),
                show_length(max(high - low for _, low, high in timeline.intervals), time_unit),
            ]
            for number, timeline in enumerate(timelines, start=1)
        ],
    )


def _draw_timeline(timeline: GroupTimeline, time_unit: TimeUnit, width: float, unit: RecordUnit, *, named: bool) -> Any:
    """Draw a line of dots for each person, and below them the intervals, whose shades reach up to the dots."""
    first, last = timeline.extent
    margin = max((last - first) * 0.02, 0.5)
    low, high = first - margin, last + margin
    height = timeline.shown * _ROW + _BAR + 16 * named
    to_pixel = (width - 1) / (high - low)
    begin, end, top = _to_axis(low, time_unit), _to_axis(high, time_unit), timeline.shown * _ROW
    kind = "Q" if time_unit.unit is None else "T"
    scale = alt.Scale(domain=[begin, end], nice=False, **({} if time_unit.unit is None else {"type": "utc"}))
    x = alt.X(f"x:{kind}", scale=scale).axis(time_axis(time_unit))
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[height, 0]))

    def chart(values: list[dict[str, Any]]) -> Any:
        return alt.Chart(inline(values)).encode(x=x, y=y)

    lines = [{"x": begin, "x2": end, "y": (line + 0.5) * _ROW} for line in range(timeline.shown)]
    ends = [(_to_axis(a, time_unit), _to_axis(b, time_unit)) for _, a, b in timeline.intervals]
    shades = [{"x": a, "x2": b, "y": 0, "y2": top + 4} for a, b in ends]
    bars = [
        {"x": a, "x2": b, "y": top + 4, "y2": top + _BAR - 4, "told": _format_interval(*interval, time_unit)}
        for (a, b), interval in zip(ends, timeline.intervals, strict=True)
    ]
    # Dots that would fall on each other are drawn once; a busy person's thousands would only make the file large.
    dots = {(line, round((time - low) * to_pixel / _NEAREST)): time for line, time in timeline.points}
    points = [{"x": _to_axis(time, time_unit), "y": (line + 0.5) * _ROW} for (line, _), time in dots.items()]
    reach = {"x2": "x2", "y2": "y2"}
    layers = [
        chart(lines).mark_rule(color=GRID, aria=False).encode(x2="x2"),
        chart(shades).mark_rect(color=AFTER, opacity=0.13, xOffset=-1, x2Offset=1, aria=False).encode(**reach),
        chart(bars).mark_rect(color=AFTER, xOffset=-1, x2Offset=1, aria=False).encode(**reach, tooltip="told:N"),
        chart(points).mark_circle(color=BEFORE, size=26, opacity=0.9, aria=False),
    ]
    if named:
        texts = chart(_label_bars(timeline, to_pixel, time_unit, top + _BAR))
        layers.append(
            texts.mark_text(align="left", baseline="top", color=INK, fontSize=11, aria=False).encode(text="text:N")
        )
    return alt.layer(*layers).properties(width=width, height=height, title=_title_timeline(timeline, time_unit, unit))


def _format_interval(name: str, low: int, high: int, time_unit: TimeUnit) -> str:
    return f"{name}: {show_time(low, time_unit)} to {show_time(high, time_unit)}"


def _label_bars(timeline: GroupTimeline, to_pixel: float, time_unit: TimeUnit, y: float) -> list[dict[str, Any]]:
    """Name the categories where there is room for a few letters before the next name."""
    texts = []
    starts = [*(start for _, start, _ in timeline.intervals), timeline.extent[1]]
    for (name, start, _), following in zip(timeline.intervals, starts[1:], strict=True):
        capacity = int(((following - start) * to_pixel - 8) / _LETTER)
        if capacity >= min(len(name), _MIN_LETTERS):
            texts.append({"x": _to_axis(start, time_unit), "y": y, "text": shorten(name, min(capacity, _MOST_LETTERS))})
    return texts


def _title_timeline(timeline: GroupTimeline, time_unit: TimeUnit, unit: RecordUnit) -> Any:
    amount = show_amount(timeline.people, unit.one, unit.many)
    if timeline.shown < timeline.people:
        amount += f" ({show_count(timeline.shown)} shown)"
    count, length = len(timeline.intervals), show_length(timeline.average, time_unit)
    what = f"1 interval, {length} long" if count == 1 else f"{show_count(count)} intervals, {length} long on average"
    first, last = timeline.extent
    until = "" if first == last else f" to {show_time(last, time_unit)}"
    zone = " UTC" if time_unit.unit in {"second", "minute", "hour"} else ""
    period = f"{show_time(first, time_unit)}{until}{zone}"
    return alt.Title(timeline.rank or "A group", subtitle=[f"{what}, for {amount}", period], offset=4)
