"""Plots about tables: what became of columns and their values, sizes of classes, and what goes together."""

from __future__ import annotations

import itertools
from collections.abc import Sequence
from typing import Any

import numpy as np

from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.comparison.losses import PublishedAttribute
from sfumato.kinds.table.comparison.spread import Spread, associate
from sfumato.report.markup import shorten
from sfumato.report.numerals import show_bin, show_count, show_number, show_share
from sfumato.report.palette import AFTER, BEFORE, INK, MUTED, STEPS
from sfumato.report.plots import PANEL_WIDTH, choose_edges, draw_bars

__all__ = ["draw_classes", "draw_generalised", "draw_marginals", "draw_pairs"]

Spec = dict[str, Any]

_NAME_LENGTH = 22
_BIN_LENGTH = 13
_MOST_PANELS = 16
_MOST_PAIRED = 16
_WAYS = (("exact", STEPS[0]), ("generalised", STEPS[2]), ("suppressed", STEPS[4]))
_LIMITS = (0.05, 0.1, 0.2, 0.4)
_STRENGTHS = ("below 0.05", "0.05–0.1", "0.1–0.2", "0.2–0.4", "0.4 and above")
_SHARE_AXIS = {"labelExpr": "format(100 * datum.value, '~g') + ' %'", "domain": False, "ticks": False}
_LETTER = 7.2
"""Pixels that a letter of a label takes: browsers have wider fonts than the program that makes the plots."""


def draw_generalised(found: TableComparison, width: float = 2 * PANEL_WIDTH - 290) -> tuple[Spec, dict[str, Any]]:
    """Draw a bar per quasi-identifier: its cells that are exact, generalised and suppressed; and say what it shows."""
    rows, values = [], []
    for column in found.columns:
        shares = _shares(column)
        name = shorten(column.name, _NAME_LENGTH)
        loss = found.average(column.losses[column.cells.index])
        edge = 0.0
        for at, ((way, _), share) in enumerate(zip(_WAYS, shares, strict=True)):
            values.append({"name": name, "way": way, "begin": edge, "end": edge + share, "order": at})
            edge += share
        rows.append([column.name, *(show_share(share) for share in shares), show_number(round(loss, 4))])
    names = list(dict.fromkeys(str(value["name"]) for value in values))
    y = {
        "field": "name",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": names, "paddingInner": 0.3},
        "axis": {**_name_axis(names), "labelColor": INK},
    }
    x = {
        "field": "begin",
        "type": "quantitative",
        "scale": {"domain": [0, 1]},
        "axis": {**_SHARE_AXIS, "title": "Share of published cells", "tickCount": 5},
    }
    scale = {"domain": [way for way, _ in _WAYS], "range": [colour for _, colour in _WAYS]}
    colour = {"field": "way", "type": "nominal", "scale": scale, "legend": None}
    losses = [{"name": shorten(row[0], _NAME_LENGTH), "text": f"NCP {row[-1]}"} for row in rows]
    text = {"type": "text", "align": "left", "baseline": "middle", "dx": 8, "color": MUTED, "aria": False}
    layers = [
        {
            "data": {"values": values},
            "mark": {"type": "bar", "aria": False},
            "encoding": {"y": y, "x": x, "x2": {"field": "end"}, "color": colour},
        },
        {
            "data": {"values": losses},
            "mark": text,
            "encoding": {"y": y, "x": {"value": width}, "text": {"field": "text"}},
        },
    ]
    view = {"width": width, "height": {"step": 24}, "layer": layers}
    return {"vconcat": [_legend(_WAYS), view], "spacing": 6}, {
        "title": "How far quasi-identifiers are generalised",
        "description": "A bar per quasi-identifier: shares of its cells that are exact, generalised and suppressed.",
        "head": ["Quasi-identifier", "Exact", "Generalised", "Suppressed", "NCP"],
        "rows": rows,
    }


def _shares(column: PublishedAttribute) -> list[float]:
    total = max(int(column.amounts.sum()), 1)
    ways = (column.exact, ~column.exact & ~column.suppressed, column.suppressed)
    return [float(column.amounts[way].sum()) / total for way in ways]


def draw_marginals(found: TableComparison) -> tuple[Spec, dict[str, Any]]:
    """Draw a panel per quasi-identifier: the share of records in each bin before and after; and say what it shows."""
    shown = found.columns[:_MOST_PANELS]
    panels, rows = [], []
    for column in shown:
        spread = Spread(column)
        before = spread.of_original / max(found.records, 1)
        after = spread.of_release / max(found.published.records, 1)
        panels.append(_marginal_panel(spread, before.tolist(), after.tolist()))
        for name, was, now in zip(spread.bins, before.tolist(), after.tolist(), strict=True):
            rows.append([f"{column.name}: {shorten(name, 40)}", show_share(was), show_share(now)])
    notes = []
    if len(shown) < len(found.columns):
        notes.append(f"The first {len(shown)} of {len(found.columns)} quasi-identifiers are shown.")
    pairs = [{"hconcat": panels[at : at + 2], "spacing": 30} for at in range(0, len(panels), 2)]
    return {"vconcat": [_legend((("before", BEFORE), ("after", AFTER))), *pairs], "spacing": 14}, {
        "title": "Values of quasi-identifiers before and after",
        "description": "A panel per quasi-identifier with two bars per bin: the share of original records, and of "
        "published ones when every value of a cell is as likely.",
        "notes": notes,
        "head": ["Quasi-identifier: value", "Before", "After"],
        "rows": rows,
    }


def _legend(entries: Sequence[tuple[str, str]]) -> Spec:
    """Explain colours in a line of its own."""
    layers: list[Spec] = []
    at = 0.0
    for text, colour in entries:
        data = {"values": [{"text": text}]}
        square = {"type": "square", "color": colour, "size": 90, "opacity": 1, "aria": False}
        words = {"type": "text", "align": "left", "baseline": "middle", "color": MUTED, "aria": False}
        layers.append({"data": data, "mark": square, "encoding": {"x": {"value": at + 6}, "y": {"value": 8}}})
        encoding = {"x": {"value": at + 16}, "y": {"value": 8}, "text": {"field": "text"}}
        layers.append({"data": data, "mark": words, "encoding": encoding})
        at += 40 + _LETTER * len(text)
    return {"width": at, "height": 16, "layer": layers}


def _name_axis(names: Sequence[str]) -> Spec:
    """Return an axis of names, with room for the longest."""
    room = _LETTER * max(map(len, names), default=0) + 8
    return {"title": None, "ticks": False, "domain": False, "labelLimit": room + 40, "minExtent": room}


def _marginal_panel(spread: Spread, before: list[float], after: list[float]) -> Spec:
    names = _tell_apart([shorten(name, _BIN_LENGTH) for name in spread.bins])
    width, longest = PANEL_WIDTH - 60, _LETTER * max(map(len, names), default=0)
    step = width / max(len(names), 1)
    turned = {"labelAngle": -40, "minExtent": 0.7 * longest + 12} if longest > step else {"labelAngle": 0}
    x = {
        "field": "bin",
        "type": "nominal",
        "sort": None,
        "scale": {"domain": names, "padding": 0},
        "axis": {"title": None, "ticks": False, "labelLimit": 120, **turned},
    }
    y = {"field": "share", "type": "quantitative", "axis": {**_SHARE_AXIS, "title": None, "tickCount": 3}}
    layers = []
    for shares, colour, side in ((before, BEFORE, -1), (after, AFTER, 1)):
        values = [{"bin": name, "share": share} for name, share in zip(names, shares, strict=True)]
        mark = {"type": "bar", "color": colour, "width": 0.36 * step, "xOffset": side * 0.19 * step, "aria": False}
        layers.append({"data": {"values": values}, "mark": mark, "encoding": {"x": x, "y": y}})
    return {"width": width, "height": 110, "title": shorten(spread.column.name, 40), "layer": layers}


def _tell_apart(names: list[str]) -> list[str]:
    """Return the names with a number behind those that are the same when they are cut short."""
    seen: dict[str, int] = {}
    told = []
    for name in names:
        seen[name] = seen.get(name, 0) + 1
        told.append(name if seen[name] == 1 else f"{name} {seen[name]}")
    return told


def draw_classes(found: TableComparison) -> tuple[Spec, dict[str, Any]]:
    """Draw how many classes are how large, and how many records are in them; and say what it shows."""
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
    views = [
        draw_bars(counts, "Classes", "Records in the class"),
        draw_bars(shares, "Records in them", "Records in the class"),
    ]
    return {"hconcat": views, "spacing": 24}, {
        "title": "Sizes of classes",
        "description": "Two bar charts: classes, and the records in them, by the number of records of a class.",
        "head": ["Records in the class", "Classes", "Share of records"],
        "rows": [[name, text, share] for (name, _, text), (_, _, share) in zip(counts, shares, strict=True)],
    }


def draw_pairs(found: TableComparison) -> tuple[Spec, dict[str, Any]]:
    """Draw how strongly columns go together, before beside after; and say what it shows."""
    roles = {column.name: column.role for column in found.comparison.release.columns}
    chosen = [*found.columns, *sorted(found.exact, key=lambda column: roles[column.name] != "sensitive")]
    spreads = [Spread(column) for column in chosen[:_MOST_PAIRED]]
    names = _tell_apart([shorten(spread.column.name, _NAME_LENGTH) for spread in spreads])
    values, rows = [], []
    for one, other in itertools.combinations(range(len(spreads)), 2):
        was, now = associate(spreads[one], spreads[other])
        for when, strength in (("Before", was), ("After", now)):
            step = _STRENGTHS[int(np.searchsorted(_LIMITS, strength, "right"))]
            values += [
                {"when": when, "one": names[a], "other": names[b], "step": step}
                for a, b in ((one, other), (other, one))
            ]
        told = f"{spreads[one].column.name} and {spreads[other].column.name}"
        rows.append([told, f"{was:.2f}", f"{now:.2f}"])
    notes = [f"The first {_MOST_PAIRED} of {len(chosen)} columns are shown."] if len(chosen) > _MOST_PAIRED else []
    views = [_pairs_panel([v for v in values if v["when"] == when], names, when) for when in ("Before", "After")]
    steps = list(zip(_STRENGTHS, STEPS, strict=True))
    return {"vconcat": [_legend(steps), {"hconcat": views, "spacing": 24}], "spacing": 10}, {
        "title": "How strongly columns go together, before and after",
        "description": "Two maps of all pairs of columns; the darker, the more one tells about the other.",
        "notes": notes,
        "head": ["Columns", "Before", "After"],
        "rows": rows,
    }


def _pairs_panel(values: list[dict[str, Any]], names: list[str], when: str) -> Spec:
    axis = _name_axis(names)
    across = {**axis, "labelAngle": -50, "minExtent": 0.8 * axis["minExtent"]}
    size = max(14, min(32, 290 // max(len(names), 1)))
    scale = {"domain": names, "padding": 0.06}
    down = axis if when == "Before" else {**axis, "labels": False, "minExtent": 0}
    encoding = {
        "x": {"field": "one", "type": "nominal", "sort": None, "scale": scale, "axis": across},
        "y": {"field": "other", "type": "nominal", "sort": None, "scale": scale, "axis": down},
        "color": {
            "field": "step",
            "type": "nominal",
            "scale": {"domain": list(_STRENGTHS), "range": list(STEPS)},
            "legend": None,
        },
    }
    return {
        "width": size * len(names),
        "height": size * len(names),
        "title": when,
        "data": {"values": values},
        "mark": {"type": "rect", "aria": False},
        "encoding": encoding,
    }
