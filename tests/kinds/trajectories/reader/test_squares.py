"""Grid and quadtree: squares that lie where they lie, and the same as the slow way finds."""

import math
import re

import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive import cells as naive
from tests.kinds.trajectories.reader.points import (
    corners,
    derive,
    earth,
    great_circle,
    lattice,
    on_earth,
    on_plane,
    plane,
)

from sfumato.exceptions import ParameterError


@given(st.lists(plane, min_size=1, max_size=30), st.floats(0.5, 1e6))
def test_grid_puts_points_into_aligned_cells(points, size):
    found = derive(f"grid:{size:f}", on_plane(points))
    size = float(f"{size:f}")
    for (x, y), code in zip(points, found.codes, strict=True):
        column, row = math.floor(x / size), math.floor(y / size)
        assert found.labels[code] == f"x{column}y{row}"
        assert found.x[code] == pytest.approx((column + 0.5) * size)
        assert found.y[code] == pytest.approx((row + 0.5) * size)
    assert len(set(found.labels)) == len(found.labels) == len(set(found.codes.tolist()))


@pytest.mark.parametrize(
    "where", [(23.70, 37.95), (-74.0, 40.7), (18.07, 59.33), (25.0, 78.0), (179.999, -17.0), (0, 0)]
)
def test_a_cell_has_its_size_wherever_it_lies(where):
    lon, lat = where
    points = [where, (lon - 0.003, lat + 0.002), (lon, lat - 0.1), (-120.0, 5.0), (7.0, -85.0)]
    found = derive("grid:0.5km", on_earth(points))
    for (lon, lat), code in zip(points, found.codes, strict=True):
        ring = corners(found.outlines[code])
        assert ring[0] == ring[-1]
        assert ring[0][0] <= lon <= ring[2][0]
        assert ring[0][1] <= lat <= ring[2][1]
        middle = (ring[0][1] + ring[3][1]) / 2
        assert great_circle(ring[0], ring[3]) == pytest.approx(500, rel=1e-3)
        assert great_circle((ring[0][0], middle), (ring[1][0], middle)) == pytest.approx(500, rel=1e-2)
        assert (found.x[code], found.y[code]) == pytest.approx(((ring[0][0] + ring[1][0]) / 2, middle), abs=1e-6)


@given(st.lists(earth, min_size=2, max_size=20), st.floats(1, 1e8))
def test_cells_of_the_globe_do_not_depend_on_the_other_points(points, size):
    together = derive(f"grid:{size:f}", on_earth(points))
    alone = derive(f"grid:{size:f}", on_earth(points[:1]))
    code = together.codes[0]
    assert alone.labels == [together.labels[code]]
    assert alone.outlines == [together.outlines[code]]
    assert (alone.x[0], alone.y[0]) == (together.x[code], together.y[code])


def test_a_grid_too_fine_is_refused():
    with pytest.raises(ParameterError, match="too fine"):
        derive("grid:0.0001m", on_plane([(0, 0), (1e12, 0)]))


@given(
    st.lists(st.tuples(lattice | plane, st.integers(0, 9)), min_size=1, max_size=25),
    st.integers(1, 12),
    st.integers(2, 4),
)
def test_quadtree_equals_the_slow_one(visits, limit, people):
    points, person = [p for p, _ in visits], [i for _, i in visits]
    found = derive(f"quadtree:{limit},people={people}", on_plane(points), person)
    slow = naive.grow_quadtree(points, person, limit, people, 2**41, 61)
    assert [found.labels[code] for code in found.codes] == [f"z{n}x{i}y{j}" for n, i, j in slow]
    assert len(found.labels) <= limit or found.labels == ["z0x0y0"]
    for (x, y), code in zip(points, found.codes, strict=True):
        ring = corners(found.outlines[code])
        slack = 1e-6 * max(1, abs(x), abs(y))
        assert ring[0][0] - slack <= x <= ring[2][0] + slack
        assert ring[0][1] - slack <= y <= ring[2][1] + slack


@given(st.lists(st.tuples(earth, st.integers(0, 5)), min_size=1, max_size=15), st.integers(1, 9))
def test_quadtree_of_the_globe_equals_the_slow_one(visits, limit):
    points, person = [p for p, _ in visits], [i for _, i in visits]
    found = derive(f"quadtree:{limit},people=2", on_earth(points), person)
    slow = naive.grow_quadtree([(min(x, 179.9999999), y) for x, y in points], person, limit, 2, 360, 24)
    assert [found.labels[code] for code in found.codes] == [f"z{n}x{i}y{j}" for n, i, j in slow]


def test_one_person_alone_never_makes_a_small_square():
    """A thousand fixes of one person at home among ten others: the square of all is quartered, the home is not."""
    points = [(5 + i * 1e-3, 5.0) for i in range(1000)] + [(float(i), 40.0 + i) for i in range(10)]
    person = [99] * 1000 + list(range(10))
    found = derive("quadtree:500", on_plane(points), person)
    level, column, row = map(int, re.fullmatch(r"z(\d+)x(-?\d+)y(-?\d+)", found.labels[found.codes[0]]).groups())
    side = 2.0**41 / 2**level
    around = {p for p, (x, y) in zip(person, points, strict=True)
              if column // 2 * 2 * side <= x < (column // 2 + 1) * 2 * side
              and row // 2 * 2 * side <= y < (row // 2 + 1) * 2 * side}  # fmt: skip
    assert len(around) >= 10
