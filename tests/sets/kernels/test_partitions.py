"""HORPART and VERPART on arrays against the plain ones on sets."""

import itertools

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive import disassociation as naive

from sfumato.core.ragged import Ragged
from sfumato.kinds.sets.kernels.cluster_terms import count_bits, index_clusters
from sfumato.kinds.sets.kernels.horizontal_partition import Partition, partition_records
from sfumato.kinds.sets.kernels.lexicographic import order_lists
from sfumato.kinds.sets.kernels.vertical_partition import partition_terms

TERMS = 9
RECORDS = st.lists(st.frozensets(st.integers(0, TERMS - 1), min_size=1, max_size=5), min_size=1, max_size=40)


def arrays(rows) -> tuple[np.ndarray, np.ndarray]:
    """Sets as offsets and ascending codes."""
    lists = [sorted(row) for row in rows]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in lists])]).astype(np.int64)
    return offsets, np.array([code for row in lists for code in row], np.int32)


def clusters_of(partition: Partition) -> list[list[int]]:
    return [part.tolist() for part in np.split(partition.order, partition.bounds[1:-1])]


@settings(max_examples=100)
@given(st.lists(st.lists(st.integers(0, 3), max_size=4), max_size=20))
def test_lists_are_ordered_as_python_orders_them(lists):
    found = order_lists(*arrays_of_lists(lists))
    assert found.tolist() == sorted(range(len(lists)), key=lambda i: lists[i])


def arrays_of_lists(lists) -> tuple[np.ndarray, np.ndarray]:
    ragged = Ragged.from_lists([[str(v) for v in row] for row in lists])
    return ragged.offsets, np.array([value for row in lists for value in row], np.int32)


@settings(max_examples=150)
@given(RECORDS, st.integers(1, 4), st.integers(1, 6))
def test_records_are_clustered_as_in_the_plain_recursion(rows, smallest, more):
    largest = smallest + more
    rows = sorted(rows, key=sorted)
    found = partition_records(*arrays(rows), TERMS, smallest, largest)
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


@settings(max_examples=100)
@given(RECORDS, st.data())
def test_the_terms_of_clusters_are_listed_with_their_records(rows, data):
    order = data.draw(st.permutations(range(len(rows))))
    cuts = sorted({0, len(rows), *data.draw(st.lists(st.integers(0, len(rows)), max_size=3))})
    index = index_clusters(*arrays(rows), Partition(np.array(order), np.array(cuts)), TERMS)
    for cluster, (low, high) in enumerate(itertools.pairwise(cuts)):
        for term in range(TERMS):
            seats = [seat for seat in range(low, high) if term in rows[order[seat]]]
            entries = np.flatnonzero((index.cluster == cluster) & (index.term == term))
            found = [index.seat[index.start[entry] : index.start[entry + 1]].tolist() for entry in entries]
            assert found == ([seats] if seats else [])


@pytest.mark.parametrize("m", [1, 2, 3, 5])
@settings(max_examples=60)
@given(rows=RECORDS, k=st.integers(2, 4), apart=st.frozensets(st.integers(0, TERMS - 1), max_size=2))
def test_terms_are_dealt_out_as_in_the_plain_version(rows, m, k, apart):
    index = index_clusters(*arrays(rows), Partition(np.arange(len(rows)), np.array([0, len(rows)])), TERMS)
    flags = np.array([term in apart for term in range(TERMS)])
    found = partition_terms(index, flags, k, m)
    domains, rest = naive.verpart(rows, k, m, apart)
    expected = {term: number for number, domain in enumerate(domains, 1) for term in domain} | dict.fromkeys(rest, 0)
    assert dict(zip(index.term.tolist(), found.chunk.tolist(), strict=True)) == expected


def test_clusters_of_more_than_64_records_use_several_words():
    rows = [frozenset({0, 1})] * 70 + [frozenset({1, 2})] * 69 + [frozenset({0, 2})]
    index = index_clusters(*arrays(rows), Partition(np.arange(140), np.array([0, 140])), 3)
    found = partition_terms(index, np.zeros(3, np.bool_), 2, 2)
    domains, rest = naive.verpart(rows, 2, 2)
    assert domains == [(1, 0), (2,)] and not rest
    assert found.chunk.tolist() == [1, 1, 2]


@given(st.integers(0, 2**64 - 1))
def test_bits_are_counted(word):
    assert count_bits(np.uint64(word)) == word.bit_count()
