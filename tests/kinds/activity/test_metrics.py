"""Measures of activity data equal plain ones, and say what a release of classes still tells."""

import numpy as np
import pytest
import scipy.stats
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.naive import measures as naive
from tests.kinds.activity.naive.releases import compare, people, publish

from sfumato import plugins
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.kinds.activity.metrics.correlations import ActivityCorrelations, correlate, judge
from sfumato.kinds.activity.metrics.durations import ActivityDurations
from sfumato.kinds.activity.metrics.relative_difference import RelativeDifference
from sfumato.kinds.activity.metrics.suppressed_people import SuppressedPeople
from sfumato.kinds.activity.metrics.time_of_day import TimeOfDay
from sfumato.kinds.activity.metrics.transitions import ActivityTransitions
from sfumato.metrics.comparison import Comparison

HOURS = TimeUnit("hour", 19723 * 24)

NAMES = {
    *("relative-difference", "suppressed-people", "activity-durations", "activity-correlations"),
    *("activity-transitions", "time-of-day"),
}

FEW = st.integers(1, 8)


@st.composite
def published(draw, slots=FEW, width=3):
    """People in classes, some of them left out, and the length of published intervals."""
    count = draw(slots)
    rows = draw(
        st.lists(st.lists(st.sampled_from("abc"[:width]), min_size=count, max_size=count), min_size=2, max_size=7)
    )
    label = draw(st.lists(st.integers(-1, 2), min_size=len(rows), max_size=len(rows)))
    classes = [[row for row, mine in enumerate(label) if mine == number] for number in range(3)]
    classes = [members for members in classes if members] or [[0]]
    return rows, classes, draw(st.integers(1, count))


def test_the_kind_names_the_measures():
    assert {metric.name for metric in plugins.metrics_for("activity")} >= NAMES


def test_relative_difference_by_hand():
    # Two people, one class, two slots: a person who does a is published as half a, half b.
    comparison = compare(people([["a", "a"], ["b", "b"]]), [[0, 1]])
    score = RelativeDifference().measure(comparison)
    assert score.value == pytest.approx(0.75)  # |1 - 1/2| / 1 for one's own, 1 for the other's
    assert score.details["activities"] == 2
    assert score.details["with_suppressed"] == pytest.approx(0.75)


def test_people_who_are_alike_lose_nothing():
    comparison = compare(people([["a", "b"] * 12] * 3, time_unit=HOURS), [[0, 1, 2]], 1, dated=True)
    for metric in plugins.metrics_for("activity"):
        if metric.name in NAMES - {"activity-transitions"}:
            assert metric.measure(comparison).value == pytest.approx(0), metric.name


@settings(max_examples=80)
@given(published())
def test_relative_difference_equals_the_plain_one(drawn):
    rows, classes, length = drawn
    score = RelativeDifference().measure(compare(people(rows), classes, length))
    guessed = -(-len(rows[0]) // -(-len(rows[0]) // length))
    if guessed == length:
        assert score.value == pytest.approx(float(naive.relative_difference(rows, classes, length, 1)))
        lost = naive.relative_difference(rows, classes, length, 1, everybody=True)
        assert score.details["with_suppressed"] == pytest.approx(float(lost))


@settings(max_examples=30)
@given(published(slots=st.sampled_from([24, 30, 48])))
def test_relative_difference_of_days_equals_the_plain_one(drawn):
    rows, classes, length = drawn
    data = people(rows, time_unit=HOURS)
    score = RelativeDifference().measure(compare(data, classes, length, dated=True))
    assert score.value == pytest.approx(float(naive.relative_difference(rows, classes, length, 24)))
    assert score.details["per_slot"] == pytest.approx(float(naive.relative_difference(rows, classes, length, 1)))
    lost = naive.relative_difference(rows, classes, length, 24, everybody=True)
    assert score.details["with_suppressed"] == pytest.approx(float(lost))


def test_relative_difference_has_a_value_for_hours_of_minutes():
    time_unit = TimeUnit("minute", 0)
    rows = [["a"] * 90 + ["b"] * 1350, ["b"] * 1440]
    score = RelativeDifference().measure(compare(people(rows, time_unit=time_unit), [[0, 1]], 60, dated=True))
    assert set(score.details) >= {"per_slot", "per_hour", "with_suppressed"}
    assert score.value == pytest.approx(float(naive.relative_difference(rows, [[0, 1]], 60, 1440)))
    assert score.details["per_hour"] == pytest.approx(float(naive.relative_difference(rows, [[0, 1]], 60, 60)))


def test_relative_difference_in_small_blocks(monkeypatch):
    rows = [["a", "b"] * 12, ["b", "c"] * 12, ["a", "a"] * 12, ["c", "a"] * 12]
    data = people(rows, time_unit=HOURS)
    whole = RelativeDifference().measure(compare(data, [[0, 1, 2]], 2, dated=True))
    monkeypatch.setattr("sfumato.kinds.activity.metrics.relative_difference._BLOCK", 1)
    again = RelativeDifference().measure(compare(data, [[0, 1, 2]], 2, dated=True))
    assert again.value == pytest.approx(whole.value)
    assert again.details == pytest.approx(whole.details)


def test_without_a_row_map_people_cannot_be_told():
    data = people([["a"], ["b"]])
    release, _ = publish(data, [[0, 1]])
    with pytest.raises(SfumatoError, match="row map"):
        RelativeDifference().measure(Comparison(data, release))
    assert SuppressedPeople().measure(Comparison(data, release)).value == 0
    assert ActivityDurations().measure(Comparison(data, release)).value == 0


def test_suppressed_people_are_counted():
    score = SuppressedPeople().measure(compare(people([["a"]] * 10), [[0, 1, 2], [4, 5]]))
    assert score.value == 5
    assert score.details == {
        "suppressed_share": 0.5, "classes": 2, "smallest_class": 2, "largest_class": 3, "mean_class": 2.5
    }  # fmt: skip


@settings(max_examples=60)
@given(published())
def test_durations_equal_the_plain_ones(drawn):
    rows, classes, length = drawn
    before, after = naive.mean_totals(rows, classes)
    score = ActivityDurations().measure(compare(people(rows, time_unit=HOURS), classes, length, dated=True))
    changes = [abs(before[label] - after[label]) / max(before[label], after[label]) for label in before]
    assert score.value == pytest.approx(float(sum(changes) / len(changes)))
    days = len(rows[0]) / 24
    for label in before:
        assert score.details[f"{label}, before"] == pytest.approx(float(before[label]) * 60 / days)
        assert score.details[f"{label}, after"] == pytest.approx(float(after[label]) * 60 / days)


def test_durations_of_activities_that_are_named():
    comparison = compare(people([["a", "b", "c"]]), [[0]])
    details = ActivityDurations(activities="c, a").measure(comparison).details
    assert list(details) == ["largest_change", "c, before", "c, after", "a, before", "a, after"]
    for wrong in ("c, x", " , "):
        with pytest.raises(ParameterError, match="activities must name"):
            ActivityDurations(activities=wrong).measure(comparison)


def test_correlations_are_those_of_people_and_of_classes():
    lengths = [(1, 4), (2, 3), (3, 3), (4, 1), (5, 0), (2, 4)]
    rows = [["a"] * one + ["b"] * two + ["c"] * (9 - one - two) for one, two in lengths]
    classes = [[0, 1], [2, 3], [4, 5]]
    score = ActivityCorrelations(activities="a,b").measure(compare(people(rows), classes, 9))
    pairs = np.array(lengths, dtype=float)
    before = np.corrcoef(pairs.T)[0, 1]
    after = np.corrcoef(np.array([pairs[members].mean(axis=0) for members in classes]).T)[0, 1]
    assert score.details["a and b, before"] == pytest.approx(before)
    assert score.details["a and b, after"] == pytest.approx(after)
    assert score.value == pytest.approx(abs(before - after))
    assert score.details["pairs"] == 1


def test_weighted_correlations_count_people():
    pairs = np.array([[1.0, 2.0], [2.0, 1.0], [4.0, 5.0]])
    repeated = np.repeat(pairs, [1, 2, 3], axis=0)
    assert correlate(pairs, np.array([1.0, 2.0, 3.0])) == pytest.approx(np.corrcoef(repeated.T)[0, 1])


def test_what_does_not_vary_has_no_correlation():
    score = ActivityCorrelations().measure(compare(people([["a", "b"], ["a", "b"]]), [[0, 1]]))
    assert score.value == 0
    assert score.details == {"pairs": 0}


def test_p_values_agree_with_scipy():
    rng = np.random.default_rng(1)
    one, two = rng.random((2, 12))
    found = scipy.stats.pearsonr(one, two)
    assert judge(float(found.statistic), 12) == pytest.approx(found.pvalue)
    assert judge(1.0, 12) == 0
    assert judge(0.9, 2) == 1


@settings(max_examples=60)
@given(published(slots=st.integers(2, 8)), st.integers(1, 2))
def test_transitions_equal_the_plain_ones(drawn, step):
    rows, classes, length = drawn
    comparison = compare(people(rows, time_unit=HOURS), classes, length, dated=True)
    metric = ActivityTransitions(step=step)
    if step >= -(-len(rows[0]) // length):
        assert "needs more than" in metric.obstacle(comparison)
        return
    assert metric.measure(comparison).value == pytest.approx(float(naive.transitions(rows, classes, length, step)))


def test_staying_with_an_activity_is_what_classes_do_not_tell():
    score = ActivityTransitions().measure(compare(people([["a"] * 4, ["b"] * 4]), [[0, 1]]))
    assert score.value == pytest.approx(0.5)
    assert score.details["same_before_share"] == pytest.approx(1)
    assert score.details["same_after_share"] == pytest.approx(0.5)
    alone = ActivityTransitions().measure(compare(people([["a"] * 4, ["b"] * 4]), [[0], [1]]))
    assert alone.value == pytest.approx(0)


@settings(max_examples=30)
@given(published(slots=st.sampled_from([5, 24, 31, 50])), st.integers(0, 23))
def test_time_of_day_equals_the_plain_one(drawn, first):
    rows, classes, length = drawn
    data = people(rows, time_unit=TimeUnit("hour", 48 + first))
    score = TimeOfDay().measure(compare(data, classes, length, dated=True))
    assert score.value == pytest.approx(float(naive.time_of_day(rows, classes, length, first)))


def test_time_of_day_needs_hours():
    comparison = compare(people([["a"], ["b"]]), [[0, 1]])
    assert "an hour or less" in TimeOfDay().obstacle(comparison)
    days = compare(people([["a"]], time_unit=TimeUnit("day", 3)), [[0]], dated=True)
    assert "an hour or less" in TimeOfDay().obstacle(days)


def test_time_of_day_of_minutes_that_begin_within_an_hour():
    rows = [["a"] * 30 + ["b"] * 60, ["b"] * 90]
    data = people(rows, time_unit=TimeUnit("minute", 45))
    score = TimeOfDay().measure(compare(data, [[0, 1]], 30, dated=True))
    # From 00:45 on: 15 minutes of the first hour, 60 of the second, of which 15 are a; shares spread 30 minutes.
    assert score.value == pytest.approx(0)
