"""The walk over leftmost embeddings against itertools.combinations."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.kinds.trajectories._kernels.subsequences import list_keys, new_walk, start_walk

BASE = 10


def walk_all(row, size, first=-1, second=-1, batch=4096):
    tokens = np.array(row, np.int32)
    walk = new_walk(longest=len(row), deepest=size, tokens=BASE, batch=batch)
    start_walk(walk, tokens, first, second)
    found = []
    while number := list_keys(walk, tokens, size, BASE):
        found += walk.keys[:number].tolist()
    assert list_keys(walk, tokens, size, BASE) == 0
    assert (walk.latest == -1).all()
    return found


def make_key(sequence):
    key = 0
    for token in sequence:
        key = key * BASE + token
    return key


ROWS = st.integers(1, BASE - 1).flatmap(lambda top: st.lists(st.integers(0, top), max_size=9))


@settings(max_examples=150)
@given(ROWS, st.integers(1, 5), st.sampled_from([1, 7, 4096]))
def test_finds_every_subsequence_once(row, size, batch):
    expected = {make_key(sequence) for sequence in combinations(row, size)}
    assert sorted(walk_all(row, size, batch=batch)) == sorted(expected)


@settings(max_examples=150)
@given(ROWS, st.integers(1, 5), st.integers(0, 4), st.integers(-1, 4), st.sampled_from([1, 4096]))
def test_finds_every_subsequence_through_a_mark_once(row, size, first, second, batch):
    expected = {make_key(s) for s in combinations(row, size) if first in s or second in s}
    assert sorted(walk_all(row, size, first, second, batch)) == sorted(expected)


@pytest.mark.parametrize("row", [[], [3], [3, 3, 3]])
def test_short_and_constant_rows(row):
    assert walk_all(row, 2) == ([33] if len(row) > 1 else [])
    assert walk_all(row, 4) == []
