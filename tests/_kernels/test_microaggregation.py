"""Plain MDAV: examples worked out by hand, and a table large enough to be swept."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests._kernels.naive.microaggregation import plain_mdav
from tests.examples import settings

from sfumato._kernels.microaggregation import group_by_mdav, measure_error_share, standardise


def test_pairs_on_a_line():
    """Pairs at 0, 10 and 30: each half a unit from its mean, so 6 * 1/4 is lost of the spread."""
    table = np.array([[0.0], [30.0], [10.0], [1.0], [31.0], [11.0]])
    group = group_by_mdav(table, 2)
    assert group.tolist() == [1, 0, 2, 1, 0, 2]
    spread = ((table - table.mean()) ** 2).sum()
    assert measure_error_share(table, group) == pytest.approx(1.5 / spread)


@pytest.mark.parametrize(
    ("rows", "sizes"), [(0, []), (1, [1]), (3, [3]), (5, [5]), (6, [3, 3]), (8, [3, 5]), (9, [3, 3, 3])]
)
def test_sizes_of_groups(rows, sizes):
    assert np.bincount(group_by_mdav(np.arange(rows, dtype=float)[:, None], 3)).tolist() == sizes


@pytest.mark.parametrize("k", [2, 3, 7])
def test_a_table_that_is_swept_many_times(k):
    table = np.random.default_rng(k).integers(-30, 30, (90, 3)).astype(float)
    before = table.copy()
    assert group_by_mdav(table, k).tolist() == plain_mdav(table.tolist(), k)
    np.testing.assert_array_equal(table, before)


def test_equal_rows_are_grouped_in_their_order():
    assert group_by_mdav(np.zeros((7, 2)), 2).tolist() == [0, 0, 1, 1, 2, 2, 2]


def test_standardised_columns():
    table = standardise(np.array([[1.0, 0.1, 4.0], [3.0, 0.1, 8.0], [5.0, 0.1, 0.0]]))
    assert table.mean(axis=0) == pytest.approx([0, 0, 0])
    assert table.std(axis=0, ddof=1) == pytest.approx([1, 0, 1])
    assert standardise(np.ones((1, 2))).tolist() == [[0, 0]]
    assert measure_error_share(np.zeros((3, 2)), np.zeros(3, np.int64)) == 0.0


def test_groups_of_nobody_are_refused():
    with pytest.raises(ValueError, match="k must be at least 1"):
        group_by_mdav(np.zeros((3, 1)), 0)


@settings(max_examples=100)
@given(
    st.integers(1, 3).flatmap(
        lambda d: st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=1, max_size=24)
    ),
    st.integers(1, 4),
)
def test_groups_are_those_of_a_plain_search(table, k):
    group = group_by_mdav(np.array(table, float), k)
    assert group.tolist() == plain_mdav(table, k)
