"""What a release of a table with sets must look like: that of a table, and one column of values of items."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import support
from sfumato.data.dataset import Dataset
from sfumato.kinds.rt.dataset import ITEMS
from sfumato.kinds.rt.decode import PublishedRecords
from sfumato.kinds.rt.knowledge.value_sets import ValueSets
from sfumato.kinds.table.verify import structure as table
from sfumato.release.decode import decode
from sfumato.release.release import Release
from sfumato.verification.order import check_value_names, find_disorder
from sfumato.verification.people import GroupSize
from sfumato.verification.release_checks import Check, Counterexample, Findings, ReleaseChecks

__all__ = ["CHECKS", "find_smallest_groups"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[GroupSize]:
    """Count the people of every class, and of every set of values that an attacker may know there."""
    sets = ValueSets(PublishedRecords.of(release))
    width = int(person.max(initial=0)) + 1
    for size in sets.sizes(int(release.guarantee.parameters()["m"])):
        keys, supports = sets.count(size)
        pairs = [np.searchsorted(keys, row_keys) * width + person[row] for row, row_keys in sets.portions(size)]
        people = np.bincount(np.unique(np.concatenate(pairs)) // width, minlength=len(keys))
        least = int(np.argmin(people))
        yield GroupSize(int(people[least]), int(supports[least]))


def _check_columns(release: Release) -> Counterexample:
    """Look for attributes that are published otherwise than in a table, and sets that are not values of items."""
    for column in release.columns:
        form = column.form
        if column.role != "history":
            continue
        if column.name != ITEMS:
            return {"column": column.name, "wanted": ITEMS}
        if (form.cell, form.type, form.history, form.meaning) != ("category", "string", True, "at least one of"):
            return {"column": column.name, "form": form.cell, "meaning": form.meaning}
    return table.CHECKS.check_columns(_without_items(release))


def _without_items(release: Release) -> Release:
    columns = tuple(column for column in release.columns if column.role != "history")
    return dataclasses.replace(release, columns=columns)


def _check_repetition(release: Release) -> Counterexample:
    """Look for a value that a record has twice."""
    history = decode(release).column(ITEMS).lists
    width = max(len(history.labels), 1)
    keys = np.sort(history.row_of_token * width + history.codes)
    again = np.flatnonzero(keys[1:] == keys[:-1])
    return {"rows": [int(keys[again[0]]) // width + 1]} if len(again) else None


def _check_overlap(release: Release) -> Counterexample:
    """Look for a record with two values that have an item in common: one of them says less than it seems to."""
    column = decode(release).column(ITEMS)
    history, named = column.lists.distinct(), [{*column.values.labels_of(at)} for at in range(len(column.values))]
    keys = support(history, 2)[0] if history.lengths.max(initial=0) > 1 else np.empty(0, np.int64)
    left, right = np.divmod(keys, max(len(named), 1))
    for value, other in zip(left.tolist(), right.tolist(), strict=True):
        if not named[value].isdisjoint(named[other]):
            rows = [history.row_of_token[history.codes == code] for code in (value, other)]
            return {"rows": [int(np.intersect1d(rows[0], rows[1])[0]) + 1]}
    return None


def _check_sensitive(release: Release) -> Counterexample:
    """Look for sensitive items that are generalised, or removed."""
    hidden = set(getattr(release.guarantee, "sensitive", ()))
    wrong = {value for value, members in release.members().items() if hidden.intersection(members)}
    if wrong:
        return {"values_with_sensitive_members": len(wrong)}
    gone = release.suppressed()
    return {"removed": len(gone)} if gone else None


def _check_claimed(release: Release) -> Counterexample:
    """Look for a claim about other columns than the quasi-identifiers."""
    claimed = getattr(release.guarantee, "quasi", None)
    named = sorted(column.name for column in release.columns if column.role == "quasi-identifier")
    if claimed is not None and sorted(claimed) != named:
        return {"parameter": "quasi", "claimed": sorted(claimed), "columns": named}
    return None


def _about_attributes(check: Check) -> Check:
    name, finder = check
    return name, lambda release: finder(_without_items(release))


def _check_entry_order(release: Release) -> Findings:
    """Look for values of a set that are not in the order of the alphabet."""
    history = release.history()
    yield from find_disorder(np.zeros(len(history.codes), dtype=np.int64), history)


CHECKS = ReleaseChecks(
    roles={**table.CHECKS.roles, "history": (1,)},
    empty_histories=True,
    check_columns=_check_columns,
    shape_checks=tuple(_about_attributes(check) for check in table.CHECKS.shape_checks),
    content_checks=(
        *(check for check in table.CHECKS.content_checks if check[0] != table.ABOUT_COLUMNS),
        (table.ABOUT_COLUMNS, _check_claimed),
        ("no value is repeated in a record", _check_repetition),
        ("values of a record have no item in common", _check_overlap),
        ("sensitive items are published as they are", _check_sensitive),
    ),
    order_checks=(*table.CHECKS.order_checks, check_value_names, _check_entry_order),
    group_noun="class of equal records with some items",
    find_smallest_groups=find_smallest_groups,
)
