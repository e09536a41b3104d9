"""ESSA: several sensitive events take turns until all are rare in every prefix."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.run import Run
from sfumato.kinds.timeline.families.event_covers import Covering, Crowd
from sfumato.kinds.timeline.families.event_deletion import EventDeletion, Task

__all__ = ["Essa"]


@dataclasses.dataclass(frozen=True)
class Essa(EventDeletion):
    """Apply ODESA to one sensitive event after the other, round by round, until every prefix holds.

    Examples
    --------
    >>> from sfumato.core.dataset import Dataset
    >>> data = Dataset.of("timeline", [{"a": 2, "b": 3, "c": 9}, {"a": 1, "b": 4}], sensitive=("a", "b"))
    >>> result = Essa(delta="0.25").anonymize(data, Run(bytes(32)))
    >>> result.release.table.column("counts").to_pylist()
    [[2, 1, 9], [1, 2]]

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 4.3.
    """

    name: ClassVar[str] = "essa"
    summary: ClassVar[str] = "Keeps several sensitive events rare in every prefix, one after the other."
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 4.3"

    def delete(self, task: Task, run: Run) -> npt.NDArray[np.int64]:
        """Let the events take turns."""
        from sfumato.kinds.timeline.kernels.sanitisation import sanitise_events

        removed: npt.NDArray[np.int64]
        removed, rounds = sanitise_events(task.occurrences, task.rule)
        run.counters["rounds"] = int(rounds)
        return removed

    def delete_to_covers(self, task: Task, crowds: list[Crowd], run: Run) -> npt.NDArray[np.int64]:  # noqa: ARG002
        """Let the events take turns, each cut down to the crowd that costs least."""
        return Covering(task, crowds).take_turns()
