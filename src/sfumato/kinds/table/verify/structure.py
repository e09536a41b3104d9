"""What a release of a table must look like: generalised quasi-identifiers, and other columns as they are."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.checks.classes import Classes
from sfumato.data.coded import MISSING, Coded
from sfumato.data.dataset import Dataset
from sfumato.kinds.table.decode import quasi_columns
from sfumato.kinds.table.verify.extra_tables import EXTRA_TABLE_CHECKS, ORDER_CHECKS, check_extra_columns
from sfumato.release.decode import decode, list_members
from sfumato.release.distinct_cells import combine_chunks
from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.verification.people import GroupSize, count_in_groups
from sfumato.verification.release_checks import Counterexample, ReleaseChecks

__all__ = ["ABOUT_COLUMNS", "CHECKS"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[GroupSize]:
    """Count the people of every class."""
    yield from count_in_groups(Classes.of(decode(release)).group, person)


ABOUT_COLUMNS = "the claim is about the columns that play the part"

_EXACT_TYPES = ("string", "int64", "float64", "date")
_CELL_TYPES = {"interval": ("int64", "float64", "date"), "set": ("string",), "category": ("string",)}
_FIRST_DAY, _LAST_DAY = -719_162, 2_932_896
"""From the year 1 to the year 9999, in days since 1970."""


def _check_columns(release: Release) -> Counterexample:
    """Look for quasi-identifiers that are published exactly, others that are not, and parts that are none."""
    for column in release.columns:
        if not _has_valid_format(column):
            return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    return check_extra_columns(release)


def _has_valid_format(column: PublishedColumn) -> bool:
    form = column.form
    if form.history or form.meaning != "one of":
        return False
    if column.role == "quasi-identifier":
        return form.type in _CELL_TYPES.get(form.cell, ())
    return form.cell == "exact" and form.type in _EXACT_TYPES


def _check_cells(release: Release) -> Counterexample:
    """Look for empty cells where values are exact, for labels that are none, and for numbers and days beyond reach."""
    tables = [("data", ExtraTable(release.columns, release.table)), *release.extra_tables.items()]
    for where, extra_table in tables:
        for column in extra_table.columns:
            counterexample = _find_wrong_cell(extra_table.table.column(column.name), column)
            if counterexample is not None:
                return {"table": where, "column": column.name, **counterexample}
    return None


def _find_wrong_cell(cells: pa.ChunkedArray, column: PublishedColumn) -> Counterexample:
    form = column.form
    if form.cell == "exact" and cells.null_count:
        return {"empty_cells": cells.null_count}
    first = 0
    for chunk in cells.chunks:
        wrong = np.zeros(len(chunk), dtype=bool)
        if form.cell == "category":
            # A label of the dictionary itself may be the one that is missing.
            texts = chunk.cast(pa.string())
            wrong |= pc.and_(texts.is_null(), chunk.indices.is_valid()).to_numpy(zero_copy_only=False)
        elif form.cell == "set":
            row = pc.list_parent_indices(chunk).to_numpy()
            wrong[row[chunk.flatten().is_null().to_numpy(zero_copy_only=False)]] = True
        else:
            sides = [chunk.field(0), chunk.field(1)] if form.cell == "interval" else [chunk]
            for side in sides:
                wrong |= _mark_out_of_range(side, form.type)
        if wrong.any():
            return {"rows": [first + int(np.argmax(wrong)) + 1]}
        first += len(chunk)
    return None


def _mark_out_of_range(values: Any, kind: str) -> npt.NDArray[np.bool_]:
    """Mark numbers that are not finite, a zero with a sign, and days that are no dates."""
    if kind == "float64":
        numbers = values.fill_null(0.0).to_numpy(zero_copy_only=False)
        return np.asarray(~np.isfinite(numbers) | (np.signbit(numbers) & (numbers == 0)))
    if kind == "date":
        days = values.cast(pa.int32()).fill_null(0).to_numpy(zero_copy_only=False)
        return np.asarray((days < _FIRST_DAY) | (days > _LAST_DAY))
    return np.zeros(len(values), dtype=bool)


def _check_ranges(release: Release) -> Counterexample:
    """Look for ranges that run backwards or have one bound only."""
    for column in decode(release).with_role("quasi-identifier"):
        if column.values.low is not None:
            low, high = column.values.bounds
            if (low > high).any():
                return _locate(column, int(np.argmax(low > high)))
            cells = combine_chunks(release.table.column(column.name))
            open_rows = pc.and_(cells.is_valid(), pc.xor(cells.field(0).is_null(), cells.field(1).is_null()))
            if pc.any(open_rows).as_py():
                return {"column": column.name, "rows": [pc.index(open_rows, True).as_py() + 1]}
    return None


def _check_sets(release: Release) -> Counterexample:
    """Look for sets that are empty, not sorted, have a label twice, or the missing value beside another."""
    sets = {column.name for column in quasi_columns(release) if column.form.cell == "set"}
    for column in decode(release).with_role("quasi-identifier"):
        if column.name not in sets:
            continue
        values = column.values
        entry, label = values.entry_of_member, values.members
        wrong = (values.sizes == 0) & ~values.suppressed
        # Labels are numbered by the alphabet.
        wrong[entry[1:][(entry[1:] == entry[:-1]) & (label[1:] <= label[:-1])]] = True
        beside = [code for code, name in enumerate(values.labels) if name == MISSING]
        wrong[entry[np.isin(label, beside) & (values.sizes[entry] > 1)]] = True
        if wrong.any():
            return _locate(column, int(np.argmax(wrong)))
    return None


def _locate(column: Coded, entry: int) -> Counterexample:
    return {"column": column.name, "rows": [int(np.argmax(column.codes == entry)) + 1]}


def _check_labels(release: Release) -> Counterexample:
    """Look for generalised labels that overlap without one being inside the other, or that are members themselves."""
    for column in quasi_columns(release):
        members = list_members(release, column.name)
        below = {member for named in members.values() for member in named}
        both = sorted(below & members.keys())
        if both:
            return {"column": column.name, "labels_that_are_members": len(both)}
        if MISSING in below or MISSING in members:
            return {"column": column.name, "missing_value": "generalised"}
        overlap = _find_overlap(members)
        if overlap is not None:
            return {"column": column.name, "labels": list(overlap)}
    return None


def _find_overlap(members: dict[str, tuple[str, ...]]) -> tuple[str, str] | None:
    """Return two labels that share members although neither is inside the other."""
    # From the widest to the narrowest: all members of a label must then lie in the same label so far.
    inside: dict[str, str | None] = {}
    for label in sorted(members, key=lambda label: (-len(members[label]), label)):
        around = {inside.get(member) for member in members[label]}
        if len(around) > 1:
            return label, next(other for other in sorted(filter(None, around)))
        inside.update(dict.fromkeys(members[label], label))
    return None


def _check_claimed(release: Release) -> Counterexample:
    """Look for a claim about other columns than those that play the part."""
    for parameter, role in (("quasi", "quasi-identifier"), ("sensitive", "sensitive")):
        claimed = getattr(release.guarantee, parameter, None)
        named = sorted(column.name for column in release.columns if column.role == role)
        if claimed is not None and sorted(claimed) != named:
            return {"parameter": parameter, "claimed": sorted(claimed), "columns": named}
    return None


CHECKS = ReleaseChecks(
    roles={"quasi-identifier": range(1, 1 << 20), "sensitive": range(1 << 20), "plain": range(1 << 20)},
    extra_tables=("means", "population", "sensitive-order"),
    check_columns=_check_columns,
    shape_checks=(("cells are values, and none is empty", _check_cells),),
    content_checks=(
        ("ranges run from low to high", _check_ranges),
        ("sets are sorted, and missing values stand alone", _check_sets),
        ("generalised labels lie inside each other or apart", _check_labels),
        (ABOUT_COLUMNS, _check_claimed),
        *EXTRA_TABLE_CHECKS,
    ),
    order_checks=ORDER_CHECKS,
    group_noun="class of equal records",
    find_smallest_groups=find_smallest_groups,
)
