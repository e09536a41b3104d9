"""The lattice search against a try of every choice of levels, whatever is asked and however it is priced."""

import numpy as np
import pytest
from hypothesis import event, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.naive import full_domain as plain

from sfumato.kinds.table._kernels import generalisation_lattice as lattice
from sfumato.kinds.table._kernels import lattice_search
from sfumato.kinds.table._kernels.class_demand import make_demand
from sfumato.kinds.table._kernels.different_records import collapse
from sfumato.kinds.table._kernels.generalised_classes import make_level_table

TREE = {0: "A", 1: "A", 2: "B", 3: "B", "A": "*", "B": "*"}
DIVERSITIES, DISTANCES = ("distinct", "entropy", "recursive"), ("equal", "ordered", "hierarchical")
LOSSES = {"cells": lattice.CELLS, "discernibility": lattice.DISCERNIBILITY, "average": lattice.AVERAGE_CLASS_SIZE}


@st.composite
def level_table(draw):
    """Draw a ladder: values as they are, coarser and coarser, and all of them one."""
    values = draw(st.integers(1, 5))
    levels = [list(range(values))]
    for _ in range(draw(st.integers(0, 2))):
        image = draw(st.lists(st.integers(0, 3), min_size=6, max_size=6))
        levels.append([10 * len(levels) + image[node % 10] for node in levels[-1]])
    return [*levels, [99] * values]


@st.composite
def prices_of(draw, level_tree):
    """Draw a price for every node, never below that of a node under it, and list it by level and value."""
    found = [[draw(st.sampled_from([0.0, 0.1, 0.5])) for _ in level_tree[0]]]
    for level in level_tree[1:]:
        more = {node: draw(st.sampled_from([0.0, 0.2, 0.3])) for node in dict.fromkeys(level)}
        below = {node: max(p for p, n in zip(found[-1], level, strict=True) if n == node) for node in more}
        found.append([below[node] + more[node] for node in level])
    return found


@st.composite
def questions(draw, most=4):
    chosen = draw(st.lists(level_table(), min_size=1, max_size=most))
    row = st.tuples(*(st.integers(0, len(level_tree[0]) - 1) for level_tree in chosen))
    rows = draw(st.lists(row, min_size=1, max_size=30))
    top = [draw(st.sampled_from([len(level_tree) - 1, len(level_tree) - 1, 0])) for level_tree in chosen]
    values = st.lists(st.integers(0, 3), min_size=len(rows), max_size=len(rows))
    asked = plain.Asked(draw(st.integers(1, 5)))
    what = draw(st.sets(st.sampled_from(["l", "t", "presence"])))
    if what & {"l", "t"}:
        asked.sensitive = draw(st.lists(values, min_size=1, max_size=2))
    if "l" in what:
        asked.l, asked.diversity = draw(st.integers(2, 3)), draw(st.sampled_from(DIVERSITIES))
        asked.c = draw(st.sampled_from([0.5, 1.0, 3.0]))
    if "t" in what:
        asked.t, asked.distance = draw(st.sampled_from([0.0, 0.1, 0.3, 0.5])), draw(st.sampled_from(DISTANCES))
        asked.trees = [TREE] * len(asked.sensitive)
    if "presence" in what:
        asked.presence = draw(st.sampled_from([0.3, 0.5, 1.0]))
        asked.population = rows + draw(st.lists(row, max_size=30))
    limit = draw(st.sampled_from([0, 1, 3, len(rows) // 2, len(rows)]))
    prices = [draw(prices_of(level_tree)) for level_tree in chosen]
    return rows, chosen, top, asked, limit, prices


def search_of(rows, level_table, top, asked, limit, prices, loss="cells"):
    """Put the question to the kernels."""
    widths = [4] * len(asked.sensitive)
    values = np.array([*rows, *asked.population], np.int32).reshape(-1, len(level_table))
    is_person = np.arange(len(values)) >= len(rows) if asked.presence is not None else None
    records, _ = collapse(values, is_person, [np.array(column) for column in asked.sensitive], widths)
    ladders_of_records = make_level_table([np.array(level_tree) for level_tree in level_table])
    level_sum = np.zeros(ladders_of_records.at.shape)
    for at, price in enumerate(prices):
        level_sum[at, : len(price)] = [np.mean([level[row[at]] for row in rows]) for level in price]
    full = sum(price[-1][0] for price in prices)
    priced = np.concatenate([np.array(price).ravel() for price in prices])
    demand = make_demand(
        asked.k,
        min(limit, len(rows) - 1),
        presence=1.0 if asked.presence is None else asked.presence,
        diversity=(asked.l, 1 + DIVERSITIES.index(asked.diversity) if asked.l > 1 else 0, asked.c),
        closeness=(1.0, 0) if asked.t is None else (asked.t, 1 + DISTANCES.index(asked.distance)),
        widths=tuple(widths),
        trees=trees_of(len(widths)) if asked.distance == "hierarchical" and asked.t is not None else None,
    )
    loss = lattice.Loss(LOSSES[loss], priced, level_sum, full, len(rows))
    return lattice.prepare_search(records, ladders_of_records, np.array(top), demand, loss)


def trees_of(columns):
    """Return the tree of four values, once for every column, below all values."""
    begin, parent, cost = 4 * columns, [], [0.0] * (4 * columns)
    for at in range(columns):
        parent += [begin + 3 * at] * 2 + [begin + 3 * at + 1] * 2
    for at in range(columns):
        parent += [begin + 3 * at + 2] * 2 + [-1]
        cost += [0.5, 0.5, 1.0]
    return np.array(parent), np.array(cost)


def price_all(question, found, loss):
    rows, chosen, _, asked, _, prices = question
    return {levels: plain.price(rows, chosen, prices, levels, lost, loss, asked.k) for levels, lost in found.items()}


@settings(max_examples=400)
@given(questions(), st.sampled_from(sorted(LOSSES)))
def test_the_best_levels_are_those_of_a_try_of_all(question, loss):
    search = search_of(*question, loss)
    best = lattice_search.find_best(search)
    found = plain.feasible_levels(*question[:5])
    event(f"feasible: {len(found) > 0}")
    if not found:
        assert best.node == -1
        return
    levels = tuple(lattice.levels_of(search.lattice, best.node).tolist())
    costs = price_all(question, found, loss)
    assert best.cost == pytest.approx(min(costs.values()), abs=1e-9)
    assert best.cost == pytest.approx(costs[levels], abs=1e-9)
    assert best.suppressed_records == len(found[levels])


@settings(max_examples=400)
@given(questions(), st.sampled_from(sorted(LOSSES)))
def test_minimal_levels_are_those_of_a_try_of_all(question, loss):
    search = search_of(*question, loss)
    nodes, cost, suppressed_records, examined = lattice_search.find_minimal(search)
    found = plain.feasible_levels(*question[:5])
    costs = price_all(question, found, loss)
    levels = [tuple(lattice.levels_of(search.lattice, node).tolist()) for node in nodes.tolist()]
    assert set(levels) == plain.minimal_levels(found) and len(levels) == len(set(levels))
    assert suppressed_records.tolist() == [len(found[choice]) for choice in levels]
    assert cost.tolist() == pytest.approx([costs[choice] for choice in levels], abs=1e-9)
    assert examined <= search.lattice.nodes


@settings(max_examples=60)
@given(questions(most=5))
def test_classes_that_were_kept_give_the_same_as_the_records(question):
    search = search_of(*question)
    order = np.random.default_rng(len(question[0])).permutation(search.lattice.nodes)
    for node in order.tolist():
        levels = tuple(lattice.levels_of(search.lattice, node).tolist())
        lost = plain.suppress(question[0], lambda row, at=levels: plain.generalise(row, question[1], at), question[3])
        lasting, gone = lattice.examine(search, node)
        limit = search.demand.limit
        assert (gone if len(lost) <= limit else gone > limit) == (len(lost) if len(lost) <= limit else True)
        assert lasting <= gone


def test_keys_beyond_64_bits_are_compared_value_by_value():
    width = 9
    levels = [np.stack([np.arange(1000), np.full(1000, 1000)]) for _ in range(width)]
    rng = np.random.default_rng(5)
    rows = np.repeat(rng.integers(0, 1000, (40, width)), 3, axis=0).astype(np.int32)
    records, number = collapse(rows)
    assert len(records.weight) == 40 and set(records.weight.tolist()) == {3}
    assert (records.value[number] == rows).all()
    ladders_of_records = make_level_table(levels)
    assert not ladders_of_records.is_exact
    loss = lattice.Loss(
        lattice.CELLS, np.zeros(ladders_of_records.key.size), np.zeros(ladders_of_records.at.shape), 0.0, len(rows)
    )
    search = lattice.prepare_search(records, ladders_of_records, ladders_of_records.height, make_demand(3, 0), loss)
    assert lattice_search.find_best(search).node == 0
    search = lattice.prepare_search(records, ladders_of_records, ladders_of_records.height, make_demand(120, 0), loss)
    assert lattice_search.find_minimal(search)[0].tolist() == [search.lattice.nodes - 1]


def test_too_many_levels_are_refused():
    records, _ = collapse(np.zeros((1, 30), np.int32))
    ladders_of_records = make_level_table([np.zeros((2, 1), np.int64)] * 30)
    loss = lattice.Loss(
        lattice.CELLS, np.zeros(ladders_of_records.key.size), np.zeros(ladders_of_records.at.shape), 0.0, 1
    )
    with pytest.raises(ValueError, match="combinations of levels"):
        lattice.prepare_search(records, ladders_of_records, ladders_of_records.height, make_demand(2, 0), loss)
