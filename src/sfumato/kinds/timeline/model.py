"""One long sequence of multisets of events, and what its prefixes and its deletions show."""

from __future__ import annotations

import dataclasses
import itertools
import math
from collections.abc import Mapping, Sequence
from fractions import Fraction
from functools import cached_property

import numpy as np
import numpy.typing as npt
import pyarrow as pa

from sfumato.core.clock import Clock
from sfumato.core.dataset import Dataset
from sfumato.core.errors import SchemaError
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.core.schema import Schema
from sfumato.kinds.timeline import KIND

__all__ = ["Deletions", "Peak", "Places", "Timeline", "least_peer", "peaks"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Places:
    """Where some events occur: those of event i at ``offsets[i]`` up to ``offsets[i + 1]``, in time order.

    ``entries`` are positions in the arrays of the timeline.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 1}, {"b": 3}])
    >>> Timeline.of(data).places([1]).points.tolist()
    [0, 1]
    """

    offsets: Ints
    entries: Ints
    points: Ints
    counts: Ints


@dataclasses.dataclass(frozen=True, eq=False)
class Timeline:
    """Events with their counts, time point by time point, in time order.

    Parameters
    ----------
    offsets, codes
        Time point t has the events ``codes[offsets[t]:offsets[t+1]]``.
    counts
        How often each occurs there, at least once.
    labels
        The alphabet: names of the events by code. Events that never occur belong to it where they were named.
    times
        The time points, ascending, in units of the clock; as microseconds for a release that publishes dates.

    Examples
    --------
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 2, "b": 1}, {"b": 3}]))
    >>> timeline.totals.tolist(), timeline.lengths.tolist(), timeline.labels
    ([3, 3], [3, 6], ('a', 'b'))
    """

    offsets: Ints
    codes: Ints
    counts: Ints
    labels: tuple[str, ...]
    times: Ints

    def __len__(self) -> int:
        return len(self.offsets) - 1

    @classmethod
    def of(cls, dataset: Dataset) -> Timeline:
        """View a dataset."""
        column = next(column.name for column in dataset.schema.columns if column.role == "count")
        return cls._view(dataset.table, dataset.schema.history, column, dataset.schema.time)

    @classmethod
    def of_release(cls, release: Release) -> Timeline:
        """View a release; its alphabet is what it shows."""
        names = {column.role: column.name for column in release.columns}
        return cls._view(release.table, names["history"], names["count"], names["time"])

    @classmethod
    def _view(cls, table: pa.Table, events: str, counts: str, times: str) -> Timeline:
        history = Ragged.from_arrow(table.column(events))
        numbers = table.column(counts).combine_chunks()
        if isinstance(numbers, pa.ChunkedArray):  # no rows at all
            numbers = numbers.chunk(0) if numbers.num_chunks else pa.array([], pa.list_(pa.int64()))
        when = table.column(times).cast(pa.int64()).to_numpy()
        flat = numbers.flatten().to_numpy(zero_copy_only=False)
        return cls(
            history.offsets,
            history.codes.astype(np.int64),
            np.asarray(flat, dtype=np.int64),
            history.labels,
            np.asarray(when, dtype=np.int64),
        )

    @cached_property
    def points(self) -> Ints:
        """Time point of every entry, numbered from 0."""
        return np.repeat(np.arange(len(self)), np.diff(self.offsets))

    @cached_property
    def totals(self) -> Ints:
        """Occurrences of all events at every time point."""
        sums = np.concatenate([[0], np.cumsum(self.counts)])
        return np.asarray(sums[self.offsets[1:]] - sums[self.offsets[:-1]], dtype=np.int64)

    @cached_property
    def lengths(self) -> Ints:
        """Occurrences of all events in every prefix."""
        return np.cumsum(self.totals)

    @cached_property
    def squares(self) -> Ints:
        """Sum of (2f+1)^2 over the alphabet at every time point: four times that of the squared smoothed counts."""
        sums = np.concatenate([[0], np.cumsum(4 * self.counts * (self.counts + 1))])
        return np.asarray(sums[self.offsets[1:]] - sums[self.offsets[:-1]] + len(self.labels), dtype=np.int64)

    def code_of(self) -> dict[str, int]:
        """Return the codes of the labels."""
        return {label: code for code, label in enumerate(self.labels)}

    def places(self, codes: Sequence[int]) -> Places:
        """Find where some events occur, event by event in the order given."""
        number = np.full(len(self.labels), -1, dtype=np.int64)
        number[list(codes)] = np.arange(len(codes))
        event = number[self.codes] if len(self.labels) else self.codes
        entries = np.flatnonzero(event >= 0)
        entries = entries[np.argsort(event[entries], kind="stable")]
        offsets = np.searchsorted(event[entries], np.arange(len(codes) + 1)).astype(np.int64)
        return Places(offsets, entries, self.points[entries], self.counts[entries])


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


def peaks(timeline: Timeline, codes: Sequence[int], delta: Fraction | None = None) -> list[Peak]:
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
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 3}, {"a": 2}, {"b": 9}]))
    >>> peaks(timeline, [0], Fraction(1, 4))
    [Peak(frequency=Fraction(1, 2), point=1, exposed=2)]
    """
    places = timeline.places(codes)
    found = []
    for i in range(len(codes)):
        own = slice(places.offsets[i], places.offsets[i + 1])
        points, sums = places.points[own], np.cumsum(places.counts[own])
        if not len(points):
            found.append(Peak(Fraction(0), None, 0))
            continue
        frequency, at = _largest(sums, timeline.lengths[points])
        exposed = 0 if delta is None else _count_exposed(points, sums, timeline.lengths, delta)
        found.append(Peak(frequency, int(points[at]), exposed))
    return found


def _largest(sums: Ints, lengths: Ints) -> tuple[Fraction, int]:
    """Return the largest of some fractions and where it is; rounding only narrows the choice."""
    ratios = sums / lengths
    near = np.flatnonzero(ratios >= ratios.max() * (1 - 1e-12))
    best, where = Fraction(0), 0
    for at in near.tolist():
        if int(sums[at]) * best.denominator > best.numerator * int(lengths[at]):
            best, where = Fraction(int(sums[at]), int(lengths[at])), at
    return best, where


def _count_exposed(points: Ints, sums: Ints, lengths: Ints, delta: Fraction) -> int:
    """Count the prefixes with sum / length >= delta: those that end before the length is too large for the sum."""
    largest = lengths[-1]
    longest = [min(int(total) * delta.denominator // delta.numerator, int(largest)) for total in sums]
    ends = np.searchsorted(lengths, np.array(longest, dtype=np.int64), side="right")
    nexts = np.append(points[1:], len(lengths))
    return int(np.maximum(np.minimum(ends, nexts) - points, 0).sum())


@dataclasses.dataclass(frozen=True, eq=False)
class Deletions:
    """What was deleted from a timeline, entry by entry, and the error that makes.

    The error is the squared change of the events' probabilities, summed over events and time points, where the
    probability of an event at a time point is its share of the occurrences there after every event of the
    alphabet got half an occurrence more.

    Parameters
    ----------
    timeline
        What there was.
    removed
        Occurrences deleted of every entry.

    Examples
    --------
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 2}, {"a": 1}], events=("c",)))
    >>> Deletions(timeline, np.array([0, 1, 1])).error()
    Fraction(13184, 99225)

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 3.
    """

    timeline: Timeline
    removed: Ints

    @classmethod
    def between(cls, before: Timeline, after: Timeline, rows: Ints) -> Deletions:
        """Find what was deleted, given the original time point of every published one."""
        code = before.code_of()
        recode = np.array([code.get(label, -1) for label in after.labels], dtype=np.int64)
        codes = recode[after.codes] if len(recode) else after.codes
        width = max(len(before.labels), 1)
        keys = before.points * width + before.codes
        kept = rows[after.points] * width + codes
        order = np.argsort(keys, kind="stable")
        at = np.searchsorted(keys[order], kept)
        known = (codes >= 0) & (at < len(keys))
        known[known] = keys[order][at[known]] == kept[known]
        if not known.all():
            raise SchemaError("timeline: the release has events that the original does not have at the same time.")
        removed = before.counts.copy()
        np.subtract.at(removed, order[at], after.counts)
        return cls(before, removed)

    @cached_property
    def by_point(self) -> Ints:
        """Occurrences deleted from every time point."""
        return np.asarray(self._sums(self.removed), dtype=np.int64)

    def _sums(self, amounts: Ints) -> Ints:
        sums = np.concatenate([[0], np.cumsum(amounts)])
        return np.asarray(sums[self.timeline.offsets[1:]] - sums[self.timeline.offsets[:-1]], dtype=np.int64)

    def terms(self) -> list[tuple[int, int]]:
        """Return numerator and denominator of the error of every time point where something was deleted.

        With K deletions in all, k of the f occurrences of an event, n twice the smoothed total and Q the sum of
        (2f+1)^2 the error is 4 (K^2 Q - 2 K n sum (2f+1)k + n^2 sum k^2) / (n (n-2K))^2. For one event that is the
        paper's cost, without a loop over the alphabet.
        """
        own = 2 * self.timeline.counts + 1
        mixed, squared = self._sums(own * self.removed), self._sums(self.removed * self.removed)
        changed = np.flatnonzero(self.by_point)
        columns = (self.timeline.totals, self.timeline.squares, self.by_point, mixed, squared)
        found = []
        for total, squares, k, x, r in zip(*(column[changed].tolist() for column in columns), strict=True):
            n = 2 * total + len(self.timeline.labels)
            found.append((4 * (k * k * squares - 2 * k * n * x + n * n * r), (n * (n - 2 * k)) ** 2))
        return found

    def error(self) -> Fraction:
        """Return the error as an exact fraction; its digits grow with the number of time points."""
        sums: dict[int, int] = {}
        for numerator, denominator in self.terms():
            sums[denominator] = sums.get(denominator, 0) + numerator
        return sum((Fraction(n, d) for d, n in sums.items()), Fraction(0))

    def rounded_error(self) -> float:
        """Return the error with every time point's part rounded once, and the sum of those rounded once."""
        return math.fsum(numerator / denominator for numerator, denominator in self.terms())


def least_peer(delta: Fraction, largest: int) -> Fraction:
    """Return the least fraction not below delta whose denominator is at most a number.

    A relative frequency with such a denominator is below delta exactly if it is below this fraction, so that
    comparisons need no larger whole numbers than the data have.

    Examples
    --------
    >>> least_peer(Fraction(1, 1000), 30), least_peer(Fraction("0.3333"), 10)
    (Fraction(1, 30), Fraction(1, 3))
    """
    if delta.denominator <= largest:
        return delta
    near = delta.limit_denominator(largest)
    if near >= delta:
        return near
    # near is the closest fraction and lies below: its right neighbour among those allowed is the least above.
    a, b = near.numerator, near.denominator
    # The neighbour c/d has c b - a d = 1 with the largest d that is allowed.
    d = (-pow(a, -1, b)) % b if b > 1 else 0
    d += (largest - d) // b * b
    return Fraction((a * d + 1) // b, d)


def make_dataset(
    rows: list[Mapping[str, int]],
    *,
    times: list[int] | None = None,
    sensitive: tuple[str, ...] = (),
    events: tuple[str, ...] = (),
    clock: Clock | None = None,
) -> Dataset:
    """Make a dataset of one long sequence of events from counts by event, one mapping per time point.

    Time points are numbered from 0 where no times are given. ``events`` names events of the alphabet that may
    not occur at all; so does a count of 0.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"bread": 2, "wine": 1}, {"bread": 1}], sensitive=("wine",))
    >>> data, data.table.column("counts").to_pylist()
    (Dataset(timeline: 2 time points, 3 entries, 2 distinct values), [[2, 1], [1]])
    """
    when = list(range(len(rows))) if times is None else times
    if len(when) != len(rows) or any(a >= b for a, b in itertools.pairwise(when)):
        raise SchemaError("timeline: times must be as many as the time points, ascending and different.")
    if any(count < 0 for row in rows for count in row.values()):
        raise SchemaError("timeline: column 'counts' must hold 0 or more, got a negative count.")
    code = {label: i for i, label in enumerate(dict.fromkeys([*(e for row in rows for e in row), *events]))}
    kept = [sorted((code[event], count) for event, count in row.items() if count) for row in rows]
    offsets = np.concatenate([[0], np.cumsum([len(row) for row in kept])]).astype(np.int64)
    codes = np.array([event for row in kept for event, _ in row], dtype=np.int32)
    table = pa.table(
        {
            "time": pa.array(when, pa.int64()),
            "events": Ragged(offsets, codes, tuple(code)).to_arrow(),
            "counts": pa.array([[count for _, count in row] for row in kept], pa.list_(pa.int64())),
        }
    )
    return Dataset(Schema("timeline", KIND.columns, sensitive), table, clock=clock or Clock(), unit=KIND.unit)
