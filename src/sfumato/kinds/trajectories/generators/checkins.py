"""Check-ins in an invented city: homes, workplaces, popular places, and the rhythm of the week."""

import math
from datetime import date
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.generators.options import Option
from sfumato.generators.rhythm import DAY, spread_over_days, weekday_and_hour
from sfumato.generators.visits import Visits, rank_in_run
from sfumato.messages import Message, parameter

__all__ = ["DESCRIPTION", "OPTIONS", "simulate"]

DESCRIPTION = "People of an invented city check in at home, at work and at popular places near both."

OPTIONS = (
    Option("places", int, 662, "Number of places in the city.", at_least=2),
    Option("layout", str, "grid", "Layout of places: one per cell of a jittered grid, or in clusters.",
           choices=("grid", "clusters")),
    Option("skew", float, 1.0, "Exponent of the Zipf popularity of places; 0: all equally popular.", at_least=0.0),
    Option("mean_visits", float, 4.0, "Average number of visits per person.", at_least=1.0),
    Option("max_visits", int, 100, "Largest number of visits per person.", at_least=1),
    Option("start", date, date(2024, 1, 1), "First day."),
    Option("days", int, 7, "Number of days covered.", at_least=1, at_most=36_525),
    Option("width", float, 26_000.0, "East-west extent of the city in metres.", at_least=1.0, at_most=2e5),
    Option("height", float, 26_000.0, "North-south extent of the city in metres.", at_least=1.0, at_most=2e5),
    Option("coordinates", str, "lonlat", "Coordinates: degrees, or metres from the south-west corner.",
           choices=("lonlat", "plane")),
    # Open sea, so that nobody takes the city for a real one; near Greenwich, so that UTC is local time.
    Option("longitude", float, -15.0, "Centre of the city, in degrees.", at_least=-175.0, at_most=175.0),
    Option("latitude", float, 47.0, "Centre of the city, in degrees.", at_least=-80.0, at_most=80.0),
)  # fmt: skip

_GAP = 60  # seconds between two visits of a person, so that time alone orders them
_NEIGHBOURS = 128  # places that count as near, so that the work grows with the places, not with their square
_METRES_PER_DEGREE = 111_320.0

_HOME, _WORK, _NEAR_HOME, _NEAR_WORK, _ANYWHERE = range(5)
# Cumulative shares of the five kinds of visits in working hours, in the rest of a working day, at weekends.
_KIND_SHARES = np.array(
    [
        [0.10, 0.50, 0.58, 0.88, 1.00],
        [0.40, 0.48, 0.75, 0.85, 1.00],
        [0.30, 0.33, 0.70, 0.75, 1.00],
    ]
)


class City(NamedTuple):
    """Places in metres, how popular each is, and where one goes next from each."""

    x: npt.NDArray[np.float64]
    y: npt.NDArray[np.float64]
    popularity: npt.NDArray[np.float64]
    near: npt.NDArray[np.int32]
    """The nearest other places of each place, one row per place."""
    near_shares: npt.NDArray[np.float64]
    """Cumulative attraction of those places, from just above 0 to 1 in each row."""


def simulate(size: int, seed: int, settings: dict[str, Any]) -> Visits:
    """Let `size` people live for some days in a city that depends on the seed, not on the size."""
    _check_settings(settings)
    city_stream, people_stream = np.random.SeedSequence(seed).spawn(2)
    city = _build_city(np.random.Generator(np.random.PCG64(city_stream)), settings)
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(people_stream))

    home = _pick(np.cumsum(np.sqrt(city.popularity)), rng.random(size))
    work = _pick_near(city, home, rng.random(size))
    lengths = _draw_lengths(rng.random(size), settings["mean_visits"], settings["max_visits"])
    seconds = _draw_times(rng, lengths, settings["start"], settings["days"])
    period = _assign_periods(seconds, settings["start"])
    place = _draw_places(rng, city, np.repeat(home, lengths), np.repeat(work, lengths), period)
    _leave_repeated_places(rng, city, place, lengths)

    x, y = _project(city, settings)
    digits = len(str(x.size))
    labels = [f"v{number:0{digits}d}" for number in range(1, x.size + 1)]
    return Visits(lengths, seconds, place, labels, x, y)


def _check_settings(settings: dict[str, Any]) -> None:
    if settings["mean_visits"] > settings["max_visits"]:
        raise ParameterError(
            Message(
                "generate trajectories: ",
                parameter("mean_visits"),
                f" must be at most max_visits ({settings['max_visits']}), got {settings['mean_visits']}.",
            )
        )
    capacity = settings["days"] * DAY // _GAP
    if settings["max_visits"] > capacity:
        raise ParameterError(
            Message(
                "generate trajectories: ",
                parameter("max_visits"),
                f" must be at most {capacity}, one a minute for {settings['days']} days, got {settings['max_visits']}.",
            )
        )


def _build_city(rng: np.random.Generator, settings: dict[str, Any]) -> City:
    from scipy.spatial import cKDTree

    places, width, height = settings["places"], settings["width"], settings["height"]
    draw_places = {"grid": _draw_grid, "clusters": _draw_clusters}[settings["layout"]]
    across, up = draw_places(rng, places)
    x, y = across * width, up * height
    # Busy places gather in the middle, with exceptions.
    from_centre = np.hypot(x - width / 2, y - height / 2)
    popularity = np.empty(places)
    popularity[np.argsort(from_centre * rng.random(places), kind="stable")] = (
        np.arange(1, places + 1, dtype=np.float64) ** -settings["skew"]
    )

    points = np.column_stack((x, y))
    count = min(_NEIGHBOURS, places - 1)
    distance, near = cKDTree(points).query(points, k=count + 1)
    # A place is its own nearest one, but at equal points the tree may list another first.
    itself = near == np.arange(places)[:, None]
    itself[~itself.any(axis=1), -1] = True
    distance = np.asarray(distance)[~itself].reshape(places, count)
    near = np.asarray(near, dtype=np.int32)[~itself].reshape(places, count)
    spacing = math.sqrt(width * height / places)
    shares = np.cumsum(popularity[near] / (1.0 + distance / spacing) ** 2, axis=1)
    return City(x, y, popularity, near, shares / shares[:, -1:])


def _draw_grid(rng: np.random.Generator, places: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    side = math.isqrt(places - 1) + 1
    cell = np.sort(np.argsort(rng.random(side * side), kind="stable")[:places])
    jitter = 0.1 + 0.8 * rng.random((2, places))
    return (cell % side + jitter[0]) / side, (cell // side + jitter[1]) / side


def _draw_clusters(rng: np.random.Generator, places: int) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    clusters = math.isqrt(places - 1) // 2 + 1
    centre = rng.random((2, clusters))
    cluster = _pick(np.cumsum(1.0 / np.arange(1, clusters + 1)), rng.random(places))
    # Sums of uniform numbers look like a bell and, unlike its tails, are easy to keep inside the city.
    offset = (rng.random((2, 4, places)).sum(axis=1) - 2.0) * 0.1
    across, up = np.clip(centre[:, cluster] + offset, 0.0, 1.0)
    return across, up


def _project(city: City, settings: dict[str, Any]) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.float64]]:
    if settings["coordinates"] == "plane":
        return np.round(city.x, 1), np.round(city.y, 1)
    north = (city.y - settings["height"] / 2) / _METRES_PER_DEGREE
    shrink = math.cos(math.radians(settings["latitude"]))
    east = (city.x - settings["width"] / 2) / (_METRES_PER_DEGREE * shrink)
    return np.round(settings["longitude"] + east, 6), np.round(settings["latitude"] + north, 6)


def _pick(cumulative: npt.NDArray[np.float64], uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    """Draw indices with the given cumulative weights."""
    index = np.searchsorted(cumulative, uniform * cumulative[-1], side="right")
    picked: npt.NDArray[np.int32] = np.minimum(index, cumulative.size - 1).astype(np.int32)
    return picked


def _pick_near(city: City, place: npt.NDArray[np.int32], uniform: npt.NDArray[np.float64]) -> npt.NDArray[np.int32]:
    """Draw a different place for each place given: popular ones and close ones more often."""
    places, count = city.near.shape
    # One sorted array for all rows: row r holds the numbers from r to r + 1.
    cumulative = (city.near_shares + np.arange(places)[:, None]).ravel()
    neighbour = np.searchsorted(cumulative, place + uniform, side="right") - place.astype(np.int64) * count
    picked: npt.NDArray[np.int32] = city.near[place, np.clip(neighbour, 0, count - 1)]
    return picked


def _draw_lengths(uniform: npt.NDArray[np.float64], mean: float, largest: int) -> npt.NDArray[np.int64]:
    """Draw numbers of visits from a power law on 1..largest whose exponent gives the wanted mean."""
    # The shift keeps people with a single visit from being the majority.
    log_count = np.log(np.arange(1, largest + 1) + 1.0)
    counts = np.arange(1, largest + 1, dtype=np.float64)
    low, high = -200.0, 200.0
    for _ in range(80):
        exponent = (low + high) / 2
        weight = np.exp(-exponent * log_count - np.max(-exponent * log_count))
        if (weight * counts).sum() > mean * weight.sum():
            low = exponent
        else:
            high = exponent
    return _pick(np.cumsum(weight), uniform).astype(np.int64) + 1


def _draw_times(
    rng: np.random.Generator, lengths: npt.NDArray[np.int64], start: date, days: int
) -> npt.NDArray[np.int64]:
    """Draw each person's moments in ascending order, at least a minute apart."""
    horizon = days * DAY
    rank = rank_in_run(lengths)
    # People a double horizon apart: one sort orders everybody, and no shift reaches the next person.
    base = np.repeat(np.arange(lengths.size, dtype=np.int64) * (2 * horizon), lengths)
    moments = np.sort(base + spread_over_days(rng.random(base.size), start, days))
    moments = np.maximum.accumulate(moments - rank * _GAP) + rank * _GAP - base
    latest = horizon - (np.repeat(lengths, lengths) - rank) * _GAP
    spaced: npt.NDArray[np.int64] = np.minimum(moments, latest)
    return spaced


def _assign_periods(seconds: npt.NDArray[np.int64], start: date) -> npt.NDArray[np.int64]:
    """Tell working hours (0), the rest of a working day (1) and the weekend (2) apart."""
    weekday, hour = weekday_and_hour(seconds, start)
    return np.where(weekday >= 5, 2, np.where((hour >= 9) & (hour < 17), 0, 1))


def _draw_places(
    rng: np.random.Generator,
    city: City,
    home: npt.NDArray[np.int32],
    work: npt.NDArray[np.int32],
    period: npt.NDArray[np.int64],
) -> npt.NDArray[np.int32]:
    """Draw where each visit leads: home, work, near one of them, or anywhere by popularity."""
    uniform = rng.random(period.size)
    kind = sum((uniform >= _KIND_SHARES[period, step]).astype(np.int8) for step in range(4))
    place = np.where(kind == _WORK, work, home)
    for near_kind, anchor in ((_NEAR_HOME, home), (_NEAR_WORK, work)):
        rows = np.flatnonzero(kind == near_kind)
        place[rows] = _pick_near(city, anchor[rows], rng.random(rows.size))
    rows = np.flatnonzero(kind == _ANYWHERE)
    place[rows] = _pick(np.cumsum(city.popularity), rng.random(rows.size))
    return place


def _leave_repeated_places(
    rng: np.random.Generator, city: City, place: npt.NDArray[np.int32], lengths: npt.NDArray[np.int64]
) -> None:
    """Replace, in place, each visit that repeats the one before by a visit nearby."""
    first = np.zeros(place.size + 1, dtype=np.bool_)
    first[np.cumsum(lengths)] = True
    first[0] = True
    suspects = np.arange(1, place.size)
    while True:
        repeated = suspects[~first[suspects] & (place[suspects] == place[suspects - 1])]
        if not repeated.size:
            return
        # The earliest repetition of a person is settled for good in each round, so this ends.
        place[repeated] = _pick_near(city, place[repeated - 1], rng.random(repeated.size))
        following = repeated + 1
        suspects = np.union1d(repeated, following[following < place.size])
