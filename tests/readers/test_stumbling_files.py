"""Files that people have and stumbled over, read as they are."""

from __future__ import annotations

import gzip
import zipfile

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from tests.notes import find_note

import sfumato as sf
from sfumato.exceptions import SchemaError

XES = """<?xml version="1.0" encoding="UTF-8"?>
<log xes.version="1.0" xmlns="http://www.xes-standard.org/">
  <extension name="Concept" prefix="concept" uri="http://www.xes-standard.org/concept.xesext"/>
  <global scope="event"><string key="concept:name" value="__INVALID__"/></global>
  <string key="concept:name" value="the log itself"/>
  <trace>
    <string key="concept:name" value="case 1"/>
    <event><string key="concept:name" value="triage"/><date key="time:timestamp" value="2024-01-02T10:00:00+01:00"/>
      <string key="org:resource" value="A"><string key="nested" value="x"/></string></event>
    <event><string key="concept:name" value="register"/>
      <date key="time:timestamp" value="2024-01-01T10:00:00Z"/></event>
  </trace>
  <trace>
    <string key="concept:name" value="case 2"/>
    <event><date key="time:timestamp" value="2024-01-03T10:00:00Z"/>
      <string key="concept:name" value="register"/></event>
  </trace>
</log>
"""
GPX = """<?xml version="1.0"?>
<gpx version="1.1" xmlns="http://www.topografix.com/GPX/1/1">
  <metadata><time>2020-01-01T00:00:00Z</time></metadata>
  <trk><name>walk</name><trkseg>
    <trkpt lat="53.14" lon="8.21"><ele>3</ele><time>2024-01-01T10:05:00Z</time></trkpt>
    <trkpt lat="53.15" lon="8.22"><time>2024-01-01T10:00:00Z</time></trkpt></trkseg></trk>
  <trk><trkseg><trkpt lat="53.20" lon="8.30"><time>2024-01-02T10:00:00Z</time></trkpt></trkseg></trk>
</gpx>
"""


def test_unsorted_snapshots(tmp_path):
    text = "date,age,ill\n2024-01-03,30,flu\n2024-01-01,40,cold\n2024-01-03,50,cold\n2024-01-01,60,flu\n"
    (tmp_path / "cases.csv").write_text(text)
    cases = sf.read(tmp_path / "cases.csv", "snapshots", columns={"qi": "age"}, sensitive="ill")
    assert cases.table["age"].to_pylist() == ["40", "60", "30", "50"]
    result = sf.anonymize(cases, sf.methods.Anatomy(l=2), secret=bytes([1] * 32))
    assert sf.write(result, tmp_path / "out", reports=False)
    assert sf.verify(tmp_path / "out", cases)


def test_a_hierarchy_with_several_roots(tmp_path):
    (tmp_path / "items.csv").write_text(
        "labels,level2,level1\nham,sausage,meat\nsausage,sausage,meat\nsoap,soap,home\n"
    )
    (tmp_path / "baskets.csv").write_text("person,item\n1,ham\n1,soap\n2,sausage\n")
    tree = {"item": str(tmp_path / "items.csv")}
    with pytest.raises(SchemaError, match=r"one root is needed, found 2 .*hierarchy_root="):
        sf.read(tmp_path / "baskets.csv", "sets", hierarchies=tree)
    baskets = sf.read(tmp_path / "baskets.csv", "sets", hierarchies=tree, hierarchy_root="everything")
    assert baskets.hierarchies["item"].ancestors("ham") == ("sausage (group)", "meat", "everything")


@pytest.mark.parametrize("name", ["log.xes", "log.xes.gz"])
def test_an_event_log(tmp_path, name):
    data = XES.encode()
    (tmp_path / name).write_bytes(gzip.compress(data) if name.endswith("gz") else data)
    log = sf.read(tmp_path / name, "sequences")
    assert log.table["person"].to_pylist() == ["case 1", "case 2"]
    assert log.history().lists() == [["register", "triage"], ["register"]]
    assert log.time_unit.to_arrow(log.times()).to_pylist()[1].isoformat() == "2024-01-02T09:00:00+00:00"
    assert find_note(log.notes, "columns-left-out").columns == ("org:resource",)


def test_a_workbook(tmp_path):
    xlsxwriter = pytest.importorskip("xlsxwriter")
    pytest.importorskip("fastexcel")
    book = xlsxwriter.Workbook(tmp_path / "people.xlsx", {"default_date_format": "yyyy-mm-dd"})
    cover, sheet = book.add_worksheet("cover"), book.add_worksheet("people")
    cover.write(0, 0, "About this file")
    import datetime

    rows = [
        ("zip", "age", "born", "illness"),
        ("01067", 30, datetime.date(1994, 2, 1), "flu"),
        ("80331", 41, None, "x"),
    ]
    for row, cells in enumerate(rows):
        for column, cell in enumerate(cells):
            if cell is not None:
                sheet.write(row, column, cell)
    book.close()
    people = sf.read(
        tmp_path / "people.xlsx",
        "table",
        sheet="people",
        quasi="zip,age,born",
        sensitive="illness",
        scales={"zip": "categorical"},
    )
    assert people.table.to_pydict() == {
        "zip": ["01067", "80331"],
        "age": ["30", "41"],
        "born": ["1994-02-01", ""],
        "illness": ["flu", "x"],
    }


def test_tracks_of_a_device(tmp_path):
    (tmp_path / "walk.gpx").write_text(GPX)
    walks = sf.read(tmp_path / "walk.gpx", "trajectories", places="grid:500m")
    assert walks.table["person"].to_pylist() == ["track 2", "walk"]
    assert [len(visits) for visits in walks.history().lists()] == [1, 2]
    (tmp_path / "people").mkdir()
    for person in ("ann", "bob"):
        (tmp_path / "people" / f"{person}.gpx").write_text(GPX)
    both = sf.read(tmp_path / "people", "trajectories", places="grid:500m")
    assert both.table["person"].to_pylist() == ["ann/track 2", "ann/walk", "bob/track 2", "bob/walk"]
    assert both.people.to_pylist() == ["ann", "ann", "bob", "bob"]


def test_points_of_geojson(tmp_path):
    feature = '{{"type": "Feature", "properties": {{"user": {}, "time": "{}"}}, "geometry": {}}}'
    point = '{"type": "Point", "coordinates": [8.21, 53.14]}'
    features = ", ".join(feature.format(who, when, point) for who, when in ((7, "2024-01-01"), (8, "2024-01-02")))
    text = f'{{"type": "FeatureCollection", "features": [{features}]}}'
    for name in ("visits.geojson", "visits.json"):
        (tmp_path / name).write_text(text)
        visits = sf.read(tmp_path / name, "trajectories", places="grid:500m")
        assert visits.table["person"].to_pylist() == ["7", "8"]
        assert abs(visits.places["lon"][0].as_py() - 8.21) < 0.01
    line = '{"type": "LineString", "coordinates": [[8.21, 53.14], [9, 54]]}'
    (tmp_path / "lines.geojson").write_text(
        f'{{"type": "FeatureCollection", "features": [{feature.format(7, "x", line)}]}}'
    )
    with pytest.raises(SchemaError, match="every feature must be a point of longitude and latitude; feature 1"):
        sf.read(tmp_path / "lines.geojson", "trajectories", places="grid:500m")


def test_an_archive(tmp_path):
    with zipfile.ZipFile(tmp_path / "visits.zip", "w") as archive:
        archive.writestr("README.txt", "nothing")
        archive.writestr("__MACOSX/._a.csv", "x")
        archive.writestr("data/a10.csv", "person,place\n8,home\n")
        archive.writestr("data/a9.csv", "person,place\n7,park\n")
    visits = sf.read(tmp_path / "visits.zip", "trajectories")
    assert visits.table["person"].to_pylist() == ["7", "8"]
    assert str(find_note(visits.notes, "files-read")) == "Read 2 files of visits.zip as one."
    one = sf.read(tmp_path / "visits.zip" / "data" / "a10.csv", "trajectories")
    assert one.table["person"].to_pylist() == ["8"]


def test_latitude_and_longitude_in_one_column(tmp_path):
    apart, together = tmp_path / "apart.csv", tmp_path / "together.csv"
    apart.write_text("person,lat,lon\n7,53.14,8.21\n8,53.2,-8.3\n")
    for cells in ("53.14 8.21|53.2 -8.3", "53.14,8.21|53.2,-8.3", "(53.14; 8.21)|POINT (-8.3 53.2)"):
        first, second = cells.split("|")
        together.write_text(f'person,lat_lon\n7,"{first}"\n8,"{second}"\n')
        one, two = (sf.read(file, "trajectories", places="grid:1km") for file in (apart, together))
        assert one.places.equals(two.places) and one.history().lists() == two.history().lists()
    together.write_text('person,where\n7,"53.14,8.21"\n8,\n')
    with pytest.raises(SchemaError, match=r"two numbers such as .* row 2 does not"):
        sf.read(together, "trajectories", places="grid:1km", columns={"lat_lon": "where"})
    found = sf.read(together, "trajectories", places="grid:1km", columns={"lat_lon": "where"}, missing="drop")
    assert found.table["person"].to_pylist() == ["7"]


EMPTY = {
    "trajectories": ("person,place\n7,park\n7,\n8,home\n", {}, "place"),
    "sequences": ("person,time,event\n7,1,a\n7,2, \n8,1,b\n", {}, "event"),
    "sets": ("person,item\n7,a\n7,\n8,b\n", {}, "item"),
    "timeline": ("time,event,count\n1,a,1\n1,,2\n2,b,3\n", {}, "event"),
    "activity": ("person,start,end,activity\n7,1,2,a\n7,2,3,\n8,1,3,b\n", {}, "activity"),
    "snapshots": ("time,age,ill\n1,30,a\n1,,b\n2,40,b\n", {"columns": {"qi": "age"}, "sensitive": "ill"}, "age"),
    "table": ("age,ill\n30,a\n,b\n40,b\n", {"quasi": "age", "sensitive": "ill"}, "age"),
    "rt": ("age,items\n30,a|b\n,b\n40,b\n", {"quasi": "age", "separator": "|"}, "age"),
}


@pytest.mark.parametrize("kind", EMPTY)
def test_empty_cells(tmp_path, kind):
    text, options, column = EMPTY[kind]
    file = tmp_path / "data.csv"
    file.write_text(text)
    with pytest.raises(SchemaError, match=rf"column '{column}' (has|must not have) empty cells.* row 2"):
        sf.read(file, kind, missing="error", **options)
    dropped = sf.read(file, kind, missing="drop", **options)
    note = find_note(dropped.notes, "empty-rows-left-out")
    assert (note.counts, note.columns) == ({"rows": 1}, (column,))
    (tmp_path / "whole.csv").write_text(
        "".join(line for i, line in enumerate(text.splitlines(keepends=True)) if i != 2)
    )
    assert dropped.table.equals(sf.read(tmp_path / "whole.csv", kind, **options).table)
    filled = sf.read(file, kind, missing="77", **options)
    note = find_note(filled.notes, "empty-cells-filled")
    assert (note.counts, note.columns) == ({"cells": 1}, (column,))
    assert "77" in str(filled.table.to_pydict())


def test_nobody_is_made_up_where_a_cell_is_empty(tmp_path):
    (tmp_path / "a.csv").write_text("person,time,event\n,1,a\n8,,b\n")
    with pytest.raises(SchemaError, match="column 'time' has empty cells in row 2"):
        sf.read(tmp_path / "a.csv", "sequences", missing="unknown")
    (tmp_path / "a.csv").write_text("person,time,event\n,1,a\n8,2,b\n?,3,c\n")
    with pytest.raises(SchemaError, match=r"column 'person' has empty cells in rows? 1"):
        sf.read(tmp_path / "a.csv", "sequences", missing="unknown")
    log = sf.read(tmp_path / "a.csv", "sequences", missing="drop", empty="?")
    assert log.table["person"].to_pylist() == ["8"]


def test_monthly_data(tmp_path):
    (tmp_path / "cases.csv").write_text(
        "month,age,ill\n2023-12,1,a\n2024-01,2,b\n2023-12,3,b\n2024-01,4,a\n2024-03,5,a\n2024-03,6,b\n"
    )
    options = {"columns": {"qi": "age"}, "sensitive": "ill", "resolution": "month"}
    cases = sf.read(tmp_path / "cases.csv", "snapshots", **options)
    assert cases.table["time"].to_pylist() == [647, 647, 648, 648, 650, 650]
    result = sf.anonymize(cases, sf.methods.Reposition(l=2, window=2), secret=bytes([1] * 32))
    assert sf.write(result, tmp_path / "out", reports=False)
    assert sf.verify(tmp_path / "out", cases)
    published = pq.read_table(tmp_path / "out" / "release" / "data.parquet")["snapshot"]
    assert {moment.as_py().strftime("%Y-%m-%d") for moment in published} == {"2023-12-01", "2024-01-01", "2024-03-01"}
    assert sf.attack(tmp_path / "out", cases).smallest_anonymity_set == 2


def test_other_formats_of_months_and_quarters(tmp_path):
    days = {"2024-02": 19754, "2024/02": 19754, "Feb 2024": 19754, "February 2024": 19754, "2024-Q2": 19814}
    for text, day in days.items():
        (tmp_path / "a.csv").write_text(f"time,event\n{text},a\n")
        line = sf.read(tmp_path / "a.csv", "timeline", resolution="day")
        assert line.table["time"].to_pylist() == [day]
    (tmp_path / "a.csv").write_text("person,time,event\n7,2024-05-31,a\n7,2024-01-31,b\n")
    log = sf.read(tmp_path / "a.csv", "sequences", resolution="quarter")
    assert [str(moment.as_py())[:10] for moment in log.time_unit.to_arrow(log.times())] == ["2024-01-01", "2024-04-01"]


@pytest.mark.parametrize(
    ("names", "first"),
    [
        (["Jul.93", "Aug.93", "Sep.93"], 282),
        (["nov00", "dec00", "jan01"], 370),
        (["2024-11", "2024-12", "2025-01"], 658),
    ],
)
def test_columns_that_are_months(tmp_path, names, first):
    pa_table = pa.table({"person": ["7", "8"], **{name: ["a", "b"] for name in names}})
    pq.write_table(pa_table, tmp_path / "a.parquet")
    lives = sf.read(tmp_path / "a.parquet", "activity")
    assert (lives.time_unit.unit, lives.time_unit.origin) == ("month", first)


def test_episodes_in_slots_of_a_month(tmp_path):
    (tmp_path / "a.csv").write_text(
        "person,start,end,activity\n7,2024-01-01,2024-02-15,a\n7,2024-02-15,2024-04-01,b\n8,2024-01-20,2024-03-01,c\n"
    )
    lives = sf.read(tmp_path / "a.csv", "activity", resolution="month")
    # 14 of the 29 days of February are of a, 15 of b; in January 20 of 31 days of the other one are unknown.
    assert lives.history().lists() == [["a", "b", "b"], ["(gap)", "c", "(gap)"]]
