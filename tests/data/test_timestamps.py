"""Points in time are spelled as strftime spells them, in every resolution and far from 1970."""

import pyarrow as pa
import pyarrow.compute as pc
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.data.timestamps import encode_timestamps

STEPS = {"s": 1, "ms": 10**3, "us": 10**6, "ns": 10**9}
YEAR = 366 * 86_400
LAST = {unit: min(2**63 - 1, 30_000 * YEAR * steps) for unit, steps in STEPS.items()}
"""How far from 1970 a calendar of 16 bits reaches, in steps of a resolution."""
SECONDS = st.one_of(
    st.integers(-30_000 * YEAR, 30_000 * YEAR),
    st.integers(-100 * YEAR, 400 * YEAR),
    st.integers(-3, 3).map(lambda days: 86_400 * days),
    st.integers(-2, 2),
)


@st.composite
def points(draw):
    """Draw points in time of one resolution, some missing; on whole seconds, or anywhere."""
    unit = draw(st.sampled_from([*STEPS]))
    steps, last = STEPS[unit], LAST[unit]
    rest = st.just(0) if draw(st.booleans()) else st.integers(0, steps - 1)
    value = st.builds(lambda second, more: max(-last, min(second * steps + more, last)), SECONDS, rest)
    values = draw(st.lists(st.one_of(st.none(), value), max_size=8))
    return pa.array(values, pa.int64()).cast(pa.timestamp(unit, tz="UTC"))


def format_timestamps(values):
    """Spell points in time one by one; without decimal places where none of them needs any."""
    steps = STEPS[values.type.unit]
    if all(number is None or number % steps == 0 for number in values.cast(pa.int64()).to_pylist()):
        values = values.cast(pa.timestamp("s", tz="UTC"))
    return pc.strftime(values, format="%Y-%m-%dT%H:%M:%SZ").to_pylist()


@settings(max_examples=500)
@given(points(), st.integers(0, 3))
def test_timestamps_are_encoded_as_strftime_does(values, first):
    assert encode_timestamps(values).to_pylist() == format_timestamps(values)
    assert encode_timestamps(values.slice(first)).to_pylist() == format_timestamps(values.slice(first))


@pytest.mark.parametrize(
    ("unit", "number", "text"),
    [
        ("s", -1, "1969-12-31T23:59:59Z"),
        ("s", 951_782_400, "2000-02-29T00:00:00Z"),
        ("s", 1_483_228_800, "2017-01-01T00:00:00Z"),
        ("ms", -1, "1969-12-31T23:59:59.999Z"),
        ("us", -62_135_596_800_000_000, "0001-01-01T00:00:00Z"),
        ("us", 253_402_300_800_000_000, "10000-01-01T00:00:00Z"),
        ("us", 9_224_236_800_000_001, "2262-04-22T00:00:00.000001Z"),
        ("ns", -(2**63) + 1, "1677-09-21T00:12:43.145224193Z"),
    ],
)
def test_points_that_are_far_away_or_before_1970(unit, number, text):
    assert encode_timestamps(pa.array([number]).cast(pa.timestamp(unit, tz="UTC"))).to_pylist() == [text]


def test_seconds_of_a_day_are_those_of_the_clock():
    """All 86,400 of them, on two days; a leap second is none of them."""
    seconds = pa.array(range(1_483_142_400, 1_483_142_400 + 2 * 86_400)).cast(pa.timestamp("s", tz="UTC"))
    assert encode_timestamps(seconds).to_pylist() == format_timestamps(seconds)


def test_days_are_formatted_once(monkeypatch):
    formatted = []
    usual = pc.strftime

    def strftime(values, **options):
        formatted.append(len(values))
        return usual(values, **options)

    monkeypatch.setattr(pc, "strftime", strftime)
    minutes = pa.array(range(0, 3 * 86_400, 60)).cast(pa.timestamp("s", tz="UTC"))
    assert len(set(encode_timestamps(minutes).to_pylist())) == 3 * 1440
    assert formatted == [3]
