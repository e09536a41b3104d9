"""Where a record of a disassociated release can have each of its terms from.

A term reaches a record of a leaf through one chunk only: a chunk of the leaf itself or, where the leaf does not have
the term, the shared chunk of the nearest joint cluster above that has it. Plain NumPy, for verifiers and attackers.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sfumato.checks.cache import cached
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.knowledge.rows import number_rows
from sfumato.release.release import Release

__all__ = ["Restriction", "Sources"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_MOST_UNIONS = 4096
"""Sets of leaves that are looked at for one chunk."""
_CELLS = 1 << 26
"""Clusters times terms up to which it is listed where each cluster has each term from: a quarter of a gigabyte."""
_PORTION = 1 << 20


@dataclasses.dataclass(frozen=True, eq=False)
class Restriction:
    """A shared chunk some of whose subrecords cannot belong to every leaf below.

    Parameters
    ----------
    chunk
        The chunk.
    leaves, sizes
        The leaves below its cluster, and their numbers of records.
    subrecords, times
        The different subrecords of the chunk, and how often each occurs.
    allowed
        Whether a leaf (row) may have a subrecord (column).

    Examples
    --------
    >>> clusters = [("j", None, 6), ("p", "j", 3), ("q", "j", 3)]
    >>> rows = [("j", 1, ["a"]), ("j", 1, ["o"]), ("p", 1, ["a"]), ("q", 0, ["z"])]
    >>> found = Sources(Chunks.from_rows(clusters, rows)).restriction(0)
    >>> found.allowed.tolist(), found.restricted.tolist(), found.slack
    ([[False, True], [True, True]], [True, False], 2)
    """

    chunk: int
    leaves: Ints
    sizes: Ints
    subrecords: ListColumn
    times: Ints
    allowed: Flags

    @property
    def restricted(self) -> Flags:
        """Which subrecords are not allowed in all leaves."""
        return np.asarray(~self.allowed.all(axis=0))

    @cached_property
    def slack(self) -> int:
        """Records that stay free for other subrecords wherever the restricted ones are put, at the tightest place.

        Some leaves are tight for what cannot go elsewhere. They matter to a subrecord that may be inside or outside of
        them; where there is none, it is enough that all find a place. Negative if they do not. Where all restricted
        subrecords at the tightest place leave as many as the rarest subrecord has copies, that number is given; it may
        be less than there are.
        """
        restricted = self.restricted
        capacity = self.sizes @ self.allowed[:, restricted]
        joint = int(capacity.min(initial=self.sizes.sum())) - int(self.times[restricted].sum())
        if joint >= self.times.min(initial=int(self.sizes.sum())):
            return joint
        tightest = self._find_tightest()
        return joint if tightest is None else tightest

    def _find_tightest(self) -> int | None:
        """Look at all unions of sets of leaves that subrecords are restricted to; None if they are too many."""
        patterns, which = np.unique(self.allowed, axis=1, return_inverse=True)
        supply = np.bincount(which.ravel(), weights=self.times, minlength=patterns.shape[1]).astype(np.int64)
        distinct_patterns, which = np.unique(patterns, axis=0, return_inverse=True)
        records = np.bincount(which.ravel(), weights=self.sizes, minlength=len(distinct_patterns)).astype(np.int64)
        everywhere = (1 << len(distinct_patterns)) - 1
        masks = [sum(1 << at for at in np.flatnonzero(column).tolist()) for column in distinct_patterns.T]
        unions = {0}
        for mask in masks:
            unions |= {union | mask for union in unions if mask != everywhere}
            if len(unions) > _MOST_UNIONS:
                return None
        in_union, fits = _spread(unions, len(distinct_patterns)), distinct_patterns.T.astype(np.float32)
        # Of every union and every set of leaves: how many leaves they share, and how many are only in the set.
        shared, beyond = in_union.astype(np.float32) @ fits.T, (~in_union).astype(np.float32) @ fits.T
        left = in_union @ records - (beyond == 0) @ supply
        tight = (left < 0) | ((shared > 0) & (beyond > 0)).any(axis=1)
        return int(left[tight].min(initial=int(records.sum())))


def _spread(numbers: set[int], width: int) -> Flags:
    """Return the bits of numbers, a row for each, the lowest first.

    Examples
    --------
    >>> _spread({5}, 4).tolist()
    [[True, False, True, False]]
    """
    size = -(-width // 8)
    flat = np.frombuffer(b"".join(number.to_bytes(size, "little") for number in numbers), np.uint8)
    bits = np.unpackbits(flat.reshape(len(numbers), size), axis=1, bitorder="little")
    return np.asarray(bits[:, :width], dtype=bool)


class Sources:
    """The terms of every chunk as entries, in the order of chunks and terms, and the way from a leaf to them.

    Parameters
    ----------
    chunks
        The published chunks; the domains of a cluster's chunks must be disjoint.

    Examples
    --------
    >>> clusters = [("j", None, 6), ("p", "j", 3), ("q", "j", 3)]
    >>> rows = [("j", 1, ["a"]), ("j", 1, ["o"]), ("p", 1, ["a"]), ("q", 0, ["z"])]
    >>> sources = Sources(Chunks.from_rows(clusters, rows))
    >>> sources.chunk.tolist(), sources.term.tolist(), sources.restricted.tolist()
    ([0, 0, 1, 2], [0, 1, 0, 2], [True, False, False, False])
    >>> sources.find_nearest(np.array([1, 2, 1, 1]), np.array([0, 0, 1, 2])).tolist()
    [2, 0, 1, -1]
    """

    def __init__(self, chunks: Chunks) -> None:
        self.chunks = chunks
        rows = chunks.subrecords
        self._width = max(len(rows.labels), 1)
        keys = chunks.chunk_of_row[rows.row_of_token] * self._width + rows.codes
        distinct_keys, self.entry_of_token, self.support = np.unique(keys, return_inverse=True, return_counts=True)
        self.chunk, self.term = distinct_keys // self._width, distinct_keys % self._width
        self.cluster = chunks.cluster[self.chunk]
        self.in_term_chunk = chunks.number[self.chunk] == TERM_CHUNK
        places = self.cluster * self._width + self.term
        self._order = np.argsort(places, kind="stable")
        self._places = places[self._order]
        self._restrictions: dict[int, Restriction] = {}

    @staticmethod
    def of(release: Release) -> Sources:
        """Return the entries of a release's chunks, made once for all who ask."""
        return _find_sources(release)

    def __len__(self) -> int:
        return len(self.term)

    def rows_of_entries(self, marked: Flags) -> ListColumn:
        """Return the marked subrecords as lists of entries."""
        rows = self.chunks.subrecords
        names = ("",) * len(self)  # entries have no names; only their number counts
        return ListColumn(rows.offsets, self.entry_of_token.astype(np.int32), names).take(np.flatnonzero(marked))

    def find(self, clusters: Ints, terms: Ints) -> Ints:
        """Return the entry of each term in the chunks of a cluster, -1 where they do not have it."""
        if not len(self):
            return np.full(len(terms), -1, dtype=np.int64)
        wanted = clusters * self._width + terms
        at = np.minimum(np.searchsorted(self._places, wanted), len(self) - 1)
        there = (self._places[at] == wanted) & (clusters >= 0) & (terms >= 0)
        return np.where(there, self._order[at], -1)

    def find_nearest(self, leaves: Ints, terms: Ints) -> Ints:
        """Return the entry through which a record of each leaf has a term, -1 where it cannot have it."""
        if len(self.chunks.names) * self._width > _CELLS:
            return self._climb(leaves, terms)
        # Numbers of -1 find the row and the column beyond the last.
        return self._nearest[leaves, terms].astype(np.int64)

    @cached_property
    def _nearest(self) -> npt.NDArray[np.int32]:
        """By cluster and term: the entry of the cluster itself, or else of the nearest one above that has the term."""
        chunks = self.chunks
        nearest = np.full((len(chunks.names) + 1, self._width + 1), -1, dtype=np.int32)
        # Where a cluster has a term twice, which no release should, the first entry is the one that is found.
        nearest[self.cluster[::-1], self.term[::-1]] = np.arange(len(self))[::-1]
        by_depth = np.argsort(chunks.depth, kind="stable")
        begins = np.searchsorted(chunks.depth[by_depth], np.arange(1, int(chunks.depth.max(initial=0)) + 2))
        step = max(1, _PORTION // self._width)
        for first, stop in pairwise(begins.tolist()):
            for begin in range(first, stop, step):
                below = by_depth[begin : min(begin + step, stop)]
                own = nearest[below]
                nearest[below] = np.where(own < 0, nearest[chunks.parent[below]], own)
        return nearest

    def _climb(self, leaves: Ints, terms: Ints) -> Ints:
        """Do what :meth:`find_nearest` does without a list, which would be too long."""
        entries = self.find(leaves, terms)
        nodes = leaves.astype(np.int64).copy()
        pending = np.flatnonzero((entries < 0) & (leaves >= 0))
        while len(pending):
            nodes[pending] = self.chunks.parent[nodes[pending]]
            pending = pending[nodes[pending] >= 0]
            entries[pending] = self.find(nodes[pending], terms[pending])
            pending = pending[entries[pending] < 0]
        return entries

    @cached_property
    def restricted(self) -> Flags:
        """Entries of shared chunks that some leaf below is closed for, because it has the term further down."""
        marked = np.zeros(len(self), dtype=bool)
        published = np.flatnonzero(~self.in_term_chunk)
        nodes, terms = self.chunks.parent[self.cluster[published]], self.term[published]
        while len(nodes):
            entries = self.find(nodes, terms)
            marked[entries[entries >= 0]] = True
            # Counts are asked for because np.unique is far slower without them (it hashes).
            climbing, _ = np.unique((nodes * self._width + terms)[nodes >= 0], return_counts=True)
            nodes, terms = self.chunks.parent[climbing // self._width], climbing % self._width
        return marked

    @cached_property
    def restricted_chunks(self) -> Ints:
        """Shared chunks with a restricted entry."""
        return np.unique(self.chunk[self.restricted])

    def restriction(self, chunk: int) -> Restriction:
        """Say which subrecords of a shared chunk are allowed in which leaves."""
        if chunk not in self._restrictions:
            self._restrictions[chunk] = self._restrict(chunk)
        return self._restrictions[chunk]

    def _restrict(self, chunk: int) -> Restriction:
        subrecords, times = self._different_subrecords(chunk)
        leaves = self.chunks.leaves_below(int(self.chunks.cluster[chunk]))
        begin, end = np.searchsorted(self.chunk, [chunk, chunk + 1])
        terms = self.term[begin:end][self.restricted[begin:end]]
        number, held = subrecords.row_of_token, subrecords.codes.astype(np.int64)
        at = np.searchsorted(terms, held)
        is_restricted = np.append(terms, -1)[at] == held
        at, number = at[is_restricted], number[is_restricted]
        allowed = np.ones((len(leaves), len(subrecords)), dtype=bool)
        if len(at):
            # A subrecord is closed for the leaves that one of its terms is closed for.
            begins = np.flatnonzero(np.diff(number, prepend=-1))
            closed = np.logical_or.reduceat(self.chunks.leaves_closed_to(chunk, terms)[at], begins, axis=0)
            allowed[:, number[begins]] = ~closed.T
        return Restriction(chunk, leaves, self.chunks.sizes[leaves], subrecords, times, allowed)

    def _different_subrecords(self, chunk: int) -> tuple[ListColumn, Ints]:
        """Return the different subrecords of a restricted chunk, and how often each occurs."""
        subrecords, times, bounds = self._kinds
        at = int(np.searchsorted(self.restricted_chunks, chunk))
        begin, end = int(bounds[at]), int(bounds[at + 1])
        offsets = subrecords.offsets[begin : end + 1]
        codes = subrecords.codes[offsets[0] : offsets[-1]]
        return ListColumn(offsets - offsets[0], codes, subrecords.labels), times[begin:end]

    @cached_property
    def _kinds(self) -> tuple[ListColumn, Ints, Ints]:
        """Different subrecords of all restricted chunks, how often each occurs, and where those of each chunk begin."""
        chunks = self.chunks
        rank = np.full(len(chunks), -1, dtype=np.int64)
        rank[self.restricted_chunks] = np.arange(len(self.restricted_chunks))
        rows = np.flatnonzero(rank[chunks.chunk_of_row] >= 0)
        rank_of_row = rank[chunks.chunk_of_row[rows]]
        number = number_rows(chunks.subrecords.take(rows), rank_of_row)
        _, first, times = np.unique(number, return_index=True, return_counts=True)
        order = np.argsort(rank_of_row[first], kind="stable")
        first, times = first[order], times[order].astype(np.int64)
        bounds = np.searchsorted(rank_of_row[first], np.arange(len(self.restricted_chunks) + 1))
        return chunks.subrecords.take(rows[first]), times, bounds


@cached
def _find_sources(release: Release) -> Sources:
    """Find the sources of a release, which several checks ask for."""
    return Sources(Chunks.of(release))
