"""What the report on a release of sets in parts draws: counts of every part, and figures of all of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.report.plots import count_chunks, draw_chunks, draw_item_numbers, draw_value_sizes
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import Whole
from sfumato.metrics.partial_sums import Tally
from sfumato.reports.partitioned import Divided, count_values, lay_values
from sfumato.reports.plots import Figure
from sfumato.reports.values import choose_ranks, draw_frequencies

__all__ = ["count_part", "draw_parts"]


def count_part(comparison: Comparison) -> Tally:
    """Count in a part what the figures need."""
    view, labels = comparison.view(SetComparison), comparison.history.labels
    shown = _choose(comparison.whole)
    tally: dict[str, Any] = {
        "expected": view.expect([[labels[at]] for at in shown]),
        "before": [comparison.history.lengths.astype(np.int32)],
    }
    if view.is_disassociated:
        chunks = count_chunks(comparison)
        return {**tally, "chunks": {**chunks, "sizes": [chunks["sizes"]]}}
    return {**tally, "after": [comparison.published.lengths.astype(np.int32)], "values": count_values(comparison)}


def _count(whole: Whole) -> Any:
    history = whole.original.view_history()
    return whole.once("occurrences", lambda: np.bincount(history.codes, minlength=len(history.labels)))


def _choose(whole: Whole) -> list[int]:
    """Choose the items that are shown: only those have to be expected, which takes time."""
    return whole.once("items shown", lambda: choose_ranks(_count(whole)).tolist())


def draw_parts(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all parts together."""
    tally, labels = seen.tally, seen.whole.original.view_history().labels
    before = _count(seen.whole)
    after = np.zeros(len(labels))
    after[_choose(seen.whole)] = tally["expected"]
    chunks = "chunks" in tally
    if chunks:
        drawn = {"clusters": draw_chunks(**{**tally["chunks"], "sizes": np.concatenate(tally["chunks"]["sizes"])})}
    else:
        drawn = {"group-sizes": draw_value_sizes(*lay_values(tally["values"]))}
    lengths = None if chunks else np.concatenate(tally["after"])
    return {
        **drawn,
        "items": draw_frequencies(labels, before, after, "items", counted="records", divided=not chunks),
        "lengths": draw_item_numbers(np.concatenate(tally["before"]), lengths),
    }
