"""Plots that several kinds of data have: anonymity sets, risk over what is known, bars, values before and after."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import altair as alt
import numpy as np

from sfumato.attacks.risk import Risk
from sfumato.base.guarantee import Guarantee
from sfumato.data.record_unit import RecordUnit
from sfumato.reports.figure import Figure, LegendEntry, inline, save_figure, to_html, to_pdf, to_png, to_svg
from sfumato.reports.html import shorten
from sfumato.reports.numbers import choose_edges, show_bin, show_count, show_share
from sfumato.reports.palette import AFTER, BEFORE, INK

__all__ = [
    "BEFORE_AND_AFTER",
    "PANEL_WIDTH",
    "Figure",
    "LegendEntry",
    "choose_edges",
    "draw_bars",
    "draw_risk_curve",
    "draw_sets",
    "draw_twin_bars",
    "make_unique",
    "name_axis",
    "save_figure",
    "share_axis",
    "to_html",
    "to_pdf",
    "to_png",
    "to_svg",
]

PANEL_WIDTH = 440
"""Pixels that a panel is wide: two stand beside each other on a wide screen, one fills a narrow one."""

BEFORE_AND_AFTER = (LegendEntry("square", BEFORE, "before"), LegendEntry("square", AFTER, "after"))

_LETTER = 7.2
"""Pixels that a letter of a label takes: browsers have wider fonts than the program that makes the plots."""

_ROW = 20
_LABEL_LENGTH = 26
_HEADROOM = 1.3
_THICKEST = 80
_TOPS = (0.001, 0.002, 0.005, 0.01, 0.02, 0.05, 0.1, 0.2, 0.3, 0.4, 0.5, 0.6, 0.8, 1.0)
_PERCENT = "format(100 * datum.value, '~g') + ' %'"


def share_axis(title: str | None = None, **more: Any) -> Any:
    """Return an axis of shares, in per cent."""
    return alt.Axis(labelExpr=_PERCENT, domain=False, ticks=False, title=title, **{"tickCount": 3, **more})


def draw_sets(
    before: Risk, after: Risk, guarantee: Guarantee, width: float = PANEL_WIDTH, height: float = 130
) -> Figure:
    """Draw how many records fit what an attacker knows, with a line where the guarantee begins.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees import KmAnonymity
    >>> risk = Risk(2, 0.5, 0.5, "ordered-places", 2, 0.0, np.array([2, 2]))
    >>> draw_sets(risk, risk, KmAnonymity(k=2, m=2)).rows
    [['1', '0', '0 %', '0', '0 %'], ['2', '2', '100 %', '2', '100 %']]
    """
    # A guarantee of at least one record is none.
    k = getattr(guarantee, "k", 1) if getattr(guarantee, "k", 1) > 1 else None
    rows, unit = _count_sets(before, after, k), after.unit
    line = f"; a dashed line marks k = {k}" if k else ""
    both = [[row for row in rows if row["when"] == when] for when in ("before", "after")]
    return Figure(
        title=f"Number of {unit.records} that match what an attacker knows, before and after",
        description=f"Two histograms of the number of matching records per {unit.one} on a logarithmic axis{line}.",
        panels=_draw_sets(both, k, width, height, unit),
        head=[f"Matching {unit.records.capitalize()}", f"Before: {unit.many}", "share", f"After: {unit.many}", "share"],
        rows=[
            [show_bin(b["first"], b["end"])]
            + [shown for row in (b, a) for shown in (show_count(row["people"]), show_share(row["share"]))]
            for b, a in zip(*both, strict=True)
        ],
    )


def _count_sets(before: Risk, after: Risk, k: int | None) -> list[dict[str, Any]]:
    """Return the share of people per bin of anonymity-set sizes; k is where a bin begins."""
    most = max(int(risk.set_sizes.max(initial=1)) for risk in (before, after))
    edges = choose_edges(max(most, k or 1), k)
    rows = []
    for when, risk in (("before", before), ("after", after)):
        counts, _ = np.histogram(risk.set_sizes[risk.set_sizes > 0], edges)
        for first, end, people in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
            share = people / max(len(risk.set_sizes), 1)
            rows.append({"when": when, "first": first, "end": end, "people": people, "share": share, "floor": 0})
    return rows


def _draw_sets(
    both: list[list[dict[str, Any]]], k: int | None, width: float, height: float, unit: RecordUnit
) -> list[Any]:
    """Draw two histograms over the same logarithmic axis, with a line where the guarantee begins."""
    end = max(row["end"] for row in both[0])
    largest = max(row["share"] for rows in both for row in rows)
    top = next((step for step in _TOPS if step >= largest), 1.0)
    fits = f"{unit.records.capitalize()} that match what the attacker knows"
    panels = []
    for rows, colour, name in zip(
        both, (BEFORE, AFTER), ("Before: original data", "After: published data"), strict=True
    ):
        values = [
            {**row, "told": f"{show_bin(row['first'], row['end'])}: {show_share(row['share'])} of {unit.many}"}
            for row in rows
        ]
        # The room above the tallest bar is where k is named, so that no bar is behind it.
        bars = (
            alt.Chart(inline(values))
            .mark_rect(color=colour, xOffset=0.5, x2Offset=-0.5, aria=False)
            .encode(
                x=alt.X("first:Q", scale=_log_scale([1, end]), axis=_sets_axis(end, width, fits)),
                x2="end:Q",
                y=alt.Y("share:Q", scale=alt.Scale(domain=[0, _HEADROOM * top], nice=False))
                .axis(share_axis(f"Share of {unit.many}", values=[0, top / 2, top])),
                y2="floor:Q",
                tooltip="told:N",
            )
        )  # fmt: skip
        title = alt.Title(name, subtitle=_sum_up_sets(rows, k, unit))
        panels.append(alt.layer(bars, *_mark_k(k)).properties(width=width, height=height, title=title))
    return panels


def _log_scale(domain: list[float]) -> Any:
    return alt.Scale(type="log", domain=domain, nice=False)


def _sets_axis(end: int, width: float, title: str) -> Any:
    ticks = [step * 10**power for power in range(10) for step in (1, 2, 5) if step * 10**power <= end]
    if len(ticks) * 42 > width:
        ticks = [tick for tick in ticks if str(tick)[0] == "1"]
    return alt.Axis(values=ticks, format=",d", grid=False, title=title)


def _mark_k(k: int | None) -> list[Any]:
    if k is None:
        return []
    at = alt.Chart(inline([{"k": k, "text": f"k = {show_count(k)}"}])).encode(x="k:Q")
    return [
        at.mark_rule(color=INK, strokeDash=[4, 3], aria=False),
        at.mark_text(align="left", baseline="top", dx=5, dy=2, color=INK, aria=False).encode(
            y=alt.value(0), text="text:N"
        ),
    ]


def _sum_up_sets(rows: list[dict[str, Any]], k: int | None, unit: RecordUnit) -> str:
    if k is None:
        return f"{show_share(rows[0]['share'])} of {unit.many} are unique"
    below = sum(row["share"] for row in rows if row["end"] <= k)
    return f"{show_share(below)} of {unit.many} match fewer than {show_count(k)}"


def draw_risk_curve(curve: Sequence[tuple[Risk, Risk]], knowledge: str, height: float = 120) -> Figure:
    """Draw how the risk grows with what an attacker knows, before and after: who is unique, and average success.

    Parameters
    ----------
    curve
        What an attacker reaches before and after, from the one who knows least to the one who knows most.
    knowledge
        What is known, such as ``Places known``.
    height
        Pixels.

    Examples
    --------
    >>> risk = Risk(2, 0.5, 0.5, "ordered-places", 2, 0.0, np.array([2, 2]), m=1)
    >>> draw_risk_curve([(risk, risk)], "Places known").rows
    [['1', '0 %', '0 %', '50.0 %', '50.0 %']]
    """
    unit = curve[0][1].unit
    sides = (f"{unit.many.capitalize()} that are unique", f"Attacker’s success, average {unit.one}")
    panels = []
    for title, name in zip(sides, ("unique_share", "mean_success"), strict=True):
        values = [
            {"m": risk.m, "when": when, "share": float(getattr(risk, name))}
            | {"told": f"{knowledge.lower()}: {risk.m}, {when}: {show_share(float(getattr(risk, name)))}"}
            for pair in curve
            for when, risk in zip(("before", "after"), pair, strict=True)
        ]
        lines = alt.Chart(inline(values)).encode(
            x=alt.X("m:O", axis=alt.Axis(title=knowledge, labelAngle=0, grid=False)),
            y=alt.Y("share:Q", scale=alt.Scale(domain=[0, 1])).axis(share_axis()),
            color=alt.Color("when:N", scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]), legend=None),
            tooltip="told:N",
        )
        layers = [lines.mark_line(strokeWidth=2, aria=False), lines.mark_point(filled=True, size=60, aria=False)]
        panels.append(alt.layer(*layers).properties(width=PANEL_WIDTH, height=height, title=title))
    return Figure(
        title="Risk by what an attacker knows, before and after",
        description="Two plots with a line before and a line after: unique records and average success by what is "
        "known.",
        panels=panels,
        legend=BEFORE_AND_AFTER,
        head=[knowledge, "Unique before", "Unique after", "Success before", "Success after"],
        rows=[
            [
                str(pair[0].m),
                *(show_share(risk.unique_share) for risk in pair),
                *(show_share(risk.mean_success) for risk in pair),
            ]
            for pair in curve
        ],
    )


def draw_bars(bars: Sequence[tuple[str, float, str]], title: str, axis: str, width: float = PANEL_WIDTH) -> Any:
    """Draw bars, each with its name and a text; lying ones where names or texts have no room beside each other.

    Examples
    --------
    >>> draw_bars([("1", 3, "three")], "Things", "Size").title
    'Things'
    """
    longest = max((max(len(name), len(text)) for name, _, text in bars), default=0)
    if _LETTER * longest > 0.95 * width / max(len(bars), 1):
        return _draw_lying_bars(bars, title, axis, width)
    values = [{"name": name, "height": height, "text": text, "told": f"{name}: {text}"} for name, height, text in bars]
    extent = 1.2 * max((height for _, height, _ in bars), default=0) or 1
    thick = min(_THICKEST, 0.65 * width / max(len(bars), 1))
    base = alt.Chart(inline(values)).encode(
        x=alt.X("name:N", sort=None, scale=alt.Scale(paddingInner=0.35, paddingOuter=0.2)).axis(
            alt.Axis(title=axis, labelAngle=0, ticks=False)
        ),
        y=alt.Y("height:Q", axis=None, scale=alt.Scale(domain=[0, extent])),
        tooltip="told:N",
    )
    texts = base.mark_text(baseline="bottom", dy=-3, color=INK, aria=False).encode(text="text:N")
    return alt.layer(base.mark_bar(color=AFTER, size=thick, aria=False), texts).properties(
        width=width, height=120, title=title
    )


def _draw_lying_bars(bars: Sequence[tuple[str, float, str]], title: str, axis: str, width: float) -> Any:
    names = make_unique([shorten(name, _LABEL_LENGTH) for name, _, _ in bars])
    values = [
        {"name": name, "length": length, "text": text, "told": f"{full}: {text}"}
        for name, (full, length, text) in zip(names, bars, strict=True)
    ]
    # Texts stand behind the bars: the longest bar leaves room for its own.
    extent = 1.35 * max((length for _, length, _ in bars), default=0) or 1
    base = alt.Chart(inline(values)).encode(
        y=alt.Y("name:N", sort=None, scale=alt.Scale(paddingInner=0.3)).axis(name_axis(names, axis)),
        x=alt.X("length:Q", axis=None, scale=alt.Scale(domain=[0, extent])),
        tooltip="told:N",
    )
    texts = base.mark_text(align="left", baseline="middle", dx=4, color=INK, aria=False).encode(text="text:N")
    layers = alt.layer(base.mark_bar(color=AFTER, aria=False), texts)
    return layers.properties(width=width, height=_ROW * max(len(bars), 1), title=title)


def name_axis(names: Sequence[str], title: str | None = None) -> Any:
    """Return an axis of names, with room for the longest."""
    extent = _LETTER * max(map(len, names), default=0) + 8
    return alt.Axis(title=title, ticks=False, domain=False, labelLimit=extent + 40, minExtent=extent)


def make_unique(names: Sequence[str]) -> list[str]:
    """Return the names with a number behind those that are the same when they are cut short.

    Examples
    --------
    >>> make_unique(["a", "b", "a"])
    ['a', 'b', 'a 2']
    """
    seen: dict[str, int] = {}
    distinct = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        distinct.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return distinct


def draw_twin_bars(
    bars: Sequence[tuple[str, float, float]], title: str, axis: str | None, *, shares: bool, width: float = PANEL_WIDTH
) -> Any:
    """Draw two bars per name, before and after, beside each other; lying where the names have no room.

    Examples
    --------
    >>> draw_twin_bars([("1", 0.25, 0.5)], "Things", "Size", shares=True).title
    'Things'
    """
    show = show_share if shares else lambda value: show_count(round(value))
    lying = _LETTER * max((len(name) for name, _, _ in bars), default=0) > 0.95 * (width - 60) / max(len(bars), 1)
    names = make_unique([shorten(name, _LABEL_LENGTH) for name, _, _ in bars])
    values = [
        {"name": name, "when": when, "amount": float(amount), "told": f"{full}, {when}: {show(amount)}"}
        for name, (full, *both) in zip(names, bars, strict=True)
        for when, amount in zip(("before", "after"), both, strict=True)
    ]
    amounts = share_axis() if shares else alt.Axis(title=None, domain=False, ticks=False, tickCount=3, format=",d")
    colour = alt.Color("when:N", legend=None, scale=alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER]))
    chart = alt.Chart(inline(values)).mark_bar(aria=False)
    if lying:
        drawn = chart.encode(
            y=alt.Y("name:N", sort=None, scale=alt.Scale(paddingInner=0.25)).axis(name_axis(names, axis)),
            yOffset=alt.YOffset("when:N", sort=["before", "after"]),
            x=alt.X("amount:Q").axis(amounts),
        )
    else:
        drawn = chart.encode(
            x=alt.X("name:N", sort=None, scale=alt.Scale(paddingInner=0.25)).axis(
                alt.Axis(title=axis, labelAngle=0, ticks=False)
            ),
            xOffset=alt.XOffset("when:N", sort=["before", "after"]),
            y=alt.Y("amount:Q").axis(amounts),
        )
    height = 22 * max(len(bars), 1) if lying else 120
    return drawn.encode(color=colour, tooltip="told:N").properties(width=width, height=height, title=title)
