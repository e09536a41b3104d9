"""Distances among people, plain and weighted, from tables and when they are asked for."""

import math
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity._kernels.problems import arrays, levels, problems

from sfumato.kinds.activity._kernels import classes as fast
from sfumato.kinds.activity._kernels import space as activity_space
from sfumato.kinds.activity._kernels.durations import Activities
from sfumato.kinds.activity._kernels.space import build_space, measure_from_person, measure_gap


def test_the_weighted_distance_of_the_paper_is_negative():
    codes = np.array([[0, 1], [1, 0]], np.int32)
    far = {}
    for weight in (1.0, 1.1):
        distance = np.empty(2)
        measure_from_person(build_space(Activities(codes, 2, np.array([1])), np.arange(2), 1, weight), 0, distance)
        far[weight] = distance[1]
    assert far[1.0] == 0.0
    assert far[1.1] == pytest.approx(-0.1 * math.sqrt(2))


def test_the_weighted_distance_may_be_negative():
    codes = np.array([[0, 2], [2, 0]], np.int32)
    space = build_space(Activities(codes, 3, np.array([2])), np.arange(2), 1, 1.1)
    distance = np.empty(2)
    measure_from_person(space, 0, distance)
    assert distance.tolist() == [0.0, math.sqrt(2) - 1.1 * math.sqrt(2)]
    assert measure_gap(space.secret, np.array([0]), np.array([0, 1])) == Fraction(1, 2)


def test_sums_that_need_too_many_bits_are_refused():
    codes = np.broadcast_to(np.int32(0), (3_000_000, 1_000_000))
    with pytest.raises(OverflowError, match="62 bits"):
        build_space(Activities(codes, 1, np.array([0])), np.arange(3_000_000), 1_000_000, None)


@settings(max_examples=50)
@given(problems(), levels, st.integers(4, 6))
def test_distances_worked_out_when_asked_for_change_nothing(data, shape, rows):
    activities, demand = arrays(data)
    with pytest.MonkeyPatch.context() as patch:
        tabled = [method(activities, demand, shape) for method in (fast.mc_l_mdav, fast.mc_l_vmdav)]
        patch.setattr(activity_space, "_fits_table", lambda size, width: size == 0)
        patch.setattr(activity_space, "_CELLS_OF_ROWS", rows)
        asked = [method(activities, demand, shape) for method in (fast.mc_l_mdav, fast.mc_l_vmdav)]
    for one, other in zip(tabled, asked, strict=True):
        assert one.label.tolist() == other.label.tolist()
        assert one[2:] == other[2:]
