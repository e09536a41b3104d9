"""Bad files of activity data get a clear error that names columns, rows or lines, and never shows a value."""

import contextlib
import functools
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.activity.naive.files import ADL, CANARY, GOOD, HEADER, write_and_read, write_and_refuse

from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.kinds.activity.reader import read
from sfumato.readers.options import ReadOptions

ARAS = "0 " * 20


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


@pytest.fixture
def refuse(tmp_path):
    return functools.partial(write_and_refuse, tmp_path)


def test_the_good_rows_are_good(reader):
    assert len(reader(HEADER + GOOD)) == 1


def test_files_that_are_not_there(tmp_path):
    with pytest.raises(SchemaError, match="there are no files in this directory"):
        read(tmp_path, ReadOptions("activity"))
    (tmp_path / "a.csv").write_text(HEADER + GOOD)
    (tmp_path / "b.csv").write_text("person;activity\n7;sleep\n")
    with pytest.raises(SchemaError, match=r"must have the same header; a\.csv and b\.csv differ"):
        read(tmp_path, ReadOptions("activity"))


@pytest.mark.parametrize(
    "header, told",
    [
        ("person,start,end", "there is no column for the activity"),
        ("person,start,activity", "activities need a start and an end, or only a duration"),
        ("person,start,end,activity,duration", "activities need a start and an end, or only a duration"),
        ("person,start,end,activity,shoes", "column 'shoes' has no role"),
        ("person,strt,end,activity", "column 'strt' has no role"),
        ("persn,strt,ed,actvity", "no column has a known name"),
        ("person,person,start,end,activity", "column 2 repeats an earlier name"),
        ("person,label,start,end,activity", "could both be activity"),
        ("person,strt,ed,actvity", "columns 'strt', 'ed', 'actvity' have no role"),
        ("person,shoes,t1,t2", "column 'shoes' is neither the person nor a slot"),
        ("t1,t3,t9", "no column has a known name"),
    ],
)
def test_missing_and_strange_columns(refuse, header, told):
    cells = ",".join([CANARY] * (header.count(",") + 1))
    assert told in refuse(f"{header}\n{cells}\n")


def test_a_file_without_a_header_does_not_show_its_first_row(refuse):
    refuse(f"{CANARY},2024-01-01T00:00,2024-01-01T08:00,{CANARY}\n" * 3)
    refuse(f"{CANARY},{CANARY},{CANARY}\n" * 3)


@pytest.mark.parametrize(
    "rows, told",
    [
        (f"{CANARY},2024-01-01T08:00,2024-01-01T07:00,{CANARY}\n", "must not end before it begins; look at row 1"),
        (
            f"{CANARY},2024-01-01T00:00,2024-01-01T08:00,{CANARY}\n{CANARY},2024-01-01T07:59,2024-01-01T09:00,{CANARY}\n",
            "must not overlap; look at rows 1, 2 (1 overlaps in all)",
        ),
        (f"{CANARY},2024-01-01,2024-01-01,{CANARY}\n", "all episodes have no length"),
        (f"{CANARY},{CANARY},2024-01-01,{CANARY}\n", "column 'start': row 1 cannot be read as a time"),
        (f"{CANARY},2024-01-01,2024-13-01,{CANARY}\n", "has a date or time that does not exist"),
        (f"{CANARY},2024-01-01,,{CANARY}\n", "column 'end' has empty cells in row 1"),
        (f",2024-01-01,2024-01-02,{CANARY}\n", "column 'person' has empty cells"),
        (f"{CANARY},2024-01-01,2024-01-02, \n", "column 'activity' has empty cells"),
        (f"{CANARY},2024-01-01,2024-01-02,{'x' * 1_001}\n", "at most 1,000 characters"),
        (f"{CANARY},2024-01-01T00:00Z,2024-01-02T00:00,{CANARY}\n", "must both hold dates with a zone"),
        (f"{CANARY},1,2024-01-02T00:00,{CANARY}\n", "dates without one, or numbers"),
        (f"{CANARY},1.5,2,{CANARY}\n", "whole numbers"),
        (f"{CANARY},1,999999999999999,{CANARY}\n", "whole numbers of at most"),
        (f"{CANARY},0001-01-01,9999-01-01,{CANARY}\n", "records times slots must be at most 2,147,483,647"),
        (f"{CANARY},2024-01-01,2024-01-02\n", "cells, the first line has"),
    ],
)
def test_bad_episodes(refuse, rows, told):
    assert told in refuse(HEADER + rows)


def test_overlaps_of_different_people_are_none(reader):
    row = "2024-01-01T00:00,2024-01-01T08:00,a\n"
    assert len(reader(HEADER + "1," + row + "2," + row)) == 2


@pytest.mark.parametrize(
    "options, told",
    [
        ({"start": "noon"}, "start= must be a date"),
        ({"start": "2024-02-30"}, "start= must be a date"),
        ({"start": "25:00"}, "start= must be a date"),
        ({"start": "17"}, "start= must be a date or a time of day where times are dates"),
        ({"start": "2025-01-01"}, "is after all episodes"),
        ({"start": "00:00:30"}, "start= must be a whole minute"),
        ({"faults": "ignore"}, "faults= must be one of error, mend"),
        ({"resolution": "year"}, "resolution= must be one of"),
        ({"split": "month"}, "split= must be one of day, week"),
        ({"gap": ""}, "gap= must not be empty text"),
        ({"slots": "a:b"}, "slots= must name the first and the last"),
        ({"places": "grid:5"}, "places= does not apply to activity"),
        ({"monitored": ("a",)}, "monitored= does not apply to activity"),
        ({"hierarchies": {"activity": "x"}}, "hierarchies= does not apply to activity"),
        ({"format": "spmf"}, "format= must be one of csv, parquet, jsonl, xlsx, xes, gpx, geojson, adl, aras"),
        ({"columns": {"place": "x"}}, "has no role 'place'"),
    ],
)
def test_bad_options(refuse, options, told):
    assert told in refuse(HEADER + GOOD, error=ParameterError, **options)


@pytest.mark.parametrize("kind", ["trajectories", "sequences", "sets", "timeline", "snapshots"])
@pytest.mark.parametrize("option", [{"start": "04:00"}, {"gap": "x"}, {"slots": "a:b"}, {"faults": "mend"}])
def test_other_kinds_have_no_slots(kind, option):
    with pytest.raises(ParameterError, match="does not apply to"):
        ReadOptions(kind, **option)


def test_numbers_have_no_days(refuse):
    for option in ({"split": "day"}, {"start": "2024-01-01"}, {"start": "04:00"}):
        assert "the times are numbers, which have no days" in refuse(HEADER + "7,1,2,a\n", **option)


def test_a_sensitive_activity_that_nobody_does(refuse):
    assert "has a value that does not occur in the data" in refuse(HEADER + GOOD, sensitive=("vacation",))


@pytest.mark.parametrize(
    "text, told",
    [
        ("person,activity,minutes\n7,a,-5\n", "must hold minutes, 0 or more; row 1 does not"),
        ("person,activity,minutes\n7,a,inf\n", "must hold finite numbers"),
        ("person,activity,minutes\n7,a,long\n", "must hold numbers"),
        ("person,activity,minutes\n7,a,0\n", "all episodes have no length"),
    ],
)
def test_bad_diaries(refuse, text, told):
    assert told in refuse(text)
    assert "start= must be" in refuse("person,activity,minutes\n7,a,5\n", error=ParameterError, start="17")


@pytest.mark.parametrize(
    "text, told, options",
    [
        ("person,t1,t2\n7,a,a\n7,b,b\n", "another person in every row; look at rows 1, 2", {}),
        (f"t1,t2\na,{'x' * 1_001}\n", "an activity must have at most 1,000 characters; look at row 1", {}),
        ("00:00,00:10\na,b\n", "slots of 600 seconds do not fit resolution='hour'", {"resolution": "hour"}),
    ],
)  # fmt: skip
def test_bad_slot_columns(refuse, text, told, options):
    assert told in refuse(text, **options)


@pytest.mark.parametrize(
    "options, told",
    [
        ({"split": "day"}, "split= needs episodes"),
        ({"start": "2024-01-01"}, "needs the length of a slot"),
        ({"start": "5", "resolution": "hour"}, "start= must be a date or time of day"),
        ({"start": "00:30", "resolution": "hour"}, "start= must be a whole hour"),
    ],
)
def test_bad_options_for_slot_columns(refuse, options, told):
    assert told in refuse("t1,t2\na,b\n", error=ParameterError, **options)


def test_a_table_of_other_types(tmp_path):
    pq.write_table(pa.table({"t1": [1.5], "t2": [2.5]}), tmp_path / "t.parquet")
    with pytest.raises(SchemaError, match="must hold labels"):
        read(tmp_path / "t.parquet", ReadOptions("activity"))
    pq.write_table(pa.table({"t1": ["a"], "t2": ["b"]}), tmp_path / "t.parquet")
    (tmp_path / "t.parquet").write_bytes((tmp_path / "t.parquet").read_bytes()[:-20])
    with pytest.raises(SchemaError, match="truncated or damaged"):
        read(tmp_path / "t.parquet", ReadOptions("activity"))


@pytest.mark.parametrize(
    "text, told",
    [
        (ADL, "there are no activities below the two header lines"),
        (ADL + f"{CANARY}\n", "look at line 3"),
        (
            ADL + f"2011-11-28 02:00:00\t2011-11-28 01:00:00\t{CANARY}\n",
            "must not end before it begins; look at line 3",
        ),
        (ADL + f"2011-11-28 02:00:00\t2011-11-31 01:00:00\t{CANARY}\n", "a date or time that does not exist"),
    ],
)
def test_bad_adl_files(refuse, text, told):
    assert told in refuse(text, "home.txt")


@pytest.mark.parametrize(
    "text, told",
    [
        (f"{ARAS}1 28\n", "codes from 1 to 27; look at line 1"),
        (f"{ARAS}1 2\n{ARAS}1\n", "row 2 has"),
        (f"{ARAS}1 2\n" * 86_401, "a day has 86,400 seconds"),
    ],
)
def test_bad_aras_files(refuse, text, told):
    assert told in refuse(text, "DAY_1.txt", format="aras")


def test_text_that_is_not_utf8(refuse):
    assert "text must be UTF-8, line 2 is not" in refuse(HEADER.encode() + b"7,1,2,caf\xe9\n")


@settings(max_examples=60)
@given(
    st.integers(0, 2**32),
    st.sampled_from([HEADER + GOOD, "person,t1,t2\n7,a,b\n", ADL + "2011-11-28 02:00:00\t2011-11-28 03:00:00\ta\n"]),
)
def test_damaged_files_are_read_or_refused(tmp_path_factory, seed, text):
    draw = random.Random(seed)
    damaged = bytearray(text.encode())
    for _ in range(draw.randint(1, 6)):
        at = draw.randrange(len(damaged))
        damaged[at : at + draw.randint(0, 3)] = bytes(draw.randrange(256) for _ in range(draw.randint(0, 3)))
        if not damaged:
            break
    with contextlib.suppress(SfumatoError):
        write_and_read(tmp_path_factory.mktemp("damaged"), bytes(damaged), "d.txt")
