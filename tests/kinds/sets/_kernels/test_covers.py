"""Records exchanged to have no covers, against the plain version."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import index_of
from tests.kinds.sets.naive import disassociation as naive

from sfumato.kinds.sets._kernels.covers import exchange_records, find_covers
from sfumato.kinds.sets._kernels.vertical_partition import partition_terms

TERMS = 12


SETS = st.lists(st.frozensets(st.integers(0, 6), min_size=1, max_size=4), min_size=2, max_size=9)


@settings(max_examples=150)
@given(st.lists(SETS, min_size=1, max_size=8))
def test_records_are_exchanged_as_in_the_plain_version(clusters):
    offsets, codes, partition, index = index_of(clusters, TERMS)
    chunk = partition_terms(index, np.zeros(TERMS, np.bool_), 2, 2).chunk
    covers = find_covers(index, chunk)
    number = iter(range(len(partition.order)))
    plain = [[(next(number), record) for record in cluster] for cluster in clusters]
    expected = [naive.find_covers(records, *naive.verpart(records, 2, 2)) for records in clusters]
    assert [set(index.term[covers & (index.cluster == c)].tolist()) for c in range(len(clusters))] == expected
    moved = naive.exchange(plain, expected, reach=64, per_turn=8)
    exchange = exchange_records(offsets, codes, partition, index, covers)
    assert exchange.exchanged == moved
    assert exchange.partition.order.tolist() == [row for cluster in plain for row, _ in cluster]
