"""Longitude and latitude on a plane: true to the globe in a city, and back again."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.reader.points import earth, great_circle, on_earth

from sfumato.kinds.trajectories.reader.projection import Projection


def test_projection_measures_a_city_like_the_globe():
    athens = [(23.70, 37.95), (23.76, 38.02)]
    points = on_earth(athens)
    assert math.dist((points.x[0], points.y[0]), (points.x[1], points.y[1])) == pytest.approx(
        great_circle(*athens), rel=1e-3
    )


@given(st.lists(earth, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_projection_does_not_depend_on_the_order_of_rows(points, random):
    shuffled = points[:]
    random.shuffle(shuffled)
    assert on_earth(points).projection == on_earth(shuffled).projection


@given(st.lists(earth, min_size=1, max_size=20))
def test_projection_goes_back(points):
    flat = on_earth(points)
    lon, lat = flat.projection.inverse(flat.x, flat.y)
    away = (lon - flat.given_x + 180) % 360 - 180
    assert np.abs(away).max() < 1e-6
    assert np.abs(lat - flat.given_y).max() < 1e-6


def test_the_date_line_does_not_part_neighbours():
    points = on_earth([(179.99, -17.0), (-179.99, -17.0)])
    assert abs(points.x[0] - points.x[1]) < 3_000
    west = on_earth([(-122.4, 37.7), (-122.5, 37.8)])
    assert west.projection.seam == -180


def test_projection_at_the_pole_stays_finite():
    flat = Projection.about(np.array([10.0]), np.array([90.0]))
    assert np.isfinite(flat.forward(np.array([10.0]), np.array([90.0]))).all()
