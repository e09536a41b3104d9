"""Hierarchies against walking up the parents, the errors they raise, and derived ones."""

from __future__ import annotations

import datetime
import itertools
import pickle

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.hierarchies.naive.hierarchy import leaves_below, lowest_common_ancestor, path_up, quarter

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.derive import balanced, grid, quadtree
from sfumato.hierarchies.hierarchy import Hierarchy


@st.composite
def parents(draw):
    """A random tree as a mapping of child to parent, in random order."""
    size = draw(st.integers(1, 25))
    above = [draw(st.integers(max(0, node - draw(st.sampled_from([1, 3, 25]))), node - 1)) for node in range(1, size)]
    links = [("n0", None), *((f"n{node + 1}", f"n{parent}") for node, parent in enumerate(above))]
    return dict(draw(st.permutations(links)))


@given(parents(), st.data())
def test_queries_agree_with_walking_up(links, data):
    tree = Hierarchy.from_parents(links)
    assert sorted(tree.labels) == sorted(links)
    assert {(child, parent) for child, parent in links.items()} == set(tree.pairs())
    assert tree.height == max(len(path_up(links, label)) for label in links) - 1
    some = data.draw(st.lists(st.sampled_from(sorted(links)), min_size=1, max_size=4))
    assert tree.labels[tree.lca(*some)] == lowest_common_ancestor(links, some)
    for label in links:
        node = tree.node(label)
        below = leaves_below(links, label)
        assert tree.leaf_count(label) == tree.leaves[node] == len(below)
        assert set(tree.members(label)) == below
        assert (label, *tree.ancestors(label)) == tuple(path_up(links, label))
        assert tree.depth[node] == len(path_up(links, label)) - 1
        first = tree.first_leaf[node]
        assert {tree.labels[leaf] for leaf in range(first, first + len(below))} == below
        assert set(tree.children(label)) == {child for child, parent in links.items() if parent == label}
        assert tree.parent[node] == -1 or tree.parent[node] > node or node < len(tree.leaf_labels)


@given(parents())
def test_lca_of_all_pairs_agrees_with_walking_up(links):
    tree = Hierarchy.from_parents(links)
    a, b = np.divmod(np.arange(len(tree) ** 2), len(tree))
    found = tree.lca_many(a, b)
    assert found.dtype == np.int32
    for x, y, node in zip(a, b, found, strict=True):
        assert tree.labels[node] == lowest_common_ancestor(links, [tree.labels[x], tree.labels[y]])
        assert tree.lca(int(x), int(y)) == node
    assert tree.lca_many(a.reshape(len(tree), -1), b.reshape(len(tree), -1)).shape == (len(tree), len(tree))


@given(parents())
def test_other_ways_to_build_give_an_equal_tree(links):
    tree = Hierarchy.from_parents(links)
    by_code = Hierarchy.from_codes(tree.labels, tree.parent)
    by_path = Hierarchy.from_paths(tree.paths())
    again = Hierarchy.from_parents(reversed(list(links.items())))
    copied = pickle.loads(pickle.dumps(tree))
    for other in (by_code, by_path, again, copied):
        assert other == tree and hash(other) == hash(tree)
    assert by_path.labels == tree.labels
    assert Hierarchy.from_parents(tree.pairs()).labels == tree.labels
    assert tree != Hierarchy.from_parents({**links, "another": "n0"})
    assert tree != "tree"


def test_the_papers_example_of_semantic_dissimilarity():
    tree = Hierarchy.from_paths([(p, "Restaurants", "*") for p in "ace"] + [(p, "Coffee shops", "*") for p in "bd"])
    total = tree.leaf_count(len(tree) - 1)
    assert (tree.leaf_count(tree.lca("a", "c", "e")), total) == (3, 5)
    assert tree.leaf_count(tree.lca("a", "d")) == total


def test_a_hierarchy_cannot_be_changed():
    tree = Hierarchy.from_parents({"a": "*"})
    with pytest.raises(ValueError, match="read-only"):
        tree.parent[0] = 5
    with pytest.raises(AttributeError):
        tree.labels = ()


def test_a_deep_chain_and_a_wide_star():
    chain = Hierarchy.from_parents({f"{i}": f"{i + 1}" for i in range(5000)})
    assert chain.height == 5000
    assert chain.labels[chain.lca("17", "4000")] == "4000"
    star = Hierarchy.from_parents({f"{i}": "*" for i in range(5000)})
    assert star.labels[star.lca("17", "4000")] == "*"
    assert len(repr(star).splitlines()) == 14


def test_one_node_is_a_hierarchy():
    tree = Hierarchy.from_parents({"only": None})
    assert (len(tree), tree.height, tree.leaf_labels, tree.lca("only")) == (1, 0, ("only",), 0)
    assert tree.lca_many([0], [0]).tolist() == [0]


def test_paths_of_different_lengths_and_repeated_values():
    tree = Hierarchy.from_paths(
        [
            ("80331", "803**", "8****", "*"),
            ("80333", "803**", "8****", "*"),
            ("81", "81", "8****", "*"),
            ("x", "", "*"),
            ("y", "Y", "Y", "*"),
            ("z", "Z", "Y", "*"),
        ]
    )
    assert tree.ancestors("81") == ("8****", "*")
    assert tree.ancestors("x") == ("*",)
    assert tree.ancestors("y") == ("Y", "*")
    assert tree.ancestors("z") == ("Z", "Y", "*")


def test_a_group_called_like_one_of_its_leaves_gets_its_own_name():
    tree = Hierarchy.from_paths(
        [
            ("frankfurter", "sausage", "meat"),
            ("sausage", "sausage", "meat"),
            ("sausage (group)", "other", "meat"),
            ("other", "more", "other", "meat"),
        ]
    )
    assert tree.members("sausage (group 2)") == ("frankfurter", "sausage")
    assert tree.ancestors("other") == ("more", "other (group)", "meat")


SECRET = "Mrs Smith"


@pytest.mark.parametrize(
    ("build", "message"),
    [
        (lambda: Hierarchy.from_parents({}), "at least one label"),
        (lambda: Hierarchy.from_paths([]), "at least one label"),
        (lambda: Hierarchy.from_parents([(SECRET, "b"), ("b", SECRET)]), "rows 1, 2 form a cycle"),
        (lambda: Hierarchy.from_parents([("a", "*"), (SECRET, SECRET)]), "row 2 form a cycle"),
        (
            lambda: Hierarchy.from_parents([("a", "*"), (SECRET, "c"), ("c", SECRET)]),
            "rows 2, 3 form a cycle",
        ),
        (lambda: Hierarchy.from_parents([(SECRET, "A"), ("b", "B")]), r"found 2 labels .*\(rows 1, 2\)"),
        (lambda: Hierarchy.from_parents([(SECRET, "A"), ("b", "A"), (SECRET, "b")]), "rows 1, 3 put the same"),
        (lambda: Hierarchy.from_parents([(SECRET, "A"), (SECRET, "A")]), "rows 1, 2 list the same"),
        (lambda: Hierarchy.from_parents([(SECRET, None), (SECRET, "A")]), "rows 1, 2 put the same"),
        (lambda: Hierarchy.from_paths([(SECRET, "*"), ("b", "*"), (SECRET, "*")]), "rows 1, 3 start with"),
        (lambda: Hierarchy.from_paths([("a", SECRET, "A", "*"), ("b", SECRET, "*")]), "rows 1, 2 put the"),
        (lambda: Hierarchy.from_paths([("a", SECRET, "B", SECRET, "*")]), "row 1 form a cycle"),
        (lambda: Hierarchy.from_paths([("a", "*"), ("", "*")]), "row 2 starts empty"),
        (lambda: Hierarchy.from_paths([("a", "*"), ()]), "row 2 starts empty"),
        (lambda: Hierarchy.from_paths([("a", "*"), (SECRET,)]), "found 2 labels"),
        (lambda: Hierarchy.from_parents({"": "*"}), "row 1 has none"),
        (lambda: Hierarchy.from_parents([("a", "*"), (f"{SECRET}\n", "*")]), "row 2 has a line break"),
        (lambda: Hierarchy.from_parents([("a" * 1_000_000, "*")]), "at most 10,000 characters"),
        (lambda: Hierarchy.from_parents([("\ud800", "*")]), "half a surrogate"),
        (lambda: Hierarchy.from_parents({"*": "a", "b": "c"}, root="*"), "already used"),
    ],
)
def test_bad_trees_are_refused_by_row_number(build, message):
    with pytest.raises(SchemaError, match=message) as caught:
        build()
    assert SECRET not in str(caught.value)


def test_an_artificial_root_is_added_only_where_it_is_needed():
    tree = Hierarchy.from_parents({"a": "A", "b": "B"}, root="*")
    assert tree.ancestors("a") == ("A", "*")
    assert Hierarchy.from_parents({"a": "A"}, root="*").ancestors("a") == ("A",)


def test_bad_parameters():
    with pytest.raises(ParameterError, match="kind must be"):
        Hierarchy.from_parents({"a": "*"}, kind="trees")
    with pytest.raises(ParameterError, match="type of ranges must be"):
        Hierarchy.from_parents({"0,1": None}, kind="ranges", type="string")
    with pytest.raises(ParameterError, match="parent must have"):
        Hierarchy.from_codes(["a", "b"], [1, 2])
    tree = Hierarchy.from_parents({"a": "*"})
    with pytest.raises(ParameterError, match="at least one node"):
        tree.lca()
    with pytest.raises(ParameterError, match="from 0 to 1, got -1"):
        tree.leaf_count(-1)
    with pytest.raises(SchemaError, match="no node has this label"):
        tree.node(SECRET)
    with pytest.raises(SchemaError, match="inner node"):
        tree.leaf("*")
    assert tree.leaf("a") == 0


def test_require_names_rows_and_never_labels():
    tree = Hierarchy.from_parents({"a": "*", "b": "*"})
    assert tree.require(["b", "a"], "SD-SeqAnon").tolist() == [1, 0]
    assert tree.require([], "SD-SeqAnon").tolist() == []
    with pytest.raises(SchemaError, match=r"^age: 2 distinct values .* \(rows 11, 13, 14, 15, 16, \.\.\.\)") as caught:
        tree.require([SECRET, "a", *[SECRET] * 5, "*"], "age", rows=range(11, 19))
    assert SECRET not in str(caught.value)


@st.composite
def range_tree(draw, type):
    """Bounds of leaves that touch, and a random tree over them as (child, parent) pairs."""
    number = st.floats(-1e6, 1e6) if type == "decimal" else st.integers(-50_000, 50_000)
    cuts = sorted(draw(st.sets(number.map(lambda value: value + 0), min_size=2, max_size=9)))

    def name(first, last):
        bounds = [cuts[first], cuts[last]]
        if type == "date":
            bounds = [datetime.date.fromordinal(735_000 + bound).isoformat() for bound in bounds]
        return ",".join(map(str, bounds))

    pairs, pending = [(name(0, len(cuts) - 1), None)], [(0, len(cuts) - 1)]
    while pending:
        first, last = pending.pop()
        if last - first > 1:
            inside = st.integers(first + 1, last - 1)
            steps = [first, *sorted(draw(st.sets(inside, min_size=1, max_size=3))), last]
            for begin, end in itertools.pairwise(steps):
                pairs.append((name(begin, end), name(first, last)))
                pending.append((begin, end))
    return cuts, draw(st.permutations(pairs))


@pytest.mark.parametrize("type", ["int", "decimal", "date"])
@given(data=st.data())
@settings(max_examples=40)
def test_values_fall_into_the_range_that_holds_them(type, data):
    cuts, pairs = data.draw(range_tree(type))
    tree = Hierarchy.from_parents(pairs, kind="ranges", type=type)
    assert len(tree.leaf_labels) == len(cuts) - 1
    assert set(tree.labels) == {label for label, _ in pairs}
    values = np.array([*cuts, *(cut + 1 for cut in cuts[:-1] if cut + 1 <= cuts[-1])])
    shown = values
    if type == "date":
        shown = [datetime.date.fromordinal(735_000 + int(value)) for value in values]
    for value, leaf in zip(values, tree.leaf_of_value(shown), strict=True):
        expected = max(i for i in range(len(cuts) - 1) if cuts[i] <= value)
        assert leaf == expected


def test_ranges_given_with_their_last_value_are_read_as_touching():
    tree = Hierarchy.from_parents(
        {"0,4": "0,9", "5,5": "0,9", "6,9": "0,9", "0,9": "0,19", "10,19": "0,19"}, kind="ranges", type="int"
    )
    assert tree.leaf_labels == ("0,5", "5,6", "6,10", "10,19")
    assert tree.labels[-1] == "0,19"
    assert tree.members("0,10") == ("0,5", "5,6", "6,10")
    assert tree.leaf_of_value([0, 4, 5, 6, 9, 10, 19]).tolist() == [0, 0, 1, 2, 2, 3, 3]


def test_months_and_years_are_dates():
    tree = Hierarchy.from_parents(
        {"1/2000,1/2000": "2000,2000", "2/2000,12/2000": "2000,2000"}, kind="ranges", type="date"
    )
    assert tree.labels == (
        "2000-01-01,2000-02-01",
        "2000-02-01,2000-12-31",
        "2000-01-01,2000-12-31",
    )
    assert tree.leaf_of_value(["2000-01-31T23:59", "2000-02-01"]).tolist() == [0, 1]


def test_a_range_that_is_its_own_only_child_is_one_node():
    tree = Hierarchy.from_parents({"0,5": "0.0,5.0"}, kind="ranges", type="decimal")
    assert tree.labels == ("0.0,5.0",)


@pytest.mark.parametrize(
    ("pairs", "type", "message"),
    [
        ([("0,5", "0,10"), ("6,10", "0,10")], "decimal", "row 1 does not end where the next one begins"),
        ([("0,5", "0,10"), ("4,10", "0,10")], "int", "row 1 does not end where the next one begins"),
        ([("0,5", "0,10"), ("5,9", "0,10")], "int", "made of the ranges below it.*row 1"),
        ([("0,6", "0,5")], "int", "made of the ranges below it.*row 1"),
        ([("5,0", None)], "int", "row 1 does not end where the next one begins"),
        ([("a,b", None)], "int", "two bounds.*row 1"),
        ([("5", None)], "int", "two bounds.*row 1"),
        ([("0.5,2", None)], "int", "two bounds"),
        ([("0,99999999999999999999", None)], "int", "two bounds"),
        ([("0,inf", None)], "decimal", "two bounds"),
        ([("0,nan", None)], "decimal", "two bounds"),
        ([("2000-02-30,2001-01-01", None)], "date", "two bounds"),
        ([("13/2000,1/2001", None)], "date", "two bounds"),
    ],
)
def test_ranges_that_do_not_fit_are_refused(pairs, type, message):
    with pytest.raises(SchemaError, match=message):
        Hierarchy.from_parents(pairs, kind="ranges", type=type)


def test_values_outside_every_range_are_refused():
    tree = Hierarchy.from_parents({"0,5": "0,10", "5,10": "0,10"}, kind="ranges", type="int")
    with pytest.raises(SchemaError, match=r"2 values are outside .* \(rows 1, 4\)"):
        tree.leaf_of_value([-1, 0, 10, 11])
    with pytest.raises(SchemaError, match=r"^age: 1 value is outside .* \(row 8\)"):
        tree.leaf_of_value([0, 99], "age", rows=[7, 8])
    with pytest.raises(SchemaError, match="row 1"):
        tree.leaf_of_value([float("nan")])
    with pytest.raises(SchemaError, match="need numbers"):
        tree.leaf_of_value(["five"])
    with pytest.raises(SchemaError, match="of labels, not of ranges"):
        Hierarchy.from_parents({"a": "*"}).leaf_of_value([1])
    days = Hierarchy.from_parents({"2000,2001": None}, kind="ranges", type="date")
    with pytest.raises(SchemaError, match="need dates"):
        days.leaf_of_value(["yesterday"])
    with pytest.raises(SchemaError, match="without missing"):
        days.leaf_of_value([np.datetime64("NaT")])


@given(st.integers(1, 200), st.integers(2, 9))
def test_balanced_keeps_order_and_fanout(size, fanout):
    labels = [f"g/{i}" if i % 3 else f"*{'*' * i}" for i in range(size)]
    tree = balanced(labels, fanout)
    assert list(tree.leaf_labels) == labels
    inner = tree.labels[size:]
    for label in inner:
        below = [tree.leaf_count(child) for child in tree.children(label)]
        assert len(below) <= fanout
        assert max(below) - min(below) <= 1
        assert len(below) > 1 or size == 1
    assert np.ptp(tree.depth[:size]) <= 1
    assert fanout ** (tree.height - 1) < max(size, 2) <= max(fanout**tree.height, 2)


coordinates = st.lists(st.tuples(st.integers(0, 30), st.integers(0, 30)), min_size=1, max_size=30)


def check_cells(tree, places, levels, capacity):
    cells = quarter(places, levels, capacity)
    inner = tree.labels[len(places) :]
    groups = {frozenset(tree.members(label)) for label in inner}
    assert len(groups) == len(inner)
    assert groups == {inside for inside in cells.values() if len(inside) > 1} | {frozenset(places)}
    for label in inner[:-1]:
        assert cells[label.removeprefix("q")] == frozenset(tree.members(label))
    assert tree.labels[-1] == "*"


@given(coordinates, st.integers(1, 5))
def test_grid_agrees_with_quartering_a_square(points, levels):
    places = {f"p{i}": point for i, point in enumerate(points)}
    x, y = np.array(points).T
    check_cells(grid(list(places), x, y, levels), places, levels, 0)


@given(coordinates, st.integers(1, 5))
def test_quadtree_agrees_with_quartering_a_square(points, capacity):
    places = {f"p{i}": point for i, point in enumerate(points)}
    x, y = np.array(points).T
    tree = quadtree(list(places), x, y, capacity)
    check_cells(tree, places, 30, capacity)
    for label in places:
        assert tree.labels[tree.parent[tree.leaf(label)]] in tree.labels[len(places) :]


def test_places_at_the_ends_of_the_number_line():
    tree = quadtree(["a", "b", "c"], [-1.7e308, 1.7e308, 1.7e308], [0, 0, 1], capacity=1)
    assert {tree.members(label) for label in tree.labels[3:]} == {("a", "b", "c"), ("b", "c")}


def test_derived_names_avoid_the_labels():
    tree = quadtree(["q/0", "*", "a", "b"], [0, 0, 9, 9], [0, 0, 9, 9], capacity=1)
    assert set(tree.labels[4:]) == {"**", "qq/0", "qq/3"}


@pytest.mark.parametrize(
    ("build", "error", "message"),
    [
        (lambda: balanced([], 2), SchemaError, "at least one label"),
        (lambda: balanced(["a", "b", "a"], 2), SchemaError, "rows 1, 3"),
        (lambda: balanced(["a"], 1), ParameterError, "fanout must be at least 2, got 1"),
        (lambda: grid(["a"], [0], [0], 0), ParameterError, "levels must be from 1 to 30, got 0"),
        (lambda: quadtree(["a"], [0], [0], 0), ParameterError, "capacity must be at least 1"),
        (lambda: quadtree(["a"], [0, 1], [0], 1), ParameterError, "one number per label"),
        (lambda: grid(["a", "b"], [0, np.nan], [0, 0], 1), SchemaError, "those of row 2 are not"),
        (lambda: grid(["a", "b"], [0, 0], [np.inf, 0], 1), SchemaError, "those of row 1 are not"),
    ],
)
def test_derived_hierarchies_refuse_bad_input(build, error, message):
    with pytest.raises(error, match=message):
        build()
