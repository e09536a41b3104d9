"""All ways to keep several sensitive events rare, looked through with exact whole numbers."""

from __future__ import annotations

import itertools
import math
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.kinds.timeline.families.event_deletion import Task

__all__ = ["find_best"]

Ints = npt.NDArray[np.int64]
States = dict[tuple[int, ...], tuple[int, tuple[int, ...]]]
"""Deletions so far of every event, with the least cost of reaching them and how many went at each place."""

_STEPS = 200_000
_PLACES = 48


class _Stop(NamedTuple):
    """A time point with sensitive events.

    ``length`` and ``sums`` are of the prefix that ends here: all occurrences, and those of every sensitive event.
    ``ways`` are the ways to delete here, of every sensitive event, with their costs.
    """

    length: int
    sums: tuple[int, ...]
    events: tuple[int, ...]
    ways: list[tuple[tuple[int, ...], int]]


def find_best(task: Task, best: Ints) -> tuple[Ints, bool]:
    """Return deletions of least error and True, or the best known and False where there are too many ways.

    The prefixes are walked from the first; of all ways to reach the same deletions so far the cheapest is kept, and
    what cannot beat the best known is left out.

    Parameters
    ----------
    task
        What is to be made rare.
    best
        Deletions that keep the rule.

    Examples
    --------
    >>> from fractions import Fraction
    >>> from sfumato.core.dataset import Dataset
    >>> from sfumato.kinds.timeline.model import Timeline
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 2}, {"a": 1}], events=("c",)))
    >>> task = Task(timeline, (0, 1), timeline.places([0, 1]), Fraction(3, 5))
    >>> deleted, proved = find_best(task, np.array([1, 1, 2]))
    >>> deleted.tolist(), proved
    ([0, 1, 1], True)
    """
    if len(best) > _PLACES:
        return best, False
    order = np.argsort(task.places.points, kind="stable")
    at_stops = np.split(order, np.flatnonzero(np.diff(task.places.points[order])) + 1) if len(order) else []
    ways = [math.prod(int(count) + 1 for count in task.places.counts[places]) for places in at_stops]
    if max(ways, default=0) > _STEPS:
        return best, False
    scale = _common_denominator(task, at_stops)
    limit = sum(scale * numerator // denominator for numerator, denominator in task.deletions(best).terms())
    states: States = {(0,) * len(task.events): (0, ())}
    steps = 0
    for places, number in zip(at_stops, ways, strict=True):
        steps += len(states) * number
        if steps > _STEPS:
            return best, False
        states = _advance(states, _stop(task, places, scale), task, limit)
    if not states or not len(best):
        return best, True
    found = np.empty_like(best)
    found[order] = min(states.values())[1]
    return found, True


def _common_denominator(task: Task, at_stops: list[Ints]) -> int:
    """Return a number that makes every cost whole."""
    found = 1
    for places in at_stops:
        n, most = _size(task, places), int(task.places.counts[places].sum())
        found = math.lcm(found, *((n * (n - 2 * k)) ** 2 for k in range(most + 1)))
    return found


def _size(task: Task, places: Ints) -> int:
    return 2 * int(task.timeline.totals[task.places.points[places[0]]]) + len(task.timeline.labels)


def _stop(task: Task, places: Ints, scale: int) -> _Stop:
    point, n = int(task.places.points[places[0]]), _size(task, places)
    squares = int(task.timeline.squares[point])
    events = tuple((np.searchsorted(task.places.offsets, places, side="right") - 1).tolist())
    counts = task.places.counts[places].tolist()
    seen = np.concatenate([[0], np.cumsum(task.places.counts * (task.places.points <= point))])
    sums = np.diff(seen[task.places.offsets]).tolist()
    ways = []
    for chosen in itertools.product(*(range(count + 1) for count in counts)):
        k, r = sum(chosen), sum(gone * gone for gone in chosen)
        x = sum((2 * count + 1) * gone for count, gone in zip(counts, chosen, strict=True))
        part = scale // (n * (n - 2 * k)) ** 2
        ways.append((chosen, 4 * part * (k * k * squares - 2 * k * n * x + n * n * r)))
    return _Stop(int(task.timeline.lengths[point]), tuple(sums), events, ways)


def _advance(states: States, stop: _Stop, task: Task, limit: int) -> States:
    """Delete at a time point in all ways that keep the rule and may still beat the best known."""
    numerator, denominator, _ = task.rule
    reached: States = {}
    for gone, (cost, path) in states.items():
        for chosen, added in stop.ways:
            if cost + added >= limit:
                continue
            now = list(gone)
            for event, k in zip(stop.events, chosen, strict=True):
                now[event] += k
            key = tuple(now)
            if key in reached and reached[key][0] <= cost + added:
                continue
            room = numerator * (stop.length - sum(key))
            if all(total == k or denominator * (total - k) < room for total, k in zip(stop.sums, key, strict=True)):
                reached[key] = (cost + added, path + chosen)
    return reached
