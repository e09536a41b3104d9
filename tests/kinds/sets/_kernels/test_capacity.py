"""Hall's condition against looking for places one by one."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sets.naive.disassociation import find_places

from sfumato.kinds.sets._kernels.capacity import MOST_PATTERNS, add_pattern, has_capacity, make_patterns

LEAVES = 4


@given(
    st.lists(st.tuples(st.sets(st.integers(0, LEAVES - 1), min_size=1), st.integers(1, 4)), max_size=6),
    st.lists(st.integers(3, 6), min_size=LEAVES, max_size=LEAVES),
    st.integers(1, 3),
)
def test_there_is_room_exactly_where_all_find_places_beside_k_free_records(drawn, sizes, k):
    patterns = make_patterns(LEAVES)
    for leaves, supply in drawn:
        assert add_pattern(patterns, np.isin(np.arange(LEAVES), sorted(leaves)), supply)
    bound = [leaves for leaves, supply in drawn for _ in range(supply) if len(leaves) < LEAVES]
    free = set().union(*bound)
    found = all(find_places(bound, [size - k * (at == leaf) for at, size in enumerate(sizes)]) for leaf in free)
    assert has_capacity(patterns, np.array(sizes), k) == found


def test_too_many_patterns_are_refused():
    patterns = make_patterns(5)
    taken = [add_pattern(patterns, np.array([mask >> at & 1 for at in range(5)], np.bool_), 1) for mask in range(1, 15)]
    assert taken == [True] * MOST_PATTERNS + [False] * 2
    assert add_pattern(patterns, np.array([True, False, False, False, False]), 1)
