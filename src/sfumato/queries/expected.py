"""Means over all possible originals, where a history knows how many records have several items on average.

Whether a condition holds of a record depends on which of the items asked for it has. Written as a sum, with signs, of
"it has all of these", its mean is the same sum of means: *a or b* is *a*, plus *b*, minus *a and b*. The signs come
from all sets of these items, which are few.
"""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sfumato.queries.events import Events
from sfumato.queries.plan import Plan
from sfumato.queries.published_view import Knowing, PublishedView, Values
from sfumato.queries.syntax import Condition

__all__ = ["know_mean"]

_ITEMS = 6
"""Of more items than that there are too many sets."""


def know_mean(plan: Plan, condition: Condition | None, noun: str) -> float | None:
    """Return the mean number of records, or of events, where it is known without drawing originals; else None."""
    history = plan.view.history
    if not isinstance(history, Knowing) or condition is None:
        return None
    items = np.flatnonzero(plan.wanted(condition).inside)
    if noun == "event":
        return sum((history.expect([item]) for item in items.tolist()), start=0.0)
    if len(items) > _ITEMS:
        return None
    signs = _find_signs(plan, condition, items)
    mean = float(signs[0]) * plan.view.records
    for number in np.flatnonzero(signs).tolist():
        chosen = items[(number >> np.arange(len(items))) & 1 == 1].tolist()
        if chosen:
            mean += float(signs[number]) * history.expect(chosen)
    return mean


def _find_signs(plan: Plan, condition: Condition, items: npt.NDArray[np.int64]) -> npt.NDArray[np.int64]:
    """Return for every set of items, by the number its bits make, how often "it has all of these" is counted."""
    record, item = np.nonzero(np.arange(1 << len(items))[:, None] >> np.arange(len(items)) & 1)
    history = plan.view.history
    assert history is not None
    values = Values.exact(len(history.names.labels))
    every = Events.of(1 << len(items), record, items[item], values, history.names, "none")
    view = PublishedView(plan.view.unit, 1 << len(items), history=every, exact=True)
    holds = dataclasses.replace(plan, view=view).judge(condition).low.copy()
    for bit in range(len(items)):
        pairs = holds.reshape(-1, 2, 1 << bit)
        pairs[:, 1] -= pairs[:, 0]
    return holds
