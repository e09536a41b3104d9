"""Tables are read as they are: ids stay text, whatever the delimiter, packing or format."""

import gzip
import lzma

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.readers.tables import detect_delimiter, parse_table, read_table

ROWS = [{"person": "007", "place": "NA"}, {"person": "1e5", "place": "=2+3"}]


@pytest.mark.parametrize("delimiter", [",", ";", "\t"])
@pytest.mark.parametrize("pack", [("", bytes), (".gz", gzip.compress), (".xz", lzma.compress)])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_csv_cells_stay_text(tmp_path, delimiter, pack, end):
    suffix, packed = pack
    text = end.join(delimiter.join(row) for row in [("person", "place"), *(r.values() for r in ROWS)])
    file = tmp_path / f"visits.csv{suffix}"
    file.write_bytes(packed(text.encode()))
    assert read_table(file).to_pylist() == ROWS


def test_parquet_and_json_lines(tmp_path):
    pq.write_table(pa.Table.from_pylist(ROWS), tmp_path / "v.parquet")
    assert read_table(tmp_path / "v.parquet").to_pylist() == ROWS
    (tmp_path / "v.jsonl").write_text('{"person": "007", "place": "NA"}\n\n{"person": "1e5", "place": "=2+3"}\n')
    assert read_table(tmp_path / "v.jsonl").to_pylist() == ROWS


def test_json_text_that_looks_like_a_date_stays_text():
    data = b'{"place": "2020-01-01"}\n{"place": "2020-01-01T00:00:00"}\n'
    assert parse_table("v", data, "jsonl").column("place").to_pylist() == ["2020-01-01", "2020-01-01T00:00:00"]


def test_byte_order_mark_blanks_in_names_and_missing_names():
    table = parse_table("v", b"\xef\xbb\xbf person , place ,\n7,a,x\n", "csv")
    assert table.column_names == ["person", "place", "column3"]


def test_format_and_delimiter_can_be_told(tmp_path):
    file = tmp_path / "visits.bin"
    file.write_text("person|place\n7|a\n")
    with pytest.raises(SchemaError, match=r"visits\.bin: the extension is not that of a known format"):
        read_table(file)
    assert read_table(file, format="csv", delimiter="|").to_pylist() == [{"person": "7", "place": "a"}]
    with pytest.raises(ParameterError, match="format= must be one of"):
        read_table(file, format="xls")
    with pytest.raises(ParameterError, match="delimiter= must be one character"):
        read_table(file, format="csv", delimiter="||")


def test_header_can_be_given(tmp_path):
    assert parse_table("v", b"7,a\n8,b\n", "csv", header=["person", "place"]).num_rows == 2
    assert parse_table("v", b"7,a\n8,b\n", "csv", header=False).column_names == ["column1", "column2"]
    with pytest.raises(SchemaError, match="names 1 columns, the file has 2"):
        parse_table("v", b"7,a\n", "csv", header=["person"])


def test_other_encodings_can_be_told():
    assert parse_table("v", "p\ncafé\n".encode("latin-1"), "csv", encoding="latin-1").to_pylist() == [{"p": "café"}]
    assert parse_table("v", "p\ncafé\n".encode("utf-16"), "csv", encoding="utf-16").to_pylist() == [{"p": "café"}]


def test_quotes_hold_delimiters_line_breaks_and_quotes():
    data = b'person,place\n"a,b","say ""hi""\nthere"\nx,12" pipe\n'
    assert parse_table("v", data, "csv").to_pylist() == [
        {"person": "a,b", "place": 'say "hi"\nthere'},
        {"person": "x", "place": '12" pipe'},
    ]


def test_a_line_break_in_a_name_does_not_turn_ids_into_numbers():
    table = parse_table("v", b'"per\nson",place,id\na,b,007\n', "csv")
    assert table.column("id").to_pylist() == ["007"]


@pytest.mark.parametrize(
    "data", [b'p,q\na,"b\nc,d\n', b'p,q\na,"b"c\n', b'p,q\n"a,b\nc,d\n"e",f\n'], ids=["open", "early", "swallowing"]
)
def test_a_quote_that_is_not_closed_is_refused(data):
    with pytest.raises(SchemaError, match=r"v: a quoted cell is not closed.* line \d"):
        parse_table("v", data, "csv")


def test_uneven_rows_are_counted_without_the_header():
    with pytest.raises(SchemaError, match="row 2 has 3 cells, the first line has 2"):
        parse_table("v", b"p,q\na,b\na,b,c\n", "csv")
    with pytest.raises(SchemaError, match="row 2 has 1 cell, the first line has 2"):
        parse_table("v", b"a,b\nc\n", "csv", header=["p", "q"])


@pytest.mark.parametrize(
    ("lines", "found"),
    [
        (["a,b;c"], ","),
        (["person;x;y", "7;1,5;2,5"], ";"),
        (["a\tb,c", "d\te"], "\t"),
        (['"x;y;z",b', '"u",c'], ","),
        (["alone"], ","),
    ],
)
def test_delimiter_is_the_one_lines_agree_on(lines, found):
    assert detect_delimiter(lines) == found


@pytest.mark.parametrize(
    ("data", "message"),
    [
        (b'{"p": "a"}\n{"p": 7}\n', "column 'p' is text in one line and number in line 2"),
        (b'{"p": "a"}\n[1]\n', "line 2 is not"),
        (b'{"p": "a", "p": "b"}\n', "line 1 is not"),
        (b'{"p": "a"}\n{"p": "b\n', "line 2 is not"),
    ],
)
def test_bad_json_lines_name_the_line(data, message):
    with pytest.raises(SchemaError, match=message):
        parse_table("v", data, "jsonl")


cell = st.text(st.characters(blacklist_categories=["Cs"], blacklist_characters="\0"), max_size=8)


@given(st.lists(st.tuples(cell, cell), min_size=1, max_size=8))
def test_any_text_survives_quoting(rows):
    quoted = "\n".join(",".join('"' + c.replace('"', '""') + '"' for c in row) for row in rows)
    table = parse_table("v", f'"p","q"\n{quoted}\n'.encode(), "csv")
    assert [tuple(r.values()) for r in table.to_pylist()] == rows
