"""Counts records, people and events under a condition: certain, possible, and the mean over drawn originals."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.data.record_unit import plural
from sfumato.escape import make_visible
from sfumato.queries.answer import Answer
from sfumato.queries.events import Events
from sfumato.queries.expected import know_mean
from sfumato.queries.notes import LeftOut, WholeNote
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import Attribute, Columns, Link, PublishedView, Selection
from sfumato.queries.syntax import Condition, Query, Sequel
from sfumato.queries.three_valued import Truth

__all__ = ["DRAWN", "count", "count_bounds", "draw_originals", "list_not_published", "list_notes", "name_counted"]

DRAWN = (
    "expected is the mean over originals drawn at random: every member of a value and every moment of an interval "
    "equally likely, each on its own, nothing removed, and records left out like the others (of very many records, of "
    "a part of them)."
)
_UNKNOWN_OWNERS = (
    "the release does not link records to people: all that certainly count may be of one {}, and all that possibly "
    "count of different ones; expected takes them to be of different ones."
)
_NOT_PUBLISHED = "nothing is published of {}: there is nothing that an expected number could rest on."
_WORK = 6_000_000
"""About so many entries are looked at to find what is expected."""


def count(plan: Plan, query: Query) -> Answer:
    """Answer a question that counts, over all time."""
    view, noun = plan.view, plan.find_noun(query.noun)
    low, high = count_bounds(plan, query.condition, noun, query.noun.at)
    expected: float | None = float(low)
    not_published: tuple[str, ...] = ()
    if not view.exact and low < high:
        not_published = list_not_published(plan, query.condition)
        expected = None if not_published else _expect(plan, query, noun, low, high)
    notes = list_notes(view, noun, is_open=low < high, not_published=not_published)
    shared = noun == "person" and not view.exact
    total = view.total
    return Answer(query.text, name_counted(view, noun), low, high, expected, None, notes, shared, total)


def list_not_published(plan: Plan, condition: Condition | None) -> tuple[str, ...]:
    """Return what a condition asks for of which nothing is published, as notes name it."""
    if not plan.view.records:
        return ("any record",)
    return tuple(repr(make_visible(name)) for name in plan.list_not_published(condition))


def name_counted(view: PublishedView, noun: str) -> str:
    """Return what is counted, in the plural."""
    if noun == "event":
        return "events"
    return view.unit.many if noun == "record" else plural(view.unit.owner)


def list_notes(view: PublishedView, noun: str, *, is_open: bool, not_published: Sequence[str] = ()) -> tuple[str, ...]:
    """Say what an answer rests on, and of what nothing is published, so that nothing is to be expected."""
    notes = list(view.notes)
    if view.suppressed_records:
        notes.append(LeftOut(view.unit, view.suppressed_records))
    if noun == "person" and not view.exact:
        notes.append(_UNKNOWN_OWNERS.format(view.unit.owner))
    notes += [WholeNote(_NOT_PUBLISHED.format(name)) for name in not_published]
    if is_open and not view.exact and not not_published:
        notes.append(view.drawn or DRAWN)
    return tuple(notes)


def count_bounds(plan: Plan, condition: Condition | None, noun: str, at: int) -> tuple[int, float]:
    """Return how many records, people or events there are at least and at most."""
    view = plan.view
    if noun == "event":
        return _count_events(plan, condition, at)
    truth = Truth.everywhere(view.records) if condition is None else plan.judge(condition)
    low, high = int(truth.low.sum()), int(truth.high.sum()) + view.suppressed_records
    if condition is None:
        low = high
    if noun == "record":
        return low, high
    if view.exact:
        if view.people is None:
            raise plan.fail("these records are not linked to people: count records instead.", at)
        people = len(np.unique(view.people[truth.low > 0]))
        return people, people
    return min(low, 1), high


def _count_events(plan: Plan, condition: Condition | None, at: int) -> tuple[int, float]:
    """Count events of one step; of records that were left out nobody knows how many they had."""
    history = plan.history(at)
    if condition is None:
        link = Link(Selection.everything(len(history.names.labels)))
    elif isinstance(condition, Sequel) and len(condition.steps) == 1:
        link = plan.find_link(condition.steps[0])
    else:
        raise plan.fail("events are counted one by one: ask for one event, perhaps in a window.", at)
    low, high = history.count(link)
    return low, float("inf") if plan.view.suppressed_records else high


def _expect(plan: Plan, query: Query, noun: str, low: int, high: float) -> float:
    """Return the mean over drawn originals, between the bounds."""
    view, wanted = plan.view, plan.wanted(query.condition)
    share = view.total / max(view.records, 1)
    mean = know_mean(plan, query.condition, noun)
    if mean is not None:
        return float(np.clip(mean * share, low, high))
    if noun == "event" and query.condition is None and view.history is not None:
        wanted = Selection.everything(len(view.history.names.labels))
    drawn_noun = "event" if noun == "event" else "record"
    shares = [
        count_bounds(Plan(drawn, plan.text, plan.lenient), query.condition, drawn_noun, query.noun.at)[0]
        / max(drawn.records, 1)
        for drawn in draw_originals(view, wanted)
    ]
    return float(np.clip(np.mean(shares) * view.total, low, high))


def draw_originals(view: PublishedView, wanted: Selection) -> Iterator[PublishedView]:
    """Draw originals that could have been published so, fewer of large data; always the same ones.

    Of very large data only some records are drawn: whoever adds up must go by the number of records drawn.
    """
    history, random = view.history, np.random.default_rng(0)
    size = view.records // 4 + (0 if history is None else history.size)
    if isinstance(history, Events):
        matter = history.find_wanted(wanted)
        size = view.records // 4 + len(matter)
        if size > _WORK // 4 and view.block is None:
            chosen = np.sort(random.choice(view.records, view.records * _WORK // (4 * size), replace=False))
            view = _choose_records(view, chosen, history.choose(chosen, matter))
            size = _WORK // 4
        else:
            view = dataclasses.replace(view, history=history.take(matter))
    turn, turns = 0, 1
    while turn < turns:
        drawn = view.draw(random, wanted)
        yield drawn
        # How many attributes a question is about is seen when it was answered once.
        used = drawn.attributes.used if isinstance(drawn.attributes, Columns) else 0
        work = size + view.records // 4 * max(used - 1, 0)
        turn, turns = turn + 1, int(np.clip(_WORK // max(work, 1), 1, 100))


def _choose_records(view: PublishedView, rows: npt.NDArray[np.int64], history: Events) -> PublishedView:
    """Return some of the records, with the history that is theirs."""
    whole = view.attributes
    attributes = Columns(tuple(whole), lambda name: _choose(whole[name], rows))
    return dataclasses.replace(view, records=len(rows), history=history, attributes=attributes)


def _choose(attribute: Any, rows: npt.NDArray[np.int64]) -> Attribute:
    """Return an attribute of some records."""
    chosen: Attribute = dataclasses.replace(attribute, index=attribute.index[rows])
    return chosen
