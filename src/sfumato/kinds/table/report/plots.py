"""Plots about tables: what became of columns and their values, sizes of classes, and what goes together."""

from __future__ import annotations

import dataclasses
import itertools
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.base.guarantee import Guarantee
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.losses import ComparedColumn
from sfumato.kinds.table.comparison.spread import Spread, associate
from sfumato.reports.figure import inline
from sfumato.reports.html import shorten
from sfumato.reports.numbers import choose_edges, show_bin, show_count, show_number, show_share
from sfumato.reports.palette import STEPS
from sfumato.reports.plots import (
    BEFORE_AND_AFTER,
    PANEL_WIDTH,
    Figure,
    LegendEntry,
    draw_bars,
    draw_twin_bars,
    make_unique,
    name_axis,
    share_axis,
)

__all__ = [
    "ColumnSummaries",
    "draw_classes",
    "draw_columns",
    "draw_errors",
    "draw_generalised",
    "draw_marginals",
    "draw_pairs",
]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_NAME_LENGTH = 22
_MOST_PANELS = 16
_MOST_PAIRED = 16
_MOST_ERRORS = 12
_WAYS = (("exact", STEPS[0]), ("generalised", STEPS[2]), ("suppressed", STEPS[4]))
_LIMITS = (0.05, 0.1, 0.2, 0.4)
_STRENGTHS = ("below 0.05", "0.05–0.1", "0.1–0.2", "0.2–0.4", "0.4 and above")


@dataclasses.dataclass(frozen=True, eq=False)
class ColumnSummary:
    """What became of a column: cells by how far they are generalised, what they lose, and records in bins."""

    name: str
    ways: Ints
    """Cells that are exact, generalised and suppressed."""
    loss: float
    """Share of the column that cells may stand for, added up."""
    bins: tuple[str, ...]
    before: Floats
    after: Floats

    @classmethod
    def of(cls, column: ComparedColumn) -> ColumnSummary:
        """Count the cells of a column, and lay its values into bins."""
        ways = (column.exact, ~column.exact & ~column.values.suppressed, column.values.suppressed)
        spread = Spread(column)
        return cls(
            column.name,
            np.array([int(column.amounts[way].sum()) for way in ways]),
            float(column.losses[column.codes].sum()),
            spread.bins,
            spread.of_original.astype(np.float64),
            spread.of_release,
        )

    def __add__(self, other: ColumnSummary) -> ColumnSummary:
        """Return what became of the column in two partitions of a release."""
        return ColumnSummary(
            self.name,
            self.ways + other.ways,
            self.loss + other.loss,
            max(self.bins, other.bins, key=len),
            _add_bins(self.before, other.before),
            _add_bins(self.after, other.after),
        )


def _add_bins(bins: Floats, other: Floats) -> Floats:
    """Add up bins; partitions may differ in the last ones, of values that only some of them may stand for."""
    total = np.zeros(max(len(bins), len(other)))
    total[: len(bins)] += bins
    total[: len(other)] += other
    return total


@dataclasses.dataclass(frozen=True, eq=False)
class ColumnSummaries:
    """What became of all columns of a release, and of how many records."""

    columns: tuple[ColumnSummary, ...]
    records: int
    published: int

    @classmethod
    def of(cls, view: TableComparison) -> ColumnSummaries:
        """Look at all quasi-identifiers."""
        return cls(tuple(map(ColumnSummary.of, view.columns)), view.records, view.published.records)

    def __add__(self, other: ColumnSummaries) -> ColumnSummaries:
        """Return what became of the columns in two partitions of a release."""
        columns = (summary + more for summary, more in zip(self.columns, other.columns, strict=True))
        return ColumnSummaries(tuple(columns), self.records + other.records, self.published + other.published)

    def spread(self, column: ColumnSummary) -> list[tuple[str, float, float]]:
        """Return the share of records in each bin of a column, before and after."""
        before, after = column.before / max(self.records, 1), column.after / max(self.published, 1)
        return list(zip(column.bins, before.tolist(), after.tolist(), strict=True))


def draw_columns(summaries: ColumnSummaries) -> dict[str, Figure]:
    """Draw all figures about columns, by name."""
    return {
        "generalised": draw_generalised(summaries),
        "marginals": draw_marginals(summaries),
        "errors": draw_errors(summaries),
    }


def draw_generalised(summaries: ColumnSummaries) -> Figure:
    """Draw a bar per quasi-identifier: its cells that are exact, generalised and suppressed."""
    rows, values, losses = [], [], []
    for column in summaries.columns:
        shares = (column.ways / max(int(column.ways.sum()), 1)).tolist()
        name = shorten(column.name, _NAME_LENGTH)
        loss = (column.loss + summaries.records - summaries.published) / max(summaries.records, 1)
        edge = 0.0
        for (way, colour), share in zip(_WAYS, shares, strict=True):
            tooltip = f"{column.name}: {show_share(share)} {way}"
            values.append({"name": name, "colour": colour, "begin": edge, "end": edge + share, "told": tooltip})
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
            draw_bars(losses, "Share of the column that a cell may stand for", ""),
        ],
        legend=tuple(LegendEntry("square", colour, way) for way, colour in _WAYS),
        head=["Quasi-identifier", "Exact", "Generalised", "Suppressed", "NCP"],
        rows=rows,
    )


def draw_marginals(summaries: ColumnSummaries) -> Figure:
    """Draw a panel per quasi-identifier: the share of records in each bin before and after."""
    shown = summaries.columns[:_MOST_PANELS]
    panels, rows = [], []
    for column in shown:
        bins = summaries.spread(column)
        panels.append(draw_twin_bars(bins, shorten(column.name, 40), None, shares=True))
        rows += [[f"{column.name}: {shorten(name, 40)}", show_share(was), show_share(now)] for name, was, now in bins]
    notes = []
    if len(shown) < len(summaries.columns):
        notes.append(f"The first {len(shown)} of {len(summaries.columns)} quasi-identifiers are shown.")
    return Figure(
        title="Values of quasi-identifiers before and after",
        description="A panel per quasi-identifier with two bars per bin: the share of original records, and of "
        "published ones with cells spread evenly over their values.",
        panels=panels,
        legend=BEFORE_AND_AFTER,
        notes=notes,
        head=["Quasi-identifier: value", "Before", "After"],
        rows=rows,
    )


def draw_errors(summaries: ColumnSummaries) -> Figure:
    """Draw how far off the release is for the values that are furthest off, each as a share of the true number."""
    errors = [
        (f"{column.name}: {name}", abs(now - was) / was)
        for column in summaries.columns
        for name, was, now in summaries.spread(column)
        if was > 0
    ]
    errors.sort(key=lambda error: -error[1])
    worst = [(name, min(error, 1.0), show_share(error)) for name, error in errors[:_MOST_ERRORS]]
    note = f"{len(worst)} of {show_count(len(errors))} values and bins are shown."
    return Figure(
        title="Relative error per value",
        description="A bar per value of a quasi-identifier: the relative error of its number of records.",
        panels=[draw_bars(worst, "Relative error", "")],
        notes=[note],
        head=["Quasi-identifier: value", "Relative error"],
        rows=[[name, text] for name, _, text in worst],
    )


def draw_classes(sizes: Ints, guarantee: Guarantee) -> Figure:
    """Draw how many classes are how large, and how many records are in them."""
    k = getattr(guarantee, "k", None)
    edges = choose_edges(int(max(sizes.max(initial=1), k or 1)), k)
    classes, _ = np.histogram(sizes, edges)
    records, _ = np.histogram(sizes, edges, weights=sizes)
    first = int((classes > 0).argmax()) if classes.any() else 0
    total = max(int(sizes.sum()), 1)
    names = [show_bin(low, high) for low, high in itertools.pairwise(edges)][first:]
    counts = [(name, int(n), show_count(int(n))) for name, n in zip(names, classes[first:], strict=True)]
    shares = [(name, n / total, show_share(n / total)) for name, n in zip(names, records[first:], strict=True)]
    return Figure(
        title="Sizes of groups",
        description="Two bar charts: groups, and the records in them, by the number of records of a group.",
        panels=[
            draw_bars(counts, "Classes", "Records in the group"),
            draw_bars(shares, "Records in them", "Records in the group"),
        ],
        head=["Records in the group", "Classes", "Share of records"],
        rows=[[name, text, share] for (name, _, text), (_, _, share) in zip(counts, shares, strict=True)],
    )


def draw_pairs(view: TableComparison) -> Figure:
    """Draw how strongly columns go together, before beside after."""
    roles = {column.name: column.role for column in view.comparison.release.columns}
    chosen = [*view.columns, *sorted(view.exact, key=lambda column: roles[column.name] != "sensitive")]
    spreads = [Spread(column) for column in chosen[:_MOST_PAIRED]]
    names = make_unique([shorten(spread.column.name, _NAME_LENGTH) for spread in spreads])
    values, rows = [], []
    for first, other in itertools.combinations(range(len(spreads)), 2):
        was, now = associate(spreads[first], spreads[other])
        for when, strength in (("Before", was), ("After", now)):
            colour = STEPS[int(np.searchsorted(_LIMITS, strength, "right"))]
            values += [
                {"when": when, "one": names[a], "other": names[b], "colour": colour}
                | {"told": f"{names[a]} and {names[b]}: {strength:.2f}"}
                for a, b in ((first, other), (other, first))
            ]
        pair = f"{spreads[first].column.name} and {spreads[other].column.name}"
        rows.append([pair, f"{was:.2f}", f"{now:.2f}"])
    notes = [f"The first {_MOST_PAIRED} of {len(chosen)} columns are shown."] if len(chosen) > _MOST_PAIRED else []
    return Figure(
        title="Association of columns, before and after",
        description="Two maps of all pairs of columns; the darker, the stronger the association.",
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
