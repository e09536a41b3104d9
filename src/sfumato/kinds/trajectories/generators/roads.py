"""Objects that drive through a road network and are seen in the regions they cross."""

import math
from collections.abc import Iterator
from datetime import date
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.generators.options import Option
from sfumato.generators.rhythm import spread_over_days
from sfumato.generators.visits import Visits, rank_in_run
from sfumato.kinds.trajectories.generators.network import (
    MAP_SIDE,
    Network,
    Routes,
    build_network,
    count_starts_per_batch,
    find_routes,
    read_network,
)

__all__ = ["DESCRIPTION", "OPTIONS", "simulate"]

DESCRIPTION = "Objects drive along the fastest routes of a road network and are seen in the regions they cross."

OPTIONS = (
    Option("nodes", Path, None, "File of junctions, lines 'id x y' (.xz and .gz too); without it, made up."),
    Option("edges", Path, None, "File of roads, lines 'id from to length'; goes with nodes."),
    Option("junctions", int, 3600, "Junctions of the made-up network, about.", at_least=9, at_most=100_000),
    Option("cells", int, 10, "Regions along each side of the map, so 10 gives 100 regions.", at_least=2,
           at_most=1000),
    Option("mean_length", float, 4.72, "Average number of regions an object is seen in.", at_least=1.0),
    Option("starts", int, 1000, "Junctions where objects may start, at most.", at_least=1),
    Option("speed", float, 10.0, "What a fast object covers between two reports on a minor road; the map is "
           "1000 wide.", at_least=0.1, at_most=1000.0),
    Option("step", int, 60, "Seconds between two reports.", at_least=1, at_most=86_400),
    Option("start", date, date(2024, 1, 1), "First day."),
    Option("days", int, 1, "Number of days on which objects set out.", at_least=1, at_most=36_525),
)  # fmt: skip

# Speed of each class of objects, relative to the fastest; each class is half as frequent as the one before.
_CLASS_SPEEDS = np.array([1.0, 0.9, 0.8, 0.65, 0.5, 0.3])
_CLASS_SHARES = np.cumsum(0.5 ** np.arange(1, 7))

_SPREAD = 8.0  # of the negative binomial trip lengths: close to what Brinkhoff's generator gives in Oldenburg
_OBJECT_BATCH = 50_000
_PILOT_STARTS, _PILOT_OBJECTS = 250, 10_000

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]


class Trips(NamedTuple):
    """One trip per object: where it starts and the random numbers that decide the rest."""

    start: Ints
    """Row of the start in the list of starts."""
    far: Floats
    """Uniform: how many regions away the destination is."""
    which: Floats
    """Uniform: which junction at that distance."""
    speed: Floats
    """Map units covered between two reports on a minor road."""

    def take(self, rows: Ints) -> "Trips":
        """Return some of the trips."""
        return Trips(self.start[rows], self.far[rows], self.which[rows], self.speed[rows])


class Sightings(NamedTuple):
    """Regions the objects were seen in, object after object, without immediate repetition."""

    lengths: Ints
    region: npt.NDArray[np.int32]
    report: npt.NDArray[np.int32]
    """Number of the report that first shows the object in the region."""


class Town(NamedTuple):
    """A network divided into regions."""

    network: Network
    cells: int

    def region_at(self, x: Floats, y: Floats) -> npt.NDArray[np.int32]:
        """Number the regions row by row."""
        last = self.cells - 1
        column = np.minimum((x * (self.cells / MAP_SIDE)).astype(np.int32), last)
        row = np.minimum((y * (self.cells / MAP_SIDE)).astype(np.int32), last)
        return row * np.int32(self.cells) + column


def simulate(size: int, seed: int, settings: dict[str, Any]) -> Visits:
    """Let `size` objects make one trip each, in a network that depends on the seed, not on the size.

    References
    ----------
    T. Brinkhoff, A framework for generating network-based moving objects, GeoInformatica 6(2), 2002: objects
    on a network with classes of objects and of roads. Collisions and outer events are not simulated.
    """
    streams = np.random.SeedSequence(seed).spawn(3)
    network_rng, pilot_rng, rng = (np.random.Generator(np.random.PCG64(stream)) for stream in streams)
    town = Town(_load_network(network_rng, settings), settings["cells"])
    starts = np.argsort(network_rng.random(town.network.x.size), kind="stable")[: settings["starts"]]
    reach = _calibrate(pilot_rng, town, starts, settings)

    trips = _draw_trips(rng, size, starts.size, settings["speed"])
    departure = spread_over_days(rng.random(size), settings["start"], settings["days"])
    sightings = _drive_all(town, starts, trips, reach)
    seconds = np.repeat(departure, sightings.lengths) + sightings.report.astype(np.int64) * settings["step"]

    cells = town.cells
    digits = len(str(cells - 1))
    row, column = np.divmod(np.arange(cells * cells), cells)
    labels = [f"r{up:0{digits}d}c{across:0{digits}d}" for up, across in zip(row, column, strict=True)]
    x, y = ((number + 0.5) * (MAP_SIDE / cells) for number in (column, row))
    return Visits(sightings.lengths, seconds, sightings.region, labels, x, y)


def _load_network(rng: np.random.Generator, settings: dict[str, Any]) -> Network:
    if settings["nodes"] is None and settings["edges"] is None:
        return build_network(rng, settings["junctions"])
    for name, other in (("nodes", "edges"), ("edges", "nodes")):
        if settings[name] is None:
            raise ParameterError(f"generate trajectories: {other} needs {name} as well: give both files or none.")
    return read_network(settings["nodes"], settings["edges"])


def _draw_trips(rng: np.random.Generator, size: int, starts: int, speed: float) -> Trips:
    start = np.minimum((rng.random(size) * starts).astype(np.int64), starts - 1)
    kind = np.minimum(np.searchsorted(_CLASS_SHARES, rng.random(size), side="right"), _CLASS_SPEEDS.size - 1)
    return Trips(start, rng.random(size), rng.random(size), _CLASS_SPEEDS[kind] * speed)


def _calibrate(rng: np.random.Generator, town: Town, starts: Ints, settings: dict[str, Any]) -> Floats:
    """Find the distribution of trip lengths for which objects are seen in the wanted number of regions.

    What a destination some regions away yields depends on the network, on the size of the regions (an object
    that cuts a corner between two reports is not seen there) and on the edge of the map, so it is tried out.
    """
    from scipy.optimize import brentq

    wanted: float = settings["mean_length"]
    starts = starts[: min(_PILOT_STARTS, count_starts_per_batch(town.network))]
    routes = find_routes(town.network, starts)
    away = _count_regions(town, routes)
    longest = int(away.max())
    trips = _draw_trips(rng, _PILOT_OBJECTS, starts.size, settings["speed"])
    # Evenly spread numbers instead of random ones: the mean of the pilot is closer to that of many trips.
    trips = trips._replace(far=(np.arange(_PILOT_OBJECTS) + 0.5) / _PILOT_OBJECTS)

    def excess(mean: float) -> float:
        destination = _choose_destinations(away, trips, _trip_lengths(mean, longest))
        return float(_drive(town, routes, trips, destination).lengths.mean()) - wanted

    shortest_mean, longest_mean = 1.0, 4.0 * longest
    if excess(shortest_mean) >= 0:
        return _trip_lengths(shortest_mean, longest)
    shortfall = excess(longest_mean)
    if shortfall < 0:
        most = math.floor((wanted + shortfall) * 10) / 10
        raise ParameterError(
            f"generate trajectories: mean_length must be at most {most} on this map with "
            f"{town.cells} cells a side, got {wanted}; raise cells or lower mean_length."
        )
    return _trip_lengths(float(brentq(excess, shortest_mean, longest_mean, xtol=0.01)), longest)


def _trip_lengths(mean: float, longest: int) -> Floats:
    """Cumulative shares of trips through 1, 2, ..., longest regions: one more than a negative binomial."""
    chance = (mean - 1.0) / (mean - 1.0 + _SPREAD)
    share = np.empty(longest)
    share[0] = (1.0 - chance) ** _SPREAD
    for more in range(1, longest):
        share[more] = share[more - 1] * chance * (more - 1 + _SPREAD) / more
    cumulative = np.minimum(np.cumsum(share), 1.0)
    cumulative[-1] = 1.0
    return cumulative


def _drive_all(town: Town, starts: Ints, trips: Trips, reach: Floats) -> Sightings:
    """Drive all trips, a bounded number at a time, and return the sightings in the order of the trips."""
    order = np.argsort(trips.start, kind="stable")
    used, first = np.unique(trips.start[order], return_index=True)
    bounds = np.append(first, order.size)
    per_batch = count_starts_per_batch(town.network)
    pieces: list[Sightings] = []
    for begin in range(0, used.size, per_batch):
        end = min(begin + per_batch, used.size)
        routes = find_routes(town.network, starts[used[begin:end]])
        away = _count_regions(town, routes)
        for rows in _in_chunks(order[bounds[begin] : bounds[end]]):
            chunk = trips.take(rows)
            chunk = chunk._replace(start=np.searchsorted(used[begin:end], chunk.start))
            pieces.append(_drive(town, routes, chunk, _choose_destinations(away, chunk, reach)))
    lengths, region, report = (np.concatenate(column) for column in zip(*pieces, strict=True))

    offset = np.empty(order.size, dtype=np.int64)
    offset[order] = np.cumsum(lengths) - lengths
    restored = np.empty_like(lengths)
    restored[order] = lengths
    source = np.repeat(offset, restored) + rank_in_run(restored)
    return Sightings(restored, region[source], report[source])


def _in_chunks(rows: Ints) -> Iterator[Ints]:
    for begin in range(0, rows.size, _OBJECT_BATCH):
        yield rows[begin : begin + _OBJECT_BATCH]


def _count_regions(town: Town, routes: Routes) -> npt.NDArray[np.int32]:
    """Count, for each start and junction, the regions on the route between them."""
    region = town.region_at(town.network.x, town.network.y)
    rows = np.arange(routes.duration.shape[0])
    away = np.ones(routes.duration.shape, dtype=np.int32)
    # In the order of arrival, so that the junction before is always counted first.
    for junction in np.argsort(routes.duration, axis=1, kind="stable")[:, 1:].T:
        before = routes.previous[rows, junction]
        away[rows, junction] = away[rows, before] + (region[junction] != region[before])
    return away


def _choose_destinations(away: npt.NDArray[np.int32], trips: Trips, reach: Floats) -> Ints:
    """Pick for each trip a junction as many regions away as its length says, or the farthest ones."""
    wanted = np.searchsorted(reach, trips.far, side="right") + 1
    wanted = np.minimum(wanted, away.max(axis=1)[trips.start])
    by_distance = np.argsort(away, axis=1, kind="stable")
    # One sorted array for all starts. Counts grow by one along a route, so each up to the largest occurs.
    stride = int(away.max()) + 2
    rows = np.arange(away.shape[0])[:, None]
    cumulative = (np.take_along_axis(away, by_distance, axis=1) + rows * stride).ravel()
    low = np.searchsorted(cumulative, trips.start * stride + wanted, side="left")
    high = np.searchsorted(cumulative, trips.start * stride + wanted, side="right")
    chosen = np.minimum(low + (trips.which * (high - low)).astype(np.int64), high - 1)
    destination: Ints = by_distance.ravel()[chosen]
    return destination


def _list_junctions(routes: Routes, start: Ints, destination: Ints) -> tuple[Ints, Ints]:
    """List the junctions of each trip's route, from start to destination, and how many they are."""
    hops = [destination]
    trip = [np.arange(start.size)]
    while True:
        before = routes.previous[start[trip[-1]], hops[-1]].astype(np.int64)
        going = before >= 0
        if not going.any():
            break
        hops.append(before[going])
        trip.append(trip[-1][going])
    owner = np.concatenate(trip)
    lengths = np.bincount(owner, minlength=start.size)
    depth = np.repeat(np.arange(len(hops)), [hop.size for hop in hops])
    junctions = np.empty(owner.size, dtype=np.int64)
    junctions[np.cumsum(lengths)[owner] - 1 - depth] = np.concatenate(hops)
    return junctions, lengths


def _drive(town: Town, routes: Routes, trips: Trips, destination: Ints) -> Sightings:
    """Report each object at regular steps from start to arrival, and keep the changes of region."""
    junction, lengths = _list_junctions(routes, trips.start, destination)
    owner = np.repeat(np.arange(lengths.size), lengths)
    x, y = town.network.x[junction], town.network.y[junction]
    elapsed = routes.duration[trips.start[owner], junction] / trips.speed[owner]
    last = np.cumsum(lengths) - 1
    # The report after the arrival shows the object at its destination.
    reported = np.floor(elapsed)
    reported[last] = np.ceil(elapsed[last])

    # Each junction closes the road that leads to it; the first one of a trip closes a road of no length.
    before = np.maximum(np.arange(junction.size) - 1, 0)
    before[last - lengths + 1] = last - lengths + 1
    first_report = np.where(before == np.arange(before.size), 0, reported[before] + 1).astype(np.int64)
    reports = reported.astype(np.int64) - first_report + 1
    # A region is convex: a road with both ends in one region never leaves it, and one report tells that.
    region = town.region_at(x, y)
    reports = np.where(region == region[before], np.minimum(reports, 1), reports)

    road = np.repeat(np.arange(reports.size), reports)
    number = first_report[road] + rank_in_run(reports)
    passed = elapsed - elapsed[before]
    share = (number - elapsed[before[road]]) / np.where(passed > 0, passed, 1.0)[road]
    share = np.clip(share, 0.0, 1.0)
    from_x, from_y = x[before[road]], y[before[road]]
    seen = town.region_at(from_x + share * (x[road] - from_x), from_y + share * (y[road] - from_y))
    holder = owner[road]
    changed = np.ones(seen.size, dtype=np.bool_)
    changed[1:] = (seen[1:] != seen[:-1]) | (holder[1:] != holder[:-1])
    return Sightings(
        np.bincount(holder[changed], minlength=lengths.size), seen[changed], number[changed].astype(np.int32)
    )
