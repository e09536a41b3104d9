"""Gray order: the fast orders equal sorting by whole numbers."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from numpy.typing import NDArray
from tests._kernels.naive import gray as naive
from tests.examples import settings

from sfumato._kernels.gray import gray_order, gray_order_sparse

ordinary = settings(max_examples=150)


@st.composite
def bit_keys(draw: st.DrawFn) -> NDArray[np.uint8]:
    """Keys of a few to several hundred bits, with many equal ones and long common beginnings."""
    bits = draw(st.sampled_from([0, 1, 2, 5, 63, 64, 65, 130, 300]))
    one = st.sets(st.integers(0, bits - 1), max_size=8) if bits else st.just(set())
    models = draw(st.lists(one, min_size=1, max_size=6))
    rows = draw(st.lists(st.tuples(st.sampled_from(models), one | st.just(set())), max_size=30))
    keys = np.zeros((len(rows), bits), dtype=np.uint8)
    for row, (model, flips) in enumerate(rows):
        keys[row, sorted(model ^ flips)] = 1
    return keys


def list_ones(keys: NDArray[np.uint8], seed: int = 0) -> tuple[NDArray[np.int64], NDArray[np.int32]]:
    """Positions of the ones of each row, shuffled."""
    generator = np.random.default_rng(seed)
    ones = [generator.permutation(np.flatnonzero(key)) for key in keys]
    offsets = np.cumsum([0, *(len(positions) for positions in ones)], dtype=np.int64)
    return offsets, np.concatenate([np.empty(0), *ones]).astype(np.int32)


def read_keys(text: str) -> NDArray[np.uint8]:
    return np.array([[int(bit) for bit in key] for key in text.split()], dtype=np.uint8)


@ordinary
@given(bit_keys(), st.integers(0, 9))
def test_both_orders_equal_sorting_the_ranks(keys: NDArray[np.uint8], seed: int) -> None:
    expected = naive.gray_order(keys.tolist())
    assert gray_order(keys).tolist() == expected
    assert gray_order_sparse(*list_ones(keys, seed), keys.shape[1]).tolist() == expected


@pytest.mark.parametrize(
    ("keys", "expected"),
    [
        ("11011 11101 01011 11110 10010 01010", [6, 3, 1, 4, 2, 5]),
        ("11 10 11 11 01 11", [5, 1, 3, 4, 6, 2]),
        ("001 011 101", [1, 2, 3]),
    ],
)
def test_worked_examples(keys: str, expected: list[int]) -> None:
    bits = read_keys(keys)
    assert (gray_order(bits) + 1).tolist() == expected
    assert (gray_order_sparse(*list_ones(bits), bits.shape[1]) + 1).tolist() == expected


def test_neighbours_of_the_full_order_differ_in_one_bit() -> None:
    keys = ((np.arange(256)[:, None] >> np.arange(8)) & 1).astype(np.uint8)
    ordered = keys[gray_order(keys)].astype(np.int64)
    assert ordered[0].sum() == 0
    assert np.abs(np.diff(ordered, axis=0)).sum(axis=1).tolist() == [1] * 255


@pytest.mark.large
@pytest.mark.parametrize("bits", [6, 100, 700])
@pytest.mark.parametrize("rows", [100, 6000])  # sorted by merging and by digits
def test_large_groups_and_dense_keys(rows: int, bits: int) -> None:
    generator = np.random.default_rng(rows + bits)
    keys = (generator.random((rows, bits)) < 0.4).astype(np.uint8)
    keys[: rows // 2, : bits // 2] = keys[0, : bits // 2]
    packed = [int.from_bytes(np.packbits(np.bitwise_xor.accumulate(key)).tobytes()) for key in keys]
    expected = sorted(range(rows), key=lambda row: (packed[row], row))
    assert gray_order(keys).tolist() == expected
    assert gray_order_sparse(*list_ones(keys), bits).tolist() == expected


def test_columns_are_left_unchanged() -> None:
    columns = np.array([2, 0, 1], dtype=np.int32)
    columns.flags.writeable = False
    assert gray_order_sparse(np.array([0, 3]), columns, 3).tolist() == [0]
    assert columns.tolist() == [2, 0, 1]


def test_types_of_the_orders() -> None:
    keys = read_keys("10 01")
    assert gray_order(keys).dtype == np.int64
    assert gray_order_sparse(*list_ones(keys), np.int64(2)).dtype == np.int64
