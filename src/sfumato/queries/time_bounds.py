"""From when to when something happened, as far as it is known; what several sources know of it unites."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.queries.intervals import FuzzyInterval
from sfumato.queries.times import ENDLESS, count_steps, find_end

__all__ = ["Bounds", "TimeBounds"]

Ints = npt.NDArray[np.int64]


class Bounds(NamedTuple):
    """Between which steps of the times the first and the last event of something lie, both ends included."""

    first_from: int
    first_to: int
    last_from: int
    last_to: int


@dataclasses.dataclass(frozen=True)
class TimeBounds:
    """The first and the last time of something: when they may have been, and when they were at the latest and earliest.

    Parameters
    ----------
    earliest, latest
        It happened at no time before or after, as far as times are told.
    first_by, last_from
        It certainly happened until, and certainly again from then on.
    not_published
        Whether it may also have happened at times of which nothing is told.

    Examples
    --------
    Somebody was there between 1 and 4, somebody else between 8 and 9.

    >>> early, late = ((np.array([lo]), np.array([hi])) for lo, hi in [(1, 4), (8, 9)])
    >>> one, other = TimeBounds.of(*early, *early), TimeBounds.of(*late, *late)
    >>> one.to_interval(), (one | other).to_interval()
    (None, FuzzyInterval(possible_from=1, certain_from=4, certain_to=9, possible_to=10))
    """

    earliest: int = ENDLESS
    latest: int = -ENDLESS
    first_by: int = ENDLESS
    last_from: int = -ENDLESS
    not_published: bool = False

    @classmethod
    def of(cls, lo: Ints, hi: Ints, sure_lo: Ints, sure_hi: Ints) -> TimeBounds:
        """Take the intervals of what may have happened, and of what certainly happened some time in each."""
        is_bounded = (lo > -ENDLESS) & (hi < ENDLESS)
        return cls(
            int(lo[is_bounded].min(initial=ENDLESS)),
            int(hi[is_bounded].max(initial=-ENDLESS)),
            int(sure_hi.min(initial=ENDLESS)),
            int(sure_lo.max(initial=-ENDLESS)),
            not bool(is_bounded.all()),
        )

    def __or__(self, other: TimeBounds) -> TimeBounds:
        """Return from when to when either happened."""
        return TimeBounds(
            min(self.earliest, other.earliest),
            max(self.latest, other.latest),
            min(self.first_by, other.first_by),
            max(self.last_from, other.last_from),
            self.not_published or other.not_published,
        )

    def either(self, other: TimeBounds) -> TimeBounds:
        """Return what is known where one of two holds, and nobody knows which.

        Examples
        --------
        >>> TimeBounds(1, 1, 1, 1).either(TimeBounds(5, 5, 5, 5))
        TimeBounds(earliest=1, latest=5, first_by=5, last_from=1, not_published=False)
        """
        return TimeBounds(
            min(self.earliest, other.earliest),
            max(self.latest, other.latest),
            max(self.first_by, other.first_by),
            min(self.last_from, other.last_from),
            self.not_published or other.not_published,
        )

    @property
    def is_certain(self) -> bool:
        """Whether it certainly happened at all."""
        return self.first_by < ENDLESS

    @property
    def is_possible(self) -> bool:
        """Whether it may have happened at all."""
        return self.not_published or self.earliest <= self.latest

    def bound(self, unit: str = "") -> Bounds | None:
        """Return the bounds of the first and the last time in steps of a unit; None where no such step lies in them.

        Examples
        --------
        >>> TimeBounds(1, 9, 4, 8).bound(), TimeBounds(1, 9, 4, 8, not_published=True).bound().first_to
        (Bounds(first_from=1, first_to=4, last_from=8, last_to=9), 4)
        """
        earliest, latest = (-ENDLESS, ENDLESS) if self.not_published else (self.earliest, self.latest)
        lo, hi = (count_steps(unit, time, up=up) for time, up in ((earliest, True), (latest, False)))
        first_by, last_from = count_steps(unit, self.first_by, up=False), count_steps(unit, self.last_from, up=True)
        bounds = Bounds(lo, min(first_by, hi), max(last_from, lo), hi)
        return bounds if bounds.first_from <= bounds.first_to and bounds.last_from <= bounds.last_to else None

    def to_interval(self, units: Sequence[str] = ("",)) -> FuzzyInterval | None:
        """Return the period from the first time to the end of the last, a step later; None where none is certain.

        Where a step may be of several units, it is certain that the last one goes on for the shortest of these, and
        possible that it does for the longest.

        Examples
        --------
        >>> found = TimeBounds(0, 0, 0, 0).to_interval(["minute", "hour"])
        >>> found.certain_to // 60_000_000, found.possible_to // 60_000_000
        (1, 60)
        """
        if not self.is_certain:
            return None
        begin, end = self.first_by, min(find_end(unit, self.last_from) for unit in units)
        if begin >= end:
            return None
        latest = max(find_end(unit, self.latest) for unit in units)
        return FuzzyInterval(min(begin, self.earliest), begin, end, max(end, latest))
