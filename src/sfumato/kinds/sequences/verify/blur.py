"""Blurred events: around monitored intervals records say nothing of their own."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.kinds.sequences.decode import Entries, TimedRecords, count_steps, find_columns, find_last
from sfumato.kinds.sequences.verify.classes import show_rows
from sfumato.release.release import Release

__all__ = ["judge_blur", "mark_near"]

Counterexample = dict[str, Any] | None


def judge_blur(release: Release, records: TimedRecords, k: int, *, shared: bool) -> Verdict:
    """Judge whether records say nothing of their own around monitored intervals.

    No event with a time lies within the blur of an interval of its record, and k records are equal both in their
    monitored part and in what is published of blurred events (nothing may be where it is not ``shared``). Then, within
    the blur of any known time, whatever matches is made of sets of at least k records that are equal there: a known
    time of a matching record lies in an interval of it, and around that only the blurred part says anything. Where
    monitored events are left out that does not follow, so such a claim does not hold.
    """
    blur, unit = getattr(release.guarantee, "blur", None), getattr(release.guarantee, "unit", "")
    has_blurred = find_columns(release).blurred is not None
    if len(records.entries.times) and not getattr(release.guarantee, "others", True):
        rows = np.unique(records.entries.events.row_of_token)
        return Verdict(False, {}, {}, {"rows": show_rows(rows)}, {"no other events are published": False})
    if blur is None:
        checks = {"nothing is told as blurred that is not declared": False} if has_blurred else {}
        return Verdict(not has_blurred, {}, {}, {"column": "blurred"} if has_blurred else None, checks)
    blur_distance = count_steps(release, blur)
    if blur_distance is None:
        return Verdict(False, {}, {}, {"unit": unit}, {"the blur is in units of the times": False})
    near = mark_near(records, blur_distance)
    number = records.number_groups(release)
    sizes = np.bincount(number)
    smallest = int(sizes.min(initial=len(release)))
    checks = {
        "no event near a monitored interval has a time": not near.any(),
        "what is told of blurred events is told of k records": smallest >= k,
        "nothing is told of blurred events that could be predicted": shared or not has_blurred,
        "no monitored event is left out where others are blurred": not records.suppressing,
    }
    counterexample: Counterexample = None
    if near.any():
        counterexample = {"rows": show_rows(np.unique(records.entries.events.row_of_token[near]))}
    elif smallest < k:
        counterexample = {"class_size": smallest, "rows": show_rows(np.flatnonzero(number == int(np.argmin(sizes))))}
    elif not all(checks.values()):
        counterexample = {"column": "blurred"} if has_blurred and not shared else {"suppressing": True}
    return Verdict(all(checks.values()), {}, {"blur": blur, "alike": smallest}, counterexample, checks)


def mark_near(records: TimedRecords, blur_distance: int, entries: Entries | None = None) -> npt.NDArray[np.bool_]:
    """Mark the entries within reach of an interval of their record; entries are the published ones if not given.

    Examples
    --------
    >>> from sfumato.data.lists import ListColumn
    >>> cover, events = ListColumn.from_lists([["mail"]]), ListColumn.from_lists([["news", "shop"]])
    >>> lo, hi, holds = np.array([10]), np.array([20]), np.array([0])
    >>> entries = Entries(events, np.array([22, 23]))
    >>> records = TimedRecords(np.array([0]), np.array([1]), cover, lo, hi, entries, ("mail",), holds, False)
    >>> mark_near(records, 2).tolist()
    [True, False]
    """
    held = records.entries if entries is None else entries
    if not len(records.lo) or not len(held.times):
        return np.zeros(len(held.times), dtype=bool)
    blur_distance = min(blur_distance, 1 << 61)
    classes = records.class_of_row[held.events.row_of_token]
    begin, end = records.cover.offsets[classes], records.cover.offsets[classes + 1]
    # Only the last interval that begins by then, or the next one, can be near.
    at = find_last(records.lo, begin, end, held.times)
    behind = (at >= begin) & (held.times - records.hi[at] <= blur_distance)
    after = np.minimum(at + 1, len(records.lo) - 1)
    return np.asarray(behind | ((at + 1 < end) & (records.lo[after] - held.times <= blur_distance)))
