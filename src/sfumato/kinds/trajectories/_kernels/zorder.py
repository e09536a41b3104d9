"""Z-order (Morton order) of places: neighbours in the order are near each other."""

import numpy as np
from numpy.typing import ArrayLike, NDArray

__all__ = ["z_order"]

_SIDE = 1 << 16  # cells along each side of the grid


def z_order(x: ArrayLike, y: ArrayLike) -> NDArray[np.int64]:
    """Order places by the Z-value of their cell.

    The bounding box of the places is cut into 2^16 x 2^16 cells, each axis on its own scale; the Z-value
    of a cell has the bits of its column at the even places and those of its row at the odd ones.

    Parameters
    ----------
    x, y
        Finite coordinates of the places.

    Returns
    -------
    NDArray[np.int64]
        Place numbers, smallest Z-value first; places in the same cell keep their order.

    Examples
    --------
    >>> z_order([0, 1, 0, 1], [1, 1, 0, 0]).tolist()
    [2, 3, 0, 1]

    References
    ----------
    G. Poulis, S. Skiadopoulos, G. Loukides, A. Gkoulalas-Divanis, "Select-Organize-Anonymize: a framework
    for trajectory data anonymization", Section II, Definition 2.
    """
    code = _spread_bits(_locate_cells(x)) | (_spread_bits(_locate_cells(y)) << np.uint64(1))
    return np.argsort(code, kind="stable").astype(np.int64, copy=False)


def _locate_cells(coordinates: ArrayLike) -> NDArray[np.uint64]:
    """Number the cells along one axis from 0; the far edge belongs to the last cell."""
    place = np.asarray(coordinates, dtype=np.float64)
    extent = place.max() - place.min() if place.size else 0.0
    if extent == 0.0:
        return np.zeros(place.size, dtype=np.uint64)
    cells: NDArray[np.float64] = np.minimum((place - place.min()) / extent * _SIDE, _SIDE - 1)
    return cells.astype(np.uint64)


def _spread_bits(cells: NDArray[np.uint64]) -> NDArray[np.uint64]:
    """Move bit i of each 16-bit number to bit 2i."""
    for shift, mask in ((8, 0x00FF00FF), (4, 0x0F0F0F0F), (2, 0x33333333), (1, 0x55555555)):
        cells = (cells | (cells << np.uint64(shift))) & np.uint64(mask)
    return cells
