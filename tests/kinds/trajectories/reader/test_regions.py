"""Regions drawn by somebody: read from GeoJSON and WKT, and which point lies in which."""

import json

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from tests.kinds.trajectories.naive.regions import is_inside
from tests.kinds.trajectories.reader.points import derive, lattice, on_earth

from sfumato.exceptions import SchemaError
from sfumato.kinds.trajectories.reader.places import tabulate_places
from sfumato.kinds.trajectories.reader.regions import locate_in_regions, read_regions

SHAPES = {
    "ring": [[[[0, 0], [10, 0], [10, 10], [0, 10]], [[3, 3], [7, 3], [7, 7], [3, 7]]]],
    "core": [[[[3, 3], [7, 3], [7, 7], [3, 7]]]],
    "islands": [[[[12, 0], [14, 0], [13, 5]]], [[[15, 5], [18, 5], [18, 9], [16, 7]]]],
}


def geojson(tmp_path, shapes):
    features = [
        {"type": "Feature", "properties": {"name": n}, "geometry": {"type": "MultiPolygon", "coordinates": p}}
        for n, p in shapes.items()
    ]
    file = tmp_path / "regions.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


@given(st.lists(st.tuples(st.floats(-1, 20), st.floats(-1, 11)) | lattice, min_size=1, max_size=40))
def test_regions_equal_the_slow_ray_casting(tmp_path_factory, points):
    regions = read_regions(geojson(tmp_path_factory.mktemp("r"), SHAPES), lonlat=False)
    x, y = (np.array(axis, dtype=float) for axis in zip(*points, strict=True))
    found = locate_in_regions(regions, x, y)
    for px, py, code in zip(x.tolist(), y.tolist(), found, strict=True):
        inside = [i for i, polygons in enumerate(SHAPES.values()) if is_inside(polygons, px, py)]
        assert code == (inside[0] if inside else -1)


@given(st.floats(0, 4), st.floats(0, 1))
def test_neighbouring_regions_leave_no_gap_and_no_overlap(tmp_path_factory, x, y):
    slanted = {
        f"strip{i}": [[[[i - 0.3 if i else -9, -1], [i + 1 - 0.3, -1], [i + 1.1, 2], [i + 0.1 if i else -9, 2]]]]
        for i in range(6)
    }
    regions = read_regions(geojson(tmp_path_factory.mktemp("r"), slanted), lonlat=False)
    hits = [int(locate_in_regions([region], np.array([x]), np.array([y]))[0]) for region in regions]
    assert hits.count(0) == 1


def test_regions_have_centre_of_gravity_and_outline(tmp_path):
    ring, core, islands = read_regions(geojson(tmp_path, SHAPES), lonlat=False)
    assert ring.centre() == pytest.approx((5, 5))
    assert ring.area() == pytest.approx(84)
    assert core.outline() == "POLYGON ((3 3, 7 3, 7 7, 3 7, 3 3))"
    assert islands.outline().startswith("MULTIPOLYGON (((12 0, 14 0, 13 5, 12 0)), ((15 5,")
    assert ring.outline().count("(") == 3


def test_regions_from_csv_with_wkt_are_the_same(tmp_path):
    regions = read_regions(geojson(tmp_path, SHAPES), lonlat=False)
    file = tmp_path / "regions.csv"
    file.write_text("name;wkt\n" + "".join(f"{r.name};{r.outline()}\n" for r in regions))
    again = read_regions(file, lonlat=False)
    assert [(r.name, r.outline()) for r in again] == [(r.name, r.outline()) for r in regions]


def test_derived_regions_carry_name_centre_and_outline(tmp_path):
    file = geojson(tmp_path, {"centre": [[[[23, 37], [24, 37], [24, 38], [23, 38]]]]})
    points = on_earth([(23.5, 37.5), (25, 37.5)])
    found = derive(f"regions:{file}", points)
    assert (found.codes.tolist(), found.labels) == ([0, -1], ["centre"])
    table = tabulate_places(found.labels, found.x, found.y, points.projection, found.outlines).to_pylist()
    assert table[0]["lon"] == pytest.approx(23.5)
    assert table[0]["lat"] == pytest.approx(37.5)
    assert table[0]["outline"] == "POLYGON ((23 37, 24 37, 24 38, 23 38, 23 37))"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('{"type": "Feature"}', "not a GeoJSON FeatureCollection"),
        ('{"features": [', "not a GeoJSON FeatureCollection"),
        ('{"features": []}', "no regions"),
        (
            '{"features": [{"properties": {"name": "a"}, "geometry": {"type": "Point", "coordinates": [1, 2]}}]}',
            "feature 1",
        ),
        (
            '{"features": [{"geometry": {"type": "Polygon", "coordinates": [[[0, 0], [1, 0], [1, 1]]]}}]}',
            "needs a name",
        ),
        ("name,wkt\na,POINT (1 2)\n", "row 1: wkt must be"),
        ('name,wkt\na,"POLYGON ((0 0, 1 0, 1"\n', "row 1: wkt must be"),
        ('name,wkt\na,"POLYGON ((0 0, 1 0))"\n', "at least three corners"),
        ('name,wkt\na,"POLYGON ((0 0, 1 0, 2 0, 0 0))"\n', "no area"),
        ('name,wkt\na,"POLYGON ((0 0, 1 nan, 2 0, 0 0))"\n', "region 1 must have corners of two finite numbers"),
        ('name,wkt\na,"POLYGON ((0 0, 1 0, 2 99, 0 0))"\n', "latitude up to 90"),
        (
            'name,wkt\na,"POLYGON ((0 0, 1 0, 2 9))"\na,"POLYGON ((0 0, 1 0, 2 9))"\n',
            "region 2 has the name of region 1",
        ),
        ("place,shape\na,b\n", "needs the columns name and wkt"),
        ("", "empty"),
    ],
)
def test_bad_regions_are_refused(tmp_path, text, message):
    (tmp_path / "regions").write_text(text)
    with pytest.raises(SchemaError, match=message):
        read_regions(tmp_path / "regions", lonlat=True)
