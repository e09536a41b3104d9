"""Distinct cells of a column, numbered by Arrow: many records have few distinct ones."""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

__all__ = ["number_ranges", "number_sets"]


def number_ranges(array: pa.Array) -> tuple[list[Any], pa.Array]:
    """Return the distinct ranges, and which of them every row has; null where a row is suppressed.

    Examples
    --------
    >>> cells, index = number_ranges(pa.array([{"lo": 1, "hi": 2}, None, {"lo": 1, "hi": 2}]))
    >>> cells, index.to_pylist()
    ([{'lo': 1, 'hi': 2}], [0, None, 0])
    """
    sides = [array.field(side).dictionary_encode() for side in (0, 1)]
    codes = [side.indices.fill_null(len(side.dictionary)) for side in sides]
    keys = pc.add(pc.multiply(codes[0].cast(pa.int64()), len(sides[1].dictionary) + 1), codes[1].cast(pa.int64()))
    # What lies below a suppressed range is no bound.
    keys = pc.if_else(array.is_null(), pa.scalar(None, pa.int64()), keys)
    coded = keys.dictionary_encode()
    return array.take(pc.index_in(coded.dictionary, value_set=keys)).to_pylist(), coded.indices


def number_sets(array: pa.Array) -> tuple[list[Any], pa.Array]:
    """Return the distinct sets, and which of them every row has; null where a row is suppressed.

    Examples
    --------
    >>> cells, index = number_sets(pa.array([["a", "b"], None, ["b"], ["a", "b"]]))
    >>> cells, index.to_pylist()
    ([['a', 'b'], ['b']], [0, None, 1, 0])
    """
    flat = array.flatten()
    coded = flat if pa.types.is_dictionary(flat.type) else flat.dictionary_encode()
    members = [*coded.dictionary.to_pylist(), None]
    codes = coded.indices.cast(pa.int32()).fill_null(len(members) - 1).to_numpy(zero_copy_only=False)
    lengths = pc.list_value_length(array).fill_null(0).to_numpy(zero_copy_only=False)
    # The codes of a set, one behind the other, are bytes, which Arrow can number.
    ends = np.concatenate([[0], codes.itemsize * np.cumsum(lengths, dtype=np.int64)])
    valid = pa.array(array.is_valid().to_numpy(zero_copy_only=False)).buffers()[1]
    keys = pa.Array.from_buffers(pa.large_binary(), len(array), [valid, pa.py_buffer(ends), pa.py_buffer(codes)])
    sets = keys.dictionary_encode()
    cells = [[members[code] for code in np.frombuffer(key, codes.dtype)] for key in sets.dictionary.to_pylist()]
    return cells, sets.indices
