"""The plots of the report as Vega-Lite specifications, and pictures of them."""

from __future__ import annotations

import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.checking.risk import Risk
from sfumato.core.errors import ParameterError
from sfumato.core.guarantee import Guarantee
from sfumato.core.unit import Unit
from sfumato.core.visible import make_visible_within
from sfumato.report.numerals import show_bin, show_count, show_share
from sfumato.report.palette import AFTER, BEFORE, FONT, GRID, INK, MUTED

__all__ = [
    "PANEL_WIDTH",
    "choose_edges",
    "draw_bars",
    "draw_sets",
    "finish_figure",
    "save_figure",
]

Spec = dict[str, Any]

_SCHEMA = "https://vega.github.io/schema/vega-lite/v5.json"
PANEL_WIDTH = 440
_PICTURE_SCALE = 1.2
_FORMATS = (".pdf", ".png", ".svg")
_LOOK = {
    "font": FONT,
    "view": {"stroke": None},
    "axis": {
        "labelColor": MUTED,
        "labelFontSize": 12,
        "titleColor": MUTED,
        "titleFontSize": 12,
        "titleFontWeight": "normal",
        "gridColor": GRID,
        "domainColor": MUTED,
        "tickColor": MUTED,
    },
    "title": {
        "anchor": "start",
        "color": INK,
        "fontSize": 14,
        "fontWeight": 600,
        "subtitleColor": MUTED,
        "subtitleFontSize": 12,
        "offset": 8,
    },
    "text": {"fontSize": 12},
}
_SHARE_AXIS = {
    "labelExpr": "format(100 * datum.value, '~g') + ' %'",
    "tickCount": 3,
    "domain": False,
    "ticks": False,
}


def save_figure(spec: Spec, path: str | Path) -> None:
    """Write a plot as PNG, SVG or PDF, whichever the name of the file ends in.

    Examples
    --------
    >>> save_figure({}, "map.gif")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: save_figure: a file name must end in .pdf, .png or .svg, got '.gif'.
    """
    import vl_convert

    target = Path(path)
    suffix = target.suffix.lower()
    if suffix not in _FORMATS:
        raise ParameterError(f"save_figure: a file name must end in .pdf, .png or .svg, got {suffix!r}.")
    on_white = {**make_visible_within(spec), "background": "white"}
    if suffix == ".svg":
        target.write_text(vl_convert.vegalite_to_svg(on_white), encoding="utf-8")
    elif suffix == ".png":
        target.write_bytes(_repack(vl_convert.vegalite_to_png(on_white, scale=_PICTURE_SCALE)))
    else:
        target.write_bytes(vl_convert.vegalite_to_pdf(on_white))


def _repack(png: bytes) -> bytes:
    """Compress a PNG file as much as it can be: the converter is in a hurry and leaves twice the size."""
    head, chunks, position = png[:8], [], 8
    while position < len(png):
        length = int.from_bytes(png[position : position + 4])
        chunks.append((png[position + 4 : position + 8], png[position + 8 : position + 8 + length]))
        position += 12 + length
    pixels = zlib.decompress(b"".join(data for name, data in chunks if name == b"IDAT"))
    kept = [(name, data) for name, data in chunks if name not in (b"IDAT", b"IEND")]
    kept += [(b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]
    return head + b"".join(
        len(data).to_bytes(4) + name + data + zlib.crc32(name + data).to_bytes(4) for name, data in kept
    )


def draw_sets(
    before: Risk, after: Risk, guarantee: Guarantee, width: float = 2 * PANEL_WIDTH - 20, height: float = 96
) -> tuple[Spec, dict[str, Any]]:
    """Draw how many records fit what an attacker knows, with a line where the promise begins; and say what it shows.

    Examples
    --------
    >>> from sfumato.kinds.trajectories.guarantees.km_anonymity import KmAnonymity
    >>> risk = Risk(2, 0.5, 0.5, "ordered-places", 2, 0.0, np.array([2, 2]))
    >>> draw_sets(risk, risk, KmAnonymity(k=2, m=2))[1]["rows"]
    [['1', '0', '0 %', '0', '0 %'], ['2', '2', '100 %', '2', '100 %']]
    """
    # A promise of at least one record is none.
    k = getattr(guarantee, "k", 1) if getattr(guarantee, "k", 1) > 1 else None
    sets = _count_sets(before, after, k)
    return _sets_view(sets, k, width, height, after.unit), _sets_facts(sets, k, after.unit)


def finish_figure(view: Spec, facts: dict[str, Any]) -> Spec:
    """Return a whole specification: with the common look, and what the page says about the plot."""
    return {"$schema": _SCHEMA, "background": "transparent", "padding": 3, "config": _LOOK, "usermeta": facts, **view}


def _count_sets(before: Risk, after: Risk, k: int | None) -> list[dict[str, Any]]:
    """Return the share of people per bin of anonymity-set sizes; k is where a bin begins."""
    most = max(int(risk.set_sizes.max(initial=1)) for risk in (before, after))
    edges = choose_edges(max(most, k or 1), k)
    rows = []
    for when, risk in (("before", before), ("after", after)):
        counts, _ = np.histogram(risk.set_sizes[risk.set_sizes > 0], edges)
        for first, end, people in zip(edges[:-1], edges[1:], counts.tolist(), strict=True):
            share = people / max(len(risk.set_sizes), 1)
            rows.append({"when": when, "first": first, "end": end, "people": people, "share": share})
    return rows


def choose_edges(most: int, k: int | None) -> list[int]:
    """Return edges 1, 2, 3, 5, 10, 20, 50, ... beyond `most`, and k.

    Examples
    --------
    >>> choose_edges(12, 4)
    [1, 2, 3, 4, 5, 10, 20]
    """
    edges, power = [1, 2, 3, 5], 10
    while edges[-1] <= most:
        edges += [power, 2 * power, 5 * power]
        power *= 10
    end = next(i for i, edge in enumerate(edges) if edge > most)
    return sorted({*edges[: end + 1], *([k] if k else [])})


def _sets_view(rows: list[dict[str, Any]], k: int | None, width: float, height: float, unit: Unit) -> Spec:
    """Draw two histograms over the same logarithmic axis, with a line where the promise begins."""
    end = max(row["end"] for row in rows)
    top = max([row["share"] for row in rows] + [0.01])
    views = []
    for when, colour, name in (("before", BEFORE, "Before: original data"), ("after", AFTER, "After: published data")):
        mine = [row for row in rows if row["when"] == when]
        encoding = {
            "x": {"field": "first", "type": "quantitative", "scale": {"type": "log", "domain": [1, end], "nice": False}}
            | {"axis": _sets_axis(end, width, unit, is_last=when == "after")},
            "x2": {"field": "end"},
            "y": {
                "field": "share",
                "type": "quantitative",
                "scale": {"domain": [0, top]},
                "axis": {**_SHARE_AXIS, "title": f"Share of {unit.many}"},
            },
            "y2": {"datum": 0},
        }
        mark = {"type": "rect", "color": colour, "xOffset": 0.5, "x2Offset": -0.5, "aria": False}
        layers = [{"data": {"values": mine}, "mark": mark, "encoding": encoding}, *_mark_k(k)]
        title = {"text": name, "subtitle": _sum_up_sets(mine, k, unit)}
        views.append({"width": width, "height": height, "title": title, "layer": layers})
    return {"vconcat": views, "spacing": 14}


def _sets_axis(end: int, width: float, unit: Unit, *, is_last: bool) -> Spec:
    ticks = [step * 10**power for power in range(10) for step in (1, 2, 5) if step * 10**power <= end]
    if len(ticks) * 45 > width:
        ticks = [tick for tick in ticks if str(tick)[0] == "1"]
    title = f"{unit.records.capitalize()} that fit what the attacker knows" if is_last else None
    return {
        "values": ticks, "format": ",d", "grid": False, "labels": is_last, "ticks": is_last, "title": title
    }  # fmt: skip


def _mark_k(k: int | None) -> list[Spec]:
    if k is None:
        return []
    at = {"field": "k", "type": "quantitative"}
    line = {"type": "rule", "color": INK, "strokeDash": [4, 3], "aria": False}
    text = {"type": "text", "align": "left", "baseline": "top", "dx": 5, "dy": 6, "color": INK, "aria": False}
    return [
        {"data": {"values": [{"k": k}]}, "mark": line, "encoding": {"x": at}},
        {
            "data": {"values": [{"k": k, "text": f"k = {show_count(k)}"}]},
            "mark": text,
            "encoding": {"x": at, "y": {"value": 0}, "text": {"field": "text"}},
        },
    ]


def _sum_up_sets(rows: list[dict[str, Any]], k: int | None, unit: Unit) -> str:
    if k is None:
        return f"{show_share(rows[0]['share'])} of {unit.many} are unique"
    below = sum(row["share"] for row in rows if row["end"] <= k)
    return f"{show_share(below)} of {unit.many} hide among fewer than {show_count(k)}"


def _sets_facts(rows: list[dict[str, Any]], k: int | None, unit: Unit) -> dict[str, Any]:
    bins = [row for row in rows if row["when"] == "before"]
    after = [row for row in rows if row["when"] == "after"]
    line = f"; a dashed line marks k = {k}" if k else ""
    return {
        "title": f"How many {unit.records} fit what an attacker knows, before and after",
        "description": f"Two histograms of anonymity-set sizes per {unit.one} over a logarithmic axis{line}.",
        "head": [
            f"{unit.records.capitalize()} that fit",
            f"Before: {unit.many}",
            "share",
            f"After: {unit.many}",
            "share",
        ],
        "rows": [
            [show_bin(b["first"], b["end"])]
            + [shown for row in (b, a) for shown in (show_count(row["people"]), show_share(row["share"]))]
            for b, a in zip(bins, after, strict=True)
        ],
    }


def draw_bars(bars: Sequence[tuple[str, float, str]], title: str, axis: str, width: float = PANEL_WIDTH) -> Spec:
    """Draw bars, each with its name below and a text above.

    Examples
    --------
    >>> draw_bars([("1", 3, "three")], "Things", "Size")["title"]
    'Things'
    """
    values = [{"name": name, "height": height, "text": text} for name, height, text in bars]
    room = 1.2 * max((height for _, height, _ in bars), default=0) or 1
    encoding = {
        "x": {
            "field": "name",
            "type": "nominal",
            "sort": None,
            "scale": {"paddingInner": 0.35, "paddingOuter": 0.2},
            "axis": {"title": axis, "labelAngle": 0, "ticks": False},
        },
        "y": {"field": "height", "type": "quantitative", "axis": None, "scale": {"domain": [0, room]}},
    }
    mark = {"type": "text", "baseline": "bottom", "dy": -3, "color": INK, "aria": False}
    layers = [
        {"mark": {"type": "bar", "color": AFTER, "aria": False}},
        {"mark": mark, "encoding": {"text": {"field": "text"}}},
    ]
    shown = {"data": {"values": values}, "encoding": encoding, "layer": layers}
    return {"width": width, "height": 120, "title": title, **shown}
