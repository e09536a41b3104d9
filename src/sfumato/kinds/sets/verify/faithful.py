"""Nothing invented, nothing swapped, for sets: what is published is what people have, generalised or disassociated."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.checks.records import membership
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.decode import is_disassociated
from sfumato.kinds.sets.knowledge.rows import number_rows
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.release.release import Release
from sfumato.verification.faithful import check_names, check_people, check_rows
from sfumato.verification.structure import COUNTS, READABLE, verify_structure

__all__ = ["verify_faithful"]


Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Counterexample = dict[str, Any] | None

NO_DUPLICATES = "every record is published at most once"


def verify_faithful(release: Release, original: Dataset, rows: Ints) -> Verdict:
    """Check with the owner's row map that the release is true to the original.

    Generalised: every item of a person is in a value of the record, every value stands for an item of the person,
    and exactly the suppressed items are missing. Disassociated: the people of every leaf, projected to the items of
    each chunk, give exactly its published subrecords; shared chunks hold, from the leaves below, the items those do
    not have further down; the term chunk is what else the people of the leaf have.

    Parameters
    ----------
    release, original
        What was published, and what it was made from.
    rows
        Original row (from 0) of every published person; leaf by leaf, in the order of the clusters, where records
        are disassociated.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.release.text import ValueFormat
    >>> from sfumato.release.release import PublishedColumn
    >>> from sfumato.kinds.sets.guarantees import KmItems
    >>> columns = (
    ...     PublishedColumn("person", "identifier", ValueFormat("exact")),
    ...     PublishedColumn("items", "history", ValueFormat("category", history=True, meaning="at least one of")),
    ... )
    >>> people = pa.table({"person": ["x", "y"], "items": ListColumn.from_lists([["P", "c"], ["P"]]).to_arrow()})
    >>> values = pa.table({"column": ["items"] * 2, "value": ["P"] * 2, "member": ["a", "b"]})
    >>> release = Release("sets", "by-hand", KmItems(k=2, m=1), columns, people, values, records_in=2)
    >>> verify_faithful(release, Dataset.of("sets", [["a", "b", "c"], ["b"]]), np.array([0, 1])).holds
    True
    >>> verify_faithful(release, Dataset.of("sets", [["a", "b", "c"], ["c"]]), np.array([0, 1])).counterexample
    {'check': 'nothing is missing', 'rows': [2]}
    """
    structure = verify_structure(release)
    if not structure.checks[READABLE] or (is_disassociated(release) and not structure.holds):
        return Verdict(False, {}, {}, structure.counterexample, structure.checks)
    rows = np.asarray(rows)
    counterexamples: dict[str, Counterexample] = {NO_DUPLICATES: check_rows(release, original, rows)}
    if counterexamples[NO_DUPLICATES] is None:
        people = original.history().take(rows.astype(np.int64))
        check = _check_disassociation if is_disassociated(release) else _check_generalisation
        counterexamples |= check(release, people)
    counterexamples["withheld records are counted"] = check_people(release, original, structure.checks[COUNTS])
    counterexamples["no original name is a pseudonym"] = check_names(release, original)
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    return Verdict(
        counterexample is None, {}, {}, counterexample, {name: seen is None for name, seen in counterexamples.items()}
    )


def _check_generalisation(release: Release, people: ListColumn) -> dict[str, Counterexample]:
    published = release.history()
    gone = set(release.suppressed())
    is_remaining = np.array([label not in gone for label in people.labels], dtype=bool)
    wanted = people.keep(is_remaining[people.codes])
    values, items = membership(release, people.labels)
    order = np.argsort(items, kind="stable")
    ends = np.searchsorted(items[order], np.arange(len(people.labels) + 1))
    # Every item of every person with every value that may stand for it: is one of these in the record?
    lengths = np.diff(ends)[wanted.codes]
    token = np.repeat(np.arange(len(wanted.codes)), lengths)
    step = np.arange(len(token)) - np.repeat(np.cumsum(lengths) - lengths, lengths)
    base = max(len(published.labels), 1)
    pairs = wanted.row_of_token[token] * base + values[order[ends[wanted.codes[token]] + step]]
    there = published.row_of_token * base + published.codes
    met, meant = _match(pairs, there)
    is_covered = np.zeros(len(wanted.codes), dtype=bool)
    is_covered[token[met]] = True
    invented = np.flatnonzero(~meant)
    missing = np.flatnonzero(~is_covered)
    return {
        "nothing is missing": {"rows": [int(wanted.row_of_token[missing[0]]) + 1]} if len(missing) else None,
        "nothing is invented": {
            "rows": [int(published.row_of_token[invented[0]]) + 1],
            "value": published.labels[published.codes[invented[0]]],
        }
        if len(invented)
        else None,
    }


def _match(numbers: Ints, others: Ints) -> tuple[Flags, Flags]:
    """Mark the numbers that are among others, and those others that are among them.

    Examples
    --------
    >>> [marks.tolist() for marks in _match(np.array([7, 3, 3]), np.array([9, 3, 3, 1]))]
    [[False, True, True], [False, True, True, False]]
    """
    if not len(others):
        return np.zeros(len(numbers), dtype=bool), np.zeros(0, dtype=bool)
    # Items of records come in ascending order, as a rule, and need no sorting.
    ordered, place = others, None
    if (others[1:] <= others[:-1]).any():
        ordered, place = np.unique(others, return_inverse=True)
    at = np.minimum(np.searchsorted(ordered, numbers), len(ordered) - 1)
    is_among = ordered[at] == numbers
    met = np.zeros(len(ordered), dtype=bool)
    met[at[is_among]] = True
    return is_among, met if place is None else met[place]


def _check_disassociation(release: Release, people: ListColumn) -> dict[str, Counterexample]:
    sources = Sources.of(release)
    chunks = sources.chunks
    leaf = np.repeat(chunks.leaf_of_record, people.lengths)
    entries = sources.find_nearest(leaf, chunks.encode(people.labels)[people.codes])
    missing = np.flatnonzero(entries < 0)
    if len(missing):
        return {"nothing is missing": {"cluster": chunks.names[leaf[missing[0]]]}}
    apart = sources.in_term_chunk[entries]
    who = people.row_of_token[~apart]
    spared = sources.in_term_chunk.copy()
    spared[entries[apart]] = False
    unused = np.flatnonzero(spared)
    spare = chunks.locate(int(sources.chunk[unused[0]])) if len(unused) else None
    return {
        "nothing is missing": None,
        "term chunks hold what their records have": spare,
        "chunks hold their records' parts": _compare(sources, who, entries[~apart]),
    }


def _compare(sources: Sources, person: Ints, entries: Ints) -> Counterexample:
    """Compare the published subrecords with what the people have in each chunk, as bags."""
    chunks = sources.chunks
    # Entries are in the order of their chunks, so that a person's are together chunk by chunk.
    person, entries = np.divmod(np.sort(person * len(sources) + entries), max(len(sources), 1))
    begins = np.flatnonzero(np.diff(person, prepend=-1) | np.diff(sources.chunk[entries], prepend=-1))
    offsets = np.append(begins, len(entries)).astype(np.int64)
    published = sources.rows_of_entries(chunks.number[chunks.chunk_of_row] != TERM_CHUNK)
    both = np.concatenate([published.lengths, np.diff(offsets)])
    codes = np.concatenate([published.codes.astype(np.int64), entries])
    rows = ListColumn(np.concatenate([[0], np.cumsum(both)]).astype(np.int64), codes.astype(np.int32), ())
    kind = number_rows(rows)
    kinds = int(kind.max(initial=0)) + 1
    counts = np.bincount(kind[: len(published)], minlength=kinds)
    expected = np.bincount(kind[len(published) :], minlength=kinds)
    wrong = np.flatnonzero(counts != expected)
    if not len(wrong):
        return None
    mismatch = {"published": int(counts[wrong[0]]), "expected": int(expected[wrong[0]])}
    # An empty row, of no chunk, is shown as one of the first chunk.
    example = codes[rows.offsets[np.argmax(kind == wrong[0])]] if wrong[0] else 0
    return {**chunks.locate(int(sources.chunk[example])), **mismatch}
