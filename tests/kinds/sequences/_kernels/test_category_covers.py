"""CP with categories: queues of left ends against trying all of them, and both against the plain programme."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import covers as naive

from sfumato.kinds.sequences._kernels.category_covers import fill_by_category, fill_by_left_ends, fill_by_runs, new_runs
from sfumato.kinds.sequences._kernels.covers import Monitored, find_intervals
from sfumato.kinds.sequences._kernels.prices import set_prices
from sfumato.kinds.sequences._kernels.profiles import BEFORE, BEST, CHOICE, EVENTS, NEVER, NODE, REACH, TIME, new_table

# Leaves 0 to 4 under 5 and 6; 7 has 6 as its only child, and 8 is the root.
PARENT = [5, 5, 6, 6, 6, 8, 7, 8, -1]
LEAVES = [naive.count_leaves(node, PARENT) for node in range(len(PARENT))]
SPAN = 400
WEIGHTS = st.sampled_from([(1, 1), (9, 1), (1, 9), (0, 1), (1, 0.01)])


def price(weights, events):
    return set_prices(*weights, SPAN, events, np.array(PARENT, np.int32), np.array(LEAVES))


@st.composite
def profiles(draw, most_times=70):
    """Any profile: times that rise, left ends that rise, and nodes that need not be leaves."""
    times = sorted(draw(st.sets(st.integers(0, SPAN), min_size=1, max_size=most_times)))
    favourites = draw(st.lists(st.integers(0, len(PARENT) - 1), min_size=1, max_size=3))
    profile = np.empty((len(times), NODE + 1), np.int64)
    profile[:, TIME] = times
    profile[:, EVENTS] = [draw(st.integers(1, 3)) for _ in times]
    profile[:, NODE] = [draw(st.sampled_from(favourites)) for _ in times]
    back = np.array([draw(st.integers(0, 40)) for _ in times])
    profile[:, REACH] = np.maximum.accumulate(np.maximum(profile[:, TIME] - back, NEVER))
    profile[: draw(st.integers(0, len(times) // 4)), REACH] = NEVER
    return profile


def fill(way, profile, prices):
    table = new_table(len(profile))
    table[0, [BEFORE, BEST]] = 0
    table[1:, BEFORE] = np.cumsum(profile[:, EVENTS])
    runs = [] if way is fill_by_left_ends else [new_runs(len(profile), prices)]
    way(profile, prices, table, *runs)
    return table[1:, [BEST, CHOICE]].tolist()


@settings(max_examples=300)
@given(profiles(), WEIGHTS)
def test_queues_of_left_ends_equal_trying_all(profile, weights):
    prices = price(weights, int(profile[:, EVENTS].sum()))
    expected = fill(fill_by_left_ends, profile, prices)
    assert fill(fill_by_runs, profile, prices) == expected
    assert fill(fill_by_category, profile, prices) == expected


@pytest.mark.parametrize("weights", [(1, 1), (9, 1), (1, 9), (0, 1)])
@pytest.mark.parametrize("favourites", [1, 2, 5])  # few kinds of events make long runs
@pytest.mark.parametrize("people", [1, 2, 4])
def test_long_groups_are_covered_as_well_as_stepwise(weights, favourites, people):
    random = np.random.default_rng([favourites, people])
    leaf = random.choice(5, favourites, replace=False)
    group = [
        list(zip(random.integers(0, SPAN, 40).tolist(), random.choice(leaf, 40).tolist(), strict=True))
        for _ in range(people)
    ]
    events = [event for member in group for event in member]
    monitored = Monitored(
        np.arange(people + 1) * 40,
        np.array([time for time, _ in events]),
        np.array([event for _, event in events], np.int32),
    )
    prices = price(weights, len(events))
    found = find_intervals(monitored, np.zeros(people, np.int64), prices)
    assert Fraction(int(found.loss[0]), prices.whole) == naive.least_loss_stepwise(group, weights, SPAN, PARENT)
    starts, ends = found.start.tolist(), found.end.tolist()
    paid = [naive.price_of([lo, hi], group, weights, SPAN, PARENT) for lo, hi in zip(starts, ends, strict=True)]
    assert sum(paid) == Fraction(int(found.loss[0]), prices.whole)
