"""Crowds of sets: the records with some items, and the leaves of a release in chunks."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.decode import is_disassociated
from sfumato.kinds.sets.knowledge.named import NamedItems
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.release.release import Release
from sfumato.verification.people import GroupSize, count_in_groups, count_in_sequences

__all__ = ["find_smallest_groups"]

Ints = npt.NDArray[np.int64]


def find_smallest_groups(release: Release, original: Dataset, rows: Ints, person: Ints) -> Iterator[GroupSize]:
    """Count the people of every set of items that an attacker may know."""
    claimed = release.guarantee
    if hasattr(claimed, "itemsets"):
        yield from _of_itemsets(NamedItems.of(release), claimed.itemsets, person)
    elif is_disassociated(release):
        yield from _of_chunks(release, original.history().take(rows), person)
    else:
        yield from count_in_sequences(release.history().distinct(), int(claimed.parameters()["m"]), person)


def _of_itemsets(records: NamedItems, itemsets: tuple[tuple[str, ...], ...], person: Ints) -> Iterator[GroupSize]:
    for itemset in itemsets:
        for rows in records.narrowest(itemset):
            yield GroupSize(len(np.unique(person[rows])), len(rows))


def _of_chunks(release: Release, records: ListColumn, person: Ints) -> Iterator[GroupSize]:
    """Count the people of every leaf, and of every set of up to m items inside a chunk.

    Items of different chunks may be of any records of the leaf, of which k have each: k people of a leaf can have all.
    """
    sources = Sources.of(release)
    chunks = sources.chunks
    yield from count_in_groups(chunks.leaf_of_record, person)
    terms = chunks.encode(records.labels)[records.codes]
    entries = sources.find_nearest(np.repeat(chunks.leaf_of_record, records.lengths), terms)
    in_chunk = (entries >= 0) & ~sources.in_term_chunk[np.maximum(entries, 0)]
    entries, row = entries[in_chunk], records.row_of_token[in_chunk]
    order = np.lexsort((entries, sources.chunk[entries], row))
    entries, row = entries[order], row[order]
    begins = np.flatnonzero(np.diff(row, prepend=-1) | np.diff(sources.chunk[entries], prepend=-1))
    names = tuple(map(str, range(len(sources))))
    subrecords = ListColumn(np.append(begins, len(entries)).astype(np.int64), entries.astype(np.int32), names)
    if len(subrecords):
        yield from count_in_sequences(subrecords, int(release.guarantee.parameters()["m"]), person[row[begins]])
