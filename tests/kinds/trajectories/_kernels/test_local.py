"""Local recoding does, step by step, what its plain twin does."""

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.trajectories.naive import local

from sfumato.kinds.trajectories._kernels.demand import Demand
from sfumato.kinds.trajectories._kernels.labels import Visits
from sfumato.kinds.trajectories._kernels.local import recode_from_above, recode_from_below
from sfumato.kinds.trajectories._kernels.trees import build_tree, grow_paths, join_trees


@st.composite
def cases(draw):
    places = draw(st.integers(1, 6))
    points = np.array(draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)), min_size=places, max_size=places)))
    rows = draw(st.lists(st.lists(st.integers(0, places - 1), min_size=1, max_size=5), min_size=2, max_size=9))
    k, l, m = draw(st.integers(2, min(4, len(rows)))), draw(st.integers(2, 3)), draw(st.integers(1, 4))
    # Records that nobody could hide are no matter of the kernel.
    rows = [row for row in rows if all(sum(len(r) >= n for r in rows) >= k for n in range(1, min(m, len(row)) + 1))]
    number = draw(st.integers(0, 2))
    kept = st.sets(st.integers(1, number), max_size=number) if number else st.just(set())
    secrets = [draw(kept) for _ in rows]
    return rows, np.column_stack([points, np.zeros(places)]).astype(float), k, l, m, secrets


def prepare(rows, grown, k, l, m, secrets):
    """The same case for kernel and twin; sensitive places are numbered from 1 without gaps."""
    number = {place: n for n, place in enumerate(sorted(set().union(*secrets)), 1)}
    rank = np.argsort(grown.order)
    places = [[int(rank[place]) for place in row] for row in rows]
    paths = grown.paths
    visits = Visits(
        np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64),
        np.array([place for row in places for place in row], np.int32),
        np.zeros(sum(map(len, rows)), np.int32),
        np.concatenate([[0], np.cumsum([len(s) for s in secrets])]).astype(np.int64),
        np.array([number[p] for s in secrets for p in sorted(s)], np.int32),
    )
    ways = [
        list(zip(paths.node[a:b].tolist(), paths.cost[a:b].tolist(), strict=True))
        for a, b in zip(paths.start[:-1], paths.start[1:], strict=True)
    ]
    demand = Demand(k, l if number else 1, m, len(paths.depth) + 1, len(number) + 1)
    return visits, paths, demand, local.Recoding(places, ways, k, l if number else 1, m, secrets)


def flat(levels):
    return [level for row in levels for level in row]


@given(cases())
@settings(max_examples=150)
def test_from_below_is_what_the_plain_twin_does(case):
    rows, points, k, l, m, secrets = case
    if len(rows) < k:
        return
    grown = grow_paths(build_tree(points, 0.0), len(points), points, 0.0)
    visits, paths, demand, twin = prepare(rows, grown, k, l, m, secrets)
    outcome = recode_from_below(visits, paths, demand, lambda *_: None)
    expected = local.recode_from_below(twin)
    assert outcome.done == (expected is not None)
    if outcome.done:
        assert outcome.level.tolist() == flat(expected)


@given(cases())
@settings(max_examples=100)
def test_from_above_is_what_the_plain_twin_does(case):
    rows, points, k, _, m, secrets = case
    # It begins with what keeps k^m. One group of all places does, if as many visits are k people's or nobody's; with
    # sensitive places it may not, so there are none here.
    assume(all(sum(len(row) >= size for row in rows) not in range(1, k) for size in range(1, m + 1)))
    secrets = [set() for _ in secrets]
    grown = grow_paths(join_trees(np.zeros(len(points), np.int64), points, 0.0), len(points), points, 0.0)
    visits, paths, demand, twin = prepare(rows, grown, k, 1, m, secrets)
    visits.level[:] = (np.diff(paths.start) - 1)[visits.place]
    twin.levels = [[len(twin.ways[place]) - 1 for place in row] for row in twin.records]
    outcome = recode_from_above(visits, paths, demand, lambda *_: None)
    local.refine(twin, "LSL")
    assert outcome.level.tolist() == flat(twin.levels)


@given(st.randoms(use_true_random=False))
@settings(max_examples=2)
def test_records_that_are_too_long_for_the_room_of_short_ones_are_recoded_alike(random):
    """More than 64 visits: nothing is prepared for so many, and what is done is the same."""
    points = np.array([[0, 0, 0], [1, 0, 0], [5, 5, 0], [6, 5, 0], [9, 0, 0], [9, 1, 0], [3, 3, 0]], float)
    rows = [[random.randrange(4) for _ in range(length)] for length in (66, 68, 3, 4, 70, 2)]
    for row, alone in zip((rows[0], rows[1], rows[4]), (4, 5, 6), strict=True):
        row[random.randrange(len(row))] = alone
    grown = grow_paths(build_tree(points, 0.0), len(points), points, 0.0)
    visits, paths, demand, twin = prepare(rows, grown, 2, 1, 2, [set() for _ in rows])
    outcome = recode_from_below(visits, paths, demand, lambda *_: None)
    assert outcome.level.tolist() == flat(local.recode_from_below(twin))
    assert outcome.level.any()
    assert outcome.lowered > 0
