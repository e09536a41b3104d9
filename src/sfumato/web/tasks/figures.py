"""Pictures of data as they are, whatever kind they are of: drawn by the parts that their columns play."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.schema import Column
from sfumato.reports.figure import Figure, inline
from sfumato.reports.html import draw_figure
from sfumato.reports.numbers import show_count, show_share
from sfumato.reports.palette import BEFORE
from sfumato.reports.plots import draw_bars
from sfumato.reports.times import show_time, time_field, to_axis
from sfumato.reports.values import draw_lengths

__all__ = ["draw_by_knowledge", "draw_dataset"]

_MOST_VALUES = 12
_MOST_COLUMNS = 12
_MOST_PLACES = 1500
_BINS = 40
_LONG = 10_000
_ATTRIBUTES = {"quasi-identifier", "sensitive", "plain"}


def draw_dataset(dataset: Dataset) -> list[str]:
    """Draw what data hold: lengths, values, times, places and attributes, whichever there are."""
    figures: list[tuple[Figure, str]] = []
    roles = {column.role for column in dataset.schema.columns}
    if "history" in roles and len(dataset):
        figures += _draw_history(dataset)
    if "time" in roles and len(dataset):
        figures += _draw_times(dataset)
    if dataset.places is not None and {"x", "y"} <= set(dataset.places.column_names):
        figures.append(_draw_places(dataset))
    attributes = [column for column in dataset.schema.columns if column.role in _ATTRIBUTES]
    figures += [_draw_attribute(dataset, column) for column in attributes[:_MOST_COLUMNS]]
    return [draw_figure(f"look-{at}", _recolour(figure), caption) for at, (figure, caption) in enumerate(figures)]


def draw_by_knowledge(risks: Sequence[Mapping[str, Any]], many: str) -> list[str]:
    """Draw which share stands alone for attackers who know one piece, two, and so on."""
    risks_by_knowledge = [risk for risk in risks if "m" in risk and "unique_share" in risk]
    if not risks_by_knowledge:
        return []
    bars = [
        (str(risk["m"]), float(risk["unique_share"]), show_share(risk["unique_share"])) for risk in risks_by_knowledge
    ]
    panel = draw_bars(bars, f"Share of {many} that stand alone", "Pieces of knowledge")
    rows = [[name, text] for name, _, text in bars]
    figure = Figure(
        "Who stands alone", f"Share of {many} that are unique.", [panel], head=["Pieces", "Alone"], rows=rows
    )
    return [draw_figure("rising", _recolour(figure), f"The more somebody knows, the more {many} stand alone.")]


def _draw_history(dataset: Dataset) -> list[tuple[Figure, str]]:
    history, name = dataset.history(), dataset.schema.history
    lengths = draw_lengths(
        np.asarray(history.lengths), None, f"How many {name}", f"{name} of {dataset.unit.record_of_person}"
    )
    counts = np.bincount(history.codes, minlength=len(history.labels))
    first = np.argsort(-counts, kind="stable")[:_MOST_VALUES]
    bars = [(str(history.labels[code]), float(counts[code]), show_count(int(counts[code]))) for code in first]
    common = draw_bars(bars, f"Most common {name}", name)
    return [
        (
            Figure(f"How many {name}", f"Share of {dataset.unit.many} by number of {name}.", [lengths]),
            f"Share of {dataset.unit.many} by number of {name}.",
        ),
        (
            Figure(f"Most common {name}", "Bars.", [common], head=[name, "count"], rows=[[b[0], b[2]] for b in bars]),
            _describe_shown(len(bars), int((counts > 0).sum())),
        ),
    ]


def _draw_times(dataset: Dataset) -> list[tuple[Figure, str]]:
    column = dataset.table.column(dataset.schema.time).combine_chunks()
    flat = column.flatten() if hasattr(column, "flatten") and column.type.num_fields else column
    times = np.asarray(flat.to_numpy(zero_copy_only=False))
    if not len(times) or not np.issubdtype(times.dtype, np.integer):
        return []
    time_unit, span = dataset.time_unit, int(np.ptp(times)) + 1
    bins = min(_BINS, span)
    edges = times.min() + span * np.arange(bins + 1) / bins
    # Records that have one time for all of their entries count as often as they have entries.
    listed = any(column.role == "history" for column in dataset.schema.columns)
    often = np.asarray(dataset.history().lengths) if listed and len(times) == len(dataset) else None
    counts, _ = np.histogram(times, bins=edges, weights=often)
    description = (
        f"How many {dataset.schema.history if listed else dataset.unit.many} there were in each stretch of time."
    )
    rows = [
        {"from": to_axis(float(low), time_unit), "to": to_axis(float(high), time_unit), "count": int(count)}
        | {"told": f"{show_time(int(low), time_unit)}: {show_count(int(count))}"}
        for low, high, count in zip(edges[:-1], edges[1:], counts, strict=True)
    ]
    domain = (to_axis(float(edges[0]), time_unit), to_axis(float(edges[-1]), time_unit))
    panel = (
        alt.Chart(inline(rows))
        .mark_bar(color=BEFORE, aria=False)
        .encode(
            x=time_field("from", time_unit, domain),
            x2="to",
            y=alt.Y("count:Q").axis(alt.Axis(title=None, tickCount=3, tickMinStep=1, format=",d", domain=False)),
            tooltip="told:N",
        )
        .properties(width=420, height=120, title="Over time")
    )
    table = [
        [show_time(int(low), time_unit), show_count(int(count))] for low, count in zip(edges, counts, strict=False)
    ]
    figure = Figure("Over time", description, [panel], head=["from", "count"], rows=table)
    return [(figure, description)]


def _draw_places(dataset: Dataset) -> tuple[Figure, str]:
    assert dataset.places is not None
    history = dataset.history()
    counts = np.bincount(history.codes, minlength=len(history.labels))
    x, y = (np.asarray(dataset.places.column(name).to_numpy(), dtype=float) for name in ("x", "y"))
    first = np.argsort(-counts, kind="stable")[:_MOST_PLACES]
    first = first[first < len(x)]
    rows = [
        {
            "x": float(x[at]),
            "y": float(y[at]),
            "visits": int(counts[at]),
            "told": f"{show_count(int(counts[at]))} visits",
        }
        for at in first
    ]
    wide, high = (max(float(np.ptp(axis[first])), 1e-9) if len(first) else 1.0 for axis in (x, y))
    width = 420
    panel = (
        alt.Chart(inline(rows))
        .mark_circle(color=BEFORE, opacity=0.55, aria=False)
        .encode(
            x=alt.X("x:Q", axis=None, scale=alt.Scale(zero=False)),
            y=alt.Y("y:Q", axis=None, scale=alt.Scale(zero=False)),
            size=alt.Size("visits:Q", legend=None, scale=alt.Scale(range=[8, 260])),
            tooltip="told:N",
        )
        .properties(width=width, height=min(max(width * high / wide, 120), 420), title="Where")
    )
    shown = f"{len(first):,} of {len(counts):,} places, larger where there were more visits."
    return Figure("Where", "Places on a map.", [panel]), shown


def _draw_attribute(dataset: Dataset, column: Column) -> tuple[Figure, str]:
    values = dataset.table.column(column.name)
    pairs = values.value_counts().to_pylist()
    read = [_read_number(pair["values"]) for pair in pairs]
    numbers = [number for number in read if number is not None]
    if len(numbers) == len(pairs) and len(pairs) > _MOST_VALUES:
        bars = _cut_numbers(np.asarray(numbers), np.asarray([pair["counts"] for pair in pairs]))
        description = f"{len(pairs):,} different values."
    else:
        pairs.sort(key=lambda pair: (-pair["counts"], str(pair["values"])))
        bars = [(str(p["values"]), float(p["counts"]), show_count(p["counts"])) for p in pairs[:_MOST_VALUES]]
        description = _describe_shown(len(bars), len(pairs))
    panel = draw_bars(bars, column.name, "")
    rows = [[name, text] for name, _, text in bars]
    return Figure(column.name, description, [panel], head=[column.name, "count"], rows=rows), description


def _describe_shown(shown: int, total: int) -> str:
    return f"The {shown} most common of {total:,} values." if total > shown else f"All {total:,} values."


def _cut_numbers(values: npt.NDArray[np.float64], counts: npt.NDArray[np.int64]) -> list[tuple[str, float, str]]:
    """Count numbers in about a dozen ranges with round ends: 10, 20, 30, not 18, 24.4, 30.8."""
    step = _round_up(float(np.ptp(values)) / _MOST_VALUES)
    at = np.floor(values / step).astype(np.int64)
    first = int(at.min())
    sums = np.bincount(at - first, weights=counts)
    whole = step >= 1 and bool((values == np.floor(values)).all())
    ends = [(first + i) * step for i in range(len(sums))]
    # Years are read without a separator: only longer numbers have one.
    number_format = "{:,.0f}" if max(abs(ends[0]), abs(ends[-1])) >= _LONG else "{:.0f}"
    names = [
        f"{number_format.format(low)}–{number_format.format(low + step - 1)}"
        if whole
        else f"{low:,.6g}–{low + step:,.6g}"
        for low in ends
    ]
    names = [number_format.format(low) for low in ends] if whole and step == 1 else names
    return [(name, float(count), show_count(int(count))) for name, count in zip(names, sums, strict=True)]


def _round_up(width: float) -> float:
    """Return the least of 1, 2, 5, 10, 20, ... or 0.5, 0.2, 0.1, ... that is as large."""
    tens = 10.0 ** np.floor(np.log10(width)) if width > 0 else 1.0
    return next(float(tens * digit) for digit in (1, 2, 5, 10) if tens * digit >= width * (1 - 1e-9))


def _read_number(value: Any) -> float | None:
    """Return the number that a value is; codes with zeros in front are none."""
    text = str(value)
    if text[:1] == "0" and text[1:2].isdigit():
        return None
    try:
        number = float(text)
    except ValueError:
        return None
    return number if np.isfinite(number) else None


def _recolour(figure: Figure) -> Figure:
    """Return a figure in the colour of what was before: nothing was done to these data."""
    return dataclasses.replace(figure, panels=[_paint(panel) for panel in figure.panels])


def _paint(panel: Any) -> Any:
    for layer in getattr(panel, "layer", ()):
        if getattr(layer.mark, "type", "") == "bar":
            layer.mark.color = BEFORE
    return panel
