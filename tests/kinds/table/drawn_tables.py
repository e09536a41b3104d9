"""Small tables drawn by Hypothesis: numbers, decimals, labels with and without a tree, many of them missing."""

import itertools

from hypothesis import strategies as st
from tests.kinds.table.naive.local_classes import Column

from sfumato.data.dataset import Dataset
from sfumato.hierarchies.hierarchy import Hierarchy

TREES = (
    {"a": "A", "b": "A", "c": "B", "d": "B", "e": "B", "A": "*", "B": "*"},
    {"a": "*", "b": "*", "c": "*", "d": "*", "e": "*"},
    {"a": "A", "b": "A", "c": "B", "d": "C", "e": "C", "A": "AB", "B": "AB", "AB": "*", "C": "*"},
)
SHAPES = ("number", "decimal", "labels", *TREES)


@st.composite
def tables(draw, largest=24, shapes=SHAPES, missing=True):
    """Draw the plain columns of a table, and the dataset that they are."""
    rows = draw(st.integers(1, largest))
    kinds = draw(st.lists(st.sampled_from(shapes), min_size=1, max_size=3))
    columns = []
    for kind in kinds:
        cell = (
            st.integers(0, draw(st.sampled_from([0, 2, 40])))
            if kind == "number"
            else st.sampled_from([0.0, 0.25, 0.5, 3.0, -1.5])
            if kind == "decimal"
            else st.sampled_from("abcde")
        )
        if missing and draw(st.booleans()):
            cell = st.one_of(st.none(), cell)
        cells = draw(st.lists(cell, min_size=rows, max_size=rows))
        columns.append(Column(cells, kind if isinstance(kind, dict) else None))
    return columns


def dataset_of(columns, **more):
    """Make the dataset of plain columns; further columns are sensitive."""
    names = tuple(f"q{i}" for i in range(len(columns)))
    hierarchies = {
        name: Hierarchy.from_parents(column.parents)
        for name, column in zip(names, columns, strict=True)
        if column.parents is not None
    }
    rows = list(zip(*(column.cells for column in columns), *more.values(), strict=True))
    return Dataset.of("table", rows, (*names, *more), sensitive=tuple(more), hierarchies=hierarchies)


def classes_of(group):
    """Return the rows of every class that is published, as a set of sets."""
    order = sorted((int(c), row) for row, c in enumerate(group) if c >= 0)
    return {frozenset(row for _, row in part) for _, part in itertools.groupby(order, key=lambda pair: pair[0])}
