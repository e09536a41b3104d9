"""People in a line by where they are most of the time."""

from __future__ import annotations

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.sort_key import ANYWHERE, Keys, Survey, find_commonest, follow_curve, scale
from sfumato.kinds.trajectories.dataset import find_coordinates
from sfumato.kinds.trajectories.dataset.histories import Trajectories

__all__ = ["PARTITION_SIZE", "compute_sort_key"]

PARTITION_SIZE = 50_000
"""People in a partition at most, unless its owner says otherwise."""
_BITS = 20


def compute_sort_key(dataset: Dataset, _survey: Survey | None = None) -> Keys:
    """Return the place of everybody's commonest ordinary place on the Hilbert curve; by the alphabet without a map.

    Sensitive places do not count: in which partition someone is must not reveal them. Who was nowhere else may be in
    any.

    Examples
    --------
    >>> xy = {"a": (0, 0), "b": (1, 1), "c": (9, 9)}
    >>> keys = compute_sort_key(Dataset.of("trajectories", [["a", "a", "c"], ["c"], ["b"]], xy))
    >>> np.argsort(keys).tolist()
    [0, 2, 1]
    """
    ordinary = Trajectories.of(dataset).ordinary
    # Places that are as common come by their names: codes follow the order of the file.
    by_name = np.argsort(np.array(ordinary.labels, dtype=object), kind="stable")
    rank = np.empty(len(by_name), np.int64)
    rank[by_name] = np.arange(len(by_name))
    place = find_commonest(ordinary.row_of_token, rank[ordinary.codes], len(ordinary))
    if dataset.places is not None and {"x", "y"} <= set(dataset.places.column_names):
        x, y = find_coordinates(dataset).T
        of_place = follow_curve(scale(x, _BITS), scale(y, _BITS), _BITS)[by_name]
    else:
        of_place = np.arange(len(by_name), dtype=np.uint64)
    return np.append(of_place, ANYWHERE)[place]
