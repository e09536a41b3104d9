"""What every release must keep, whatever it promises: it can be read, and its parts agree."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.base.verdict import Verdict
from sfumato.checks.cache import cached
from sfumato.release.release import PublishedColumn, Release
from sfumato.release.text import ValueFormat
from sfumato.verification.release_checks import Check, Counterexample, find_checks

__all__ = ["verify_structure"]

READABLE = "readable"
COUNTS = "counts agree"


@cached
def verify_structure(release: Release) -> Verdict:
    """Check that a release can be read and does not contradict itself.

    The entry ``readable`` of the checks says whether its histories can be counted at all; where they cannot,
    the checks of the content are not made. A witness names published rows (from 1) and published values.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.data.lists import ListColumn
    >>> from sfumato.release.release import PublishedColumn
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> columns = (
    ...     PublishedColumn("person", "identifier", ValueFormat("exact")),
    ...     PublishedColumn("places", "history", ValueFormat("category", history=True)),
    ... )
    >>> people = pa.table({"person": ["x", "x"], "places": ListColumn.from_lists([["a"], ["a"]]).to_arrow()})
    >>> values = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    >>> verdict = verify_structure(
    ...     Release("trajectories", "by-hand", KmAnonymity(k=2, m=1), columns, people, values, records_in=2)
    ... )
    >>> verdict.holds, verdict.counterexample
    (False, {'check': 'pseudonyms are distinct', 'rows': [1, 2]})
    """
    checks: dict[str, bool] = {}
    counterexample: Counterexample = None
    for name, check in _list_shape_checks(release):
        fault = check(release)
        checks[name] = fault is None
        if fault is not None:
            # Later checks read what this one found unreadable.
            return Verdict(False, {}, {}, {"check": name, **fault}, {**checks, READABLE: False})
    checks[READABLE] = True
    for name, check in (*_content_checks, *find_checks(release.kind).content_checks):
        fault = check(release)
        checks[name] = fault is None
        if fault is not None and counterexample is None:
            counterexample = {"check": name, **fault}
    return Verdict(counterexample is None, {}, {}, counterexample, checks)


def _list_shape_checks(release: Release) -> Iterator[Check]:
    """Yield what must hold before anything is read; a kind is asked only once it is known to be that of the claim."""
    yield from _shape_checks
    yield from find_checks(release.kind).shape_checks


def _check_guarantee(release: Release) -> Counterexample:
    if release.kind in release.guarantee.kinds:
        return None
    return {"kind": release.kind, "guarantee": release.guarantee.name}


def _check_columns(release: Release) -> Counterexample:
    fault = _check_names(release.columns, release.table)
    if fault is not None:
        return fault
    special = find_checks(release.kind)
    for role, allowed in special.roles.items():
        count = sum(column.role == role for column in release.columns)
        if count not in allowed:
            return {"role": role, "columns": count}
    for column in release.columns:
        if column.role not in special.roles:
            return {"column": column.name, "role": column.role}
    return special.check_columns(release)


def _check_names(columns: tuple[PublishedColumn, ...], table: pa.Table) -> Counterexample:
    declared = [column.name for column in columns]
    if len(set(declared)) < len(declared) or sorted(declared) != sorted(table.column_names):
        return {"declared": declared, "found": table.column_names}
    return None


def _check_types(release: Release) -> Counterexample:
    return _check_formats(release.columns, release.table)


def _check_formats(columns: tuple[PublishedColumn, ...], table: pa.Table) -> Counterexample:
    for column in columns:
        arrow_type = table.column(column.name).type
        if not _fits(arrow_type, column.form):
            return {"column": column.name, "declared": str(column.form.arrow), "found": str(arrow_type)}
    return None


def _fits(arrow_type: Any, form: ValueFormat) -> bool:
    """Tell whether a column has the type its form calls for; wide offsets and element names do not matter."""
    if form.history:
        return _is_list(arrow_type) and _fits(arrow_type.value_type, ValueFormat(form.cell, form.type))
    wanted: Any = form.arrow
    if form.cell == "category":
        return pa.types.is_dictionary(arrow_type) and _is_text(arrow_type.value_type)
    if form.cell == "set":
        return _is_list(arrow_type) and (arrow_type.value_type == wanted.value_type)
    return bool(arrow_type == wanted) or (_is_text(arrow_type) and _is_text(wanted))


def _is_list(arrow_type: pa.DataType) -> bool:
    return bool(pa.types.is_list(arrow_type) or pa.types.is_large_list(arrow_type))


def _is_text(arrow_type: pa.DataType) -> bool:
    return bool(pa.types.is_string(arrow_type) or pa.types.is_large_string(arrow_type))


def _check_nulls(release: Release) -> Counterexample:
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


def _check_labels(release: Release) -> Counterexample:
    """Look for a label that a dictionary lists twice: it would be counted as two values."""
    tables = {"": (release.columns, release.table)}
    tables |= {name: (extra_table.columns, extra_table.table) for name, extra_table in release.extra_tables.items()}
    for name, (columns, table) in tables.items():
        for column in columns:
            for chunk in table.column(column.name).chunks:
                cells = chunk.values if _is_list(chunk.type) else chunk
                labels = cells.dictionary.to_pylist() if pa.types.is_dictionary(cells.type) else []
                distinct = len(set(labels))
                if distinct < len(labels):
                    where = {"part": name} if name else {}
                    return {**where, "column": column.name, "labels": len(labels), "distinct_labels": distinct}
    return None


def _check_values_table(release: Release) -> Counterexample:
    names = ["column", "value", "member"]
    if release.values.column_names != names:
        return {"declared": names, "found": release.values.column_names}
    for name in names:
        column = release.values.column(name)
        if not _is_text(column.type):
            return {"column": name, "found": str(column.type)}
        if name != "value" and column.null_count:
            return {"column": name, "empty_cells": column.null_count}
    column_names = {column.name for column in release.columns}
    unknown = sorted({str(name) for name in release.values.column("column").to_pylist()} - column_names)
    return {"unknown_columns": unknown} if unknown else None


def _check_extra_tables(release: Release) -> Counterexample:
    allowed = find_checks(release.kind).extra_tables
    for name, extra_table in release.extra_tables.items():
        if name not in allowed:
            return {"part": name, "allowed": sorted(allowed)}
        fault = _check_names(extra_table.columns, extra_table.table) or _check_formats(
            extra_table.columns, extra_table.table
        )
        if fault is not None:
            return {"part": name, **fault}
    return None


def _check_counts(release: Release) -> Counterexample:
    suppressed_records = list(release.suppressed_records.values())
    # Only reasons that apply are listed: others could say anything.
    counts = all(isinstance(count, int) and count > 0 for count in suppressed_records)
    if release.published is not None and not release.extra_tables:
        return {"published": release.published, "rows": release.table.num_rows}
    if counts and len(release) + sum(suppressed_records) == release.records_in:
        return None
    return {"published": len(release), "withheld": suppressed_records, "records_in": release.records_in}


def _check_somebody(release: Release) -> Counterexample:
    return None if len(release) else {"published": 0}


def _check_pseudonyms(release: Release) -> Counterexample:
    for column in release.columns:
        if column.role == "identifier":
            names = release.table.column(column.name)
            if len(names.unique()) < len(names):
                rows: dict[Any, int] = {}
                for row, name in enumerate(names.to_pylist(), 1):
                    if rows.setdefault(name, row) != row:
                        return {"rows": [rows[name], row]}
    return None


def _check_histories(release: Release) -> Counterexample:
    if find_checks(release.kind).empty_histories or not any(column.role == "history" for column in release.columns):
        return None
    lengths = release.history().lengths
    return None if lengths.all() else {"rows": [int(np.argmin(lengths)) + 1]}


def _check_generalised(release: Release) -> Counterexample:
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
    members: dict[tuple[str, str | None], list[str]] = {}
    for row in release.values.to_pylist():
        members.setdefault((row["column"], row["value"]), []).append(row["member"])
    return members


def _check_suppressed(release: Release) -> Counterexample:
    """Look for values that stand for one listed as removed, and values listed as removed twice."""
    if not any(column.role == "history" for column in release.columns):
        return None
    gone = release.suppressed()
    if len(set(gone)) < len(gone):
        return {"listed": len(gone), "distinct": len(set(gone))}
    removed = set(gone)
    for value, members in release.meanings().items():
        if not removed.isdisjoint(members):
            return {"value": value}
    return None


_shape_checks: tuple[Check, ...] = (
    ("the claim is one about such data", _check_guarantee),
    ("columns are the declared ones", _check_columns),
    ("types are the declared ones", _check_types),
    ("no cell is empty", _check_nulls),
    ("values table can be read", _check_values_table),
    ("parts are the declared ones", _check_extra_tables),
    ("a dictionary lists a label once", _check_labels),
)

_content_checks: tuple[Check, ...] = (
    (COUNTS, _check_counts),
    ("something is published", _check_somebody),
    ("pseudonyms are distinct", _check_pseudonyms),
    ("no history is empty", _check_histories),
    ("generalised values have members of their own", _check_generalised),
    ("suppressed values are gone", _check_suppressed),
)
