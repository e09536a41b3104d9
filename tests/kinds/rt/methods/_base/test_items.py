"""UL in powers against whole numbers, and values united for diversity against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.rt.naive.anonymity import largest_share, utility_loss

from sfumato.data.lists import ListColumn
from sfumato.hierarchies.derive import balanced
from sfumato.kinds.rt.costs import list_item_losses
from sfumato.kinds.rt.methods._base.diversity import Diversity, unite_overlapping

LETTERS = "abcdef"
records = st.lists(st.lists(st.sampled_from(LETTERS), max_size=4, unique=True), min_size=1, max_size=8)


@given(records, st.lists(st.integers(1, 60), min_size=6, max_size=6), st.permutations(LETTERS))
def test_losses_equal_those_of_whole_numbers_in_any_order_of_values(rows, sizes: list[int], order: list[str]) -> None:
    size_of = dict(zip(LETTERS, sizes, strict=True))
    found = []
    for listed in (rows, [sorted(row, key=order.index) for row in rows]):
        list_column = ListColumn.from_lists(listed)
        found.append(
            list_item_losses(list_column, np.array([size_of[label] for label in list_column.labels], np.int64)).tolist()
        )
    assert found[0] == pytest.approx([utility_loss([size_of[v] for v in row]) for row in rows], rel=1e-15)
    assert found[0] == found[1]


def test_large_values_do_not_overflow() -> None:
    list_column = ListColumn.from_lists([["a", "b"], ["a"]])
    assert list_item_losses(list_column, np.array([100_000, 90_000])).tolist() == [0.0, 1.0]


@given(records, st.sets(st.integers(0, 7)), st.integers(1, 3), st.integers(2, 4), st.booleans())
def test_united_values_keep_the_bound_or_are_one(rows, ill, m: int, l: int, tree: bool) -> None:
    kept = [row for row in rows if row]
    if not kept:
        return
    list_column = ListColumn.from_lists(kept).distinct()
    sensitive = np.array([[at in ill] for at in range(len(kept))])
    groups = [(label,) for label in list_column.labels]
    hierarchy = balanced(list(LETTERS), 2) if tree else None
    united = Diversity(m, l, sensitive, hierarchy).unite(list_column, groups)
    stated = dict(zip(list_column.labels, map("".join, united), strict=True))
    sets = [{stated[value] for value in row} | ({"!"} if at in ill else set()) for at, row in enumerate(kept)]
    told = {value for row in sets for value in row} - {"!"}
    share = largest_share([0] * len(kept), sets, {"!"}, m)
    assert len(told) == 1 or share <= max(1 / l, len(ill & set(range(len(kept)))) / len(kept)) + 1e-12
    for one in set(united):
        for other in set(united):
            assert one == other or not set(one) & set(other)


def test_overlapping_groups_become_one() -> None:
    assert unite_overlapping([("a",), ("b", "c"), ("c", "d"), ("a", "d")]).tolist() == [0, 0, 0, 0]
