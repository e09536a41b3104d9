"""A disassociated release as plain lists, and every data set that could have been published as it."""

from __future__ import annotations

import dataclasses
import itertools
from collections import Counter
from collections.abc import Sequence

from sfumato.release.release import Release

Record = frozenset


@dataclasses.dataclass(frozen=True)
class Published:
    """A release as plain lists: (cluster, parent, size) and (cluster, chunk number, items)."""

    clusters: list[tuple[str, str | None, int]]
    rows: list[tuple[str, int, list]]

    @classmethod
    def of(cls, release: Release) -> Published:
        """Read a release."""
        clusters = [tuple(row.values()) for row in release.extra_tables["clusters"].table.to_pylist()]
        return cls(clusters, [tuple(row.values()) for row in release.table.to_pylist()])

    def forms(self) -> list:
        """Return the trees without names and in one order: size, chunks as bags of subrecords, children."""
        chunks = self.chunks()
        children: dict = {}
        for name, parent, size in self.clusters:
            children.setdefault(parent, []).append((name, size))

        def form(name: str, size: int) -> tuple:
            own = [(n, sorted(map(sorted, rows))) for (owner, n), rows in chunks.items() if owner == name]
            return (size, sorted(own), sorted(form(*child) for child in children.get(name, [])))

        return sorted(form(*root) for root in children.get(None, []))

    @property
    def parent(self) -> dict:
        return {name: parent for name, parent, _ in self.clusters}

    def leaves(self, below: str | None = None) -> list[str]:
        inner = set(self.parent.values())
        found = [name for name, _, _ in self.clusters if name not in inner]
        return [leaf for leaf in found if below is None or below in self.line(leaf)]

    def line(self, cluster: str | None) -> list[str]:
        """Return a cluster and what is above it, from the bottom."""
        return [] if cluster is None else [cluster, *self.line(self.parent[cluster])]

    def chunks(self) -> dict[tuple[str, int], list[Record]]:
        found: dict[tuple[str, int], list[Record]] = {}
        for cluster, chunk, items in self.rows:
            found.setdefault((cluster, chunk), []).append(frozenset(items))
        return found

    def open_leaves(self) -> list[tuple[Record, list[tuple[Record, tuple[int, ...]]]]]:
        """Return each record or shared chunk as its terms and its subrecords with the leaves that can have them.

        A subrecord fits a leaf unless one of its terms is published between the leaf and the chunk.
        """
        chunks = self.chunks()
        terms = {at: frozenset().union(*subrecords) for at, subrecords in chunks.items()}
        leaves, found = self.leaves(), []
        for (owner, number), subrecords in chunks.items():
            if number == 0:
                continue
            closed = {}
            for at, leaf in enumerate(leaves):
                line = self.line(leaf)
                if owner in line:
                    under = line[: line.index(owner)]
                    closed[at] = frozenset().union(*(terms[c, n] for c, n in chunks if n > 0 and c in under))
            fits = [(s, tuple(at for at, gone in closed.items() if not s & gone)) for s in subrecords]
            found.append((terms[owner, number], fits))
        return found


FILLED, USED = 1, 2
"""Bits of a record: has it anything, and has it a subrecord of the chunk under way; known items follow."""


def most_candidates(published: Published, known: Sequence) -> int:
    """Return how many records contain the known items, in the reconstruction where most do.

    Every way to give the subrecords of each chunk to different records is tried. Of a record only matters which of the
    known items it has, and whether it has anything; records of a leaf that are alike are not told apart.
    """
    bit = {item: 4 << i for i, item in enumerate(known)}
    chunks, leaves = published.chunks(), published.leaves()
    size = {name: size for name, _, size in published.clusters}
    worlds = {tuple((0,) * size[leaf] for leaf in leaves)}
    for _, fits in published.open_leaves():
        given = Counter((sum(bit.get(item, 0) for item in s), open_to) for s, open_to in fits)
        worlds = {world for before in worlds for world in _give(before, given)}
    best = 0
    for world in worlds:
        count = 0
        for leaf, records in zip(leaves, world, strict=True):
            loose = frozenset().union(*chunks.get((leaf, 0), []))
            if not loose and not all(record & FILLED for record in records):
                break
            wanted = sum(b for item, b in bit.items() if item not in loose)
            count += sum(record & wanted == wanted for record in records)
        else:
            best = max(best, count)
    return best


def _give(world: tuple, given: Counter) -> set[tuple]:
    """Return all worlds in which the subrecords of one chunk were given to different records."""
    states = {world}
    for (part, open_to), count in given.items():
        for _ in range(count):
            following = set()
            for state in states:
                for at in open_to:
                    for record in set(state[at]):
                        if record & USED:
                            continue
                        rest = list(state[at])
                        rest.remove(record)
                        rest.append(record | part | FILLED | USED)
                        following.add((*state[:at], tuple(sorted(rest)), *state[at + 1 :]))
            states = following
    return {tuple(tuple(sorted(record & ~USED for record in leaf)) for leaf in state) for state in states}


def broken_knowledge(published: Published, k: int, m: int) -> list[tuple]:
    """Return the sets of up to m items that fit a record of some reconstruction, and k records of none."""
    terms = sorted({item for _, _, items in published.rows for item in items})
    found = []
    for size in range(1, m + 1):
        for known in itertools.combinations(terms, size):
            if 0 < most_candidates(published, known) < k:
                found.append(known)
    return found
