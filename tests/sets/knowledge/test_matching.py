"""Counting sets without counting all of them: the lean ways equal trying everything."""

from __future__ import annotations

import itertools
import random
from collections import Counter
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.sets.naive.attack import Tree, draw_reconstruction, smallest_sets
from tests.sets.releases import random_chunks

from sfumato.core.dataset import Dataset
from sfumato.core.ragged import Ragged
from sfumato.kinds.sets import attacker as known_items
from sfumato.kinds.sets.knowledge import set_support
from sfumato.kinds.sets.knowledge.chunks import ChunkRecords
from sfumato.kinds.sets.knowledge.items import ItemRecords, best_knowledge
from sfumato.kinds.sets.knowledge.set_support import SetSupport, count_sets
from sfumato.kinds.sets.knowledge.sources import Sources
from sfumato.kinds.sets.published import Chunks

ITEMS = "abcdefg"
baskets = st.lists(st.lists(st.sampled_from(ITEMS), max_size=6, unique=True), min_size=1, max_size=12)


@given(
    baskets,
    st.integers(1, 3),
    st.sampled_from([0.0, 1e9]),
    st.sampled_from([0.0, 0.05, 0.2, 1e9]),
    st.sampled_from([64, 128, 1 << 16]),
)
def test_supports_of_sets_by_bits_by_records_and_by_table(rows, size, words_per_set, words_per_record, at_once):
    records = Ragged.from_lists([*rows, list(ITEMS)]).distinct()
    sets = list(itertools.combinations(range(len(ITEMS)), size))
    held = [set(row) for row in records.lists()]
    names = [{records.labels[code] for code in chosen} for chosen in sets]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_support, "_WORDS_PER_SET", words_per_set)
        patched.setattr(set_support, "_WORDS_PER_RECORD", words_per_record)
        patched.setattr(set_support, "_ROWS", at_once)
        patched.setattr(set_support, "_CELLS", 3)
        asked = SetSupport(records)
        columns = [np.array(column) for column in zip(*sets, strict=True)]
        expected = [sum(chosen <= row for row in held) for chosen in names]
        assert asked.count(columns).tolist() == expected
        pairs = sorted(
            pair for which, rows in asked.holders(columns) for pair in zip(which.tolist(), rows.tolist(), strict=True)
        )
    assert pairs == sorted((i, r) for i, chosen in enumerate(names) for r, row in enumerate(held) if chosen <= row)
    assert count_sets(records, size) == sum(expected)


def test_bits_of_many_records_are_taken_in_portions():
    rows = [["a", "b"] if number % 3 else ["a"] for number in range(200)]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_support, "_ROWS", 64)
        asked = SetSupport(Ragged.from_lists(rows))
        assert asked.count([np.array([0]), np.array([1])]).tolist() == [sum(len(row) == 2 for row in rows)]


@pytest.mark.parametrize("words_per_record", [0.0, 0.01, 0.02, 5.0], ids=["searched", "bits", "both", "met"])
def test_pairs_of_few_and_of_many_records_are_counted_alike(words_per_record):
    rng = np.random.default_rng(1)
    rows = [[str(item) for item in np.flatnonzero(rng.random(12) < 0.6 / np.arange(1, 13) ** 0.3)] for _ in range(150)]
    pairs = list(itertools.combinations(range(12), 2))
    records = Ragged.from_lists([[str(item) for item in range(12)], *rows])
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(set_support, "_WORDS_PER_SET", 1e9)
        patched.setattr(set_support, "_WORDS_PER_RECORD", words_per_record)
        patched.setattr(set_support, "_ROWS", 128)
        found = SetSupport(records).count([np.array(column) for column in zip(*pairs, strict=True)])
    held = [set(row) for row in records.lists()]
    assert found.tolist() == [sum({str(a), str(b)} <= row for row in held) for a, b in pairs]


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


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_whom_else_of_the_same_clusters_one_attacks_is_all_the_same(seed, m):
    rng = random.Random(seed)
    _, _, clusters, rows = random_chunks(rng)
    people = draw_reconstruction(rng, clusters, rows) if rows else None
    if not people:
        return
    everybody, place = Ragged.from_lists(people), np.arange(len(people))
    chunks = Chunks.from_rows(clusters, rows)
    whole = ChunkRecords(chunks, everybody, place)
    _, one_of_each = np.unique(whole.leaf_of_person, return_index=True)
    some = ChunkRecords(chunks, everybody, place, one_of_each)
    for attacked, of_some in ((whole, some), (whole.own_clusters(), some.own_clusters())):
        found = best_knowledge(attacked, m, one_of_each)
        assert best_knowledge(of_some, m).smallest.tolist() == found.smallest.tolist()


@settings(max_examples=60)
@given(st.integers(0, 10_000), st.integers(1, 3))
def test_sets_within_chunks_say_what_all_sets_say(seed, m):
    rng = random.Random(seed)
    _, _, clusters, rows = random_chunks(rng)
    people = draw_reconstruction(rng, clusters, rows) if rows else None
    if not people:
        return
    records = ChunkRecords(Chunks.from_rows(clusters, rows), Ragged.from_lists(people), np.arange(len(people)))
    lean, plain = records.own_knowledge(m), best_knowledge(records.own_clusters(), m)
    assert lean.smallest.tolist() == plain.smallest.tolist()
    assert lean.unmatched.tolist() == plain.unmatched.tolist()
    if plain.rarest:
        fewest = plain.smallest[plain.smallest > 0].min()
        keys = np.zeros(1, dtype=np.int64)
        for code in sorted(lean.rarest):
            keys = keys * len(records.known.labels) + code
        assert records.own_clusters().count(keys, len(lean.rarest)).tolist() == [fewest]


@st.composite
def recoded(draw: Any) -> tuple[list[list[str]], dict[str, list[str]], list[str], list[list[str]]]:
    """Records published under groups of items, some withheld, some items removed; and other people beside them."""
    people = draw(baskets)
    groups = draw(st.lists(st.integers(0, 3), min_size=len(ITEMS), max_size=len(ITEMS)))
    members: dict[str, list[str]] = {}
    for item, group in zip(ITEMS, groups, strict=True):
        members.setdefault(f"G{group}", []).append(item)
    value_of = {item: value for value, items in members.items() for item in items}
    gone = draw(st.sets(st.sampled_from(ITEMS), max_size=2))
    kept = draw(st.lists(st.booleans(), min_size=len(people), max_size=len(people)))
    published = [
        sorted({value_of[item] for item in row if item not in gone})
        for row, here in zip(people, kept, strict=True)
        if here
    ]
    return published, members, sorted(gone), people


@given(recoded(), st.integers(1, 3))
def test_the_least_knowledge_is_the_least_of_everybodys(drawn, m):
    published, members, gone, people = drawn
    records = ItemRecords(Ragged.from_lists(published), members, gone, Ragged.from_lists(people))
    lean, plain = records.least_knowledge(m), best_knowledge(records, m)
    assert lean.unmatched.tolist() == plain.unmatched.tolist()
    least = [int(found.smallest[found.smallest > 0].min(initial=len(published))) for found in (lean, plain)]
    assert least[0] == least[1]
    if all(people):
        naive = smallest_sets(published, members, gone, people, m)
        assert plain.smallest.tolist() == [smallest for smallest, _ in naive]


@settings(max_examples=30)
@given(baskets, st.integers(1, 2))
def test_a_sample_of_people_is_attacked_as_everybody_is(rows, m):
    data = Dataset.of("sets", [row or ["a"] for row in rows])
    whole = known_items.attack_original(data, m)[-1]
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(known_items, "_EXACT", 0)
        patched.setattr(known_items, "_DRAWN", 3)
        some = known_items.attack_original(data, m)[-1]
    if len(rows) <= 3:
        assert some.set_sizes.tolist() == whole.set_sizes.tolist()
        assert some.sampling == ""
    else:
        drawn = known_items.draw_people(len(rows), 3, 0)
        assert some.set_sizes.tolist() == whole.set_sizes[drawn].tolist()
        assert some.sampling.startswith(f"measured on 3 of {len(rows)} people, ±")
        assert some.to_dict()["sampling"] == some.sampling
    assert whole.sampling == ""


def test_of_long_records_the_rarest_items_are_tried():
    rows = [[f"i{n}" for n in range(40)]] * 3 + [["i0", "rare"]]
    crowd = ItemRecords.of_original(Dataset.of("sets", rows))
    assert best_knowledge(crowd, 2, most_items=2).smallest.tolist() == [3, 3, 3, 1]
    assert best_knowledge(crowd, 2, most_items=2).tried < best_knowledge(crowd, 2).tried
