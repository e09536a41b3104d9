"""The most records of a disassociated release that may have all of some items."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.matching import ChunkMatching

__all__ = ["count_most"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True, eq=False)
class _Limit:
    """So many records of some leaves at most, for each of some chunks: what a shared chunk can give of a part."""

    part: frozenset[int]
    leaf: Ints
    chunk: Ints
    most: Ints


def count_most(support: ChunkSupport, items: Sequence[int]) -> Floats:
    """Return for every leaf how many of its records may have all items, so that no sum over leaves is exceeded.

    Sums over the leaves of a tree are what counts: how they fall to its leaves is one way of several.

    Examples
    --------
    Both leaves could have two records with o and z, but o is in one subrecord only.

    >>> from sfumato.kinds.sets.decode import Chunks
    >>> rows = [("j", 1, ["o"]), ("p", 1, ["z"]), ("p", 1, ["z"]), ("q", 1, ["z"]), ("q", 1, ["z"])]
    >>> chunks = Chunks.from_rows([("j", None, 4), ("p", "j", 2), ("q", "j", 2)], rows)
    >>> float(count_most(ChunkSupport(ChunkMatching(chunks)), chunks.encode(["o", "z"]).tolist()).sum())
    1.0
    """
    matching = support.matching
    most = np.zeros(len(matching.leaves), dtype=np.int64)
    limits: list[_Limit] = []
    for leaves, blocks in support.split(items):
        capacity, stacked = matching.sizes[leaves].copy(), np.zeros(len(leaves), dtype=np.int64)
        for part, chunk in blocks:
            held = support.count_in(part, chunk)
            own = ~matching.is_term[chunk]
            capacity[own] = np.minimum(capacity[own], held[own])
            stacked += own & ~matching.is_shared[chunk]
            shared = matching.is_shared[chunk]
            if shared.any():
                limits.append(_Limit(frozenset(part), leaves[shared], chunk[shared], held[shared]))
        most[leaves] = np.minimum(capacity, _limit_stacked(matching, leaves, stacked))
    return _share_out(most, limits)


def _limit_stacked(matching: ChunkMatching, leaves: Ints, stacked: Ints) -> Ints:
    """Return how many records may have parts of several own chunks, so that enough is left for the others.

    x records with parts of j chunks leave j x subrecords fewer to fill the other records. A term chunk fills any
    record, and a shared chunk above the leaf may.
    """
    subrecords = np.bincount(matching.leaf_of_own, matching.row_counts[matching.own], minlength=len(matching.leaves))
    spare = subrecords[leaves].astype(np.int64) - matching.sizes[leaves]
    free = (matching.term_chunk[leaves] >= 0) | (stacked < 2) | (matching.chunks.parent[matching.leaves[leaves]] >= 0)
    return np.where(free, matching.sizes[leaves], np.maximum(spare, 0) // np.maximum(stacked - 1, 1))


def _share_out(most: Ints, limits: list[_Limit]) -> Floats:
    """Reduce the leaves' numbers to what shared chunks can give, their sum being the largest possible."""
    if not limits:
        return most.astype(np.float64)
    rows, columns, bounds = _list_limits(limits)
    used = np.unique(columns)
    shares = most.astype(np.float64)
    if len(columns) == len(used):
        # Every leaf has one limit: leaves of a limit are filled one after the other.
        order = np.argsort(rows, kind="stable")
        rows, columns = rows[order], columns[order]
        filled = np.cumsum(shares[columns])
        begin = np.searchsorted(rows, np.arange(len(bounds)))
        before = filled - shares[columns] - (np.append(0.0, filled)[begin])[rows]
        shares[columns] = np.clip(bounds[rows] - before, 0.0, shares[columns])
        return shares
    from scipy.optimize import Bounds, LinearConstraint, milp
    from scipy.sparse import csr_array

    shape = (len(bounds), len(used))
    matrix = csr_array((np.ones(len(rows)), (rows, np.searchsorted(used, columns))), shape=shape)
    allowed = LinearConstraint(matrix, ub=bounds)
    solved = milp(-np.ones(len(used)), bounds=Bounds(0.0, shares[used]), constraints=allowed)
    if solved.success:
        shares[used] = solved.x
    return shares


def _list_limits(limits: list[_Limit]) -> tuple[Ints, Ints, Floats]:
    """Return (limit, leaf) for every leaf of every limit, and how much each allows.

    What a leaf gets of a larger part of a chunk it also gets of a smaller one, so that it counts there, too.
    """
    of_part: dict[frozenset[int], list[_Limit]] = {}
    for limit in limits:
        of_part.setdefault(limit.part, []).append(limit)
    rows, columns, bounds, used = [], [], [np.empty(0)], 0
    for part, same in of_part.items():
        chunks, first = np.unique(np.concatenate([limit.chunk for limit in same]), return_index=True)
        for other in (limit for limit in limits if limit.part >= part):
            at = np.searchsorted(chunks, other.chunk)
            there = chunks[np.minimum(at, len(chunks) - 1)] == other.chunk
            rows.append(used + at[there])
            columns.append(other.leaf[there])
        bounds.append(np.concatenate([limit.most for limit in same])[first].astype(np.float64))
        used += len(chunks)
    return np.concatenate(rows), np.concatenate(columns), np.concatenate(bounds)
