"""Maps on the globe: everywhere, in a city at the date line, and in its corners."""

import numpy as np
import pyarrow as pa
from hypothesis import strategies as st

from sfumato.kinds.trajectories.dataset.locations import Locations

everywhere = st.tuples(st.floats(-180, 180), st.floats(-90, 90))
city = st.tuples(st.floats(179.9, 180), st.floats(59.9, 60))
corners = st.sampled_from([(0, 0), (180, 0), (-180, 0), (90, 0), (0, 90), (0, -90), (45, 45)])
maps = st.sampled_from([everywhere, city, corners]).flatmap(lambda point: st.lists(point, min_size=2, max_size=14))


def on_globe(points):
    lon, lat = zip(*points, strict=True)
    return Locations.of(pa.table({"lon": np.array(lon, float), "lat": np.array(lat, float)}))
