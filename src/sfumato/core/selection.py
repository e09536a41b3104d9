"""Some of the records of a dataset, as if there were no others."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.dataset import Dataset
from sfumato.core.places import Fixes
from sfumato.core.publishing.secret import Secret
from sfumato.core.ragged import Ragged

__all__ = ["pick_rows", "take_rows", "thin_fixes"]

Ints = npt.NDArray[np.int64]


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
    history = some.history()
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


def pick_rows(dataset: Dataset, rows: Ints) -> Dataset:
    """Return some records of a dataset that are still numbered as in the whole: values that none has stay known.

    Examples
    --------
    >>> data = Dataset.of("sets", [["a", "b"], ["c"]])
    >>> pick_rows(data, np.array([1])).history().labels
    ('a', 'b', 'c')
    """
    people = None if dataset.people is None else dataset.people.take(pa.array(rows))
    weights = None if dataset.weights is None else dataset.weights[rows]
    table = dataset.table.take(pa.array(rows)).combine_chunks()
    return dataclasses.replace(dataset, table=table, people=people, weights=weights)


def thin_fixes(dataset: Dataset, secret: Secret, most: int) -> Dataset:
    """Return a dataset that knows of so many people at every place at most where they were, one visit of each.

    What is published of where a place is needs k of them. All of the others would go into every part that knows the
    place, and so all visits into all parts. Whom it still knows is random.

    Examples
    --------
    >>> many = Fixes(np.zeros(9, np.int64), np.arange(9) // 2, np.arange(9.0), np.zeros(9))
    >>> data = dataclasses.replace(Dataset.of("trajectories", [["a"]], {"a": (0, 0)}), fixes=many)
    >>> thinned = thin_fixes(data, Secret(bytes(32)), 3).fixes
    >>> len(thinned.place), len(set(thinned.person.tolist()))
    (3, 3)
    """
    fixes = dataset.fixes
    if fixes is None or not len(fixes.place):
        return dataset
    order = np.lexsort((secret.numbers(len(fixes.place), "visits"), fixes.person, fixes.place))
    place, person = fixes.place[order], fixes.person[order]
    order = order[np.append(True, (np.diff(place) != 0) | (np.diff(person) != 0))]
    order = order[np.lexsort((secret.numbers(len(order), "people at places"), fixes.place[order]))]
    place = fixes.place[order]
    rank = np.arange(len(place)) - np.searchsorted(place, place)
    kept = np.sort(order[rank < most])
    return dataclasses.replace(dataset, fixes=Fixes(*(column[kept] for column in fixes)))


def _narrow(groups: tuple[tuple[str, ...], ...], known: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """Leave values out of groups that nobody has."""
    left = (tuple(value for value in group if value in known) for group in groups)
    return tuple(group for group in left if group)
