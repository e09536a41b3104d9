"""Where people of a disassociated release have their items from, where some chunks are not open to all of them.

A shared chunk with restricted subrecords shows each leaf only those that the leaf may have. So leaves get a copy of
such a chunk, with only the subrecords they may have. Chunks are copied only for the leaves that ask for them, as people
there have an item from them, and only these items; leaves that may have the same subrecords share a copy. Plain NumPy.
"""

from __future__ import annotations

from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.knowledge.sources import Sources

__all__ = ["PLENTY", "Copies"]

Ints = npt.NDArray[np.int64]

PLENTY = np.iinfo(np.int64).max
"""More records than any chunk can give."""


class Copies:
    """The entries of published chunks and, after them, those of copies; then one per term, for people of no cluster.

    Parameters
    ----------
    sources
        The entries of the published chunks.
    leaf_of_person
        Cluster of every person, -1 where it is not known.
    leaves, terms
        Of every item that someone has: the person's cluster, -1 where it is not known, and the term, -1 where it is
        published nowhere.

    Attributes
    ----------
    queried_entries
        Entry of each of these items, -1 where nothing published can be its source.
    term, chunk, support
        Of every entry: its term, its chunk (-1 for people of no cluster) and the subrecords of the chunk that have it.
    original, capacity
        Of every chunk or copy: the published chunk it comes from, and how many records it can reach at most.
    rows
        Subrecords of chunks and copies, except term chunks, as lists of entries; of copies only what occurs together.

    Examples
    --------
    >>> from sfumato.kinds.sets.decode import Chunks
    >>> clusters = [("j", None, 6), ("p", "j", 3), ("q", "j", 3)]
    >>> rows = [("j", 1, ["a"]), ("j", 1, ["o"]), ("p", 1, ["a"]), ("q", 0, ["z"])]
    >>> sources = Sources(Chunks.from_rows(clusters, rows))
    >>> copies = Copies(sources, np.array([1, 2]), np.array([1, 2, 2]), np.array([1, 0, 2]))
    >>> copies.original[len(sources.chunks) :].tolist(), copies.chunk[copies.queried_entries].tolist()
    ([0, 0], [3, 4, 2])
    """

    def __init__(self, sources: Sources, leaf_of_person: Ints, leaves: Ints, terms: Ints) -> None:
        self._chunks, self._sources = sources.chunks, sources
        self._width = max(len(sources.chunks.subrecords.labels), 1)
        published = sources.find_nearest(leaves, terms)
        closed = np.flatnonzero(published >= 0)
        closed = closed[np.isin(sources.chunk[published[closed]], sources.restricted_chunks)]
        copies = self._copy(leaf_of_person, sources.chunk[published[closed]], leaves[closed], terms[closed])
        self.queried_entries = np.where(leaves >= 0, published, np.where(terms >= 0, self._homeless + terms, -1))
        if len(closed):
            places = self.chunk[: self._homeless] * self._width + self.term[: self._homeless]
            wanted = copies * self._width + terms[closed]
            at = np.searchsorted(places, wanted).clip(max=len(places) - 1)
            self.queried_entries[closed] = np.where(places[at] == wanted, at, -1)

    def __len__(self) -> int:
        return len(self.term)

    def _copy(self, leaf_of_person: Ints, requested: Ints, asking: Ints, terms: Ints) -> Ints:
        """Copy restricted chunks, and return the copy for each chunk asked for, by the leaf and the term asked for."""
        sources, chunks = self._sources, self._chunks
        original, capacity = list(range(len(chunks))), [PLENTY] * len(chunks)
        copied: list[tuple[Ints, Ints, Ints]] = []
        subrecords: list[ListColumn] = []
        seen = 0
        lived_in = np.zeros(len(chunks.names), dtype=bool)
        lived_in[leaf_of_person[leaf_of_person >= 0]] = True
        place = np.empty(len(chunks.names), dtype=np.int64)
        pairs, pair_of = np.unique(requested * len(chunks.names) + asking, return_inverse=True)
        source_of_pair = np.empty(len(pairs), dtype=np.int64)
        restricted, begins = np.unique(pairs // len(chunks.names), return_index=True)
        bounds = [*begins.tolist(), len(pairs)]
        for chunk, (begin, end) in zip(restricted.tolist(), pairwise(bounds), strict=True):
            restriction = sources.restriction(chunk)
            # Leaves that may have the same subrecords; there are few, so that a dictionary is faster than sorting.
            code_of_row: dict[bytes, int] = {}
            lived = lived_in[restriction.leaves]
            allowed = restriction.allowed[lived]
            which = np.array(
                [code_of_row.setdefault(row.tobytes(), len(code_of_row)) for row in allowed], dtype=np.int64
            )
            least = np.full(len(code_of_row), max(restriction.slack, 0), dtype=np.int64)
            np.minimum.at(least, which, restriction.sizes[lived])
            place[restriction.leaves[lived]] = np.arange(len(which))
            wanted = place[pairs[begin:end] % len(chunks.names)]
            used, number_of = np.unique(which[wanted], return_inverse=True)
            patterns = allowed[np.unique(which, return_index=True)[1][used]]
            number, position = np.nonzero(patterns)
            copied.append((len(original) + number, seen + position, restriction.times[position]))
            subrecords.append(restriction.subrecords)
            seen += len(restriction.subrecords)
            source_of_pair[begin:end] = len(original) + number_of
            capacity += least[used].tolist()
            original += [chunk] * len(used)
        self.original, self.capacity = np.array(original, dtype=np.int64), np.array(capacity, dtype=np.int64)
        queried_copies = source_of_pair[pair_of]
        self._list_entries(*_encode(copied, subrecords, queried_copies * self._width + terms, self._width))
        return queried_copies

    def _list_entries(self, places: Ints, rows: ListColumn, supports: Ints) -> None:
        """List the entries of published chunks, of copies and of people of no cluster, and rows of entries."""
        sources, chunks = self._sources, self._chunks
        self._homeless = len(sources) + len(places)
        everyone = np.arange(len(chunks.subrecords.labels))
        self.term = np.concatenate([sources.term, places % self._width, everyone])
        self.chunk = np.concatenate([sources.chunk, places // self._width, np.full(len(everyone), -1)])
        self.support = np.concatenate([sources.support, supports, np.zeros(len(everyone), dtype=np.int64)])
        published = sources.rows_of_entries(chunks.number[chunks.chunk_of_row] != TERM_CHUNK)
        lengths = np.concatenate([published.lengths, rows.lengths])
        offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
        codes = np.concatenate([published.codes, rows.codes + len(sources)]).astype(np.int32)
        self.rows = ListColumn(offsets, codes, ("",) * len(self.term)).distinct()


def _encode(
    copied: list[tuple[Ints, Ints, Ints]], subrecords: list[ListColumn], requested: Ints, width: int
) -> tuple[Ints, ListColumn, Ints]:
    """Return the terms asked for in copies as numbers, how they occur together, and how often each occurs.

    What is copied is given as numbers of copies, positions among the subrecords, and how often each occurs. Terms that
    occur together are positions among the numbers returned; of subrecords with fewer than two of them nothing is left.
    """
    empty = np.empty(0, dtype=np.int64)
    number, position, times = (
        np.concatenate([empty, *column]) for column in list(zip(*copied, strict=True)) or [()] * 3
    )
    lengths = np.concatenate([empty, *(part.lengths for part in subrecords)])
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    terms = np.concatenate([empty, *(part.codes for part in subrecords)]).astype(np.int32)
    rows = ListColumn(offsets, terms, ()).take(position)
    row = rows.row_of_token
    flat = number[row] * width + rows.codes
    wanted, _ = np.unique(requested, return_counts=True)
    at = np.searchsorted(wanted, flat)
    is_wanted = np.append(wanted, -1)[at] == flat
    counts = np.bincount(at[is_wanted], weights=times[row[is_wanted]], minlength=len(wanted)).astype(np.int64)
    there = counts > 0
    codes = (np.cumsum(there) - 1)[at[is_wanted]]
    rows = ListColumn(rows.keep(is_wanted).offsets, codes.astype(np.int32), ())
    several = np.flatnonzero(rows.lengths > 1)
    return wanted[there], rows.take(np.repeat(several, times[several])), counts[there]
