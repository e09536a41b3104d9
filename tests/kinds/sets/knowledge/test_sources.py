"""Leaves that cannot have a subrecord, as the tree of clusters says."""

from __future__ import annotations

import random
from collections import Counter

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.naive.attack import Tree
from tests.kinds.sets.naive.disassociation import find_places
from tests.kinds.sets.releases import random_chunks

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.knowledge.sources import Restriction, Sources


@settings(max_examples=60)
@given(st.integers(0, 10_000))
def test_leaves_are_closed_to_subrecords_as_the_tree_says(seed):
    _, _, clusters, rows = random_chunks(random.Random(seed))
    if not rows:
        return
    chunks, tree = Chunks.from_rows(clusters, rows), Tree(clusters, rows)
    sources = Sources(chunks)
    for chunk in sources.restricted_chunks.tolist():
        found, cluster = sources.restriction(chunk), chunks.names[chunks.cluster[chunk]]
        items = [frozenset(subrecord) for subrecord in found.subrecords.lists()]
        leaves = [chunks.names[leaf] for leaf in found.leaves.tolist()]
        assert found.allowed.tolist() == [[tree.may_have(leaf, cluster, has) for has in items] for leaf in leaves]
        published = Counter(tree.chunks[cluster, int(chunks.number[chunk])])
        assert dict(zip(items, found.times.tolist(), strict=True)) == published


@settings(max_examples=100)
@given(st.integers(0, 10_000))
def test_terms_come_from_the_nearest_cluster_that_has_them(seed):
    """Looked up in a list of all clusters and terms, and where that would be too long by climbing the tree."""
    _, _, clusters, rows = random_chunks(random.Random(seed))
    if not rows:
        return
    chunks = Chunks.from_rows(clusters, rows)
    above = {name: parent for name, parent, _ in clusters}
    named = (chunks.names, chunks.subrecords.labels)
    number, code = ({label: at for at, label in enumerate(labels)} for labels in named)
    has = {(number[name], code[item]) for name, _, items in rows for item in items}

    def climb(name, term):
        while name is not None and (number[name], term) not in has:
            name = above[name]
        return None if name is None else (number[name], term)

    asked = [(name, term) for name in [*chunks.names, None] for term in range(-1, len(code))]
    where, terms = (np.array(column) for column in zip(*((number.get(n, -1), t) for n, t in asked), strict=True))
    for most in (1 << 26, 0):
        with pytest.MonkeyPatch.context() as patch:
            patch.setattr("sfumato.kinds.sets.knowledge.sources._CELLS", most)
            sources = Sources(chunks)
            entries = sources.find_nearest(where, terms)
        found = [None if at < 0 else (int(sources.cluster[at]), int(sources.term[at])) for at in entries]
        assert found == [climb(name, term) for name, term in asked]


LEAVES = 4
fitting = st.sets(st.integers(0, LEAVES - 1), min_size=1)


@settings(max_examples=300)
@given(
    st.lists(st.tuples(fitting, st.integers(1, 5)), min_size=1, max_size=5),
    st.lists(st.integers(3, 6), min_size=LEAVES, max_size=LEAVES),
)
def test_slack_says_how_many_copies_of_a_subrecord_a_leaf_can_have(drawn, sizes):
    fits = [where for where, times in drawn for _ in range(times)]
    if len(fits) > sum(sizes):
        return
    allowed = np.array([[leaf in where for where, _ in drawn] for leaf in range(LEAVES)])
    times = np.array([times for _, times in drawn])
    subrecords = ListColumn.from_lists([[str(number)] for number in range(len(drawn))])
    slack = Restriction(0, np.arange(LEAVES), np.array(sizes), subrecords, times, allowed).slack
    assert (slack >= 0) == find_places(fits, sizes)

    def can_have(leaf, number, copies):
        others = [where for at, (where, times) in enumerate(drawn) for _ in range(times - copies * (at == number))]
        return find_places(others, [size - copies * (at == leaf) for at, size in enumerate(sizes)])

    for copies in range(1, min(slack + 2, min(sizes) + 1)):
        asked = [(leaf, at) for at, (where, _) in enumerate(drawn) for leaf in where if times[at] >= copies]
        can = [can_have(leaf, at, copies) for leaf, at in asked]
        if copies <= slack:
            assert all(can)
        elif len(asked) == sum(len(where) for where, _ in drawn):
            assert not all(can), "one more would have been possible everywhere"
