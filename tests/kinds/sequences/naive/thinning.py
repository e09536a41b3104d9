"""The fewest people whose absence keeps every window empty enough, by trying everybody."""

from __future__ import annotations

from collections.abc import Sequence
from itertools import combinations

from tests.kinds.sequences.naive.knowledge import Event, Record, most_in_window


def is_diverse(people: Sequence[Sequence[Event]], g: int, l: int) -> bool:
    """Tell whether no event within a window is done by more than one in l."""
    return l * most_in_window([Record([], list(person)) for person in people], g) <= len(people)


def count_removals(people: Sequence[Sequence[Event]], g: int, l: int) -> int:
    """Return how many must be left out at least; leaving out everybody is always enough."""
    for count in range(len(people)):
        for stays in combinations(range(len(people)), len(people) - count):
            if is_diverse([people[i] for i in stays], g, l):
                return count
    return len(people)
