"""Imprecise time: stretches of time of which a part is certain, a part is possible, and the rest is ruled out.

A fuzzy interval has four times a <= b < c <= d. Between b and c something certainly goes on (the interior, open); from
a to b it may have begun, from c to d it may still go on (the boundary, closed); before a and after d it does not. The
interior and the boundary together are the closure [a, d]. Where a = b and c = d nothing is imprecise, and the interval
is an ordinary one.
"""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import ParameterError

__all__ = ["FuzzyInterval", "FuzzyIntervals", "Number", "Observation", "observe"]

Number = int | float
Observation = tuple[Number, Number]
Column = npt.NDArray[Any]


@dataclasses.dataclass(frozen=True)
class FuzzyInterval:
    """A stretch of time with a certain interior and a boundary in which it may already, or still, go on.

    Parameters
    ----------
    possible_from, certain_from
        It begins at the earliest here, and at the latest there.
    certain_to, possible_to
        It ends at the earliest here, and at the latest there.

    Examples
    --------
    >>> siege = FuzzyInterval(1, 3, 8, 9)
    >>> siege.interior, siege.closure, siege.boundary
    ((3, 8), (1, 9), ((1, 3), (8, 9)))
    >>> siege.is_crisp, FuzzyInterval.crisp(1, 9).is_crisp
    (False, True)

    References
    ----------
    Papadakis, Doerr and Plexousakis, Fuzzy Times on Space-time Volumes, Section 3.2.
    """

    possible_from: Number
    certain_from: Number
    certain_to: Number
    possible_to: Number

    def __post_init__(self) -> None:
        FuzzyIntervals.of([self])

    @classmethod
    def crisp(cls, start: Number, end: Number) -> FuzzyInterval:
        """Return an interval with exact ends."""
        return cls(start, start, end, end)

    @property
    def interior(self) -> tuple[Number, Number]:
        """Where it certainly goes on, without the two ends."""
        return self.certain_from, self.certain_to

    @property
    def closure(self) -> tuple[Number, Number]:
        """Where it possibly goes on, with the two ends."""
        return self.possible_from, self.possible_to

    @property
    def boundary(self) -> tuple[Observation, Observation]:
        """Where it may have begun, and where it may still go on, with their ends."""
        return (self.possible_from, self.certain_from), (self.certain_to, self.possible_to)

    @property
    def is_crisp(self) -> bool:
        """Whether both ends are exact."""
        return self.possible_from == self.certain_from and self.certain_to == self.possible_to


@dataclasses.dataclass(frozen=True, eq=False)
class FuzzyIntervals:
    """Fuzzy intervals as four columns of times, one row each.

    Examples
    --------
    >>> stays = FuzzyIntervals.of([FuzzyInterval(0, 1, 4, 6), FuzzyInterval(2, 2, 3, 9)])
    >>> stays.possible_to.tolist(), stays[0]
    ([6, 9], FuzzyInterval(possible_from=0, certain_from=1, certain_to=4, possible_to=6))
    >>> stays.enclose()
    FuzzyInterval(possible_from=0, certain_from=1, certain_to=4, possible_to=9)
    """

    possible_from: Column
    certain_from: Column
    certain_to: Column
    possible_to: Column

    def __post_init__(self) -> None:
        corners = self.corners
        if len({len(column) for column in corners}) > 1:
            raise ParameterError("fuzzy intervals: the four columns must have the same number of rows.")
        for column in corners:
            _refuse_first(~np.isfinite(column), "its four times must be finite numbers")
        in_order = (corners[0] <= corners[1]) & (corners[1] < corners[2]) & (corners[2] <= corners[3])
        _refuse_first(~in_order, "its times must be a <= b < c <= d, with [a, d] possible and (b, c) certain")

    @classmethod
    def of(cls, intervals: Iterable[FuzzyInterval]) -> FuzzyIntervals:
        """Return columns of single intervals."""
        rows = [
            (interval.possible_from, interval.certain_from, interval.certain_to, interval.possible_to)
            for interval in intervals
        ]
        columns = zip(*rows, strict=True) if rows else ((), (), (), ())
        return cls(*(np.array(column) for column in columns))

    @property
    def corners(self) -> tuple[Column, Column, Column, Column]:
        """The four columns in the order of time."""
        return self.possible_from, self.certain_from, self.certain_to, self.possible_to

    def __len__(self) -> int:
        return len(self.possible_from)

    def __getitem__(self, row: int) -> FuzzyInterval:
        return FuzzyInterval(*(column[row].item() for column in self.corners))

    def __iter__(self) -> Iterator[FuzzyInterval]:
        return (self[row] for row in range(len(self)))

    def take(self, rows: npt.NDArray[np.int64]) -> FuzzyIntervals:
        """Return the given rows, in that order."""
        return FuzzyIntervals(*(column[rows] for column in self.corners))

    def enclose(self) -> FuzzyInterval:
        """Return the one interval that goes on from when the first does until the last does, gaps included."""
        if not len(self):
            raise ParameterError("fuzzy intervals: there is no hull of none.")
        edges = (self.possible_from.min(), self.certain_from.min(), self.certain_to.max(), self.possible_to.max())
        return FuzzyInterval(*(edge.item() for edge in edges))


def observe(
    positive: Sequence[Observation], negative: Sequence[Observation], within: Observation | None = None
) -> FuzzyInterval:
    """Find out when something went on from times at which it was seen to, and times at which it was seen not to.

    It is one thing, so it certainly goes on from the first positive observation to the last one, and possibly until a
    negative one rules it out.

    Parameters
    ----------
    positive
        (from, to) of the observations that saw it go on.
    negative
        (from, to) of the observations that saw that it did not.
    within
        Earliest and latest possible time, for a side on which no negative observation lies.

    Raises
    ------
    ParameterError
        If two observations contradict each other: it names them by their numbers, which begin with 0. Also if the
        positive ones span no time, or nothing bounds the closure on one side.

    Examples
    --------
    >>> observe(positive=[(4, 5), (7, 7)], negative=[(0, 1), (9, 12)])
    FuzzyInterval(possible_from=1, certain_from=4, certain_to=7, possible_to=9)
    >>> observe(positive=[(4, 5), (7, 7)], negative=[(0, 1), (6, 6)])
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: observations: negative 1 lies between positive 0 and positive 1, ...
    >>> observe(positive=[(4, 7)], negative=[(0, 1)], within=(-5, 10)).possible_to
    10

    References
    ----------
    Papadakis, Doerr and Plexousakis, Fuzzy Times on Space-time Volumes, Section 3.1.
    """
    _check_observations("positive", positive)
    _check_observations("negative", negative)
    if not positive:
        raise ParameterError("observations: at least one positive observation is needed.")
    start, end = min(observation[0] for observation in positive), max(observation[1] for observation in positive)
    if start == end:
        raise ParameterError("observations: the positive ones span no time; what goes on has a duration.")
    for number, (first, last) in enumerate(negative):
        if first < end and last > start:
            raise ParameterError(_contradiction(number, first, last, positive))
    before = [last for _, last in negative if last <= start]
    after = [first for first, _ in negative if first >= end]
    if within is not None:
        _check_observations("within", [within])
        if within[0] > start or within[1] < end:
            raise ParameterError("observations: `within` must contain every positive observation.")
        before.append(within[0])
        after.append(within[1])
    for side, bounds in (("before", before), ("after", after)):
        if not bounds:
            raise ParameterError(f"observations: no negative one lies {side} the positive ones; say `within`.")
    return FuzzyInterval(max(before), start, end, min(after))


def _check_observations(name: str, observations: Sequence[Observation]) -> None:
    for number, (start, end) in enumerate(observations):
        if not (math.isfinite(start) and math.isfinite(end) and start <= end):
            raise ParameterError(f"observations: {name} {number} must be (from, to), finite, with from <= to.")


def _contradiction(number: int, first: Number, last: Number, positive: Sequence[Observation]) -> str:
    """Say which positive observation a negative one contradicts, or between which two it lies."""
    earlier = [at for at, (_, end) in enumerate(positive) if end <= first]
    later = [at for at, (start, _) in enumerate(positive) if start >= last]
    shared = [at for at, (start, end) in enumerate(positive) if start < last and first < end]
    shared += [at for at in earlier if at in later]
    if shared:
        return f"observations: negative {number} and positive {shared[0]} contradict each other: they share time."
    before, after = max(earlier, key=lambda at: positive[at][1]), min(later, key=lambda at: positive[at][0])
    return (
        f"observations: negative {number} lies between positive {before} and positive {after}, which contradicts them: "
        "what goes on before and after goes on in between."
    )


def _refuse_first(is_wrong: npt.NDArray[np.bool_], rule: str) -> None:
    if is_wrong.any():
        raise ParameterError(f"fuzzy interval {int(np.argmax(is_wrong))}: {rule}.")
