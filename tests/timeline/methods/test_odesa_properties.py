"""The walk with a heap equals the dynamic program, and the round robin equals the paper's, exactly."""

from fractions import Fraction

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.timeline.naive.sanitisation import dynamic_program, error, essa, greedy, keeps, needs
from tests.timeline.naive.timelines import delete, left, occurring, small_timelines

import sfumato as sf
from sfumato.kinds.timeline.kernels.sanitisation import Event, Rule, is_cheaper, needed


@settings(max_examples=150)
@given(small_timelines())
def test_odesa_equals_the_dynamic_program(instance):
    alphabet, rows, sensitive, delta = instance
    deletions, _ = delete(sf.methods.Odesa, rows, sensitive, alphabet, delta)
    assert deletions.error() == dynamic_program(occurring(rows), sensitive, delta, alphabet)[0]
    assert keeps(left(rows, deletions), sensitive, delta)
    assert deletions.by_point.tolist() == greedy(occurring(rows), sensitive, delta, alphabet)


@settings(max_examples=60)
@given(small_timelines(most=3, points=5, sensitive=4))
def test_essa_equals_the_papers_round_robin(instance):
    alphabet, rows, sensitive, delta = instance
    deletions, _ = delete(sf.methods.Essa, rows, sensitive, alphabet, delta)
    expected, after = essa(occurring(rows), sensitive, delta, alphabet)
    assert deletions.error() == expected == error(occurring(rows), left(rows, deletions), alphabet)
    assert left(rows, deletions) == after
    assert keeps(after, sensitive, delta)


@settings(max_examples=60)
@given(small_timelines(points=4))
def test_needs_are_the_least_that_make_an_event_rare(instance):
    _, rows, sensitive, delta = instance
    rule = Rule(delta.numerator, delta.denominator, 1)
    count, length = 0, 0
    for row, expected in zip(rows, needs(occurring(rows), sensitive, delta), strict=True):
        count, length = count + row.get(sensitive, 0), length + sum(row.values())
        assert needed(count, length, rule) == expected


def rise(weight, size, k):
    """Cost of the next deletion after k, as a fraction."""
    costs = [Fraction(weight * i * i, (size * (size - 2 * i)) ** 2) for i in (k, k + 1)]
    return costs[1] - costs[0]


@settings(max_examples=100)
@given(st.data())
def test_deletions_are_compared_exactly_however_large_the_numbers(data):
    """Weights next to each other differ in the last digit of 60 bits: no rounded number tells them apart."""
    size = data.draw(st.integers(8, 2**30 - 1))
    k = data.draw(st.integers(0, (size - 3) // 2))
    weight = data.draw(st.integers(2**59, 2**61))
    places = [(weight, size, k), (weight + data.draw(st.integers(-1, 1)), size, k)]
    places.append((data.draw(st.integers(1, 2**61)), size, data.draw(st.integers(0, (size - 3) // 2))))
    columns = [np.array(column, dtype=np.int64) for column in zip(*places, strict=True)]
    keys = np.array([float(rise(*place)) for place in places])
    event = Event(np.arange(3), np.full(3, size), columns[2], columns[1], columns[0], keys)
    for one in range(3):
        for other in range(3):
            costs = rise(*places[one]), rise(*places[other])
            assert is_cheaper(event, one, other) == (costs[0] < costs[1] or (costs[0] == costs[1] and one > other))
