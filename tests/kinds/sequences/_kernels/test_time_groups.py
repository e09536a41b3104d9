"""HN, HI, HY and HL: against their plain twins, against each other, and what they promise."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import time_groups as naive

from sfumato.kinds.sequences._kernels import regions, time_groups
from sfumato.kinds.sequences._kernels.covers import Monitored
from sfumato.kinds.sequences._kernels.demand import Demand
from sfumato.kinds.sequences._kernels.hilbert import number_cells, order_along_curve
from sfumato.kinds.sequences._kernels.prices import set_prices
from sfumato.kinds.sequences._kernels.windows import Unmonitored

# Leaves 0 to 4 under 5 and 6, these under the root 7.
TREE = np.array([5, 5, 6, 6, 6, 7, 7, -1], np.int32), np.array([1, 1, 1, 1, 1, 2, 3, 5])
METHODS = ["hn", "hi", "hy", "hy_blocks", "hl"]
BLOCK = 5


def as_arrays(people, pairs):
    columns = []
    for rows in (people, pairs):
        offsets = np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)
        columns.append([offsets, *(np.array([pair[i] for row in rows for pair in row], np.int64) for i in (0, 1))])
    (offsets, times, leaf), (pairs_offsets, event, time) = columns
    return Monitored(offsets, times, leaf.astype(np.int32)), Unmonitored(pairs_offsets, event.astype(np.int32), time)


def run(method, people, pairs, order, k=0, l=0, g=0, weights=(1, 0), bits=32):
    monitored, unmonitored = as_arrays(people, pairs)
    order = np.array(order, np.int64)
    span = int(np.ptp(monitored.times)) if monitored.times.size else 0
    prices = set_prices(*weights, span, monitored.times.size, *TREE)
    given_arrays = (*monitored, *unmonitored, *prices[3:], order)
    before = [array.copy() for array in given_arrays]
    progress = []
    more = {"block": BLOCK} if method == "hy_blocks" else {}
    outcome = getattr(time_groups, method)(
        monitored, unmonitored, prices, Demand(k, l, g, bits), order, lambda *steps: progress.append(steps), **more
    )
    for array, copy in zip(given_arrays, before, strict=True):
        np.testing.assert_array_equal(array, copy)
    assert progress == sorted(progress)
    assert all(0 < done <= total <= 2 * len(people) for done, total in progress)
    return outcome


def as_clusters(group):
    return [np.flatnonzero(group == number).tolist() for number in range(group.max(initial=-1) + 1)]


@st.composite
def problems(draw, most_people=12):
    """Few distinct times, so that ties abound, or many."""
    latest = draw(st.sampled_from([1, 4, 12, 60]))
    events = st.lists(st.tuples(st.integers(0, latest), st.integers(0, 4)), min_size=1, max_size=4)
    people = draw(st.lists(events, min_size=1, max_size=most_people))
    done = st.lists(st.tuples(st.integers(0, 4), st.integers(0, 20)), max_size=3)
    pairs = draw(st.lists(done, min_size=len(people), max_size=len(people)))
    k, l = draw(st.sampled_from([(2, 0), (3, 0), (4, 0), (0, 2), (0, 3), (3, 2), (2, 3)]))
    return {
        "people": people,
        "pairs": pairs,
        "order": draw(st.permutations(range(len(people)))),
        "k": k,
        "l": l,
        "g": draw(st.sampled_from([0, 1, 4, 30])),
    }


def refuse_naively(people, pairs, k, l, g):
    """Why there can be no groups: the status, and where all in one group fail."""
    if len(people) < max(k, l):
        return "too few", -1, 0, 0
    most, event, start = naive.find_fullest(range(len(people)), pairs, g) if l else (0, -1, 0)
    if l * most > len(people):
        return "not diverse", event, start, len(people) // most
    return "done", -1, 0, 0


@settings(max_examples=150)
@given(problems())
def test_groups_equal_naive(problem):
    outcomes = {method: run(method, **problem) for method in METHODS}
    refusal = refuse_naively(*(problem[name] for name in ("people", "pairs", "k", "l", "g")))
    for outcome in outcomes.values():
        assert (outcome.status, outcome.event, outcome.start, outcome.largest_l) == refusal
    if refusal[0] != "done":
        return
    people, pairs, order = (problem[name] for name in ("people", "pairs", "order"))
    demand, loss = tuple(problem[name] for name in "klg"), naive.Loss(people)
    curve = naive.order_hilbert(people)
    near = naive.assign_regions(curve, people)
    assert as_clusters(outcomes["hn"].group) == naive.group_greedily([], order, pairs, demand, loss)
    assert as_clusters(outcomes["hy"].group) == naive.group_hybrid(near, order, pairs, demand, loss)
    assert as_clusters(outcomes["hy_blocks"].group) == naive.group_blocks(curve, order, pairs, demand, loss, BLOCK)
    assert as_clusters(outcomes["hl"].group) == naive.group_hybrid(curve, order, pairs, demand, loss)


@settings(max_examples=400)
@given(problems(most_people=40), st.sampled_from([(1, 0), (1, 1), (0, 1), (3, 0.5)]), st.sampled_from([1, 8, 32, 62]))
def test_the_index_finds_the_groups_of_the_scan(problem, weights, bits):
    slow, fast = (run(method, **problem, weights=weights, bits=bits) for method in ("hn", "hi"))
    assert slow.status == fast.status
    assert slow.group.tolist() == fast.group.tolist()
    assert fast.counts.get("evaluations", 0) <= slow.counts.get("evaluations", 0)


@settings(max_examples=150)
@given(problems(most_people=30), st.sampled_from(METHODS), st.sampled_from([(1, 0), (1, 1)]))
def test_groups_keep_the_demand(problem, method, weights):
    outcome = run(method, **problem, weights=weights)
    if outcome.status != "done":
        assert outcome.group.tolist() == [0] * len(problem["people"])
        return
    clusters = as_clusters(outcome.group)
    assert sorted(person for cluster in clusters for person in cluster) == list(range(len(problem["people"])))
    assert [cluster[0] for cluster in clusters] == sorted(cluster[0] for cluster in clusters)
    demand = [problem[name] for name in "klg"]
    assert all(naive.fulfils(cluster, problem["pairs"], *demand) for cluster in clusters)


@settings(max_examples=100)
@given(problems(most_people=15), st.sampled_from(METHODS))
def test_the_largest_l_named_is_feasible(problem, method):
    outcome = run(method, **{**problem, "k": 0, "l": 6})
    if outcome.status == "not diverse" and outcome.largest_l > 0:
        assert run(method, **{**problem, "k": 0, "l": outcome.largest_l}).status == "done"
        assert run(method, **{**problem, "k": 0, "l": outcome.largest_l + 1}).status != "done"


def make_population(seed, people, latest):
    """People with heavy-tailed numbers of events; from 256 on the index has three levels."""
    random = np.random.default_rng(seed)
    lengths = np.minimum(20, random.zipf(1.7, people))
    monitored = [[(int(t), int(e)) for t, e in random.integers(0, (latest, 5), (n, 2))] for n in lengths]
    pairs = [
        [(int(e), int(t)) for e, t in random.integers(0, (60, latest), (n, 2))] for n in random.integers(0, 6, people)
    ]
    return {"people": monitored, "pairs": pairs, "order": random.permutation(people)}


@pytest.mark.large
@pytest.mark.parametrize("demand", [{"k": 7}, {"l": 4, "g": 50}, {"k": 9, "l": 3, "g": 5}, {"k": 2, "weights": (1, 1)}])
@pytest.mark.parametrize("latest", [5, 300, 100_000])
def test_the_index_finds_the_groups_of_the_scan_among_many(latest, demand):
    population = make_population(latest, 300, latest)
    slow, fast = run("hn", **population, **demand), run("hi", **population, **demand)
    assert (slow.status, fast.status) == ("done", "done")
    assert slow.group.tolist() == fast.group.tolist()
    assert 3 * fast.counts["evaluations"] < slow.counts["evaluations"]


@pytest.mark.parametrize("method", METHODS)
def test_many_people_keep_the_demand(method):
    population = make_population(1, 200, 1000)
    group = run(method, **population, k=6, l=4, g=40).group
    assert all(naive.fulfils(cluster, population["pairs"], 6, 4, 40) for cluster in as_clusters(group))


@pytest.mark.parametrize("method", METHODS)
def test_steps_make_no_difference(method):
    population = make_population(3, 120, 500)
    whole = run(method, **population, k=4, l=3, g=20)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(regions, "_STEPS_PER_SLICE", 500)
        assert run(method, **population, k=4, l=3, g=20).group.tolist() == whole.group.tolist()


@pytest.mark.parametrize("seed", range(8))
def test_the_cut_is_the_best_of_all_cuts(seed):
    random = np.random.default_rng(seed)
    people = [[(int(time), 0) for time in random.integers(0, 30, random.integers(1, 4))] for _ in range(9)]
    loss = naive.Loss(people)

    def cut_all(order):
        if not order:
            yield 0
        for size in range(2, 4):
            for rest in cut_all(order[size:]) if len(order) >= size else ():
                yield size * loss(sorted(order[:size])) + rest

    curve = naive.order_hilbert(people)
    group = run("hl", people, [[] for _ in people], range(9), k=2).group
    total = sum(len(cluster) * loss(cluster) for cluster in as_clusters(group))
    assert total == pytest.approx(float(min(cut_all(curve))))


@pytest.mark.parametrize("method", METHODS)
def test_small_cases(method):
    assert run(method, [], [], [], k=3).group.size == 0
    assert run(method, [[(5, 0)]], [[]], [0], k=2).status == "too few"
    assert run(method, [[(5, 0)]] * 4, [[]] * 4, range(4), k=2).group.max() == 1
    everyone = run(method, [[(5, 0)]] * 3, [[(0, 1)], [], []], range(3), l=3, g=9)
    assert (everyone.status, everyone.group.tolist()) == ("done", [0, 0, 0])
    group = run(method, [[(5, 0)]] * 5, [[(7, 1)], [(7, 4)], [(7, 8)], [], []], range(5), l=3, g=4)
    assert (group.status, group.event, group.start, group.largest_l) == ("not diverse", 7, 1, 2)


@pytest.mark.parametrize("method", METHODS)
@pytest.mark.parametrize(
    "changes, message",
    [
        ({"people": [[(1, 0)], []]}, "monitored event"),
        ({"order": [0, 0]}, "permutation"),
        ({"order": [0]}, "permutation"),
        ({"k": 0}, "positive"),
        ({"bits": 63}, "bits"),
        ({"g": -1}, "negative"),
    ],
)
def test_bad_input_is_refused(method, changes, message):
    good = {"people": [[(1, 0)], [(2, 0)]], "pairs": [[], []], "order": [0, 1], "k": 2}
    with pytest.raises(ValueError, match=message):
        run(method, **{**good, **changes})


def test_hilbert_order_of_the_paper():
    """Figure 3, in cells of ten; S3 ends at 50, which the figure counts to the cell below."""
    start = np.array([57, 53, 41, 18, 7, 18, 17]) // 10
    end = np.array([67, 57, 49, 74, 64, 65, 55]) // 10
    assert number_cells(start, end, 3).tolist() == [39, 34, 32, 22, 20, 23, 18]


@pytest.mark.parametrize("bits", [1, 2, 5])
def test_hilbert_index_equals_naive(bits):
    x, y = (np.array(column) for column in zip(*naive.walk_hilbert(bits), strict=True))
    assert number_cells(x, y, bits).tolist() == list(range(4**bits))


def test_hilbert_order_of_long_times():
    """More bits than fit are cut off, and intervals in the same cell keep their order."""
    start = np.array([0, 2**40, 2**40 + 1, 2**39])
    assert order_along_curve(start, start).tolist() == [0, 3, 1, 2]
    assert order_along_curve(start[[2, 1]], start[[2, 1]]).tolist() == [1, 0]
    assert order_along_curve(start[:0], start[:0]).size == 0
