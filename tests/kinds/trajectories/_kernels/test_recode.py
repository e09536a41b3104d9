"""The recoding of places: the printed examples, what it refuses, and that it does what the plain version does."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.trajectories.naive import recode as naive

from sfumato._kernels import counter
from sfumato.kinds.trajectories._kernels import linkage
from sfumato.kinds.trajectories._kernels import recode as module
from sfumato.kinds.trajectories._kernels.groups import new_groups
from sfumato.kinds.trajectories._kernels.linkage import join_nodes, new_linkage
from sfumato.kinds.trajectories._kernels.recode import Demand, Places, Rows, Tree, recode

NO_INTS = np.empty(0, np.int32)
NO_LONGS = np.empty(0, np.int64)
NO_TREE = Tree(NO_INTS, NO_LONGS)
WHERE = {"a": (0, 0), "b": (1, 0), "c": (0.4, 1.2), "d": (2.6, 0.9), "e": (3.2, 2.4)}
# The second paper draws another map, in which d is nearer to a and b than c is.
WHERE_PART_5 = {"a": (0, 0), "b": (0, 1), "c": (5, 5), "d": (1.2, 0), "e": (3, 3)}
PAPER = ["dace", "baec", "ade", "bdec", "dc", "de"]
# Restaurants a, c, e are below node 1, coffee shops b, d below node 2.
HIERARCHY = Tree(np.array([-1, 0, 0, 1, 2, 1, 2, 1], np.int32), np.array([5, 3, 2, 1, 1, 1, 1, 1], np.int64))
NODE = dict(zip("abcde", range(3, 8), strict=True))


def ignore(*_):
    """No progress bar."""


def encode(trajectories, sensitive=()):
    """Rows, and the letters by code."""
    letters = list(dict.fromkeys("".join(trajectories)))
    offsets = np.cumsum([0] + [len(row) for row in trajectories]).astype(np.int64)
    values = np.array([letters.index(letter) for row in trajectories for letter in row], np.int32)
    codes = np.array([ord(letter) for row in sensitive for letter in row], np.int32)
    code_offsets = np.cumsum([0] + [len(row) for row in sensitive]).astype(np.int64)
    return Rows(offsets, values, code_offsets if len(sensitive) else NO_LONGS, codes), letters


def locate(letters, constraint=(), nodes=(), where=WHERE):
    x, y = np.array([where[letter] for letter in letters], np.float64).T.copy()
    return Places(x, y, np.array(constraint, np.int32), np.array(nodes, np.int32))


def list_groups(outcome, letters):
    groups = {}
    for letter, code in zip(letters, outcome.group.tolist(), strict=True):
        groups.setdefault(code, set()).add(letter)
    return sorted("".join(sorted(group)) for group in groups.values())


def test_seqanon_example():
    rows, letters = encode(PAPER)
    outcome = recode(rows, locate(letters), NO_TREE, Demand(2, 1, (1, 2), -1), ignore)
    assert outcome.status == "done"
    assert list_groups(outcome, letters) == ["abc", "d", "e"]
    assert (outcome.merges, outcome.suppressed, outcome.size, outcome.support) == (2, 0, 0, 0)


def test_paper_data_are_2_1_anonymous_with_five_rare_pairs():
    rows, letters = encode(PAPER)
    totals = {}
    recode(
        rows, locate(letters), NO_TREE, Demand(2, 1, (1, 2), -1), lambda size, _, total: totals.update({size: total})
    )
    assert totals == {1: 0, 2: 5}


def test_u_seqanon_example():
    rows, letters = encode(PAPER)
    constraint = [int(letter in "ade") for letter in letters]
    outcome = recode(rows, locate(letters, constraint), NO_TREE, Demand(2, 1, (1, 2), 0), ignore)
    assert list_groups(outcome, letters) == ["ad", "bc", "e"]


def test_sd_seqanon_prefers_the_same_kind():
    """(d,a): a joins c, farther than b but a restaurant too; then (ac,d): d joins b, then {a,c} joins {b,d}."""
    rows, letters = encode(PAPER)
    places = locate(letters, nodes=[NODE[letter] for letter in letters])
    outcome = recode(rows, places, HIERARCHY, Demand(2, 1, (1, 2), -1), ignore)
    assert list_groups(outcome, letters) == ["abcd", "e"]
    assert outcome.merges == 3


@pytest.mark.parametrize(("letters", "share"), [("ace", 3 / 5), ("ad", 1.0), ("bd", 2 / 5)])
def test_semantic_dissimilarity(letters, share):
    links = new_linkage(np.zeros((5, 3)), (1.0, 1.0, 0.0), np.zeros(5, np.int32), *HIERARCHY)
    node = NODE[letters[0]]
    for letter in letters[1:]:
        node = join_nodes(links, node, NODE[letter])
    assert links.leaves[node] / links.leaves[0] == share


def test_lm_anon_example():
    """Part 5: cluster t4, t2, t5 with sensitive g in t5, all parameters 2."""
    rows, letters = encode(["bdec", "baec", "dc"], sensitive=["", "", "g"])
    outcome = recode(rows, locate(letters, where=WHERE_PART_5), NO_TREE, Demand(2, 2, (1, 2), -1), ignore)
    assert list_groups(outcome, letters) == ["abd", "c", "e"]


def test_infeasible_says_which_sequence():
    rows, letters = encode(["ab", "a", "b", "a"])
    outcome = recode(rows, locate(letters), NO_TREE, Demand(2, 1, (1, 2), -1), ignore)
    assert (outcome.status, outcome.size, outcome.support) == ("infeasible", 2, 1)


def test_limit_counts_the_places_beyond_it():
    rows, letters = encode(["ab", "ac", "a"])
    places = locate(letters, constraint=[0, 1, 2])
    outcome = recode(rows, places, NO_TREE, Demand(2, 1, (1, 2), 1), ignore)
    assert (outcome.status, outcome.suppressed, outcome.size, outcome.support) == ("limit", 2, 1, 1)
    outcome = recode(rows, places, NO_TREE, Demand(2, 1, (1, 2), 2), ignore)
    assert (outcome.status, outcome.suppressed, outcome.group.tolist()) == ("done", 2, [0, -1, -1])


def test_shortened_sequences_are_repaired_too():
    """Size 2 first: (a,b) loses b; a alone is then still too rare and has to go as well."""
    rows, letters = encode(["ab", "c", "c"])
    places = locate(letters, constraint=[0, 1, 2])
    outcome = recode(rows, places, NO_TREE, Demand(2, 1, (2, 1), 2), ignore)
    assert outcome.group.tolist() == [-1, -1, 2]


def test_merging_can_break_diversity_so_passes_repeat():
    """The first pass leaves one pair whose rows visit f too often; the second finds and repairs it."""
    trajectories = ["a", "bac", "aba", "dac", "a", "dc", "bbc", "da"]
    rows, letters = encode(trajectories, sensitive=["f", "", "", "f", "", "", "f", ""])
    starts = []
    outcome = recode(
        rows,
        locate(letters),
        NO_TREE,
        Demand(2, 2, (1, 2), -1),
        lambda size, done, total: starts.append((size, total)) if done == 0 else None,
    )
    assert starts == [(1, 0), (2, 3), (1, 0), (2, 1), (1, 0), (2, 0)]
    assert list_groups(outcome, letters) == ["abc", "d"]


def test_places_that_do_not_occur_keep_to_themselves():
    rows = Rows(np.array([0, 1, 2, 3]), np.array([3, 1, 3], np.int32), NO_LONGS, NO_INTS)
    places = Places(np.arange(5.0), np.zeros(5), NO_INTS, NO_INTS)
    outcome = recode(rows, places, NO_TREE, Demand(2, 1, (1,), -1), ignore)
    assert outcome.group.tolist() == [0, 1, 2, 1, 4]


@pytest.mark.parametrize("offsets", [[0], [0, 0, 0]])
def test_nothing_to_protect(offsets):
    rows = Rows(np.array(offsets, np.int64), NO_INTS, NO_LONGS, NO_INTS)
    places = Places(np.zeros(2), np.zeros(2), NO_INTS, NO_INTS)
    outcome = recode(rows, places, NO_TREE, Demand(5, 2, (1, 2), -1), ignore)
    assert (outcome.status, outcome.group.tolist()) == ("done", [0, 1])


def test_without_coordinates_ties_go_to_the_smaller_code():
    rows = Rows(np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 2], np.int32), NO_LONGS, NO_INTS)
    places = Places(np.zeros(3), np.zeros(3), NO_INTS, NO_INTS)
    assert recode(rows, places, NO_TREE, Demand(2, 1, (1,), -1), ignore).group.tolist() == [0, 1, 0]


def test_progress_ends_complete_whatever_the_pace(monkeypatch):
    monkeypatch.setattr(module, "_PACE", 1)
    monkeypatch.setattr(module, "_ROWS_PER_SLICE", 2)
    rows, letters = encode(PAPER)
    seen = []
    outcome = recode(rows, locate(letters), NO_TREE, Demand(2, 1, (1, 2), -1), lambda *step: seen.append(step))
    assert list_groups(outcome, letters) == ["abc", "d", "e"]
    assert seen == [(1, 0, 0), *((2, done, 5) for done in range(6))]


def test_read_only_and_sliced_input_is_accepted():
    rows, letters = encode(PAPER)
    strided = np.repeat(rows.values, 2)[::2]
    strided.flags.writeable = False
    outcome = recode(rows._replace(values=strided), locate(letters), NO_TREE, Demand(2, 1, (1, 2), -1), ignore)
    assert list_groups(outcome, letters) == ["abc", "d", "e"]


def test_sequences_too_long_for_a_key_name_the_largest_m():
    places = 1000
    rows = Rows(np.array([0, places]), np.arange(places, dtype=np.int32), NO_LONGS, NO_INTS)
    flat = Places(np.zeros(places), np.zeros(places), NO_INTS, NO_INTS)
    with pytest.raises(ValueError, match="largest m possible is 6"):
        recode(rows, flat, NO_TREE, Demand(2, 1, (7,), -1), ignore)
    coded = rows._replace(sensitive_offsets=np.array([0, 9]), sensitive_values=np.arange(9, dtype=np.int32))
    with pytest.raises(ValueError, match="largest m possible is 5"):
        recode(coded, flat, NO_TREE, Demand(2, 2, (7,), -1), ignore)


@pytest.mark.parametrize(
    ("change", "message"),
    [
        ({"rows": {"values": np.array([0, 9], np.int32)}}, "between 0 and 1"),
        ({"rows": {"values": np.array([0, -1], np.int32)}}, "between 0 and 1"),
        ({"places": {"x": np.array([0.0, 1e300])}}, "too far apart"),
        ({"places": {"x": np.array([0.0, np.nan])}}, "too far apart"),
        ({"tree": {"parent": np.array([1, -1, -1], np.int32)}}, "exactly one root"),
        ({"demand": {"sizes": ()}}, "sizes must be 1 or more"),
        ({"demand": {"sizes": (1, 0)}}, "sizes must be 1 or more"),
    ],
)
def test_bad_input_is_refused(change, message):
    rows = Rows(np.array([0, 2]), np.array([0, 1], np.int32), NO_LONGS, NO_INTS)
    places = Places(np.zeros(2), np.zeros(2), NO_INTS, NO_INTS)
    given = {"rows": rows, "places": places, "tree": NO_TREE, "demand": Demand(2, 1, (1,), -1)}
    given |= {name: given[name]._replace(**fields) for name, fields in change.items()}
    with pytest.raises(ValueError, match=message):
        recode(**given, report=ignore)


def test_new_groups_do_not_share_memory():
    """The engine changes these arrays in place."""
    code = np.arange(3, dtype=np.int32)
    groups = new_groups(code, np.ones(3, np.int64), np.zeros(3, np.int32))
    for i, one in enumerate(groups):
        assert not np.shares_memory(one, code)
        assert not any(np.shares_memory(one, other) for other in groups[i + 1 :])


@pytest.fixture(scope="module", params=["as it comes", "hashed, few distances kept, small steps"])
def engine(request):
    """Small data would never leave the dense counter, the kept distances and the first slice."""
    with pytest.MonkeyPatch.context() as patch:
        if request.param != "as it comes":
            patch.setattr(counter, "_LARGEST_DENSE", 0)
            patch.setattr(counter, "_SMALLEST_TABLE", 2)
            patch.setattr(linkage, "_ROW_MEMORY", 200)
            patch.setattr(module, "_PACE", 3)
            patch.setattr(module, "_ROWS_PER_SLICE", 2)
        yield


def make_list_column(rows):
    offsets = np.cumsum([0] + [len(row) for row in rows]).astype(np.int64)
    return offsets, np.array([value for row in rows for value in row], np.int32)


def run_fast(trajectories, xy, k, m, l=1, sensitive=None, constraint=None, tree=None, sizes=None, limit=-1):
    node, parent, leaves = tree or ([], [], [])
    rows = Rows(*make_list_column(trajectories), *make_list_column([sorted(codes) for codes in sensitive or []]))
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


@pytest.mark.usefixtures("engine")
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


@pytest.mark.usefixtures("engine")
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


@pytest.mark.usefixtures("engine")
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
