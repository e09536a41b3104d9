"""Rows of visits, one by one, put together to histories."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.io.cells import Cells, Labels

__all__ = ["arrange_visits", "combine_labels", "renumber"]

Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]


def combine_labels(parts: Sequence[Labels]) -> Labels:
    """Return one label for what several columns tell apart together: ``person/trip``.

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
    spelled: list[Cells] = []
    for part in parts:
        safe = pc.replace_substring(pc.replace_substring(part.labels, "\\", "\\\\"), "/", "\\/")
        spelled.append(safe.take(pa.array(part.codes[first])))
    return Labels(codes.astype(np.int32), pc.binary_join_element_wise(*spelled, "/"))


def arrange_visits(record: Ints, order: npt.NDArray[np.generic] | None, place: Ints) -> Longs:
    """Return the rows by record, time and position in the file, without those that stay at a place.

    Rows whose place is negative are left out.

    Examples
    --------
    >>> record, time, place = np.array([0, 1, 0, 0]), np.array([2, 1, 1, 3]), np.array([5, 5, 6, 5])
    >>> arrange_visits(record, time, place).tolist()
    [2, 0, 1]
    """
    kept = np.flatnonzero(place >= 0)
    keys = (record[kept],) if order is None else (order[kept], record[kept])
    rows: Longs = kept[np.lexsort(keys)]
    who, where = record[rows], place[rows]
    stays = (who[1:] == who[:-1]) & (where[1:] == where[:-1])
    moves: Longs = rows[np.append(np.ones(min(len(rows), 1), bool), ~stays)]
    return moves


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
