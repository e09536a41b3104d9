"""Whatever times are counted in, and wherever they begin: bounds of releases hold the truth of their originals."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import assume, example, given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.data.time_units import UNITS, TimeUnit, find_moments
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.activity.query_bounds.grids import list_grids

ENDS = ("first", "second")
time_units = st.builds(
    TimeUnit,
    st.sampled_from([None, *UNITS]),
    st.sampled_from([0, 1, 3, 59, 600, -7, 24]),
)


def moment(time_unit: TimeUnit, step: int) -> int:
    """When a step of a clock begins, as releases spell it."""
    return step if time_unit.unit is None else int(find_moments(time_unit.unit, np.array([step]))[0])


def format_step(time_unit: TimeUnit, step: int) -> str:
    if time_unit.unit is None:
        return str(step)
    return str(np.datetime64(moment(time_unit, step), "us")).partition(".")[0]


def list_questions(time_unit: TimeUnit, steps: range, cut: tuple[int, int], within: int) -> list[str]:
    """Questions of every form about the activities a and b."""
    first, last = (format_step(time_unit, steps[0] + at) for at in sorted(cut))
    inside = f"during {first}..{last}" if time_unit.unit is None else f"after {first} before {last}"
    length = str(within) if time_unit.unit is None else f"{max(within * UNITS[time_unit.unit] // 3600, 1)}h"
    return [
        "count person where 'a'",
        f"count person where 'a' {inside}",
        f"count person where not 'b' on {first}",
        f"count event where 'b' {inside}",
        f"count event where 'a' on {last}",
        "count person where 'a' then 'b'",
        f"count person where 'b' then 'a' within {length}",
        f"count person where 'a' {inside} then 'b' within {length}",
        "relation value 'a' and 'b'",
        "relation value 'b' and 'c'",
    ]


def ends(text: str) -> tuple[np.datetime64 | int, ...]:
    return tuple(int(end) if end.lstrip("-").isdigit() else np.datetime64(end, "us") for end in text.split(".."))


def check(data: sf.Dataset, release: object, question: str) -> None:
    """Hold what a release answers against the truth: counts between bounds, periods inside and outside of the true."""
    exact, told = sf.query(data, question), sf.query(release, question)
    if not question.startswith("relation"):
        assert exact.certain == exact.possible
        assert told.certain <= exact.certain <= told.possible, question
        return
    (true,), rows = exact.table.to_pylist(), told.table.to_pylist()
    if true["relation"] == "none":
        assert not told.certain
        return
    assert true["relation"] in [row["relation"] for row in rows], question
    assert not told.certain or len(rows) == 1
    for row in rows:
        for side in ENDS:
            if row[f"{side}_certain"]:
                begin, end = ends(true[f"{side}_certain"])
                (earliest, latest), (from_, to) = ends(row[f"{side}_possible"]), ends(row[f"{side}_certain"])
                assert earliest <= begin <= from_ < to <= end <= latest, question


def test_the_last_interval_of_minutes_is_not_taken_for_months() -> None:
    data = sf.Dataset.of("activity", [["a", "b", "c", "c", "c", "c"]] * 2)
    release = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="2"), secret=bytes(32)).release
    question = "relation value 'a' and 'b'"
    rows = sf.query(release, question).table.to_pylist()
    assert {row["first_certain"] for row in rows} <= {"", "1970-01-01..1970-01-01T00:01:00"}
    assert "meets" in [row["relation"] for row in rows]
    check(data, release, question)
    calm = sf.query(release, "relation value 'b' and 'c'").table.to_pylist()
    assert all("1970-04" not in row["second_possible"] for row in calm)


def test_what_is_certain_ends_with_the_shortest_step_that_times_allow() -> None:
    """Times in seconds that happen to be full minutes: they might be counted in minutes as well."""
    care = [[("clinic", 0), ("clinic", 300)], [("clinic", 60), ("clinic", 300)]]
    rest = [[("cafe", 0), ("cafe", 420)], [("cafe", 120), ("cafe", 480)]]
    data = sf.Dataset.of("sequences", [*care, *rest], monitored=("clinic", "cafe"), time_unit=TimeUnit("second"))
    release = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32)).release
    check(data, release, "relation value clinic and cafe")
    (told, *_) = sf.query(release, "relation value clinic and cafe").table.to_pylist()
    assert told["first_certain"] == "1970-01-01T00:01:00..1970-01-01T00:05:01"
    assert told["first_possible"] == "1970-01-01..1970-01-01T00:06:00"


def test_months_are_as_long_as_they_are() -> None:
    """January and February have 31 and 28 days: slots of 29.5 days would put February into January."""
    data = sf.Dataset.of("activity", [["a", "b", "b", "c"]] * 2, time_unit=TimeUnit("month"))
    release = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="2"), secret=bytes(32)).release
    for month, what in (("02", "b"), ("03", "b"), ("04", "c")):
        check(data, release, f"count event where '{what}' on 1970-{month}")
    assert sf.query(release, "count event where 'c' on 1970-04").possible == 2
    assert sf.query(release, "count event where 'c' on 1970-05").possible == 0


def test_a_single_interval_leaves_open_how_long_a_slot_is() -> None:
    data = sf.Dataset.of("activity", [["a", "b", "b", "b"]] * 2)
    release = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="4"), secret=bytes(32)).release
    found = sf.query(release, "count person where 'b' during 1970-01-01T00:01..1970-01-01T00:02")
    assert (found.certain, found.possible) == (0, 2)
    check(data, release, "count person where 'b' during 1970-01-01T00:01..1970-01-01T00:02")
    for question in ("relation value 'a' and 'b'", "count person where 'a' then 'b' within 1h"):
        check(data, release, question)


@settings(max_examples=150)
@given(
    days=st.lists(st.lists(st.sampled_from("abc"), min_size=7, max_size=7), min_size=1, max_size=4),
    time_unit=time_units,
    length=st.integers(1, 7),
    cut=st.tuples(st.integers(0, 6), st.integers(0, 6)),
    within=st.integers(1, 6),
    digits=st.sampled_from([None, 1]),
)
def test_shares_of_classes_hold_the_truth_whatever_a_slot_lasts(days, time_unit, length, cut, within, digits) -> None:
    data = sf.Dataset.of("activity", [*days, *days], time_unit=time_unit)
    method = sf.methods.Mc(k=2, aggregate=str(length), digits=digits)
    release = sf.anonymize(data, method, secret=bytes(32), max_suppressed_records=1).release
    assume(not release.suppressed_records)
    first = 0 if time_unit.unit is None else time_unit.origin
    for question in list_questions(time_unit, range(first, first + 7), cut, within):
        check(data, release, question)


@settings(max_examples=60)
@given(
    rows=st.lists(
        st.lists(st.tuples(st.sampled_from("abc"), st.integers(0, 9)), min_size=1, max_size=4), min_size=2, max_size=6
    ),
    time_unit=time_units,
    cut=st.tuples(st.integers(0, 9), st.integers(0, 9)),
    within=st.integers(1, 6),
    monitored=st.sampled_from([("a",), ("a", "b", "c")]),
    blur=st.sampled_from([None, 1, 2]),
)
@example(
    rows=[[("a", 0), ("b", 1)], [("a", 0), ("b", 9)]],
    time_unit=TimeUnit("month"),
    cut=(1, 1),
    within=1,
    monitored=("a",),
    blur=1,
)
def test_intervals_of_groups_hold_the_truth_in_any_unit(rows, time_unit, cut, within, monitored, blur) -> None:
    timed = [[(event, time + time_unit.origin) for event, time in row] for row in rows]
    data = sf.Dataset.of("sequences", timed, monitored=monitored, time_unit=time_unit)
    try:
        release = sf.anonymize(data, sf.methods.Hi(k=2, blur=blur), secret=bytes(32)).release
    except InfeasibleError:
        return
    assume(not release.suppressed_records)
    for question in list_questions(time_unit, range(time_unit.origin, time_unit.origin + 10), cut, within):
        check(data, release, question)


@settings(max_examples=60)
@given(
    rows=st.lists(st.tuples(st.integers(0, 4), st.permutations("abc")), min_size=2, max_size=6),
    time_unit=time_units,
    window=st.integers(1, 3),
    then=st.sampled_from(["anatomy", "none"]),
    cut=st.tuples(st.integers(0, 4), st.integers(0, 4)),
)
def test_late_snapshots_hold_the_truth_whatever_they_last(rows, time_unit, window, then, cut) -> None:
    people = [(time + time_unit.origin, "x", value) for time, values in rows for value in values[:2]]
    data = sf.Dataset.of("snapshots", people, ("age",), "ill", time_unit=time_unit)
    try:
        release = sf.anonymize(data, sf.methods.Reposition(l=2, window=window, then=then), secret=bytes(32)).release
    except InfeasibleError:
        return
    assume(not release.suppressed_records)
    for question in list_questions(time_unit, range(time_unit.origin, time_unit.origin + 5), cut, 1):
        if "then" not in question:
            check(data, release, question.replace("person", "record"))


@settings(max_examples=40)
@given(
    rows=st.lists(st.dictionaries(st.sampled_from("abc"), st.integers(1, 3), min_size=1), min_size=2, max_size=5),
    time_unit=time_units,
    cut=st.tuples(st.integers(0, 4), st.integers(0, 4)),
)
def test_timelines_hold_the_truth_whatever_their_points_last(rows, time_unit, cut) -> None:
    times = [time_unit.origin + at for at in range(len(rows))]
    assume(any("a" in row for row in rows))
    data = sf.Dataset.of("timeline", rows, times=times, sensitive=("a",), time_unit=time_unit)
    try:
        release = sf.anonymize(data, sf.methods.Essa(delta="1/2"), secret=bytes(32)).release
    except InfeasibleError:
        return
    assume(not release.suppressed_records)
    for question in list_questions(time_unit, range(time_unit.origin, time_unit.origin + 5), cut, 1):
        if "then" not in question:
            check(data, release, question.replace("person", "record"))


@pytest.mark.parametrize("unit", UNITS)
@pytest.mark.parametrize("origin", [0, 5, -30])
def test_several_intervals_tell_how_long_a_slot_is(unit: str, origin: int) -> None:
    time_unit = TimeUnit(unit, origin)
    begins = np.array([moment(time_unit, origin + at) for at in (0, 3, 6)])
    (grid,) = list_grids(begins, np.array([3, 3, 2]), dated=True)
    assert grid.unit == unit
    assert grid.slots.tolist() == [moment(time_unit, origin + at) for at in range(8)]
    alone = list_grids(begins[:1], np.array([3]), dated=True)
    assert unit in [grid.unit for grid in alone]
    assert all(grid.starts.tolist() == begins[:1].tolist() for grid in alone)
