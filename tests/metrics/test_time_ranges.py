"""Ranges of time in queries: what is written is what is read, whatever times are counted in."""

from __future__ import annotations

import datetime

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.data.time_units import UNITS, TimeUnit, find_moments
from sfumato.metrics.query_metric import TimeRange
from sfumato.reports.times import show_time, to_axis

time_units = st.builds(TimeUnit, st.sampled_from([None, *UNITS]))


@settings(max_examples=200)
@given(time_unit=time_units, first=st.integers(-2000, 20_000), length=st.integers(0, 500))
def test_what_is_written_is_what_is_read(time_unit: TimeUnit, first: int, length: int) -> None:
    wanted = TimeRange(first, first + length)
    assert TimeRange.read(wanted.format_condition(time_unit).removeprefix("time="), time_unit) == wanted


@pytest.mark.parametrize(("unit", "number"), [("month", 14), ("quarter", 4), ("day", 424), ("hour", 424 * 24)])
def test_a_day_lies_in_the_unit_in_which_it_lies(unit: str, number: int) -> None:
    assert TimeRange.read("1971-03-01..", TimeUnit(unit)).first == number


def test_months_are_written_as_days() -> None:
    assert TimeRange(1, 14).format_condition(TimeUnit("month")) == "time=1970-02-01..1971-03-01"


@settings(max_examples=100)
@given(unit=st.sampled_from(list(UNITS)), number=st.integers(-2000, 20_000))
def test_reports_show_moments_where_they_are(unit: str, number: int) -> None:
    begin = int(find_moments(unit, np.array([number]))[0]) // 1000
    assert to_axis(number, TimeUnit(unit)) == begin
    day = datetime.datetime(1970, 1, 1) + datetime.timedelta(milliseconds=begin)
    assert f"{day:%b} {day.year}" in show_time(number, TimeUnit(unit))
