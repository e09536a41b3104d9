"""The counter against collections.Counter, dense and hashed."""

from collections import Counter as PlainCounter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato._kernels.counter import (
    ANY_COUNT,
    LARGEST_KEY,
    add_keys,
    find_slot,
    list_entries,
    new_counter,
    read_all,
    read_key,
)

BATCHES = st.lists(st.tuples(st.lists(st.integers(0, 60), max_size=30), st.sampled_from([1, 1, -1, 3])), max_size=8)


@settings(max_examples=100)
@given(BATCHES, st.sampled_from([(61, 100, 1), (LARGEST_KEY, 0, LARGEST_KEY // 60)]))
def test_counts_like_a_plain_counter(batches, shape):
    space, expected, spread = shape
    counter, plain = new_counter(space, expected), PlainCounter()
    for keys, step in batches:
        array = np.array(keys, np.int64) * spread
        counter = add_keys(counter, array, array.size, step)
        for key in array.tolist():
            plain[key] += step
    asked = np.arange(61, dtype=np.int64) * spread
    assert read_all(counter, asked).tolist() == [plain[key] for key in asked.tolist()]
    for bound in (2, 5, ANY_COUNT):
        keys, counts = list_entries(counter, bound)
        found = dict(zip(keys.tolist(), counts.tolist(), strict=True))
        assert found == {key: count for key, count in plain.items() if 0 < count < bound}
        assert len(found) == keys.size


def test_few_keys_are_dense_and_many_are_hashed():
    assert new_counter(100, 0).dense.size == 100
    assert new_counter(10**7, 10).dense.size == 0
    assert new_counter(10**7, 10**6).dense.size == 10**7
    assert new_counter(10**12, 10**12).dense.size == 0


def test_grows_and_forgets_keys_that_fell_to_zero():
    counter = new_counter(LARGEST_KEY, 0)
    keys = np.arange(400, dtype=np.int64) * 10**6
    counter = add_keys(counter, keys, keys.size, 1)
    capacity = counter.slots.size
    for start in range(1, 30):
        counter = add_keys(counter, keys + start - 1, keys.size, -1)
        counter = add_keys(counter, keys + start, keys.size, 1)
    assert counter.slots.size <= 4 * capacity
    assert list_entries(counter, ANY_COUNT)[0].size == keys.size
    counter = add_keys(counter, np.arange(3000, dtype=np.int64), 3000, 1)
    assert counter.slots.size > 4096
    assert read_key(counter, 29) == 2


@pytest.mark.parametrize("stride", [1, 64, 662, 2**20, 2**31, 2**40 + 1])
def test_regular_keys_spread_over_the_table(stride):
    """Keys in steps, as neighbouring sequences are, must not pile up in one place."""
    empty = np.full(2 * 8192, -1, np.int64)
    slots, steps = empty.copy(), 0
    for key in range(0, 4096 * stride, stride):
        slot = find_slot(slots, key)
        slots[slot] = key
        steps += ((slot - find_slot(empty, key)) >> 1) % 8192
    assert steps < 3 * 4096
