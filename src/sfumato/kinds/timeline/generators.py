"""Synthetic timelines: how often which events happen, with stretches of time in which other events are popular."""

from datetime import UTC, date, datetime
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.data.time_units import UNITS
from sfumato.generators.options import Option, choose_model

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]


MODELS: dict[str, str] = {"segments": "Events with a Zipf popularity that changes between segments of the timeline."}
"""Each model's name and what it does in one line."""

OPTIONS: dict[str, tuple[Option, ...]] = {
    "segments": (
        Option("events", int, 900, "Number of different events.", at_least=1, at_most=1_000_000),
        Option("mean_events", float, 18.0, "Average number of occurrences at a time point.", at_least=1.0),
        Option("skew", float, 1.0, "Exponent of the Zipf popularity of events; 0: all equally frequent.", at_least=0.0),
        Option("segments", int, 8, "Number of segments with a popularity of their own.", at_least=1),
        Option("drift", float, 0.3, "How much popularity changes between segments.", at_least=0.0, at_most=1.0),
        Option("start", date, date(2024, 1, 1), "First day."),
        Option("step", str, "hour", "Time between two time points.", choices=("second", "minute", "hour", "day")),
    )
}  # fmt: skip
"""Each model's options, with their defaults and help."""


def generate(size: int, seed: int, model: str = "segments", **options: Any) -> pa.Table:
    """Make up a timeline of `size` time points; the same seed gives the same table.

    Parameters
    ----------
    size
        Number of time points.
    seed
        Decides everything that is random.
    model
        One of the names in MODELS.
    **options
        What OPTIONS lists for the model, as values or as text.

    Returns
    -------
    pyarrow.Table
        One row per time point and event that occurs there, in time order: time (UTC), event, count.

    References
    ----------
    G. Loukides, R. Gwadera, Optimal event sequence sanitization, 2015, Section 5, which has a sequence of about this
    shape (18 occurrences at a time point, 909 events).

    Examples
    --------
    >>> table = generate(50, seed=1, events=20)
    >>> table.column_names, len(set(table["time"].to_pylist()))
    (['time', 'event', 'count'], 50)
    >>> generate(50, seed=1, event=20)
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: generate timeline: model segments has no option 'event'. Did you mean 'events'?
    """
    size, seed, settings = choose_model("timeline", size, seed, model, OPTIONS, options)
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    beyond_first = -np.log1p(-rng.random(size)) * (settings["mean_events"] - 0.5)
    lengths = 1 + np.where(settings["mean_events"] > 1, beyond_first, 0.0).astype(np.int64)
    point = np.repeat(np.arange(size), lengths)
    return _tabulate(point, _draw_events(rng, point, size, settings), settings)


def _draw_events(rng: np.random.Generator, point: Longs, size: int, settings: dict[str, Any]) -> Longs:
    """Draw each occurrence by the popularity of its segment."""
    events = settings["events"]
    begins = np.sort(rng.random(settings["segments"] - 1)) * size
    segment = np.searchsorted(begins, point, side="right")
    popularity = np.cumsum(np.arange(1, events + 1, dtype=np.float64) ** -settings["skew"])
    uniform = rng.random(point.size) * popularity[-1]
    rank = np.minimum(np.searchsorted(popularity, uniform, side="right"), events - 1)
    event = np.empty(point.size, dtype=np.int64)
    for number in range(settings["segments"]):
        order = np.argsort(np.arange(events) / events + settings["drift"] * rng.random(events), kind="stable")
        own = segment == number
        event[own] = order[rank[own]]
    return event


def _tabulate(point: Longs, event: Longs, settings: dict[str, Any]) -> pa.Table:
    """Count occurrences by time point and event."""
    events = settings["events"]
    keys, counts = np.unique(point * events + event, return_counts=True)
    midnight = int(datetime.combine(settings["start"], datetime.min.time(), UTC).timestamp())
    labels = pa.array([f"event{number:0{len(str(events))}d}" for number in range(1, events + 1)], pa.string())
    seconds = midnight + keys // events * UNITS[settings["step"]]
    return pa.table(
        {
            "time": pa.array(seconds).cast(pa.timestamp("s", tz="UTC")),
            "event": labels.take(pa.array(keys % events)),
            "count": pa.array(counts.astype(np.int64)),
        }
    )
