"""Events of single records, each with what is known of its value, its time and how often it happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import numpy as np
import numpy.typing as npt

from sfumato.query.evidence import Link, Names, Selection, Values
from sfumato.query.moments import ENDLESS, Span
from sfumato.query.truth import Truth, combine_all

__all__ = ["MANY", "Events"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MANY = 1 << 40
"""How often something happened at most where nothing limits it."""


@dataclasses.dataclass(frozen=True, eq=False)
class Events:
    """Entries, record after record, each of which stands for events of the original.

    Parameters
    ----------
    records
        Number of records.
    record
        Record of every entry, ascending.
    value
        Published value of every entry, a code of ``values``.
    lo, hi
        The closed interval in which the events of the entry happened: microseconds since 1970, numbers, or positions
        where only their order is known.
    least, most
        How many events the entry stands for. An entry of at least 0 is something that may have been removed.
    values, names
        What published values stand for, and what events are called.
    timing
        ``moment``, ``number``, ``position`` or ``none`` (a set, which has no order).

    Examples
    --------
    Two people; the first was at the clinic on day 3, and at the cafe or the bar between days 5 and 9.

    >>> entries = Events.of(2, [0, 0, 1], [0, 1, 0], Values.of([(0,), (1, 2)]), Names(("clinic", "cafe", "bar")),
    ...     "number", lo=[3, 5, 7], hi=[3, 9, 7])
    >>> clinic, cafe = (Link(entries.names.find(name)) for name in ("clinic", "cafe"))
    >>> then = entries.judge([clinic, cafe])
    >>> then.low.tolist(), then.high.tolist()
    ([0, 0], [1, 0])
    """

    records: int
    record: Ints
    value: Ints
    lo: Ints
    hi: Ints
    least: Ints
    most: Ints
    values: Values
    names: Names
    timing: str

    @classmethod
    def of(
        cls,
        records: int,
        record: npt.ArrayLike,
        value: npt.ArrayLike,
        values: Values,
        names: Names,
        timing: str,
        *,
        lo: npt.ArrayLike = 0,
        hi: npt.ArrayLike | None = None,
        least: npt.ArrayLike = 1,
        most: npt.ArrayLike = 1,
    ) -> Events:
        """Take entries in any order; what is the same for all may be one number."""
        of_record = np.asarray(record, dtype=np.int64)
        given = {"value": value, "lo": lo, "hi": lo if hi is None else hi, "least": least, "most": most}
        columns = {
            name: np.broadcast_to(np.asarray(column, dtype=np.int64), of_record.shape) for name, column in given.items()
        }
        forward = np.diff(of_record)
        if (forward < 0).any() or (np.diff(columns["lo"])[forward == 0] < 0).any():
            # In the order of time within every record: what comes first is asked for most.
            order = np.lexsort((columns["lo"], of_record))
            of_record, columns = of_record[order], {name: column[order] for name, column in columns.items()}
        return cls(records, of_record, **columns, values=values, names=names, timing=timing)

    def take(self, entries: npt.NDArray[np.integer] | Flags) -> Events:
        """Return some of the entries, of all records."""
        columns = ("record", "value", "lo", "hi", "least", "most")
        return dataclasses.replace(self, **{name: getattr(self, name)[entries] for name in columns})

    def choose(self, rows: Ints) -> Events:
        """Return some of the records, ascending and numbered anew."""
        number = np.full(self.records, -1, dtype=np.int64)
        number[rows] = np.arange(len(rows))
        some = self.take(np.flatnonzero(number[self.record] >= 0))
        return dataclasses.replace(some, records=len(rows), record=number[some.record])

    @property
    def size(self) -> int:
        """How much there is to look at."""
        return len(self.record)

    @property
    def span(self) -> Span | None:
        """The first and the last moment of what is told; None where nothing is."""
        told = (self.lo > -ENDLESS) & (self.hi < ENDLESS)
        return (int(self.lo[told].min()), int(self.hi[told].max())) if told.any() else None

    def find_must(self, link: Link) -> Ints:
        """Find the entries that certainly are events as asked for."""
        wanted = self.values.must(link.selection)[self.value] & (self.least > 0)
        if link.window is not None:
            wanted &= (self.lo >= link.window[0]) & (self.hi <= link.window[1])
        return np.flatnonzero(wanted)

    def find_can(self, link: Link) -> tuple[Ints, Ints, Ints]:
        """Find the entries that may be events as asked for, and the intervals in which they then happened."""
        wanted = self.values.can(link.selection)[self.value]
        if link.window is not None:
            wanted &= (self.hi >= link.window[0]) & (self.lo <= link.window[1]) & (link.window[0] <= link.window[1])
        at = np.flatnonzero(wanted)
        if link.window is None:
            return at, self.lo[at], self.hi[at]
        return at, np.maximum(self.lo[at], link.window[0]), np.minimum(self.hi[at], link.window[1])

    def judge(self, links: Sequence[Link]) -> Truth:
        """Tell of which records the events happened one after the other.

        Bounds of one and of two events are exact, but for the certain one of two events where the second must come
        within some time: several entries may together make certain what none of them does alone.
        """
        return Truth.of(self._mark(self._follow_must(links)), self._mark(self._follow_can(links)))

    def judge_all(self, tests: Sequence[Sequence[Link]]) -> Truth:
        """Tell of which records all of several such things hold."""
        return combine_all([self.judge(links) for links in tests])

    def count(self, link: Link) -> tuple[int, float]:
        """Return how many events there are at least and at most, over all records."""
        must, (can, _, _) = self.find_must(link), self.find_can(link)
        most = self.most[can]
        return int(self.least[must].sum()), float("inf") if (most >= MANY).any() else float(most.sum())

    def draw(self, random: np.random.Generator, wanted: Selection) -> Events:
        """Draw an original: members and times all equally likely, and as few events as there may be."""
        kept = (self.least > 0) & self.values.can(wanted)[self.value]
        there = self if kept.all() else self.take(np.flatnonzero(kept))
        # Times are drawn as coarse as those that are told.
        tick = _Scale.of(1 << 62, there.lo, there.hi).tick if len(there.lo) else 1
        time = there.lo + (random.random(len(there.lo)) * ((there.hi - there.lo) // tick + 1)).astype(np.int64) * tick
        value = there.values.draw(there.value, random)
        exact = Values.exact(len(self.names.labels))
        return dataclasses.replace(there, value=value, lo=time, hi=time, most=there.least, values=exact)

    def _mark(self, record: Ints) -> Flags:
        marked = np.zeros(self.records, dtype=bool)
        marked[record] = True
        return marked

    def _follow_must(self, links: Sequence[Link]) -> Ints:
        """Return the records of which a chain of entries certainly is what was asked for."""
        at = self.find_must(links[0])
        for link in links[1:]:
            following = self.find_must(link)
            # The latest beginning among those that are over before the next one begins.
            nearest = _find_best(self.record[at], self.hi[at], self.lo[at], self.record[following], self.lo[following])
            reached = nearest > -2 * ENDLESS
            if link.within is not None:
                reached &= self.hi[following] - nearest <= link.within
            at = following[reached]
        return self.record[at]

    def _follow_can(self, links: Sequence[Link]) -> Ints:
        """Return the records of which entries may be what was asked for, in intervals that leave room for it."""
        at, lo, hi = self.find_can(links[0])
        for link in links[1:]:
            following, begin, end = self.find_can(link)
            latest = _find_best(self.record[at], lo, hi, self.record[following], end)
            reached = latest > -2 * ENDLESS
            if link.within is not None:
                reached &= begin - latest <= link.within
            first = _find_first(self.record[at], lo, self.records)
            at, begin, end, latest = (found[reached] for found in (following, begin, end, latest))
            lo = np.maximum(begin, first[self.record[at]] + 1)
            hi = end if link.within is None else np.minimum(end, latest + link.within)
        return self.record[at]


def _find_first(record: Ints, times: Ints, records: int) -> Ints:
    """Return the earliest time of every record; endless where it has none."""
    first = np.full(records, ENDLESS)
    if len(record):
        begins = np.flatnonzero(np.diff(record, prepend=-1))
        first[record[begins]] = np.minimum.reduceat(times, begins)
    return first


def _find_best(record: Ints, key: Ints, score: Ints, of: Ints, limit: Ints) -> Ints:
    """Return the highest score among the entries of the same record whose key is below a limit.

    Where there are none it is further back than all time.
    """
    if not len(record) or not len(of):
        return np.full(len(of), -2 * ENDLESS)
    room = (1 << 62) // (int(max(record[-1], of[-1])) + 1)
    keys, scores = _Scale.of(room, key, limit), _Scale.of(room, score)
    spot, asked = record * keys.width + keys.number(key), of * keys.width + keys.number(limit)
    if (np.diff(spot) < 0).any():
        order = np.argsort(spot)
        spot, record, score = spot[order], record[order], score[order]
    best = np.maximum.accumulate(record * scores.width + scores.number(score))
    found = np.searchsorted(spot, asked) - 1
    there = (found >= 0) & (record[found] == of)
    return np.where(there, scores.time(best[found] % scores.width), -2 * ENDLESS)


@dataclasses.dataclass(frozen=True, eq=False)
class _Scale:
    """Times as small numbers in the same order, so that a record and a time are one number."""

    first: int
    tick: int
    width: int
    known: Ints | None

    @classmethod
    def of(cls, room: int, *columns: Ints) -> _Scale:
        """Count in the longest step that all times have in common, or number the times where that is not enough."""
        first, last = min(int(column.min()) for column in columns), max(int(column.max()) for column in columns)
        tick = max(int(np.gcd.reduce([int(np.gcd.reduce(column - first)) for column in columns])), 1)
        width = (last - first) // tick + 1
        if width <= room:
            return cls(first, tick, width, None)
        known = np.unique(np.concatenate(columns))
        return cls(first, tick, len(known), known)

    def number(self, times: Ints) -> Ints:
        return (times - self.first) // self.tick if self.known is None else np.searchsorted(self.known, times)

    def time(self, numbers: Ints) -> Ints:
        return numbers * self.tick + self.first if self.known is None else self.known[numbers]
