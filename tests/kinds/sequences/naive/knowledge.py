"""The receiver of timed sequences by brute force, every record and every window; and releases to try it on."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import Any, NamedTuple

import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.data.lists import ListColumn
from sfumato.data.time_units import TimeUnit
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

Event = tuple[str, int]
Pair = tuple[str, int, int]
Members = Mapping[str, Sequence[str]]


class Record(NamedTuple):
    pairs: list[Pair]
    events: list[Event]


def covered(pair: Pair, known: Sequence[Event], members: Members) -> set[Event]:
    """Return what a (category, lo, hi) pair covers."""
    category, lo, hi = pair
    return {(event, time) for event, time in known if event in members.get(category, [category]) and lo <= time <= hi}


def matches_some(record: Record, known: Sequence[Event], members: Members) -> bool:
    """Tell whether all of an incomplete knowledge is covered."""
    return all(any((event, time) in covered(pair, known, members) for pair in record.pairs) for event, time in known)


def matches_all(record: Record, known: Sequence[Event], members: Members) -> bool:
    """Tell whether all of a complete knowledge is covered, and every published pair covers some of it."""
    return matches_some(record, known, members) and all(covered(pair, known, members) for pair in record.pairs)


def matches_with_gaps(record: Record, known: Sequence[Event], members: Members) -> bool:
    """Tell whether every published pair covers something of a complete knowledge, where some may be left out."""
    return all(covered(pair, known, members) for pair in record.pairs)


def parts(known: Sequence[Event]) -> list[tuple[Event, ...]]:
    """List everything a receiver can know who knows only some of it."""
    return [chosen for size in range(len(known) + 1) for chosen in combinations(known, size)]


def classes(records: Sequence[Record]) -> list[list[Record]]:
    """Put records with the same monitored part together."""
    found: dict[tuple[Pair, ...], list[Record]] = {}
    for record in records:
        found.setdefault(tuple(record.pairs), []).append(record)
    return list(found.values())


def most_in_window(records: Sequence[Record], g: int) -> int:
    """Return the most records that hold one event inside one window, trying windows from every published time."""
    starts = {time for record in records for _, time in record.events}
    events = {event for record in records for event, _ in record.events}
    counts = [
        sum(any(e == event and start <= t <= start + g for e, t in record.events) for record in records)
        for start in starts
        for event in events
    ]
    return max(counts, default=0)


def measured_l(records: Sequence[Record], g: int) -> int | None:
    """Return the largest whole l that holds for every class."""
    counts = [(len(group), most_in_window(group, g)) for group in classes(records)]
    return min((size // people for size, people in counts if people), default=None)


def worst_share(records: Sequence[Record], g: int) -> float:
    """Return the largest share of a class that holds one event inside one window."""
    return max((most_in_window(group, g) / len(group) for group in classes(records)), default=0.0)


def known_of(person: Sequence[Event], monitored: Sequence[str]) -> list[Event]:
    """Return the monitored events of a person, each once."""
    return sorted({(event, time) for event, time in person if event in monitored})


def is_faithful(record: Record, person: Sequence[Event], monitored: Sequence[str], members: Members) -> bool:
    """Tell whether a record is a person's: covered both ways, and nothing else changed."""
    others = [(event, time) for event, time in person if event not in monitored]
    return matches_all(record, known_of(person, monitored), members) and sorted(record.events) == sorted(others)


def cover(group: Sequence[Sequence[Event]]) -> list[Pair]:
    """Cut the time of a group from the left wherever every member has something on both sides."""
    rest = sorted({time for known in group for _, time in known})
    pairs: list[Pair] = []
    begin = 0
    for at, time in enumerate(rest):
        inside = [{e for e, t in known if rest[begin] <= t <= time} for known in group]
        beyond = [any(t > time for _, t in known) for known in group]
        if at == len(rest) - 1 or (all(inside) and all(beyond)):
            events = sorted(set().union(*inside))
            pairs.append((category_of(events), rest[begin], time))
            begin = at + 1
    return pairs


def category_of(events: Sequence[str]) -> str:
    return events[0] if len(events) == 1 else "{" + "|".join(events) + "}"


def publish(people: Sequence[Sequence[Event]], group: Sequence[int], monitored: Sequence[str]) -> list[Record]:
    """Generalise people group by group; who has no monitored event is in a group of their own."""
    numbers = [number if known_of(person, monitored) else -1 for person, number in zip(people, group, strict=True)]
    covers = {
        number: cover([known_of(p, monitored) for p, n in zip(people, numbers, strict=True) if n == number])
        for number in set(numbers) - {-1}
    }
    return [
        Record(list(covers.get(number, [])), sorted((e for e in person if e[0] not in monitored), key=lambda e: e[1]))
        for person, number in zip(people, numbers, strict=True)
    ]


def members_of(records: Sequence[Record]) -> dict[str, list[str]]:
    """List the members of the categories that :func:`category_of` names."""
    names = {category for record in records for category, _, _ in record.pairs if category.startswith("{")}
    return {name: name[1:-1].split("|") for name in sorted(names)}


def columns(time_unit: TimeUnit) -> tuple[PublishedColumn, ...]:
    return (
        PublishedColumn("person", "identifier", ValueFormat("exact")),
        PublishedColumn("monitored", "history", ValueFormat("category", history=True)),
        PublishedColumn("monitored_times", "time", ValueFormat("interval", time_unit.published_type, history=True)),
        PublishedColumn("events", "history", ValueFormat("category", history=True)),
        PublishedColumn("times", "time", ValueFormat("exact", time_unit.published_type, history=True)),
    )


def values_table(members: Members) -> pa.Table:
    listed = [(value, member) for value, held in members.items() for member in held]
    return pa.table(
        {
            "column": pa.array(["monitored"] * len(listed), pa.string()),
            "value": pa.array([value for value, _ in listed], pa.string()),
            "member": pa.array([member for _, member in listed], pa.string()),
        }
    )


def people_table(records: Sequence[Record], time_unit: TimeUnit) -> pa.Table:
    """Write records as a release of sequences has them."""
    form = {column.name: column.form for column in columns(time_unit)}

    def published(time: int) -> Any:
        return time_unit.to_arrow(pa.array([time]).to_numpy())[0].as_py()

    intervals = [[{"lo": published(lo), "hi": published(hi)} for _, lo, hi in record.pairs] for record in records]
    times = [[published(time) for _, time in record.events] for record in records]
    return pa.table(
        {
            "person": pa.array([f"x{i}" for i in range(len(records))], pa.string()),
            "monitored": ListColumn.from_lists([[category for category, _, _ in r.pairs] for r in records]).to_arrow(),
            "monitored_times": pa.array(intervals, form["monitored_times"].arrow),
            "events": ListColumn.from_lists([[event for event, _ in record.events] for record in records]).to_arrow(),
            "times": pa.array(times, form["times"].arrow),
        }
    )


def make_release(
    records: Sequence[Record],
    guarantee: Guarantee,
    members: Members | None = None,
    unit: str | None = None,
    left_out: int = 0,
    **changes: Any,
) -> Release:
    """Publish records as they are; members of categories are read from their names unless they are given."""
    time_unit = TimeUnit(unit)
    made: dict[str, Any] = {
        "kind": "sequences",
        "method": "by-hand",
        "guarantee": guarantee,
        "columns": columns(time_unit),
        "table": people_table(records, time_unit),
        "values": values_table(members_of(records) if members is None else members),
        "records_in": len(records) + left_out,
        "suppressed_records": {"no group": left_out} if left_out else {},
    }
    return Release(**{**made, **changes})
