"""Records as they arrive, gathered into snapshots: one is complete when a later record is there."""

from __future__ import annotations

import zlib
from collections.abc import Iterator
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.kinds.snapshots.methods._base.origins import Snapshot, cut_snapshots

__all__ = ["Closed", "SnapshotFeed", "sum_times"]

Ints = npt.NDArray[np.int64]


class Closed(NamedTuple):
    """Snapshots that are complete.

    Attributes
    ----------
    snapshots
        In the order of time. All but the last hold records that came late, for snapshots that were over.
    rows
        How many records of the input are in these and all earlier snapshots.
    checksum
        Of the times of these records, to know the input again.

    Examples
    --------
    >>> feed = SnapshotFeed()
    >>> list(feed.add(np.array([4, 4]), pa.table({"ill": ["flu", "cold"]})))
    []
    >>> [(closed.rows, closed.checksum == sum_times(np.array([4, 4]))) for closed in feed.finish()]
    [(2, True)]
    """

    snapshots: list[Snapshot]
    rows: int
    checksum: int


class SnapshotFeed:
    """Takes records in the order in which they come and gives complete snapshots, however they were batched.

    Parameters
    ----------
    rows, checksum
        Of the records that were taken before, where a stream is resumed.

    Examples
    --------
    >>> feed = SnapshotFeed()
    >>> list(feed.add(np.array([1, 1]), pa.table({"ill": ["flu", "cold"]})))
    []
    >>> closed, = feed.add(np.array([1, 3, 2]), pa.table({"ill": ["flu", "cold", "cough"]}))
    >>> [(snapshot.time, snapshot.rows.tolist()) for snapshot in closed.snapshots], closed.rows
    ([(1, [0, 1, 2])], 3)
    >>> [[(s.time, s.rows.tolist()) for s in last.snapshots] for last in feed.finish()]
    [[(2, [4]), (3, [3])]]
    """

    def __init__(self, rows: int = 0, checksum: int = 0) -> None:
        self.rows, self.checksum = rows, checksum
        self._open: int | None = None
        self._times: list[Ints] = []
        self._tables: list[pa.Table] = []

    def add(self, times: Ints, table: pa.Table) -> Iterator[Closed]:
        """Take the next records; yield every snapshot that they complete."""
        if not len(times):
            return
        before = int(times[0]) if self._open is None else self._open
        latest = np.maximum(np.maximum.accumulate(times), before)
        begin = 0
        for end in [*np.flatnonzero(np.diff(latest, prepend=before)).tolist(), len(times)]:
            if end > begin:
                self._times.append(times[begin:end])
                self._tables.append(table.slice(begin, end - begin))
            if end < len(times):
                yield from self.finish()
            begin = end
        self._open = int(latest[-1])

    def finish(self) -> Iterator[Closed]:
        """Yield what has come since the last complete snapshot."""
        if not self._times:
            return
        times, table = np.concatenate(self._times), pa.concat_tables(self._tables)
        first = self.rows
        self.rows += len(times)
        self.checksum = sum_times(times, self.checksum)
        self._times, self._tables = [], []
        yield Closed(list(cut_snapshots(times, table, np.arange(first, self.rows))), self.rows, self.checksum)


def sum_times(times: Ints, checksum: int = 0) -> int:
    """Return a checksum of times that follow others; it does not depend on how they are batched.

    Examples
    --------
    >>> sum_times(np.array([1, 2])) == sum_times(np.array([2]), sum_times(np.array([1])))
    True
    """
    return zlib.crc32(np.ascontiguousarray(times, dtype="<i8").tobytes(), checksum)
