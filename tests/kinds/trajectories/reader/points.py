"""Points on a plane and on the earth, and places derived from them."""

import math
import re

import numpy as np
from hypothesis import strategies as st

from sfumato.kinds.trajectories.reader.place_rules import derive_places, parse_place_rule
from sfumato.kinds.trajectories.reader.positions import project_points

earth = st.tuples(st.floats(-180, 180), st.floats(-89, 89))
plane = st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))
lattice = st.tuples(st.integers(-20, 20), st.integers(0, 20))


def on_plane(points):
    x, y = (np.array(axis, dtype=float) for axis in zip(*points, strict=True))
    return project_points("v", ("x", "y"), (x, y), lonlat=False)


def on_earth(points):
    lon, lat = (np.array(axis, dtype=float) for axis in zip(*points, strict=True))
    return project_points("v", ("lon", "lat"), (lon, lat), lonlat=True)


def derive(rule, points, person=None):
    """Everybody is at one point, unless told otherwise."""
    person = np.arange(len(points.x)) if person is None else np.array(person)
    return derive_places(parse_place_rule(rule), points, person.astype(np.int32))


def corners(outline):
    return [tuple(map(float, pair.split())) for pair in re.search(r"\(\((.*)\)\)", outline)[1].split(", ")]


def great_circle(a, b):
    (lon1, lat1), (lon2, lat2) = (tuple(map(math.radians, p)) for p in (a, b))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(h))
