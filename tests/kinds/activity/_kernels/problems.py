"""Small problems for kernels: few activities done in runs, so that windows fill and distances tie."""

from fractions import Fraction

import numpy as np
from hypothesis import strategies as st
from tests.kinds.activity.naive import methods as plain

from sfumato.kinds.activity._kernels.classes import Demand
from sfumato.kinds.activity._kernels.durations import Activities
from sfumato.kinds.activity._kernels.levels import Levels


@st.composite
def problems(draw, most_people=12):
    """Few activities done in runs, so that windows fill and distances tie."""
    q, slots = draw(st.integers(2, 4)), draw(st.integers(1, 8))
    people = draw(st.integers(1, most_people))
    cells = st.lists(st.integers(0, q - 1), min_size=slots, max_size=slots)
    away = st.tuples(st.integers(0, slots), st.integers(0, slots))
    rows = draw(st.lists(cells, min_size=people, max_size=people))
    sensitive = draw(st.lists(st.integers(0, q - 1), min_size=1, max_size=2, unique=True))
    for row in rows:
        begin, length = draw(away)
        row[begin : begin + length] = [sensitive[0]] * len(row[begin : begin + length])
    epsilon = Fraction(*draw(st.sampled_from([(1, 3), (1, 2), (3, 4), (4, 5), (1, 1)])))
    others = [code for code in range(q) if code not in sensitive]
    gap = draw(st.sampled_from([None, *others]))
    return plain.Data(rows, q, sensitive, draw(st.integers(1, 4)), epsilon, draw(st.integers(1, 5)), gap)


levels = st.builds(
    Levels,
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple),
    fanout=st.integers(1, 3),
    weight=st.sampled_from([None, 0.0, 0.5, 1.0, 1.7]),
)


def arrays(data):
    codes = np.array(data.rows, np.int32)
    demand = Demand(data.k, data.delta, data.epsilon.numerator, data.epsilon.denominator)
    return Activities(codes, data.q, np.array(data.sensitive), -1 if data.gap is None else data.gap), demand
