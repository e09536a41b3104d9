"""Vacations: who is away, and when."""

from datetime import date, timedelta
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, parameter

__all__ = ["VACATION", "Vacations", "plan_long_vacations", "plan_long_weekends"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

VACATION = "Vacation"
_OWNER = "generate activity"
_DAY = 1_440
_SHORTEST = 0.25
_SHORT, _LONG = (2.0, 0.5), (6.0, 1.5)
"""Mean and standard deviation of lengths in days."""


class Vacations(NamedTuple):
    """People who are away, and the minutes from and to which they are.

    Examples
    --------
    >>> Vacations(np.array([3]), np.array([0]), np.array([1440])).person.tolist()
    [3]
    """

    person: Longs
    begin: Longs
    end: Longs


def plan_long_weekends(rng: np.random.Generator, people: int, settings: dict[str, Any]) -> Vacations:
    """Send a share of people away for about two days that end with a Sunday.

    Examples
    --------
    >>> monday = {"days": 7, "start": date(2024, 1, 1), "vacation_share": 1.0}
    >>> plan_long_weekends(np.random.default_rng(1), 3, monday).end.tolist()
    [10080, 10080, 10080]
    """
    weekdays = (settings["start"].weekday() + np.arange(settings["days"])) % 7
    sundays = np.flatnonzero(weekdays == 6)
    if not len(sundays):
        raise ParameterError(
            Message(_OWNER, ": the model long-weekend needs a Sunday among the days."),
            option="days",
            hint=Message("Use ", parameter("days", 7), " or more."),
        )
    away = _choose(rng, people, settings["vacation_share"])
    end = (sundays[(rng.random(len(away)) * len(sundays)).astype(np.int64)] + 1) * _DAY
    return _clip(away, end - _draw_lengths(rng, len(away), *_SHORT), end, settings["days"])


def plan_long_vacations(rng: np.random.Generator, people: int, settings: dict[str, Any]) -> Vacations:
    """Send a share of people away at Christmas, at New Year or for a long time around both, a third each.

    Short vacations last about two days and hold noon of the holiday; long ones last about six days, and their middle is
    within half a day of the middle between the holidays.

    Examples
    --------
    >>> winter = {"days": 14, "start": date(2023, 12, 21), "vacation_share": 1.0}
    >>> away = plan_long_vacations(np.random.default_rng(1), 3, winter)
    >>> bool((away.end > away.begin).all())
    True
    """
    dates = [settings["start"] + timedelta(days=day) for day in range(settings["days"])]
    holidays = [[at for at, day in enumerate(dates) if (day.month, day.day) == when] for when in ((12, 25), (1, 1))]
    if not all(holidays):
        raise ParameterError(
            Message(_OWNER, ": the model long-vacation needs 25 December and 1 January among the days."),
            option="start",
            hint=Message(
                "Use ",
                parameter("start", f"{date(settings['start'].year, 12, 21)}"),
                " with ",
                parameter("days", 14),
                ".",
            ),
        )
    noons = np.array([days[0] * _DAY + _DAY // 2 for days in holidays])
    away = _choose(rng, people, settings["vacation_share"])
    kind = (rng.random(len(away)) * 3).astype(np.int64)
    short, long = (_draw_lengths(rng, len(away), *spread) for spread in (_SHORT, _LONG))
    when = rng.random(len(away))
    begin_short = noons[np.minimum(kind, 1)] - (when * short).astype(np.int64)
    begin_long = noons.mean().astype(np.int64) - long // 2 + ((when - 0.5) * _DAY).astype(np.int64)
    begin = np.where(kind < 2, begin_short, begin_long)
    return _clip(away, begin, begin + np.where(kind < 2, short, long), settings["days"])


def _choose(rng: np.random.Generator, people: int, share: float) -> Longs:
    chosen: Longs = np.sort(np.argsort(rng.random(people), kind="stable")[: round(share * people)])
    return chosen


def _draw_lengths(rng: np.random.Generator, count: int, mean: float, spread: float) -> Longs:
    # Two uniform numbers make a normal one (Box and Muller).
    normal = np.sqrt(-2.0 * np.log1p(-rng.random(count))) * np.cos(2.0 * np.pi * rng.random(count))
    minutes: Longs = np.round(np.maximum(mean + spread * normal, _SHORTEST) * _DAY).astype(np.int64)
    return minutes


def _clip(person: Longs, begin: Longs, end: Longs, days: int) -> Vacations:
    begin, end = np.maximum(begin, 0), np.minimum(end, days * _DAY)
    there = end > begin
    return Vacations(person[there], begin[there], end[there])
