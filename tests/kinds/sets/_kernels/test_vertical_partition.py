"""VERPART on arrays against the plain one on sets."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import RECORDS, TERMS, as_arrays
from tests.kinds.sets.naive import disassociation as naive

from sfumato.kinds.sets._kernels.cluster_terms import index_clusters
from sfumato.kinds.sets._kernels.horizontal_partition import Partition
from sfumato.kinds.sets._kernels.vertical_partition import partition_terms


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@settings(max_examples=60)
@given(rows=RECORDS, k=st.integers(2, 4), apart=st.frozensets(st.integers(0, TERMS - 1), max_size=2))
def test_terms_are_dealt_out_as_in_the_plain_version(rows, m, k, apart):
    index = index_clusters(*as_arrays(rows), Partition(np.arange(len(rows)), np.array([0, len(rows)])), TERMS)
    flags = np.array([term in apart for term in range(TERMS)])
    found = partition_terms(index, flags, k, m)
    domains, rest = naive.verpart(rows, k, m, apart)
    expected = {term: number for number, domain in enumerate(domains, 1) for term in domain} | dict.fromkeys(rest, 0)
    assert dict(zip(index.term.tolist(), found.chunk.tolist(), strict=True)) == expected


def test_clusters_of_more_than_64_records_use_several_words():
    rows = [frozenset({0, 1})] * 70 + [frozenset({1, 2})] * 69 + [frozenset({0, 2})]
    index = index_clusters(*as_arrays(rows), Partition(np.arange(140), np.array([0, 140])), 3)
    found = partition_terms(index, np.zeros(3, np.bool_), 2, 2)
    domains, rest = naive.verpart(rows, 2, 2)
    assert domains == [(1, 0), (2,)] and not rest
    assert found.chunk.tolist() == [1, 1, 2]
