"""How the times of two lie to each other: of two records place by place, of two values over all records."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.query.answer import Answer
from sfumato.query.events import Events
from sfumato.query.evidence import Link, Selection
from sfumato.query.intervals import FuzzyInterval
from sfumato.query.moments import ENDLESS, spell_moment
from sfumato.query.plan import Plan
from sfumato.query.relations import relate
from sfumato.query.syntax import Query, Step, Word
from sfumato.query.volumes import Volume, relate_volumes

__all__ = ["compare_periods"]

Ints = npt.NDArray[np.int64]

_UNTOLD = "not told"
_PERIOD = (
    "a period is possible from its first to its last event at the earliest and the latest, and certain between those "
    "that certainly happened; an event lasts one step of the times. The relation is that of imprecise periods: the "
    "exact ones may lie otherwise to each other."
)
_TOO_LITTLE = "of one of the two no time is certain, so that no relation can be told."
_PLACES = "two records are compared at every value that both certainly have, and their whole times beside that."


def compare_periods(plan: Plan, query: Query) -> Answer:
    """Answer how two periods lie to each other: ``relation record 1 and 2``, ``relation value clinic and pharmacy``."""
    history = plan.history(query.noun.at)
    if history.timing not in {"moment", "number"} or not plan.evidence.ordered:
        raise plan.fail("these data have no times that could be compared.", query.noun.at)
    if not isinstance(history, Events):
        raise plan.fail("of single records nothing is published here, so that their times cannot be compared.", 0)
    dated = history.timing == "moment"
    if query.noun.text.lower() in {"record", "person", plan.evidence.unit.one}:
        rows, notes = _compare_records(plan, history, query)
    elif query.noun.text.lower() in {"value", "event", "place", "activity"}:
        one, other = (_find_period(history, plan.find_link(Step((name,)))) for name in query.parties)
        rows, notes = [_describe("all records", one, other)], ()
    else:
        raise plan.fail("two records or two values are compared: relation record 1 and 2.", query.noun.at)
    found = [row for row in rows if row["relation"] != _UNTOLD]
    missing = (_TOO_LITTLE,) if len(found) < len(rows) else ()
    table = pa.Table.from_pylist([_spell(row, dated=dated) for row in rows])
    told = (_PERIOD, *notes, *missing, *plan.evidence.notes)
    return Answer(query.text, "relations", len(found), len(rows), float(len(found)), table, told)


def _compare_records(plan: Plan, events: Events, query: Query) -> tuple[list[dict[str, Any]], tuple[str, ...]]:
    parts = [_take_record(plan, events, word) for word in query.parties]
    everything = Link(Selection.everything(len(events.names.labels)))
    total = [_find_period(part, everything) for part in parts]
    rows = [_describe("all values", *total)]
    volumes = [_find_volume(part) for part in parts]
    if all(volumes):
        one, other = (Volume(volume) for volume in volumes)
        found = relate_volumes(one, other)
        if found.basis == "places":
            rows.append({"relation": found.relation or "none that prevails", "of": "shared values"})
        rows += [_describe(place, one.times[place], other.times[place]) for place in found.local]
    return rows, (_PLACES,)


def _take_record(plan: Plan, events: Events, word: Word) -> Events:
    if not word.text.isdigit() or not 1 <= int(word.text) <= events.records:
        raise plan.fail(f"records are numbered from 1 to {events.records:,}, as they are published.", word.at)
    return events.take(np.flatnonzero(events.record == int(word.text) - 1))


def _find_volume(part: Events) -> dict[str, FuzzyInterval]:
    """Return the period of every value that a record certainly has and of which a time is certain."""
    sizes = part.values.sizes[part.value]
    certain = np.unique(part.values.members[part.values.starts[part.value[(sizes == 1) & (part.least > 0)]]])
    found = {}
    for code in certain.tolist():
        inside = np.zeros(len(part.names.labels), dtype=bool)
        inside[code] = True
        period = _find_period(part, Link(Selection(inside)))
        if period is not None:
            found[part.names.labels[code]] = period
    return found


def _find_period(events: Events, link: Link) -> FuzzyInterval | None:
    """Return from when to when something happened, as far as it is known; None where nothing is certain."""
    must = events.find_must(link)
    _, lo, hi = events.find_can(link)
    if not len(must):
        return None
    begin, end = int(events.hi[must].min()), int(events.lo[must].max()) + 1
    if begin >= end:
        return None
    told = (lo > -ENDLESS) & (hi < ENDLESS)
    return FuzzyInterval(min(begin, int(lo[told].min())), begin, end, max(end, int(hi[told].max()) + 1))


def _describe(where: str, one: FuzzyInterval | None, other: FuzzyInterval | None) -> dict[str, Any]:
    row: dict[str, Any] = {"relation": _UNTOLD, "of": where}
    if one is None or other is None:
        return row
    row["relation"] = relate(one, other)
    for name, period in (("first", one), ("second", other)):
        row[f"{name}_possible"] = (period.possible_from, period.possible_to)
        row[f"{name}_certain"] = (period.certain_from, period.certain_to)
    return row


def _spell(row: dict[str, Any], *, dated: bool) -> dict[str, str]:
    columns = ("first_possible", "first_certain", "second_possible", "second_certain")
    times = {
        name: "..".join(spell_moment(int(time), dated=dated) for time in row[name]) if name in row else ""
        for name in columns
    }
    return {"relation": row["relation"].replace("_", " "), "of": row["of"], **times}
