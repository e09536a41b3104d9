"""Fullest windows of groups, and conflicts."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive import time_groups as naive

from sfumato.data.lists import ListColumn
from sfumato.kinds.sequences._kernels import windows
from sfumato.kinds.sequences._kernels.windows import Unmonitored, find_fullest, have_conflict, key_pairs
from sfumato.kinds.sequences.decode import Entries
from sfumato.kinds.sequences.knowledge.windows import count_most


def as_unmonitored(pairs):
    offsets = np.cumsum([0] + [len(person) for person in pairs]).astype(np.int64)
    event, time = (np.array([pair[i] for person in pairs for pair in person]) for i in (0, 1))
    return Unmonitored(offsets, event.astype(np.int32), time.astype(np.int64))


def find_one(pairs, g):
    """The fullest window when all are in one group."""
    fullest = find_fullest(key_pairs(as_unmonitored(pairs), g), np.zeros(len(pairs), np.int64))
    return tuple(int(column[0]) for column in fullest[1:])


def test_both_ends_of_a_window_belong_to_it():
    pairs = [[(4, 10)], [(4, 13)], [(4, 17)]]
    assert find_one(pairs, 2) == (1, 4, 10)
    assert find_one(pairs, 3) == (2, 4, 10)
    assert find_one(pairs, 4) == (2, 4, 10)
    assert find_one(pairs, 6) == (2, 4, 10)
    assert find_one(pairs, 7) == (3, 4, 10)
    assert find_one(pairs, 10**15) == (3, 4, 10)


def test_a_window_may_have_no_length():
    assert find_one([[(0, 5)], [(0, 5)], [(0, 6)]], 0) == (2, 0, 5)


def test_a_person_counts_once_per_event_and_window():
    assert find_one([[(1, 0), (1, 1), (1, 2)], [(1, 9)]], 5) == (1, 1, 0)
    # Leaving the window with one pair, the person stays in it with another.
    assert find_one([[(1, 0), (1, 6)], [(1, 7)]], 2) == (2, 1, 6)


def test_windows_do_not_reach_from_one_event_to_the_next():
    """The last time of an event and the first of the next are as close as can be."""
    assert find_one([[(0, 100)], [(1, 0)], [(2, -100)]], 200) == (1, 0, 100)


def test_the_smallest_event_and_the_earliest_window_come_first():
    assert find_one([[(3, 0), (2, 50), (2, 10)], [(2, 11), (3, 1), (2, 50)]], 1) == (2, 2, 10)


def test_nothing_done_is_no_full_window():
    fullest = find_fullest(key_pairs(as_unmonitored([[], [], []]), 5), np.array([1, 0, 1]))
    assert [column.tolist() for column in fullest] == [[1, 2], [0, 0], [-1, -1], [0, 0]]


def test_without_groups_there_are_no_fullest():
    fullest = find_fullest(key_pairs(as_unmonitored([[(1, 2)]]), 5), np.array([-1]))
    assert all(column.size == 0 for column in fullest)


def test_numbers_that_do_not_fit_are_refused():
    with pytest.raises(OverflowError, match="coarser"):
        key_pairs(as_unmonitored([[(2**20, 0), (0, 2**45)]]), 5)


people = st.lists(st.lists(st.tuples(st.integers(0, 3), st.integers(-9, 9)), max_size=6), min_size=1, max_size=8)


@settings(max_examples=300)
@given(people, st.sampled_from([0, 1, 2, 5, 40]), st.integers(0, 2**32), st.sampled_from([1, 7, 2_000_000]))
def test_fullest_equal_naive(pairs, g, seed, slice_size):
    group = np.random.default_rng(seed).integers(-1, 3, len(pairs))
    group[group >= 0] = np.unique(group[group >= 0], return_inverse=True)[1]
    before = group.copy()
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(windows, "_PAIRS_PER_SLICE", slice_size)
        fullest = find_fullest(key_pairs(as_unmonitored(pairs), g), group)
    np.testing.assert_array_equal(group, before)
    for number in range(group.max() + 1):
        cluster = np.flatnonzero(group == number).tolist()
        found = tuple(int(column[number]) for column in fullest)
        assert found == (len(cluster), *naive.find_fullest(cluster, pairs, g))


@settings(max_examples=150)
@given(people, st.sampled_from([0, 1, 2, 5, 40]), st.integers(0, 2**32))
def test_makers_and_checkers_count_the_same_windows(pairs, g, seed):
    group = np.unique(np.random.default_rng(seed).integers(0, 3, len(pairs)), return_inverse=True)[1]
    ordered = [sorted(person, key=lambda pair: pair[1]) for person in pairs]
    events = ListColumn.from_lists([[str(event) for event, _ in person] for person in ordered])
    times = np.array([time for person in ordered for _, time in person], np.int64)
    published = count_most(Entries(events, times), group, int(group.max()) + 1, g)
    assert find_fullest(key_pairs(as_unmonitored(pairs), g), group).most.tolist() == published.tolist()


@settings(max_examples=300)
@given(people, people, st.sampled_from([0, 1, 3, 40]))
def test_conflicts_equal_naive(one, other, g):
    keyed = key_pairs(as_unmonitored(one + other), g)
    cut = keyed.offsets[len(one)]
    pairs = one + other
    expected = naive.in_conflict(range(len(one)), range(len(one), len(pairs)), pairs, g)
    assert have_conflict(np.sort(keyed.key[:cut]), np.sort(keyed.key[cut:]), keyed.gap) == expected
