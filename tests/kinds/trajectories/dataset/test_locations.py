"""Distances on a plane and on the globe, against all pairs; hulls around points."""

import itertools
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.globe import maps, on_globe
from tests.kinds.trajectories.naive import recode as naive

from sfumato.kinds.trajectories.dataset.locations import EARTH_RADIUS, convex_hull


@given(maps)
def test_the_largest_distance_is_the_largest_of_all_pairs(points):
    largest = max(naive.great_circle(a, b) for a in points for b in points)
    assert on_globe(points).largest_distance() == pytest.approx(largest, abs=0.2)  # antipodes: half the digits are left
    assert on_globe(points).largest_distance() <= math.pi * EARTH_RADIUS + 1e-6


@given(maps)
def test_mean_distances_are_those_along_the_surface(points):
    means = on_globe(points).mean_distances(np.arange(len(points)))
    expected = [sum(naive.great_circle(a, b) for b in points) / len(points) for a in points]
    assert means == pytest.approx(expected, abs=0.2)


def test_new_york_and_sydney_are_not_a_map_apart():
    away = on_globe([(-74.0, 40.7), (151.2, -33.9), (179.99, 0.0), (-179.99, 0.0)])
    assert away.largest_distance() < 20_016_000
    assert away.mean_distances(np.array([2, 3])).tolist() == pytest.approx([1112, 1112], rel=1e-2)


@given(st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=30))
def test_hull_is_convex_and_holds_everything(given_points):
    hull = convex_hull(np.array(given_points, dtype=float))
    assert hull[0] == hull[-1]
    assert set(hull) <= {(float(x), float(y)) for x, y in given_points}
    for (ax, ay), (bx, by) in itertools.pairwise(hull):
        for x, y in given_points:
            assert (bx - ax) * (y - ay) - (by - ay) * (x - ax) >= 0
