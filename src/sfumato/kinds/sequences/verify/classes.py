"""Records with the same monitored part: what the verifiers of sequences have in common."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.verdict import SHOWN_ROWS, Verdict
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sequences.decode import TimedRecords, count_ticks, find_columns, mark_events
from sfumato.kinds.sequences.knowledge.matches import ReceiverMatches
from sfumato.kinds.sequences.knowledge.windows import Window
from sfumato.release.release import Release
from sfumato.verification.people import GroupSize, count_in_groups
from sfumato.verification.structure import READABLE, verify_structure

__all__ = [
    "find_smallest_groups",
    "judge_classes",
    "judge_matches",
    "judge_units",
    "show_rows",
    "show_window",
    "verify_sequences",
]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None


def verify_sequences(release: Release) -> Verdict:
    """Check that a release is one of sequences, can be read and does not contradict itself."""
    if release.kind != "sequences":
        checks = {"the records are sequences": False, READABLE: False}
        return Verdict(False, {}, {}, {"kind": release.kind}, checks)
    return verify_structure(release)


def judge_classes(release: Release, records: TimedRecords, k: int) -> Verdict:
    """Judge whether k records share every monitored part, and no monitored event is published as another one."""
    smallest = int(records.sizes.min(initial=len(release)))
    large_enough = smallest >= k
    exposed = _exposed_events(release, records)
    counterexample: Counterexample = exposed
    if exposed is None and not large_enough:
        rows = records.rows_of(np.flatnonzero(records.sizes == smallest)[:1])
        counterexample = {"class_size": smallest, "rows": show_rows(rows)}
    return Verdict(
        large_enough and exposed is None,
        release.guarantee.parameters(),
        {"k": smallest, "classes": len(records.sizes)},
        counterexample,
        {
            "no monitored event is published as it is": exposed is None,
            "every monitored part is published k times": large_enough,
        },
    )


def _exposed_events(release: Release, records: TimedRecords) -> Counterexample:
    """Look among the other events for monitored ones, and for events that a published category stands for."""
    hidden = {*getattr(release.guarantee, "monitored", ())}
    hidden.update(records.cover.labels[code] for code in np.unique(records.cover.codes))
    hidden.update(event for events in release.members().values() for event in events)
    names = find_columns(release)
    published = [records.entries.events]
    if names.blurred is not None:
        published.append(ListColumn.from_arrow(release.table.column(names.blurred)))
    for events in published:
        exposed = mark_events(events, hidden)
        if exposed.any():
            code = events.codes[np.argmax(exposed)]
            rows = np.unique(events.row_of_token[events.codes == code])
            return {"event": events.labels[code], "rows": show_rows(rows)}
    return None


def judge_units(release: Release, original: Dataset) -> Verdict:
    """Judge whether the times of the original can be compared with the published ones."""
    holds = count_ticks(release, original.time_unit.unit) is not None
    published = sorted({column.form.type for column in release.columns if column.role == "time"})
    return Verdict(
        holds,
        release.guarantee.parameters(),
        {},
        None if holds else {"times": published, "unit_of_original": original.time_unit.unit},
        {"the original's times are in the published units": holds},
    )


def judge_matches(release: Release, matches: ReceiverMatches, k: int) -> Verdict:
    """Judge whether 0 or at least k records match all that is known of anyone, and 0 for suppressed people only."""
    smallest = int(matches.sizes[matches.sizes > 0].min(initial=len(release)))
    unmatched = matches.sizes == 0
    missing, allowed = int(unmatched.sum()), len(matches.sizes) - len(release)
    if matches.published is not None:
        missing, allowed = int((unmatched & matches.published).sum()), 0
    checks = {
        "the original has as many records as the release says": len(matches.sizes) == release.records_in,
        "whatever is known, 0 or at least k records match": smallest >= k,
        "published records match": missing <= allowed,
    }
    counterexample: Counterexample = None
    if smallest < k and matches.rarest is not None:
        counterexample = {"matches": smallest, "rows": show_rows(matches.rarest)}
    elif not all(checks.values()):
        counterexample = {"people": len(matches.sizes), "records_in": release.records_in, "unmatched": missing}
    return Verdict(
        all(checks.values()),
        release.guarantee.parameters(),
        {"matches": smallest, "knowledges": matches.knowledges},
        counterexample,
        checks,
    )


def find_smallest_groups(
    release: Release,
    original: Dataset,  # noqa: ARG001
    rows: Ints,  # noqa: ARG001
    person: Ints,
) -> Iterator[GroupSize]:
    """Count the people of every group of records with the same monitored part."""
    yield from count_in_groups(TimedRecords.of(release).number_groups(release), person)


def show_rows(rows: Ints) -> list[int]:
    """Number some published rows from 1, the first few of them.

    Examples
    --------
    >>> show_rows(np.array([0, 4]))
    [1, 5]
    """
    return [int(row) + 1 for row in rows[:SHOWN_ROWS]]


def show_window(release: Release, window: Window) -> dict[str, Any]:
    """Describe a window in published values: from the first to the last time the event is published in it."""
    bounds: list[Any] = [window.first, window.last]
    if any(column.role == "time" and column.form.type == "timestamp" for column in release.columns):
        moments = pa.array(bounds, pa.int64()).cast(pa.timestamp("us", tz="UTC"))
        bounds = moments.cast(pa.string()).to_pylist()
    return {
        "event": window.event,
        "window": bounds,
        "people": window.people,
        "class_size": window.records,
        "rows": show_rows(window.rows),
    }
