"""How the plots of a study are drawn: lines with bands, bars, a scatter with its front."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

from sfumato.metrics.time_series import TimeSeries
from sfumato.reports.palette import AFTER, BEFORE, FONT, GRID, GROUPS, INK, MUTED, NEUTRAL
from sfumato.studies.trials import PHASES

if TYPE_CHECKING:
    import altair as alt

__all__ = ["PlotStyle", "draw_bands", "draw_stacks"]

_HEIGHT = 280
_PLAIN = ",.12~g"
"""Numbers along an axis: large ones in full, without an exponent."""
_TRUTH = "the truth"
_MORE_COLOURS = ("#7a5195", "#8c6d1f", "#5a6f00", "#b30059", "#004c6d", "#8a8a8a")
_SHAPES = ("circle", "square", "triangle-up", "diamond", "cross", "triangle-down")
_STEEP = 50
"""A parameter that grows by more than this factor is drawn on a logarithmic axis."""


def draw_stacks(rows: list[dict[str, Any]], lines: list[str], width: int | str) -> alt.TopLevelMixin:
    """Draw where time goes, one bar per method."""
    import altair as alt

    picked = alt.selection_point(fields=["phase"], bind="legend")
    chart = (
        alt.Chart(alt.Data(values=rows))
        .mark_bar()
        .encode(
            x=alt.X("seconds:Q", title="Seconds", stack="zero", axis=alt.Axis(tickCount=5, format=_PLAIN)),
            y=alt.Y("line:N", title=None, sort=lines, axis=alt.Axis(labelLimit=150)),
            color=alt.Color("phase:N", title=None, sort=list(PHASES), scale=_colours(PHASES), legend=_legend(PHASES)),
            order=alt.Order("turn:Q"),
            opacity=alt.condition(picked, alt.value(1.0), alt.value(0.15)),
            tooltip=[_tip("line", "method"), _tip("phase", "phase"), _tip("seconds", "seconds", ".3~g")],
        )
        .add_params(picked)
    )
    return _finish(chart, width, max(60, 34 * len(lines)))


def draw_bands(all_series: Mapping[str, TimeSeries], top: int, width: int | str) -> alt.TopLevelMixin:
    """Draw answers over time: of each release a band from certain to possible and the expected line, and the truth.

    Parameters
    ----------
    all_series
        What each release answers, by what it is called; all of the same stretches of time.
    top
        Where the vertical axis ends, so that several plots can be compared.
    width
        In pixels, or as wide as its container.

    Examples
    --------
    >>> time_series = TimeSeries("mail", "people", False, (0, 5, 10), (1, 0), (2, 2), (1.5, 1.0), (2, 1))
    >>> len(draw_bands({"k = 2": time_series}, 2, 300).to_dict()["layer"])
    3
    """
    import altair as alt

    from sfumato.reports.answers import list_edges
    from sfumato.reports.times import time_field

    first = next(iter(all_series.values()))
    time_unit, edges = list_edges(first)
    names = [*all_series, _TRUTH]
    colours = alt.Scale(domain=names, range=[*GROUPS[: len(all_series)], INK])
    picked = alt.selection_point(fields=["line"], bind="legend")
    axis_scale = alt.Scale(domain=[0, max(top, 1)], nice=True)
    y = {
        "title": first.counted.capitalize(),
        "axis": alt.Axis(tickCount=5, tickMinStep=1, format=_PLAIN),
        "scale": axis_scale,
    }
    colour = alt.Color("line:N", title=None, scale=colours, legend=_legend(names))
    shared = {"x": time_field("time", time_unit, (edges[0], edges[-1])), "color": colour}
    rows = [row for name, time_series in all_series.items() for row in _list_stretches(name, time_series, edges)]
    band_chart, truth_chart = (
        alt.Chart(alt.Data(values=values)).encode(**shared) for values in (rows, _list_stretches(_TRUTH, first, edges))
    )
    faded = alt.condition(picked, alt.value(1.0), alt.value(0.08))
    tips = [_tip("line", "release"), _tip("from", "from"), _tip("told", "certain to possible")]
    return _finish(
        alt.layer(
            band_chart.mark_area(interpolate="step-after").encode(
                y=alt.Y("certain:Q", **y),
                y2="possible:Q",
                opacity=alt.condition(picked, alt.value(0.22), alt.value(0.03)),
                tooltip=[*tips, _tip("expected", "expected", ",.1~f"), _tip("truth", "truth", ",d")],
            ),
            band_chart.mark_line(interpolate="step-after", strokeWidth=1.6).encode(
                y=alt.Y("expected:Q", **y), opacity=faded
            ),
            truth_chart.mark_line(interpolate="step-after", strokeWidth=1.6)
            .encode(y=alt.Y("truth:Q", **y), opacity=faded)
            .add_params(picked),
        ),
        width,
        _HEIGHT,
    )


def _list_stretches(line: str, time_series: TimeSeries, edges: Sequence[float]) -> list[dict[str, Any]]:
    """Return where the steps of a line begin, and where the last one ends."""
    rows = time_series.list_rows()
    return [
        {"line": line, "time": edge, "told": f"{row['certain']:,} to {row['possible']:,}", **row}
        for edge, row in zip(edges, [*rows, rows[-1]], strict=True)
    ]


@dataclasses.dataclass(frozen=True)
class PlotStyle:
    """What the layers of one plot have in common.

    Parameters
    ----------
    lines
        Names of all lines of the study: each has the same colour and shape in every plot.
    title
        What is drawn.
    along
        What the horizontal axis shows.
    before
        What it is in the original, to be marked; None for nothing.
    is_share
        Whether values are shares, to be written in percent.

    Examples
    --------
    >>> look = PlotStyle(["coat"], "Loss", "k", None, is_share=True)
    >>> row = {"line": "coat", "at": 2.0, "values": "k = 2", "mean": 0.5, "low": 0.4, "high": 0.6}
    >>> len(look.draw_lines([row], 300).to_dict()["layer"])
    3
    """

    lines: Sequence[str]
    title: str
    along: str
    before: float | None
    is_share: bool

    def draw_lines(self, rows: list[dict[str, Any]], width: int | str) -> alt.TopLevelMixin:
        """Draw one line per method, with a band where repetitions differ."""
        import altair as alt

        picked = alt.selection_point(fields=["line"], bind="legend")
        chart = alt.Chart(alt.Data(values=rows)).encode(x=self._along(rows), color=self._colour(rows))
        faded = alt.condition(picked, alt.value(1.0), alt.value(0.12))
        layers: list[Any] = []
        if any(row["low"] < row["high"] for row in rows):
            band = alt.condition(picked, alt.value(0.18), alt.value(0.03))
            layers.append(chart.mark_area().encode(y=alt.Y("low:Q", title=None), y2="high:Q", opacity=band))
        layers.append(chart.mark_line(strokeWidth=2).encode(y=self._value("mean"), opacity=faded))
        layers.append(
            chart.mark_point(filled=True, size=55)
            .encode(y=self._value("mean"), shape=self._shape(rows), opacity=faded, tooltip=self._tips("mean"))
            .add_params(picked)
        )
        layers += self._mark_before()
        return _finish(alt.layer(*layers), width, _HEIGHT)

    def draw_bars(self, rows: list[dict[str, Any]], width: int | str) -> alt.TopLevelMixin:
        """Draw one bar per method, where nothing varies."""
        import altair as alt

        order = [row["line"] for row in rows]
        bars = (
            alt.Chart(alt.Data(values=rows))
            .mark_bar(color=AFTER)
            .encode(
                y=alt.Y("line:N", title=None, sort=order, axis=alt.Axis(labelLimit=150)),
                x=alt.X("mean:Q", title=None, axis=self._axis()),
                tooltip=self._tips("mean"),
            )
        )
        return _finish(bars, width, max(60, 34 * len(rows)))

    def draw_front(
        self, front: list[dict[str, Any]], rows: list[dict[str, Any]], width: int | str
    ) -> alt.TopLevelMixin:
        """Draw risk against a measure, with the front as a dashed line."""
        import altair as alt

        picked = alt.selection_point(fields=["line"], bind="legend")
        axis_scale = alt.Scale(zero=False, padding=10)
        x = alt.X("risk:Q", title=self.along, axis=alt.Axis(format=".4~%", tickCount=6), scale=axis_scale)
        y = alt.Y("value:Q", title=None, axis=self._axis(), scale=axis_scale)
        line = (
            alt.Chart(alt.Data(values=front))
            .mark_line(color=NEUTRAL, strokeDash=[5, 4], interpolate="step-after")
            .encode(x=x, y=y)
        )
        filled = alt.condition("datum.on === 'on the front'", alt.value(1.0), alt.value(0.0))
        dots = (
            alt.Chart(alt.Data(values=rows))
            .mark_point(size=90, strokeWidth=1.8)
            .encode(
                x=x,
                y=y,
                color=self._colour(rows),
                fill=alt.Fill("line:N", scale=_colours(self.lines), legend=None),
                shape=self._shape(rows),
                fillOpacity=filled,
                opacity=alt.condition(picked, alt.value(1.0), alt.value(0.12)),
                tooltip=[
                    _tip("line", "method"),
                    _tip("values", "values"),
                    _tip("risk", self.along, ".2~%"),
                    _tip("value", self.title, ".2~%" if self.is_share else ".3~g"),
                    _tip("on", "front"),
                ],
            )
            .add_params(picked)
        )
        return _finish(alt.layer(line, dots), width, _HEIGHT)

    def _along(self, rows: list[dict[str, Any]]) -> alt.X:
        import altair as alt

        at = [row["at"] for row in rows]
        if not all(isinstance(value, float) for value in at):
            for row in rows:
                row["at"] = str(row["at"])
            return alt.X("at:O", title=self.along, sort=None, axis=alt.Axis(labelAngle=0))
        ticks = sorted(set(at))
        steep = min(at) > 0 and max(at) / min(at) > _STEEP
        scale = alt.Scale(type="log", nice=False) if steep else alt.Scale(zero=False, nice=False, padding=12)
        axis = alt.Axis(values=ticks, format=",.6~g", labelOverlap=True, grid=False)
        return alt.X("at:Q", title=self.along, scale=scale, axis=axis)

    def _value(self, field: str) -> alt.Y:
        import altair as alt

        return alt.Y(f"{field}:Q", title=None, axis=self._axis())

    def _axis(self) -> alt.Axis:
        import altair as alt

        return alt.Axis(format=".4~%" if self.is_share else _PLAIN, tickCount=5)

    def _colour(self, rows: list[dict[str, Any]]) -> alt.Color:
        import altair as alt

        legend = _legend([line for line in self.lines if any(row["line"] == line for row in rows)])
        return alt.Color("line:N", title=None, scale=_colours(self.lines), legend=legend)

    def _shape(self, rows: list[dict[str, Any]]) -> alt.Shape:
        import altair as alt

        shapes = [_SHAPES[number % len(_SHAPES)] for number in range(len(self.lines))]
        legend = _legend([line for line in self.lines if any(row["line"] == line for row in rows)])
        return alt.Shape("line:N", title=None, scale=alt.Scale(domain=list(self.lines), range=shapes), legend=legend)

    def _tips(self, field: str) -> list[alt.Tooltip]:
        form = ".2~%" if self.is_share else ".3~g"
        tips = [_tip("line", "method"), _tip("values", "values"), _tip(field, self.title, form)]
        return [*tips, _tip("low", "lowest", form), _tip("high", "highest", form)]

    def _mark_before(self) -> list[Any]:
        if self.before is None:
            return []
        import altair as alt

        chart = alt.Chart(alt.Data(values=[{"before": self.before, "text": "original"}]))
        tip = _tip("before", "original", ".2~%" if self.is_share else ".3~g")
        y = alt.Y("before:Q", title=None)
        rule = chart.mark_rule(color=BEFORE, strokeDash=[5, 4], strokeWidth=1.6).encode(y=y, tooltip=[tip])
        text = chart.mark_text(color=BEFORE, align="right", baseline="bottom", dy=-3).encode(
            y=y, x=alt.value("width"), text="text:N"
        )
        return [rule, text]


def _colours(lines: Sequence[str]) -> alt.Scale:
    import altair as alt

    colours = (*GROUPS, *_MORE_COLOURS)
    return alt.Scale(domain=list(lines), range=[colours[number % len(colours)] for number in range(len(lines))])


def _legend(lines: Sequence[str]) -> alt.Legend | None:
    import altair as alt

    longest = max((len(line) for line in lines), default=0)
    columns = 4 if longest <= 8 else 3 if longest <= 12 else 2 if longest <= 20 else 1
    # Bands are faint, and symbols would be as faint as they are.
    return alt.Legend(
        orient="bottom", columns=columns, symbolLimit=40, labelLimit=260, symbolOpacity=1, values=list(lines)
    )


def _tip(field: str, title: str, form: str | None = None) -> alt.Tooltip:
    import altair as alt

    if form is None:
        return alt.Tooltip(f"{field}:N", title=title)
    return alt.Tooltip(f"{field}:Q", title=title, format=form)


def _finish(chart: Any, width: int | str, height: int) -> alt.TopLevelMixin:
    """Give a chart its size and the look of the reports."""
    sized = chart.properties(width=width, height=height, background="transparent", padding=4)
    finished: alt.TopLevelMixin = (
        sized.configure(font=FONT)
        .configure_view(stroke=None)
        .configure_axis(
            labelColor=MUTED, titleColor=MUTED, labelFontSize=12, titleFontSize=12, titleFontWeight="normal",
            gridColor=GRID, domainColor=MUTED, tickColor=MUTED,
        )
        .configure_legend(labelColor=INK, labelFontSize=12, symbolSize=70, symbolOpacity=1)
        .configure_title(anchor="start", color=INK, fontSize=14, fontWeight=600, offset=8)
    )  # fmt: skip
    return finished
