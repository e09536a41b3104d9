"""Bounds of people that are only known together, beside all originals that say the same."""

from __future__ import annotations

import itertools

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.queries.naive.originals import Step, follows

import sfumato as sf
from sfumato.data.coded import ValueSets
from sfumato.data.record_unit import RECORD
from sfumato.kinds.activity.query_bounds.grids import list_grids
from sfumato.kinds.activity.query_bounds.shares import Shares
from sfumato.kinds.snapshots.query_bounds.groups import GroupedValue, Groups
from sfumato.queries.columns import CodedAttribute
from sfumato.queries.published_view import AttributeCondition, Link, Names, PublishedView, Selection
from sfumato.queries.three_valued import combine_all
from sfumato.queries.time_bounds import TimeBounds

LABELS = ("a", "b")


def distribute(slots, people, length):
    """All ways to give the slots of an interval to people, each as a tuple of what everybody did."""
    for order in set(itertools.permutations(slots)):
        yield tuple(order[at * length : (at + 1) * length] for at in range(people))


def all_classes(intervals, people, length):
    """All originals of a class: for every interval, who did what in every slot."""
    for assigned in itertools.product(*(distribute(slots, people, length) for slots in intervals)):
        yield [
            [(what, at * length + slot) for at, way in enumerate(assigned) for slot, what in enumerate(way[person])]
            for person in range(people)
        ]


def make_shares(intervals, people, length):
    listed = [(at, code) for at, slots in enumerate(intervals) for code, label in enumerate(LABELS) if label in slots]
    counts = np.array([intervals[at].count(LABELS[code]) for at, code in listed], dtype=np.int64)
    return Shares(
        np.array([people]),
        np.full(len(intervals), length),
        list_grids(np.arange(len(intervals)) * length, np.full(len(intervals), length), dated=False),
        np.zeros(len(listed), np.int64),
        np.array([at for at, _ in listed]),
        np.array([code for _, code in listed]),
        counts,
        counts,
        np.zeros((1, len(intervals)), np.int64),
        np.zeros((1, len(intervals)), dtype=bool),
        Names(LABELS),
        "number",
    )


intervals_of_two = st.lists(st.lists(st.sampled_from(LABELS), min_size=4, max_size=4), min_size=1, max_size=2)


@settings(max_examples=40)
@given(intervals_of_two, st.sampled_from([None, (0, 0), (1, 1), (0, 1), (1, 2), (2, 3)]))
def test_bounds_of_one_activity_are_attained_by_some_class(intervals, window):
    """Two people, intervals of two slots: the least and the most people who did it, over all originals."""
    step = Step(frozenset("a"), *(window or (-np.inf, np.inf)))
    found = [sum(follows(person, [step]) for person in made) for made in all_classes(intervals, 2, 2)]
    truth = make_shares(intervals, 2, 2).judge([Link(Selection(np.array([True, False])), window)])
    assert (truth.low[0], truth.high[0]) == (min(found), max(found))


@settings(max_examples=40)
@given(intervals_of_two)
def test_the_first_and_the_last_time_of_an_activity_are_bounded_exactly(intervals):
    time_bounds = make_shares(intervals, 2, 2).time_bounds(Link(Selection(np.array([True, False]))))
    found = [[when for person in made for what, when in person if what == "a"] for made in all_classes(intervals, 2, 2)]
    if not all(found):
        assert time_bounds == TimeBounds()
        return
    first, last = [min(times) for times in found], [max(times) for times in found]
    assert (time_bounds.earliest, time_bounds.first_by) == (min(first), max(first))
    assert (time_bounds.last_from, time_bounds.latest) == (min(last), max(last))


@settings(max_examples=30)
@given(intervals_of_two, st.sampled_from([None, 1, 2]))
def test_one_activity_after_another_stays_within_the_bounds(intervals, within):
    steps = [Step(frozenset("a")), Step(frozenset("b"), within=within or np.inf)]
    found = [sum(follows(person, steps) for person in made) for made in all_classes(intervals, 2, 2)]
    links = [Link(Selection(np.array([True, False]))), Link(Selection(np.array([False, True])), None, within)]
    truth = make_shares(intervals, 2, 2).judge(links)
    assert truth.low[0] <= min(found) <= max(found) <= truth.high[0]


@settings(max_examples=30)
@given(st.integers(0, 10), intervals_of_two)
def test_drawn_classes_have_the_shares_that_were_published(seed, intervals):
    shares = make_shares(intervals, 2, 2)
    drawn = shares.draw(np.random.default_rng(seed), Selection.everything(2))
    for at, slots in enumerate(intervals):
        found = sorted(LABELS[code] for code in drawn.value[drawn.lo // 2 == at])
        assert found == sorted(slots)


def test_rounded_shares_leave_open_what_rounding_may_have_hidden():
    days = [["sleep"] * 7 + ["eat"], ["sleep"] * 8, ["sleep"] * 8]
    data = sf.Dataset.of("activity", days)
    release = sf.anonymize(data, sf.methods.Mc(k=3, aggregate="8min", digits=1), secret=bytes(32)).release
    answer = sf.query(release, "count person where 'eat'")
    assert answer.certain <= 1 <= answer.possible


@settings(max_examples=60)
@given(
    st.lists(st.tuples(st.sampled_from("xy"), st.sampled_from("pqr")), min_size=1, max_size=5),
    st.sampled_from("xy"),
    st.sampled_from("pqr"),
    st.booleans(),
)
def test_values_of_groups_and_attributes_are_bounded_exactly(records, attribute, value, turned):
    """Everybody's attribute is known, and how many of the group have which value: who has which is dealt out."""
    values = [value for _, value in records]
    counts = [values.count(one) for one in "pqr"]
    groups = Groups(
        np.zeros(len(records), np.int64),
        np.array([len(records)]),
        np.array([1]),
        np.array([1]),
        np.zeros(3, np.int64),
        np.arange(3),
        np.array(counts),
        Names(tuple("pqr")),
        "number",
    )
    names = Names(tuple("xy"))
    known = CodedAttribute(
        ValueSets.of_labels("xy", [[0], [1]]), np.array(["xy".index(one) for one, _ in records]), names
    )
    view = PublishedView(RECORD, len(records), 0, groups, block=groups.group, sizes=groups.sizes)
    left, right = (
        known.judge(AttributeCondition(names.find(attribute))),
        GroupedValue(groups).judge(AttributeCondition(groups.names.find(value))),
    )
    truth = view.combine([~left if turned else left, right])
    found = [
        sum((one == attribute) != turned and got == value for (one, _), got in zip(records, assigned, strict=True))
        for assigned in set(itertools.permutations(values))
    ]
    assert (truth.low.sum(), truth.high.sum()) == (min(found), max(found))
    assert combine_all([right, right]).high.sum() == right.high.sum()
