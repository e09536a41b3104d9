"""People in a line by what others may know of them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.dataset import Dataset
from sfumato.data.sort_key import Keys, Survey, interleave, scale
from sfumato.kinds.table.dataset import Attribute, attribute_of

__all__ = ["PARTITION_SIZE", "compute_sort_key"]

PARTITION_SIZE = 50_000
"""People in a partition at most, unless its owner says otherwise."""
_BITS = 16


def compute_sort_key(dataset: Dataset, _survey: Survey | None = None) -> Keys:
    """Return the positions of everybody's quasi-identifiers in their hierarchies or orders, bit by bit in turn.

    Examples
    --------
    >>> data = Dataset.of("table", [(20, "a"), (70, "b"), (22, "a"), (69, "b")], ("age", "town"))
    >>> np.argsort(compute_sort_key(data)).tolist()
    [0, 2, 3, 1]
    """
    names = [column.name for column in dataset.schema.columns if column.role == "quasi-identifier"]
    bits = min(_BITS, 64 // max(len(names), 1))
    if not names or not bits:
        return np.zeros(len(dataset), np.uint64)
    return interleave([_place(dataset, name, bits) for name in names], bits)


def _place(dataset: Dataset, name: str, bits: int) -> Keys:
    """Return where everybody lies in a column: by its numbers on an axis, else by its rank among all values."""
    cells: Any = dataset.table.column(name).combine_chunks()
    if isinstance(cells, pa.ChunkedArray):
        cells = cells.unify_dictionaries().combine_chunks()
    coded = cells if pa.types.is_dictionary(cells.type) else cells.dictionary_encode()
    attribute = attribute_of(dataset, name, pa.table({name: coded.dictionary}))
    where = attribute.codes if attribute.axis is None else _lie(attribute)
    return np.asarray(scale(np.asarray(where, np.float64), bits)[coded.indices.to_numpy(zero_copy_only=False)])


def _lie(attribute: Attribute) -> npt.NDArray[np.float64]:
    """Return where every row lies on its axis; nowhere if its value is missing."""
    return np.append(np.asarray(attribute.axis, np.float64), np.nan)[attribute.codes]
