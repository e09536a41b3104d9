"""Labels exchanged within records against the plain version, and what it must keep."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets._kernels.test_lowering import start
from tests.kinds.sets.drawing import ITEMS, as_arrays, hierarchies, rows_of_items, sizes
from tests.kinds.sets.naive import local_km as plain

from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets._kernels.label_sets import count_label_sets
from sfumato.kinds.sets._kernels.local_labels import label_rows
from sfumato.kinds.sets._kernels.lowering import lower_labels
from sfumato.kinds.sets._kernels.swapping import find_above, swap_labels
from sfumato.kinds.sets.methods._base.labels import cost_tree, order_nodes


@settings(max_examples=200)
@given(rows_of_items, hierarchies(), sizes, st.integers(1, 4), st.randoms(use_true_random=False))
def test_labels_are_those_of_the_plain_version(rows, hierarchy, k, m, random):
    rows = rows * random.choice([1, 1, 2])
    if len(rows) < k:
        return
    m = min(m, max(map(len, rows)))
    rows, tree, cut, _ = start(rows, hierarchy, k, m)
    offsets, codes = as_arrays(rows)
    labelled, costs = label_rows(offsets, codes, cut, len(hierarchy)), cost_tree(hierarchy)
    order = order_nodes(hierarchy, np.bincount(codes, minlength=ITEMS))
    # Not all of them, so that there is more to gain than LOWER would leave.
    order = np.array(random.sample(order.tolist(), random.randint(0, len(order))), np.int64)
    lower_labels(labelled, costs, order, k, m)
    found = labelled.label.tolist()
    before = [dict(zip(sorted(row), found[at:], strict=False)) for row, at in zip(rows, offsets, strict=False)]
    gained = swap_labels(labelled, costs, k, m)
    after = plain.swap(rows, before, tree, k, m)
    assert labelled.label.tolist() == [row[leaf] for row in after for leaf in sorted(row)]
    assert gained == plain.loss(before, tree) - plain.loss(after, tree) >= 0
    records = plain.published(after)
    assert plain.is_anonymous(records, k, m)
    assert plain.is_true(rows, records, tree)
    assert labelled.support.tolist() == [plain.support(records, {node}) for node in range(len(hierarchy))]
    sets = sum(len(list(plain.combinations(r, size))) for r in records for size in range(2, m + 1))
    assert count_label_sets(labelled, m) == sets
    above = find_above(costs).tolist()
    for node in range(len(hierarchy)):
        assert above[node] == [*plain.distinct_path(tree, node), -1][1]


def test_records_gain_by_it_after_labels_were_brought_down():
    gains = 0
    rng = np.random.default_rng(5)
    tree = Hierarchy.from_paths([(str(i), f"A{i // 2}", f"B{i // 4}", "*") for i in range(8)])
    for _ in range(40):
        rows = [set(rng.choice(8, rng.integers(1, 5), replace=False).tolist()) for _ in range(60)]
        offsets, codes = as_arrays(rows)
        labelled = label_rows(offsets, codes, np.full(8, len(tree) - 1), len(tree))
        lower_labels(labelled, cost_tree(tree), order_nodes(tree, np.bincount(codes, minlength=8)), 5, 2)
        gains += swap_labels(labelled, cost_tree(tree), 5, 2) > 0
    assert gains >= 3
