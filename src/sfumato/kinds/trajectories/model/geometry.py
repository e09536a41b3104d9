"""Shapes around points."""

from __future__ import annotations

import numpy as np
import numpy.typing as npt

__all__ = ["convex_hull"]

Floats = npt.NDArray[np.float64]
Ring = list[tuple[float, float]]


def convex_hull(points: Floats) -> Ring:
    """Return the corners around points, the first one repeated at the end; two for points on a line.

    Examples
    --------
    >>> convex_hull(np.array([[0.0, 0.0], [2.0, 0.0], [1.0, 0.5], [1.0, 2.0]]))
    [(0.0, 0.0), (2.0, 0.0), (1.0, 2.0), (0.0, 0.0)]
    """
    ordered = [(float(x), float(y)) for x, y in np.unique(points, axis=0)]
    around: Ring = []
    for way in (ordered, ordered[::-1]):
        side: Ring = []
        for x, y in way:
            while len(side) > 1 and _turn(side[-2], side[-1], (x, y)) <= 0:
                side.pop()
            side.append((x, y))
        around += side if not around else side[1:]
    return around


def _turn(a: tuple[float, float], b: tuple[float, float], c: tuple[float, float]) -> float:
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0])
