"""What a release of a timeline must look like: time points in order, events with their counts."""

from __future__ import annotations

import numpy as np

from sfumato.kinds.timeline.decode import read_timeline
from sfumato.release.release import Release
from sfumato.verification.order import find_disorder
from sfumato.verification.release_checks import Counterexample, Findings, ReleaseChecks

__all__ = ["CHECKS"]

_FORMATS = {"history": ("category", {"string"}, True), "count": ("exact", {"int64"}, True)}
_LONGEST = 1 << 62


def _check_columns(release: Release) -> Counterexample:
    """Look for columns other than exact times, categories and whole counts."""
    wanted = {**_FORMATS, "time": ("exact", {"int64", "timestamp"}, False)}
    for column in release.columns:
        if column.role not in wanted:
            return {"column": column.name, "role": column.role}
        cell, kinds, history = wanted[column.role]
        if column.form.cell != cell or column.form.type not in kinds or column.form.history != history:
            return {"column": column.name, "form": column.form.cell, "type": column.form.type}
    return None


def _check_alignment(release: Release) -> Counterexample:
    """Look for lists of counts that are not as long as the lists of events, or hold nothing."""
    names = {column.role: column.name for column in release.columns}
    lengths = []
    for role in ("history", "count"):
        # Chunks may begin anywhere in their arrays; lengths do not depend on it.
        chunks = release.table.column(names[role]).chunks
        sizes = [np.diff(chunk.offsets.to_numpy()) for chunk in chunks]
        lengths.append(np.concatenate([np.empty(0, np.int64), *sizes]))
    wrong = lengths[0] != lengths[1]
    if wrong.any():
        return {"columns": [names["history"], names["count"]], "rows": [int(np.argmax(wrong)) + 1]}
    for chunk in release.table.column(names["count"]).chunks:
        if chunk.flatten().null_count:
            return {"column": names["count"], "empty_cells": chunk.flatten().null_count}
    return None


def _check_counts(release: Release) -> Counterexample:
    """Look for counts below one and for sums that no whole number of 64 bits holds."""
    timeline = read_timeline(release)
    wrong = np.flatnonzero(timeline.counts < 1)
    if len(wrong):
        return {"rows": [int(timeline.points[wrong[0]]) + 1]}
    total = sum(timeline.counts.tolist())
    return None if total < _LONGEST else {"largest": _LONGEST}


def _check_order(release: Release) -> Counterexample:
    """Look for time points that do not come after the one before."""
    times = read_timeline(release).times
    wrong = np.flatnonzero(times[1:] <= times[:-1])
    return {"rows": [int(wrong[0]) + 1, int(wrong[0]) + 2]} if len(wrong) else None


def _check_events(release: Release) -> Counterexample:
    """Look for an event that is listed twice at a time point."""
    timeline = read_timeline(release)
    keys = np.sort(timeline.points * max(len(timeline.labels), 1) + timeline.codes)
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    return {"rows": [int(keys[twice[0]] // len(timeline.labels)) + 1]} if len(twice) else None


def _check_generalised(release: Release) -> Counterexample:
    return {"listed": release.values.num_rows} if release.values.num_rows else None


def _check_entry_order(release: Release) -> Findings:
    """Look for events of a time point that are not in the order of the alphabet."""
    history = release.history()
    yield from find_disorder(np.zeros(len(history.codes), dtype=np.int64), history)


CHECKS = ReleaseChecks(
    roles={"identifier": (0,), "history": (1,), "time": (1,), "count": (1,)},
    column_names=("time", "events", "counts"),
    # At a time point nothing need happen.
    empty_histories=True,
    check_columns=_check_columns,
    shape_checks=(
        ("counts go with their events", _check_alignment),
        ("counts are at least one", _check_counts),
        ("an event is listed once at a time point", _check_events),
    ),
    content_checks=(("time points are in order", _check_order), ("events are not generalised", _check_generalised)),
    order_checks=(_check_entry_order,),
)
