"""Records of snapshots that wait to be published, in the order in which they are taken."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["Origin", "Queue", "Snapshot", "cut_snapshots", "order_by_content"]

Ints = npt.NDArray[np.int64]


class Snapshot(NamedTuple):
    """Records of one time.

    Attributes
    ----------
    time
        When, in units of the clock.
    table
        The columns of the schema but for the time.
    rows
        Their rows in the original.

    Examples
    --------
    >>> Snapshot(19725, pa.table({"ill": ["flu", "cold"]}), np.array([4, 7])).table.num_rows
    2
    """

    time: int
    table: pa.Table
    rows: Ints


def cut_snapshots(times: Ints, table: pa.Table, rows: Ints) -> Iterator[Snapshot]:
    """Cut records into snapshots, in the order of time; records of one time keep their order.

    Examples
    --------
    >>> cut = cut_snapshots(np.array([2, 1, 2]), pa.table({"ill": ["flu", "cold", "cough"]}), np.arange(3))
    >>> [(snapshot.time, snapshot.rows.tolist()) for snapshot in cut]
    [(1, [1]), (2, [0, 2])]
    """
    if len(times) and (np.diff(times) < 0).any():
        order = np.argsort(times, kind="stable")
        times, table, rows = times[order], table.take(pa.array(order)), rows[order]
    bounds = np.concatenate([[0], np.flatnonzero(np.diff(times)) + 1, [len(times)]]) if len(times) else np.array([0])
    for begin, end in itertools.pairwise(bounds.tolist()):
        yield Snapshot(int(times[begin]), table.slice(begin, end - begin), rows[begin:end])


def order_by_content(snapshot: Snapshot) -> Snapshot:
    """Put records into an order that does not depend on the one in which they came: it must not decide anything."""
    keys = [(name, "ascending") for name in snapshot.table.column_names]
    order = np.asarray(pc.sort_indices(snapshot.table, sort_keys=keys).to_numpy(), dtype=np.int64)
    return Snapshot(snapshot.time, snapshot.table.take(pa.array(order)), snapshot.rows[order])


@dataclasses.dataclass
class Origin:
    """Records of a snapshot, value by value, in the random order in which they are taken.

    Examples
    --------
    >>> ill = pa.table({"ill": ["cold", "flu", "flu"]})
    >>> origin = Origin(Snapshot(1, ill, np.arange(3)), np.array([0, 1, 1]), np.zeros(0, np.int64))
    >>> origin.take(np.array([0, 1])).tolist(), origin.take(np.array([1, 1])).tolist()
    ([1], [0, 2])
    """

    snapshot: Snapshot
    codes: Ints
    taken: Ints

    def take(self, counts: Ints) -> Ints:
        """Return the positions of the next so many records of each value."""
        values = np.flatnonzero(counts)
        self.taken = np.pad(self.taken, (0, max(0, len(counts) - len(self.taken))))
        begin = np.searchsorted(self.codes, values) + self.taken[values]
        self.taken[values] += counts[values]
        offsets = np.cumsum(counts[values]) - counts[values]
        return np.asarray(np.arange(int(counts.sum())) + np.repeat(begin - offsets, counts[values]))

    def add(self, snapshot: Snapshot, codes: Ints) -> None:
        """Put more records behind those that are there."""
        everything = np.append(self.codes, codes)
        order = np.argsort(everything, kind="stable")
        rows = np.append(self.snapshot.rows, snapshot.rows)[order]
        table = pa.concat_tables([self.snapshot.table, snapshot.table]).take(pa.array(order))
        self.snapshot, self.codes = Snapshot(snapshot.time, table, rows), everything[order]


class Queue(Origin):
    """Records of a snapshot in the order in which they are taken, whatever their value.

    Examples
    --------
    >>> ill = pa.table({"ill": ["flu", "cold", "flu"]})
    >>> queue = Queue(Snapshot(1, ill, np.arange(3)), np.array([1, 0, 1]), np.zeros(0, np.int64))
    >>> queue.take(np.array([1, 1])).tolist(), queue.take(np.array([0, 1])).tolist()
    ([0, 1], [2])
    """

    def take(self, counts: Ints) -> Ints:
        """Return the positions of the next records; how many there are of each value is known already."""
        begin = int(self.taken.sum())
        self.taken = np.array([begin + int(counts.sum())])
        return np.arange(begin, int(self.taken[0]))
