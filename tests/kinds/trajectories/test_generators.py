"""Synthetic trajectories: reproducible, of the wanted size and shape, and refused when asked wrongly."""

import gzip
import lzma
import math
from datetime import date

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st
from scipy.sparse import csr_array
from scipy.sparse.csgraph import connected_components
from tests.examples import settings

from sfumato.exceptions import ParameterError
from sfumato.kinds.trajectories.generators import MODELS, generate, network, roads

# Small variants, so that each call takes a fraction of a second.
SMALL = {
    "checkins": {"places": 60},
    "roads": {"junctions": 225, "cells": 5, "mean_length": 3.0, "starts": 50},
}


def lengths_of(table):
    return np.array(table["person"].value_counts().field("counts"))


def place_counts_of(table):
    return np.sort(np.array(table["place"].value_counts().field("counts")))


def consecutive_pairs(table):
    """Yield the columns of all rows but the last, and of all but the first, within one person."""
    person = table["person"].to_numpy()
    same = person[1:] == person[:-1]
    for name in ("time", "place"):
        column = table[name].to_numpy()
        yield column[:-1][same], column[1:][same]


@pytest.mark.parametrize("model", MODELS)
def test_table_has_the_documented_columns(model):
    table = generate(20, seed=3, model=model, **SMALL[model])
    x, y = ("lon", "lat") if model == "checkins" else ("x", "y")
    assert table.schema == pa.schema(
        [
            ("person", pa.string()),
            ("time", pa.timestamp("s", tz="UTC")),
            ("place", pa.string()),
            (x, pa.float64()),
            (y, pa.float64()),
        ]
    )
    assert all(column.null_count == 0 for column in table.columns)
    assert np.isfinite(table[x].to_numpy()).all()
    assert np.isfinite(table[y].to_numpy()).all()


@pytest.mark.parametrize(
    ("model", "places", "times"),
    [
        (
            "checkins",
            ["v21", "v03", "v31"],
            ["2024-01-03 14:51:09", "2024-01-06 18:43:29", "2024-01-07 14:11:16"],
        ),
        (
            "roads",
            ["r2c2", "r1c2", "r4c2"],
            ["2024-01-01 08:41:48", "2024-01-01 09:01:48", "2024-01-01 11:12:48"],
        ),
    ],
)
def test_tables_are_the_same_on_every_machine(model, places, times):
    table = generate(50, seed=1, model=model, **SMALL[model]).slice(0, 3)
    assert table["person"].to_pylist() == ["p0000001", "p0000001", "p0000002"]
    assert table["place"].to_pylist() == places
    assert [f"{moment:%Y-%m-%d %H:%M:%S}" for moment in table["time"].to_pylist()] == times


@pytest.mark.parametrize("model", MODELS)
@settings(max_examples=8)
@given(size=st.integers(1, 60), seed=st.integers(0, 2**64))
def test_rows_are_ordered_and_nobody_stays(model, size, seed):
    table = generate(size, seed, model, **SMALL[model])
    people = table["person"].to_pylist()
    assert people == sorted(people)
    assert len(set(people)) == size
    (earlier, later), (before, after) = consecutive_pairs(table)
    assert (earlier < later).all()
    assert (before != after).all()


@pytest.mark.parametrize("model", MODELS)
def test_a_place_has_one_position(model):
    table = generate(300, seed=5, model=model, **SMALL[model])
    columns = ["place", *table.column_names[3:]]
    positions = table.select(columns).group_by(columns).aggregate([])
    assert positions.num_rows == len(table["place"].unique())


# Check-ins


@pytest.mark.parametrize("mean", [1.0, 2.5, 4.0, 12.0])
def test_check_ins_have_the_wanted_average_length(mean):
    lengths = lengths_of(generate(20_000, seed=1, mean_visits=mean))
    assert lengths.min() >= 1
    assert lengths.max() <= 100
    assert lengths.mean() == pytest.approx(mean, rel=0.06)


def test_numbers_of_check_ins_are_heavy_tailed():
    lengths = lengths_of(generate(20_000, seed=1))
    assert np.median(lengths) <= 2
    assert np.quantile(lengths, 0.999) > 15 * np.median(lengths)


def test_every_mean_up_to_the_largest_number_of_visits_is_possible():
    assert (lengths_of(generate(50, seed=1, mean_visits=9, max_visits=9)) == 9).all()


def test_popularity_is_skewed_unless_told_otherwise():
    skewed = place_counts_of(generate(20_000, seed=1))
    assert skewed.size == 662
    assert skewed[-1] > 20 * np.median(skewed)
    even = place_counts_of(generate(20_000, seed=1, skew=0))
    assert even[-1] < 5 * np.median(even)


def test_days_have_a_rhythm():
    table = generate(10_000, seed=1, days=7, start="2024-01-01")
    seconds = table["time"].to_numpy().astype("datetime64[s]").astype(np.int64)
    hour = seconds // 3600 % 24
    assert (hour == 18).sum() > 5 * (hour == 3).sum()
    midnight = np.datetime64("2024-01-01", "s").astype(np.int64)
    assert seconds.min() >= midnight
    assert seconds.max() < midnight + 7 * 86_400


def test_crowded_days_stay_inside_the_period():
    table = generate(20, seed=1, days=1, mean_visits=1440, max_visits=1440, start=date(2024, 5, 1))
    assert {moment.date() for moment in table["time"].to_pylist()} == {date(2024, 5, 1)}
    (earlier, later), _ = consecutive_pairs(table)
    assert ((later - earlier) >= np.timedelta64(60, "s")).all()


def test_people_move_near_their_home():
    table = generate(5_000, seed=1, coordinates="plane")
    x, y = table["x"].to_numpy(), table["y"].to_numpy()
    same = table["person"].to_numpy()[1:] == table["person"].to_numpy()[:-1]
    step = np.hypot(np.diff(x), np.diff(y))
    strangers = np.hypot(x - x[::-1], y - y[::-1])
    assert np.median(step[same]) < 0.6 * np.median(strangers)


@pytest.mark.parametrize("layout", ["grid", "clusters"])
def test_plane_coordinates_lie_in_the_city(layout):
    table = generate(2_000, seed=1, coordinates="plane", layout=layout, width=3000, height=2000)
    assert 0 <= table["x"].to_numpy().min() <= table["x"].to_numpy().max() <= 3000
    assert 0 <= table["y"].to_numpy().min() <= table["y"].to_numpy().max() <= 2000


def test_degrees_lie_around_the_centre():
    table = generate(2_000, seed=1, longitude=3.0, latitude=60.0)
    assert np.abs(table["lon"].to_numpy() - 3.0).max() < 0.25
    assert np.abs(table["lat"].to_numpy() - 60.0).max() < 0.12


def test_the_city_depends_on_the_seed_alone():
    small, large = (generate(size, seed=9, places=20) for size in (300, 600))
    position = dict(zip(large["place"].to_pylist(), large["lon"].to_pylist(), strict=True))
    assert all(
        position[place] == x for place, x in zip(small["place"].to_pylist(), small["lon"].to_pylist(), strict=True)
    )


def test_two_places_are_enough():
    table = generate(50, seed=1, places=2)
    assert set(table["place"].to_pylist()) == {"v1", "v2"}


# Roads


def test_roads_have_the_lengths_and_regions_of_the_oldenburg_set():
    table = generate(18_143, seed=1, model="roads")
    assert lengths_of(table).mean() == pytest.approx(4.72, rel=0.03)
    assert len(table["place"].unique()) == 100
    centres = {(x, y) for x, y in zip(table["x"].to_pylist(), table["y"].to_pylist(), strict=True)}
    assert centres == {(x + 50.0, y + 50.0) for x in range(0, 1000, 100) for y in range(0, 1000, 100)}


@pytest.mark.parametrize(("mean", "cells"), [(1.0, 4), (2.0, 4), (6.0, 12)])
def test_roads_reach_the_wanted_average_length(mean, cells):
    table = generate(4_000, seed=2, model="roads", mean_length=mean, cells=cells, junctions=900, starts=200)
    assert lengths_of(table).mean() == pytest.approx(mean, rel=0.06)


def test_reports_fall_on_whole_steps():
    table = generate(100, seed=2, model="roads", step=25, **SMALL["roads"])
    (earlier, later), _ = consecutive_pairs(table)
    assert ((later - earlier) % np.timedelta64(25, "s") == np.timedelta64(0, "s")).all()


def test_objects_move_from_region_to_region():
    table = generate(500, seed=2, model="roads", speed=5, **SMALL["roads"])
    person = table["person"].to_numpy()
    same = person[1:] == person[:-1]
    jump = np.maximum(np.abs(np.diff(table["x"].to_numpy())), np.abs(np.diff(table["y"].to_numpy())))[same]
    assert (jump == 200.0).mean() > 0.99


@settings(max_examples=20)
@given(seed=st.integers(0, 2**32), junctions=st.integers(9, 600))
def test_built_network_is_connected_and_fills_the_map(seed, junctions):
    town = network.build_network(np.random.default_rng(seed), junctions)
    count = town.x.size
    links = csr_array((np.ones(town.tail.size), (town.tail, town.head)), shape=(count, count))
    assert connected_components(links, directed=False)[0] == 1
    for place in (town.x, town.y):
        assert place.min() == 0.0
        assert place.max() == pytest.approx(1000.0)
    assert (town.length > 0).all()
    assert {1.0, 1.5, 2.0} >= set(town.speed.tolist())


def report_one_by_one(town, routes, start, destination, speed):
    """Drive one trip the plain way: look where the object is at every report, keep changes of region."""
    route = [destination]
    while routes.previous[start, route[-1]] >= 0:
        route.append(int(routes.previous[start, route[-1]]))
    route.reverse()
    elapsed = [routes.duration[start, junction] / speed for junction in route]
    seen = []
    for report in range(math.ceil(elapsed[-1]) + 1):
        x, y = (np.interp(report, elapsed, place[route]) for place in (town.network.x, town.network.y))
        region = int(town.region_at(np.array([x]), np.array([y]))[0])
        if not seen or seen[-1][0] != region:
            seen.append((region, report))
    return seen


@settings(max_examples=25)
@given(seed=st.integers(0, 2**32), cells=st.integers(2, 9), speed=st.floats(1.0, 120.0))
def test_driving_equals_looking_at_every_report(seed, cells, speed):
    rng = np.random.default_rng(seed)
    town = roads.Town(network.build_network(rng, 49), cells)
    count = town.network.x.size
    starts = rng.integers(count, size=4)
    routes = network.find_routes(town.network, starts)
    row, destination = rng.integers(4, size=12), rng.integers(count, size=12)
    trips = roads.Trips(row, rng.random(12), rng.random(12), speed * rng.choice([0.5, 1.0], size=12))
    sightings = roads._drive(town, routes, trips, destination)
    ends = np.cumsum(sightings.lengths)
    for trip, (begin, end) in enumerate(zip(ends - sightings.lengths, ends, strict=True)):
        found = list(zip(sightings.region[begin:end].tolist(), sightings.report[begin:end].tolist(), strict=True))
        assert found == report_one_by_one(town, routes, row[trip], int(destination[trip]), trips.speed[trip])


def test_many_batches_equal_one(monkeypatch):
    whole = generate(400, seed=4, model="roads", **SMALL["roads"])
    monkeypatch.setattr(roads, "_OBJECT_BATCH", 7)
    pieces = generate(400, seed=4, model="roads", **SMALL["roads"])
    assert whole.equals(pieces)


NODES = "0 10.0 5.0\n7 20.0 5.0\n3 20.0 25.0\n\n4 10.0 25.0\n5 900 900\n6 901 900\n"
EDGES = "0 0 7 10.0\n1 7 3 20.0\n2 3 4 10.0\n3 4 4 1.0\n4 7 0 50.0\n5 5 6 1\n"


@pytest.mark.parametrize(("ending", "opener"), [("txt", open), ("txt.xz", lzma.open), ("txt.gz", gzip.open)])
def test_network_files_are_read(tmp_path, ending, opener):
    nodes, edges = tmp_path / f"nodes.{ending}", tmp_path / f"edges.{ending}"
    for path, text in ((nodes, NODES), (edges, EDGES)):
        with opener(path, "wt", encoding="utf-8") as file:
            file.write(text)
    town = network.read_network(nodes, edges)
    # The far pair of nodes, the loop and the longer of two parallel roads are left out.
    assert town.x.tolist() == [0.0, 1000.0, 1000.0, 0.0]
    assert town.y.tolist() == [0.0, 0.0, 1000.0, 1000.0]
    assert sorted(zip(town.tail.tolist(), town.head.tolist(), strict=True)) == [(0, 1), (1, 2), (2, 3)]
    assert town.length == pytest.approx(np.array([750.0, 1500.0, 750.0]))
    table = generate(30, seed=1, model="roads", nodes=str(nodes), edges=edges, cells=2, mean_length=2)
    assert set(table["place"].to_pylist()) <= {"r0c0", "r0c1", "r1c0", "r1c1"}
    assert len(table["person"].unique()) == 30


def test_roads_used_most_become_the_main_ones():
    built = network.build_network(np.random.default_rng(1), 400)
    speed = network._estimate_speeds(built._replace(speed=np.ones_like(built.speed)))
    count = speed.size
    assert (speed == 2.0).sum() == count // 10
    assert (speed >= 1.5).sum() == count * 3 // 10


@pytest.mark.parametrize(
    ("nodes", "edges", "complaint"),
    [
        ("0 1.0\n", EDGES, "nodes must be a file of lines 'id x y'; line 1 has 2 fields instead of 3"),
        ("0 1 2\n0 3 4\n", EDGES, "nodes must have distinct ids; line 2"),
        ("0 1 nan\n", EDGES, "nodes must hold finite numbers; line 1"),
        (NODES, "0 0 99 1.0\n", "edges must join known nodes; line 1"),
        (NODES, "0 0 7 -1.0\n", "edges must have lengths of 0 or more; line 1"),
        (NODES, "0 0 7 far\n", "edges must hold finite numbers; line 1"),
        (NODES, "0 0 0 1.0\n", "edges must have a road between two nodes; the file has none"),
        (NODES, "", "edges must have a road between two nodes; the file has none"),
    ],
)
def test_wrong_network_files_are_refused(tmp_path, nodes, edges, complaint):
    (tmp_path / "nodes.txt").write_text(nodes)
    (tmp_path / "edges.txt").write_text(edges)
    with pytest.raises(ParameterError, match=f"generate trajectories: {complaint}"):
        generate(5, seed=1, model="roads", nodes=tmp_path / "nodes.txt", edges=tmp_path / "edges.txt")


def test_missing_and_damaged_network_files_are_refused(tmp_path):
    for name in ("edges.txt", "edges.txt.xz", "edges.txt.gz"):
        (tmp_path / "nodes.txt").write_text(NODES)
        (tmp_path / name).write_bytes(b"\xff\xfe not what the name says")
        with pytest.raises(ParameterError, match="edges must be a readable file"):
            generate(5, seed=1, model="roads", nodes=tmp_path / "nodes.txt", edges=tmp_path / name)
    with pytest.raises(ParameterError, match=r"nodes must be a readable file.*No such file"):
        generate(5, seed=1, model="roads", nodes=tmp_path / "nowhere", edges=tmp_path / "edges.txt")


# What is refused


@pytest.mark.parametrize(
    ("options", "complaint"),
    [
        ({"places": 1}, "places must be at least 2, got 1."),
        ({"places": 2.5}, "places must be a whole number, got 2.5."),
        ({"places": True}, "places must be a whole number, got True."),
        ({"days": 0}, "days must be at least 1, got 0."),
        ({"skew": float("nan")}, "skew must be a number, got nan."),
        ({"width": -3}, "width must be at least 1.0, got -3.0."),
        ({"latitude": 89}, "latitude must be at most 80.0, got 89.0."),
        ({"mean_visits": 0.5}, "mean_visits must be at least 1.0, got 0.5."),
        ({"mean_visits": 9, "max_visits": 8}, "mean_visits must be at most max_visits (8), got 9.0."),
        (
            {"days": 1, "max_visits": 2000},
            "max_visits must be at most 1440, one a minute for 1 days, got 2000.",
        ),
        ({"start": "soon"}, "start must be a date like 2024-01-31, got 'soon'."),
        ({"coordinates": "polar"}, "coordinates must be lonlat or plane, got 'polar'."),
        ({"placs": 5}, "model checkins has no option 'placs'. Did you mean 'places'"),
        ({"model": "road"}, "there is no model 'road'. Did you mean 'roads'"),
        ({"model": "roads", "cells": 1}, "cells must be at least 2, got 1."),
        ({"model": "roads", "step": 0}, "step must be at least 1, got 0."),
        ({"model": "roads", "nodes": "n.txt"}, "nodes needs edges as well: give both files or none."),
        ({"model": "roads", "edges": "e.txt"}, "edges needs nodes as well: give both files or none."),
    ],
)
def test_wrong_options_are_refused(options, complaint):
    with pytest.raises(ParameterError) as refusal:
        generate(10, seed=1, **options)
    assert str(refusal.value) == f"generate trajectories: {complaint}"


def test_unreachable_length_is_refused_with_what_would_be_possible():
    with pytest.raises(ParameterError, match=r"mean_length must be at most \d+\.\d on this map with 5 cells"):
        generate(10, seed=1, model="roads", **{**SMALL["roads"], "mean_length": 50})


@pytest.mark.parametrize(("size", "seed"), [(0, 1), (-4, 1), (1.5, 1), (10, -1), (10, None)])
def test_wrong_size_or_seed_is_refused(size, seed):
    with pytest.raises(ParameterError, match=r"generate trajectories: (size|seed) must be"):
        generate(size, seed)
