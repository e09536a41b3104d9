"""Groups of items that come together in the same records."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.ragged import Ragged

__all__ = ["cluster_items"]

Ints = npt.NDArray[np.int64]


def cluster_items(sets: Ragged, number: int) -> Ints:
    """Put items into so many groups around the most frequent ones, and return the group of each item.

    Every group begins with one of the most frequent items. Each other item joins the one it has the largest share of
    common records with (Jaccard similarity); of equal shares, the more frequent one. An item that shares no record
    with any of them joins the group with the fewest items. Of equally frequent items, the first one goes first.

    Examples
    --------
    >>> rows = [["tea", "milk"], ["tea", "milk"], ["beer", "nuts"], ["beer"], ["beer"], ["tea"]]
    >>> sets = Ragged.from_lists(rows)
    >>> dict(zip(sets.labels, cluster_items(sets, 2).tolist()))
    {'tea': 0, 'milk': 0, 'beer': 1, 'nuts': 1}
    """
    supports = np.bincount(sets.codes, minlength=len(sets.labels)).astype(np.int64)
    order = np.argsort(-supports, kind="stable")
    centres = order[: min(number, len(order))]
    common = _count_common(sets, centres)
    union = supports[:, None] + supports[centres][None, :] - common
    share = np.divide(common, union, out=np.zeros(common.shape), where=union > 0)
    group = np.argmax(share, axis=1) if len(centres) else np.zeros(len(supports), np.int64)
    group[centres] = np.arange(len(centres))
    lonely = common.sum(axis=1) == 0
    lonely[centres] = False
    sizes = np.bincount(group[~lonely], minlength=len(centres))
    for item in order[lonely[order]]:
        group[item] = int(np.argmin(sizes))
        sizes[group[item]] += 1
    return group.astype(np.int64)


def _count_common(sets: Ragged, centres: Ints) -> Ints:
    """Count the records every item shares with each centre."""
    common = np.zeros((len(sets.labels), len(centres)), dtype=np.int64)
    place = np.full(len(sets.labels), -1, dtype=np.int64)
    place[centres] = np.arange(len(centres))
    rows = sets.row_of_token
    for at, centre in enumerate(centres):
        holds = np.zeros(len(sets), dtype=bool)
        holds[rows[sets.codes == centre]] = True
        common[:, at] = np.bincount(sets.codes[holds[rows]], minlength=len(sets.labels))
    return common
