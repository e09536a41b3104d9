"""Classes are those of the printed algorithms, step by step."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from tests.examples import settings
from tests.kinds.activity._kernels.problems import arrays, levels, problems
from tests.kinds.activity.naive import methods as plain

from sfumato.kinds.activity._kernels import classes as fast
from sfumato.kinds.activity._kernels.classes import Demand
from sfumato.kinds.activity._kernels.durations import Activities
from sfumato.kinds.activity._kernels.levels import Levels

SLEEP, EAT, AWAY = range(3)


def test_dealing_as_in_the_printed_example():
    """Six people, k=2: the sixth fits nowhere, and the third, alone, joins the nearest group."""
    home = [[0, 0, 0, 1], [5, 5, 5, 1], [5, 5, 4, 1]]
    away_shortly, away_long = [3, 2, 2, 2], [3, 3, 3, 2]
    codes = np.array([*home, away_shortly, away_shortly, away_long], np.int32)
    demand = Demand(k=2, delta=3, numerator=1, denominator=4)
    outcome = fast.mc_rr(Activities(codes, 6, np.array([3])), demand, Levels(lengths=(4, 1), fanout=1))
    assert outcome.size == 1
    assert outcome.label.tolist() == [0, 1, 1, 0, 1, -1]


def test_all_concerned_are_one_class():
    codes = np.array([[AWAY, SLEEP], [SLEEP, AWAY], [AWAY, EAT]], np.int32)
    activities = Activities(codes, 3, np.array([AWAY]))
    outcome = fast.mc_rr(activities, Demand(2, 2, 0, 1), Levels((1,)))
    assert (outcome.status, outcome.label.tolist()) == ("done", [0, 0, 0])


@pytest.mark.parametrize("name", ["l_mdav", "l_vmdav", "msld", "mc_l_mdav", "mc_l_vmdav", "mc_rr"])
def test_what_cannot_be_done_is_said_first(name):
    codes = np.array([[AWAY, AWAY, SLEEP]] * 4 + [[SLEEP] * 3], np.int32)
    activities = Activities(codes, 3, np.array([EAT, AWAY]))
    more = [Levels((3, 1))] if name.startswith("mc") else []
    outcome = getattr(fast, name)(activities, Demand(2, 2, 3, 4), *more)
    assert (outcome.status, outcome.activity, outcome.start, outcome.most_people) == ("not diverse", 1, 0, 4)
    assert outcome.label.tolist() == [-1] * 5
    assert getattr(fast, name)(activities, Demand(6, 2, 3, 4), *more).status == "too few"
    nobody = activities._replace(codes=codes[:0])
    assert getattr(fast, name)(nobody, Demand(2, 2, 3, 4), *more).label.tolist() == []


def test_people_left_over_may_make_a_group_diverse():
    """Five people in groups of two: two away together need the one left over, and get it without a larger size."""
    codes = np.array([[0, 2, 2], [2, 2, 2], [1, 2, 2], [0, 2, 0], [2, 2, 2]], np.int32)
    outcome = fast.l_mdav(Activities(codes, 3, np.array([2])), Demand(2, 3, 2, 3))
    assert outcome.label.tolist() == [0, 1, 1, 0, 1]
    assert outcome.backtracks == 0


def test_people_who_make_a_group_diverse_in_vain_are_free_again():
    """Three away at the rim cannot be helped by one; that one joins the others."""
    away, home = [9] * 4, [1] * 4
    codes = np.array([away, away, away, away, [0, 0, 1, 1], home, home, home, home], np.int32)
    activities = Activities(codes, 10, np.array([9]))
    outcome = fast.l_vmdav(activities, Demand(2, 4, 1, 2))
    assert (outcome.label >= 0).sum() >= 5
    for number in range(outcome.label.max() + 1):
        rows = [codes[person].tolist() for person in np.flatnonzero(outcome.label == number)]
        assert plain.largest_share(rows, [9], 4) <= Fraction(1, 2)


def test_equal_people_fall_into_groups_by_their_order():
    activities = Activities(np.zeros((7, 4), np.int32), 2, np.array([1]))
    assert fast.mc(activities, 3, Levels((4, 1))).label.tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert fast.l_vmdav(activities, Demand(3, 2, 1, 2)).label.tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert fast.msld(activities, Demand(3, 2, 1, 2)).label.tolist() == [0] * 7


def as_labels(groups, people):
    label = [-1] * people
    for number, group in enumerate(sorted(groups, key=min)):
        for person in group:
            label[person] = number
    return label


def infeasible(data):
    if len(data.rows) < data.k:
        return "too few"
    return None if data.diverse(range(len(data.rows))) else "not diverse"


def check(data, outcome, expected):
    """Compare with the twin; look at every class with the plain eye."""
    people = len(data.rows)
    failure = infeasible(data)
    if failure:
        assert outcome.status == failure
        assert outcome.label.tolist() == [-1] * people
        return None
    groups, *counters = expected()
    assert outcome.status == "done"
    assert outcome.label.tolist() == as_labels(groups or [range(people)], people)
    for number in range(outcome.label.max() + 1):
        members = np.flatnonzero(outcome.label == number).tolist()
        assert len(members) >= data.k
        assert data.diverse(members)
    return counters


@settings(max_examples=100)
@given(problems(), levels)
def test_mc(data, shape):
    activities, _ = arrays(data)
    outcome = fast.mc(activities, data.k, shape)
    if len(data.rows) < data.k:
        assert outcome.status == "too few"
        return
    expected = plain.mc(data, shape.lengths, shape.fanout, shape.weight)
    assert outcome.label.tolist() == as_labels(expected, len(data.rows))
    assert min(np.bincount(outcome.label)) >= data.k


@settings(max_examples=100)
@given(problems(), levels)
def test_mc_l_mdav(data, shape):
    activities, demand = arrays(data)
    outcome = fast.mc_l_mdav(activities, demand, shape)
    counters = check(data, outcome, lambda: plain.mc_l_mdav(data, shape.lengths, shape.fanout, shape.weight))
    if counters:
        assert [outcome.size, outcome.backtracks, outcome.restarts] == counters
        assert -1 not in outcome.label


@settings(max_examples=100)
@given(problems(), levels)
def test_mc_l_mdav_repaired(data, shape):
    activities, demand = arrays(data)
    outcome = fast.mc_l_mdav_repaired(activities, demand, shape)
    counters = check(data, outcome, lambda: plain.mc_l_mdav_repaired(data, shape.lengths, shape.fanout, shape.weight))
    if counters:
        assert [outcome.joined] == counters
        assert -1 not in outcome.label


@settings(max_examples=100)
@given(problems(), levels)
def test_mc_l_vmdav(data, shape):
    activities, demand = arrays(data)
    outcome = fast.mc_l_vmdav(activities, demand, shape)
    counters = check(data, outcome, lambda: plain.mc_l_vmdav(data, shape.lengths, shape.fanout, shape.weight))
    if counters:
        assert [outcome.extended] == counters


@settings(max_examples=100)
@given(problems(), levels)
def test_mc_rr(data, shape):
    activities, demand = arrays(data)
    shape = shape._replace(weight=None)
    outcome = fast.mc_rr(activities, demand, shape)
    check(data, outcome, lambda: [plain.mc_rr(data, shape.lengths, shape.fanout)])


@settings(max_examples=100)
@given(problems())
def test_baselines(data):
    activities, demand = arrays(data)
    check(data, fast.l_mdav(activities, demand), lambda: plain.mc_l_mdav(data, (1,), 1))
    check(data, fast.l_vmdav(activities, demand), lambda: plain.mc_l_vmdav(data, (1,), 1))
    check(data, fast.msld(activities, demand), lambda: [plain.msld(data)])
