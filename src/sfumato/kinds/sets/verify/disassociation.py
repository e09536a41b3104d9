"""k^m-anonymity of disassociated records: the conditions under which it holds, each looked up in the files.

A data set *could be* the original when every leaf has its number of records, none of them empty; the subrecords of
every chunk are given to different records below the chunk's cluster, and only to leaves that do not have one of their
terms further down; and every term of a term chunk occurs in its leaf. The conditions make sure that, for every set of
up to m terms that a record of such a data set can have, one such data set has k records with it:

* Inside a leaf, k subrecords with its part of the set can be stacked in every chunk (chunks are k^m-anonymous), and
  what is left over still fills the other records (the term chunk, or enough subrecords).
* A shared chunk has k subrecords with its part: any, where all its subrecords are allowed everywhere; otherwise k
  copies of one that is allowed in the leaf, and the restricted ones still find a place beside them (room): leaves
  that hold subrecords allowed nowhere else have k records more than these, if a subrecord may be in them or outside.

Chunks do not get in each other's way: which leaves a term is allowed in is a matter of the files, not of the records.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.base.verdict import Verdict
from sfumato.checks.subsequences import countable_sizes, support
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.kinds.sets.knowledge.sources import Restriction, Sources
from sfumato.kinds.sets.verify.reconstructions import try_reconstructions
from sfumato.release.release import Release

__all__ = ["verify_disassociation"]

Ints = npt.NDArray[np.int64]
Counterexample = dict[str, Any] | None


def verify_disassociation(release: Release, claimed: KmItems) -> Verdict:
    """Check the conditions of a disassociated release, and small clusters by trying every reconstruction.

    Examples
    --------
    >>> import pyarrow as pa
    >>> from sfumato.kinds.sets.dataset import CHUNK_COLUMNS, CLUSTER_COLUMNS
    >>> from sfumato.data.lists import ListColumn
    >>> from sfumato.release.release import ExtraTable
    >>> clusters = pa.table({"cluster": ["p"], "parent": pa.array([None], pa.string()), "size": [3]})
    >>> items = ListColumn.from_lists([["a", "b"], ["a", "b"], ["z"]]).to_arrow()
    >>> data = pa.table({"cluster": ["p", "p", "p"], "chunk": [1, 1, 0], "items": items})
    >>> values = pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")})
    >>> extra_tables = {"clusters": ExtraTable(CLUSTER_COLUMNS, clusters)}
    >>> claimed = KmItems(k=2, m=2)
    >>> more = {"extra_tables": extra_tables, "published": 3}
    >>> release = Release("sets", "by-hand", claimed, CHUNK_COLUMNS, data, values, 3, **more)
    >>> verify_disassociation(release, claimed).measured
    {'k': 2, 'm': 2, 'clusters': 1, 'joint_clusters': 0, 'chunks': 2, 'tried_by_reconstruction': 1}

    References
    ----------
    Terrovitis et al., Privacy Preservation by Disassociation, Section 5, Lemma 2, Property 1 and Lemma 3.
    """
    sources = Sources.of(release)
    chunks = sources.chunks
    rarest, combination = _rarest_combination(sources, claimed.m)
    restrictions = [sources.restriction(chunk) for chunk in sources.restricted_chunks.tolist()]
    smallest = int(chunks.sizes[chunks.leaves].min())
    tried, broken = try_reconstructions(chunks, claimed.k, claimed.m)
    counterexamples: dict[str, Counterexample] = {
        "every leaf has enough records": _check_leaves(chunks, claimed),
        "every combination in a chunk occurs k times": combination if rarest < claimed.k else None,
        "every leaf fills its records by itself": _check_filling(chunks, claimed),
        "chunks with closed items are k-anonymous": _check_copies(chunks, restrictions, claimed.k),
        "restricted subrecords leave room": _check_free_records(chunks, restrictions, claimed.k),
        "no chunk has more subrecords than records": _check_capacity(chunks),
        "sensitive items are in term chunks only": _check_sensitive(sources, claimed.sensitive),
        "reconstructions of small clusters keep the claim": broken,
    }
    if claimed.safe:
        counterexamples["no item covers a cluster"] = _check_covers(sources)
    counterexample = next(({"check": name, **seen} for name, seen in counterexamples.items() if seen is not None), None)
    measured = {
        "k": min(rarest, smallest),
        "m": claimed.m,
        "clusters": len(chunks.leaves),
        "joint_clusters": len(chunks.names) - len(chunks.leaves),
        "chunks": len(chunks),
        "tried_by_reconstruction": tried,
    }
    checks = {name: seen is None for name, seen in counterexamples.items()}
    return Verdict(counterexample is None, claimed.parameters(), measured, counterexample, checks)


def _check_leaves(chunks: Chunks, claimed: KmItems) -> Counterexample:
    least = max(claimed.k, claimed.l) if claimed.sensitive else claimed.k
    small = chunks.leaves[chunks.sizes[chunks.leaves] < least]
    return {"cluster": chunks.names[small[0]], "size": int(chunks.sizes[small[0]])} if len(small) else None


def _rarest_combination(sources: Sources, m: int) -> tuple[int, dict[str, Any]]:
    """Return the smallest support of up to m terms that occur together in a chunk, and where that is.

    Terms are counted chunk by chunk in one go: a term of a chunk is an entry of its own.
    """
    chunks = sources.chunks
    rows = sources.rows_of_entries(chunks.number[chunks.chunk_of_row] != TERM_CHUNK)
    k = int(chunks.sizes[chunks.leaves].sum())
    where: dict[str, Any] = {}
    for size in countable_sizes(rows, m):
        keys, supports = support(rows, size)
        at = int(np.argmin(supports))
        if supports[at] < k or not where:
            k = int(supports[at])
            entries = [int(keys[at]) // len(sources) ** power % len(sources) for power in range(size)]
            values = [chunks.subrecords.labels[sources.term[entry]] for entry in reversed(entries)]
            where = {**chunks.locate(int(sources.chunk[entries[0]])), "values": values, "support": k}
    return k, where


def _check_filling(chunks: Chunks, claimed: KmItems) -> Counterexample:
    """Lemma 2: look for leaves that would have empty records if k records had a set of up to m terms."""
    is_term = chunks.number == TERM_CHUNK
    n = len(chunks.names)
    has_term_chunk = np.bincount(chunks.cluster[is_term], minlength=n) > 0
    record_chunks = np.bincount(chunks.cluster[~is_term], minlength=n)
    subrecords = np.bincount(chunks.cluster, weights=np.diff(chunks.bounds) * ~is_term, minlength=n).astype(np.int64)
    needed = chunks.sizes + claimed.k * (np.minimum(claimed.m, record_chunks) - 1)
    wrong = chunks.is_leaf & ~has_term_chunk & ((record_chunks == 0) | (subrecords < needed))
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    return {"cluster": chunks.names[at], "subrecords": int(subrecords[at]), "needed": int(needed[at])}


def _check_copies(chunks: Chunks, restrictions: list[Restriction], k: int) -> Counterexample:
    """Property 1: look for rare subrecords in shared chunks with a term that is also found further down."""
    for restriction in restrictions:
        copies = int(restriction.times.min())
        if copies < k:
            return {**chunks.locate(restriction.chunk), "copies": copies}
    return None


def _check_free_records(chunks: Chunks, restrictions: list[Restriction], k: int) -> Counterexample:
    """Look for shared chunks whose restricted subrecords may leave fewer than k records to the others."""
    for restriction in restrictions:
        if restriction.slack < k:
            return {**chunks.locate(restriction.chunk), "room": restriction.slack}
    return None


def _check_capacity(chunks: Chunks) -> Counterexample:
    subrecords = np.diff(chunks.bounds)
    wrong = subrecords > chunks.sizes[chunks.cluster]
    if not wrong.any():
        return None
    at = int(np.argmax(wrong))
    size = int(chunks.sizes[chunks.cluster[at]])
    return {**chunks.locate(at), "subrecords": int(subrecords[at]), "size": size}


def _check_sensitive(sources: Sources, sensitive: tuple[str, ...]) -> Counterexample:
    labels = sources.chunks.subrecords.labels
    secret = np.array([label in set(sensitive) for label in labels], dtype=bool)
    wrong = np.flatnonzero(secret[sources.term] & ~sources.in_term_chunk) if len(sources) else np.empty(0, np.int64)
    if not len(wrong):
        return None
    return {**sources.chunks.locate(int(sources.chunk[wrong[0]])), "value": labels[sources.term[wrong[0]]]}


def _check_covers(sources: Sources) -> Counterexample:
    """Look for terms that all records of their cluster have, where the cluster publishes something else as well."""
    chunks = sources.chunks
    capacity = chunks.sizes[sources.cluster].copy()
    for entry in np.flatnonzero(sources.restricted).tolist():
        chunk = int(sources.chunk[entry])
        leaves = chunks.leaves_below(int(chunks.cluster[chunk]))
        capacity[entry] = chunks.sizes[leaves[~chunks.closed_leaves(chunk, int(sources.term[entry]))]].sum()
    covers = ~sources.in_term_chunk & (sources.support >= capacity)
    number = np.bincount(chunks.cluster, minlength=len(chunks.names))
    shared_above = np.zeros(len(chunks.names), dtype=bool)
    nodes = chunks.parent.copy()
    while (nodes >= 0).any():
        inside = nodes >= 0
        shared_above[inside] |= number[nodes[inside]] > 0
        nodes[inside] = chunks.parent[nodes[inside]]
    alone = chunks.is_leaf & (number == 1) & ~shared_above
    wrong = np.flatnonzero(covers & ~alone[sources.cluster])
    if not len(wrong):
        return None
    value = chunks.subrecords.labels[sources.term[wrong[0]]]
    return {**chunks.locate(int(sources.chunk[wrong[0]])), "value": value}
