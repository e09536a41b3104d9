"""Events that look frequent in a release and were not."""

from __future__ import annotations

import dataclasses
from typing import Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation

__all__ = ["GhostEvents"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class GhostEvents(Metric):
    """Measure the share of events that are not sensitive and reach the threshold in some prefix only after deletion.

    The threshold is that of the claim. Deletions shorten prefixes, so that what is left becomes relatively more
    frequent. ``ghost_prefixes`` counts pairs of such an event and a prefix.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [{"a": 2, "b": 1, "c": 3}, {"a": 1, "c": 4}]
    >>> data = sf.Dataset.of("timeline", rows, sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/5"))
    >>> GhostEvents().measure(Comparison(data, result.release))
    ghost-events: 0.5 of the events (lower is better; 0: no event, 1: every event)
      Share of events that seem frequent at some time only because others were deleted.
      ghost events    1
      ghost prefixes  1
      events          2

    References
    ----------
    Loukides, Gwadera, Optimal event sequence sanitization, Section 5.
    """

    name: ClassVar[str] = "ghost-events"
    title: ClassVar[str] = "Events that become frequent by deletion"
    explanation = "Share of events that seem frequent at some time only because others were deleted."
    unit: ClassVar[str] = "of the events"
    better: ClassVar[Better] = "lower"
    ends: ClassVar[str] = "0: no event, 1: every event"
    paper: ClassVar[str] = "Loukides and Gwadera, Optimal event sequence sanitization (2015), 5"
    unchanged: ClassVar[float | str] = 0.0
    monotone: ClassVar[tuple[Operation, ...]] = ("suppress",)

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that a claim without a threshold knows no frequent events."""
        other = super().obstacle(comparison)
        return other or (None if TimelineComparison(comparison).delta else "the guarantee has no threshold delta.")

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Find, for every stretch between two occurrences, the prefixes that were long enough and no longer are.

        An event that is not sensitive keeps its counts, so that it is frequent in a prefix exactly if that is no longer
        than the count divided by the threshold.
        """
        timelines = TimelineComparison(comparison)
        before = timelines.before
        entries = np.flatnonzero(timelines.ordinary[before.codes]) if len(before.codes) else before.codes
        entries = entries[np.argsort(before.codes[entries], kind="stable")]
        owner, points = before.codes[entries], before.points[entries]
        events = len(np.unique(owner))
        longest = self._longest(timelines, owner, before.counts[entries])
        last = np.append(owner[1:] != owner[:-1], True)[: len(owner)]
        nexts = np.where(last, len(before), np.append(points[1:], 0)[: len(owner)])
        begin = np.maximum(np.searchsorted(timelines.original_lengths, longest, side="right"), points)
        end = np.minimum(np.searchsorted(timelines.lengths, longest, side="right"), nexts)
        ghosts = np.maximum(end - begin, 0)
        number = len(np.unique(owner[ghosts > 0]))
        details = {"ghost_events": number, "ghost_prefixes": int(ghosts.sum()), "events": events}
        return number / max(events, 1), details

    def _longest(self, timelines: TimelineComparison, owner: Ints, counts: Ints) -> Ints:
        """Return the longest prefix in which each count so far makes its event frequent."""
        delta = timelines.delta
        assert delta is not None
        total = int(timelines.totals.sum())
        sums = np.cumsum(counts)
        first = np.searchsorted(owner, owner)
        so_far = sums - np.concatenate([[0], sums])[first]
        exact = [count * delta.denominator // delta.numerator for count in so_far.tolist()]
        return np.array([min(length, total) for length in exact], dtype=np.int64)
