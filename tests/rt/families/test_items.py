"""UL in logarithms against whole numbers, and values united for diversity against the definition."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.rt.naive.anonymity import largest_share, utility_loss

from sfumato.core.hierarchy.derive import balanced
from sfumato.core.ragged import Ragged
from sfumato.kinds.rt.families.diversity import Diversity, unite_overlapping
from sfumato.kinds.rt.families.items import sum_losses

LETTERS = "abcdef"
records = st.lists(st.lists(st.sampled_from(LETTERS), max_size=4, unique=True), min_size=1, max_size=8)


@given(records, st.lists(st.integers(1, 60), min_size=6, max_size=6))
def test_losses_in_logarithms_equal_whole_numbers(rows: list[list[str]], sizes: list[int]) -> None:
    ragged = Ragged.from_lists(rows)
    size_of = dict(zip(LETTERS, sizes, strict=True))
    found = sum_losses(ragged, np.array([size_of[label] for label in ragged.labels], np.int64))
    assert found == pytest.approx(sum(utility_loss([size_of[v] for v in row]) for row in rows), rel=1e-12)


def test_large_values_do_not_overflow() -> None:
    ragged = Ragged.from_lists([["a", "b"], ["a"]])
    assert sum_losses(ragged, np.array([100_000, 90_000])) == pytest.approx(1.0)


@given(records, st.sets(st.integers(0, 7)), st.integers(1, 3), st.integers(2, 4), st.booleans())
def test_united_values_keep_the_bound_or_are_one(rows, ill, m: int, l: int, tree: bool) -> None:
    kept = [row for row in rows if row]
    if not kept:
        return
    ragged = Ragged.from_lists(kept).distinct()
    sensitive = np.array([[at in ill] for at in range(len(kept))])
    groups = [(label,) for label in ragged.labels]
    hierarchy = balanced(list(LETTERS), 2) if tree else None
    united = Diversity(m, l, sensitive, hierarchy).unite(ragged, groups)
    stated = dict(zip(ragged.labels, map("".join, united), strict=True))
    sets = [{stated[value] for value in row} | ({"!"} if at in ill else set()) for at, row in enumerate(kept)]
    told = {value for row in sets for value in row} - {"!"}
    share = largest_share([0] * len(kept), sets, {"!"}, m)
    assert len(told) == 1 or share <= max(1 / l, len(ill & set(range(len(kept)))) / len(kept)) + 1e-12
    for one in set(united):
        for other in set(united):
            assert one == other or not set(one) & set(other)


def test_overlapping_groups_become_one() -> None:
    assert unite_overlapping([("a",), ("b", "c"), ("c", "d"), ("a", "d")]).tolist() == [0, 0, 0, 0]
