"""Sort keys of records: numbers of 64 bits, nearer for similar records."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset

__all__ = ["ANYWHERE", "Keys", "Survey", "find_commonest", "follow_curve", "interleave", "scale", "take_survey"]

Keys = npt.NDArray[np.uint64]
Ints = npt.NDArray[np.int64]

ANYWHERE = np.uint64(2**64 - 1)
"""Key of people without values to compare: they are distributed evenly to all partitions."""
_ONE = np.uint64(1)


class Survey(NamedTuple):
    """Facts of all records that keys need: the frequency of each value of the histories, and its times.

    Examples
    --------
    >>> survey = take_survey(Dataset.of("sequences", [[("mail", 3), ("news", 1)], [("mail", 9)]], monitored=("mail",)))
    >>> survey.counts.tolist(), survey.first.tolist(), survey.last.tolist()
    ([1, 2], [1, 3], [1, 9])
    """

    counts: Ints
    """By the code of the value."""
    first: Ints
    last: Ints
    """The first and the last time of the value, where there are times."""


def take_survey(dataset: Dataset) -> Survey:
    """Count values, and find the first and last time of each.

    Examples
    --------
    >>> take_survey(Dataset.of("sets", [["wine"], ["wine", "tea"]])).counts.tolist()
    [2, 1]
    """
    roles, nothing = {column.role for column in dataset.schema.columns}, np.zeros(0, np.int64)
    if "history" not in roles:
        return Survey(nothing, nothing, nothing)
    history = dataset.view_history()
    counts = np.bincount(history.codes, minlength=len(history.labels))
    if "time" not in roles:
        return Survey(counts, nothing, nothing)
    limits, times = np.iinfo(np.int64), dataset.times()
    first, last = (np.full(len(counts), at, np.int64) for at in (limits.max, limits.min))
    np.minimum.at(first, history.codes, times)
    np.maximum.at(last, history.codes, times)
    return Survey(counts, first, last)


def scale(values: npt.NDArray[Any], bits: int, among: npt.NDArray[Any] | None = None) -> Keys:
    """Scale values to whole numbers of a number of bits, from the least to the greatest; NaN is 0.

    If there are further values, ``among`` holds the least and the greatest of all.

    Examples
    --------
    >>> scale(np.array([5.0, 7.0, 9.0, np.nan]), 2).tolist()
    [0, 1, 3, 0]
    >>> scale(np.array([7.0]), 2, among=np.array([5.0, 9.0])).tolist()
    [1]
    """
    is_finite = np.isfinite(values)
    if not is_finite.any():
        return np.zeros(len(values), np.uint64)
    all_of_them = values[is_finite] if among is None else among[np.isfinite(among)]
    low, high = float(all_of_them.min()), float(all_of_them.max())
    share = (np.where(is_finite, values, low) - low) / max(high - low, np.finfo(np.float64).tiny)
    return np.asarray(np.floor(share * ((1 << bits) - 1)), np.uint64)


def follow_curve(x: Keys, y: Keys, bits: int) -> Keys:
    """Return the positions of cells on the Hilbert curve, in a grid with 2^bits cells along each side.

    Examples
    --------
    >>> follow_curve(np.array([0, 0, 1, 1], np.uint64), np.array([0, 1, 1, 0], np.uint64), 1).tolist()
    [0, 1, 2, 3]
    """
    x, y, place = x.copy(), y.copy(), np.zeros(len(x), np.uint64)
    for bit in range(bits - 1, -1, -1):
        at = np.uint64(bit)
        right, upper = (x >> at) & _ONE, (y >> at) & _ONE
        place = place * np.uint64(4) + ((np.uint64(3) * right) ^ upper)
        # The curve runs through the lower quarters turned, and through the right one backwards.
        backwards = (upper == 0) & (right == 1)
        x, y = np.where(backwards, ~x, x), np.where(backwards, ~y, y)
        x, y = np.where(upper == 0, y, x), np.where(upper == 0, x, y)
    return place


def interleave(columns: Sequence[Keys], bits: int) -> Keys:
    """Return numbers with the bits of all columns in turn, the highest of each first.

    Examples
    --------
    >>> interleave([np.array([0b10], np.uint64), np.array([0b01], np.uint64)], 2).tolist() == [0b1001]
    True
    """
    mixed = np.zeros(len(columns[0]) if columns else 0, np.uint64)
    for bit in range(bits - 1, -1, -1):
        for column in columns:
            mixed = (mixed << _ONE) | ((column >> np.uint64(bit)) & _ONE)
    return mixed


def find_commonest(rows: Ints, codes: npt.NDArray[Any], count: int) -> Ints:
    """Return the most frequent code of every row, the least of several; -1 for empty rows.

    Parameters
    ----------
    rows, codes
        Row and code of every entry, row after row.
    count
        Number of rows.

    Examples
    --------
    >>> find_commonest(np.array([0, 0, 0, 2, 2]), np.array([4, 1, 4, 7, 3]), 3).tolist()
    [4, -1, 3]
    """
    commonest = np.full(count, -1, np.int64)
    if not len(codes):
        return commonest
    width = int(codes.max()) + 1
    entries = np.sort(rows * width + codes)
    begins = np.flatnonzero(np.diff(entries, prepend=-1))
    times = np.diff(begins, append=len(entries))
    row, code = entries[begins] // width, entries[begins] % width
    order = np.lexsort((-code, times, row))
    # The last of each row is the most frequent and, of several, the least.
    commonest[row[order]] = code[order]
    return commonest
