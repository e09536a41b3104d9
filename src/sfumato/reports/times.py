"""Times as plots and tables show them: dates where the data have them, numbers elsewhere."""

from __future__ import annotations

import datetime
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.data.time_units import MONTHS, UNITS, TimeUnit, place_moment
from sfumato.reports.figure import inline
from sfumato.reports.numbers import show_number
from sfumato.reports.palette import AFTER, BEFORE

__all__ = ["draw_over_time", "show_time", "time_axis", "time_field", "to_axis"]

Floats = npt.NDArray[np.float64]

_FORMATS = {
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
_FIRST_DAY = 86_400_000
"""Milliseconds on an axis: what lies on the first day of 1970 are times of a day, without a date."""


def to_axis(time: float, time_unit: TimeUnit) -> float:
    """Return a time as plots count it: milliseconds since 1970, or the number itself.

    Examples
    --------
    >>> to_axis(2, TimeUnit("minute")), to_axis(2, TimeUnit("month")) // 86_400_000, to_axis(2, TimeUnit())
    (120000, 59.0, 2)
    """
    if time_unit.unit in MONTHS:
        return place_moment(time_unit.unit, time) / 1000
    return time if time_unit.unit is None else time * UNITS[time_unit.unit] * 1000


def show_time(time: int, time_unit: TimeUnit) -> str:
    """Write a time as a date with as much of the hour as the clock has, or as a number.

    Examples
    --------
    >>> show_time(19723, TimeUnit("day")), show_time(90, TimeUnit("minute")), show_time(1500, TimeUnit())
    ('1 Jan 2024', '1 Jan 1970 01:30', '1,500')
    >>> show_time(649, TimeUnit("month")), show_time(217, TimeUnit("quarter"))
    ('Feb 2024', 'Apr 2024')
    """
    if time_unit.unit is None:
        return show_number(time)
    try:
        moment = datetime.datetime.fromtimestamp(to_axis(time, time_unit) / 1000, datetime.UTC)
    except (OverflowError, ValueError, OSError):
        return f"{show_number(time)} {time_unit.unit}s after 1970"
    month = f"{moment:%b} {moment.year}"
    if time_unit.unit in MONTHS:
        return month
    day = f"{moment.day} {month}"
    return {"day": day, "second": f"{day} {moment:%H:%M:%S}"}.get(time_unit.unit, f"{day} {moment:%H:%M}")


def time_axis(time_unit: TimeUnit, title: str | None = None) -> Any:
    """Return an axis of dates, or of numbers."""
    shown = ",~r" if time_unit.unit is None else _FORMATS
    return alt.Axis(
        title=title, grid=False, tickCount=5, labelOverlap=True, labelFlush=True, format=shown, labelSeparation=8
    )


def time_field(name: str, time_unit: TimeUnit, domain: tuple[float, float], title: str | None = None) -> Any:
    """Return a horizontal axis of time for a column of numbers as :func:`to_axis` makes them."""
    if time_unit.unit is None:
        scale = alt.Scale(domain=list(domain), nice=False)
        return alt.X(f"{name}:Q", scale=scale).axis(time_axis(time_unit, title or "Time"))
    axis = time_axis(time_unit, title)
    if domain[0] >= 0 and domain[1] <= _FIRST_DAY:
        axis.format = "%H:%M"
    return alt.X(f"{name}:T", scale=alt.Scale(type="utc", domain=list(domain), nice=False)).axis(axis)


def draw_over_time(
    edges: Floats,
    before: Floats,
    after: Floats,
    time_unit: TimeUnit,
    title: str,
    *,
    counted: str,
    size: tuple[float, float],
) -> Any:
    """Draw two stepped lines over time, before and after, between edges as :func:`to_axis` makes them.

    Examples
    --------
    >>> edges = np.array([0.0, 1.0, 2.0])
    >>> draw_over_time(edges, edges[:2], edges[:2], TimeUnit(), "Events", counted="events", size=(100, 50)).title
    'Events'
    """
    values = [
        {"time": float(edges[at]), "when": when, "amount": float(line[min(at, len(line) - 1)])}
        | {"told": f"{when}: {show_number(round(float(line[min(at, len(line) - 1)]), 1))} {counted}"}
        for when, line in (("before", before), ("after", after))
        for at in range(len(edges))
    ]
    colours = alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER])
    return (
        alt.Chart(inline(values))
        .mark_line(interpolate="step-after", strokeWidth=1.6, aria=False)
        .encode(
            x=time_field("time", time_unit, (float(edges[0]), float(edges[-1]))),
            y=alt.Y("amount:Q").axis(
                alt.Axis(title=counted.capitalize(), tickCount=4, tickMinStep=1, domain=False, format=",d")
            ),
            color=alt.Color("when:N", scale=colours, legend=None),
            tooltip="told:N",
        )
        .properties(width=size[0], height=size[1], title=title)
    )
