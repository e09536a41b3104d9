"""From when to when something happened, as far as it is known; what several sources know of it unites."""

from __future__ import annotations

import dataclasses

import numpy as np
import numpy.typing as npt

from sfumato.query.intervals import FuzzyInterval
from sfumato.query.moments import ENDLESS

__all__ = ["Reach"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class Reach:
    """The first and the last time of something: when they may have been, and when they were at the latest and earliest.

    Parameters
    ----------
    earliest, latest
        It happened at no time before or after, as far as times are told.
    first_by, last_from
        It certainly happened until, and certainly again from then on.
    untold
        Whether it may also have happened at times of which nothing is told.

    Examples
    --------
    Somebody was there between 1 and 4, somebody else between 8 and 9.

    >>> early, late = ((np.array([lo]), np.array([hi])) for lo, hi in [(1, 4), (8, 9)])
    >>> one, other = Reach.of(*early, *early), Reach.of(*late, *late)
    >>> one.to_interval(), (one | other).to_interval()
    (None, FuzzyInterval(possible_from=1, certain_from=4, certain_to=9, possible_to=10))
    """

    earliest: int = ENDLESS
    latest: int = -ENDLESS
    first_by: int = ENDLESS
    last_from: int = -ENDLESS
    untold: bool = False

    @classmethod
    def of(cls, lo: Ints, hi: Ints, sure_lo: Ints, sure_hi: Ints) -> Reach:
        """Take the intervals of what may have happened, and of what certainly happened some time in each."""
        told = (lo > -ENDLESS) & (hi < ENDLESS)
        return cls(
            int(lo[told].min(initial=ENDLESS)),
            int(hi[told].max(initial=-ENDLESS)),
            int(sure_hi.min(initial=ENDLESS)),
            int(sure_lo.max(initial=-ENDLESS)),
            not bool(told.all()),
        )

    def __or__(self, other: Reach) -> Reach:
        """Return from when to when either happened."""
        return Reach(
            min(self.earliest, other.earliest),
            max(self.latest, other.latest),
            min(self.first_by, other.first_by),
            max(self.last_from, other.last_from),
            self.untold or other.untold,
        )

    def to_interval(self) -> FuzzyInterval | None:
        """Return the period from the first time to the end of the last, a step later; None where none is certain."""
        begin, end = self.first_by, self.last_from + 1
        if begin >= end:
            return None
        return FuzzyInterval(min(begin, self.earliest), begin, end, max(end, self.latest + 1))
