"""Sequential patterns: the fast search equals listing everything, on small rows of every shape."""

from collections.abc import Sequence
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests.examples import settings
from tests.kinds.trajectories.naive import patterns as naive

from sfumato.kinds.trajectories._kernels.patterns import Patterns, contains, frequent_patterns, top_patterns

ListColumn = tuple[NDArray[np.int64], NDArray[np.int32]]

items = st.integers(0, 3) | st.sampled_from([40, 900])
rows_of_items = st.lists(st.lists(items, max_size=7), max_size=8)
ordinary = settings(max_examples=150)


def flatten(rows: Sequence[Sequence[int]]) -> ListColumn:
    offsets = np.cumsum([0, *(len(row) for row in rows)], dtype=np.int64)
    return offsets, np.array([item for row in rows for item in row], dtype=np.int32)


def as_patterns(rows: Sequence[Sequence[int]]) -> Patterns:
    offsets, values = flatten(rows)
    return Patterns(offsets, values, np.zeros(len(rows), dtype=np.int64))


def listed(found: Patterns) -> list[tuple[tuple[int, ...], int]]:
    bounds = found.offsets.tolist()
    values = found.values.tolist()
    paths = [tuple(values[a:b]) for a, b in pairwise(bounds)]
    return list(zip(paths, found.supports.tolist(), strict=True))


@ordinary
@given(rows_of_items, st.integers(-1, 5), st.integers(0, 4))
def test_frequent_patterns_are_all_of_enough_support(rows: list[list[int]], min_support: int, max_length: int) -> None:
    found = frequent_patterns(*flatten(rows), min_support, max_length)
    assert listed(found) == naive.frequent_patterns(rows, min_support, max_length)


@ordinary
@given(rows_of_items, st.integers(0, 40) | st.just(10_000), st.integers(0, 4))
def test_top_patterns_are_the_first_of_all(rows: list[list[int]], count: int, max_length: int) -> None:
    found = top_patterns(*flatten(rows), count, max_length)
    assert listed(found) == naive.top_patterns(rows, count, max_length)


@ordinary
@given(rows_of_items, st.lists(st.lists(items, max_size=4), max_size=12))
def test_contains_marks_the_rows(rows: list[list[int]], patterns: list[list[int]]) -> None:
    marks = contains(*flatten(rows), as_patterns(patterns))
    assert marks.dtype == np.uint8
    assert marks.shape == (len(rows), len(patterns))
    assert marks.tolist() == naive.contains(rows, patterns)


@ordinary
@given(rows_of_items)
def test_supports_count_the_marked_rows(rows: list[list[int]]) -> None:
    found = frequent_patterns(*flatten(rows), 1, 3)
    assert contains(*flatten(rows), found).sum(axis=0, dtype=np.int64).tolist() == found.supports.tolist()


def test_rare_pairs_of_the_trajectory_example() -> None:
    a, b, c, d, e = range(5)
    rows = [[d, a, c, e], [b, a, e, c], [a, d, e], [b, d, e, c], [d, c], [d, e]]
    found = listed(frequent_patterns(*flatten(rows), 1, 2))
    rare = {pattern for pattern, support in found if support == 1}
    assert rare == {(d, a), (c, e), (b, a), (a, d), (b, d)}
    assert listed(top_patterns(*flatten(rows), 2)) == [((d,), 5), ((e,), 5)]


def test_repeated_items_need_their_own_visits() -> None:
    rows = [[0, 0, 0], [0, 0], [0]]
    assert listed(frequent_patterns(*flatten(rows), 1)) == [((0,), 3), ((0, 0), 2), ((0, 0, 0), 1)]


def test_equal_supports_do_not_open_every_subset() -> None:
    row = list(range(60))  # 2^60 patterns, all of support one
    found = top_patterns(*flatten([row]), 100)
    pairs = [(0, second) for second in range(1, 41)]
    assert listed(found) == [((item,), 1) for item in row] + [(pair, 1) for pair in pairs]


def test_many_patterns_outgrow_the_first_tables() -> None:
    generator = np.random.default_rng(5)
    rows = [generator.integers(0, 6, 9).tolist() for _ in range(12)]
    everything = naive.count_patterns(rows)
    assert len(everything) > 2048
    found = frequent_patterns(*flatten(rows), 1)
    assert listed(found) == sorted(everything.items())
    ranked = top_patterns(*flatten(rows), 2000)
    assert listed(ranked) == naive.top_patterns(rows, 2000)


def test_types_of_the_answer() -> None:
    for found in (frequent_patterns(*flatten([[1, 2]]), 1), top_patterns(*flatten([[1, 2]]), 2)):
        assert [array.dtype for array in found] == [np.int64, np.int32, np.int64]
    for found in (frequent_patterns(*flatten([]), 1), top_patterns(*flatten([[1]]), 0)):
        assert [array.dtype for array in found] == [np.int64, np.int32, np.int64]
        assert listed(found) == []


@pytest.mark.parametrize("dtype", [np.int16, np.uint8, np.int64])
def test_other_integer_types_are_read(dtype: type) -> None:
    offsets, values = flatten([[0, 1], [1, 0, 1]])
    found = frequent_patterns(offsets.astype(np.int32), values.astype(dtype), 2)
    assert listed(found) == [((0,), 2), ((0, 1), 2), ((1,), 2)]


def test_input_is_left_unchanged() -> None:
    offsets, values = flatten([[2, 1, 2], [1, 2]])
    offsets.flags.writeable = False
    values.flags.writeable = False
    found = frequent_patterns(offsets, values, 1)
    assert listed(top_patterns(offsets, values, 2)) == [((1,), 2), ((2,), 2)]
    assert contains(offsets, values, found).tolist() == naive.contains(
        [[2, 1, 2], [1, 2]], [pattern for pattern, _ in listed(found)]
    )
