"""Distances along the globe: arcs against those of the library, and merging against the plain version."""

import math

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.globe import maps, on_globe
from tests.kinds.trajectories.naive import recode as naive

from sfumato.data.dataset import Dataset
from sfumato.kinds.trajectories._kernels.globe import measure_arc
from sfumato.kinds.trajectories._kernels.linkage import SHORTEST_STEP, choose_scale
from sfumato.kinds.trajectories._kernels.recode import Demand, Places, Rows, Tree, recode
from sfumato.kinds.trajectories.dataset.locations import EARTH_RADIUS
from sfumato.kinds.trajectories.methods.seqanon import SeqAnon
from sfumato.release.run import Run


@given(st.floats(0, 1))
def test_arcs_come_out_like_those_of_the_library(sine):
    """To a few units in the last place: distances are rounded to a millimetre at least before they are compared."""
    assert measure_arc(sine, 1.0) == pytest.approx(math.asin(sine), abs=4e-15)


@given(maps)
def test_no_distance_is_longer_than_the_extent_and_no_step_too_short(points):
    located = on_globe(points)
    steps, extent, diameter = choose_scale(located.points, located.diameter)
    assert diameter == 2 * EARTH_RADIUS
    assert located.largest_distance() <= extent * (1 + 1e-9) + 0.2
    assert extent / steps >= SHORTEST_STEP or steps == 1


@given(maps.filter(lambda points: len(points) <= 8), st.data())
def test_merging_on_the_globe_is_that_of_the_plain_version(points, data):
    rows = data.draw(st.lists(st.lists(st.integers(0, len(points) - 1), max_size=4), min_size=2, max_size=8))
    located = on_globe(points)
    steps, extent, _ = choose_scale(located.points, located.diameter)
    offsets = np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)
    x, y, z = located.points.T
    outcome = recode(
        Rows(offsets, np.array([p for row in rows for p in row], np.int32)),
        Places(x, y, z=z, diameter=located.diameter),
        Tree(),
        Demand(2, sizes=(1, 2)),
        lambda *_: None,
    )
    whole = naive.measure_globe_distances(points, steps, extent)
    plain = naive.recode(rows, points, 2, 2, distance=whole)
    if outcome.status == "done":
        assert outcome.group.tolist() == plain
    else:
        assert (outcome.status, outcome.size, outcome.support) == plain


def test_places_across_the_date_line_are_neighbours():
    """Fiji: the third place is nearer on a flat map with a seam at the date line."""
    places = pa.table(
        {
            "place": ["a", "b", "c"],
            "x": [0.0, 9e6, 1e6],
            "y": [0.0] * 3,
            "lon": [179.9, -179.9, 170.0],
            "lat": [-17.0] * 3,
        }
    )
    data = Dataset.of("trajectories", [["a"], ["b"], ["c"], ["c"]])
    data = Dataset(data.schema, data.table, places)
    release = SeqAnon(k=2, m=1).anonymize(data, Run(bytes(32))).release
    assert release.members() == {"{a|b}": ("a", "b")}
