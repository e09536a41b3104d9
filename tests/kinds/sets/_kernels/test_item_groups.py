"""Groups of items against the plain version."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import ITEMS, as_arrays, quiet, rows_of_items, sizes
from tests.kinds.sets.naive.generalisation import group_items, is_km, is_protected

from sfumato.kinds.sets._kernels import item_groups
from sfumato.kinds.sets.methods._base.constraints import list_subsets


@settings(max_examples=60)
@given(
    rows_of_items,
    st.lists(st.integers(0, 2), min_size=ITEMS, max_size=ITEMS),
    sizes,
    st.integers(1, 3),
    st.booleans(),
    st.booleans(),
)
def test_groups_for_all_itemsets_are_those_of_the_plain_version(rows, constraint, k, m, every, helping):
    tried = ITEMS if every else 1
    rule = item_groups.Rule(k, tried, helping)
    grouped = item_groups.group_items(*as_arrays(rows), np.array(constraint), rule, m, quiet)
    plain = group_items(rows, constraint, k, tried, m, helping=helping)
    assert grouped.group.tolist() == [-1 if first is None else first for first in plain]
    assert is_km([{plain[item] for item in row if plain[item] is not None} for row in rows], k, m)
    assert all(first is None or constraint[first] == constraint[item] for item, first in enumerate(plain))


@settings(max_examples=60)
@given(
    rows_of_items,
    st.lists(st.integers(0, 2), min_size=ITEMS, max_size=ITEMS),
    sizes,
    st.lists(st.sets(st.integers(0, ITEMS + 1), min_size=1, max_size=4), min_size=1, max_size=4),
    st.booleans(),
    st.booleans(),
)
def test_groups_for_given_itemsets_are_those_of_the_plain_version(rows, constraint, k, itemsets, every, helping):
    tried = ITEMS if every else 1
    wanted = list_subsets(tuple(tuple(map(str, s)) for s in itemsets), tuple(map(str, range(ITEMS))))
    rule = item_groups.Rule(k, tried, helping)
    grouped = item_groups.group_items(*as_arrays(rows), np.array(constraint), rule, wanted, quiet)
    known = [{item for item in itemset if item < ITEMS} for itemset in itemsets]
    plain = group_items(rows, constraint, k, tried, known, helping=helping)
    assert grouped.group.tolist() == [-1 if first is None else first for first in plain]
    published = [{plain[item] for item in row if plain[item] is not None} for row in rows]
    assert all(is_protected(published, dict(enumerate(plain)), itemset, k) for itemset in itemsets)


@settings(max_examples=300)
@given(*[st.one_of(st.integers(1, 9), st.integers(30, 70)), st.integers(1, 300)] * 2)
def test_losses_are_compared_exactly(items, support, other_items, other_support):
    less = (2**items - 1) * support < (2**other_items - 1) * other_support
    assert item_groups.loses_less(items, support, other_items, other_support) == less
