"""What a release of timed event sequences must look like: monitored categories with intervals, events with times."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.core.timed_records import TimedRecords, read_lists, sequence_columns
from sfumato.verify.shapes import Check, Witness

__all__ = ["CONTENT_CHECKS", "EMPTY_HISTORIES", "ROLES", "SHAPE_CHECKS", "check_columns"]

Ints = npt.NDArray[np.int64]

_LATEST = 1 << 61

ROLES = {"identifier": (1,), "history": (2,), "time": (2,)}
EMPTY_HISTORIES = True
"""Who did nothing a receiver monitors, or nothing else, is published all the same."""


def check_columns(release: Release) -> Witness:
    """Look for columns other than categories with intervals, and events with times of the same type."""
    fits = {"history": ({"category"}, {"string"}), "time": ({"interval", "exact"}, {"int64", "timestamp"})}
    for column in release.columns:
        if column.role in fits:
            cells, kinds = fits[column.role]
            if not (column.form.history and column.form.cell in cells and column.form.type in kinds):
                return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    times = [column.form for column in release.columns if column.role == "time"]
    if times[0].cell == times[1].cell or times[0].type != times[1].type:
        return {"role": "time", "forms": [form.cell for form in times], "types": [form.type for form in times]}
    return None


def _check_alignment(release: Release) -> Witness:
    """Look for lists of times that are not as long as the lists they go with."""
    names = sequence_columns(release)
    for pair in ((names.monitored, names.intervals), (names.events, names.times)):
        offsets = [read_lists(release.table.column(name))[0] for name in pair]
        wrong = np.diff(offsets[0]) != np.diff(offsets[1])
        if wrong.any():
            return {"columns": list(pair), "rows": [int(np.argmax(wrong)) + 1]}
    return None


def _check_times(release: Release) -> Witness:
    """Look for intervals that end before they begin or meet the next of the record, and times out of order."""
    names, records = sequence_columns(release), TimedRecords.of(release)
    times = records.entries.times
    for column, numbers in ((names.intervals, records.lo), (names.intervals, records.hi), (names.times, times)):
        if len(numbers) and not -_LATEST <= int(numbers.min()) <= int(numbers.max()) <= _LATEST:
            return {"column": column, "largest": _LATEST}
    reversed_bounds = records.cover.row_of_token[records.lo > records.hi]
    wrong = np.union1d(reversed_bounds, _not_ascending(records.cover, records.lo, records.hi))
    if len(wrong):
        return {"column": names.intervals, "rows": [int(records.rows_of(wrong)[0]) + 1]}
    rows = _not_ascending(records.entries.events, times, times - 1)
    return {"column": names.times, "rows": [int(rows[0]) + 1]} if len(rows) else None


def _not_ascending(lists: Ragged, begin: Ints, end: Ints) -> Ints:
    """Return the rows where an entry does not begin after the one before it has ended."""
    rows = lists.row_of_token
    wrong = (begin[1:] <= end[:-1]) & (rows[1:] == rows[:-1])
    return np.unique(rows[1:][wrong])


def _check_categories(release: Release) -> Witness:
    """Look for categories that stand for anything but monitored events."""
    monitored = set(getattr(release.guarantee, "monitored", ()))
    for value, events in release.meanings().items():
        if not monitored.issuperset(events):
            return {"value": value}
    return None


SHAPE_CHECKS: tuple[Check, ...] = (
    ("times go with their events", _check_alignment),
    ("times are in order", _check_times),
)

CONTENT_CHECKS: tuple[Check, ...] = (("categories are listed or monitored events", _check_categories),)
