"""Possible originals of a disassociated release."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Column, Schema
from sfumato.exceptions import ParameterError
from sfumato.kinds.sets.decode import Chunks, is_disassociated
from sfumato.kinds.sets.estimate.expected_counts import ExpectedCounts
from sfumato.kinds.sets.estimate.matching import ChunkMatching
from sfumato.kinds.sets.estimate.occupancy import draw_subsets
from sfumato.messages import Message, option
from sfumato.release.release import Release

__all__ = ["draw_records", "reconstruct"]

Ints = npt.NDArray[np.int64]

_DRAWS = 12


def reconstruct(release: Release, seed: int | None = None, copies: int = 1) -> list[Dataset]:
    """Draw data sets that could have been published as this release, to be analysed like originals.

    Each has every published subrecord and exactly the published number of records in every cluster, none of them
    empty. What is not published is drawn: which subrecords belong together, and who has the items of the term
    chunks (one record of the cluster each, and one item for every record that would be empty; see
    :mod:`sfumato.kinds.sets.estimate.matching`). Records come cluster by cluster, in the order of the release's
    clusters.

    Averaging what several copies say comes closer to the original than one copy; :func:`sfumato.query` gives the
    average over all copies at once for questions about items.

    Parameters
    ----------
    release
        A release of sets in the disassociated form.
    seed
        For the same copies every time; copy number i does not depend on how many are drawn.
    copies
        Number of data sets.

    Examples
    --------
    >>> clusters = [("p", None, 2)]
    >>> chunks = Chunks.from_rows(clusters, [("p", 1, ["a", "b"]), ("p", 1, ["a"]), ("p", 0, ["z"])])
    >>> records = draw_records(ChunkMatching(chunks), np.random.default_rng(1))
    >>> sorted("".join(record) for record in records.lists())
    ['a', 'abz']

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 3 (Reconstruction of datasets).
    """
    if not is_disassociated(release):
        raise ParameterError(
            "The release publishes whole records, not chunks.", hint="Use its records without reconstruction."
        )
    if copies < 1:
        raise ParameterError(Message(option("copies"), f" must be at least 1, got {copies}."))
    matching = ChunkMatching(Chunks.of(release))
    sources = np.random.SeedSequence(seed).spawn(copies)
    return [_as_dataset(release, draw_records(matching, np.random.default_rng(source))) for source in sources]


def draw_records(matching: ChunkMatching, generator: np.random.Generator) -> ListColumn:
    """Draw the records of one possible original, cluster by cluster in the order of the release's clusters."""
    chunks = matching.chunks
    record_of_row = np.full(len(chunks.subrecords), -1, dtype=np.int64)
    _place_own(matching, generator, record_of_row)
    _place_shared(matching, generator, record_of_row)
    rows = chunks.subrecords.row_of_token
    placed = record_of_row[rows] >= 0
    records = [record_of_row[rows[placed]]]
    items = [chunks.subrecords.codes[placed].astype(np.int64)]
    terms = np.flatnonzero(~placed)
    leaf = matching.below[0][chunks.cluster[chunks.chunk_of_row[rows[terms]]]]
    records.append(matching.starts[leaf] + _below(generator, matching.sizes[leaf]))
    items.append(chunks.subrecords.codes[terms].astype(np.int64))
    empty, filling = _fill(matching, generator, np.concatenate(records), terms)
    records.append(empty)
    items.append(filling)
    return _collect_records(matching, np.concatenate(records), np.concatenate(items))


def _below(generator: np.random.Generator, limits: Ints) -> Ints:
    """Draw a whole number below each limit."""
    return np.minimum((generator.random(len(limits)) * limits).astype(np.int64), np.maximum(limits - 1, 0))


def _place_own(matching: ChunkMatching, generator: np.random.Generator, record_of_row: Ints) -> None:
    """Put the subrecords of record chunks on different records of their leaf."""
    bounds, own, leaf = matching.chunks.bounds, matching.own, matching.leaf_of_own
    sizes, counts = matching.sizes[leaf], matching.row_counts[own]
    # All records of the leaf in random order, for every chunk; the first ones get its subrecords.
    ends = np.cumsum(sizes)
    chunk = np.repeat(np.arange(len(own)), sizes)
    within = np.arange(len(chunk)) - (ends - sizes)[chunk]
    shuffled = within[np.argsort((chunk << 36) + generator.integers(1 << 36, size=len(chunk)))]
    chosen = within < counts[chunk]
    rows = bounds[own][chunk[chosen]] + within[chosen]
    record_of_row[rows] = matching.starts[leaf][chunk[chosen]] + shuffled[chosen]
    filled = np.zeros(matching.starts[-1], dtype=bool)
    filled[record_of_row[rows]] = True
    full = np.diff(np.concatenate([[0], np.cumsum(filled)])[matching.starts]) == matching.sizes
    first, end = np.searchsorted(leaf, np.arange(len(full))), np.searchsorted(leaf, np.arange(len(full)), "right")
    # Keeping what happens to fill a leaf, and else drawing only from what fills it, makes all such ways equally likely.
    for bare in np.flatnonzero(~full & (matching.term_chunk < 0)).tolist():
        mine = own[first[bare] : end[bare]]
        places = draw_subsets(generator, int(matching.sizes[bare]), tuple(matching.row_counts[mine].tolist()))
        for number, subset in zip(mine, places, strict=True):
            record_of_row[matching.chunks.rows(number)] = matching.starts[bare] + generator.permutation(subset)


def _place_shared(matching: ChunkMatching, generator: np.random.Generator, record_of_row: Ints) -> None:
    """Put the subrecords of shared chunks on different records of the leaves open to them."""
    chunks = matching.chunks
    rows = np.flatnonzero((matching.is_shared & ~matching.is_term)[chunks.chunk_of_row])
    chunk = chunks.chunk_of_row[rows]
    first = matching.starts[matching.below[0][chunks.cluster[chunk]]]
    capacity = matching.capacity[chunk]
    position = np.empty(len(chunks.subrecords), dtype=np.int64)
    position[rows] = np.arange(len(rows))
    for restricted, expected_counts in matching.restricted.items():
        mine = position[chunks.rows(restricted)]
        leaves = _draw_leaves(expected_counts, generator)
        first[mine], capacity[mine] = matching.starts[leaves], matching.sizes[leaves]
    record_of_row[rows] = _draw_distinct(generator, chunk, first, capacity)


def _draw_distinct(generator: np.random.Generator, group: Ints, first: Ints, capacity: Ints) -> Ints:
    """Draw a number for each entry, from `first` on below `capacity` more, different from the others of its group.

    Entries that meet another one draw again; those that meet others too often take one of the numbers left.
    """
    drawn = first + _below(generator, capacity)
    width = int((first + capacity).max(initial=0)) + 1
    for _ in range(_DRAWS):
        again = _find_repeated(group * width + drawn)
        if not len(again):
            return drawn
        drawn[again] = first[again] + _below(generator, capacity[again])
    again = _find_repeated(group * width + drawn)
    drawn[again] = -1
    for entry in again.tolist():
        mine = drawn[group == group[entry]]
        taken = mine[(mine >= first[entry]) & (mine < first[entry] + capacity[entry])] - first[entry]
        free = np.setdiff1d(np.arange(capacity[entry]), taken)
        drawn[entry] = first[entry] + generator.choice(free)
    return drawn


def _find_repeated(keys: Ints) -> Ints:
    """Return where a key stands that has stood before."""
    order = np.argsort(keys, kind="stable")
    repeated: Ints = order[1:][np.diff(keys[order]) == 0]
    return repeated


def _draw_leaves(expected_counts: ExpectedCounts, generator: np.random.Generator) -> Ints:
    """Draw a leaf for every subrecord; no leaf gets more of them than it has records."""
    from sfumato.kinds.sets._kernels.count_rounding import round_table

    numbers = round_table(expected_counts.expected, generator)
    leaves = np.tile(expected_counts.first + np.arange(numbers.shape[1]), len(numbers))
    # Subrecords in random order within their kind take the leaves of the kind in order.
    order = np.lexsort((generator.random(len(expected_counts.kind_of_row)), expected_counts.kind_of_row))
    drawn = np.empty(len(order), dtype=np.int64)
    drawn[order] = np.repeat(leaves, numbers.ravel())
    return drawn


def _fill(matching: ChunkMatching, generator: np.random.Generator, records: Ints, terms: Ints) -> tuple[Ints, Ints]:
    """Give every empty record an item of its leaf's term chunk; `terms` are the tokens of all term chunks."""
    chunks = matching.chunks
    empty = np.flatnonzero(np.bincount(records, minlength=matching.starts[-1]) == 0)
    leaf = np.searchsorted(matching.starts, empty, side="right") - 1
    chunk_of_token = chunks.chunk_of_row[chunks.subrecords.row_of_token[terms]]
    term_chunk = matching.term_chunk[leaf]
    begin = np.searchsorted(chunk_of_token, term_chunk)
    count = np.searchsorted(chunk_of_token, term_chunk, side="right") - begin
    tokens = terms[begin + _below(generator, count)]
    return empty, chunks.subrecords.codes[tokens].astype(np.int64)


def _collect_records(matching: ChunkMatching, records: Ints, items: Ints) -> ListColumn:
    """Return the records as sets, in the order of the clusters."""
    labels = matching.chunks.subrecords.labels
    order = np.argsort(matching.leaves, kind="stable")
    sizes = matching.sizes[order]
    starts = np.empty(len(order), dtype=np.int64)
    starts[order] = np.cumsum(sizes) - sizes
    leaf = np.searchsorted(matching.starts, records, side="right") - 1
    rows = starts[leaf] + records - matching.starts[leaf]
    width = max(len(labels), 1)
    keys = np.sort(rows * width + items)
    keys = keys[np.diff(keys, prepend=-1) > 0]
    offsets = np.searchsorted(keys, np.arange(matching.starts[-1] + 1) * width)
    return ListColumn(offsets.astype(np.int64), (keys % width).astype(np.int32), labels)


def _as_dataset(release: Release, records: ListColumn) -> Dataset:
    history = release.history_column
    person = pa.array([f"r{number}" for number in range(1, len(records) + 1)], pa.string())
    columns = (Column("person", "identifier"), Column(history, "history"))
    sensitive = tuple(getattr(release.guarantee, "sensitive", ()))
    return Dataset(Schema("sets", columns, sensitive), pa.table({"person": person, history: records.to_arrow()}))
