"""Histories from rows of visits."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.readers.cells import Cells, Labels

__all__ = [
    "Moments",
    "arrange_moments",
    "arrange_visits",
    "combine_labels",
    "rank_names",
    "renumber",
]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


def combine_labels(parts: Sequence[Labels]) -> Labels:
    """Return one label for the combined values of several columns: ``person/trip``.

    A slash inside a part is written ``\\/``, so that different things never share a label.

    Examples
    --------
    >>> person = Labels(np.array([0, 0, 1], np.int32), pa.array(["7", "8"]))
    >>> trip = Labels(np.array([0, 1, 0], np.int32), pa.array(["a/b", "c"]))
    >>> print(*combine_labels([person, trip]).labels.to_pylist())
    7/a\\/b 7/c 8/a\\/b
    """
    if len(parts) == 1:
        return parts[0]
    codes = parts[0].codes.astype(np.int64)
    for part in parts[1:]:
        paired: Cells = pa.array(codes * len(part.labels) + part.codes).dictionary_encode()
        codes = paired.indices.to_numpy().astype(np.int64)
    first = renumber(codes.astype(np.int32))[2]
    texts: list[Cells] = []
    for part in parts:
        safe = pc.replace_substring(pc.replace_substring(part.labels, "\\", "\\\\"), "/", "\\/")
        texts.append(safe.take(pa.array(part.codes[first])))
    return Labels(codes.astype(np.int32), pc.binary_join_element_wise(*texts, "/"))


class Moments(NamedTuple):
    """Rows by record and time, and how many of them share their time with others of the record."""

    rows: Longs
    sharing: int


def arrange_moments(record: Ints, time: npt.NDArray[np.generic], value: Ints, labels: Cells) -> Moments:
    """Return the rows by record, time and, at the same time, the name of their value, without duplicates.

    The result does not depend on the order of the file: values of a record at the same time are in alphabetical order.
    ``sharing`` counts the rows that share their time with another value of the same record.

    Examples
    --------
    >>> record, time, value = np.array([0, 0, 0, 0]), np.array([2, 1, 1, 1]), np.array([0, 0, 1, 0])
    >>> found = arrange_moments(record, time, value, ["park", "home"])
    >>> found.rows.tolist(), found.sharing
    ([2, 1, 0], 2)
    """
    rows: Longs = np.lexsort((time, record))
    who, when = record[rows], time[rows]
    tied = (who[1:] == who[:-1]) & (when[1:] == when[:-1])
    if not tied.any():
        return Moments(rows, 0)
    at = np.flatnonzero(np.append(tied, False) | np.append(False, tied))
    moment = np.cumsum(np.append(True, ~tied))[at]
    tied_rows = rows[at]
    rank = rank_names(labels)[value[tied_rows]]
    order = np.lexsort((rank, moment))
    rows[at], rank = tied_rows[order], rank[order]
    again = np.append(False, (moment[1:] == moment[:-1]) & (rank[1:] == rank[:-1]))
    left = moment[~again]
    return Moments(np.delete(rows, at[again]), int((np.bincount(left)[left] > 1).sum()))


def rank_names(labels: Cells) -> Longs:
    """Return the rank of every label in the order of Unicode code points.

    Examples
    --------
    >>> rank_names(["park", "home", "inn"]).tolist()
    [2, 0, 1]
    """
    names: Cells = pa.array(labels, pa.string()) if isinstance(labels, Sequence) else labels
    order = pc.array_sort_indices(names).to_numpy()
    rank = np.empty(len(order), np.int64)
    rank[order] = np.arange(len(order))
    return rank


def arrange_visits(record: Ints, order: npt.NDArray[np.generic] | None, place: Ints, labels: Cells) -> Moments:
    """Return the rows by record and time, without those that stay at a place; visits at the same time by their names.

    Rows whose place is negative are left out. Without times the rows of a record stay in the order of the file.

    Examples
    --------
    >>> record, time, place = np.array([0, 1, 0, 0]), np.array([2, 1, 1, 3]), np.array([0, 0, 1, 0])
    >>> arrange_visits(record, time, place, ["park", "home"]).rows.tolist()
    [2, 0, 1]
    """
    placed = np.flatnonzero(place >= 0)
    if order is None:
        moments = Moments(np.lexsort((record[placed],)), 0)
    else:
        moments = arrange_moments(record[placed], order[placed], place[placed], labels)
    rows: Longs = placed[moments.rows]
    who, where = record[rows], place[rows]
    stays = (who[1:] == who[:-1]) & (where[1:] == where[:-1])
    return Moments(rows[np.append(np.ones(min(len(rows), 1), bool), ~stays)], moments.sharing)


def renumber(codes: Ints) -> tuple[Ints, Ints, Longs]:
    """Number codes by first appearance; return them, the old code of each number and where it came first.

    Examples
    --------
    >>> new, old, first = renumber(np.array([7, 3, 7, 5], dtype=np.int32))
    >>> new.tolist(), old.tolist(), first.tolist()
    ([0, 1, 0, 2], [7, 3, 5], [0, 1, 3])
    """
    encoded: Cells = pa.array(codes).dictionary_encode()
    old = encoded.dictionary.to_numpy().astype(np.int32)
    new = encoded.indices.to_numpy().astype(np.int32)
    first = np.empty(len(old), np.int64)
    first[new[::-1]] = np.arange(len(new))[::-1]
    return new, old, first
