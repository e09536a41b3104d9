"""What leaves a stream of snapshots, as a release."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import RECORD
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError
from sfumato.release.release import ExtraTable, PublishedColumn, Release
from sfumato.release.text import ValueFormat

__all__ = ["LeavingSnapshot", "Shape", "add_time", "make_release"]

Ints = npt.NDArray[np.int64]

_TIME = "snapshot"


class LeavingSnapshot(NamedTuple):
    """What is published of a snapshot, and what the owner keeps.

    Attributes
    ----------
    time
        The snapshot.
    table, parts
        Published records in random order, and further tables.
    rows, origins
        Of every published record: its original row, and its own snapshot.
    suppressed
        Records that are given up with this snapshot and never published.

    Examples
    --------
    >>> table = pa.table({"snapshot": [3, 3], "ill": ["flu", "cold"]})
    >>> leaving = LeavingSnapshot(3, table, {}, np.array([5, 2]), np.array([3, 1]), 0)
    >>> (leaving.time - leaving.origins).tolist()
    [0, 2]
    """

    time: int
    table: pa.Table
    extra_tables: Mapping[str, pa.Table]
    rows: Ints
    origins: Ints
    suppressed: int


class Shape(NamedTuple):
    """What published snapshots look like.

    Attributes
    ----------
    time_unit
        What a time number means.
    columns, parts
        Columns of a record and of the further tables, without the snapshot.

    Examples
    --------
    >>> shape = Shape(TimeUnit(), (PublishedColumn("ill", "sensitive", ValueFormat("exact")),), {})
    >>> [column.name for column in shape.record_columns()], shape.make_empty().num_rows
    (['snapshot', 'ill'], 0)
    """

    time_unit: TimeUnit
    columns: tuple[PublishedColumn, ...]
    extra_tables: Mapping[str, tuple[PublishedColumn, ...]]

    def record_columns(self) -> tuple[PublishedColumn, ...]:
        """Return the columns of a published record."""
        return (self._time_column(), *self.columns)

    def extra_columns(self, name: str) -> tuple[PublishedColumn, ...]:
        """Return the columns of a further table."""
        return (self._time_column(), *self.extra_tables[name])

    def make_empty(self) -> pa.Table:
        """Return a table of no records."""
        return pa.table({column.name: pa.array([], column.form.arrow) for column in self.record_columns()})

    def _time_column(self) -> PublishedColumn:
        return PublishedColumn(_TIME, "time", ValueFormat("exact", self.time_unit.published_type))


def add_time(table: pa.Table, time_unit: TimeUnit, time: int) -> pa.Table:
    """Put the time of a snapshot before its columns.

    Examples
    --------
    >>> add_time(pa.table({"ill": ["flu", "cold"]}), TimeUnit(), 3).to_pydict()
    {'snapshot': [3, 3], 'ill': ['flu', 'cold']}
    """
    return table.add_column(0, _TIME, time_unit.to_arrow(np.full(table.num_rows, time, dtype=np.int64)))


def make_release(
    shape: Shape,
    method: str,
    note: str,
    guarantee: Guarantee,
    leaving: Sequence[LeavingSnapshot],
    suppressed_records: Mapping[str, int],
) -> Release:
    """Make one release of snapshots that left a stream."""
    if not leaving:
        raise ParameterError("A release needs at least one snapshot.")
    extra_tables = {}
    for name in shape.extra_tables:
        tables = [snapshot.extra_tables[name] for snapshot in leaving if name in snapshot.extra_tables]
        extra_tables[name] = ExtraTable(shape.extra_columns(name), pa.concat_tables(tables).combine_chunks())
    table = pa.concat_tables([snapshot.table for snapshot in leaving]).combine_chunks()
    return Release(
        kind="snapshots",
        method=method,
        method_note=note,
        guarantee=guarantee,
        columns=shape.record_columns(),
        table=table,
        values=pa.table({name: pa.array([], pa.string()) for name in ("column", "value", "member")}),
        records_in=table.num_rows + sum(suppressed_records.values()),
        suppressed_records={reason: count for reason, count in suppressed_records.items() if count},
        extra_tables=extra_tables,
        unit=RECORD,
    )
