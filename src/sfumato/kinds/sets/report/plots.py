"""Plots about sets of items: how often combinations occur before and after, and what was published."""

from __future__ import annotations

import itertools
from typing import Any

import numpy as np

from sfumato.core.measuring.comparison import Comparison
from sfumato.kinds.sets.comparison import SetComparison
from sfumato.kinds.sets.estimate.supports import certain_support
from sfumato.kinds.sets.metrics.mining import top_original
from sfumato.report.markup import shorten
from sfumato.report.numerals import show_bin, show_count, show_number, show_share
from sfumato.report.palette import AFTER, BEFORE, MUTED
from sfumato.report.plots import PANEL_WIDTH, choose_edges, draw_bars

__all__ = ["draw_clusters", "draw_itemsets", "draw_values"]

Spec = dict[str, Any]

_MINED = 1000
_SHOWN = 20
_ITEM_LENGTH = 16
_LABEL_LENGTH = 36
_STEP = 19


def draw_itemsets(comparison: Comparison, width: float = 2 * PANEL_WIDTH - 320) -> tuple[Spec, dict[str, Any]]:
    """Draw supports of some of the most frequent itemsets, before and after; and say what it shows."""
    found = comparison.view(SetComparison)
    top = top_original(found, _MINED)
    ranks = np.unique(np.geomspace(1, max(len(top.supports), 1), _SHOWN).astype(np.int64)) - 1
    ranks = ranks[ranks < len(top.supports)]
    parts = np.split(top.items, top.offsets[1:-1])
    itemsets = [[found.items[code] for code in parts[rank]] for rank in ranks.tolist()]
    if found.is_disassociated:
        certain = found.support_in_chunks(itemsets, "certain")
    else:
        certain = certain_support(comparison.release, itemsets).astype(np.float64)
    rows = [
        {"rank": int(rank) + 1, "name": f"{int(rank) + 1}.  {_name(items)}", "truth": int(top.supports[rank])}
        | {"expected": float(expected), "certain": int(sure)}
        for rank, items, expected, sure in zip(ranks, itemsets, found.expect(itemsets), certain, strict=True)
    ]
    return _itemsets_view(rows, width), _itemsets_facts(
        rows, len(top.supports), is_disassociated=found.is_disassociated
    )


def _name(items: list[str]) -> str:
    return shorten(" + ".join(shorten(item, _ITEM_LENGTH) for item in items), _LABEL_LENGTH)


def _itemsets_view(rows: list[dict[str, Any]], width: float) -> Spec:
    """Draw a line per itemset, with a mark for each of its three supports, over a logarithmic axis."""
    marks = [
        {"name": row["name"], "support": row[which], "which": which}
        for row in rows
        for which in ("truth", "expected", "certain")
        if row[which] >= 1
    ]
    highest = max([mark["support"] for mark in marks], default=10)
    lowest = min([mark["support"] for mark in marks], default=1)
    domain = [10.0 ** np.floor(np.log10(lowest)), highest * 1.15]
    y = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": [row["name"] for row in rows]},
        "axis": {
            "title": None,
            "ticks": False,
            "domain": False,
            "labelLimit": 0,
            "labelPadding": 8,
            "grid": True,
            "minExtent": 280,
        },
    }
    x = {
        "field": "support",
        "type": "quantitative",
        "scale": {"type": "log", "domain": domain, "nice": False},
        "axis": {"title": "Records with all of the items", "format": "~s", "tickCount": 6, "grid": False},
    }
    shapes = {
        "certain": {"type": "point", "filled": False, "stroke": AFTER, "strokeWidth": 1.5, "size": 55},
        "expected": {"type": "point", "filled": True, "fill": AFTER, "size": 55, "opacity": 1},
        "truth": {"type": "tick", "color": BEFORE, "thickness": 2.5, "size": 14},
    }
    layers = [
        {
            "data": {"values": [mark for mark in marks if mark["which"] == which]},
            "mark": {**shape, "aria": False},
            "encoding": {"x": x, "y": y},
        }
        for which, shape in shapes.items()
    ]
    return {"vconcat": [_legend(), {"width": width, "height": {"step": _STEP}, "layer": layers}], "spacing": 6}


def _legend() -> Spec:
    """Explain the three marks in a line of its own."""
    entries = [("tick", BEFORE, "original", 0), ("dot", AFTER, "expected of the release", 90)]
    entries.append(("ring", AFTER, "certain from the release", 275))
    layers: list[Spec] = []
    for kind, colour, text, at in entries:
        shape: Spec = {"type": "point", "filled": kind == "dot", "size": 55, "opacity": 1}
        shape |= {"fill": colour} if kind == "dot" else {"stroke": colour, "strokeWidth": 1.5}
        if kind == "tick":
            shape = {"type": "tick", "color": colour, "thickness": 2.5, "size": 14, "orient": "vertical"}
        place = {"y": {"value": 8}}
        data = {"values": [{"text": text}]}
        layers.append({"data": data, "mark": {**shape, "aria": False}, "encoding": {**place, "x": {"value": at + 8}}})
        words = {"type": "text", "align": "left", "baseline": "middle", "color": MUTED, "aria": False}
        encoding = {**place, "x": {"value": at + 18}, "text": {"field": "text"}}
        layers.append({"data": data, "mark": words, "encoding": encoding})
    return {"width": 460, "height": 16, "layer": layers}


def _itemsets_facts(rows: list[dict[str, Any]], mined: int, *, is_disassociated: bool) -> dict[str, Any]:
    hidden = sum(row["certain"] < 1 for row in rows)
    notes = [f"{show_count(len(rows))} of the {show_count(mined)} most frequent itemsets, by their ranks."]
    if hidden:
        notes.append(f"Of {show_count(hidden)} of them nothing is certain; they have no ring.")
    if is_disassociated:
        notes.append("Expected is the average over all data that could have been published as this release.")
    return {
        "title": "Supports of frequent itemsets before and after",
        "description": "For each itemset three marks over a logarithmic axis: its support in the original, and its "
        "expected and certain support according to the release.",
        "notes": notes,
        "head": ["Itemset", "Original", "Expected", "Certain"],
        "rows": [
            [row["name"], show_count(row["truth"]), show_number(round(row["expected"], 1)), show_count(row["certain"])]
            for row in rows
        ],
    }


def draw_clusters(comparison: Comparison) -> tuple[Spec, dict[str, Any]]:
    """Draw how large the clusters of a disassociated release are, and which chunks publish what."""
    placement = comparison.view(SetComparison).placement
    edges = choose_edges(int(placement.sizes.max(initial=1)), None)
    counts, _ = np.histogram(placement.sizes, edges)
    used = range(int((counts > 0).argmax()), len(counts))
    clusters = [(show_bin(edges[i], edges[i + 1]), int(counts[i]), show_count(int(counts[i]))) for i in used]
    subrecords = placement.chunks.subrecords
    chunk = placement.chunks.chunk_of_row[subrecords.row_of_token]
    inside = (~placement.is_term & ~placement.is_shared)[chunk].sum()
    shared = (placement.is_shared & ~placement.is_term)[chunk].sum()
    total = max(len(comparison.history.codes), 1)
    shares = [("record chunks", inside / total), ("shared chunks", shared / total)]
    shares.append(("term chunks", max(0.0, 1 - (inside + shared) / total)))
    bars = [(name, float(share), show_share(float(share))) for name, share in shares]
    view = {
        "hconcat": [
            draw_bars(clusters, "Clusters", "Records in the cluster"),
            draw_bars(bars, "Occurrences of items", "Published in"),
        ],
        "spacing": 24,
    }
    return view, {
        "title": "Clusters, and where items are published",
        "description": "Two bar charts: clusters by number of records, and occurrences of items by kind of chunk.",
        "head": ["", "Number"],
        "rows": [[f"Clusters of {name} records", text] for name, _, text in clusters]
        + [[f"Occurrences in {name}", text] for name, _, text in bars],
    }


def draw_values(comparison: Comparison) -> tuple[Spec, dict[str, Any]]:
    """Draw how many items published values stand for, and how often they are used."""
    uses = np.bincount(comparison.published.codes, minlength=len(comparison.sizes))
    sizes, uses = comparison.sizes[uses > 0], uses[uses > 0]
    edges = [1, *(edge + 1 for edge in choose_edges(int(sizes.max(initial=1)), None) if edge != 3)]
    values, _ = np.histogram(sizes, edges)
    entries, _ = np.histogram(sizes, edges, weights=uses)
    total = max(int(uses.sum()), 1)
    names = ["1 (exact)" if first == 1 else show_bin(first, end) for first, end in itertools.pairwise(edges)]
    counts = [(name, int(count), show_count(int(count))) for name, count in zip(names, values, strict=True)]
    shares = [(name, seen / total, show_share(seen / total)) for name, seen in zip(names, entries, strict=True)]
    axis = "Items a published value stands for"
    views = [draw_bars(counts, "Published values", axis), draw_bars(shares, "Occurrences published as them", axis)]
    return {"hconcat": views, "spacing": 24}, {
        "title": "Sizes of published values",
        "description": "Two bar charts: published values, and occurrences published as them, by how many items each "
        "stands for.",
        "head": ["Items it stands for", "Published values", "Share of occurrences"],
        "rows": [[name, text, share] for (name, _, text), (_, _, share) in zip(counts, shares, strict=True)],
    }
