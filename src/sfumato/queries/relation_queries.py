"""How the times of two lie to each other: of two records place by place, of two values over all records.

The relation of exact periods is certain where every original that could have been published so has it; where several
are possible, each is a row. Beside them stands the one relation of the imprecise periods.
"""

from __future__ import annotations

import dataclasses
import re
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.queries.answer import Answer
from sfumato.queries.events import Events
from sfumato.queries.notes import WholeNote, unite_notes
from sfumato.queries.plan import Plan
from sfumato.queries.possible_relations import find_possible, find_possible_prevailing
from sfumato.queries.published_view import History, Link, PublishedView, Selection
from sfumato.queries.relations import RELATIONS, relate
from sfumato.queries.spatio_temporal import Volume, relate_volumes
from sfumato.queries.syntax import Query, Step, Word
from sfumato.queries.time_bounds import TimeBounds
from sfumato.queries.times import find_units, format_time

__all__ = ["Periods", "compare_periods"]

_RECORD = re.compile(r"\d{1,18}", re.ASCII)
_NONE = "none"
_NONE_PREVAILS = "none that prevails"
_PERIOD = (
    "a period lasts from its first event to the end of its last one: an event lasts one step of the times. It is "
    "possible from the earliest to the latest, and certain between those that certainly happened."
)
_SEVERAL = (
    "where several relations are listed, the exact periods may have any of them, and none is certain; as_imprecise is "
    "the relation of the periods with the imprecise ends shown, where some time of both is certain."
)
_STEP = (
    "how long a step is, is not published: every unit is reckoned with that the times allow. Periods are certain until "
    "the end of the shortest step, and possible until that of the longest."
)
_NEVER = "one of the two may not have happened at all: then they have no relation."
_PLACES = "two records are compared at every value that both certainly have, and their whole times beside that."
_LEFT_OUT = (
    "what was left out of the release is not in the periods shown: it may have been earlier or later, and the "
    "relations listed reckon with it."
)


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Periods(Answer):
    """How the times of two values lie to each other; answers of partitions of a release unite the times.

    Parameters
    ----------
    first, other
        When either happened.
    units
        What times may be counted in; nothing where they are numbers.
    dated
        Whether times are dates.
    about
        What the evidence says about itself.
    """

    first: TimeBounds = dataclasses.field(default_factory=TimeBounds)
    other: TimeBounds = dataclasses.field(default_factory=TimeBounds)
    units: tuple[str, ...] = ("",)
    dated: bool = False
    about: tuple[str, ...] = ()

    @classmethod
    def of(
        cls,
        text: str,
        time_bounds: TimeBounds,
        other: TimeBounds,
        units: tuple[str, ...],
        about: tuple[str, ...],
        *,
        dated: bool,
    ) -> Periods:
        """Compare the times of two values."""
        pair = _Pair.of("all records", time_bounds, other, units)
        fields = _summarise_pairs(text, [pair], about, units, dated=dated)
        return cls(**fields, first=time_bounds, other=other, units=units, dated=dated, about=about)

    def __add__(self, other: Answer) -> Answer:
        """Unite the times that two partitions of a release tell of."""
        if not isinstance(other, Periods):
            return super().__add__(other)
        about = tuple(dict.fromkeys((*self.about, *other.about)))
        units = tuple(unit for unit in self.units if unit in other.units) or ("",)
        both = Periods.of(
            self.query, self.first | other.first, self.other | other.other, units, about, dated=self.dated
        )
        shared = unite_notes(self.notes, other.notes, WholeNote)
        return dataclasses.replace(both, notes=(*shared, *both.notes))


@dataclasses.dataclass(frozen=True)
class _Pair:
    """Two periods: how they may lie to each other, whether they certainly do, and what is shown of them."""

    of_what: str
    relations: tuple[str, ...]
    is_sure: bool
    imprecise: str = ""
    times: tuple[tuple[int, int], ...] = ()

    @classmethod
    def of(cls, of_what: str, time_bounds: TimeBounds, other: TimeBounds, units: tuple[str, ...]) -> _Pair:
        relations, allowed = _find_relations(time_bounds, other, units)
        first, second = time_bounds.to_interval(allowed), other.to_interval(allowed)
        is_sure = time_bounds.is_certain and other.is_certain
        if first is None or second is None:
            return cls(of_what, relations, is_sure)
        times = (first.closure, first.interior, second.closure, second.interior)
        spans = tuple((int(begin), int(end)) for begin, end in times)
        return cls(of_what, relations, is_sure, relate(first, second), spans)

    @property
    def is_certain(self) -> bool:
        """Whether they have the same relation in every original."""
        return self.is_sure and len(self.relations) == 1

    def list_rows(self, *, dated: bool) -> list[dict[str, Any]]:
        """Return a row for every relation that is possible, or one that says that there is none."""
        columns = ("first_possible", "first_certain", "second_possible", "second_certain")
        times = ["..".join(format_time(time, dated=dated) for time in ends) for ends in self.times] or [""] * 4
        return [
            {
                "relation": name.replace("_", " "),
                "of": self.of_what,
                "certain": int(self.is_certain),
                "possible": int(bool(self.relations)),
                "as_imprecise": self.imprecise.replace("_", " "),
                **dict(zip(columns, times, strict=True)),
            }
            for name in self.relations or (_NONE,)
        ]


def _find_relations(
    time_bounds: TimeBounds, other: TimeBounds, units: tuple[str, ...]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """Return the relations that are possible in one of some units, and which of these the times allow."""
    relations, allowed = set[str](), list[str]()
    if time_bounds.is_possible and other.is_possible:
        for unit in units:
            first, second = time_bounds.bound(unit), other.bound(unit)
            if first is not None and second is not None:
                relations |= set(find_possible(first, second))
                allowed.append(unit)
    return tuple(name for name in RELATIONS if name in relations), tuple(allowed) or units[:1]


def compare_periods(plan: Plan, query: Query) -> Answer:
    """Answer how two periods lie to each other: ``relation record 1 and 2``, ``relation value clinic and pharmacy``."""
    history, view = plan.history(query.noun.at), plan.view
    if history.timing not in {"moment", "number"}:
        raise plan.fail("these data have no times that could be compared.", query.noun.at)
    dated, noun = history.timing == "moment", query.noun.text.lower()
    units = _list_units(view, history)
    if noun in {"record", "person", view.unit.one}:
        if not view.ordered:
            raise plan.fail("a record of these data is one moment: compare two values instead.", query.noun.at)
        if not isinstance(history, Events):
            raise plan.fail("of single records nothing is published here: compare two values instead.", query.noun.at)
        pairs, is_not_published = _compare_records(plan, history, query, units)
        about = (_PLACES, *((_LEFT_OUT,) if is_not_published else ()), *view.notes)
        return Answer(**_summarise_pairs(query.text, pairs, about, units, dated=dated))
    if noun not in {"value", "event", "place", "activity"}:
        raise plan.fail("two records or two values are compared: relation record 1 and 2.", query.noun.at)
    first_bounds, other = (history.time_bounds(plan.find_link(Step((name,)))) for name in query.parties)
    if view.suppressed_records:
        first_bounds, other = (
            dataclasses.replace(time_bounds, not_published=True) for time_bounds in (first_bounds, other)
        )
    about = (*((_LEFT_OUT,) if first_bounds.not_published or other.not_published else ()), *view.notes)
    return Periods.of(query.text, first_bounds, other, units, about, dated=dated)


def _list_units(view: PublishedView, history: History) -> tuple[str, ...]:
    """Return what times may be counted in, the shortest first: exact times of a release rule out longer units."""
    if history.timing != "moment":
        return ("",)
    if view.units:
        return view.units
    exact = history.lo[history.lo == history.hi] if isinstance(history, Events) else np.zeros(0, np.int64)
    return find_units(exact)


def _summarise_pairs(
    text: str, pairs: list[_Pair], about: tuple[str, ...], units: tuple[str, ...], *, dated: bool
) -> dict[str, Any]:
    """Return what an answer says about some pairs of periods."""
    certain, possible = sum(pair.is_certain for pair in pairs), sum(bool(pair.relations) for pair in pairs)
    notes = [_PERIOD]
    if certain < possible:
        notes.append(_SEVERAL)
    if len(units) > 1:
        notes.append(_STEP)
    if any(not pair.is_sure for pair in pairs):
        notes.append(_NEVER)
    return {
        "query": text,
        "counted": "relations",
        "certain": certain,
        "possible": possible,
        "expected": float(certain) if certain == possible else None,
        "table": pa.Table.from_pylist([row for pair in pairs for row in pair.list_rows(dated=dated)]),
        "notes": (*notes, *about),
    }


def _compare_records(plan: Plan, events: Events, query: Query, units: tuple[str, ...]) -> tuple[list[_Pair], bool]:
    """Return how two records may lie to each other, and whether more may have happened than is told when."""
    record, other = (_take_record(plan, events, word) for word in query.parties)
    labels = events.names.labels
    everything = Link(Selection.everything(len(labels)))
    total = record.time_bounds(everything), other.time_bounds(everything)
    unknown = Link(Selection(np.zeros(len(labels), dtype=bool), unseen=True))
    places = {labels[code]: _bound_both(record, other, code) for code in _list_shared(record, other)}
    places = {place: both for place, both in places.items() if all(time_bounds.is_possible for time_bounds in both)}
    pairs = {place: _Pair.of(place, *both, units) for place, both in places.items()}
    shown = [pair for pair in pairs.values() if pair.is_sure]
    perhaps = [pair.relations for pair in pairs.values() if not pair.is_sure]
    others = _find_relations(record.time_bounds(unknown), other.time_bounds(unknown), units)[0]
    relations, may_be_none = find_possible_prevailing([pair.relations for pair in shown], perhaps, others)
    head = [_Pair.of("all values", *total, units)]
    if relations:
        names = tuple(name for name in (*RELATIONS, None) if name in relations)
        relation_names = tuple(name or _NONE_PREVAILS for name in names)
        head.append(_Pair("shared values", relation_names, not may_be_none, _prevail_imprecisely(places, units)))
    return head + shown, any(time_bounds.not_published for time_bounds in total)


def _take_record(plan: Plan, events: Events, word: Word) -> Events:
    if not _RECORD.fullmatch(word.text) or not 1 <= int(word.text) <= events.records:
        raise plan.fail(f"published records are numbered from 1 to {events.records:,}.", word.at)
    return events.take(np.flatnonzero(events.record == int(word.text) - 1))


def _list_shared(record: Events, other: Events) -> list[int]:
    """Return the values that both records may have."""
    codes: list[int] = np.flatnonzero(_mark_values(record) & _mark_values(other)).tolist()
    return codes


def _mark_values(part: Events) -> npt.NDArray[np.bool_]:
    published, marked = np.zeros(len(part.values.open), dtype=bool), np.zeros(len(part.names.labels), dtype=bool)
    published[part.value] = True
    marked[part.values.members[np.repeat(published, part.values.sizes)]] = True
    return marked


def _bound_both(record: Events, other: Events, code: int) -> tuple[TimeBounds, TimeBounds]:
    inside = np.zeros(len(record.names.labels), dtype=bool)
    inside[code] = True
    link = Link(Selection(inside))
    return record.time_bounds(link), other.time_bounds(link)


def _prevail_imprecisely(places: dict[str, tuple[TimeBounds, TimeBounds]], units: tuple[str, ...]) -> str:
    """Return the relation that prevails at the values of which some time is certain, read for imprecise ends."""
    volumes = []
    for side in (0, 1):
        times = {place: both[side].to_interval(_find_relations(*both, units)[1]) for place, both in places.items()}
        volumes.append({place: period for place, period in times.items() if period is not None})
    if not set(volumes[0]) & set(volumes[1]):
        return ""
    return relate_volumes(Volume(volumes[0]), Volume(volumes[1])).relation or _NONE_PREVAILS
