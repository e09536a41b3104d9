"""Bad files of sequences get a clear error that names columns and rows, and never shows a value of the data."""

import contextlib
import functools
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sequences.naive.files import (
    AGENT,
    CANARY,
    GOOD,
    HEADER,
    people,
    request,
    write_and_read,
    write_and_refuse,
)

from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.kinds.sequences.reader import read
from sfumato.readers.options import ReadOptions


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


@pytest.fixture
def refuse(tmp_path):
    return functools.partial(write_and_refuse, tmp_path)


def test_the_good_rows_are_good(reader):
    assert len(reader(HEADER + GOOD)) == 2


def test_a_file_of_blanks(refuse):
    assert "the file is empty" in refuse("\x1c\n \n")


def test_text_that_is_not_utf8(refuse):
    assert "text must be UTF-8, line 4 is not" in refuse((HEADER + GOOD + f"{CANARY}\xe9,3,a\n").encode("latin-1"))
    assert "text must be UTF-8, line 2 is not" in refuse(
        (request() + request(f"{CANARY}\xe9")).encode("latin-1"), "a.log"
    )


@pytest.mark.parametrize(
    ("header", "role"), [("time,event", "person"), ("person,event", "time"), ("person,time", "event")]
)
def test_missing_columns(refuse, header, role):
    row = ",".join("1" if name == "time" else CANARY for name in header.split(","))
    assert f"there is no column for the {role}" in refuse(f"{header}\n{row}\n")


def test_duplicate_and_unknown_columns(refuse):
    assert "column 3 repeats an earlier name" in refuse(f"person,time,time,event\n{CANARY},1,2,a\n")
    assert "columns 'url' and 'page' could both be event" in refuse(f"person,time,url,page\n{CANARY},1,a,b\n")
    assert "column 'evnet' has no role" in refuse(f"person,time,evnet\n{CANARY},1,{CANARY}\n")
    told = refuse(HEADER + GOOD, error=ParameterError, columns={"place": "event"})
    assert "has no role 'place'" in told


@pytest.mark.parametrize("column", ["person", "time", "event"])
@pytest.mark.parametrize("blank", ["", "  "])
def test_empty_cells(refuse, column, blank):
    row = {"person": CANARY, "time": "3", "event": CANARY, column: blank}
    told = refuse(HEADER + GOOD + ",".join(row.values()) + "\n")
    assert f"column '{column}' has empty cells in row 3" in told


@pytest.mark.parametrize("time", ["2.5", "-0.1", str(2**53 + 2), "1e300", "9007199254740994.0"])
def test_numbers_that_are_no_times(refuse, time):
    told = refuse(HEADER + GOOD + f"{CANARY},{time},a\n")
    assert "times must be dates, or whole numbers of at most" in told
    assert "look at row 3" in told
    assert time not in told


@pytest.mark.parametrize("time", ["nan", "inf"])
def test_numbers_that_are_not_finite(refuse, time):
    assert "column 'time' must hold finite numbers; row 3 does not" in refuse(HEADER + GOOD + f"{CANARY},{time},a\n")


@pytest.mark.parametrize("time", ["0000-12-31", "10000-01-01", "99999999999999999999"])
def test_times_out_of_range(refuse, time):
    others = "7" if time.isdigit() else "2020-01-01"
    told = refuse(HEADER + f"{CANARY},{others},a\n{CANARY},{time},{CANARY}\n")
    assert "out of range in row 2" in told
    assert time not in told


def test_times_that_cannot_be_read(refuse):
    told = refuse(HEADER + f"{CANARY},2020-01-01,a\n{CANARY},{CANARY},a\n")
    assert "column 'time': row 2 cannot be read as a time" in told
    assert "row 1 has a date or time that does not exist" in refuse(HEADER + f"{CANARY},2023-02-29,a\n")


def test_mixed_time_zones(refuse):
    text = HEADER + f"{CANARY},2020-01-01T00:00,a\n{CANARY},2020-01-01T00:00+02:00,b\n"
    assert "mixes times with a time zone (row 2) and without one (row 1)" in refuse(text)


def test_a_resolution_of_numbers(refuse):
    assert "resolution='day' needs dates, but column 'time' holds numbers" in refuse(HEADER + GOOD, resolution="day")


def test_labels_that_are_too_long(refuse):
    told = refuse(HEADER + GOOD + f"p,3,{CANARY * 200}\n")
    assert "column 'event': a label may have at most 1,000 characters, found 1,800 in row 3" in told


def test_columns_of_a_wrong_type(refuse, tmp_path):
    for column, values in (("person", [1.5]), ("event", [[CANARY]]), ("time", [[CANARY]])):
        cells = {"person": [CANARY], "time": [1], "event": [CANARY], column: values}
        pq.write_table(pa.table(cells), tmp_path / "c.parquet")
        assert f"column '{column}' must hold" in refuse((tmp_path / "c.parquet").read_bytes(), "c.parquet")


def test_formulas_and_na_are_values(reader):
    data = reader(HEADER + "NA,1,=1+1\n@SUM(A1),1,NA\n")
    assert people(data) == {"NA": [("=1+1", 1)], "@SUM(A1)": [("NA", 1)]}


@given(st.binary(max_size=60), st.sampled_from(["c.csv", "c.parquet", "c.jsonl", "c.log", "c.txt", "c.spmf"]))
@settings(max_examples=100)
def test_any_bytes_end_in_a_dataset_or_one_of_our_errors(tmp_path_factory, content, name):
    file = tmp_path_factory.mktemp("fuzz") / name
    file.write_bytes(content)
    for key in (None, "host+agent"):
        with contextlib.suppress(SfumatoError):
            read(file, ReadOptions("sequences", user_key=key))


GOOD_FILES = {
    "c.csv": HEADER + GOOD * 3,
    "d.csv": HEADER + f"{CANARY},2020-01-01T00:00:07Z,{CANARY}\n" * 3,
    "c.spmf": "<1> 1 -1 <2> 2 -1 -2\n" * 3,
    "c.log": request(CANARY, rest=AGENT) * 3,
}


@pytest.mark.parametrize("name", GOOD_FILES)
@pytest.mark.parametrize("seed", range(20))
def test_a_good_file_with_a_few_bytes_changed(tmp_path, name, seed):
    rng = random.Random(seed)
    content = bytearray(GOOD_FILES[name].encode())
    for _ in range(rng.randint(1, 3)):
        content[rng.randrange(len(content))] = rng.choice([0, 10, 13, 34, 44, 45, 59, 92, 200, rng.randrange(256)])
    (tmp_path / name).write_bytes(bytes(content))
    try:
        read(tmp_path / name, ReadOptions("sequences"))
    except SfumatoError as error:
        assert CANARY not in str(error)
