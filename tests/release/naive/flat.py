"""Flat records from the text of ``data.csv``, cell by cell."""

from __future__ import annotations

import csv
import datetime
import io
import re

from tests.release.naive.layouts import arrange_long

from sfumato.data.kind import find_kind
from sfumato.release.release import Release

TEXT = {"set", "category"}


def split(text: str, separator: str) -> list[str]:
    """Split at separators without a backslash before them."""
    partitions, now, escaped = [], "", False
    for character in text:
        if character == separator and not escaped:
            partitions.append(now)
            now = ""
            continue
        escaped = character == "\\" and not escaped
        now += character
    return [*partitions, now]


def unescape(text: str) -> str:
    return re.sub(r"\\(.)", lambda match: {"n": "\n", "r": "\r", "e": ""}.get(match[1], match[1]), text)


def read_value(text: str, type_: str):
    plain = unescape(text)
    if type_ == "timestamp":
        return datetime.datetime.fromisoformat(plain)
    read = {"int64": int, "float64": float, "bool": "true".__eq__, "date": datetime.date.fromisoformat}
    return read.get(type_, str)(plain)


def read_cell(text: str, form):
    """Read a cell; a set stays the text that it is."""
    if text == "*":
        return None
    if form.cell == "interval":
        # In a list the first cell may have a backslash before it.
        lo, hi = [None, None] if text == "[]" else text.strip("\\[]").split("..")
        return {"lo": lo and read_value(lo, form.type), "hi": hi and read_value(hi, form.type)}
    return text if form.cell == "set" else unescape(text) if form.cell == "category" else read_value(text, form.type)


def read_records(text: str, release: Release) -> list[dict]:
    """Return the records of ``data.csv``."""
    rows = []
    for line in csv.DictReader(io.StringIO(text, newline="")):
        row = {}
        for column in release.columns:
            cell = line[column.name]
            if column.form.history:
                row[column.name] = [read_cell(partition, column.form) for partition in split(cell, ";")] if cell else []
            else:
                row[column.name] = read_cell(cell, column.form)
        rows.append(row)
    return rows


def flatten(text: str, release: Release, layout: str) -> list[dict]:
    """Return the flat rows of a layout from the text of ``data.csv``."""
    records = read_records(text, release)
    if layout == "long":
        records = arrange_long(release, records)
    ranges = {
        name for name in records[0] if any(has(row[name], lambda cell: isinstance(cell, dict)) for row in records)
    }
    ranges |= {name_column(column, release, layout) for column in release.columns if column.form.cell == "interval"}
    empty = {"lo": None, "hi": None}
    missing = {name for name in ranges if any(has(row[name], lambda cell: cell == empty) for row in records)}
    return [flatten_row(row, ranges, missing) for row in records]


def name_column(column, release: Release, layout: str) -> str:
    """Return the name of a column in a layout, where the first list of its role names the entries of all."""
    if layout == "wide" or not column.form.history:
        return column.name
    first = next(other.name for other in release.columns if other.form.history and other.role == column.role)
    return find_kind(release.kind).entries.get(first, first)


def has(cell, test) -> bool:
    return any(map(test, cell)) if isinstance(cell, list) else test(cell)


def each(cell, change):
    return list(map(change, cell)) if isinstance(cell, list) else change(cell)


def flatten_row(row: dict, ranges: set[str], missing: set[str]) -> dict:
    flat = {}
    for name, cell in row.items():
        if name not in ranges:
            flat[name] = cell
            continue
        for side in ("lo", "hi"):
            flat[f"{name}_{side}"] = each(cell, lambda inside, side=side: inside and inside[side])
        if name in missing:
            flat[f"{name}_missing"] = each(cell, lambda inside: inside == {"lo": None, "hi": None})
    return flat
