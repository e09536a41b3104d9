"""How a release of a table with sets is forged: its sets of values, and what is sensitive in them."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any

from tests.damage.forging import with_columns

from sfumato.data.lists import ListColumn
from sfumato.release.release import Release

Sets = list[list[str]]


def change_sets(change: Callable[[Release, Sets], None]) -> Callable[[Release], Release]:
    """Change the sets of the records in place, each then sorted again."""

    def do(release: Release) -> Release:
        rows = release.history().lists()
        change(release, rows)
        labels = sorted({label for row in rows for label in row})
        code = {label: at for at, label in enumerate(labels)}
        listed = ListColumn.from_lists([sorted(row) for row in rows])
        codes = [code[listed.labels[old]] for old in listed.codes.tolist()]
        made = ListColumn(listed.offsets, listed.codes.copy(), tuple(labels))
        made.codes[:] = codes
        return with_columns(release, items=made.to_arrow())

    return do


def _hidden(release: Release) -> set[str]:
    return set(getattr(release.guarantee, "sensitive", ()))


def lose_value(release: Release, rows: Sets) -> None:
    """A record loses a value that is not sensitive."""
    row = next(row for row in rows if set(row) - _hidden(release))
    row.remove(sorted(set(row) - _hidden(release))[0])


def gain_value(release: Release, rows: Sets) -> None:
    """A record gains an item that nobody of its class has."""
    rows[0].append("zz-invented")


def repeat_value(release: Release, rows: Sets) -> None:
    row = next(row for row in rows if row)
    row.append(row[0])


def lose_sensitive(release: Release, rows: Sets) -> None:
    row = next(row for row in rows if set(row) & _hidden(release))
    row.remove(sorted(set(row) & _hidden(release))[0])


def gain_sensitive(release: Release, rows: Sets) -> None:
    item = sorted(_hidden(release))[0]
    next(row for row in rows if item not in row).append(item)


def all_sensitive(release: Release, rows: Sets) -> None:
    """Everybody has a sensitive item."""
    item = sorted(_hidden(release))[0]
    for row in rows:
        if item not in row:
            row.append(item)


def exchange_sets(release: Release, rows: Sets) -> None:
    """Two people exchange their sets."""
    other = next(at for at, row in enumerate(rows) if row != rows[0])
    rows[0], rows[other] = rows[other], rows[0]


def list_sensitive_member(release: Release) -> Release:
    """Say that a generalised value may be a sensitive item."""
    rows = release.values.to_pylist()
    value = next(row["value"] for row in rows if row["column"] == "items")
    rows.append({"column": "items", "value": value, "member": sorted(_hidden(release))[0]})
    rows.sort(key=lambda row: (row["column"], row["value"] is None, row["value"] or "", row["member"]))
    return dataclasses.replace(release, values=type(release.values).from_pylist(rows, release.values.schema))


def other_quasi(release: Release) -> Release:
    """Claim something about fewer columns."""
    claim: Any = release.guarantee
    return dataclasses.replace(release, guarantee=dataclasses.replace(claim, quasi=claim.quasi[:1]))
