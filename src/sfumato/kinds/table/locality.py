"""People in a line by what others may know of them."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.locality import Keys, interleave, scale
from sfumato.kinds.table.model import Attribute, attributes_of

__all__ = ["PART_SIZE", "lay_in_line"]

PART_SIZE = 50_000
"""People in a part at most, unless its owner says otherwise."""
_BITS = 16


def lay_in_line(dataset: Dataset) -> Keys:
    """Return the positions of everybody's quasi-identifiers in their hierarchies or orders, bit by bit in turn.

    Examples
    --------
    >>> data = Dataset.of("table", [(20, "a"), (70, "b"), (22, "a"), (69, "b")], ("age", "town"))
    >>> np.argsort(lay_in_line(data)).tolist()
    [0, 2, 3, 1]
    """
    known = attributes_of(dataset)
    bits = min(_BITS, 64 // max(len(known), 1))
    # A value lies where its numbers do on an axis, else by its rank among the values that occur.
    where = [attribute.codes if attribute.axis is None else _lie(attribute) for attribute in known]
    if not known or not bits:
        return np.zeros(len(dataset), np.uint64)
    return interleave([scale(np.asarray(each, np.float64), bits) for each in where], bits)


def _lie(attribute: Attribute) -> npt.NDArray[np.float64]:
    """Return where every row lies on its axis; nowhere if its value is missing."""
    return np.append(np.asarray(attribute.axis, np.float64), np.nan)[attribute.codes]
