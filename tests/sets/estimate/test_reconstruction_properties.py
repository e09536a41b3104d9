"""Reconstructions are possible originals, certain supports never exceed true ones, estimates are exact means."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from tests.sets.naive.itemsets import count_records, make_release, mean_support, misfits

from sfumato.core.errors import SchemaError
from sfumato.kinds.sets.estimate import placement
from sfumato.kinds.sets.estimate.chunk_support import ChunkSupport
from sfumato.kinds.sets.estimate.placement import Placement
from sfumato.kinds.sets.estimate.reconstruction import reconstruct
from sfumato.kinds.sets.estimate.supports import certain_support, estimate
from sfumato.kinds.sets.published import Chunks

ITEMS = "abcdef"
TREES = [
    [("p", None)],
    [("p", None), ("q", None)],
    [("j", None), ("p", "j"), ("q", "j")],
    [("top", None), ("j", "top"), ("p", "j"), ("q", "j"), ("r", "top")],
    [("top", None), ("only", "top"), ("j", "only"), ("p", "j"), ("q", "j"), ("r", "top"), ("s", None)],
]


@st.composite
def disassociated(draw):
    """Draw records and a way to separate them: a tree, and the chunk of every item at every cluster."""
    tree = draw(st.sampled_from(TREES))
    above = dict(tree)
    parents = set(above.values())
    leaves = [name for name, _ in tree if name not in parents]
    chunk_at = {
        name: {item: draw(st.integers(0, 2)) for item in ITEMS} for name, _ in tree
    }  # 0 says: published further up, or in the term chunk
    rows, sizes, records = [], {}, []
    shared = {}
    for leaf in leaves:
        found = draw(st.lists(st.sets(st.sampled_from(ITEMS), min_size=1), min_size=1, max_size=5))
        own, terms = {}, set()
        for record in found:
            parts = {}
            for item in sorted(record):
                node = leaf
                while node is not None and not chunk_at[node][item]:
                    node = above[node]
                if node is None:
                    terms.add(item)
                else:
                    parts.setdefault((node, chunk_at[node][item]), []).append(item)
            for (node, chunk), items in parts.items():
                (own if node == leaf else shared).setdefault((node, chunk), []).append(items)
        if sum(map(len, own.values())) < len(found):
            # Every cluster fills its own records, or has a term chunk that does.
            terms.add(f"z{leaf}")
            found[0] = found[0] | {f"z{leaf}"}
        rows += [(node, chunk, items) for (node, chunk), bag in own.items() for items in bag]
        rows += [(leaf, 0, sorted(terms))] if terms else []
        sizes[leaf] = len(found)
        records += found
    rows += [(node, chunk, items) for (node, chunk), bag in shared.items() for items in bag]

    def size_of(name):
        return sizes[name] if name in sizes else sum(size_of(child) for child, parent in tree if parent == name)

    clusters = [(name, parent, size_of(name)) for name, parent in tree]
    return clusters, draw(st.permutations(rows)), [sorted(record) for record in records]


def itemsets_of(records):
    items = sorted({item for record in records for item in record})
    return [list(chosen) for size in (1, 2, 3) for chosen in itertools.combinations(items, size)]


@settings(max_examples=150)
@given(disassociated(), st.integers(0, 2**20))
def test_reconstructions_are_possible_originals(given_release, seed):
    clusters, rows, records = given_release
    assert misfits(clusters, rows, records) == []
    for copy in reconstruct(make_release(clusters, rows), seed, copies=2):
        assert misfits(clusters, rows, copy.history().lists()) == []


@settings(max_examples=150)
@given(disassociated())
def test_certain_supports_never_exceed_true_ones(given_release):
    clusters, rows, records = given_release
    release = make_release(clusters, rows)
    asked = itemsets_of(records)
    certain = certain_support(release, asked)
    true = [count_records(records, itemset) for itemset in asked]
    assert (certain <= true).all()
    # At least what the chunks show by themselves is certain.
    shown = [sum(chunk > 0 and set(itemset) <= set(items) for _, chunk, items in rows) for itemset in asked]
    assert (certain >= shown).all()
    for copy in reconstruct(release, 1):
        copied = copy.history().lists()
        assert (certain <= [count_records(copied, itemset) for itemset in asked]).all()


@st.composite
def leaf(draw):
    size = draw(st.integers(1, 4))
    chunks = [
        [draw(st.sampled_from(choices)) for _ in range(draw(st.integers(1, size)))]
        for choices in (("a", "b", "ab"), ("c", "d", "cd"))[: draw(st.integers(0, 2))]
    ]
    terms = list("yz"[: draw(st.integers(0, 2))])
    assume(terms or sum(map(len, chunks)) >= size)
    return size, chunks, terms


@settings(max_examples=30)
@given(leaf())
def test_estimates_are_exact_means_by_enumeration(given_leaf):
    size, chunks, terms = given_leaf
    rows = [("p", number, list(items)) for number, chunk in enumerate(chunks, 1) for items in chunk]
    rows += [("p", 0, terms)] if terms else []
    release = make_release([("p", None, size)], rows)
    asked = itemsets_of([items for _, _, items in rows])
    for itemset, found in zip(asked, estimate(release, asked), strict=True):
        assert found == pytest.approx(float(mean_support(size, chunks, terms, itemset)), abs=1e-9)


@settings(max_examples=15)
@given(disassociated(), st.integers(0, 2**20))
def test_estimates_are_what_many_reconstructions_average(given_release, seed):
    clusters, rows, records = given_release
    release = make_release(clusters, rows)
    asked = itemsets_of(records)[:40]
    copies = reconstruct(release, seed, copies=200)
    counts = np.array([[count_records(c, s) for s in asked] for c in (copy.history().lists() for copy in copies)])
    error = 5.5 * np.maximum(counts.std(axis=0), 0.2) / np.sqrt(len(copies))
    assert (np.abs(counts.mean(axis=0) - estimate(release, asked)) <= error).all()


@settings(max_examples=60)
@given(disassociated())
def test_items_told_apart_a_few_at_a_time_restrict_the_same_subrecords(given_release):
    clusters, rows, _ = given_release
    at_once = Placement(Chunks.from_rows(clusters, rows))
    with pytest.MonkeyPatch.context() as patched:
        patched.setattr(placement, "_BITS", 1)
        one_by_one = Placement(Chunks.from_rows(clusters, rows)).restricted
    assert list(one_by_one) == list(at_once.restricted)
    for chunk, found in at_once.restricted.items():
        other = one_by_one[chunk]
        assert other.is_open[other.kind_of_row].tolist() == found.is_open[found.kind_of_row].tolist()
        leaves = np.arange(found.first, found.first + len(found.sizes))
        for row, items in enumerate(at_once.chunks.subrecords_of(chunk).lists()):
            codes = [at_once.chunks.subrecords.labels.index(item) for item in items]
            from_here = [all(at_once.sources(code)[leaf] == chunk for code in codes) for leaf in leaves]
            assert found.is_open[found.kind_of_row[row]].tolist() == from_here


@settings(max_examples=60)
@given(disassociated())
def test_parts_of_restricted_chunks_are_expected_subrecord_by_subrecord(given_release):
    clusters, rows, _ = given_release
    placed = Placement(Chunks.from_rows(clusters, rows))
    labels = placed.chunks.subrecords.labels
    for chunk, allotment in placed.restricted.items():
        leaves = np.arange(allotment.first, allotment.first + len(allotment.sizes))
        subrecords = placed.chunks.subrecords_of(chunk).lists()
        parts = {part for has in subrecords for size in (1, 2) for part in itertools.combinations(has, size)}
        for items in sorted(parts):
            expected = np.zeros(len(leaves))
            for row, subrecord in enumerate(subrecords):
                kind = allotment.kind_of_row[row]
                if set(items) <= set(subrecord):
                    expected += allotment.expected[kind] / (allotment.kind_of_row == kind).sum()
            part = tuple(labels.index(item) for item in items)
            found = ChunkSupport(placed)._chance((part, np.full(len(leaves), chunk)), leaves)
            assert found * allotment.sizes == pytest.approx(expected)


def test_tight_restrictions_are_kept():
    """Leaf p is closed for a, q and r are not: all room of q and r is needed."""
    clusters = [("j", None, 7), ("p", "j", 3), ("q", "j", 2), ("r", "j", 2)]
    rows = [("p", 1, ["a"]), ("p", 0, ["x"]), ("q", 0, ["y"]), ("r", 0, ["z"]), ("q", 1, ["b"])]
    rows += [("j", 1, ["a"])] * 2 + [("j", 1, ["a", "b"])] + [("j", 1, ["c"])] * 4
    release = make_release(clusters, rows)
    placement = Placement(Chunks.of(release))
    (allotment,) = placement.restricted.values()
    assert (allotment.expected.sum(axis=0) <= allotment.sizes + 1e-6).all()
    for copy in reconstruct(release, 3, copies=50):
        assert misfits(clusters, rows, copy.history().lists()) == []


@pytest.mark.parametrize(
    "rows",
    [
        [("p", 1, ["a"])],
        [("p", 1, ["a"])] * 3,
        [("p", 1, ["a"]), ("p", 0, ["z"]), ("j", 1, ["a"]), ("j", 1, ["a"]), ("j", 1, ["a"]), ("q", 0, ["y"])],
    ],
    ids=["empty records", "too many subrecords", "too few open records"],
)
def test_impossible_releases_are_refused(rows):
    clusters = [("p", None, 2)] if rows[-1][0] == "p" else [("j", None, 4), ("p", "j", 2), ("q", "j", 2)]
    with pytest.raises(SchemaError, match="cannot come from any data"):
        reconstruct(make_release(clusters, rows))
