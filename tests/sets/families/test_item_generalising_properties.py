"""Generalisation of sets of items: fast equals plain, releases keep their claims, constraints are respected."""

import numpy as np
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive.item_generalising import Tree, group_items, is_km, is_protected, move_cut

import sfumato as sf
from sfumato.core.errors import InfeasibleError
from sfumato.core.hierarchy import Hierarchy
from sfumato.core.run import Run
from sfumato.engines.local import Local
from sfumato.kinds.sets.families.item_constraints import list_subsets
from sfumato.kinds.sets.families.item_hierarchies import price_tree
from sfumato.kinds.sets.kernels import item_cuts, item_groups
from sfumato.kinds.sets.methods.vpa import lies_within, split_items

ITEMS = 7


def quiet(*_):
    return None


@st.composite
def hierarchies(draw):
    """A tree over the items in which every inner node has a child."""
    inner = draw(st.integers(1, 5))
    pairs = [(f"n{node}", f"n{draw(st.integers(0, node - 1))}" if node else None) for node in range(inner)]
    pairs += [(str(item), f"n{draw(st.integers(0, inner - 1))}") for item in range(ITEMS)]
    used = {parent for _, parent in pairs}
    while any(child.startswith("n") and child not in used for child, _ in pairs):
        pairs = [(child, parent) for child, parent in pairs if not child.startswith("n") or child in used]
        used = {parent for _, parent in pairs}
    return Hierarchy.from_parents(pairs)


rows_of_items = st.lists(st.sets(st.integers(0, ITEMS - 1), min_size=1, max_size=5), min_size=1, max_size=14)
crowds = st.integers(2, 4)


def flatten(rows):
    offsets = np.cumsum([0, *map(len, rows)])
    return offsets, np.array([item for row in rows for item in row], dtype=np.int32)


@settings(max_examples=60)
@given(rows_of_items, hierarchies(), crowds, st.integers(1, 3))
def test_cuts_are_those_of_the_plain_version(rows, hierarchy, k, m):
    leaf = {int(label): at for at, label in enumerate(hierarchy.leaf_labels)}
    rows = [{leaf[item] for item in row} for row in rows]
    offsets, codes = flatten(rows)
    m = min(m, max(map(len, rows)))
    tree = price_tree(hierarchy, codes)
    moved = item_cuts.move_cut(offsets, codes, np.arange(ITEMS), tree, k, tuple(range(1, m + 1)), quiet)
    cut, left = move_cut(rows, Tree(hierarchy.parent.tolist(), ITEMS), k, m)
    assert (moved.node.tolist(), moved.left) == (cut, left)
    published = [{cut[item] for item in row} for row in rows]
    assert is_km(published, k, m) == (left == 0)
    if len(rows) >= k:
        assert left == 0


@settings(max_examples=40)
@given(rows_of_items, hierarchies(), crowds, st.integers(1, 4))
def test_cuts_within_a_part_of_the_items_stay_there(rows, hierarchy, k, parts):
    leaf = {int(label): at for at, label in enumerate(hierarchy.leaf_labels)}
    runs = split_items(hierarchy, parts)
    assert np.concatenate(runs).tolist() == list(range(ITEMS)) and len(runs) <= parts
    plain = Tree(hierarchy.parent.tolist(), ITEMS)
    for run in runs:
        allowed = lies_within(hierarchy, run)
        some = [{leaf[item] for item in row} & set(run.tolist()) for row in rows]
        offsets, codes = flatten(some)
        tree = price_tree(hierarchy, codes)._replace(allowed=allowed)
        moved = item_cuts.move_cut(offsets, codes, np.arange(ITEMS), tree, k, (1, 2), quiet)
        assert moved.node.tolist() == move_cut(some, plain, k, 2, allowed=lambda node, a=allowed: a[node])[0]
        assert all(allowed[node] for node in moved.node[run])


@settings(max_examples=60)
@given(
    rows_of_items, st.lists(st.integers(0, 2), min_size=ITEMS, max_size=ITEMS), crowds, st.integers(1, 3), st.booleans()
)
def test_groups_for_all_itemsets_are_those_of_the_plain_version(rows, constraint, k, m, every):
    tried = ITEMS if every else 1
    rule = item_groups.Rule(k, tried)
    grouped = item_groups.group_items(*flatten(rows), np.array(constraint), rule, m, quiet)
    plain = group_items(rows, constraint, k, tried, m)
    assert grouped.group.tolist() == [-1 if first is None else first for first in plain]
    assert is_km([{plain[item] for item in row if plain[item] is not None} for row in rows], k, m)
    assert all(first is None or constraint[first] == constraint[item] for item, first in enumerate(plain))


@settings(max_examples=60)
@given(
    rows_of_items,
    st.lists(st.integers(0, 2), min_size=ITEMS, max_size=ITEMS),
    crowds,
    st.lists(st.sets(st.integers(0, ITEMS + 1), min_size=1, max_size=4), min_size=1, max_size=4),
    st.booleans(),
)
def test_groups_for_given_itemsets_are_those_of_the_plain_version(rows, constraint, k, itemsets, every):
    tried = ITEMS if every else 1
    wanted = list_subsets(tuple(tuple(map(str, s)) for s in itemsets), tuple(map(str, range(ITEMS))))
    rule = item_groups.Rule(k, tried)
    grouped = item_groups.group_items(*flatten(rows), np.array(constraint), rule, wanted, quiet)
    known = [{item for item in itemset if item < ITEMS} for itemset in itemsets]
    plain = group_items(rows, constraint, k, tried, known)
    assert grouped.group.tolist() == [-1 if first is None else first for first in plain]
    published = [{plain[item] for item in row if plain[item] is not None} for row in rows]
    assert all(is_protected(published, dict(enumerate(plain)), itemset, k) for itemset in itemsets)


@settings(max_examples=300)
@given(*[st.one_of(st.integers(1, 9), st.integers(30, 70)), st.integers(1, 300)] * 2)
def test_losses_are_compared_exactly(items, support, other_items, other_support):
    less = (2**items - 1) * support < (2**other_items - 1) * other_support
    assert item_groups.loses_less(items, support, other_items, other_support) == less


def published_sets(result):
    """Published rows by original row, and the members of every value."""
    release = result.release
    rows = dict(zip(result.trace.rows.tolist(), map(set, release.history().lists()), strict=True))
    return rows, release.meanings()


def check_truth(data, result):
    """Every item is in a published value of its row or suppressed; no value stands for nothing in its row."""
    rows, meanings = published_sets(result)
    suppressed = set(result.release.suppressed())
    for number, original in enumerate(data.history().lists()):
        left = set(original) - suppressed
        values = rows.get(number, set())
        assert all(any(item in meanings[value] for value in values) for item in left)
        assert all(set(meanings[value]) & left for value in values)
        assert (number in rows) == bool(left)


@settings(max_examples=25)
@given(
    rows_of_items,
    hierarchies(),
    crowds,
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(["Apriori", "Lra", "Vpa"]),
)
def test_releases_of_hierarchy_methods_are_km_anonymous(rows, hierarchy, k, m, parts, name):
    data = sf.Dataset.of("sets", [[str(item) for item in row] for row in rows * 2], hierarchy=hierarchy)
    method = getattr(sf.methods, name)(k=k, m=m, **({} if name == "Apriori" else {"parts": parts}))
    if len(data) < k:
        return
    result = method.anonymize(data, Run(bytes([1] * 32), engine=Local(1)))
    assert is_km(result.release.history().lists(), k, m)
    check_truth(data, result)
    again = method.anonymize(data, Run(bytes([1] * 32), engine=Local(2)))
    assert again.release.table.to_pylist() == result.release.table.to_pylist()


@settings(max_examples=25)
@given(
    rows_of_items,
    st.lists(st.integers(0, 2), min_size=ITEMS, max_size=ITEMS),
    crowds,
    st.lists(st.sets(st.integers(0, ITEMS), min_size=1, max_size=3), max_size=4),
    st.sampled_from(["Coat", "Pcta"]),
)
def test_releases_of_constraint_methods_keep_both_kinds_of_constraints(rows, constraint, k, itemsets, name):
    utility = tuple(tuple(str(i) for i in range(ITEMS) if constraint[i] == group) for group in sorted(set(constraint)))
    privacy = tuple(tuple(map(str, itemset)) for itemset in itemsets)
    rows = rows * 2
    data = sf.Dataset.of("sets", [[str(item) for item in row] for row in rows], privacy=privacy, utility=utility)
    method = getattr(sf.methods, name)(k=k, suppression_limit=1.0)
    if len(data) < k:
        return
    try:
        result = method.anonymize(data, Run(bytes([1] * 32)))
    except InfeasibleError as error:
        assert "nothing to publish" in str(error)
        return
    check_truth(data, result)
    values, meanings = published_sets(result)
    assert all(any(set(members) <= set(group) for group in utility) for members in meanings.values())
    published = dict.fromkeys(result.release.suppressed())
    published |= {member: value for value, members in meanings.items() for member in members}
    if privacy:
        assert all(is_protected(list(values.values()), published, itemset, k) for itemset in privacy)
        assert result.release.guarantee.itemsets == tuple(sorted({tuple(sorted(itemset)) for itemset in privacy}))
    else:
        assert is_km(list(values.values()), k, 2)
