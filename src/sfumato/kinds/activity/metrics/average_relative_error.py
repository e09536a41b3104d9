"""How wrong counts of people in an activity are."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.kinds.activity.dataset import Slots
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_metric import QueryMetric, draw_range, split_time
from sfumato.metrics.workload import Workload

__all__ = ["AverageRelativeError"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class AverageRelativeError(QueryMetric):
    """Measure ARE of COUNT queries: how many people do an activity in a time range, slot by slot on average?

    The release is asked for the time its classes spend on the activity, spread evenly in every published interval;
    people who are suppressed are missing from its answers. A query names an activity and may have a range of time.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("activity", [["sleep", "eat"], ["sleep", "sleep"], ["eat", "eat"], ["eat", "eat"]])
    >>> result = sf.anonymize(data, sf.methods.Mc(k=2, aggregate="slot"), secret=bytes(32))
    >>> workload = sf.Workload((("eat",), ("sleep", "time=00:00..00:00")))
    >>> AverageRelativeError().measure(Comparison(data, result.release, workload=workload)).value
    0.0
    """

    explanation: ClassVar[str] = "Relative error of the number of {many} that have an activity in a range of time."

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw slots of people, and ranges of time around them."""
        slots = Slots.of(original)
        generator = np.random.default_rng(seed)
        people, length = slots.codes.shape
        origin = original.time_unit.origin
        queries: dict[tuple[str, ...], None] = {}
        for _ in range(self.queries if slots.codes.size else 0):
            person, slot = int(generator.integers(people)), int(generator.integers(length))
            when = draw_range(origin + slot, origin, origin + length - 1, generator)
            queries[slots.labels[slots.codes[person, slot]], when.format_condition(original.time_unit)] = None
        return Workload(tuple(queries))

    def answer(self, comparison: Comparison, workload: Workload) -> tuple[Floats, Floats]:
        """Add up people's slots, and the time of classes."""
        view = comparison.view(ActivityComparison)
        code = {label: at for at, label in enumerate(view.labels)}
        shown = np.zeros((len(view.intervals), len(view.labels)))
        for group in view.classes():
            shown += group.size * group.shares
        done = np.zeros((view.slots, len(view.labels)))
        for row in view.codes:
            done[np.arange(view.slots), row] += 1
        times = comparison.original.time_unit.origin + np.arange(view.slots)
        answers = []
        for number, query in enumerate(workload.queries, start=1):
            owner = f"{self.name}: query {number} of the workload"
            activities, when = split_time(query, comparison.original.time_unit, owner)
            if len(activities) != 1 or activities[0] not in code:
                raise SchemaError(f"{owner} must name one activity that the original has, and may have a time.")
            in_range, activity = when.holds(times), code[activities[0]]
            slots = max(int(in_range.sum()), 1)
            within = np.add.reduceat(in_range, view.edges[:-1]) if len(shown) else np.zeros(0)
            answers.append((done[in_range, activity].sum() / slots, (within * shown[:, activity]).sum() / slots))
        both = np.array(answers, dtype=np.float64)
        return both[:, 0], both[:, 1]
