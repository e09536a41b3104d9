"""Distances of clusters against the definition, merge after merge."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.rt.naive.anonymity import bit_distance

from sfumato.data.lists import ListColumn
from sfumato.kinds.rt._kernels.item_distances import count_lengths, list_items, measure_joined

ITEMS = [f"i{number}" for number in range(12)]
sets = st.lists(st.sets(st.sampled_from(ITEMS), max_size=5), min_size=2, max_size=14)


def kth_nearest(seed: list[set[str]], others: list[set[str]], k: int) -> float:
    """Average distance of the records of a seed to the k-th nearest one, themselves included."""
    everybody = seed + others
    reach = [sorted(bit_distance(record, other) for other in everybody) for record in seed]
    return sum(row[min(k, len(row)) - 1] for row in reach) / len(seed)


@given(sets, st.integers(1, 5), st.integers(1, 6), st.randoms(use_true_random=False))
def test_distances_are_those_of_the_definition_after_every_merge(records, clusters, k, random) -> None:
    group = np.array([random.randrange(-1, clusters) for _ in records], np.int64)
    list_column = ListColumn.from_lists([sorted(record) for record in records])
    lists = list_items(list_column.offsets, list_column.codes, len(list_column.labels))
    lengths = count_lengths(lists, group, clusters)
    while len(set(group.tolist()) - {-1}) > 1:
        seed, other = random.sample(sorted(set(group.tolist()) - {-1}), 2)
        wanted = np.isin(np.arange(clusters), group)
        wanted[seed] = False
        found = measure_joined(lists, group, lengths, np.flatnonzero(group == seed), wanted, k)
        mine = [records[row] for row in np.flatnonzero(group == seed)]
        for at in range(clusters):
            if not wanted[at]:
                assert found[at] == np.inf
            else:
                theirs = [records[row] for row in np.flatnonzero(group == at)]
                assert found[at] == pytest.approx(kth_nearest(mine, theirs, k))
        group[group == other] = seed
        lengths[seed] += lengths[other]
        lengths[other] = 0
