"""How the chunks of a disassociated release may lie on its records: one random model, for drawing and for counting.

The model draws possible originals. In every leaf, each record chunk's subrecords go to different records, all ways
being equally likely; a shared chunk's subrecords go to different records of the leaves below that are open to all of
their items; each item of a term chunk goes to one record of its leaf, drawn on its own. A record that has got
nothing then takes one item of its leaf's term chunk, each being equally likely. A leaf without a term chunk has no
empty record: of its record chunks only those placements count that leave none.

Chunks are placed independently of each other, so the chance that a record holds several parts is a product.
"""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.exceptions import SchemaError
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.estimate.expected_counts import ExpectedCounts
from sfumato.kinds.sets.estimate.shares import ExpectedCountsByChunk

__all__ = ["ChunkMatching"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]

_MAX_CACHED_CELLS = 1 << 26
_BITS = 40


@dataclasses.dataclass(frozen=True, eq=False)
class ChunkMatching:
    """Where subrecords may go. Leaves are numbered so that those below any cluster are neighbours.

    Parameters
    ----------
    chunks
        The published chunks.

    Examples
    --------
    >>> clusters = [("j", None, 6), ("p", "j", 3), ("q", "j", 3)]
    >>> rows = [("j", 1, ["a", "o"]), ("p", 1, ["a"]), ("p", 0, ["y"]), ("q", 0, ["z"])]
    >>> matching = ChunkMatching(Chunks.from_rows(clusters, rows))
    >>> matching.sizes.tolist(), matching.restricted[0].expected.tolist()
    ([3, 3], [[0.0, 1.0]])
    """

    chunks: Chunks

    def __post_init__(self) -> None:
        rows, capacity = self.row_counts, self.capacity
        overfull = np.flatnonzero((rows > capacity) & ~self.is_term)
        if len(overfull):
            raise _impossible(f"a chunk has {rows[overfull[0]]} subrecords for {capacity[overfull[0]]} records")
        bare = self.sizes > np.bincount(self.leaf_of_own, rows[self.own], minlength=len(self.sizes))
        if (bare & (self.term_chunk < 0)).any():
            raise _impossible("a cluster without a term chunk has fewer subrecords than records")

    @property
    def leaves(self) -> Ints:
        """Cluster of every leaf."""
        return self.chunks.leaves

    @cached_property
    def sizes(self) -> Ints:
        """Number of records of every leaf."""
        return self.chunks.sizes[self.leaves]

    @cached_property
    def starts(self) -> Ints:
        """First record of every leaf, and the number of all records at the end."""
        return np.concatenate([[0], np.cumsum(self.sizes)]).astype(np.int64)

    @property
    def below(self) -> tuple[Ints, Ints]:
        """First leaf below every cluster, and the leaf after the last one."""
        return self.chunks.below

    @cached_property
    def _below_chunk(self) -> tuple[Ints, Ints]:
        """First leaf below the cluster of every chunk, and the leaf after the last one."""
        first, end = self.below
        return first[self.chunks.cluster], end[self.chunks.cluster]

    @cached_property
    def is_term(self) -> Flags:
        """Which chunks are term chunks."""
        return np.asarray(self.chunks.number == TERM_CHUNK)

    @cached_property
    def is_shared(self) -> Flags:
        """Which chunks belong to joint clusters."""
        return ~self.chunks.is_leaf[self.chunks.cluster]

    @cached_property
    def row_counts(self) -> Ints:
        """Number of subrecords of every chunk."""
        return np.diff(self.chunks.bounds)

    @cached_property
    def capacity(self) -> Ints:
        """Number of records below every chunk."""
        first, end = self.below
        cluster = self.chunks.cluster
        return self.starts[end[cluster]] - self.starts[first[cluster]]

    @cached_property
    def own(self) -> Ints:
        """The record chunks of the leaves, leaf by leaf."""
        own = np.flatnonzero(~self.is_term & ~self.is_shared)
        return own[np.argsort(self.below[0][self.chunks.cluster[own]], kind="stable")]

    @cached_property
    def leaf_of_own(self) -> Ints:
        """Leaf of every record chunk of :attr:`own`."""
        return self.below[0][self.chunks.cluster[self.own]]

    @cached_property
    def term_chunk(self) -> Ints:
        """Term chunk of every leaf, -1 for none."""
        chunk_of_leaf = np.full(len(self.leaves), -1, dtype=np.int64)
        terms = np.flatnonzero(self.is_term)
        chunk_of_leaf[self.below[0][self.chunks.cluster[terms]]] = terms
        return chunk_of_leaf

    @cached_property
    def holdings(self) -> tuple[ListColumn, Ints]:
        """Chunks of every item (row t holds chunks in ascending order), and how many subrecords there have it."""
        items = self.chunks.subrecords
        width = max(len(self.chunks), 1)
        keys = items.codes.astype(np.int64) * width + self.chunks.chunk_of_row[items.row_of_token]
        keys, counts = np.unique(keys, return_counts=True)
        offsets = np.searchsorted(keys, np.arange(len(items.labels) + 1) * width)
        return ListColumn(offsets, (keys % width).astype(np.int32), ()), counts

    @cached_property
    def rows_of_item(self) -> ListColumn:
        """Subrecords that have each item: row t holds rows in ascending order."""
        items = self.chunks.subrecords
        # Small numbers are sorted by their digits.
        small = items.codes.astype(np.uint16) if len(items.labels) <= 1 << 16 else items.codes
        order = np.argsort(small, kind="stable")
        offsets = np.searchsorted(items.codes[order], np.arange(len(items.labels) + 1))
        return ListColumn(offsets, items.row_of_token[order].astype(np.int32), ())

    @cached_property
    def restricted(self) -> ExpectedCountsByChunk:
        """Shared chunks with subrecords that are not allowed in all leaves below, and how those are shared out."""
        pairs, _ = self.holdings
        term, chunk = pairs.row_of_token, pairs.codes.astype(np.int64)
        not_term = ~self.is_term[chunk]
        term, chunk = term[not_term], chunk[not_term]
        place, end = self.chunks.walk
        cluster = self.chunks.cluster[chunk]
        width = len(place) + 1
        keys = np.sort(term * width + place[cluster])
        deeper = np.searchsorted(keys, term * width + end[cluster]) > np.searchsorted(
            keys, term * width + place[cluster], side="right"
        )
        term, chunk = term[deeper], chunk[deeper]
        order = np.argsort(chunk, kind="stable")
        term, inside = term[order], chunk[order]
        _, met = np.unique(chunk, return_index=True)
        return ExpectedCountsByChunk(
            chunk[np.sort(met)].tolist(),
            lambda chunk: self._expect_counts(chunk, term[slice(*np.searchsorted(inside, [chunk, chunk + 1]))]),
        )

    def _expect_counts(self, chunk: int, terms: Ints) -> ExpectedCounts:
        first, end = (int(side[self.chunks.cluster[chunk]]) for side in self.below)
        closed = np.stack([self._find_sources(term, first, end) != chunk for term in terms.tolist()])
        rows = self.chunks.subrecords_of(chunk)
        number, row_of_token = np.searchsorted(terms, rows.codes), rows.row_of_token
        has_term = np.append(terms, -1)[number] == rows.codes
        number, row_of_token = number[has_term], row_of_token[has_term]
        kind_of_row = np.zeros(len(rows), dtype=np.int64)
        is_open = np.ones((1, end - first), dtype=bool)
        for begin in range(0, len(terms), _BITS):
            # Subrecords are of one kind when they have the same of these terms; which, is a sum of powers of two.
            mine = (number >= begin) & (number < begin + _BITS)
            has = np.bincount(row_of_token[mine], 2.0 ** (number[mine] - begin), minlength=len(rows)).astype(np.int64)
            kinds, kind_of_row = np.unique(kind_of_row * (1 << _BITS) + has, return_inverse=True)
            is_open = is_open[kinds >> _BITS]
            kind, term = np.nonzero(kinds[:, None] >> np.arange(min(_BITS, len(terms) - begin)) & 1)
            starts = np.flatnonzero(np.diff(kind, prepend=-1))
            if len(starts):
                is_open[kind[starts]] &= ~np.logical_or.reduceat(closed[begin + term], starts, axis=0)
        return ExpectedCounts.of(is_open, kind_of_row, self.sizes[first:end], first)

    def take(self, leaves: Ints) -> Floats:
        """Return how many records of leaves, ascending, with a term chunk are expected to take one certain item of it.

        They are those that have nothing else: no subrecord of any chunk, and none of the items of the term chunk.
        """
        empty = self._bare[leaves].copy()
        nonzero = np.flatnonzero(empty)
        empty[nonzero] *= self._left_empty(leaves[nonzero])
        terms = self._terms_in[self.term_chunk[leaves]]
        sizes = self.sizes[leaves]
        return np.asarray(sizes * empty * (1 - 1 / sizes) ** terms / terms, dtype=np.float64)

    @cached_property
    def _bare(self) -> Floats:
        """Chance that a record of every leaf gets nothing of the leaf's own record chunks."""
        bare = np.ones(len(self.leaves))
        np.multiply.at(bare, self.leaf_of_own, 1 - self.row_counts[self.own] / self.sizes[self.leaf_of_own])
        return bare

    def _left_empty(self, leaves: Ints) -> Floats:
        """Return the chance that a record of every leaf gets nothing of the shared chunks above it."""
        chunks, chance = self.chunks, np.ones(len(leaves))
        above = chunks.parent[self.leaves[leaves]]
        while (above >= 0).any():
            chance *= np.where(above >= 0, self._passed_over[above], 1.0)
            above = np.where(above >= 0, chunks.parent[above], -1)
        uneven = np.array(list(self.restricted), dtype=np.int64)
        first, end = (side[chunks.cluster[uneven]] for side in self.below)
        begins, ends = np.searchsorted(leaves, first), np.searchsorted(leaves, end)
        for at in np.flatnonzero(begins < ends).tolist():
            mine, expected_counts = slice(begins[at], ends[at]), self.restricted[int(uneven[at])]
            here = expected_counts.expected.sum(axis=0)[leaves[mine] - expected_counts.first]
            chance[mine] *= 1 - here / self.sizes[leaves[mine]]
        return chance

    @cached_property
    def _passed_over(self) -> Floats:
        """Chance that a record below every cluster gets nothing of its shared chunks that are open to all leaves."""
        even = self.is_shared.copy()
        even[list(self.restricted)] = False
        passed = np.ones(len(self.chunks.names))
        np.multiply.at(passed, self.chunks.cluster[even], 1 - self.row_counts[even] / self.capacity[even])
        return passed

    @cached_property
    def _terms_in(self) -> Ints:
        """Number of items that stand in every chunk, counted once per subrecord."""
        return np.diff(self.chunks.subrecords.offsets[self.chunks.bounds])

    @cached_property
    def _sources(self) -> dict[int, npt.NDArray[np.int32]]:
        return {}

    def sources(self, item: int) -> npt.NDArray[np.int32]:
        """Return for every leaf the chunk its records get an item from, -1 where none: the lowest one that has it."""
        cache = self._sources
        if item not in cache:
            if len(cache) * len(self.leaves) > _MAX_CACHED_CELLS:
                cache.clear()
            cache[item] = self._find_sources(item, 0, len(self.leaves))
        return cache[item]

    def _find_sources(self, item: int, begin: int, end: int) -> npt.NDArray[np.int32]:
        """Find the chunks that leaves get an item from, from one leaf to the one before another."""
        pairs, _ = self.holdings
        chunks = pairs.codes[pairs.offsets[item] : pairs.offsets[item + 1]]
        sources = np.full(end - begin, -1, dtype=np.int32)
        place, _ = self.chunks.walk
        first, last = (side[chunks] for side in self._below_chunk)
        near = (first < end) & (last > begin)
        chunks, first, last = chunks[near], np.maximum(first[near] - begin, 0), last[near] - begin
        shared = np.flatnonzero(self.is_shared[chunks])
        downwards = shared[np.argsort(place[self.chunks.cluster[chunks[shared]]])]
        for chunk, a, b in zip(
            chunks[downwards].tolist(), first[downwards].tolist(), last[downwards].tolist(), strict=True
        ):
            sources[a:b] = chunk
        others = ~self.is_shared[chunks]
        sources[first[others]] = chunks[others]
        return sources


def _impossible(finding: str) -> SchemaError:
    return SchemaError(f"No data can have led to this release: {finding}.", hint="Verify the release first.")
