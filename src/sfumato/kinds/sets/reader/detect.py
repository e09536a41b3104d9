"""Detection of files with sets of items."""

from __future__ import annotations

import re
from typing import Any

from sfumato.data.dataset import Dataset
from sfumato.kinds.sets.reader.items import format_separator
from sfumato.kinds.sets.reader.transactions import is_spmf_text, recognise_separator
from sfumato.kinds.sets.reader.values import WORDS
from sfumato.readers.detect import Detection, FileProfile
from sfumato.readers.layouts import is_spmf

__all__ = ["detect", "protect"]

_METHOD = ("disassociation", {"k": 5, "m": 2})
_MIN_ROWS = 5
_DATED = re.compile(r"\d{4}-\d\d|\d:\d\d")


def detect(preview: FileProfile) -> Detection | None:
    """Take files for sets that hold one record per line, or say who has which item.

    Examples
    --------
    >>> found = detect(FileProfile(None, "baskets.dat", "csv", ("1 2 3", "2", "5 6")))
    >>> found.score, found.options
    (95, {})
    """
    mark = recognise_separator(preview.lines) if preview.lines else None
    if mark is not None and not is_spmf(preview.lines) and _has_uneven_lines(preview, mark):
        reasons = [
            "Lines hold different numbers of items, which are numbers, "
            f"separated by {format_separator(mark)}: a record each."
        ]
        return Detection("sets", 95, {}, reasons, *_METHOD, of_lines=True)
    if is_spmf_text(preview.lines):
        reasons = ["Lines are SPMF text; read as sets, their order does not matter."]
        return Detection("sets", 60, {}, reasons, *_METHOD, of_lines=True)
    return _detect_lines(preview) or _detect_pairs(preview) or _detect_table(preview)


def _has_uneven_lines(preview: FileProfile, mark: str) -> bool:
    counts = {len(line.strip(f"{mark}\r\n ").split(None if mark == " " else mark)) for line in preview.lines}
    return len(counts) > 1


def _detect_lines(preview: FileProfile) -> Detection | None:
    """Take lines of names for records, where the same names stand in different places of different lines."""
    if preview.rows is not None and len(preview.rows.column_names) > 1:
        return None
    for mark in (",", ";", "|", "\t"):
        rows = [[cell.strip() for cell in line.split(mark) if cell.strip()] for line in preview.lines]
        lengths = {len(row) for row in rows}
        if len(lengths) < 3 or len(rows) < _MIN_ROWS or any(_DATED.search(line) for line in preview.lines):
            continue
        places: dict[str, set[int]] = {}
        for row in rows:
            for at, cell in enumerate(row):
                places.setdefault(cell, set()).add(at)
        moving = sum(len(positions) > 1 for positions in places.values())
        again = sum(len(row) for row in rows) / max(len(places), 1)
        if moving >= 3 and again > 1.5:
            reasons = [
                f"Lines hold different numbers of cells, separated by {format_separator(mark)}, and the same ones in "
                "different places: a line is a record and a cell an item."
            ]
            options = {"format": "transactions", "separator": mark}
            return Detection("sets", 90, options, reasons, *_METHOD, of_lines=True)
    return None


def _detect_pairs(preview: FileProfile) -> Detection | None:
    """Take two columns of numbers without names for people and items, where people have several rows."""
    header = preview.read_options.get("header", ())
    if len(header) != 2 or any(column.shape != "whole" for column in preview.columns.values()):
        return None
    if not preview.columns[header[0]].repeats:
        return None
    reasons = ["There are two columns of numbers; those of the first repeat: people, and their items."]
    options = {"header": ["person", "item"], "format": "csv"}
    return Detection("sets", 62, options, reasons, *_METHOD)


def _detect_table(preview: FileProfile) -> Detection | None:
    roles = preview.find_roles(WORDS)
    person_column = roles.get("person") or roles.get("transaction")
    item = roles.get("item") or roles.get("items")
    if person_column is None or item is None or not (preview.columns[person_column].repeats or "items" in roles):
        return None
    chosen = {"person": person_column, "item" if "item" in roles else "items": item}
    reasons = [f"`{person_column}` is read as person and `{item}` as item by their names."]
    options: dict[str, Any] = {"columns": chosen, "drop": ["*"]}
    more, why = preview.suggest_missing(list(chosen.values()))
    return Detection("sets", 75, options | more, reasons + why, *_METHOD)


def protect(detection: Detection, dataset: Dataset) -> Detection:
    """Bound how likely sensitive items are, by as many records as match."""
    if not dataset.schema.sensitive:
        return detection
    k = detection.parameters["k"]
    return detection.add(
        f"Sensitive items are published separately, each for a group of at least {k} records (l).", l=k
    )
