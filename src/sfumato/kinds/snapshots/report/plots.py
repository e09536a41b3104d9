"""Plots about snapshots: how skewed they are, how late records are, and what is left over time and of values."""

from __future__ import annotations

from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.kinds.snapshots.comparison import SnapshotComparison, ValueCounts
from sfumato.reports.figure import inline
from sfumato.reports.numbers import show_count, show_share
from sfumato.reports.palette import AFTER, BEFORE, INK
from sfumato.reports.plots import BEFORE_AND_AFTER, PANEL_WIDTH, Figure, LegendEntry, draw_bars, share_axis
from sfumato.reports.times import draw_over_time as draw_lines
from sfumato.reports.values import draw_frequencies

__all__ = ["draw_delays", "draw_over_time", "draw_shares", "draw_values", "name_snapshot"]

Floats = npt.NDArray[np.float64]

_BINS = (0.0, 0.05, 0.1, 0.2, 0.25, 0.3, 0.4, 0.5, 0.75, 1.0)
_TICKS = [0, 0.2, 0.4, 0.6, 0.8, 1]
_MOST_BARS = 12
_STRETCHES = 60
_CODES = {"quarter": "M", "month": "M", "day": "D", "hour": "h", "minute": "m", "second": "s"}


def draw_shares(view: SnapshotComparison, guarantee: Guarantee) -> Figure:
    """Draw how large the most frequent value of snapshots is, before and after."""
    limit = 1 / getattr(guarantee, "l", 1)
    edges = sorted({*_BINS, limit})
    sides = [_largest_shares(counts) for counts in (view.original_counts, view.published_counts)]
    # A share of exactly 1/l keeps the guarantee, so bins are closed at their upper end.
    numbers = [np.bincount(np.searchsorted(edges, s - 1e-12) - 1, minlength=len(edges) - 1) for s in sides]
    heights = [number / max(len(shares), 1) for number, shares in zip(numbers, sides, strict=True)]
    top = max(0.01, *(float(height.max()) for height in heights))
    panels, table = [], []
    for when, shares, height, colour in zip(("Before", "After"), sides, heights, (BEFORE, AFTER), strict=True):
        above = show_share(float((shares > limit + 1e-9).mean())) if len(shares) else "–"
        values = [
            {"low": low, "high": high, "floor": 0, "share": share}
            | {"told": f"{show_share(low)} to {show_share(high)}: {show_share(share)} of snapshots"}
            for low, high, share in zip(edges[:-1], edges[1:], height.tolist(), strict=True)
        ]
        title = alt.Title(when, subtitle=f"{above} of snapshots are above the guarantee")
        panels.append(_draw_skew(values, limit, colour, top, title))
        table.append([when, above])
    return Figure(
        title="Largest share of one sensitive value in a snapshot, before and after",
        description="Two histograms over snapshots; a dashed line marks the guaranteed share.",
        panels=panels,
        legend=(LegendEntry("dash", INK, f"guaranteed at most: {show_share(limit)}"),),
        head=["", "Snapshots above the guarantee"],
        rows=table,
    )


def _draw_skew(values: list[dict[str, Any]], limit: float, colour: str, top: float, title: Any) -> Any:
    x = alt.X("low:Q", scale=alt.Scale(domain=[0, 1], nice=False)).axis(
        share_axis("Largest share of one value in a snapshot", grid=False, labelOverlap=False, values=_TICKS)
    )
    y = alt.Y("share:Q", scale=alt.Scale(domain=[0, top])).axis(share_axis("Snapshots"))
    bars = (
        alt.Chart(inline(values))
        .mark_rect(color=colour, xOffset=0.5, x2Offset=-0.5, aria=False)
        .encode(x=x, x2="high", y=y, y2="floor", tooltip="told:N")
    )
    rule = alt.Chart(inline([{"limit": limit}])).mark_rule(color=INK, strokeDash=[4, 3], aria=False)
    return alt.layer(bars, rule.encode(x="limit:Q")).properties(width=PANEL_WIDTH, height=110, title=title)


def draw_delays(view: SnapshotComparison) -> Figure:
    """Draw how many records are published how late, and how many are not."""
    counts = np.bincount(view.delays, minlength=1)
    shown = [(str(delay), int(count)) for delay, count in enumerate(counts[:_MOST_BARS].tolist())]
    if len(counts) > _MOST_BARS:
        shown.append(("more", int(counts[_MOST_BARS:].sum())))
    shown.append(("never", len(view.codes) - int(counts.sum())))
    total = max(len(view.codes), 1)
    bars = [(name, count / total, show_share(count / total)) for name, count in shown]
    return Figure(
        title="Snapshots between a record and its publication",
        description="A bar for every delay: the share of records published that number of snapshots late, or never.",
        panels=[draw_bars(bars, "Records by delay", "Snapshots late")],
        head=["Snapshots late", "Records", "Share"],
        rows=[[name, show_count(count), show_share(count / total)] for name, count in shown],
    )


def draw_over_time(view: SnapshotComparison) -> Figure:
    """Draw how many records there are over time, by when they arose and by when they are published."""
    sides = (view.original_counts, view.published_counts)
    last = max(int(side.first.max(initial=0)) for side in sides)
    edges = np.linspace(0, last + 1, min(_STRETCHES, last + 1) + 1)
    before, after = (np.histogram(side.first, edges, weights=side.count)[0] for side in sides)
    time_unit = view.comparison.original.time_unit
    scale = 1 if time_unit.unit is None else 1000
    on_axis = np.array([view.time_of(float(edge)) / scale for edge in edges])
    return Figure(
        title="Records over time, before and after",
        description="Two stepped lines: records by when they arose, and by when they are published.",
        panels=[draw_lines(on_axis, before, after, time_unit, "Records", counted="records", size=(PANEL_WIDTH, 130))],
        legend=BEFORE_AND_AFTER,
        head=["From", "Before", "After"],
        rows=[
            [name_snapshot(int(view.time_of(int(edges[at]))), time_unit.unit), *map(show_count, (int(was), int(now)))]
            for at, (was, now) in enumerate(zip(before, after, strict=True))
        ],
    )


def draw_values(view: SnapshotComparison) -> Figure:
    """Draw how often some sensitive values occur before and after."""
    counted = view.published_counts
    before = np.bincount(view.codes, minlength=len(view.values))
    after = np.bincount(counted.value, counted.count, minlength=len(view.values))
    return draw_frequencies(view.values, before, after, "sensitive values", counted="records", divided=False)


def _largest_shares(counts: ValueCounts) -> Floats:
    """Return the share of the most frequent value of every snapshot."""
    snapshots, at = np.unique(counts.first, return_inverse=True)
    largest = np.zeros(len(snapshots))
    np.maximum.at(largest, at, counts.count)
    return np.asarray(largest / np.maximum(np.bincount(at, counts.count, minlength=len(snapshots)), 1))


def name_snapshot(time: int, unit: str | None) -> str:
    """Format a snapshot: a number, or a date to the unit of the clock.

    Examples
    --------
    >>> name_snapshot(7, None), name_snapshot(86_400_000_000, "day")
    ('7', '1970-01-02')
    >>> name_snapshot(31 * 86_400_000_000, "month")
    '1970-02'
    """
    if unit is None:
        return str(time)
    return str(np.datetime64(time, "us").astype(f"datetime64[{_CODES[unit]}]"))
