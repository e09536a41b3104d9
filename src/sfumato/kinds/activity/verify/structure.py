"""What a release of activity data must look like: classes of people, and what part of their time they spend on what."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.activity.dataset import CLASS_COLUMNS, Slots, list_columns
from sfumato.kinds.activity.decode import PublishedClasses, measure_intervals
from sfumato.release.release import Release
from sfumato.verification.people import GroupSize, count_in_groups
from sfumato.verification.release_checks import Counterexample, Findings, ReleaseChecks

__all__ = ["CHECKS"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(release: Release, original: Dataset, rows: Ints, person: Ints) -> Iterator[GroupSize]:
    """Count the people of every class, and of those of a class who are observed in a slot."""
    sizes = PublishedClasses.of(release).sizes
    yield from count_in_groups(np.repeat(np.arange(len(sizes)), sizes), person)
    if getattr(release.guarantee, "gap", None) is not None:
        yield from _count_observed(release, original, rows, person)


def _count_observed(release: Release, original: Dataset, rows: Ints, person: Ints) -> Iterator[GroupSize]:
    """Count the people of every class who are observed in a slot of which something is published."""
    claimed, published, slots = release.guarantee, PublishedClasses.of(release), Slots.of(original)
    gap = str(claimed.parameters()["gap"])
    hidden, code = published.find_hidden(gap), slots.find((gap,))[0]
    lengths = measure_intervals(slots.codes.shape[1], int(claimed.parameters()["slot"]))
    classes = zip(hidden, published.members(rows), published.members(person), strict=True)
    for unseen, members, people in classes:
        order = np.argsort(people, kind="stable")
        observed = slots.codes[members[order]][:, ~np.repeat(unseen, lengths)] != code
        if not observed.size:
            continue
        begins = np.flatnonzero(np.diff(people[order], prepend=-1))
        counts = np.logical_or.reduceat(observed, begins, axis=0).sum(axis=0)
        at = int(np.argmin(counts))
        yield GroupSize(int(counts[at]), int(observed[:, at].sum()))


_SUM_ERROR = 1e-9
_COUNT_ERROR = 1e-4


def _check_columns(release: Release) -> Counterexample:
    """Look for anything but shares of classes, and the list of classes."""
    if release.columns not in (list_columns("int64"), list_columns("timestamp")):
        return {"columns": [column.name for column in release.columns]}
    if sorted(release.extra_tables) != ["classes"]:
        return {"parts": sorted(release.extra_tables)}
    columns = release.extra_tables["classes"].columns
    return None if columns == CLASS_COLUMNS else {"part": "classes", "columns": [column.name for column in columns]}


def _check_cells(release: Release) -> Counterexample:
    """Look for empty cells, also where a category has no name, and for shares that are no numbers."""
    for table in (release.table, release.extra_tables["classes"].table):
        for name in table.column_names:
            column = table.column(name)
            text = column.cast(pa.string()) if pa.types.is_dictionary(column.type) else column
            if text.null_count:
                return {"column": name, "empty_cells": text.null_count}
    shares = np.asarray(release.table.column("share").to_numpy(), dtype=np.float64)
    wrong = ~np.isfinite(shares)
    return {"column": "share", "rows": [int(np.argmax(wrong)) + 1]} if wrong.any() else None


def _check_names(release: Release) -> Counterexample:
    """Look for classes that are unknown or named twice."""
    try:
        PublishedClasses.of(release)
    except SchemaError as error:
        return {"rule": str(error)}
    return None


def _check_sizes(release: Release) -> Counterexample:
    """Look for empty classes, and for sizes that do not make up all who are published."""
    published = PublishedClasses.of(release)
    empty = np.flatnonzero(published.sizes < 1)
    if len(empty):
        return {"class": published.names[empty[0]], "size": int(published.sizes[empty[0]])}
    total = sum(published.sizes.tolist())
    return None if total == len(release) else {"published": len(release), "classes": total}


def _check_intervals(release: Release) -> Counterexample:
    """Look for intervals that do not follow each other at one distance, from 0 where they are numbered.

    Months are not equally long: where all intervals begin with one, their distance is the number of months.
    """
    begins = PublishedClasses.of(release).begins
    if release.table.schema.field("interval").type == pa.int64():
        wrong = begins != np.arange(len(begins))
        return {"interval": int(begins[np.argmax(wrong)])} if wrong.any() else None
    months = begins.astype("datetime64[us]").astype("datetime64[M]")
    if np.array_equal(months.astype("datetime64[us]").astype(np.int64), begins):
        begins = months.astype(np.int64)
    steps = np.diff(begins)
    uneven = steps != steps[:1]
    return {"interval": int(np.argmax(uneven)) + 2} if uneven.any() else None


def _check_repetition(release: Release) -> Counterexample:
    """Look for an activity that a class has twice in an interval."""
    published = PublishedClasses.of(release)
    same = (np.diff(published.owner) == 0) & (np.diff(published.interval) == 0) & (np.diff(published.activity) == 0)
    return _name(published, int(np.argmax(same))) if same.any() else None


def _check_range(release: Release) -> Counterexample:
    """Look for shares of nothing, or of more than everything."""
    published = PublishedClasses.of(release)
    wrong = (published.share <= 0) | (published.share > 1)
    return _name(published, int(np.argmax(wrong))) if wrong.any() else None


def _check_sums(release: Release) -> Counterexample:
    """Look for a class whose shares of an interval do not make up its time; one that is not there has none."""
    published = PublishedClasses.of(release)
    cells = len(published.names) * len(published.begins)
    if not cells:
        return {"classes": len(published.names), "intervals": len(published.begins)}
    sums = np.bincount(published.owner * len(published.begins) + published.interval, published.share, minlength=cells)
    wrong = np.abs(sums - 1.0) > _SUM_ERROR
    if not wrong.any():
        return None
    first = int(np.argmax(wrong))
    owner, interval = divmod(first, len(published.begins))
    return {"class": published.names[owner], "interval": interval + 1, "sum": float(sums[first])}


def _check_precision(release: Release) -> Counterexample:
    """Look for shares that no whole number of slots gives, or with other digits than declared.

    The last interval may have fewer slots than the others, and nobody says how many.
    """
    published = PublishedClasses.of(release)
    digits, slot = getattr(release.guarantee, "digits", None), getattr(release.guarantee, "slot", 1)
    if digits is not None:
        units = published.share * 10.0**digits
    else:
        units = np.where(
            published.interval < len(published.begins) - 1,
            published.share * (published.sizes[published.owner] * slot),
            0.0,
        )
    wrong = np.abs(units - np.round(units)) > _COUNT_ERROR
    return _name(published, int(np.argmax(wrong))) if wrong.any() else None


def _check_values(release: Release) -> Counterexample:
    """Look for values that stand for several activities."""
    return {"listed": release.values.num_rows} if release.values.num_rows else None


def _name(published: PublishedClasses, entry: int) -> Counterexample:
    return {
        "class": published.names[published.owner[entry]],
        "interval": int(published.interval[entry]) + 1,
        "activity": published.labels[published.activity[entry]],
    }


def _check_share_order(release: Release) -> Findings:
    """Look for shares that are not listed by class, interval and activity."""
    published = PublishedClasses.of(release)
    table = release.table
    position = {name: at for at, name in enumerate(published.names)}
    owner = [position[name] for name in table.column("class").to_pylist()]
    moments = table.column("interval").cast(pa.int64()).to_pylist()
    keys = list(zip(owner, moments, table.column("activity").cast(pa.string()).to_pylist(), strict=True))
    if keys != sorted(keys):
        yield "data", "shares that are not listed by class, interval and activity"
    digits = getattr(release.guarantee, "digits", None)
    most = published.sizes[published.owner] * getattr(release.guarantee, "slot", 1)
    cells = set(zip(published.share.tolist(), most.tolist(), strict=True))
    if not all(_is_plain_share(share, slots, digits) for share, slots in cells):
        yield "data", "shares with more digits than whole numbers of slots give"


def _is_plain_share(share: float, slots: int, digits: int | None) -> bool:
    """Return whether a share is one of whole numbers of up to so many slots, or has so many digits, to the last bit."""
    if digits is not None:
        return share == round(share, digits)
    return float(Fraction(share).limit_denominator(max(slots, 1))) == share


CHECKS = ReleaseChecks(
    roles={"identifier": (0,), "history": (0,), "class": (1,), "interval": (1,), "activity": (1,), "share": (1,)},
    extra_tables=("classes",),
    # Shares bound how many people do an activity throughout a window, or are observed at the same time; only the
    # owner's classes tell how many do, and are.
    needs_original=True,
    check_columns=_check_columns,
    shape_checks=(
        ("no class, interval, activity or share is empty", _check_cells),
        ("classes are listed once", _check_names),
    ),
    content_checks=(
        ("sizes of classes make up the records", _check_sizes),
        ("intervals follow each other", _check_intervals),
        ("an activity is listed once per class and interval", _check_repetition),
        ("shares are above 0 and at most 1", _check_range),
        ("shares make up the time of every class and interval", _check_sums),
        ("shares are whole numbers of slots, or rounded as declared", _check_precision),
        ("activities are not generalised", _check_values),
    ),
    order_checks=(_check_share_order,),
    group_noun="class",
    find_smallest_groups=find_smallest_groups,
)
