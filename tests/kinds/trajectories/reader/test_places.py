"""Places of rows: where they are if their points differ."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.reader.points import on_plane, plane

from sfumato.kinds.trajectories.reader.places import average_positions


@given(st.lists(st.tuples(st.integers(0, 4), plane), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_a_place_is_where_its_points_are_on_average(rows, random):
    used = {code: i for i, code in enumerate(dict.fromkeys(code for code, _ in rows))}
    rows = [(used[code], point) for code, point in rows]

    def average(rows):
        codes = np.array([code for code, _ in rows])
        return average_positions(codes, len(used), on_plane([point for _, point in rows]))

    x, y, differ = average(rows)
    for code in used.values():
        mine = [point for c, point in rows if c == code]
        assert x[code] == pytest.approx(sum(p[0] for p in mine) / len(mine), abs=1e-6)
        assert y[code] == pytest.approx(sum(p[1] for p in mine) / len(mine), abs=1e-6)
    assert differ == sum(len({p for c, p in rows if c == code}) > 1 for code in used.values())
    random.shuffle(rows)
    again = average(rows)
    assert (again[0] == x).all()
    assert (again[1] == y).all()
