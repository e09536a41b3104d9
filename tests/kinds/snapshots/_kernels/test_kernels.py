"""Kernels on the paper's examples, and groups of buckets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.kinds.snapshots._kernels.buckets import group_buckets
from sfumato.kinds.snapshots._kernels.reposition import Window, admit_newest, relay_gain


def window_of(values, size):
    return Window(*(np.zeros((values, width), np.int64) for width in (size, 2 * size - 1, size)))


def examples_2_and_3(first_gains):
    """P has 8 records (2 of s1, s2, s3 and 1 of s4, s5), level 2, 4-eligible; gains of one waiting record per value."""
    window = window_of(5, 2)
    cost = 5
    window.held[:, 0] = 1
    arrived = np.array([2, 2, 2, 1, 1], dtype=np.int64)
    beta = np.array([gain + cost for gain in first_gains], dtype=np.int64)
    return window, arrived, np.array([0, cost], dtype=np.int64), beta


def test_example_2_relays_the_only_gain_that_keeps_the_level():
    window, arrived, mu, beta = examples_2_and_3([-4, -4, -4, 2, -1])
    assert admit_newest(window, arrived, 4, mu, beta) == 2
    assert window.slots[:, 1].tolist() == [2, 2, 2, 2, 1]
    assert window.held[:, 0].tolist() == [1, 1, 1, 0, 1]


def test_example_3_lifts_the_level_with_three_records_one_of_which_loses():
    """After LP there are 9 records at level 2; level 3 needs 12: gains 3, 3 and -2 together are 4."""
    window, arrived, mu, beta = examples_2_and_3([3, 3, -4, 1, -2])
    assert admit_newest(window, arrived, 4, mu, beta) == 1 + 3 + 3 - 2
    assert window.slots[:, 1].tolist() == [3, 3, 2, 2, 2]
    assert window.slots[:, 1].sum() == 12


def test_a_lift_that_does_not_gain_is_rolled_back():
    window, arrived, mu, beta = examples_2_and_3([3, -2, -2, 1, -2])
    assert admit_newest(window, arrived, 4, mu, beta) == 1
    assert window.slots[:, 1].tolist() == [2, 2, 2, 2, 1]


def test_a_level_that_can_rise_for_nothing_takes_single_gains():
    """Figure 4 stops at m=0 because an empty set gains nothing; here single records with a gain are taken."""
    window = window_of(5, 2)
    window.held[0, 0] = 1
    arrived = np.array([2, 2, 2, 2, 2], dtype=np.int64)
    gain = admit_newest(window, arrived, 3, np.array([0, 1], dtype=np.int64), np.full(5, 4, dtype=np.int64))
    assert gain == 3
    assert window.slots[:, 1].tolist() == [3, 2, 2, 2, 2]


def test_a_relay_pushes_later_records_on_and_keeps_their_order():
    """A record of snapshot 0 takes the place of one of snapshot 1, which goes to the newest snapshot."""
    window = window_of(1, 3)
    window.slots[0] = [0, 1, 0]
    window.chosen[0] = [0, 0, 0, 1, 0]
    window.held[0] = [1, 0, 0]
    quadratic = np.array([0, 1, 4], dtype=np.int64)
    gain, origin = relay_gain(window, 0, quadratic, 10)
    assert (gain, origin) == (10 - 1 - 1, 0)
    direct = 10 - 4
    assert gain > direct


@settings(max_examples=60)
@given(st.lists(st.integers(0, 9), min_size=1, max_size=8), st.integers(1, 4), st.integers(0, 2**32))
def test_buckets_become_groups_without_repetition(counts, l, seed):
    counts = np.array(counts, dtype=np.int64)
    while counts.sum() and l * counts.max() > counts.sum():
        counts[np.argmax(counts)] -= 1
    draws = np.random.default_rng(seed).integers(0, 2**62, max(1, 2 * counts.sum()))
    value, group = group_buckets(counts, l, draws)
    assert (np.bincount(value, minlength=len(counts)) == counts).all()
    assert len(set(zip(value.tolist(), group.tolist(), strict=True))) == counts.sum()
    sizes = np.bincount(group)
    assert len(sizes) == counts.sum() // l
    assert not len(sizes) or sizes.min() >= l
