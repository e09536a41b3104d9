"""Groups of events with the same counts at every time point."""

from __future__ import annotations

import dataclasses
import math
from collections.abc import Sequence
from typing import TYPE_CHECKING

import numpy as np
import numpy.typing as npt

from sfumato.kinds.timeline.dataset import Timeline

if TYPE_CHECKING:
    from sfumato.kinds.timeline.methods._base.deletion import Task

__all__ = ["Covering", "EqualEvents", "find_equal_events"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class EqualEvents:
    """Events with the same counts at every time point.

    Parameters
    ----------
    events
        Their codes.
    points, counts
        Where they occur, and how often.
    key
        The same for groups with the same counts, whatever their events.

    Examples
    --------
    >>> EqualEvents((1, 2), np.array([0]), np.array([3]), b"").events
    (1, 2)
    """

    events: tuple[int, ...]
    points: Ints
    counts: Ints
    key: bytes


def find_equal_events(
    timeline: Timeline, without: Sequence[int], least: int, only: Sequence[int] | None = None
) -> list[EqualEvents]:
    """Find events that occur, each as often as the others at every time point.

    Parameters
    ----------
    timeline
        The events; counts may be 0.
    without, only
        Events that do not count, and if given the only ones that do.
    least
        Fewest events of a group.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 2, "c": 2}, {"a": 5}]))
    >>> [(group.events, group.counts.tolist()) for group in find_equal_events(timeline, (), 2)]
    [((1, 2), [2])]
    """
    wanted = np.zeros(len(timeline.labels), dtype=bool)
    wanted[list(range(len(timeline.labels)) if only is None else only)] = True
    wanted[list(without)] = False
    entries = np.flatnonzero((timeline.counts > 0) & wanted[timeline.codes])
    entries = entries[np.argsort(timeline.codes[entries], kind="stable")]
    events, starts = np.unique(timeline.codes[entries], return_index=True)
    groups: dict[bytes, list[int]] = {}
    where: dict[bytes, Ints] = {}
    # Splitting nothing gives one part that is empty.
    for event, own in zip(events.tolist(), np.split(entries, starts[1:]), strict=False):
        key = timeline.points[own].tobytes() + timeline.counts[own].tobytes()
        groups.setdefault(key, []).append(event)
        where[key] = own
    return [
        EqualEvents(tuple(members), timeline.points[where[key]], timeline.counts[where[key]], key)
        for key, members in groups.items()
        if len(members) >= least
    ]


class Covering:
    """Sensitive events, each cut down to the counts of a group or deleted altogether.

    Parameters
    ----------
    task
        The sensitive events and the threshold.
    groups
        What they may be cut down to.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.timeline.methods._base.deletion import Task
    >>> from sfumato.kinds.timeline.methods._base.timeline_counts import TimelineCounts
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"s": 3, "b": 1, "c": 8}, {"s": 1, "c": 8}]))
    >>> task = Task(TimelineCounts(timeline), (0,), Fraction(1, 2))
    >>> covering = Covering(task, find_equal_events(timeline, (0,), 1))
    >>> covering.take_turns().tolist()
    [2, 1]
    """

    def __init__(self, task: Task, groups: list[EqualEvents]) -> None:
        self.task = task
        self.groups = groups
        self.rule = task.rule
        self._sizes = np.array([len(group.points) for group in groups], dtype=np.int64)
        self._points = np.concatenate([np.empty(0, np.int64), *(group.points for group in groups)])
        self._counts = np.concatenate([np.empty(0, np.int64), *(group.counts for group in groups)])

    def options(self, s: int, left: Ints) -> list[Ints]:
        """Return what may be left of an event at its places: the counts of groups no larger than it, or nothing."""
        places = self.task.places
        own = slice(places.offsets[s], places.offsets[s + 1])
        points = places.points[own]
        choices = [np.zeros(len(points), np.int64)]
        if self.groups:
            there = np.zeros(len(self.task.timeline), np.int64)
            there[points] = left[own]
            starts = np.concatenate([[0], np.cumsum(self._sizes)[:-1]])
            fits = np.logical_and.reduceat(there[self._points] >= self._counts, starts)
            for number in np.flatnonzero(fits).tolist():
                group, counts = self.groups[number], np.zeros(len(points), np.int64)
                counts[np.searchsorted(points, group.points)] = group.counts
                choices.append(counts)
        return choices

    def take_turns(self) -> Ints:
        """Cut down one event after the other, again and again, until all that is left is rare, and return what goes.

        A turn costs what changing the result of the turns before costs. For one event it is the least possible.
        """
        places = self.task.places
        left = places.counts.copy()
        totals, squares = self.task.counts.totals.copy(), self.task.counts.squares.copy()
        chosen = [False] * len(self.task.events)
        changed = True
        while changed:
            changed = False
            for s in range(len(chosen)):
                own = slice(places.offsets[s], places.offsets[s + 1])
                points, before = places.points[own], left[own].copy()
                if chosen[s] and self._is_rare(points, before, before, totals):
                    continue
                rare = [o for o in self.options(s, left) if self._is_rare(points, before, o, totals)]
                after = self._cheapest(points, before, rare, totals, squares)
                squares[points] += (2 * after + 1) ** 2 - (2 * before + 1) ** 2
                totals[points] -= before - after
                left[own] = after
                chosen[s] = changed = True
        return places.counts - left

    def _is_rare(self, points: Ints, before: Ints, after: Ints, totals: Ints) -> bool:
        """Return whether what would be left of an event is rare in every prefix."""
        now = totals.copy()
        now[points] -= before - after
        sums = np.cumsum(after)
        return bool(np.all((sums == 0) | (self.rule.denominator * sums < self.rule.numerator * np.cumsum(now)[points])))

    def _cheapest(self, points: Ints, before: Ints, options: list[Ints], totals: Ints, squares: Ints) -> Ints:
        """Return the option of least cost; rounding only narrows the choice."""
        n, own = 2 * totals[points] + self.rule.alphabet, 2 * before + 1
        weights = squares[points] - own * own + (n - own) ** 2
        gone = [before - after for after in options]
        costs = [float((weights * (k / (n * (n - 2.0 * k))) ** 2).sum()) for k in gone]
        near = [i for i, cost in enumerate(costs) if cost <= min(costs) * (1 + 1e-9)]
        if len(near) == 1:
            return options[near[0]]
        return options[min(near, key=lambda i: _rounded_cost(weights, n, gone[i]))]


def _rounded_cost(weights: Ints, n: Ints, gone: Ints) -> float:
    """Return a cost with every part rounded once and their sum rounded once."""
    parts = zip(weights.tolist(), n.tolist(), gone.tolist(), strict=True)
    return math.fsum(weight * k * k / (size * (size - 2 * k)) ** 2 for weight, size, k in parts if k)
