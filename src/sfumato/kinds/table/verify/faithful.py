"""Nothing invented, nothing swapped, for tables: cells hold what their people have, and the rest is as it was."""

from __future__ import annotations

import math
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import SHOWN_ROWS, Verdict
from sfumato.checks.values import group_values, list_exact
from sfumato.data.dataset import Dataset
from sfumato.kinds.table.dataset import MISSING, Attribute, attribute_of
from sfumato.kinds.table.decode import exact_column, quasi_columns
from sfumato.kinds.table.verify.extra_tables import ORDER, SensitiveOrder, match_classes
from sfumato.release.decode import decode, list_members
from sfumato.release.release import Release
from sfumato.verification.faithful import check_people, check_rows
from sfumato.verification.structure import COUNTS, verify_structure

__all__ = ["check_table", "verify_faithful"]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None

_NO_DUPLICATES = "every record is published at most once"
_TYPES = {"integer": "int64", "decimal": "float64", "date": "date"}


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's row map that every published record is the original one.

    Columns are those of the original, in its order; cells hold the values of their records; sensitive and plain
    values are the original ones; labels, sets and the order of sensitive values say what the original and its
    hierarchies say; records that are not published are counted as withheld.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row (from 0) of every published row.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("table", [(20, "flu"), (29, "cold")], ("age", "ill"), sensitive=("ill",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> verify_faithful(result.release, data, result.owner_record.rows).holds
    True
    >>> verify_faithful(result.release, data, result.owner_record.rows[::-1]).counterexample["check"]
    'sensitive and plain values are the original ones'
    """
    structure = verify_structure(release)
    if not structure.holds:
        return Verdict(False, {}, {}, structure.counterexample, structure.checks)
    rows = np.asarray(rows)
    counterexamples: dict[str, Counterexample] = {_NO_DUPLICATES: check_rows(release, original, rows)}
    if counterexamples[_NO_DUPLICATES] is None:
        counterexamples |= check_table(release, original, rows.astype(np.int64))
    counterexamples["withheld records are counted"] = check_people(release, original, structure.checks[COUNTS])
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    return Verdict(
        counterexample is None, {}, {}, counterexample, {name: seen is None for name, seen in counterexamples.items()}
    )


def check_table(release: Release, original: Dataset, rows: Ints) -> dict[str, Counterexample]:
    """Compare the attributes of published records with those of their original rows, check by check.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("table", [(20,), (29,)], ("age",))
    >>> result = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32))
    >>> set(check_table(result.release, data, result.owner_record.rows).values())
    {None}
    """
    columns = "columns are those of the original, in its order"
    wrong = _check_columns(release, original)
    if wrong is not None:
        return {columns: wrong}
    return {
        columns: None,
        "cells hold what their records have": _check_cells(release, original, rows),
        "sensitive and plain values are the original ones": _check_exact(release, original, rows),
        "generalised values are those of the original": _check_values(release, original),
        "sensitive values lie as in the original": _check_order(release, original),
        "class means are those of their records": _check_means(release, original, rows),
    }


def _check_columns(release: Release, original: Dataset) -> Counterexample:
    original_names = [column.name for column in original.schema.columns]
    named = [column.name for column in release.columns]
    strange = [name for name in named if name not in original_names]
    if strange:
        return {"columns_not_of_the_original": strange}
    if named != [name for name in original_names if name in named]:
        return {"columns": named}
    scales = {column.name: column.scale for column in original.schema.columns}
    for column in release.columns:
        kinds = {"string", _TYPES.get(scales[column.name], "string")}
        if column.form.type not in kinds:
            return {"column": column.name, "type": column.form.type}
    return None


def _check_cells(release: Release, original: Dataset, rows: Ints) -> Counterexample:
    for column in decode(release).with_role("quasi-identifier"):
        source = exact_column(original, column.name)
        group, held = group_values(column.values, source.values)
        fits = held.contain(column.codes, group[source.codes[rows]])
        if not fits.all():
            return {"column": column.name, "rows": [int(row) + 1 for row in np.flatnonzero(~fits)[:SHOWN_ROWS]]}
    return None


def _check_exact(release: Release, original: Dataset, rows: Ints) -> Counterexample:
    for column in decode(release).with_role("sensitive", "plain"):
        source = exact_column(original, column.name)
        entry = {label: at for at, label in enumerate(source.values.labels)}
        published = np.array([entry.get(label, -1) for label in list_exact(column.values)], dtype=np.int64)
        wrong = np.flatnonzero(published[column.codes] != source.codes[rows])
        if len(wrong):
            return {"column": column.name, "rows": [int(row) + 1 for row in wrong[:SHOWN_ROWS]]}
    return None


def _check_values(release: Release, original: Dataset) -> Counterexample:
    """Look for labels that are no node of the hierarchy, have other members, or are no values of the original."""
    for column in quasi_columns(release):
        attribute, values = attribute_of(original, column.name), decode(release).column(column.name).values
        if column.form.cell == "interval":
            if attribute.axis is None:
                return {"column": column.name, "form": "interval"}
        elif column.form.cell == "set":
            if attribute.hierarchy is not None:
                return {"column": column.name, "form": "set"}
            strange = set(values.labels) - {*attribute.labels, MISSING}
            if strange:
                return {"column": column.name, "labels_not_of_the_original": len(strange)}
        else:
            used = {name for name, hidden in zip(values.names, values.suppressed, strict=True) if not hidden}
            wrong = _check_nodes(used - {MISSING}, list_members(release, column.name), attribute)
            if wrong is not None:
                return {"column": column.name, **wrong}
    return None


def _check_nodes(used: set[str], listed: dict[str, tuple[str, ...]], attribute: Attribute) -> Counterexample:
    hierarchy = attribute.hierarchy
    if hierarchy is None:
        return {"form": "category"}
    leaves, nodes = set(hierarchy.leaf_labels), set(hierarchy.labels)
    strange = {label for label in used if label not in (nodes - leaves if label in listed else leaves)}
    if strange:
        return {"labels_not_of_the_hierarchy": len(strange)}
    other = [
        label for label, members in listed.items() if label not in nodes or {*members} != {*hierarchy.members(label)}
    ]
    return {"labels_with_other_members": len(other)} if other else None


def _check_order(release: Release, original: Dataset) -> Counterexample:
    """Compare the published order or tree of sensitive values with that of the original."""
    if ORDER not in release.extra_tables:
        return None
    order = SensitiveOrder(release)
    tree = getattr(release.guarantee, "distance", "") == "hierarchical"
    for name in order.rows:
        attribute = attribute_of(original, name)
        if tree:
            pairs = [] if attribute.hierarchy is None else attribute.hierarchy.pairs()
            same = order.parents(name) == {label: above or MISSING for label, above in pairs}
        else:
            listed = set(order.values(name))
            same = order.values(name) == [label for label in attribute.labels if label in listed]
        if not same:
            return {"part": ORDER, "column": name}
    return None


def _check_means(release: Release, original: Dataset, rows: Ints) -> Counterexample:
    """Compare published class means with those of the original values; the columns tell which are meant."""
    if "means" not in release.extra_tables:
        return None
    group, listed = match_classes(release, "means")
    means_table = release.extra_tables["means"]
    for column in means_table.columns:
        if column.role != "mean":
            continue
        name = column.name.removeprefix("mean_")
        if all(original_column.name != name for original_column in original.schema.columns):
            return {"part": "means", "column": column.name}
        attribute = attribute_of(original, name)
        if attribute.axis is None or (attribute.codes < 0).any():
            return {"part": "means", "column": column.name}
        means = _mean_of_classes(attribute.axis[attribute.codes[rows]].astype(np.float64), group)
        wrong = means_table.table.column(column.name).to_numpy() != means[listed]
        if wrong.any():
            return {"part": "means", "column": column.name, "row": int(np.argmax(wrong)) + 1}
    return None


def _mean_of_classes(values: npt.NDArray[np.float64], group: Ints) -> npt.NDArray[np.float64]:
    """Return the mean of every class, from the exact sum: no digit of it is free, or tells how records stood."""
    order = np.argsort(group, kind="stable")
    parts = np.split(values[order], np.cumsum(np.bincount(group))[:-1])
    return np.array([math.fsum(part) / max(len(part), 1) for part in parts])
