"""How two fuzzy intervals lie in time: Allen's thirteen relations, as statements about interiors and closures.

Of two intervals whose interiors share no time one is before the other, or meets it where their boundaries share some.
Of two whose interiors share time, each side is looked at on its own. On the left the interior of A begins before the
closure of B (A is certainly there while B is not), or the other way round, or neither; never both, as no closure begins
after its interior. The same on the right. The three times three cases are the other nine relations, so that exactly one
of thirteen holds for every two intervals. Where all ends are exact, it is Allen's.
"""

from __future__ import annotations

from typing import Final

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError
from sfumato.queries.intervals import FuzzyInterval, FuzzyIntervals, Number

__all__ = ["INVERSE", "RELATIONS", "relate", "relate_columns", "transitive_event"]

RELATIONS: Final = (
    "before", "meets", "overlaps", "finished_by", "contains", "starts", "equals",
    "started_by", "during", "finishes", "overlapped_by", "met_by", "after",
)  # fmt: skip
"""The thirteen relations; a number of :func:`relate_columns` is a place in this line."""

INVERSE: Final = {
    "before": "after", "meets": "met_by", "overlaps": "overlapped_by", "finished_by": "finishes",
    "contains": "during", "starts": "started_by", "equals": "equals", "started_by": "starts",
    "during": "contains", "finishes": "finished_by", "overlapped_by": "overlaps", "met_by": "meets", "after": "before",
}  # fmt: skip
"""Of every relation of A to B, the relation of B to A."""

_BY_SIDES: Final = {
    # Who sticks out on the left and on the right: A, nobody, or B.
    ("A", "A"): "contains", ("A", "-"): "finished_by", ("A", "B"): "overlaps",
    ("-", "A"): "started_by", ("-", "-"): "equals", ("-", "B"): "starts",
    ("B", "A"): "overlapped_by", ("B", "-"): "finishes", ("B", "B"): "during",
}  # fmt: skip
_CODES: Final = np.array([[RELATIONS.index(_BY_SIDES[left, right]) for right in "A-B"] for left in "A-B"], np.int8)


def relate_columns(intervals: FuzzyIntervals, other: FuzzyIntervals) -> npt.NDArray[np.int8]:
    """Return the relation of every row's first interval to its second, as places in :data:`RELATIONS`.

    Examples
    --------
    >>> a = FuzzyIntervals.of([FuzzyInterval(0, 1, 4, 6), FuzzyInterval.crisp(0, 5)])
    >>> b = FuzzyIntervals.of([FuzzyInterval(3, 5, 9, 9), FuzzyInterval.crisp(3, 8)])
    >>> [RELATIONS[code] for code in relate_columns(a, b)]
    ['meets', 'overlaps']
    """
    if len(intervals) != len(other):
        raise ParameterError(f"relations: {len(intervals)} intervals cannot be compared with {len(other)}, row by row.")
    from_a, begin_a, end_a, to_a = intervals.corners
    from_b, begin_b, end_b, to_b = other.corners
    left = 1 - (begin_a < from_b).astype(np.int8) + (begin_b < from_a)
    right = 1 - (end_a > to_b).astype(np.int8) + (end_b > to_a)
    codes = _CODES[left, right]
    for name, holds in (
        ("meets", end_a <= begin_b),
        ("met_by", end_b <= begin_a),
        ("before", to_a < from_b),
        ("after", to_b < from_a),
    ):
        codes[holds] = RELATIONS.index(name)
    return codes


def relate(interval: FuzzyInterval, other: FuzzyInterval) -> str:
    """Return the relation of an interval to another one.

    Examples
    --------
    >>> reign, siege = FuzzyInterval(0, 1, 6, 8), FuzzyInterval(5, 7, 9, 9)
    >>> relate(reign, siege), relate(siege, reign)
    ('meets', 'met_by')
    >>> relate(FuzzyInterval(3, 3, 5, 5), FuzzyInterval(0, 2, 6, 7))
    'during'

    References
    ----------
    Papadakis, Doerr and Plexousakis, Fuzzy Times on Space-time Volumes, Section 3.3; `overlaps` as in the note beside.
    """
    return RELATIONS[int(relate_columns(FuzzyIntervals.of([interval]), FuzzyIntervals.of([other]))[0])]


def transitive_event(interval: FuzzyInterval, other: FuzzyInterval) -> tuple[Number, Number] | None:
    """Return the time within which two intervals that meet did so, whichever comes first; None if they do not.

    It is what their boundaries share between their interiors: the first may still go on, and the second may have
    begun. Whenever the one truly gave way to the other, it was then.

    Examples
    --------
    >>> transitive_event(FuzzyInterval(0, 1, 6, 8), FuzzyInterval(5, 7, 9, 9))
    (6, 7)
    >>> transitive_event(FuzzyInterval.crisp(0, 5), FuzzyInterval.crisp(5, 8))
    (5, 5)

    References
    ----------
    Papadakis, Doerr and Plexousakis, Fuzzy Times on Space-time Volumes, Section 3.4.
    """
    relation = relate(interval, other)
    if relation == "met_by":
        interval, other = other, interval
    elif relation != "meets":
        return None
    return max(interval.certain_to, other.possible_from), min(interval.possible_to, other.certain_from)
