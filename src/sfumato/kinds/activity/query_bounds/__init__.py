"""What daily activities, original or published, say about who did what, and when."""

from __future__ import annotations

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.kinds.activity.dataset import Slots
from sfumato.kinds.activity.query_bounds.shares import Shares
from sfumato.queries.events import Events
from sfumato.queries.published_view import Names, PublishedView, Values
from sfumato.queries.times import find_steps, list_units
from sfumato.release.release import Release

__all__ = ["of_dataset", "of_release"]

_SLOTS = "an event is one time slot of one record."
_SHARES = (
    "only shares of time of whole classes are published; for several events in a row the bounds are "
    "correct but may be wide."
)


def of_dataset(dataset: Dataset) -> PublishedView:
    """Read an original: every slot is an event.

    Examples
    --------
    >>> of_dataset(Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])).history.size
    4
    """
    slots = Slots.of_history(dataset.view_history())
    people, length = slots.codes.shape
    first = 0 if dataset.time_unit.unit is None else dataset.time_unit.origin
    timing, times = find_steps(dataset.time_unit, first + np.arange(length, dtype=np.int64))
    events = Events.of(
        people,
        np.repeat(np.arange(people), length),
        slots.codes.reshape(-1),
        Values.exact(len(slots.labels)),
        Names(slots.labels),
        timing,
        lo=np.tile(times, people),
    )
    return PublishedView(
        dataset.unit,
        len(dataset),
        history=events,
        people=dataset.person_codes(),
        exact=True,
        notes=(_SLOTS,),
        units=list_units(dataset.time_unit),
    )


def of_release(release: Release) -> PublishedView:
    """Read what is published: shares of the time of classes.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"]])
    >>> found = of_release(sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32)).release)
    >>> found.records, found.sizes.tolist()
    (2, [2])
    """
    shares = Shares.of(release)
    suppressed_records = sum(release.suppressed_records.values())
    notes = (_SLOTS, _SHARES)
    return PublishedView(
        release.unit, len(release), suppressed_records, shares, sizes=shares.classes, notes=notes, units=shares.units
    )
