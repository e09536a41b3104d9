"""Activity data and releases of them made by hand, for tests that must not depend on any method."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import Annotated, Any

import numpy as np
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.record_unit import PERSON
from sfumato.data.schema import Column, Schema
from sfumato.data.time_units import TimeUnit
from sfumato.metrics.comparison import Comparison
from sfumato.params import Param
from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.release.text import ValueFormat


@dataclasses.dataclass(frozen=True)
class HandMadeClaim(Guarantee):
    """What a release made by hand says of itself."""

    name = "by-hand"
    title = "Classes made by hand"
    kinds = ("activity",)
    knowledge = "known-slots"

    k: Annotated[int, Param("People in a class.", ge=1)] = 2
    delta: Annotated[str, Param("Time.")] = "2h"
    epsilon: Annotated[str, Param("Share.")] = "0.5"

    def statement(self, unit=PERSON) -> str:
        return "Classes hold at least k people."


def people(rows: Sequence[Sequence[str]], sensitive: Sequence[str] = (), time_unit: TimeUnit | None = None) -> Dataset:
    """A dataset of people, given what each did in every slot."""
    history = ListColumn.from_lists([list(row) for row in rows])
    names = pa.array([f"p{i}" for i in range(len(rows))], pa.string())
    return Dataset(
        Schema("activity", (Column("person", "identifier"), Column("activities", "history")), tuple(sensitive)),
        pa.table({"person": names, "activities": history.to_arrow()}),
        time_unit=time_unit or TimeUnit(),
    )


def publish(
    dataset: Dataset, classes: Sequence[Sequence[int]], length: int = 1, *, guarantee: Any = None, dated: bool = False
) -> tuple[Release, np.ndarray]:
    """Publish classes of rows as shares by interval of so many slots; return the release and the row map."""
    rows = dataset.history().lists()
    listed: list[tuple[str, int, str, float]] = []
    for number, members in enumerate(classes):
        slots = len(rows[0])
        for interval, first in enumerate(range(0, slots, length)):
            done = [label for row in members for label in rows[row][first : first + length]]
            listed += [(f"c{number}", interval, label, done.count(label) / len(done)) for label in dict.fromkeys(done)]
    names, intervals, labels, shares = (list(column) for column in zip(*listed, strict=True))
    when: Any = pa.array(intervals, pa.int64())
    if dated:
        when = dataset.time_unit.to_arrow(np.array(intervals, np.int64) * length + dataset.time_unit.origin)
    table = pa.table(
        {
            "class": pa.array(names, pa.string()),
            "interval": when,
            "activity": pa.array(labels, pa.string()).dictionary_encode(),
            "share": pa.array(shares, pa.float64()),
        }
    )
    columns = (
        PublishedColumn("class", "class", ValueFormat("exact")),
        PublishedColumn("interval", "interval", ValueFormat("exact", "timestamp" if dated else "int64")),
        PublishedColumn("activity", "activity", ValueFormat("category")),
        PublishedColumn("share", "share", ValueFormat("exact", "float64")),
    )
    sizes = [len(members) for members in classes]
    extra_table = ExtraTable(
        (
            PublishedColumn("class", "class", ValueFormat("exact")),
            PublishedColumn("size", "size", ValueFormat("exact", "int64")),
        ),
        pa.table({"class": [f"c{i}" for i in range(len(classes))], "size": pa.array(sizes, pa.int64())}),
    )
    empty = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    lost = len(dataset) - sum(sizes)
    release = Release(
        "activity",
        "by-hand",
        guarantee or HandMadeClaim(),
        columns,
        table,
        empty,
        len(dataset),
        {"fits into no class": lost} if lost else {},
        extra_tables={"classes": extra_table},
        published=sum(sizes),
    )
    return release, np.array([row for members in classes for row in members], dtype=np.int64)


def compare(dataset: Dataset, classes: Sequence[Sequence[int]], length: int = 1, **more: Any) -> Comparison:
    release, rows = publish(dataset, classes, length, **more)
    return Comparison(dataset, release, rows)
