"""From a disassociation to a release: clusters numbered in random order, nothing that links their chunks."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.dataset import CHUNK_COLUMNS, CLUSTER_COLUMNS, TERM_CHUNK
from sfumato.release.encode import number_names, publishing_secret
from sfumato.release.release import ExtraTable, OwnerRecord, Release, Result
from sfumato.release.run import Run

__all__ = ["Separated", "publish_disassociation"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Separated:
    """Clusters of records, and the chunk that publishes each occurrence of an item.

    Parameters
    ----------
    rows
        Original rows, leaf after leaf; a record's place here is its *seat*.
    bounds
        Leaf c is the seats ``bounds[c]`` to ``bounds[c + 1]``.
    parent
        Position of the parent of every cluster, -1 for none; leaves come first.
    seat, code
        Of every occurrence: its record, and its item as a position in ``labels``.
    node, chunk
        Of every occurrence: the cluster that publishes it and the number of the chunk there, 0 for the term chunk.
    labels
        Names of the items.
    suppressed_records
        Records left out, by reason.

    Examples
    --------
    >>> ones = np.ones(2, np.int64)
    >>> bounds, parent = np.array([0, 2]), np.array([-1])
    >>> two = Separated(np.array([7, 8]), bounds, parent, np.arange(2), 0 * ones, 0 * ones, ones, ("a",))
    >>> two.sizes.tolist()
    [2]
    """

    rows: Ints
    bounds: Ints
    parent: Ints
    seat: Ints
    code: Ints
    node: Ints
    chunk: Ints
    labels: tuple[str, ...]
    suppressed_records: Mapping[str, int] = dataclasses.field(default_factory=dict)

    @property
    def sizes(self) -> Ints:
        """Number of records below every cluster."""
        sizes = np.zeros(len(self.parent), dtype=np.int64)
        leaves = len(self.bounds) - 1
        sizes[:leaves] = np.diff(self.bounds)
        # Joint clusters are made after their children, so one way through reaches everything.
        for cluster, parent in enumerate(self.parent.tolist()):
            if parent >= 0:
                sizes[parent] += sizes[cluster]
        return sizes

    def subrecords(self) -> tuple[Ints, Ints, ListColumn]:
        """Return cluster, chunk number and items of every published row, the items in the order of their names."""
        used = np.flatnonzero(np.bincount(self.code, minlength=len(self.labels)))
        names = sorted(self.labels[code] for code in used.tolist())
        position = {name: i for i, name in enumerate(names)}
        code = np.array([position.get(label, -1) for label in self.labels], dtype=np.int64)[self.code]
        # A term chunk is one row: who had its items is what it hides.
        seat = np.where(self.chunk == TERM_CHUNK, 0, self.seat)
        chunks, seats = int(self.chunk.max(initial=0)) + 1, max(len(self.rows), 1)
        place = (self.node * chunks + self.chunk) * seats + seat
        order = np.argsort(place, kind="stable")
        is_first = np.diff(place[order], prepend=-1) > 0
        width = max(len(names), 1)
        # Sorting and comparing neighbours is far quicker here than numpy's unique, which hashes.
        occurrences = np.sort((np.cumsum(is_first) - 1) * width + code[order])
        occurrences = occurrences[np.diff(occurrences, prepend=-1) > 0]
        row, code = np.divmod(occurrences, width)
        offsets = np.append(np.flatnonzero(np.diff(row, prepend=-1)), len(row)).astype(np.int64)
        node, chunk = np.divmod(place[order[is_first]] // seats, chunks)
        return node, chunk, ListColumn(offsets, code.astype(np.int32), tuple(names))


def publish_disassociation(
    dataset: Dataset, method: Method, guarantee: Guarantee, separated: Separated, run: Run
) -> Result:
    """Make the release and its trace: clusters numbered in a random order, all subrecords in one random order.

    Nothing in the release depends on the order of the input or links the chunks of a cluster: the rows of all chunks
    are shuffled together, so every chunk is in a random order of its own.
    """
    node, chunk, items = separated.subrecords()
    secret = publishing_secret(dataset, method, run)
    order = secret.order(len(items), "records")
    listed = secret.order(len(separated.parent), "clusters")
    # The cluster that is listed first is number 1.
    names = number_names(len(listed)).take(pa.array(np.argsort(listed)))
    history = items.take(order).to_arrow()
    cluster, number, items_name = (column.name for column in CHUNK_COLUMNS)
    table = pa.table(
        {cluster: names.take(pa.array(node[order])), number: pa.array(chunk[order], pa.int64()), items_name: history}
    )
    release = Release(
        kind=dataset.kind,
        method=method.name,
        method_note=method.note(guarantee),
        guarantee=guarantee,
        columns=CHUNK_COLUMNS,
        table=table,
        values=pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}),
        records_in=len(dataset),
        suppressed_records={reason: count for reason, count in separated.suppressed_records.items() if count},
        extra_tables={"clusters": ExtraTable(CLUSTER_COLUMNS, _list_clusters(separated, names, listed))},
        published=len(separated.rows),
        unit=dataset.unit,
    )
    rows = _rows_by_leaf(separated, listed)
    owner_record = OwnerRecord(rows, run.secret, run.seconds, run.counters, method.parameters(), None, dataset)
    return Result(release, owner_record)


def _list_clusters(separated: Separated, names: pa.Array, listed: Ints) -> pa.Table:
    parent = separated.parent[listed]
    cluster, above, size = (column.name for column in CLUSTER_COLUMNS)
    return pa.table(
        {
            cluster: names.take(pa.array(listed)),
            above: names.take(pa.array(parent, mask=parent < 0)),
            size: pa.array(separated.sizes[listed], pa.int64()),
        }
    )


def _rows_by_leaf(separated: Separated, listed: Ints) -> Ints:
    """Return the original rows leaf by leaf, the leaves as they are listed."""
    leaves = listed[listed < len(separated.bounds) - 1]
    parts = [np.sort(separated.rows[separated.bounds[leaf] : separated.bounds[leaf + 1]]) for leaf in leaves.tolist()]
    return np.concatenate(parts) if parts else np.zeros(0, dtype=np.int64)
