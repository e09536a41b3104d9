"""Trying every data set a small cluster could come from: slow, and without any argument about why it is safe."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from itertools import combinations
from math import comb
from typing import Any

import numpy as np

from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.decode import Chunks

__all__ = ["largest_supports", "try_reconstructions"]

Terms = frozenset[int]
Slot = tuple[int, Terms, bool]
"""A record in the making: its leaf, its terms so far, and whether the current chunk has given it a subrecord."""
World = tuple[tuple[Slot, int], ...]
"""How many records of each sort there are."""

LARGEST = 8
TREES = 200
WORLDS = 2_000
SETS = 20_000


def try_reconstructions(chunks: Chunks, k: int, m: int) -> tuple[int, dict[str, Any] | None]:
    """Try every reconstruction of small clusters with all clusters they are joined to.

    Returns how many trees of clusters were tried, and a set of terms that some record could have but fewer than k
    records can have together, if there is one. Trees of more than 8 records, with more than 2000 different data sets
    at any step, or with a record that could have more than 20,000 sets of up to m terms, are left out; of many small
    ones the first 200 are tried.
    """
    tried = 0
    for root in np.flatnonzero(chunks.parent < 0).tolist():
        if chunks.sizes[root] > LARGEST:
            continue
        if tried == TREES:
            break
        supports = largest_supports(chunks, root, m)
        if supports is None:
            continue
        tried += 1
        for terms, most in supports.items():
            if most < k:
                values = [chunks.subrecords.labels[term] for term in sorted(terms)]
                return tried, {"cluster": chunks.names[root], "values": values, "records": most}
    return tried, None


def largest_supports(chunks: Chunks, root: int, m: int, limit: int = WORLDS) -> dict[Terms, int] | None:
    """Return, for up to m terms that a record below a root can have, the most records that can have them at once.

    None if more than ``limit`` different data sets would have to be kept at any step, or too many sets be counted.

    Examples
    --------
    >>> chunks = Chunks.from_rows([("p", None, 3)], [("p", 1, ["a"]), ("p", 2, ["b"]), ("p", 2, ["b"])])
    >>> largest_supports(chunks, 0, 2)
    {frozenset({0}): 1, frozenset({1}): 2}
    """
    leaves = chunks.leaves_below(root).tolist()
    worlds: set[World] | None = {tuple(((leaf, frozenset(), False), int(chunks.sizes[leaf])) for leaf in leaves)}
    apart: dict[int, Terms] = dict.fromkeys(leaves, frozenset())
    for chunk, cluster in _chunks_below(chunks, root, leaves):
        if chunks.number[chunk] == TERM_CHUNK:
            apart[cluster] = frozenset(chunks.terms(chunk).tolist())
            continue
        worlds = _place_subrecords(worlds or set(), _list_subrecords(chunks, chunk), limit)
        if worlds is None:
            return None
    most: Counter[Terms] = Counter()
    for world in worlds or set():
        # Terms of the term chunk may be in any record, so each record may have all of them; then none is empty.
        records = [(terms | apart[leaf], times) for (leaf, terms, _), times in world]
        longest = max(len(terms) for terms, _ in records)
        if sum(comb(longest, size) for size in range(1, m + 1)) > SETS:
            return None
        if all(terms for terms, _ in records):
            for terms, times in _supports(records, m).items():
                most[terms] = max(most[terms], times)
    return dict(most)


def _chunks_below(chunks: Chunks, root: int, leaves: list[int]) -> Iterator[tuple[int, int]]:
    """Yield the chunks of a root and of everything below it, with their clusters."""
    clusters = {root}
    for cluster in leaves:
        while cluster not in clusters:
            clusters.add(cluster)
            cluster = int(chunks.parent[cluster])
    for cluster in sorted(clusters):
        begin, end = np.searchsorted(chunks.cluster, [cluster, cluster + 1]).tolist()
        yield from ((chunk, cluster) for chunk in range(begin, end))


def _list_subrecords(chunks: Chunks, chunk: int) -> list[tuple[Terms, int, set[int]]]:
    """Return the different subrecords of a chunk, how often each occurs, and the leaves it may go to."""
    leaves = chunks.leaves_below(int(chunks.cluster[chunk]))
    rows = chunks.subrecords_of(chunk)
    times = Counter(
        frozenset(rows.codes[a:b].tolist()) for a, b in zip(rows.offsets[:-1], rows.offsets[1:], strict=True)
    )
    placed = []
    for terms, count in times.items():
        closed = np.zeros(len(leaves), dtype=bool)
        for term in terms:
            closed |= chunks.closed_leaves(chunk, term)
        placed.append((terms, count, set(leaves[~closed].tolist())))
    return placed


def _place_subrecords(
    worlds: set[World], subrecords: list[tuple[Terms, int, set[int]]], limit: int
) -> set[World] | None:
    """Give the subrecords of one chunk to different records, in every way."""
    for terms, times, leaves in subrecords:
        placed: set[World] = set()
        for world in worlds:
            for wider in _ways(list(world), terms, times, leaves):
                placed.add(wider)
                if len(placed) > limit:
                    return None
        worlds = placed
    return {_merged([((leaf, terms, False), times) for (leaf, terms, _), times in world]) for world in worlds}


def _ways(world: list[tuple[Slot, int]], terms: Terms, times: int, leaves: set[int]) -> Iterator[World]:
    """Yield the worlds after a subrecord was given ``times`` times to records that do not have one of its chunk."""
    free = [i for i, ((leaf, _, used), _) in enumerate(world) if leaf in leaves and not used]

    def choose(which: int, left: int, chosen: list[tuple[int, int]]) -> Iterator[World]:
        if which == len(free):
            if not left:
                changed = list(world)
                for at, n in chosen:
                    (leaf, had, _), count = changed[at]
                    changed[at] = ((leaf, had, False), count - n)
                    changed.append(((leaf, had | terms, True), n))
                yield _merged(changed)
            return
        for n in range(min(left, world[free[which]][1]) + 1):
            yield from choose(which + 1, left - n, [*chosen, (free[which], n)])

    yield from choose(0, times, [])


def _merged(slots: list[tuple[Slot, int]]) -> World:
    counts: Counter[Slot] = Counter()
    for slot, times in slots:
        counts[slot] += times
    remaining = [(slot, times) for slot, times in counts.items() if times]
    return tuple(sorted(remaining, key=lambda entry: (entry[0][0], sorted(entry[0][1]), entry[0][2])))


def _supports(records: list[tuple[Terms, int]], m: int) -> Counter[Terms]:
    supports: Counter[Terms] = Counter()
    for terms, times in records:
        for size in range(1, min(m, len(terms)) + 1):
            for chosen in combinations(sorted(terms), size):
                supports[frozenset(chosen)] += times
    return supports
