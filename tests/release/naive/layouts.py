"""The long layout, row by row."""

from __future__ import annotations

from sfumato.data.kind import find_kind
from sfumato.release.release import Release


def arrange_long(release: Release, records: list[dict] | None = None) -> list[dict]:
    """Return a row per entry of every list, and one for a record without any."""
    kind = find_kind(release.kind)
    lists = [column for column in release.columns if column.form.history]
    groups: list[list] = []
    for column in lists:
        if column.role == "history":
            groups.append([])
        groups[-1].append(column)
    kept = [column.name for column in release.columns if not column.form.history]
    has_key = any(column.role in {"identifier", "time"} and not column.form.history for column in release.columns)
    widened = any(column.form.cell == "interval" for column in lists)
    names = [kind.entries.get(column.name, column.name) for column in groups[0]]
    rows = []
    for number, record in enumerate(records or release.table.to_pylist(), 1):
        base = {} if has_key else {"record" if "record" not in kept else "record_": number}
        base |= {name: record[name] for name in kept}
        found = []
        for group in groups:
            for entries in zip(*(record[column.name] for column in group), strict=True):
                row = dict(base)
                for column, name, entry in zip(group, names, entries, strict=True):
                    exact = widened and column.role == "time" and column.form.cell != "interval"
                    row[name] = {"lo": entry, "hi": entry} if exact else entry
                if len(groups) > 1:
                    row["part"] = group[0].name
                found.append(row)
        for position, row in enumerate(found, 1):
            if kind.position:
                row[kind.position] = position
        nothing = dict.fromkeys([*names, *(["part"] if len(groups) > 1 else []), *filter(None, [kind.position])])
        rows += found or [base | nothing]
    return rows
