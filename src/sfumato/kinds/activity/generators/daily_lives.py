"""Daily lives of invented people: hour by hour, each follows the routine of a seed person."""

from collections.abc import Callable
from datetime import UTC, date, datetime
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.generators.options import Option
from sfumato.kinds.activity.generators.routines import HOURS, Routines, builtin_routines, learn_routines
from sfumato.kinds.activity.generators.vacations import VACATION, Vacations, plan_long_vacations, plan_long_weekends

__all__ = ["MODELS", "OPTIONS", "simulate"]

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int32]
Longs = npt.NDArray[np.int64]

MODELS = {
    "plain": "Days by the minute, drawn hour by hour from seed people; nobody is on vacation.",
    "long-weekend": "The same for a week; a third of the people are on vacation until Sunday.",
    "long-vacation": "The same for two weeks; a third of the people are on vacation at Christmas, New Year or both.",
}
_PLANS: dict[str, Callable[[np.random.Generator, int, dict[str, Any]], Vacations]] = {
    "long-weekend": plan_long_weekends,
    "long-vacation": plan_long_vacations,
}
_OTHER = "Other"
_MINUTES = 60


def _list_options(days: int, start: date, *, away: bool) -> tuple[Option, ...]:
    share = Option("vacation_share", float, 0.35, "Share of people on vacation.", at_least=0.0, at_most=1.0)
    return (
        Option("days", int, days, "Number of days.", at_least=1, at_most=10_000),
        Option("start", date, start, "First day; it determines the days of the week."),
        *([share] if away else []),
        Option(
            "borrow",
            float,
            0.01,
            "Probability per hour of switching to another seed person.",
            at_least=0.0,
            at_most=1.0,
        ),
        Option("activities", int, 1_000, "Number of activities; rarer ones become Other.", at_least=1),
        Option("seeds", Path, None, "File with the episodes of seed people: person, start, end, activity."),
    )


OPTIONS = {
    "plain": _list_options(14, date(2024, 1, 1), away=False),
    "long-weekend": _list_options(7, date(2024, 1, 1), away=True),
    "long-vacation": _list_options(14, date(2023, 12, 21), away=True),
}


class _Changes(NamedTuple):
    """Who begins what in which minute, by person and time; everybody begins something in minute 0."""

    person: Longs
    minute: Longs
    state: Longs

    def in_order(self) -> "_Changes":
        order = np.lexsort((self.minute, self.person))
        return _Changes(*(column[order] for column in self))

    def without_repeats(self) -> "_Changes":
        again = (self.person[1:] == self.person[:-1]) & (self.state[1:] == self.state[:-1])
        is_change = np.append(True, ~again)
        return _Changes(*(column[is_change] for column in self))


def simulate(size: int, seed: int, model: str, settings: dict[str, Any]) -> pa.Table:
    """Let `size` people live for some days.

    From minute to minute an activity goes on or is followed by another, with the chances of the hour. How long it goes
    on is drawn at once, which comes to the same.
    """
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    routines = learn_routines(settings["seeds"]) if settings["seeds"] else builtin_routines()
    changes = _live(rng, routines, size, settings)
    codes, labels = _merge_rare(changes, routines.labels, settings)
    changes = changes._replace(state=codes[changes.state])
    if model in _PLANS:
        labels = (*labels, VACATION)
        vacations = _PLANS[model](rng, size, settings)
        changes = _add_vacations(changes, vacations, len(labels) - 1, settings["days"])
    return _tabulate(changes.without_repeats(), labels, size, settings)


def _live(rng: np.random.Generator, routines: Routines, size: int, settings: dict[str, Any]) -> _Changes:
    own = np.arange(size) % len(routines.stay)
    state = _pick(routines.first[own], rng.random(size))
    parts = [(np.arange(size), np.zeros(size, np.int64), state.copy())]
    for hour in range(settings["days"] * HOURS):
        follows = _borrow(rng, own, len(routines.stay), settings["borrow"])
        first = 1 if hour == 0 else 0
        parts += _live_hour(rng, routines, follows, state, hour, first)
    return _Changes(*(np.concatenate(column) for column in zip(*parts, strict=True))).in_order()


def _borrow(rng: np.random.Generator, own: Longs, seeds: int, chance: float) -> Longs:
    """Let some follow the matrix of another seed person for an hour."""
    other = (own + 1 + (rng.random(len(own)) * max(seeds - 1, 1)).astype(np.int64)) % seeds
    return np.where(rng.random(len(own)) < chance, other, own)


def _live_hour(
    rng: np.random.Generator, routines: Routines, follows: Longs, state: Longs, hour: int, first: int
) -> list[tuple[Longs, Longs, Longs]]:
    """Return what begins in an hour, and leave the state at its end in `state`."""
    parts = []
    people, minute = np.arange(len(state)), np.full(len(state), first)
    while len(people):
        now = state[people]
        stay = routines.stay[follows[people], hour % HOURS, now]
        with np.errstate(divide="ignore", invalid="ignore"):
            wait = np.log1p(-rng.random(len(people))) / np.log(stay)
        # Certain to stay means for ever; 0/0 only comes of a draw of 0, which is the shortest wait.
        wait = np.where(stay >= 1.0, _MINUTES, np.nan_to_num(wait, nan=0.0, posinf=_MINUTES))
        minute = minute + np.minimum(wait, _MINUTES).astype(np.int64)
        inside = minute < _MINUTES
        people, minute = people[inside], minute[inside]
        chances = routines.change[follows[people], hour % HOURS, state[people]]
        state[people] = _pick(chances, rng.random(len(people)))
        parts.append((people, hour * _MINUTES + minute, state[people]))
        minute = minute + 1
    return parts


def _pick(cumulative: Floats, uniform: Floats) -> Longs:
    """Draw one of the columns in every row of cumulative chances."""
    drawn = (cumulative <= (uniform * cumulative[:, -1])[:, None]).sum(axis=1)
    drawn = np.minimum(drawn, cumulative.shape[1] - 1).astype(np.int64)
    return np.asarray(drawn)


def _merge_rare(changes: _Changes, labels: tuple[str, ...], settings: dict[str, Any]) -> tuple[Longs, tuple[str, ...]]:
    """Return the new code of every activity, and the labels: the most common ones, and one for the rest."""
    if settings["activities"] >= len(labels):
        return np.arange(len(labels)), labels
    end = np.append(changes.minute[1:], 0)
    last = np.append(changes.person[1:] != changes.person[:-1], True)
    lasted = np.where(last, settings["days"] * HOURS * _MINUTES, end) - changes.minute
    total = np.bincount(changes.state, lasted, minlength=len(labels))
    total[[at for at, label in enumerate(labels) if label == _OTHER]] = -1
    common = np.sort(np.argsort(-total, kind="stable")[: settings["activities"] - 1])
    codes = np.full(len(labels), len(common))
    codes[common] = np.arange(len(common))
    return codes, (*(labels[at] for at in common), _OTHER)


def _add_vacations(changes: _Changes, vacations: Vacations, code: int, days: int) -> _Changes:
    """Put vacations over what people would have done."""
    span = days * HOURS * _MINUTES
    keys = changes.person * span + changes.minute
    last = np.searchsorted(keys, vacations.person * span + vacations.end, side="right") - 1
    back = vacations.end < span
    begin, end = np.full((2, int(changes.person.max()) + 1), -1)
    begin[vacations.person], end[vacations.person] = vacations.begin, vacations.end
    home = (changes.minute < begin[changes.person]) | (changes.minute >= end[changes.person])
    parts = [
        _Changes(*(column[home] for column in changes)),
        _Changes(vacations.person, vacations.begin, np.full(len(vacations.person), code)),
        _Changes(vacations.person[back], vacations.end[back], changes.state[last][back]),
    ]
    combined = _Changes(*(np.concatenate(column) for column in zip(*parts, strict=True))).in_order()
    # Someone may begin something in the very minute of coming home; then it is there twice.
    same = (combined.person[1:] == combined.person[:-1]) & (combined.minute[1:] == combined.minute[:-1])
    return _Changes(*(column[np.append(~same, True)] for column in combined))


def _tabulate(changes: _Changes, labels: tuple[str, ...], size: int, settings: dict[str, Any]) -> pa.Table:
    """Lay episodes out in long form: person, start, end and activity."""
    width = max(7, len(str(size)))
    people = pa.array([f"p{number:0{width}d}" for number in range(1, size + 1)], pa.string())
    last = np.append(changes.person[1:] != changes.person[:-1], True)
    end = np.where(last, settings["days"] * HOURS * _MINUTES, np.append(changes.minute[1:], 0))
    midnight = int(datetime.combine(settings["start"], datetime.min.time(), UTC).timestamp())
    moments = [pa.array(times * 60 + midnight).cast(pa.timestamp("s", tz="UTC")) for times in (changes.minute, end)]
    return pa.table(
        {
            "person": people.take(pa.array(changes.person)),
            "start": moments[0],
            "end": moments[1],
            "activity": pa.array(labels, pa.string()).take(pa.array(changes.state)),
        }
    )
