"""Where places are published to be: the smallest cell of k people, as the plain version finds it."""

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive import cells as naive

from sfumato.data.dataset import Dataset
from sfumato.data.places import Observations, PlaceOrigin
from sfumato.kinds.trajectories.encode.places import publish_places

point = st.tuples(st.floats(-180, 180), st.floats(-90, 90))
near = st.tuples(st.floats(8, 8.001), st.floats(53, 53.001))
borders = st.sampled_from([(0.0, 0.0), (180.0, 0.0), (-180.0, 0.0), (90.0, 45.0), (-1e-300, 1e-300), (22.5, -22.5)])


@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, 4), near | borders | point), min_size=1, max_size=25),
    st.integers(1, 3),
    st.sampled_from(["lonlat", "plane"]),
)
def test_the_smallest_cell_of_k_people_is_that_of_the_plain_version(visits, k, coordinates):
    origin = PlaceOrigin("cells", coordinates)
    first, second = origin.axes
    labels = ["a", "b", "c"]
    places = pa.table({"place": labels, first: [0.0] * 3, second: [0.0] * 3})
    columns = [np.array(column) for column in zip(*((q, p, *xy) for q, p, xy in visits), strict=True)]
    data = Dataset.of("trajectories", [labels])
    data = Dataset(data.schema, data.table, places, place_origin=origin, observations=Observations(*columns))
    found = publish_places(data, labels, k).to_pylist()
    for place, row in enumerate(found):
        mine = [(person, xy) for q, person, xy in visits if q == place]
        slow = naive.publish(mine, k, origin.side, origin.levels)
        assert (None if row["level"] is None else (row["level"], row[first], row[second])) == slow
