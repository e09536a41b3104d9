"""What makers count of a timeline: occurrences by time point, places of events, and what deletions change."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.kinds.timeline.dataset import Timeline

__all__ = ["Deletions", "Places", "TimelineCounts"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Places:
    """Where some events occur: those of event i at ``offsets[i]`` up to ``offsets[i + 1]``, in time order.

    ``entries`` are positions in the arrays of the timeline.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> TimelineCounts(Timeline.of(Dataset.of("timeline", [{"a": 2, "b": 1}, {"b": 3}]))).places([1]).points.tolist()
    [0, 1]
    """

    offsets: Ints
    entries: Ints
    points: Ints
    counts: Ints


@dataclasses.dataclass(frozen=True, eq=False)
class TimelineCounts:
    """A timeline with what it holds at every time point and in every prefix.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> counts = TimelineCounts(Timeline.of(Dataset.of("timeline", [{"a": 2, "b": 1}, {"b": 3}])))
    >>> counts.totals.tolist(), counts.lengths.tolist()
    ([3, 3], [3, 6])
    """

    timeline: Timeline

    def add_up(self, amounts: Ints) -> Ints:
        """Add up amounts of entries by time point."""
        sums = np.concatenate([[0], np.cumsum(amounts)])
        return np.asarray(sums[self.timeline.offsets[1:]] - sums[self.timeline.offsets[:-1]], dtype=np.int64)

    @cached_property
    def totals(self) -> Ints:
        """Occurrences of all events at every time point."""
        return self.add_up(self.timeline.counts)

    @cached_property
    def lengths(self) -> Ints:
        """Occurrences of all events in every prefix."""
        return np.cumsum(self.totals)

    @cached_property
    def squares(self) -> Ints:
        """Sum of (2f+1)^2 over the alphabet at every time point: four times that of the squared smoothed counts."""
        counts = self.timeline.counts
        return self.add_up(4 * counts * (counts + 1)) + len(self.timeline.labels)

    def places(self, codes: Sequence[int]) -> Places:
        """Find where some events occur, event by event in the order given."""
        timeline = self.timeline
        number = np.full(len(timeline.labels), -1, dtype=np.int64)
        number[list(codes)] = np.arange(len(codes))
        event = number[timeline.codes] if len(timeline.labels) else timeline.codes
        entries = np.flatnonzero(event >= 0)
        entries = entries[np.argsort(event[entries], kind="stable")]
        offsets = np.searchsorted(event[entries], np.arange(len(codes) + 1)).astype(np.int64)
        return Places(offsets, entries, timeline.points[entries], timeline.counts[entries])


@dataclasses.dataclass(frozen=True, eq=False)
class Deletions:
    """What is deleted from a timeline, entry by entry, and the error that makes.

    The error is the squared change of the events' probabilities, summed over events and time points, where the
    probability of an event at a time point is its share of the occurrences there after every event of the
    alphabet got half an occurrence more.

    Parameters
    ----------
    counts
        What there was.
    removed
        Occurrences deleted of every entry.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 2}, {"a": 1}], events=("c",)))
    >>> Deletions(TimelineCounts(timeline), np.array([0, 1, 1])).error()
    Fraction(13184, 99225)

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 3.
    """

    counts: TimelineCounts
    removed: Ints

    @cached_property
    def by_point(self) -> Ints:
        """Occurrences deleted from every time point."""
        return self.counts.add_up(self.removed)

    def terms(self) -> list[tuple[int, int]]:
        """Return numerator and denominator of the error of every time point where something is deleted.

        With K deletions in all, k of the f occurrences of an event, n twice the smoothed total and Q the sum of
        (2f+1)^2 the error is 4 (K^2 Q - 2 K n sum (2f+1)k + n^2 sum k^2) / (n (n-2K))^2. For one event that is the
        paper's cost, without a loop over the alphabet.
        """
        timeline = self.counts.timeline
        own = 2 * timeline.counts + 1
        mixed, squared = self.counts.add_up(own * self.removed), self.counts.add_up(self.removed * self.removed)
        changed = np.flatnonzero(self.by_point)
        columns = (self.counts.totals, self.counts.squares, self.by_point, mixed, squared)
        fractions = []
        for total, squares, k, x, r in zip(*(column[changed].tolist() for column in columns), strict=True):
            n = 2 * total + len(timeline.labels)
            fractions.append((4 * (k * k * squares - 2 * k * n * x + n * n * r), (n * (n - 2 * k)) ** 2))
        return fractions

    def error(self) -> Fraction:
        """Return the error as an exact fraction; its digits grow with the number of time points."""
        sums: dict[int, int] = {}
        for numerator, denominator in self.terms():
            sums[denominator] = sums.get(denominator, 0) + numerator
        return sum((Fraction(n, d) for d, n in sums.items()), Fraction(0))

    def rounded_error(self) -> float:
        """Return the error with every time point's part rounded once, and the sum of those rounded once."""
        return math.fsum(numerator / denominator for numerator, denominator in self.terms())
