"""Selections of records of a dataset."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.fingerprint import digest_texts, mix
from sfumato.data.kind import find_kind
from sfumato.data.lists import ListColumn
from sfumato.data.places import Observations
from sfumato.data.secret import Secret

__all__ = [
    "choose_visits",
    "find_names",
    "order_by_names",
    "order_rows",
    "pick_rows",
    "sample_observations",
    "take_partition",
    "take_rows",
]

Ints = npt.NDArray[np.int64]


def take_rows(dataset: Dataset, rows: Ints) -> Dataset:
    """Return some records of a dataset, without the values and places that none of them has.

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
    selection = dataclasses.replace(dataset, table=table, people=people, weights=weights, read_options={})
    if not any(column.role == "history" for column in dataset.schema.columns):
        return selection
    history = selection.history()
    used = np.unique(history.codes)
    code = np.full(len(history.labels), -1, dtype=np.int32)
    code[used] = np.arange(len(used))
    labels = tuple(history.labels[at] for at in used.tolist())
    at = table.column_names.index(dataset.schema.history)
    packed = ListColumn(history.offsets, code[history.codes], labels).to_arrow()
    observations = dataset.observations
    if observations is not None:
        is_used = code[observations.place] >= 0
        observations = Observations(
            code[observations.place[is_used]].astype(np.int64),
            observations.person[is_used],
            observations.x[is_used],
            observations.y[is_used],
        )
    return dataclasses.replace(
        selection,
        table=table.set_column(at, table.schema.field(at).name, packed),
        places=None if dataset.places is None else dataset.places.take(pa.array(used)),
        constraints={name: _narrow(groups, frozenset(labels)) for name, groups in dataset.constraints.items()},
        observations=observations,
    )


def pick_rows(dataset: Dataset, rows: Ints) -> Dataset:
    """Return some records of a dataset with all its values, numbered as before.

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


def find_names(dataset: Dataset) -> Any:
    """Return the identifiers of records as an Arrow array; None where only their rows identify them.

    Examples
    --------
    >>> find_names(Dataset.of("sets", [["wine"]])).to_pylist(), find_names(Dataset.of("table", [(1,)], ("age",)))
    (['p0'], None)
    """
    named = [column.name for column in dataset.schema.columns if column.role == "identifier"]
    if not named:
        return None
    cells = dataset.table.column(named[0])
    return pa.concat_arrays(cells.chunks) if cells.num_chunks else pa.array([], cells.type)


def order_rows(dataset: Dataset, rows: Ints) -> Ints:
    """Return rows in the order of a partition: by the names of records, independent of the order of the file.

    Examples
    --------
    >>> order_rows(Dataset.of("sets", [["wine"], ["tea"]]), np.array([1, 0])).tolist()
    [0, 1]
    """
    names = find_names(dataset)
    if names is None:
        return np.sort(rows)
    rows = np.sort(rows)
    return np.asarray(rows[pc.array_sort_indices(names.take(pa.array(rows))).to_numpy()])


def take_partition(dataset: Dataset, rows: Ints) -> Dataset:
    """Return some records as a partition that does not depend on the order of records.

    Records are ordered by their names, and values are numbered by theirs.

    Examples
    --------
    >>> take_partition(Dataset.of("sets", [["wine"], ["tea", "rye"]]), np.array([1])).history().labels
    ('rye', 'tea')
    """
    return _number_by_names(take_rows(dataset, order_rows(dataset, rows)))


def order_by_names(dataset: Dataset) -> Dataset:
    """Return the same data with their records in the order of their names, and with values numbered by theirs.

    Results then do not depend on the order of rows in the file. Records without names stay in their order.

    Examples
    --------
    >>> data = Dataset.of("trajectories", [["wine", "tea"], ["rye"]])
    >>> order_by_names(data).history().labels, order_by_names(data).history().lists()
    (('rye', 'tea', 'wine'), [['wine', 'tea'], ['rye']])
    """
    if find_names(dataset) is None:
        return dataset
    every = np.arange(len(dataset))
    rows = order_rows(dataset, every)
    return _number_by_names(dataset if np.array_equal(rows, every) else pick_rows(dataset, rows))


def _number_by_names(dataset: Dataset) -> Dataset:
    """Return the same records with all values in the order of their names, as are items of sets."""
    table = dataset.table
    for at, field in enumerate(table.schema):
        if pa.types.is_dictionary(field.type):
            cells: Any = pa.concat_arrays(table.column(at).unify_dictionaries().chunks)
            order = pc.array_sort_indices(cells.dictionary)
            texts = cells.dictionary.take(order)
            used = pc.is_in(texts, value_set=pc.unique(cells.dictionary.take(cells.indices)))
            texts = texts.filter(used)
            codes = pc.index_in(cells.dictionary, value_set=texts).take(cells.indices)
            coded = pa.DictionaryArray.from_arrays(codes, texts)
            table = table.set_column(at, field.name, coded)
    dataset = dataclasses.replace(dataset, table=table)
    if not any(column.role == "history" for column in dataset.schema.columns):
        return dataset
    history, at = dataset.view_history(), table.column_names.index(dataset.schema.history)
    in_order = find_kind(dataset.kind).ordered
    if in_order and list(history.labels) == sorted(history.labels):
        return dataset
    old = np.array(sorted(range(len(history.labels)), key=history.labels.__getitem__), dtype=np.int64)
    new = np.empty(len(old), np.int32)
    new[old] = np.arange(len(old))
    codes = new[history.codes]
    if not in_order:
        codes = codes[np.lexsort((codes, history.row_of_token))]
    packed = ListColumn(history.offsets, codes, tuple(history.labels[label] for label in old.tolist())).to_arrow()
    observations = dataset.observations
    return dataclasses.replace(
        dataset,
        table=table.set_column(at, table.schema.field(at).name, packed),
        places=None if dataset.places is None else dataset.places.take(pa.array(old)).combine_chunks(),
        observations=None
        if observations is None
        else observations._replace(place=new[observations.place].astype(np.int64)),
    )


def sample_observations(dataset: Dataset, secret: Secret, most: int) -> Dataset:
    """Return a dataset with positions of at most so many people at every place, one visit of each.

    Published coordinates of a place need visits of k people. Without sampling, every partition with it would hold
    all visits to it. Who is kept is random.

    Examples
    --------
    >>> many = Observations(np.zeros(9, np.int64), np.arange(9) // 2, np.arange(9.0), np.zeros(9))
    >>> data = dataclasses.replace(Dataset.of("trajectories", [["a"]], {"a": (0, 0)}), observations=many)
    >>> thinned = sample_observations(data, Secret(bytes(32)), 3).observations
    >>> len(thinned.place), len(set(thinned.person.tolist()))
    (3, 3)
    """
    observations = dataset.observations
    if observations is None or not len(observations.place) or dataset.places is None:
        return dataset
    place = digest_texts(dataset.places.column("place").to_pylist())[observations.place]
    visits = choose_visits(place, observations, secret, most)
    thinned = Observations(
        observations.place[visits], observations.person[visits], observations.x[visits], observations.y[visits]
    )
    return dataclasses.replace(dataset, observations=thinned)


def choose_visits(place: npt.NDArray[np.uint64], observations: Observations, secret: Secret, most: int) -> Ints:
    """Return a sample of visits: of at most so many people at every place, one of each.

    The positions of visits and the secret decide. The result does not depend on the order of visits, nor on visits that
    were left out earlier and would be left out here.

    Parameters
    ----------
    place
        A number for the name of the place of every visit.
    observations
        The visits; the numbers of their places do not count.
    secret, most
        As in :func:`sample_observations`.

    Examples
    --------
    >>> visits = Observations(np.zeros(3, np.int64), np.array([0, 0, 1]), np.arange(3.0), np.zeros(3))
    >>> len(choose_visits(np.zeros(3, np.uint64), visits, Secret(bytes(32)), 5))
    2
    """
    salt = np.frombuffer(secret.derive("visits").key[:8], "<u8")[0]
    x, y = (np.ascontiguousarray(axis + 0.0).view(np.uint64) for axis in (observations.x, observations.y))
    number = mix(mix(mix(place ^ salt) + x) + y)
    order = np.lexsort((observations.y, observations.x, number, observations.person, place))
    where, who = place[order], observations.person[order]
    begins = (where[1:] != where[:-1]) | (who[1:] != who[:-1])
    order = order[np.append(np.ones(min(len(order), 1), dtype=bool), begins)]
    order = order[np.lexsort((observations.y[order], observations.x[order], mix(number[order] ^ salt), place[order]))]
    where = place[order]
    rank = np.arange(len(where)) - np.searchsorted(where, where)
    return np.asarray(order[rank < most])


def _narrow(groups: tuple[tuple[str, ...], ...], labels: frozenset[str]) -> tuple[tuple[str, ...], ...]:
    """Remove values from groups that no record has."""
    left = (tuple(value for value in group if value in labels) for group in groups)
    return tuple(group for group in left if group)
