"""Releases of every kind, drawn cell by cell: what methods would hardly publish, but what files must carry."""

from __future__ import annotations

import datetime

import pyarrow as pa
from hypothesis import strategies as st

from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

LABELS = st.text(alphabet='ab|;\\*{}[].",\n\r=+-@ \té<&', max_size=4)
NUMBERS = st.integers(-(2**53), 2**53)
TIMES = st.datetimes(datetime.datetime(1990, 1, 1), datetime.datetime(2040, 1, 1)).map(
    lambda moment: moment.replace(tzinfo=datetime.UTC)
)
CATEGORY, CATEGORIES = ValueFormat("category"), ValueFormat("category", history=True)
MANY = ValueFormat("category", history=True, meaning="at least one of")
NAME, NUMBER = ValueFormat("exact"), ValueFormat("exact", "int64")


def column(name: str, role: str, form: ValueFormat, cells: list) -> tuple[PublishedColumn, pa.Array]:
    """A column with its cells, of the type that its form calls for."""
    if form.cell != "category":
        return PublishedColumn(name, role, form), pa.array(cells, form.arrow)
    if not form.history:
        return PublishedColumn(name, role, form), pa.array(cells, pa.string()).dictionary_encode()
    flat = pa.array([entry for row in cells for entry in row], pa.string()).dictionary_encode()
    offsets = [0]
    for row in cells:
        offsets.append(offsets[-1] + len(row))
    return PublishedColumn(name, role, form), pa.ListArray.from_arrays(pa.array(offsets, pa.int32()), flat)


def release(kind: str, columns: list, **more) -> Release:
    table = pa.table({about.name: cells for about, cells in columns})
    values = more.pop("values", pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}))
    about = tuple(about for about, _ in columns)
    return Release(kind, "by-hand", KmAnonymity(k=2, m=1), about, table, values, table.num_rows, **more)


def names(count: int) -> tuple[PublishedColumn, pa.Array]:
    return column("person", "identifier", NAME, [str(number) for number in range(1, count + 1)])


@st.composite
def trajectories(draw):
    rows = draw(st.lists(st.lists(LABELS, min_size=1, max_size=4), min_size=1, max_size=4))
    known = sorted({place for row in rows for place in row} | set(draw(st.lists(LABELS, max_size=2))))
    degrees = st.none() | st.floats(-80, 80)
    where = [draw(degrees) for _ in known]
    listed = {"column": ["places", "places"], "value": [rows[0][0]] * 2, "member": [known[0], known[-1]]}
    return release(
        "trajectories",
        [names(len(rows)), column("places", "history", CATEGORIES, rows)],
        places=pa.table(
            {"place": pa.array(known, pa.string()), **{n: pa.array(where, pa.float64()) for n in ("lon", "lat")}}
        ),
        values=pa.table(listed),
    )


@st.composite
def sequences(draw):
    type_, moments = draw(st.sampled_from([("int64", NUMBERS), ("timestamp", TIMES)]))
    count = draw(st.integers(1, 3))
    columns = [names(count)]
    for name in ("monitored", *(("blurred",) if draw(st.booleans()) else ()), "events"):
        lengths = [draw(st.integers(0, 3)) for _ in range(count)]
        labels = [[draw(LABELS) for _ in range(length)] for length in lengths]
        spans = [[sorted([draw(moments), draw(moments)]) for _ in range(length)] for length in lengths]
        if name == "events":
            times = [[span[0] for span in row] for row in spans]
            columns.append(column(name, "history", CATEGORIES, labels))
            columns.append(column("times", "time", ValueFormat("exact", type_, history=True), times))
        else:
            times = [[{"lo": lo, "hi": hi} for lo, hi in row] for row in spans]
            columns.append(column(name, "history", MANY, labels))
            columns.append(column(f"{name}_times", "time", ValueFormat("interval", type_, history=True), times))
    return release("sequences", columns)


@st.composite
def sets(draw):
    rows = draw(st.lists(st.lists(LABELS, min_size=1, max_size=3, unique=True), min_size=1, max_size=4))
    return release("sets", [names(len(rows)), column("items", "history", MANY, rows)])


@st.composite
def separated_sets(draw):
    rows = draw(st.lists(st.lists(LABELS, min_size=1, max_size=3, unique=True), min_size=1, max_size=4))
    return release(
        "sets",
        [
            column("cluster", "cluster", NAME, [str(1 + at // 2) for at in range(len(rows))]),
            column("chunk", "chunk", NUMBER, [at % 2 for at in range(len(rows))]),
            column("items", "history", CATEGORIES, rows),
        ],
    )


@st.composite
def timeline(draw):
    type_, moments = draw(st.sampled_from([("int64", NUMBERS), ("timestamp", TIMES)]))
    times = sorted(draw(st.sets(moments, min_size=1, max_size=4)))
    events = [draw(st.lists(LABELS, max_size=3, unique=True)) for _ in times]
    counts = [[draw(st.integers(1, 2**53)) for _ in row] for row in events]
    return release(
        "timeline",
        [
            column("time", "time", ValueFormat("exact", type_), times),
            column("events", "history", CATEGORIES, events),
            column("counts", "count", ValueFormat("exact", "int64", history=True), counts),
        ],
    )


def attributes(draw, count: int) -> list:
    """A column of every form that tables have, with cells that are suppressed."""
    dates = st.dates(datetime.date(1900, 1, 1), datetime.date(2030, 1, 1))
    numbers = st.none() | st.tuples(NUMBERS, NUMBERS).map(lambda pair: {"lo": min(pair), "hi": max(pair)})
    spans = st.none() | st.just({"lo": None, "hi": None}) | dates.map(lambda day: {"lo": day, "hi": day})
    cells = {
        "age": ("quasi-identifier", ValueFormat("interval", "int64"), numbers),
        "born": ("quasi-identifier", ValueFormat("interval", "date"), spans),
        "town": ("quasi-identifier", CATEGORY, st.none() | LABELS),
        "sex": (
            "quasi-identifier",
            ValueFormat("set"),
            st.none() | st.lists(LABELS, min_size=1, max_size=2, unique=True),
        ),
        "record": ("plain", NAME, LABELS),
        "pay": ("plain", ValueFormat("exact", "float64"), st.floats(allow_nan=False, allow_infinity=False)),
        "day": ("sensitive", ValueFormat("exact", "date"), dates),
    }
    return [
        column(name, role, form, [draw(strategy) for _ in range(count)])
        for name, (role, form, strategy) in cells.items()
    ]


@st.composite
def table(draw):
    return release("table", attributes(draw, draw(st.integers(1, 3))))


@st.composite
def rt(draw):
    rows = draw(st.lists(st.lists(LABELS, max_size=3, unique=True), min_size=1, max_size=3))
    return release("rt", [*attributes(draw, len(rows)), column("items", "history", MANY, rows)])


@st.composite
def activity(draw):
    count = draw(st.integers(1, 4))
    return release(
        "activity",
        [
            column("class", "class", NAME, ["1"] * count),
            column("interval", "interval", ValueFormat("exact", "timestamp"), [draw(TIMES) for _ in range(count)]),
            column("activity", "activity", CATEGORY, [draw(LABELS) for _ in range(count)]),
            column("share", "share", ValueFormat("exact", "float64"), [draw(st.floats(0, 1)) for _ in range(count)]),
        ],
    )


@st.composite
def snapshots(draw):
    count = draw(st.integers(1, 4))
    return release(
        "snapshots",
        [
            column("snapshot", "time", NUMBER, [draw(NUMBERS) for _ in range(count)]),
            column("age", "quasi-identifier", NAME, [draw(LABELS) for _ in range(count)]),
            column("illness", "sensitive", NAME, [draw(LABELS) for _ in range(count)]),
        ],
    )


RELEASES = {
    "trajectories": trajectories(),
    "sequences": sequences(),
    "sets": sets(),
    "timeline": timeline(),
    "table": table(),
    "rt": rt(),
    "activity": activity(),
    "snapshots": snapshots(),
}
