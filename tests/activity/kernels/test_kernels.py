"""Daily activities: the paper's examples, and corners that random data seldom reach."""

import math
from fractions import Fraction

import numpy as np
import pytest
from tests.activity.naive import partitions as naive

from sfumato.kinds.activity.kernels import classes as methods
from sfumato.kinds.activity.kernels.classes import Demand
from sfumato.kinds.activity.kernels.durations import Activities, aggregate, number_kept, tabulate_squares
from sfumato.kinds.activity.kernels.levels import Levels
from sfumato.kinds.activity.kernels.space import build_space, measure_from_person, measure_gap
from sfumato.kinds.activity.kernels.windows import find_fullest, find_windows, is_diverse, new_rule

SLEEP, EAT, AWAY = range(3)
DAY = 24


def week(away_from, length=DAY):
    """A week at home, by the hour, but for the days from one on."""
    row = np.full(7 * DAY, SLEEP, np.int32)
    row[8:10] = EAT
    row[away_from * DAY : away_from * DAY + length] = AWAY
    return row


def test_the_printed_table_is_72_hours_three_quarters_diverse():
    rows = np.stack([week(4, 3 * DAY), week(4, 3 * DAY), week(5, 2 * DAY), week(4, 3 * DAY)])
    windows = find_windows(rows, np.array([AWAY]), delta=72)
    everybody = np.arange(4)
    assert find_fullest(windows, everybody) == (0, 4 * DAY, 3)
    assert is_diverse(new_rule(windows, 3, 4), everybody)
    assert not is_diverse(new_rule(windows, 74, 100), everybody)
    assert not is_diverse(new_rule(windows, 3, 4), np.array([0, 1, 3]))


def test_a_share_is_compared_as_a_fraction():
    windows = find_windows(np.array([[AWAY], [SLEEP], [SLEEP]], np.int32), np.array([AWAY]), delta=1)
    assert is_diverse(new_rule(windows, 1, 3), np.arange(3))
    assert not is_diverse(new_rule(windows, 33333333, 100000000), np.arange(3))


def test_a_window_begins_at_any_slot_and_unknown_time_may_be_spent_on_anything():
    late = np.array([[SLEEP, AWAY, AWAY, AWAY, AWAY, AWAY, AWAY], [AWAY, EAT, EAT, EAT, AWAY, EAT, EAT]], np.int32)
    windows = find_windows(late, np.array([AWAY]), delta=5, gap=EAT)
    assert windows.start[windows.first].tolist() == [1, 0]
    assert (windows.stop - windows.first).tolist() == [1, 2]
    nothing_known = find_windows(np.full((1, 7), EAT, np.int32), np.array([AWAY]), delta=5, gap=EAT)
    assert nothing_known.total == 0


def test_no_window_is_longer_than_the_data():
    windows = find_windows(np.full((2, 5), AWAY, np.int32), np.array([AWAY]), delta=6)
    assert windows.total == 0
    assert is_diverse(new_rule(windows, 0, 1), np.arange(2))
    assert find_fullest(windows, np.arange(2)) == (-1, -1, 0)


def test_every_sensitive_activity_is_looked_at():
    rows = np.array([[SLEEP, SLEEP], [EAT, EAT], [AWAY, AWAY], [AWAY, AWAY]], np.int32)
    windows = find_windows(rows, np.array([EAT, AWAY]), delta=2)
    assert find_fullest(windows, np.arange(4)) == (1, 0, 2)
    assert is_diverse(new_rule(windows, 1, 2), np.arange(4))
    assert not is_diverse(new_rule(windows, 1, 2), np.array([0, 2, 3]))


def test_the_last_interval_may_be_shorter():
    durations = aggregate(np.array([[1, 1, 1, 1, 0]], np.int32), 3, number_kept(2, np.array([1])))
    assert durations.tolist() == [[3, 1]]


def test_slots_with_many_activities_are_compared_like_durations():
    codes = np.arange(600, dtype=np.int32).reshape(2, 300)
    codes[1, :100] = codes[0, :100]
    assert tabulate_squares(codes, 1, np.arange(600), np.arange(2)).tolist() == [[0, 400], [400, 0]]
    kept = number_kept(600, np.arange(0, 600, 2))
    plain = [naive.durations(row.tolist(), 600, 1, range(0, 600, 2)) for row in codes]
    assert tabulate_squares(codes, 1, kept, np.arange(2))[0, 1] == naive.square(*plain)


def test_the_weighted_distance_may_be_negative():
    codes = np.array([[SLEEP, AWAY], [AWAY, SLEEP]], np.int32)
    space = build_space(Activities(codes, 3, np.array([AWAY])), np.arange(2), 1, 1.1)
    distance = np.empty(2)
    measure_from_person(space, 0, distance)
    assert distance.tolist() == [0.0, math.sqrt(2) - 1.1 * math.sqrt(2)]
    assert measure_gap(space.secret, np.array([0]), np.array([0, 1])) == Fraction(1, 2)


def test_sums_that_need_too_many_bits_are_refused():
    codes = np.broadcast_to(np.int32(0), (3_000_000, 1_000_000))
    with pytest.raises(OverflowError, match="62 bits"):
        build_space(Activities(codes, 1, np.array([0])), np.arange(3_000_000), 1_000_000, None)


def test_dealing_as_in_the_printed_example():
    """Six people, k=2: the sixth fits nowhere, and the third, alone, joins the nearest group."""
    home = [[0, 0, 0, 1], [5, 5, 5, 1], [5, 5, 4, 1]]
    away_shortly, away_long = [3, 2, 2, 2], [3, 3, 3, 2]
    codes = np.array([*home, away_shortly, away_shortly, away_long], np.int32)
    demand = Demand(k=2, delta=3, numerator=1, denominator=4)
    outcome = methods.mc_rr(Activities(codes, 6, np.array([3])), demand, Levels(lengths=(4, 1), fanout=1))
    assert outcome.size == 1
    assert outcome.label.tolist() == [0, 1, 1, 0, 1, -1]


def test_all_concerned_are_one_class():
    codes = np.array([[AWAY, SLEEP], [SLEEP, AWAY], [AWAY, EAT]], np.int32)
    activities = Activities(codes, 3, np.array([AWAY]))
    outcome = methods.mc_rr(activities, Demand(2, 2, 0, 1), Levels((1,)))
    assert (outcome.status, outcome.label.tolist()) == ("done", [0, 0, 0])


@pytest.mark.parametrize("name", ["l_mdav", "l_vmdav", "msld", "mc_l_mdav", "mc_l_vmdav", "mc_rr"])
def test_what_cannot_be_done_is_said_first(name):
    codes = np.array([[AWAY, AWAY, SLEEP]] * 4 + [[SLEEP] * 3], np.int32)
    activities = Activities(codes, 3, np.array([EAT, AWAY]))
    more = [Levels((3, 1))] if name.startswith("mc") else []
    outcome = getattr(methods, name)(activities, Demand(2, 2, 3, 4), *more)
    assert (outcome.status, outcome.activity, outcome.start, outcome.crowd) == ("not diverse", 1, 0, 4)
    assert outcome.label.tolist() == [-1] * 5
    assert getattr(methods, name)(activities, Demand(6, 2, 3, 4), *more).status == "too few"
    nobody = activities._replace(codes=codes[:0])
    assert getattr(methods, name)(nobody, Demand(2, 2, 3, 4), *more).label.tolist() == []


def test_people_left_over_may_make_a_group_diverse():
    """Five people in groups of two: two away together need the one left over, and get it without a larger size."""
    codes = np.array([[0, 2, 2], [2, 2, 2], [1, 2, 2], [0, 2, 0], [2, 2, 2]], np.int32)
    outcome = methods.l_mdav(Activities(codes, 3, np.array([2])), Demand(2, 3, 2, 3))
    assert outcome.label.tolist() == [0, 1, 1, 0, 1]
    assert outcome.backtracks == 0


def test_people_who_make_a_group_diverse_in_vain_are_free_again():
    """Three away at the rim cannot be helped by one; that one joins the others."""
    away, home = [9] * 4, [1] * 4
    codes = np.array([away, away, away, away, [0, 0, 1, 1], home, home, home, home], np.int32)
    activities = Activities(codes, 10, np.array([9]))
    outcome = methods.l_vmdav(activities, Demand(2, 4, 1, 2))
    assert (outcome.label >= 0).sum() >= 5
    for number in range(outcome.label.max() + 1):
        rows = [codes[person].tolist() for person in np.flatnonzero(outcome.label == number)]
        assert naive.largest_share(rows, [9], 4) <= Fraction(1, 2)


def test_equal_people_fall_into_groups_by_their_order():
    activities = Activities(np.zeros((7, 4), np.int32), 2, np.array([1]))
    assert methods.mc(activities, 3, Levels((4, 1))).label.tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert methods.l_vmdav(activities, Demand(3, 2, 1, 2)).label.tolist() == [0, 0, 0, 1, 1, 1, 0]
    assert methods.msld(activities, Demand(3, 2, 1, 2)).label.tolist() == [0] * 7
