"""CP against all interval sets, and the lower bounds against CP."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import covers as naive

from sfumato.kinds.sequences._kernels import bounds
from sfumato.kinds.sequences._kernels.clusters import BEGIN, END, measure_union, merge_clusters, new_store
from sfumato.kinds.sequences._kernels.covers import Monitored, find_intervals
from sfumato.kinds.sequences._kernels.prices import set_prices
from sfumato.kinds.sequences._kernels.windows import Unmonitored, key_pairs

# Leaves 0 to 4 under 5 and 6, these under the root 7.
PARENT = [5, 5, 6, 6, 6, 7, 7, -1]
LEAVES = [naive.count_leaves(node, PARENT) for node in range(len(PARENT))]
WEIGHTS = [(1, 0), (1, 1), (0, 1), (2, 0.5)]


def as_monitored(people):
    offsets = np.cumsum([0] + [len(person) for person in people]).astype(np.int64)
    times, leaf = (np.array([event[i] for person in people for event in person]) for i in (0, 1))
    return Monitored(offsets, times.astype(np.int64), leaf.astype(np.int32))


def price(monitored, weights):
    span = int(np.ptp(monitored.times))
    prices = set_prices(*weights, span, monitored.times.size, np.array(PARENT, np.int32), np.array(LEAVES))
    # With a span of 0 lengths are 0, whatever they are divided by.
    return prices, span, prices.time * max(1, span) + prices.leaf * LEAVES[-1]


def exact(weights):
    return tuple(Fraction(str(weight)) for weight in weights)


def build_clusters(groups, weights, bits):
    """A store with one cluster for each group, and the clusters' numbers."""
    monitored = as_monitored([member for group in groups for member in group])
    people = monitored.offsets.size - 1
    nothing = Unmonitored(np.zeros(people + 1, np.int64), np.empty(0, np.int32), np.empty(0, np.int64))
    store = new_store(monitored, key_pairs(nothing, 0), price(monitored, weights)[0], bits)
    numbers, person = [], 0
    for group in groups:
        cluster = person
        for member in range(person + 1, person + len(group)):
            cluster = merge_clusters(store, cluster, member)
        numbers.append(cluster)
        person += len(group)
    return store, numbers


def bound_by_extent(store, cluster, others):
    """The bound by the extent of several clusters."""
    card = store.cards[cluster]
    columns = list(zip(*(bounds.describe_extent(store.cards[other]) for other in others), strict=True))
    merged = [reduce(column) for reduce, column in zip((min, max, min, max, max, min, min), columns, strict=True)]
    extent = bounds.Extent(*(int(value) for value in merged))
    profile = store.pool[card[BEGIN] : card[END]]
    return bounds.bound_by_extent(card, profile, extent, store.prices.time, store.prices.leaf)


@st.composite
def groups(draw, members=3, events=4):
    latest = draw(st.sampled_from([3, 9, 30]))
    event = st.tuples(st.integers(0, latest), st.integers(0, 4))
    member = st.lists(event, min_size=1, max_size=events)
    return draw(st.lists(member, min_size=1, max_size=members))


def draw_group(random, latest):
    return [
        [(int(random.integers(latest + 1)), int(random.integers(5))) for _ in range(random.integers(1, 5))]
        for _ in range(random.choice([1, 1, 2, 3]))
    ]


def test_worked_example():
    found = find_intervals(
        as_monitored([[(1, 0), (10, 0)], [(3, 0), (11, 0)]]), np.zeros(2, np.int64), set_prices(1, 0, 10, 4)
    )
    assert found.offsets.tolist() == [0, 2]
    assert (found.start.tolist(), found.end.tolist()) == ([1, 10], [3, 11])
    assert (found.loss.tolist(), found.events.tolist(), found.people.tolist()) == ([6], [4], [2])


@settings(max_examples=200)
@given(groups(), st.sampled_from(WEIGHTS))
def test_best_intervals_attain_the_least_loss_of_all_interval_sets(group, weights):
    monitored = as_monitored(group)
    prices, span, whole = price(monitored, weights)
    found = find_intervals(monitored, np.zeros(len(group), np.int64), prices)
    sets = {tuple(runs): loss for loss, runs in naive.cover(group, exact(weights), span, PARENT)}
    intervals = tuple(zip(found.start.tolist(), found.end.tolist(), strict=True))
    assert Fraction(int(found.loss[0]), whole) == min(sets.values()) == sets[intervals]
    assert naive.least_loss_stepwise(group, exact(weights), span, PARENT) == min(sets.values())
    if prices.leaf:
        for node, (start, end) in zip(found.node.tolist(), intervals, strict=True):
            covered = [leaf for member in group for time, leaf in member if start <= time <= end]
            assert node == naive.join(covered, PARENT)


@settings(max_examples=100)
@given(st.lists(groups(members=2), min_size=1, max_size=4), st.integers(0, 3))
def test_groups_are_covered_one_by_one(many, left_out):
    """Members of a group need not stand side by side, and whoever is in no group is left out."""
    people = [member for group in many for member in group]
    number = [i for i, group in enumerate(many) for _ in group]
    shuffled = np.random.default_rng(left_out).permutation(len(people))
    prices, _, whole = price(as_monitored(people), (1, 0))
    found = find_intervals(
        as_monitored([people[i] for i in shuffled] + [[(7, 0)]] * left_out),
        np.array([number[i] for i in shuffled] + [-1] * left_out),
        prices,
    )
    for i, group in enumerate(many):
        assert found.loss[i] == naive.least_loss_stepwise(group)
        assert (found.people[i], found.events[i]) == (len(group), naive.count_events(group))
    assert whole == max(1, prices.whole)


@pytest.mark.parametrize("seed", range(30))
def test_long_groups_are_covered_as_well_as_stepwise(seed):
    """So many times that left ends wait in the queue for long."""
    random = np.random.default_rng(seed)
    latest = int(random.choice([60, 400, 100_000]))
    centre = random.integers(0, latest, 12)
    group = [
        [(int(time), 0) for time in random.integers(-latest // 9, latest // 9, 12) + centre]
        + [(int(time), 0) for time in random.integers(0, latest, random.integers(0, 20))]
        for _ in range(1 + seed % 4)
    ]
    monitored = as_monitored(group)
    found = find_intervals(monitored, np.zeros(len(group), np.int64), price(monitored, (1, 0))[0])
    assert found.loss[0] == naive.least_loss_stepwise(group)


@pytest.mark.parametrize("seed", range(40))
def test_no_bound_exceeds_the_loss(seed):
    """Some 5,000 times: a cluster against up to three others, one by one and as a set, for all weights."""
    random = np.random.default_rng(seed)
    for _ in range(15):
        latest = int(random.choice([6, 15, 40, 1000]))
        one, *others = (draw_group(random, latest) for _ in range(random.integers(2, 5)))
        bits = int(random.choice([1, 5, 32, 62]))
        for weights in WEIGHTS:
            store, (mine, *numbers) = build_clusters([one, *others], weights, bits)
            least = []
            for number, other in zip(numbers, others, strict=True):
                events = naive.count_events(one, other)
                loss = measure_union(store, mine, number)
                least.append(loss / events)
                assert bounds.bound_by_parts(store.cards[mine], store.cards[number]) <= least[-1]
                assert bounds.bound_by_fingerprint(store, mine, number) <= least[-1]
                assert bounds.bound_by_neighbours(store, mine, number) <= least[-1]
                assert bound_by_extent(store, mine, [number]) <= least[-1]
                if weights == (1, 0):
                    assert loss == naive.least_loss_stepwise(one + other)
            assert bound_by_extent(store, mine, numbers) <= min(least)


@settings(max_examples=300)
@given(groups(), st.lists(groups(), min_size=1, max_size=3), st.sampled_from([1, 4, 32, 62]))
def test_bounds_are_at_least_as_tight_as_printed(one, others, bits):
    store, (mine, *numbers) = build_clusters([one, *others], (1, 0), bits)
    times = [time for group in (one, *others) for time in naive.times_of(group)]
    for number, other in zip(numbers, others, strict=True):
        tight, printed = bounds.bound_by_neighbours(store, mine, number), float(naive.bound_by_neighbours(one, other))
        assert tight == printed if len(one) == len(other) == 1 else tight >= printed
        # The fingerprint is the printed one, but for rounding the loss down to a whole number.
        printed = naive.bound_by_fingerprint(one, other, bits, min(times), max(times)) * naive.count_events(one, other)
        got = bounds.bound_by_fingerprint(store, mine, number)
        assert got == int(printed) / naive.count_events(one, other)
        assert bound_by_extent(store, mine, [number]) >= float(naive.bound_by_extent(one, [other]))
    loss = min(naive.least_loss_stepwise(one + other) / Fraction(naive.count_events(one, other)) for other in others)
    assert naive.bound_by_extent(one, others) <= loss


def test_the_printed_extent_is_no_bound():
    """7 and 8 are best covered from the left and 13 from the right; the lemma covers all from one side."""
    one, other = [[(7, 0), (8, 0), (13, 0)]], [[(2, 0), (15, 0)]]
    loss = Fraction(naive.least_loss(one + other), 5)
    assert loss == Fraction(3 * 6 + 2 * 2, 5)
    assert naive.bound_by_extent(one, [other], printed=True) == Fraction(3 * 8, 5) > loss
    assert naive.bound_by_extent(one, [other]) == Fraction(2 * 6 + 1 * 2, 5) <= loss
    store, (mine, number) = build_clusters([one, other], (1, 0), 32)
    assert naive.bound_by_extent(one, [other]) <= bound_by_extent(store, mine, [number]) <= loss


def test_prices_keep_the_proportion_of_the_weights():
    tree = np.array([2, 2, -1], np.int32), np.array([1, 1, 2])
    assert set_prices(1, 0, 86_400, 10**6)[:3] == (1, 0, 86_400)
    assert set_prices(0, 3, 86_400, 10**6, *tree)[:3] == (0, 1, 2)
    assert set_prices(0.1, 0.3, 100, 5, *tree)[:3] == (1, 150, 400)
    # So many events that prices are rounded: by less than one in a thousand here.
    time, leaf, whole = set_prices(1, 1, 10**9 + 7, 10**6, *tree)[:3]
    assert whole * 10**6 < 1 << 62
    assert abs(time * (10**9 + 7) / (leaf * 2) - 1) < 1e-3


@pytest.mark.parametrize("weights, span", [((1, 0), 10**15), ((1, 1), 10**15)])
def test_losses_that_do_not_fit_are_refused(weights, span):
    with pytest.raises(OverflowError, match="coarser"):
        set_prices(*weights, span, 10**6, np.array([-1], np.int32), np.array([1]))


@pytest.mark.parametrize("weights", [(-1, 2), (0, 0), (1, 1)])
def test_weights_must_make_sense(weights):
    with pytest.raises(ValueError, match="weight"):
        set_prices(*weights, 10, 10)


def test_a_hierarchy_must_have_a_root():
    with pytest.raises(ValueError, match="cycle"):
        set_prices(1, 1, 10, 10, np.array([1, 0], np.int32), np.array([1, 1]))
