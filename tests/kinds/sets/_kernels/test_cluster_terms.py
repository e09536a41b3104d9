"""The terms of clusters, and the bits of their records."""

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import RECORDS, TERMS, as_arrays

from sfumato.kinds.sets._kernels.cluster_terms import count_bits, index_clusters
from sfumato.kinds.sets._kernels.horizontal_partition import Partition


@settings(max_examples=100)
@given(RECORDS, st.data())
def test_the_terms_of_clusters_are_listed_with_their_records(rows, data):
    order = data.draw(st.permutations(range(len(rows))))
    cuts = sorted({0, len(rows), *data.draw(st.lists(st.integers(0, len(rows)), max_size=3))})
    index = index_clusters(*as_arrays(rows), Partition(np.array(order), np.array(cuts)), TERMS)
    for cluster, (low, high) in enumerate(itertools.pairwise(cuts)):
        for term in range(TERMS):
            seats = [seat for seat in range(low, high) if term in rows[order[seat]]]
            entries = np.flatnonzero((index.cluster == cluster) & (index.term == term))
            found = [index.seat[index.start[entry] : index.start[entry + 1]].tolist() for entry in entries]
            assert found == ([seats] if seats else [])


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    assert count_bits(np.uint64(word)) == word.bit_count()
