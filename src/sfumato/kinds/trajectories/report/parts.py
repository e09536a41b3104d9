"""What the report on a partitioned release of trajectories draws: counts of every partition, and figures of all."""

from __future__ import annotations

import numpy as np

from sfumato.kinds.trajectories.report.plots import count_sizes, draw_sizes, draw_visits
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports.partitioned import Divided, count_members, count_values
from sfumato.reports.plots import Figure
from sfumato.reports.values import draw_frequencies, expect_counts

__all__ = ["count_partition", "draw_partitions"]


def count_partition(comparison: Comparison) -> PartialSums:
    """Count in a partition what the figures need."""
    return {
        "visits": np.bincount(comparison.history.codes, minlength=len(comparison.history.labels)),
        "expected": expect_counts(comparison),
        "before": [comparison.history.lengths.astype(np.int32)],
        "after": [comparison.published.lengths.astype(np.int32)],
        "values": count_values(comparison),
    }


def draw_partitions(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all partitions together."""
    counts, labels = seen.counts, seen.full_original.original.view_history().labels
    return {
        "group-sizes": draw_sizes(count_sizes(*count_members(counts["values"]))),
        "places": draw_frequencies(labels, counts["visits"], counts["expected"], "places", counted="visits"),
        "lengths": draw_visits(np.concatenate(counts["before"]), np.concatenate(counts["after"]), seen.release.unit),
    }
