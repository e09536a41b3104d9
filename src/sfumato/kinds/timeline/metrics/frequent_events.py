"""Whether the same events are frequent before and after."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation
from sfumato.params import Param

__all__ = ["FrequentEvents"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True)
class FrequentEvents(Metric):
    """Measure how well the frequent events of a timeline can still be mined.

    Some prefixes are looked at, the whole timeline the last of them. In each, the events that are not sensitive and
    make up a share delta of the occurrences or more are frequent. The value is the size of what is frequent both
    before and after, divided by that of what is frequent at all, as a mean over the prefixes; 1 where nothing is.
    ``frequent_before`` and ``frequent_after`` are of the whole timeline.

    Examples
    --------
    >>> import sfumato as sf
    >>> data = sf.Dataset.of("timeline", [{"a": 2, "b": 1, "c": 4}, {"a": 1, "c": 4}], sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/5"))
    >>> FrequentEvents(prefixes=2).measure(Comparison(data, result.release)).details
    {'frequent_before': 1, 'frequent_after': 1, 'prefixes': 2}
    """

    name: ClassVar[str] = "frequent-events"
    title: ClassVar[str] = "Frequent events that stay frequent"
    explanation = (
        "Events that are frequent in both original and release, as a share of those frequent in either: "
        "100 % if they are the same."
    )
    unit: ClassVar[str] = "of the frequent events"
    better: ClassVar[Better] = "higher"
    ends: ClassVar[str] = "1: the same events are frequent, 0: none in common"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = 1.0
    monotone: ClassVar[tuple[Operation, ...]] = ("suppress",)

    prefixes: Annotated[int, Param("Number of prefixes compared, evenly spread.", ge=1)] = 10

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that a claim without a threshold knows no frequent events."""
        other = super().obstacle(comparison)
        return other or (None if TimelineComparison(comparison).delta else "the guarantee has no threshold delta.")

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Compare the frequent events of some prefixes."""
        timelines = TimelineComparison(comparison)
        points = len(timelines.before)
        ends = np.unique(np.ceil(np.arange(1, self.prefixes + 1) * points / self.prefixes).astype(np.int64))
        shares, before, after = [], np.empty(0, bool), np.empty(0, bool)
        for end in ends.tolist():
            before, after = (
                self._frequent(timelines, counts, end) for counts in (timelines.before.counts, timelines.left)
            )
            either = int((before | after).sum())
            shares.append(int((before & after).sum()) / either if either else 1.0)
        details = {"frequent_before": int(before.sum()), "frequent_after": int(after.sum()), "prefixes": len(ends)}
        return float(np.mean(shares)) if shares else 1.0, details

    def _frequent(self, timelines: TimelineComparison, counts: Ints, end: int) -> npt.NDArray[np.bool_]:
        """Return which events that are not sensitive are frequent in a prefix; whole numbers decide."""
        delta = timelines.delta
        assert delta is not None
        stop = int(timelines.before.offsets[end])
        sums = np.zeros(len(timelines.ordinary), dtype=np.int64)
        np.add.at(sums, timelines.before.codes[:stop], counts[:stop])
        threshold = delta.numerator * int(counts[:stop].sum())
        reached = np.array(
            [count > 0 and delta.denominator * count >= threshold for count in sums.tolist()], dtype=bool
        )
        return reached & timelines.ordinary
