"""Where the report draws places."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.kinds.trajectories.report import geometry

points = st.lists(st.tuples(st.integers(-20, 20), st.integers(-20, 20)), min_size=1, max_size=30)


@given(points, st.integers(1, 10))
def test_thinning_keeps_few_and_the_heaviest(given_points, most):
    pixels = np.array(given_points, dtype=float)
    weights = np.arange(len(pixels))
    kept, side = geometry.thin_out(pixels, weights, most)
    if side:
        assert len(kept) <= most
        assert len(pixels) - 1 in kept
    else:
        assert kept.tolist() == list(range(len(pixels)))


@given(points)
@settings(max_examples=30)
def test_colours_are_given_to_all_groups(given_points):
    pixels = np.array(given_points, dtype=float)
    group = np.arange(len(pixels)) // 2
    colours = geometry.choose_colours(pixels, group, 6)
    assert len(colours) == group.max() + 1
    assert ((colours >= 0) & (colours < 6)).all()


def test_neighbours_have_different_colours():
    x, y = np.meshgrid(np.arange(12), np.arange(12))
    pixels = 30.0 * np.column_stack([x.ravel(), y.ravel()])
    group = (x // 3 + 4 * (y // 3)).ravel()
    colours = geometry.choose_colours(pixels, group, 6).reshape(4, 4)
    assert (colours[:, 1:] != colours[:, :-1]).all()
    assert (colours[1:] != colours[:-1]).all()


def test_outlines_in_degrees_meet_places_in_metres():
    lon, lat = np.array([179.9, -179.9]), np.array([10.0, 10.2])
    plane = np.column_stack([np.where(lon < 0, lon + 360, lon) * 109_000, lat * 111_000])
    corners = np.column_stack([lon, lat])
    assert np.allclose(geometry.project(corners, corners, plane), plane)
