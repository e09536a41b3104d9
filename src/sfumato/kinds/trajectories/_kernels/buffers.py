"""Relabelling short records whose sequences are pairs at most, in room that is made once.

Most records are short, and most is asked about pairs. Making arrays for one such record, and counting who refers to
them, takes longer than relabelling it.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import Counter
from sfumato.kinds.trajectories._kernels.demand import BORROWING, Demand
from sfumato.kinds.trajectories._kernels.labels import Paths, Visits, add_dense, fill_labels
from sfumato.kinds.trajectories._kernels.pairs import ENDS, list_changes

__all__ = ["Buffers", "fits_buffers", "make_buffers", "relabel_in_buffers"]

_LONGEST = 64


class Buffers(NamedTuple):
    """Room for one record after the other.

    Attributes
    ----------
    old, new, touched
        By visit: its label before and after, and whether it gets another level.
    keys
        The sequences that come or go.
    ends
        Ends of labels, as `list_changes` wants them.
    labels, former, level
        For whoever asks for one change after the other.

    Examples
    --------
    >>> make_buffers(9).ends.shape
    (5, 9)
    """

    old: NDArray[np.int32]
    new: NDArray[np.int32]
    touched: NDArray[np.bool_]
    keys: NDArray[np.int64]
    ends: NDArray[np.int32]
    labels: NDArray[np.int32]
    former: NDArray[np.int32]
    level: NDArray[np.int32]


@njit(cache=True, nogil=True)
def make_buffers(base: int) -> Buffers:
    """Make room for labels below a number."""
    return Buffers(
        np.empty(_LONGEST, np.int32),
        np.empty(_LONGEST, np.int32),
        np.empty(_LONGEST, np.bool_),
        np.empty(2 * _LONGEST * (2 * _LONGEST + 1), np.int64),
        np.full((ENDS, base), -1, np.int32),
        np.empty(_LONGEST, np.int32),
        np.empty(_LONGEST, np.int32),
        np.empty(_LONGEST, np.int32),
    )


@njit(**BORROWING)
def fits_buffers(counter: Counter, visits: Visits, record: int, demand: Demand) -> bool:
    """Tell whether a record is short, and nothing but pairs of labels is counted, with a place for every pair."""
    length = visits.offsets[record + 1] - visits.offsets[record]
    return bool(length <= _LONGEST and demand.size <= 2 and demand.kinds == 1 and counter.dense.size > 0)


@njit(**BORROWING)
def relabel_in_buffers(
    counter: Counter,
    visits: Visits,
    paths: Paths,
    record: int,
    demand: Demand,
    level: NDArray[np.int32],
    buffers: Buffers,
) -> int:
    """Give the visits of a record other levels and update the counts; return how many sequences came or went."""
    first = visits.offsets[record]
    n = visits.offsets[record + 1] - first
    old, new, touched = buffers.old[:n], buffers.new[:n], buffers.touched[:n]
    fill_labels(visits, paths, record, old)
    for i in range(n):
        touched[i] = visits.level[first + i] != level[i]
        visits.level[first + i] = level[i]
    fill_labels(visits, paths, record, new)
    lost, number = list_changes(old, new, touched, demand.size, demand.base, buffers.ends, buffers.keys)
    add_dense(counter.dense, buffers.keys, 0, lost, -1)
    add_dense(counter.dense, buffers.keys, lost, number, 1)
    return int(number)
