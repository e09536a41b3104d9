"""Nothing invented, nothing swapped, for timed sequences: every record is one person's, generalised."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.sequences.decode import (
    Entries,
    Stretches,
    TimedRecords,
    convert_times,
    count_steps,
    find_columns,
    find_last,
    mark_events,
    recode_events,
)
from sfumato.kinds.sequences.verify.blur import mark_near
from sfumato.kinds.sequences.verify.classes import judge_units, verify_sequences
from sfumato.release.release import Release
from sfumato.verification.faithful import check_names, check_people, check_rows
from sfumato.verification.structure import COUNTS, READABLE

__all__ = ["verify_faithful"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's row map that every published record is the true generalisation of its original.

    Every monitored event of the person lies in a published interval whose category contains it, unless the claim
    says that some are left out, and every interval holds one; the other events and their times are exactly the
    original ones, but for those that the claim blurs: what is published of these is true, and no others are missing;
    nobody is published twice; nobody's original name is among the pseudonyms.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row (from 0) of every published row.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.kinds.sequences.methods.groups import Hi
    >>> data = Dataset.of("sequences", [[("mail", 1), ("news", 2)], [("mail", 3)]], monitored=("mail",))
    >>> result = Hi(k=2).anonymize(data, Run(bytes(32)))
    >>> verify_faithful(result.release, data, result.owner_record.rows).holds
    True
    """
    structure = verify_sequences(release)
    if not structure.checks[READABLE]:
        return Verdict(False, {}, {}, structure.counterexample, structure.checks)
    rows = np.asarray(rows)
    units = judge_units(release, original)
    counterexamples: dict[str, Counterexample] = {
        next(iter(units.checks)): units.counterexample,
        "every record is published at most once": check_rows(release, original, rows),
    }
    times = convert_times(release, original.time_unit, original.times())
    if times is not None and counterexamples["every record is published at most once"] is None:
        records = TimedRecords.of(release, original.history().labels)
        monitored, others = _split(release, original, rows.astype(np.int64), times)
        classes = records.class_of_row[monitored.events.row_of_token]
        pairs = records.find_cover(classes, monitored.events.codes, monitored.times)
        if not records.suppressing:
            counterexamples["every monitored event is covered"] = _check_covered(monitored, pairs)
        counterexamples["every interval covers a monitored event"] = _check_used(records, monitored, pairs)
        near = _blurred(release, records, others)
        counterexamples["the other events are the original ones"] = _check_others(records.entries, others.keep(~near))
        if find_columns(release).blurred is not None:
            counterexamples["what is told of blurred events is true"] = _check_blurred(release, others.keep(near))
    counterexamples["withheld records are counted"] = check_people(release, original, structure.checks[COUNTS])
    counterexamples["no original name is a pseudonym"] = check_names(release, original)
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    return Verdict(
        counterexample is None, {}, {}, counterexample, {name: seen is None for name, seen in counterexamples.items()}
    )


def _split(release: Release, original: Dataset, rows: Ints, times: Ints) -> tuple[Entries, Entries]:
    """Return the monitored and the other events of the originals, in the order of the published rows."""
    entries = Entries(original.history(), times).take(rows)
    is_monitored = mark_events(entries.events, getattr(release.guarantee, "monitored", ()))
    return entries.keep(is_monitored), entries.keep(~is_monitored)


def _blurred(release: Release, records: TimedRecords, others: Entries) -> npt.NDArray[np.bool_]:
    """Mark the original events that the claim blurs: those near a monitored interval of their record."""
    blur = getattr(release.guarantee, "blur", None)
    blur_distance = None if blur is None else count_steps(release, blur)
    return (
        np.zeros(len(others.times), dtype=bool) if blur_distance is None else mark_near(records, blur_distance, others)
    )


def _check_blurred(release: Release, near: Entries) -> Counterexample:
    """Look for a blurred event that the person did not do in the published interval."""
    names = find_columns(release)
    stretches = Stretches.read(release.table.column(names.blurred), release.table.column(names.stretches))
    codes = recode_events(stretches.events, near.events.labels)
    base = len(near.events.labels) + 1
    order = np.lexsort((near.times, near.events.codes, near.events.row_of_token))
    keys = (near.events.row_of_token * base + near.events.codes)[order]
    times = near.times[order]
    wanted = stretches.events.row_of_token * base + codes
    begin, end = np.searchsorted(keys, wanted), np.searchsorted(keys, wanted, side="right")
    untrue = find_last(times, begin, end, stretches.hi) <= find_last(times, begin, end, stretches.lo - 1)
    if not untrue.any():
        return None
    at = int(np.argmax(untrue))
    return {
        "rows": [int(stretches.events.row_of_token[at]) + 1],
        "value": stretches.events.labels[stretches.events.codes[at]],
    }


def _check_covered(monitored: Entries, pairs: Ints) -> Counterexample:
    if (pairs >= 0).all():
        return None
    row = monitored.events.row_of_token[np.argmin(pairs)]
    return {"rows": [int(row) + 1]}


def _check_used(records: TimedRecords, monitored: Entries, pairs: Ints) -> Counterexample:
    """Look for a record with an interval that none of the person's monitored events lies in."""
    begin = records.cover.offsets[records.class_of_row]
    lengths = records.cover.lengths[records.class_of_row]
    first = np.cumsum(lengths) - lengths
    rows = monitored.events.row_of_token[pairs >= 0]
    used = np.zeros(int(lengths.sum()), dtype=bool)
    used[first[rows] + pairs[pairs >= 0] - begin[rows]] = True
    if used.all():
        return None
    at = int(np.argmin(used))
    row = int(np.searchsorted(first, at, side="right")) - 1
    position = at - int(first[row])
    value = records.cover.labels[records.cover.codes[begin[row] + position]]
    return {"rows": [row + 1], "position": position + 1, "value": value}


def _check_others(published: Entries, expected: Entries) -> Counterexample:
    """Compare the events with their times, whatever the order of those at one time."""
    wrong = published.events.lengths != expected.events.lengths
    if wrong.any():
        row = int(np.argmax(wrong))
        counts = int(published.events.lengths[row]), int(expected.events.lengths[row])
        return {"rows": [row + 1], "published_events": counts[0], "original_events": counts[1]}
    codes = recode_events(published.events, expected.events.labels)
    if np.array_equal(codes, expected.events.codes) and np.array_equal(published.times, expected.times):
        return None
    rows = published.events.row_of_token
    left = np.lexsort((codes, published.times, rows))
    right = np.lexsort((expected.events.codes, expected.times, rows))
    differs = (codes[left] != expected.events.codes[right]) | (published.times[left] != expected.times[right])
    if not differs.any():
        return None
    at = int(left[np.argmax(differs)])
    position = at - int(published.events.offsets[rows[at]])
    value = published.events.labels[published.events.codes[at]]
    return {"rows": [int(rows[at]) + 1], "position": position + 1, "value": value}
