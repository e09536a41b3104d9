"""COUNT queries with ranges of time: true answers counted by hand, estimates exact where nothing is hidden."""

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

import sfumato as sf
from sfumato.data.time_units import TimeUnit
from sfumato.kinds.activity.metrics.average_relative_error import AverageRelativeError as OfActivity
from sfumato.kinds.sequences.metrics.average_relative_error import AverageRelativeError as OfSequences
from sfumato.kinds.snapshots.metrics.average_relative_error import AverageRelativeError as OfSnapshots
from sfumato.kinds.timeline.metrics.average_relative_error import AverageRelativeError as OfTimeline
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_metric import TimeRange
from sfumato.metrics.workload import Workload

SECRET = bytes([1] * 32)
EVENTS = st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), min_size=1, max_size=4)
RECORDS = st.tuples(st.integers(0, 9), st.sampled_from("xy"), st.sampled_from(["flu", "cold"]))
ENDS = st.one_of(st.none(), st.integers(-1, 6))
RANGES = st.tuples(st.integers(0, 9), st.integers(0, 9)).map(lambda ends: (min(ends), max(ends)))


def inside(time, ends):
    return ends[0] <= time <= ends[1]


@given(
    st.lists(
        st.lists(st.tuples(st.sampled_from("ab"), st.integers(0, 9)), min_size=1, max_size=4), min_size=4, max_size=8
    ),
    RANGES,
)
def test_people_with_events_in_a_time_are_counted(rows, ends):
    rows = [[("a", 4)], [("a", 5)], *rows]
    data = sf.Dataset.of("sequences", [sorted(row, key=lambda entry: entry[1]) for row in rows], monitored=("a",))
    result = sf.anonymize(data, sf.methods.Hi(k=2), secret=SECRET, max_suppressed_records=1)
    labels = set(data.history().labels)
    queries = [
        (*events, f"time={ends[0]}..{ends[1]}") for events in (("a",), ("b",), ("a", "b")) if labels >= set(events)
    ]
    truth, estimate = OfSequences().answer(Comparison(data, result.release), Workload(tuple(queries)))
    for query, found in zip(queries, truth, strict=True):
        events = query[:-1]
        by_hand = sum(all(any(e == event and inside(t, ends) for e, t in row) for event in events) for row in rows)
        assert found == by_hand
    assert ((estimate >= -1e-9) & (estimate <= len(result.release) + 1e-9)).all()
    if "b" in labels and len(result.release) == len(rows):
        # Events that nobody monitors keep their times.
        at = queries.index(("b", queries[0][-1]))
        assert estimate[at] == pytest.approx(truth[at])


@given(st.lists(st.lists(st.sampled_from("abc"), min_size=6, max_size=6), min_size=4, max_size=8), RANGES)
def test_people_in_an_activity_are_counted(rows, ends):
    first, last = min(ends[0], 5), min(ends[1], 5)
    data = sf.Dataset.of("activity", rows, time_unit=TimeUnit())
    result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=SECRET, max_suppressed_records=1)
    label = rows[0][0]
    asked = Workload(((label, f"time={first}..{last}"),))
    truth, estimate = OfActivity().answer(Comparison(data, result.release), asked)
    by_hand = sum(row[slot] == label for row in rows for slot in range(first, last + 1)) / (last - first + 1)
    assert truth[0] == pytest.approx(by_hand)
    if len(result.owner_record.rows) == len(rows):
        assert estimate[0] == pytest.approx(by_hand)


@given(st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 4), min_size=1), min_size=2, max_size=9), RANGES)
def test_occurrences_of_events_are_counted(points, ends):
    # Enough of what is not sensitive, so that there is always something to publish.
    points = [{"a": 1, "b": 4}, *({**point, "b": 4} for point in points)]
    data = sf.Dataset.of("timeline", points, sensitive=("a",))
    result = sf.anonymize(data, sf.methods.Essa(delta="2/3"), secret=SECRET, max_suppressed_records=1)
    labels = sorted(set(data.history().labels))
    asked = Workload(tuple((label, f"time={ends[0]}..{ends[1]}") for label in labels))
    truth, estimate = OfTimeline().answer(Comparison(data, result.release), asked)
    for label, true, left in zip(labels, truth, estimate, strict=True):
        assert true == sum(point.get(label, 0) for time, point in enumerate(points) if inside(time, ends))
        assert left <= true


@given(
    st.lists(
        st.tuples(st.integers(0, 9), st.sampled_from("xy"), st.sampled_from(["flu", "cold"])), min_size=8, max_size=20
    ),
    RANGES,
)
def test_records_with_attributes_and_values_are_counted(rows, ends):
    rows = [*rows, *((time, key, {"flu": "cold", "cold": "flu"}[ill]) for time, key, ill in rows)]
    data = sf.Dataset.of("snapshots", rows, ("key",), "ill")
    result = sf.anonymize(data, sf.methods.Anatomy(l=2), secret=SECRET, max_suppressed_records=1)
    when = f"time={ends[0]}..{ends[1]}"
    asked = Workload((("key=x", when), ("ill=flu", when), ("key=x|y", "ill=cold", when), ("key=x", "ill=flu")))
    truth, estimate = OfSnapshots().answer(Comparison(data, result.release), asked)
    some = [row for row in rows if inside(row[0], ends)]
    assert truth.tolist() == [
        sum(key == "x" for _, key, _ in some),
        sum(ill == "flu" for _, _, ill in some),
        sum(ill == "cold" for _, _, ill in some),
        sum(key == "x" and ill == "flu" for _, key, ill in rows),
    ]
    if len(result.release) == len(rows):
        # Attributes are published as they are, and every group keeps how often its values occur.
        assert estimate[:3].tolist() == pytest.approx(truth[:3].tolist())


@given(
    st.integers(0, 5),
    st.integers(0, 5),
    st.one_of(st.none(), st.integers(-1, 6)),
    st.one_of(st.none(), st.integers(-1, 6)),
)
def test_the_share_of_an_interval_in_a_range_is_that_of_its_moments(one, other, first, last):
    low, high = min(one, other), max(one, other)
    when = TimeRange(first, last)
    moments = np.arange(low, high + 1)
    assert when.overlap(np.array([low]), np.array([high]))[0] == pytest.approx(when.holds(moments).mean())


@pytest.mark.parametrize("unit", ["second", "minute", "hour", "day", None])
def test_formatted_ranges_are_read_back(unit):
    for ends in ((0, 7), (19_000, 20_000), (None, 5), (3, None)):
        text = TimeRange(*ends).format_condition(TimeUnit(unit))
        assert TimeRange.read(text.removeprefix("time="), TimeUnit(unit)) == TimeRange(*ends)
