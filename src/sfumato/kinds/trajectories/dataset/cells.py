"""Cells that lie where they lie, whatever the data are: a square around 0, quartered again and again.

At level L the hierarchy has 2^L columns and rows of ``side / 2^L``; column i, which may be negative, begins at
``i * side / 2^L``.
"""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

from sfumato.data.places import PlaceOrigin

__all__ = ["find_bounds", "find_cells"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


def find_cells(origin: PlaceOrigin, x: Floats, y: Floats) -> tuple[Ints, Ints]:
    """Return column and row of points at the finest level.

    Examples
    --------
    >>> degrees = np.array([-180.0, 0.0, 180.0])
    >>> column, row = find_cells(PlaceOrigin("cells", "lonlat"), degrees, np.zeros(3))
    >>> column.tolist(), row.tolist()
    ([-8388608, 0, 8388607], [0, 0, 0])
    """
    step = origin.side / 2**origin.levels
    last = 2 ** (origin.levels - 1) - 1
    indices = []
    for values in (x, y):
        at = np.floor(values / step).astype(np.int64)
        # A quotient may have been rounded up to a whole number; borders themselves are exact.
        at -= at * step > values
        at += (at + 1) * step <= values
        indices.append(np.minimum(at, last))
    return indices[0], indices[1]


def find_bounds(origin: PlaceOrigin, level: int, column: int, row: int) -> tuple[float, float, float, float]:
    """Return west, south, east and north of a cell.

    Examples
    --------
    >>> find_bounds(PlaceOrigin("cells", "lonlat"), 2, -1, 0)
    (-90.0, 0.0, 0.0, 90.0)
    >>> find_bounds(PlaceOrigin("cells", "lonlat"), 0, 0, 0)
    (-180.0, -180.0, 180.0, 180.0)
    """
    step = origin.side / 2**level
    first = 0.5 if level == 0 else 0.0  # one square around 0, and not beside it
    west, south = (column - first) * step, (row - first) * step
    return west, south, west + step, south + step
