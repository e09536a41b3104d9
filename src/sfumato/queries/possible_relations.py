"""Which of the thirteen relations two exact periods may have, where only bounds of their ends are known.

A period lasts from its first event to the end of its last one, a step of the times later. Every relation is a few
statements of the form *this time is at least so much before that one*, and so are the bounds; together they can be met
if no chain of them leads from a time back to an earlier one.
"""

from __future__ import annotations

from collections.abc import Collection, Iterable
from itertools import product
from typing import Final

import numpy as np

from sfumato.queries.relations import RELATIONS
from sfumato.queries.spatio_temporal import find_prevailing, hold_over_places
from sfumato.queries.time_bounds import Bounds

__all__ = ["find_possible", "find_possible_prevailing"]

_ZERO, _FIRST_A, _LAST_A, _FIRST_B, _LAST_B = range(5)
Statement = tuple[int, int, int]
"""The first time minus the second one is at most so much."""


def _compare(early: int, late: int) -> dict[str, list[Statement]]:
    """Return what it says that the one is earlier than the other, the same, or later."""
    return {"<": [(early, late, -1)], "=": [(early, late, 0), (late, early, 0)], ">": [(late, early, -1)]}


_OVERLAPPING: Final = [(_FIRST_B, _LAST_A, 0), (_FIRST_A, _LAST_B, 0)]
_LEFT, _RIGHT = _compare(_FIRST_A, _FIRST_B), _compare(_LAST_A, _LAST_B)
_STATEMENTS: Final[dict[str, list[Statement]]] = {
    "before": [(_LAST_A, _FIRST_B, -2)],
    "meets": [(_LAST_A, _FIRST_B, -1), (_FIRST_B, _LAST_A, 1)],
    "overlaps": [*_OVERLAPPING, *_LEFT["<"], *_RIGHT["<"]],
    "finished_by": [*_OVERLAPPING, *_LEFT["<"], *_RIGHT["="]],
    "contains": [*_OVERLAPPING, *_LEFT["<"], *_RIGHT[">"]],
    "starts": [*_OVERLAPPING, *_LEFT["="], *_RIGHT["<"]],
    "equals": [*_OVERLAPPING, *_LEFT["="], *_RIGHT["="]],
    "started_by": [*_OVERLAPPING, *_LEFT["="], *_RIGHT[">"]],
    "during": [*_OVERLAPPING, *_LEFT[">"], *_RIGHT["<"]],
    "finishes": [*_OVERLAPPING, *_LEFT[">"], *_RIGHT["="]],
    "overlapped_by": [*_OVERLAPPING, *_LEFT[">"], *_RIGHT[">"]],
    "met_by": [(_LAST_B, _FIRST_A, -1), (_FIRST_A, _LAST_B, 1)],
    "after": [(_LAST_B, _FIRST_A, -2)],
}


def find_possible(period: Bounds, other: Bounds) -> tuple[str, ...]:
    """Return the relations that some periods within their bounds have, each end of either on its own.

    Examples
    --------
    >>> find_possible(Bounds(1, 1, 4, 4), Bounds(3, 3, 9, 9))
    ('overlaps',)
    >>> find_possible(Bounds(1, 3, 4, 4), Bounds(3, 3, 4, 9))
    ('overlaps', 'finished_by', 'starts', 'equals')
    """
    bounds = [
        statement
        for first, last, limits in ((_FIRST_A, _LAST_A, period), (_FIRST_B, _LAST_B, other))
        for statement in (
            (_ZERO, first, -limits.first_from),
            (first, _ZERO, limits.first_to),
            (_ZERO, last, -limits.last_from),
            (last, _ZERO, limits.last_to),
            (first, last, 0),
        )
    ]
    return tuple(name for name in RELATIONS if _can_be_met([*bounds, *_STATEMENTS[name]]))


def _can_be_met(statements: Iterable[Statement]) -> bool:
    """Tell whether whole numbers meet all statements: none does where a way round adds up to less than nothing."""
    most: list[list[int | None]] = [[None] * 5 for _ in range(5)]
    for point, other, limit in statements:
        current = most[point][other]
        most[point][other] = limit if current is None else min(current, limit)
    for via, point, other in product(range(5), repeat=3):
        first, second, current = most[point][via], most[via][other], most[point][other]
        if first is not None and second is not None and (current is None or first + second < current):
            most[point][other] = first + second
    return all((most[at][at] or 0) >= 0 for at in range(5))


def find_possible_prevailing(
    sure: Collection[Collection[str]], perhaps: Collection[Collection[str]], others: Collection[str]
) -> tuple[set[str | None], bool]:
    """Return the relations that may stand for all shared places, and whether there may be no such place.

    Parameters
    ----------
    sure, perhaps
        Relations that are possible at every place that is shared certainly, or perhaps.
    others
        Relations that are possible at places of which nothing is known, however many.

    Examples
    --------
    >>> find_possible_prevailing([["before"], ["before", "meets"]], [], [])[0] == {"before", "meets"}
    True
    >>> find_possible_prevailing([], [["before"]], [])
    ({'before'}, True)
    """
    reached = np.zeros(1 << len(RELATIONS), dtype=bool)
    reached[0] = True
    for names in sure:
        reached = _add_relation(reached, names)
    for names in perhaps:
        reached |= _add_relation(reached, names)
    for name in others:
        reached |= _add_relation(reached, [name])
    sets = [[name for at, name in enumerate(RELATIONS) if bits >> at & 1] for bits in np.flatnonzero(reached).tolist()]
    return {find_prevailing(hold_over_places(names)) for names in sets if names}, bool(reached[0])


def _add_relation(
    reached: np.ndarray[tuple[int], np.dtype[np.bool_]], names: Collection[str]
) -> np.ndarray[tuple[int], np.dtype[np.bool_]]:
    """Return the sets of relations that there are with one of some more, each set by the number its bits make."""
    extended, numbers = np.zeros_like(reached), np.flatnonzero(reached)
    for name in names:
        extended[numbers | 1 << RELATIONS.index(name)] = True
    return extended
