"""When monitored events happened, and when they may have according to the release."""

from __future__ import annotations

import itertools

import numpy as np
import numpy.typing as npt

from sfumato.data.time_units import TimeUnit
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.reports.numbers import show_count
from sfumato.reports.plots import BEFORE_AND_AFTER, PANEL_WIDTH, Figure
from sfumato.reports.times import draw_over_time, show_time, to_axis

__all__ = ["count_times", "draw_steps", "draw_times", "spread_evenly"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_BINS = 40


def draw_times(comparison: Comparison) -> Figure | None:
    """Draw how many monitored events there are over time; None where there are none, or all at one time."""
    view = comparison.view(SequenceComparison)
    times = view.times[view.monitored_entries]
    if not len(times) or not len(view.covers.lows):
        return None
    ends = (min(int(times.min()), int(view.covers.lows.min())), max(int(times.max()), int(view.covers.highs.max())))
    if ends[0] == ends[1]:
        return None
    edges = np.linspace(*ends, _BINS + 1)
    before = np.histogram(times, edges)[0].astype(np.float64)
    after = spread_evenly(view.covers.lows, view.covers.highs, edges)
    return draw_steps(edges, before, after, comparison.original.time_unit)


def count_times(comparison: Comparison) -> tuple[Floats, Floats, Floats]:
    """Return edges of bins over all time of the whole original, and events of a partition in them, before and after."""
    view = comparison.view(SequenceComparison)
    edges = np.linspace(view.earliest, view.earliest + max(view.span, 1), _BINS + 1)
    before = np.histogram(view.times[view.monitored_entries], edges)[0].astype(np.float64)
    return edges, before, spread_evenly(view.covers.lows, view.covers.highs, edges)


def draw_steps(edges: Floats, before: Floats, after: Floats, time_unit: TimeUnit) -> Figure:
    """Draw how many monitored events there are over time."""
    on_axis = np.array([to_axis(float(edge), time_unit) for edge in edges])
    return Figure(
        title="Monitored events over time, before and after",
        description="Two stepped lines: events by when they happened, and published intervals spread evenly over time.",
        panels=[
            draw_over_time(
                on_axis, before, after, time_unit, "Monitored events", counted="events", size=(PANEL_WIDTH, 130)
            )
        ],
        legend=BEFORE_AND_AFTER,
        notes=["An interval counts as one event, even if more happened in it."],
        head=["From", "Before", "After"],
        rows=[
            [show_time(round(edges[at]), time_unit), show_count(int(before[at])), show_count(round(after[at]))]
            for at in range(_BINS)
        ],
    )


def spread_evenly(lows: Ints, highs: Ints, edges: Floats) -> Floats:
    """Spread each interval over the bins it reaches into, in proportion.

    Examples
    --------
    >>> spread_evenly(np.array([0, 1]), np.array([2, 1]), np.array([0.0, 1.0, 2.0])).tolist()
    [0.5, 1.5]
    """
    lengths = (highs - lows).astype(np.float64)
    moment = lengths == 0
    spread = np.histogram(lows[moment], edges)[0].astype(np.float64)
    low, high, length = lows[~moment], highs[~moment], lengths[~moment]
    for at, (first, end) in enumerate(itertools.pairwise(edges)):
        inside = np.minimum(high, end) - np.maximum(low, first)
        spread[at] += float((np.maximum(inside, 0) / length).sum())
    return spread
