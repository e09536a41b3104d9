"""What a timeline, original or published, says about which events happened when, and how often."""

from __future__ import annotations

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.kinds.timeline.decode import read_timeline
from sfumato.queries.events import MANY, Events
from sfumato.queries.published_view import Names, PublishedView, Values
from sfumato.queries.times import find_steps, list_units
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release"]

_DELETED = (
    "occurrences of the events that the guarantee names may have been deleted, any number of them at every time point."
)


def of_dataset(dataset: Dataset) -> PublishedView:
    """Read an original: every time point has its events, so many of each.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"bread": 2, "wine": 1}, {"bread": 1}], sensitive=("wine",))
    >>> of_dataset(data).history.least.tolist()
    [2, 1, 1]
    """
    timeline = Timeline.of(dataset)
    timing, times = find_steps(dataset.time_unit, timeline.times)
    events = Events.of(
        len(timeline),
        timeline.points,
        timeline.codes,
        Values.exact(len(timeline.labels)),
        Names(timeline.labels),
        timing,
        lo=times[timeline.points],
        least=timeline.counts,
        most=timeline.counts,
    )
    units = list_units(dataset.time_unit)
    return PublishedView(dataset.unit, len(dataset), history=events, exact=True, ordered=False, units=units)


def of_release(release: Release) -> PublishedView:
    """Read what is left: events that are not named are all there, and of those named any number may be missing.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("timeline", [{"b": 3, "a": 2}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> found = of_release(sf.anonymize(data, sf.methods.Odesa(delta="1/4"), secret=bytes(32)).release).history
    >>> wine = found.names.find("a")
    >>> found.values.can(wine)[found.value].tolist(), found.least.tolist()
    ([False, True, True, False, True], [3, 0, 1, 4, 0])
    """
    timeline = read_timeline(release)
    named = tuple(getattr(release.guarantee, "events", ()))
    labels = tuple(dict.fromkeys([*timeline.labels, *named]))
    points = np.arange(len(timeline))
    deleted = np.full(len(points), len(labels))
    events = Events.of(
        len(timeline),
        np.concatenate([timeline.points, points]),
        np.concatenate([timeline.codes, deleted]),
        Values.of([*([code] for code in range(len(labels))), [labels.index(event) for event in named]]),
        Names(labels),
        "moment" if _is_dated(release) else "number",
        lo=timeline.times[np.concatenate([timeline.points, points])],
        least=np.concatenate([timeline.counts, np.zeros(len(points), np.int64)]),
        most=np.concatenate([timeline.counts, np.full(len(points), MANY)]),
    )
    suppressed_records = sum(release.suppressed_records.values())
    return PublishedView(release.unit, len(release), suppressed_records, events, ordered=False, notes=(_DELETED,))


def _is_dated(release: Release) -> bool:
    return any(column.role == "time" and column.form.type == "timestamp" for column in release.columns)
