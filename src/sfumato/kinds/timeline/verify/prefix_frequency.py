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
from sfumato.kinds.timeline.guarantees.prefix_frequency import PrefixFrequency
from sfumato.kinds.timeline.knowledge import find_occurrences, find_peaks
from sfumato.release.release import Release
from sfumato.verification.claim import read_claim

__all__ = ["verify", "verify_against"]


Ints = npt.NDArray[np.int64]
Witness = dict[str, Any] | None


def verify(release: Release) -> Verdict:
    """Check a release on its own: is every named event rare in every prefix, and covered as often as claimed?

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.release.text import Form
    >>> from sfumato.release.release import PublishedColumn
    >>> data = Dataset.of("timeline", [{"a": 1, "b": 3}, {"a": 2, "b": 9}])
    >>> columns = (
    ...     PublishedColumn("time", "time", Form("exact", "int64")),
    ...     PublishedColumn("events", "history", Form("category", history=True)),
    ...     PublishedColumn("counts", "count", Form("exact", "int64", history=True)),
    ... )
    >>> values = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    >>> claim = PrefixFrequency("0.25", events=("a",))
    >>> verdict = verify(Release("timeline", "by-hand", claim, columns, data.table, values, records_in=2))
    >>> verdict.holds, verdict.measured, verdict.witness
    (False, {'largest_relative_frequency': '1/4'}, {'event': 'a', 'row': 1, 'relative_frequency': '1/4'})

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 3.
    """
    claim, structure, unreadable = read_claim(release, PrefixFrequency, claimed=_name_claim)
    if unreadable is not None:
        return unreadable
    timeline = read_timeline(release)
    measured, witness = _measure(timeline, claim)
    checks = {"named events are rare in every prefix": witness is None}
    if claim.cover > 1:
        crowds = _crowd_sizes(timeline, claim.events)
        measured["cover"] = min(crowds.values(), default=None)
        lonely = sorted(event for event, size in crowds.items() if size < claim.cover)
        checks["named events share their counts with others"] = not lonely
        if lonely and witness is None:
            witness = {"event": lonely[0], "events_with_its_counts": crowds[lonely[0]]}
    return structure & Verdict(all(checks.values()), _name_claim(claim), measured, witness, checks)


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
    claim, _, unreadable = read_claim(release, PrefixFrequency, claimed=_name_claim)
    if unreadable is not None:
        return unreadable
    timeline = read_timeline(release)
    occurring = {timeline.labels[code] for code in np.unique(timeline.codes).tolist()}
    sensitive = set(original.schema.sensitive)
    open_events = sorted((sensitive & occurring) - set(claim.events))
    witness: Witness = {"event": open_events[0], "named": False} if open_events else None
    checks = {"sensitive events are protected": not open_events}
    if claim.cover > 1:
        shown = sensitive & occurring
        sizes = {event: _crowd_sizes(timeline, [event, *(occurring - sensitive)])[event] for event in sorted(shown)}
        lonely = [event for event, size in sizes.items() if size < claim.cover]
        checks["sensitive events hide among others"] = not lonely
        if lonely and witness is None:
            witness = {"event": lonely[0], "others_with_its_counts": sizes[lonely[0]] - 1}
    return Verdict(all(checks.values()), {}, {}, witness, checks)


def _name_claim(claim: PrefixFrequency) -> dict[str, Any]:
    return {"delta": claim.delta, **({"cover": claim.cover} if claim.cover > 1 else {})}


def _measure(timeline: Timeline, claim: PrefixFrequency) -> tuple[dict[str, Any], Witness]:
    """Return the largest relative frequency of the named events, and one that is too large."""
    code = timeline.code_of()
    events = [event for event in claim.events if event in code]
    peaks = dict(zip(events, find_peaks(timeline, [code[event] for event in events]), strict=True))
    largest = max(peaks, key=lambda event: peaks[event].frequency, default=None)
    if largest is None:
        return {"largest_relative_frequency": "0"}, None
    peak = peaks[largest]
    witness = None
    if peak.point is not None and peak.frequency >= claim.fraction:
        witness = {"event": largest, "row": peak.point + 1, "relative_frequency": str(peak.frequency)}
    return {"largest_relative_frequency": str(peak.frequency)}, witness


def _crowd_sizes(timeline: Timeline, events: Iterable[str]) -> dict[str, int]:
    """Count, for each of some events that occur, those of them with its counts at every time point."""
    code = timeline.code_of()
    occurring = [event for event in events if event in code]
    occurrences = zip(occurring, find_occurrences(timeline, [code[event] for event in occurring]), strict=True)
    shapes = {event: places.shape for event, places in occurrences if len(places.points)}
    sizes = Counter(shapes.values())
    return {event: sizes[shape] for event, shape in shapes.items()}
