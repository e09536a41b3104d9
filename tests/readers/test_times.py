"""Times: every spelling against the standard library, order kept, nothing guessed."""

import datetime

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exceptions import SchemaError
from sfumato.readers.times import parse_times, split_periods

TIME_FORMATS = [
    "%Y-%m-%dT%H:%M:%S",
    "%Y-%m-%d %H:%M:%S",
    "%Y/%m/%d %H:%M:%S",
    "%Y%m%dT%H%M%S",
    "%d.%m.%Y %H:%M:%S",
    "%d-%b-%Y %H:%M:%S",
    "%a %b %d %H:%M:%S %Y",
    "%Y-%m-%d %I:%M:%S %p",
]
EPOCH = datetime.datetime(1970, 1, 1)


def parse(*cells):
    return parse_times("v.csv", "time", pa.chunked_array([list(cells)]))


def refusal(*cells):
    with pytest.raises(SchemaError) as caught:
        parse(*cells)
    return str(caught.value)


moments = st.datetimes(datetime.datetime(1000, 1, 1), datetime.datetime(9999, 12, 31)).map(
    lambda moment: moment.replace(microsecond=0)
)


@given(st.lists(st.tuples(moments, st.sampled_from(TIME_FORMATS)), min_size=1, max_size=12))
def test_time_formats_agree_with_the_standard_library(cells):
    times = parse(*(moment.strftime(time_format) for moment, time_format in cells))
    assert times.micros.tolist() == [(m - EPOCH) // datetime.timedelta(microseconds=1) for m, _ in cells]
    assert not times.zoned


zones = st.integers(-14 * 60, 14 * 60).map(lambda m: datetime.timezone(datetime.timedelta(minutes=m)))


@given(st.lists(st.datetimes(datetime.datetime(2, 1, 1), datetime.datetime(9998, 1, 1), timezones=zones), min_size=1))
def test_zones_become_utc(moments):
    times = parse(*(moment.isoformat() for moment in moments))
    utc = EPOCH.replace(tzinfo=datetime.UTC)
    assert times.micros.tolist() == [(m - utc) // datetime.timedelta(microseconds=1) for m in moments]
    assert times.zoned


@pytest.mark.parametrize(
    "cell",
    [
        "2012-04-03T18:00:09Z",
        "2012-04-03 18:00:09 UTC",
        "2012-04-03T20:00:09+02:00",
        "2012-04-03T20:00:09+0200",
        "2012-04-03T20:00:09+02",
        "2012-04-03T14:30:09-0330",
        "2012-04-03 06:00:09 PM Z",
        "Tue Apr 03 18:00:09 +0000 2012",
        "Tue, 03 Apr 2012 18:00:09 GMT",
        " 2012-04-03T18:00:09.000Z ",
        "2012-04-03T18:00:09,0Z",
        "20120403T180009Z",
    ],
)
def test_many_formats_of_one_time(cell):
    assert parse(cell).micros.tolist() == [1333476009000000]


def test_columns_of_parquet():
    expected = [1333411200000000]
    day = datetime.datetime(2012, 4, 3)
    for kind in (
        pa.timestamp("s"),
        pa.timestamp("ms"),
        pa.timestamp("us"),
        pa.timestamp("ns"),
        pa.date32(),
        pa.date64(),
    ):
        times = parse_times("v", "time", pa.chunked_array([pa.array([day], kind)]))
        assert times.micros.tolist() == expected
    zoned = parse_times("v", "time", pa.chunked_array([pa.array([day], pa.timestamp("us", "Europe/Athens"))]))
    assert zoned.zoned
    coded = pa.chunked_array([pa.array(["2012-04-03"]).dictionary_encode()])
    assert parse_times("v", "time", coded).micros.tolist() == expected
    with pytest.raises(SchemaError, match="must hold times, its type is bool"):
        parse_times("v", "time", pa.chunked_array([[True]]))


def test_numbers_keep_their_order():
    assert parse("30", "-4", "007").order.tolist() == [30, -4, 7]
    assert parse("+30", " 4 ").order.tolist() == [30, 4]
    assert parse("1.5", "1").order.tolist() == [1.5, 1.0]


def test_nanoseconds_still_order():
    assert np.argsort(parse("2012-04-03T18:00:09.123456789", "2012-04-03T18:00:09.123456788").order).tolist() == [1, 0]


def test_day_and_month_are_told_apart_by_evidence_only():
    assert parse("13/04/2012", "03/04/2012").micros.tolist() == parse("2012-04-13", "2012-04-03").micros.tolist()
    assert parse("04/13/2012", "04/03/2012").micros.tolist() == parse("2012-04-13", "2012-04-03").micros.tolist()
    assert "cannot be distinguished in rows 1, 2" in refusal("03/04/2012", "05/06/2012")
    assert "cannot be distinguished in rows 1, 2" in refusal("13/04/2012", "04/13/2012")


@pytest.mark.parametrize(
    ("cells", "message"),
    [
        (("2012-01-01", "2012-02-30"), "row 2 has a date or time that does not exist"),
        (("2012-01-01T24:00:00",), "row 1 has a date or time that does not exist"),
        (("2012-01-01T23:59:60",), "row 1 has a date or time that does not exist"),
        (("2012-01-01 13:00 PM",), "row 1 has a date or time that does not exist"),
        (("2012-01-01T00:00+25:00",), "row 1 has a date or time that does not exist"),
        (("3 Foo 2012",), "row 1 has a date or time that does not exist"),
        (("0000-01-01",), "out of range in row 1"),
        (("-0001-01-01",), "out of range in row 1"),
        (("2012-01-01", "10000-01-01"), "out of range in row 2"),
        (("0001-01-01T00:00:00+01:00",), "out of range in row 1"),
        (("1", "9223372036854775808"), "out of range in row 2"),
        (("9" * 5000,), "out of range in row 1"),
        (("2012-01-01", "noon"), "row 2 cannot be read as a time"),
        (("2012-01-01", "5"), "row 2 cannot be read as a time"),
        (("1", "noon"), "row 2 does not"),
        (("1.5", "nan"), "finite numbers; row 2 does not"),
        (("1", " "), "empty cells in row 2"),
    ],
)
def test_what_is_no_time_is_named_by_row(cells, message):
    assert message in refusal(*cells)


def test_mixed_zones_are_refused_naming_rows():
    text = refusal("2012-04-03T18:00", "2012-04-03T18:00Z", "2012-04-03T18:00", "2012-04-03T18:00")
    assert "with a time zone (row 2) and without one (rows 1, 3, 4)" in text


def test_out_of_range_in_parquet():
    for unit, ticks in (("s", 253402300800), ("s", -62135596801), ("us", 2**62), ("s", 2**62), ("ms", -(2**62))):
        column = pa.chunked_array([pa.array([0, ticks]).cast(pa.timestamp(unit))])
        with pytest.raises(SchemaError, match="out of range in row 2"):
            parse_times("v", "time", column)
    with pytest.raises(SchemaError, match="out of range in row 1"):
        parse_times("v", "time", pa.chunked_array([pa.array([2**63], pa.uint64())]))
    with pytest.raises(SchemaError, match="out of range in row 1"):
        parse_times("v", "time", pa.chunked_array([pa.array([2_932_897], pa.int32()).cast(pa.date32())]))


def test_days_and_weeks_of_a_zone():
    times = parse("2024-03-30T23:30:00Z", "2024-03-31T22:30:00Z", "2024-04-01T00:00:00Z")
    assert split_periods(times, "day", "UTC")[1] == ["2024-03-30", "2024-03-31", "2024-04-01"]
    # Athens is two hours ahead in March, three from the 31st on.
    codes, names = split_periods(times, "day", "Europe/Athens")
    assert codes.tolist() == [0, 1, 1]
    assert names == ["2024-03-31", "2024-04-01"]
    assert split_periods(times, "week", "UTC")[1] == ["2024-W13", "2024-W14"]


@given(st.lists(st.dates(datetime.date(1900, 1, 1), datetime.date(2100, 1, 1)), min_size=1, max_size=9))
def test_weeks_are_those_of_iso_8601(dates):
    codes, names = split_periods(parse(*(date.isoformat() for date in dates)), "week", "UTC")
    assert [names[code] for code in codes] == [f"{d.isocalendar()[0]}-W{d.isocalendar()[1]:02}" for d in dates]
