"""CLUSTER with its tree of boxes is CLUSTER by the book, ties and all."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.drawn_tables import classes_of, dataset_of, tables
from tests.kinds.table.naive.local_classes import plain_cluster

from sfumato.kinds.table._kernels.clusters import group_by_cluster
from sfumato.kinds.table._kernels.prices import RANGE, build_space
from sfumato.kinds.table.dataset import attributes_of
from sfumato.kinds.table.methods._base.spaces import space_of


def clusters_of(columns, k, at_a_time=None):
    attributes = attributes_of(dataset_of(columns))
    space = space_of(attributes, tuple(column.weight for column in columns))
    return classes_of(group_by_cluster(space, k, at_a_time))


@settings(max_examples=150)
@given(tables(), st.integers(1, 6))
def test_clusters_are_those_of_a_plain_search(columns, k):
    assert clusters_of(columns, k) == {frozenset(cluster) for cluster in plain_cluster(columns, k)}


@settings(max_examples=40)
@given(tables(largest=80), st.integers(1, 5), st.lists(st.sampled_from([0.0, 0.3, 1.0, 7.0]), min_size=3, max_size=3))
def test_weights_and_tables_of_many_boxes(columns, k, weights):
    for column, weight in zip(columns, weights, strict=False):
        column.weight = weight
    assert clusters_of(columns, k) == {frozenset(cluster) for cluster in plain_cluster(columns, k)}


@settings(max_examples=100)
@given(tables(largest=40), st.integers(1, 7))
def test_clusters_that_look_again_after_every_record(columns, k):
    assert clusters_of(columns, k, 1) == {frozenset(cluster) for cluster in plain_cluster(columns, k, 1)}


def test_equal_records_are_taken_in_their_order():
    space = build_space(np.zeros((7, 2), np.int32), [RANGE, RANGE], [np.array([3.0]), np.array([4.0])], [1.0, 1.0])
    assert group_by_cluster(space, 3).tolist() == [0, 0, 0, 1, 1, 1, 0]


@pytest.mark.parametrize(("rows", "sizes"), [(0, []), (1, [1]), (3, [3]), (5, [5]), (6, [3, 3]), (11, [3, 3, 5])])
def test_sizes_of_clusters(rows, sizes):
    axis = np.arange(rows, dtype=float)
    group = group_by_cluster(build_space(np.arange(rows, dtype=np.int32)[:, None], [RANGE], [axis], [1.0]), 3)
    assert sorted(np.bincount(group).tolist()) == sizes


def test_clusters_of_nobody_are_refused():
    with pytest.raises(ValueError, match="k must be at least 1"):
        group_by_cluster(build_space(np.zeros((3, 1), np.int32), [RANGE], [np.zeros(1)], [1.0]), 0)
