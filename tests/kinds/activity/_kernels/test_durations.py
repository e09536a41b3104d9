"""Durations by interval, and the squared distances between them, are the plain ones."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity._kernels.problems import problems
from tests.kinds.activity.naive import methods as plain

from sfumato.kinds.activity._kernels.durations import aggregate, number_selected, tabulate_squares


def test_the_last_interval_may_be_shorter():
    durations = aggregate(np.array([[1, 1, 1, 1, 0]], np.int32), 3, number_selected(2, np.array([1])))
    assert durations.tolist() == [[3, 1]]


def test_slots_with_many_activities_are_compared_like_durations():
    codes = np.arange(600, dtype=np.int32).reshape(2, 300)
    codes[1, :100] = codes[0, :100]
    assert tabulate_squares(codes, 1, np.arange(600), np.arange(2)).tolist() == [[0, 400], [400, 0]]
    kept = number_selected(600, np.arange(0, 600, 2))
    vectors = [plain.durations(row.tolist(), 600, 1, range(0, 600, 2)) for row in codes]
    assert tabulate_squares(codes, 1, kept, np.arange(2))[0, 1] == plain.square(*vectors)


@settings(max_examples=100)
@given(problems(), st.integers(1, 9))
def test_durations_and_distances_are_the_plain_ones(data, length):
    codes = np.array(data.rows, np.int32)
    for kept in (list(range(data.q)), data.sensitive):
        column = number_selected(data.q, np.array(kept))
        vectors = [plain.durations(row, data.q, length, kept) for row in data.rows]
        assert aggregate(codes, length, column).tolist() == vectors
        table = tabulate_squares(codes, length, column, np.arange(len(vectors)))
        assert table.tolist() == [[plain.square(x, y) for y in vectors] for x in vectors]
