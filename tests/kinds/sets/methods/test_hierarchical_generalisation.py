"""AA, LRA and VPA: examples small enough to follow by hand, and releases that keep their claims."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.drawing import ITEMS, as_arrays, check_truth, hierarchies, quiet, rows_of_items, sizes
from tests.kinds.sets.naive.generalisation import Tree, is_km, move_cut

import sfumato as sf
from sfumato.engines.local import Local
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sets._kernels import item_cuts
from sfumato.kinds.sets.methods._base.hierarchies import price_tree
from sfumato.kinds.sets.methods.hierarchical_generalisation import lies_within, split_items
from sfumato.kinds.sets.metrics.item_loss import ItemLoss
from sfumato.metrics.comparison import Comparison
from sfumato.release.run import Run

TREE = Hierarchy.from_parents({"a1": "A", "a2": "A", "b1": "B", "b2": "B", "A": "*", "B": "*"})
ROWS = [["a1", "b1", "b2"], ["a2", "b1"], ["a2", "b1", "b2"], ["a1", "a2", "b2"]]


def publish(method, rows, hierarchy=TREE):
    """Published rows in the order of the original ones."""
    result = method.anonymize(sf.Dataset.of("sets", rows, hierarchy=hierarchy), Run(bytes([3] * 32)))
    found = dict(zip(result.owner_record.rows.tolist(), result.release.history().lists(), strict=True))
    return [found.get(row) for row in range(len(rows))]


def test_the_cheapest_cut_that_repairs_a_rare_pair_is_taken():
    # {a1, b1} is rare. A costs 5 entries times 2 leaves, B 6 times 2; both help.
    assert publish(sf.methods.Apriori(k=2, m=2), ROWS) == [
        ["b1", "b2", "{a1|a2}"],
        ["b1", "{a1|a2}"],
        ["b1", "b2", "{a1|a2}"],
        ["b2", "{a1|a2}"],
    ]


def test_of_two_moves_at_the_same_price_the_last_item_climbs():
    rows = [["a1", "b1"], ["a1", "b2"], ["a2", "b1"], ["a2", "b2"]]
    assert publish(sf.methods.Apriori(k=2, m=2), rows) == [["a1", "{b1|b2}"]] * 2 + [["a2", "{b1|b2}"]] * 2


def test_nothing_is_generalised_that_is_frequent():
    assert publish(sf.methods.Apriori(k=2, m=1), ROWS) == ROWS


def test_a_rare_item_takes_its_siblings_along():
    rows = [["a1"], ["a2"], ["a2"], ["b1"], ["b1"]]
    assert publish(sf.methods.Apriori(k=2, m=1), rows) == [["{a1|a2}"]] * 3 + [["b1"]] * 2


def test_where_nothing_else_helps_everything_is_published_as_the_root():
    # B alone has one row, so b1 must climb to the root.
    rows = [["a1"], ["a1"], ["b1"]]
    assert publish(sf.methods.Apriori(k=2, m=1), rows) == [["{a1|a2|b1|b2}"]] * 3
    # All items are rarer than k, and so are A and B.
    rows = [["a1"], ["a2"], ["b1"], ["b2"]]
    assert publish(sf.methods.Apriori(k=4, m=2), rows) == [["{a1|a2|b1|b2}"]] * 4


def test_a_row_whose_items_become_one_value_holds_it_once():
    assert publish(sf.methods.Apriori(k=4, m=2), [["a1", "a2"]] * 3 + [["a2"]]) == [["{a1|a2}"]] * 4


def test_parts_of_similar_records_are_recoded_on_their_own():
    # In Gray order the a's come first. They form a part of their own, in which no pair is rare.
    rows = [["a1", "a2"], ["b1"], ["a1", "a2"], ["b2"], ["b1"], ["a1", "a2"]]
    expected = [["a1", "a2"], ["{b1|b2}"], ["a1", "a2"], ["{b1|b2}"], ["{b1|b2}"], ["a1", "a2"]]
    assert publish(sf.methods.Lra(k=3, m=2, parts=2), rows) == expected


def test_local_recoding_publishes_an_item_in_two_ways():
    rows = [["a1"], ["a1"], ["a1"], ["a2"]]
    found = publish(sf.methods.Lra(k=2, m=1, parts=2), rows)
    assert sorted(found) == [["a1"], ["a1"], ["{a1|a2}"], ["{a1|a2}"]]


@pytest.mark.parametrize("parts", [1, 2, 3, 9])
def test_parts_of_the_items_are_repaired_first_and_then_together(parts):
    # Within A: a1 and a2 share one row. Across: {b1, A} and {b2, A} are frequent, so B stays as it is.
    rows = [["a1", "a2", "b1"], ["a1", "b1"], ["a2", "b2"], ["a2", "b2"]]
    expected = [["b1", "{a1|a2}"]] * 2 + [["b2", "{a1|a2}"]] * 2
    assert publish(sf.methods.Vpa(k=2, m=2, parts=parts), rows) == expected


@settings(max_examples=40)
@given(rows_of_items, hierarchies(), sizes, st.integers(1, 4))
def test_cuts_within_a_part_of_the_items_stay_there(rows, hierarchy, k, parts):
    leaf = {int(label): at for at, label in enumerate(hierarchy.leaf_labels)}
    runs = split_items(hierarchy, parts)
    assert np.concatenate(runs).tolist() == list(range(ITEMS)) and len(runs) <= parts
    plain = Tree(hierarchy.parent.tolist(), ITEMS)
    for run in runs:
        allowed = lies_within(hierarchy, run)
        some = [{leaf[item] for item in row} & set(run.tolist()) for row in rows]
        offsets, codes = as_arrays(some)
        tree = price_tree(hierarchy, codes)._replace(allowed=allowed)
        moved = item_cuts.move_cut(offsets, codes, np.arange(ITEMS), tree, k, (1, 2), quiet)
        assert moved.node.tolist() == move_cut(some, plain, k, 2, allowed=lambda node, a=allowed: a[node])[0]
        assert all(allowed[node] for node in moved.node[run])


@settings(max_examples=25)
@given(
    rows_of_items,
    hierarchies(),
    sizes,
    st.integers(1, 3),
    st.integers(1, 3),
    st.sampled_from(["Apriori", "Lra", "Vpa"]),
)
def test_releases_of_hierarchy_methods_are_km_anonymous(rows, hierarchy, k, m, parts, name):
    data = sf.Dataset.of("sets", [[str(item) for item in row] for row in rows * 2], hierarchy=hierarchy)
    method = getattr(sf.methods, name)(k=k, m=m, **({} if name == "Apriori" else {"parts": parts}))
    if len(data) < k:
        return
    result = method.anonymize(data, Run(bytes([1] * 32), engine=Local(1)))
    assert is_km(result.release.history().lists(), k, m)
    check_truth(data, result)
    again = method.anonymize(data, Run(bytes([1] * 32), engine=Local(2)))
    assert again.release.table.to_pylist() == result.release.table.to_pylist()


def loss_of(method, data):
    result = method.anonymize(data, Run(bytes([1] * 32)))
    return ItemLoss().measure(Comparison(data, result.release, result.owner_record.rows)).value, result


@settings(max_examples=40)
@given(rows_of_items, hierarchies(), sizes, st.integers(1, 3))
def test_a_refined_cut_is_one_recoding_that_loses_no_more(rows, hierarchy, k, m):
    data = sf.Dataset.of("sets", [[str(item) for item in row] for row in rows * 2], hierarchy=hierarchy)
    if len(data) < k:
        return
    plain, _ = loss_of(sf.methods.Apriori(k=k, m=m), data)
    method = sf.methods.Apriori(k=k, m=m, refine=True)
    refined, result = loss_of(method, data)
    assert refined <= plain + 1e-12
    assert is_km(result.release.history().lists(), k, m)
    check_truth(data, result)
    recoding = result.owner_record.recoding
    assert sorted(item for group in recoding.groups for item in group) == sorted(hierarchy.leaf_labels)
    again = method.apply(data, recoding, result.release, "error", Run(bytes([1] * 32)))
    assert again.release.table.to_pylist() == result.release.table.to_pylist()


def test_a_frequent_item_is_taken_out_of_the_root():
    rows = [["a1"], ["a1"], ["b1"], ["b2"]]
    assert publish(sf.methods.Apriori(k=2, m=1, refine=True), rows) == [["a1"]] * 2 + [["{b1|b2}"]] * 2
    rows = [["a1"], ["a1"], ["a2"], ["b2"]]
    assert publish(sf.methods.Apriori(k=2, m=1, refine=True), rows) == [["a1"]] * 2 + [["{a2|b1|b2}"]] * 2
