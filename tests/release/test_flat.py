"""Flat frames and exports are the cells of ``data.csv``, one plain value each; nothing of them is lost or mixed up."""

from __future__ import annotations

import csv
import datetime
import json

import pandas as pd
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from tests.console import run_command
from tests.examples import settings
from tests.exports import drawing
from tests.release.naive import flat as naive

import sfumato as sf
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.exports import export_partitions, export_release, read_export
from sfumato.formats.csv_files import encode_csv
from sfumato.release.flat import flatten, name_flat_columns
from sfumato.release.layouts import arrange_records
from sfumato.release.storage import encode_tables, same_cells
from sfumato.release.text import ValueFormat

SECRET = bytes([3] * 32)
DRAWN = {**drawing.RELEASES, "separated sets": drawing.separated_sets()}
NO_LISTS = {"table", "activity", "snapshots"}
PEOPLE = [(20, "bonn", "flu"), (24, "bonn", "flu"), (61, "jena", "gout"), (67, None, "cold")] * 3
SEQUENCES = [[("mail", 3), ("news", 4)], [("mail", 8)], [("mail", 3), ("tea", 5)], [("mail", 9), ("news", 9)]]
METHODS = {
    "trajectories": lambda: (
        sf.Dataset.of("trajectories", [["a", "b"], ["a", "c"]] * 3, {"a": (0, 0), "b": (1, 1), "c": (0, 1)}),
        sf.methods.SeqAnon(k=3, m=2),
    ),
    "sequences": lambda: (
        sf.Dataset.of("sequences", SEQUENCES, monitored=("mail",)),
        sf.methods.Hi(k=2),
    ),
    "sets": lambda: (sf.Dataset.of("sets", [["tea", "rye"], ["tea"], ["rye"]] * 2), sf.methods.Apriori(k=2, m=2)),
    "separated sets": lambda: (
        sf.Dataset.of("sets", [["tea", "rye"], ["tea", "jam"]] * 3),
        sf.methods.Disassociation(k=2, m=2),
    ),
    "timeline": lambda: (
        sf.Dataset.of("timeline", [{"a": 2, "b": 1, "c": 3}, {"a": 1, "c": 4}], sensitive=("a",)),
        sf.methods.Odesa(delta="1/5"),
    ),
    "table": lambda: (
        sf.Dataset.of("table", PEOPLE, ("age", "town", "ill"), sensitive=("ill",)),
        sf.methods.Mondrian(k=2, l=2),
    ),
    "rt": lambda: (
        sf.Dataset.of("rt", [(20,), (24,), (60,), (60,)], ("age",), [["a"], ["b"], ["a"], ["a"]]),
        sf.methods.RFirst(k=2, m=1, transaction="coat"),
    ),
    "activity": lambda: (
        sf.Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"], ["eat", "eat"], ["eat", "eat"]]),
        sf.methods.Mc(k=2, aggregate="slot"),
    ),
    "snapshots": lambda: (
        sf.Dataset.of(
            "snapshots", [(1, "30", "flu"), (1, "40", "cold"), (2, "50", "cold"), (2, "60", "cough")], ("age",), "ill"
        ),
        sf.methods.Anatomy(l=2),
    ),
}


def layouts_of(release) -> tuple[str, ...]:
    return ("wide",) if release.kind in NO_LISTS else ("wide", "long")


def expect(release, layout: str) -> list[dict]:
    text = b"".join(encode_csv(dict(encode_tables(release))["data.csv"])).decode()
    return naive.flatten(text, release, layout)


def plain(rows: list[dict], names) -> list[dict]:
    """Rows without coordinates, which are no cells of the records."""
    return [{name: row[name] for name in names} for row in rows]


def read_flat_csv(path, layout_table) -> list[dict]:
    """Read a flat file in plain Python: text as published, and nothing for other values that are null."""
    forms = {column.name: column.form for column in layout_table.columns}
    with path.open(newline="", encoding="utf-8") as file:
        return [{name: read_flat_cell(cell, forms[name]) for name, cell in row.items()} for row in csv.DictReader(file)]


def read_flat_cell(text: str, form: ValueFormat):
    inside = ValueFormat(form.cell, form.type)
    if form.history:
        return [naive.read_cell(partition, inside) for partition in naive.split(text, ";")] if text else []
    return None if text == "" else naive.read_cell(text, inside)


def check_everything(release, folder, layout: str) -> None:
    """Compare every flat form of a release with that of ``data.csv``."""
    rows = expect(release, layout)
    table = release.to_arrow(layout)
    assert plain(table.to_pylist(), rows[0]) == rows
    assert not any(pa.types.is_struct(field.type) or pa.types.is_dictionary(field.type) for field in table.schema)
    layout_table = flatten(arrange_records(release, layout))
    assert plain(release.to_polars(layout).to_dicts(), rows[0]) == rows
    assert release.to_pandas(layout).shape == table.shape
    for format in ("csv", "jsonl", "parquet"):
        file = folder / f"flat.{format}"
        assert export_release(release, file, layout, force=True).rows == len(rows)
        if format == "parquet":
            assert plain(pq.read_table(file).to_pylist(), rows[0]) == rows
        elif format == "csv":
            assert plain(read_flat_csv(file, layout_table), rows[0]) == rows
        else:
            lines = file.read_text(encoding="utf-8").split("\n")[:-1]
            shown = [{name: show(cell) for name, cell in row.items()} for row in rows]
            assert plain(list(map(json.loads, lines)), rows[0]) == shown


def show(cell):
    if isinstance(cell, list):
        return list(map(show, cell))
    return cell.isoformat().replace("+00:00", "Z") if isinstance(cell, datetime.date) else cell


@pytest.mark.parametrize("name", DRAWN)
def test_flat_cells_are_those_of_data_csv(name, tmp_path):
    @settings(max_examples=40)
    @given(DRAWN[name])
    def check(release):
        for layout in layouts_of(release):
            check_everything(release, tmp_path, layout)

    check()


@pytest.mark.parametrize("name", METHODS)
def test_releases_of_every_kind_are_flat(name, tmp_path):
    data, method = METHODS[name]()
    result = sf.anonymize(data, method, secret=SECRET)
    sf.write(result, tmp_path / "out")
    text = (tmp_path / "out" / "release" / "data.csv").read_text(encoding="utf-8")
    release = sf.read_release(tmp_path / "out")
    for layout in layouts_of(release):
        rows = naive.flatten(text, release, layout)
        assert plain(release.to_arrow(layout).to_pylist(), rows[0]) == rows
        check_everything(release, tmp_path, layout)


def test_every_kind_has_a_method():
    assert set(METHODS) == set(DRAWN)


def by_hand(*columns, kind: str = "table"):
    return drawing.release(kind, [drawing.column(*column) for column in columns])


AGES = ("age", "quasi-identifier", ValueFormat("interval", "int64"))


@pytest.fixture
def people():
    """Exact, range, suppressed, and no value at all."""
    cells = [{"lo": 20, "hi": 20}, {"lo": 20, "hi": 29}, None, {"lo": None, "hi": None}]
    return by_hand(
        (*AGES, cells),
        ("zip", "quasi-identifier", ValueFormat("category"), ["10", "1*", None, ""]),
        ("town", "quasi-identifier", ValueFormat("set"), [["a"], ["a", "b|c"], None, [""]]),
        ("pay", "sensitive", ValueFormat("exact", "int64"), [1, 2, None, 4]),
    )


def test_suppressed_and_missing_cells_differ(people, tmp_path):
    frame = people.to_pandas()
    assert list(frame.columns) == ["age_lo", "age_hi", "age_missing", "zip", "town", "pay"]
    assert frame["age_lo"].isna().tolist() == frame["age_hi"].isna().tolist() == [False, False, True, True]
    assert frame["age_missing"].tolist() == [False, False, False, True]
    assert frame["zip"].isna().tolist() == frame["town"].isna().tolist() == [False, False, True, False]
    assert frame["zip"][3] == "" and frame["town"].tolist()[1::2] == [r"{a|b\|c}", r"{\e}"]
    export_release(people, tmp_path / "people.csv")
    assert (tmp_path / "people.csv").read_text().splitlines() == [
        "age_lo,age_hi,age_missing,zip,town,pay",
        "20,20,false,10,{a},1",
        r"20,29,false,1*,{a|b\|c},2",
        ",,false,*,*,",
        r",,true,\e,{\e},4",
    ]


def test_frames_have_plain_types(people):
    pandas, polars = people.to_pandas(), people.to_polars()
    assert pandas.dtypes["age_lo"] == pandas.dtypes["pay"] == pd.Int64Dtype()
    assert polars.schema["age_hi"] == pl.Int64 and polars.schema["zip"] == polars.schema["town"] == pl.String
    assert not isinstance(pandas.dtypes["zip"], pd.CategoricalDtype)
    day = {"lo": datetime.date(2020, 1, 1), "hi": datetime.date(2020, 1, 31)}
    born = by_hand(("born", "quasi-identifier", ValueFormat("interval", "date"), [day, None]))
    assert (born.to_pandas()["born_hi"] - born.to_pandas()["born_lo"])[0] == pd.Timedelta(days=30)
    assert born.to_polars().schema["born_lo"] == pl.Date


def test_frames_group_and_merge(people):
    frame = people.to_pandas()
    assert frame.groupby("zip").size().to_dict() == {"": 1, "10": 1, "1*": 1}
    rents = pd.DataFrame({"zip": ["10", "1*"], "rent": [7, 9]})
    assert frame.merge(rents, on="zip")["rent"].tolist() == [7, 9]
    assert frame[(frame["age_lo"] <= 25) & (frame["age_hi"] >= 25)]["zip"].tolist() == ["1*"]
    groups = people.to_polars().group_by("age_lo", "age_hi").len()
    assert groups.height == 3


def test_other_tools_read_numbers_from_a_flat_file(people, tmp_path):
    export_release(people, tmp_path / "people.csv")
    assert pd.read_csv(tmp_path / "people.csv")["age_hi"].dropna().tolist() == [20, 29]
    assert pl.read_csv(tmp_path / "people.csv").schema["age_lo"] == pl.Int64


def test_a_column_of_nothing_but_suppressed_numbers_has_its_rows(tmp_path):
    release = by_hand(("pay", "plain", ValueFormat("exact", "int64"), [None, 3, None]))
    export_release(release, tmp_path / "pay.csv")
    assert len(pd.read_csv(tmp_path / "pay.csv")) == 3


def test_names_that_collide_are_refused_with_what_to_do(tmp_path):
    release = by_hand((*AGES, [{"lo": 20, "hi": 29}]), ("age_lo", "plain", ValueFormat("exact"), ["Alice"]))
    for act in (release.to_arrow, release.to_pandas, release.to_polars):
        with pytest.raises(ParameterError, match=r"'age'.*'age_lo'.*nested=True") as caught:
            act()
        assert "Alice" not in str(caught.value)
    with pytest.raises(ParameterError, match="nested=True"):
        export_release(release, tmp_path / "people.csv")
    assert list(tmp_path.iterdir()) == []
    assert release.to_pandas(nested=True).columns.tolist() == ["age", "age_lo"]
    export_release(release, tmp_path / "people.csv", nested=True)
    assert same_cells(read_export(tmp_path / "people.csv", release), release.table, release.columns)


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_a_flat_file_is_not_read_back(people, tmp_path, format):
    export_release(people, tmp_path / f"people.{format}")
    with pytest.raises(SchemaError, match=r"this export is flat.*nested=True"):
        read_export(tmp_path / f"people.{format}", people)


@pytest.mark.parametrize("format", ["jsonl", "parquet"])
def test_labels_of_sets_are_not_taken_for_sets(tmp_path, format):
    release = by_hand(("town", "quasi-identifier", ValueFormat("set"), [["a", "b"], ["c"]]))
    export_release(release, tmp_path / f"towns.{format}")
    with pytest.raises(SchemaError, match=r"nested=True"):
        read_export(tmp_path / f"towns.{format}", release)


def test_nested_frames_are_those_of_the_release(people):
    assert people.to_arrow(nested=True) is people.table
    assert people.to_pandas(nested=True)["age"][1] == {"lo": 20, "hi": 29}
    assert people.to_polars(nested=True).schema["age"] == pl.Struct({"lo": pl.Int64, "hi": pl.Int64})


@pytest.mark.parametrize("format", ["csv", "jsonl", "parquet"])
def test_partitions_have_the_same_columns(tmp_path, format):
    """What is exact in one partition and a range or a label in another is a range or a label in all of them."""
    town, pay = ("town", "plain"), ("pay", "plain")
    first = by_hand(
        (*AGES[:2], ValueFormat("exact", "int64"), [7]),
        (*town, ValueFormat("exact"), ["a"]),
        (*pay, ValueFormat("exact", "int64"), [5]),
    )
    second = by_hand(
        (*AGES, [{"lo": None, "hi": None}]),
        (*town, ValueFormat("set"), [["a", "b"]]),
        (*pay, ValueFormat("exact"), [""]),
    )
    file = tmp_path / f"all.{format}"
    export_partitions(lambda: [("one", first), ("two", second)], file)
    frame = {"csv": pd.read_csv, "jsonl": lambda path: pd.read_json(path, lines=True), "parquet": pd.read_parquet}
    read = frame[format](file)
    assert read.columns.tolist() == ["part", "age_lo", "age_hi", "age_missing", "town", "pay"]
    assert read["age_lo"][0] == read["age_hi"][0] == 7 and read["age_missing"].tolist() == [False, True]
    assert read["town"].tolist() == ["a", "{a|b}"] and str(read["pay"][0]) == "5"
    ranges_and_labels = by_hand((*AGES[:2], ValueFormat("category"), ["7"]))
    with pytest.raises(SchemaError, match="has ranges in one partition and labels in another"):
        export_partitions(lambda: [("one", by_hand((*AGES, [None]))), ("two", ranges_and_labels)], tmp_path / "no.csv")
    assert not (tmp_path / "no.csv").exists()


def test_columns_are_named_without_reading_cells():
    release = by_hand((*AGES, [{"lo": None, "hi": None}]))
    assert name_flat_columns(arrange_records(release, "wide")) == ["age_lo", "age_hi"]


def test_the_command_exports_flat_and_nested(tmp_path):
    data = sf.Dataset.of("table", [(20,), (21,)], ("age",))
    sf.write(sf.anonymize(data, sf.methods.Mondrian(k=2)), tmp_path / "out")
    for words in (["flat.csv"], ["nested.csv", "--nested"]):
        assert run_command(["export", "out", "--out", *words], tmp_path).returncode == 0
    assert (tmp_path / "flat.csv").read_text() == "age_lo,age_hi\n20,21\n20,21\n"
    assert (tmp_path / "nested.csv").read_text() == "age\n[20..21]\n[20..21]\n"
    release = sf.read_release(tmp_path / "out")
    assert same_cells(sf.read_export(tmp_path / "nested.csv", release), release.table, release.columns)
