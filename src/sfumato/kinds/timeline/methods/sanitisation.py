"""Sensitive events kept rare in every prefix at small error: ODESA for one event, ESSA and ESSA-joint for several."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import ClassVar, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.exceptions import ParameterError
from sfumato.kinds.timeline.methods._base.covers import Covering, EqualEvents
from sfumato.kinds.timeline.methods._base.deletion import EventDeletion, Task
from sfumato.messages import Message
from sfumato.release.run import Run

__all__ = ["Essa", "EssaJoint", "Odesa", "find_best"]

Ints = npt.NDArray[np.int64]
States = dict[tuple[int, ...], tuple[int, tuple[int, ...]]]
"""Deletions so far of every event, with the least cost of reaching them and how many went at each place."""

_SWEEPS = 12
_COMBINATIONS = 4096
_PREFIXES = 1000
_POOLED = 1 << 25
_STEPS = 200_000
_PLACES = 48


@dataclasses.dataclass(frozen=True)
class Odesa(EventDeletion):
    """Delete occurrences of one sensitive event, cheapest first, wherever a prefix needs it.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = Odesa(delta="1/4").anonymize(data, Run(bytes(32)))
    >>> result.release.table.column("counts").to_pylist()
    [[3], [1, 4]]

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 4.2.
    """

    name: ClassVar[str] = "odesa"
    summary: ClassVar[str] = "Deletes occurrences so that one sensitive event is rare in every prefix; optimal."
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 4.2"

    def task(self, dataset: Dataset) -> Task:
        """Refuse more than one sensitive event."""
        single_task = super().task(dataset)
        if len(single_task.events) > 1:
            raise ParameterError(
                Message(self.message_name, f": works on one sensitive event, got {len(single_task.events)}."),
                option="sensitive",
                hint="Use the method essa or essa-joint.",
            )
        return single_task

    def delete(self, task: Task, run: Run) -> Ints:  # noqa: ARG002
        """Walk the prefixes and take the cheapest next deletion while one is needed."""
        from sfumato.kinds.timeline._kernels.sanitisation import sanitise_events

        removed: Ints = sanitise_events(task.occurrences, task.rule)[0]
        return removed

    def delete_to_covers(self, task: Task, groups: list[EqualEvents], run: Run) -> Ints:  # noqa: ARG002
        """Cut the event down to the group that costs least."""
        return Covering(task, groups).take_turns()


@dataclasses.dataclass(frozen=True)
class Essa(EventDeletion):
    """Apply ODESA to one sensitive event after the other, round by round, until every prefix holds.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3, "c": 9}, {"a": 1, "b": 4}], sensitive=("a", "b"))
    >>> result = Essa(delta="0.25").anonymize(data, Run(bytes(32)))
    >>> result.release.table.column("counts").to_pylist()
    [[2, 1, 9], [1, 2]]

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 4.3.
    """

    name: ClassVar[str] = "essa"
    summary: ClassVar[str] = (
        "Deletes occurrences so that sensitive events are rare in every prefix, one event after the other."
    )
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 4.3"

    def delete(self, task: Task, run: Run) -> Ints:
        """Let the events take turns."""
        from sfumato.kinds.timeline._kernels.sanitisation import sanitise_events

        removed: Ints
        removed, rounds = sanitise_events(task.occurrences, task.rule)
        run.counters["rounds"] = int(rounds)
        return removed

    def delete_to_covers(self, task: Task, groups: list[EqualEvents], run: Run) -> Ints:  # noqa: ARG002
        """Let the events take turns, each cut down to the group that costs least."""
        return Covering(task, groups).take_turns()


@dataclasses.dataclass(frozen=True)
class EssaJoint(EventDeletion):
    """Start from ESSA, plan each event anew while the others stay, and search small data through.

    What is found is never worse than ESSA. Where the data are small enough it is the optimum, and the counter
    ``proved_optimal`` says so; otherwise ``gap_permille_at_most`` says by how many thousandths of it the optimum may be
    smaller, at most: nobody can stay below that.

    Examples
    --------
    >>> data = Dataset.of("timeline", [{"a": 1, "b": 2}, {"a": 1}], sensitive=("a", "b"), events=("c",))
    >>> run = Run(bytes(32))
    >>> EssaJoint(delta="0.6").anonymize(data, run).release.table.column("counts").to_pylist()
    [[1, 1]]
    >>> run.counters["proved_optimal"]
    1

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 4.3, which takes ESSA for optimal.
    """

    name: ClassVar[str] = "essa-joint"
    summary: ClassVar[str] = "Deletes occurrences so that sensitive events are rare in every prefix, planned jointly."
    paper: ClassVar[str] = "Ours, after Loukides and Gwadera, Optimal event sequence sanitization (2015), 4.3"

    def delete(self, task: Task, run: Run) -> Ints:
        """Improve on ESSA until nothing changes, then look through all ways if they are few."""
        from sfumato.kinds.timeline._kernels.sanitisation import sanitise_events

        first, _ = sanitise_events(task.occurrences, task.rule)
        best, proved = find_best(task, _better(task, first, _plan_anew(task, first, run)))
        _report_gap(task, first, best, proved, run)
        return best

    def delete_to_covers(self, task: Task, groups: list[EqualEvents], run: Run) -> Ints:
        """Try all ways to choose groups if they are few; otherwise change one choice at a time while it helps."""
        covering = Covering(task, groups)
        best = first = covering.take_turns()
        options = [covering.options(s, task.places.counts) for s in range(len(task.events))]
        proved = math.prod(len(o) for o in options) <= _COMBINATIONS
        if proved:
            for chosen in itertools.product(*options):
                best = _select_valid(task, best, task.places.counts - np.concatenate(chosen))
        else:
            best = _improve_stepwise(task, options, best)
        run.counters["proved_optimal"] = int(proved)
        run.counters["saved_permille_of_essa"] = _saved(task, first, best)
        return best


def _plan_anew(task: Task, first: Ints, run: Run) -> Ints:
    """Plan every event anew, again and again, and return the plan of least error, rounded."""
    from sfumato.kinds.timeline._kernels.joint import error_of, plan_anew, repair

    where, rule = task.occurrences, task.rule
    best, least, plan = first, error_of(where, first, rule.alphabet), first.copy()
    for sweep in range(_SWEEPS):
        run.progress("planning anew", sweep, _SWEEPS)
        before = plan.copy()
        plan_anew(where, plan, rule)
        repaired = plan.copy()
        repair(where, repaired, rule)
        error = error_of(where, repaired, rule.alphabet)
        if error < least:
            best, least = repaired, error
        if np.array_equal(plan, before):
            break
    return best


def _better(task: Task, first: Ints, other: Ints) -> Ints:
    """Return the second plan if its error is surely smaller, else the first."""
    errors = [task.deletions(plan).rounded_error() for plan in (first, other)]
    return other if errors[1] < errors[0] * (1 - 1e-14) else first


def _select_valid(task: Task, first: Ints, other: Ints) -> Ints:
    from sfumato.kinds.timeline._kernels.joint import keeps

    return _better(task, first, other) if keeps(task.occurrences, other, task.rule) else first


def _improve_stepwise(task: Task, options: list[list[Ints]], start: Ints) -> Ints:
    best, changed = start, True
    while changed:
        changed = False
        for s, choices in enumerate(options):
            own = slice(task.places.offsets[s], task.places.offsets[s + 1])
            for left in choices:
                tried = best.copy()
                tried[own] = task.places.counts[own] - left
                if _select_valid(task, best, tried) is tried:
                    best, changed = tried, True
    return best


def _saved(task: Task, first: Ints, best: Ints) -> int:
    before, after = (task.deletions(plan).rounded_error() for plan in (first, best))
    return int(1000 * (before - after) / before) if before else 0


def _report_gap(task: Task, first: Ints, best: Ints, proved: bool, run: Run) -> None:
    from sfumato.kinds.timeline._kernels.bound import least_error

    run.counters["proved_optimal"] = int(proved)
    run.counters["saved_permille_of_essa"] = _saved(task, first, best)
    if proved:
        run.counters["gap_permille_at_most"] = 0
    elif int(task.places.counts.sum()) <= _POOLED:
        ends = np.unique(np.linspace(0, len(task.timeline) - 1, _PREFIXES).astype(np.int64))
        # Rounded sums of up to 2^25 parts are wrong by less than this.
        least = least_error(task.occurrences, task.rule, ends) * (1 - 1e-8)
        error = task.deletions(best).rounded_error()
        run.counters["gap_permille_at_most"] = math.ceil(1000 * (error - least) / error) if error else 0


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
    >>> from sfumato.kinds.timeline.methods._base.timeline_counts import TimelineCounts
    >>> from sfumato.kinds.timeline.dataset import Timeline
    >>> timeline = Timeline.of(Dataset.of("timeline", [{"a": 1, "b": 2}, {"a": 1}], events=("c",)))
    >>> task = Task(TimelineCounts(timeline), (0, 1), Fraction(3, 5))
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
    deletions = np.empty_like(best)
    deletions[order] = min(states.values())[1]
    return deletions, True


def _common_denominator(task: Task, at_stops: list[Ints]) -> int:
    """Return a number that makes every cost whole."""
    denominator = 1
    for places in at_stops:
        n, most = _size(task, places), int(task.places.counts[places].sum())
        denominator = math.lcm(denominator, *((n * (n - 2 * k)) ** 2 for k in range(most + 1)))
    return denominator


def _size(task: Task, places: Ints) -> int:
    return 2 * int(task.counts.totals[task.places.points[places[0]]]) + len(task.timeline.labels)


def _stop(task: Task, places: Ints, scale: int) -> _Stop:
    point, n = int(task.places.points[places[0]]), _size(task, places)
    squares = int(task.counts.squares[point])
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
    return _Stop(int(task.counts.lengths[point]), tuple(sums), events, ways)


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
            threshold = numerator * (stop.length - sum(key))
            if all(
                total == k or denominator * (total - k) < threshold for total, k in zip(stop.sums, key, strict=True)
            ):
                reached[key] = (cost + added, path + chosen)
    return reached
