"""Measures of set-valued data against plain counting, for both forms of release."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from tests.kinds.sets.naive.itemsets import best_itemsets, count_records
from tests.kinds.sets.naive.supports import expect
from tests.kinds.sets.releases import disassociated, generalised

import sfumato as sf
from sfumato.exceptions import SchemaError, SfumatoError
from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.metrics.item_loss import ItemLoss
from sfumato.kinds.sets.metrics.item_queries import ItemQueries
from sfumato.kinds.sets.metrics.mining import draw_copy
from sfumato.kinds.sets.metrics.multilevel_itemsets import MultilevelItemsets
from sfumato.kinds.sets.metrics.pair_support import PairSupport
from sfumato.kinds.sets.metrics.pair_support_certain import PairSupportCertain
from sfumato.kinds.sets.metrics.published_items import PublishedItems
from sfumato.kinds.sets.metrics.separated_items import SeparatedItems
from sfumato.kinds.sets.metrics.top_itemsets import TopItemsets
from sfumato.kinds.sets.metrics.top_itemsets_certain import TopItemsetsCertain
from sfumato.kinds.sets.metrics.utility_loss import UtilityLoss
from sfumato.metrics.comparison import Comparison

TREE = sf.Hierarchy.from_paths(
    [(f"i{n}", f"g{n // 3}", "*") for n in range(12)],
)


def make_rows(seed=4, people=60):
    generator = np.random.default_rng(seed)
    return [
        sorted({f"i{min(n, 12) - 1}" for n in generator.geometric(0.3, generator.integers(1, 7))})
        for _ in range(people)
    ]


ROWS = make_rows()
DATA = sf.Dataset.of("sets", ROWS, hierarchy=TREE)


METHODS_OF_RECORDS = [
    sf.methods.Apriori(k=6, m=2),
    sf.methods.Lra(k=4, m=2, parts=3),
    sf.methods.LocalKmItems(k=4, m=2),
]


def compare(method, data=DATA, **options):
    result = sf.anonymize(data, method, secret=bytes([1] * 32))
    return Comparison(data, result.release, result.owner_record.rows, **options)


@pytest.fixture(scope="module")
def chunks():
    return compare(sf.methods.Disassociation(k=3, m=2, max_cluster=10))


@pytest.fixture(scope="module")
def records():
    return compare(sf.methods.Apriori(k=6, m=2))


def lost(mine, others):
    mine, others = ({items for _, items in found} for found in (mine, others))
    return 1 - len(mine & others) / len(mine)


def test_top_itemsets_of_a_reconstruction(chunks):
    copy = draw_copy(chunks.view(SetComparison)).lists()
    plain = lost(best_itemsets(ROWS, 40), best_itemsets(copy, 40))
    assert TopItemsets(count=40).measure(chunks).value == pytest.approx(plain)


def test_top_itemsets_of_generalised_records(records):
    groups = records.release.members()
    published = [[f"~{value}" if value in groups else value for value in row] for row in records.published.lists()]
    plain = lost(best_itemsets(ROWS, 40), best_itemsets(published, 40))
    score = TopItemsets(count=40).measure(records)
    assert score.value == pytest.approx(plain)
    assert score.value > 0


def test_top_itemsets_that_are_certain(chunks):
    shown = []
    for row in chunks.release.table.to_pylist():
        shown += [[item] for item in row["items"]] if row["chunk"] == 0 else [row["items"]]
    plain = lost(best_itemsets(ROWS, 40), best_itemsets(shown, 40))
    assert TopItemsetsCertain(count=40).measure(chunks).value == pytest.approx(plain)


def extend(rows):
    return [{*row, *(up for item in row for up in TREE.ancestors(item) if up != "*")} for row in rows]


def related(a, b):
    return a in TREE.ancestors(b) or b in TREE.ancestors(a)


def test_itemsets_of_all_levels(chunks, records):
    original = best_itemsets(extend(ROWS), 40, related)
    copy = best_itemsets(extend(draw_copy(chunks.view(SetComparison)).lists()), 40, related)
    assert MultilevelItemsets(count=40).measure(chunks).value == pytest.approx(lost(original, copy))
    groups = records.release.members()
    nodes = [
        {TREE.labels[TREE.lca(*groups.get(value, (value,)))] for value in row} for row in records.published.lists()
    ]
    published = [row - {"*"} for row in (set(extend([row])[0]) for row in nodes)]
    assert MultilevelItemsets(count=40).measure(records).value == pytest.approx(
        lost(original, best_itemsets(published, 40, related))
    )


def pairs_of(first, last):
    ranked = sorted(sorted({i for r in ROWS for i in r}), key=lambda item: -count_records(ROWS, [item]))
    return list(itertools.combinations(ranked[first:last], 2))


def mean_error(truth, answer):
    errors = [abs(t - a) / ((t + a) / 2) if t + a else 0.0 for t, a in zip(truth, answer, strict=True)]
    return sum(errors) / len(errors)


@pytest.mark.parametrize("copies", [1, 3])
def test_pairs_of_reconstructions(chunks, copies):
    pairs = pairs_of(2, 7)
    truth = [count_records(ROWS, pair) for pair in pairs]
    drawn = [
        [count_records(draw_copy(chunks.view(SetComparison), n).lists(), pair) for pair in pairs] for n in range(copies)
    ]
    score = PairSupport(first=2, last=7, copies=copies).measure(chunks)
    assert score.value == pytest.approx(mean_error(truth, np.mean(drawn, axis=0)))
    assert score.details["expected"] == pytest.approx(mean_error(truth, np.rint(sf_estimate(chunks, pairs))))


def sf_estimate(comparison, itemsets):
    from tests.kinds.sets.estimate.asking import estimate

    return estimate(comparison.release, itemsets)


@pytest.mark.parametrize("method", METHODS_OF_RECORDS, ids=lambda method: method.name)
def test_pairs_of_generalised_records(method):
    records = compare(method)
    pairs = pairs_of(2, 7)
    groups = records.release.members()
    answer = [expect(records.release.history().lists(), groups, pair) for pair in pairs]
    plain = mean_error([count_records(ROWS, pair) for pair in pairs], answer)
    assert PairSupport(first=2, last=7).measure(records).value == pytest.approx(plain)


def test_members_that_no_finer_value_publishes_share_a_value_evenly():
    release = generalised([["P"], ["P"]], {"P": ["a", "b"]})
    assert Comparison(DATA, release) and sf_estimate(Comparison(DATA, release), [["a"], ["b"]]).tolist() == [1, 1]


def test_pairs_that_are_certain(chunks):
    pairs = pairs_of(0, 5)
    truth = [count_records(ROWS, pair) for pair in pairs]
    table = chunks.release.table.to_pylist()
    shown = [sum(row["chunk"] > 0 and set(pair) <= set(row["items"]) for row in table) for pair in pairs]
    score = PairSupportCertain(first=0, last=5).measure(chunks)
    assert score.value == pytest.approx(mean_error(truth, shown))
    assert score.details["bounded"] <= score.value


def test_few_items_are_taken_from_the_middle(chunks):
    details = PairSupport(first=200, last=204).measure(chunks).details
    assert (details["first_rank"], details["pairs"]) == (4, 6)


def test_separated_items():
    data = sf.Dataset.of("sets", [["a", "b"], ["a", "b"], ["a", "b"], ["a", "c"]])
    rows = [*[("p", 1, ["a"])] * 4, ("p", 0, ["b", "c"])]
    score = SeparatedItems().measure(Comparison(data, disassociated([("p", None, 4)], rows)))
    assert (score.value, score.details) == (0.5, {"items": 2, "separated": 1, "occurrence_share": 0.5})


@pytest.mark.parametrize("method", METHODS_OF_RECORDS, ids=lambda method: method.name)
def test_item_loss_by_occurrence(method):
    comparison = compare(method)
    groups = comparison.release.members()
    losses = []
    published = comparison.published.lists()
    value_row = {int(row): published[number] for number, row in enumerate(comparison.rows)}
    for row, items in enumerate(ROWS):
        for item in items:
            fitting = [value for value in value_row.get(row, []) if item in groups.get(value, (value,))]
            sizes = [TREE.leaf_count(TREE.lca(*groups.get(value, (value,)))) for value in fitting]
            size = min(sizes, default=12)
            losses.append(size / 12 if size > 1 else 0)
    assert ItemLoss().measure(comparison).value == pytest.approx(np.mean(losses))


def test_of_nested_values_an_item_is_published_as_the_finest():
    nested = generalised([["ALL", "AB", "a"]], {"ALL": list("abcd"), "AB": list("ab")}, records_in=1)
    data = sf.Dataset.of("sets", [["a", "b", "c"], ["d"]])
    comparison = Comparison(data, nested, np.array([0]))
    values = [comparison.published.labels[value] for value in PublishedItems(comparison).value_of_occurrence[:3]]
    assert values == ["a", "AB", "ALL"]


def test_item_loss_needs_rows_only_where_recoding_is_local(records):
    assert ItemLoss().applies(Comparison(DATA, records.release))
    local = compare(sf.methods.Lra(k=4, m=2, parts=3))
    assert not PublishedItems(local).is_global
    assert "row map" in ItemLoss().obstacle(Comparison(DATA, local.release))


def test_item_loss_without_hierarchy_counts_members():
    data = sf.Dataset.of("sets", [["a"], ["b"], ["c"], ["c"]], utility=(("a", "b"), ("c",)))
    result = sf.anonymize(data, sf.methods.Coat(k=2, m=1, privacy="all", utility="given"), secret=bytes([1] * 32))
    assert ItemLoss().measure(Comparison(data, result.release, result.owner_record.rows)).value == pytest.approx(1 / 3)


def test_row_map_of_another_release_is_refused():
    local = compare(sf.methods.Lra(k=4, m=2, parts=3))
    mixed = PublishedItems(Comparison(DATA, local.release, np.roll(local.rows, 1)))
    with pytest.raises(SchemaError, match="do not cover the items of their originals"):
        _ = mixed.value_of_occurrence


def test_utility_loss(records):
    groups = records.release.members()
    losses, bits = [], []
    for row in records.published.lists():
        sizes = [len(groups.get(value, (value,))) for value in row]
        losses.append(sum(2**size - 1 for size in sizes) / (2 ** sum(sizes) - 1))
        bits.append(sum(math.log2(2**size - 1) for size in sizes))
    score = UtilityLoss().measure(records)
    items = len({item for row in ROWS for item in row})
    assert score.value == pytest.approx(np.mean(bits) / items)
    assert score.details["bits_per_record"] == pytest.approx(np.mean(bits))
    assert score.details["paper"] == pytest.approx(np.mean(losses))


def test_the_papers_utility_loss_is_lower_for_a_release_than_for_the_data_and_ours_is_not():
    data = sf.Dataset.of("sets", [["a", "b", "c", "d"], ["a", "b", "c", "e"]])
    release = generalised([["a", "b", "c", "{d|e}"]] * 2, {"{d|e}": ["d", "e"]})
    score = UtilityLoss().measure(Comparison(data, release, np.arange(2)))
    assert score.details["paper"] < score.details["paper_unchanged"]
    assert score.value == pytest.approx(math.log2(3) / 5)


def test_utility_loss_does_not_overflow():
    names = [f"n{number}" for number in range(3000)]
    tree = sf.Hierarchy.from_paths([(name, "*") for name in names])
    data = sf.Dataset.of("sets", [[name] for name in names], hierarchy=tree)
    score = UtilityLoss().measure(compare(sf.methods.Apriori(k=2, m=1), data))
    assert score.value == pytest.approx(1.0)


def test_item_loss_does_not_measure_own_groups_by_a_hierarchy():
    tree = sf.Hierarchy.from_paths([("a", "A", "*"), ("b", "B", "*"), ("c", "B", "*"), ("d", "A", "*")])
    data = sf.Dataset.of("sets", [["a"], ["b"], ["c"], ["d"]], hierarchy=tree)
    across = generalised([["{a|b}"], ["{a|b}"], ["c"], ["d"]], {"{a|b}": ["a", "b"]})
    within = generalised([["{a|d}"], ["b"], ["c"], ["{a|d}"]], {"{a|d}": ["a", "d"]})
    for release, by_hierarchy in ((across, False), (within, True)):
        score = ItemLoss().measure(Comparison(data, release, np.arange(4)))
        assert score.value == pytest.approx(2 * 2 / 4 / 4)
        assert score.details["by_hierarchy"] is by_hierarchy


def test_queries(chunks, records):
    workload = sf.Workload((("i1", "i0"), ("i2",), ("i0", "i0")))
    asked = [("i0", "i1"), ("i2",), ("i0",)]
    truth = np.array([count_records(ROWS, itemset) for itemset in asked])
    for comparison in (chunks, records):
        asking = Comparison(DATA, comparison.release, comparison.rows, workload=workload)
        plain = np.mean(np.abs(sf_estimate(comparison, asked) - truth) / truth)
        assert ItemQueries().measure(asking).value == pytest.approx(plain)
    with pytest.raises(SchemaError, match="query 1 of the workload names an item"):
        ItemQueries().measure(Comparison(DATA, chunks.release, workload=sf.Workload((("nowhere",),))))


def test_drawn_queries_depend_on_the_seed_only(chunks):
    one, same = (ItemQueries().measure(Comparison(DATA, chunks.release, seed=3)) for _ in range(2))
    assert one == same


@pytest.mark.parametrize("metric", [TopItemsetsCertain(), PairSupportCertain(), SeparatedItems()])
def test_measures_of_chunks_say_so(metric, records):
    assert metric.obstacle(records) == "measures releases of chunks, got one of records."
    with pytest.raises(SfumatoError, match="measures releases of chunks"):
        metric.measure(records)


@pytest.mark.parametrize("metric", [ItemLoss(), UtilityLoss()])
def test_measures_of_records_say_so(metric, chunks):
    assert metric.obstacle(chunks) == "measures releases of records, got one of chunks."


def test_levels_need_a_hierarchy_of_all_items(chunks):
    bare = sf.Dataset.of("sets", ROWS)
    assert MultilevelItemsets().obstacle(Comparison(bare, chunks.release)) == "needs a hierarchy of the items."
    other = sf.Dataset.of("sets", ROWS, hierarchy=sf.Hierarchy.from_paths([("i0", "*"), ("i1", "*")]))
    assert "does not have all items" in MultilevelItemsets().obstacle(Comparison(other, chunks.release))


def test_other_data_are_refused(chunks):
    other = sf.Dataset.of("sets", [["x"]] * 60)
    with pytest.raises(SchemaError, match="Compare it with the data it was made from"):
        TopItemsets().measure(Comparison(other, chunks.release))
