"""Places from coordinates: projection, grid, quadtree and regions, fast against slow."""

import json
import math
import re
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from sfumato.core.errors import ParameterError, SchemaError
from sfumato.kinds.trajectories.reader.places import (
    average_positions,
    derive_places,
    locate,
    parse_place_rule,
    tabulate_places,
)
from sfumato.kinds.trajectories.reader.projection import Projection
from sfumato.kinds.trajectories.reader.regions import locate_in_regions, read_regions


def on_plane(points):
    x, y = (np.array(axis, dtype=float) for axis in zip(*points, strict=True))
    return locate("v", ("x", "y"), (x, y), lonlat=False)


def on_earth(points):
    lon, lat = (np.array(axis, dtype=float) for axis in zip(*points, strict=True))
    return locate("v", ("lon", "lat"), (lon, lat), lonlat=True)


def corners(outline):
    return [tuple(map(float, pair.split())) for pair in re.search(r"\(\((.*)\)\)", outline)[1].split(", ")]


def great_circle(a, b):
    (lon1, lat1), (lon2, lat2) = (tuple(map(math.radians, p)) for p in (a, b))
    h = math.sin((lat2 - lat1) / 2) ** 2 + math.cos(lat1) * math.cos(lat2) * math.sin((lon2 - lon1) / 2) ** 2
    return 2 * 6_371_008.8 * math.asin(math.sqrt(h))


def test_projection_measures_a_city_like_the_globe():
    athens = [(23.70, 37.95), (23.76, 38.02)]
    points = on_earth(athens)
    assert math.dist((points.x[0], points.y[0]), (points.x[1], points.y[1])) == pytest.approx(
        great_circle(*athens), rel=1e-3
    )


earth = st.tuples(st.floats(-180, 180), st.floats(-89, 89))


@given(st.lists(earth, min_size=1, max_size=20), st.randoms(use_true_random=False))
def test_projection_does_not_depend_on_the_order_of_rows(points, random):
    shuffled = points[:]
    random.shuffle(shuffled)
    assert on_earth(points).projection == on_earth(shuffled).projection


@given(st.lists(earth, min_size=1, max_size=20))
def test_projection_goes_back(points):
    flat = on_earth(points)
    lon, lat = flat.projection.inverse(flat.x, flat.y)
    away = (lon - flat.given_x + 180) % 360 - 180
    assert np.abs(away).max() < 1e-6
    assert np.abs(lat - flat.given_y).max() < 1e-6


def test_the_date_line_does_not_part_neighbours():
    points = on_earth([(179.99, -17.0), (-179.99, -17.0)])
    assert abs(points.x[0] - points.x[1]) < 3_000
    west = on_earth([(-122.4, 37.7), (-122.5, 37.8)])
    assert west.projection.seam == -180


@pytest.mark.parametrize(("point", "column"), [((0, 91), "lat"), ((-181, 0), "lon")])
def test_degrees_out_of_range_name_column_and_row(point, column):
    with pytest.raises(SchemaError, match=f"column '{column}' must lie between .* not so in row 2"):
        on_earth([(0, 0), point])


def test_plane_coordinates_out_of_range():
    with pytest.raises(SchemaError, match=r"column 'y' must lie between .* not so in row 1"):
        on_plane([(0, 1e13)])


plane = st.tuples(st.floats(-1e6, 1e6), st.floats(-1e6, 1e6))


def derive(rule, points, person=None):
    """Everybody is at one point, unless told otherwise."""
    person = np.arange(len(points.x)) if person is None else np.array(person)
    return derive_places(parse_place_rule(rule), points, person.astype(np.int32))


@given(st.lists(plane, min_size=1, max_size=30), st.floats(0.5, 1e6))
def test_grid_puts_points_into_aligned_cells(points, size):
    found = derive(f"grid:{size:f}", on_plane(points))
    size = float(f"{size:f}")
    for (x, y), code in zip(points, found.codes, strict=True):
        column, row = math.floor(x / size), math.floor(y / size)
        assert found.labels[code] == f"x{column}y{row}"
        assert found.x[code] == pytest.approx((column + 0.5) * size)
        assert found.y[code] == pytest.approx((row + 0.5) * size)
    assert len(set(found.labels)) == len(found.labels) == len(set(found.codes.tolist()))


@pytest.mark.parametrize(
    "where", [(23.70, 37.95), (-74.0, 40.7), (18.07, 59.33), (25.0, 78.0), (179.999, -17.0), (0, 0)]
)
def test_a_cell_has_its_size_wherever_it_lies(where):
    lon, lat = where
    points = [where, (lon - 0.003, lat + 0.002), (lon, lat - 0.1), (-120.0, 5.0), (7.0, -85.0)]
    found = derive("grid:0.5km", on_earth(points))
    for (lon, lat), code in zip(points, found.codes, strict=True):
        ring = corners(found.outlines[code])
        assert ring[0] == ring[-1]
        assert ring[0][0] <= lon <= ring[2][0]
        assert ring[0][1] <= lat <= ring[2][1]
        middle = (ring[0][1] + ring[3][1]) / 2
        assert great_circle(ring[0], ring[3]) == pytest.approx(500, rel=1e-3)
        assert great_circle((ring[0][0], middle), (ring[1][0], middle)) == pytest.approx(500, rel=1e-2)
        assert (found.x[code], found.y[code]) == pytest.approx(((ring[0][0] + ring[1][0]) / 2, middle), abs=1e-6)


@given(st.lists(earth, min_size=2, max_size=20), st.floats(1, 1e8))
def test_cells_of_the_globe_do_not_depend_on_the_other_points(points, size):
    together = derive(f"grid:{size:f}", on_earth(points))
    alone = derive(f"grid:{size:f}", on_earth(points[:1]))
    code = together.codes[0]
    assert alone.labels == [together.labels[code]]
    assert alone.outlines == [together.outlines[code]]
    assert (alone.x[0], alone.y[0]) == (together.x[code], together.y[code])


def test_a_grid_too_fine_is_refused():
    with pytest.raises(ParameterError, match="too fine"):
        derive("grid:0.0001m", on_plane([(0, 0), (1e12, 0)]))


def naive_quadtree(points, person, limit, people, side, levels):
    """Squares as (level, column, row); the smallest around all points of the fullest square is quartered."""

    def square(point, level):
        return (level, *(math.floor(Fraction(v) / (Fraction(side) / 2**level)) for v in point)) if level else (0, 0, 0)

    cells = {(0, 0, 0): list(range(len(points)))}
    while True:
        crowd = {cell: len({person[i] for i in inside}) for cell, inside in cells.items()}
        open_ = [
            (-crowd[cell], cell)
            for cell, inside in cells.items()
            if crowd[cell] >= people and len({square(points[i], levels) for i in inside}) > 1
        ]
        if not open_:
            break
        _, fullest = min(open_)
        level = next(n for n in range(levels + 1) if len({square(points[i], n) for i in cells[fullest]}) > 1)
        parts = {}
        for i in cells[fullest]:
            parts.setdefault(square(points[i], level), []).append(i)
        if len(cells) - 1 + len(parts) > limit:
            break
        del cells[fullest]
        cells.update(parts)
    return [next(cell for cell, inside in cells.items() if i in inside) for i in range(len(points))]


lattice = st.tuples(st.integers(-20, 20), st.integers(0, 20))


@given(
    st.lists(st.tuples(lattice | plane, st.integers(0, 9)), min_size=1, max_size=25),
    st.integers(1, 12),
    st.integers(2, 4),
)
def test_quadtree_equals_the_slow_one(visits, limit, people):
    points, person = [p for p, _ in visits], [i for _, i in visits]
    found = derive(f"quadtree:{limit},people={people}", on_plane(points), person)
    slow = naive_quadtree(points, person, limit, people, 2**41, 61)
    assert [found.labels[code] for code in found.codes] == [f"z{n}x{i}y{j}" for n, i, j in slow]
    assert len(found.labels) <= limit or found.labels == ["z0x0y0"]
    for (x, y), code in zip(points, found.codes, strict=True):
        ring = corners(found.outlines[code])
        slack = 1e-6 * max(1, abs(x), abs(y))
        assert ring[0][0] - slack <= x <= ring[2][0] + slack
        assert ring[0][1] - slack <= y <= ring[2][1] + slack


@given(st.lists(st.tuples(earth, st.integers(0, 5)), min_size=1, max_size=15), st.integers(1, 9))
def test_quadtree_of_the_globe_equals_the_slow_one(visits, limit):
    points, person = [p for p, _ in visits], [i for _, i in visits]
    found = derive(f"quadtree:{limit},people=2", on_earth(points), person)
    slow = naive_quadtree([(min(x, 179.9999999), y) for x, y in points], person, limit, 2, 360, 24)
    assert [found.labels[code] for code in found.codes] == [f"z{n}x{i}y{j}" for n, i, j in slow]


def test_one_person_alone_never_makes_a_small_square():
    """A thousand fixes of one person at home among ten others: the square of all is quartered, the home is not."""
    points = [(5 + i * 1e-3, 5.0) for i in range(1000)] + [(float(i), 40.0 + i) for i in range(10)]
    person = [99] * 1000 + list(range(10))
    found = derive("quadtree:500", on_plane(points), person)
    level, column, row = map(int, re.fullmatch(r"z(\d+)x(-?\d+)y(-?\d+)", found.labels[found.codes[0]]).groups())
    side = 2.0**41 / 2**level
    around = {p for p, (x, y) in zip(person, points, strict=True)
              if column // 2 * 2 * side <= x < (column // 2 + 1) * 2 * side
              and row // 2 * 2 * side <= y < (row // 2 + 1) * 2 * side}  # fmt: skip
    assert len(around) >= 10


def naive_inside(polygons, x, y):
    """Cast a ray to the east, ring by ring."""
    crossings = 0
    for ring in (ring for polygon in polygons for ring in polygon):
        for (x1, y1), (x2, y2) in zip(ring, ring[1:] + ring[:1], strict=True):
            if (y1 > y) != (y2 > y):
                if y1 > y2:
                    x1, y1, x2, y2 = x2, y2, x1, y1
                crossings += x < x1 + (y - y1) * (x2 - x1) / (y2 - y1)
    return crossings % 2 == 1


def geojson(tmp_path, shapes):
    features = [
        {"type": "Feature", "properties": {"name": n}, "geometry": {"type": "MultiPolygon", "coordinates": p}}
        for n, p in shapes.items()
    ]
    file = tmp_path / "regions.geojson"
    file.write_text(json.dumps({"type": "FeatureCollection", "features": features}))
    return file


SHAPES = {
    "ring": [[[[0, 0], [10, 0], [10, 10], [0, 10]], [[3, 3], [7, 3], [7, 7], [3, 7]]]],
    "core": [[[[3, 3], [7, 3], [7, 7], [3, 7]]]],
    "islands": [[[[12, 0], [14, 0], [13, 5]]], [[[15, 5], [18, 5], [18, 9], [16, 7]]]],
}


@given(st.lists(st.tuples(st.floats(-1, 20), st.floats(-1, 11)) | lattice, min_size=1, max_size=40))
def test_regions_equal_the_slow_ray_casting(tmp_path_factory, points):
    regions = read_regions(geojson(tmp_path_factory.mktemp("r"), SHAPES), lonlat=False)
    x, y = (np.array(axis, dtype=float) for axis in zip(*points, strict=True))
    found = locate_in_regions(regions, x, y)
    for px, py, code in zip(x.tolist(), y.tolist(), found, strict=True):
        inside = [i for i, polygons in enumerate(SHAPES.values()) if naive_inside(polygons, px, py)]
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
        ("place,shape\na,b\n", "need the columns name and wkt"),
        ("", "empty"),
    ],
)
def test_bad_regions_are_refused(tmp_path, text, message):
    (tmp_path / "regions").write_text(text)
    with pytest.raises(SchemaError, match=message):
        read_regions(tmp_path / "regions", lonlat=True)


@given(st.lists(st.tuples(st.integers(0, 4), plane), min_size=1, max_size=30), st.randoms(use_true_random=False))
def test_a_place_is_where_its_points_are_on_average(rows, random):
    used = {code: i for i, code in enumerate(dict.fromkeys(code for code, _ in rows))}
    rows = [(used[code], point) for code, point in rows]

    def average(rows):
        codes = np.array([code for code, _ in rows])
        return average_positions(codes, len(used), on_plane([point for _, point in rows]))

    x, y, differ = average(rows)
    for code in used.values():
        mine = [point for c, point in rows if c == code]
        assert x[code] == pytest.approx(sum(p[0] for p in mine) / len(mine), abs=1e-6)
        assert y[code] == pytest.approx(sum(p[1] for p in mine) / len(mine), abs=1e-6)
    assert differ == sum(len({p for c, p in rows if c == code}) > 1 for code in used.values())
    random.shuffle(rows)
    again = average(rows)
    assert (again[0] == x).all()
    assert (again[1] == y).all()


def test_projection_at_the_pole_stays_finite():
    flat = Projection.about(np.array([10.0]), np.array([90.0]))
    assert np.isfinite(flat.forward(np.array([10.0]), np.array([90.0]))).all()
