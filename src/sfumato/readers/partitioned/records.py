"""Stored records of buckets: as they were read, and then sorted, with the values of all people."""

from __future__ import annotations

import dataclasses
import functools
import pickle
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.data.dataset import Dataset
from sfumato.data.select import take_partition
from sfumato.data.sort_key import Survey
from sfumato.readers.partitioned.observations import load_observations
from sfumato.release.partition_bounds import Packed, Slices

__all__ = [
    "SharedData",
    "StoredPartition",
    "build_partition",
    "fill",
    "list_labels",
    "list_places",
    "load_contents",
    "load_keys",
    "load_records",
    "load_shared",
    "name_keys_file",
    "name_records_file",
    "name_sorted_file",
    "save_records",
    "save_shared",
    "save_sorted",
    "strip",
]

_SHARED = "whole.pickle"
"""File with the data shared by all records."""
_PEOPLE, _ROW, _CONTENT = "whose it is", "its row", "what it holds"


class SharedData(NamedTuple):
    """Data shared by all records: the dataset without them, and the frequency of every value."""

    dataset: Dataset
    survey: Survey
    has_observations: bool = False
    """Whether there are positions of visits."""


def name_records_file(folder: Path, number: int) -> Path:
    """Return the file of the records of a bucket, as they were read."""
    return folder / f"records-{number:05}.arrow"


def save_records(folder: Path, number: int, dataset: Dataset, rows: npt.NDArray[np.int64], content: Any) -> None:
    """Write the records of a bucket."""
    table = dataset.table.append_column(_ROW, pa.array(rows)).append_column(_CONTENT, pa.array(content))
    if dataset.people is not None:
        table = table.append_column(_PEOPLE, dataset.people)
    _write(name_records_file(folder, number), table)


def load_records(folder: Path, number: int, whole: Dataset) -> tuple[Dataset, npt.NDArray[np.int64], pa.Table]:
    """Return the records of a bucket with the values of all people, their rows, and their table as stored."""
    with pa.memory_map(str(name_records_file(folder, number))) as file:
        table = pa.ipc.open_file(file).read_all()
    for at, name in enumerate(table.column_names):
        if name in whole.table.column_names:
            table = table.set_column(at, name, _recode(table.column(name), whole.table.column(name)))
    rows = table.column(_ROW).to_numpy()
    return fill(whole, table), rows, table


def name_sorted_file(folder: Path, number: int) -> Path:
    """Return the file of the sorted records of a bucket."""
    return folder / f"sorted-{number:05}.arrow"


def name_keys_file(folder: Path, number: int) -> Path:
    """Return the file of the sorted keys of a bucket."""
    return folder / f"keys-{number:05}.npy"


def save_sorted(folder: Path, number: int, table: pa.Table, order: npt.NDArray[np.int64], keys: Packed) -> None:
    """Write the sorted records of a bucket and their keys; the unsorted file is removed."""
    name_records_file(folder, number).unlink()
    np.save(name_keys_file(folder, number), keys[order])
    _write(name_sorted_file(folder, number), table.take(pa.array(order)))


def load_keys(folder: Path, number: int) -> Packed:
    """Return the keys of a bucket, which stay on disk."""
    keys: Packed = np.load(name_keys_file(folder, number), mmap_mode="r")
    return keys


def load_contents(file: Path) -> npt.NDArray[np.uint64]:
    """Return the digests of the sorted records of a bucket."""
    with pa.memory_map(str(file)) as opened:
        return _list_contents(pa.ipc.open_file(opened).read_all())


def _list_contents(table: pa.Table) -> npt.NDArray[np.uint64]:
    contents: npt.NDArray[np.uint64] = table.column(_CONTENT).to_numpy()
    return contents


def save_shared(folder: Path, whole: SharedData) -> None:
    """Write the data shared by all records."""
    (folder / _SHARED).write_bytes(pickle.dumps(whole, protocol=pickle.HIGHEST_PROTOCOL))


@functools.lru_cache(maxsize=1)
def load_shared(folder: Path) -> SharedData:
    """Return the data shared by all records."""
    whole: SharedData = pickle.loads((folder / _SHARED).read_bytes())
    return whole


@dataclasses.dataclass(frozen=True)
class StoredPartition:
    """A partition whose records are loaded on demand.

    Parameters
    ----------
    folder
        The folder of the records.
    slices
        The records of the partition in every bucket.
    """

    folder: Path
    slices: Slices

    def load(self) -> Dataset:
        """Return the records of the partition."""
        return build_partition(self._read(), load_shared(self.folder), self.folder)

    def contents(self) -> npt.NDArray[np.uint64]:
        """Return the digests of the records of the partition."""
        return _list_contents(self._read())

    def _read(self) -> pa.Table:
        pieces = []
        for number, begin, end in self.slices:
            with pa.memory_map(str(name_sorted_file(self.folder, number))) as file:
                pieces.append(pa.ipc.open_file(file).read_all().slice(begin, end - begin))
        return pa.concat_tables(pieces).combine_chunks()


def build_partition(table: pa.Table, whole: SharedData, folder: Path) -> Dataset:
    """Return the dataset of a partition from its records in all buckets, with observations from a folder."""
    dataset = fill(whole.dataset, table.take(pc.sort_indices(table, [(_ROW, "ascending")])))
    if whole.has_observations:
        used, labels = list_places(dataset)
        observations = load_observations(folder, labels)
        dataset = dataclasses.replace(dataset, observations=observations._replace(place=used[observations.place]))
    return take_partition(dataset, np.arange(len(dataset)))


def list_places(dataset: Dataset) -> tuple[npt.NDArray[np.int64], list[str]]:
    """Return the numbers and names of the places that records visit."""
    history = dataset.view_history()
    used = np.unique(history.codes).astype(np.int64)
    return used, [history.labels[code] for code in used.tolist()]


def fill(whole: Dataset, table: pa.Table) -> Dataset:
    """Return data with the records of a table."""
    people = None if whole.people is None else _combine_chunks(table.column(_PEOPLE))
    labelled = [_label(table.column(name), whole.table.column(name)) for name in whole.table.column_names]
    return dataclasses.replace(whole, table=pa.table(labelled, names=whole.table.column_names), people=people)


def list_labels(table: pa.Table) -> dict[str, list[str]]:
    """Return the values of every column that has a list of them.

    Examples
    --------
    >>> list_labels(Dataset.of("sets", [["wine", "tea"]]).table)
    {'items': ['wine', 'tea']}
    """
    labels = {}
    for name in table.column_names:
        cells = _combine_chunks(table.column(name))
        inside = cells.values if _is_list(cells.type) else cells
        if pa.types.is_dictionary(inside.type):
            labels[name] = inside.dictionary.to_pylist()
    return labels


def strip(dataset: Dataset, labels: Mapping[str, Sequence[str]]) -> Dataset:
    """Return data without records, with these values.

    Examples
    --------
    >>> len(strip(Dataset.of("sets", [["wine"]]), {"items": ["tea", "wine"]}))
    0
    """
    columns: dict[str, Any] = {}
    for field in dataset.table.schema:
        cells = pa.array([], _plain(field.type))
        columns[field.name] = _label(cells, None, labels[field.name]) if field.name in labels else cells
    people = None if dataset.people is None else pa.array([], pa.string())
    return dataclasses.replace(dataset, table=pa.table(columns), people=people, weights=None, observations=None)


def _is_list(kind: pa.DataType) -> bool:
    return bool(pa.types.is_list(kind) or pa.types.is_large_list(kind))


def _combine_chunks(cells: Any) -> Any:
    if not isinstance(cells, pa.ChunkedArray):
        return cells
    return pa.concat_arrays(cells.chunks) if cells.num_chunks else pa.array([], cells.type)


def _plain(kind: Any) -> pa.DataType:
    """Return the type of stored cells: labels as numbers."""
    if _is_list(kind):
        return pa.large_list(_plain(kind.value_type))
    return pa.int32() if pa.types.is_dictionary(kind) else kind


def _recode(cells: Any, reference: Any) -> Any:
    """Return the labels of a column as their numbers among the values of all people."""
    cells, reference = _combine_chunks(cells), _combine_chunks(reference)
    if _is_list(cells.type):
        inside = _recode_flat(cells.flatten(), reference.values)
        return pa.LargeListArray.from_arrays(_offsets(cells), inside)
    return _recode_flat(cells, reference)


def _recode_flat(cells: Any, reference: Any) -> Any:
    if not pa.types.is_dictionary(cells.type):
        return cells
    return pc.index_in(cells.dictionary, value_set=reference.dictionary).cast(pa.int32()).take(cells.indices)


def _offsets(cells: Any) -> Any:
    offsets = cells.offsets.to_numpy().astype(np.int64)
    return pa.array(offsets - offsets[0])


def _label(cells: Any, reference: Any, labels: Sequence[str] | None = None) -> Any:
    """Return numbers as labels; columns without labels are unchanged."""
    cells = _combine_chunks(cells)
    inside: Any = None if reference is None else _combine_chunks(reference)
    if inside is not None and _is_list(inside.type):
        inside = inside.values
    if labels is None and (inside is None or not pa.types.is_dictionary(inside.type)):
        if not _is_list(cells.type):
            return cells
        return pa.ListArray.from_arrays(_offsets(cells).cast(pa.int32()), cells.flatten())
    texts = pa.array(labels, pa.string()) if labels is not None else inside.dictionary
    if not _is_list(cells.type):
        return pa.DictionaryArray.from_arrays(cells, texts)
    flat = pa.DictionaryArray.from_arrays(cells.flatten(), texts)
    return pa.ListArray.from_arrays(_offsets(cells).cast(pa.int32()), flat)


def _write(path: Path, table: pa.Table) -> None:
    with pa.OSFile(str(path), "wb") as sink, pa.ipc.new_file(sink, table.schema) as writer:
        writer.write_table(table.combine_chunks())
