"""Distances of clusters against the definition, merge after merge."""

from __future__ import annotations

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.rt.naive.anonymity import bit_distance

from sfumato.core.ragged import Ragged
from sfumato.kinds.rt.kernels.bit_vectors import link_clusters, measure_joined, merge_lists, pack_sets

WIDE = [f"i{number:03d}" for number in range(130)]
sets = st.lists(
    st.one_of(st.sets(st.sampled_from(WIDE), max_size=6), st.sets(st.sampled_from(WIDE[:4]), max_size=4)),
    min_size=2,
    max_size=14,
)


def furthest(records: list[set[str]]) -> float:
    return max((bit_distance(one, other) for one in records for other in records), default=0.0)


@given(sets, st.integers(1, 5), st.randoms(use_true_random=False))
def test_distances_are_those_of_the_definition_after_every_merge(records, clusters, random) -> None:
    group = [random.randrange(clusters) for _ in records]
    ragged = Ragged.from_lists([sorted(record) for record in records])
    bits = pack_sets(ragged.offsets, ragged.codes, len(ragged.labels))
    linked = link_clusters(bits, np.array(group, np.int64), clusters)
    held = {at: [record for record, g in zip(records, group, strict=True) if g == at] for at in range(clusters)}
    active = np.array([bool(held[at]) for at in range(clusters)])
    while active.sum() > 1:
        seed, other = random.sample(np.flatnonzero(active).tolist(), 2)
        wanted = active.copy()
        wanted[seed] = False
        found = measure_joined(linked, wanted, seed)
        assert [found[at] for at in np.flatnonzero(wanted)] == [
            furthest(held[seed] + held[at]) for at in np.flatnonzero(wanted)
        ]
        merge_lists(linked, seed, other)
        held[seed] += held[other]
        active[other] = False
        assert linked.within[seed] == furthest(held[seed])


def test_bits_are_those_of_the_sets() -> None:
    bits = pack_sets(np.array([0, 2, 2, 3]), np.array([0, 64, 129], np.int32), 130)
    assert bits.shape == (3, 3)
    assert [[int(word) for word in row] for row in bits] == [[1, 1, 0], [0, 0, 0], [0, 0, 2]]
