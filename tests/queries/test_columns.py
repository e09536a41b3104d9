"""Attributes within ranges and sets of labels: bounds attained by some value, draws that are possible."""

import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.data.coded import ValueSets
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.published_view import AttributeCondition, Names, Selection

TOP = 6
"""Numbers run from 0 to this; None is a missing value."""

cells = st.lists(
    st.one_of(
        st.tuples(st.integers(0, TOP), st.integers(0, TOP)).map(lambda ends: list(range(min(ends), max(ends) + 1))),
        st.just([None]),
        st.just([*range(-9, 20), None]),
    ),
    min_size=1,
    max_size=4,
)
spans = st.sampled_from([(0, 3), (2, 2), (-math.inf, 4), (3.5, 5.5), (3.2, 3.8), (5, 1), (-math.inf, math.inf)])


def as_ranges(found, whole):
    """Return cells given by the numbers they may be."""
    told = [[0] if cell == [None] else [number for number in cell if number is not None] for cell in found]
    hidden = np.array([len(cell) > 1 and None in cell for cell in found])
    missing = np.array([cell == [None] for cell in found])
    kind = np.int64 if whole else np.float64
    lo, hi = (np.array([side(cell) for cell in told], kind) for side in (min, max))
    values = ValueSets.of_ranges(lo, hi, missing, hidden, "integer" if whole else "decimal")
    return CodedAttribute(values, np.arange(len(found)))


@given(cells, spans)
def test_ranges_of_whole_numbers_are_judged_as_their_numbers(found, span):
    truth = as_ranges(found, whole=True).judge(AttributeCondition(span=span))
    inside = [[number is not None and span[0] <= number <= span[1] for number in cell] for cell in found]
    assert truth.low.tolist() == [int(all(cell)) for cell in inside]
    assert truth.high.tolist() == [int(any(cell)) for cell in inside]


@given(cells, st.booleans(), st.integers(0, 2**20))
def test_numbers_are_drawn_from_their_ranges(found, whole, seed):
    drawn = as_ranges(found, whole).draw(np.random.default_rng(seed))
    for row, cell in enumerate(found):
        low, high = drawn.values.bounds
        if None not in cell:
            assert cell[0] <= low[row] <= cell[-1] and not drawn.values.missing[row]
        assert (low == high).all() and (not whole or low[row] == int(low[row]))


def test_a_decimal_between_two_whole_numbers_can_be_asked_for():
    prices = as_ranges([[3, 4]], whole=False)
    found = prices.judge(AttributeCondition(span=(3.2, 3.8)))
    assert (found.low.tolist(), found.high.tolist()) == ([0], [1])


labels = st.lists(st.sets(st.integers(0, 2), min_size=1), min_size=1, max_size=4)


@given(labels, st.sets(st.integers(0, 2)), st.booleans(), st.booleans())
def test_labels_are_judged_as_what_they_may_be(found, wanted, unseen, hidden):
    # Number 3 is a label that is published nowhere; a hidden cell may be that, too.
    cells = [*found, {0, 1, 2, 3}] if hidden else found
    values = ValueSets.of_labels("abc", [sorted(cell - {3}) for cell in cells], [len(found)] if hidden else [])
    column = CodedAttribute(values, np.arange(len(cells)), Names(("a", "b", "c")))
    asked = wanted | {3} if unseen else wanted
    truth = column.judge(AttributeCondition(Selection(np.isin(np.arange(3), sorted(wanted)), unseen)))
    # Another label still would be asked for by nobody: no hidden cell is certain.
    assert truth.low.tolist() == [int(cell <= asked and 3 not in cell) for cell in cells]
    assert truth.high.tolist() == [int(bool(cell & asked)) for cell in cells]


@given(labels, st.integers(0, 2**20))
def test_labels_are_drawn_from_their_cells(found, seed):
    values = ValueSets.of_labels("abc", [sorted(cell) for cell in found])
    drawn = CodedAttribute(values, np.arange(len(found)), Names(("a", "b", "c"))).draw(np.random.default_rng(seed))
    assert all(code in cell for code, cell in zip(drawn.codes.tolist(), found, strict=True))


@pytest.mark.parametrize("told", [True, False])
def test_a_hidden_label_is_drawn_from_other_records_if_there_are_any(told):
    values = ValueSets.of_labels("ab", [(0,), (0, 1)], [1])
    column = CodedAttribute(values, np.array([0, 1] if told else [1, 1]), Names(("a", "b")))
    there = column.draw(np.random.default_rng(1)).judge(AttributeCondition(Selection(np.array([True, False]))))
    assert there.low.tolist() == ([1, 1] if told else [0, 0])


def test_labels_that_are_numbers_can_be_compared():
    names = Names(("", "3", "12"))
    values = ValueSets.of_labels(names.labels, [(0,), (1, 2)])
    column = CodedAttribute(values, np.array([0, 1]), names, np.array([math.nan, 3, 12]))
    found = column.judge(AttributeCondition(span=(0, 20)))
    assert column.numeric and found.low.tolist() == [0, 1]
    assert column.judge(AttributeCondition(span=(5, 20))).high.tolist() == [0, 1]
