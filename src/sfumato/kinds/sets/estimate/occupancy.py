"""Occupancy: random subsets of given sizes that together leave no place empty.

A cluster whose records are made of record chunks alone has no empty record, so the chunks' subrecords lie on the
records in such a way. All of these ways are equally likely here, and chances are computed exactly: the subsets are
placed one after the other, and only the number of places still empty matters.
"""

from __future__ import annotations

from functools import lru_cache

import numpy as np
import numpy.typing as npt

__all__ = ["draw_subsets", "meeting_chance"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@lru_cache(maxsize=1 << 16)
def meeting_chance(size: int, inside: tuple[int, ...], outside: tuple[int, ...]) -> float:
    """Return the chance that one place lies in all subsets named `inside`, given that all subsets fill all places.

    Parameters
    ----------
    size
        Number of places.
    inside, outside
        Sizes of the subsets in question, and of the other ones.

    Examples
    --------
    Two subsets of three places that fill four share exactly two.

    >>> round(meeting_chance(4, (3, 3), ()), 12)
    0.5
    """
    chosen = sum(np.log(count / size) for count in inside)
    steps = [(size - 1, count - 1) for count in inside] + [(size, count) for count in outside]
    others = _log_filled(size - 1, tuple(steps))
    everything = _log_filled(size, tuple((size, count) for count in sorted(inside + outside)))
    return float(np.exp(chosen + others - everything))


def draw_subsets(generator: np.random.Generator, size: int, counts: tuple[int, ...]) -> list[Ints]:
    """Draw subsets of the given sizes, each way to fill all places being equally likely.

    Examples
    --------
    >>> one, other = draw_subsets(np.random.default_rng(1), 3, (2, 1))
    >>> sorted([*one.tolist(), *other.tolist()])
    [0, 1, 2]
    """
    places = np.arange(size)
    empty = size
    drawn = []
    for step, count in enumerate(counts):
        weights = _log_step(size, count)[empty] + _log_left(size, counts[step + 1 :])
        chances = np.exp(weights - weights.max())
        left = int(generator.choice(size + 1, p=chances / chances.sum()))
        # The places still empty come first in the order.
        fresh = generator.permutation(empty)
        old = empty + generator.permutation(size - empty)
        new = empty - left
        chosen = np.concatenate([fresh[:new], old[: count - new]])
        drawn.append(places[chosen])
        places = np.concatenate([places[fresh[new:]], places[fresh[:new]], places[empty:]])
        empty = left
    return drawn


@lru_cache(maxsize=1 << 12)
def _log_filled(empty: int, steps: tuple[tuple[int, int], ...]) -> float:
    """Return the logarithm of the chance to fill what is empty; steps are (places, size of the subset)."""
    size = max((places for places, _ in steps), default=empty)
    reached = np.full(size + 1, -np.inf)
    reached[empty] = 0.0
    for places, count in steps:
        reached = _log_sum(reached[: places + 1, None] + _log_step(places, count), axis=0)
        reached = np.concatenate([reached, np.full(size - places, -np.inf)])
    return float(reached[0])


@lru_cache(maxsize=1 << 12)
def _log_left(size: int, counts: tuple[int, ...]) -> Floats:
    """Return for every number of empty places the logarithm of the chance that the subsets fill them."""
    left = np.full(size + 1, -np.inf)
    left[0] = 0.0
    for count in reversed(counts):
        left = _log_sum(_log_step(size, count) + left, axis=1)
    return left


@lru_cache(maxsize=1 << 7)
def _log_step(size: int, count: int) -> Floats:
    """Return the logarithm of the chance that a subset leaves u' of u places empty, at [u, u']."""
    from scipy.special import gammaln

    def choose(total: Ints, part: Ints) -> Floats:
        possible = (part >= 0) & (part <= total)
        total, part = np.where(possible, total, 0), np.where(possible, part, 0)
        ways = gammaln(total + 1) - gammaln(part + 1) - gammaln(total - part + 1)
        return np.asarray(np.where(possible, ways, -np.inf), dtype=np.float64)

    before, after = np.meshgrid(np.arange(size + 1), np.arange(size + 1), indexing="ij")
    filled = before - after
    whole = choose(np.array(size), np.array(count))
    chances: Floats = choose(before, filled) + choose(size - before, count - filled) - whole
    return chances


def _log_sum(terms: Floats, axis: int) -> Floats:
    """Add up along an axis numbers given by their logarithms."""
    largest = terms.max(axis=axis)
    shift = np.where(np.isfinite(largest), largest, 0.0)
    with np.errstate(divide="ignore"):
        total: Floats = np.log(np.exp(terms - np.expand_dims(shift, axis)).sum(axis=axis)) + shift
    return total
