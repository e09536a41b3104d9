"""Distinct numbers that are found by sorting are those of NumPy and of plain Python."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.distinct import distinct, is_in

TYPES = [np.int32, np.int64, np.uint8]


@st.composite
def drawn(draw, kind=None):
    """Draw numbers of one type: small ones, and any up to the ends of the type."""
    kind = kind or draw(st.sampled_from(TYPES))
    ends = np.iinfo(kind)
    value = st.one_of(st.integers(int(ends.min), int(ends.max)), st.integers(0, 5))
    return np.array(draw(st.lists(value, max_size=12)), dtype=kind)


@given(drawn())
def test_distinct_numbers_ascend(numbers):
    found = distinct(numbers)
    assert found.tolist() == sorted(set(numbers.tolist()))
    assert found.dtype == np.unique(numbers).dtype
    assert distinct(np.array([numbers, numbers])).tolist() == found.tolist()


@given(st.data())
def test_numbers_among_members(data):
    """Of any two types, and also where numbers lie far apart, which NumPy treats differently."""
    numbers, members = data.draw(drawn()), data.draw(drawn())
    if data.draw(st.booleans()):
        members = np.concatenate([members, numbers[::2]])
    found = is_in(numbers, members)
    assert found.tolist() == [number in set(members.tolist()) for number in numbers.tolist()]
    assert found.tolist() == np.isin(numbers, members).tolist()


@given(drawn())
def test_what_is_given_stays_as_it_is(numbers):
    before = numbers.tolist()
    distinct(numbers)
    is_in(numbers, numbers[::2])
    is_in(numbers[::2], numbers)
    assert numbers.tolist() == before
