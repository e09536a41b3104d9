"""Some of the data, to be tried on where all of them would take long."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.dataset import Dataset
from sfumato.core.places import Fixes
from sfumato.core.ragged import Ragged
from sfumato.core.unit import TIME_POINT

__all__ = ["draw_sample", "take_rows"]

Ints = npt.NDArray[np.int64]

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
    """Tell whether every record has one time, rather than a list of them or none."""
    names = [column.name for column in dataset.schema.columns if column.role == "time"]
    return bool(names) and not pa.types.is_list(dataset.table.column(names[0]).type)


def take_rows(dataset: Dataset, rows: Ints) -> Dataset:
    """Return some records of a dataset; values that none of them has are forgotten, and so are their places.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["a", "b"], ["c"]], {"a": (0, 0), "b": (1, 0), "c": (2, 0)})
    >>> some = take_rows(data, np.array([1]))
    >>> some.history().labels, some.places.num_rows
    (('c',), 1)
    """
    people = None if dataset.people is None else dataset.people.take(pa.array(rows))
    table = dataset.table.take(pa.array(rows)).combine_chunks()
    weights = None if dataset.weights is None else dataset.weights[rows]
    some = dataclasses.replace(dataset, table=table, people=people, weights=weights, reading={})
    if not any(column.role == "history" for column in dataset.schema.columns):
        return some
    history = dataset.history().take(rows)
    used = np.unique(history.codes)
    code = np.full(len(history.labels), -1, dtype=np.int32)
    code[used] = np.arange(len(used))
    labels = tuple(history.labels[at] for at in used.tolist())
    at = table.column_names.index(dataset.schema.history)
    packed = Ragged(history.offsets, code[history.codes], labels).to_arrow()
    fixes = dataset.fixes
    if fixes is not None:
        kept = code[fixes.place] >= 0
        fixes = Fixes(code[fixes.place[kept]].astype(np.int64), fixes.person[kept], fixes.x[kept], fixes.y[kept])
    return dataclasses.replace(
        some,
        table=table.set_column(at, table.schema.field(at).name, packed),
        places=None if dataset.places is None else dataset.places.take(pa.array(used)),
        constraints={name: _narrow(groups, frozenset(labels)) for name, groups in dataset.constraints.items()},
        fixes=fixes,
    )


def _narrow(groups: tuple[tuple[str, ...], ...], known: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """Leave values out of groups that nobody has."""
    left = (tuple(value for value in group if value in known) for group in groups)
    return tuple(group for group in left if group)
