"""HORPART on arrays against the plain one on sets."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import RECORDS, TERMS, as_arrays
from tests.kinds.sets.naive import disassociation as naive

from sfumato.kinds.sets._kernels.horizontal_partition import Partition, partition_records


def clusters_of(partition: Partition) -> list[list[int]]:
    return [part.tolist() for part in np.split(partition.order, partition.bounds[1:-1])]


@settings(max_examples=150)
@given(RECORDS, st.integers(1, 4), st.integers(1, 6))
def test_records_are_clustered_as_in_the_plain_recursion(rows, smallest, more):
    largest = smallest + more
    rows = sorted(rows, key=sorted)
    found = partition_records(*as_arrays(rows), TERMS, smallest, largest)
    expected = naive.horpart(list(enumerate(rows)), smallest, largest)
    assert clusters_of(found) == [[row for row, _ in part] for part in expected]
    sizes = np.diff(found.bounds)
    assert sorted(found.order.tolist()) == list(range(len(rows)))
    assert len(rows) < smallest or sizes.min() >= smallest
    assert sizes.max() <= max(largest, 2 * smallest - 1)


def test_records_without_terms_and_equal_records_are_cut_by_size():
    offsets = np.zeros(8, np.int64)
    assert np.diff(partition_records(offsets, np.empty(0, np.int32), 3, 2, 3).bounds).tolist() == [3, 2, 2]
    equal = partition_records(np.arange(8), np.zeros(7, np.int32), 1, 2, 3)
    assert np.diff(equal.bounds).tolist() == [3, 2, 2]
