"""Clusters and chunks read back from a release, as the plain tree says."""

from __future__ import annotations

import random

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.naive.attack import Tree
from tests.kinds.sets.releases import disassociated, random_chunks

from sfumato.kinds.sets.decode import Chunks


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_leaves_and_records_are_those_of_the_plain_tree(seed: int) -> None:
    rng = random.Random(seed)
    _, _, clusters, rows = random_chunks(rng)
    rng.shuffle(clusters)
    rng.shuffle(rows)
    chunks, tree = Chunks.of(disassociated(clusters, rows)), Tree(clusters, rows)
    assert sorted(chunks.names[leaf] for leaf in chunks.leaves) == sorted(tree.leaves)
    for number, name in enumerate(chunks.names):
        below = {chunks.names[leaf] for leaf in chunks.leaves_below(number)}
        assert below == {leaf for leaf in tree.leaves if name in tree.above(leaf)}
    seats = [leaf for leaf in tree.leaves for _ in range(tree.size[leaf])]
    assert [chunks.names[leaf] for leaf in chunks.leaf_of_record] == seats
    places = [tuple(chunks.locate(chunk).values()) for chunk in range(len(chunks))]
    assert sorted(places) == sorted(tree.chunks)
    labels = chunks.subrecords.labels
    for chunk, place in enumerate(places):
        assert sorted(map(sorted, chunks.subrecords_of(chunk).lists())) == sorted(map(sorted, tree.chunks[place]))
        assert {labels[term] for term in chunks.terms(chunk)} == set().union(*tree.chunks[place])
    assert chunks.encode([*labels, "nowhere"]).tolist() == [*range(len(labels)), -1]
