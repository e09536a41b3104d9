"""Reading a stream back: the reader knows the names of snapshots without asking whoever wrote them."""

import dataclasses

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.snapshots.naive.people import dataset

import sfumato as sf
from sfumato.data.time_units import UNITS, TimeUnit, count_units, find_moments
from sfumato.kinds.snapshots.folder import _possible_names
from sfumato.kinds.snapshots.stream.writer import snapshot_name

RELEASE = sf.anonymize(dataset([[0, 1]]), sf.methods.Anatomy(l=2), secret=bytes(32)).release


def at(time_unit, *times):
    """Return records of some times."""
    cells = pa.concat_arrays([time_unit.to_arrow(pa.array([time]).to_numpy()) for time in times])
    return dataclasses.replace(RELEASE, table=pa.table({"snapshot": cells}))


@settings(max_examples=200)
@given(st.sampled_from([None, "quarter", "month", "day", "hour", "minute", "second"]), st.integers(-5_000, 30_000))
def test_every_written_name_is_a_possible_one(unit, time):
    time_unit = TimeUnit(unit)
    assert snapshot_name(time_unit, time) in _possible_names(at(time_unit, time))


TIMES = [("second", 59, 1), ("minute", 1, 2), ("hour", 5, 3), ("day", 3, 4), ("month", 1, 5), ("quarter", 1, 5)]


@pytest.mark.parametrize(("unit", "time", "names"), TIMES)
def test_a_name_leaves_nothing_of_the_time_out(unit, time, names):
    found = _possible_names(at(TimeUnit(unit), time))
    moment = find_moments(unit, np.array([time]))
    numbers = {other: count_units(other, moment) for other in UNITS}
    whole = {other for other, number in numbers.items() if find_moments(other, number) == moment}
    assert found == {snapshot_name(TimeUnit(other), int(numbers[other][0])) for other in whole}
    assert len(found) == names


def test_records_of_several_times_have_no_name():
    assert _possible_names(at(TimeUnit(), 1, 2)) == set()
