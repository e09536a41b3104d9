"""How far the probabilities of events moved at the time points of a timeline."""

from __future__ import annotations

import dataclasses
import math
from typing import Any, ClassVar

from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation

__all__ = ["SanitisationError"]


@dataclasses.dataclass(frozen=True)
class SanitisationError(Metric):
    """Measure the squared change of the events' probabilities, summed over events and time points.

    The probability of an event at a time point is its share of the occurrences there, after every event of the
    original's alphabet got half an occurrence more. It is computed from whole numbers; every time point's part is
    rounded once, and their sum once. This is what the methods for timelines keep small.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/4"))
    >>> round(SanitisationError().measure(Comparison(data, result.release)).value, 6)
    0.170139

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 3.
    """

    name: ClassVar[str] = "sanitisation-error"
    title: ClassVar[str] = "Squared change of event probabilities"
    explanation = "Squared change of the probabilities of events by the deletions, summed over the time points."
    unit: ClassVar[str] = ""
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: no change; no upper bound"
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 3"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "Deleting a second event may restore the shares at a time point."

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Add up what the deletions changed."""
        timelines = TimelineComparison(comparison)
        parts = [numerator / denominator for numerator, denominator in timelines.errors]
        error, largest = math.fsum(parts), max(parts, default=0.0)
        return error, {"mean_per_time_point": error / max(len(timelines.before), 1), "largest_at_a_time_point": largest}
