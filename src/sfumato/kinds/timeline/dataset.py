"""One long sequence of multisets of events as it is read: arrays, and no counting."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Mapping
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.data.schema import Schema
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import SchemaError
from sfumato.kinds.timeline import KIND

__all__ = ["Timeline", "make_dataset"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Timeline:
    """Events with their counts, time point by time point, in time order.

    Parameters
    ----------
    offsets, codes
        Time point t has the events ``codes[offsets[t]:offsets[t+1]]``.
    counts
        How often each occurs there, at least once.
    labels
        The alphabet: names of the events by code. Events that never occur belong to it where they were named.
    times
        The time points, ascending, in units of the clock; as microseconds for a release that publishes dates.

    Examples
    --------
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 2, "b": 1}, {"b": 3}]))
    >>> timeline.points.tolist(), timeline.codes.tolist(), timeline.counts.tolist(), timeline.labels
    ([0, 0, 1], [0, 1, 1], [2, 1, 3], ('a', 'b'))
    """

    offsets: Ints
    codes: Ints
    counts: Ints
    labels: tuple[str, ...]
    times: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, dataset: Dataset) -> Timeline:
        """View a dataset."""
        column = next(column.name for column in dataset.schema.columns if column.role == "count")
        return cls.view(dataset.table, dataset.schema.history, column, dataset.schema.time)

    @classmethod
    def view(cls, table: pa.Table, events: str, counts: str, times: str) -> Timeline:
        """View a table by the names of its columns."""
        history = ListColumn.from_arrow(table.column(events))
        numbers = table.column(counts).combine_chunks()
        if isinstance(numbers, pa.ChunkedArray):  # no rows at all
            numbers = numbers.chunk(0) if numbers.num_chunks else pa.array([], pa.list_(pa.int64()))
        when = table.column(times).cast(pa.int64()).to_numpy()
        flat = numbers.flatten().to_numpy(zero_copy_only=False)
        return cls(
            history.offsets,
            history.codes.astype(np.int64),
            np.asarray(flat, dtype=np.int64),
            history.labels,
            np.asarray(when, dtype=np.int64),
        )

    @cached_property
    def points(self) -> Ints:
        """Time point of every entry, numbered from 0."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    def code_of(self) -> dict[str, int]:
        """Return the codes of the labels."""
        return {label: code for code, label in enumerate(self.labels)}


def make_dataset(
    rows: list[Mapping[str, int]],
    *,
    times: list[int] | None = None,
    sensitive: tuple[str, ...] = (),
    events: tuple[str, ...] = (),
    time_unit: TimeUnit | None = None,
) -> Dataset:
    """Make a dataset of one long sequence of events from counts by event, one mapping per time point.

    Time points are numbered from 0 where no times are given. ``events`` names events of the alphabet that may
    not occur at all; so does a count of 0.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"bread": 2, "wine": 1}, {"bread": 1}], sensitive=("wine",))
    >>> data, data.table.column("counts").to_pylist()
    (Dataset(timeline: 2 time points, 3 entries, 2 distinct values), [[2, 1], [1]])
    """
    when = list(range(len(rows))) if times is None else times
    if len(when) != len(rows) or any(a >= b for a, b in itertools.pairwise(when)):
        raise SchemaError("There must be as many times as time points, ascending and different.")
    if any(count < 0 for row in rows for count in row.values()):
        raise SchemaError("Column 'counts' has a negative count.", column="counts")
    code = {label: i for i, label in enumerate(dict.fromkeys([*(e for row in rows for e in row), *events]))}
    entries = [sorted((code[event], count) for event, count in row.items() if count) for row in rows]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in entries])]).astype(np.int64)
    codes = np.array([event for row in entries for event, _ in row], dtype=np.int32)
    table = pa.table(
        {
            "time": pa.array(when, pa.int64()),
            "events": ListColumn(offsets, codes, tuple(code)).to_arrow(),
            "counts": pa.array([[count for _, count in row] for row in entries], pa.list_(pa.int64())),
        }
    )
    return Dataset(
        Schema("timeline", KIND.columns, sensitive), table, time_unit=time_unit or TimeUnit(), unit=KIND.unit
    )
