"""What the report on a release of sets in partitions draws: counts of every partition, and figures of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.report.plots import count_chunks, draw_chunks, draw_item_numbers, draw_value_sizes
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports.partitioned import Divided, count_members, count_values
from sfumato.reports.plots import Figure
from sfumato.reports.values import choose_ranks, draw_frequencies

__all__ = ["count_partition", "draw_partitions"]


def count_partition(comparison: Comparison) -> PartialSums:
    """Count in a partition what the figures need."""
    view, labels = comparison.view(SetComparison), comparison.history.labels
    shown = _choose(comparison.full_original)
    counts: dict[str, Any] = {
        "expected": view.expect([[labels[at]] for at in shown]),
        "before": [comparison.history.lengths.astype(np.int32)],
    }
    if view.is_disassociated:
        chunks = count_chunks(comparison)
        return {**counts, "chunks": {**chunks, "sizes": [chunks["sizes"]]}}
    return {**counts, "after": [comparison.published.lengths.astype(np.int32)], "values": count_values(comparison)}


def _count(full_original: FullOriginal) -> Any:
    history = full_original.original.view_history()
    return full_original.cached("occurrences", lambda: np.bincount(history.codes, minlength=len(history.labels)))


def _choose(full_original: FullOriginal) -> list[int]:
    """Choose the items that are shown: only those have to be expected, which takes time."""
    return full_original.cached("items shown", lambda: choose_ranks(_count(full_original)).tolist())


def draw_partitions(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all partitions together."""
    counts, labels = seen.counts, seen.full_original.original.view_history().labels
    before = _count(seen.full_original)
    after = np.zeros(len(labels))
    after[_choose(seen.full_original)] = counts["expected"]
    chunks = "chunks" in counts
    if chunks:
        drawn = {"clusters": draw_chunks(**{**counts["chunks"], "sizes": np.concatenate(counts["chunks"]["sizes"])})}
    else:
        drawn = {"group-sizes": draw_value_sizes(*count_members(counts["values"]))}
    lengths = None if chunks else np.concatenate(counts["after"])
    return {
        **drawn,
        "items": draw_frequencies(labels, before, after, "items", counted="records", divided=not chunks),
        "lengths": draw_item_numbers(np.concatenate(counts["before"]), lengths),
    }
