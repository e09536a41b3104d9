"""Records taken apart into chunks: how many of them may have, and must have, some items at once.

There are no records to look at, only chunks whose subrecords belong to different records of their cluster. What is
known is known of a whole tree of joined clusters, so these are the blocks in which bounds are given. They hold in every
data set that could have been published so (`disassociation.md` of the methods says which these are).

*One item.* Every subrecord with it is a record with it. A term chunk with it says that at least one record of the leaf
has it, and at most all.

*Several items.* In a leaf every item comes from one chunk, the lowest that has it, so that the items fall into parts by
chunks. Parts of a leaf's own chunks that a and b of s records have meet at least a + b - s times, and at most min(a, b)
times; where no term chunk fills the records that get nothing, so many subrecords must be left that none is empty. The
subrecords of a shared chunk are counted once for all leaves that may get the part from it; where leaves need several
shared chunks, a linear program finds how many records may get all at most.

These bounds are attained where clusters are not joined. Where they are, the upper one may be too large if subrecords of
the current chunk must go to few leaves, or if leaves take different parts of one shared chunk; the lower one may be too
small if several parts come from shared chunks. Alternatives (`wine|beer`) are exact within a chunk, and else safe.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.matching import ChunkMatching
from sfumato.kinds.sets.query_bounds.most import count_most
from sfumato.queries.events import Events
from sfumato.queries.published_view import Link, Names, PublishedView, Selection, Values
from sfumato.queries.three_valued import Truth, combine_all
from sfumato.queries.time_bounds import TimeBounds
from sfumato.release.release import Release

__all__ = ["ChunkHistory", "of_chunks"]

Ints = npt.NDArray[np.int64]

DRAWN = (
    "expected is the mean over reconstructions: subrecords are assigned to records of their cluster at "
    "random, each item of a term chunk to one record; suppressed records are like the others."
)


def of_chunks(release: Release) -> PublishedView:
    """Read a disassociated release.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sets", [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"]])
    >>> view = of_chunks(sf.anonymize(data, sf.methods.Disassociation(k=2, m=2), secret=bytes(32)).release)
    >>> view.records, view.sizes.tolist()
    (3, [3])
    """
    history = ChunkHistory.of(Chunks.of(release))
    suppressed_records = sum(release.suppressed_records.values())
    block, sizes = history.block_of_record, history.sizes
    return PublishedView(release.unit, len(release), suppressed_records, history, block=block, sizes=sizes, drawn=DRAWN)


@dataclasses.dataclass(frozen=True, eq=False)
class ChunkHistory:
    """The items of records that were taken apart.

    Examples
    --------
    >>> rows = [("p", 1, ["a"])] * 3 + [("p", 2, ["b", "c"])] * 2 + [("p", 0, ["z"])]
    >>> view = ChunkHistory.of(Chunks.from_rows([("p", None, 4)], rows))
    >>> a, b, z = ([Link(view.names.find(item))] for item in "abz")
    >>> found = [view.judge_all(tests) for tests in ([a], [a, b], [z], [b, z])]
    >>> [(int(truth.low[0]), int(truth.high[0])) for truth in found]
    [(3, 3), (1, 2), (1, 4), (0, 2)]
    """

    matching: ChunkMatching
    names: Names

    @classmethod
    def of(cls, chunks: Chunks) -> ChunkHistory:
        """Take published chunks."""
        return cls(ChunkMatching(chunks), Names(chunks.subrecords.labels))

    @property
    def timing(self) -> str:
        """Sets have no order."""
        return "none"

    @property
    def span(self) -> None:
        """Sets have no times."""

    @property
    def size(self) -> int:
        """Number of items in all subrecords."""
        return len(self.matching.chunks.subrecords.codes)

    @cached_property
    def support(self) -> ChunkSupport:
        """The chunks, to be asked about itemsets."""
        return ChunkSupport(self.matching)

    @cached_property
    def block_of_leaf(self) -> Ints:
        """Tree of clusters that every leaf belongs to."""
        return self.block_of_cluster[self.matching.leaves]

    @cached_property
    def block_of_cluster(self) -> Ints:
        """Tree that every cluster belongs to."""
        chunks = self.matching.chunks
        place, _ = chunks.walk
        roots = np.sort(place[chunks.parent < 0])
        return np.searchsorted(roots, place, side="right") - 1

    @cached_property
    def sizes(self) -> Ints:
        """Number of records of every tree."""
        return np.bincount(self.block_of_leaf, self.matching.sizes).astype(np.int64)

    @property
    def block_of_record(self) -> Ints:
        """Tree of every record, in the order of the leaves."""
        return np.repeat(self.block_of_leaf, self.matching.sizes)

    def judge(self, links: Sequence[Link]) -> Truth:
        """Return how many records of every tree have one of the items asked for."""
        return self.judge_all([links])

    def judge_all(self, tests: Sequence[Sequence[Link]]) -> Truth:
        """Return how many records of every tree have, for each test, one of the items asked for."""
        selections = {tuple(np.flatnonzero(links[0].selection.inside).tolist()) for links in tests}
        single = sorted({codes[0] for codes in selections if len(codes) == 1})
        # What has one of the items of a test has one of any more that another test names.
        several = [codes for codes in selections if len(codes) != 1 and not set(codes) & set(single)]
        truths = [self._judge_any(codes) for codes in several]
        if single:
            truths.append(self._judge_items(single))
        return combine_all(truths) if truths else Truth(self.sizes, self.sizes, self.sizes)

    def _judge_items(self, items: Sequence[int]) -> Truth:
        """Return how many records have all of some items."""
        low = self._find_certain(items)
        if len(items) > 1:
            # Parts of several shared chunks meet where they are too many for the records of their tree.
            singles = sum((self._find_certain([item]) for item in items), start=np.zeros_like(low))
            low = np.maximum(low, singles - (len(items) - 1) * self.sizes)
        high = np.bincount(self.block_of_leaf, count_most(self.support, items), minlength=len(self.sizes))
        return Truth(low, np.floor(high + 1e-6).astype(np.int64), self.sizes)

    def _find_certain(self, items: Sequence[int]) -> Ints:
        """Return how many records of every tree certainly have all items."""
        counts = np.zeros(len(self.sizes), dtype=np.int64)
        for cluster, certain in self.support.find_certain(items):
            np.add.at(counts, self.block_of_cluster[cluster], certain)
        return counts

    def _judge_any(self, items: Sequence[int]) -> Truth:
        """Return how many records have at least one of some items, which may come from several chunks."""
        chunks, matching = self.matching.chunks, self.matching
        wanted = np.zeros(len(chunks.subrecords.labels), dtype=bool)
        wanted[list(items)] = True
        rows = np.unique(chunks.subrecords.row_of_token[wanted[chunks.subrecords.codes]])
        having = np.bincount(chunks.chunk_of_row[rows], minlength=len(chunks))
        # All subrecords that have one may lie on the same records, or all on different ones.
        low, high = np.zeros((2, len(chunks.names)), dtype=np.int64)
        in_term = np.where(matching.is_term, chunks.sizes[chunks.cluster], 1)
        np.maximum.at(low, chunks.cluster, having)
        np.add.at(high, chunks.cluster, having * in_term)
        leaves = np.flatnonzero(chunks.is_leaf)
        low[leaves] = np.maximum(low[leaves], self._find_unfilled(wanted, having)[leaves])
        depth = chunks.depth
        for level in range(int(depth.max(initial=0)), -1, -1):
            here = np.flatnonzero(depth == level)
            high[here] = np.minimum(high[here], chunks.sizes[here])
            below = here[chunks.parent[here] >= 0]
            added = np.bincount(chunks.parent[below], low[below], minlength=len(low)).astype(np.int64)
            low = np.maximum(low, added)
            np.add.at(high, chunks.parent[below], high[below])
        roots = np.flatnonzero(chunks.parent < 0)
        order = np.argsort(self.block_of_cluster[roots])
        return Truth(low[roots[order]], high[roots[order]], self.sizes)

    def _find_unfilled(self, wanted: npt.NDArray[np.bool_], having: Ints) -> Ints:
        """Return how many records of every leaf get nothing but what is wanted, however the rest is dealt out."""
        chunks, matching = self.matching.chunks, self.matching
        others = np.where(matching.is_term, 0, matching.row_counts - having)
        filling = np.bincount(chunks.cluster, others, minlength=len(chunks.names)).astype(np.int64)
        above = chunks.parent
        while (above >= 0).any():
            filling += np.where((above >= 0) & chunks.is_leaf, filling[above], 0)
            above = np.where(above >= 0, chunks.parent[above], -1)
        # An item of the term chunk that nobody asked for can be in every record.
        loose = chunks.chunk_of_row[chunks.subrecords.row_of_token[~wanted[chunks.subrecords.codes]]]
        is_loose = np.zeros(len(chunks.names), dtype=bool)
        is_loose[chunks.cluster[loose[matching.is_term[loose]]]] = True
        return np.where(is_loose, 0, np.maximum(chunks.sizes - filling, 0))

    def count(self, link: Link) -> tuple[int, float]:
        """Return how many items there are at least and at most, over all records."""
        chunks, matching = self.matching.chunks, self.matching
        inside = link.selection.inside[chunks.subrecords.codes]
        chunk = chunks.chunk_of_row[chunks.subrecords.row_of_token[inside]]
        most = np.where(matching.is_term[chunk], chunks.sizes[chunks.cluster[chunk]], 1)
        return len(chunk), float(most.sum())

    def time_bounds(self, link: Link) -> TimeBounds:  # noqa: ARG002
        """Sets have no times."""
        return TimeBounds()

    def expect(self, items: Sequence[int]) -> float:
        """Return how many records have all items on average over what :meth:`draw` draws, exactly."""
        return self.support.expected(items)

    def publishes(self, selection: Selection) -> bool:  # noqa: ARG002
        """Every item is in a chunk."""
        return True

    def draw(self, random: np.random.Generator, wanted: Selection) -> Events:
        """Draw an original, as reconstructions are drawn."""
        from sfumato.kinds.sets.estimate.reconstruction import draw_records

        records = draw_records(self.matching, random)
        selected = records.keep(wanted.inside[records.codes])
        values = Values.exact(len(records.labels))
        return Events.of(len(selected), selected.row_of_token, selected.codes, values, self.names, "none")
