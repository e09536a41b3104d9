"""Counts stretch of time by stretch of time: histograms with certain and possible bars."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.queries.answer import Answer
from sfumato.queries.count import count, draw_originals, list_not_published, list_notes
from sfumato.queries.events import MANY, Events
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import History, Link, PublishedView, Selection
from sfumato.queries.syntax import Both, Condition, Query, Sequel, Step
from sfumato.queries.three_valued import Truth
from sfumato.queries.times import ENDLESS, Span, cut_buckets, format_time

__all__ = ["count_by_bucket"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_BARS = (
    "the answer is for all stretches together, and a record counts in every stretch in which it has the event; "
    "stretches before the first and after the last time told are not listed."
)


@dataclasses.dataclass(frozen=True, eq=False)
class _Bars:
    """What is counted in every stretch: one event, of records that meet other conditions."""

    noun: str
    link: Link
    others: tuple[Condition, ...]
    cuts: Ints


def count_by_bucket(plan: Plan, query: Query) -> Answer:
    """Answer a question that counts stretch by stretch; a record counts in every stretch in which it has the event."""
    assert query.bucket is not None
    noun, bucket = plan.find_noun(query.noun), query.bucket
    history = plan.history(bucket.at)
    if history.timing not in {"moment", "number"}:
        raise plan.fail("these data have no times.", bucket.at)
    link, others = _find_event(plan, query)
    dated = history.timing == "moment"
    cuts = cut_buckets(bucket, query.text, _find_span(plan, history, link), dated=dated)
    bars = _Bars(noun, link, others, cuts)
    low, high = _count_bars(plan, bars)
    expected: Floats | pa.Array = low.astype(np.float64)
    not_published = () if plan.view.exact else list_not_published(plan, query.condition)
    if not_published:
        expected = pa.nulls(len(low), pa.float64())
    elif not plan.view.exact:
        wanted = Selection(link.selection.inside, link.selection.unseen)
        drawn_bars = dataclasses.replace(bars, noun="event" if noun == "event" else "record")
        drawn = [
            _count_bars(Plan(original, plan.text, plan.lenient), drawn_bars)[0]
            for original in draw_originals(plan.view, wanted)
        ]
        share = plan.view.total / max(plan.view.records, 1)
        expected = np.clip(np.mean(drawn, axis=0) * share, low, high)
    shown = [format_time(int(cut), dated=dated) if dated else int(cut) for cut in cuts]
    most = high if np.isinf(high).any() else high.astype(np.int64)
    columns = {"from": shown[:-1], "before": shown[1:], "certain": low, "possible": most, "expected": expected}
    condition = query.condition if any(isinstance(part, Sequel) for part in plan.flatten(query.condition)) else None
    whole = count(plan, dataclasses.replace(query, bucket=None, condition=condition or _have_any(query)))
    notes = (_BARS, *list_notes(plan.view, noun, is_open=bool((low < high).any()), not_published=not_published))
    return dataclasses.replace(whole, table=pa.table(columns), notes=notes)


def _have_any(query: Query) -> Condition:
    """Ask for any event beside what else is asked: without one a record is in no bar."""
    event = Sequel((Step(()),))
    return event if query.condition is None else Both((query.condition, event))


def _find_event(plan: Plan, query: Query) -> tuple[Link, tuple[Condition, ...]]:
    """Return the one event whose time is counted, and what else must hold of its record."""
    assert query.bucket is not None
    parts = plan.flatten(query.condition)
    sequels = [part for part in parts if isinstance(part, Sequel)]
    if len(sequels) > 1 or any(len(sequel.steps) > 1 for sequel in sequels):
        raise plan.fail("stretches of time are counted of one event: ask for one.", query.bucket.at)
    others = tuple(part for part in parts if not isinstance(part, Sequel))
    step = sequels[0].steps[0] if sequels else Step((), at=query.bucket.at)
    return plan.find_link(step), others


def _find_span(plan: Plan, history: History, link: Link) -> Span:
    first, last = plan.span or history.span or (0, 0)
    if link.window is not None:
        first = link.window[0] if link.window[0] > -ENDLESS else min(first, link.window[1])
        last = link.window[1] if link.window[1] < ENDLESS else max(last, link.window[0])
    return first, max(first, last)


def _count_bars(plan: Plan, bars: _Bars) -> tuple[Ints, Floats]:
    """Return how many there are in every stretch, at least and at most."""
    view = plan.view
    truths = [plan.judge(condition) for condition in bars.others]
    if isinstance(view.history, Events) and all(truth.sizes is None for truth in truths):
        truth = view.combine(truths) if truths else None
        low, high = _count_entries(view, view.history, bars, truth)
    else:
        low, high = _count_windows(view, plan.history(0), bars, truths)
    if bars.noun == "event":
        return low, high + (np.inf if view.suppressed_records else 0)
    if bars.noun == "person" and not view.exact:
        low = np.minimum(low, 1)
    return low, high + view.suppressed_records


def _count_windows(view: PublishedView, history: History, bars: _Bars, truths: list[Truth]) -> tuple[Ints, Floats]:
    """Ask anew for every stretch."""
    low, high = np.zeros(len(bars.cuts) - 1, np.int64), np.zeros(len(bars.cuts) - 1)
    for at, (begin, end) in enumerate(zip(bars.cuts[:-1].tolist(), bars.cuts[1:].tolist(), strict=True)):
        window = (begin, end - 1)
        if bars.link.window is not None:
            window = max(begin, bars.link.window[0]), min(end - 1, bars.link.window[1])
        link = dataclasses.replace(bars.link, window=window)
        if bars.noun == "event":
            low[at], high[at] = history.count(link)
            continue
        truth = view.combine([history.judge([link]), *truths])
        low[at], high[at] = truth.low.sum(), truth.high.sum()
    return low, high


def _count_entries(view: PublishedView, events: Events, bars: _Bars, truth: Truth | None) -> tuple[Ints, Floats]:
    """Count entries that lie in one stretch for certain, and those that may lie in one, all stretches at once."""
    if bars.noun == "person" and view.exact and view.people is not None:
        must, first = _find_certain(events, bars, truth)
        low = _count_distinct(view.people[events.record[must]], first, first, len(bars.cuts) - 1)
        return low.astype(np.int64), low
    count = _count_events if bars.noun == "event" else _count_records
    counted = [count(view, part, bars, truth) for part in events.split()]
    low, high = np.sum([totals for totals, _ in counted], axis=0), np.sum([totals for _, totals in counted], axis=0)
    return low.astype(np.int64), high


def _count_records(view: PublishedView, events: Events, bars: _Bars, truth: Truth | None) -> tuple[Floats, Floats]:
    stretches = len(bars.cuts) - 1
    must, first = _find_certain(events, bars, truth)
    low = _count_distinct(events.record[must], first, first, stretches)
    if view.exact:
        return low, low
    can, begin, end = _find_possible(events, bars, truth)
    return low, _count_distinct(events.record[can], begin, end, stretches)


def _count_events(_: PublishedView, events: Events, bars: _Bars, truth: Truth | None) -> tuple[Floats, Floats]:
    stretches = len(bars.cuts) - 1
    must, first = _find_certain(events, bars, truth)
    can, begin, end = _find_possible(events, bars, truth)
    most = events.most[can].astype(np.float64)
    limitless = _add_up(begin, end, (most >= MANY).astype(np.float64), stretches) > 0.5
    high = np.where(limitless, np.inf, _add_up(begin, end, np.where(most >= MANY, 0, most), stretches))
    low = np.bincount(first, events.least[must].astype(np.float64), minlength=stretches)
    return np.asarray(low, dtype=np.float64), high


def _find_certain(events: Events, bars: _Bars, truth: Truth | None) -> tuple[Ints, Ints]:
    """Find the entries that certainly lie in one stretch, and that stretch."""
    must = events.find_must(bars.link)
    if truth is not None:
        must = must[truth.low[events.record[must]] > 0]
    begin, end = events.find_times(must)
    first = _find_bin(bars.cuts, begin)
    last = first if end is begin else _find_bin(bars.cuts, end)
    selected = np.flatnonzero((first == last) & (first >= 0) & (first < len(bars.cuts) - 1))
    return must[selected], first[selected]


def _find_possible(events: Events, bars: _Bars, truth: Truth | None) -> tuple[Ints, Ints, Ints]:
    """Find the entries that may lie in stretches, and the first and the last of these."""
    can, lo, hi = events.find_can(bars.link)
    begin, end = _find_bin(bars.cuts, lo), _find_bin(bars.cuts, hi)
    stretches = len(bars.cuts) - 1
    selected = (end >= 0) & (begin < stretches)
    if truth is not None:
        selected &= truth.high[events.record[can]] > 0
    if not selected.all():
        can, begin, end = can[selected], begin[selected], end[selected]
    return can, np.maximum(begin, 0), np.minimum(end, stretches - 1)


def _find_bin(cuts: Ints, times: Ints) -> Ints:
    """Return the stretch of every time; -1 before the first and their number after the last."""
    lengths = np.diff(cuts)
    if (lengths == lengths[0]).all():
        bin_number: Ints = np.clip((times - cuts[0]) // lengths[0], -1, len(lengths))
        return bin_number
    return np.searchsorted(cuts, times, side="right") - 1


def _add_up(begin: Ints, end: Ints, weight: Floats, stretches: int) -> Floats:
    """Add a weight to every stretch from the first to the last."""
    change = np.bincount(begin, weight, minlength=stretches + 1) - np.bincount(end + 1, weight, minlength=stretches + 1)
    return np.asarray(np.cumsum(change)[:stretches])


def _count_distinct(owner: Ints, begin: Ints, end: Ints, stretches: int) -> Floats:
    """Count owners in every stretch, each once however many of its entries reach there."""
    base = owner * (stretches + 1)
    start = base + begin
    stop = base + end
    if (np.diff(start) < 0).any():
        # Owners are mostly in their order already, which a stable sort makes use of.
        order = np.argsort(start, kind="stable")
        start, stop, base = start[order], stop[order], base[order]
    before = np.concatenate([[-1], np.maximum.accumulate(stop)[:-1]])
    # What an earlier entry of the same owner has reached is not counted again.
    start = np.where(before >= base, np.maximum(start, before + 1), start)
    new = start <= stop
    left, right = (start - base)[new], (stop - base)[new]
    return np.round(_add_up(left, right, np.ones(len(left)), stretches))
