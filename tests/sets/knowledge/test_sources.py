"""Leaves that cannot have a subrecord, as the tree of clusters says."""

from __future__ import annotations

import random
from collections import Counter

from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive.attack import Tree
from tests.sets.releases import random_chunks

from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.kinds.sets.published import Chunks


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_leaves_are_closed_to_subrecords_as_the_tree_says(seed):
    _, _, clusters, rows = random_chunks(random.Random(seed))
    if not rows:
        return
    chunks, tree = Chunks.from_rows(clusters, rows), Tree(clusters, rows)
    sources, labels = Sources(chunks), chunks.subrecords.labels
    for chunk in sources.restricted_chunks.tolist():
        found, cluster = sources.restriction(chunk), chunks.names[chunks.cluster[chunk]]
        items = [frozenset(labels[term] for term in subrecord) for subrecord in found.subrecords]
        leaves = [chunks.names[leaf] for leaf in found.leaves.tolist()]
        assert found.allowed.tolist() == [[tree.may_have(leaf, cluster, has) for has in items] for leaf in leaves]
        published = Counter(tree.chunks[cluster, int(chunks.number[chunk])])
        assert dict(zip(items, found.times.tolist(), strict=True)) == published
