"""What every release must keep, whatever it promises: it can be read, and its parts agree."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.core.forms import Form
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.core.timed_records import TimedRecords, read_lists, sequence_columns
from sfumato.core.verdict import Verdict

__all__ = ["verify_structure"]

Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None

READABLE = "readable"
COUNTS = "counts agree"
_LATEST = 1 << 61

_ROLES = {
    "trajectories": {"identifier": (1,), "history": (1,)},
    "sequences": {"identifier": (1,), "history": (2,), "time": (2,)},
}


def verify_structure(release: Release) -> Verdict:
    """Check that a release can be read and does not contradict itself.

    The entry ``readable`` of the checks says whether its histories can be counted at all; where they cannot,
    the checks of the content are not made. A witness names published rows (from 1) and published values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.core.ragged import Ragged
    >>> from sfumato.core.release import PublishedColumn
    >>> from sfumato.guarantees.km_anonymity import KmAnonymity
    >>> columns = (
    ...     PublishedColumn("person", "identifier", Form("exact")),
    ...     PublishedColumn("places", "history", Form("category", history=True)),
    ... )
    >>> people = pa.table({"person": ["x", "x"], "places": Ragged.from_lists([["a"], ["a"]]).to_arrow()})
    >>> values = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    >>> verdict = verify_structure(
    ...     Release("trajectories", "by-hand", KmAnonymity(k=2, m=1), columns, people, values, records_in=2)
    ... )
    >>> verdict.holds, verdict.witness
    (False, {'check': 'pseudonyms are distinct', 'rows': [1, 2]})
    """
    checks: dict[str, bool] = {}
    witness: Witness = None
    for name, look in _shape_checks:
        found = look(release)
        checks[name] = found is None
        if found is not None:
            # Later checks read what this one found unreadable.
            return Verdict(False, {}, {}, {"check": name, **found}, {**checks, READABLE: False})
    checks[READABLE] = True
    for name, look in _content_checks:
        found = look(release)
        checks[name] = found is None
        if found is not None and witness is None:
            witness = {"check": name, **found}
    return Verdict(witness is None, {}, {}, witness, checks)


def _check_columns(release: Release) -> Witness:
    declared = [column.name for column in release.columns]
    if len(set(declared)) < len(declared) or sorted(declared) != sorted(release.table.column_names):
        return {"declared": declared, "found": release.table.column_names}
    wanted = _ROLES.get(release.kind, {"identifier": (0, 1), "history": (0, 1)})
    for role, allowed in wanted.items():
        count = sum(column.role == role for column in release.columns)
        if count not in allowed:
            return {"role": role, "columns": count}
    return _check_sequence_columns(release) if release.kind == "sequences" else None


def _check_sequence_columns(release: Release) -> Witness:
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


def _check_types(release: Release) -> Witness:
    for column in release.columns:
        found = release.table.column(column.name).type
        if not _fits(found, column.form):
            return {"column": column.name, "declared": str(column.form.arrow), "found": str(found)}
    return None


def _fits(found: Any, form: Form) -> bool:
    """Tell whether a column has the type its form calls for; wide offsets and element names do not matter."""
    if form.history:
        return _is_list(found) and _fits(found.value_type, Form(form.cell, form.type))
    wanted: Any = form.arrow
    if form.cell == "category":
        return pa.types.is_dictionary(found) and _is_text(found.value_type)
    if form.cell == "set":
        return _is_list(found) and (found.value_type == wanted.value_type)
    return bool(found == wanted) or (_is_text(found) and _is_text(wanted))


def _is_list(found: pa.DataType) -> bool:
    return bool(pa.types.is_list(found) or pa.types.is_large_list(found))


def _is_text(found: pa.DataType) -> bool:
    return bool(pa.types.is_string(found) or pa.types.is_large_string(found))


def _check_nulls(release: Release) -> Witness:
    for column in release.columns:
        if column.role in {"identifier", "history", "time"}:
            first = 0
            for chunk in release.table.column(column.name).chunks:
                empty = _rows_with_nulls(chunk)
                if empty.any():
                    return {"column": column.name, "rows": [first + int(np.argmax(empty)) + 1]}
                first += len(chunk)
    return None


def _rows_with_nulls(chunk: Any) -> npt.NDArray[np.bool_]:
    empty = chunk.is_null().to_numpy(zero_copy_only=False).copy()
    if _is_list(chunk.type):
        cells = chunk.flatten()
        if pa.types.is_dictionary(cells.type):
            # A label of the dictionary itself may be the one that is missing.
            cells = cells.dictionary.take(cells.indices) if cells.dictionary.null_count else cells.indices
        inside = cells.is_null().to_numpy(zero_copy_only=False)
        if pa.types.is_struct(cells.type):
            bounds = [bound.is_null().to_numpy(zero_copy_only=False) for bound in cells.flatten()]
            inside = np.logical_or.reduce(bounds)
        empty[pc.list_parent_indices(chunk).to_numpy()[inside]] = True
    return np.asarray(empty)


def _check_values_table(release: Release) -> Witness:
    names = ["column", "value", "member"]
    if release.values.column_names != names:
        return {"declared": names, "found": release.values.column_names}
    for name in names:
        column = release.values.column(name)
        if not _is_text(column.type):
            return {"column": name, "found": str(column.type)}
        if name != "value" and column.null_count:
            return {"column": name, "empty_cells": column.null_count}
    known = {column.name for column in release.columns}
    unknown = sorted({str(name) for name in release.values.column("column").to_pylist()} - known)
    return {"unknown_columns": unknown} if unknown else None


def _check_alignment(release: Release) -> Witness:
    """Look for lists of times that are not as long as the lists they go with."""
    if release.kind != "sequences":
        return None
    names = sequence_columns(release)
    for pair in ((names.monitored, names.intervals), (names.events, names.times)):
        offsets = [read_lists(release.table.column(name))[0] for name in pair]
        wrong = np.diff(offsets[0]) != np.diff(offsets[1])
        if wrong.any():
            return {"columns": list(pair), "rows": [int(np.argmax(wrong)) + 1]}
    return None


def _check_times(release: Release) -> Witness:
    """Look for intervals that end before they begin or meet the next of the record, and times out of order."""
    if release.kind != "sequences":
        return None
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


def _check_counts(release: Release) -> Witness:
    withheld = list(release.withheld.values())
    counts = all(isinstance(count, int) and count >= 0 for count in withheld)
    if counts and len(release) + sum(withheld) == release.records_in:
        return None
    return {"published": len(release), "withheld": withheld, "records_in": release.records_in}


def _check_somebody(release: Release) -> Witness:
    return None if len(release) else {"published": 0}


def _check_pseudonyms(release: Release) -> Witness:
    for column in release.columns:
        if column.role == "identifier":
            names = release.table.column(column.name)
            if len(names.unique()) < len(names):
                rows: dict[Any, int] = {}
                for row, name in enumerate(names.to_pylist(), 1):
                    if rows.setdefault(name, row) != row:
                        return {"rows": [rows[name], row]}
    return None


def _check_histories(release: Release) -> Witness:
    # Who did nothing a receiver monitors, or nothing else, is published all the same.
    if release.kind == "sequences" or not any(column.role == "history" for column in release.columns):
        return None
    lengths = release.history().lengths
    return None if lengths.all() else {"rows": [int(np.argmin(lengths)) + 1]}


def _check_generalised(release: Release) -> Witness:
    """Look for values with fewer than two members, a member twice, or the members of another value."""
    same: dict[tuple[str, frozenset[str]], str] = {}
    for (column, value), members in _listed(release).items():
        if value is None:
            continue
        if len(set(members)) < max(len(members), 2):
            return {"value": value, "members": len(members), "distinct_members": len(set(members))}
        twin = same.setdefault((column, frozenset(members)), value)
        if twin != value:
            return {"values": [twin, value], "members": len(members)}
    return None


def _listed(release: Release) -> dict[tuple[str, str | None], list[str]]:
    found: dict[tuple[str, str | None], list[str]] = {}
    for row in release.values.to_pylist():
        found.setdefault((row["column"], row["value"]), []).append(row["member"])
    return found


def _published_places(release: Release) -> dict[str, tuple[str, ...]]:
    """Return the places each published history value stands for."""
    members = release.members()
    history = release.history()
    used = np.unique(history.codes).tolist()
    return {history.labels[code]: members.get(history.labels[code], (history.labels[code],)) for code in used}


def _check_suppressed(release: Release) -> Witness:
    """Look for values that stand for a place listed as removed, and places listed as removed twice."""
    if not any(column.role == "history" for column in release.columns):
        return None
    gone = release.suppressed()
    if len(set(gone)) < len(gone):
        return {"listed": len(gone), "distinct": len(set(gone))}
    removed = set(gone)
    for value, places in _published_places(release).items():
        if not removed.isdisjoint(places):
            return {"value": value}
    return None


def _check_categories(release: Release) -> Witness:
    """Look for categories that stand for no monitored event."""
    if release.kind != "sequences":
        return None
    monitored = set(getattr(release.guarantee, "monitored", ()))
    for value, events in _published_places(release).items():
        if monitored.isdisjoint(events):
            return {"value": value}
    return None


def _check_places(release: Release) -> Witness:
    if release.places is None:
        return None
    if "place" not in release.places.column_names:
        return {"found": release.places.column_names}
    described = set(release.places.column("place").to_pylist())
    for value, places in _published_places(release).items():
        if not described.issuperset(places):
            return {"value": value}
    return None


_Check = tuple[str, Callable[[Release], Witness]]

_shape_checks: tuple[_Check, ...] = (
    ("columns are the declared ones", _check_columns),
    ("types are the declared ones", _check_types),
    ("no cell is empty", _check_nulls),
    ("values table can be read", _check_values_table),
    ("times go with their events", _check_alignment),
    ("times are in order", _check_times),
)

_content_checks: tuple[_Check, ...] = (
    (COUNTS, _check_counts),
    ("somebody is published", _check_somebody),
    ("pseudonyms are distinct", _check_pseudonyms),
    ("no history is empty", _check_histories),
    ("generalised values have members of their own", _check_generalised),
    ("suppressed places are gone", _check_suppressed),
    ("categories are listed or monitored events", _check_categories),
    ("places are described", _check_places),
)
