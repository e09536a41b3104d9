"""What a move of a cut changes, found for all nodes at once, is what recoding all records anew shows."""

import numpy as np
import pytest
from hypothesis import assume, given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.drawn_tables import dataset_of, tables
from tests.kinds.table.naive import full_domain as plain
from tests.kinds.table.naive import tree_cuts

import sfumato as sf
from sfumato.exceptions import InfeasibleError, ParameterError
from sfumato.kinds.table.methods._base.tree_cuts import CutSearch
from sfumato.release.run import Run

ASKED = ({}, {"l": 2}, {"l": 2, "diversity": "entropy"}, {"l": 2, "diversity": "recursive", "c": 2.0})


@st.composite
def searches(draw):
    """Draw a table, a demand, and the search for cuts through it, with the same in plain terms."""
    columns = draw(tables())
    rows, k = len(columns[0].cells), draw(st.integers(2, 4))
    assume(rows >= k)
    ill = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    asked = draw(st.sampled_from(ASKED))
    data = dataset_of(columns, ill=ill)
    method = sf.methods.TopDown(k=k, **asked)
    run = Run(bytes(32), max_suppressed_records=draw(st.sampled_from([0.0, 0.2, 0.5])))
    try:
        question = method.pose(method.attributes(data), method.require(data), run)
    except (InfeasibleError, ParameterError):
        assume(False)
    attributes = [level_tree.attribute for level_tree in question.level_trees]
    codes = np.column_stack([np.where(a.codes < 0, len(a.labels), a.codes) for a in attributes]).tolist()
    wanted = plain.Asked(k, **{"c": 0.0, **asked}, sensitive=[ill] if asked else [])
    return CutSearch(question), [tuple(row) for row in codes], wanted


def plain_parts(search):
    """Return parent, leaf and price of every ladder."""
    question = search.question
    return (
        [level_tree.parent.tolist() for level_tree in question.level_trees],
        [level_tree.leaf.tolist() for level_tree in question.level_trees],
        [(w * level_tree.price).tolist() for w, level_tree in zip(question.weights, question.level_trees, strict=True)],
    )


@settings(max_examples=150)
@given(searches(), st.booleans(), st.data())
def test_every_move_changes_what_recoding_anew_shows(drawn, apart, data):
    search, rows, asked = drawn
    parents, leaves, prices = plain_parts(search)
    levels = [data.draw(st.integers(0, level_tree.height)) for level_tree in search.question.level_trees]
    cuts = [level_tree.levels[at] for level_tree, at in zip(search.question.level_trees, levels, strict=True)]
    cut = search._flatten(cuts)
    gone = search.evaluate_cut(cut)
    loss, cells, lost = tree_cuts.state_of(rows, [c.tolist() for c in cuts], prices, asked)
    assert gone == lost
    moves = search.list_moves(cut, search.inner_nodes(cut) if apart else search.ready_nodes(cut), apart=apart)
    for at in range(len(moves.node)):
        attribute = int(moves.attribute[at])
        node = int(moves.node[at] - search.begin[attribute])
        move = tree_cuts.take_apart if apart else tree_cuts.make_whole
        moved = [c.tolist() for c in cuts]
        moved[attribute] = move(moved[attribute], node, leaves[attribute], parents[attribute])
        new_loss, new_cells, new_lost = tree_cuts.state_of(rows, moved, prices, asked)
        assert moves.loss[at] == pytest.approx(new_loss - loss, abs=1e-9)
        assert moves.spread[at] == pytest.approx(new_cells - cells, abs=1e-9)
        assert moves.suppressed_records[at] == new_lost - lost
        assert [c.tolist() for c in search.read(search.move(cut, moves.node[at : at + 1], apart=apart))] == moved


@settings(max_examples=60)
@given(searches())
def test_no_node_of_the_result_could_be_taken_apart_for_less(drawn):
    search, rows, asked = drawn
    parents, leaves, prices = plain_parts(search)
    limit = search.question.demand.limit
    if search.evaluate_cut(search.highest) > limit:
        return
    found = [cut.tolist() for cut in search.read(search.specialise(search.highest, Run(bytes(32))))]
    loss, _, lost = tree_cuts.state_of(rows, found, prices, asked)
    assert lost <= limit
    for attribute, cut in enumerate(found):
        for node in set(cut) - set(leaves[attribute]):
            moved = list(found)
            moved[attribute] = tree_cuts.take_apart(cut, node, leaves[attribute], parents[attribute])
            new_loss, _, new_lost = tree_cuts.state_of(rows, moved, prices, asked)
            assert new_lost > limit or new_loss > loss


@settings(max_examples=60)
@given(searches(), st.booleans())
def test_generalising_from_the_bottom_ends_where_the_promise_is_kept(drawn, by_company):
    search, rows, asked = drawn
    prices = plain_parts(search)[2]
    cut = search.generalise(search.leaves, search.count_company if by_company else search.count_lost)
    if cut is None:
        assert search.evaluate_cut(search.highest) > search.question.demand.limit
        return
    found = [c.tolist() for c in search.read(cut)]
    assert tree_cuts.state_of(rows, found, prices, asked)[2] <= search.question.demand.limit
