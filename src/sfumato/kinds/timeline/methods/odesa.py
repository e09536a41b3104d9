"""ODESA: one sensitive event is kept rare in every prefix, at the least possible error."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.errors import ParameterError
from sfumato.core.run import Run
from sfumato.kinds.timeline.families.event_covers import Covering, Crowd
from sfumato.kinds.timeline.families.event_deletion import EventDeletion, Task

__all__ = ["Odesa"]


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
    summary: ClassVar[str] = "Keeps one sensitive event rare in every prefix of a timeline, optimally."
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 4.2"

    def task(self, dataset: Dataset) -> Task:
        """Refuse more than one sensitive event."""
        found = super().task(dataset)
        if len(found.events) > 1:
            raise ParameterError(
                f"{type(self).__name__}: works on one sensitive event, got {len(found.events)}. Use essa or essa-joint."
            )
        return found

    def delete(self, task: Task, run: Run) -> npt.NDArray[np.int64]:  # noqa: ARG002
        """Walk the prefixes and take the cheapest next deletion while one is needed."""
        from sfumato.kinds.timeline.kernels.sanitisation import sanitise_events

        removed: npt.NDArray[np.int64] = sanitise_events(task.occurrences, task.rule)[0]
        return removed

    def delete_to_covers(self, task: Task, crowds: list[Crowd], run: Run) -> npt.NDArray[np.int64]:  # noqa: ARG002
        """Cut the event down to the crowd that costs least."""
        return Covering(task, crowds).take_turns()
