"""Labels brought down a hierarchy against the plain version, and what it must keep."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import ITEMS, as_arrays, hierarchies, rows_of_items, sizes
from tests.kinds.sets.naive import local_km as plain
from tests.kinds.sets.naive.generalisation import Tree as PlainTree
from tests.kinds.sets.naive.generalisation import move_cut

from sfumato.kinds.sets._kernels.local_labels import label_rows
from sfumato.kinds.sets._kernels.lowering import lower_labels
from sfumato.kinds.sets.methods._base.labels import cost_tree, find_lowest, order_nodes


def start(rows, hierarchy, k, m):
    """Rows of leaves, the plain tree, and apriori's cut, each node as the lowest that is published alike."""
    leaf = {int(label): at for at, label in enumerate(hierarchy.leaf_labels)}
    rows = [{leaf[item] for item in row} for row in rows]
    tree = PlainTree(hierarchy.parent.tolist(), ITEMS)
    cut, left = move_cut(rows, tree, k, m)
    return rows, tree, find_lowest(hierarchy)[np.array(cut)], left


@settings(max_examples=150)
@given(rows_of_items, hierarchies(), sizes, st.integers(1, 4), st.randoms(use_true_random=False))
def test_labels_are_those_of_the_plain_version(rows, hierarchy, k, m, random):
    if len(rows) < k:
        return
    m = min(m, max(map(len, rows)))
    rows, tree, cut, left = start(rows, hierarchy, k, m)
    assert left == 0
    offsets, codes = as_arrays(rows)
    labelled = label_rows(offsets, codes, cut, len(hierarchy))
    before = [{leaf: int(cut[leaf]) for leaf in row} for row in rows]
    order = order_nodes(hierarchy, np.bincount(codes, minlength=ITEMS))
    if random.random() < 0.3:
        order = np.array(random.sample(order.tolist(), len(order)), np.int64)
    all_or_none = random.random() < 0.3
    gained = int(lower_labels(labelled, cost_tree(hierarchy), order, k, m, all_or_none=all_or_none).sum())
    after = plain.lower(rows, before, tree, order.tolist(), k, m, all_or_none=all_or_none)
    assert labelled.label.tolist() == [row[leaf] for row in after for leaf in sorted(row)]
    assert gained == plain.loss(before, tree) - plain.loss(after, tree) >= 0
    if all_or_none:
        assert len({(leaf, label) for row in after for leaf, label in row.items()}) == len(set().union(*rows))
    records = plain.published(after)
    assert plain.is_anonymous(records, k, m)
    assert plain.is_true(rows, records, tree)
    assert labelled.support.tolist() == [plain.support(records, {node}) for node in range(len(hierarchy))]
