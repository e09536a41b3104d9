"""Records that may have a set of items from chunks: the lean ways equal trying everything."""

from __future__ import annotations

import random

import numpy as np
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.naive.attack import draw_reconstruction
from tests.kinds.sets.releases import random_chunks

from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.knowledge.chunks import ChunkRecords
from sfumato.kinds.sets.knowledge.search import best_knowledge
from sfumato.kinds.sets.knowledge.set_support import join_digits


def draw_people(seed: int) -> tuple[Chunks, list[list[str]]]:
    """Draw chunks, and people they could have been published of."""
    rng = random.Random(seed)
    _, _, clusters, rows = random_chunks(rng)
    people = draw_reconstruction(rng, clusters, rows) if rows else None
    assume(people)
    return Chunks.from_rows(clusters, rows), people


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_whom_else_of_the_same_clusters_one_attacks_is_all_the_same(seed, m):
    chunks, people = draw_people(seed)
    everybody, place = ListColumn.from_lists(people), np.arange(len(people))
    whole = ChunkRecords(chunks, everybody, place)
    _, one_of_each = np.unique(whole.leaf_of_person, return_index=True)
    some = ChunkRecords(chunks, everybody, place, one_of_each)
    for attacked, of_some in ((whole, some), (whole.own_clusters(), some.own_clusters())):
        found = best_knowledge(attacked, m, one_of_each)
        assert best_knowledge(of_some, m).smallest.tolist() == found.smallest.tolist()


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_sets_within_chunks_say_what_all_sets_say(seed, m):
    chunks, people = draw_people(seed)
    records = ChunkRecords(chunks, ListColumn.from_lists(people), np.arange(len(people)))
    lean, plain = records.own_knowledge(m), best_knowledge(records.own_clusters(), m)
    assert lean.smallest.tolist() == plain.smallest.tolist()
    assert lean.unmatched.tolist() == plain.unmatched.tolist()
    if plain.rarest:
        smallest = plain.smallest[plain.smallest > 0].min()
        keys = join_digits([np.array([code]) for code in sorted(lean.rarest)], len(records.known_items.labels))
        assert records.own_clusters().count(keys, len(lean.rarest)).tolist() == [smallest]
