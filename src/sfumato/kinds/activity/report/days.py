"""The day of a class, before and after: what each of its people did, and below it what is published of them all."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.data.time_units import find_moments
from sfumato.kinds.activity.comparison import ActivityComparison, PublishedClass
from sfumato.metrics.comparison import Comparison
from sfumato.reports.figure import inline
from sfumato.reports.html import shorten
from sfumato.reports.numbers import show_amount, show_count, show_share
from sfumato.reports.palette import GROUPS
from sfumato.reports.plots import PANEL_WIDTH, Figure, LegendEntry, share_axis

__all__ = [
    "Window",
    "choose_classes",
    "choose_telling",
    "choose_window",
    "colour_activities",
    "draw_days",
    "find_obstacle",
    "list_shares",
]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

_SHOWN_PEOPLE = 12
_SHOWN_ACTIVITIES = 7
_LINE = 9
_AREA = 120
_MOST_COLUMNS = 480
_LETTERS = 28
_SENSITIVE = (GROUPS[1], "#9b2226")
_COLOURS = ("#0072b2", "#e69f00", "#009e73", "#cc79a7", "#56b4e9", "#8c6bb1", "#b3a13c")
_REST = "#b9c0ca"
_OTHERS = "all other activities"
_RANKS = ("Most similar", "Typical", "Least similar")


@dataclasses.dataclass(frozen=True)
class Window:
    """The slots shown, from the first to before the last.

    Parameters
    ----------
    first, end
        The first slot, and the one after the last.
    hours
        Whether they are one day, so that the axis shows hours.
    title
        What they are called.

    Examples
    --------
    >>> Window(24, 48, True, "Tuesday, 2 January 2024").span
    24
    """

    first: int
    end: int
    hours: bool
    title: str

    @property
    def span(self) -> int:
        """How many slots are shown."""
        return self.end - self.first


def find_obstacle(comparison: Comparison) -> str | None:
    """Say why there is no picture of days, or return None when there is one."""
    if comparison.obstacle:
        return f"Days are not drawn: {comparison.obstacle}"
    if not len(comparison.view(ActivityComparison).sizes):
        return "Days are not drawn because nothing is published."
    return None


def choose_window(view: ActivityComparison) -> Window:
    """Choose the day with most of the sensitive activities, or the first; or everything where days are unknown."""
    day = view.day
    if day is None or view.slots < day:
        return Window(0, view.slots, False, "All slots")
    begins = np.arange(-view.first_of_day % day, view.slots - day + 1, day)
    if not len(begins):
        begins = np.array([0])
    seen = (
        [int(np.isin(view.codes[:, first : first + day], view.sensitive).sum()) for first in begins]
        if view.sensitive
        else [0]
    )
    first = int(begins[int(np.argmax(seen))])
    return Window(first, first + day, view.first_of_day == 0 or first > 0, _name_day(view, first))


def _name_day(view: ActivityComparison, first: int) -> str:
    time_unit = view.comparison.original.time_unit
    number = first // (view.day or 1) + 1
    try:
        seconds = int(find_moments(str(time_unit.unit), np.array([time_unit.origin + first]))[0]) // 1_000_000
        moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return f"Day {number}"
    # Data without dates begin in January 1970, which is nobody's day.
    return f"Day {number}" if moment.year == 1970 else f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"


def choose_classes(view: ActivityComparison, most: int = 3) -> list[tuple[str, PublishedClass]]:
    """Choose classes from the one whose people are most alike to the one where they are least, evenly."""
    mixed = np.array([1.0 - float((group.shares**2).sum()) / len(group.shares) for group in view.classes()])
    order = np.argsort(mixed, kind="stable")
    chosen = np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(int))
    wanted = {int(order[at]): rank for rank, at in enumerate(chosen)}
    ranks = _RANKS if len(chosen) == len(_RANKS) else [""] * len(chosen)
    picked = [(wanted[at], group) for at, group in enumerate(view.classes()) if at in wanted]
    return [(ranks[rank], group) for rank, group in sorted(picked, key=lambda pair: pair[0])]


def choose_telling(
    view: ActivityComparison, classes: list[tuple[str, PublishedClass]], window: Window
) -> list[tuple[str, PublishedClass]]:
    """Choose one class of several: the one with most of the sensitive activities, or else the one in the middle."""
    edges = np.array([window.first, window.end])
    away = [float(_shares_in(view, group, edges)[0, view.sensitive].sum()) for _, group in classes]
    at = int(np.argmax(away)) if max(away, default=0.0) > 0 else len(classes) // 2
    return classes[at : at + 1]


def colour_activities(
    view: ActivityComparison, classes: list[tuple[str, PublishedClass]], window: Window
) -> dict[int, str]:
    """Give a colour to sensitive activities and to those that take most of the time shown."""
    edges = np.array([window.first, window.end])
    edges = np.unique(np.concatenate([[0], edges, [view.slots]]))
    at = int(np.searchsorted(edges, window.first))
    time = sum(group.size * view.published_durations(group.shares, edges)[at] for _, group in classes)
    colours = {code: _SENSITIVE[i % len(_SENSITIVE)] for i, code in enumerate(view.sensitive)}
    order = [int(code) for code in np.argsort(-np.asarray(time), kind="stable") if np.asarray(time)[code] > 0]
    usual = [code for code in order if code not in colours][:_SHOWN_ACTIVITIES]
    # Sensitive ones come first, at the bottom of the stack, where a share is read off most easily.
    return {**colours, **dict(zip(usual, _COLOURS, strict=False))}


def draw_days(
    view: ActivityComparison,
    classes: list[tuple[str, PublishedClass]],
    window: Window,
    width: float = PANEL_WIDTH - 60,
    *,
    unit: RecordUnit = PERSON,
) -> Figure:
    """Draw for each class a line per person, and below them the published shares as a stack."""
    colours = colour_activities(view, classes, window)
    panels = []
    for number, (rank, group) in enumerate(classes, start=1):
        people = _draw_people(view, group, window, colours, width)
        title = _title(rank, number, group, window, unit)
        shares = _draw_shares(view, group, window, colours, width)
        panels.append(alt.vconcat(people.properties(title=title), shares, spacing=6))
    head, rows = list_shares(view, classes, window)
    legend = [LegendEntry("square", colour, shorten(view.labels[code], _LETTERS)) for code, colour in colours.items()]
    return Figure(
        title="The day of some classes, before and after",
        description=f"For each class a line of coloured intervals for each {unit.one}, and below them the stacked "
        "shares of the class by activity over the same hours.",
        panels=panels,
        legend=[*legend, LegendEntry("square", _REST, _OTHERS)],
        notes=[f"{show_count(len(classes))} of {show_count(len(view.sizes))} classes are shown."],
        head=head,
        rows=rows,
    )


def _title(rank: str, number: int, group: PublishedClass, window: Window, unit: RecordUnit) -> Any:
    amount = show_amount(group.size, unit.one, unit.many)
    shown = f" ({show_count(_SHOWN_PEOPLE)} shown)" if group.size > _SHOWN_PEOPLE else ""
    return alt.Title(
        f"{rank or f'Class {number}'}: class of {amount}{shown}",
        subtitle=[f"{window.title}. Above, before: a line per {unit.one}.", "Below, after: what is published."],
        offset=6,
    )


def _draw_hours(window: Window, *, labelled: bool) -> Any:
    axis: dict[str, Any] = {"title": None, "grid": False, "labels": labelled, "ticks": labelled, "domain": labelled}
    if window.hours:
        values = [window.span * hour / 24 for hour in range(0, 25, 6)]
        expression = f"format(round(datum.value * 24 / {window.span}), '02d') + ':00'"
        axis |= {"values": values, "labelExpr": expression, "labelFlush": True}
    return alt.X("x:Q", scale=alt.Scale(domain=[0, window.span], nice=False)).axis(alt.Axis(**axis))


def _name(view: ActivityComparison, code: int, colours: dict[int, str]) -> str:
    return shorten(view.labels[code], _LETTERS) if code in colours else _OTHERS


def _draw_people(
    view: ActivityComparison, group: PublishedClass, window: Window, colours: dict[int, str], width: float
) -> Any:
    assert group.rows is not None
    chosen = np.unique(np.linspace(0, group.size - 1, min(_SHOWN_PEOPLE, group.size)).round().astype(int))
    rows = group.rows[chosen]
    away = np.isin(view.codes[rows, window.first : window.end], view.sensitive).sum(axis=1)
    values = []
    for line, row in enumerate(rows[np.argsort(-away, kind="stable")]):
        for first, end, code in _runs(view.codes[row, window.first : window.end]):
            style = {"colour": colours.get(code, _REST), "what": _name(view, code, colours)}
            values.append({"x": first, "x2": end, "y": line, "y2": line + 0.86, **style})
    y = alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[len(chosen), 0]))
    return _draw_rects(values, _draw_hours(window, labelled=False), y, width, len(chosen) * _LINE)


def _draw_rects(values: list[dict[str, Any]], x: Any, y: Any, width: float, height: float) -> Any:
    chart = alt.Chart(inline(values)).mark_rect(aria=False)
    colour = alt.Color("colour:N", scale=None, legend=None)
    return chart.encode(x=x, x2="x2", y=y, y2="y2", color=colour, tooltip="what:N").properties(
        width=width, height=height
    )


def _runs(codes: npt.NDArray[np.int32]) -> list[tuple[int, int, int]]:
    """Return stretches of the same activity; where there are more slots than pixels, only some are looked at."""
    step = max(1, len(codes) // _MOST_COLUMNS)
    seen = codes[::step]
    starts = np.flatnonzero(np.append(True, seen[1:] != seen[:-1]))
    ends = np.append(starts[1:] * step, len(codes))
    return [(int(a * step), int(b), int(seen[a])) for a, b in zip(starts, ends, strict=True)]


def _cut(view: ActivityComparison, window: Window) -> Longs:
    """Return where the published intervals begin that are shown, or fewer cuts where they would be too many."""
    inside = view.edges[(view.edges > window.first) & (view.edges < window.end)]
    edges = np.concatenate([[window.first], inside, [window.end]])
    if len(edges) > _MOST_COLUMNS // 2:
        edges = np.unique(np.linspace(window.first, window.end, _MOST_COLUMNS // 2).round().astype(np.int64))
    return edges


def _shares_in(view: ActivityComparison, group: PublishedClass, edges: Longs) -> Floats:
    around = np.unique(np.concatenate([[0], edges, [view.slots]]))
    at = np.searchsorted(around, edges[:-1])
    durations = view.published_durations(group.shares, around)[at]
    return np.asarray(durations / np.diff(edges)[:, None])


def _draw_shares(
    view: ActivityComparison, group: PublishedClass, window: Window, colours: dict[int, str], width: float
) -> Any:
    edges = _cut(view, window)
    shares = _shares_in(view, group, edges)
    rest = [code for code in range(len(view.labels)) if code not in colours]
    stack = [(_name(view, code, colours), colour, shares[:, code]) for code, colour in colours.items()]
    stack.append((_OTHERS, _REST, shares[:, rest].sum(axis=1)))
    values, floor = [], np.zeros(len(shares))
    for what, colour, height in stack:
        values += [
            {"x": int(a - window.first), "x2": int(b - window.first), "y": float(low), "y2": float(high)}
            | {"colour": colour, "what": f"{what}: {show_share(float(high - low))}"}
            for a, b, low, high in zip(edges[:-1], edges[1:], floor, floor + height, strict=True)
            if high > low
        ]
        floor = floor + height
    y = alt.Y("y:Q", scale=alt.Scale(domain=[0, 1], nice=False)).axis(share_axis(values=[0, 0.5, 1], grid=False))
    return _draw_rects(values, _draw_hours(window, labelled=True), y, width, _AREA)


def list_shares(
    view: ActivityComparison, classes: list[tuple[str, PublishedClass]], window: Window
) -> tuple[list[str], list[list[str]]]:
    """List the shares of the day shown, by class: the numbers behind the picture."""
    colours = colour_activities(view, classes, window)
    head = ["Activity", *(rank or f"Class {number}" for number, (rank, _) in enumerate(classes, start=1))]
    edges = np.array([window.first, window.end])
    columns = [_shares_in(view, group, edges)[0] for _, group in classes]
    rows = [
        [shorten(view.labels[code], _LETTERS), *(show_share(float(column[code])) for column in columns)]
        for code in colours
    ]
    return head, rows
