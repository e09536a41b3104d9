"""Reading options: what the owner keeps reads the same again; what is not known is refused."""

import json
from pathlib import Path

import pytest

from sfumato.exceptions import ParameterError
from sfumato.policy import read_policy
from sfumato.readers.options import ReadOptions

FULL = ReadOptions(
    "trajectories",
    columns={"place": "venue"},
    delimiter="tab",
    format="csv",
    encoding="latin-1",
    header=("a", "venue"),
    drop=("*",),
    sensitive=("clinic", "@more.txt"),
    hierarchies={"place": Path("trees") / "places.csv"},
    constraints={"utility": "../groups.txt"},
    places="regions:districts.geojson,outside=drop",
    places_file="/tmp/places.csv",
    split="week",
    zone="Europe/Athens",
    coordinates="plane",
)


def test_json_round_trip_keeps_everything_and_paths_as_given():
    again = ReadOptions.from_dict(json.loads(json.dumps(FULL.to_dict())))
    assert again == FULL
    assert again.hierarchies == {"place": "trees/places.csv"}
    assert again.constraints == {"utility": "../groups.txt"}
    assert again.places_file == "/tmp/places.csv"
    assert again.delimiter == "\t"


def test_defaults_round_trip_and_single_texts_are_lists():
    assert ReadOptions.from_dict(ReadOptions("trajectories").to_dict()) == ReadOptions("trajectories")
    read_options = ReadOptions.of("trajectories", {"drop": "*", "sensitive": "clinic", "split": "none"})
    assert (read_options.drop, read_options.sensitive, read_options.split) == (("*",), ("clinic",), None)


def test_mappings_cannot_be_changed():
    with pytest.raises(TypeError):
        FULL.columns["place"] = "other"


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"spilt": "day"}, "There is no option 'spilt'. Did you mean split=?"),
        ({"split": "dya"}, "split= must be one of day, week, got 'dya'. Did you mean split='day'?"),
        ({"coordinates": "lon"}, "coordinates= must be one of auto, lonlat, plane"),
        ({"coordinates": None}, "coordinates= must be text"),
        ({"format": "xls"}, "format= must be one of csv, parquet, jsonl, xlsx, xes, gpx, geojson, spmf"),
        ({"delimiter": "ab"}, "delimiter= must be one character"),
        ({"encoding": "utf-99"}, "encoding= must be the name of a text encoding"),
        ({"encoding": "zlib"}, "encoding= must be the name of a text encoding"),
        ({"zone": "Mars/Olympus"}, "zone= must be the name of a time zone"),
        ({"zone": "../etc"}, "zone= must be the name of a time zone"),
        ({"columns": ["place"]}, "columns= must map names to names"),
        ({"columns": {"place": 3}}, "columns= must be text, got int"),
        ({"drop": {"a": "b"}}, "drop= must be a list of texts"),
        ({"sensitive": 3}, "sensitive= must be a list of texts"),
        ({"places": "grid:0m"}, "places= must be grid:500m, quadtree:500, h3:8, h3 or regions:FILE"),
        ({"places": "grid:-5m"}, "places= must be"),
        ({"places": "grid:5miles"}, "places= must be"),
        ({"places": "quadtree:0"}, "places= must be"),
        ({"places": "regions:"}, "places= must be"),
        ({"places": "regions:a.csv,outside=ignore"}, "places= must be"),
        ({"places": "quadtre:5"}, "Did you mean quadtree?"),
    ],
)
def test_what_is_wrong_is_refused(options, message):
    with pytest.raises(ParameterError) as caught:
        ReadOptions.of("trajectories", options)
    assert message in str(caught.value)


TABLE = ReadOptions(
    "table",
    identifier=("name",),
    quasi=("age", "zip"),
    sensitive=("diagnosis",),
    plain="note",
    scales={"zip": "categorical", "pain": "low<mid<high"},
    hierarchies={"age": "width:8"},
    missing="error",
    empty=["?", "NA"],
    population=Path("town.csv"),
)


def test_options_of_tables_round_trip():
    again = ReadOptions.from_dict(json.loads(json.dumps(TABLE.to_dict())))
    assert again == TABLE
    assert (again.plain, again.empty, again.population) == (("note",), ("?", "NA"), "town.csv")


@pytest.mark.parametrize(
    "option",
    [
        {"identifier": ("a",)},
        {"quasi": ("a",)},
        {"plain": ("a",)},
        {"scales": {"a": "date"}},
        {"plain_anyway": ("a",)},
        {"population": "town.csv"},
    ],
)
def test_options_of_tables_mean_nothing_elsewhere(option):
    with pytest.raises(ParameterError, match=f"{next(iter(option))}= does not apply to sets"):
        ReadOptions.of("sets", option)


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"missing": "kep"}, "got 'kep'. Did you mean missing='keep'?"),
        ({"missing": None}, "missing= must be text"),
        ({"scales": ["age"]}, "scales= must map names to names"),
        ({"quasi": {"a": "b"}}, "quasi= must be a list of texts"),
        ({"empty": ("",)}, "empty= must not be empty text"),
    ],
)
def test_what_is_wrong_for_tables_is_refused(options, message):
    with pytest.raises(ParameterError) as caught:
        ReadOptions.of("table", options)
    assert message in str(caught.value)


def test_files_of_a_policy_lie_beside_it_and_rules_are_left_alone(tmp_path):
    (tmp_path / "town.csv").write_text("age\n1\n")
    (tmp_path / "zip.csv").write_text("1;*\n")
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "people.csv"\nkind = "table"\nquasi = ["age", "zip"]\npopulation = "town.csv"\n'
        'hierarchies = { age = "width:8", zip = "zip.csv" }\n[method]\nname = "x"\n[release]\nout = "out"\n'
    )
    options = read_policy(tmp_path / "policy.toml").read_options
    assert options == {
        "quasi": ["age", "zip"],
        "population": str(tmp_path / "town.csv"),
        "hierarchies": {"age": "width:8", "zip": str(tmp_path / "zip.csv")},
    }


def test_kind_must_be_known():
    with pytest.raises(ParameterError, match=r"kind= must be one of .* Did you mean kind='trajectories'"):
        ReadOptions("trajectory")
    with pytest.raises(ParameterError, match="kind= must be text"):
        ReadOptions.from_dict({})
