"""What is done at which time of the day, before and after."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums

__all__ = ["TimeOfDay", "profile_original", "profile_published"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

_HOURS = 24


@dataclasses.dataclass(frozen=True)
class TimeOfDay(SummedMetric):
    """Measure how far off the shares of activities are, hour by hour of the day.

    For each hour of the day, over all days, the shares of people's time by activity are compared, those of the original
    people with those of the people published. The value is the mean over hours of the total variation distance: the
    share of the hour that is spent on the wrong activity. Classes keep the shares of their intervals, so that only
    people who are left out and intervals longer than an hour can change them. Details have the worst hour.

    Examples
    --------
    >>> TimeOfDay().unit, TimeOfDay().better
    ('', 'lower')
    """

    name: ClassVar[str] = "time-of-day"
    title: ClassVar[str] = "Change of activities by hour of the day"
    explanation = "Share of an hour of the day that the release assigns to other activities than the original does."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: the same activities in every hour, 1: none in common"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Suppressing records may bring the shares of the others closer to those of all."

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say why this measure cannot be taken here, or return None when it can."""
        if (reason := super().obstacle(comparison)) is not None:
            return reason
        view = comparison.view(ActivityComparison)
        return None if view.day and view.day >= _HOURS else "needs slots of an hour or less."

    def partial(self, comparison: Comparison) -> PartialSums:
        """Add up the time of every hour."""
        view = comparison.view(ActivityComparison)
        return {"before": add_original(view), "after": add_published(view)}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the shares of every hour."""
        before, after = _shares(partial["before"]), _shares(partial["after"])
        there = before.sum(axis=1) > 0
        apart = np.abs(before - after).sum(axis=1)[there] / 2
        worst = int(np.flatnonzero(there)[np.argmax(apart)]) if len(apart) else 0
        return float(apart.mean()) if len(apart) else 0.0, {
            "worst_hour": worst,
            "worst_hour_change": float(apart.max(initial=0.0)),
        }


def _cut_hours(view: ActivityComparison) -> tuple[Longs, Longs]:
    """Return where hours of the clock begin, in slots, and which hour of the day each is."""
    assert view.day is not None
    length = view.day // _HOURS
    shift = view.first_of_day % length
    edges = np.unique(np.clip(np.arange(-shift, view.slots + length, length), 0, view.slots))
    return edges, (view.first_of_day + edges[:-1]) // length % _HOURS


def _by_hour(durations: Floats, hours: Longs) -> Floats:
    sums = np.zeros((_HOURS, durations.shape[1]))
    np.add.at(sums, hours, durations)
    return sums


def _shares(sums: Floats) -> Floats:
    total = sums.sum(axis=1, keepdims=True)
    return np.asarray(sums / np.where(total > 0, total, 1.0))


def add_original(view: ActivityComparison) -> Floats:
    """Return the slots of all people by hour of the day and activity."""
    edges, hours = _cut_hours(view)
    durations = np.zeros((len(hours), len(view.labels)))
    for row in range(view.people):
        durations += view.original_durations(np.array([row]), edges)[0]
    return _by_hour(durations, hours)


def add_published(view: ActivityComparison) -> Floats:
    """Return the same of what is published."""
    edges, hours = _cut_hours(view)
    durations = np.zeros((len(hours), len(view.labels)))
    for group in view.classes():
        durations += group.size * view.published_durations(group.shares, edges)
    return _by_hour(durations, hours)


def profile_original(view: ActivityComparison) -> Floats:
    """Return the shares of activities by hour of the day, over all people."""
    return _shares(add_original(view))


def profile_published(view: ActivityComparison) -> Floats:
    """Return the same of what is published."""
    return _shares(add_published(view))
