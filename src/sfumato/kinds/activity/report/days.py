"""The day of a class, before and after: what each of its people did, and below it what is published of them all."""

from __future__ import annotations

import dataclasses
import datetime
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.core.clock import find_moments
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.unit import PERSON, Unit
from sfumato.kinds.activity.comparison import ActivityComparison, PublishedClass
from sfumato.report.markup import shorten
from sfumato.report.numerals import show_amount, show_count, show_share
from sfumato.report.palette import GRID, GROUPS, MUTED
from sfumato.report.plots import PANEL_WIDTH

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
Spec = dict[str, Any]

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
_RANKS = ("Most alike", "Typical", "Least alike")


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
        return f"There is no picture of days: {comparison.obstacle}"
    if not len(comparison.view(ActivityComparison).sizes):
        return "There is no picture of days because nothing is published."
    return None


def choose_window(found: ActivityComparison) -> Window:
    """Choose the day with most of the sensitive activities, or the first; or everything where days are unknown."""
    day = found.day
    if day is None or found.slots < day:
        return Window(0, found.slots, False, "All slots")
    begins = np.arange(-found.first_of_day % day, found.slots - day + 1, day)
    if not len(begins):
        begins = np.array([0])
    seen = (
        [int(np.isin(found.codes[:, first : first + day], found.sensitive).sum()) for first in begins]
        if found.sensitive
        else [0]
    )
    first = int(begins[int(np.argmax(seen))])
    return Window(first, first + day, found.first_of_day == 0 or first > 0, _name_day(found, first))


def _name_day(found: ActivityComparison, first: int) -> str:
    clock = found.comparison.original.clock
    number = first // (found.day or 1) + 1
    try:
        seconds = int(find_moments(str(clock.unit), np.array([clock.origin + first]))[0]) // 1_000_000
        moment = datetime.datetime.fromtimestamp(seconds, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return f"Day {number}"
    # Data without dates begin in January 1970, which is nobody's day.
    return f"Day {number}" if moment.year == 1970 else f"{moment:%A}, {moment.day} {moment:%B} {moment.year}"


def choose_classes(found: ActivityComparison, most: int = 3) -> list[tuple[str, PublishedClass]]:
    """Choose classes from the one whose people are most alike to the one where they are least, evenly."""
    mixed = np.array([1.0 - float((each.shares**2).sum()) / len(each.shares) for each in found.classes()])
    order = np.argsort(mixed, kind="stable")
    chosen = np.unique(np.linspace(0, len(order) - 1, min(most, len(order))).round().astype(int))
    wanted = {int(order[at]): rank for rank, at in enumerate(chosen)}
    ranks = _RANKS if len(chosen) == len(_RANKS) else [""] * len(chosen)
    picked = [(wanted[at], each) for at, each in enumerate(found.classes()) if at in wanted]
    return [(ranks[rank], each) for rank, each in sorted(picked, key=lambda pair: pair[0])]


def choose_telling(
    found: ActivityComparison, classes: list[tuple[str, PublishedClass]], window: Window
) -> list[tuple[str, PublishedClass]]:
    """Choose one class of several: the one with most of the sensitive activities, or else the one in the middle."""
    edges = np.array([window.first, window.end])
    away = [float(_shares_in(found, each, edges)[0, found.sensitive].sum()) for _, each in classes]
    at = int(np.argmax(away)) if max(away, default=0.0) > 0 else len(classes) // 2
    return classes[at : at + 1]


def colour_activities(
    found: ActivityComparison, classes: list[tuple[str, PublishedClass]], window: Window
) -> dict[int, str]:
    """Give a colour to sensitive activities and to those that take most of the time shown."""
    edges = np.array([window.first, window.end])
    edges = np.unique(np.concatenate([[0], edges, [found.slots]]))
    at = int(np.searchsorted(edges, window.first))
    time = sum(each.size * found.published_durations(each.shares, edges)[at] for _, each in classes)
    colours = {code: _SENSITIVE[i % len(_SENSITIVE)] for i, code in enumerate(found.sensitive)}
    order = [int(code) for code in np.argsort(-np.asarray(time), kind="stable") if np.asarray(time)[code] > 0]
    usual = [code for code in order if code not in colours][:_SHOWN_ACTIVITIES]
    # Sensitive ones come first, at the bottom of the stack, where a share is read off most easily.
    return {**colours, **dict(zip(usual, _COLOURS, strict=False))}


def draw_days(
    found: ActivityComparison,
    classes: list[tuple[str, PublishedClass]],
    window: Window,
    width: float = 2 * PANEL_WIDTH - 60,
    *,
    unit: Unit = PERSON,
) -> Spec:
    """Draw for each class a line per person, and below them the published shares as a stack."""
    colours = colour_activities(found, classes, window)
    names = [shorten(found.labels[code], _LETTERS) for code in colours]
    scale = {"domain": [*names, _OTHERS], "range": [*colours.values(), _REST]}
    views: list[Spec] = []
    for number, (rank, each) in enumerate(classes, start=1):
        title = _title(rank, number, each, window, unit)
        both = [
            _people_view(found, each, window, colours, scale, width, title),
            _shares_view(found, each, window, colours, scale, width),
        ]
        views.append({"vconcat": both, "spacing": 6})
    return {"vconcat": views, "spacing": 22}


def _title(rank: str, number: int, each: PublishedClass, window: Window, unit: Unit) -> Spec:
    crowd = show_amount(each.size, unit.one, unit.many)
    shown = f" ({show_count(_SHOWN_PEOPLE)} shown)" if each.size > _SHOWN_PEOPLE else ""
    return {
        "text": f"{rank or f'Class {number}'}: a class of {crowd}{shown}",
        "subtitle": f"{window.title}. Above, before: a line per {unit.one}. "
        "Below, after: what is published of the class.",
        "offset": 6,
    }


def _x_axis(window: Window, *, labelled: bool) -> Spec:
    axis: Spec = {"title": None, "grid": False, "labels": labelled, "ticks": labelled, "domain": labelled}
    if window.hours:
        values = [window.span * hour / 24 for hour in range(0, 25, 3)]
        told = f"format(round(datum.value * 24 / {window.span}), '02d') + ':00'"
        axis |= {"values": values, "labelExpr": told, "labelFlush": True}
    return {
        "field": "x",
        "type": "quantitative",
        "axis": axis,
        "scale": {"domain": [0, window.span], "nice": False},
    }


def _colour(scale: Spec) -> Spec:
    legend = {
        "orient": "top",
        "title": None,
        "columns": 5,
        "columnPadding": 24,
        "labelColor": MUTED,
        "labelFontSize": 12,
        "symbolType": "square",
    }
    return {"field": "what", "type": "nominal", "scale": scale, "legend": legend}


def _name(found: ActivityComparison, code: int, colours: dict[int, str]) -> str:
    return shorten(found.labels[code], _LETTERS) if code in colours else _OTHERS


def _people_view(
    found: ActivityComparison,
    each: PublishedClass,
    window: Window,
    colours: dict[int, str],
    scale: Spec,
    width: float,
    title: Spec,
) -> Spec:
    assert each.rows is not None
    chosen = np.unique(np.linspace(0, each.size - 1, min(_SHOWN_PEOPLE, each.size)).round().astype(int))
    rows = each.rows[chosen]
    away = np.isin(found.codes[rows, window.first : window.end], found.sensitive).sum(axis=1)
    values = []
    for line, row in enumerate(rows[np.argsort(-away, kind="stable")]):
        for first, end, code in _runs(found.codes[row, window.first : window.end]):
            values.append({"x": first, "x2": end, "y": line, "y2": line + 0.86, "what": _name(found, code, colours)})
    y = {"field": "y", "type": "quantitative", "axis": None, "scale": {"domain": [len(chosen), 0]}}
    encoding = {"x": _x_axis(window, labelled=False), "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}}
    return {
        "width": width,
        "height": len(chosen) * _LINE,
        "title": title,
        "data": {"values": values},
        "mark": {"type": "rect", "aria": False},
        "encoding": {**encoding, "color": _colour(scale)},
    }


def _runs(codes: npt.NDArray[np.int32]) -> list[tuple[int, int, int]]:
    """Return stretches of the same activity; where there are more slots than pixels, only some are looked at."""
    step = max(1, len(codes) // _MOST_COLUMNS)
    seen = codes[::step]
    starts = np.flatnonzero(np.append(True, seen[1:] != seen[:-1]))
    ends = np.append(starts[1:] * step, len(codes))
    return [(int(a * step), int(b), int(seen[a])) for a, b in zip(starts, ends, strict=True)]


def _cut(found: ActivityComparison, window: Window) -> Longs:
    """Return where the published intervals begin that are shown, or fewer cuts where they would be too many."""
    inside = found.edges[(found.edges > window.first) & (found.edges < window.end)]
    edges = np.concatenate([[window.first], inside, [window.end]])
    if len(edges) > _MOST_COLUMNS // 2:
        edges = np.unique(np.linspace(window.first, window.end, _MOST_COLUMNS // 2).round().astype(np.int64))
    return edges


def _shares_in(found: ActivityComparison, each: PublishedClass, edges: Longs) -> Floats:
    around = np.unique(np.concatenate([[0], edges, [found.slots]]))
    at = np.searchsorted(around, edges[:-1])
    durations = found.published_durations(each.shares, around)[at]
    return np.asarray(durations / np.diff(edges)[:, None])


def _shares_view(
    found: ActivityComparison,
    each: PublishedClass,
    window: Window,
    colours: dict[int, str],
    scale: Spec,
    width: float,
) -> Spec:
    edges = _cut(found, window)
    shares = _shares_in(found, each, edges)
    rest = [code for code in range(len(found.labels)) if code not in colours]
    stack = [(_name(found, code, colours), shares[:, code]) for code in colours] + [
        (_OTHERS, shares[:, rest].sum(axis=1))
    ]
    values, floor = [], np.zeros(len(shares))
    for what, height in stack:
        values += [
            {"x": int(a - window.first), "x2": int(b - window.first), "y": float(low), "y2": float(high), "what": what}
            for a, b, low, high in zip(edges[:-1], edges[1:], floor, floor + height, strict=True)
            if high > low
        ]
        floor = floor + height
    axis = {"labelExpr": "format(100 * datum.value, '~g') + ' %'", "values": [0, 0.5, 1], "title": None, "grid": False}
    axis |= {"domain": False, "ticks": False}
    y = {"field": "y", "type": "quantitative", "axis": axis, "scale": {"domain": [0, 1], "nice": False}}
    encoding = {"x": _x_axis(window, labelled=True), "x2": {"field": "x2"}, "y": y, "y2": {"field": "y2"}}
    view = {"stroke": GRID}
    return {
        "width": width,
        "height": _AREA,
        "view": view,
        "data": {"values": values},
        "mark": {"type": "rect", "aria": False},
        "encoding": {**encoding, "color": _colour(scale)},
    }


def list_shares(
    found: ActivityComparison, classes: list[tuple[str, PublishedClass]], window: Window
) -> tuple[list[str], list[list[str]]]:
    """List the shares of the day shown, by class: the numbers behind the picture."""
    colours = colour_activities(found, classes, window)
    head = ["Activity", *(rank or f"Class {number}" for number, (rank, _) in enumerate(classes, start=1))]
    edges = np.array([window.first, window.end])
    columns = [_shares_in(found, each, edges)[0] for _, each in classes]
    rows = [
        [shorten(found.labels[code], _LETTERS), *(show_share(float(column[code])) for column in columns)]
        for code in colours
    ]
    return head, rows
