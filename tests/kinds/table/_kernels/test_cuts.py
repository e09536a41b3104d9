"""Cuts of parts: values stay together where they must, halves are halves where they can be."""

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.drawn_tables import dataset_of, tables

from sfumato.kinds.table._kernels.cuts import cut_between_values, cut_in_halves
from sfumato.kinds.table._kernels.prices import TREE, build_space
from sfumato.kinds.table.dataset import attributes_of
from sfumato.kinds.table.methods._base.spaces import space_of


def cut(make, columns, d):
    space = space_of(attributes_of(dataset_of(columns)), (1.0,) * len(columns))
    rows = np.arange(len(space.codes))
    return space, make(space, rows, np.array([0, len(rows)]), np.array([d])).tolist()


@given(tables(), st.data())
def test_equal_values_stay_together(columns, data):
    d = data.draw(st.integers(0, len(columns) - 1))
    if len(set(columns[d].cells)) < 2:
        return
    space, piece = cut(cut_between_values, columns, d)
    assert sorted(set(piece)) == list(range(max(piece) + 1)) and max(piece) > 0
    assert len(set(zip(space.codes[:, d].tolist(), piece, strict=True))) == len(set(columns[d].cells))


@given(tables(), st.data())
def test_halves_are_halves_in_the_order_of_values(columns, data):
    d = data.draw(st.integers(0, len(columns) - 1))
    if len(set(columns[d].cells)) < 2:
        return
    space, piece = cut(cut_in_halves, columns, d)
    codes = space.codes[:, d]
    if (codes < 0).any():
        assert piece == [0 if code < 0 else 1 for code in codes]
    elif space.form[d] != TREE:
        assert sum(piece) == -(-len(piece) // 2)
        low, high = (codes[np.array(piece) == side] for side in (0, 1))
        assert low.max() <= high.min()
    else:
        assert piece == cut(cut_between_values, columns, d)[1]


def test_pieces_along_a_tree_are_children_of_the_node_above():
    """Leaves 0 and 1 are one child, 2 another, 3 and 4 a third; 2 is in no record, so two pieces are left."""
    steps = np.array([0.4, 1.0, 1.0, 0.4])
    space = build_space(np.array([[0], [4], [3], [1], [3]]), [TREE], [steps], [1.0])
    assert cut_between_values(space, np.arange(5), np.array([0, 5]), np.array([0])).tolist() == [0, 1, 1, 0, 1]
    assert cut_between_values(space, np.array([2, 1]), np.array([0, 2]), np.array([0])).tolist() == [0, 1]
