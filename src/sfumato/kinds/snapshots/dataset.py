"""Snapshots as they are read: records with a time, attributes and a sensitive value; and how a stream is filed."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.schema import Column, Schema
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.snapshots import KIND

__all__ = ["STREAM_FILE", "STREAM_VERSION", "make_dataset"]

STREAM_FILE = "stream.json"
"""Sums up a published stream, beside the folders of its snapshots."""

STREAM_VERSION = 3
"""Version of the format that is written, and the newest that is read."""


def make_dataset(
    rows: Sequence[tuple[Any, ...]],
    attributes: tuple[str, ...],
    sensitive: str,
    *,
    plain: tuple[str, ...] = (),
    time_unit: TimeUnit | None = None,
) -> Dataset:
    """Make a dataset of snapshots from tuples: time, the attributes in order, the sensitive value.

    Attributes are quasi-identifiers but for those listed as plain. Rows are put in time order.

    Examples
    --------
    >>> data = Dataset.of("snapshots", [(2, "40", "cold"), (1, "30", "flu")], ("age",), "illness")
    >>> data.table.to_pydict()
    {'time': [1, 2], 'age': ['30', '40'], 'illness': ['flu', 'cold']}
    """
    ordered = sorted(rows, key=lambda row: row[0])
    names = (*attributes, sensitive)
    cells = {name: [str(row[i]) for row in ordered] for i, name in enumerate(names, start=1)}
    table = pa.table(
        {
            "time": pa.array([row[0] for row in ordered], pa.int64()),
            **{name: pa.array(column, pa.string()) for name, column in cells.items()},
        }
    )
    columns = [Column(name, "plain" if name in plain else "quasi-identifier") for name in attributes]
    schema = Schema("snapshots", (Column("time", "time"), *columns, Column(sensitive, "sensitive")))
    return Dataset(schema, table, time_unit=time_unit or TimeUnit(), unit=KIND.unit)
