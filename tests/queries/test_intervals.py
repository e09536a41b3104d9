"""Fuzzy intervals: four numbers in order, or positive and negative observations that do not contradict."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exceptions import ParameterError
from sfumato.queries.intervals import FuzzyInterval, FuzzyIntervals, observe


@pytest.mark.parametrize(
    "corners",
    [(2, 1, 3, 4), (0, 2, 2, 3), (0, 1, 4, 3), (math.nan, 1, 2, 3), (-math.inf, 0, 1, 2), (0, 1, 2, math.inf)],
)
def test_four_numbers_out_of_order_or_without_bound_are_refused(corners):
    with pytest.raises(ParameterError, match="fuzzy interval 0"):
        FuzzyInterval(*corners)


def test_the_first_wrong_row_of_columns_is_named():
    a = np.array([0, 0, 5])
    with pytest.raises(ParameterError, match="fuzzy interval 2"):
        FuzzyIntervals(a, np.array([1, 1, 1]), np.array([2, 2, 2]), np.array([3, 3, 3]))


def test_columns_of_different_length_are_refused():
    with pytest.raises(ParameterError, match="same number of rows"):
        FuzzyIntervals(np.arange(2), np.arange(2), np.arange(1, 2), np.arange(1, 3))


def test_there_is_no_hull_of_none():
    with pytest.raises(ParameterError, match="no hull"):
        FuzzyIntervals.of([]).enclose()


def test_large_whole_times_stay_exact():
    assert FuzzyIntervals.of([FuzzyInterval.crisp(2**61 + 1, 2**61 + 2)])[0].certain_from == 2**61 + 1


observations = st.lists(st.tuples(st.integers(0, 9), st.integers(0, 4)).map(lambda x: (x[0], x[0] + x[1])), max_size=4)


def goes_on(corners, t):
    """Whether something with these four times goes on at t: certainly, possibly, or not."""
    a, b, c, d = corners
    return "certainly" if b < t < c else "possibly" if a <= t <= d else "not"


@given(observations.filter(len), observations)
def test_observations_are_kept_or_refused_for_a_pair(positive, negative):
    start, end = min(s for s, _ in positive), max(e for _, e in positive)
    contradict = any(s < end and e > start for s, e in negative)
    try:
        found = observe(positive, negative, within=(-10, 20))
    except ParameterError as refused:
        assert start == end or (contradict and "negative" in str(refused) and "positive" in str(refused))
        return
    assert start < end and not contradict
    corners = (found.possible_from, found.certain_from, found.certain_to, found.possible_to)
    halves = [number / 2 for number in range(-20, 41)]
    seen = {t: "certainly" for t in halves if start < t < end}
    seen |= {t: "not" for t in halves if any(s < t < e for s, e in negative)}
    assert all(goes_on(corners, t) == state for t, state in seen.items())
    bounds = [e for _, e in negative if e <= start] + [-10], [s for s, _ in negative if s >= end] + [20]
    assert corners == (max(bounds[0]), start, end, min(bounds[1]))


@pytest.mark.parametrize(
    ("positive", "negative", "named"),
    [
        ([(0, 4), (6, 8)], [(9, 9), (3, 5)], "negative 1 and positive 0 contradict each other: they share time"),
        ([(0, 4), (6, 8)], [(5, 5)], "negative 0 lies between positive 0 and positive 1"),
        ([(7, 8), (0, 1), (3, 4)], [(4, 7)], "negative 0 lies between positive 2 and positive 0"),
        ([(0, 1), (5, 5), (7, 8)], [(5, 5)], "negative 0 and positive 1 contradict"),
    ],
)
def test_the_contradicting_observations_are_named(positive, negative, named):
    with pytest.raises(ParameterError, match=named):
        observe(positive, negative)


@pytest.mark.parametrize(
    ("positive", "negative", "within", "named"),
    [
        ([], [(0, 1)], None, "at least one positive"),
        ([(3, 3)], [(0, 1)], None, "span no time"),
        ([(3, 4)], [(0, 1)], None, "lies after"),
        ([(3, 4)], [(5, 6)], None, "lies before"),
        ([(4, 3)], [], (0, 9), "positive 0"),
        ([(3, 4)], [(2, math.nan)], (0, 9), "negative 0"),
        ([(3, 4)], [], (3.5, 9), "`within` must contain"),
    ],
)
def test_observations_that_say_too_little_are_refused(positive, negative, within, named):
    with pytest.raises(ParameterError, match=named):
        observe(positive, negative, within)
