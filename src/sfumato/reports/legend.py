"""Legends of figures: what colours and shapes mean, and in pages with scripts a way to show only some of them."""

from __future__ import annotations

import dataclasses
import json
from collections.abc import Iterator, Sequence
from typing import Any

import altair as alt

from sfumato.reports.palette import MUTED

__all__ = ["LegendEntry", "draw_legend", "let_legend_filter"]

_LETTER = 7.2
_GAP = 42
_FAINT = 0.08
_DIMMED = 0.4
_PICKED = "picked"
_HINT = "click: this alone; double click: all"


@dataclasses.dataclass(frozen=True)
class LegendEntry:
    """What a colour or a shape stands for.

    Parameters
    ----------
    shape
        ``square``, ``circle``, ``ring``, ``tick``, ``line`` or ``dash``.
    colour, text
        The colour, and what it means.

    Examples
    --------
    >>> LegendEntry("square", "#c4560b", "before").text
    'before'
    """

    shape: str
    colour: str
    text: str


def draw_legend(entries: Sequence[LegendEntry]) -> Any:
    """Explain colours in a line of its own."""
    layers, at = [], 0.0
    for entry in entries:
        data = alt.Data(values=[{"text": entry.text}])
        layers.append(_draw_symbol(alt.Chart(data), entry).encode(x=alt.value(at + 8), y=alt.value(8)))
        words = alt.Chart(data).mark_text(align="left", baseline="middle", color=MUTED, aria=False)
        layers.append(words.encode(x=alt.value(at + 18), y=alt.value(8), text="text:N"))
        at += _measure(entry)
    return alt.layer(*layers).properties(width=at, height=16)


def _measure(entry: LegendEntry) -> float:
    return _GAP + _LETTER * len(entry.text)


def _draw_symbol(chart: Any, entry: LegendEntry) -> Any:
    if entry.shape == "tick":
        return chart.mark_tick(color=entry.colour, thickness=2.5, size=14, orient="vertical", aria=False)
    if entry.shape in {"line", "dash"}:
        return chart.mark_point(shape="stroke", stroke=entry.colour, strokeWidth=2.5, size=150, aria=False)
    if entry.shape == "ring":
        return chart.mark_point(filled=False, stroke=entry.colour, strokeWidth=1.5, size=55, aria=False)
    shape = "circle" if entry.shape == "circle" else "square"
    return chart.mark_point(shape=shape, filled=True, fill=entry.colour, size=70, opacity=1, aria=False)


def let_legend_filter(spec: dict[str, Any], entries: Sequence[LegendEntry]) -> dict[str, Any]:
    """Return a figure in which a click on the legend leaves only that entry, and a double click all of them.

    Marks belong to an entry by their colour. Where all of them belong to none or the same, there is nothing to choose
    between, and the figure stays as it is.

    Parameters
    ----------
    spec
        A figure in Vega-Lite: its legend above its panels.
    entries
        The legend.

    Examples
    --------
    >>> entries = [LegendEntry("square", "#111111", "before"), LegendEntry("square", "#222222", "after")]
    >>> panels = [{"mark": {"type": "bar", "color": entry.colour}} for entry in entries]
    >>> filtered = let_legend_filter({"vconcat": [{"layer": [], "height": 16}, {"concat": panels}]}, entries)
    >>> filtered["vconcat"][1]["concat"][0]["encoding"]["opacity"]["condition"]["test"]
    '!picked.entry || indexof(picked.entry, 0) >= 0'
    """
    if len(spec.get("vconcat", ())) != 2 or len(entries) < 2:
        return spec
    marks = [(unit, test) for unit in _list_units(spec["vconcat"][1]) if (test := _choose_test(unit, entries))]
    if len({test for _, test in marks}) < 2 and not any("datum" in test for _, test in marks):
        return spec
    for unit, test in marks:
        _fade(unit, test)
    legend = spec["vconcat"][0]
    for place, unit in enumerate(legend["layer"]):
        _fade(unit, _format_test(str(place // 2)), _DIMMED)
    legend["layer"].append(_draw_targets(entries))
    return spec


def _list_units(view: dict[str, Any]) -> Iterator[dict[str, Any]]:
    """Find everything that is drawn inside a view."""
    parts = [part for name in ("layer", "concat", "hconcat", "vconcat") for part in view.get(name, ())]
    for part in parts:
        yield from _list_units(part)
    if "mark" in view:
        yield view


def _choose_test(unit: dict[str, Any], entries: Sequence[LegendEntry]) -> str | None:
    """Say when a mark is to be seen, by the entry that has its colour; None where no entry has."""
    mark = unit["mark"] if isinstance(unit["mark"], dict) else {}
    coded = [unit.get("encoding", {}).get(name, {}) for name in ("color", "fill", "stroke")]
    for channel in coded:
        if "field" in channel:
            return _test_field(channel, entries)
    fixed = [channel.get("value") for channel in coded] + [mark.get(name) for name in ("color", "fill", "stroke")]
    for colour in fixed:
        same_colour = [number for number, entry in enumerate(entries) if entry.colour == colour]
        if len(same_colour) > 1:
            # Of two with the same colour one may be hollow.
            hollow = mark.get("filled") is False or mark.get("fill") == "white"
            same_colour = [
                number for number in same_colour if (entries[number].shape == "ring") == hollow
            ] or same_colour
        if same_colour:
            return " || ".join(_format_test(str(number)) for number in same_colour)
    return None


def _test_field(channel: dict[str, Any], entries: Sequence[LegendEntry]) -> str | None:
    numbers = {entry.colour: number for number, entry in reversed(list(enumerate(entries)))}
    scale = channel.get("scale", {})
    if scale is None:
        numbers_by_value = numbers
    else:
        colours = zip(scale.get("domain", ()), scale.get("range", ()), strict=False)
        numbers_by_value = {value: numbers[colour] for value, colour in colours if colour in numbers}
    if not numbers_by_value:
        return None
    at, number = f"datum[{json.dumps(channel['field'])}]", "-1"
    for value, own in numbers_by_value.items():
        number = f"{at} === {json.dumps(value)} ? {own} : {number}"
    return _format_test(number)


def _format_test(number: str) -> str:
    return f"!{_PICKED}.entry || indexof({_PICKED}.entry, {number}) >= 0"


def _fade(unit: dict[str, Any], test: str, rest: float = _FAINT) -> None:
    """Let a mark be faint unless its entry was picked."""
    encoding = unit.setdefault("encoding", {})
    mark = unit["mark"] if isinstance(unit["mark"], dict) else {}
    if "opacity" not in encoding:
        usual = mark.get("opacity", 1)
        encoding["opacity"] = {"condition": {"test": test, "value": usual}, "value": rest * usual}


def _draw_targets(entries: Sequence[LegendEntry]) -> dict[str, Any]:
    """Lay over the legend what can be clicked at."""
    values, at = [], 0.0
    for number, entry in enumerate(entries):
        values.append({"entry": number, "from": at, "to": at + _measure(entry) - 8, "told": _HINT})
        at += _measure(entry)
    bare = {"type": "quantitative", "scale": None, "axis": None}
    return {
        "data": {"values": values},
        "mark": {"type": "rect", "fill": "white", "fillOpacity": 0.01, "cursor": "pointer"},
        "encoding": {
            "x": {"field": "from", **bare},
            "x2": {"field": "to"},
            "y": {"value": 0},
            "y2": {"value": 16},
            "tooltip": {"field": "told", "type": "nominal"},
        },
        "params": [{"name": _PICKED, "select": {"type": "point", "fields": ["entry"]}}],
    }
