"""What a release answers over time: a band from certain to possible, the expected line in it, and the truth."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from sfumato.data.time_units import TimeUnit
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.time_series import MEANT, TimeSeries, compute_time_series
from sfumato.reports.figure import Figure, LegendEntry, inline
from sfumato.reports.html import draw_figure, shorten
from sfumato.reports.numbers import show_count, show_number
from sfumato.reports.palette import AFTER, BEFORE
from sfumato.reports.plots import PANEL_WIDTH
from sfumato.reports.times import time_field, to_axis

__all__ = ["draw_answers", "list_edges", "list_numbers", "write_answers"]

_SHOWN_LENGTH = 40


def draw_answers(comparison: Comparison) -> Figure | None:
    """Draw how many records have a frequent value, stretch by stretch; None where nothing is timed, or too much.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [[("mail", 3), ("news", 40)], [("mail", 9)], [("mail", 33)], [("mail", 35)]]
    >>> data = sf.Dataset.of("sequences", people, monitored=("mail",))
    >>> release = sf.anonymize(data, sf.methods.Hl(k=2), secret=bytes(32)).release
    >>> draw_answers(Comparison(data, release)).head
    ['From', 'Certain', 'Expected', 'Possible', 'Truth']
    """
    time_series = compute_time_series(comparison)
    return None if time_series is None else _draw(time_series)


def list_edges(time_series: TimeSeries) -> tuple[TimeUnit, list[float]]:
    """Return the clock of an axis of time, and where stretches begin and the last one ends on it.

    Examples
    --------
    >>> list_edges(TimeSeries("mail", "people", True, ("1970-01-02", "1970-01-03"), (0,), (1,), (0.5,), (1,)))[1]
    [86400000.0, 172800000.0]
    """
    if not time_series.dated:
        return TimeUnit(), [float(edge) for edge in time_series.edges]
    time_unit = TimeUnit("second")
    seconds = [int(np.datetime64(edge, "s").astype(np.int64)) for edge in time_series.edges]
    return time_unit, [float(to_axis(moment, time_unit)) for moment in seconds]


def list_numbers(time_series: TimeSeries) -> list[list[str]]:
    """Return the numbers behind a plot of answers: from, certain, expected, possible, truth."""
    return [
        [
            str(row["from"]),
            show_count(row["certain"]),
            show_number(None if row["expected"] is None else round(row["expected"], 1)),
            show_count(row["possible"]),
            show_count(row["truth"]),
        ]
        for row in time_series.list_rows()
    ]


def _draw(time_series: TimeSeries) -> Figure:
    time_unit, edges = list_edges(time_series)
    rows = time_series.list_rows()
    values = [
        {"time": edge, "certain": row["certain"], "possible": row["possible"], "expected": row["expected"]}
        | {"truth": row["truth"]}
        | {"told": f"{row['from']}: {row['certain']} to {row['possible']}, truth {row['truth']}"}
        for edge, row in zip(edges, [*rows, rows[-1]], strict=True)
    ]
    x = time_field("time", time_unit, (edges[0], edges[-1]))
    base = alt.Chart(inline(values))
    axis = alt.Axis(title=time_series.counted.capitalize(), tickCount=4, tickMinStep=1, domain=False, format=",d")
    band = base.mark_area(interpolate="step-after", color=AFTER, opacity=0.25, aria=False).encode(
        x=x, y=alt.Y("certain:Q").axis(axis), y2="possible:Q", tooltip="told:N"
    )
    lines = [
        base.mark_line(interpolate="step-after", color=colour, strokeWidth=1.6, aria=False).encode(x=x, y=f"{name}:Q")
        for name, colour in (("expected", AFTER), ("truth", BEFORE))
    ]
    shown = shorten(time_series.value, _SHOWN_LENGTH)
    panel: Any = alt.layer(band, *lines).properties(width=PANEL_WIDTH, height=130, title=shown)
    return Figure(
        title=f"Answers of the release over time: {time_series.counted} with a frequent value",
        description="A band from the certain to the possible answer, with lines for the expected answer and the truth.",
        panels=[panel],
        legend=(
            LegendEntry("square", AFTER, "from certain to possible"),
            LegendEntry("line", AFTER, "expected"),
            LegendEntry("line", BEFORE, "truth"),
        ),
        notes=[f"The value is {MEANT}. The truth always lies in the band."],
        head=["From", "Certain", "Expected", "Possible", "Truth"],
        rows=list_numbers(time_series),
    )


def write_answers(figure: Figure | None) -> str:
    """Write the part of a report about what can still be asked; nothing where nothing is timed.

    Examples
    --------
    >>> write_answers(None)
    ''
    """
    if figure is None:
        return ""
    caption = "Recipients can query the release (sfumato query): the lower edge is certain, the upper edge possible."
    return f"<section><h2>Queries of the release</h2>{draw_figure('answers', figure, caption)}</section>"
