"""The recoding engine on the papers' example and at its edges."""

import numpy as np
import pytest

from sfumato.kinds.trajectories.kernels import recode as module
from sfumato.kinds.trajectories.kernels.groups import new_groups
from sfumato.kinds.trajectories.kernels.linkage import join_nodes, new_linkage
from sfumato.kinds.trajectories.kernels.recode import Demand, Places, Rows, Tree, recode

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
    linkage = new_linkage(np.zeros((5, 3)), (1.0, 1.0, 0.0), np.zeros(5, np.int32), *HIERARCHY)
    node = NODE[letters[0]]
    for letter in letters[1:]:
        node = join_nodes(linkage, node, NODE[letter])
    assert linkage.leaves[node] / linkage.leaves[0] == share


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
