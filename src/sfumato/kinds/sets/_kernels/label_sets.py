"""How many rows hold each set of labels, over all labels at once: one number for each set that some row holds."""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import LARGEST_KEY, Counter, add_keys, new_counter, read_key
from sfumato.kinds.sets._kernels.local_labels import Labelled, advance

__all__ = ["LabelSets", "count_label_sets", "count_sets", "find_scarce", "make_label_sets"]

_BUFFER = 4096


class LabelSets(NamedTuple):
    """How many rows hold each set of two labels and more; sets of one are counted in the rows.

    Attributes
    ----------
    size, base
        Largest size of a set, and one more than there are nodes.
    sets
        Rows that hold a set, by a number made of its labels.
    """

    size: int
    base: int
    sets: Counter


def make_label_sets(nodes: int, size: int) -> LabelSets:
    """Make empty counts of sets of up to `size` labels.

    Raises
    ------
    ValueError
        If there are more sets of labels than 62 bits can number.

    Examples
    --------
    >>> make_label_sets(7, 3).base
    8
    """
    if (nodes + 1) ** size > LARGEST_KEY:
        raise ValueError(f"{nodes} groups of items have too many combinations of {size}; choose a smaller m.")
    return LabelSets(size, nodes + 1, new_counter(LARGEST_KEY, 0))


def count_label_sets(rows: Labelled, size: int) -> float:
    """Return how many sets of two and up to `size` labels the rows hold, each counted as often as it is held.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.local_labels import label_rows
    >>> count_label_sets(label_rows(np.array([0, 3, 4]), np.array([0, 1, 2, 1], np.int32), np.arange(3), 4), 3)
    4.0
    """
    nodes = rows.support.size
    held = np.unique(rows.row.astype(np.int64) * nodes + rows.label) // nodes
    lengths = np.bincount(held).astype(np.float64)
    total, sets = 0.0, lengths.copy()
    for more in range(1, size):
        sets = sets * (lengths - more).clip(0) / (more + 1)
        total += float(sets.sum())
    return total


@njit(cache=True, nogil=True)
def count_sets(supports: LabelSets, labels: NDArray[np.int64], step: int) -> LabelSets:
    """Add the sets of two and more of a row's ascending labels, or take them away; go on with what is returned.

    Examples
    --------
    >>> supports = count_sets(make_label_sets(4, 2), np.array([0, 2]), 1)
    >>> read_key(supports.sets, 1 * 5 + 3)
    1
    """
    sets = supports.sets
    keys, filled = np.empty(_BUFFER, np.int64), 0
    for size in range(2, min(supports.size, labels.size) + 1):
        pick = np.arange(size)
        more = True
        while more:
            key = np.int64(0)
            for at in pick:
                key = key * supports.base + labels[at] + 1
            keys[filled] = key
            filled += 1
            if filled == _BUFFER:
                sets = add_keys(sets, keys, filled, step)
                filled = 0
            more = advance(pick, labels.size)
    return LabelSets(supports.size, supports.base, add_keys(sets, keys, filled, step))


@njit(cache=True, nogil=True)
def find_scarce(
    supports: LabelSets, support: NDArray[np.int64], labels: NDArray[np.int64], k: int, marks: NDArray[np.bool_]
) -> None:
    """Mark those of a row's ascending labels that are in a set which k rows hold: without the row it would be rare.

    Examples
    --------
    >>> supports = count_sets(make_label_sets(4, 2), np.array([0, 2]), 1)
    >>> marks = np.zeros(4, np.bool_)
    >>> find_scarce(supports, np.array([2, 2, 2, 2]), np.array([0, 2]), 1, marks)
    >>> marks.tolist()
    [True, False, True, False]
    """
    for label in labels:
        marks[label] = support[label] == k
    for size in range(2, min(supports.size, labels.size) + 1):
        pick = np.arange(size)
        more = True
        while more:
            key, is_open = np.int64(0), False
            for at in pick:
                key = key * supports.base + labels[at] + 1
                is_open |= not marks[labels[at]]
            if is_open and read_key(supports.sets, key) == k:
                for at in pick:
                    marks[labels[at]] = True
            more = advance(pick, labels.size)
