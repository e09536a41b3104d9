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
from sfumato.queries.published_view import Attribute, Columns, Evidence, Link, Selection
from sfumato.queries.syntax import Condition, Query, Sequel
from sfumato.queries.three_valued import Truth

__all__ = ["DRAWN", "count", "count_bounds", "draw_originals", "list_notes", "list_untold", "name_counted"]

DRAWN = (
    "expected is the mean over originals drawn at random: every member of a value and every moment of an interval "
    "equally likely, each on its own, nothing removed, and records left out like the others (of very many records, of "
    "a part of them)."
)
_UNKNOWN_OWNERS = (
    "whose records they are is not published: all that certainly count may be of one {}, and all that possibly count "
    "of different ones; expected takes them to be of different ones."
)
_UNTOLD = "nothing is published of {}: there is nothing that an expected number could rest on."
_WORK = 6_000_000
"""About so many entries are looked at to find what is expected."""


def count(plan: Plan, query: Query) -> Answer:
    """Answer a question that counts, over all time."""
    evidence, noun = plan.evidence, plan.find_noun(query.noun)
    low, high = count_bounds(plan, query.condition, noun, query.noun.at)
    expected: float | None = float(low)
    untold: tuple[str, ...] = ()
    if not evidence.exact and low < high:
        untold = list_untold(plan, query.condition)
        expected = None if untold else _expect(plan, query, noun, low, high)
    notes = list_notes(evidence, noun, is_open=low < high, untold=untold)
    shared = noun == "person" and not evidence.exact
    total = evidence.total
    return Answer(query.text, name_counted(evidence, noun), low, high, expected, None, notes, shared, total)


def list_untold(plan: Plan, condition: Condition | None) -> tuple[str, ...]:
    """Return what a condition asks for of which nothing is published, as notes name it."""
    if not plan.evidence.records:
        return ("any record",)
    return tuple(repr(make_visible(name)) for name in plan.list_untold(condition))


def name_counted(evidence: Evidence, noun: str) -> str:
    """Return what is counted, in the plural."""
    if noun == "event":
        return "events"
    return evidence.unit.many if noun == "record" else plural(evidence.unit.owner)


def list_notes(evidence: Evidence, noun: str, *, is_open: bool, untold: Sequence[str] = ()) -> tuple[str, ...]:
    """Say what an answer rests on, and of what nothing is published, so that nothing is to be expected."""
    notes = list(evidence.notes)
    if evidence.withheld:
        notes.append(LeftOut(evidence.unit, evidence.withheld))
    if noun == "person" and not evidence.exact:
        notes.append(_UNKNOWN_OWNERS.format(evidence.unit.owner))
    notes += [WholeNote(_UNTOLD.format(name)) for name in untold]
    if is_open and not evidence.exact and not untold:
        notes.append(evidence.drawn or DRAWN)
    return tuple(notes)


def count_bounds(plan: Plan, condition: Condition | None, noun: str, at: int) -> tuple[int, float]:
    """Return how many records, people or events there are at least and at most."""
    evidence = plan.evidence
    if noun == "event":
        return _count_events(plan, condition, at)
    truth = Truth.everywhere(evidence.records) if condition is None else plan.judge(condition)
    low, high = int(truth.low.sum()), int(truth.high.sum()) + evidence.withheld
    if condition is None:
        low = high
    if noun == "record":
        return low, high
    if evidence.exact:
        if evidence.people is None:
            raise plan.fail("nobody knows whose these records are: count records instead.", at)
        people = len(np.unique(evidence.people[truth.low > 0]))
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
    return low, float("inf") if plan.evidence.withheld else high


def _expect(plan: Plan, query: Query, noun: str, low: int, high: float) -> float:
    """Return the mean over drawn originals, between the bounds."""
    evidence, wanted = plan.evidence, plan.wanted(query.condition)
    share = evidence.total / max(evidence.records, 1)
    mean = know_mean(plan, query.condition, noun)
    if mean is not None:
        return float(np.clip(mean * share, low, high))
    if noun == "event" and query.condition is None and evidence.history is not None:
        wanted = Selection.everything(len(evidence.history.names.labels))
    drawn_noun = "event" if noun == "event" else "record"
    shares = [
        count_bounds(Plan(drawn, plan.text, plan.lenient), query.condition, drawn_noun, query.noun.at)[0]
        / max(drawn.records, 1)
        for drawn in draw_originals(evidence, wanted)
    ]
    return float(np.clip(np.mean(shares) * evidence.total, low, high))


def draw_originals(evidence: Evidence, wanted: Selection) -> Iterator[Evidence]:
    """Draw originals that could have been published so, fewer of large data; always the same ones.

    Of very large data only some records are drawn: whoever adds up must go by the number of records drawn.
    """
    history, random = evidence.history, np.random.default_rng(0)
    size = evidence.records // 4 + (0 if history is None else history.size)
    if isinstance(history, Events):
        matter = history.find_wanted(wanted)
        size = evidence.records // 4 + len(matter)
        if size > _WORK // 4 and evidence.block is None:
            chosen = np.sort(random.choice(evidence.records, evidence.records * _WORK // (4 * size), replace=False))
            evidence = _choose_records(evidence, chosen, history.choose(chosen, matter))
            size = _WORK // 4
        else:
            evidence = dataclasses.replace(evidence, history=history.take(matter))
    turn, turns = 0, 1
    while turn < turns:
        drawn = evidence.draw(random, wanted)
        yield drawn
        # How many attributes a question is about is seen when it was answered once.
        used = drawn.attributes.used if isinstance(drawn.attributes, Columns) else 0
        work = size + evidence.records // 4 * max(used - 1, 0)
        turn, turns = turn + 1, int(np.clip(_WORK // max(work, 1), 1, 100))


def _choose_records(evidence: Evidence, rows: npt.NDArray[np.int64], history: Events) -> Evidence:
    """Return some of the records, with the history that is theirs."""
    whole = evidence.attributes
    attributes = Columns(tuple(whole), lambda name: _choose(whole[name], rows))
    return dataclasses.replace(evidence, records=len(rows), history=history, attributes=attributes)


def _choose(attribute: Any, rows: npt.NDArray[np.int64]) -> Attribute:
    """Return an attribute of some records."""
    chosen: Attribute = dataclasses.replace(attribute, index=attribute.index[rows])
    return chosen
