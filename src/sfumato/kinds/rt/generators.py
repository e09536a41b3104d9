"""Synthetic people with attributes that hang together, and with sets of items that hang on them."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from sfumato.exceptions import ParameterError
from sfumato.generators.options import Option, choose_model
from sfumato.generators.tails import accumulate_zipf, draw_long_tailed, pick
from sfumato.generators.visits import rank_in_run
from sfumato.messages import Message, parameter

__all__ = ["MODELS", "OPTIONS", "Option", "generate"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

MODELS: dict[str, str] = {
    "patients": "Patients with five attributes and their diagnoses, which depend on age and income.",
    "videos": "Videos with six attributes and their related videos, mostly of the same category and length.",
}
"""Each model's name and what it does in one line."""


def _options(items: int, mean: float, longest: int) -> tuple[Option, ...]:
    return (
        Option("items", int, items, "Number of different items.", at_least=1, at_most=1_000_000),
        Option("mean_length", float, mean, "Average number of items of a record.", at_least=1.0, at_most=1_000.0),
        Option(
            "longest",
            int,
            longest,
            "Largest number of items of a record; few records have many.",
            at_least=1,
            at_most=100_000,
        ),
        Option("chapters", int, 24, "Number of chapters of the items.", at_least=1, at_most=1_000),
        Option(
            "bond",
            float,
            0.75,
            "How strongly items depend on attributes: 0 not at all, 1 entirely.",
            at_least=0.0,
            at_most=1.0,
        ),
        Option("skew", float, 0.9, "Exponent of the Zipf popularity within a chapter.", at_least=0.0, at_most=5.0),
    )


OPTIONS: dict[str, tuple[Option, ...]] = {
    "patients": _options(619, 4.27, 17),
    "videos": _options(936, 6.51, 37),
}
"""Each model's options, with their defaults and help."""

_ATTEMPTS = 12


def generate(size: int, seed: int, model: str = "patients", **options: Any) -> pa.Table:
    """Make up `size` people with their attributes and items; the same seed gives the same table.

    Every record has a place on a hidden scale, such as how old someone is and how poor; attributes scatter around it.
    Items come in chapters, the first ones typical for one end of the scale and the last ones for the other: with
    ``bond`` 0 they have nothing to do with the attributes. Numbers of neighbouring items are in the same chapter, so
    that a hierarchy of the items by the alphabet (``sfumato hierarchy derive``) is a sensible one.

    Parameters
    ----------
    size
        Number of records.
    seed
        Decides everything that is random.
    model
        One of the names in MODELS.
    **options
        What OPTIONS lists for the model, as values or as text.

    Returns
    -------
    pyarrow.Table
        One row per record: person, attributes, and items joined by ``|``.

    References
    ----------
    Poulis et al., Anonymizing data with relational and transaction attributes (2013), Table 1: the sizes of the two
    models are those of its data sets.

    Examples
    --------
    >>> table = generate(100, seed=1)
    >>> table.column_names
    ['person', 'birth_month', 'birth_year', 'race', 'education', 'income', 'items']
    """
    size, seed, settings = choose_model("rt", size, seed, model, OPTIONS, options)
    for name, limit in (("longest", settings["items"]), ("mean_length", settings["longest"])):
        if settings[name] > limit:
            raise ParameterError(
                Message("generate rt: ", parameter(name), f" must be at most {limit}, got {settings[name]}.")
            )
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    place = rng.random(size)
    columns = _ATTRIBUTES[model](rng, place)
    width = max(7, len(str(size)))
    people = [f"p{number:0{width}d}" for number in range(1, size + 1)]
    items = _draw_items(rng, place, settings)
    return pa.table({"person": pa.array(people, pa.string()), **columns, "items": items})


def _scatter(rng: np.random.Generator, place: Floats, width: float) -> Floats:
    """Return places near given ones, from 0 to 1; the sum of three uniform numbers scatters like a bell."""
    noise = (rng.random(place.size) + rng.random(place.size) + rng.random(place.size)) / 1.5 - 1.0
    moved = place + width * noise
    return np.clip(np.where(moved < 0, -moved, np.where(moved > 1, 2 - moved, moved)), 0.0, 1.0)


def _make_patients(rng: np.random.Generator, place: Floats) -> dict[str, pa.Array]:
    year = 2002 - (85 * _scatter(rng, place, 0.35)).astype(np.int64)
    means = _scatter(rng, 1 - place, 0.8)
    education = np.minimum((18 * _scatter(rng, means, 0.5)).astype(np.int64), 17)
    income = (100 * np.exp(2.6 + 2.2 * _scatter(rng, means, 0.4))).astype(np.int64) // 50 * 50
    race = np.searchsorted([0.62, 0.78, 0.91, 0.96, 0.99], rng.random(place.size))
    names = pa.array(["white", "black", "hispanic", "asian", "native", "other"])
    return {
        "birth_month": pa.array(1 + (12 * rng.random(place.size)).astype(np.int64)),
        "birth_year": pa.array(year),
        "race": names.take(pa.array(race)),
        "education": pa.array(education),
        "income": pa.array(income),
    }


def _make_videos(rng: np.random.Generator, place: Floats) -> dict[str, pa.Array]:
    ratings = np.floor(np.exp(7 * _scatter(rng, rng.random(place.size), 0.3))).astype(np.int64) - 1
    comments = (ratings * (0.2 + 0.8 * rng.random(place.size))).astype(np.int64)
    names = pa.array([f"category{number:02d}" for number in range(1, 13)])
    return {
        "age": pa.array((1_200 * rng.random(place.size)).astype(np.int64)),
        "category": names.take(pa.array(np.minimum(12 * _scatter(rng, place, 0.25), 11).astype(np.int64))),
        "length": pa.array((20 + 600 * _scatter(rng, place, 0.5)).astype(np.int64)),
        "rate": pa.array(np.round(5 * np.sqrt(_scatter(rng, rng.random(place.size), 0.2)), 1)),
        "ratings": pa.array(ratings),
        "comments": pa.array(comments),
    }


_ATTRIBUTES = {"patients": _make_patients, "videos": _make_videos}


def _draw_items(rng: np.random.Generator, place: Floats, settings: dict[str, Any]) -> pa.Array:
    """Draw sets: a length with a long tail, filled with different items of chapters near a record's place."""
    items, chapters = settings["items"], min(settings["chapters"], settings["items"])
    lengths = draw_long_tailed(rng.random(place.size), settings["mean_length"], settings["longest"])
    first = np.linspace(0, items, chapters + 1).astype(np.int64)
    drawn_keys, left = [np.empty(0, np.int64)], np.arange(place.size)
    for attempt in range(_ATTEMPTS):
        wanted = (3 * lengths[left] + 4) * 2**attempt
        row = np.repeat(left, wanted)
        near = _scatter(rng, place[row], 0.3)
        chosen = np.where(rng.random(row.size) < settings["bond"], near, rng.random(row.size))
        chapter = np.minimum(chapters * chosen, chapters - 1).astype(np.int64)
        inside = np.diff(first)[chapter]
        popular = pick(accumulate_zipf(int(np.diff(first).max()), settings["skew"]), rng.random(row.size))
        keys = _take_different(row * items + first[chapter] + popular % inside, lengths, items, place.size)
        enough = (np.bincount(keys // items, minlength=place.size) >= lengths) | (attempt == _ATTEMPTS - 1)
        drawn_keys.append(keys[enough[keys // items]])
        left = left[~enough[left]]
        if not left.size:
            break
    keys = np.sort(np.concatenate(drawn_keys))
    names = pa.array([f"item{number:0{len(str(items))}d}" for number in range(1, items + 1)], pa.string())
    offsets = np.searchsorted(keys, np.arange(place.size + 1) * items).astype(np.int32)
    lists = pa.ListArray.from_arrays(pa.array(offsets), names.take(pa.array(keys % items)))
    return pc.binary_join(lists, "|")


def _take_different(keys: Longs, lengths: Longs, items: int, size: int) -> Longs:
    """Keep the first different items of every record, up to its length."""
    order = np.argsort(keys, kind="stable")
    fresh = np.empty(keys.size, dtype=bool)
    fresh[order] = np.append(True, keys[order][1:] != keys[order][:-1])
    keys = keys[fresh]
    counts = np.bincount(keys // items, minlength=size)
    within = rank_in_run(counts[counts > 0])
    return keys[within < lengths[keys // items]]
