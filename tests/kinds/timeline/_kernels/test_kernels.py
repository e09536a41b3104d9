"""Kernels against plain counting: needs, exact comparisons, rounded errors and the bound."""

from fractions import Fraction

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.timeline.naive.sanitisation import brute_force, needs
from tests.kinds.timeline.naive.timelines import number_of_ways, occurring, small_timelines

import sfumato as sf
from sfumato.kinds.timeline._kernels.bound import least_error, least_needs
from sfumato.kinds.timeline._kernels.joint import error_of
from sfumato.kinds.timeline._kernels.sanitisation import Event, Rule, is_cheaper, needed


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


@settings(max_examples=40)
@given(small_timelines(most=3, points=4, sensitive=3))
def test_no_solution_stays_below_the_bound(instance):
    alphabet, rows, sensitive, delta = instance
    assume(number_of_ways(rows, sensitive) <= 600)
    data = sf.Dataset.of("timeline", rows, sensitive=tuple(sensitive), events=tuple(alphabet))
    task = sf.methods.EssaJoint(delta=delta).task(data)
    least = least_error(task.occurrences, task.rule, np.arange(len(rows)))
    best, after = brute_force(occurring(rows), sensitive, delta, alphabet)
    assert least <= float(best) * (1 + 1e-12)
    totals = [sum(row.get(event, 0) for row in rows) for event in sensitive]
    gone = [total - sum(row.get(event, 0) for row in after) for total, event in zip(totals, sensitive, strict=True)]
    length = sum(sum(row.values()) for row in rows)
    assert all(least_needs(np.array(totals), length, task.rule) <= gone)


def test_the_rounded_error_of_the_kernels_is_the_exact_one():
    rows = [{"a": 3, "b": 2, "c": 5}, {"a": 1, "b": 4}]
    data = sf.Dataset.of("timeline", rows, sensitive=("a", "b"), events=("d",))
    task = sf.methods.EssaJoint(delta="1/9").task(data)
    removed = np.array([2, 1, 1, 3])
    exact = task.deletions(removed).error()
    assert abs(error_of(task.occurrences, removed, task.rule.alphabet) - float(exact)) < 1e-14
