"""Reconstructing, bounding and estimating: what callers see."""

from __future__ import annotations

import itertools
from collections import Counter

import numpy as np
import pytest
from tests.sets.naive.itemsets import count_records, make_release, misfits

import sfumato as sf
from sfumato.core.errors import ParameterError
from sfumato.kinds.sets.estimate.covering import cover_chance, draw_cover
from sfumato.kinds.sets.estimate.reconstruction import reconstruct
from sfumato.kinds.sets.estimate.supports import certain_support, estimate

CLUSTERS = [("p", None, 5), ("q", None, 4)]
ROWS = [
    *[("p", 1, ["a"])] * 5,
    *[("p", 2, ["b", "c"])] * 3,
    ("p", 0, ["x", "y"]),
    *[("q", 1, ["a", "b"])] * 4,
    *[("q", 2, ["d"])] * 2,
]
RELEASE = make_release(CLUSTERS, ROWS)


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


def test_items_in_every_record_meet_all_others():
    asked = [["a", "b", "c"], ["a", "x"], ["b", "x"], ["a", "d"], ["b", "d"], ["x"], ["nowhere"]]
    assert certain_support(RELEASE, asked).tolist() == [3, 1, 0, 2, 2, 1, 0]


def test_shared_part_meets_what_every_open_record_has():
    clusters = [("j", None, 6), ("p", "j", 3), ("q", "j", 3)]
    rows = [*[("p", 1, ["a"])] * 3, *[("q", 1, ["a"])] * 2, ("q", 0, ["z"]), *[("j", 1, ["s"])] * 4]
    release = make_release(clusters, rows)
    # Of six records one may lack a, so at least three of the four with s have it.
    assert certain_support(release, [["a", "s"]]).tolist() == [3]
    assert estimate(release, [["a", "s"]]).tolist() == pytest.approx([4 * 5 / 6])


def test_estimates_of_chunks():
    expected = estimate(RELEASE, [["a", "b"], ["x", "b"], ["x", "y"], ["nowhere"]])
    assert expected.tolist() == pytest.approx([3 + 4, 3 / 5, 1 / 5, 0])


@pytest.mark.parametrize("function", [certain_support, estimate])
@pytest.mark.parametrize("itemsets", [["bread"], [[]]])
def test_itemsets_are_lists_of_items(function, itemsets):
    with pytest.raises(ParameterError, match="itemset 1 must be a list of at least one item"):
        function(RELEASE, itemsets)


def test_only_chunks_are_reconstructed():
    tree = sf.Hierarchy.from_paths([("a", "*"), ("b", "*")])
    data = sf.Dataset.of("sets", [["a"], ["a"], ["b"]], hierarchy=tree)
    release = sf.anonymize(data, sf.methods.Apriori(k=2, m=1), secret=bytes([1] * 32)).release
    with pytest.raises(ParameterError, match="publishes records, not chunks"):
        reconstruct(release)
    with pytest.raises(ParameterError, match="copies must be at least 1"):
        reconstruct(RELEASE, copies=0)


def test_generalised_release_is_certain_only_about_exact_items():
    tree = sf.Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    data = sf.Dataset.of("sets", [["a", "c"], ["b", "c"], ["c"]], hierarchy=tree)
    release = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes([1] * 32)).release
    assert certain_support(release, [["c"], ["a"], ["a", "c"]]).tolist() == [3, 0, 0]
    assert estimate(release, [["c"], ["a"], ["a", "c"], ["a", "b"]]).tolist() == pytest.approx([3, 1, 1, 0.5])


@pytest.mark.parametrize(
    ("size", "inside", "outside"), [(4, (3, 3), ()), (4, (2, 3), (1,)), (5, (3, 2, 2), (1,)), (5, (3,), (2, 2))]
)
def test_chances_of_covers_by_trying_all(size, inside, outside):
    subsets = [list(itertools.combinations(range(size), count)) for count in inside + outside]
    covers = [way for way in itertools.product(*subsets) if set().union(*way) == set(range(size))]
    hits = sum(all(0 in subset for subset in way[: len(inside)]) for way in covers)
    assert cover_chance(size, inside, outside) == pytest.approx(hits / len(covers))


def test_covers_are_equally_likely():
    generator = np.random.default_rng(0)
    found = Counter(
        tuple(tuple(sorted(subset.tolist())) for subset in draw_cover(generator, 3, (2, 2))) for _ in range(1200)
    )
    assert len(found) == 6
    assert min(found.values()) > 130


def test_real_release_is_reconstructed_as_possible_original():
    generator = np.random.default_rng(2)
    rows = [sorted({f"i{n}" for n in generator.geometric(0.15, generator.integers(1, 8))}) for _ in range(150)]
    release = sf.anonymize(sf.Dataset.of("sets", rows), sf.methods.Disassociation(k=3, m=2, max_cluster=8)).release
    part, table = release.parts["clusters"].table.to_pylist(), release.table.to_pylist()
    clusters = [(row["cluster"], row["parent"], row["size"]) for row in part]
    assert any(parent for _, parent, _ in clusters)
    chunks = [(row["cluster"], row["chunk"], row["items"]) for row in table]
    for copy in reconstruct(release, seed=1, copies=2):
        assert misfits(clusters, chunks, copy.history().lists()) == []
    pairs = list(itertools.combinations([f"i{n}" for n in range(1, 8)], 2))
    assert (certain_support(release, pairs) <= [count_records(rows, pair) for pair in pairs]).all()
