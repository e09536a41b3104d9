"""People in a line by the most usual things they have."""

from __future__ import annotations

import numpy as np

from sfumato.data.dataset import Dataset
from sfumato.data.sort_key import ANYWHERE, Keys, Survey, take_survey

__all__ = ["PARTITION_SIZE", "compute_sort_key"]

PARTITION_SIZE = 50_000
"""People in a partition at most, unless its owner says otherwise."""
_NONE = np.uint64(2**32 - 1)


def compute_sort_key(dataset: Dataset, survey: Survey | None = None) -> Keys:
    """Return the two most frequent ordinary items of everybody, as their ranks among all items.

    Sensitive items do not count: in which partition someone is must not reveal them. Who has no others may be in any.

    Examples
    --------
    >>> keys = compute_sort_key(Dataset.of("sets", [["wine"], ["tea"], ["wine", "bread"], ["bread", "wine", "tea"]]))
    >>> np.argsort(keys, kind="stable").tolist()
    [2, 3, 0, 1]
    """
    items, hidden = dataset.history(), set(dataset.schema.sensitive)
    is_ordinary = np.array([label not in hidden for label in items.labels], dtype=bool)
    ordinary = items.keep(is_ordinary[items.codes] if len(is_ordinary) else np.zeros(0, dtype=bool))
    names = np.argsort(np.argsort(np.array(items.labels, dtype=object)))
    rank = np.empty(len(is_ordinary), np.uint64)
    # Items that are as frequent come by their names: codes follow the order of the file.
    rank[np.lexsort((names, -(survey or take_survey(dataset)).counts))] = np.arange(len(is_ordinary))
    ranks = rank[ordinary.codes]
    order = np.lexsort((ranks, ordinary.row_of_token))
    ranks = np.append(ranks[order], _NONE)
    first, lengths = ordinary.offsets[:-1], ordinary.lengths
    best = np.where(lengths > 0, ranks[np.where(lengths > 0, first, -1)], _NONE)
    second = np.where(lengths > 1, ranks[np.where(lengths > 1, first + 1, -1)], _NONE)
    return np.where(lengths > 0, (best << np.uint64(32)) | second, ANYWHERE)
