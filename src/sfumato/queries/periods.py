"""When something happened first and last, record by record, as far as it is known."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.queries.answer import Answer
from sfumato.queries.count import count, list_not_published, list_notes
from sfumato.queries.events import Events
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import Link
from sfumato.queries.syntax import Query, Sequel
from sfumato.queries.times import ENDLESS, format_time

__all__ = ["bound_first", "find_extremes"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def find_extremes(plan: Plan, query: Query) -> Answer:
    """Answer when an event happened first, or last, in every record that may have it.

    Each time is an interval: not before ``earliest`` and not after ``latest``; where it is not ``certain``, the event
    may not have happened at all.
    """
    condition = query.condition
    assert isinstance(condition, Sequel)
    step = condition.steps[0]
    history = plan.history(step.at)
    if history.timing not in {"moment", "number"}:
        raise plan.fail("these data have no times.", step.at)
    if not isinstance(history, Events):
        raise plan.fail("of single records nothing is published here: count them instead.", step.at)
    link = plan.find_link(step)
    turned = query.verb == "last"
    earliest, latest, certain = bound_first(history, link, turned=turned)
    at = np.flatnonzero(earliest < ENDLESS)
    if turned:
        earliest, latest = -latest, -earliest
    dated = history.timing == "moment"

    def show(times: Ints) -> list[str | int | None]:
        return [
            None if abs(time) >= ENDLESS else format_time(time, dated=True) if dated else time
            for time in times[at].tolist()
        ]

    table = pa.table(
        {
            "record": pa.array(at + 1, pa.int64()),
            "earliest": pa.array(show(earliest), pa.string() if dated else pa.int64()),
            "latest": pa.array(show(latest), pa.string() if dated else pa.int64()),
            "certain": pa.array(certain[at]),
        }
    )
    counted = count(plan, query)
    not_published = () if counted.expected is not None else list_not_published(plan, condition)
    notes = list_notes(plan.view, "record", is_open=bool((earliest < latest)[at].any()), not_published=not_published)
    return dataclasses.replace(counted, table=table, notes=notes)


def bound_first(events: Events, link: Link, *, turned: bool = False) -> tuple[Ints, Ints, Flags]:
    """Return for every record when an event happened first: at the earliest, at the latest, and whether it did.

    Records that cannot have it have endless times. With ``turned`` time runs backwards, for the last time.

    Examples
    --------
    >>> from sfumato.queries.published_view import Names, Values
    >>> entries = Events.of(2, [0, 0, 1], [0, 1, 1], Values.of([(0,), (0, 1)]), Names(("clinic", "cafe")), "number",
    ...     lo=[5, 1, 4], hi=[9, 3, 4])
    >>> earliest, latest, certain = bound_first(entries, Link(entries.names.find("clinic")))
    >>> earliest.tolist(), latest.tolist(), certain.tolist()
    ([1, 4], [9, 4], [True, False])
    """
    must = events.find_must(link)
    can, lo, hi = events.find_can(link)
    near, far = (-hi, -lo) if turned else (lo, hi)
    sure_end = -events.lo[must] if turned else events.hi[must]
    earliest, latest, end = (np.full(events.records, edge) for edge in (ENDLESS, -ENDLESS, ENDLESS))
    np.minimum.at(earliest, events.record[can], near)
    np.maximum.at(latest, events.record[can], far)
    np.minimum.at(end, events.record[must], sure_end)
    certain = np.zeros(events.records, dtype=bool)
    certain[events.record[must]] = True
    return earliest, np.where(certain, end, np.where(earliest < ENDLESS, latest, ENDLESS)), certain
