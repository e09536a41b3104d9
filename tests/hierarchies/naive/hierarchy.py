"""Hierarchies the slow way: a dictionary of parents, walked up one step at a time."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction


def path_up(parents: Mapping[str, str | None], label: str) -> list[str]:
    """Return the label and everything above it."""
    path = [label]
    while (above := parents[path[-1]]) is not None:
        path.append(above)
    return path


def lowest_common_ancestor(parents: Mapping[str, str | None], labels: Sequence[str]) -> str:
    """Return the first label on the way up from one that is on the way up from all."""
    others = [set(path_up(parents, label)) for label in labels]
    return next(label for label in path_up(parents, labels[0]) if all(label in other for other in others))


def leaves_below(parents: Mapping[str, str | None], label: str) -> set[str]:
    """Return the leaves that pass the label on their way up."""
    inner = set(parents.values())
    return {leaf for leaf in parents if leaf not in inner and label in path_up(parents, leaf)}


def quarter(places: Mapping[str, tuple[int, int]], levels: int, capacity: int) -> dict[str, frozenset[str]]:
    """Return every cell met while quartering the square around all places, with the places in it."""
    left, low = (min(xy[axis] for xy in places.values()) for axis in (0, 1))
    side = max(max(x - left, y - low) for x, y in places.values()) or 1

    def cell(place: str, axis: int, level: int) -> int:
        share = Fraction(places[place][axis] - (left, low)[axis], side)
        return min(int(share * 2**level), 2**level - 1)

    found: dict[str, frozenset[str]] = {}
    pending = [("", frozenset(places), 0)]
    while pending:
        name, inside, level = pending.pop()
        found[name] = inside
        if level == levels or len(inside) <= capacity:
            continue
        for quadrant in range(4):
            part = frozenset(
                place
                for place in inside
                if cell(place, 0, level + 1) % 2 + 2 * (cell(place, 1, level + 1) % 2) == quadrant
            )
            if part:
                pending.append((f"{name}/{quadrant}", part, level + 1))
    return found
