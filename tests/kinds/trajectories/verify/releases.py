"""Releases made by hand, for tests that must not depend on any method."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.data.lists import ListColumn
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat

COLUMNS = (
    PublishedColumn("person", "identifier", ValueFormat("exact")),
    PublishedColumn("places", "history", ValueFormat("category", history=True)),
)


def values_table(groups: Mapping[str, Sequence[str]], suppressed: Sequence[str] = ()) -> pa.Table:
    listed: list[tuple[str | None, str]] = [(value, m) for value, members in groups.items() for m in members]
    listed += [(None, place) for place in suppressed]
    return pa.table(
        {
            "column": pa.array(["places"] * len(listed), pa.string()),
            "value": pa.array([value for value, _ in listed], pa.string()),
            "member": pa.array([member for _, member in listed], pa.string()),
        }
    )


def people_table(rows: list[list[str]], names: Sequence[str] | None = None) -> pa.Table:
    names = [f"x{i}" for i in range(len(rows))] if names is None else names
    return pa.table({"person": pa.array(names, pa.string()), "places": ListColumn.from_lists(rows).to_arrow()})


def make_release(
    rows: list[list[str]],
    groups: Mapping[str, Sequence[str]] | None = None,
    guarantee: Guarantee | None = None,
    suppressed: Sequence[str] = (),
    suppressed_records: int = 0,
    **changes: Any,
) -> Release:
    """Publish rows of value names; ``groups`` lists the members of the generalised ones."""
    parts: dict[str, Any] = {
        "kind": "trajectories",
        "method": "by-hand",
        "guarantee": guarantee or KmAnonymity(k=2, m=2),
        "columns": COLUMNS,
        "table": people_table(rows),
        "values": values_table(groups or {}, suppressed),
        "records_in": len(rows) + suppressed_records,
        "suppressed_records": {"too long": suppressed_records} if suppressed_records else {},
    }
    return Release(**{**parts, **changes})


def recode(row: Sequence[str], groups: Mapping[str, Sequence[str]], suppressed: Sequence[str] = ()) -> list[str]:
    """Replace each place by the value that lists it; leave out the suppressed ones."""
    value_of = {member: value for value, members in groups.items() for member in members}
    return [value_of.get(place, place) for place in row if place not in suppressed]
