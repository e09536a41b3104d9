"""The owner's report on sets of items: in what form they are published, and which combinations can still be counted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from sfumato.attacks.risk import Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.escape import escape_html as escape
from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.metrics.item_loss import ItemLoss
from sfumato.kinds.sets.metrics.published_items import PublishedItems
from sfumato.kinds.sets.report.plots import (
    count_chunks,
    draw_chunks,
    draw_clusters,
    draw_item_numbers,
    draw_items,
    draw_itemsets,
    draw_sizes,
    draw_value_sizes,
    draw_values,
)
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Score
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports import page
from sfumato.reports.html import draw_figure, shorten
from sfumato.reports.numbers import show_count, show_share
from sfumato.reports.partitioned import Divided, count_members, count_values
from sfumato.reports.plots import Figure, draw_risk_curve, draw_sets, save_figure
from sfumato.reports.values import choose_ranks, draw_frequencies

__all__ = ["count_partition", "draw_partitions", "figures", "picture", "render", "show_partitions"]


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


_SHOWN_ITEMS = 12
_SHOWN_LENGTH = 40


def render(
    comparison: Comparison,
    before: Risk,
    after: Risk,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
    remaining: Remaining = NOTHING,
    curve: Sequence[tuple[Risk, Risk]] = (),
) -> str:
    """Return the owner's report as one HTML page."""
    drawn = figures(comparison, before, after, curve)
    tiles, judgement = _tiles(comparison, before, after), page.judge(comparison, after, remaining)
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, "it names items", tiles, judgement, remaining),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn),
            _render_structure(comparison, drawn),
            _itemsets(comparison, drawn["itemsets"]),
            _items(drawn["items"], drawn["lengths"]),
            page.write_utility(scores, comparison.release.unit),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(
    comparison: Comparison, before: Risk, after: Risk, curve: Sequence[tuple[Risk, Risk]] = ()
) -> dict[str, Figure]:
    """Return the plots by name: ``clusters`` of a release in chunks, ``group-sizes`` of one with generalised items."""
    drawn = {"anonymity-sets": draw_sets(before, after, comparison.release.guarantee)}
    if curve:
        drawn["risk-curve"] = draw_risk_curve(curve, "Items known")
    if comparison.view(SetComparison).is_disassociated:
        drawn["clusters"] = draw_clusters(comparison)
    else:
        drawn["group-sizes"] = draw_values(comparison)
    drawn["itemsets"] = draw_itemsets(comparison)
    drawn["items"] = draw_items(comparison)
    drawn["lengths"] = draw_sizes(comparison)
    return drawn


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save the itemsets and the anonymity sets side by side, about 1,400 pixels wide as PNG."""
    sets = alt.vconcat(*draw_sets(before, after, comparison.release.guarantee, 270, 130).panels)
    save_figure(alt.hconcat(draw_itemsets(comparison).chart(), sets, spacing=40), path)


def _tiles(comparison: Comparison, before: Risk, after: Risk) -> list[tuple[str, str]]:
    tiles = page.show_change(comparison, before, after)
    view = comparison.view(SetComparison)
    items = show_count(len(view.items))
    if not view.is_disassociated:
        used = np.unique(comparison.published.codes)
        exact = int((~comparison.generalised[used]).sum())
        if not PublishedItems(comparison).is_global and ItemLoss().obstacle(comparison) is None:
            share = ItemLoss().measure(comparison).details["exact_share"]
            return [*tiles, (show_share(share), "of occurrences published exactly")]
        return [*tiles, (show_count(exact), f"of {items} items published exactly")]
    return [*tiles, (show_share(_share_in_chunks(comparison)), "of occurrences published within subrecords")]


def _share_in_chunks(comparison: Comparison) -> float:
    """Return the share of occurrences that record and shared chunks publish."""
    matching = comparison.view(SetComparison).matching
    is_ordinary = ~matching.is_term[matching.chunks.chunk_of_row[matching.chunks.subrecords.row_of_token]]
    return float(is_ordinary.sum()) / max(len(comparison.history.codes), 1)


def _account(comparison: Comparison) -> str:
    view = comparison.view(SetComparison)
    rows = [
        ("Occurrences of items in the original", len(comparison.history.codes)),
        ("Items in the original", len(view.items)),
    ]
    if view.is_disassociated:
        matching = view.matching
        is_shared = matching.is_shared & ~matching.is_term
        rows += [
            ("Clusters (groups of similar records)", len(matching.leaves)),
            ("Joint clusters (several clusters that share chunks)", int((~matching.chunks.is_leaf).sum())),
            ("Record chunks (parts of the records of one cluster)", len(matching.own)),
            ("Shared chunks (parts of the records of several clusters)", int(is_shared.sum())),
            ("Term chunks (items of which only the cluster is published)", int(matching.is_term.sum())),
            ("Subrecords (parts of records) published", int(matching.row_counts[~matching.is_term].sum())),
        ]
    else:
        used = np.unique(comparison.published.codes)
        generalised = int(comparison.generalised[used].sum())
        rows += [
            ("Values published in records", len(comparison.published.codes)),
            ("Items published exactly", len(used) - generalised),
            ("Generalised items published", generalised),
            ("Items removed from all records", len(comparison.release.suppressed())),
        ]
    return page.account_for(comparison, rows) + _sensitive(comparison)


def _sensitive(comparison: Comparison) -> str:
    named = comparison.original.schema.sensitive
    if not named:
        return ""
    listed = ", ".join(shorten(item, _SHOWN_LENGTH) for item in sorted(named)[:_SHOWN_ITEMS])
    more = f" and {show_count(len(named) - _SHOWN_ITEMS)} more" if len(named) > _SHOWN_ITEMS else ""
    return f"<p>Sensitive items, separated from all others: {escape(listed + more)}.</p>"


def _render_structure(comparison: Comparison, drawn: Mapping[str, Figure]) -> str:
    """Show the published form: clusters and chunks, or generalised items."""
    if comparison.view(SetComparison).is_disassociated:
        caption = (
            "All items are published; which of them belong together is hidden. The subrecords of a record "
            "chunk belong to different records of its cluster, those of a shared chunk to records of "
            "several clusters. Of the items in a term chunk only the cluster is published."
        )
        return f"<section><h2>Clusters and chunks</h2>\n{draw_figure('clusters', drawn['clusters'], caption)}</section>"
    caption = "A published value that stands for several items means at least one of them."
    if not PublishedItems(comparison).is_global:
        caption += (
            " The same item may be exact in one record and generalised in another. Where a record has a "
            "value and one of its members, the value stands for another member."
        )
    listed = page.list_generalised(comparison, "generalised items", ("Items", "Records"))
    if not listed:
        return (
            "<section><h2>Generalised items</h2>\n<p>Nothing is generalised: every item in the release is published "
            "exactly.</p></section>"
        )
    plot = draw_figure("group-sizes", drawn["group-sizes"], caption)
    return f"<section><h2>Generalised items</h2>\n{plot}\n{listed}</section>"


def show_partitions(drawn: Mapping[str, Figure], seen: Divided) -> list[str]:  # noqa: ARG001
    """Return the sections on the form of publication and on items of a release in partitions."""
    if "clusters" in drawn:
        caption = "All items are published; which of them belong together is hidden. Clusters lie within partitions."
        form = f"<h2>Clusters and chunks</h2>\n{draw_figure('clusters', drawn['clusters'], caption)}"
    else:
        caption = (
            "A published value that stands for several items means at least one of them. Every partition "
            "generalises on its own; values with the same members are counted as one."
        )
        form = f"<h2>Generalised items</h2>\n{draw_figure('group-sizes', drawn['group-sizes'], caption)}"
    return [f"<section>{form}</section>", _items(drawn["items"], drawn["lengths"])]


def _items(items: Figure, lengths: Figure) -> str:
    caption = "Number of records that have an item, in the original and in the release."
    sizes = draw_figure("lengths", lengths, "Number of items of records.")
    return (
        f"<section><h2>Items before and after</h2>\n{draw_figure('items', items, caption)}\n<h3>Sizes of records</h3>\n"
        f"{sizes}</section>"
    )


def _itemsets(comparison: Comparison, plot: Figure) -> str:
    if comparison.view(SetComparison).is_disassociated:
        caption = "Certain: records that must have the items, however subrecords are combined."
    else:
        caption = (
            "Certain: records that have the items exactly. Expected: records of a generalised value are "
            "divided among its members, with less for those that other records publish exactly."
        )
    drawn = draw_figure("itemsets", plot, caption)
    return f"<section><h2>Frequent combinations before and after</h2>\n{drawn}</section>"
