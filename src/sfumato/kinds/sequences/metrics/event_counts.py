"""How wrong counts of monitored events by hour and by day are."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import Most, PartialSums
from sfumato.params import Param

__all__ = ["EventCounts"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class EventCounts(SummedMetric):
    """Measure the error of time series: how often did this event happen in this hour, on this day?

    From the release a published interval counts as one event, spread evenly over the interval and over the
    monitored events its category may be. How many events an interval holds is not published, so counts
    tend to come out too low: ``counted_share`` is what the release counts of all monitored events.

    The relative error of a period is |estimate - truth| divided by the truth, or by the sanity bound where the
    truth is smaller: a share of the original records, and at least one event. The value is the mean over
    up to `events` monitored events, drawn by how often they occur, and the periods in which they happen;
    periods in which an event does not happen are left out, or spreading events over many of them would look
    harmless. The ``total_error`` covers all periods: the sum of the differences divided by the sum of the
    true counts, between 0 and 2.

    Periods are hours and days in UTC, and the value is that of hours (of days where times are days). Where times
    are plain numbers a power of ten near a thousandth of the span takes the part of an hour, and ten times as
    much that of a day. Events that are not monitored are published unchanged and not measured here.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 0)], [("mail", 3)]], monitored=("mail",))
    >>> result = Hi(k=2).anonymize(data, Run())
    >>> EventCounts().measure(Comparison(data, result.release)).value
    0.5
    """

    name: ClassVar[str] = "event-counts"
    title: ClassVar[str] = "Average relative error of event counts over time"
    explanation = "Relative error of the number of monitored events in a period."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: exact counts, 1: off by as much as the count itself"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "Another interval may make up for what one loses in a period."

    events: Annotated[int, Param("Largest number of events compared.", ge=1)] = 100
    sanity: Annotated[float, Param("Smallest true count that errors are divided by, as a share of records.", ge=0)] = (
        0.001
    )

    def partial(self, comparison: Comparison) -> PartialSums:
        """Count events by period in original and release."""
        view = comparison.view(SequenceComparison)
        events = view.draw_events(self.events, comparison.seed, monitored=True)
        names = list(view.durations)
        first = names.index(view.usual_duration)
        counts = {name: _count(view, events, view.durations[name]) for name in names[first : first + 2]}
        return {"counts": counts, "events": Most(len(events)), "records": len(comparison.original)}

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the counts of all partitions together."""
        bound = max(1.0, self.sanity * partial["records"])
        details: dict[str, Any] = {}
        for name, counts in partial["counts"].items():
            truth, estimate = counts["truth"], counts["estimate"]
            elsewhere = float(np.maximum(counts["total"] - counts["inside"], 0.0).sum())
            wrong, there = np.abs(estimate - truth), truth > 0
            details[f"by_{name}"] = float((wrong / np.maximum(truth, bound))[there].mean()) if there.any() else 0.0
            details[f"total_error_by_{name}"] = float((wrong.sum() + elsewhere) / max(truth.sum(), 1.0))
            counted = (estimate.sum() + elsewhere) / max(truth.sum(), 1.0)
        return next(iter(details.values())), {
            **details,
            "counted_share": float(counted),
            "events": int(partial["events"]),
            "sanity_bound": bound,
        }


def _count(view: SequenceComparison, events: Ints, length: int) -> dict[str, Floats]:
    """Return true and estimated counts where events happened to anyone, and all that the release counts, by event."""
    truths, estimates, inside, totals = [np.empty(0)], [np.empty(0)], [], []
    full_original, codes = view.comparison.full_original, view.comparison.history.codes

    def find_all() -> list[Ints]:
        every = full_original.original.view_history().codes, full_original.original.times()
        return [np.unique(when // length) for when in _times_of(events, *every)]

    periods_of = full_original.cached(("periods", length, tuple(events.tolist())), find_all)
    for event, periods, when in zip(events, periods_of, _times_of(events, codes, view.times), strict=True):
        estimate, total = _spread(view, int(event), periods, length)
        truths.append(_sum_at(periods, when // length, np.ones(len(when))))
        estimates.append(estimate)
        inside.append(float(estimate.sum()))
        totals.append(total)
    return {
        "truth": np.concatenate(truths),
        "estimate": np.concatenate(estimates),
        "inside": np.array(inside),
        "total": np.array(totals),
    }


def _times_of(events: Ints, codes: npt.NDArray[np.int32], times: Ints) -> Iterator[Ints]:
    """Yield the times of every event."""
    is_wanted = np.isin(codes, events)
    order = np.argsort(codes[is_wanted], kind="stable")
    codes, times = codes[is_wanted][order], times[is_wanted][order]
    for event in events:
        start, end = np.searchsorted(codes, [event, event + 1])
        yield times[start:end]


def _spread(view: SequenceComparison, event: int, periods: Ints, length: int) -> tuple[Floats, float]:
    """Return how many of an event the release holds in some periods, and in all.

    The first and the last period of an interval get the part of it that lies in them, those between get one
    share each: sums over the intervals that have begun, less those that have ended.
    """
    covers = view.group_covers
    chosen, chance = view.covers_of(event)
    low, high = covers.lows[chosen], covers.highs[chosen]
    weight = chance * view.group_sizes[covers.row_of_interval[chosen]]
    density = weight / (high.astype(np.float64) - low + 1)
    first, last = low // length, high // length
    inside = first == last
    starting = np.where(inside, weight, ((first + 1) * length - low) * density)
    counts = _sum_at(periods, first, starting)
    counts += _sum_at(periods, last[~inside], (high - last * length + 1)[~inside] * density[~inside])
    long = last - first > 1
    begun = _sum_before(periods, first[long], density[long] * length)
    ended = _sum_before(periods, last[long] - 1, density[long] * length)
    return counts + np.maximum(begun - ended, 0.0), float(weight.sum())


def _sum_at(periods: Ints, where: Ints, amounts: Floats) -> Floats:
    """Add up amounts by period, of the periods asked for."""
    if not len(periods):
        return np.empty(0)
    at = np.minimum(np.searchsorted(periods, where), len(periods) - 1)
    there = periods[at] == where
    return np.asarray(np.bincount(at[there], amounts[there], minlength=len(periods)), dtype=np.float64)


def _sum_before(periods: Ints, where: Ints, amounts: Floats) -> Floats:
    """Add up the amounts before each period."""
    order = np.argsort(where, kind="stable")
    sums = np.concatenate([[0.0], np.cumsum(amounts[order])])
    return np.asarray(sums[np.searchsorted(where[order], periods, side="left")])
