"""Certain supports never exceed true ones, and estimates are exact means."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import disassociations, itemsets_of
from tests.kinds.sets.estimate.asking import estimate
from tests.kinds.sets.naive.itemsets import count_records, mean_support
from tests.kinds.sets.releases import disassociated

import sfumato as sf
from sfumato.exceptions import ParameterError
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


def test_items_in_every_record_meet_all_others():
    asked = [["a", "b", "c"], ["a", "x"], ["b", "x"], ["a", "d"], ["b", "d"], ["x"], ["nowhere"]]
    assert certain_support(RELEASE, asked).tolist() == [3, 1, 0, 2, 2, 1, 0]


def test_shared_part_meets_what_every_open_record_has():
    clusters = [("j", None, 6), ("p", "j", 3), ("q", "j", 3)]
    rows = [*[("p", 1, ["a"])] * 3, *[("q", 1, ["a"])] * 2, ("q", 0, ["z"]), *[("j", 1, ["s"])] * 4]
    release = disassociated(clusters, rows)
    # Of six records one may lack a, so at least three of the four with s have it.
    assert certain_support(release, [["a", "s"]]).tolist() == [3]
    assert estimate(release, [["a", "s"]]).tolist() == pytest.approx([4 * 5 / 6])


def test_estimates_of_chunks():
    expected = estimate(RELEASE, [["a", "b"], ["x", "b"], ["x", "y"], ["nowhere"]])
    assert expected.tolist() == pytest.approx([3 + 4, 3 / 5, 1 / 5, 0])


@pytest.mark.parametrize("itemsets", [["bread"], [[]]])
def test_itemsets_are_lists_of_items(itemsets):
    with pytest.raises(ParameterError, match="itemset 1 must be a list of at least one item"):
        certain_support(RELEASE, itemsets)


def test_generalised_release_is_certain_only_about_exact_items():
    tree = sf.Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
    data = sf.Dataset.of("sets", [["a", "c"], ["b", "c"], ["c"]], hierarchy=tree)
    release = sf.anonymize(data, sf.methods.Apriori(k=2, m=2), secret=bytes([1] * 32)).release
    assert certain_support(release, [["c"], ["a"], ["a", "c"]]).tolist() == [3, 0, 0]
    assert estimate(release, [["c"], ["a"], ["a", "c"], ["a", "b"]]).tolist() == pytest.approx([3, 1, 1, 0.5])


@settings(max_examples=150)
@given(disassociations())
def test_certain_supports_never_exceed_true_ones(given_release):
    clusters, rows, records = given_release
    release = disassociated(clusters, rows)
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
    release = disassociated([("p", None, size)], rows)
    asked = itemsets_of([items for _, _, items in rows])
    for itemset, found in zip(asked, estimate(release, asked), strict=True):
        assert found == pytest.approx(float(mean_support(size, chunks, terms, itemset)), abs=1e-9)


@settings(max_examples=15)
@given(disassociations(), st.integers(0, 2**20))
def test_estimates_are_what_many_reconstructions_average(given_release, seed):
    clusters, rows, records = given_release
    release = disassociated(clusters, rows)
    asked = itemsets_of(records)[:40]
    copies = reconstruct(release, seed, copies=200)
    counts = np.array([[count_records(c, s) for s in asked] for c in (copy.history().lists() for copy in copies)])
    error = 5.5 * np.maximum(counts.std(axis=0), 0.2) / np.sqrt(len(copies))
    assert (np.abs(counts.mean(axis=0) - estimate(release, asked)) <= error).all()
