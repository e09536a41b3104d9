"""Records with the same monitored part: what the verifiers of sequences have in common."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.checking.structure import READABLE, verify_structure
from sfumato.checking.verdict import SHOWN_ROWS, Verdict
from sfumato.core.dataset import Dataset
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.kinds.sequences.knowledge import ReceiverMatches
from sfumato.kinds.sequences.published import Entries, TimedRecords, Window, last_at_most, sequence_columns, ticks

__all__ = [
    "judge_blur",
    "judge_classes",
    "judge_matches",
    "judge_units",
    "near_entries",
    "show_rows",
    "show_window",
    "verify_sequences",
]

Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None


def verify_sequences(release: Release) -> Verdict:
    """Check that a release is one of sequences, can be read and does not contradict itself."""
    if release.kind != "sequences":
        checks = {"the records are sequences": False, READABLE: False}
        return Verdict(False, {}, {}, {"kind": release.kind}, checks)
    return verify_structure(release)


def judge_classes(release: Release, records: TimedRecords, k: int) -> Verdict:
    """Judge whether k records share every monitored part, and no monitored event is published as another one."""
    smallest = int(records.sizes.min(initial=len(release)))
    crowded = smallest >= k
    exposed = _exposed_events(release, records)
    witness: Witness = exposed
    if exposed is None and not crowded:
        rows = records.rows_of(np.flatnonzero(records.sizes == smallest)[:1])
        witness = {"class_size": smallest, "rows": show_rows(rows)}
    return Verdict(
        crowded and exposed is None,
        release.guarantee.parameters(),
        {"k": smallest, "classes": len(records.sizes)},
        witness,
        {
            "no monitored event is published as it is": exposed is None,
            "every monitored part is published k times": crowded,
        },
    )


def _exposed_events(release: Release, records: TimedRecords) -> Witness:
    """Look among the other events for monitored ones, and for events that a published category stands for."""
    hidden = {*getattr(release.guarantee, "monitored", ())}
    hidden.update(records.cover.labels[code] for code in np.unique(records.cover.codes))
    hidden.update(event for events in release.members().values() for event in events)
    names = sequence_columns(release)
    published = [records.entries.events]
    if names.blurred is not None:
        published.append(Ragged.from_arrow(release.table.column(names.blurred)))
    for events in published:
        exposed = np.array([label in hidden for label in events.labels], dtype=bool)[events.codes]
        if exposed.any():
            code = events.codes[np.argmax(exposed)]
            rows = np.unique(events.row_of_token[events.codes == code])
            return {"event": events.labels[code], "rows": show_rows(rows)}
    return None


def judge_blur(release: Release, records: TimedRecords, k: int, *, shared: bool) -> Verdict:
    """Judge whether records say nothing of their own around monitored intervals.

    No event with a time lies within the blur of an interval of its record, and k records are equal both in their
    monitored part and in what is told of blurred events (nothing may be told where it is not ``shared``). Then, within
    the blur of any known time, whatever matches is made of sets of at least k records that are equal there: a known
    time of a matching record lies in an interval of it, and around that only the blurred part says anything. Where
    monitored events are left out that does not follow, so such a claim does not hold.
    """
    blur, unit = getattr(release.guarantee, "blur", None), getattr(release.guarantee, "unit", "")
    told = sequence_columns(release).blurred is not None
    if len(records.entries.times) and not getattr(release.guarantee, "others", True):
        rows = np.unique(records.entries.events.row_of_token)
        return Verdict(False, {}, {}, {"rows": show_rows(rows)}, {"no other events are published": False})
    if blur is None:
        checks = {"nothing is told as blurred that is not declared": False} if told else {}
        return Verdict(not told, {}, {}, {"column": "blurred"} if told else None, checks)
    steps = ticks(release, unit or None)
    if steps is None:
        return Verdict(False, {}, {}, {"unit": unit}, {"the blur is in units of the times": False})
    near = near_entries(records, blur * steps)
    number = records.alike(release)
    sizes = np.bincount(number)
    smallest = int(sizes.min(initial=len(release)))
    checks = {
        "no event near a monitored interval has a time": not near.any(),
        "what is told of blurred events is told of k records": smallest >= k,
        "nothing is told of blurred events that could be predicted": shared or not told,
        "no monitored event is left out where others are blurred": not records.suppressing,
    }
    witness: Witness = None
    if near.any():
        witness = {"rows": show_rows(np.unique(records.entries.events.row_of_token[near]))}
    elif smallest < k:
        witness = {"class_size": smallest, "rows": show_rows(np.flatnonzero(number == int(np.argmin(sizes))))}
    elif not all(checks.values()):
        witness = {"column": "blurred"} if told and not shared else {"suppressing": True}
    return Verdict(all(checks.values()), {}, {"blur": blur, "alike": smallest}, witness, checks)


def near_entries(records: TimedRecords, reach: int, entries: Entries | None = None) -> npt.NDArray[np.bool_]:
    """Mark the entries within reach of an interval of their record; entries are the published ones if not given.

    Examples
    --------
    >>> cover, events = Ragged.from_lists([["mail"]]), Ragged.from_lists([["news", "shop"]])
    >>> lo, hi, holds = np.array([10]), np.array([20]), np.array([0])
    >>> entries = Entries(events, np.array([22, 23]))
    >>> records = TimedRecords(np.array([0]), np.array([1]), cover, lo, hi, entries, ("mail",), holds, False)
    >>> near_entries(records, 2).tolist()
    [True, False]
    """
    held = records.entries if entries is None else entries
    if not len(records.lo) or not len(held.times):
        return np.zeros(len(held.times), dtype=bool)
    reach = min(reach, 1 << 61)
    classes = records.class_of_row[held.events.row_of_token]
    begin, end = records.cover.offsets[classes], records.cover.offsets[classes + 1]
    # Only the last interval that begins by then, or the next one, can be near.
    at = last_at_most(records.lo, begin, end, held.times)
    behind = (at >= begin) & (held.times - records.hi[at] <= reach)
    after = np.minimum(at + 1, len(records.lo) - 1)
    return np.asarray(behind | ((at + 1 < end) & (records.lo[after] - held.times <= reach)))


def judge_units(release: Release, original: Dataset) -> Verdict:
    """Judge whether the times of the original can be compared with the published ones."""
    holds = ticks(release, original.clock.unit) is not None
    published = sorted({column.form.type for column in release.columns if column.role == "time"})
    return Verdict(
        holds,
        release.guarantee.parameters(),
        {},
        None if holds else {"times": published, "unit_of_original": original.clock.unit},
        {"the original's times are in the published units": holds},
    )


def judge_matches(release: Release, found: ReceiverMatches, k: int) -> Verdict:
    """Judge whether 0 or at least k records match all that is known of anybody, and 0 for withheld people only."""
    smallest = int(found.sizes[found.sizes > 0].min(initial=len(release)))
    unmatched = found.sizes == 0
    missing, allowed = int(unmatched.sum()), len(found.sizes) - len(release)
    if found.published is not None:
        missing, allowed = int((unmatched & found.published).sum()), 0
    checks = {
        "the original has as many records as the release says": len(found.sizes) == release.records_in,
        "whatever is known, 0 or at least k records match": smallest >= k,
        "published records match": missing <= allowed,
    }
    witness: Witness = None
    if smallest < k and found.rarest is not None:
        witness = {"matches": smallest, "rows": show_rows(found.rarest)}
    elif not all(checks.values()):
        witness = {"people": len(found.sizes), "records_in": release.records_in, "unmatched": missing}
    return Verdict(
        all(checks.values()),
        release.guarantee.parameters(),
        {"matches": smallest, "knowledges": found.knowledges},
        witness,
        checks,
    )


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
