"""What a release of timed event sequences must look like: monitored categories with intervals, events with times.

Where other events are blurred, a pair of columns between these two tells of them: events with intervals.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.kinds.sequences.decode import SequenceColumns, Stretches, TimedRecords, find_columns, read_lists
from sfumato.kinds.sequences.verify.classes import find_smallest_groups
from sfumato.release.release import Release
from sfumato.verification.order import find_disorder
from sfumato.verification.release_checks import Counterexample, Findings, ReleaseChecks

__all__ = ["CHECKS"]

Ints = npt.NDArray[np.int64]

_LATEST = 1 << 61


def _check_columns(release: Release) -> Counterexample:
    """Look for columns other than categories with intervals, and events with times of the same type."""
    fits = {"history": ({"category"}, {"string"}), "time": ({"interval", "exact"}, {"int64", "timestamp"})}
    for column in release.columns:
        if column.role in fits:
            cells, kinds = fits[column.role]
            if not (column.form.history and column.form.cell in cells and column.form.type in kinds):
                return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    times = [column.form for column in release.columns if column.role == "time"]
    histories = sum(column.role == "history" for column in release.columns)
    exact = [form.cell for form in times].count("exact")
    if exact != 1 or len(times) != histories or len({form.type for form in times}) > 1:
        return {"role": "time", "forms": [form.cell for form in times], "types": [form.type for form in times]}
    return None


def _check_alignment(release: Release) -> Counterexample:
    """Look for lists of times that are not as long as the lists they go with."""
    names = find_columns(release)
    pairs = [(names.monitored, names.intervals), (names.events, names.times)]
    if names.blurred is not None and names.stretches is not None:
        pairs.append((names.blurred, names.stretches))
    for pair in pairs:
        offsets = [read_lists(release.table.column(name))[0] for name in pair]
        wrong = np.diff(offsets[0]) != np.diff(offsets[1])
        if wrong.any():
            return {"columns": list(pair), "rows": [int(np.argmax(wrong)) + 1]}
    return None


def _check_times(release: Release) -> Counterexample:
    """Look for intervals that end before they begin or meet the next of the record, and times out of order."""
    names, records = find_columns(release), TimedRecords.of(release)
    times = records.entries.times
    for column, numbers in ((names.intervals, records.lo), (names.intervals, records.hi), (names.times, times)):
        if len(numbers) and not -_LATEST <= int(numbers.min()) <= int(numbers.max()) <= _LATEST:
            return {"column": column, "largest": _LATEST}
    reversed_bounds = records.cover.row_of_token[records.lo > records.hi]
    wrong = np.union1d(reversed_bounds, _not_ascending(records.cover, records.lo, records.hi))
    if len(wrong):
        return {"column": names.intervals, "rows": [int(records.rows_of(wrong)[0]) + 1]}
    rows = _not_ascending(records.entries.events, times, times - 1)
    if len(rows):
        return {"column": names.times, "rows": [int(rows[0]) + 1]}
    return None if names.blurred is None else _check_stretches(release, names)


def _check_stretches(release: Release, names: SequenceColumns) -> Counterexample:
    """Look for intervals of blurred events that end before they begin, or meet another one of the same event."""
    stretches = Stretches.read(release.table.column(names.blurred), release.table.column(names.stretches))
    for numbers in (stretches.lo, stretches.hi):
        if len(numbers) and not -_LATEST <= int(numbers.min()) <= int(numbers.max()) <= _LATEST:
            return {"column": names.stretches, "largest": _LATEST}
    rows, codes = stretches.events.row_of_token, stretches.events.codes
    order = np.lexsort((stretches.lo, codes, rows))
    same = (np.diff(rows[order]) == 0) & (np.diff(codes[order]) == 0)
    wrong = np.concatenate(
        [
            rows[stretches.lo > stretches.hi],
            rows[order][1:][same & (stretches.lo[order][1:] <= stretches.hi[order][:-1])],
        ]
    )
    return {"column": names.stretches, "rows": [int(wrong.min()) + 1]} if len(wrong) else None


def _not_ascending(lists: ListColumn, begin: Ints, end: Ints) -> Ints:
    """Return the rows where an entry does not begin after the one before it has ended."""
    rows = lists.row_of_token
    wrong = (begin[1:] <= end[:-1]) & (rows[1:] == rows[:-1])
    return np.unique(rows[1:][wrong])


def _check_categories(release: Release) -> Counterexample:
    """Look for categories that stand for anything but monitored events."""
    monitored = set(getattr(release.guarantee, "monitored", ()))
    for value, events in release.meanings().items():
        if not monitored.issuperset(events):
            return {"value": value}
    return None


def _check_entry_order(release: Release) -> Findings:
    """Look for events of a moment that are not in the order of the alphabet."""
    entries = TimedRecords.of(release).entries
    yield from find_disorder(entries.times, entries.events)
    columns = find_columns(release)
    if columns.blurred is not None and columns.stretches is not None:
        stretches = Stretches.read(release.table.column(columns.blurred), release.table.column(columns.stretches))
        # Intervals in the order of both ends; those that are alike, in the order of the alphabet.
        number = np.unique(np.column_stack([stretches.lo, stretches.hi]), axis=0, return_inverse=True)[1].reshape(-1)
        yield from find_disorder(number.astype(np.int64), stretches.events)


CHECKS = ReleaseChecks(
    roles={"identifier": (1,), "history": (2, 3), "time": (2, 3)},
    column_names=("person", "monitored", "monitored_times", "blurred", "blurred_times", "events", "times"),
    # Who did nothing a receiver monitors, or nothing else, is published all the same.
    empty_histories=True,
    check_columns=_check_columns,
    shape_checks=(("times go with their events", _check_alignment), ("times are in order", _check_times)),
    content_checks=(("categories are listed or monitored events", _check_categories),),
    order_checks=(_check_entry_order,),
    group_noun="group",
    find_smallest_groups=find_smallest_groups,
)
