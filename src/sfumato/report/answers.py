"""What a release answers over time: a band from certain to possible, the expected line in it, and the truth."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np

from sfumato.core.clock import Clock
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.rooms import find_room
from sfumato.query.answer import Answer
from sfumato.query.asking import ask
from sfumato.query.certainty import quote
from sfumato.query.events import Events
from sfumato.query.evidence import Evidence
from sfumato.query.moments import Span
from sfumato.report.figure import Figure, LegendEntry, inline
from sfumato.report.markup import draw_figure, shorten
from sfumato.report.numerals import show_count, show_number
from sfumato.report.palette import AFTER, BEFORE
from sfumato.report.plots import PANEL_WIDTH
from sfumato.report.times import time_field, to_axis

__all__ = ["draw_answers", "write_answers"]

_BARS = 40
_LENGTHS = {"1min": 60, "10min": 600, "hour": 3600, "6h": 21600, "day": 86400, "week": 604_800, "month": 2_629_746}
_SHOWN_LENGTH = 40
_MOST_ENTRIES = 20_000_000
"""Of larger data the plot is left out: it would take longer than all others."""


def draw_answers(comparison: Comparison) -> Figure | None:
    """Draw how many records have the most frequent value, stretch by stretch; None where nothing is timed, or too much.

    Examples
    --------
    >>> import sfumato as sf
    >>> people = [[("mail", 3), ("news", 40)], [("mail", 9)], [("mail", 33)], [("mail", 35)]]
    >>> data = sf.Dataset.of("sequences", people, monitored=("mail",))
    >>> release = sf.anonymize(data, sf.methods.Hl(k=2), secret=bytes(32)).release
    >>> draw_answers(Comparison(data, release)).head
    ['From', 'Certain', 'Expected', 'Possible', 'Truth']
    """
    history_column = any(column.role == "history" for column in comparison.original.schema.columns)
    if history_column and len(comparison.original.view_history().codes) > _MOST_ENTRIES:
        return None
    room = find_room(comparison.original.kind, "evidence")
    original: Evidence = room.of_dataset(comparison.original)
    published: Evidence = room.of_release(comparison.release)
    history = original.history
    if not isinstance(history, Events) or history.timing not in {"moment", "number"} or history.span is None:
        return None
    if published.history is None or published.history.timing != history.timing:
        return None
    dated, span = history.timing == "moment", history.span
    counts = np.bincount(history.value, history.least, minlength=len(history.names.labels))
    value = history.names.labels[int(np.argmax(counts))]
    question = f"count record where {quote(value)} by {_choose_length(span, dated=dated)}"
    truth, found = (ask(side, question, span=span, lenient=True) for side in (original, published))
    return _draw(truth, found, value, dated=dated, counted=original.unit.many)


def _choose_length(span: Span, *, dated: bool) -> str:
    """Return the shortest stretch that gives few enough bars."""
    whole = span[1] - span[0] + 1
    if not dated:
        return str(max(-(-whole // _BARS), 1))
    return next((name for name, seconds in _LENGTHS.items() if whole // (seconds * 1_000_000) < _BARS), "year")


def _draw(truth: Answer, found: Answer, value: str, *, dated: bool, counted: str) -> Figure:
    assert truth.table is not None and found.table is not None
    clock = Clock("second") if dated else Clock()
    rows = found.table.to_pylist()
    exact = truth.table.column("certain").to_pylist()
    edges = [_place(row["from"], clock) for row in rows] + [_place(rows[-1]["before"], clock)]
    shown = shorten(value, _SHOWN_LENGTH)
    values = [
        {"time": edge, "certain": row["certain"], "possible": row["possible"], "expected": row["expected"]}
        | {"truth": right, "told": f"{row['from']}: {row['certain']} to {row['possible']}, truth {right}"}
        for edge, row, right in zip(edges, [*rows, rows[-1]], [*exact, exact[-1]], strict=True)
    ]
    x = time_field("time", clock, (edges[0], edges[-1]))
    base = alt.Chart(inline(values))
    axis = alt.Axis(title=counted.capitalize(), tickCount=4, domain=False, format=",d")
    band = base.mark_area(interpolate="step-after", color=AFTER, opacity=0.25, aria=False).encode(
        x=x, y=alt.Y("certain:Q").axis(axis), y2="possible:Q", tooltip="told:N"
    )
    lines = [
        base.mark_line(interpolate="step-after", color=colour, strokeWidth=1.6, aria=False).encode(x=x, y=f"{name}:Q")
        for name, colour in (("expected", AFTER), ("truth", BEFORE))
    ]
    panel: Any = alt.layer(band, *lines).properties(width=PANEL_WIDTH, height=130, title=shown)
    return Figure(
        title=f"What the release answers over time: {counted} with the most frequent value",
        description="A band from what is certain to what is possible, with the expected answer and the truth as lines.",
        panels=[panel],
        legend=(
            LegendEntry("square", AFTER, "from certain to possible"),
            LegendEntry("line", AFTER, "expected"),
            LegendEntry("line", BEFORE, "truth"),
        ),
        notes=["The truth always lies in the band."],
        head=["From", "Certain", "Expected", "Possible", "Truth"],
        rows=[
            [
                str(row["from"]),
                show_count(int(row["certain"])),
                show_number(round(row["expected"], 1)),
                show_count(int(row["possible"])),
                show_count(int(right)),
            ]
            for row, right in zip(rows, exact, strict=True)
        ],
    )


def _place(time: str | int, clock: Clock) -> float:
    seconds = int(np.datetime64(time, "s").astype(np.int64)) if clock.unit else int(time)
    return float(to_axis(seconds, clock))


def write_answers(figure: Figure | None) -> str:
    """Write the part of a report about what can still be asked; nothing where nothing is timed.

    Examples
    --------
    >>> write_answers(None)
    ''
    """
    if figure is None:
        return ""
    caption = (
        "Whoever receives the release can ask it (sfumato query): the answer is certain up to the lower edge and "
        "possible up to the upper one."
    )
    return f"<section><h2>What can still be asked</h2>{draw_figure('answers', figure, caption)}</section>"
