"""The recoding engine against its plain twin, and what it promises."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.trajectories.naive import recode as naive

from sfumato.kernels import counter
from sfumato.kinds.trajectories.kernels import linkage
from sfumato.kinds.trajectories.kernels import recode as engine_module
from sfumato.kinds.trajectories.kernels.recode import Demand, Places, Rows, Tree, recode


@pytest.fixture(scope="module", autouse=True, params=["as it comes", "hashed, few distances kept, small steps"])
def engine(request):
    """Small data would never leave the dense counter, the kept distances and the first slice."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "as it comes":
            patch.setattr(counter, "_LARGEST_DENSE", 0)
            patch.setattr(counter, "_SMALLEST_TABLE", 2)
            patch.setattr(linkage, "_ROW_MEMORY", 200)
            patch.setattr(engine_module, "_PACE", 3)
            patch.setattr(engine_module, "_ROWS_PER_SLICE", 2)
        yield


def make_ragged(rows):
    offsets = np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)
    return offsets, np.array([value for row in rows for value in row], np.int32)


def run_fast(trajectories, xy, k, m, l=1, sensitive=None, constraint=None, tree=None, sizes=None, limit=-1):
    node, parent, leaves = tree or ([], [], [])
    rows = Rows(*make_ragged(trajectories), *make_ragged([sorted(codes) for codes in sensitive or []]))
    x, y = (np.array(column, np.float64) for column in zip(*xy, strict=True))
    places = Places(x, y, np.array(constraint or [], np.int32), np.array(node, np.int32))
    forest = Tree(np.array(parent, np.int32), np.array(leaves, np.int64))
    before = [np.copy(array) for array in (*rows, *places, *forest)]
    demand = Demand(k, l, tuple(sizes or range(1, m + 1)), limit)
    outcome = recode(rows, places, forest, demand, lambda *_: None)
    for array, copy in zip((*rows, *places, *forest), before, strict=True):
        np.testing.assert_array_equal(array, copy)
    return outcome


@st.composite
def trees(draw, places):
    """A tree of depth up to three whose leaves are the places, leaves numbered last."""
    inner = draw(st.integers(1, 4))
    parent = [-1] + [draw(st.integers(0, node - 1)) for node in range(1, inner)]
    parent += [draw(st.integers(0, inner - 1)) for _ in range(places)]
    node = list(range(inner, inner + places))
    leaves = [sum(n in naive.find_ancestors(leaf, parent) for leaf in node) for n in range(len(parent))]
    return node, parent, leaves


@st.composite
def problems(draw):
    places = draw(st.integers(2, 7))
    grid = st.tuples(st.integers(0, 2), st.integers(0, 2))
    free = st.tuples(*[st.floats(-180, 180, allow_nan=False)] * 2)
    xy = draw(st.lists(draw(st.sampled_from([grid, free])), min_size=places, max_size=places))
    rows = draw(st.lists(st.lists(st.integers(0, places - 1), max_size=5), min_size=1, max_size=9))
    codes = st.sets(st.integers(0, 2), max_size=2)
    m = draw(st.integers(1, 4))
    labels = st.lists(st.integers(0, 2), min_size=places, max_size=places)
    return {
        "trajectories": rows,
        "xy": xy,
        "k": draw(st.integers(1, 4)),
        "m": m,
        "l": draw(st.integers(0, 3)),
        "sensitive": draw(st.none() | st.lists(codes, min_size=len(rows), max_size=len(rows))),
        "constraint": draw(st.none() | labels),
        "tree": draw(st.none() | trees(places)),
        "sizes": draw(st.sampled_from([None, [m, *range(1, m)]])),
        "limit": draw(st.sampled_from([-1, 0, 1, 2, 7])),
    }


def count_broken(rows, k, m, l, sensitive):
    """Sequences that too few rows hold, or too many of whose rows visit one sensitive code."""
    broken = 0
    for size in range(1, m + 1):
        for sequence in set().union(*(combinations(row, size) for row in rows)):
            held = [i for i, row in enumerate(rows) if naive.is_subsequence(sequence, row)]
            visits = [code for i in held for code in sensitive[i]] if l > 1 else []
            broken += len(held) < k or any(l * visits.count(code) > len(held) for code in visits)
    return broken


@settings(max_examples=250)
@given(problems())
def test_fast_equals_naive(problem):
    outcome = run_fast(**problem)
    expected = naive.recode(**problem)
    if outcome.status == "done":
        assert outcome.group.tolist() == expected
        assert (outcome.size, outcome.support) == (0, 0)
        assert outcome.suppressed == expected.count(-1)
    else:
        assert (outcome.status, outcome.size, outcome.support) == expected


@settings(max_examples=150)
@given(problems())
def test_result_keeps_the_demand(problem):
    outcome = run_fast(**problem)
    group = outcome.group.tolist()
    if problem["constraint"]:
        assert all(
            group[place] == -1 or problem["constraint"][group[place]] == problem["constraint"][place]
            for place in range(len(group))
        )
    if outcome.status != "done":
        return
    assert group.count(-1) <= max(0, problem["limit"])
    rows = [[group[place] for place in row if group[place] >= 0] for row in problem["trajectories"]]
    sensitive = problem["sensitive"] or [set() for _ in rows]
    assert count_broken(rows, problem["k"], problem["m"], problem["l"], sensitive) == 0


@pytest.mark.parametrize("seed", range(6))
def test_fast_equals_naive_on_longer_runs(seed):
    """More places and rows than Hypothesis draws, so that groups of many members merge again and again."""
    random = np.random.default_rng(seed)
    places = 20
    rows = [random.geometric(0.12, random.integers(0, 7)) % places for _ in range(60)]
    problem = {
        "trajectories": [row.tolist() for row in rows],
        "xy": [(float(x), float(y)) for x, y in random.integers(0, 5, (places, 2))],
        "k": 3,
        "m": 2 + seed % 2,
        "l": seed % 3,
        "sensitive": [set(random.integers(0, 30, 2).tolist()) & {0, 1, 2, 3} for _ in rows],
        "constraint": [place % 3 for place in range(places)] if seed == 5 else None,
        "limit": 4,
    }
    outcome, expected = run_fast(**problem), naive.recode(**problem)
    if outcome.status == "done":
        assert outcome.group.tolist() == expected
    else:
        assert (outcome.status, outcome.size, outcome.support) == expected
