"""ESSA-joint: several sensitive events planned together, never at a larger error than one after the other."""

from __future__ import annotations

import dataclasses
import itertools
import math
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.run import Run
from sfumato.kinds.timeline.families.event_covers import Covering, Crowd
from sfumato.kinds.timeline.families.event_deletion import EventDeletion, Task
from sfumato.kinds.timeline.families.joint_search import find_best

__all__ = ["EssaJoint"]

Ints = npt.NDArray[np.int64]

_SWEEPS = 12
_COMBINATIONS = 4096
_PREFIXES = 1000
_POOLED = 1 << 25


@dataclasses.dataclass(frozen=True)
class EssaJoint(EventDeletion):
    """Start from ESSA, plan each event anew while the others stay, and search small data through.

    What is found is never worse than ESSA. Where the data are small enough it is the optimum, and the counter
    ``proved_optimal`` says so; otherwise ``gap_permille_at_most`` says by how many thousandths of it the optimum may be
    smaller, at most: nobody can stay below that.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
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
    summary: ClassVar[str] = "Keeps several sensitive events rare in every prefix, planned together."
    paper: ClassVar[str] = "Ours, after Loukides and Gwadera, Optimal event sequence sanitization (2015), 4.3"

    def delete(self, task: Task, run: Run) -> Ints:
        """Improve on ESSA until nothing changes, then look through all ways if they are few."""
        from sfumato.kinds.timeline.kernels.sanitisation import sanitise_events

        first, _ = sanitise_events(task.occurrences, task.rule)
        found, proved = find_best(task, _better(task, first, _plan_anew(task, first, run)))
        _report_gap(task, first, found, proved, run)
        return found

    def delete_to_covers(self, task: Task, crowds: list[Crowd], run: Run) -> Ints:
        """Try all ways to choose crowds if they are few; otherwise change one choice at a time while it helps."""
        covering = Covering(task, crowds)
        best = first = covering.take_turns()
        options = [covering.options(s, task.places.counts) for s in range(len(task.events))]
        proved = math.prod(len(o) for o in options) <= _COMBINATIONS
        if proved:
            for chosen in itertools.product(*options):
                best = _better_if_kept(task, best, task.places.counts - np.concatenate(chosen))
        else:
            best = _change_one_by_one(task, options, best)
        run.counters["proved_optimal"] = int(proved)
        run.counters["saved_permille_of_essa"] = _saved(task, first, best)
        return best


def _plan_anew(task: Task, first: Ints, run: Run) -> Ints:
    """Plan every event anew, again and again, and return the plan of least error, rounded."""
    from sfumato.kinds.timeline.kernels.sanitisation_joint import error_of, plan_anew, repair

    where, rule = task.occurrences, task.rule
    best, least, plan = first, error_of(where, first, rule.alphabet), first.copy()
    for sweep in range(_SWEEPS):
        run.progress("planning anew", sweep, _SWEEPS)
        before = plan.copy()
        plan_anew(where, plan, rule)
        kept = plan.copy()
        repair(where, kept, rule)
        error = error_of(where, kept, rule.alphabet)
        if error < least:
            best, least = kept, error
        if np.array_equal(plan, before):
            break
    return best


def _better(task: Task, one: Ints, other: Ints) -> Ints:
    """Return the second plan if its error is surely smaller, else the first."""
    errors = [task.deletions(plan).rounded_error() for plan in (one, other)]
    return other if errors[1] < errors[0] * (1 - 1e-14) else one


def _better_if_kept(task: Task, one: Ints, other: Ints) -> Ints:
    from sfumato.kinds.timeline.kernels.sanitisation_joint import keeps

    return _better(task, one, other) if keeps(task.occurrences, other, task.rule) else one


def _change_one_by_one(task: Task, options: list[list[Ints]], start: Ints) -> Ints:
    best, changed = start, True
    while changed:
        changed = False
        for s, choices in enumerate(options):
            own = slice(task.places.offsets[s], task.places.offsets[s + 1])
            for left in choices:
                tried = best.copy()
                tried[own] = task.places.counts[own] - left
                if _better_if_kept(task, best, tried) is tried:
                    best, changed = tried, True
    return best


def _saved(task: Task, first: Ints, found: Ints) -> int:
    before, after = (task.deletions(plan).rounded_error() for plan in (first, found))
    return int(1000 * (before - after) / before) if before else 0


def _report_gap(task: Task, first: Ints, found: Ints, proved: bool, run: Run) -> None:
    from sfumato.kinds.timeline.kernels.sanitisation_bound import least_error

    run.counters["proved_optimal"] = int(proved)
    run.counters["saved_permille_of_essa"] = _saved(task, first, found)
    if proved:
        run.counters["gap_permille_at_most"] = 0
    elif int(task.places.counts.sum()) <= _POOLED:
        ends = np.unique(np.linspace(0, len(task.timeline) - 1, _PREFIXES).astype(np.int64))
        # Rounded sums of up to 2^25 parts are wrong by less than this.
        least = least_error(task.occurrences, task.rule, ends) * (1 - 1e-8)
        error = task.deletions(found).rounded_error()
        run.counters["gap_permille_at_most"] = math.ceil(1000 * (error - least) / error) if error else 0
