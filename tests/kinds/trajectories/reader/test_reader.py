"""Reading trajectories: the formats people have, and the same histories as a plain slow reader."""

import csv
import gzip
import io
import json

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.notes import find_note, find_notes, list_sentences

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.kinds.trajectories.dataset import find_coordinates
from sfumato.kinds.trajectories.reader import read
from sfumato.readers.options import ReadOptions


@pytest.fixture
def reader(tmp_path):
    def write_and_read(text, name="visits.csv", **options):
        (tmp_path / name).write_bytes(text if isinstance(text, bytes) else text.encode())
        return read(tmp_path / name, ReadOptions.of("trajectories", options))

    return write_and_read


def people(data):
    return dict(zip(data.table.column("person").to_pylist(), data.history().lists(), strict=True))


def naive(text):
    """Sort each person's rows by time and, at the same one, by place; drop repeats."""
    rows = {}
    for row in csv.DictReader(io.StringIO(text)):
        rows.setdefault(row["person"], []).append((int(row["time"]), row["place"]))
    histories = {}
    for person, visits in rows.items():
        places = [place for _, place in sorted(visits)]
        histories[person] = [p for i, p in enumerate(places) if i == 0 or places[i - 1] != p]
    return histories


visit = st.tuples(st.sampled_from(["007", "7", "NA", "é"]), st.integers(-3, 3), st.sampled_from(["a", "b", "c", "1e2"]))


@given(st.lists(visit, min_size=1, max_size=30))
def test_histories_are_those_of_a_plain_reader(tmp_path_factory, rows):
    text = "person,time,place\n" + "".join(f"{p},{t},{w}\n" for p, t, w in rows)
    file = tmp_path_factory.mktemp("v") / "visits.csv"
    file.write_text(text, encoding="utf-8")
    data = read(file, ReadOptions("trajectories"))
    expected = naive(text)
    assert people(data) == expected
    assert list(people(data)) == list(expected)
    assert data.history().labels == tuple(dict.fromkeys(p for places in expected.values() for p in places))


def test_what_was_done_is_noted_and_reading_is_kept(reader):
    data = reader("uid,datetime,venue,speed\n1,2020-01-01,a,9\n1,2020-01-02,a,9\n2,2020-01-01,b,9\n", drop=["speed"])
    assert list_sentences(data.notes) == [
        "Read 3 rows of visits.csv.",
        "Reading `uid` as person.",
        "Reading `datetime` as time.",
        "Reading `venue` as place.",
        "Left out column `speed`.",
        "Joined 1 visit with the one before at the same place.",
        "Found 2 people, 2 visits and 2 places.",
    ]
    assert data.read_options["drop"] == ["speed"]
    assert "path" not in data.read_options
    assert ReadOptions.from_dict(data.read_options).drop == ("speed",)
    assert data.places is None


def test_without_time_the_order_of_the_file_counts(reader):
    data = reader("person,place\n1,b\n2,a\n1,a\n")
    assert people(data) == {"1": ["b", "a"], "2": ["a"]}
    assert find_note(data.notes, "no-time-column")


def test_columns_told_win_over_names_known(reader):
    data = reader("person,user,place\nx,1,a\nx,2,b\n", columns={"person": "user"}, drop=["person"])
    assert people(data) == {"1": ["a"], "2": ["b"]}


def test_scikit_mobility(reader):
    text = "uid,tid,datetime,lat,lng\n1,1,2008-10-23 05:53:05,39.984,116.319\n1,1,2008-10-23 05:53:06,40.1,116.4\n"
    data = reader(text, places="grid:1km")
    assert len(data.history().codes) == 2
    assert {"Reading `lat` as y.", "Reading `lng` as x."} <= set(list_sentences(data.notes))
    assert data.places.column_names == ["place", "x", "y", "lon", "lat", "outline"]
    assert data.places.column("lat").to_pylist() == pytest.approx([39.984, 40.1], abs=0.01)


def test_user_and_trajectory_make_one_record_per_trajectory(reader):
    text = "user_id,trajectory_id,timestamp,place\n1,1,1,a\n1,2,2,b\n2,1,3,c\n1,1,4,d\n"
    data = reader(text)
    assert people(data) == {"1/1": ["a", "d"], "1/2": ["b"], "2/1": ["c"]}
    assert find_note(data.notes, "owners").counts == {"records": 3, "owners": 2, "most": 2}
    assert find_note(data.notes, "records-divided").columns == ("user_id", "trajectory_id")
    assert people(reader(text, drop=["trajectory_id"])) == {"1": ["a", "b", "d"], "2": ["c"]}


def test_trajectories_without_people_are_trips(reader):
    data = reader("tid,time,place\n9,1,a\n8,2,b\n")
    assert people(data) == {"9": ["a"], "8": ["b"]}
    assert find_note(data.notes, "no-person-column").columns == ("tid",)


def test_foursquare_check_ins_without_header(reader):
    lines = [
        "470\t49bbd\t4bf58\tArts & Crafts Store\t40.7198\t-74.0025\t-240\tTue Apr 03 18:00:09 +0000 2012",
        "470\t4a43c\t4bf58\tCaf\xe9\t40.6067\t-74.0444\t-240\tTue Apr 03 17:00:25 +0000 2012",
    ]
    data = reader("\n".join(lines).encode("latin-1"), "dataset_TSMC2014_NYC.txt")
    assert people(data) == {"470": ["4a43c", "49bbd"]}
    assert find_note(data.notes, "text-decoded").details == {"encoding": "latin-1"}
    assert "Left out columns `venueCategoryId`, `venueCategory` and `timezoneOffset`." in list_sentences(data.notes)
    assert data.places.column("lat").to_pylist() == pytest.approx([40.6067, 40.7198])


def test_gowalla_check_ins_without_header(reader):
    text = "0\t2010-10-19T23:55:27Z\t30.23\t-97.79\t22847\n0\t2010-10-18T22:17:43Z\t30.26\t-97.74\t420315\n"
    data = reader(gzip.compress(text.encode()), "loc-gowalla_totalCheckins.txt.gz")
    assert people(data) == {"0": ["420315", "22847"]}
    assert find_note(data.notes, "layout-recognised").details == {"layout": "Gowalla or Brightkite check-ins"}


def test_event_logs(reader):
    rows = "NA;admit;2020-01-01T10:00:00+01:00\nNA;triage;2020-01-01T09:30:00+01:00\n"
    text = f"case:concept:name;concept:name;time:timestamp\n{rows}"
    assert people(reader(text)) == {"NA": ["triage", "admit"]}


def test_spmf_sequences(reader):
    data = reader("@CONVERTED_FROM_TEXT\n@ITEM=1=apple\n1 -1 2 -1 1 -1 -2\n2 -1 2 -1 -2\n-2\n", "s.txt")
    assert people(data) == {"1": ["apple", "2", "apple"], "2": ["2"]}
    assert find_note(data.notes, "empty-records-left-out").counts == {"sequences": 1}
    timed = reader("<0> 1 -1 <4> 2 -1 -2\n", "s.txt")
    assert people(timed) == {"1": ["1", "2"]}


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("1 -1 2 3 -1 -2\n", "line 1 has several items at a time"),
        ("1 -1 -2\n1 -1\n", "line 2 must end with -2"),
        ("1 -1 -2\n1 -1 x -1 -2\n", "line 2 may only have"),
        ("<4> 1 -1 <3> 2 -1 -2\n", "line 1 has times that decrease"),
        ("@ITEM=1=a\n@ITEM=2=a\n1 -1 -2\n", "same name"),
        ("-2\n", "no sequences"),
    ],
)
def test_bad_spmf_names_the_line(reader, text, message):
    with pytest.raises(SchemaError, match=message):
        reader(text, "s.txt", format="spmf")


def test_parquet_and_json_lines_give_the_same(reader, tmp_path):
    rows = [
        {"person": 7, "time": 2, "place": "a", "x": 1, "y": 2.5},
        {"person": 7, "time": 1, "place": "b", "x": 0, "y": 0.0},
    ]
    pq.write_table(pa.Table.from_pylist(rows), tmp_path / "v.parquet")
    one = read(tmp_path / "v.parquet", ReadOptions("trajectories"))
    two = reader("\n".join(map(json.dumps, rows)), "v.jsonl")
    assert people(one) == people(two) == {"7": ["b", "a"]}
    assert one.places.equals(two.places)
    assert one.places.to_pylist() == [{"place": "b", "x": 0.0, "y": 0.0}, {"place": "a", "x": 1.0, "y": 2.5}]


def test_categorical_columns_of_parquet(tmp_path):
    table = pa.table(
        {
            "person": pa.array(["x", "y", "x"]).dictionary_encode(),
            "place": pa.array(["b", "a", "a"]).dictionary_encode(),
        }
    )
    pq.write_table(table, tmp_path / "v.parquet")
    assert people(read(tmp_path / "v.parquet", ReadOptions("trajectories"))) == {"x": ["b", "a"], "y": ["a"]}


TIMED = (
    "person,time,place\n1,2020-01-05T23:00:00Z,a\n1,2020-01-06T01:00:00Z,b\n"
    "1,2020-01-06T02:00:00Z,c\n2,2020-01-05T00:00:00Z,a\n"
)


def test_split_by_day_week_and_zone(reader):
    assert people(reader(TIMED, split="day")) == {
        "1/2020-01-05": ["a"],
        "1/2020-01-06": ["b", "c"],
        "2/2020-01-05": ["a"],
    }
    assert people(reader(TIMED, split="week")) == {"1/2020-W01": ["a"], "1/2020-W02": ["b", "c"], "2/2020-W01": ["a"]}
    athens = reader(TIMED, split="day", zone="Europe/Athens")
    assert people(athens) == {"1/2020-01-06": ["a", "b", "c"], "2/2020-01-05": ["a"]}
    assert str(find_note(athens.notes, "records-divided")) == "One record per `person` and day (Europe/Athens)."
    assert find_note(athens.notes, "owners").counts == {"records": 2, "owners": 2, "most": 1}


def test_split_needs_dates(reader):
    with pytest.raises(SchemaError, match="needs dates"):
        reader("person,time,place\n1,5,a\n", split="day")
    with pytest.raises(SchemaError, match="split='day' needs a time column"):
        reader("person,place\n1,a\n", split="day")


def test_coordinates_that_vary_are_averaged_and_noted(reader):
    data = reader("person,place,x,y\n1,a,0,0\n1,b,5,5\n1,a,2,4\n")
    assert data.places.to_pylist() == [{"place": "a", "x": 1.0, "y": 2.0}, {"place": "b", "x": 5.0, "y": 5.0}]
    assert find_note(data.notes, "places-averaged").counts == {"places": 1}
    assert find_coordinates(data).tolist() == [[1.0, 2.0], [5.0, 5.0]]


def test_coordinates_option_decides(reader):
    degrees = "person,place,x,y\n1,a,23.7,37.9\n1,b,23.8,37.9\n"
    assert reader(degrees).places.column_names == ["place", "x", "y"]
    assert reader(degrees, coordinates="lonlat").places.column("lon").to_pylist() == [23.7, 23.8]
    named = "person,place,lon,lat\n1,a,23.7,37.9\n1,b,23.8,37.9\n"
    assert reader(named, coordinates="plane").places.column("x").to_pylist() == [23.7, 23.8]
    told = "person,place,east,north\n1,a,23.7,37.9\n"
    assert reader(told, columns={"lon": "east", "lat": "north"}).places.column("lat").to_pylist() == [37.9]
    with pytest.raises(SchemaError, match="may be longitude and latitude, or plane"):
        reader("person,place,lon,north\n1,a,1,2\n", columns={"y": "north"})
    with pytest.raises(ParameterError, match="x must be the longitude"):
        reader("person,place,lon,lat\n1,a,1,2\n", columns={"y": "lon", "x": "lat"})


def test_places_file(reader, tmp_path):
    (tmp_path / "places.csv").write_text("place,lon,lat,kind\na,23.7,37.9,park\nb,23.8,37.9,school\n")
    data = reader("person,place\n1,b\n1,a\n", places_file=str(tmp_path / "places.csv"))
    assert data.places.column("place").to_pylist() == ["b", "a"]
    assert data.places.column("lon").to_pylist() == [23.8, 23.7]
    cells = reader("person,place\n1,b\n1,a\n", places_file=str(tmp_path / "places.csv"), places="grid:100km")
    assert len(cells.history().labels) == 1
    with pytest.raises(SchemaError, match=r"every place must be in places\.csv; look at row 2"):
        reader("person,place\n1,b\n1,c\n", places_file=str(tmp_path / "places.csv"))


def test_places_of_an_earlier_reading_serve_as_places_file(reader, tmp_path):
    data = reader("person,place,lon,lat\n1,a,23.7,37.9\n1,b,23.8,37.9\n")
    pq.write_table(data.places, tmp_path / "places.parquet")
    again = reader("person,place\n1,a\n1,b\n", places_file=str(tmp_path / "places.parquet"))
    assert again.places.equals(data.places)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("place,x\na,1\n", "place,x,y or place,lon,lat; y is missing"),
        ("place,x,y\na,1,2\na,1,2\n", "every place must be listed once; look at row 2"),
        ("place,x,y\na,nan,2\n", r"places\.csv: column 'x' must hold finite numbers; row 1 does not"),
        ("place,lon,lat\na,1,99\n", r"places\.csv: column 'lat' must hold numbers from -90 to 90; row 1 does not"),
    ],
)
def test_bad_places_files(reader, tmp_path, text, message):
    (tmp_path / "places.csv").write_text(text)
    with pytest.raises(SchemaError, match=message):
        reader("person,place\n1,a\n", places_file=str(tmp_path / "places.csv"))


def test_regions_and_what_lies_outside(reader, tmp_path):
    file = tmp_path / "regions.csv"
    file.write_text(
        'name,wkt\nwest,"POLYGON ((0 0, 1 0, 1 1, 0 1, 0 0))"\neast,"POLYGON ((1 0, 2 0, 2 1, 1 1, 1 0))"\n'
    )
    text = "person,x,y\n1,0.5,0.5\n1,9,9\n1,1.5,0.5\n2,9,9\n"
    with pytest.raises(SchemaError, match=r"every point must be in a region; look at rows 2, 4 \(2 in all\)"):
        reader(text, places=f"regions:{file}")
    data = reader(text, places=f"regions:{file},outside=drop")
    assert people(data) == {"1": ["west", "east"]}
    assert find_note(data.notes, "visits-outside-left-out").counts == {"visits": 2}
    with pytest.raises(SchemaError, match="every point must be in a region"):
        reader("person,x,y\n1,9,9\n", places=f"regions:{file},outside=drop")


def test_derived_places_leave_the_place_column_aside(reader):
    data = reader("person,place,x,y\n1,a,0,0\n1,b,5,5\n", places="grid:10")
    assert people(data) == {"1": ["x0y0"]}
    assert find_note(data.notes, "columns-unused").columns == ("place",)


def test_hierarchy_must_know_every_place(reader, tmp_path):
    (tmp_path / "tree.csv").write_text("a;Food;*\nb;Food;*\n")
    data = reader("person,place\n1,a\n2,b\n", hierarchies={"place": str(tmp_path / "tree.csv")})
    assert data.hierarchies["place"].leaf_labels == ("a", "b")
    with pytest.raises(SchemaError, match=r"1 value is not a leaf .* \(row 3\)"):
        reader("person,place\n1,a\n2,b\n3,c\n", hierarchies={"place": str(tmp_path / "tree.csv")})
    with pytest.raises(ParameterError, match="of trajectories can be of place only, got 'venue'"):
        reader("person,place\n1,a\n", hierarchies={"venue": "x"})


def test_sensitive_values_must_occur(reader, tmp_path):
    (tmp_path / "sensitive.txt").write_text("b\n\nc\n")
    text = "person,place\n1,a\n2,b\n3,c\n"
    assert reader(text, sensitive=["a"]).schema.sensitive == ("a",)
    assert reader(text, sensitive=["a", f"@{tmp_path / 'sensitive.txt'}"]).schema.sensitive == ("a", "b", "c")
    with pytest.raises(SchemaError, match=r"sensitive= has a value .*entry 2"):
        reader(text, sensitive=["a", "A"])
    (tmp_path / "sensitive.txt").write_text("b\nd\n")
    with pytest.raises(SchemaError, match=r"sensitive= has a value .*line 2 of .*sensitive\.txt"):
        reader(text, sensitive=[f"@{tmp_path / 'sensitive.txt'}"])


TEXT = "person,place\n1,a\n2,b\n3,c\n4,d;e\n"


@pytest.mark.parametrize(
    ("groups", "strangers"),
    [('a;b\nc;"d;e"\n', 0), ('a,b\n\nc,"d;e",elsewhere\n', 1), ("a\tb\r\nc\td;e\r\n", 0), (' a , b\nc,"d;e"\n', 0)],
)
def test_constraints_part_the_places(reader, tmp_path, groups, strangers):
    (tmp_path / "groups.txt").write_text(groups)
    data = reader(TEXT, constraints={"utility": str(tmp_path / "groups.txt")})
    assert data.constraints == {"utility": (("a", "b"), ("c", "d;e"))}
    counts = [note.counts for note in find_notes(data.notes, "constraints-with-strangers")]
    assert counts == [{"entries": 1}] * strangers


@pytest.mark.parametrize(
    ("groups", "message"),
    [
        ("a,b\n", r"groups\.txt must have every place in one group; 2 of 4 are in none"),
        ('a,b\nc,a\n"d;e"\n', r"1 entries repeat a place \(line 2\)"),
        ('a,a,b\nc\n"d;e"\nb\n', r"2 entries repeat a place \(lines 1, 4\)"),
        ('a,"b\n', "line 1 has a quote that is not closed"),
    ],
)
def test_constraints_that_are_no_partition(reader, tmp_path, groups, message):
    (tmp_path / "groups.txt").write_text(groups)
    with pytest.raises(SchemaError, match=message):
        reader(TEXT, constraints={"utility": str(tmp_path / "groups.txt")})


def test_constraints_have_known_names(reader, tmp_path):
    with pytest.raises(ParameterError, match="must be utility, got 'privcy'"):
        reader(TEXT, constraints={"privcy": "x"})


def test_files_without_header_can_be_named(reader):
    data = reader("2,a,7\n1,b,7\n", header=["time", "place", "person"])
    assert people(data) == {"7": ["b", "a"]}


def test_labels_with_slashes_stay_apart(reader):
    data = reader("user,tid,place\na/b,c,x\na,b/c,y\n")
    assert len(people(data)) == 2
