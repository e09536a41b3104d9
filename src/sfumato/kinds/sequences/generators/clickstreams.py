"""Click streams on an invented web: sessions, portals that everybody uses, and sites one returns to."""

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import ParameterError
from sfumato.generators.options import Option
from sfumato.generators.rhythm import DAY, spread_over_days
from sfumato.generators.tails import accumulate_zipf, draw_long_tailed, pick
from sfumato.generators.visits import rank_in_run
from sfumato.messages import Message, parameter

__all__ = ["DESCRIPTION", "OPTIONS", "simulate"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]
Marks = npt.NDArray[np.bool_]

DESCRIPTION = "Sessions of clicks on an invented web, from a few portals to popular and favourite sites."

OPTIONS = (
    Option("events", int, 10_000, "Number of sites, portals included.", at_least=2, at_most=10_000_000),
    Option("skew", float, 1.0, "Exponent of the Zipf popularity of sites; 0: all equally popular.", at_least=0.0),
    Option("portals", int, 6, "Number of portals, the events that a receiver may monitor.", at_least=0),
    Option("portal_share", float, 0.08, "Share of clicks that go to a portal.", at_least=0.0, at_most=1.0),
    Option("mean_events", float, 61.0, "Average number of clicks per person.", at_least=1.0),
    Option("max_events", int, 8_600, "Largest number of clicks per person.", at_least=1),
    Option("mean_session", float, 6.0, "Average number of clicks per session.", at_least=1.0),
    Option("pause", float, 45.0, "Average seconds between two clicks of a session.", at_least=1.0, at_most=86_400.0),
    Option("start", date, date(2024, 1, 1), "First day."),
    Option("days", int, 90, "Number of days covered.", at_least=1, at_most=36_525),
)  # fmt: skip

_OWNER = "generate sequences"
_FAVOURITES = 8  # sites a person keeps returning to
_RETURNS = 0.5  # share of clicks at sites that go to a favourite
_HOME_PORTAL = 0.7  # share of clicks at portals that go to the one a person prefers


def simulate(size: int, seed: int, settings: dict[str, Any]) -> pa.Table:
    """Let `size` people click for some days."""
    _check_settings(settings)
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    lengths = draw_long_tailed(rng.random(size), settings["mean_events"], settings["max_events"])
    seconds, opens = _draw_times(rng, lengths, settings)
    event = _draw_events(rng, lengths, opens, settings)
    return _tabulate(lengths, seconds, event, settings)


def _check_settings(settings: dict[str, Any]) -> None:
    capacity = settings["days"] * DAY
    for name, limit, why in (
        ("mean_events", settings["max_events"], "which is max_events"),
        ("max_events", capacity, f"one a second for {settings['days']} days"),
        ("portals", settings["events"] - 1, "as some of the events are no portals"),
    ):
        if settings[name] > limit:
            raise ParameterError(
                Message(_OWNER, ": ", parameter(name), f" must be at most {limit}, {why}, got {settings[name]}.")
            )


def _draw_times(rng: np.random.Generator, lengths: Longs, settings: dict[str, Any]) -> tuple[Longs, Marks]:
    """Draw each person's moments in ascending order, a second apart at least, and mark what opens a session."""
    horizon = settings["days"] * DAY
    rank = rank_in_run(lengths)
    opens = (rank == 0) | (rng.random(rank.size) < 1.0 / settings["mean_session"])
    # People a double horizon apart: one sort orders everybody, and no shift reaches the next person.
    base = np.repeat(np.arange(lengths.size, dtype=np.int64) * (2 * horizon), lengths)
    session = np.cumsum(opens) - 1
    begins = spread_over_days(rng.random(int(session[-1]) + 1), settings["start"], settings["days"])
    begins = np.sort(begins + base[opens])
    pauses = np.where(opens, 0, 1 + (-np.log1p(-rng.random(rank.size)) * (settings["pause"] - 0.5)).astype(np.int64))
    since = np.cumsum(pauses)
    since -= since[opens][session]
    moments = np.minimum(begins[session] + since, base + horizon - 1)
    # A session may run into the next one, as with two windows.
    order = np.argsort(moments, kind="stable")
    moments = np.maximum.accumulate(moments[order] - rank) + rank - base
    latest = horizon - (np.repeat(lengths, lengths) - rank)
    return np.minimum(moments, latest), opens[order]


def _draw_events(rng: np.random.Generator, lengths: Longs, opens: Marks, settings: dict[str, Any]) -> Ints:
    """Draw where each click leads: a portal (numbered first), a favourite site, or any site by popularity."""
    people, portals = lengths.size, settings["portals"]
    person = np.repeat(np.arange(people, dtype=np.int32), lengths)
    popularity = accumulate_zipf(settings["events"] - portals, settings["skew"])
    favourites = pick(popularity, rng.random(people * _FAVOURITES)).reshape(people, _FAVOURITES)
    event = pick(popularity, rng.random(person.size))
    returns = np.flatnonzero(rng.random(person.size) < _RETURNS)
    # The square makes the first favourites the dearest.
    dearest = (rng.random(returns.size) ** 2 * _FAVOURITES).astype(np.int64)
    event[returns] = favourites[person[returns], dearest]
    event += portals
    if portals:
        shares = accumulate_zipf(portals, 1.0)
        home = pick(shares, rng.random(people))
        at = np.flatnonzero(rng.random(person.size) < _portal_chances(opens, settings["portal_share"]))
        elsewhere = pick(shares, rng.random(at.size))
        event[at] = np.where(rng.random(at.size) < _HOME_PORTAL, home[person[at]], elsewhere)
    return event


def _portal_chances(opens: Marks, share: float) -> Floats:
    """Return the chance of each click to go to a portal: half of such clicks open a session, if there is room."""
    opening = float(opens.mean())
    first = min(1.0, share / (2.0 * opening)) if opening < 1.0 else share
    later = (share - first * opening) / (1.0 - opening) if opening < 1.0 else 0.0
    if later > 1.0:
        first, later = (share - 1.0 + opening) / opening, 1.0
    return np.where(opens, first, later)


def _tabulate(lengths: Longs, seconds: Longs, event: Ints, settings: dict[str, Any]) -> pa.Table:
    """Lay clicks out in long form: person, time and event."""
    width = max(7, len(str(lengths.size)))
    names = pa.array([f"p{number:0{width}d}" for number in range(1, lengths.size + 1)], pa.string())
    sites = settings["events"] - settings["portals"]
    labels = [f"portal{number}" for number in range(1, settings["portals"] + 1)]
    labels += [f"site{number:0{len(str(sites))}d}" for number in range(1, sites + 1)]
    midnight = int(datetime.combine(settings["start"], datetime.min.time(), UTC).timestamp())
    return pa.table(
        {
            "person": names.take(np.repeat(np.arange(lengths.size, dtype=np.int32), lengths)),
            "time": pa.array(seconds + midnight).cast(pa.timestamp("s", tz="UTC")),
            "event": pa.array(labels, pa.string()).take(event),
        }
    )
