"""People in a line by how they spend their time, coarsely."""

from __future__ import annotations

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.sort_key import ANYWHERE, Keys, Survey, interleave, take_survey
from sfumato.kinds.activity.dataset import Slots

__all__ = ["PARTITION_SIZE", "compute_sort_key"]

PARTITION_SIZE = 10_000
"""People in a partition at most, unless its owner says otherwise."""
_ACTIVITIES, _BITS = 8, 8


def compute_sort_key(dataset: Dataset, survey: Survey | None = None) -> Keys:
    """Return how long everybody does the commonest ordinary activities, bit by bit in turn.

    Sensitive activities do not count: in which partition someone is must not reveal them. So times are shares of the
    time that is left beside them, and who has none left may be in any partition.

    Examples
    --------
    >>> days = [["sleep", "work"], ["play", "play"], ["sleep", "work"], ["sleep", "sleep"]]
    >>> keys = compute_sort_key(Dataset.of("activity", days))
    >>> np.argsort(keys, kind="stable").tolist()
    [0, 2, 1, 3]
    >>> away = Dataset.of("activity", [["work", "sleep"], ["away", "away"], ["work", "sleep"]], sensitive=("away",))
    >>> bool(compute_sort_key(away)[1] == ANYWHERE)
    True
    """
    slots = Slots.of(dataset)
    total = (survey or take_survey(dataset)).counts
    ordinary = [code for code, label in enumerate(slots.labels) if label not in set(dataset.schema.sensitive)]
    # Activities that are as common come by their names: codes follow the order of the file.
    commonest = sorted(ordinary, key=lambda code: (-total[code], slots.labels[code]))[:_ACTIVITIES]
    left = np.isin(slots.codes, ordinary).sum(axis=1)
    if not commonest:
        return np.full(len(dataset), ANYWHERE)
    most = (1 << _BITS) - 1
    spent = [(slots.codes == code).sum(axis=1) * most // np.maximum(left, 1) for code in commonest]
    return np.where(left > 0, interleave([np.asarray(share, np.uint64) for share in spent], _BITS), ANYWHERE)
