"""Rows have the same number exactly where they are the same, as comparing them one by one says."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.knowledge.rows import number_rows

rows = st.lists(st.tuples(st.integers(0, 2), st.lists(st.sampled_from("abc"), max_size=4)), max_size=12)


@settings(max_examples=60)
@given(rows, st.booleans())
def test_equal_rows_and_only_those_have_equal_numbers(drawn, told_apart):
    apart = np.array([group for group, _ in drawn], dtype=np.int64) if told_apart else None
    number = number_rows(ListColumn.from_lists([row for _, row in drawn]), apart).tolist()
    plain = [(group if told_apart else 0, row) for group, row in drawn]
    for one in range(len(drawn)):
        for other in range(len(drawn)):
            assert (number[one] == number[other]) == (plain[one] == plain[other])
