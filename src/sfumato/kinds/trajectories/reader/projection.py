"""Longitude and latitude on a plane in metres, and back."""

from __future__ import annotations

import dataclasses
import math
from fractions import Fraction
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.kinds.trajectories.dataset.locations import EARTH_RADIUS
from sfumato.readers.partitioned.agreement import agree

__all__ = ["Projection", "add_exactly"]

Floats = npt.NDArray[np.float64]

_METRES_PER_DEGREE = math.radians(EARTH_RADIUS)
_LEAST_SCALE = 0.01  # towards the poles meridians meet; below this, going back would lose all digits


@dataclasses.dataclass(frozen=True)
class Projection:
    """A local equirectangular projection: true to scale at one latitude.

    Parameters
    ----------
    latitude
        Where distances to east and west are right, in degrees.
    seam
        Longitude at which the map begins: -180, or 0 for data on both sides of the date line.

    Examples
    --------
    >>> flat = Projection(60.0)
    >>> x, y = flat.forward(np.array([0.0, 1.0]), np.array([60.0, 60.0]))
    >>> round(float(x[1] - x[0]))
    55598
    >>> lon, lat = flat.inverse(x, y)
    >>> lon.tolist(), lat.tolist()
    ([0.0, 1.0], [60.0, 60.0])
    """

    latitude: float
    seam: float = -180.0

    @classmethod
    def about(cls, lon: Floats, lat: Floats) -> Projection:
        """Choose the projection for some points, whatever their order.

        Examples
        --------
        >>> Projection.about(np.array([179.9, -179.9]), np.array([-17.0, -18.0]))
        Projection(latitude=-17.5, seam=0.0)
        """
        statistics: dict[str, Any] = {
            "latitudes": agree("the sum of latitudes", add_exactly(lat), "sum"),
            "count": agree("the number of positions", len(lat), "sum"),
        }
        shifted = np.where(lon < 0, lon + 360, lon)
        for name, axis in (("longitudes", lon), ("shifted", shifted)):
            low, high = (
                agree(f"the least of {name}", axis.min(), "low"),
                agree(f"the most of {name}", axis.max(), "high"),
            )
            statistics[name] = high - low
        return cls.from_statistics(**statistics)

    @classmethod
    def from_statistics(cls, latitudes: Fraction, count: int, longitudes: float, shifted: float) -> Projection:
        """Choose it by the sum of all latitudes, and how far longitudes extend, counted from -180 or from 0."""
        across = longitudes > 180 and shifted < longitudes
        return cls(round(float(latitudes) / count, 9), 0.0 if across else -180.0)

    def forward(self, lon: Floats, lat: Floats) -> tuple[Floats, Floats]:
        """Return x and y in metres."""
        unrolled = np.where(lon < self.seam, lon + 360, lon)
        return unrolled * self._metres_per_longitude, lat * _METRES_PER_DEGREE

    def inverse(self, x: Floats, y: Floats) -> tuple[Floats, Floats]:
        """Return longitude and latitude, to a tenth of a millimetre."""
        lat = np.clip(y / _METRES_PER_DEGREE, -90, 90)
        lon = np.round(x / self._metres_per_longitude, 9)
        rolled = np.where(lon > 180, lon - 360, lon)
        return np.asarray(np.round(rolled, 9), dtype=np.float64), np.round(lat, 9)

    @property
    def _metres_per_longitude(self) -> float:
        return _METRES_PER_DEGREE * max(math.cos(math.radians(self.latitude)), _LEAST_SCALE)


def add_exactly(numbers: Floats) -> Fraction:
    """Return the sum of numbers without any rounding, so that no order of them can change the last digit.

    Examples
    --------
    >>> float(add_exactly(np.array([1e16, 1.0, -1e16, 0.5])))
    1.5
    """
    part, exponent = np.frexp(numbers)
    whole, total = (part * 2.0**53).astype(np.int64), Fraction(0)
    for power in np.unique(exponent).tolist():
        chosen = whole[exponent == power]
        # In two halves, whose sums stay below 64 bits for as many numbers as there can be.
        sums = int((chosen >> 26).sum()) * 2**26 + int((chosen & (2**26 - 1)).sum())
        total += Fraction(sums) * Fraction(2) ** (power - 53)
    return total
