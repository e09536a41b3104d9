"""Mondrian: cuts are those of a plain recursion; ties are shared out only where that is asked for."""

from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.drawn_tables import classes_of, dataset_of, tables
from tests.kinds.table.naive.local_classes import Column, merge_equal
from tests.kinds.table.naive.mondrian import plain_mondrian

import sfumato as sf
from sfumato.kinds.table.methods.mondrian import Mondrian
from sfumato.release.run import Run

SECRET = bytes([1] * 32)


def group_of(data, method):
    return method.partition(method.attributes(data), method.require(data), Run(SECRET))


def found_and_expected(columns, data, method, holds):
    expected = merge_equal(columns, [sorted(rows) for rows in plain_mondrian(columns, holds)])
    return classes_of(group_of(data, method)), {frozenset(rows) for rows in expected}


@settings(max_examples=150)
@given(tables(largest=40), st.integers(2, 6))
def test_classes_are_those_of_a_plain_recursion(columns, k):
    if k <= len(columns[0].cells):
        found, expected = found_and_expected(columns, dataset_of(columns), Mondrian(k=k), lambda rows: len(rows) >= k)
        assert found == expected


@settings(max_examples=60)
@given(tables(largest=40), st.data())
def test_diverse_classes_are_those_of_a_plain_recursion(columns, data):
    rows = len(columns[0].cells)
    ill = data.draw(st.lists(st.sampled_from("abc"), min_size=rows, max_size=rows))
    if rows >= 2 and len(set(ill)) >= 2:
        found, expected = found_and_expected(
            columns,
            dataset_of(columns, ill=ill),
            Mondrian(k=2, l=2),
            lambda part: len(part) >= 2 and len({ill[row] for row in part}) >= 2,
        )
        assert found == expected


def test_ties_in_the_middle_stay_together_or_are_shared_out():
    """Of 1, 2, 2, 2, 2, 3 nothing can be cut off in threes without parting the twos."""
    data = sf.Dataset.of("table", [(age,) for age in (1, 2, 2, 2, 2, 3)], ("age",))
    strict, relaxed = (
        sf.anonymize(data, Mondrian(k=3, cut=cut), secret=SECRET).release.table["age"].to_pylist()
        for cut in ("strict", "relaxed")
    )
    assert {(cell["lo"], cell["hi"]) for cell in strict} == {(1, 3)}
    assert {(cell["lo"], cell["hi"]) for cell in relaxed} == {(1, 2), (2, 3)}


def test_small_children_of_a_node_stay_together():
    """France has enough for a class of its own; the others are published as anywhere."""
    parents = dict.fromkeys(("fr", "gr", "es", "it"), "*")
    cells = ["fr"] * 5 + ["gr", "es", "it"]
    assert classes_of(group_of(dataset_of([Column(cells, parents)]), Mondrian(k=3))) == {
        frozenset(range(5)),
        frozenset(range(5, 8)),
    }


def test_the_smallest_child_that_could_stand_alone_helps_the_rest():
    """Spain alone is too few, so Greece, the smaller of both that could stand alone, stays with it."""
    parents = dict.fromkeys(("fr", "gr", "es"), "*")
    cells = ["fr"] * 5 + ["gr"] * 4 + ["es"]
    assert classes_of(group_of(dataset_of([Column(cells, parents)]), Mondrian(k=3))) == {
        frozenset(range(5)),
        frozenset(range(5, 10)),
    }


def test_missing_values_are_cut_off_before_anything_else():
    """Else the widest cut, between 1 and 100, would leave the three missing ones in both halves."""
    columns = [Column([1, 2, 3, 98, 99, 100] * 2), Column([None, "a", "a"] * 4)]
    assert classes_of(group_of(dataset_of(columns), Mondrian(k=4))) == {
        frozenset({0, 3, 6, 9}),
        frozenset({1, 2, 7, 8}),
        frozenset({4, 5, 10, 11}),
    }
