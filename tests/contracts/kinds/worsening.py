"""Data of every kind, published by hand: unchanged, or a step worse than before. No method has a part in it.

Each class is one kind of release. ``publish()`` compares the data with what is published of them; ``steps`` names what
can be done to it on top, and ``step(draw, operation)`` does it once.
"""

from __future__ import annotations

import dataclasses
import functools
from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st
from tests.kinds.activity.naive import releases as activity_releases
from tests.kinds.sequences.naive import metrics as sequence_metrics
from tests.kinds.sets.releases import disassociated, generalised
from tests.kinds.table import given_classes
from tests.kinds.timeline.naive.releases import with_rows
from tests.kinds.trajectories.verify.releases import make_release

import sfumato as sf
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.rt.dataset import attach_items
from sfumato.kinds.rt.guarantees import KKmAnonymity
from sfumato.kinds.snapshots.guarantees import LDiversity
from sfumato.metrics.comparison import Comparison
from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.release.text import ValueFormat

PLACES = "abcdef"
AT = {place: (number % 3, number // 3) for number, place in enumerate(PLACES)}
TREE = sf.Hierarchy.from_paths([(place, "left" if place in "abc" else "right", "*") for place in PLACES])


@dataclasses.dataclass(frozen=True)
class Recoded:
    """Records whose values are blocks of a partition; some places suppressed, some records withheld."""

    rows: list[list[str]]
    blocks: tuple[frozenset[str], ...] = tuple(frozenset(place) for place in PLACES)
    suppressed: frozenset[str] = frozenset()
    kept: tuple[int, ...] | None = None
    steps = ("generalise", "suppress", "withhold")
    kind = ""

    @property
    def people(self) -> tuple[int, ...]:
        return tuple(range(len(self.rows))) if self.kept is None else self.kept

    def step(self, draw: Any, operation: str) -> Any:
        if operation == "generalise" and len(self.blocks) > 1:
            one, other = draw(st.lists(st.sampled_from(self.blocks), min_size=2, max_size=2, unique=True))
            rest = tuple(block for block in self.blocks if block not in (one, other))
            return dataclasses.replace(self, blocks=(*rest, one | other))
        if operation == "suppress":
            gone = draw(st.sampled_from(PLACES))
            blocks = tuple(left for block in self.blocks if (left := block - {gone}))
            return dataclasses.replace(self, blocks=blocks, suppressed=self.suppressed | {gone})
        if operation == "withhold" and len(self.people) > 1:
            gone = draw(st.sampled_from(self.people))
            return dataclasses.replace(self, kept=tuple(row for row in self.people if row != gone))
        return self

    def recoded(self) -> tuple[list[list[str]], dict[str, list[str]], list[str]]:
        """Values of every published row, the members of generalised values, and what is suppressed."""
        used = {place for row in self.rows for place in row}
        blocks = [sorted(block & used) for block in self.blocks]
        value_of = {p: "{" + "|".join(block) + "}" if len(block) > 1 else p for block in blocks for p in block}
        rows = [[value_of[place] for place in self.rows[row] if place in value_of] for row in self.people]
        members = {value_of[block[0]]: block for block in blocks if len(block) > 1}
        held = {value for row in rows for value in row}
        return rows, {v: m for v, m in members.items() if v in held}, sorted(self.suppressed & used)


class Trajectories(Recoded):
    kind = "trajectories"

    @staticmethod
    def draw(draw: Any) -> Trajectories:
        row = st.lists(st.sampled_from(PLACES), min_size=1, max_size=5)
        return Trajectories(draw(st.lists(row, min_size=1, max_size=6)))

    def publish(self) -> Comparison:
        data = Dataset.of("trajectories", self.rows, AT, hierarchy=TREE)
        rows, members, gone = self.recoded()
        release = make_release(rows, members, suppressed=gone, suppressed_records=len(self.rows) - len(rows))
        return Comparison(data, release, np.array(self.people))


class Sets(Recoded):
    kind = "sets"

    @staticmethod
    def draw(draw: Any) -> Sets:
        row = st.lists(st.sampled_from(PLACES), min_size=1, max_size=5, unique=True)
        return Sets(draw(st.lists(row, min_size=1, max_size=6)))

    def publish(self) -> Comparison:
        data = Dataset.of("sets", self.rows)
        rows, members, gone = self.recoded()
        rows = [sorted(set(row)) for row in rows]
        release = generalised(rows, members, suppressed=gone, suppressed_records=len(self.rows) - len(rows))
        return Comparison(data, release, np.array(self.people))


@dataclasses.dataclass(frozen=True)
class SeparatedSets:
    """One cluster of all records; its chunks are blocks of a partition, and some items are in the term chunk."""

    rows: list[list[str]]
    chunks: tuple[str, ...] = (PLACES,)
    terms: str = ""
    steps = ("generalise",)
    kind = "sets"

    @staticmethod
    def draw(draw: Any) -> SeparatedSets:
        return SeparatedSets(Sets.draw(draw).rows)

    def step(self, draw: Any, operation: str) -> SeparatedSets:
        item = draw(st.sampled_from(PLACES))
        chunk = next((chunk for chunk in self.chunks if item in chunk), None)
        if operation != "generalise" or chunk is None:
            return self
        left = chunk.replace(item, "")
        chunks = tuple(c for c in (*(c for c in self.chunks if c != chunk), left) if c)
        if left and draw(st.booleans()):
            return dataclasses.replace(self, chunks=(*chunks, item))
        return dataclasses.replace(self, chunks=chunks, terms=self.terms + item)

    def publish(self) -> Comparison:
        rows, number = [], 0
        for chunk in self.chunks:
            parts = [part for row in self.rows if (part := [item for item in row if item in chunk])]
            number += bool(parts)
            rows += [("p", number, part) for part in parts]
        used = {item for row in self.rows for item in row}
        if terms := [item for item in self.terms if item in used]:
            rows.append(("p", 0, terms))
        release = disassociated([("p", None, len(self.rows))], rows)
        data = Dataset.of("sets", self.rows, hierarchy=TREE)
        return Comparison(data, release, np.arange(len(self.rows)))


@dataclasses.dataclass(frozen=True)
class Sequences:
    """Everybody alone, every monitored event as an interval around its time, all of them equally long."""

    people: list[list[tuple[str, int]]]
    width: int = 0
    steps = ("generalise",)
    kind = "sequences"

    @staticmethod
    def draw(draw: Any) -> Sequences:
        entry = st.tuples(st.sampled_from("abxy"), st.integers(0, 30))
        return Sequences(draw(st.lists(st.lists(entry, min_size=1, max_size=5, unique=True), min_size=1, max_size=6)))

    def step(self, draw: Any, operation: str) -> Sequences:
        return dataclasses.replace(self, width=self.width + draw(st.integers(1, 4)))

    def publish(self) -> Comparison:
        data = Dataset.of("sequences", self.people, monitored=("a", "b"))
        covers = [
            [
                (event, time - self.width, time + self.width)
                for time, event in sorted((t, e) for e, t in row if e in "ab")
            ]
            for row in self.people
        ]
        return sequence_metrics.publish(data, [[row] for row in range(len(covers))], covers)


@dataclasses.dataclass(frozen=True)
class Activity:
    """Classes of people, slot by slot."""

    rows: list[list[str]]
    classes: tuple[tuple[int, ...], ...]
    steps = ("generalise", "withhold")
    kind = "activity"

    @staticmethod
    def draw(draw: Any) -> Activity:
        row = st.lists(st.sampled_from("abc"), min_size=24, max_size=24)
        rows = draw(st.lists(row, min_size=1, max_size=5))
        return Activity(rows, tuple((number,) for number in range(len(rows))))

    def step(self, draw: Any, operation: str) -> Activity:
        if len(self.classes) < 2:
            return self
        if operation == "withhold":
            gone = draw(st.sampled_from(self.classes))
            return dataclasses.replace(self, classes=tuple(each for each in self.classes if each != gone))
        one, other = draw(st.lists(st.sampled_from(self.classes), min_size=2, max_size=2, unique=True))
        rest = tuple(each for each in self.classes if each not in (one, other))
        return dataclasses.replace(self, classes=(*rest, (*one, *other)))

    def publish(self) -> Comparison:
        data = activity_releases.people(self.rows, time_unit=activity_releases.TimeUnit("hour", 0))
        return activity_releases.compare(data, self.classes)


@functools.cache
def _deleted() -> Release:
    """A release of a timeline, for its columns and its claim."""
    data = Dataset.of("timeline", [{"s": 1, "t": 1, "b": 9}], sensitive=("s", "t"))
    return sf.anonymize(data, sf.methods.Essa(delta="1/3")).release


@dataclasses.dataclass(frozen=True)
class Timeline:
    """Counts of events over time, from which occurrences of the sensitive ones are deleted."""

    rows: list[dict[str, int]]
    gone: tuple[tuple[int, str], ...] = ()
    steps = ("suppress",)
    kind = "timeline"

    @staticmethod
    def draw(draw: Any) -> Timeline:
        row = st.dictionaries(st.sampled_from("stbc"), st.integers(1, 5), max_size=4)
        rows = draw(st.lists(row, min_size=2, max_size=8))
        return Timeline([*rows, {"s": 1, "t": 1, "b": 9}])

    def step(self, draw: Any, operation: str) -> Timeline:
        left = [
            (at, event) for at, row in enumerate(self.rows) for event in row if self._left(at, event) and event in "st"
        ]
        return dataclasses.replace(self, gone=(*self.gone, draw(st.sampled_from(left)))) if left else self

    def _left(self, at: int, event: str) -> int:
        return self.rows[at][event] - self.gone.count((at, event))

    def publish(self) -> Comparison:
        data = Dataset.of("timeline", self.rows, sensitive=("s", "t"))
        template = dataclasses.replace(_deleted(), records_in=len(self.rows))
        rows = [
            [(event, left) for event in sorted(row) if (left := self._left(at, event))]
            for at, row in enumerate(self.rows)
        ]
        return Comparison(data, with_rows(template, rows, range(len(rows))), np.arange(len(rows)))


@dataclasses.dataclass(frozen=True)
class Snapshots:
    """Records that come late, each in a group of its own, or not at all."""

    records: list[tuple[int, str]]
    late: tuple[int, ...]
    kept: tuple[int, ...]
    steps = ("generalise", "withhold")
    kind = "snapshots"
    window = 4

    @staticmethod
    def draw(draw: Any) -> Snapshots:
        record = st.tuples(st.integers(0, 8), st.sampled_from(["flu", "cold"]))
        records = sorted(draw(st.lists(record, min_size=1, max_size=8)))
        return Snapshots(records, (0,) * len(records), tuple(range(len(records))))

    def step(self, draw: Any, operation: str) -> Snapshots:
        which = draw(st.sampled_from(self.kept))
        if operation == "withhold":
            return dataclasses.replace(self, kept=tuple(r for r in self.kept if r != which)) if self.kept[1:] else self
        late = tuple(min(d + (row == which), self.window - 1) for row, d in enumerate(self.late))
        return dataclasses.replace(self, late=late)

    def publish(self) -> Comparison:
        data = Dataset.of("snapshots", self.records, (), "ill")
        at = pa.array([self.records[row][0] + self.late[row] for row in self.kept], pa.int64())
        group = pa.array(range(1, len(self.kept) + 1), pa.int64())
        whole = ValueFormat("exact", "int64")
        columns = (PublishedColumn("snapshot", "time", whole), PublishedColumn("group", "group", whole))
        listed = {"ill": [self.records[row][1] for row in self.kept], "count": pa.array([1] * len(at), pa.int64())}
        described = (
            *columns,
            PublishedColumn("ill", "sensitive", ValueFormat("exact", "string")),
            PublishedColumn("count", "count", whole),
        )
        release = Release(
            kind="snapshots",
            method="by-hand",
            guarantee=LDiversity(l=2, window=self.window),
            columns=columns,
            table=pa.table({"snapshot": at, "group": group}),
            values=pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}),
            records_in=len(self.records),
            suppressed_records={"by hand": len(self.records) - len(self.kept)},
            extra_tables={"sensitive": ExtraTable(described, pa.table({"snapshot": at, "group": group, **listed}))},
        )
        return Comparison(data, release, np.array(self.kept))


@dataclasses.dataclass(frozen=True)
class Tables:
    """Classes of records, published as the cells that hold them; some columns suppressed, some records withheld."""

    rows: list[tuple[object, ...]]
    group: tuple[int, ...]
    suppressed: frozenset[str] = frozenset()
    suppressed_records: frozenset[int] = frozenset()
    steps = ("generalise", "suppress", "withhold")
    kind = "table"

    @staticmethod
    def draw(draw: Any) -> Tables:
        rows = draw(given_classes.people_rows())
        return Tables(rows, tuple(range(len(rows))))

    def step(self, draw: Any, operation: str) -> Tables:
        there = sorted(set(range(len(self.rows))) - self.suppressed_records)
        if operation == "suppress":
            gone = draw(st.sampled_from(given_classes.NAMES[:4]))
            return dataclasses.replace(self, suppressed=self.suppressed | {gone})
        if operation == "generalise":
            # Whole classes are joined as they are published: records that look the same are never told apart again.
            _, release, rows = self._everybody()
            looks = [repr({n: row[n] for n in given_classes.NAMES[:4]}) for row in release.table.to_pylist()]
            group = tuple(sorted(set(looks)).index(looks[at]) for at in np.argsort(rows).tolist())
            if len(set(group)) < 2:
                return self
            one, other = draw(st.lists(st.sampled_from(sorted(set(group))), min_size=2, max_size=2, unique=True))
            return dataclasses.replace(self, group=tuple(one if number == other else number for number in group))
        if operation == "withhold" and len(there) > 1:
            return dataclasses.replace(
                self, suppressed_records=self.suppressed_records | {draw(st.sampled_from(there))}
            )
        return self

    def _everybody(self) -> tuple[Dataset, Release, Any]:
        data = given_classes.make_people(self.rows)
        result = given_classes.publish(data, self.group)
        table = result.release.table
        for name in self.suppressed:
            at, kind = table.schema.get_field_index(name), table.schema.field(name).type
            table = table.set_column(at, name, pa.nulls(len(table), kind))
        return data, dataclasses.replace(result.release, table=table), result.owner_record.rows

    def publish(self) -> Comparison:
        data, release, rows = self._everybody()
        kept = np.flatnonzero([row not in self.suppressed_records for row in rows.tolist()])
        release = dataclasses.replace(
            release,
            table=release.table.take(pa.array(kept)),
            suppressed_records={"by hand": len(self.suppressed_records)},
        )
        return Comparison(data, release, rows[kept])


@dataclasses.dataclass(frozen=True)
class TablesWithSets(Tables):
    """The same with a set of items each, whose values are blocks of a partition."""

    sets: tuple[tuple[str, ...], ...] = ()
    blocks: tuple[frozenset[str], ...] = tuple(frozenset(place) for place in PLACES)
    kind = "rt"

    @staticmethod
    def draw(draw: Any) -> TablesWithSets:
        rows = draw(given_classes.people_rows())
        items = st.lists(st.sampled_from(PLACES), max_size=3, unique=True).map(tuple)
        sets = draw(st.lists(items, min_size=len(rows), max_size=len(rows)))
        return TablesWithSets(rows, tuple(range(len(rows))), sets=tuple(sets))

    def step(self, draw: Any, operation: str) -> Any:
        if operation == "generalise" and len(self.blocks) > 1 and draw(st.booleans()):
            one, other = draw(st.lists(st.sampled_from(self.blocks), min_size=2, max_size=2, unique=True))
            rest = tuple(block for block in self.blocks if block not in (one, other))
            return dataclasses.replace(self, blocks=(*rest, one | other))
        return super().step(draw, operation)

    def publish(self) -> Comparison:
        plain = super().publish()
        data = attach_items(plain.original, ListColumn.from_lists([list(row) for row in self.sets]))
        name = {item: "".join(sorted(block)) for block in self.blocks for item in block}
        sets = [sorted({name[item] for item in self.sets[row]}) for row in plain.rows.tolist()]
        column = PublishedColumn("items", "history", ValueFormat("category", history=True, meaning="at least one of"))
        listed = [("items", label, item) for label in sorted(set(name.values())) for item in label if len(label) > 1]
        values = pa.table(
            {
                key: pa.array([row[at] for row in listed], pa.string())
                for at, key in enumerate(plain.release.values.schema.names)
            }
        )
        release = dataclasses.replace(
            plain.release,
            kind="rt",
            guarantee=KKmAnonymity(2, 1, quasi=given_classes.NAMES[:4]),
            columns=(*plain.release.columns, column),
            table=plain.release.table.append_column("items", ListColumn.from_lists(sets).to_arrow()),
            values=pa.concat_tables([values, plain.release.values]),
        )
        return Comparison(data, release, plain.rows)


EVERY = (Trajectories, Sets, SeparatedSets, Sequences, Activity, Timeline, Snapshots, Tables, TablesWithSets)
