"""What a release of snapshots must look like: records with a group, and the sensitive values of the groups."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.kinds.snapshots.decode import PublishedSnapshots, column_of
from sfumato.release.release import ExtraTable, Release
from sfumato.verification.people import GroupSize, count_in_groups
from sfumato.verification.release_checks import Counterexample, Findings, ReleaseChecks

__all__ = ["CHECKS"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[GroupSize]:
    """Count the people of every group of a snapshot."""
    yield from count_in_groups(PublishedSnapshots.of(release).group, person)


_TYPES = {"time": ("int64", "timestamp"), "group": ("int64",), "count": ("int64",)}


def _check_columns(release: Release) -> Counterexample:
    """Look for cells that are not exact, and for sensitive values in no or in both tables."""
    for column in (
        *release.columns,
        *(column for extra_table in release.extra_tables.values() for column in extra_table.columns),
    ):
        exact = column.form.cell == "exact" and not column.form.history
        if not exact or column.form.type not in _TYPES.get(column.role, (column.form.type,)):
            return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    roles = {column.role for column in release.columns}
    extra_table = release.extra_tables.get("sensitive")
    if extra_table is None:
        return None if "sensitive" in roles and "group" not in roles else {"roles": sorted(roles), "parts": []}
    fits = "group" in roles and "sensitive" not in roles
    extra_roles = sorted(column.role for column in extra_table.columns)
    same = extra_roles == ["count", "group", "sensitive", "time"] and _time_type(extra_table) == _time_type(release)
    return None if fits and same else {"roles": sorted(roles), "part_roles": extra_roles}


def _time_type(described: Release | ExtraTable) -> str:
    return next((column.form.type for column in described.columns if column.role == "time"), "")


def _check_extra_cells(release: Release) -> Counterexample:
    extra_table = release.extra_tables.get("sensitive")
    if extra_table is None:
        empty = release.table.column(column_of(release, "sensitive")).null_count
        return {"column": column_of(release, "sensitive"), "empty_cells": empty} if empty else None
    for column in extra_table.columns:
        empty = extra_table.table.column(column.name).null_count
        if empty:
            return {"part": "sensitive", "column": column.name, "empty_cells": empty}
    empty = release.table.column(column_of(release, "group")).null_count
    return {"column": "group", "empty_cells": empty} if empty else None


def _check_groups(release: Release) -> Counterexample:
    """Look for groups with more records than values or fewer, values listed twice, and counts below one."""
    published = PublishedSnapshots.of(release)
    if (published.pair_count < 1).any():
        return {"part": "sensitive", "smallest_count": int(published.pair_count.min())}
    wrong = published.sizes != published.listed
    if wrong.any():
        at = int(np.argmax(wrong))
        records = np.flatnonzero(published.group == at)[:2] + 1
        return {"rows": records.tolist(), "records": int(published.sizes[at]), "values": int(published.listed[at])}
    listed = np.sort(published.pair_group * max(len(published.labels), 1) + published.pair_value)
    twice = listed[1:][np.diff(listed) == 0]
    return {"part": "sensitive", "values_listed_twice": len(twice)} if len(twice) else None


def _check_generalised(release: Release) -> Counterexample:
    return {"listed": release.values.num_rows} if release.values.num_rows else None


def _check_group_order(release: Release) -> Findings:
    """Look for snapshots and groups out of order, and for numbers of groups that leave some out."""
    published = PublishedSnapshots.of(release)
    if (np.diff(published.times) < 0).any():
        yield "data", "snapshots that are not in the order of time"
    extra_table = release.extra_tables.get("sensitive")
    if extra_table is None:
        return
    roles = {column.role: column.name for column in extra_table.columns}
    keys = list(
        zip(
            extra_table.table.column(roles["time"]).cast(pa.int64()).to_pylist(),
            extra_table.table.column(roles["group"]).to_pylist(),
            extra_table.table.column(roles["sensitive"]).to_pylist(),
            strict=True,
        )
    )
    if keys != sorted(keys):
        yield "sensitive.csv", "rows that are not listed by snapshot, group and value"
    numbers: dict[Any, set[int]] = {}
    for time, group, _ in keys:
        numbers.setdefault(time, set()).add(group)
    if any(groups != set(range(1, len(groups) + 1)) for groups in numbers.values()):
        yield "sensitive.csv", "groups of a snapshot that are not numbered from 1"


CHECKS = ReleaseChecks(
    roles={
        "time": (1,),
        "group": (0, 1),
        "sensitive": (0, 1),
        "quasi-identifier": range(1 << 20),
        "plain": range(1 << 20),
    },
    extra_tables=("sensitive",),
    check_columns=_check_columns,
    shape_checks=(("no group or value is empty", _check_extra_cells),),
    content_checks=(
        ("groups list the values of their records, each once", _check_groups),
        ("attributes are not generalised", _check_generalised),
    ),
    order_checks=(_check_group_order,),
    group_noun="group",
    find_smallest_groups=find_smallest_groups,
)
