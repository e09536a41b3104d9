"""Who may do a sensitive activity throughout a window: the printed table, corners, and the plain twin."""

from fractions import Fraction

import numpy as np
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity._kernels.problems import arrays, problems
from tests.kinds.activity.naive import methods as plain

from sfumato.kinds.activity._kernels.windows import (
    MOST,
    SIZE,
    count_most,
    find_fullest,
    find_windows,
    is_diverse,
    join,
    leave,
    most_with,
    new_rule,
)

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


@settings(max_examples=100)
@given(problems(), st.data())
def test_windows_are_the_plain_ones_and_classes_keep_count(data, choices):
    activities, _ = arrays(data)
    windows = find_windows(activities.codes, activities.sensitive, data.delta, activities.gap)
    rule = new_rule(windows, data.epsilon.numerator, data.epsilon.denominator)
    everybody = np.arange(len(data.rows))
    assert Fraction(count_most(rule, everybody), len(everybody)) == data.share(everybody)
    activity, start, count = find_fullest(windows, everybody)
    assert Fraction(count, len(everybody)) == data.share(everybody)
    if count:
        parts = [row[start : start + data.delta] for row in data.rows]
        assert sum(plain.may_fill(part, data.sensitive[activity], data.gap) for part in parts) == count
    members = []
    for person in choices.draw(st.lists(st.sampled_from(everybody.tolist()), max_size=12)):
        if person in members:
            leave(rule, person)
            members.remove(person)
        else:
            foreseen = most_with(windows, rule.counts.counts, rule.counts.state[MOST], person)
            join(rule, person)
            members.append(person)
            assert foreseen == rule.counts.state[MOST]
        assert rule.counts.state[SIZE] == len(members)
        assert rule.counts.state[MOST] == (data.share(members) * len(members) if members else 0)
    for person in members:
        leave(rule, person)
    assert not rule.counts.counts.any()
    assert is_diverse(rule, everybody) == data.diverse(everybody)
