"""How many sequences records hold, against listing them."""

from itertools import combinations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato._kernels import size_limits
from sfumato.checks import subsequences as checked
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError

rows = st.lists(st.lists(st.integers(0, 4), max_size=7), min_size=1, max_size=5)


@given(rows, st.integers(1, 5))
def test_both_sides_count_what_a_listing_has(records, size):
    listed = [len(set(combinations(row, size))) for row in records]
    history = ListColumn(
        np.cumsum([0, *map(len, records)]), np.array([v for row in records for v in row], np.int32), tuple("abcde")
    )
    assert checked.count_distinct(history, size).tolist() == listed
    latest = np.full(5, -1)
    for row, many in zip(records, listed, strict=True):
        held = np.empty((len(row) + 1, size + 1))
        assert size_limits.count_distinct(np.array(row, np.int32), size, latest, held) == many
    assert (latest == -1).all()


LONG = np.arange(300, dtype=np.int32)
REPEATED = np.arange(300, dtype=np.int32) % 2


@pytest.mark.parametrize(("codes", "size", "is_refused"), [(LONG, 3, False), (LONG, 9, True), (REPEATED, 9, False)])
def test_different_values_are_too_many_and_the_same_two_again_and_again_are_not(codes, size, is_refused):
    history = ListColumn(np.array([0, 300]), codes, tuple(map(str, range(300))))
    if not is_refused:
        size_limits.refuse_endless(np.array([0]), np.array([300]), codes, size, 300)
        assert checked.countable_sizes(history, size) == range(1, size + 1)
        return
    with pytest.raises(ValueError, match="has 300 values, which hold"):
        size_limits.refuse_endless(np.array([0]), np.array([300]), codes, size, 300)
    with pytest.raises(ParameterError, match="record 1 has 300 values"):
        checked.countable_sizes(history, size)


def test_many_records_are_too_many_together():
    length = np.full(200_000, 60)
    with pytest.raises(ValueError, match=r"more than 1e[+]11 sets of 5"):
        size_limits.refuse_endless_sets(length, 5)
    history = ListColumn(np.arange(0, 60 * 20_001, 60), np.tile(np.arange(60, dtype=np.int32), 20_000), ("",) * 60)
    with pytest.raises(ParameterError, match=r"the records hold 1.1e[+]11 sequences of 5"):
        checked.countable_sizes(history, 5)
    with pytest.raises(ValueError, match=r"the records hold 1.1e[+]11 sequences of 5"):
        size_limits.refuse_endless(history.offsets[:-1], history.lengths, history.codes, 5, 60)
