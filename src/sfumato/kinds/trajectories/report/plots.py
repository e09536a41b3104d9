"""Plots about trajectories that are drawn of counts: sizes of published places, and lengths of records."""

from __future__ import annotations

from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.data.record_unit import RecordUnit
from sfumato.reports.numbers import choose_edges, show_bin, show_count, show_number, show_share
from sfumato.reports.plots import BEFORE_AND_AFTER, Figure, draw_bars
from sfumato.reports.values import draw_lengths

__all__ = ["count_sizes", "draw_sizes", "draw_visits"]

Ints = npt.NDArray[np.int64]


def draw_visits(before: Ints, after: Ints, unit: RecordUnit) -> Figure:
    """Draw how many visits records have, before and after."""
    sides = (before, after)
    title = f"{unit.records.capitalize()} by their visits"
    return Figure(
        title="Lengths of trajectories, before and after",
        description="Bars with the share of records by their number of visits, before and after.",
        panels=[draw_lengths(*sides, title, "Visits")],
        legend=BEFORE_AND_AFTER,
        head=["Visits", "Before", "After"],
        rows=[
            [name, *(show_number(float(summed)) for summed in figures)]
            for name, figures in (
                ("Average", [round(float(side.mean()), 2) if len(side) else 0 for side in sides]),
                ("Most", [side.max(initial=0) for side in sides]),
            )
        ],
    )


def count_sizes(sizes: Ints, visits: Ints) -> list[dict[str, Any]]:
    """Return published places and visits per bin of sizes."""
    sizes, visits = sizes[visits > 0], visits[visits > 0]
    most = int(sizes.max(initial=1))
    # Up to 8 places each size has a bar; beyond, sizes 3 to 5, 6 to 10, 11 to 20 and so on share one.
    edges = list(range(1, most + 2)) if most <= 8 else [1, *(e + 1 for e in choose_edges(most, None) if e != 3)]
    places, _ = np.histogram(sizes, edges)
    entries, _ = np.histogram(sizes, edges, weights=visits)
    total = max(int(visits.sum()), 1)
    return [
        {
            "size": "1 (exact)" if first == 1 else show_bin(first, end),
            "places": count,
            "visits": int(seen),
            "share": seen / total,
        }
        for first, end, count, seen in zip(edges[:-1], edges[1:], places.tolist(), entries.tolist(), strict=True)
    ]


def draw_sizes(rows: list[dict[str, Any]]) -> Figure:
    """Draw how many published places there are of each size, and how many visits fall on them."""
    axis = "Places that a published place stands for"
    places = [(row["size"], row["places"], show_count(row["places"])) for row in rows]
    visits = [(row["size"], row["share"], show_share(row["share"])) for row in rows]
    return Figure(
        title="Sizes of published places",
        description="Two bar charts: published places, and visits published as them, by how many original "
        "places each stands for.",
        panels=[draw_bars(places, "Published places", axis), draw_bars(visits, "Visits published as them", axis)],
        head=["Places it stands for", "Published places", "Visits", "Share of visits"],
        rows=[
            [row["size"], show_count(row["places"]), show_count(row["visits"]), show_share(row["share"])]
            for row in rows
        ],
    )
