"""How many records of a disassociated release may have what an attacker knows: some of a person's items.

There are no records to count, only data sets that could be the original. The number given for a set of items is a
lower bound of the largest number of records with all of them in *one* such data set:

* in the person's own cluster, the smallest number of subrecords that each chunk concerned can give to the same
  records there: subrecords with its part of the set; all records for items of the term chunk; no more than leave
  every record something (Lemma 2), and no more than fit beside restricted subrecords;
* in other clusters, the records that get the whole set from chunks of their own leaf, or from one shared chunk.

Combinations of a shared chunk with other chunks in other clusters are left out: an attacker may face more records
than counted here, never fewer. Plain NumPy.
"""

from __future__ import annotations

import copy
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import countable_sizes, distinct_subsequences
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.knowledge.copies import PLENTY, Copies
from sfumato.kinds.sets.knowledge.search import ItemSets
from sfumato.kinds.sets.knowledge.set_support import SetSupport, digits, join_digits
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.release.release import Release

__all__ = ["ChunkRecords"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_PORTION = 1_000_000


class ChunkRecords:
    """Chunks that can be asked how many records may have a set of items at once.

    Parameters
    ----------
    chunks
        What is published.
    original
        The people whose items are known.
    rows
        People in the order of the published leaves: the first ``size`` of the first leaf, and so on. Without it
        nobody's own cluster is known, and only whole clusters are counted.
    people
        Rows of the people looked at; everybody if not given.
    sources
        Where records have their items from, if that is known.

    Examples
    --------
    >>> rows = [("p", 1, ["a"])] * 2 + [("p", 2, ["b"])] * 2 + [("p", 0, ["z"]), ("q", 0, ["a", "b"])]
    >>> chunks = Chunks.from_rows([("p", None, 2), ("q", None, 3)], rows)
    >>> people = ListColumn.from_lists([["a", "b"], ["a", "b", "z"], ["a"], ["b"], ["a"]])
    >>> records = ChunkRecords(chunks, people, np.arange(5))
    >>> from sfumato.kinds.sets.knowledge.search import best_knowledge
    >>> best_knowledge(records, 2).smallest.tolist()
    [5, 2, 5, 5, 5]
    >>> best_knowledge(records.own_clusters(), 2).smallest.tolist()
    [2, 2, 3, 3, 3]
    """

    def __init__(
        self,
        chunks: Chunks,
        original: ListColumn,
        rows: Ints | None = None,
        people: Ints | None = None,
        sources: Sources | None = None,
    ) -> None:
        self.chunks, self.sources = chunks, sources or Sources(chunks)
        self._alone = False
        self._records = int(chunks.sizes[chunks.leaves].sum())
        self.leaf_of_person = _leaf_of_person(chunks, rows, len(original))
        if people is not None:
            self.leaf_of_person, original = self.leaf_of_person[people], original.take(people)
        terms = chunks.encode(original.labels)
        self.not_published = original.lengths == 0
        leaf_of_token = np.repeat(self.leaf_of_person, original.lengths)
        self._copies = Copies(self.sources, self.leaf_of_person, leaf_of_token, terms[original.codes])
        entries = self._copies.queried_entries
        covered = original.keep(entries >= 0)
        self.missing = covered.lengths < original.lengths
        names = ("",) * len(self._copies)
        self.known_items = ListColumn(covered.offsets, entries[entries >= 0].astype(np.int32), names).distinct()
        self._set_support = SetSupport(self._copies.rows)

    @classmethod
    def of(
        cls, release: Release, original: Dataset, rows: Ints | None = None, people: Ints | None = None
    ) -> ChunkRecords:
        """Read the chunks of a release."""
        sources = Sources.of(release)
        return cls(sources.chunks, original.history(), rows, people, sources)

    def own_clusters(self) -> ChunkRecords:
        """Return the same chunks for an attacker who also knows everybody's cluster."""
        same = copy.copy(self)
        same._alone = True
        return same

    def own_knowledge(self, m: int) -> ItemSets:
        """Find what :func:`best_knowledge` finds of :meth:`own_clusters`, without looking at every set of items.

        What a cluster can give of a set is the least of what each chunk can give of its part, and of what the leaf can
        spare when several of its own record chunks are stacked on the same records. A part is a set itself, and one
        item of each of several chunks is one, too. So it is enough to look at all sets of items *within* a chunk, and
        at the largest number of chunks that m items can come from. Any two items of a term chunk have the whole
        cluster; only sets within record and shared chunks, whose rows are short, are counted.
        """
        knowledge, chunk = self.known_items, self._copies.chunk
        smallest = np.where(self.not_published & (len(self) > 0), len(self), PLENTY)
        unmatched = self.missing | (len(self) == 0)
        housed = knowledge.keep(chunk[knowledge.codes] >= 0)
        unmatched |= housed.lengths < knowledge.lengths
        which = chunk[housed.codes]
        in_term = self._is_term[which]
        np.minimum.at(smallest, housed.row_of_token[in_term], self.chunks.sizes[self._cluster[which[in_term]]])
        counts = _SmallestCounts(smallest, unmatched)
        counts.tried = int(in_term.sum())
        parts = housed.keep(~in_term)
        person, which = parts.row_of_token, chunk[parts.codes]
        begins = np.flatnonzero(np.diff(person, prepend=-1) | np.diff(which, prepend=-1))
        rows = ListColumn(np.append(begins, len(which)).astype(np.int64), parts.codes, parts.labels)
        owner, which = person[begins], which[begins]
        for size in countable_sizes(rows, m):
            for part, keys in distinct_subsequences(rows, size, _PORTION):
                columns = digits(keys, size, max(len(self._copies), 1))
                counts.add(owner[part], self._count_part(columns, which[part]), columns)
        self._add_spare_records(counts, rows, owner, which, m)
        return counts.result()

    def _add_spare_records(self, counts: _SmallestCounts, rows: ListColumn, owner: Ints, which: Ints, m: int) -> None:
        """Add what is left of people whose items come from several record chunks of their own leaf."""
        own = np.flatnonzero(self._in_leaf[which])
        owner, leaf, first = owner[own], self._cluster[which[own]], rows.codes[rows.offsets[own]].astype(np.int64)
        begins = np.flatnonzero(np.diff(owner, prepend=-1))
        stacked = np.diff(np.append(begins, len(owner)))
        for size in range(2, m + 1):
            at = begins[stacked >= size]
            at = at[self._spare[leaf[at]] < PLENTY]
            # One item of each of so many chunks: all that each gives of it, and no more than the leaf can spare.
            columns = [first[at + i] for i in range(size)]
            singles = np.min([self._copies.support[column] for column in columns], axis=0, initial=PLENTY)
            counts.add(owner[at], np.minimum(singles, self._spare[leaf[at]] // (size - 1)), columns)

    def label(self, entry: int) -> str:
        """Return the item of an entry."""
        return str(self.chunks.subrecords.labels[self._copies.term[entry]])

    def places(self, entries: Sequence[int]) -> list[dict[str, str | int]]:
        """Name the chunks that a set of entries comes from."""
        copies = {int(self._copies.chunk[entry]) for entry in entries} - {-1}
        real = sorted({int(self._copies.original[chunk]) for chunk in copies})
        return [self.chunks.locate(chunk) for chunk in real]

    def __len__(self) -> int:
        return self._records

    def count(self, keys: Ints, size: int) -> Ints:
        """Count the records that may have each set of entries at once."""
        columns = digits(keys, size, max(len(self._copies), 1))
        own, mixed = self._count_own(columns)
        if self._alone:
            return own
        terms = np.sort(np.stack([self._copies.term[column] for column in columns]), axis=0)
        distinct, which = np.unique(join_digits(list(terms), self._width), return_inverse=True)
        others = self._count_elsewhere(digits(distinct, size, self._width))[which]
        return np.where((others == 0) | mixed, own + others, others)

    def _count_own(self, columns: list[Ints]) -> tuple[Ints, Flags]:
        """Return the most records of the own cluster that can have a set, and whether others do not count these."""
        chunk = [self._copies.chunk[column] for column in columns]
        most = np.full(len(columns[0]), PLENTY)
        stacked = np.zeros(len(most), dtype=np.int64)
        leaf = np.full(len(most), -1, dtype=np.int64)
        parts = np.zeros(len(most), dtype=np.int64)
        shared = np.zeros(len(most), dtype=bool)
        for begin in range(len(columns)):
            for end in range(begin + 1, len(columns) + 1):
                # Entries begin..end-1 are all that the set has from one chunk.
                is_part = chunk[begin] == chunk[end - 1]
                is_part &= np.True_ if begin == 0 else chunk[begin - 1] != chunk[begin]
                is_part &= np.True_ if end == len(columns) else chunk[end] != chunk[end - 1]
                at = np.flatnonzero(is_part & (chunk[begin] >= 0))
                which = chunk[begin][at]
                most[at] = np.minimum(most[at], self._count_part([column[at] for column in columns[begin:end]], which))
                parts[at] += 1
                in_leaf, in_term_chunk = self._in_leaf[which], self._is_term[which]
                shared[at] |= ~in_leaf
                leaf[at[in_leaf]] = self._cluster[which[in_leaf]]
                stacked[at] += in_leaf & ~in_term_chunk
        # What is stacked on the same records must leave enough to fill the others, unless a term chunk does.
        tight = np.flatnonzero((stacked > 1) & (leaf >= 0))
        most[tight] = np.minimum(most[tight], self._spare[leaf[tight]] // (stacked[tight] - 1))
        nowhere = most == PLENTY
        return np.where(nowhere, 0, most), shared & (parts > 1) & ~nowhere

    def _count_part(self, columns: list[Ints], chunk: Ints) -> Ints:
        """Return how many records one chunk can give its part of a set."""
        counts = self._copies.support[columns[0]] if len(columns) == 1 else self._set_support.count(columns)
        counts = np.minimum(counts, self._copies.capacity[chunk])
        return np.where(self._is_term[chunk], self.chunks.sizes[self._cluster[chunk]], counts)

    @cached_property
    def _cluster(self) -> Ints:
        return self.chunks.cluster[self._copies.original]

    @cached_property
    def _is_term(self) -> Flags:
        return np.asarray(self.chunks.number[self._copies.original] == TERM_CHUNK)

    @cached_property
    def _in_leaf(self) -> Flags:
        return self.chunks.is_leaf[self._cluster]

    @cached_property
    def _has_term_chunk(self) -> Flags:
        terms = self.chunks.cluster[self.chunks.number == TERM_CHUNK]
        return np.bincount(terms, minlength=len(self.chunks.names)) > 0

    @cached_property
    def _spare(self) -> Ints:
        """Subrecords of every leaf beyond one for each record; plenty where a term chunk fills all records."""
        spare = np.where(self._has_term_chunk, PLENTY, self._subrecords - self.chunks.sizes)
        return np.asarray(np.maximum(spare, 0), dtype=np.int64)

    @cached_property
    def _subrecords(self) -> Ints:
        of_chunk = np.diff(self.chunks.bounds) * (self.chunks.number != TERM_CHUNK)
        return np.bincount(self.chunks.cluster, weights=of_chunk, minlength=len(self.chunks.names)).astype(np.int64)

    @property
    def _width(self) -> int:
        return max(len(self.chunks.subrecords.labels), 1)

    def _count_elsewhere(self, terms: list[Ints]) -> Ints:
        """Count the records that have each set of terms from their own leaf or from one shared chunk."""
        counts = self._in_shared_chunks.count(terms).astype(np.int64)
        for which, leaf in self._in_leaves.holders(terms):
            entries = np.stack([self.sources.find(leaf, term[which]) for term in terms])
            own, _ = self._count_own(list(np.sort(entries, axis=0)))
            counts += np.bincount(which, weights=own, minlength=len(counts)).astype(np.int64)
        return counts

    @cached_property
    def _in_shared_chunks(self) -> SetSupport:
        shared = self.chunks.number[self.chunks.chunk_of_row] != TERM_CHUNK
        shared &= ~self.chunks.is_leaf[self.chunks.cluster[self.chunks.chunk_of_row]]
        return SetSupport(self.chunks.subrecords.take(np.flatnonzero(shared)).distinct())

    @cached_property
    def _in_leaves(self) -> SetSupport:
        """Terms of every leaf's own chunks; a row per cluster, that of a joint one is empty."""
        entries = np.flatnonzero(self.chunks.is_leaf[self.sources.cluster])
        counts = np.bincount(self.sources.cluster[entries], minlength=len(self.chunks.names))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        terms = self.sources.term[entries].astype(np.int32)
        return SetSupport(ListColumn(offsets, terms, self.chunks.subrecords.labels).distinct())


class _SmallestCounts:
    """Collects what sets of items lead to, person by person."""

    def __init__(self, smallest: Ints, unmatched: Flags) -> None:
        self._smallest, self._unmatched = smallest, unmatched
        self._rarest: tuple[int, ...] = ()
        self._lowest, self.tried = PLENTY, 0

    def add(self, people: Ints, matches: Ints, columns: list[Ints]) -> None:
        self.tried += len(matches)
        self._unmatched[people[matches == 0]] = True
        there = matches > 0
        np.minimum.at(self._smallest, people[there], matches[there])
        if there.any():
            low = int(np.argmin(np.where(there, matches, PLENTY)))
            if matches[low] < self._lowest:
                self._lowest = int(matches[low])
                self._rarest = tuple(int(column[low]) for column in columns)

    def result(self) -> ItemSets:
        smallest = np.where(self._smallest == PLENTY, 0, self._smallest)
        return ItemSets(smallest, self._unmatched, self._rarest, self.tried)


def _leaf_of_person(chunks: Chunks, rows: Ints | None, people: int) -> Ints:
    """Return the cluster of every person, -1 where it is not known or the person is not published."""
    leaf = np.full(people, -1, dtype=np.int64)
    if rows is not None:
        leaf[rows] = chunks.leaf_of_record
    return leaf
