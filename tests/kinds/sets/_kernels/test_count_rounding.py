"""Tables of expected numbers rounded at random, against searching the whole table."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.naive.rounding import round_plainly

from sfumato.kinds.sets._kernels.count_rounding import round_table


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
