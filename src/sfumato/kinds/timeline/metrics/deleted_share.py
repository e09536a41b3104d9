"""How much of a timeline was deleted."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np

from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation

__all__ = ["DeletedShare"]


@dataclasses.dataclass(frozen=True)
class DeletedShare(Metric):
    """Measure the share of all occurrences that were deleted.

    ``of_sensitive`` is their share of the occurrences of sensitive events, ``events_gone`` the number of sensitive
    events of which nothing is left.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("timeline", [{"a": 2, "b": 3}, {"a": 1, "b": 4}], sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/4"))
    >>> DeletedShare().measure(Comparison(data, result.release)).value
    0.2

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 5.
    """

    name: ClassVar[str] = "deleted-share"
    title: ClassVar[str] = "Occurrences deleted"
    explanation = "Share of all occurrences of events that were deleted."
    unit: ClassVar[str] = "of the occurrences"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: nothing deleted, 1: all deleted"
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 5"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("suppress",)

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Count what was deleted."""
        timelines = TimelineComparison(comparison)
        codes, counts = timelines.before.codes, timelines.before.counts
        gone = int(timelines.removed.sum())
        sensitive = ~timelines.ordinary[codes] if len(codes) else codes.astype(bool)
        had, has = (np.unique(codes[sensitive & (what > 0)]) for what in (counts, timelines.left))
        return gone / max(int(counts.sum()), 1), {
            "occurrences_deleted": gone,
            "of_sensitive": gone / max(int(counts[sensitive].sum()), 1),
            "events_gone": len(had) - len(has),
        }
