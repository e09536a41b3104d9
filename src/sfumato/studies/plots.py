"""The plots of a study, one function each, drawn with Altair."""

from __future__ import annotations

import dataclasses
import functools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Any

from sfumato.data.record_unit import RecordUnit
from sfumato.escape import make_visible_within
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.metrics.time_series import TimeSeries
from sfumato.reports.html import shorten
from sfumato.reports.numbers import show_number, show_share
from sfumato.studies.figures import PlotStyle, draw_bands, draw_stacks
from sfumato.studies.results import StudyResult
from sfumato.studies.summary import Measure, Point, Spread, describe_success, list_measures, list_points
from sfumato.studies.trials import PHASES

if TYPE_CHECKING:
    import altair as alt

__all__ = ["Figure", "find_front", "list_figures", "save_plots"]


_WIDTH = 560
_BANDS = 3
"""Of so many values of a method answers are drawn; more would hide each other."""
_SHOWN_LENGTH = 40

Get = Callable[[Point], Spread | None]


@dataclasses.dataclass(frozen=True)
class Figure:
    """A plot with what is said about it.

    Parameters
    ----------
    name, title, caption
        What it is called in file names, and what it shows.
    draw
        Draws it so wide, in pixels or as wide as its container.
    head, rows
        The numbers behind it.
    section
        What it is about: ``risk``, ``answers``, ``cost``, or the name of a measure.
    """

    name: str
    title: str
    caption: str
    draw: Callable[[int | str], alt.TopLevelMixin]
    head: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    section: str

    def chart(self) -> alt.TopLevelMixin:
        """Draw it with its title, to stand alone."""
        chart: Any = self.draw(_WIDTH)
        titled: alt.TopLevelMixin = chart.properties(title=self.title)
        return titled

    def spec(self, *, alone: bool = True) -> dict[str, Any]:
        """Return the Vega-Lite specification, to stand alone or as wide as where it is placed in a page."""
        chart: Any = self.chart() if alone else self.draw("container")
        # Labels may hold characters that act instead of being seen.
        specification: dict[str, Any] = make_visible_within(chart.to_dict())
        return specification


def list_figures(result: StudyResult) -> list[Figure]:
    """Return every plot that the results allow: risk, answers over time, each measure, time."""
    points = [point for point in list_points(result) if point.outcomes]
    if not points:
        return []
    figures = _draw_risk(points, result.unit) + _draw_answers(points)
    for measure in list_measures(result):
        figures += _draw_measure(points, measure)
    return figures + _draw_cost(points)


def save_plots(result: StudyResult, folder: Path, form: str, *, force: bool = False) -> list[Path]:
    """Write every plot as a file: HTML with details under the pointer, PNG, SVG or PDF.

    Examples
    --------
    >>> save_plots(StudyResult(()), Path("plots"), "gif")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: The format of plots must be one of html, pdf, png, svg, got 'gif'.
    """
    from sfumato.reports.figure import FORMATS, save_figure

    if form not in FORMATS:
        raise ParameterError(f"The format of plots must be one of {', '.join(FORMATS)}, got {form!r}.", option="as")
    figures = list_figures(result)
    if not figures:
        raise ParameterError(
            "The study has no finished trial to plot.",
            hint="Run the study again.",
        )
    paths = [folder / f"{figure.name}.{form}" for figure in figures]
    there = [path.name for path in paths if path.exists()]
    if there and not force:
        raise ParameterError(
            f"{folder / there[0]} already exists.",
            hint=Message("Replace it: ", option("force", True), ". Or choose another folder."),
        )
    folder.mkdir(parents=True, exist_ok=True)
    for figure, path in zip(figures, paths, strict=True):
        save_figure(figure.chart(), path)
    return paths


def _draw_risk(points: Sequence[Point], unit: RecordUnit) -> list[Figure]:
    """Draw what an attacker reaches, before and after."""
    figures = []
    shown = (
        ("success", *describe_success(points)),
        (
            "unique",
            f"{unit.many.capitalize()} that are unique",
            f"Share of {unit.many} that an attacker singles out.",
        ),
    )
    for what, title, caption in shown:
        before = [spread.mean for point in points if (spread := point.risk("before", what)) is not None]
        if before:
            full_caption = f"{caption} The dashed line is the original."
            after = functools.partial(Point.risk, when="after", what=what)
            name = f"risk-{what}"
            figures += _draw_lines(points, name, title, full_caption, "risk", after, max(before), is_share=True)
    return figures


def _draw_answers(points: Sequence[Point]) -> list[Figure]:
    """Draw what releases answer over time, one plot per method; all reach equally high, to be compared."""
    all_series = [(point, time_series) for point in points if (time_series := point.time_series) is not None]
    chosen = {}
    for method in dict.fromkeys(point.method for point, _ in all_series):
        own = [(point, time_series) for point, time_series in all_series if point.method == method]
        # The first, those between at equal distances, and the last.
        places = sorted({round(turn * (len(own) - 1) / (_BANDS - 1)) for turn in range(_BANDS)})
        chosen[method] = [own[place] for place in places]
    top = max((max(time_series.possible) for shown in chosen.values() for _, time_series in shown), default=0)
    return [
        _draw_time_series(f"answers-{number}", method, shown, top)
        for number, (method, shown) in enumerate(chosen.items(), 1)
    ]


def _draw_time_series(name: str, method: str, shown: Sequence[tuple[Point, TimeSeries]], top: int) -> Figure:
    """Draw what the releases of one method answer over time."""
    from sfumato.reports.answers import list_numbers

    point, time_series = shown[0]
    drawn = {point.values or method: time_series for point, time_series in shown}
    repeated = " Of several repetitions it is the first one." if point.repetitions > 1 else ""
    return Figure(
        name,
        f"{time_series.counted.capitalize()} with “{shorten(time_series.value, _SHOWN_LENGTH)}” over time: {method}",
        "What a release answers (sfumato query): a band from what is certain to what is "
        f"possible, and in it the line of what is to be expected. The truth always lies in the band.{repeated}",
        functools.partial(draw_bands, drawn, top),
        ("Values", "From", "Certain", "Expected", "Possible", "Truth"),
        tuple((point.values or method, *row) for point, time_series in shown for row in list_numbers(time_series)),
        "answers",
    )


def _draw_measure(points: Sequence[Point], measure: Measure) -> list[Figure]:
    """Draw a measure along what varies, and against the risk."""
    explanation = f"{measure.explanation} " if measure.explanation else ""
    caption = f"{explanation}{measure.better.capitalize()} is better."
    title = f"{measure.title} ({measure.unit})" if measure.unit and not measure.is_share else measure.title

    def get(point: Point) -> Spread | None:
        return point.measured(measure.name)

    lines = _draw_lines(
        points, f"measure-{measure.name}", title, caption, measure.name, get, None, is_share=measure.is_share
    )
    return lines + _draw_front(points, measure, title, get)


def _draw_cost(points: Sequence[Point]) -> list[Figure]:
    """Draw how long the methods take, and where the time of a cell goes."""
    caption = "Seconds that the method alone takes, on one core, while other trials run beside it."
    figures = _draw_lines(
        points, "time", "Seconds to anonymise", caption, "cost", lambda point: point.seconds("anonymize"), None,
        is_share=False,
    )  # fmt: skip
    return [*figures, _draw_phases(points)]


def _draw_lines(
    points: Sequence[Point],
    name: str,
    title: str,
    caption: str,
    section: str,
    get: Get,
    before: float | None,
    *,
    is_share: bool,
) -> list[Figure]:
    """Draw a figure along each parameter that varies, one line per method; as bars where nothing varies."""
    figures = []
    for along in dict.fromkeys(point.along for point in points):
        own = [point for point in points if point.along == along and get(point) is not None]
        if not own:
            continue
        rows = [_make_row(point, get) for point in own]
        repeated = any(row["low"] < row["high"] for row in rows)
        full_caption = (
            f"{caption} The band is from the lowest to the highest repetition." if repeated and along else caption
        )
        show = show_share if is_share else show_number
        head = ("Method and values", "mean", *(("lowest", "highest") if repeated else ()))
        numbers = tuple(
            (point.name, show(row["mean"]), *((show(row["low"]), show(row["high"])) if repeated else ()))
            for point, row in zip(own, rows, strict=True)
        )
        style = PlotStyle(_order_lines(points), title, along, before, is_share)
        draw = style.draw_lines if along else style.draw_bars
        figures.append(
            Figure(
                f"{name}-{along}" if along else name,
                f"{title} along {along}" if along else title,
                full_caption,
                functools.partial(draw, rows),
                head,
                numbers,
                section,
            )
        )
    return figures


def _make_row(point: Point, get: Get) -> dict[str, Any]:
    spread = get(point)
    assert spread is not None
    return {
        "line": point.line,
        "at": point.position,
        "values": point.values or "nothing varies",
        "mean": spread.mean,
        "low": spread.low,
        "high": spread.high,
    }


def _order_lines(points: Sequence[Point]) -> list[str]:
    return list(dict.fromkeys(point.line for point in points))


def _draw_front(points: Sequence[Point], measure: Measure, title: str, get: Get) -> list[Figure]:
    """Draw the risk that is left against the measure, with the choices that no other beats in both."""
    both = [
        (point, risk.mean, value.mean)
        for point in points
        if (risk := point.risk("after")) is not None and (value := get(point)) is not None
    ]
    if not both:
        return []
    front = find_front([risk for _, risk, _ in both], [value for _, _, value in both], measure.better)
    rows = [
        {"line": point.line, "values": point.values or "nothing varies", "risk": risk, "value": value}
        | {"on": "on the front" if number in front else "beaten by another"}
        for number, (point, risk, value) in enumerate(both)
    ]
    risk_title, _ = describe_success(points)
    style = PlotStyle(_order_lines(points), title, f"{risk_title}, after", None, measure.is_share)
    show = show_share if measure.is_share else show_number
    numbers = tuple((point.name, show_share(risk), show(value)) for point, risk, value in (both[n] for n in front))
    where = "lower left" if measure.better == "lower" else "upper left"
    return [
        Figure(
            f"front-{measure.name}",
            f"{measure.title} against risk",
            f"Every point is a method with its values; better ones lie to the {where}. Filled points on the dashed "
            "line are the front: no other point has both less risk and a better value.",
            lambda width: style.draw_front([rows[n] for n in front], rows, width),
            ("On the front", risk_title, measure.title),
            numbers,
            measure.name,
        )
    ]


def _draw_phases(points: Sequence[Point]) -> Figure:
    """Draw where the time of a cell goes, method by method."""
    lines = list(dict.fromkeys(point.method for point in points))
    rows, numbers = [], []
    for line in lines:
        own = [point for point in points if point.method == line]
        spent = {name: [s.mean for point in own if (s := point.seconds(name)) is not None] for name in PHASES}
        means = {name: sum(seconds) / len(seconds) for name, seconds in spent.items() if seconds}
        rows += [
            {"line": line, "phase": name, "seconds": mean, "turn": PHASES.index(name)} for name, mean in means.items()
        ]
        peaks = [s.high for point in own if (s := point.memory()) is not None]
        peak = f"{max(peaks) / 1e6:,.0f} MB" if peaks else "–"
        numbers.append((line, *(f"{means.get(name, 0.0):.3g}" for name in PHASES), peak))
    return Figure(
        "time-by-phase",
        "Where the time goes",
        "Mean seconds of a cell: anonymise, write the files, verify them, attack them, measure them.",
        lambda width: draw_stacks(rows, lines, width),
        ("Method", *PHASES, "highest memory"),
        tuple(numbers),
        "cost",
    )


def find_front(risks: Sequence[float], values: Sequence[float], better: str = "lower") -> list[int]:
    """Return which points are on the front, in the order of rising risk; equal points are all on it or none is.

    Parameters
    ----------
    risks
        An attacker's success, lower being better.
    values
        What a measure gives.
    better
        Whether ``lower`` or ``higher`` values are better.

    Examples
    --------
    >>> find_front([0.5, 0.2, 0.2, 0.1], [0.1, 0.3, 0.4, 0.3])
    [3, 0]
    """
    costs = [value if better == "lower" else -value for value in values]
    order = sorted(range(len(costs)), key=lambda point: (risks[point], costs[point]))
    front: list[int] = []
    for point in order:
        if not front or costs[point] < costs[front[-1]] or _same(point, front[-1], risks, costs):
            front.append(point)
    return front


def _same(point: int, other: int, risks: Sequence[float], costs: Sequence[float]) -> bool:
    return risks[point] == risks[other] and costs[point] == costs[other]
