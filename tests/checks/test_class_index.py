"""Which classes hold all of something: tree, NumPy and plain Python find the same."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.checks import class_index
from sfumato.checks.class_index import ClassIndex, HeldLabels, LabelIndex
from sfumato.checks.compiled import set_smallest

FARTHEST = 2**62


@st.composite
def classes_and_cases(draw: Any) -> tuple[list[Any], list[Any], int]:
    """Draw classes, each with ranges and labels, and cases with a value for every range and some labels."""
    ranges, labels = draw(st.integers(0, 3)), draw(st.sampled_from([0, 1, 9, 70]))
    value = st.one_of(st.integers(-3, 9), st.sampled_from([-FARTHEST, FARTHEST]))
    held = st.sets(st.integers(0, labels - 1)) if labels else st.just(set())
    one = st.tuples(st.lists(st.tuples(value, value), min_size=ranges, max_size=ranges), held)
    size = draw(st.sampled_from([0, 1, 8, 9, 63, 64, 200]))
    kinds = draw(st.lists(one, min_size=1, max_size=8))
    chosen = draw(st.lists(st.integers(0, len(kinds) - 1), min_size=size, max_size=size))
    facts = st.lists(st.integers(0, labels - 1), max_size=3) if labels else st.just([])
    case = st.tuples(st.lists(value, min_size=ranges, max_size=ranges), facts)
    return [kinds[at] for at in chosen], draw(st.lists(case, max_size=9)), labels


def find_plainly(classes: list[Any], cases: list[Any]) -> list[list[int]]:
    return [
        [
            number
            for number, (bounds, labels) in enumerate(classes)
            if all(lo <= value <= hi for (lo, hi), value in zip(bounds, values, strict=True)) and labels >= set(facts)
        ]
        for values, facts in cases
    ]


def split(offsets: Any, classes: Any) -> list[list[int]]:
    return [sorted(part.tolist()) for part in np.split(classes, offsets[1:-1])] if len(offsets) > 1 else []


@settings(max_examples=300)
@given(classes_and_cases(), st.sampled_from([1, 50, 1 << 22]))
def test_all_ways_find_the_same(made: Any, portion: int) -> None:
    classes, cases, labels = made
    ranges = len(classes[0][0]) if classes else len(cases[0][0]) if cases else 0
    bounds = np.array([bounds for bounds, _ in classes], np.int64).reshape(len(classes), ranges, 2)
    holds = np.array([[label in held for label in range(labels)] for _, held in classes], bool)
    masks = np.packbits(holds.reshape(len(classes), labels), axis=1, bitorder="little")
    index = ClassIndex(bounds[:, :, 0], bounds[:, :, 1], masks, bounds.mean(axis=2))
    values = np.array([values for values, _ in cases], np.int64).reshape(len(cases), ranges)
    offsets = np.cumsum([0, *(len(facts) for _, facts in cases)])
    facts = np.array([fact for _, facts in cases for fact in facts], np.int64)
    with pytest.MonkeyPatch.context() as patch, set_smallest(1 << 60):
        patch.setattr(class_index, "_BYTES", portion)
        found = split(*index.find(values, offsets, facts))
    assert found == find_plainly(classes, cases)
    with set_smallest(0):
        assert split(*index.find(values, offsets, facts)) == found


tables = st.integers(1, 5).flatmap(
    lambda width: st.lists(st.lists(st.booleans(), min_size=width, max_size=width), min_size=1, max_size=5)
)


@given(st.lists(tables, min_size=1, max_size=3), st.data())
def test_cells_hold_labels_in_a_row_or_as_a_set(drawn: list[list[list[bool]]], data: st.DataObject) -> None:
    size = data.draw(st.integers(1, 9))
    columns = [np.array(table) for table in drawn]
    cells = [np.array(data.draw(st.lists(st.integers(0, len(c) - 1), min_size=size, max_size=size))) for c in columns]
    cases = np.array([[data.draw(st.integers(0, c.shape[1] - 1)) for c in columns] for _ in range(4)])
    held = [HeldLabels.of(column) for column in columns]
    wanted = [
        [
            number
            for number in range(size)
            if all(c[at[number], v] for c, at, v in zip(columns, cells, case, strict=True))
        ]
        for case in cases
    ]
    index = LabelIndex.of(list(zip(held, cells, strict=True)), size)
    assert split(*index.find(cases)) == wanted
    for column, labels in zip(columns, held, strict=True):
        every = np.indices(column.shape).reshape(2, -1)
        assert (labels.contain(*every) == column.ravel()).all()
