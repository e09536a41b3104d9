"""What a release of sets must look like: generalised records, or disassociated ones in clusters and chunks."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import SchemaError
from sfumato.kinds.sets.dataset import CHUNK_COLUMNS, CLUSTER_COLUMNS, TERM_CHUNK
from sfumato.kinds.sets.decode import Chunks, is_disassociated
from sfumato.kinds.sets.knowledge.named import NamedItems
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.release.release import Release
from sfumato.verification.order import check_value_names, find_disorder
from sfumato.verification.people import GroupSize, count_in_groups, count_in_sequences
from sfumato.verification.release_checks import Counterexample, Findings, ReleaseChecks

__all__ = ["CHECKS", "find_smallest_groups"]

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


Flags = npt.NDArray[np.bool_]


def _check_schema(release: Release) -> Counterexample:
    """Look for anything but one of the two forms: records of generalised items, or chunks with their clusters."""
    if is_disassociated(release):
        extra_tables = {name: extra_table.columns for name, extra_table in release.extra_tables.items()}
        for name, columns, wanted in (
            ("data", release.columns, CHUNK_COLUMNS),
            ("clusters", extra_tables.pop("clusters"), CLUSTER_COLUMNS),
        ):
            if sorted(columns, key=str) != sorted(wanted, key=str):
                return {"table": name, "columns": [column.name for column in columns]}
        return {"parts": sorted(extra_tables)} if extra_tables else None
    roles = sorted(column.role for column in release.columns)
    if roles != ["history", "identifier"]:
        return {"roles": roles}
    form = next(column.form for column in release.columns if column.role == "history")
    if (form.cell, form.history, form.meaning) != ("category", True, "at least one of"):
        return {"form": form.cell, "meaning": form.meaning}
    return {"parts": sorted(release.extra_tables)} if release.extra_tables else None


def _check_clusters(release: Release) -> Counterexample:
    """Look for empty cells, and clusters that are unknown, named twice or their own ancestors."""
    if not is_disassociated(release):
        return None
    extra_table = release.extra_tables["clusters"].table
    for table, name in (
        (extra_table, "cluster"),
        (extra_table, "size"),
        (release.table, "cluster"),
        (release.table, "chunk"),
    ):
        if table.column(name).null_count:
            return {"column": name, "empty_cells": table.column(name).null_count}
    try:
        Chunks.of(release).leaves_below(0)
    except SchemaError as error:
        return {"rule": str(error)}
    except IndexError:
        return {"clusters": 0}
    return None


def _check_repetition(release: Release) -> Counterexample:
    history = release.history()
    width = max(len(history.labels), 1)
    keys = np.sort(history.row_of_token * width + history.codes)
    again = np.flatnonzero(keys[1:] == keys[:-1])
    return {"rows": [int(keys[again[0]]) // width + 1]} if len(again) else None


def _check_chunks(release: Release) -> Counterexample:
    """Look for clusters and chunks that do not fit together; the witness says which rule is broken."""
    if not is_disassociated(release):
        return None
    sources = Sources.of(release)
    chunks = sources.chunks
    for rule, check in _RULES.items():
        counterexample = check(sources)
        if counterexample is not None:
            return {"rule": rule, **counterexample}
    total = int(chunks.sizes[chunks.parent < 0].sum())
    return None if total == len(release) else {"published": len(release), "clusters": total}


def _find_wrong_size(sources: Sources) -> Counterexample:
    chunks = sources.chunks
    below = np.zeros(len(chunks.names), dtype=np.int64)
    inner = chunks.parent >= 0
    np.add.at(below, chunks.parent[inner], chunks.sizes[inner])
    wrong = (chunks.sizes < 1) | (~chunks.is_leaf & (below != chunks.sizes))
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    return {"cluster": chunks.names[at], "size": int(chunks.sizes[at])}


def _find_wrong_number(sources: Sources) -> Counterexample:
    chunks = sources.chunks
    is_term = chunks.number == TERM_CHUNK
    first = np.diff(chunks.cluster, prepend=-1) != 0
    before = np.append(0, chunks.number)[: len(chunks)]
    expected = np.where(first, np.where(is_term, TERM_CHUNK, 1), before + 1)
    return _locate_first(chunks, chunks.number != expected)


def _find_long_term_chunk(sources: Sources) -> Counterexample:
    chunks = sources.chunks
    return _locate_first(chunks, (chunks.number == TERM_CHUNK) & (np.diff(chunks.bounds) > 1))


def _find_joint_term_chunk(sources: Sources) -> Counterexample:
    chunks = sources.chunks
    return _locate_first(chunks, (chunks.number == TERM_CHUNK) & ~chunks.is_leaf[chunks.cluster])


def _locate_first(chunks: Chunks, wrong: Flags) -> Counterexample:
    if not wrong.any():
        return None
    return chunks.locate(int(np.argmax(wrong)))


def _find_shared_item(sources: Sources) -> Counterexample:
    """Look for items in two chunks of a cluster, and in a term chunk as well as in a shared chunk above it."""
    chunks = sources.chunks
    keys = np.sort(sources.cluster * max(len(chunks.subrecords.labels), 1) + sources.term)
    twice = np.flatnonzero(keys[1:] == keys[:-1])
    if len(twice):
        cluster, term = divmod(int(keys[twice[0]]), len(chunks.subrecords.labels))
        return {"cluster": chunks.names[cluster], "value": chunks.subrecords.labels[term]}
    entries = np.flatnonzero(sources.in_term_chunk)
    cluster_of, term_of = sources.cluster[entries], sources.term[entries]
    above = np.flatnonzero(sources.find_nearest(chunks.parent[cluster_of], term_of) >= 0)
    if not len(above):
        return None
    value = chunks.subrecords.labels[term_of[above[0]]]
    return {"cluster": chunks.names[cluster_of[above[0]]], "value": value}


_RULES: dict[str, Callable[[Sources], Counterexample]] = {
    "clusters have records, joint ones those of their leaves": _find_wrong_size,
    "chunks are numbered from 1": _find_wrong_number,
    "a term chunk is one row": _find_long_term_chunk,
    "only leaves have a term chunk": _find_joint_term_chunk,
    "chunks do not share items": _find_shared_item,
}


def _check_values(release: Release) -> Counterexample:
    """Look for generalised or removed values beside chunks, which publish items as they are."""
    if is_disassociated(release) and release.values.num_rows:
        return {"listed": release.values.num_rows}
    return None


def _check_entry_order(release: Release) -> Findings:
    """Look for items of a set that are not in the order of the alphabet."""
    history = release.history()
    yield from find_disorder(np.zeros(len(history.codes), dtype=np.int64), history)


CHECKS = ReleaseChecks(
    roles={"identifier": (0, 1), "history": (1,), "cluster": (0, 1), "chunk": (0, 1)},
    extra_tables=("clusters",),
    column_names=("person", "items", "cluster", "chunk"),
    removes_values=True,
    shape_checks=(("sets are generalised or separated", _check_schema), ("clusters form a tree", _check_clusters)),
    content_checks=(
        ("no item is repeated in a row", _check_repetition),
        ("clusters and chunks fit together", _check_chunks),
        ("separated items are not generalised", _check_values),
    ),
    order_checks=(check_value_names, _check_entry_order),
    group_noun="set of items",
    find_smallest_groups=find_smallest_groups,
)
