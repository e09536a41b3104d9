"""Cuts through a hierarchy against the plain version."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import ITEMS, as_arrays, hierarchies, quiet, rows_of_items, sizes
from tests.kinds.sets.naive.generalisation import Tree, is_km, move_cut

from sfumato.kinds.sets._kernels import item_cuts
from sfumato.kinds.sets.methods._base.hierarchies import price_tree


@settings(max_examples=60)
@given(rows_of_items, hierarchies(), sizes, st.integers(1, 3))
def test_cuts_are_those_of_the_plain_version(rows, hierarchy, k, m):
    leaf = {int(label): at for at, label in enumerate(hierarchy.leaf_labels)}
    rows = [{leaf[item] for item in row} for row in rows]
    offsets, codes = as_arrays(rows)
    m = min(m, max(map(len, rows)))
    tree = price_tree(hierarchy, codes)
    moved = item_cuts.move_cut(offsets, codes, np.arange(ITEMS), tree, k, tuple(range(1, m + 1)), quiet)
    cut, left = move_cut(rows, Tree(hierarchy.parent.tolist(), ITEMS), k, m)
    assert (moved.node.tolist(), moved.left) == (cut, left)
    published = [{cut[item] for item in row} for row in rows]
    assert is_km(published, k, m) == (left == 0)
    if len(rows) >= k:
        assert left == 0
