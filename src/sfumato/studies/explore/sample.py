"""Some of the data, to be tried on where all of them would take long."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.record_unit import TIME_POINT
from sfumato.data.select import take_rows

__all__ = ["draw_sample"]

_RECORDS = 2000
_ENTRIES = 300_000
_IN_TIME = 20_000


def draw_sample(dataset: Dataset, most: int | None = None, seed: int = 0) -> Dataset:
    """Return the data, or some of them where they are many: people drawn at random, with all of their records.

    Data without people, and records that come in over time, are cut in time instead: a beginning of them stays dense.

    Parameters
    ----------
    dataset
        The data.
    most
        Records to take; chosen by how long they are if not given.
    seed
        Draws the people.

    Examples
    --------
    >>> data = Dataset.of("sets", [["wine"], ["bread"], ["milk"]])
    >>> draw_sample(data, 2), draw_sample(data) is data
    (Dataset(sets: 2 people, 2 entries, 2 distinct values), True)
    """
    if most is None:
        most = _choose_size(dataset)
    if len(dataset) <= most:
        return dataset
    if dataset.unit == TIME_POINT or _has_time_column(dataset):
        times = np.asarray(dataset.table.column(dataset.schema.time).cast(pa.int64()).to_numpy(), dtype=np.int64)
        return take_rows(dataset, np.flatnonzero(times <= np.sort(times)[most - 1]))
    generator = np.random.default_rng(seed)
    codes = dataset.person_codes()
    people = np.arange(len(dataset)) if codes is None else codes
    order = generator.permutation(int(people.max(initial=0)) + 1)
    records = np.cumsum(np.bincount(people, minlength=len(order))[order])
    chosen = np.zeros(len(order), dtype=bool)
    chosen[order[: max(1, int(np.searchsorted(records, most, side="right")))]] = True
    return take_rows(dataset, np.flatnonzero(chosen[people]))


def _choose_size(dataset: Dataset) -> int:
    if dataset.unit == TIME_POINT or _has_time_column(dataset):
        return _IN_TIME
    if not any(column.role == "history" for column in dataset.schema.columns):
        return _RECORDS
    entries = len(dataset.history().codes)
    return min(_RECORDS, max(200, int(_ENTRIES * len(dataset) / max(entries, 1))))


def _has_time_column(dataset: Dataset) -> bool:
    """Return whether every record has one time, rather than a list of them or none."""
    names = [column.name for column in dataset.schema.columns if column.role == "time"]
    return bool(names) and not pa.types.is_list(dataset.table.column(names[0]).type)
