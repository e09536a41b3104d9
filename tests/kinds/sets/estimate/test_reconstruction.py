"""Reconstructions are possible originals, and data sets of their own."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import disassociations
from tests.kinds.sets.naive.itemsets import count_records, misfits
from tests.kinds.sets.releases import disassociated

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.sets.decode import Chunks
from sfumato.kinds.sets.estimate.matching import ChunkMatching
from sfumato.kinds.sets.estimate.reconstruction import reconstruct
from sfumato.kinds.sets.estimate.supports import certain_support

CLUSTERS = [("p", None, 5), ("q", None, 4)]
ROWS = [
    *[("p", 1, ["a"])] * 5,
    *[("p", 2, ["b", "c"])] * 3,
    ("p", 0, ["x", "y"]),
    *[("q", 1, ["a", "b"])] * 4,
    *[("q", 2, ["d"])] * 2,
]
RELEASE = disassociated(CLUSTERS, ROWS)


def test_copies_do_not_depend_on_how_many_are_drawn():
    few, many = reconstruct(RELEASE, seed=5, copies=1), reconstruct(RELEASE, seed=5, copies=3)
    assert few[0].history().lists() == many[0].history().lists()
    assert many[0].history().lists() != many[1].history().lists()


def test_reconstruction_is_a_data_set_of_its_own():
    (copy,) = reconstruct(RELEASE, seed=1)
    assert copy.kind == "sets"
    assert len(copy) == len(RELEASE) == 9
    assert misfits(CLUSTERS, ROWS, copy.history().lists()) == []
    again = sf.anonymize(copy, sf.methods.Disassociation(k=2, m=2), secret=bytes([1] * 32))
    assert len(again.release) == 9


def test_only_chunks_are_reconstructed():
    tree = sf.Hierarchy.from_paths([("a", "*"), ("b", "*")])
    data = sf.Dataset.of("sets", [["a"], ["a"], ["b"]], hierarchy=tree)
    release = sf.anonymize(data, sf.methods.Apriori(k=2, m=1), secret=bytes([1] * 32)).release
    with pytest.raises(ParameterError, match="publishes whole records, not chunks"):
        reconstruct(release)
    with pytest.raises(ParameterError, match="copies= must be at least 1"):
        reconstruct(RELEASE, copies=0)


def test_real_release_is_reconstructed_as_possible_original():
    generator = np.random.default_rng(2)
    rows = [sorted({f"i{n}" for n in generator.geometric(0.15, generator.integers(1, 8))}) for _ in range(150)]
    release = sf.anonymize(sf.Dataset.of("sets", rows), sf.methods.Disassociation(k=3, m=2, max_cluster=8)).release
    part, table = release.extra_tables["clusters"].table.to_pylist(), release.table.to_pylist()
    clusters = [(row["cluster"], row["parent"], row["size"]) for row in part]
    assert any(parent for _, parent, _ in clusters)
    chunks = [(row["cluster"], row["chunk"], row["items"]) for row in table]
    for copy in reconstruct(release, seed=1, copies=2):
        assert misfits(clusters, chunks, copy.history().lists()) == []
    pairs = list(itertools.combinations([f"i{n}" for n in range(1, 8)], 2))
    assert (certain_support(release, pairs) <= [count_records(rows, pair) for pair in pairs]).all()


@settings(max_examples=150)
@given(disassociations(), st.integers(0, 2**20))
def test_reconstructions_are_possible_originals(given_release, seed):
    clusters, rows, records = given_release
    assert misfits(clusters, rows, records) == []
    for copy in reconstruct(disassociated(clusters, rows), seed, copies=2):
        assert misfits(clusters, rows, copy.history().lists()) == []


def test_tight_restrictions_are_kept():
    """Leaf p is closed for a, q and r are not: all room of q and r is needed."""
    clusters = [("j", None, 7), ("p", "j", 3), ("q", "j", 2), ("r", "j", 2)]
    rows = [("p", 1, ["a"]), ("p", 0, ["x"]), ("q", 0, ["y"]), ("r", 0, ["z"]), ("q", 1, ["b"])]
    rows += [("j", 1, ["a"])] * 2 + [("j", 1, ["a", "b"])] + [("j", 1, ["c"])] * 4
    release = disassociated(clusters, rows)
    matching = ChunkMatching(Chunks.of(release))
    (expected_counts,) = matching.restricted.values()
    assert (expected_counts.expected.sum(axis=0) <= expected_counts.sizes + 1e-6).all()
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
    with pytest.raises(SchemaError, match="No data can have led to this release"):
        reconstruct(disassociated(clusters, rows))
