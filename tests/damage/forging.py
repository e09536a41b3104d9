"""How a release is forged: what it says is changed, and it is written anew by the package's own writer, perfectly."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

import sfumato as sf
from sfumato import plugins
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.kinds.table.methods._base.relational import uses_sensitive_values
from sfumato.kinds.timeline.guarantees import PrefixFrequency
from sfumato.kinds.trajectories.guarantees import KmAnonymity
from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.release.storage import read_release, write_release
from sfumato.release.text import ValueFormat


def forge(change: Callable[[Release], Release]) -> Callable[[Path], None]:
    """Change what a release says and write it anew, perfectly."""

    def do(folder: Path) -> None:
        release = change(read_release(folder))
        for path in folder.iterdir():
            path.unlink()
        write_release(release, folder)

    return do


def claim(**changes: Any) -> Callable[[Path], None]:
    """Change parameters of the claim; a function gets the old value."""

    def change(release: Release) -> Release:
        old = {name: getattr(release.guarantee, name) for name in changes}
        new = {name: value(old[name]) if callable(value) else value for name, value in changes.items()}
        return dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, **new))

    return forge(change)


def raise_claim(release: Release) -> Release:
    """Claim ten times as much."""
    names = {field.name for field in dataclasses.fields(release.guarantee)}
    new: dict[str, Any] = {"k": 100} if "k" in names else {"l": 100} if "l" in names else {"delta": "1/100"}
    return dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, **new))


def lower_claim(release: Release) -> Release:
    """Claim a little less, which is true as well."""
    claim, new = release.guarantee, {"l": 2, "window": 7}
    if hasattr(claim, "k"):
        new = {"k": claim.k - 1 if claim.k > 2 or not hasattr(claim, "g") else 1}
    elif isinstance(claim, PrefixFrequency):
        new = {"delta": "1/2"}
    return dataclasses.replace(release, guarantee=dataclasses.replace(claim, **new))


def other_claim(release: Release) -> Release:
    """Claim something that is about other data."""
    other = KmAnonymity(k=2, m=1)
    if release.kind == "trajectories":
        other = KmItems(k=2, m=1)
    return dataclasses.replace(release, guarantee=other)


def with_columns(release: Release, **columns: Any) -> Release:
    table = release.table
    for name, column in columns.items():
        table = table.set_column(table.column_names.index(name), name, column)
    return dataclasses.replace(release, table=table)


def name_of(release: Release, role: str) -> str:
    return next(column.name for column in release.columns if column.role == role)


def numbered(release: Release) -> Release:
    """Number the people anew, as the writer of a forged release would."""
    for column in release.columns:
        if column.role == "identifier":
            names = pa.array([str(i + 1) for i in range(release.table.num_rows)])
            release = with_columns(release, **{column.name: names})
    return release


def drop_record(release: Release) -> Release:
    changed = dataclasses.replace(release, table=release.table.slice(1))
    suppressed_records = {**release.suppressed_records, "too long": 1}
    return numbered(dataclasses.replace(changed, suppressed_records=suppressed_records))


def repeat_record(release: Release) -> Release:
    table = pa.concat_tables([release.table, release.table.slice(0, 1)]).combine_chunks()
    return numbered(dataclasses.replace(release, table=table, records_in=release.records_in + 1))


def swap_records(release: Release) -> Release:
    """Exchange two records that differ."""
    names = [column.name for column in release.columns if column.role not in {"identifier", "time"}]
    rows = release.table.select(names).to_pylist()
    other = next(at for at, row in enumerate(rows) if row != rows[0])
    order = np.arange(len(rows))
    order[[0, other]] = order[[other, 0]]
    columns = {name: release.table.column(name).take(pa.array(order)) for name in names}
    return with_columns(release, **columns)


def change_label(release: Release) -> Release:
    """Replace one entry of a history by another that is published, too."""
    name = [column.name for column in release.columns if column.role == "history"][-1]
    history = ListColumn.from_arrow(release.table.column(name))
    lists = history.lists()
    row = next(row for row, entries in enumerate(lists) if 0 < len(set(entries)) < len(history.labels))
    at = int(history.offsets[row])
    inside = set(history.codes[at : int(history.offsets[row + 1])].tolist())
    codes = history.codes.copy()
    codes[at] = next(code for code in range(len(history.labels)) if code not in inside)
    if release.kind in {"sets", "timeline"}:
        span = slice(at, int(history.offsets[row + 1]))
        codes[span] = sorted(codes[span], key=lambda code: history.labels[code])
    return with_columns(release, **{name: ListColumn(history.offsets, codes, history.labels).to_arrow()})


def add_label(release: Release) -> Release:
    """Invent an entry of a history."""
    name = [column.name for column in release.columns if column.role == "history"][-1]
    rows = ListColumn.from_arrow(release.table.column(name)).lists()
    rows[0][-1:] = ["zz-invented"]
    return with_columns(release, **{name: ListColumn.from_lists(rows).to_arrow()})


def count_more(release: Release) -> Release:
    return dataclasses.replace(release, records_in=release.records_in + 1)


def invent_suppressed_record(release: Release) -> Release:
    suppressed_records = {**release.suppressed_records, "alice moved to another town": 1}
    return dataclasses.replace(release, records_in=release.records_in + 1, suppressed_records=suppressed_records)


def empty_reason(release: Release) -> Release:
    return dataclasses.replace(release, suppressed_records={**release.suppressed_records, "alice is ill": 0})


def replace_note(note: str) -> Callable[[Release], Release]:
    return lambda release: dataclasses.replace(release, method_note=note)


def borrow_note(release: Release) -> Release:
    """Say of the method what is true of another one."""
    lender = sf.methods.LocalKm if release.method == "disassociation" else sf.methods.Disassociation
    return dataclasses.replace(release, method_note=lender.list_notes(KmItems(k=2, m=2))[0])


def borrow_note_of_other_claim(release: Release) -> Release:
    """Say of a method for tables what is true of it where it promises something else."""
    other = KAnonymity(k=2) if uses_sensitive_values(release.guarantee) else KAnonymity(k=2, l=2, sensitive=("ill",))
    return dataclasses.replace(release, method_note=plugins.find_method(release.method, "table").list_notes(other)[0])


def declare_column(release: Release) -> Release:
    """Publish a sensitive value beside every record, and declare it."""
    role = "plain" if release.kind not in {"snapshots", "table", "rt"} else "count"
    column = PublishedColumn("diagnosis", role, ValueFormat("exact"))
    cells = pa.array(["flu"] * release.table.num_rows)
    return dataclasses.replace(
        release, columns=(*release.columns, column), table=release.table.append_column("diagnosis", cells)
    )


def declare_extra_table(release: Release) -> Release:
    columns = (
        PublishedColumn("person", "identifier", ValueFormat("exact")),
        PublishedColumn("name", "plain", ValueFormat("exact")),
    )
    table = pa.table({"person": ["1"], "name": ["Alice"]})
    return dataclasses.replace(release, extra_tables={**release.extra_tables, "names": ExtraTable(columns, table)})


def declare_places(release: Release) -> Release:
    return dataclasses.replace(release, places=pa.table({"place": ["Alice's"], "x": [1.0], "y": [2.0]}))


def rename(release: Release) -> Release:
    """Call people, clusters or classes by names that say something."""
    table, extra_tables = release.table, {}
    for name in ("cluster", "class"):
        if name in table.column_names:
            table = table.set_column(
                table.column_names.index(name), name, pc.binary_join_element_wise("a", table[name], "")
            )
    for part_name, extra_table in release.extra_tables.items():
        content = extra_table.table
        for name in {"cluster", "parent", "class"} & set(content.column_names):
            named = pc.binary_join_element_wise("a", content[name], "")
            content = content.set_column(content.column_names.index(name), name, named)
        extra_tables[part_name] = ExtraTable(extra_table.columns, content)
    for column in release.columns:
        if column.role == "identifier":
            names = pa.array([f"flu-{i}" for i in range(table.num_rows)])
            table = table.set_column(table.column_names.index(column.name), column.name, names)
    return dataclasses.replace(release, table=table, extra_tables=extra_tables)


def reorder_names(release: Release) -> Release:
    """Keep the numbers, but not in the order of the rows."""
    name = name_of(release, "identifier")
    return with_columns(release, **{name: release.table.column(name).take(pa.array(range(len(release))[::-1]))})


def reverse_rows(release: Release) -> Release:
    return dataclasses.replace(release, table=release.table.take(pa.array(range(release.table.num_rows)[::-1])))


def reverse_extra_table(release: Release) -> Release:
    extra_tables = {
        name: ExtraTable(extra_table.columns, extra_table.table.take(pa.array(range(extra_table.table.num_rows)[::-1])))
        for name, extra_table in release.extra_tables.items()
    }
    return dataclasses.replace(release, extra_tables=extra_tables)


def values_of(release: Release, change: Callable[[list[dict[str, Any]]], None]) -> Release:
    rows = release.values.to_pylist()
    change(rows)
    columns = {name: pa.array([row[name] for row in rows], pa.string()) for name in ("column", "value", "member")}
    return dataclasses.replace(release, values=pa.table(columns))


def list_row(value: str | None, *members: str) -> Callable[[Release], Release]:
    """List a value with members, where its place in the file is."""

    def change(release: Release) -> Release:
        column = next(c.name for c in release.columns if c.role == "history")

        def add(rows: list[dict[str, Any]]) -> None:
            rows += [{"column": column, "value": value, "member": member} for member in members]
            rows.sort(key=lambda row: (row["column"], row["value"] is None, row["value"] or "", row["member"]))

        changed = values_of(release, add)
        if value is not None or release.places is None:
            return changed
        # Whoever forges a removed place also gives it a place on the map.
        places = [*release.places.to_pylist(), dict.fromkeys(release.places.column_names, 0.5) | {"place": members[0]}]
        places.sort(key=lambda row: row["place"])
        return dataclasses.replace(changed, places=pa.Table.from_pylist(places, release.places.schema))

    return change


def unsorted_values(release: Release) -> Release:
    return values_of(release, lambda rows: rows.reverse())


def other_value_name(release: Release) -> Release:
    """Call a generalised value by a name that says something."""
    name = name_of(release, "history")
    old = next(iter(release.members()))
    history = ListColumn.from_arrow(release.table.column(name))
    labels = tuple("{flu patients}" if label == old else label for label in history.labels)

    def call(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["value"] = "{flu patients}" if row["value"] == old else row["value"]
        rows.sort(key=lambda row: (row["value"] is None, row["value"] or "", row["member"]))

    lists = [
        sorted(row) if release.kind == "sets" else row
        for row in ListColumn(history.offsets, history.codes, labels).lists()
    ]
    changed = with_columns(release, **{name: ListColumn.from_lists(lists).to_arrow()})
    return values_of(changed, call)


def change_extra_table(column: str, change: Callable[[list[Any]], None]) -> Callable[[Release], Release]:
    """Change a column of the further table."""

    def do(release: Release) -> Release:
        name, extra_table = next(iter(release.extra_tables.items()))
        cells = extra_table.table.column(column).to_pylist()
        change(cells)
        kind = extra_table.table.schema.field(column).type
        table = extra_table.table.set_column(
            extra_table.table.column_names.index(column), column, pa.array(cells, kind)
        )
        return dataclasses.replace(release, extra_tables={name: ExtraTable(extra_table.columns, table)})

    return do


def change_cells(column: str, change: Callable[[list[Any]], None]) -> Callable[[Release], Release]:
    """Change a column of the records."""

    def do(release: Release) -> Release:
        cells = release.table.column(column).to_pylist()
        change(cells)
        kind = release.table.schema.field(column).type
        return with_columns(release, **{column: pa.array(cells, kind)})

    return do


def exchange(cells: list[Any]) -> None:
    other = next(at for at, cell in enumerate(cells) if cell != cells[0])
    cells[0], cells[other] = cells[other], cells[0]


def swap_values(release: Release) -> Release:
    """Exchange sensitive values of two groups, so that both still have different ones, in order."""
    rows = release.extra_tables["sensitive"].table.to_pylist()
    groups: dict[Any, list[dict[str, Any]]] = {}
    for row in rows:
        groups.setdefault((row["snapshot"], row["group"]), []).append(row)
    one, other = next(
        (a, b)
        for a in groups.values()
        for b in groups.values()
        if a[0]["illness"] not in {r["illness"] for r in b} and b[0]["illness"] not in {r["illness"] for r in a}
    )
    one[0]["illness"], other[0]["illness"] = other[0]["illness"], one[0]["illness"]
    rows.sort(key=lambda row: (row["snapshot"], row["group"], row["illness"]))
    extra_table = release.extra_tables["sensitive"]
    return dataclasses.replace(
        release,
        extra_tables={
            "sensitive": ExtraTable(extra_table.columns, pa.Table.from_pylist(rows, extra_table.table.schema))
        },
    )


def add_one(cells: list[Any]) -> None:
    cells[0] += 1


def stretch(cells: list[Any]) -> None:
    """Widen a published interval, or move a published time."""
    row = next(row for row in cells if row)
    if isinstance(row[0], dict):
        row[0]["lo"] -= 1000
    else:
        row[0] -= 1


def declare_attribute(release: Release) -> Release:
    """Publish a sensitive value beside every record, and call it an attribute."""
    column = PublishedColumn("diagnosis", "plain", ValueFormat("exact"))
    cells = pa.array(["flu"] * release.table.num_rows)
    return dataclasses.replace(
        release, columns=(*release.columns, column), table=release.table.append_column("diagnosis", cells)
    )


def call_column(release: Release) -> Release:
    """Call a column by a name that says something."""
    old = name_of(release, "history")
    columns = tuple(dataclasses.replace(c, name="alice has the flu") if c.name == old else c for c in release.columns)
    names = [column.name for column in columns]
    values = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    return dataclasses.replace(release, columns=columns, table=release.table.rename_columns(names), values=values)


def list_other_column(release: Release) -> Release:
    """List a removed value of a column that has none."""
    column = release.columns[0].name
    rows = pa.table({"column": [column], "value": pa.array([None], pa.string()), "member": ["Alice has the flu"]})
    values = pa.concat_tables([release.values, rows]).sort_by([("column", "ascending"), ("member", "ascending")])
    return dataclasses.replace(release, values=values)


def reverse_simultaneous(release: Release) -> Release:
    """Give two events of one moment in the other order."""
    events, times = (release.table.column(name).to_pylist() for name in ("events", "times"))
    row = next(row for row, labels in enumerate(events) if len(set(labels)) > 1)
    times[row] = [times[row][0]] * len(times[row])
    events[row] = sorted(events[row], reverse=True)
    return with_columns(
        release,
        events=ListColumn.from_lists(events).to_arrow(),
        times=pa.array(times, release.table.schema.field("times").type),
    )


def nudge(cells: list[Any]) -> None:
    """Hide something in the last digits of a share, and take it from another of the same class and interval."""
    at = next(i for i in range(1, len(cells)) if cells[i] < 1 and abs(cells[i] + cells[i - 1] - 1) < 1e-12)
    cells[at] += 1e-12
    cells[at - 1] -= 1e-12


def change_class(column: str, change: Callable[[Any], Any]) -> Callable[[Release], Release]:
    """Change a cell wherever it is published; the first that is not suppressed."""

    def do(release: Release) -> Release:
        cells = release.table.column(column).to_pylist()
        old = next(cell for cell in cells if cell is not None)
        new = change(old)
        return _with_cells(release, column, [new if cell == old else cell for cell in cells])

    return do


def change_one(column: str, change: Callable[[Any], Any]) -> Callable[[Release], Release]:
    """Change a cell of one record."""

    def do(release: Release) -> Release:
        cells = release.table.column(column).to_pylist()
        at = next(at for at, cell in enumerate(cells) if cell is not None)
        cells[at] = change(cells[at])
        return _with_cells(release, column, cells)

    return do


def _with_cells(release: Release, column: str, cells: list[Any]) -> Release:
    kind = release.table.schema.field(column).type
    made = pa.array(cells, pa.string()).dictionary_encode() if pa.types.is_dictionary(kind) else pa.array(cells, kind)
    return with_columns(release, **{column: made})


def drop_columns(release: Release, *names: str) -> Release:
    """Leave columns out, and do not claim anything about them."""
    columns = tuple(column for column in release.columns if column.name not in names)
    claim = release.guarantee
    quasi = tuple(name for name in claim.quasi if name not in names)
    values = release.values.filter(pc.invert(pc.is_in(release.values["column"], value_set=pa.array(names))))
    return dataclasses.replace(
        release,
        columns=columns,
        table=release.table.drop_columns(list(names)),
        values=values,
        guarantee=dataclasses.replace(claim, quasi=quasi),
    )


def play(column: str, role: str) -> Callable[[Release], Release]:
    """Let a column play another part."""

    def do(release: Release) -> Release:
        columns = tuple(dataclasses.replace(c, role=role) if c.name == column else c for c in release.columns)
        return dataclasses.replace(release, columns=columns)

    return do


def list_members(column: str, value: str, *members: str) -> Callable[[Release], Release]:
    """Publish a label with these members in the place of the first one that is generalised, or only list it."""

    def do(release: Release) -> Release:
        def add(rows: list[dict[str, Any]]) -> None:
            rows += [{"column": column, "value": value, "member": member} for member in members]
            rows.sort(key=lambda row: (row["column"], row["value"], row["member"]))

        return values_of(release, add)

    return do


def call_label(release: Release) -> Release:
    """Call a node of the hierarchy by a name that says something, everywhere."""
    old = release.values["value"][0].as_py()
    new = "alice lives here"

    def call(rows: list[dict[str, Any]]) -> None:
        for row in rows:
            row["value"] = new if row["value"] == old else row["value"]
        rows.sort(key=lambda row: (row["column"], row["value"], row["member"]))

    column = release.values["column"][0].as_py()
    cells = [new if cell == old else cell for cell in release.table.column(column).to_pylist()]
    return values_of(_with_cells(release, column, cells), call)


def reorder_columns(release: Release) -> Release:
    columns = release.columns[::-1]
    return dataclasses.replace(release, columns=columns, table=release.table.select([c.name for c in columns]))


def edit_extra_table(change: Callable[[list[dict[str, Any]]], None]) -> Callable[[Release], Release]:
    """Change rows of the further table."""

    def do(release: Release) -> Release:
        name, extra_table = next(iter(release.extra_tables.items()))
        rows = extra_table.table.to_pylist()
        change(rows)
        columns = {}
        for column in extra_table.columns:
            cells = [row[column.name] for row in rows]
            kind = extra_table.table.schema.field(column.name).type
            made = pa.array(cells, pa.string() if pa.types.is_dictionary(kind) else kind)
            columns[column.name] = made.dictionary_encode() if pa.types.is_dictionary(kind) else made
        return dataclasses.replace(release, extra_tables={name: ExtraTable(extra_table.columns, pa.table(columns))})

    return do
