"""What an observer of prefixes knows: where events occur, and how frequent they become, counted with whole numbers."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Iterator
from fractions import Fraction

import numpy as np
import numpy.typing as npt

from sfumato.kinds.timeline.dataset import Timeline

__all__ = ["Occurrences", "Peak", "find_occurrences", "find_peaks"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Occurrences:
    """Where one event occurs, in time order.

    Parameters
    ----------
    points, counts
        Time points, numbered from 0, and how often it occurs at each.

    Examples
    --------
    >>> one, other = Occurrences(np.array([0, 4]), np.array([2, 1])), Occurrences(np.array([0, 4]), np.array([2, 1]))
    >>> one.shape == other.shape
    True
    """

    points: Ints
    counts: Ints

    @property
    def shape(self) -> bytes:
        """The same for events with the same counts at every time point, and for no others."""
        return np.stack([self.points, self.counts]).tobytes()


def find_occurrences(timeline: Timeline, codes: Iterable[int]) -> Iterator[Occurrences]:
    """Find where some events occur, event by event in the order given.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 2, "b": 1}, {"b": 3}]))
    >>> [(found.points.tolist(), found.counts.tolist()) for found in find_occurrences(timeline, [1, 0])]
    [([0, 1], [1, 3]), ([0], [2])]
    """
    by_event = np.argsort(timeline.codes, kind="stable")
    sorted_codes = timeline.codes[by_event]
    for code in codes:
        own = by_event[slice(*np.searchsorted(sorted_codes, [code, code + 1]))]
        yield Occurrences(timeline.points[own], timeline.counts[own])


@dataclasses.dataclass(frozen=True)
class Peak:
    """How frequent an event becomes in a prefix.

    Parameters
    ----------
    frequency
        Largest relative frequency in any prefix; 0 where the event does not occur.
    point
        First time point, numbered from 0, at which it is reached; None where the event does not occur.
    exposed
        Prefixes in which the event reaches the threshold.

    Examples
    --------
    >>> Peak(Fraction(1, 4), 3, 0).frequency < Fraction(1, 2)
    True
    """

    frequency: Fraction
    point: int | None
    exposed: int


def find_peaks(timeline: Timeline, codes: Iterable[int], delta: Fraction | None = None) -> list[Peak]:
    """Find how frequent events become in the prefixes of a timeline, exactly.

    Between two of its occurrences an event can only become less frequent, so that the prefixes which end where it
    occurs decide. Comparisons are of whole numbers.

    Parameters
    ----------
    timeline
        The events.
    codes
        Events to look at.
    delta
        Threshold; without one no prefix counts as exposed.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 3}, {"a": 2}, {"b": 9}]))
    >>> find_peaks(timeline, [0], Fraction(1, 4))
    [Peak(frequency=Fraction(1, 2), point=1, exposed=2)]
    """
    # A prefix is as long as the counts of all its entries.
    lengths = np.concatenate([[0], np.cumsum(timeline.counts)])[timeline.offsets[1:]]
    peaks = []
    for event in find_occurrences(timeline, codes):
        if not len(event.points):
            peaks.append(Peak(Fraction(0), None, 0))
            continue
        sums = np.cumsum(event.counts)
        frequency, at = _largest(sums, lengths[event.points])
        exposed = 0 if delta is None else _count_exposed(event.points, sums, lengths, delta)
        peaks.append(Peak(frequency, int(event.points[at]), exposed))
    return peaks


def _largest(sums: Ints, lengths: Ints) -> tuple[Fraction, int]:
    """Return the largest of some fractions and where it is first; rounding only narrows the choice."""
    ratios = sums / lengths
    best, where = Fraction(0), 0
    for at in np.flatnonzero(ratios >= ratios.max() * (1 - 1e-12)).tolist():
        if int(sums[at]) * best.denominator > best.numerator * int(lengths[at]):
            best, where = Fraction(int(sums[at]), int(lengths[at])), at
    return best, where


def _count_exposed(points: Ints, sums: Ints, lengths: Ints, delta: Fraction) -> int:
    """Count the prefixes with sum / length >= delta: those that end before the length is too large for the sum."""
    longest = [min(total * delta.denominator // delta.numerator, int(lengths[-1])) for total in sums.tolist()]
    ends = np.searchsorted(lengths, np.array(longest, dtype=np.int64), side="right")
    nexts = np.append(points[1:], len(lengths))
    return int(np.maximum(np.minimum(ends, nexts) - points, 0).sum())
