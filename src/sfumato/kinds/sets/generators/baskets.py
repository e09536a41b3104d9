"""Market baskets filled from a pool of things that are bought together."""

from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.exceptions import ParameterError
from sfumato.generators.options import Option
from sfumato.generators.tails import accumulate_zipf, draw_long_tailed, pick
from sfumato.generators.visits import rank_in_run
from sfumato.messages import Message, parameter

__all__ = ["DESCRIPTION", "OPTIONS", "simulate"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

DESCRIPTION = "Baskets of an invented shop, with items that are often bought together."

OPTIONS = (
    Option("items", int, 5_000, "Number of items in the shop.", at_least=1, at_most=10_000_000),
    Option("mean_length", float, 10.0, "Average number of items in a basket.", at_least=1.0, at_most=10_000.0),
    Option("longest", int, 0, "Largest number of items in a basket; 0: all are near the mean.", at_least=0),
    Option(
        "skew",
        float,
        0.0,
        "Exponent of the Zipf popularity of items; 0: all equally popular.",
        at_least=0.0,
        at_most=5.0,
    ),
    Option("patterns", int, 10_000, "Number of patterns: items bought together.", at_least=1, at_most=100_000),
    Option("pattern_length", float, 4.0, "Average number of items in a pattern.", at_least=1.0, at_most=1_000.0),
    Option(
        "correlation",
        float,
        0.5,
        "Average share of a pattern that is also in the one before.",
        at_least=0.0,
        at_most=1.0,
    ),
    Option(
        "corruption", float, 0.5, "Average probability that a pattern loses one more item.", at_least=0.0, at_most=1.0
    ),
)

_OWNER = "generate sets"
_SPREAD = 0.1**0.5  # standard deviation of the corruption of a pattern
_WORST = 0.999  # a pattern corrupted with certainty would lose items for ever
_CHUNK = 1 << 17  # baskets filled at a time, so that memory stays small
_ATTEMPTS = 8


class _Pool(NamedTuple):
    """Patterns with the items of each in random order, how often they are bought and how they fall apart."""

    offsets: Longs
    items: Longs
    popularity: Floats
    """Cumulative weights."""
    corruption: Floats

    @property
    def lengths(self) -> Longs:
        return np.diff(self.offsets)


def simulate(size: int, seed: int, settings: dict[str, Any]) -> pa.Table:
    """Fill the baskets of `size` people.

    A basket has its length drawn and is filled with patterns, drawn by their weights and each shortened by its
    corruption, until it is full; a pattern that does not fit is cut. Where the patterns have too few different items
    for a basket, it stays smaller.

    With ``longest``, lengths have a tail like a power law, as those of real baskets and sessions; with ``skew``, the
    items of patterns are drawn by a Zipf popularity instead of evenly.
    """
    most = settings["longest"] or settings["items"]
    for name, limit, why in (
        ("longest", settings["items"], "items"),
        ("mean_length", most, "longest" if settings["longest"] else "items"),
    ):
        if settings[name] > limit:
            raise ParameterError(
                Message(
                    _OWNER, ": ", parameter(name), f" must be at most {limit}, which is {why}, got {settings[name]}."
                )
            )
    # Only Generator.random is used: its stream is the one least likely to change between NumPy versions.
    rng = np.random.Generator(np.random.PCG64(np.random.SeedSequence(seed)))
    pool = _draw_patterns(rng, settings)
    if settings["longest"]:
        lengths = draw_long_tailed(rng.random(size), settings["mean_length"], settings["longest"])
    else:
        lengths = np.minimum(1 + _draw_poisson(rng.random(size), settings["mean_length"] - 1.0), settings["items"])
    keys = [_fill(rng, pool, lengths[start : start + _CHUNK], settings["items"]) for start in range(0, size, _CHUNK)]
    return _tabulate(size, keys, settings["items"])


def _draw_patterns(rng: np.random.Generator, settings: dict[str, Any]) -> _Pool:
    """Draw the pool; each pattern takes some of its items from the one before, and the others at random."""
    count, items = settings["patterns"], settings["items"]
    lengths = np.minimum(1 + _draw_poisson(rng.random(count), settings["pattern_length"] - 1.0), items)
    shares = np.minimum(-np.log1p(-rng.random(count)) * settings["correlation"], 1.0)
    popularity = accumulate_zipf(items, settings["skew"]) if settings["skew"] else None
    patterns: list[Longs] = []
    before = np.zeros(0, np.int64)
    for length, share in zip(lengths.tolist(), shares.tolist(), strict=True):
        taken = before[np.argsort(rng.random(before.size))[: round(share * length)]]
        while taken.size < length:
            # Only first appearances stay; a few are drawn too many, and again where that was not enough.
            uniform = rng.random(2 * (length - taken.size) + 2)
            drawn = (uniform * items).astype(np.int64) if popularity is None else pick(popularity, uniform)
            combined = np.append(taken, drawn)
            taken = combined[np.sort(np.unique(combined, return_index=True)[1])][:length]
        before = taken[np.argsort(rng.random(length))]
        patterns.append(before)
    weights = np.cumsum(-np.log1p(-rng.random(count)))
    # Two uniform numbers make a normal one (Box and Muller).
    normal = np.sqrt(-2.0 * np.log1p(-rng.random(count))) * np.cos(2.0 * np.pi * rng.random(count))
    corruption = np.clip(settings["corruption"] + _SPREAD * normal, 0.0, _WORST)
    if settings["corruption"] in (0.0, 1.0):
        corruption[:] = min(settings["corruption"], _WORST)
    return _Pool(np.append(0, np.cumsum(lengths)), np.concatenate(patterns), weights, corruption)


def _draw_poisson(uniform: Floats, mean: float) -> Longs:
    """Draw numbers with a Poisson distribution by inverting its cumulative chances."""
    if mean <= 0.0:
        return np.zeros(uniform.size, np.int64)
    values = np.arange(1, int(mean + 12.0 * np.sqrt(mean) + 30.0))
    chances = np.exp(np.append(0.0, np.cumsum(np.log(mean) - np.log(values))) - mean)
    return np.searchsorted(np.cumsum(chances), uniform, side="right").astype(np.int64)


def _fill(rng: np.random.Generator, pool: _Pool, lengths: Longs, items: int) -> Longs:
    """Return the sorted distinct numbers basket * items + item."""
    full: list[Longs] = []
    left = np.arange(lengths.size)
    expected = float(np.maximum(pool.lengths * (1.0 - pool.corruption), 1.0).mean())
    wanted = 2 + np.ceil(1.5 * lengths / expected).astype(np.int64)
    for attempt in range(_ATTEMPTS):
        keys = _draw_items(rng, pool, left, wanted[left], lengths, items)
        counts = np.bincount(keys // items, minlength=lengths.size)
        enough = (counts >= lengths) | (attempt == _ATTEMPTS - 1)
        full.append(keys[enough[keys // items]])
        left = left[~enough[left]]
        if not left.size:
            break
        wanted[left] *= 2  # these are drawn anew, with more patterns to choose from
    return np.sort(np.concatenate(full))


def _draw_items(
    rng: np.random.Generator, pool: _Pool, baskets: Longs, wanted: Longs, lengths: Longs, items: int
) -> Longs:
    """Draw patterns for baskets, shorten them, and keep the first different items up to the length of each basket."""
    basket = np.repeat(baskets, wanted)
    picked = np.searchsorted(pool.popularity, rng.random(basket.size) * pool.popularity[-1], side="right")
    picked = np.minimum(picked, pool.popularity.size - 1)
    size, chance = pool.lengths[picked], pool.corruption[picked]
    # The number of items lost one after another with the same chance, at once; one item always stays.
    lost = np.log(np.maximum(1.0 - rng.random(basket.size), 1e-300)) / np.log(np.maximum(chance, 1e-300))
    remaining = np.maximum(size - np.minimum(lost, size).astype(np.int64), 1)
    start = (rng.random(basket.size) * size).astype(np.int64)
    at = (np.repeat(start, remaining) + rank_in_run(remaining)) % np.repeat(size, remaining)
    keys = np.repeat(basket, remaining) * items + pool.items[np.repeat(pool.offsets[picked], remaining) + at]
    order = np.argsort(keys, kind="stable")
    first = np.empty(keys.size, bool)
    first[order] = np.append(True, keys[order][1:] != keys[order][:-1])
    keys = keys[first]
    counts = np.bincount(keys // items, minlength=lengths.size)
    fits = rank_in_run(counts[baskets]) < np.repeat(lengths[baskets], counts[baskets])
    chosen: Longs = keys[fits]
    return chosen


def _tabulate(size: int, keys: list[Longs], items: int) -> pa.Table:
    """Lay baskets out in long form: person and item."""
    width = max(7, len(str(size)))
    people = pa.array([f"p{number:0{width}d}" for number in range(1, size + 1)], pa.string())
    labels = pa.array([f"item{number:0{len(str(items))}d}" for number in range(1, items + 1)], pa.string())
    who = [part // items + chunk * _CHUNK for chunk, part in enumerate(keys)]
    return pa.table(
        {
            "person": people.take(pa.array(np.concatenate(who))),
            "item": labels.take(pa.array(np.concatenate([part % items for part in keys]))),
        }
    )
