"""How far other events are from monitored ones, learnt from a release that hides when the latter happened.

A record says that a monitored event happened somewhere in [a, b], and when the other events happened. For every moment
in [a, b] it can be read off which other event comes next and how far away it is. All moments are taken as equally
likely at first; then moments are weighed by how likely the distances are that they would make, and the distances by the
weights of their moments, in turns (expectation maximisation). If something follows soon after monitored events, the
weights gather just before published events, and the distances become short. Distances are distinguished by their number
of binary digits: 0, 1, 2-3, 4-7, and so on.
"""

from __future__ import annotations

import dataclasses
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.kinds.sequences.dataset import locate_entries
from sfumato.kinds.sequences.decode import TimedRecords, find_last

__all__ = ["Gaps", "learn_gaps"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_BINS = 63
_ROUNDS = 12
_INTERVALS = 20_000
_READINGS = 500_000
"""What is learnt from, at most, so that memory does not grow with how long people's histories are."""
_PRIOR = 0.5
"""Observations that every event is thought to have had before, at the distances of all events together."""


@dataclasses.dataclass(frozen=True, eq=False)
class Gaps:
    """Chances that a given event is the next on one side of a monitored one, at a given distance.

    Parameters
    ----------
    tables
        By side, ``after`` and ``before``: chance of every event (row) and number of binary digits of the distance
        (column). The last row is for nothing being there.
    scale
        Steps of the published times in a unit of time: shorter distances do not occur.

    Examples
    --------
    >>> table = np.zeros((2, 63))
    >>> table[0, 2], table[1, 0] = 0.5, 0.5
    >>> np.exp(Gaps({"after": table}, 1).log_chance("after", np.array([0, -1]), np.array([3, 9]))).tolist()
    [0.25, 0.5]
    """

    tables: dict[str, Floats]
    scale: int

    def log_chance(self, side: str, events: npt.NDArray[Any], gaps: Ints) -> Floats:
        """Return the logarithm of the chance of each event (-1: nothing there) at each distance."""
        digits = np.where(events < 0, 0, _count_digits(gaps // self.scale))
        return np.asarray(np.log(self.tables[side][events, digits]) - np.log(_WIDTHS[digits]))


_LOWEST = np.concatenate([[0], 1 << np.arange(_BINS - 1, dtype=np.int64)])
_HIGHEST = np.concatenate([_LOWEST[1:] - 1, [(1 << 62) - 1]])
_WIDTHS = (_HIGHEST - _LOWEST + 1).astype(np.float64)


def _count_digits(gaps: Ints) -> Ints:
    return np.asarray(np.searchsorted(_LOWEST, gaps, side="right") - 1, dtype=np.int64)


class _Timeline(NamedTuple):
    """Other events in time order, and for every interval where those of its record begin and end."""

    times: Ints
    codes: npt.NDArray[np.int32]
    begin: Ints
    end: Ints
    lo: Ints
    hi: Ints


def learn_gaps(records: TimedRecords, scale: int, limit: int) -> Gaps:
    """Learn the distances on both sides of monitored events from published records.

    Parameters
    ----------
    records
        The release, read.
    scale
        Steps of the published times in a unit of time.
    limit
        How far to look, in such steps; what is further away counts as not there.

    Examples
    --------
    >>> from sfumato.data.lists import ListColumn
    >>> from sfumato.kinds.sequences.decode import Entries
    >>> cover, news = ListColumn.from_lists([["mail"]]), ListColumn.from_lists([["news"]] * 3)
    >>> entries = Entries(news, np.array([11, 31, 57]))
    >>> of_row, sizes, holds = np.zeros(3, np.int64), np.array([3]), np.array([0])
    >>> lo, hi = np.array([10]), np.array([56])
    >>> records = TimedRecords(of_row, sizes, cover, lo, hi, entries, ("mail",), holds, False)
    >>> int(learn_gaps(records, 1, 1000).tables["after"][0].argmax())
    1
    """
    length = records.cover.lengths[records.class_of_row]
    rows, at = np.repeat(np.arange(len(length)), length), locate_entries(records.cover.offsets, records.class_of_row)
    if len(rows) > _INTERVALS:
        drawn = np.sort(np.random.default_rng(0).choice(len(rows), _INTERVALS, replace=False))
        rows, at = rows[drawn], at[drawn]
    times, codes, offsets = records.entries.times // scale, records.entries.events.codes, records.entries.events.offsets
    begin, end = offsets[rows], offsets[rows + 1]
    lo, hi, total = records.lo[at] // scale, records.hi[at] // scale, len(times)
    events = len(records.entries.events.labels)
    forwards = _Timeline(times, codes, begin, end, lo, hi)
    # Seen in a mirror, the last event before is the next one.
    backwards = _Timeline(-times[::-1], codes[::-1], total - end, total - begin, -hi, -lo)
    return Gaps(
        {side: _learn(of, events, limit // scale) for side, of in (("after", forwards), ("before", backwards))}, scale
    )


def _learn(timeline: _Timeline, events: int, limit: int) -> Floats:
    """Learn which event comes next after some moment of an interval, and how far away it is."""
    interval, event, moments = _list_readings(_draw_intervals(timeline), events, limit)
    table = np.full((events + 1, _BINS), 1.0 / ((events + 1) * _BINS))
    if not len(interval):
        return table
    order = np.argsort(event, kind="stable")
    interval, event, moments = interval[order], event[order], moments[order]
    begins = np.flatnonzero(np.diff(event, prepend=-1))
    near = moments.shape[1]
    density = table / _WIDTHS
    for _ in range(_ROUNDS):
        weight = density[event, :near]
        weight *= moments
        total = np.bincount(interval, weight.sum(axis=1))
        weight /= total[interval][:, None]
        counts = np.zeros_like(table)
        counts[event[begins], :near] = np.add.reduceat(weight, begins, axis=0)
        pooled = counts[:events].sum(axis=0) + 1e-3
        counts[:events] += _PRIOR * pooled / pooled.sum()
        counts[events] += 1e-9
        counts[events, 0] += _PRIOR
        table = counts / counts.sum()
        density = table / _WIDTHS
    return table


def _find_readings(timeline: _Timeline) -> tuple[Ints, Ints]:
    """Return, for every interval, the first event that may come next, and how many may."""
    times, _, begin, end, lo, hi = timeline
    first = find_last(times, begin, end, lo - 1) + 1 if len(times) else begin
    beyond = find_last(times, begin, end, hi) + 1 if len(times) else begin
    return first, np.minimum(beyond + 1, end) - first


def _draw_intervals(timeline: _Timeline) -> _Timeline:
    """Draw so many intervals that what may come next in them can be held; at least one."""
    _, count = _find_readings(timeline)
    if count.sum() <= _READINGS:
        return timeline
    order = np.random.default_rng(0).permutation(len(count))
    drawn = np.sort(order[: max(1, int(np.searchsorted(np.cumsum(count[order]), _READINGS, side="right")))])
    return _Timeline(timeline.times, timeline.codes, *(column[drawn] for column in timeline[2:]))


def _list_readings(timeline: _Timeline, events: int, limit: int) -> tuple[Ints, Ints, Floats]:
    """List what may come next in every interval: the interval, the event, and for how many moments by distance.

    There is a column for each number of digits up to that of the farthest.
    """
    times, codes, begin, end, lo, hi = timeline
    first, count = _find_readings(timeline)
    interval = np.repeat(np.arange(len(lo)), count)
    at = np.arange(len(interval)) - np.repeat(np.cumsum(count) - count - first, count)
    since = np.where(at > first[interval], times[np.maximum(at - 1, 0)] + 1, lo[interval])
    until = np.minimum(hi[interval], times[at])
    farthest, nearest = times[at] - since, times[at] - until
    moments = _count_overlap(nearest, np.minimum(farthest, limit))
    # Moments after which nothing comes, or nothing near enough.
    nothing = np.bincount(interval, np.maximum(farthest - np.maximum(nearest - 1, limit), 0), minlength=len(lo))
    last = np.where(end > begin, times[np.maximum(end - 1, 0)] if len(times) else 0, lo - 1)
    nothing += np.where(end > begin, np.maximum(hi - np.maximum(last, lo - 1), 0), hi - lo + 1)
    none = np.zeros((len(lo), moments.shape[1]))
    none[:, 0] = nothing
    used, open_ended = moments.any(axis=1), nothing > 0
    return (
        np.concatenate([interval[used], np.flatnonzero(open_ended)]),
        np.concatenate([codes[at[used]].astype(np.int64), np.full(int(open_ended.sum()), events)]),
        np.concatenate([moments[used], none[open_ended]]),
    )


def _count_overlap(nearest: Ints, farthest: Ints) -> Floats:
    """Count the distances between two, by number of digits."""
    columns = int(_count_digits(farthest.max(initial=0))) + 1
    counts = np.empty((len(nearest), columns))
    for digits in range(columns):
        low, high = np.maximum(nearest, _LOWEST[digits]), np.minimum(farthest, _HIGHEST[digits])
        counts[:, digits] = np.maximum(high - low + 1, 0)
    return counts
