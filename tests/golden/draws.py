"""Fixed lists that all kinds of data are made of: the same on every machine and with every version of NumPy."""

from __future__ import annotations

import random
from collections.abc import Sequence
from typing import Any


class Draws:
    """A stream of choices that only depends on the seed; Python promises that `random()` never changes."""

    def __init__(self, seed: int) -> None:
        self._source = random.Random(seed)

    def number(self, low: int, high: int) -> int:
        """Draw a whole number from low to high, both included."""
        return low + int(self._source.random() * (high - low + 1))

    def pick(self, values: Sequence[Any], skew: float = 1.0) -> Any:
        """Draw a value; with a skew above 1 the first ones are the most frequent."""
        return values[int(self._source.random() ** skew * len(values))]

    def happens(self, share: float) -> bool:
        return self._source.random() < share


def name_labels(letter: str, count: int) -> list[str]:
    """Return labels such as p0, p1, ... in an order in which they sort."""
    return [f"{letter}{number:0{len(str(count - 1))}}" for number in range(count)]


def draw_walks(labels: Sequence[str], people: int, seed: int, longest: int = 5, skew: float = 1.6) -> list[list[str]]:
    """Draw a list of labels for everybody: popular labels first, some lists twice and some labels twice in a list."""
    draws = Draws(seed)
    walks = [[draws.pick(labels, skew) for _ in range(draws.number(1, longest))] for _ in range(people)]
    for number in range(7, people, 8):
        walks[number] = list(walks[number - 7])
    return walks


def write_csv(header: Sequence[str], rows: Sequence[Sequence[Any]]) -> str:
    """Return the text of a CSV file; no cell needs quotes."""
    return "".join(",".join(map(str, row)) + "\n" for row in (header, *rows))
