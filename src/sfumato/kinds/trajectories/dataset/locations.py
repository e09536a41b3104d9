"""Where places are: on a plane, or on the globe, where distances run along its surface."""

from __future__ import annotations

import dataclasses
import math

import numpy as np
import numpy.typing as npt
import pyarrow as pa

__all__ = ["EARTH_RADIUS", "Locations", "Ring", "convex_hull"]

Floats = npt.NDArray[np.float64]
Ring = list[tuple[float, float]]

EARTH_RADIUS = 6_371_008.8
"""Mean radius in metres."""

_BLOCK = 1 << 20


@dataclasses.dataclass(frozen=True, eq=False)
class Locations:
    """Points on a plane or on the globe; where it is not known where a place is, NaN.

    Parameters
    ----------
    points
        A row of three numbers for every place: plane coordinates and 0, or metres from the centre of the earth.
    on_globe
        Whether distances run along the surface of the earth.

    Examples
    --------
    >>> athens_and_oslo = Locations.of(pa.table({"lon": [23.73, 10.75], "lat": [37.98, 59.91]}))
    >>> round(athens_and_oslo.largest_distance() / 1000)
    2605
    >>> Locations.of(pa.table({"x": [0, 3], "y": [0, 4]})).mean_distances(np.array([0, 1])).tolist()
    [2.5, 2.5]
    """

    points: Floats
    on_globe: bool

    @classmethod
    def of(cls, places: pa.Table) -> Locations:
        """Take the places of a table: ``lon, lat`` in degrees if it has them, otherwise ``x, y``."""
        on_globe = {"lon", "lat"} <= set(places.column_names)
        first, second = (
            np.asarray(places.column(name).to_numpy(zero_copy_only=False), dtype=np.float64)
            for name in (("lon", "lat") if on_globe else ("x", "y"))
        )
        if not on_globe:
            return cls(np.column_stack([first, second, np.zeros(len(first))]), on_globe=False)
        longitude, latitude = np.radians(first), np.radians(second)
        circle = EARTH_RADIUS * np.cos(latitude)
        points = (circle * np.cos(longitude), circle * np.sin(longitude), EARTH_RADIUS * np.sin(latitude))
        return cls(np.column_stack(points), on_globe=True)

    @classmethod
    def unknown(cls, n: int) -> Locations:
        """Put n places at one point, as it is not known where they are."""
        return cls(np.zeros((n, 3)), on_globe=False)

    @property
    def diameter(self) -> float:
        """Diameter of the globe, 0 on a plane."""
        return 2 * EARTH_RADIUS if self.on_globe else 0.0

    def largest_distance(self) -> float:
        """Return the distance of the two places that are furthest apart, exactly; 0 where there are no two.

        On a plane, and within an eighth of a turn of a point of the globe, they are corners of the hull, and the
        corners are few enough to try all pairs. Elsewhere on the globe, the place furthest from one is the place next
        to the point opposite.
        """
        located = self.points[~np.isnan(self.points[:, 0])]
        if len(located) < 2:
            return 0.0
        flat = located[:, :2] if not self.on_globe else _flatten(located)
        if flat is None:
            from scipy.spatial import cKDTree

            opposite = np.asarray(cKDTree(located).query(-located)[0])
            straight = math.sqrt(max(self.diameter**2 - float(opposite.min()) ** 2, 0.0))
            return float(self._along(np.array(straight)))
        corners = set(convex_hull(flat))
        corner = located[[tuple(point) in corners for point in flat.tolist()]]
        return max(float(self._between(corner, point[None]).max()) for point in corner)

    def mean_distances(self, chosen: npt.NDArray[np.int64] | npt.NDArray[np.int32]) -> Floats:
        """Return the mean distance of each chosen place to all of them; those that are nowhere (NaN) do not count."""
        points = self.points[chosen]
        is_located = ~np.isnan(points[:, 0])
        inside = points[is_located]
        means = np.full(len(points), np.nan)
        step = max(1, _BLOCK // max(len(inside), 1))
        parts = [
            self._between(inside[i : i + step, None], inside[None]).mean(axis=1) for i in range(0, len(inside), step)
        ]
        means[is_located] = np.concatenate(parts) if parts else []
        return means

    def _between(self, points: Floats, other: Floats) -> Floats:
        straight: Floats = np.sqrt(((points - other) ** 2).sum(axis=-1))
        return self._along(straight)

    def _along(self, straight: Floats) -> Floats:
        """Return the way along the surface for straight lines."""
        if not self.on_globe:
            return straight
        along: Floats = self.diameter * np.arcsin(np.minimum(straight / self.diameter, 1.0))
        return along


def _flatten(points: Floats) -> Floats | None:
    """Look at points of the globe from its centre, so that hulls stay hulls; None where they are spread too far.

    Within an eighth of a turn of their middle no two are further apart than a quarter of a turn. Up to that, what lies
    within a distance of a place is convex, so that the furthest place is a corner.
    """
    middle = points.mean(axis=0)
    length = float(np.sqrt((middle**2).sum()))
    if length < 0.5 * EARTH_RADIUS:
        return None
    up = middle / length
    height = points @ up
    if height.min() < math.cos(math.pi / 4) * EARTH_RADIUS:
        return None
    across = np.cross(up, np.eye(3)[int(np.argmin(np.abs(up)))])
    across /= np.sqrt((across**2).sum())
    flat: Floats = np.column_stack([points @ across, points @ np.cross(up, across)]) / height[:, None]
    return flat


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
