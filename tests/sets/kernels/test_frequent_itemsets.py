"""The most frequent itemsets: the same as trying all subsets, in the same order, also over a hierarchy."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive.itemsets import best_itemsets
from tests.sets.naive.rounding import round_plainly

from sfumato.core.hierarchy import Hierarchy
from sfumato.core.ragged import Ragged
from sfumato.kinds.sets.kernels import frequent_itemsets
from sfumato.kinds.sets.kernels.allotment_rounding import round_table
from sfumato.kinds.sets.kernels.frequent_itemsets import top_itemsets
from sfumato.kinds.sets.metrics.mining import extend_upwards

ROWS = st.lists(st.sets(st.integers(0, 6), max_size=6), max_size=12)
TREE = Hierarchy.from_paths(
    [("a", "A", "AB", "*"), ("b", "A", "AB", "*"), ("c", "B", "AB", "*"), ("d", "D", "*"), ("e", "*")]
)


def as_ragged(rows):
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
    return offsets, np.array([code for row in rows for code in sorted(row)], dtype=np.int32)


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
        assert mined(*as_ragged(rows), count) == best_itemsets(rows, count)


@settings(max_examples=60)
@given(st.lists(st.sets(st.sampled_from("abcde")), max_size=8), st.integers(1, 30))
def test_levels_same_as_trying_all_subsets(rows, count):
    records = Ragged.from_lists([sorted(row) for row in rows])
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
    assert mined(*as_ragged([{0, 1, 2}]), 4) == [(1, (0,)), (1, (1,)), (1, (2,)), (1, (0, 1))]


def test_nothing_to_mine():
    assert mined(*as_ragged([]), 3) == []
    assert mined(*as_ragged([set(), set()]), 3) == []


@settings(max_examples=60)
@given(st.integers(1, 4), st.integers(1, 5), st.integers(0, 2**20))
def test_rounding_keeps_sums(rows, columns, seed):
    generator = np.random.default_rng(seed)
    shares = generator.random((rows, columns)) + 1e-3
    expected = generator.integers(1, 6, rows)[:, None] * shares / shares.sum(axis=1, keepdims=True)
    found = round_table(expected, generator)
    assert (np.abs(found - expected) < 1).all()
    assert found.sum(axis=1).tolist() == np.rint(expected.sum(axis=1)).tolist()
    assert (np.abs(found.sum(axis=0) - expected.sum(axis=0)) < 1).all()


@settings(max_examples=60)
@given(st.integers(1, 7), st.integers(1, 12), st.sampled_from([0.0, 0.4]), st.integers(0, 2**20))
def test_rounding_is_that_of_searching_the_whole_table_every_time(rows, columns, closed, seed):
    generator = np.random.default_rng(seed)
    shares = (generator.random((rows, columns)) + 1e-3) * (generator.random((rows, columns)) >= closed)
    shares[shares.sum(axis=1) == 0] = 1.0
    expected = generator.integers(1, 9, rows)[:, None] * shares / shares.sum(axis=1, keepdims=True)
    found = round_table(expected, np.random.default_rng(seed))
    assert found.tolist() == round_plainly(expected.tolist(), np.random.default_rng(seed))


def test_rounding_keeps_means():
    expected = np.array([[0.2, 0.5, 1.3], [0.7, 0.1, 0.2], [0.4, 0.9, 0.7]])
    generator = np.random.default_rng(3)
    drawn = np.mean([round_table(expected, generator) for _ in range(2000)], axis=0)
    assert np.abs(drawn - expected).max() < 0.06
