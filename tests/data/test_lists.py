"""Distinct numbers that are found by sorting are those of NumPy and of plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.lists import distinct


@st.composite
def drawn(draw):
    """Draw numbers of one type: small ones, and any up to the ends of the type."""
    kind = draw(st.sampled_from([np.int32, np.int64, np.uint8]))
    ends = np.iinfo(kind)
    value = st.one_of(st.integers(int(ends.min), int(ends.max)), st.integers(0, 5))
    return np.array(draw(st.lists(value, max_size=12)), dtype=kind)


@given(drawn())
def test_distinct_numbers_ascend(numbers):
    before = numbers.tolist()
    found = distinct(numbers)
    assert found.tolist() == sorted(set(before)) == np.unique(numbers).tolist()
    assert found.dtype == np.unique(numbers).dtype
    assert distinct(np.array([numbers, numbers])).tolist() == found.tolist()
    assert numbers.tolist() == before
