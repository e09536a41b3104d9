"""Prices of values, classes and classes that are joined are those of the definition."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.drawn_tables import dataset_of, tables
from tests.kinds.table.naive.local_classes import cheapest_partner, hull_of, price_rows

from sfumato.kinds.table._kernels.class_bounds import (
    bound_classes,
    find_partners,
    merge_bounds,
    price_class,
    price_joined,
    price_with,
    take_up,
)
from sfumato.kinds.table._kernels.cuts import measure_widths
from sfumato.kinds.table._kernels.prices import SET, build_space, price_records
from sfumato.kinds.table.dataset import attributes_of
from sfumato.kinds.table.methods._base.spaces import number_cells, space_of


@st.composite
def classes(draw):
    """Draw a table, its attributes, and the class of every row; every class has a row."""
    columns = draw(tables(largest=16))
    rows = len(columns[0].cells)
    drawn = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    group = np.unique(drawn, return_inverse=True)[1]
    return columns, attributes_of(dataset_of(columns)), group


def rows_of(group):
    return [np.flatnonzero(group == c).tolist() for c in range(int(group.max()) + 1)]


@given(classes())
def test_prices_are_those_of_the_definition(drawn):
    columns, attributes, group = drawn
    space = space_of(attributes, (1.0,) * len(columns))
    parts = rows_of(group)
    bounds = bound_classes(space, group, len(parts))
    for c, rows in enumerate(parts):
        assert price_class(space, bounds, c) == price_rows(columns, rows)
        for other in range(len(parts)):
            assert price_joined(space, bounds, c, other) == price_rows(columns, sorted({*rows, *parts[other]}))
        for row in range(len(group)):
            assert price_with(space, bounds, c, space.codes[row]) == price_rows(columns, sorted({*rows, row}))
            assert price_records(space, space.codes[rows[0]], space.codes[row]) == price_rows(columns, [rows[0], row])
    assert measure_widths(space, bounds).tolist() == [
        [price_rows([column], rows) for column in columns] for rows in parts
    ]


@given(classes())
def test_joined_hulls_are_hulls_of_all_records(drawn):
    _, attributes, group = drawn
    space = space_of(attributes, (1.0,) * len(attributes))
    bounds = bound_classes(space, group, int(group.max()) + 1)
    for c in range(1, len(bounds.records)):
        merge_bounds(bounds, 0, c)
    alone = bound_classes(space, np.full(len(group), -1), 1)
    for row in range(len(group)):
        take_up(space, alone, 0, row)
    whole = bound_classes(space, np.zeros(len(group), np.int64), 1)
    for name in ("low", "high", "missing", "bits", "labels", "records"):
        np.testing.assert_array_equal(getattr(bounds, name)[0], getattr(whole, name)[0])
        np.testing.assert_array_equal(getattr(alone, name)[0], getattr(whole, name)[0])


@given(classes())
def test_classes_with_equal_cells_have_the_same_number(drawn):
    columns, attributes, group = drawn
    parts = rows_of(group)
    number = number_cells(attributes, bound_classes(space_of(attributes, (1.0,) * len(columns)), group, len(parts)))
    cells = [hull_of(columns, rows) for rows in parts]
    assert [[a == b for b in number] for a in number] == [[a == b for b in cells] for a in cells]


@settings(max_examples=60)
@given(classes(), st.integers(1, 4))
def test_partners_are_those_that_add_least(drawn, most):
    columns, attributes, group = drawn
    space = space_of(attributes, (1.0,) * len(columns))
    parts = rows_of(group)
    bounds = bound_classes(space, group, len(parts))
    price = np.array([price_class(space, bounds, c) for c in range(len(parts))])
    live = np.arange(len(parts))
    found = find_partners(space, bounds, price, live, 0, most).tolist()
    left, expected = list(parts), []
    while len(expected) < min(most, len(parts) - 1):
        expected.append(cheapest_partner(columns, left, 0))
        left[expected[-1]] = []
    assert found == expected


@pytest.mark.parametrize("labels", [1, 63, 64, 65, 130])
def test_sets_of_many_labels(labels):
    """Labels fill words of 64 bits; none is lost at their edges."""
    codes = np.arange(labels, dtype=np.int32)[:, None]
    space = build_space(codes, [SET], [np.full(labels - 1, 2 / labels)], [1.0])
    bounds = bound_classes(space, np.zeros(labels, np.int64), 1)
    assert bounds.labels[0, 0] == labels
    assert price_class(space, bounds, 0) == (1.0 if labels > 1 else 0.0)
    for code in range(labels):
        alone = bound_classes(space, np.where(np.arange(labels) == code, 0, -1), 1)
        others = [price_with(space, alone, 0, codes[other]) for other in range(labels)]
        assert others == [0.0 if other == code else 2 / labels for other in range(labels)]
