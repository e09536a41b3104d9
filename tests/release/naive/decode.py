"""What the cells of ``data.csv`` may be, read cell by cell from its text."""

from __future__ import annotations

import csv
import datetime
import json
from pathlib import Path
from typing import Any

from tests.release.naive.flat import split, unescape


def read_rows(path: Path) -> list[dict[str, str]]:
    with path.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


def place(text: str, kind: str) -> Any:
    """Return where a number or a day lies; days are counted from 1970."""
    if kind == "date":
        return (datetime.date.fromisoformat(text) - datetime.date(1970, 1, 1)).days
    return float(text) if kind == "float64" else int(text)


def read_cell(text: str, form: dict[str, Any], members: dict[str, list[str]]) -> Any:
    """Return what a cell may be: anything, nothing, a range, or one of some labels."""
    cell, kind = form["cell"], form["type"]
    if text == "*":
        return "anything"
    if cell == "interval":
        if text == "[]":
            return "missing"
        low, high = text[1:-1].split("..")
        return ("between", place(low, kind), place(high, kind))
    if cell == "set":
        inside = text[1:-1]
        return ("one of", [unescape(part) for part in split(inside, "|")] if inside else [])
    if kind != "string":
        return ("between", place(text, kind), place(text, kind))
    label = unescape(text)
    return ("one of", members.get(label, [label]) if cell == "category" else [label])


def read_columns(folder: Path) -> dict[str, list[Any]]:
    """Return for every column what each of its cells may be; of a column of lists, what each entry may be."""
    manifest = json.loads((folder / "release.json").read_text("utf-8"))
    members: dict[str, dict[str, list[str]]] = {}
    for row in read_rows(folder / "values.csv"):
        if row["value"] != "*":
            listed = members.setdefault(unescape(row["column"]), {})
            listed.setdefault(unescape(row["value"]), []).append(unescape(row["member"]))
    rows = read_rows(folder / "data.csv")
    columns = {}
    for column in manifest["columns"]:
        name, form = column["name"], {"cell": column["form"], "type": column["type"]}
        texts, named = [row[name] for row in rows], members.get(name, {})
        if column["role"] == "history":
            lists = [split(text, ";") if text else [] for text in texts]
            columns[name] = [[read_cell(part, form, named) for part in parts] for parts in lists]
        else:
            columns[name] = [read_cell(text, form, named) for text in texts]
    return columns
