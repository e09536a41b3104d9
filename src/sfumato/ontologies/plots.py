"""How sources are connected, as a picture."""

from __future__ import annotations

from sfumato.ontologies.connectivity import Connectivity
from sfumato.reports.plots import BEFORE_AND_AFTER, Figure, draw_bars, draw_twin_bars

__all__ = ["draw_connectivity"]


def draw_connectivity(connectivity: Connectivity) -> Figure:
    """Draw what every two sources have in common before and after links, and what only one source has."""
    pairs, statements = (
        [
            (f"{a} and {b}", connectivity.before[a, b][what].common, connectivity.after[a, b][what].common)
            for a, b in connectivity.before
        ]
        for what in ("things", "statements")
    )
    panels = [
        draw_twin_bars(pairs, "Things in common, before and after links", None, shares=False),
        draw_twin_bars(statements, "Statements in common, before and after links", None, shares=False),
        draw_bars(
            [
                (c.source, c.only_statements, f"{c.only_statements:,} of {c.statements:,}")
                for c in connectivity.contributions
            ],
            "Statements that are lost without a source",
            "",
        ),
        draw_bars(
            [(str(number), count, f"{count:,}") for number, count in connectivity.about_common.items()],
            "Things by how many sources say something about them",
            "Sources",
        ),
    ]
    return Figure(
        title="How sources are connected, before and after links",
        description="Bars of what every two sources have in common before and after links, of what only one has, "
        "and of things by the number of sources that say something about them.",
        panels=panels,
        legend=BEFORE_AND_AFTER,
        head=["Sources", "Things before", "Things after", "Statements before", "Statements after"],
        rows=[
            [name, str(before), str(after), str(statement_row[1]), str(statement_row[2])]
            for (name, before, after), statement_row in zip(pairs, statements, strict=True)
        ],
    )
