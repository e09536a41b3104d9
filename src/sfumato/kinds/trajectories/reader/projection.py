"""Longitude and latitude on a plane in metres, and back."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt

from sfumato.kinds.trajectories.model.locations import EARTH_RADIUS

__all__ = ["Projection"]

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
        # fsum is exact, so the order of the points cannot change the last digit.
        mean = round(math.fsum(lat.tolist()) / len(lat), 9)
        shifted = np.where(lon < 0, lon + 360, lon)
        across = np.ptp(lon) > 180 and np.ptp(shifted) < np.ptp(lon)
        return cls(mean, 0.0 if across else -180.0)

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
