"""The attacker of ordered places by brute force: every combination of positions, every record."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations
from typing import NamedTuple

Row = Sequence[str]


class Answer(NamedTuple):
    smallest: int
    unmatched: bool
    share: float


def contains(values: Row, places: Row, members: Mapping[str, Sequence[str]]) -> bool:
    """Try all positions: do the values at some p1 < .. < pj contain the places?"""
    return any(
        all(place in members.get(values[at], [values[at]]) for at, place in zip(positions, places, strict=True))
        for positions in combinations(range(len(values)), len(places))
    )


def knowledges(row: Row, m: int, sensitive: Sequence[str], dropped: Sequence[str]) -> set[tuple[str, ...]]:
    """List everything that can be known about a person, without what tells nothing."""
    told = [place for place in row if place not in sensitive]
    known = {chosen for size in range(1, m + 1) for chosen in combinations(told, size)} or {()}
    return {tuple(place for place in chosen if place not in dropped) for chosen in known}


def answers(
    published: Sequence[Row],
    members: Mapping[str, Sequence[str]],
    suppressed: Sequence[str],
    original: Sequence[Row],
    m: int,
    sensitive: Sequence[str] = (),
) -> list[Answer]:
    """For every person: smallest non-empty set, whether something matches nothing, largest sensitive share."""
    shown = {place for row in published for value in row for place in members.get(value, [value])}
    dropped = [place for place in suppressed if place not in shown]
    found = []
    for row in original:
        sets = [
            [record for record in published if contains(record, known, members)]
            for known in knowledges(row, m, sensitive, dropped)
        ]
        shares = [
            sum(contains(record, [place], members) for record in matched) / len(matched)
            for matched in sets
            for place in sensitive
            if matched
        ]
        sizes = [len(matched) for matched in sets if matched]
        found.append(Answer(min(sizes, default=0), [] in sets, max(shares, default=0.0)))
    return found


def supports(rows: Sequence[Row], size: int) -> Counter[tuple[str, ...]]:
    """Count the rows that contain each sequence of a size."""
    return Counter(sequence for row in rows for sequence in set(combinations(row, size)))


def measured_k(rows: Sequence[Row], m: int) -> int:
    """Return the smallest support of any sequence of up to m values."""
    counts = [count for size in range(1, m + 1) for count in supports(rows, size).values()]
    return min(counts, default=len(rows))


def measured_l(rows: Sequence[Row], m: int, sensitive: Sequence[str]) -> int | None:
    """Return the largest whole l that the shares of visitors of sensitive places allow."""
    ordinary = [[place for place in row if place not in sensitive] for row in rows]
    allowed = []
    for size in range(1, m + 1):
        for sequence, count in supports(ordinary, size).items():
            for place in sensitive:
                visitors = sum(
                    place in row and sequence in set(combinations(rest, size))
                    for row, rest in zip(rows, ordinary, strict=True)
                )
                if visitors:
                    allowed.append(count // visitors)
    return min(allowed, default=None)


def is_faithful(published: Row, original: Row, members: Mapping[str, Sequence[str]], gone: Sequence[str]) -> bool:
    """Tell whether a record is the original one with values that contain its places, in order."""
    kept = [place for place in original if place not in gone]
    return len(kept) == len(published) and all(
        place in members.get(value, [value]) for place, value in zip(kept, published, strict=True)
    )
