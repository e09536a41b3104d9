"""Derived hierarchies over numbers, dates and codes: every value has a leaf, ranges are nested, bounds make sense."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.derive import balanced, calendar, equal_frequency, equal_width, flat, mask_codes
from sfumato.hierarchies.hierarchy import Hierarchy

WHOLE = st.lists(st.one_of(st.integers(-50, 50), st.integers(-(2**53), 2**53)), min_size=1, max_size=40)
DECIMAL = st.lists(
    st.one_of(st.floats(-5, 5), st.floats(allow_nan=False, allow_infinity=False)), min_size=1, max_size=40
)
DATES = st.lists(
    st.one_of(st.dates(datetime.date(1950, 1, 1), datetime.date(1960, 12, 31)), st.dates()), min_size=1, max_size=30
)
SHAPES = pytest.mark.parametrize("derive", [equal_width, equal_frequency])


def check_ranges(tree: Hierarchy, values, type: str) -> None:
    """Every value lies in its leaf, leaves follow each other, and nodes are exactly what lies below them."""
    leaves = tree.leaf_of_value(values)
    axis = np.asarray(values, "datetime64[D]").astype(np.int64) if type == "date" else np.asarray(values)
    count = len(tree.leaf_labels)
    last = leaves == count - 1
    assert (tree.lower[leaves] <= axis).all()
    assert ((axis < tree.upper[leaves]) | (last & (axis <= tree.upper[leaves]))).all()
    assert (tree.upper[: count - 1] == tree.lower[1:count]).all()
    assert len(set(tree.labels)) == len(tree)
    for node in range(count, len(tree)):
        below = np.flatnonzero(tree.parent == node)
        assert len(below) >= 2
        assert tree.lower[node] == tree.lower[below].min()
        assert tree.upper[node] == tree.upper[below].max()
    if type != "decimal":
        assert tree.lower.dtype == np.int64


@SHAPES
@given(values=WHOLE, ranges=st.integers(1, 12))
@example(values=[0, 1], ranges=2)
@example(values=[0, 3, 9], ranges=4)
@example(values=[-(2**53), 2**53], ranges=3)
@example(values=[7], ranges=5)
def test_ranges_of_whole_numbers(derive, values, ranges):
    tree = derive(values, ranges)
    check_ranges(tree, values, "int")
    assert len(tree.leaf_labels) <= ranges
    assert tree.lower.min() == min(values)


@SHAPES
@given(values=DECIMAL, ranges=st.integers(1, 12))
@example(values=[-1.7e308, 1.7e308], ranges=7)
@example(values=[0.0, 5e-324], ranges=4)
@example(values=[1.0, 1.0 + 2**-52], ranges=3)
@example(values=[0.0, 1.0, 1.0], ranges=2)
@example(values=[-0.0, 0.0], ranges=2)
def test_ranges_of_decimals(derive, values, ranges):
    tree = derive(values, ranges, "decimal")
    check_ranges(tree, values, "decimal")
    assert len(tree.leaf_labels) <= ranges
    assert (tree.lower[-1], tree.upper[-1]) == (min(values), max(values))


@SHAPES
@given(values=DATES, ranges=st.integers(1, 12))
@example(values=[datetime.date.max - datetime.timedelta(1), datetime.date.max], ranges=2)
@example(values=[datetime.date.min, datetime.date.max], ranges=3)
def test_ranges_of_dates(derive, values, ranges):
    tree = derive([value.isoformat() for value in values], ranges, "date")
    check_ranges(tree, [value.isoformat() for value in values], "date")
    assert tree.type == "date"


@given(values=DATES)
@example(values=[datetime.date.min, datetime.date.max])
@example(values=[datetime.date(2024, 2, 29)])
def test_the_calendar(values):
    texts = [value.isoformat() for value in values]
    tree = calendar(texts)
    check_ranges(tree, texts, "date")
    for value, leaf in zip(values, tree.leaf_of_value(texts), strict=True):
        day = value.toordinal() - datetime.date(1970, 1, 1).toordinal()
        assert tree.lower[leaf] == day
        assert tree.upper[leaf] - day <= 1
        month = tree.parent[leaf]
        assert tree.labels[month].startswith(f"{value.year:04}-{value.month:02}-01,")
        assert tree.labels[tree.parent[month]].startswith(f"{value.year:04}-01-01,")


def test_a_date_far_away_brings_no_thousands_of_days():
    assert len(calendar(["1980-01-01", "9999-12-31"])) < 1_000


def test_equal_width_is_equal_and_equal_frequency_is_even():
    ages = np.random.default_rng(1).integers(17, 91, 10_000)
    tree = equal_width(ages, 8)
    assert (np.diff(tree.lower[:8]) == 10).all()
    assert tree.height == 3
    counts = np.bincount(equal_frequency(ages, 8).leaf_of_value(ages))
    assert counts.max() < 1.2 * counts.min()


def test_a_common_value_is_not_cut_in_two():
    assert equal_frequency([0] * 90 + [1] * 10, 4).leaf_labels == ("0,1", "1,2")


@pytest.mark.parametrize("derive", [equal_width, equal_frequency])
def test_what_makes_no_ranges(derive):
    with pytest.raises(SchemaError, match="at least one value"):
        derive(np.array([], np.int64), 3)
    with pytest.raises(ParameterError, match="ranges must be at least 1, got 0"):
        derive([1], 0)
    with pytest.raises(ParameterError, match="type must be one of int, decimal, date"):
        derive([1], 2, "string")
    with pytest.raises(SchemaError, match="need numbers"):
        derive(["a"], 2)
    with pytest.raises(SchemaError, match="finite"):
        derive([np.inf], 2, "decimal")


CODES = st.integers(1, 6).flatmap(
    lambda width: st.lists(st.text("0123é", min_size=width, max_size=width), min_size=1, max_size=20, unique=True)
)


@given(codes=CODES)
def test_masked_codes_share_their_beginning(codes):
    tree = mask_codes(codes)
    assert sorted(tree.leaf_labels) == sorted(codes)
    width = len(codes[0])
    assert (tree.depth[: len(codes)] == width).all()
    for a in codes:
        for b in codes:
            alike = next((i for i in range(width) if a[i] != b[i]), width)
            assert tree.depth[tree.lca(a, b)] == alike


@given(numbers=st.lists(st.integers(0, 99_999), min_size=1, max_size=20, unique=True))
def test_codes_that_lost_their_zeros_stand_where_they_belong(numbers):
    tree = mask_codes([str(number) for number in numbers], pad="left")
    width = len(str(max(numbers)))
    whole = mask_codes([str(number).zfill(width) for number in numbers])
    for a in numbers:
        for b in numbers:
            assert (
                tree.depth[tree.lca(str(a), str(b))] == whole.depth[whole.lca(str(a).zfill(width), str(b).zfill(width))]
            )


def test_codes_of_unequal_length_are_refused_by_their_rows_or_filled():
    with pytest.raises(SchemaError, match=r"same length; rows 4, 9 have shorter ones"):
        mask_codes(["1067", "80331", "106"], rows=[4, 7, 9])
    with pytest.raises(SchemaError, match="rows 1, 2 have the same code"):
        mask_codes(["01067", "1067"], pad="left")
    with pytest.raises(ParameterError, match="left or right, got 'both'"):
        mask_codes(["1"], pad="both")
    assert mask_codes(["250", "25083"], pad="right").ancestors("250")[0] == "250**"


@given(labels=st.lists(st.text("ab*", min_size=1, max_size=3), min_size=1, max_size=9, unique=True))
def test_flat_trees_have_one_step(labels):
    tree = flat(labels)
    assert tree.height == 1
    assert tree.leaf_labels == tuple(labels)
    assert balanced(labels, max(2, len(labels))) == tree
