"""The releases of disjoint parts of the people as one release, plainly: rows after rows, numbers counted on."""

from __future__ import annotations

import dataclasses
import functools

import pyarrow as pa

from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.release.text import ValueFormat

NUMBERED = {"identifier", "cluster", "parent", "class"}
"""Roles of columns whose cells are numbers from 1 within one release."""
BESIDE = {"means"}
"""Further tables that list what a release publishes of its own classes: two releases may have the same class twice."""


def unite(releases: list[Release]) -> Release:
    """Return all records of several releases as those of one, with the claim that all of them make."""
    releases = _name_alike(releases)
    first = releases[0]
    moved = _count_on(releases)
    columns = tuple(_widen([release.columns[at] for release in releases]) for at in range(len(first.columns)))
    names = [name for name in first.extra_tables if name not in BESIDE]
    suppressed_records = {reason for release in releases for reason in release.suppressed_records}
    places = [release.places for release in releases if release.places is not None]
    return dataclasses.replace(
        first,
        guarantee=functools.reduce(lambda one, other: one.join(other), (release.guarantee for release in releases)),
        columns=columns,
        table=_stack([release.table for release in moved], columns),
        values=_values(releases),
        records_in=sum(release.records_in for release in releases),
        suppressed_records={
            reason: sum(release.suppressed_records.get(reason, 0) for release in releases)
            for reason in suppressed_records
        },
        places=_distinct(places) if places else None,
        extra_tables={
            name: ExtraTable(
                first.extra_tables[name].columns,
                _stack([release.extra_tables[name].table for release in moved], first.extra_tables[name].columns),
            )
            for name in names
        },
        published=None if first.published is None else sum(len(release) for release in releases),
    )


def _name_alike(releases):
    """Give equal values of all releases one name, and different ones two: a name means what its own release says."""
    names, taken, renamed = {}, set(), []
    for release in releases:
        members = {}
        for row in release.values.to_pylist():
            if row["value"]:
                members.setdefault((row["column"], row["value"]), set()).add(row["member"])
        new = {}
        for (column, value), group in members.items():
            key = column, frozenset(group)
            if key not in names:
                free = (value, *(f"{value}~of part {at}" for at in range(len(releases) + 1)))
                names[key] = next(name for name in free if (column, name) not in taken)
                taken.add((column, names[key]))
            new[column, value] = names[key]
        renamed.append(_rename(release, new))
    return renamed


def _rename(release, new):
    if all(value == name for (_, value), name in new.items()):
        return release

    def replace_cell(column, cell):
        return (
            [replace_cell(column, each) for each in cell] if isinstance(cell, list) else new.get((column, cell), cell)
        )

    def rewrite(table):
        for at, field in enumerate(table.schema):
            if any(column == field.name for column, _ in new):
                cells = [replace_cell(field.name, cell) for cell in table.column(at).to_pylist()]
                table = table.set_column(at, field, pa.array(cells, field.type))
        return table

    values = [
        {**row, "value": new.get((row["column"], row["value"]), row["value"])} for row in release.values.to_pylist()
    ]
    return dataclasses.replace(
        release,
        table=rewrite(release.table),
        extra_tables={
            name: ExtraTable(extra_table.columns, rewrite(extra_table.table))
            for name, extra_table in release.extra_tables.items()
        },
        values=pa.Table.from_pylist(values, schema=release.values.schema),
    )


def _count_on(releases):
    """Let the numbers of every release begin where those of the one before end."""
    moved, people, groups = [], 0, 0
    for release in releases:
        table = _shift(release.table, release.columns, people, groups)
        extra_tables = {
            name: ExtraTable(extra_table.columns, _shift(extra_table.table, extra_table.columns, people, groups))
            for name, extra_table in release.extra_tables.items()
        }
        moved.append(dataclasses.replace(release, table=table, extra_tables=extra_tables))
        people += release.table.num_rows
        groups += sum(
            release.extra_tables[name].table.num_rows
            for name in ("clusters", "classes")
            if name in release.extra_tables
        )
    return moved


def _shift(table, columns, people, groups):
    for at, column in enumerate(columns):
        if column.role in NUMBERED:
            by = people if column.role == "identifier" else groups
            cells = [cell if not cell else str(int(cell) + by) for cell in table.column(column.name).to_pylist()]
            table = table.set_column(at, column.name, pa.array(cells, column.form.arrow))
    return table


def _widen(columns: list[PublishedColumn]) -> PublishedColumn:
    """A column that one release publishes as it is and another generalises is generalised."""
    forms = sorted({column.form for column in columns}, key=lambda form: form.cell == "exact")
    widest = forms[0]
    assert all(form in {widest, ValueFormat("exact", widest.type)} for form in forms), forms
    return dataclasses.replace(columns[0], form=widest)


def _stack(tables, columns):
    stacked = []
    for table in tables:
        cells = {}
        for column in columns:
            found = table.column(column.name).to_pylist()
            if column.form.cell == "interval" and not column.form.history:
                found = [cell if cell is None or isinstance(cell, dict) else {"lo": cell, "hi": cell} for cell in found]
            cells[column.name] = pa.array(found, column.form.arrow)
        stacked.append(pa.table(cells))
    return pa.concat_tables(stacked, promote_options="default").unify_dictionaries().combine_chunks()


def _values(releases):
    """All members of all values; what is removed in one part may be published in another, so it is not listed."""
    rows = {tuple(row.values()) for release in releases for row in release.values.to_pylist() if row["value"]}
    listed = sorted(rows)
    names = ("column", "value", "member")
    return pa.table({name: pa.array([row[at] for row in listed], pa.string()) for at, name in enumerate(names)})


def _distinct(places):
    rows = sorted({row["place"]: row for table in places for row in table.to_pylist()}.items())
    return pa.Table.from_pylist([row for _, row in rows], schema=places[0].schema)
