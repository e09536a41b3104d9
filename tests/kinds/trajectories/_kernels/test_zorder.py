"""Z-order of places: the fast order equals sorting by whole numbers."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.trajectories.naive import zorder as naive

from sfumato.kinds.trajectories._kernels.zorder import z_order

coordinates = st.floats(-1e6, 1e6) | st.integers(-3, 3).map(float)


@settings(max_examples=150)
@given(st.lists(st.tuples(coordinates, coordinates), max_size=30))
def test_z_order_equals_interleaving_bit_by_bit(places: list[tuple[float, float]]) -> None:
    x, y = [place[0] for place in places], [place[1] for place in places]
    assert z_order(x, y).tolist() == naive.z_order(x, y)


def test_z_order_walks_the_quadrants() -> None:
    y, x = np.divmod(np.arange(16), 4)
    assert z_order(x, y).tolist() == [0, 1, 4, 5, 2, 3, 6, 7, 8, 9, 12, 13, 10, 11, 14, 15]


def test_z_order_of_places_on_one_spot_or_line() -> None:
    assert z_order([5, 5, 5], [1, 1, 1]).tolist() == [0, 1, 2]
    assert z_order([5, 5, 5], [3, 1, 2]).tolist() == [1, 2, 0]
    assert z_order([0.0, 1.0], [0.0, 1.0]).dtype == np.int64
