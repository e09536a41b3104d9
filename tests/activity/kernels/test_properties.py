"""Daily activities: kernels against their plain twins, and what every method promises."""

from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from tests.activity.naive import methods as plain
from tests.activity.naive import partitions as naive

from sfumato.kernels.microaggregation import group_by_mdav
from sfumato.kinds.activity.kernels import classes as fast
from sfumato.kinds.activity.kernels import space as activity_space
from sfumato.kinds.activity.kernels.classes import Demand
from sfumato.kinds.activity.kernels.durations import Activities, aggregate, number_kept, tabulate_squares
from sfumato.kinds.activity.kernels.levels import Levels
from sfumato.kinds.activity.kernels.windows import (
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


@st.composite
def problems(draw, most_people=12):
    """Few activities done in runs, so that windows fill and distances tie."""
    q, slots = draw(st.integers(2, 4)), draw(st.integers(1, 8))
    people = draw(st.integers(1, most_people))
    cells = st.lists(st.integers(0, q - 1), min_size=slots, max_size=slots)
    away = st.tuples(st.integers(0, slots), st.integers(0, slots))
    rows = draw(st.lists(cells, min_size=people, max_size=people))
    sensitive = draw(st.lists(st.integers(0, q - 1), min_size=1, max_size=2, unique=True))
    for row in rows:
        begin, length = draw(away)
        row[begin : begin + length] = [sensitive[0]] * len(row[begin : begin + length])
    epsilon = Fraction(*draw(st.sampled_from([(1, 3), (1, 2), (3, 4), (4, 5), (1, 1)])))
    others = [code for code in range(q) if code not in sensitive]
    gap = draw(st.sampled_from([None, *others]))
    return naive.Data(rows, q, sensitive, draw(st.integers(1, 4)), epsilon, draw(st.integers(1, 5)), gap)


levels = st.builds(
    Levels,
    lengths=st.lists(st.integers(1, 9), min_size=1, max_size=3).map(tuple),
    fanout=st.integers(1, 3),
    weight=st.sampled_from([None, 0.0, 0.5, 1.0, 1.7]),
)


def arrays(data):
    codes = np.array(data.rows, np.int32)
    demand = Demand(data.k, data.delta, data.epsilon.numerator, data.epsilon.denominator)
    return Activities(codes, data.q, np.array(data.sensitive), -1 if data.gap is None else data.gap), demand


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
@given(problems(), st.integers(1, 9))
def test_durations_and_distances_are_the_plain_ones(data, length):
    codes = np.array(data.rows, np.int32)
    for kept in (list(range(data.q)), data.sensitive):
        column = number_kept(data.q, np.array(kept))
        vectors = [naive.durations(row, data.q, length, kept) for row in data.rows]
        assert aggregate(codes, length, column).tolist() == vectors
        table = tabulate_squares(codes, length, column, np.arange(len(vectors)))
        assert table.tolist() == [[naive.square(x, y) for y in vectors] for x in vectors]


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
        assert sum(naive.may_fill(part, data.sensitive[activity], data.gap) for part in parts) == count
    members = []
    for person in choices.draw(st.lists(st.sampled_from(everybody.tolist()), max_size=12)):
        if person in members:
            leave(rule, person)
            members.remove(person)
        else:
            foreseen = most_with(windows, rule.crowd.tally, rule.crowd.state[MOST], person)
            join(rule, person)
            members.append(person)
            assert foreseen == rule.crowd.state[MOST]
        assert rule.crowd.state[SIZE] == len(members)
        assert rule.crowd.state[MOST] == (data.share(members) * len(members) if members else 0)
    for person in members:
        leave(rule, person)
    assert not rule.crowd.tally.any()
    assert is_diverse(rule, everybody) == data.diverse(everybody)


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


@settings(max_examples=50)
@given(problems(), levels, st.integers(4, 6))
def test_distances_worked_out_when_asked_for_change_nothing(data, shape, rows):
    activities, demand = arrays(data)
    with pytest.MonkeyPatch.context() as patch:
        tabled = [method(activities, demand, shape) for method in (fast.mc_l_mdav, fast.mc_l_vmdav)]
        patch.setattr(activity_space, "_fits_table", lambda size, width: size == 0)
        patch.setattr(activity_space, "_CELLS_OF_ROWS", rows)
        asked = [method(activities, demand, shape) for method in (fast.mc_l_mdav, fast.mc_l_vmdav)]
    for one, other in zip(tabled, asked, strict=True):
        assert one.label.tolist() == other.label.tolist()
        assert one[2:] == other[2:]


@settings(max_examples=100)
@given(
    st.integers(1, 3).flatmap(
        lambda d: st.lists(st.lists(st.integers(-3, 3), min_size=d, max_size=d), min_size=1, max_size=24)
    ),
    st.integers(1, 4),
)
def test_plain_mdav(table, k):
    group = group_by_mdav(np.array(table, float), k)
    assert group.tolist() == plain.plain_mdav(table, k)
