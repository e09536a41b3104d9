"""Case reports of an invented region: a few common conditions, many rare ones, and outbreaks that come and go."""

from datetime import date
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.generators.options import Option

__all__ = ["DESCRIPTION", "OPTIONS", "simulate"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

DESCRIPTION = "Cases reported day by day, with skewed conditions and outbreaks that dominate some days."

OPTIONS = (
    Option("snapshots", int, 365, "Number of days, hours or minutes with reports.", at_least=1, at_most=10_000_000),
    Option("unit", str, "day", "Time span of a snapshot.", choices=("day", "hour", "minute")),
    Option("values", int, 20, "Number of conditions.", at_least=1, at_most=100_000),
    Option("skew", float, 0.8, "Exponent of the Zipf frequency of conditions; 0: all equally frequent.", at_least=0.0),
    Option("outbreaks", float, 0.05, "Number of outbreaks that begin per snapshot.", at_least=0.0, at_most=10.0),
    Option("burst", float, 1.0, "Cases that an outbreak adds at its peak, in usual snapshots.", at_least=0.0),
    Option("length", float, 3.0, "Average number of snapshots an outbreak lasts.", at_least=1.0),
    Option("areas", int, 50, "Number of areas.", at_least=1, at_most=1_000_000),
    Option("start", date, date(2024, 1, 1), "First day."),
)  # fmt: skip

_SECONDS = {"day": 86_400, "hour": 3_600, "minute": 60}
_UNEVEN = 0.5
"""How uneven snapshots are without outbreaks: a share of their size is drawn at random."""


def simulate(size: int, seed: int, settings: dict[str, Any]) -> pa.Table:
    """Report `size` cases, in the order of time."""
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    snapshots, values = settings["snapshots"], settings["values"]
    usual = 1.0 - _UNEVEN - _UNEVEN * np.log1p(-rng.random(snapshots))
    usual *= _week(snapshots) if settings["unit"] == "day" else 1.0
    first, ill, extra = _draw_outbreaks(rng, settings)
    intensity = usual + np.bincount(first, extra, minlength=snapshots)
    drawn = np.sort(rng.random(size)) * intensity.sum()
    time = np.minimum(np.searchsorted(np.cumsum(intensity), drawn, side="right"), snapshots - 1).astype(np.int64)
    popular = np.arange(1, values + 1, dtype=np.float64) ** -settings["skew"]
    condition = np.searchsorted(np.cumsum(popular) / popular.sum(), rng.random(size)).astype(np.int64)
    condition = np.minimum(condition, values - 1)
    _infect(condition, time, first, ill, extra / np.maximum(intensity[first], 1e-12), rng.random(size))
    return _tabulate(rng, time, condition, settings)


def _week(snapshots: int) -> Floats:
    """Return how much is reported on the days of a week: little at its end."""
    return np.array([1.2, 1.1, 1.1, 1.0, 1.1, 0.7, 0.5])[np.arange(snapshots) % 7]


def _draw_outbreaks(rng: np.random.Generator, settings: dict[str, Any]) -> tuple[Ints, Ints, Floats]:
    """Return snapshot, condition and added cases, for every snapshot of every outbreak."""
    snapshots = settings["snapshots"]
    number = int(settings["outbreaks"] * snapshots + rng.random())
    begin = (rng.random(number) * snapshots).astype(np.int64)
    lasts = 1 + (-np.log1p(-rng.random(number)) * (settings["length"] - 1.0)).astype(np.int64)
    condition = (rng.random(number) * settings["values"]).astype(np.int64)
    which = np.repeat(np.arange(number), lasts)
    day = np.arange(len(which)) - np.repeat(np.cumsum(lasts) - lasts, lasts)
    # An outbreak rises to its height and falls again.
    height = 1.0 - np.abs(2.0 * (day + 0.5) / lasts[which] - 1.0)
    at = begin[which] + day
    inside = at < snapshots
    return at[inside], condition[which][inside], (settings["burst"] * (0.5 + height))[inside]


def _infect(condition: Ints, time: Ints, first: Ints, ill: Ints, share: Floats, chance: Floats) -> None:
    """Give cases of a snapshot with an outbreak its condition, as many as the outbreak adds."""
    bounds = np.searchsorted(time, np.arange(int(time.max(initial=0)) + 2))
    for at, value, part in zip(first.tolist(), ill.tolist(), share.tolist(), strict=True):
        if at + 1 < len(bounds):
            cases = slice(bounds[at], bounds[at + 1])
            hit = chance[cases] < part
            condition[cases][hit] = value
            # What one outbreak has taken is not there for another one of the same snapshot.
            chance[cases] = np.where(hit, 2.0, chance[cases] - part)


def _tabulate(rng: np.random.Generator, time: Ints, condition: Ints, settings: dict[str, Any]) -> pa.Table:
    size = len(time)
    age = np.minimum(100.0 * rng.random(size) ** 1.2, 99.0).astype(np.int32)
    sex = (rng.random(size) < 0.5).astype(np.int32)
    area = (settings["areas"] * rng.random(size) ** 1.5).astype(np.int32)
    seconds = (settings["start"] - date(1970, 1, 1)).days * 86_400 + time * _SECONDS[settings["unit"]]
    times = pa.array(seconds, pa.timestamp("s", tz="UTC"))
    if settings["unit"] == "day":
        times = pa.array((seconds // 86_400).astype(np.int32), pa.int32()).cast(pa.date32())
    return pa.table(
        {
            "time": times,
            "age": pa.array(age),
            "sex": _name(sex, ["female", "male"]),
            "area": _name(area, [f"area{i + 1}" for i in range(settings["areas"])]),
            "condition": _name(condition.astype(np.int32), [f"condition{i + 1}" for i in range(settings["values"])]),
        }
    )


def _name(codes: npt.NDArray[np.int32], names: list[str]) -> pa.Array:
    return pa.DictionaryArray.from_arrays(pa.array(codes), pa.array(names)).cast(pa.string())
