"""The distinct cells of a column, numbered in Arrow: attributes of many records have few different ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["combine_chunks", "number_cells"]


def combine_chunks(column: pa.ChunkedArray | pa.Array) -> Any:
    """Return a column as one array.

    Examples
    --------
    >>> combine_chunks(pa.chunked_array([["a"], ["b"]])).to_pylist()
    ['a', 'b']
    """
    if not isinstance(column, pa.ChunkedArray):
        return column
    if column.num_chunks == 1:
        return column.chunk(0)
    if pa.types.is_dictionary(column.type):
        column = column.unify_dictionaries()
    return pa.concat_arrays(column.chunks) if column.num_chunks else pa.array([], column.type)


def number_cells(column: pa.ChunkedArray | pa.Array, cell: str) -> tuple[Any, Any]:
    """Return the distinct cells of a column that holds no lists, and the cell of every row; null where suppressed.

    Examples
    --------
    >>> cells, index = number_cells(pa.array([["b"], None, ["a", "b"], ["b"]]), "set")
    >>> cells.to_pylist(), index.to_pylist()
    ([['b'], ['a', 'b']], [0, None, 1, 0])
    """
    array = combine_chunks(column)
    if cell == "interval":
        return _number_ranges(array)
    if cell == "set":
        return _number_sets(array)
    if not pa.types.is_dictionary(array.type):
        coded = array.dictionary_encode()
        return coded.dictionary, coded.indices
    # How a dictionary numbers its labels, or whether it lists one twice, is not content.
    labels = array.dictionary.cast(pa.string()).dictionary_encode()
    return labels.dictionary, labels.indices.take(array.indices)


def _number_ranges(array: Any) -> tuple[Any, Any]:
    sides = [array.field(side).dictionary_encode() for side in (0, 1)]
    codes = [side.indices.fill_null(len(side.dictionary)) for side in sides]
    keys = pc.add(pc.multiply(codes[0].cast(pa.int64()), len(sides[1].dictionary) + 1), codes[1].cast(pa.int64()))
    # What lies below a suppressed range is no bound.
    coded = pc.if_else(array.is_null(), pa.scalar(None, pa.int64()), keys).dictionary_encode()
    first = np.zeros(len(coded.dictionary), np.int64)
    is_cell = coded.indices.is_valid().to_numpy(zero_copy_only=False)
    first[coded.indices.drop_null().to_numpy()[::-1]] = np.flatnonzero(is_cell)[::-1]
    return array.take(pa.array(first)), coded.indices


def _number_sets(array: Any) -> tuple[Any, Any]:
    flat = array.flatten()
    coded = flat if pa.types.is_dictionary(flat.type) else flat.dictionary_encode()
    labels = pa.concat_arrays([coded.dictionary, pa.nulls(1, coded.dictionary.type)])
    codes = coded.indices.cast(pa.int32()).fill_null(len(labels) - 1).to_numpy(zero_copy_only=False)
    lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
    # The codes of a set, one behind the other, are bytes, which Arrow can number.
    ends = np.concatenate([[0], codes.itemsize * np.cumsum(lengths, dtype=np.int64)])
    valid = pa.array(array.is_valid().to_numpy(zero_copy_only=False)).buffers()[1]
    keys = pa.Array.from_buffers(pa.large_binary(), len(array), [valid, pa.py_buffer(ends), pa.py_buffer(codes)])
    sets = keys.dictionary_encode()
    members = np.frombuffer(b"".join(sets.dictionary.to_pylist()), np.int32)
    sizes = pc.binary_length(sets.dictionary).to_numpy() // codes.itemsize
    offsets = pa.array(np.concatenate([[0], np.cumsum(sizes)]), pa.int32())
    return pa.ListArray.from_arrays(offsets, labels.take(pa.array(members))), sets.indices
