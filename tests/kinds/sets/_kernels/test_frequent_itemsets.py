"""The most frequent itemsets against trying all subsets."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import as_arrays
from tests.kinds.sets.naive.itemsets import best_itemsets

from sfumato.data.lists import ListColumn
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets._kernels import frequent_itemsets
from sfumato.kinds.sets._kernels.frequent_itemsets import top_itemsets
from sfumato.kinds.sets.metrics.mining import extend_upwards

ROWS = st.lists(st.sets(st.integers(0, 6), max_size=6), max_size=12)
TREE = Hierarchy.from_paths(
    [("a", "A", "AB", "*"), ("b", "A", "AB", "*"), ("c", "B", "AB", "*"), ("d", "D", "*"), ("e", "*")]
)


def mined(offsets, codes, count, **options):
    found = top_itemsets(offsets, codes, count, **options)
    parts = np.split(found.items, found.offsets[1:-1]) if len(found.supports) else []
    return [(int(support), tuple(part.tolist())) for support, part in zip(found.supports, parts, strict=True)]


@pytest.mark.parametrize("cost", [0.0, 1e9], ids=["bits", "rows"])
@settings(max_examples=60)
@given(rows=ROWS, count=st.integers(1, 40))
def test_same_as_trying_all_subsets(cost, rows, count):
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(frequent_itemsets, "_WORD_COST", cost)
        assert mined(*as_arrays(rows), count) == best_itemsets(rows, count)


@settings(max_examples=60)
@given(st.lists(st.sets(st.sampled_from("abcde")), max_size=8), st.integers(1, 30))
def test_levels_same_as_trying_all_subsets(rows, count):
    records = ListColumn.from_lists([sorted(row) for row in rows])
    nodes = np.array([TREE.node(label) for label in records.labels], dtype=np.int64)
    extended, order = extend_upwards(records, nodes, TREE)
    above = {label: set(TREE.ancestors(label)) for label in TREE.labels}
    plain = [{*row, *(up for item in row for up in above[item] if up != "*")} for row in rows]
    assert [set(row) for row in extended.lists()] == plain
    first = TREE.first_leaf.astype(np.int64)[order]
    spans = (first, first + TREE.leaves[order] - 1)
    found = mined(extended.offsets, extended.codes, count, spans=spans, width=len(order))
    named = [(support, tuple(extended.labels[code] for code in items)) for support, items in found]
    assert named == best_itemsets(plain, count, lambda a, b: a in above[b] or b in above[a])


def test_ties_at_the_last_place_go_to_smaller_sets_and_lower_codes():
    assert mined(*as_arrays([{0, 1, 2}]), 4) == [(1, (0,)), (1, (1,)), (1, (2,)), (1, (0, 1))]


def test_nothing_to_mine():
    assert mined(*as_arrays([]), 3) == []
    assert mined(*as_arrays([set(), set()]), 3) == []
