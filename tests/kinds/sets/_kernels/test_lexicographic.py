"""Lists in lexicographic order."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets._kernels.lexicographic import order_lists


@settings(max_examples=100)
@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=20))
def test_lists_are_ordered_as_python_orders_them(lists):
    found = order_lists(*arrays_of_lists(lists))
    assert found.tolist() == sorted(range(len(lists)), key=lambda i: lists[i])


def arrays_of_lists(lists) -> tuple[np.ndarray, np.ndarray]:
    list_column = ListColumn.from_lists([[str(v) for v in row] for row in lists])
    return list_column.offsets, np.array([value for row in lists for value in row], np.int32)
