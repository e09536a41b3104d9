"""Bad files of sets get a clear error that names columns, rows or lines, and never shows a value of the data."""

import contextlib
import functools
import random

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings
from tests.kinds.sets.naive.files import CANARY, GOOD, HEADER, people, write_and_read, write_and_refuse

from sfumato.exceptions import ParameterError, SfumatoError
from sfumato.kinds.sets.reader import read
from sfumato.readers.options import ReadOptions


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


@pytest.fixture
def refuse(tmp_path):
    return functools.partial(write_and_refuse, tmp_path)


def test_the_good_rows_are_good(reader):
    assert len(reader(HEADER + GOOD)) == 2


@pytest.mark.parametrize("name", ["b.dat", "b.spmf"])
@pytest.mark.parametrize("content", ["", "\n \n", "\ufeff"])
def test_empty_files(refuse, name, content):
    assert f"{name}: the file is empty" in refuse(content, name)


@pytest.mark.parametrize("format", ["transactions", "amnesia", "spmf"])
def test_texts_without_an_item(refuse, format):
    text = {"transactions": ",,\n,\n", "amnesia": "codes\n|\n\n|", "spmf": "-2\n-2\n"}[format]
    assert "there are no items in the file" in refuse(text, "b.txt", format=format)


def test_formats_and_options_of_other_kinds(refuse):
    with pytest.raises(
        ParameterError,
        match="format= must be one of csv, parquet, jsonl, xlsx, xes, gpx, geojson, spmf, got 'transactions'",
    ):
        ReadOptions("sequences", format="transactions")
    with pytest.raises(ParameterError, match="separator= does not apply to trajectories"):
        ReadOptions("trajectories", separator=";")
    with pytest.raises(ParameterError, match="Did you mean format='transactions'"):
        ReadOptions("sets", format="transaction")
    for option in ({"split": "day"}, {"monitored": ("a",)}, {"places": "grid:4"}):
        with pytest.raises(ParameterError, match="does not apply to sets"):
            ReadOptions.of("sets", option)
    with pytest.raises(ParameterError, match="separator= must be one character"):
        ReadOptions("sets", separator="ab")
    told = refuse("1 2\n", error=ParameterError, format="transactions", drop=["x"])
    assert "columns=, header= and drop= do not apply to format='transactions'" in told


def test_text_that_is_not_utf8(refuse, reader):
    assert "text must be UTF-8, line 4 is not" in refuse((HEADER + GOOD + f"{CANARY}\xe9,a\n").encode("latin-1"))
    latin = f"a b\n{CANARY}\xe9\n".encode("latin-1")
    assert "text must be UTF-8, line 2 is not" in refuse(latin, "b.txt", format="transactions")
    assert "line 2 has a NUL byte" in refuse(b"1 2\n3\0\n", "b.dat")
    assert people(reader(latin, "b.txt", format="transactions", encoding="latin-1"))["2"] == [f"{CANARY}\xe9"]


@pytest.mark.parametrize(("header", "role"), [("item", "person"), ("person", "item")])
def test_missing_columns(refuse, header, role):
    assert f"there is no column for the {role}" in refuse(f"{header},x\n{CANARY},1\n", drop=["x"])


def test_duplicate_and_unknown_columns(refuse):
    assert "column 3 repeats an earlier name" in refuse(f"person,item,item\n{CANARY},2,a\n")
    assert "columns 'product' and 'sku' could both be item" in refuse(f"person,product,sku\n{CANARY},a,b\n")
    assert "columns 'item' and 'items' could both hold the items" in refuse(f"person,item,items\n{CANARY},a,b\n")
    assert "column 'itme' has no role" in refuse(f"person,itme\n{CANARY},{CANARY}\n")
    assert "column 'price' has no role" in refuse(f"person,item,price\n{CANARY},{CANARY},3\n")
    told = refuse(HEADER + GOOD, error=ParameterError, columns={"place": "item"})
    assert "has no role 'place'" in told
    assert "row 3 has 3 cells, the first line has 2" in refuse(HEADER + GOOD + f"{CANARY},b,c\n")


@pytest.mark.parametrize("column", ["person", "item"])
@pytest.mark.parametrize("blank", ["", "  "])
def test_empty_cells(refuse, column, blank):
    row = {"person": CANARY, "item": CANARY, column: blank}
    told = refuse(HEADER + GOOD + ",".join(row.values()) + "\n")
    assert f"column '{column}' has empty cells in row 3" in told


def test_items_that_are_too_long(refuse):
    label = CANARY * 120_000
    assert "column 'item': a label may have at most 1,000 characters" in refuse(HEADER + GOOD + f"p,{CANARY * 200}\n")
    told = refuse(f"a b\n\nc {label}\n", "b.txt", format="transactions")
    assert "b.txt: an item must have at most 1,000 characters; look at line 3" in told
    assert "look at line 3" in refuse(f"codes\na\nb|{label}\n", "b.txt", format="amnesia")
    assert "column 'items': an item must have at most 1,000 characters; look at row 2" in refuse(
        f"person,items\n1,a\n2,b;{CANARY * 200}\n"
    )


def test_columns_of_a_wrong_type(refuse, tmp_path):
    for column, values in (("person", [1.5]), ("item", [1.5]), ("item", [[1.5]]), ("person", [[CANARY]])):
        cells = {"person": [CANARY], "item": [CANARY], column: values}
        pq.write_table(pa.table(cells), tmp_path / "c.parquet")
        assert f"column '{column}' must hold" in refuse((tmp_path / "c.parquet").read_bytes(), "c.parquet")
    pq.write_table(pa.table({"person": [CANARY], "items": [["a\0b"]]}), tmp_path / "c.parquet")
    assert "an item must hold no NUL character; look at row 1" in refuse(
        (tmp_path / "c.parquet").read_bytes(), "c.parquet"
    )


def test_formulas_and_na_are_values(reader):
    assert people(reader(HEADER + "NA,=1+1\n@SUM(A1),NA\n")) == {"NA": ["=1+1"], "@SUM(A1)": ["NA"]}


FORMATS = [None, "csv", "transactions", "spmf", "amnesia"]


@given(st.binary(max_size=60), st.sampled_from(["c.csv", "c.parquet", "c.jsonl", "c.dat"]), st.sampled_from(FORMATS))
@settings(max_examples=150)
def test_any_bytes_end_in_a_dataset_or_one_of_our_errors(tmp_path_factory, content, name, format):
    file = tmp_path_factory.mktemp("fuzz") / name
    file.write_bytes(content)
    with contextlib.suppress(SfumatoError):
        read(file, ReadOptions("sets", format=format))


@given(st.text(alphabet='12a,;|\t -@#%"\r\n<>', max_size=60), st.sampled_from(FORMATS))
@settings(max_examples=150)
def test_any_text_ends_in_a_dataset_or_one_of_our_errors(tmp_path_factory, content, format):
    file = tmp_path_factory.mktemp("fuzz") / "c.txt"
    file.write_text(content, encoding="utf-8")
    with contextlib.suppress(SfumatoError):
        data = read(file, ReadOptions("sets", format=format))
        assert all(len(set(row)) == len(row) > 0 for row in data.history().lists())


GOOD_FILES = {
    "c.csv": HEADER + GOOD * 3,
    "d.csv": f"person,items\n{CANARY},{CANARY};{CANARY}b\n" * 3,
    "c.spmf": "@ITEM=1=Q7canaryZ\n" + "1 -1 2 3 -1 -2\n" * 3,
    "c.dat": "1 2\n3\n4 5 6\n" * 3,
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
        read(tmp_path / name, ReadOptions("sets"))
    except SfumatoError as error:
        assert CANARY not in str(error)
