"""Distances in a taxonomy: Algorithm 5 finds the cheapest categories, and fractions are compared exactly."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import taxonomy as naive

from sfumato.kinds.sequences._kernels.prices import is_less
from sfumato.kinds.sequences._kernels.taxonomy_distance import build_branches, load_pivot, match_cost, new_pivot

ordinary = settings(max_examples=150)

SITES = np.array([8, 8, 9, 9, 10, 10, 10, 10, 11, 11, 11, -1], np.int32)  # social, search, shopping, all
BINARY = np.array([8, 8, 9, 9, 10, 10, 11, 11, 12, 12, 13, 13, 14, 14, -1], np.int32)


def count_leaves(parent):
    return np.array([len(naive.list_leaves(node, list(parent))) for node in range(len(parent))], np.int64)


def list_column(rows):
    offsets = np.cumsum([0, *map(len, rows)], dtype=np.int64)
    return offsets, np.array([event for row in rows for event in row], np.int32)


def measure(rows, parent):
    """The distance of two rows as a numerator and a denominator, not reduced; (1, 0) where one alone is empty."""
    branches, leaves = build_branches(*list_column(rows), np.asarray(parent, np.int32)), count_leaves(parent)
    if not all(rows):
        return (0, 1) if branches.length[0] == branches.length[1] else (1, 0)
    pivot = new_pivot(leaves.size)
    load_pivot(branches, 0, pivot)
    return int(match_cost(branches, 1, leaves, pivot)), int(leaves.max()) * sum(map(len, rows))


@st.composite
def taxonomies(draw, most_leaves=7):
    """Parents of a random tree: leaves first from left to right, then the inner nodes, the root last."""
    shape = draw(st.recursive(st.none(), lambda below: st.lists(below, min_size=1, max_size=4), max_leaves=most_leaves))
    above, leaves = [], []

    def walk(part, parent):
        number = len(above)
        above.append(parent)
        if part is None:
            leaves.append(number)
        for child in part or []:
            walk(child, number)

    walk(shape if shape is not None else [None], -1)
    inner = [
        node for node in range(len(above) - 1, -1, -1) if node not in leaves
    ]  # children come after parents in the walk
    order = leaves + inner
    place = {node: at for at, node in enumerate(order)}
    return [place[above[node]] if above[node] >= 0 else -1 for node in order], len(leaves)


@st.composite
def two_multisets(draw, most_leaves=7):
    parent, leaves = draw(taxonomies(most_leaves))
    events = st.lists(st.integers(0, leaves - 1), max_size=6)
    return draw(events), draw(events), parent


def test_worked_example():
    assert measure([[0, 1, 2, 4, 5], [0, 0, 3, 6]], SITES) == (24, 72)


def test_worked_example_in_the_binary_tree_of_the_paper():
    assert measure([[0, 1, 2, 4, 5], [0, 0, 3, 6]], BINARY) == (24, 72)


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [
        ([0], [0], (2, 16)),  # alike: a leaf is still a category of one
        ([0, 0, 5], [0, 5, 5], (6, 48)),
        ([0], [1], (4, 16)),
        ([0], [7], (16, 16)),  # nothing in common below the root
        ([0, 4], [1, 7], (4 + 8, 32)),
        ([0, 4], [1], (24, 24)),  # the second has no shopping: all goes to the root
    ],
)
def test_small_cases(one, other, expected):
    assert measure([one, other], SITES) == expected


def test_an_empty_multiset_matches_only_an_empty_one():
    assert measure([[], []], SITES) == (0, 1)
    assert measure([[], [3]], SITES) == (1, 0)
    assert measure([[3], []], SITES) == (1, 0)


@ordinary
@given(two_multisets())
def test_distance_is_the_cheapest_set_of_categories(case):
    one, other, parent = case
    numerator, denominator = measure([one, other], parent)
    expected = naive.event_distance(one, other, parent)
    assert (numerator / denominator if denominator else float("inf")) == pytest.approx(float(expected))
    if denominator:
        assert Fraction(numerator, denominator) == expected


@ordinary
@given(two_multisets(most_leaves=40))
def test_distance_equals_the_recursion_of_the_paper(case):
    one, other, parent = case
    numerator, denominator = measure([one, other], parent)
    if denominator and one:
        assert numerator == naive.event_distance_recursive(one, other, parent)
        assert denominator == count_leaves(parent).max() * (len(one) + len(other))


@ordinary
@given(two_multisets(most_leaves=40))
def test_distance_is_symmetric_and_least_to_itself(case):
    one, other, parent = case
    assert measure([one, other], parent) == measure([other, one], parent)
    numerator, denominator = measure([one, other], parent)
    if one and other:
        assert count_leaves(parent).max() * numerator >= denominator  # at least 1 of |E|
        assert measure([one, one], parent)[0] == 2 * len(one)


@ordinary
@given(st.data())
def test_one_pivot_serves_many_rows(data):
    parent, leaves = data.draw(taxonomies(30))
    rows = data.draw(st.lists(st.lists(st.integers(0, leaves - 1), min_size=1, max_size=9), min_size=1, max_size=8))
    branches = build_branches(*list_column(rows), np.array(parent, np.int32))
    below = count_leaves(parent)
    pivot = new_pivot(len(parent))
    for one in data.draw(st.permutations(range(len(rows)))):
        load_pivot(branches, one, pivot)
        costs = [match_cost(branches, other, below, pivot) for other in range(len(rows))]
        assert costs == [naive.event_distance_recursive(rows[one], row, parent) for row in rows]


whole = st.one_of(st.integers(0, 9), st.integers(0, 2**62), st.integers(2**31 - 2, 2**31 + 2))


@settings(max_examples=400)
@given(whole, whole, whole, whole)
def test_fractions_are_compared_exactly(one, one_parts, other, other_parts):
    one_parts, other_parts = max(one_parts, 1), max(other_parts, 1)
    assert is_less(one, one_parts, other, other_parts) == (Fraction(one, one_parts) < Fraction(other, other_parts))


def test_neighbouring_fractions_that_floats_take_for_equal():
    one, parts = 10**17, 10**17 + 1
    assert one / parts == (one + 1) / (parts + 1)
    assert is_less(one, parts, one + 1, parts + 1)
    assert not is_less(one + 1, parts + 1, one, parts)
