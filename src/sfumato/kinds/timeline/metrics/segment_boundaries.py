"""Whether a timeline still falls into the same segments."""

from __future__ import annotations

import dataclasses
from typing import Annotated, Any, ClassVar

import numpy as np
import numpy.typing as npt

from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.kinds.timeline.dataset import Timeline
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Better, Metric, Operation
from sfumato.params import Param

__all__ = ["SegmentBoundaries", "find_boundaries"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]


@dataclasses.dataclass(frozen=True)
class SegmentBoundaries(Metric):
    """Measure how many boundaries between segments stay where they were.

    The time points are put into equally long blocks. Each block is described by the shares of the events in it, and the
    blocks are cut into a number of segments so that the squared distances of the blocks from the mean of their
    segment are least in all. The value is the share of the original's boundaries that have a boundary of the release
    at most one block away; ``mean_shift`` is how far the nearest one is, as a share of the timeline.

    Examples
    --------
    >>> import sfumato as sf
    >>> rows = [{"a": 1, "b": 6}] * 5 + [{"a": 1, "c": 6}] * 5
    >>> data = sf.Dataset.of("timeline", rows, sensitive=("a",))
    >>> result = sf.anonymize(data, sf.methods.Odesa(delta="1/8"))
    >>> SegmentBoundaries(segments=2).measure(Comparison(data, result.release))
    segment-boundaries: 1 of the boundaries (higher is better; 1: all boundaries are found, 0: none is)
      Share of the times at which the mix of events changes that the release still shows, at most one
        block of time points away: 100 % if none has moved.
      mean shift         0
      boundaries before  5
      boundaries after   5
      blocks             10
    """

    name: ClassVar[str] = "segment-boundaries"
    title: ClassVar[str] = "Segment boundaries retained"
    explanation = (
        "Share of the times at which the mix of events changes that the release still shows, at most one "
        "block of time points away: 100 % if none has moved."
    )
    unit: ClassVar[str] = "of the boundaries"
    better: ClassVar[Better] = "higher"
    ends: ClassVar[str] = "1: all boundaries are found, 0: none is"
    paper: ClassVar[str] = ""
    unchanged: ClassVar[float | str] = 1.0
    monotone: ClassVar[tuple[Operation, ...]] = ()
    not_monotone: ClassVar[str] = "Boundaries of a changed timeline may move anywhere, also back."

    segments: Annotated[int, Param("Number of segments of the timeline.", ge=2)] = 5
    blocks: Annotated[
        int, Param("Largest number of blocks of time points; boundaries are between blocks.", ge=4, le=1000)
    ] = 100

    def obstacle(self, comparison: Comparison) -> str | None:
        """Say that a timeline with fewer time points than segments cannot be cut."""
        other = super().obstacle(comparison)
        short = len(comparison.original) < self.segments
        return other or (f"needs at least {self.segments} time points." if short else None)

    def score(self, comparison: Comparison) -> tuple[float, dict[str, Any]]:
        """Cut both timelines and compare the boundaries."""
        timelines = TimelineComparison(comparison)
        count = min(self.blocks, len(timelines.before))
        cuts = [
            find_boundaries(_describe(timelines.before, counts, count), self.segments)
            for counts in (timelines.before.counts, timelines.left)
        ]
        shifts = np.abs(cuts[0][:, None] - cuts[1][None, :]).min(axis=1)
        details = {
            "mean_shift": float(shifts.mean()) / count,
            "boundaries_before": cuts[0].tolist(),
            "boundaries_after": cuts[1].tolist(),
            "blocks": count,
        }
        return float((shifts <= 1).mean()), details


def _describe(timeline: Timeline, counts: Ints, blocks: int) -> Floats:
    """Return the shares of the events in every block of time points, one row per block."""
    block = timeline.points * blocks // max(len(timeline), 1)
    sums = np.bincount(
        block * len(timeline.labels) + timeline.codes, counts, minlength=blocks * len(timeline.labels)
    ).reshape(blocks, -1)
    return np.asarray(sums / np.maximum(sums.sum(axis=1, keepdims=True), 1), dtype=np.float64)


def find_boundaries(rows: Floats, segments: int) -> Ints:
    """Return the first row of every segment but the first, where segments are as alike inside as possible.

    Of equally good cuts the earliest boundaries are taken.

    Examples
    --------
    >>> find_boundaries(np.array([[0.0], [0.1], [5.0], [5.1]]), 2).tolist()
    [2]
    """
    n = len(rows)
    lengths = np.concatenate([[0.0], np.cumsum((rows * rows).sum(axis=1))])
    products = np.zeros((n + 1, n + 1))
    products[1:, 1:] = np.cumsum(np.cumsum(rows @ rows.T, axis=0), axis=1)
    best = np.full(n + 1, np.inf)
    best[0] = 0.0
    origins: list[Ints] = []
    for _ in range(segments):
        reached, origin = np.full(n + 1, np.inf), np.zeros(n + 1, dtype=np.int64)
        for end in range(1, n + 1):
            start = np.arange(end)
            inside = products[end, end] - 2 * products[start, end] + products[start, start]
            cost = best[:end] + (lengths[end] - lengths[start]) - inside / (end - start)
            # Rounding must not decide between cuts that are equally good.
            origin[end] = int(np.argmax(cost <= cost.min() + 1e-9))
            reached[end] = cost[origin[end]]
        best, origins = reached, [*origins, origin]
    boundaries, end = [], n
    for origin in reversed(origins[1:]):
        end = int(origin[end])
        boundaries.append(end)
    return np.array(boundaries[::-1], dtype=np.int64)
