"""How wrong counts of events over time are."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_metric import QueryMetric, draw_range, split_time
from sfumato.metrics.workload import Workload

__all__ = ["AverageRelativeError"]

Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class AverageRelativeError(QueryMetric):
    """Measure ARE of COUNT queries: how often does an event occur from here to there?

    The release is taken at its word: what was deleted is missing from its answers. A query names an event and may have
    a range of time. The sanity bound is a share of all occurrences.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/4"), secret=bytes(32))
    >>> workload = sf.Workload((("a",), ("a", "time=1..1"), ("b",)))
    >>> AverageRelativeError().measure(Comparison(data, result.release, workload=workload)).details["largest"]
    0.6666666666666666
    """

    explanation: ClassVar[str] = "Relative error of the number of times that an event occurs."

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw entries, and ranges of time around them."""
        timeline = Timeline.of(original)
        generator = np.random.default_rng(seed)
        queries: dict[tuple[str, ...], None] = {}
        for entry in generator.integers(0, max(len(timeline.codes), 1), self.queries if len(timeline.codes) else 0):
            time = int(timeline.times[timeline.points[entry]])
            when = draw_range(time, int(timeline.times[0]), int(timeline.times[-1]), generator)
            queries[timeline.labels[timeline.codes[entry]], when.format_condition(original.time_unit)] = None
        return Workload(tuple(queries))

    def count_all(self, comparison: Comparison) -> int:
        """Return the number of all occurrences."""
        return int(TimelineComparison(comparison).before.counts.sum())

    def answer(self, comparison: Comparison, workload: Workload) -> tuple[Floats, Floats]:
        """Add up what occurs, and what is left of it."""
        timelines = TimelineComparison(comparison)
        before, code = timelines.before, timelines.before.code_of()
        times = before.times[before.points]
        answers = []
        for number, query in enumerate(workload.queries, start=1):
            owner = f"{self.name}: query {number} of the workload"
            events, when = split_time(query, comparison.original.time_unit, owner)
            if len(events) != 1 or events[0] not in code:
                raise SchemaError(f"{owner} must name one event that the original has, and may have a time.")
            selected = (before.codes == code[events[0]]) & when.holds(times)
            answers.append((before.counts[selected].sum(), timelines.left[selected].sum()))
        both = np.array(answers, dtype=np.float64)
        return both[:, 0], both[:, 1]
