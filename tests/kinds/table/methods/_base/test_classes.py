"""Classes that local methods share: judging, joining what is equal, joining until all are diverse."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.table.drawn_tables import classes_of, dataset_of, tables
from tests.kinds.table.naive.local_classes import merge_equal

from sfumato.data.dataset import Dataset
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.table.dataset import attributes_of
from sfumato.kinds.table.guarantees import KAnonymity
from sfumato.kinds.table.methods._base import classes as under_test
from sfumato.kinds.table.methods._base.classes import Judge, draw_order, join_equal, join_until_diverse
from sfumato.kinds.table.methods._base.requirement import Requirement
from sfumato.kinds.table.methods._base.spaces import space_of
from sfumato.release.run import Run

GUARANTEES = (
    {"l": 2},
    {"l": 3},
    {"l": 2, "diversity": "entropy"},
    {"l": 2, "diversity": "recursive", "c": 1.5},
    {"t": 0.3},
    {"t": 0.2, "distance": "ordered"},
    {"l": 2, "t": 0.4},
)


@st.composite
def judged(draw, smallest=1):
    """Draw a table with two sensitive columns, a promise about them, and the class of every row."""
    columns = draw(tables(largest=24))
    rows = len(columns[0].cells)
    ill = draw(st.lists(st.integers(0, 3), min_size=rows, max_size=rows))
    pay = draw(st.lists(st.integers(0, 2), min_size=rows, max_size=rows))
    data = dataset_of(columns, ill=ill, pay=pay)
    guarantee = KAnonymity(k=2, sensitive=("ill", "pay"), **draw(st.sampled_from(GUARANTEES)))
    group = np.unique(draw(st.lists(st.integers(0, 5), min_size=rows, max_size=rows)), return_inverse=True)[1]
    return columns, data, Requirement.of(guarantee, attributes_of(data, "sensitive")), group


@given(judged(), st.sampled_from([1, 1 << 22]))
def test_many_classes_are_judged_like_all(drawn, cells):
    """However few classes are counted at a time."""
    _, _, needs, group = drawn
    before, under_test._CELLS = under_test._CELLS, cells
    try:
        assert Judge.of(needs).holds(np.arange(len(group)), group).tolist() == needs.judge(group).tolist()
    finally:
        under_test._CELLS = before


@given(judged())
def test_joining_spoils_nothing(drawn):
    """Two classes that keep a promise keep it together: what joining relies on."""
    _, _, needs, group = drawn
    judge, rows = Judge.of(needs), np.arange(len(group))
    good = np.flatnonzero(judge.holds(rows, group))
    if len(good) > 1:
        joined = np.isin(group, good[:2])
        assert judge.holds(rows[joined], np.zeros(joined.sum(), np.int64)).all()


@settings(max_examples=150)
@given(judged())
def test_classes_are_joined_until_all_are_diverse(drawn):
    columns, data, needs, group = drawn
    space = space_of(attributes_of(data), (1.0,) * len(columns))
    whole = needs.judge(np.zeros(len(group), np.int64))[0]
    if not whole:
        with pytest.raises(InfeasibleError, match="diverse enough"):
            join_until_diverse(space, group, needs, "Cluster")
        return
    joined = join_until_diverse(space, group, needs, "Cluster")
    assert needs.judge(joined).all()
    assert sorted(set(joined.tolist())) == list(range(int(joined.max()) + 1))
    for rows in classes_of(group):
        assert len({int(joined[row]) for row in rows}) == 1
    if needs.judge(group).all():
        assert classes_of(joined) == classes_of(group)


@given(judged())
def test_classes_with_equal_cells_are_joined(drawn):
    columns, data, _, group = drawn
    attributes = attributes_of(data)
    joined = join_equal(attributes, space_of(attributes, (1.0,) * len(columns)), group)
    parts = [sorted(rows) for rows in classes_of(group)]
    assert classes_of(joined) == {frozenset(rows) for rows in merge_equal(columns, parts)}


def test_the_partner_that_makes_a_class_diverse_is_preferred_to_a_nearer_one():
    ill = ["flu", "flu", "flu", "flu", "cold", "flu"]
    data = Dataset.of(
        "table", list(zip([10, 10, 11, 11, 14, 14], ill, strict=True)), ("age", "ill"), sensitive=("ill",)
    )
    needs = Requirement.of(KAnonymity(k=2, l=2, sensitive=("ill",)), attributes_of(data, "sensitive"))
    group = np.array([0, 0, 1, 1, 2, 2])
    joined = join_until_diverse(space_of(attributes_of(data), (1.0,)), group, needs, "Cluster")
    assert classes_of(joined) == {frozenset(range(6))}
    joined = join_until_diverse(space_of(attributes_of(data), (1.0,)), np.array([0, 0, 0, 0, 1, 1]), needs, "Cluster")
    assert classes_of(joined) == {frozenset(range(6))}


def test_another_table_is_taken_up_in_another_order():
    one, other = (
        attributes_of(Dataset.of("table", [(age,) for age in ages], ("age",))) for ages in (range(30), [3] * 30)
    )
    secret = Run(bytes([1] * 32))
    assert draw_order(one, secret).tolist() == draw_order(one, secret).tolist()
    assert draw_order(one, secret).tolist() != draw_order(other, secret).tolist()
