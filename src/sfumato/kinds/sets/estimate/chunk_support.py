"""Supports of itemsets in a disassociated release, counted in its chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sets.estimate.matching import ChunkMatching
from sfumato.kinds.sets.estimate.occupancy import meeting_chance
from sfumato.kinds.sets.estimate.shares import Shares

__all__ = ["ChunkSupport"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Codes = npt.NDArray[np.int32]

# Items that come from the same chunk, and that chunk in every leaf in question.
_Block = tuple[tuple[int, ...], Ints]


@dataclasses.dataclass(frozen=True, eq=False)
class ChunkSupport:
    """Answers how many records hold an itemset, given as codes: certainly, and on average.

    In a leaf every item comes from one chunk: the lowest on the way up that has it. So an itemset falls into parts
    by chunks, and leaves where it falls into the same parts are looked at together.

    Examples
    --------
    >>> from sfumato.kinds.sets.decode import Chunks
    >>> rows = [("p", 1, ["a"])] * 3 + [("p", 2, ["b", "c"])] * 2 + [("p", 0, ["z"])]
    >>> chunks = Chunks.from_rows([("p", None, 4)], rows)
    >>> a, b, c, z = (chunks.subrecords.labels.index(label) for label in "abcz")
    >>> support = ChunkSupport(ChunkMatching(chunks))
    >>> [support.certain(items) for items in ([b, c], [a, b], [b, z])]
    [2, 1, 0]
    >>> [support.expected(items) for items in ([b, c], [a, b], [b, z])]
    [2.0, 1.5, 0.5]
    """

    matching: ChunkMatching

    def expected(self, items: Sequence[int]) -> float:
        """Return the mean number of records that hold all items, over the draws of the placement."""
        total = 0.0
        for leaves, blocks in self.split(items):
            number = self.matching.sizes[leaves].astype(np.float64)
            for block in blocks:
                number *= self._chance(block, leaves)
            if len(blocks) > 1:
                number *= self._correction(blocks, leaves)
            if len(items) == 1:
                is_term = self.matching.is_term[blocks[0][1]]
                number[is_term] += self.matching.take(leaves[is_term])
            total += float(number.sum())
        return total

    def certain(self, items: Sequence[int]) -> int:
        """Return a number of records that hold all items in every possible original."""
        return sum(int(numbers.sum()) for _, numbers in self.find_certain(items))

    def find_certain(self, items: Sequence[int]) -> Iterator[tuple[Ints, Ints]]:
        """Yield clusters, and how many of the records below each hold all items in every possible original.

        No record is counted twice.
        """
        for leaves, blocks in self.split(items):
            sizes = self.matching.sizes[leaves]
            shared = np.array([self.matching.is_shared[chunk] for _, chunk in blocks])
            missing = np.zeros(len(leaves), dtype=np.int64)
            for block, is_shared in zip(blocks, shared, strict=True):
                missing += np.where(is_shared, 0, self._missing(block, sizes))
            held = np.maximum(sizes - missing, 0)
            times = shared.sum(axis=0)
            yield self.matching.leaves[leaves[times == 0]], held[times == 0]
            for number, (part, chunk) in enumerate(blocks):
                mine = (times == 1) & shared[number]
                yield self._certain_shared(part, chunk[mine], leaves[mine], held[mine])

    def inside(self, items: Sequence[int]) -> int:
        """Return how many subrecords hold all items, plus the term chunks that hold a single item."""
        if len(items) == 1:
            _, counts = self._counts(tuple(items))
            return int(counts.sum())
        chunks, counts = self._counts(tuple(items))
        return int(counts[~self.matching.is_term[chunks]].sum())

    def split(self, items: Sequence[int]) -> Iterator[tuple[Ints, list[_Block]]]:
        """Yield the leaves that have all items, by the parts the items fall into there."""
        chunk_of = np.stack([self.matching.sources(item) for item in items])
        leaves = np.flatnonzero((chunk_of >= 0).all(axis=0))
        chunk_of = chunk_of[:, leaves]
        # Every item is named after the first item that comes from the same chunk.
        leader = (chunk_of[:, None, :] == chunk_of[None, :, :]).argmax(axis=1)
        # Columns are numbered digit by digit; comparing whole columns would be far slower.
        pattern_of = np.zeros(len(leaves), dtype=np.int64)
        for digit in leader[1:]:
            _, pattern_of = np.unique(pattern_of * len(items) + digit, return_inverse=True)
        for number in range(int(pattern_of.max(initial=-1)) + 1):
            mine = np.flatnonzero(pattern_of == number)
            pattern = leader[:, mine[0]]
            blocks = [
                (
                    tuple(items[i] for i in np.flatnonzero(pattern == first).tolist()),
                    chunk_of[first, mine].astype(np.int64),
                )
                for first in np.unique(pattern)
            ]
            yield leaves[mine], blocks

    def _chance(self, block: _Block, leaves: Ints) -> Floats:
        """Return the chance that a record of each leaf has a part from its chunk."""
        part, chunk = block
        matching = self.matching
        sizes = matching.sizes[leaves]
        chance = self.count_in(part, chunk) / np.maximum(matching.capacity[chunk], 1)
        chance = np.where(matching.is_term[chunk], (1.0 / sizes) ** len(part), chance)
        closed = np.flatnonzero(self._is_restricted[chunk])
        if len(closed):
            chance[closed] = self._expect_restricted(part, chunk[closed], leaves[closed]) / sizes[closed]
        return np.asarray(chance, dtype=np.float64)

    def _expect_restricted(self, part: tuple[int, ...], chunk: Ints, leaves: Ints) -> Floats:
        """Return the expected number of subrecords with a part in each leaf, from a restricted chunk above it."""
        shares, chunk_of_row = self._shares, self.matching.chunks.chunk_of_row
        holders = self._holders(part)
        is_wanted = np.zeros(len(self.matching.chunks), dtype=bool)
        is_wanted[chunk] = True
        holders = holders[is_wanted[chunk_of_row[holders]]]
        shares.add(chunk)
        # Subrecords of one kind have the same row of their chunk's table; these are put in the order of the chunks.
        rows, example, times = np.unique(shares.row_of_subrecord[holders], return_index=True, return_counts=True)
        order = np.argsort(chunk_of_row[holders[example]], kind="stable")
        rows, example, times = rows[order], example[order], times[order]
        chunk_of_kind = chunk_of_row[holders[example]]
        begin, end = np.searchsorted(chunk_of_kind, chunk), np.searchsorted(chunk_of_kind, chunk, side="right")
        capacity = end - begin
        which = np.repeat(np.arange(len(chunk)), capacity)
        at = np.arange(len(which)) + np.repeat(begin - (np.cumsum(capacity) - capacity), capacity)
        cells = shares.cells[rows[at] + np.repeat(leaves - shares.first_leaf[chunk], capacity)]
        return np.asarray(np.bincount(which, weights=times[at] * cells, minlength=len(chunk)), dtype=np.float64)

    @cached_property
    def _shares(self) -> Shares:
        return Shares(self.matching.chunks, self.matching.restricted)

    def _correction(self, blocks: list[_Block], leaves: Ints) -> Floats:
        """Return by what chances change where several record chunks must together leave no record empty."""
        matching = self.matching
        factor = np.ones(len(leaves))
        for position in np.flatnonzero(matching.term_chunk[leaves] < 0).tolist():
            chunks = [int(chunk[position]) for _, chunk in blocks if not matching.is_shared[chunk[position]]]
            if len(chunks) > 1:
                size = int(matching.sizes[leaves[position]])
                inside = sorted(matching.row_counts[chunks].tolist())
                first, end = np.searchsorted(matching.leaf_of_own, [leaves[position], leaves[position] + 1])
                others = sorted(matching.row_counts[np.setdiff1d(matching.own[first:end], chunks)].tolist())
                alone = float(np.prod(np.array(inside) / size))
                factor[position] = meeting_chance(size, tuple(inside), tuple(others)) / alone
        return factor

    def _missing(self, block: _Block, sizes: Ints) -> Ints:
        """Return how many records of each leaf may lack some item of a part that comes from the leaf's own chunk."""
        part, chunk = block
        # Nothing is known about items of a term chunk but that each has a record.
        in_terms = len(part) * (sizes - 1)
        return np.where(self.matching.is_term[chunk], in_terms, sizes - self.count_in(part, chunk))

    def _certain_shared(self, part: tuple[int, ...], chunk: Ints, leaves: Ints, held: Ints) -> tuple[Ints, Ints]:
        """Return clusters with shared chunks, and how many subrecords with a part find no record without the rest.

        `held` says how many records of each leaf certainly have the rest.
        """
        chunks = np.unique(chunk)
        surplus = np.zeros(len(chunks), dtype=np.int64)
        for at, shared in enumerate(chunks.tolist()):
            mine = chunk == shared
            capacity, rest = int(self.matching.capacity[shared]), held[mine]
            if shared in self.matching.restricted:
                expected_counts = self.matching.restricted[shared]
                rows = self._rows(part, shared) - self.matching.chunks.bounds[shared]
                is_open = expected_counts.is_open[np.unique(expected_counts.kind_of_row[rows])].any(axis=0)
                capacity = int(expected_counts.sizes[is_open].sum())
                rest = rest[is_open[leaves[mine] - expected_counts.first]]
            count = int(self.count_in(part, np.array([shared]))[0])
            surplus[at] = max(0, count - (capacity - int(rest.sum())))
        return self.matching.chunks.cluster[chunks], surplus

    @cached_property
    def _is_restricted(self) -> npt.NDArray[np.bool_]:
        marked = np.zeros(len(self.matching.chunks), dtype=bool)
        marked[np.array(list(self.matching.restricted), dtype=np.int64)] = True
        return marked

    def count_in(self, part: tuple[int, ...], chunk: Ints) -> Ints:
        """Return how many subrecords of each chunk have all items of a part."""
        chunks, counts = self._counts(part)
        if not len(chunks):
            return np.zeros(len(chunk), dtype=np.int64)
        at = np.minimum(np.searchsorted(chunks, chunk), len(chunks) - 1)
        return np.where(chunks[at] == chunk, counts[at], 0)

    def _counts(self, part: tuple[int, ...]) -> tuple[Ints, Ints]:
        """Return the chunks that have all items of a part in one subrecord, and in how many."""
        if len(part) == 1:
            pairs, counts = self.matching.holdings
            mine = slice(int(pairs.offsets[part[0]]), int(pairs.offsets[part[0] + 1]))
            return pairs.codes[mine].astype(np.int64), counts[mine]
        if part not in self._cache:
            if len(self._cache) > 256:
                self._cache.clear()
            rows = self._holders(part)
            chunks, counts = np.unique(self.matching.chunks.chunk_of_row[rows], return_counts=True)
            self._cache[part] = chunks, counts
        return self._cache[part]

    @cached_property
    def _cache(self) -> dict[tuple[int, ...], tuple[Ints, Ints]]:
        return {}

    @cached_property
    def _marks(self) -> npt.NDArray[np.bool_]:
        return np.zeros(len(self.matching.chunks.subrecords), dtype=bool)

    def _holders(self, part: Sequence[int]) -> Codes:
        """Return the subrecords that have all items of a part."""
        rows = self.matching.rows_of_item
        lists = [rows.codes[rows.offsets[item] : rows.offsets[item + 1]] for item in part]
        rarest, *others = sorted(lists, key=len)
        for other in others:
            self._marks[other] = True
            both = rarest[self._marks[rarest]]
            self._marks[other] = False
            rarest = both
        return rarest

    def _rows(self, part: Sequence[int], chunk: int) -> Codes:
        """Return the subrecords of a chunk that have all items of a part."""
        rows = self._holders(part)
        first, end = np.searchsorted(rows, self.matching.chunks.bounds[[chunk, chunk + 1]])
        return rows[first:end]
