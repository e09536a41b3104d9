"""Seed people: how likely each activity follows another, hour by hour, built in or learnt from a file of episodes."""

from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.csv as pa_csv
import pyarrow.parquet as pa_parquet

from sfumato.exceptions import SchemaError

__all__ = ["ACTIVITIES", "Routines", "builtin_routines", "learn_routines"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

HOURS = 24

ACTIVITIES = {
    "Other": 10, "Going Out": 150, "Preparing Breakfast": 10, "Having Breakfast": 15, "Preparing Lunch": 15,
    "Having Lunch": 20, "Preparing Dinner": 25, "Having Dinner": 25, "Washing Dishes": 10, "Having Snack": 8,
    "Sleeping": 120, "Watching TV": 50, "Studying": 45, "Having Shower": 12, "Toileting": 4, "Napping": 40,
    "Using Internet": 35, "Reading Book": 35, "Laundry": 15, "Shaving": 6, "Brushing Teeth": 3,
    "Talking on the Phone": 7, "Listening to Music": 30, "Cleaning": 20, "Having Conversation": 5, "Having Guest": 60,
    "Changing Clothes": 4,
}  # fmt: skip
"""Activities of two people in a home, and how many minutes each lasts on average once begun."""

_ANYWHERE = {"Toileting": 2}
_NIGHT = {"Sleeping": 96}
_TABLE = {"Preparing Dinner": 9, "Having Dinner": 14, "Washing Dishes": 6}

_Blocks = tuple[tuple[int, int, dict[str, int]], ...]
# Each does some of the activities only, as people do; together they do all of them.
_PROFILES: tuple[_Blocks, ...] = (
    (  # at work all day
        (23, 6, _NIGHT),
        (6, 8, {"Sleeping": 20, "Having Shower": 14, "Having Breakfast": 22, "Brushing Teeth": 6, "Going Out": 30}),
        (8, 18, {"Going Out": 96}),
        (18, 20, {"Having Dinner": 25, "Talking on the Phone": 7, "Using Internet": 20, "Changing Clothes": 4}),
        (20, 23, {"Watching TV": 55, "Using Internet": 22, "Talking on the Phone": 7, "Brushing Teeth": 3}),
    ),
    (  # studies at home, up late
        (2, 9, _NIGHT),
        (9, 11, {"Sleeping": 20, "Having Shower": 14, "Brushing Teeth": 6, "Using Internet": 40}),
        (11, 17, {"Studying": 60, "Having Lunch": 12, "Going Out": 20, "Having Conversation": 1}),
        (17, 20, {"Having Dinner": 18, "Studying": 30, "Listening to Music": 20, "Going Out": 15}),
        (20, 2, {"Studying": 35, "Listening to Music": 20, "Using Internet": 30, "Having Snack": 5}),
    ),
    (  # keeps the house, is visited
        (22, 6, _NIGHT),
        (6, 9, {"Sleeping": 10, "Preparing Breakfast": 14, "Having Breakfast": 22, "Cleaning": 20, "Laundry": 12}),
        (9, 13, {"Going Out": 40, "Preparing Lunch": 14, "Having Lunch": 16, "Talking on the Phone": 5}),
        (13, 18, {"Having Guest": 32, "Watching TV": 35, "Napping": 22, "Talking on the Phone": 3}),
        (18, 22, {**_TABLE, "Watching TV": 60}),
    ),
    (  # works in shifts, in the afternoon and evening
        (2, 10, _NIGHT),
        (10, 13, {"Sleeping": 14, "Having Breakfast": 20, "Reading Book": 30, "Shaving": 6, "Using Internet": 22}),
        (13, 15, {"Going Out": 70, "Having Snack": 6, "Changing Clothes": 4}),
        (15, 23, {"Going Out": 96}),
        (23, 2, {"Watching TV": 50, "Other": 10, "Having Conversation": 4, "Sleeping": 25}),
    ),
)


class Routines(NamedTuple):
    """Chances of seed people, as arrays over seed, hour of the day and activity.

    Examples
    --------
    >>> routines = builtin_routines()
    >>> routines.stay.shape, len(routines.labels)
    ((4, 24, 27), 27)
    """

    labels: tuple[str, ...]
    first: Floats
    """Cumulative chances of what a seed person does at midnight: seed, activity."""
    stay: Floats
    """Chance that a minute is spent like the one before: seed, hour, activity."""
    change: Floats
    """Cumulative chances of what comes next: seed, hour, activity before, activity after."""


def builtin_routines() -> Routines:
    """Return four invented people who live by the clock: at work, at university, at home, in shifts."""
    shares = np.array([_spread_over_hours(blocks) for blocks in _PROFILES])
    usual = np.array(list(ACTIVITIES.values()), dtype=np.float64)
    # What is done less than in the hour before is left sooner, so that nobody sleeps through the morning.
    before = np.roll(shares, 1, axis=1)
    lasting = np.clip(usual * np.minimum(1.0, shares / np.maximum(before, 1e-9)), np.minimum(usual, 6.0), usual)
    # Begun at these rates and lasting so long, activities take their shares of the hour.
    rates = shares / lasting
    rates /= rates.sum(axis=2, keepdims=True)
    leave = 1.0 / lasting
    matrices = leave[..., None] * rates[:, :, None, :]
    matrices += np.eye(len(usual)) * (1.0 - leave)[..., None]
    return _prepare(tuple(ACTIVITIES), shares[:, 0], matrices)


def _spread_over_hours(blocks: _Blocks) -> Floats:
    names = {name: at for at, name in enumerate(ACTIVITIES)}
    shares = np.zeros((HOURS, len(names)))
    for first, end, weights in blocks:
        for hour in range(first, end if end > first else end + HOURS):
            for name, weight in {**_ANYWHERE, **weights}.items():
                shares[hour % HOURS, names[name]] = weight
    return np.asarray(shares / shares.sum(axis=1, keepdims=True))


def learn_routines(path: Path) -> Routines:
    """Learn from episodes of real people: columns person, start, end and activity; an activity lasts until the next.

    What a seed person never did in an hour follows the person's whole day, or what others do.
    """
    table = _read(path)
    activities, people = table["activity"].dictionary_encode(), table["person"].dictionary_encode()
    code = activities.combine_chunks().indices.to_numpy().astype(np.int64)
    who = people.combine_chunks().indices.to_numpy().astype(np.int64)
    labels = tuple(activities.combine_chunks().dictionary.to_pylist())
    minutes = table["start"].cast(pa.timestamp("s")).cast(pa.int64()).to_numpy() // 60
    seeds, width = int(who.max()) + 1, len(labels)
    counts = np.zeros((seeds, HOURS, width, width))
    opening = np.zeros((seeds, width))
    for seed in range(seeds):
        mine = np.flatnonzero(who == seed)
        mine = mine[np.argsort(minutes[mine], kind="stable")]
        states = np.repeat(code[mine][:-1], np.diff(minutes[mine]))
        hours = (minutes[mine][0] + np.arange(len(states))) // 60 % HOURS
        np.add.at(counts[seed], (hours[1:], states[:-1], states[1:]), 1.0)
        np.add.at(opening[seed], states[hours == 0], 1.0)
        opening[seed] += 1e-9 * np.bincount(code[mine], minlength=width)
    return _prepare(labels, opening / opening.sum(axis=1, keepdims=True), _fill_in(counts))


def _fill_in(counts: Floats) -> Floats:
    """Make chances of counts; where there are none those of the day, of everybody, or anything alike."""
    width = counts.shape[-1]
    day = counts.sum(axis=1, keepdims=True)
    matrices = counts
    for instead in (day, day.sum(axis=0, keepdims=True), np.ones((1, 1, width, width))):
        empty = matrices.sum(axis=3, keepdims=True) == 0
        matrices = np.where(empty, np.broadcast_to(instead, counts.shape), matrices)
    return np.asarray(matrices / matrices.sum(axis=3, keepdims=True))


def _prepare(labels: tuple[str, ...], opening: Floats, matrices: Floats) -> Routines:
    stay = np.einsum("shaa->sha", matrices).copy()
    others = matrices * (1.0 - np.eye(len(labels)))
    return Routines(labels, np.cumsum(opening, axis=1), stay, np.cumsum(others, axis=3))


def _read(path: Path) -> Any:
    try:
        table = pa_parquet.read_table(path) if path.suffix == ".parquet" else pa_csv.read_csv(path)
        table = table.select(["person", "start", "end", "activity"])
        moments = table["start"].cast(pa.timestamp("s"), safe=False)
        table = table.set_column(1, "start", moments)
        texts = [table[name].cast(pa.string()) for name in ("person", "activity")]
    except (OSError, pa.ArrowException, KeyError):
        table = None
    if table is None:
        raise SchemaError(
            f"{path}: not a CSV or Parquet file with the columns person, start, end and activity.",
            option="seeds",
            hint="Write times as 2024-01-31 18:00:00.",
        )
    table = pa.table({"person": texts[0], "start": table["start"], "activity": texts[1]})
    if table.num_rows < 2 or any(column.null_count for column in table.columns):
        raise SchemaError(f"{path}: at least two episodes and no empty cells are needed.", option="seeds")
    return table
