"""How wrong counts of people with some events in a range of time are."""

from __future__ import annotations

import dataclasses
from typing import ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.exceptions import SchemaError
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.query_metric import QueryMetric, TimeRange, draw_range, split_time
from sfumato.metrics.workload import Workload

__all__ = ["AverageRelativeError"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class AverageRelativeError(QueryMetric):
    """Measure ARE of COUNT queries: how many people did all of these events in this range of time?

    From the release the answer is estimated as an expectation: every moment of a published interval is as likely as the
    others, and so is every event that a category may stand for, all on their own. A query names one event or several,
    whose order does not count, and may have a range of time.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("sequences", [[("mail", 0)], [("mail", 3), ("news", 4)]], monitored=("mail",))
    >>> result = sf.anonymize(data, sf.methods.Hi(k=2), secret=bytes(32))
    >>> workload = sf.Workload((("mail",), ("mail", "time=0..1"), ("mail", "news")))
    >>> AverageRelativeError().measure(Comparison(data, result.release, workload=workload)).value
    0.0
    """

    explanation: ClassVar[str] = "Relative error of the number of {many} with given events in a range of time."

    def draw_workload(self, original: Dataset, seed: int) -> Workload:
        """Draw one or two events of a person, and ranges of time around them."""
        history, times = original.history(), original.times()
        generator = np.random.default_rng(seed)
        filled = np.flatnonzero(history.lengths)
        queries: dict[tuple[str, ...], None] = {}
        for _ in range(self.queries if len(filled) else 0):
            row = int(filled[generator.integers(len(filled))])
            at = history.offsets[row] + generator.integers(0, history.lengths[row], int(generator.integers(1, 3)))
            when = draw_range(int(times[at[0]]), int(times.min()), int(times.max()), generator)
            inside = at[when.holds(times[at])]
            events = sorted({history.labels[code] for code in history.codes[inside]})
            queries[(*events, when.format_condition(original.time_unit))] = None
        return Workload(tuple(queries))

    def answer(self, comparison: Comparison, workload: Workload) -> tuple[Floats, Floats]:
        """Count people, and add up the chances of published records."""
        view = comparison.view(SequenceComparison)
        code = {label: at for at, label in enumerate(comparison.history.labels)}
        rows = comparison.history.row_of_token
        answers = []
        for number, query in enumerate(workload.queries, start=1):
            owner = f"{self.name}: query {number} of the workload"
            events, when = split_time(query, comparison.original.time_unit, owner)
            if not events or not code.keys() >= set(events):
                raise SchemaError(f"{owner} must name events that the original has, and may have a time.")
            inside = when.holds(view.times)
            true, chance = np.ones(len(comparison.original), dtype=bool), np.ones(len(comparison.release))
            for event in dict.fromkeys(events):
                holds = np.zeros(len(true), dtype=bool)
                holds[rows[inside & (comparison.history.codes == code[event])]] = True
                true &= holds
                chance *= _expect(view, code[event], when)
            answers.append((true.sum(), chance.sum()))
        both = np.array(answers, dtype=np.float64)
        return both[:, 0], both[:, 1]


def _expect(view: SequenceComparison, event: int, when: TimeRange) -> Floats:
    """Return the chance of every published record to hold an event in a range of time."""
    absent = np.ones(len(view.comparison.release))
    others, times = view.others
    absent[others.row_of_token[(others.codes == event) & when.holds(times)]] = 0.0
    blurred = view.blurred
    intervals = np.flatnonzero(blurred.categories == event)
    shares = when.overlap(blurred.lows[intervals], blurred.highs[intervals])
    np.multiply.at(absent, blurred.row_of_interval[intervals], 1.0 - shares)
    readings, covers = view.readings, view.covers
    likely = np.zeros(len(readings))
    likely[readings.row_of_token[readings.codes == event]] = 1.0
    likely /= np.maximum(readings.lengths, 1)
    shares = likely[covers.categories] * when.overlap(covers.lows, covers.highs)
    np.multiply.at(absent, covers.row_of_interval, 1.0 - shares)
    return 1.0 - absent
