"""Plots about tables: what became of columns and their values, sizes of classes, and what goes together."""

from __future__ import annotations

import itertools
from typing import Any

import altair as alt
import numpy as np

from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.losses import PublishedAttribute
from sfumato.kinds.table.comparison.spread import Spread, associate
from sfumato.report.figure import inline
from sfumato.report.markup import shorten
from sfumato.report.numerals import choose_edges, show_bin, show_count, show_number, show_share
from sfumato.report.palette import STEPS
from sfumato.report.plots import (
    BEFORE_AND_AFTER,
    PANEL_WIDTH,
    Figure,
    LegendEntry,
    draw_bars,
    draw_twin_bars,
    name_axis,
    share_axis,
    tell_apart,
)

__all__ = ["draw_classes", "draw_errors", "draw_generalised", "draw_marginals", "draw_pairs"]

_NAME_LENGTH = 22
_MOST_PANELS = 16
_MOST_PAIRED = 16
_MOST_ERRORS = 12
_WAYS = (("exact", STEPS[0]), ("generalised", STEPS[2]), ("suppressed", STEPS[4]))
_LIMITS = (0.05, 0.1, 0.2, 0.4)
_STRENGTHS = ("below 0.05", "0.05–0.1", "0.1–0.2", "0.2–0.4", "0.4 and above")


def draw_generalised(found: TableComparison) -> Figure:
    """Draw a bar per quasi-identifier: its cells that are exact, generalised and suppressed."""
    rows, values, losses = [], [], []
    for column in found.columns:
        shares = _shares(column)
        name = shorten(column.name, _NAME_LENGTH)
        loss = found.average(column.losses[column.cells.index])
        edge = 0.0
        for (way, colour), share in zip(_WAYS, shares, strict=True):
            told = f"{column.name}: {show_share(share)} {way}"
            values.append({"name": name, "colour": colour, "begin": edge, "end": edge + share, "told": told})
            edge += share
        losses.append((column.name, loss, show_share(loss)))
        rows.append([column.name, *(show_share(share) for share in shares), show_number(round(loss, 4))])
    names = list(dict.fromkeys(str(value["name"]) for value in values))
    y = alt.Y("name:N", sort=None, scale=alt.Scale(domain=names, paddingInner=0.3)).axis(name_axis(names))
    bars = (
        alt.Chart(inline(values))
        .mark_bar(aria=False)
        .encode(
            y=y,
            x=alt.X("begin:Q", scale=alt.Scale(domain=[0, 1])).axis(share_axis("Share of published cells")),
            x2="end:Q",
            color=alt.Color("colour:N", scale=None, legend=None),
            tooltip="told:N",
        )
    )
    return Figure(
        title="How far quasi-identifiers are generalised",
        description="A bar per quasi-identifier: shares of its cells that are exact, generalised and suppressed.",
        panels=[
            bars.properties(width=PANEL_WIDTH, height=24 * max(len(names), 1), title="Published cells"),
            draw_bars(losses, "Share of the column a cell may stand for", ""),
        ],
        legend=tuple(LegendEntry("square", colour, way) for way, colour in _WAYS),
        head=["Quasi-identifier", "Exact", "Generalised", "Suppressed", "NCP"],
        rows=rows,
    )


def _shares(column: PublishedAttribute) -> list[float]:
    total = max(int(column.amounts.sum()), 1)
    ways = (column.exact, ~column.exact & ~column.suppressed, column.suppressed)
    return [float(column.amounts[way].sum()) / total for way in ways]


def draw_marginals(found: TableComparison) -> Figure:
    """Draw a panel per quasi-identifier: the share of records in each bin before and after."""
    shown = found.columns[:_MOST_PANELS]
    panels, rows = [], []
    for column in shown:
        bins = _spread(found, column)
        panels.append(draw_twin_bars(bins, shorten(column.name, 40), None, shares=True))
        rows += [[f"{column.name}: {shorten(name, 40)}", show_share(was), show_share(now)] for name, was, now in bins]
    notes = []
    if len(shown) < len(found.columns):
        notes.append(f"The first {len(shown)} of {len(found.columns)} quasi-identifiers are shown.")
    return Figure(
        title="Values of quasi-identifiers before and after",
        description="A panel per quasi-identifier with two bars per bin: the share of original records, and of "
        "published ones when every value of a cell is as likely.",
        panels=panels,
        legend=BEFORE_AND_AFTER,
        notes=notes,
        head=["Quasi-identifier: value", "Before", "After"],
        rows=rows,
    )


def _spread(found: TableComparison, column: PublishedAttribute) -> list[tuple[str, float, float]]:
    """Return the share of records in each bin of a column, before and after."""
    spread = Spread(column)
    before = spread.of_original / max(found.records, 1)
    after = spread.of_release / max(found.published.records, 1)
    return list(zip(spread.bins, before.tolist(), after.tolist(), strict=True))


def draw_errors(found: TableComparison) -> Figure:
    """Draw how far off the release is for the values that are furthest off, each as a share of the true number."""
    errors = [
        (f"{column.name}: {name}", abs(now - was) / was)
        for column in found.columns
        for name, was, now in _spread(found, column)
        if was > 0
    ]
    errors.sort(key=lambda error: -error[1])
    worst = [(name, min(error, 1.0), show_share(error)) for name, error in errors[:_MOST_ERRORS]]
    told = f"{len(worst)} of {show_count(len(errors))} values and bins are shown."
    return Figure(
        title="Relative error per value",
        description="A bar per value of a quasi-identifier: how far off its number of records is.",
        panels=[draw_bars(worst, "Relative error", "")],
        notes=[told],
        head=["Quasi-identifier: value", "Relative error"],
        rows=[[name, text] for name, _, text in worst],
    )


def draw_classes(found: TableComparison) -> Figure:
    """Draw how many classes are how large, and how many records are in them."""
    k = getattr(found.comparison.release.guarantee, "k", None)
    sizes = found.published.sizes
    edges = choose_edges(int(max(sizes.max(initial=1), k or 1)), k)
    classes, _ = np.histogram(sizes, edges)
    records, _ = np.histogram(sizes, edges, weights=sizes)
    first = int((classes > 0).argmax()) if classes.any() else 0
    total = max(int(sizes.sum()), 1)
    names = [show_bin(low, high) for low, high in itertools.pairwise(edges)][first:]
    counts = [(name, int(n), show_count(int(n))) for name, n in zip(names, classes[first:], strict=True)]
    shares = [(name, n / total, show_share(n / total)) for name, n in zip(names, records[first:], strict=True)]
    return Figure(
        title="Sizes of classes",
        description="Two bar charts: classes, and the records in them, by the number of records of a class.",
        panels=[
            draw_bars(counts, "Classes", "Records in the class"),
            draw_bars(shares, "Records in them", "Records in the class"),
        ],
        head=["Records in the class", "Classes", "Share of records"],
        rows=[[name, text, share] for (name, _, text), (_, _, share) in zip(counts, shares, strict=True)],
    )


def draw_pairs(found: TableComparison) -> Figure:
    """Draw how strongly columns go together, before beside after."""
    roles = {column.name: column.role for column in found.comparison.release.columns}
    chosen = [*found.columns, *sorted(found.exact, key=lambda column: roles[column.name] != "sensitive")]
    spreads = [Spread(column) for column in chosen[:_MOST_PAIRED]]
    names = tell_apart([shorten(spread.column.name, _NAME_LENGTH) for spread in spreads])
    values, rows = [], []
    for one, other in itertools.combinations(range(len(spreads)), 2):
        was, now = associate(spreads[one], spreads[other])
        for when, strength in (("Before", was), ("After", now)):
            colour = STEPS[int(np.searchsorted(_LIMITS, strength, "right"))]
            values += [
                {"when": when, "one": names[a], "other": names[b], "colour": colour}
                | {"told": f"{names[a]} and {names[b]}: {strength:.2f}"}
                for a, b in ((one, other), (other, one))
            ]
        told = f"{spreads[one].column.name} and {spreads[other].column.name}"
        rows.append([told, f"{was:.2f}", f"{now:.2f}"])
    notes = [f"The first {_MOST_PAIRED} of {len(chosen)} columns are shown."] if len(chosen) > _MOST_PAIRED else []
    return Figure(
        title="How strongly columns go together, before and after",
        description="Two maps of all pairs of columns; the darker, the more one tells about the other.",
        panels=[_draw_pairs([v for v in values if v["when"] == when], names, when) for when in ("Before", "After")],
        legend=tuple(LegendEntry("square", colour, text) for text, colour in zip(_STRENGTHS, STEPS, strict=True)),
        notes=notes,
        head=["Columns", "Before", "After"],
        rows=rows,
    )


def _draw_pairs(values: list[dict[str, Any]], names: list[str], when: str) -> Any:
    size = max(14, min(32, 260 // max(len(names), 1)))
    scale, down = alt.Scale(domain=names, padding=0.06), name_axis(names)
    across = name_axis(names)
    across.labelAngle, across.minExtent = -50, 0.8 * across.minExtent
    return (
        alt.Chart(inline(values))
        .mark_rect(aria=False)
        .encode(
            x=alt.X("one:N", sort=None, scale=scale).axis(across),
            y=alt.Y("other:N", sort=None, scale=scale).axis(down),
            color=alt.Color("colour:N", scale=None, legend=None),
            tooltip="told:N",
        )
        .properties(width=min(PANEL_WIDTH, size * len(names) + down.minExtent), height=size * len(names), title=when)
    )
