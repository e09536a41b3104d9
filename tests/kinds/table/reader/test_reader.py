"""Tables as they are read: roles, scales, missing values, hierarchies, population, and whose the records are."""

from __future__ import annotations

import csv
import datetime
import functools
import io
import json

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.table.naive.files import GOOD, HEADER, ROLES, plain_cells, write_and_read
from tests.notes import find_note, find_notes, list_sentences

import sfumato as sf
from sfumato.exceptions import SfumatoError
from sfumato.kinds.table.dataset import attribute_of
from sfumato.kinds.table.reader import read, read_attributes
from sfumato.messages import option
from sfumato.readers.options import ReadOptions


@pytest.fixture
def reader(tmp_path):
    return functools.partial(write_and_read, tmp_path)


def scales(data):
    return {column.name: column.scale for column in data.schema.columns}


def cells(data, column):
    return data.table.column(column).to_pylist()


def test_identifiers_never_reach_the_dataset(reader):
    data = reader(HEADER + GOOD, **ROLES)
    assert data.table.column_names == ["age", "sex", "illness"]
    assert [column.role for column in data.schema.columns] == ["quasi-identifier", "quasi-identifier", "sensitive"]
    assert find_note(data.notes, "identifiers-left-out").columns == ("name",)
    assert list_sentences(find_notes(data.notes, "scale-detected")) == [
        "Reading `age` as whole numbers.",
        "Reading `sex` and `illness` as categories.",
    ]
    assert data.unit.is_person


@pytest.mark.parametrize("mark", [",", ";", "\t"])
@pytest.mark.parametrize("begin", ["", "\ufeff"])
@pytest.mark.parametrize("end", ["\n", "\r\n"])
def test_delimiters_byte_order_marks_and_line_ends(reader, mark, begin, end):
    text = begin + (HEADER + GOOD).replace(",", mark).replace("\n", end)
    assert reader(text, **ROLES).table.equals(reader(HEADER + GOOD, **ROLES).table)


def test_parquet_and_json_lines_are_read_like_csv(tmp_path, reader):
    born = [datetime.date(1990, 1, 2), datetime.date(1985, 12, 31), None]
    rows = {"age": [30, None, 41], "weight": [70.5, 80.0, None], "smokes": [True, False, True], "born": born}
    rows["stay"] = [datetime.datetime(2024, 1, 2), datetime.datetime(2024, 1, 3), None]
    table = pa.table(rows).append_column("sex", pa.array(["f", "m", "f"]).dictionary_encode())
    pq.write_table(table, tmp_path / "people.parquet")
    lines = [{k: v.isoformat()[:10] if hasattr(v, "isoformat") else v for k, v in r.items()} for r in table.to_pylist()]
    (tmp_path / "people.jsonl").write_text("\n".join(map(json.dumps, lines)))
    text = (
        "age,weight,smokes,born,stay,sex\n30,70.5,true,1990-01-02,2024-01-02,f\n,80.0,false,1985-12-31,2024-01-03,m\n"
    )
    plain = reader(text + "41,,true,,,f\n", quasi="age,weight,smokes,born,stay,sex")
    for file in ("people.parquet", "people.jsonl"):
        data = sf.read(tmp_path / file, "table", quasi="age,weight,smokes,born,stay,sex")
        assert data.table.to_pydict() == plain.table.to_pydict()
        assert scales(data) == scales(plain)
    assert list(scales(plain).values()) == ["integer", "decimal", "categorical", "date", "date", "categorical"]


@pytest.mark.parametrize(
    ("values", "scale", "found"),
    [
        (["1", " 2 ", "+3", "-0"], "integer", ["1", "2", "3", "0"]),
        (["1.50", "2", "1e3", ".5"], "decimal", ["1.5", "2.0", "1000.0", "0.5"]),
        (["0.5", "-0.0"], "decimal", ["0.5", "0.0"]),
        (["01067", "80331"], "categorical", ["01067", "80331"]),
        (["2024-02-29", "1999-12-31"], "date", ["2024-02-29", "1999-12-31"]),
        (["29.02.2024", "1.3.1999"], "date", ["2024-02-29", "1999-03-01"]),
        (["12/31/1999", "01/02/2000"], "date", ["1999-12-31", "2000-01-02"]),
        (["2024-02-29 10:00", "2024-03-01 11:00"], "categorical", ["2024-02-29 10:00", "2024-03-01 11:00"]),
        (["01/02/2000", "03/04/2000"], "categorical", ["01/02/2000", "03/04/2000"]),
        (["1", "x"], "categorical", ["1", "x"]),
        (["9007199254740992", "1"], "integer", ["9007199254740992", "1"]),
        ([" a", "a "], "categorical", ["a", "a"]),
        (["٣", "4"], "categorical", ["٣", "4"]),
    ],
)
def test_scales_are_told_by_the_look_of_values(reader, values, scale, found):
    data = reader("a\n" + "\n".join(values), quasi="a")
    assert (scales(data)["a"], cells(data, "a")) == (scale, found)


@pytest.mark.parametrize(
    ("values", "given", "scale", "found"),
    [
        (["01067", "80331"], "numeric", "integer", ["1067", "80331"]),
        (["1.0", "2.0"], "integer", "integer", ["1", "2"]),
        (["1", "2"], "decimal", "decimal", ["1.0", "2.0"]),
        (["1", "2"], "categorical", "categorical", ["1", "2"]),
        (["2024-02-29 10:00", "2024-03-01"], "date", "date", ["2024-02-29", "2024-03-01"]),
        (["mid", "low"], "low<mid<high", "ordered", ["mid", "low"]),
        ([">50K", "<=50K"], r"\<=50K < >50K", "ordered", [">50K", "<=50K"]),
    ],
)
def test_scales_can_be_given(reader, values, given, scale, found):
    data = reader("a\n" + "\n".join(values), quasi="a", scales={"a": given})
    assert (scales(data)["a"], cells(data, "a")) == (scale, found)
    again = reader("a\n" + "\n".join(values), **{k: v for k, v in data.read_options.items() if k != "kind"})
    assert again.schema == data.schema
    assert again.table.equals(data.table)


def test_what_was_guessed_is_kept_for_the_next_file(reader):
    data = reader("a,b\n1.5,01\n2,10\n", quasi="a,b")
    assert data.read_options["scales"] == {"a": "decimal", "b": "categorical"}
    later = reader("a,b\n1,1\n2,10\n", **{k: v for k, v in data.read_options.items() if k != "kind"})
    assert scales(later) == scales(data)


@given(
    rows=st.lists(
        st.tuples(*[st.one_of(st.none(), st.sampled_from([" ", "?", "NA", "a", " a", "b c", "7", "x,y", 'q"q']))] * 2),
        min_size=1,
        max_size=12,
    ),
    empty=st.sets(st.sampled_from(["?", "NA", "b c"])),
)
def test_missing_cells_are_a_value_of_their_own(tmp_path_factory, rows, empty):
    text = io.StringIO()
    csv.writer(text).writerows([("first", "second"), *rows])
    path = tmp_path_factory.mktemp("missing") / "people.csv"
    path.write_text(text.getvalue())
    options = {"quasi": ("first",), "plain": ("second",), "empty": tuple(empty)}
    data = read(path, ReadOptions.of("table", options | {"scales": dict.fromkeys(("first", "second"), "categorical")}))
    wanted = plain_cells(rows, empty)
    assert [list(row.values()) for row in data.table.to_pylist()] == wanted
    for at, column in enumerate(("first", "second")):
        count = sum(row[at] == "" for row in wanted)
        empty_notes = [*find_notes(data.notes, "empty-cells-kept"), *find_notes(data.notes, "column-empty")]
        assert sum(note.columns == (column,) for note in empty_notes) == (count > 0)
        assert (attribute_of(data, column).codes < 0).sum() == count


def test_notes_count_empty_cells(reader):
    data = reader("age,sex\n,f\n1,\n,m\n", quasi="age,sex")
    assert list_sentences(find_notes(data.notes, "empty-cells-kept")) == [
        "2 empty cells in `age` are kept as a separate value.",
        "1 empty cell in `sex` is kept as a separate value.",
    ]
    assert find_note(reader("a,b\n1,\n2,\n", quasi="a,b").notes, "column-empty").columns == ("b",)


def test_a_number_column_with_some_text_is_doubted(reader):
    data = reader("age\n30\n41\nold\n25\n", quasi="age")
    assert scales(data) == {"age": "categorical"}
    details = find_note(data.notes, "mixed-numbers").details
    assert (details["others"], details["rows"]) == ("1", "row 3")


def test_column_names_with_commas_spaces_and_quotes(reader):
    text = '"age, in years",sex\n30,f\n'
    for quasi in ('"age, in years",sex', ("age, in years", "sex")):
        assert reader(text, quasi=quasi).table.column_names == ["age, in years", "sex"]


def test_columns_can_be_dropped_one_by_one_or_all(reader):
    for drop in ("name,illness", ("name", "illness"), "*"):
        data = reader(HEADER + GOOD, quasi="age,sex", drop=drop)
        assert data.table.column_names == ["age", "sex"]
        assert find_note(data.notes, "columns-left-out").columns == ("name", "illness")


def test_identifiers_that_repeat_say_that_a_record_is_no_person(reader):
    text = HEADER + GOOD + GOOD.partition("\n")[0] + "\n"
    data = reader(text, **ROLES)
    assert find_note(data.notes, "identifier-repeats").details == {"option": option("columns", {"owner": "name"})}
    assert data.unit.owner == "person"
    assert data.people is None
    owned = reader(text, **{**ROLES, "identifier": ()}, columns={"owner": "name"})
    assert owned.person_codes().tolist() == [0, 1, 2, 0]
    assert owned.table.column_names == ["age", "sex", "illness"]
    assert find_note(owned.notes, "owners").counts == {"records": 4, "owners": 3, "most": 2}
    both = reader(text, **ROLES, columns={"owner": "name"})
    assert both.person_codes().tolist() == owned.person_codes().tolist()
    assert reader(text, **ROLES, unit="person").unit.is_person


def test_a_record_is_called_by_the_identifier_that_never_repeats(reader):
    text = "stay_id,patient,age\n1,a,30\n2,a,30\n3,b,40\n"
    data = reader(text, identifier="stay_id", quasi="age", columns={"owner": "patient"})
    assert (data.unit.one, data.unit.owner) == ("stay", "person")
    assert (
        reader(text, identifier="stay_id", quasi="age", columns={"owner": "patient"}, unit="visit of patient").unit.one
        == "visit"
    )


HIERARCHIES = {
    "age": "width:4",
    "weight": "frequency:3",
    "born": "calendar",
    "zip": "mask",
    "job": "fanout:2",
    "sex": "flat",
    "pain": "balanced:2",
}


def test_hierarchies_are_derived_for_every_scale(reader):
    pains = ["low", "mid", "high"]
    rows = [
        f"{20 + i},{50 + i / 2},19{50 + i}-0{1 + i % 9}-11,0{1000 + i},job {i % 7},{'fm'[i % 2]},{pains[i % 3]}"
        for i in range(40)
    ]
    text = "age,weight,born,zip,job,sex,pain\n" + "\n".join(rows) + "\n,,,,,,\n"
    data = reader(text, quasi=tuple(HIERARCHIES), hierarchies=HIERARCHIES, scales={"pain": "low<mid<high"})
    assert set(data.hierarchies) == set(HIERARCHIES)
    for column in HIERARCHIES:
        attribute = attribute_of(data, column)
        assert attribute.leaf is not None
        assert (np.diff(attribute.leaf) >= 0).all()
        assert attribute.codes[-1] == -1
    assert data.hierarchies["age"].leaf_labels == ("20,30", "30,40", "40,50", "50,59")
    assert data.hierarchies["zip"].ancestors("01000") == ("0100*", "010**", "01***", "0****", "*")
    assert data.hierarchies["pain"].leaf_labels == ("low", "mid", "high")
    assert find_notes(data.notes, "ranges-by-frequency")


def test_hierarchies_are_read_for_labels_numbers_and_ranges(reader, tmp_path):
    (tmp_path / "sex.csv").write_text("f;*\nm;*\n")
    (tmp_path / "ages.csv").write_text("30;30s;*\n40;40s;*\n")
    (tmp_path / "ranges.csv").write_text('"0,35";"0,100"\n"35,100";"0,100"\n')
    for file, kind in (("ages.csv", "labels"), ("ranges.csv", "ranges")):
        given = {"sex": tmp_path / "sex.csv", "age": tmp_path / file}
        data = reader(HEADER + GOOD, **ROLES, hierarchies=given)
        assert data.hierarchies["age"].kind == kind
        assert attribute_of(data, "age").leaf.tolist() == [0, 1]


def test_a_population_has_the_same_scales_and_hierarchies(reader, tmp_path):
    (tmp_path / "town.csv").write_text("sex;age;street\nf;18;a\nm;+77;b\nf;;c\nm;?;d\n")
    options = ROLES | {"population": tmp_path / "town.csv", "empty": "?"}
    data = reader(HEADER + GOOD, **options, hierarchies={"age": "width:3", "sex": "flat"})
    assert data.population.to_pydict() == {"age": ["18", "77", "", ""], "sex": ["f", "m", "f", "m"]}
    assert find_note(data.notes, "population-read").counts == {"people": 4}
    assert find_note(data.notes, "population-columns-unused").columns == ("street",)
    everybody = attribute_of(data, "age", data.population)
    assert everybody.labels == ("18", "77")
    assert everybody.leaf.tolist() == [0, 2]


def test_order_and_packing_of_a_file_do_not_matter(reader, tmp_path):
    import gzip

    rows = (HEADER + GOOD).splitlines()
    plain = reader("\n".join(rows), **ROLES)
    shuffled = reader("\n".join([rows[0], *reversed(rows[1:])]), **ROLES)
    assert shuffled.table.to_pylist() == plain.table.to_pylist()[::-1]
    packed = reader(gzip.compress((HEADER + GOOD).encode()), "people.csv.gz", **ROLES)
    assert packed.table.equals(plain.table)


def test_a_table_describes_itself(reader):
    facts = reader(HEADER + GOOD, **ROLES).describe()
    assert facts == {"kind": "table", "people": 3, "attributes": 3, "values": {"age": 2, "sex": 2, "illness": 2}}


@given(
    content=st.lists(
        st.sampled_from(["1", "1.5", "x", "?", "", " ", "2024-01-01", "nan", "1,5", "1e999", '"', ",", ";"])
    )
)
def test_any_column_is_read_or_refused(tmp_path_factory, content):
    path = tmp_path_factory.mktemp("any") / "people.csv"
    path.write_text("a,b\n" + "\n".join(f"{cell},{cell}" for cell in content))
    try:
        data = read(path, ReadOptions("table", quasi=("a", "b")))
        assert len(data) == len(content)
        for column in ("a", "b"):
            attribute_of(data, column)
    except SfumatoError as error:
        assert str(error)


@pytest.mark.parametrize(
    ("cells_", "scale", "found"),
    [
        (pa.array([0.1, 2], pa.float32()), "decimal", ["0.1", "2.0"]),
        (pa.array([1, 2**40], pa.uint64()), "integer", ["1", "1099511627776"]),
        (pa.array(["1.50", "2.25"]).cast(pa.decimal128(5, 2)), "decimal", ["1.5", "2.25"]),
        (pa.array([0, 86_400_000], pa.date64()), "date", ["1970-01-01", "1970-01-02"]),
        (pa.array([0, 86_400], pa.timestamp("s", "UTC")), "date", ["1970-01-01", "1970-01-02"]),
        (pa.array([1, 86_400], pa.timestamp("s")), "categorical", ["1970-01-01 00:00:01", "1970-01-02 00:00:00"]),
        (pa.array(["a", "b"], pa.large_string()), "categorical", ["a", "b"]),
        (pa.array([3, 4]).dictionary_encode(), "integer", ["3", "4"]),
        (pa.nulls(2), "categorical", ["", ""]),
    ],
)
def test_types_of_parquet(tmp_path, cells_, scale, found):
    pq.write_table(pa.table({"a": cells_, "b": ["x", "y"]}), tmp_path / "people.parquet")
    data = sf.read(tmp_path / "people.parquet", "table", quasi="a,b")
    assert (scales(data)["a"], cells(data, "a")) == (scale, found)


def test_the_first_and_last_day_of_the_calendar(reader):
    data = reader("d\n0001-01-01\n9999-12-31\n", quasi="d", hierarchies={"d": "calendar"})
    assert attribute_of(data, "d").labels == ("0001-01-01", "9999-12-31")


def test_another_kind_may_take_columns_for_itself():
    table = pa.table({"age": ["30", "40"], "products": ["a b", "c"], "who": ["x", "x"]})
    read_options = ReadOptions("table", quasi=("age",), columns={"items": "products", "owner": "who"})
    found = read_attributes("people.csv", table, read_options, taken=("products",))
    assert [column.name for column in found.columns] == ["age"]
    assert found.record_people.people.to_pylist() == ["x", "x"]
