"""Utility measures of timed event sequences: examples, edge cases, and against plain twins."""

from __future__ import annotations

import dataclasses
import json
import math

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.sequences.naive import metrics as naive
from tests.kinds.sequences.naive.metrics import MONITORED, comparisons, publish, publish_exactly

from sfumato.data.dataset import Dataset
from sfumato.data.time_units import TimeUnit
from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.sequences.comparison import Covers, SequenceComparison
from sfumato.kinds.sequences.metrics.average_relative_error import AverageRelativeError
from sfumato.kinds.sequences.metrics.count_queries import CountQueries
from sfumato.kinds.sequences.metrics.event_context import EventContext
from sfumato.kinds.sequences.metrics.event_counts import EventCounts
from sfumato.kinds.sequences.metrics.interval_loss import IntervalLoss
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_certainty import QueryCertainty
from sfumato.metrics.workload import Workload
from sfumato.plugins import metrics_for

EVERY = [CountQueries(), EventContext(), EventCounts(), IntervalLoss()]
HOUR, DAY = 3600, 86_400


def sequences(*people, **options):
    return Dataset.of("sequences", [list(row) for row in people], monitored=("a",), **options)


def test_the_kind_names_them():
    assert metrics_for("sequences") == [AverageRelativeError(), *EVERY, QueryCertainty()]


# Examples worked out by hand.


def test_loss_of_the_worked_example():
    comparison = publish(
        sequences([("a", 1), ("a", 10)], [("a", 3), ("a", 11)]), [[0, 1]], [[("a", 1, 3), ("a", 10, 11)]]
    )
    score = IntervalLoss().measure(comparison)
    assert score.value == pytest.approx(6 / 10 / 4)
    assert score.details["average_length"] == 1.5
    assert (score.details["groups"], score.details["suppressed_entries"]) == (1, 0)


def test_loss_averages_events_then_groups_by_people():
    data = sequences([("a", 0), ("a", 4)], [("a", 4)], [("a", 9), ("x", 10)], [("x", 3)])
    comparison = publish(data, [[0, 1], [2], [3]], [[("a", 0, 4)], [("a", 9, 9)], []])
    assert IntervalLoss().measure(comparison).value == pytest.approx((2 * 0.4 + 1 * 0.0) / 3)


def test_loss_of_categories_is_counted_in_the_hierarchy():
    tree = Hierarchy.from_parents({"a": "{a|b}", "b": "{a|b}", "d": "rest", "e": "rest", "{a|b}": "*", "rest": "*"})
    rows = [[("a", 0), ("d", 10)], [("b", 5)]]
    data = Dataset.of("sequences", rows, monitored=("a", "b"), hierarchy=tree)
    comparison = publish(data, [[0, 1]], [[("{a|b}", 0, 5)]])
    assert IntervalLoss().measure(comparison).value == pytest.approx((0.5 + 2 / 4) / 2)
    assert IntervalLoss(we=0.0).measure(comparison).value == 0.5
    assert IntervalLoss(wt=0.0).measure(comparison).value == 0.5
    plain = publish(Dataset.of("sequences", rows, monitored=("a", "b")), [[0, 1]], [[("{a|b}", 0, 5)]])
    assert IntervalLoss(wt=1, we=3.0).measure(plain).value == pytest.approx((0.5 + 3 * 2 / 3) / 4)


def test_suppressed_events_lose_everything():
    comparison = publish(sequences([("a", 0), ("a", 7)], [("a", 2), ("x", 10)]), [[0, 1]], [[("a", 0, 2)]])
    score = IntervalLoss().measure(comparison)
    assert score.value == pytest.approx((0.2 + 1 + 0.2) / 3)
    assert score.details["covered_only"] == pytest.approx(0.2)
    assert score.details["suppressed_entries"] == 1


def test_counts_of_people():
    # Periods 0-4 and 5-9. Both people are counted in both; in truth there is one in each.
    comparison = publish(sequences([("a", 0), ("x", 9)], [("a", 6), ("x", 1)]), [[0, 1]], [[("a", 0, 6)]])
    score = CountQueries(intervals=2).measure(comparison)
    assert (score.value, score.details["queries"]) == (0.5, 2)
    assert (score.details["false_positives"], score.details["false_negatives"]) == (1.0, 0.0)
    # One person is withheld: in the second period the release still counts one.
    comparison = publish(sequences([("a", 0), ("x", 9)], [("a", 6), ("x", 1)]), [[0]], [[("a", 0, 6)]])
    score = CountQueries(intervals=2).measure(comparison)
    assert (score.value, score.details["false_negatives"]) == (0.0, 0.0)
    assert score.details["other_false_negatives"] == 0.5


def test_a_person_counts_once_in_a_period():
    data = sequences([("a", 0), ("a", 2), ("a", 9)])
    comparison = publish(data, [[0]], [[("a", 0, 1), ("a", 0, 3), ("a", 2, 2), ("a", 9, 9)]])
    assert CountQueries(intervals=2).measure(comparison).value == 0


def test_a_workload_names_events():
    comparison = publish(sequences([("a", 0), ("x", 9)], [("a", 9)]), [[0]], [[("a", 0, 0)]])
    asked = dataclasses.replace(comparison, workload=Workload((("x",), ("a",), ("x",))))
    score = CountQueries(intervals=2).measure(asked)
    assert (score.details["queries"], score.details["events"]) == (4, 2)
    assert score.details["false_negatives"] == pytest.approx(1 / 3)
    for queries in ((("a",), ("time=3..4",)), (("x",), ("nowhere",))):
        with pytest.raises(SchemaError, match="query 2 of the workload"):
            CountQueries().measure(dataclasses.replace(comparison, workload=Workload(queries)))


def test_chances_to_be_near_multiply():
    # x at 4 is within 1 of [0, 3] with chance 1/4 and of [5, 6] with chance 1/2; y is not near anything.
    data = sequences([("a", 0), ("x", 4), ("a", 5), ("y", 9)])
    comparison = publish(data, [[0]], [[("a", 0, 3), ("a", 5, 6)]])
    score = EventContext(window=1).measure(comparison)
    assert score.value == 0
    data = sequences([("a", 0), ("x", 4), ("a", 5), ("y", 6)])
    comparison = publish(data, [[0]], [[("a", 0, 3), ("a", 5, 8)]])
    x, y = 1 - 3 / 4 * 3 / 4, 3 / 4
    expected = 0.5 * math.log(0.5 / (x / (x + y))) + 0.5 * math.log(0.5 / (y / (x + y)))
    assert EventContext(window=1).measure(comparison).value == pytest.approx(expected)


def test_counts_are_spread_over_intervals():
    time_unit = TimeUnit("minute")
    data = sequences([("a", 0)], [("a", 90)], time_unit=time_unit)
    comparison = publish(data, [[0, 1]], [[("a", 0, 119)]])
    score = EventCounts().measure(comparison)
    assert score.value == score.details["by_hour"] == 0
    comparison = publish(data, [[0, 1]], [[("a", 0, 90)]])
    assert EventCounts().measure(comparison).value == pytest.approx(abs(2 * 60 / 91 - 1))
    assert EventCounts().measure(comparison).details["by_day"] == 0


def test_lost_multiplicities_are_told():
    score = EventCounts().measure(publish(sequences([("a", 0), ("a", 3)]), [[0]], [[("a", 0, 3)]]))
    assert score.details["counted_share"] == 0.5


# What must hold.


def crowd(people=400, seed=0, months=3):
    """People who mail a few times and do other things soon after."""
    draw = np.random.default_rng(seed)
    rows = []
    for _ in range(people):
        mails = draw.integers(0, months * 30 * DAY, draw.integers(1, 4))
        row = [("a", int(t)) for t in mails]
        row += [(f"x{draw.integers(5)}", int(t + draw.exponential(600))) for t in mails for _ in range(3)]
        row += [(f"y{draw.integers(20)}", int(t)) for t in draw.integers(0, months * 30 * DAY, 8)]
        rows.append(row)
    return sequences(*rows, time_unit=TimeUnit("second"))


def by_first_time(data, size):
    """Group people by when they first mailed, with one interval each group."""
    rows = naive.read_original(data)
    mails = [[t for e, t in row if e == "a"] for row in rows]
    order = sorted(range(len(rows)), key=lambda row: mails[row][0])
    groups = [order[i : i + size] for i in range(0, len(order) - size + 1, size)]
    covers = [[("a", min(min(mails[r]) for r in g), max(max(mails[r]) for r in g))] for g in groups]
    return publish(data, groups, covers)


def test_divergence_falls_as_the_window_grows():
    details = EventContext().measure(by_first_time(crowd(), 5)).details
    windows = [details[f"within_{name}"] for name in ("minute", "hour", "day", "week", "month")]
    assert windows == sorted(windows, reverse=True)
    assert windows[0] > 10 * windows[-1] > 0


def test_larger_groups_lose_more():
    data = crowd()
    fine, coarse = by_first_time(data, 2), by_first_time(data, 20)
    for metric in (IntervalLoss(), EventContext(), EventCounts()):
        assert metric.measure(fine).value < metric.measure(coarse).value


@given(st.lists(st.lists(st.tuples(st.sampled_from("abcxy"), st.integers(-9, 9)), max_size=6, unique=True), max_size=5))
def test_an_identical_release_loses_nothing(people):
    comparison = publish_exactly(Dataset.of("sequences", people, monitored=MONITORED))
    for metric in EVERY:
        score = metric.measure(comparison)
        assert score.value == 0
        told = [n for name, n in score.details.items() if "error" in name or "within" in name or "false" in name]
        assert not any(told)


def test_without_weight_on_time_exact_events_are_not_free():
    comparison = publish_exactly(sequences([("a", 0), ("x", 4)]))
    assert IntervalLoss(wt=0.0).measure(comparison).value == 0.5
    with pytest.raises(ParameterError, match="must not both be 0"):
        IntervalLoss(wt=0.0, we=0.0)


def test_loss_needs_the_row_map():
    comparison = publish_exactly(sequences([("a", 0)], [("a", 3)]))
    unmatched = dataclasses.replace(comparison, rows=None)
    assert not IntervalLoss().applies(unmatched)
    with pytest.raises(SfumatoError, match="row map"):
        IntervalLoss().measure(unmatched)
    for metric in EVERY[:3]:
        assert metric.measure(unmatched) == metric.measure(comparison)


def test_trajectories_are_not_measured():
    data = Dataset.of("trajectories", [["a"]])
    comparison = publish_exactly(sequences([("a", 0)]))
    assert not any(metric.applies(Comparison(data, comparison.release)) for metric in EVERY)


@pytest.mark.parametrize(
    "comparison",
    [
        publish(sequences(), [], []),
        publish(sequences([], []), [[0, 1]], [[]]),
        publish(sequences([("a", 5)]), [], []),
        publish(sequences([("a", 5), ("x", 5)], [("a", 5)]), [], []),
        publish(sequences([("a", 5)], [("a", 5)]), [[0, 1]], [[("a", 5, 5)]]),
        publish(sequences([("x", 5)], [("y", 7)]), [[0, 1]], [[]]),
        publish(sequences([("a", -(2**61)), ("x", 2**61 - 1)]), [[0]], [[("a", -(2**61), 2**61 - 1)]]),
        publish(sequences([("a", 0), ("x", 10**11)], time_unit=TimeUnit("second")), [[0]], [[("a", 0, 10**11)]]),
    ],
    ids=["nobody", "no events", "withheld", "all withheld", "one time", "nothing monitored", "huge span", "ages"],
)
def test_odd_data_give_finite_numbers(comparison):
    for metric in EVERY:
        score = metric.measure(comparison)
        json.dumps(score.to_dict(), allow_nan=False)
        assert score.value >= 0


def test_a_release_of_other_data_is_refused():
    comparison = publish_exactly(sequences([("a", 0), ("x", 4)]))
    elsewhere = Comparison(sequences([("a", 0), ("y", 4)]), comparison.release, comparison.rows)
    with pytest.raises(SchemaError, match="does not have"):
        EventContext().measure(elsewhere)


@pytest.mark.parametrize(
    ("unit", "expected"),
    [
        ("second", {"minute": 60, "hour": HOUR, "day": DAY, "week": 7 * DAY, "month": 30 * DAY}),
        ("hour", {"hour": 1, "day": 24, "week": 168, "month": 720}),
        ("day", {"day": 1, "week": 7, "month": 30}),
    ],
)
def test_windows_follow_the_clock(unit, expected):
    found = publish_exactly(sequences([("a", 0)], time_unit=TimeUnit(unit))).view(SequenceComparison)
    assert found.durations == expected
    assert found.usual_duration == ("day" if unit == "day" else "hour")


@pytest.mark.parametrize(
    ("span", "expected", "usual"),
    [
        (0, ["1"], "1"),
        (50, ["1", "10"], "1"),
        (9999, ["1", "10", "100", "1000"], "1"),
        (10_000, ["1", "10", "100", "1000", "10000"], "10"),
        (5_000_000, ["100", "1000", "10000", "100000", "1000000"], "1000"),
    ],
)
def test_windows_of_plain_numbers_are_powers_of_ten(span, expected, usual):
    found = publish_exactly(sequences([("a", 0), ("x", span)])).view(SequenceComparison)
    assert (list(found.durations), found.usual_duration) == (expected, usual)


def test_events_are_drawn_by_frequency():
    data = sequences([("a", 0)] + [("x", t) for t in range(500)] + [(f"y{t}", t) for t in range(100)])
    found = publish_exactly(data).view(SequenceComparison)
    x = data.history().labels.index("x")
    drawn = [found.draw_events(2, seed, monitored=False) for seed in range(20)]
    assert all(len(set(events.tolist())) == 2 for events in drawn)
    assert sum(x in events for events in drawn) > 15
    assert found.draw_events(2, 0, monitored=True).tolist() == [0]


# Fast equals slow.
@given(comparisons())
def test_interval_loss(comparison):
    assert IntervalLoss(we=0.0).measure(comparison).value == pytest.approx(naive.interval_loss(comparison))
    weighted = IntervalLoss(wt=2.0, we=3.0).measure(comparison).value
    assert weighted == pytest.approx(naive.interval_loss(comparison, 2.0, 3.0))


@given(comparisons(), st.integers(1, 12))
def test_count_queries(comparison, intervals):
    labels = comparison.original.history().labels
    score = CountQueries(intervals=intervals).measure(comparison)
    monitored = [label for label in labels if label in MONITORED]
    high, low = naive.count_queries(comparison, monitored, intervals)
    assert (score.details["false_positives"], score.details["false_negatives"]) == pytest.approx((high, low))
    others = [label for label in labels if label not in MONITORED]
    assert score.details["other_false_negatives"] == pytest.approx(
        naive.count_queries(comparison, others, intervals)[1]
    )


@given(comparisons(), st.integers(0, 30))
def test_event_context(comparison, window):
    score = EventContext(window=window).measure(comparison)
    assert score.value == pytest.approx(naive.event_context(comparison, window), abs=1e-9)
    for name, length in comparison.view(SequenceComparison).durations.items():
        expected = naive.event_context(comparison, length)
        assert score.details[f"within_{name}"] == pytest.approx(expected, abs=1e-9)


@given(comparisons())
def test_event_counts(comparison):
    score = EventCounts().measure(comparison)
    names = list(comparison.view(SequenceComparison).durations)
    first = names.index(comparison.view(SequenceComparison).usual_duration)
    for name in names[first : first + 2]:
        length = comparison.view(SequenceComparison).durations[name]
        if comparison.view(SequenceComparison).span // length > 5000:
            continue
        mean, total = naive.event_counts(comparison, length)
        assert score.details[f"by_{name}"] == pytest.approx(mean)
        assert score.details[f"total_error_by_{name}"] == pytest.approx(total, abs=1e-9)
    assert score.details["total_error_by_" + names[first]] <= 2 or score.details["counted_share"] > 1


@st.composite
def covers_with_windows(draw):
    rows = draw(st.lists(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted), max_size=5), max_size=4))
    flat = [tuple(interval) for row in rows for interval in sorted(row)]
    offsets = np.cumsum([0, *map(len, rows)])
    lows, highs = np.array([i[0] for i in flat], dtype=int), np.array([i[1] for i in flat], dtype=int)
    windows = draw(st.lists(st.tuples(st.integers(0, 9), st.integers(0, 9)).map(sorted), max_size=4)) if rows else []
    which = [draw(st.integers(0, len(rows) - 1)) for _ in windows]
    return (
        Covers(offsets, np.zeros(len(flat), int), lows, highs),
        np.array(which, dtype=int),
        np.array(windows, dtype=int),
    )


@given(covers_with_windows())
def test_windows_meet_every_interval_they_touch_once(drawn):
    covers, rows, windows = drawn
    first, last = windows.reshape(-1, 2).T
    found = [pair for at, i in covers.meet(rows, first, last) for pair in zip(at.tolist(), i.tolist(), strict=True)]
    owner = covers.row_of_interval
    expected = {
        (w, i)
        for w in range(len(rows))
        for i in range(len(owner))
        if owner[i] == rows[w] and covers.lows[i] <= last[w] and covers.highs[i] >= first[w]
    }
    assert len(found) == len(set(found))
    assert set(found) == expected
