"""Rare in every prefix, counted anew with whole numbers: short enough to read in one sitting."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.data.dataset import Dataset
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.decode import read_timeline
from sfumato.kinds.timeline.guarantees import PrefixFrequency
from sfumato.kinds.timeline.knowledge import find_occurrences, find_peaks
from sfumato.release.release import Release
from sfumato.verification.claimed import read_claimed

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None


def verify(release: Release) -> Verdict:
    """Check a release on its own: is every named event rare in every prefix, and covered as often as claimed?

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.release.text import ValueFormat
    >>> from sfumato.release.release import PublishedColumn
    >>> data = Dataset.of("timeline", [{"a": 1, "b": 3}, {"a": 2, "b": 9}])
    >>> columns = (
    ...     PublishedColumn("time", "time", ValueFormat("exact", "int64")),
    ...     PublishedColumn("events", "history", ValueFormat("category", history=True)),
    ...     PublishedColumn("counts", "count", ValueFormat("exact", "int64", history=True)),
    ... )
    >>> values = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    >>> claimed = PrefixFrequency("0.25", events=("a",))
    >>> verdict = verify(Release("timeline", "by-hand", claimed, columns, data.table, values, records_in=2))
    >>> verdict.holds, verdict.measured, verdict.counterexample
    (False, {'largest_relative_frequency': '1/4'}, {'event': 'a', 'row': 1, 'relative_frequency': '1/4'})

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 3.
    """
    claimed, structure, unreadable = read_claimed(release, PrefixFrequency, describe=_select_parameters)
    if unreadable is not None:
        return unreadable
    timeline = read_timeline(release)
    measured, counterexample = _measure(timeline, claimed)
    checks = {"named events are rare in every prefix": counterexample is None}
    if claimed.cover > 1:
        group_sizes = _count_equal_events(timeline, claimed.events)
        measured["cover"] = min(group_sizes.values(), default=None)
        lonely = sorted(event for event, size in group_sizes.items() if size < claimed.cover)
        checks["named events share their counts with others"] = not lonely
        if lonely and counterexample is None:
            counterexample = {"event": lonely[0], "events_with_its_counts": group_sizes[lonely[0]]}
    return structure & Verdict(all(checks.values()), _select_parameters(claimed), measured, counterexample, checks)


def verify_against(release: Release, original: Dataset, rows: Ints | None = None) -> Verdict:  # noqa: ARG001
    """Check a release against the original: is every event that the owner calls sensitive protected?

    With covers a sensitive event that occurs must have the counts of enough events that are not sensitive, which the
    release alone cannot tell.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Not needed: the names of the events decide.

    Examples
    --------
    >>> from sfumato.release.run import Run
    >>> from sfumato.plugins import find_method
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = find_method("odesa")(delta="1/4").anonymize(data, Run(bytes(32)))
    >>> verify_against(result.release, data).checks
    {'sensitive events are protected': True}
    """
    claimed, _, unreadable = read_claimed(release, PrefixFrequency, describe=_select_parameters)
    if unreadable is not None:
        return unreadable
    timeline = read_timeline(release)
    occurring = {timeline.labels[code] for code in np.unique(timeline.codes).tolist()}
    sensitive = set(original.schema.sensitive)
    open_events = sorted((sensitive & occurring) - set(claimed.events))
    counterexample: Counterexample = {"event": open_events[0], "named": False} if open_events else None
    checks = {"sensitive events are protected": not open_events}
    if claimed.cover > 1:
        shown = sensitive & occurring
        sizes = {
            event: _count_equal_events(timeline, [event, *(occurring - sensitive)])[event] for event in sorted(shown)
        }
        lonely = [event for event, size in sizes.items() if size < claimed.cover]
        checks["sensitive events hide among others"] = not lonely
        if lonely and counterexample is None:
            counterexample = {"event": lonely[0], "others_with_its_counts": sizes[lonely[0]] - 1}
    return Verdict(all(checks.values()), {}, {}, counterexample, checks)


def _select_parameters(claimed: PrefixFrequency) -> dict[str, Any]:
    return {"delta": claimed.delta, **({"cover": claimed.cover} if claimed.cover > 1 else {})}


def _measure(timeline: Timeline, claimed: PrefixFrequency) -> tuple[dict[str, Any], Counterexample]:
    """Return the largest relative frequency of the named events, and one that is too large."""
    code = timeline.code_of()
    events = [event for event in claimed.events if event in code]
    peaks = dict(zip(events, find_peaks(timeline, [code[event] for event in events]), strict=True))
    largest = max(peaks, key=lambda event: peaks[event].frequency, default=None)
    if largest is None:
        return {"largest_relative_frequency": "0"}, None
    peak = peaks[largest]
    counterexample = None
    if peak.point is not None and peak.frequency >= claimed.fraction:
        counterexample = {"event": largest, "row": peak.point + 1, "relative_frequency": str(peak.frequency)}
    return {"largest_relative_frequency": str(peak.frequency)}, counterexample


def _count_equal_events(timeline: Timeline, events: Iterable[str]) -> dict[str, int]:
    """Count, for each of some events that occur, those of them with its counts at every time point."""
    code = timeline.code_of()
    occurring = [event for event in events if event in code]
    occurrences = zip(occurring, find_occurrences(timeline, [code[event] for event in occurring]), strict=True)
    shapes = {event: places.shape for event, places in occurrences if len(places.points)}
    sizes = Counter(shapes.values())
    return {event: sizes[shape] for event, shape in shapes.items()}
