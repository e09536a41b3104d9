"""Events of single records, each with what is known of its value, its time and how often it happened."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.queries.published_view import Link, Names, Selection, Values
from sfumato.queries.three_valued import Truth, combine_all
from sfumato.queries.time_bounds import TimeBounds
from sfumato.queries.times import ENDLESS, Span

__all__ = ["MANY", "Events"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

MANY = 1 << 40
"""How often something happened at most where nothing limits it."""
_COLUMNS = ("record", "value", "lo", "hi", "least", "most")
_PIECE = 1 << 18
_SAMPLE_SIZE = 1_000


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

    def take(self, entries: Ints) -> Events:
        """Return some of the entries, ascending, of all records."""
        columns: dict[str, Any] = {name: _pick(getattr(self, name), entries) for name in _COLUMNS}
        return dataclasses.replace(self, **columns)

    def choose(self, rows: Ints, entries: Ints) -> Events:
        """Return some of the entries of some of the records, both ascending; records are numbered anew."""
        number = np.full(self.records, -1, dtype=np.int64)
        number[rows] = np.arange(len(rows))
        chosen = self.take(entries[number[_pick(self.record, entries)] >= 0])
        return dataclasses.replace(chosen, records=len(rows), record=number[chosen.record])

    def split(self) -> Iterator[Events]:
        """Yield the entries of some records after the other: little is looked at faster than much, piece by piece."""
        size = max(_PIECE, len(self.values.members))
        if len(self.record) <= size:
            yield self
            return
        cuts = np.searchsorted(self.record, self.record[::size])
        for begin, end in zip(cuts.tolist(), [*cuts[1:].tolist(), len(self.record)], strict=True):
            names = ("record", "value", "lo", "least", "most") if self.hi is self.lo else _COLUMNS
            columns = {name: getattr(self, name)[begin:end] for name in names}
            yield dataclasses.replace(self, **{"hi": columns["lo"], **columns})

    def find_wanted(self, selection: Selection) -> Ints:
        """Find the entries that may be one of some values, whenever they happened."""
        return np.flatnonzero(self._mark_entries(self.values.can(selection)))

    @property
    def size(self) -> int:
        """How much there is to look at."""
        return len(self.record)

    @property
    def span(self) -> Span | None:
        """The first and the last moment of what is told; None where nothing is."""
        is_bounded = (self.lo > -ENDLESS) & (self.hi < ENDLESS)
        return (int(self.lo[is_bounded].min()), int(self.hi[is_bounded].max())) if is_bounded.any() else None

    @cached_property
    def is_exact(self) -> bool:
        """Whether every entry says exactly what happened when, as those of originals do: then all is certain."""
        values = self.values
        if (values.sizes != 1).any() or values.open.any():
            return False
        return bool((self.lo == self.hi).all() and (self.least > 0).all())

    def find_must(self, link: Link) -> Ints:
        """Find the entries that certainly are events as asked for."""
        wanted = self._mark_entries(self.values.must(link.selection)) & (self.least > 0)
        if link.window is not None:
            wanted &= (self.lo >= link.window[0]) & (self.hi <= link.window[1])
        return np.flatnonzero(wanted)

    def find_can(self, link: Link) -> tuple[Ints, Ints, Ints]:
        """Find the entries that may be events as asked for, and the intervals in which they then happened."""
        wanted = self._mark_entries(self.values.can(link.selection))
        if link.window is not None:
            wanted &= (self.hi >= link.window[0]) & (self.lo <= link.window[1]) & (link.window[0] <= link.window[1])
        at = np.flatnonzero(wanted)
        lo, hi = self.find_times(at)
        if link.window is None:
            return at, lo, hi
        return at, np.maximum(lo, link.window[0]), np.minimum(hi, link.window[1])

    def find_times(self, entries: Ints) -> tuple[Ints, Ints]:
        """Return when some entries, ascending, began and ended; one and the same array where all times are exact."""
        lo = _pick(self.lo, entries)
        return lo, lo if self.hi is self.lo else _pick(self.hi, entries)

    def _mark_entries(self, values: Flags) -> Flags:
        """Mark the entries of some values."""
        return np.ones(len(self.value), dtype=bool) if values.all() else values[self.value]

    def judge(self, links: Sequence[Link]) -> Truth:
        """Tell of which records the events happened one after the other.

        Bounds of one and of two events are exact, but for the certain one of two events where the second must come
        within some time: several entries may together make certain what none of them does alone.
        """
        certain, possible = np.zeros((2, self.records), dtype=bool)
        for part in self.split():
            certain[part._follow_must(links)] = True
            if not self.is_exact:
                possible[part._follow_can(links)] = True
        return Truth.of(certain, certain if self.is_exact else possible)

    def judge_all(self, tests: Sequence[Sequence[Link]]) -> Truth:
        """Tell of which records all of several such things hold."""
        return combine_all([self.judge(links) for links in tests])

    def count(self, link: Link) -> tuple[int, float]:
        """Return how many events there are at least and at most, over all records."""
        must, (can, _, _) = self.find_must(link), self.find_can(link)
        most = self.most[can]
        return int(self.least[must].sum()), float("inf") if (most >= MANY).any() else float(most.sum())

    def time_bounds(self, link: Link) -> TimeBounds:
        """Return from when to when such events happened, over all records."""
        _, lo, hi = self.find_can(link)
        return TimeBounds.of(lo, hi, *self.find_times(self.find_must(link)))

    def publishes(self, selection: Selection) -> bool:
        """Tell whether some entry stands for such an event, unless none could be one at all."""
        possible = self._mark_entries(self.values.can(selection))
        return not bool(possible.any()) or bool((possible & (self.least > 0)).any())

    def draw(self, random: np.random.Generator, wanted: Selection) -> Events:
        """Draw an original: members and times all equally likely, and as few events as there may be."""
        selected = (self.least > 0) & self._mark_entries(self.values.can(wanted))
        there = self.take(np.flatnonzero(selected))
        # Times are drawn as coarse as those that are told.
        tick = _find_tick(int(there.lo.min()), there.lo, there.hi) if len(there.lo) else 1
        time = there.lo + (random.random(len(there.lo)) * ((there.hi - there.lo) // tick + 1)).astype(np.int64) * tick
        value = there.values.draw(there.value, random)
        exact = Values.exact(len(self.names.labels))
        return dataclasses.replace(there, value=value, lo=time, hi=time, most=there.least, values=exact)

    def _follow_must(self, links: Sequence[Link]) -> Ints:
        """Return the records of which a chain of entries certainly is what was asked for."""
        at = self.find_must(links[0])
        for link in links[1:]:
            following = self.find_must(link)
            if link.within is not None:
                # From the beginning of the one to the end of the next is longer than each of them lasts.
                at, following = (self._drop_long(entries, link.within) for entries in (at, following))
            (begin, end), (next_begin, next_end) = self.find_times(at), self.find_times(following)
            record, of = _pick(self.record, at), _pick(self.record, following)
            if link.within is None:
                at = following[_find_first(record, end, of) < next_begin]
                continue
            # The latest beginning among those that are over before the next one begins.
            at = following[next_end - _find_best(record, end, begin, of, next_begin) <= link.within]
        return _pick(self.record, at)

    def _drop_long(self, entries: Ints, length: int) -> Ints:
        """Return the entries whose intervals are shorter."""
        begin, end = self.find_times(entries)
        return entries[end - begin < length]

    def _follow_can(self, links: Sequence[Link]) -> Ints:
        """Return the records of which entries may be what was asked for, in intervals that leave room for it."""
        at, lo, hi = self.find_can(links[0])
        for place, link in enumerate(links[1:], start=2):
            following, begin, end = self.find_can(link)
            record, of = _pick(self.record, at), _pick(self.record, following)
            first = _find_first(record, lo, of)
            reached = first < end
            if link.within is not None:
                latest = _find_best(record, lo, hi, of, end)
                reached &= begin - latest <= link.within
                end = np.minimum(end, latest + link.within)
            if place == len(links):
                return of[reached]
            at, lo, hi = following[reached], np.maximum(begin, first + 1)[reached], end[reached]
        return _pick(self.record, at)


def _pick(column: Ints, at: Ints) -> Ints:
    """Return some entries of a column, ascending: all of them are the column itself."""
    return column if len(at) == len(column) else column[at]


def _find_first(record: Ints, times: Ints, of: Ints) -> Ints:
    """Return the earliest time of some records; further ahead than all time where there is none."""
    if not len(record) or not len(of):
        return np.full(len(of), 2 * ENDLESS)
    begins = np.flatnonzero(np.diff(record, prepend=-1))
    base = min(int(record[0]), int(of[0]))
    first = np.full(int(max(record[-1], of[-1])) - base + 1, 2 * ENDLESS)
    first[record[begins] - base] = np.minimum.reduceat(times, begins)
    earliest: Ints = first[of - base]
    return earliest


def _find_best(record: Ints, key: Ints, score: Ints, of: Ints, limit: Ints) -> Ints:
    """Return the highest score among the entries of the same record whose key is below a limit.

    Where there are none it is further back than all time.
    """
    if not len(record) or not len(of):
        return np.full(len(of), -2 * ENDLESS)
    begin = min(int(record[0]), int(of[0]))
    record, of = record - begin, of - begin
    capacity = (1 << 62) // (int(max(record[-1], of[-1])) + 1)
    keys, scores = _Scale.of(capacity, key, limit), _Scale.of(capacity, score)
    spot, target = record * keys.width + keys.number(key), of * keys.width + keys.number(limit)
    if (np.diff(spot) < 0).any():
        # Records are in their order already, which a stable sort makes use of.
        order = np.argsort(spot, kind="stable")
        spot, record, score = spot[order], record[order], score[order]
    best = np.maximum.accumulate(record * scores.width + scores.number(score))
    position = np.searchsorted(spot, target) - 1
    # What is best over all records so far is of the record asked for, or of one before it.
    number = best[position] - of * scores.width
    there = (position >= 0) & (number >= 0)
    return np.where(there, scores.time(np.where(there, number, 0)), -2 * ENDLESS)


@dataclasses.dataclass(frozen=True, eq=False)
class _Scale:
    """Times as small numbers in the same order, so that a record and a time are one number."""

    first: int
    tick: int
    width: int
    distinct_times: Ints | None

    @classmethod
    def of(cls, capacity: int, *columns: Ints) -> _Scale:
        """Count in single steps, in the longest one that all times have in common, or number the times."""
        first, last = min(int(column.min()) for column in columns), max(int(column.max()) for column in columns)
        tick = 1 if last - first < capacity else _find_tick(first, *columns)
        width = (last - first) // tick + 1
        if width <= capacity:
            return cls(first, tick, width, None)
        times = np.unique(np.concatenate(columns))
        return cls(first, tick, len(times), times)

    def number(self, times: Ints) -> Ints:
        return (
            (times - self.first) // self.tick
            if self.distinct_times is None
            else np.searchsorted(self.distinct_times, times)
        )

    def time(self, numbers: Ints) -> Ints:
        return numbers * self.tick + self.first if self.distinct_times is None else self.distinct_times[numbers]


def _find_tick(first: int, *columns: Ints) -> int:
    """Return the longest step that all times have in common, counted from a first one.

    Examples
    --------
    >>> _find_tick(2, np.array([2, 8, 14]), np.array([5, 5, 11]))
    3
    """
    tick = 0
    for column in columns:
        rest = column - first
        while len(rest) and tick != 1:
            # A few times mostly settle it; the others are only looked through.
            tick = int(np.gcd.reduce(rest[:_SAMPLE_SIZE], initial=tick))
            rest = rest[rest != 0] if tick == 0 else rest[rest // tick * tick != rest]
    return max(tick, 1)
