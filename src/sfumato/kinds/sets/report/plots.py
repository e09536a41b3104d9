"""Plots about sets of items: how often combinations occur before and after, and what was published."""

from __future__ import annotations

import itertools
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.estimate.supports import certain_support
from sfumato.kinds.sets.metrics.mining import top_original
from sfumato.metrics.comparison import Comparison
from sfumato.reports.figure import inline
from sfumato.reports.html import shorten
from sfumato.reports.numbers import choose_edges, show_bin, show_count, show_number, show_share
from sfumato.reports.palette import AFTER, BEFORE
from sfumato.reports.plots import BEFORE_AND_AFTER, PANEL_WIDTH, Figure, LegendEntry, draw_bars, name_axis
from sfumato.reports.values import choose_ranks, draw_frequencies, draw_lengths

__all__ = [
    "count_chunks",
    "draw_chunks",
    "draw_clusters",
    "draw_item_numbers",
    "draw_items",
    "draw_itemsets",
    "draw_sizes",
    "draw_value_sizes",
    "draw_values",
]

Ints = npt.NDArray[np.int64]

_MINED = 1000
_SHOWN = 20
_ITEM_LENGTH = 16
_LABEL_LENGTH = 28
_MOST_ROWS = 6
_STEP = 19
_SHAPES: dict[str, dict[str, Any]] = {
    "certain": {"type": "point", "filled": False, "stroke": AFTER, "strokeWidth": 1.5, "size": 55},
    "expected": {"type": "point", "filled": True, "fill": AFTER, "size": 55, "opacity": 1},
    "truth": {"type": "tick", "color": BEFORE, "thickness": 2.5, "size": 14},
}


def draw_itemsets(comparison: Comparison) -> Figure:
    """Draw supports of some of the most frequent itemsets, before and after."""
    view = comparison.view(SetComparison)
    top = top_original(comparison.full_original, _MINED)
    ranks = np.unique(np.geomspace(1, max(len(top.supports), 1), _SHOWN).astype(np.int64)) - 1
    ranks = ranks[ranks < len(top.supports)]
    parts = np.split(top.items, top.offsets[1:-1])
    itemsets = [[view.items[code] for code in parts[rank]] for rank in ranks.tolist()]
    if view.is_disassociated:
        certain = view.support_in_chunks(itemsets, "certain")
    else:
        certain = certain_support(comparison.release, itemsets).astype(np.float64)
    rows = [
        {"rank": int(rank) + 1, "name": f"{int(rank) + 1}.  {_name(items)}", "truth": int(top.supports[rank])}
        | {"expected": float(expected), "certain": int(sure)}
        for rank, items, expected, sure in zip(ranks, itemsets, view.expect(itemsets), certain, strict=True)
    ]
    half = -(-len(rows) // 2) if len(rows) > _MOST_ROWS else len(rows)
    panels = [_draw_supports(rows[:half], rows)] + ([_draw_supports(rows[half:], rows)] if rows[half:] else [])
    return _describe_itemsets(rows, panels, len(top.supports), is_disassociated=view.is_disassociated)


def _name(items: list[str]) -> str:
    return shorten(" + ".join(shorten(item, _ITEM_LENGTH) for item in items), _LABEL_LENGTH)


def _draw_supports(shown: list[dict[str, Any]], rows: list[dict[str, Any]]) -> Any:
    """Draw a line per itemset, with a mark for each of its three supports, over a logarithmic axis."""
    supports = [row[which] for row in rows for which in _SHAPES if row[which] >= 1]
    domain = [10.0 ** np.floor(np.log10(min(supports, default=1))), max(supports, default=10) * 1.15]
    names = [row["name"] for row in shown]
    x = alt.X("support:Q", scale=alt.Scale(type="log", domain=domain, nice=False)).axis(
        alt.Axis(title="Records with all of the items", format="~s", tickCount=4, grid=False)
    )
    axis = name_axis(names)
    axis.grid, axis.labelPadding = True, 8
    y = alt.Y("name:N", sort=None, scale=alt.Scale(domain=names)).axis(axis)
    layers = []
    for which, shape in _SHAPES.items():
        values = [
            {"name": row["name"], "support": row[which], "told": f"{row['name']}: {show_number(round(row[which], 1))}"}
            for row in shown
            if row[which] >= 1
        ]
        chart = alt.Chart(inline(values), mark=alt.MarkDef(**shape, aria=False))
        layers.append(chart.encode(x=x, y=y, tooltip="told:N"))
    return alt.layer(*layers).properties(width=PANEL_WIDTH, height=_STEP * max(len(shown), 1))


def _describe_itemsets(rows: list[dict[str, Any]], panels: list[Any], mined: int, *, is_disassociated: bool) -> Figure:
    hidden = sum(row["certain"] < 1 for row in rows)
    notes = [f"{show_count(len(rows))} of the {show_count(mined)} most frequent itemsets, by their ranks."]
    if hidden:
        notes.append(f"{show_count(hidden)} of them have no certain records and so no ring.")
    if is_disassociated:
        notes.append("Expected is the average over all data that could have led to this release.")
    return Figure(
        title="Supports of frequent itemsets before and after",
        description="For each itemset three marks on a logarithmic axis: its support in the original, and its expected "
        "and certain support in the release.",
        panels=panels,
        legend=(
            LegendEntry("tick", BEFORE, "original"),
            LegendEntry("circle", AFTER, "expected from the release"),
            LegendEntry("ring", AFTER, "certain from the release"),
        ),
        notes=notes,
        head=["Itemset", "Original", "Expected", "Certain"],
        rows=[
            [row["name"], show_count(row["truth"]), show_number(round(row["expected"], 1)), show_count(row["certain"])]
            for row in rows
        ],
    )


def draw_items(comparison: Comparison) -> Figure:
    """Draw in how many records some items are, before and as the release lets expect, and how far off that is."""
    view = comparison.view(SetComparison)
    labels = comparison.history.labels
    before = np.bincount(comparison.history.codes, minlength=len(labels))
    # Only what is shown has to be expected: expecting it takes time.
    chosen = choose_ranks(before)
    after = np.zeros(len(labels))
    after[chosen] = view.expect([[labels[at]] for at in chosen.tolist()])
    divided = not view.is_disassociated
    return draw_frequencies(labels, before, after, "items", counted="records", divided=divided)


def draw_sizes(comparison: Comparison) -> Figure:
    """Draw how many items records have; after, too, where records are published whole."""
    chunks = comparison.view(SetComparison).is_disassociated
    return draw_item_numbers(comparison.history.lengths, None if chunks else comparison.published.lengths)


def draw_item_numbers(before: Ints, after: Ints | None) -> Figure:
    """Draw how many items records have; after, too, where records are published whole."""
    chunks = after is None
    shown = [side for side in (before, after) if side is not None]
    return Figure(
        title="Sizes of records",
        description="Bars with the share of records by their number of items.",
        panels=[draw_lengths(before, after, "Records by their items", "Items")],
        legend=() if chunks else BEFORE_AND_AFTER,
        notes=["Sizes of records are not published, only subrecords."] if chunks else (),
        head=["Items", "Before", "After"][: 1 + len(shown)],
        rows=[
            ["Average", *(show_number(round(float(side.mean()), 2)) if len(side) else "–" for side in shown)],
            ["Most", *(show_count(int(side.max(initial=0))) for side in shown)],
        ],
    )


def draw_clusters(comparison: Comparison) -> Figure:
    """Draw how large the clusters of a disassociated release are, and which chunks publish what."""
    return draw_chunks(**count_chunks(comparison))


def count_chunks(comparison: Comparison) -> dict[str, Any]:
    """Return the sizes of clusters, and how many occurrences lie in record and in shared chunks, and in all."""
    matching = comparison.view(SetComparison).matching
    subrecords = matching.chunks.subrecords
    chunk = matching.chunks.chunk_of_row[subrecords.row_of_token]
    return {
        "sizes": matching.sizes,
        "inside": int((~matching.is_term & ~matching.is_shared)[chunk].sum()),
        "shared": int((matching.is_shared & ~matching.is_term)[chunk].sum()),
        "occurrences": len(comparison.history.codes),
    }


def draw_chunks(sizes: Ints, inside: int, shared: int, occurrences: int) -> Figure:
    """Draw how large clusters are, and which chunks publish what."""
    edges = choose_edges(int(sizes.max(initial=1)), None)
    counts, _ = np.histogram(sizes, edges)
    used = range(int((counts > 0).argmax()), len(counts))
    clusters = [(show_bin(edges[i], edges[i + 1]), int(counts[i]), show_count(int(counts[i]))) for i in used]
    total = max(occurrences, 1)
    shares = [("record chunks", inside / total), ("shared chunks", shared / total)]
    shares.append(("term chunks", max(0.0, 1 - (inside + shared) / total)))
    bars = [(name, float(share), show_share(float(share))) for name, share in shares]
    return Figure(
        title="Clusters, and where items are published",
        description="Two bar charts: clusters by number of records, and occurrences of items by kind of chunk.",
        panels=[
            draw_bars(clusters, "Clusters", "Records in the cluster"),
            draw_bars(bars, "Occurrences of items", "Published in"),
        ],
        head=["", "Number"],
        rows=[[f"Clusters of {name} records", text] for name, _, text in clusters]
        + [[f"Occurrences in {name}", text] for name, _, text in bars],
    )


def draw_values(comparison: Comparison) -> Figure:
    """Draw how many items published values stand for, and how often they are used."""
    return draw_value_sizes(comparison.sizes, np.bincount(comparison.published.codes, minlength=len(comparison.sizes)))


def draw_value_sizes(sizes: Ints, uses: Ints) -> Figure:
    """Draw how many items values stand for, and how often they are used."""
    sizes, uses = sizes[uses > 0], uses[uses > 0]
    edges = [1, *(edge + 1 for edge in choose_edges(int(sizes.max(initial=1)), None) if edge != 3)]
    values, _ = np.histogram(sizes, edges)
    entries, _ = np.histogram(sizes, edges, weights=uses)
    total = max(int(uses.sum()), 1)
    names = ["1 (exact)" if first == 1 else show_bin(first, end) for first, end in itertools.pairwise(edges)]
    counts = [(name, int(count), show_count(int(count))) for name, count in zip(names, values, strict=True)]
    shares = [(name, seen / total, show_share(seen / total)) for name, seen in zip(names, entries, strict=True)]
    axis = "Items a published value stands for"
    return Figure(
        title="Sizes of published values",
        description="Two bar charts: published values, and occurrences published as them, by how many items each "
        "stands for.",
        panels=[draw_bars(counts, "Published values", axis), draw_bars(shares, "Occurrences published as them", axis)],
        head=["Items it stands for", "Published values", "Share of occurrences"],
        rows=[[name, text, share] for (name, _, text), (_, _, share) in zip(counts, shares, strict=True)],
    )
