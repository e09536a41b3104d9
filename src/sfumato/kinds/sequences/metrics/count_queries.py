"""How often a count of people is too high or too low when the release is asked."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Better, Operation, SummedMetric
from sfumato.metrics.partial_sums import PartialSums
from sfumato.metrics.query_metric import split_time
from sfumato.params import Param

__all__ = ["CountQueries"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class CountQueries(SummedMetric):
    """Measure how many people are counted wrongly: how many did this event in this period?

    The time the data span is cut into `intervals` periods of equal length, and up to `events` monitored
    events are drawn by how often they occur; every event with every period is a query. The release counts a
    record when a published interval of a category that may be the event touches the period. The value is the share of
    all people the release counts who are counted too many: 0 where no count is too high, .5 where half of those counted
    did not do it.

    ``false_positives`` and ``false_negatives`` are the paper's f_p, the share of queries that the release answers with
    more people than the original, and f_n, the share of queries with a positive answer that it answers with fewer. A
    single person too many makes a query wrong, so that f_p is much the same for most methods; the value tells them
    apart.

    Events that are not monitored are published unchanged. Their counts go wrong only where people are
    suppressed, or events blurred; ``other_false_negatives`` is f_n over as many of them, drawn the same way. What is
    published of blurred events counts like intervals of monitored ones.

    With a workload the queries are about its events, monitored or not; ranges of time in it are those of
    average-relative-error.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 0)], [("mail", 3)]], monitored=("mail",))
    >>> result = Hi(k=2).anonymize(data, Run())
    >>> CountQueries(intervals=2).measure(Comparison(data, result.release)).value
    0.5

    References
    ----------
    Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 6.4.1.
    """

    name: ClassVar[str] = "count-queries"
    title: ClassVar[str] = "Records wrongly counted in a period"
    explanation = "Share of the {many} that the release counts for an event in a period and that do not have it."
    unit: ClassVar[str] = "of those counted"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: all counted records have the event, 1: none has it"
    paper: ClassVar[str] = "Sherkat, Li, Mamoulis, Efficient Timestamped Event Sequence Anonymization, Section 6.4.1"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("generalise",)
    not_monotone: ClassVar[str] = "Suppressed records are not counted, rightly or wrongly."

    events: Annotated[int, Param("Largest number of events in queries without a workload.", ge=1)] = 100
    intervals: Annotated[int, Param("Number of periods that the time is divided into.", ge=1)] = 100

    def partial(self, comparison: Comparison) -> PartialSums:
        """Ask original and release the same queries."""
        view = comparison.view(SequenceComparison)
        events = _find_workload_events(comparison)
        if events is None:
            events = view.draw_events(self.events, comparison.seed, monitored=True)
        others = view.draw_events(self.events, comparison.seed, monitored=False)
        edges = _cut(view, self.intervals)
        truth, answer = _count(view, events, edges)
        others_truth, others_answer = _count(view, others, edges)
        return {
            "truth": truth,
            "answer": answer,
            "others_truth": others_truth,
            "others_answer": others_answer,
        }

    def combine(self, partial: PartialSums, full_original: FullOriginal) -> tuple[float, dict[str, Any]]:  # noqa: ARG002
        """Compare the counts of all partitions together."""
        truth, answer = partial["truth"], partial["answer"]
        excess = int(np.maximum(answer - truth, 0).sum())
        return excess / max(int(answer.sum()), 1), {
            "false_positives": float((answer > truth).mean()) if answer.size else 0.0,
            "false_negatives": _share_too_low(truth, answer),
            "other_false_negatives": _share_too_low(partial["others_truth"], partial["others_answer"]),
            "queries": answer.size,
            "queries_with_hits": int((truth > 0).sum()),
            "events": answer.shape[0],
            "intervals": answer.shape[1],
        }


def _find_workload_events(comparison: Comparison) -> Ints | None:
    """Return the events of the workload, if there is one."""
    if comparison.workload is None:
        return None
    code_of = {label: code for code, label in enumerate(comparison.history.labels)}
    named: set[str] = set()
    for number, query in enumerate(comparison.workload.queries, start=1):
        owner = f"count-queries: query {number} of the workload"
        events = split_time(query, comparison.original.time_unit, owner)[0]
        if not events or not code_of.keys() >= set(events):
            raise SchemaError(f"{owner} must name events that the original has.", hint="Correct or remove it.")
        named.update(events)
    return np.unique([code_of[event] for event in named])


def _cut(view: SequenceComparison, intervals: int) -> Ints:
    """Return the first time of every period, and the first time after the last one."""
    points = view.span + 1
    count = min(intervals, points)
    # Python's whole numbers: a product of a long span and a number would not fit 64 bits.
    return np.array([view.earliest + number * points // count for number in range(count + 1)], dtype=np.int64)


def _count(view: SequenceComparison, events: Ints, edges: Ints) -> tuple[Ints, Ints]:
    """Return how many people did each event in each period, according to original and release."""
    history, (others, times) = view.comparison.history, view.others
    truth = _count_exact(history.row_of_token, history.codes, view.times, events, edges)
    answer = _count_exact(*_with_blurred(view, others.row_of_token, others.codes, times, edges), events, edges)
    for number, event in enumerate(events):
        answer[number] += _count_covers(view, int(event), edges)
    return truth, answer


def _with_blurred(
    view: SequenceComparison, rows: Ints, codes: npt.NDArray[np.int32], times: Ints, edges: Ints
) -> tuple[Ints, npt.NDArray[np.int32], Ints]:
    """Add what is published of blurred events: a moment in every period that the interval touches."""
    blurred = view.blurred
    if not len(blurred.lows):
        return rows, codes, times
    first = np.maximum(np.searchsorted(edges, blurred.lows, side="right") - 1, 0)
    last = np.minimum(np.searchsorted(edges, blurred.highs, side="right"), len(edges) - 1)
    count = np.maximum(last - first, 0)
    which = np.repeat(np.arange(len(count)), count)
    period = np.arange(len(which)) - np.repeat(np.cumsum(count) - count - first, count)
    return (
        np.concatenate([rows, blurred.row_of_interval[which]]),
        np.concatenate([codes, blurred.categories[which].astype(np.int32)]),
        np.concatenate([times, edges[period]]),
    )


def _count_exact(rows: Ints, codes: npt.NDArray[np.int32], times: Ints, events: Ints, edges: Ints) -> Ints:
    """Count the rows that hold each event in each period."""
    number_of = np.full(int(max(codes.max(initial=-1), events.max(initial=-1))) + 1, -1, dtype=np.int64)
    number_of[events] = np.arange(len(events))
    inside = (number_of[codes] >= 0) & (times >= edges[0]) & (times < edges[-1])
    periods = len(edges) - 1
    cell = number_of[codes[inside]] * periods + np.searchsorted(edges, times[inside], side="right") - 1
    total = len(events) * periods
    keys = np.sort(rows[inside] * max(total, 1) + cell)
    distinct = keys[np.diff(keys, prepend=-1) > 0]
    return np.bincount(distinct % max(total, 1), minlength=total).reshape(len(events), periods).astype(np.int64)


def _count_covers(view: SequenceComparison, event: int, edges: Ints) -> Ints:
    """Count the records with an interval that may be the event and touches each period.

    A record counts once in a period, however many of its intervals touch it: of every interval only
    the periods count that no earlier one has reached.
    """
    covers = view.group_covers
    chosen, _ = view.covers_of(event)
    group = covers.row_of_interval[chosen]
    first = np.maximum(np.searchsorted(edges, covers.lows[chosen], side="right") - 1, 0)
    last = np.minimum(np.searchsorted(edges, covers.highs[chosen], side="right"), len(edges) - 1)
    # Periods reached so far in the same group, as the end of the furthest; groups come one after the other.
    width = len(edges)
    reached = np.maximum.accumulate(group * width + last)
    before = np.concatenate([[0], reached[:-1]]) - group * width
    start = np.maximum(first, before)
    new = last > start
    people = view.group_sizes[group[new]]
    steps = np.bincount(start[new], people, minlength=width) - np.bincount(last[new], people, minlength=width)
    return np.rint(np.cumsum(steps)[:-1]).astype(np.int64)


def _share_too_low(truth: Ints, answer: Ints) -> float:
    return float((answer < truth).sum() / max(int((truth > 0).sum()), 1))
