"""Small data of every kind, made from the same lists of labels, and what a method needs to work on them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.hierarchies.derive import balanced
from sfumato.params import declared

Rows = list[list[str]]


def trajectories(rows: Rows, method) -> sf.Dataset:
    labels = sorted({place for row in rows for place in row})
    xy = {label: (float(i % 4), float(i // 4)) for i, label in enumerate(labels)}
    options = {}
    if "constraints" in method.needs:
        options["constraints"] = tuple(tuple(labels[i : i + 6]) for i in range(0, len(labels), 6))
    if "hierarchy place" in method.needs and labels:
        options["hierarchy"] = balanced(labels, 3)
    if "sensitive places" in method.needs and "s0" in labels:
        options["sensitive"] = ("s0",)
    return sf.Dataset.of("trajectories", rows, xy, **options)


def sequences(rows: Rows, method) -> sf.Dataset:
    """The rows as clicks a minute apart; the first place is what the receiver monitors."""
    labels = sorted({event for row in rows for event in row})
    timed = [[(event, 60 * i + 7 * number % 50) for i, event in enumerate(row)] for number, row in enumerate(rows)]
    options = {"hierarchy": balanced(labels, 3)} if "hierarchy event" in method.needs and labels else {}
    return sf.Dataset.of("sequences", timed, monitored=tuple(labels[:1]) or ("a",), **options)


def sets(rows: Rows, method) -> sf.Dataset:
    labels = sorted({item for row in rows for item in row})
    options = {"hierarchy": balanced(labels, 3)} if "hierarchy item" in method.needs and labels else {}
    return sf.Dataset.of("sets", rows, **options)


def timeline(rows: Rows, method) -> sf.Dataset:
    """The rows as time points; the first label is sensitive."""
    labels = sorted({event for row in rows for event in row})
    points = [{event: row.count(event) for event in row} for row in rows]
    return sf.Dataset.of("timeline", points, sensitive=tuple(labels[:1]))


def snapshots(rows: Rows, method) -> sf.Dataset:
    """Six records a snapshot; one of a row's first two labels is the sensitive value, the other an attribute."""
    records = [(number // 6, row[number % 2 - 1], row[number % 2]) for number, row in enumerate(rows)]
    return sf.Dataset.of("snapshots", records, ("place",), "illness")


def activity(rows: Rows, method) -> sf.Dataset:
    """The rows as days of hours, begun anew until all are equally long; the first label is sensitive."""
    labels = sorted({label for row in rows for label in row})
    slots = max((len(row) for row in rows), default=0)
    days = [[row[slot % len(row)] for slot in range(slots)] for row in rows]
    return sf.Dataset.of("activity", days, sensitive=tuple(labels[:1]), time_unit=TimeUnit("hour"))


def rt(rows: Rows, method) -> sf.Dataset:
    """The first label of a row and its length are attributes, all its labels are items."""
    labels = sorted({item for row in rows for item in row})
    known = [(row[0] if row else None, len(row)) for row in rows]
    options = {"hierarchy": balanced(labels, 3)} if labels else {}
    return sf.Dataset.of("rt", known, ("first", "length"), rows, **options)


def table(rows: Rows, method) -> sf.Dataset:
    """A number and two labels of every row, one of them with a hierarchy; the last label is sensitive."""
    labels = sorted({label for row in rows for label in row})
    number = {label: 10 * i for i, label in enumerate(labels)}
    numeric = "numbers" in method.needs
    people = [
        (number[row[0]] + len(row), row[0] if not numeric else number[row[0]], row[1 % len(row)], row[-1])
        for row in rows
    ]
    if numeric:
        people = [(age, other, number[third], last) for age, other, third, last in people]
    hierarchies = {"town": balanced(labels, 3)} if labels and not numeric else {}
    names = ("age", "job", "town", "illness")
    return sf.Dataset.of("table", people, names, sensitive=("illness",), hierarchies=hierarchies)


@dataclasses.dataclass(frozen=True)
class Kind:
    """How data of a kind are made, and what the contract asks of its releases.

    ``shuffled`` says whether the order of a release is random; one long sequence stays in its order.
    """

    build: Callable[[Rows, object], sf.Dataset]
    parameters: dict[str, object] = dataclasses.field(default_factory=dict)
    shuffled: bool = True


KINDS = {
    "trajectories": Kind(trajectories, {"delta": 100.0}),
    "sequences": Kind(sequences),
    "sets": Kind(sets),
    "timeline": Kind(timeline, {"delta": "2/3"}, shuffled=False),
    "snapshots": Kind(snapshots),
    "rt": Kind(rt, {"delta": 1.0}),
    "table": Kind(table),
    "activity": Kind(activity, {"delta": "2h", "epsilon": "1/2", "aggregate": "day,hour"}),
}


def required_parameters(method) -> dict[str, object]:
    """Small valid values for what has no default, and for k where it is one of several demands."""
    known = {p.name: p for p in declared(method)}
    chosen = {p.name: max(2, int(p.param.ge or 2)) for p in known.values() if p.required}
    if "k" in known:
        chosen["k"] = 2
    return chosen | {name: value for name, value in KINDS[method.kinds[0]].parameters.items() if name in known}
