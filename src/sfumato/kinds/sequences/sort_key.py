"""People in a line by when they did what is monitored."""

from __future__ import annotations

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.sort_key import ANYWHERE, Keys, Survey, follow_curve, scale, take_survey
from sfumato.kinds.sequences.dataset import Sequences

__all__ = ["PARTITION_SIZE", "compute_sort_key"]

PARTITION_SIZE = 50_000
"""People in a partition at most, unless its owner says otherwise."""
_BITS = 20


def compute_sort_key(dataset: Dataset, survey: Survey | None = None) -> Keys:
    """Return the place of everybody's first and last monitored time on the Hilbert curve.

    People who did nothing that is monitored are dealt out to all partitions: a partition of nobody else could not be
    published.

    Examples
    --------
    >>> people = [[("mail", 3), ("mail", 90)], [("mail", 50)], [("mail", 4), ("mail", 92)]]
    >>> keys = compute_sort_key(Dataset.of("sequences", people, monitored=("mail",)))
    >>> np.argsort(keys).tolist()
    [0, 2, 1]
    """
    offsets, _, times = Sequences.of(dataset).part(monitored=True)
    people = np.flatnonzero(np.diff(offsets))
    keys = np.full(len(dataset), ANYWHERE)
    if not len(people):
        return keys
    first, last = (pick.reduceat(times, offsets[:-1][people]) for pick in (np.minimum, np.maximum))
    # Both on one scale: a cell of the grid is as many units of time wide as high.
    seen, wanted = survey or take_survey(dataset), set(dataset.schema.monitored)
    monitored = np.array([label in wanted for label in dataset.view_history().labels], dtype=bool)
    among = np.array([seen.first[monitored].min(), seen.last[monitored].max()])
    keys[people] = follow_curve(scale(first, _BITS, among), scale(last, _BITS, among), _BITS)
    return keys
