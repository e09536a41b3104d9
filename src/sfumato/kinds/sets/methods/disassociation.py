"""Disassociation: all items stay, what is hidden is which of them belong together."""

from __future__ import annotations

import dataclasses
from typing import TYPE_CHECKING, Annotated, ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.sets import KIND
from sfumato.kinds.sets.dataset import TERM_CHUNK
from sfumato.kinds.sets.encode import Separated, publish_disassociation
from sfumato.kinds.sets.guarantees import KmItems
from sfumato.messages import Message, option, parameter
from sfumato.params import Param
from sfumato.release.release import Result
from sfumato.release.run import Run

if TYPE_CHECKING:
    from sfumato.kinds.sets._kernels.cluster_terms import ClusterTerms
    from sfumato.kinds.sets._kernels.horizontal_partition import Partition
    from sfumato.kinds.sets._kernels.joint_clusters import Forest

__all__ = ["Disassociation"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_, NO_ITEM = KIND.suppression_reasons


@dataclasses.dataclass(frozen=True)
class Disassociation(Method):
    """Cluster similar records, then publish each cluster in chunks that hide which rare items belong together.

    Items that are rare in all clusters they could be shared by are published without their records, in term chunks.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.release.run import Run
    >>> rows = [["bread", "wine"], ["bread", "wine"], ["bread", "insulin"], ["wine"], ["bread"]]
    >>> release = Disassociation(k=2, m=2).anonymize(Dataset.of("sets", rows), Run(bytes(32))).release
    >>> sorted((row["chunk"], row["items"]) for row in release.table.to_pylist())
    [(0, ['insulin']), (1, ['bread']), (1, ['bread']), (1, ['bread', 'wine']), (1, ['bread', 'wine']), (1, ['wine'])]

    References
    ----------
    Terrovitis, Liagouris, Mamoulis, Skiadopoulos, Privacy Preservation by Disassociation, Sections 3 to 5.
    """

    name: ClassVar[str] = "disassociation"
    summary: ClassVar[str] = (
        "Keeps every item; splits records into clusters and chunks so that rare combinations are hidden."
    )
    paper: ClassVar[str] = "Terrovitis et al., Privacy Preservation by Disassociation (2012)"
    guarantees: ClassVar[tuple[type[Guarantee], ...]] = (KmItems,)
    optimises: ClassVar[str] = "occurrences in record and shared chunks"

    k: Annotated[int, Param("Smallest number of records that match what an attacker knows.", ge=2)]
    m: Annotated[int, Param("Largest number of items an attacker knows.", ge=1)]
    l: Annotated[int, Param("Smallest number of records in the cluster of a sensitive item.", ge=1)] = 1
    max_cluster: Annotated[
        int | None, Param("Largest number of records in a cluster, above k and l; 20 k (or 2 l) by default.", ge=3)
    ] = None
    refine: Annotated[bool, Param("Allow clusters to share chunks of items that are rare in each of them.")] = True
    bands: Annotated[bool, Param("Form clusters among records of similar length: 1, 2-3, 4-7, 8-15 items, ...")] = True
    safe: Annotated[bool, Param("Let no item belong to all records of a cluster that has other chunks.")] = False

    def __post_init__(self) -> None:
        super().__post_init__()
        if self.max_cluster is not None and self.max_cluster <= self.smallest:
            raise ParameterError(
                Message(
                    self.message_name,
                    ": ",
                    parameter("max_cluster"),
                    f" must be above k={self.k} and l={self.l}, got {self.max_cluster}.",
                )
            )

    @property
    def smallest(self) -> int:
        """Smallest number of records in a cluster."""
        return max(self.k, self.l)

    @property
    def largest(self) -> int:
        """Largest number of records in a cluster."""
        return self.max_cluster or max(20 * self.k, 2 * self.l)

    @classmethod
    def list_notes(cls, guarantee: Guarantee) -> tuple[str, ...]:
        """Say why items stand apart."""
        which = "Items that are not sensitive" if getattr(guarantee, "sensitive", ()) else "Items"
        return (f"{which} are separated because few records have them together. This can be inferred.",)

    def anonymize(self, dataset: Dataset, run: Run) -> Result:
        """Return a release that keeps the claim."""
        self.accept(dataset, self.k)
        records, rows, apart = self._read(dataset, run)
        ordinary = records.keep(~apart[records.codes])
        bands = find_bands(ordinary.lengths, self.largest) if self.bands else [np.arange(len(records))]
        run.counters["bands"] = len(bands)
        with run.phase("separate"):
            parts = run.engine.map(lambda band: self._separate(records.take(band), rows[band], apart), bands)
        for name in parts[0].counters:
            run.counters[name] = sum(part.counters[name] for part in parts)
        with run.phase("publish"):
            separated = _merge_parts([part.separated for part in parts])
            separated = dataclasses.replace(separated, suppressed_records={NO_ITEM: len(dataset) - len(rows)})
            _count(run, separated, self.largest)
            sensitive = tuple(sorted(dataset.schema.sensitive))
            guarantee = KmItems(self.k, self.m, self.l if sensitive else 1, sensitive, self.safe)
            return publish_disassociation(dataset, self, guarantee, separated, run)

    def _read(self, dataset: Dataset, run: Run) -> tuple[ListColumn, Ints, Flags]:
        """Return the records that hold items, their rows, and which items stay in term chunks.

        Items are numbered by falling support, then by name, and records stand in the lexicographic order of their
        numbers, so that nothing depends on the order of the input.
        """
        from sfumato.kinds.sets._kernels.lexicographic import order_lists

        owner = self.message_name
        sensitive = set(dataset.schema.sensitive)
        if self.l > 1 and not sensitive:
            raise ParameterError(
                Message(owner, ": ", parameter("l", self.l), " needs sensitive items."),
                hint=Message("Name them: ", option("sensitive", ["ITEM"]), "."),
            )
        items = dataset.history()
        rows = np.flatnonzero(items.lengths)
        if len(rows) < self.smallest:
            raise InfeasibleError(
                Message(
                    owner, f": only {len(rows)} of {len(items)} records have an item; a cluster needs {self.smallest}."
                ),
                option="k",
                hint=Message("Use a smaller ", parameter("k"), " or ", parameter("l"), "."),
            )
        if sensitive:
            # Records that agree in all other items must not meet by their sensitive ones, nor by the owner's order.
            rows = rows[run.secret.for_data(dataset.table).order(len(rows), "sensitive")]
        numbered = _number_items(items.take(rows))
        apart = np.array([label in sensitive for label in numbered.labels], dtype=bool)
        ordinary = numbered.keep(~apart[numbered.codes])
        order = order_lists(ordinary.offsets, ordinary.codes)
        return numbered.take(order), rows[order], apart

    def _separate(self, records: ListColumn, rows: Ints, apart: Flags) -> _Part:
        """Put records into clusters, their items into chunks, and share what clusters have in common."""
        counters: dict[str, int] = {}
        partition = self._cluster(records, apart)
        index, chunk = self._partition_terms(records, partition, apart, counters)
        if self.safe:
            partition, index, chunk = self._remove_covers(records, partition, index, chunk, apart, counters)
        forest = self._share(index, chunk, apart)
        return _Part(_assign_occurrences(records, rows[partition.order], index, forest), counters)

    def _cluster(self, records: ListColumn, apart: Flags) -> Partition:
        from sfumato.kinds.sets._kernels.horizontal_partition import partition_records

        ordinary = records.keep(~apart[records.codes])
        partition: Partition = partition_records(
            ordinary.offsets, ordinary.codes, len(records.labels), self.smallest, self.largest
        )
        return partition

    def _partition_terms(
        self, records: ListColumn, partition: Partition, apart: Flags, counters: dict[str, int]
    ) -> tuple[ClusterTerms, Ints]:
        """Return the terms of the clusters and their chunks."""
        from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
        from sfumato.kinds.sets._kernels.vertical_partition import partition_terms

        index = index_clusters(records.offsets, records.codes, partition, len(records.labels))
        terms = partition_terms(index, apart, self.k, self.m)
        counters["items_moved_by_lemma_2"] = int(terms.moved)
        return index, terms.chunk

    def _remove_covers(
        self,
        records: ListColumn,
        partition: Partition,
        index: ClusterTerms,
        chunk: Ints,
        apart: Flags,
        counters: dict[str, int],
    ) -> tuple[Partition, ClusterTerms, Ints]:
        """Exchange records between clusters and move items to term chunks until no item covers a cluster."""
        from sfumato.kinds.sets._kernels.covers import exchange_records, find_covers, move_covers

        covers = find_covers(index, chunk)
        exchange = exchange_records(records.offsets, records.codes, partition, index, covers)
        index, chunk = self._partition_terms(records, exchange.partition, apart, counters)
        counters["records_exchanged"] = int(exchange.exchanged)
        counters["items_moved_from_covers"] = int(move_covers(index, chunk))
        return exchange.partition, index, chunk

    def _share(self, index: ClusterTerms, chunk: Ints, apart: Flags) -> Forest:
        from sfumato.kinds.sets._kernels.joint_clusters import Rules, plant_forest
        from sfumato.kinds.sets._kernels.refinement import join_clusters

        rules = Rules(self.k, self.m, self.safe)
        forest: Forest = join_clusters(index, chunk, apart, rules) if self.refine else plant_forest(index, chunk, rules)
        return forest


def find_bands(lengths: Ints, smallest: int) -> list[Ints]:
    """Put records into bands of lengths that double from one to the next, short ones first; each of a least size.

    A band with fewer records goes with the next longer one; if the last is too small, with the one before.

    Examples
    --------
    >>> [band.tolist() for band in find_bands(np.array([1, 9, 1, 2, 3, 12, 5]), 2)]
    [[0, 2], [3, 4], [1, 5, 6]]
    """
    number = np.frexp(np.maximum(lengths, 1).astype(np.float64))[1]
    bands: list[Ints] = []
    waiting = np.empty(0, np.int64)
    for at in np.unique(number):
        waiting = np.sort(np.concatenate([waiting, np.flatnonzero(number == at)]))
        if len(waiting) >= smallest:
            bands.append(waiting)
            waiting = np.empty(0, np.int64)
    if len(waiting):
        bands[-1:] = [np.sort(np.concatenate([*bands[-1:], waiting]))]
    return bands


def _number_items(items: ListColumn) -> ListColumn:
    """Number the items by falling support, then by name, and put those of every record in that order."""
    supports = np.bincount(items.codes, minlength=len(items.labels))
    order = sorted(np.flatnonzero(supports).tolist(), key=lambda code: (-supports[code], items.labels[code]))
    number = np.full(len(items.labels), -1, dtype=np.int64)
    number[order] = np.arange(len(order))
    occurrences = np.sort(items.row_of_token * len(order) + number[items.codes])
    codes = (occurrences % max(len(order), 1)).astype(np.int32)
    return ListColumn(items.offsets, codes, tuple(items.labels[code] for code in order))


def _assign_occurrences(records: ListColumn, rows: Ints, index: ClusterTerms, forest: Forest) -> Separated:
    """Say of every occurrence which chunk publishes it."""
    entry = np.repeat(np.arange(len(index.term)), np.diff(index.start))
    parent = forest.parent[: int(forest.made[0])]
    code = index.term[entry].astype(np.int64)
    return Separated(
        rows, index.bounds, parent, index.seat, code, forest.node[entry], forest.chunk[entry], records.labels
    )


class _Part(NamedTuple):
    """What became of some records, and what was counted."""

    separated: Separated
    counters: dict[str, int]


def _merge_parts(parts: list[Separated]) -> Separated:
    """Make one of clusters of different records: all leaves first, then all joint clusters."""
    leaves = np.array([len(part.bounds) - 1 for part in parts])
    seats = np.array([len(part.rows) for part in parts])
    joints = np.array([len(part.parent) for part in parts]) - leaves
    before, above = np.cumsum(leaves) - leaves, leaves.sum() + np.cumsum(joints) - joints
    first = np.cumsum(seats) - seats

    def renumber(at: int, cluster: Ints) -> Ints:
        moved = np.where(cluster < leaves[at], cluster + before[at], cluster - leaves[at] + above[at])
        return np.where(cluster < 0, -1, moved)

    parents = [renumber(at, part.parent) for at, part in enumerate(parts)]
    return Separated(
        np.concatenate([part.rows for part in parts]),
        np.concatenate([[0], *(part.bounds[1:] + first[at] for at, part in enumerate(parts))]).astype(np.int64),
        np.concatenate(
            [
                *(parent[:count] for parent, count in zip(parents, leaves, strict=True)),
                *(parent[count:] for parent, count in zip(parents, leaves, strict=True)),
            ]
        ),
        np.concatenate([part.seat + first[at] for at, part in enumerate(parts)]),
        np.concatenate([part.code for part in parts]),
        np.concatenate([renumber(at, part.node) for at, part in enumerate(parts)]),
        np.concatenate([part.chunk for part in parts]),
        parts[0].labels,
    )


def _count(run: Run, separated: Separated, largest: int) -> None:
    """Count what was made."""
    leaves = len(separated.bounds) - 1
    depth = np.zeros(len(separated.parent), dtype=np.int64)
    for cluster in range(len(depth) - 1, -1, -1):
        parent = separated.parent[cluster]
        depth[cluster] = depth[parent] + 1 if parent >= 0 else 0
    chunks, items = int(separated.chunk.max()) + 1, len(separated.labels)
    apart = separated.chunk == TERM_CHUNK
    owners = _distinct(separated.node[~apart] * chunks + separated.chunk[~apart]) // chunks
    held = _distinct(separated.node[apart] * items + separated.code[apart])
    run.counters.update(
        clusters=leaves,
        clusters_above_max=int((np.diff(separated.bounds) > largest).sum()),
        joint_clusters=len(depth) - leaves,
        deepest=int(depth.max()),
        record_chunks=int((owners < leaves).sum()),
        shared_chunks=int((owners >= leaves).sum()),
        items_in_term_chunks=len(held),
        occurrences_in_term_chunks=int(apart.sum()),
    )


def _distinct(keys: Ints) -> Ints:
    keys = np.sort(keys)
    return keys[np.diff(keys, prepend=-1) > 0]
