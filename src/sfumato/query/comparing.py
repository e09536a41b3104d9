"""How the times of two lie to each other: of two records place by place, of two values over all records."""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import pyarrow as pa

from sfumato.query.answer import Answer
from sfumato.query.events import Events
from sfumato.query.evidence import Link, Selection
from sfumato.query.intervals import FuzzyInterval
from sfumato.query.moments import spell_moment
from sfumato.query.plan import Plan
from sfumato.query.reach import Reach
from sfumato.query.relations import relate
from sfumato.query.syntax import Query, Step, Word
from sfumato.query.volumes import Volume, relate_volumes

__all__ = ["Periods", "compare_periods"]

_RECORD = re.compile(r"\d{1,18}", re.ASCII)
_UNTOLD = "not told"
_PERIOD = (
    "a period is possible from its first to its last event at the earliest and the latest, and certain between those "
    "that certainly happened; an event lasts one step of the times. The relation is that of imprecise periods: the "
    "exact ones may lie otherwise to each other."
)
_TOO_LITTLE = "of one of the two no time is certain, so that no relation can be told."
_PLACES = "two records are compared at every value that both certainly have, and their whole times beside that."
_LEFT_OUT = "what was left out of the release is not in these periods: it may have been earlier or later."


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Periods(Answer):
    """How the times of two values lie to each other; answers of parts of a release unite the times.

    Parameters
    ----------
    one, other
        When either happened.
    dated
        Whether times are dates.
    about
        What the evidence says about itself.
    """

    one: Reach = dataclasses.field(default_factory=Reach)
    other: Reach = dataclasses.field(default_factory=Reach)
    dated: bool = False
    about: tuple[str, ...] = ()

    @classmethod
    def of(cls, text: str, one: Reach, other: Reach, about: tuple[str, ...], *, dated: bool) -> Periods:
        """Compare the times of two values."""
        row = _describe("all records", one.to_interval(), other.to_interval())
        return cls(**_tell(text, [row], about, dated=dated), one=one, other=other, dated=dated, about=about)

    def __add__(self, other: Answer) -> Answer:
        """Unite the times that two parts of a release tell of."""
        if not isinstance(other, Periods):
            return super().__add__(other)
        about = tuple(dict.fromkeys((*self.about, *other.about)))
        return Periods.of(self.query, self.one | other.one, self.other | other.other, about, dated=self.dated)


def compare_periods(plan: Plan, query: Query) -> Answer:
    """Answer how two periods lie to each other: ``relation record 1 and 2``, ``relation value clinic and pharmacy``."""
    history, evidence = plan.history(query.noun.at), plan.evidence
    if history.timing not in {"moment", "number"}:
        raise plan.fail("these data have no times that could be compared.", query.noun.at)
    dated, noun = history.timing == "moment", query.noun.text.lower()
    if noun in {"record", "person", evidence.unit.one}:
        if not evidence.ordered:
            raise plan.fail("a record of these data is one moment: compare two values instead.", query.noun.at)
        if not isinstance(history, Events):
            raise plan.fail("of single records nothing is published here: compare two values instead.", query.noun.at)
        rows, is_untold = _compare_records(plan, history, query)
        about = (_PLACES, *((_LEFT_OUT,) if is_untold else ()), *evidence.notes)
        return Answer(**_tell(query.text, rows, about, dated=dated))
    if noun not in {"value", "event", "place", "activity"}:
        raise plan.fail("two records or two values are compared: relation record 1 and 2.", query.noun.at)
    one, other = (history.reach(plan.find_link(Step((name,)))) for name in query.parties)
    is_untold = bool(evidence.withheld) or one.untold or other.untold
    about = (*((_LEFT_OUT,) if is_untold else ()), *evidence.notes)
    return Periods.of(query.text, one, other, about, dated=dated)


def _tell(text: str, rows: list[dict[str, Any]], about: tuple[str, ...], *, dated: bool) -> dict[str, Any]:
    """Return what an answer says that has these relations."""
    found = sum(row["relation"] != _UNTOLD for row in rows)
    notes = (_PERIOD, *about, *((_TOO_LITTLE,) if found < len(rows) else ()))
    return {
        "query": text,
        "counted": "relations",
        "certain": found,
        "possible": len(rows),
        "expected": float(found),
        "table": pa.Table.from_pylist([_spell(row, dated=dated) for row in rows]),
        "notes": notes,
    }


def _compare_records(plan: Plan, events: Events, query: Query) -> tuple[list[dict[str, Any]], bool]:
    """Return the relations of two records, and whether more may have happened than is told when."""
    parts = [_take_record(plan, events, word) for word in query.parties]
    everything = Link(Selection.everything(len(events.names.labels)))
    total = [part.reach(everything) for part in parts]
    rows = [_describe("all values", *(reach.to_interval() for reach in total))]
    volumes = [_find_volume(part) for part in parts]
    if all(volumes):
        one, other = (Volume(volume) for volume in volumes)
        found = relate_volumes(one, other)
        if found.basis == "places":
            rows.append({"relation": found.relation or "none that prevails", "of": "shared values"})
        rows += [_describe(place, one.times[place], other.times[place]) for place in found.local]
    return rows, any(reach.untold for reach in total)


def _take_record(plan: Plan, events: Events, word: Word) -> Events:
    if not _RECORD.fullmatch(word.text) or not 1 <= int(word.text) <= events.records:
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
        period = part.reach(Link(Selection(inside))).to_interval()
        if period is not None:
            found[part.names.labels[code]] = period
    return found


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
