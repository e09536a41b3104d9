"""Times that are counted in months or quarters, which are not equally long: nothing is taken for a mean one."""

from __future__ import annotations

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

import sfumato as sf
from sfumato.data.time_units import MONTHS, TimeUnit, find_moments
from sfumato.exceptions import InfeasibleError
from sfumato.kinds.sequences.decode import count_steps

ROWS = [[("a", 0), ("x", 1), ("b", 3)], [("a", 1), ("x", 2), ("b", 3)], [("a", 0), ("b", 5)], [("a", 2), ("b", 6)]]

EVENTS = st.tuples(st.sampled_from("abc"), st.integers(-30, 30))


def anonymize(rows: list[list[tuple[str, int]]], unit: str, **params: object) -> tuple[sf.Dataset, sf.Result]:
    data = sf.Dataset.of("sequences", rows, monitored=("a",), time_unit=TimeUnit(unit))
    return data, sf.anonymize(data, sf.methods.Hi(k=2, **params), secret=bytes(32))


@pytest.mark.parametrize("unit", MONTHS)
def test_so_many_months_are_so_many_whichever_they_are(unit: str) -> None:
    _, result = anonymize(ROWS, unit, blur=1)
    begins = find_moments(unit, np.arange(-1200, 1200))
    for length in (0, 1, 2, 5, 12, 100, 1000):
        reach = count_steps(result.release, length)
        assert (begins[length:] - begins[: len(begins) - length] <= reach).all()
        assert (begins[length + 1 :] - begins[: len(begins) - length - 1] > reach).all()


@pytest.mark.parametrize("unit", MONTHS)
@pytest.mark.parametrize("params", [{}, {"blur": 1}, {"g": 1, "l": 2}], ids=str)
def test_a_release_of_months_is_that_of_its_original(unit: str, params: dict[str, int], tmp_path) -> None:
    data, result = anonymize(ROWS, unit, **params)
    sf.write(result, tmp_path / "out")
    assert sf.verify(tmp_path / "out", original=data).outcome == "holds"
    assert sf.attack(tmp_path / "out", original=data).smallest_anonymity_set == 2
    assert {score.name for score in sf.measure(tmp_path / "out", original=data)} > {"event-context", "event-counts"}
    assert "Intervals: ≤ 1 " + unit in (tmp_path / "out" / "owner" / "report.html").read_text(encoding="utf-8")


@settings(max_examples=60)
@given(
    rows=st.lists(st.lists(EVENTS, min_size=1, max_size=4), min_size=4, max_size=6),
    unit=st.sampled_from([*MONTHS]),
    params=st.sampled_from([{}, {"blur": 1}, {"blur": 2}, {"g": 1, "l": 2}, {"g": 3, "l": 2}]),
)
def test_whatever_is_made_of_months_holds(rows, unit: str, params: dict[str, int]) -> None:
    try:
        data, result = anonymize(rows, unit, **params)
    except InfeasibleError:
        return
    assert sf.verify(result).outcome == "holds"
    assert sf.verify(result, original=data).outcome == "holds"


def test_an_event_a_long_month_away_is_near() -> None:
    """January has 31 days, more than a mean month: what happened a month later is within the blur of a month."""
    _, result = anonymize([[("a", 0), ("x", 9)]] * 4, "month", blur=1)
    assert sf.verify(result).outcome == "holds"
    release = result.release
    at = release.table.column_names.index("times")
    times = pa.array(find_moments("month", np.ones(4, np.int64))).cast(pa.timestamp("us", tz="UTC"))
    lists = pa.ListArray.from_arrays(np.arange(5, dtype=np.int32), times).cast(release.table.schema.field(at).type)
    damaged = dataclasses.replace(release, table=release.table.set_column(at, release.table.schema.field(at), lists))
    verdict = sf.verify(damaged)
    assert not verdict.checks["no event near a monitored interval has a time"]


def test_a_window_of_a_month_holds_events_a_long_month_apart() -> None:
    rows = [[("a", 5), ("x", 0)], [("a", 5), ("x", 1)], [("a", 5), ("y", 7)], [("a", 5), ("z", 9)]]
    data = sf.Dataset.of("sequences", rows, monitored=("a",), time_unit=TimeUnit("month"))
    release = sf.anonymize(data, sf.methods.Hi(k=4, g=1, l=2), secret=bytes(32)).release
    assert sf.verify(release).measured["l"] == 2
    shorter = dataclasses.replace(release, guarantee=dataclasses.replace(release.guarantee, g=0))
    assert sf.verify(shorter).measured["l"] == 4
