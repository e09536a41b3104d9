"""Bad input gets a clear error that names columns and rows, and never shows a value of the data."""

import contextlib
import gzip
import lzma
import random
import traceback

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.examples import settings

from sfumato.exceptions import ParameterError, SchemaError, SfumatoError
from sfumato.kinds.trajectories.reader import read
from sfumato.readers.options import ReadOptions
from sfumato.readers.tables import read_table

CANARY = "Q7canaryZ"
HEADER = "person,time,place,x,y\n"
GOOD = f"{CANARY},1,{CANARY},1.5,2\n{CANARY}b,2,{CANARY}c,1.5,2\n"


@pytest.fixture
def refuse(tmp_path):
    """Read a bad file; return the message after making sure that no cell shows in it or its traceback."""

    def refused(content, name="visits.csv", error=SchemaError, **options):
        data = content if isinstance(content, bytes) else content.encode()
        (tmp_path / name).write_bytes(data)
        before = sorted(path.name for path in tmp_path.iterdir())
        with pytest.raises(error) as caught:
            read(tmp_path / name, ReadOptions.of("trajectories", options))
        shown = "".join(traceback.format_exception(caught.value))
        assert CANARY not in shown
        assert sorted(path.name for path in tmp_path.iterdir()) == before
        return str(caught.value)

    return refused


def test_the_good_rows_are_good(tmp_path):
    (tmp_path / "visits.csv").write_text(HEADER + GOOD)
    assert len(read(tmp_path / "visits.csv", ReadOptions("trajectories"))) == 2


# files


def test_a_path_with_a_nul_byte():
    with pytest.raises(SchemaError, match="cannot be read"):
        read("visits\0.csv", ReadOptions("trajectories"))


@pytest.mark.parametrize("end", ["", "\n", "\r\n"])
def test_a_header_only(refuse, end):
    assert "visits.csv: there are no rows." in refuse(HEADER.strip() + end)


def test_a_parquet_file_without_rows(refuse, tmp_path):
    table = pa.table({"person": pa.array([], pa.string()), "place": pa.array([], pa.string())})
    pq.write_table(table, tmp_path / "v.parquet")
    assert "there are no rows" in refuse((tmp_path / "v.parquet").read_bytes(), "v.parquet")


def test_truncated_parquet(refuse, tmp_path):
    pq.write_table(pa.table({"person": [CANARY] * 99, "place": [CANARY] * 99}), tmp_path / "v.parquet")
    whole = (tmp_path / "v.parquet").read_bytes()
    for cut in (4, len(whole) // 2, len(whole) - 1):
        assert "not a complete Parquet file" in refuse(whole[:cut], "v.parquet")
    middle = bytearray(whole)
    middle[10:60] = bytes(50)
    (tmp_path / "v.parquet").write_bytes(bytes(middle))
    with pytest.raises(SfumatoError):
        read(tmp_path / "v.parquet", ReadOptions("trajectories"))


@pytest.mark.parametrize("pack", [(".gz", gzip.compress), (".xz", lzma.compress)])
def test_truncated_and_damaged_packing(refuse, pack):
    suffix, packed = pack
    whole = packed((HEADER + GOOD * 500).encode())
    assert "truncated or damaged" in refuse(whole[: len(whole) // 2], f"v.csv{suffix}")
    damaged = bytearray(whole)
    damaged[len(whole) // 2] ^= 0xFF
    assert "truncated or damaged" in refuse(bytes(damaged), f"v.csv{suffix}")


def test_a_file_that_is_not_packed_as_its_name_says(refuse):
    assert "the extension is .gz, but the content is not compressed that way" in refuse(HEADER + GOOD, "v.csv.gz")


def test_text_that_is_not_utf8_names_the_line(refuse):
    content = (HEADER + GOOD).encode() + f"{CANARY}\xe9,1,a,1,2\n".encode("latin-1")
    assert "visits.csv: text must be UTF-8, line 4 is not." in refuse(content)
    assert "line 1 is not" in refuse((HEADER + GOOD).encode("utf-16"))
    assert "text must be utf-16" in refuse((HEADER + GOOD + "x").encode(), encoding="utf-16")


def test_nul_bytes_name_the_line(refuse):
    assert "line 3 has a NUL byte" in refuse(HEADER + GOOD.replace("b,2", "\0b,2"))
    assert "column 'person' has labels with a NUL character in row 1" in refuse(
        f'{{"person": "{CANARY}\\u0000", "place": "a"}}', "v.jsonl"
    )


def test_csv_named_as_parquet_and_the_other_way_round(refuse, tmp_path):
    assert "not a complete Parquet file" in refuse(HEADER + GOOD, "v.parquet")
    pq.write_table(pa.table({"person": [CANARY], "place": [CANARY]}), tmp_path / "v.parquet")
    assert "v.csv: " in refuse((tmp_path / "v.parquet").read_bytes(), "v.csv")


# columns


def test_missing_columns(refuse):
    assert "there is no column for the person" in refuse(f"time,place\n1,{CANARY}\n")
    assert "there is no column for the place. Name it:" in refuse(f"person,time\n{CANARY},1\n")
    assert "there is a column for x but none for y" in refuse(f"person,place,x\n{CANARY},{CANARY},1\n")
    told = refuse(f"person,time,venu\n{CANARY},1,{CANARY}\n", columns={"place": "venue"})
    assert "there is no column 'venue'. The nearest one is 'venu'." in told


def test_coordinates_without_place_say_how_to_derive_places(refuse):
    assert "places='grid:500m'" in refuse(f"person,time,x,y\n{CANARY},1,1,2\n")


def test_derived_places_need_coordinates(refuse):
    assert "places='grid:500m' needs coordinates" in refuse(f"person,place\n{CANARY},{CANARY}\n", places="grid:500m")


def test_duplicate_columns(refuse, tmp_path):
    assert "column 3 repeats an earlier name" in refuse(f"person,place,place\n{CANARY},a,b\n")
    table = pa.Table.from_arrays([pa.array([CANARY]), pa.array(["a"]), pa.array(["b"])], ["person", "place", "place"])
    pq.write_table(table, tmp_path / "v.parquet")
    assert "column 3 repeats an earlier name" in refuse((tmp_path / "v.parquet").read_bytes(), "v.parquet")
    assert "columns 'user' and 'uid' could both be person" in refuse(f"user,uid,place\n{CANARY},2,a\n")
    assert "columns 'x' and 'lon' could both be x" in refuse(f"person,place,x,y,lon,lat\n{CANARY},a,1,1,2,2\n")


def test_unknown_columns_with_the_nearest_known_name(refuse):
    text = refuse(f"person,plcae\n{CANARY},{CANARY}\n")
    assert "column 'plcae' has no role" in text
    assert "The nearest known name is 'place'." in text
    several = refuse(f"person,place,speed,mood\n{CANARY},a,1,{CANARY}\n")
    assert "columns 'speed', 'mood' have no role" in several


def test_unknown_roles_and_conflicting_options(refuse):
    content = HEADER + GOOD
    told = refuse(content, error=ParameterError, columns={"palce": "place"})
    assert "has no role 'palce'. Roles: " in told
    assert "gives the role 'x' twice" in refuse(content, error=ParameterError, columns={"x": "x", "lon": "y"})
    twice = refuse(content, error=ParameterError, columns={"x": "x", "y": "x"})
    assert "gives the column 'x' twice" in twice
    both = refuse(content, error=ParameterError, columns={"place": "place"}, drop=["place"])
    assert "Column 'place' has a role in columns= and is in drop=" in both
    assert "there is no column 'tiem'. The nearest one is 'time'." in refuse(content, drop=["tiem"])


def test_a_wrong_delimiter(refuse):
    assert "The file has one column: check delimiter=" in refuse(HEADER + GOOD, delimiter=";")
    assert "check delimiter=" in refuse(HEADER + GOOD, delimiter=";", columns={"person": "person"})


def test_data_taken_for_a_header_are_not_shown(refuse):
    assert "no column has a known name" in refuse(f"{CANARY},{CANARY}a\n{CANARY},b\n")
    assert "column 2 has a number or date in the place of a name" in refuse(f"{CANARY},5\n{CANARY},6\n")
    assert "column 2 has a number or date" in refuse(f"{CANARY},2020-01-01 10:00\n{CANARY},2020-01-01\n", drop="*")


def test_uneven_rows(refuse):
    assert "row 2 has 2 cells, the first line has 5" in refuse(HEADER + GOOD.splitlines()[0] + f"\n{CANARY},{CANARY}\n")


def test_an_open_quote(refuse):
    assert "a quoted cell is not closed" in refuse(HEADER + f'"{CANARY},1,a,1,2\n' + GOOD)


def test_wrong_json(refuse):
    assert "line 2 is not" in refuse(f'{{"person": "a", "place": "b"}}\n{{"person": "{CANARY}\n', "v.jsonl")
    mixed = refuse(f'{{"person": "{CANARY}", "place": "b"}}\n{{"person": 7, "place": "b"}}\n', "v.jsonl")
    assert "column 'person' is text in one line and number in line 2" in mixed
    assert "line 1 is not" in refuse(f'[{{"person": "{CANARY}"}}]', "v.json")


# cells


def test_wrong_types(refuse, tmp_path):
    assert "column 'x' must hold numbers with a decimal point; row 3 does not" in refuse(
        HEADER + GOOD + f"{CANARY},3,a,{CANARY},2\n"
    )
    assert "column 'time': row 3 cannot be read as a time" in refuse(
        HEADER + f"{CANARY},2020-01-01,a,1,2\n" * 2 + f"{CANARY},{CANARY},a,1,2\n"
    )
    for column, message in (
        (pa.array([1.5]), "column 'person' must hold labels"),
        (pa.array([[CANARY]]), "column 'person' must hold labels"),
        (pa.array([{"a": CANARY}]), "column 'person' must hold labels"),
    ):
        pq.write_table(pa.table({"person": column, "place": ["a"]}), tmp_path / "v.parquet")
        assert message in refuse((tmp_path / "v.parquet").read_bytes(), "v.parquet")


@pytest.mark.parametrize("column", ["person", "time", "place", "x", "y"])
@pytest.mark.parametrize("blank", ["", "  "])
def test_empty_cells(refuse, column, blank):
    row = {"person": CANARY, "time": "3", "place": CANARY, "x": "1", "y": "2", column: blank}
    assert f"column '{column}' has empty cells in row 3" in refuse(HEADER + GOOD + ",".join(row.values()) + "\n")


def test_missing_cells_of_json_and_parquet(refuse):
    text = f'{{"person": "{CANARY}", "place": "a"}}\n{{"person": "{CANARY}"}}\n{{"place": "a"}}\n'
    assert "column 'person' has empty cells in row 3" in refuse(text, "v.jsonl")


@pytest.mark.parametrize("value", ["nan", "NaN", "inf", "-Infinity", "1e999"])
def test_nan_and_infinite_coordinates(refuse, value):
    for row, column in ((f"{CANARY},3,a,{value},2\n", "x"), (f"{CANARY},3,a,1,{value}\n", "y")):
        assert f"column '{column}' must hold finite numbers; row 3 does not" in refuse(HEADER + GOOD + row)


def test_degrees_out_of_range(refuse):
    text = f"person,place,lat,lon\n{CANARY},a,1,2\n{CANARY},a,91.5,2\n"
    assert "column 'lat' must hold numbers from -90 to 90; row 2 does not" in refuse(text)


@pytest.mark.parametrize("time", ["0000-12-31", "10000-01-01", "99999999999999999999", "-0005-01-01T00:00:00"])
def test_times_out_of_range(refuse, time):
    others = "7" if time.isdigit() else "2020-01-01"
    text = f"person,time,place\n{CANARY},{others},a\n{CANARY},{time},{CANARY}\n"
    message = refuse(text)
    assert "column 'time'" in message
    assert "out of range in row 2" in message
    assert time not in message


def test_mixed_time_zones(refuse):
    text = f"person,time,place\n{CANARY},2020-01-01T00:00,a\n{CANARY},2020-01-01T00:00+02:00,b\n"
    assert "mixes times with a time zone (row 2) and without one (row 1)" in refuse(text)


@pytest.mark.parametrize("length", [1_001, 200_000, 1_000_000])
@pytest.mark.parametrize("quote", ["", '"'])
def test_labels_that_are_too_long(refuse, length, quote):
    label = (CANARY * (length // len(CANARY) + 1))[:length]
    message = refuse(HEADER + GOOD + f"p,3,{quote}{label}{quote},1,2\n")
    assert f"column 'place': a label may have at most 1,000 characters, found {length:,} in row 3" in message
    assert len(message) < 400


@pytest.mark.parametrize("name", ["visits.csv", "visits.jsonl"])
def test_a_line_of_many_megabytes(refuse, name):
    label = CANARY * 4_000_000
    rows = {
        "visits.csv": f"person,place\n{label},a\n{CANARY},b\n{CANARY},c\n",
        "visits.jsonl": f'{{"person": "{label}", "place": "a"}}\n{{"person": "{CANARY}", "place": "b"}}\n',
    }
    message = refuse(rows[name], name)
    assert "16,777,216 bytes" in message or "a label may have at most 1,000 characters" in message
    assert len(message) < 400


def test_a_label_of_the_longest_length_is_fine(tmp_path):
    (tmp_path / "visits.csv").write_text(HEADER + f"p,3,{'é' * 1_000},1,2\n", encoding="utf-8")
    assert len(read(tmp_path / "visits.csv", ReadOptions("trajectories"))) == 1


def test_long_labels_of_people_and_trips(refuse):
    long = CANARY * 200
    assert "column 'user'" in refuse(f"user,tid,place\n{long},1,a\n")
    assert "column 'tid'" in refuse(f"user,tid,place\n1,{long},a\n")


# input that looks bad and is legal


def test_one_person_is_readable(tmp_path):
    (tmp_path / "v.csv").write_text("person,place\n1,a\n")
    assert len(read(tmp_path / "v.csv", ReadOptions("trajectories"))) == 1


def test_formulas_and_na_are_values(tmp_path):
    (tmp_path / "v.csv").write_text("person,place\nNA,=1+1\n=cmd|' /C calc'!A0,NA\n@SUM(A1),null\n")
    data = read(tmp_path / "v.csv", ReadOptions("trajectories"))
    assert data.table.column("person").to_pylist() == ["NA", "=cmd|' /C calc'!A0", "@SUM(A1)"]
    assert data.history().labels == ("=1+1", "NA", "null")


# nothing but our own errors, whatever the bytes


@given(
    st.binary(max_size=60), st.sampled_from(["v.csv", "v.parquet", "v.jsonl", "v.csv.gz", "v.xz", "v.txt", "v.spmf"])
)
@settings(max_examples=150)
def test_any_bytes_end_in_a_dataset_or_one_of_our_errors(tmp_path_factory, content, name):
    file = tmp_path_factory.mktemp("fuzz") / name
    file.write_bytes(content)
    with contextlib.suppress(SfumatoError):
        read(file, ReadOptions("trajectories"))


@pytest.mark.parametrize("seed", range(40))
def test_a_good_file_with_a_few_bytes_changed(tmp_path, seed):
    rng = random.Random(seed)
    content = bytearray((HEADER + GOOD * 3).encode())
    for _ in range(rng.randint(1, 3)):
        content[rng.randrange(len(content))] = rng.choice([0, 10, 13, 34, 44, 45, 59, 92, 200, rng.randrange(256)])
    (tmp_path / "visits.csv").write_bytes(bytes(content))
    try:
        read(tmp_path / "visits.csv", ReadOptions("trajectories"))
    except SfumatoError as error:
        assert CANARY not in str(error)


@pytest.mark.parametrize("text", [b"\x1c", b"\x1c\n", b"\x0b\x0c\x1d"])
def test_only_control_characters(tmp_path, text):
    path = tmp_path / "visits.csv"
    path.write_bytes(text)
    with pytest.raises(SchemaError, match=r"visits\.csv"):
        read_table(path)
