"""A disassociated release as arrays: the tree of clusters, their chunks, and what the chunks hold."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.checks.cache import cached
from sfumato.data.lists import ListColumn
from sfumato.exceptions import SchemaError
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.release.release import Release

__all__ = ["Chunks", "is_disassociated"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]


def is_disassociated(release: Release) -> bool:
    """Return whether a release publishes chunks of records instead of records."""
    return "clusters" in release.extra_tables


@dataclasses.dataclass(frozen=True, eq=False)
class Chunks:
    """The chunks of a disassociated release and the tree of clusters they belong to.

    A *cluster* without children is a leaf; it has record chunks and a term chunk. Other clusters are joint and have
    shared chunks. Rows of ``subrecords`` are in the order of the chunks.

    Parameters
    ----------
    names, parent, sizes
        Of every cluster: published name, position of its parent (-1 for none), number of records.
    cluster, number
        Of every chunk: position of its cluster, and its number there; 0 is the term chunk.
    bounds
        Rows of chunk ``c`` are ``bounds[c]`` up to ``bounds[c + 1]`` of ``subrecords``.
    subrecords
        The published subrecords, as sets of codes in ascending order; a term chunk is one row.

    Examples
    --------
    >>> clusters = [("p", None, 3)]
    >>> rows = [("p", 1, ["a", "b"]), ("p", 1, ["a"]), ("p", 0, ["z"])]
    >>> chunks = Chunks.from_rows(clusters, rows)
    >>> chunks.number.tolist(), chunks.terms(1).tolist(), chunks.locate(1)
    ([0, 1], [0, 1], {'cluster': 'p', 'chunk': 1})
    """

    names: tuple[str, ...]
    parent: Ints
    sizes: Ints
    cluster: Ints
    number: Ints
    bounds: Ints
    subrecords: ListColumn

    @staticmethod
    def of(release: Release) -> Chunks:
        """Read the published form. Raise :class:`SchemaError` where clusters do not form a tree."""
        return _read_chunks(release)

    @classmethod
    def _read(cls, release: Release) -> Chunks:
        extra_table = release.extra_tables["clusters"].table
        names = extra_table.column("cluster").to_pylist()
        position = {name: i for i, name in enumerate(names)}
        if len(position) < len(names):
            raise SchemaError("clusters.csv: two clusters have the same name.")
        parents = [-1 if name is None else position.get(name, -2) for name in extra_table.column("parent").to_pylist()]
        owners = release.table.column("cluster").dictionary_encode().combine_chunks()
        if isinstance(owners, pa.ChunkedArray):
            owners = owners.chunk(0)
        positions = [position.get(name, -2) for name in owners.dictionary.to_pylist()]
        cluster = np.array(positions, dtype=np.int64)[owners.indices.to_numpy(zero_copy_only=False)]
        if -2 in parents or (len(cluster) and cluster.min() < 0):
            raise SchemaError("A row of data.csv or clusters.csv names a cluster that clusters.csv does not list.")
        number = np.asarray(release.table.column("chunk").to_numpy(), dtype=np.int64)
        sizes = np.asarray(extra_table.column("size").to_numpy(), dtype=np.int64)
        return cls._sorted(tuple(names), np.array(parents, dtype=np.int64), sizes, cluster, number, release.history())

    @classmethod
    def from_rows(cls, clusters: list[tuple[str, str | None, int]], rows: list[tuple[str, int, list[str]]]) -> Chunks:
        """Make the chunks from plain lists: (cluster, parent, size) and (cluster, chunk number, items)."""
        names = tuple(name for name, _, _ in clusters)
        position = {name: i for i, name in enumerate(names)}
        parent = np.array([-1 if p is None else position[p] for _, p, _ in clusters], dtype=np.int64)
        sizes = np.array([size for _, _, size in clusters], dtype=np.int64)
        cluster = np.array([position[name] for name, _, _ in rows], dtype=np.int64)
        number = np.array([number for _, number, _ in rows], dtype=np.int64)
        return cls._sorted(
            names, parent, sizes, cluster, number, ListColumn.from_lists([items for _, _, items in rows])
        )

    @classmethod
    def _sorted(
        cls, names: tuple[str, ...], parent: Ints, sizes: Ints, cluster: Ints, number: Ints, items: ListColumn
    ) -> Chunks:
        order = np.lexsort((number, cluster))
        cluster, number = cluster[order], number[order]
        first = np.flatnonzero(np.diff(cluster, prepend=-1) | np.diff(number, prepend=-1))
        bounds = np.append(first, len(order)).astype(np.int64)
        rows = items.take(order).distinct()
        return cls(names, parent, sizes, cluster[first], number[first], bounds, rows)

    def __len__(self) -> int:
        return len(self.cluster)

    @cached_property
    def is_leaf(self) -> Flags:
        """Which clusters have no children."""
        leaf = np.ones(len(self.names), dtype=bool)
        leaf[self.parent[self.parent >= 0]] = False
        return leaf

    @cached_property
    def walk(self) -> tuple[Ints, Ints]:
        """Place of every cluster in a depth-first walk, and the place where the clusters below it end."""
        children: list[list[int]] = [[] for _ in self.names]
        for child, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                children[parent].append(child)
        place, end = np.zeros((2, len(self.names)), dtype=np.int64)
        stack = np.flatnonzero(self.parent < 0)[::-1].tolist()
        seen = 0
        while stack:
            cluster = stack.pop()
            if cluster < 0:
                end[~cluster] = seen
                continue
            place[cluster] = seen
            seen += 1
            stack.append(~cluster)
            stack.extend(reversed(children[cluster]))
        if seen < len(self.names):
            raise SchemaError("clusters.csv: a cluster is its own ancestor; clusters must form a tree.")
        return place, end

    @cached_property
    def leaves(self) -> Ints:
        """Leaves in the order of the walk, in which those below any cluster are neighbours; see :attr:`below`."""
        place, _ = self.walk
        leaves = np.flatnonzero(self.is_leaf)
        return leaves[np.argsort(place[leaves])]

    @cached_property
    def below(self) -> tuple[Ints, Ints]:
        """Of every cluster: number of the first of :attr:`leaves` below it, and the number after the last one."""
        place, end = self.walk
        leaf_places = place[self.leaves]
        return np.searchsorted(leaf_places, place), np.searchsorted(leaf_places, end)

    def leaves_below(self, cluster: int) -> Ints:
        """Return the leaves below a cluster, or the leaf itself."""
        first, end = self.below
        return self.leaves[first[cluster] : end[cluster]]

    @cached_property
    def leaf_of_record(self) -> Ints:
        """Leaf of every record: the first ones are of the leaf that is listed first, and so on."""
        listed = np.flatnonzero(self.is_leaf)
        return np.repeat(listed, self.sizes[listed])

    def encode(self, labels: Sequence[str]) -> Ints:
        """Return the term of every label, -1 where it is published nowhere."""
        code = {label: i for i, label in enumerate(self.subrecords.labels)}
        return np.array([code.get(label, -1) for label in labels], dtype=np.int64)

    def locate(self, chunk: int) -> dict[str, str | int]:
        """Return where a chunk is found in the files: the name of its cluster and its number there."""
        return {"cluster": self.names[self.cluster[chunk]], "chunk": int(self.number[chunk])}

    def rows(self, chunk: int) -> slice:
        """Return which rows of ``subrecords`` belong to a chunk."""
        return slice(int(self.bounds[chunk]), int(self.bounds[chunk + 1]))

    def subrecords_of(self, chunk: int) -> ListColumn:
        """Return the subrecords of a chunk."""
        first, last = self.bounds[chunk], self.bounds[chunk + 1]
        offsets = self.subrecords.offsets[first : last + 1]
        codes = self.subrecords.codes[offsets[0] : offsets[-1]]
        return ListColumn(offsets - offsets[0], codes, self.subrecords.labels)

    @cached_property
    def chunk_of_row(self) -> Ints:
        """Chunk of every row of ``subrecords``."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    @cached_property
    def _contents(self) -> tuple[Ints, Ints]:
        """Terms of all chunks, and where each chunk's terms begin."""
        width = max(len(self.subrecords.labels), 1)
        keys = self.chunk_of_row[self.subrecords.row_of_token] * width + self.subrecords.codes
        # Counts are asked for because np.unique is far slower without them (it hashes).
        keys, _ = np.unique(keys, return_counts=True)
        return keys % width, np.searchsorted(keys // width, np.arange(len(self) + 1))

    def terms(self, chunk: int) -> Ints:
        """Return the domain of a chunk: the codes that occur in it, in ascending order."""
        terms, bounds = self._contents
        return terms[bounds[chunk] : bounds[chunk + 1]]

    @cached_property
    def holders(self) -> ListColumn:
        """Clusters that have a term in a record or shared chunk, by term: row t holds positions of clusters."""
        terms, bounds = self._contents
        chunk = np.repeat(np.arange(len(self)), np.diff(bounds))
        is_ordinary = self.number[chunk] != TERM_CHUNK
        order = np.lexsort((self.cluster[chunk[is_ordinary]], terms[is_ordinary]))
        counts = np.bincount(terms[is_ordinary], minlength=len(self.subrecords.labels))
        offsets = np.concatenate([[0], np.cumsum(counts)]).astype(np.int64)
        return ListColumn(offsets, self.cluster[chunk[is_ordinary]][order].astype(np.int32), self.names)

    def closed_leaves(self, chunk: int, term: int) -> Flags:
        """Mark the leaves below a chunk's cluster whose records cannot get the term from this chunk.

        They have it in a record chunk, or in a shared chunk of a joint cluster further down.

        Examples
        --------
        >>> clusters = [("j", None, 6), ("p", "j", 3), ("q", "j", 3)]
        >>> chunks = Chunks.from_rows(clusters, [("j", 1, ["a", "o"]), ("p", 1, ["a"]), ("q", 0, ["z"])])
        >>> chunks.closed_leaves(0, term=0).tolist(), chunks.closed_leaves(0, term=1).tolist()
        ([True, False], [False, False])
        """
        closed: Flags = self.leaves_closed_to(chunk, np.array([term]))[0]
        return closed

    def leaves_closed_to(self, chunk: int, terms: Ints) -> Flags:
        """Mark what :meth:`closed_leaves` marks, for several terms of a chunk at once: a row for each."""
        owner = int(self.cluster[chunk])
        begin, end = self.below
        holders = self.holders.take(terms)
        where, number = holders.codes.astype(np.int64), holders.row_of_token
        # Clusters that share a leaf are above each other; one with a single child has the leaves of that child.
        below = (begin[where] >= begin[owner]) & (end[where] <= end[owner]) & (self.depth[where] > self.depth[owner])
        where, number = where[below], number[below]
        change = np.zeros((len(terms), end[owner] - begin[owner] + 1), dtype=np.int64)
        np.add.at(change, (number, begin[where] - begin[owner]), 1)
        np.subtract.at(change, (number, end[where] - begin[owner]), 1)
        return np.asarray(np.cumsum(change[:, :-1], axis=1) > 0)

    @cached_property
    def depth(self) -> Ints:
        """Number of clusters above each."""
        depth = np.zeros(len(self.names), dtype=np.int64)
        nodes = self.parent
        while (nodes >= 0).any():
            depth += nodes >= 0
            nodes = np.where(nodes >= 0, self.parent[nodes], -1)
        return depth


@cached
def _read_chunks(release: Release) -> Chunks:
    """Read the chunks of a release, which several checks ask for."""
    return Chunks._read(release)
