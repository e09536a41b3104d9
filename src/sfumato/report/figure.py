"""A figure: one or more Altair charts side by side, a legend, and the numbers behind them; as SVG, PNG, PDF or HTML."""

from __future__ import annotations

import dataclasses
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import altair as alt

from sfumato.core.errors import ParameterError
from sfumato.core.visible import make_visible_within
from sfumato.report.palette import FONT, GRID, INK, MUTED

__all__ = ["FORMATS", "Figure", "LegendEntry", "inline", "save_figure", "to_html", "to_pdf", "to_png", "to_svg"]

FORMATS = ("html", "pdf", "png", "svg")
"""What a figure can be saved as."""

_VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_PICTURE_SCALE = 1.2
_LETTER = 7.2
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
_LOOK: dict[str, Any] = {
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
    "legend": {"labelColor": MUTED, "labelFontSize": 12, "titleColor": MUTED, "titleFontWeight": "normal"},
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


@dataclasses.dataclass(frozen=True, eq=False)
class Figure:
    """Charts that belong together, with what a page says about them.

    A page shows the panels beside each other where there is room and below each other where there is not; a file has
    them all in one picture.

    Parameters
    ----------
    title, description
        For those who cannot see it.
    panels
        Altair charts.
    legend
        What colours and shapes mean, in all panels.
    notes
        What it leaves out, in sentences.
    head, rows
        The numbers in it as a table of texts.
    columns
        How many panels stand beside each other in a file.

    Examples
    --------
    >>> dot = alt.Chart(alt.Data(values=[{}])).mark_point()
    >>> figure = Figure("A dot", "One dot.", [dot])
    >>> figure.to_svg()[:4], len(figure.panels)
    ('<svg', 1)
    """

    title: str
    description: str
    panels: Sequence[Any]
    legend: Sequence[LegendEntry] = ()
    notes: Sequence[str] = ()
    head: Sequence[str] = ()
    rows: Sequence[Sequence[str]] = ()
    columns: int = 2

    def chart(self) -> Any:
        """Return all panels and the legend as one Altair chart."""
        if len(self.panels) == 1 and not self.legend:
            return self.panels[0]
        both = alt.concat(*self.panels, columns=self.columns, spacing=24).resolve_scale(color="independent")
        if not self.legend:
            return both
        return alt.vconcat(_draw_legend(self.legend), both, spacing=8).resolve_scale(color="independent")

    def to_svg(self) -> str:
        """Return the figure as SVG."""
        return to_svg(self.chart())


class _Rows:
    """Rows of data that Altair takes as they are, instead of copying and looking through them at every step."""

    _schema: ClassVar[dict[str, str]] = {"type": "array"}

    def __init__(self, rows: list[dict[str, Any]]) -> None:
        self._rows = rows

    def to_dict(self, *_: Any, **__: Any) -> list[dict[str, Any]]:
        """Return the rows."""
        return self._rows


def inline(rows: list[dict[str, Any]]) -> Any:
    """Return rows as the data of a chart.

    Examples
    --------
    >>> alt.Chart(inline([{"x": 1}])).mark_point().to_dict()["data"]
    {'values': [{'x': 1}]}
    """
    return alt.Data(values=_Rows(rows))


def _draw_legend(entries: Sequence[LegendEntry]) -> Any:
    """Explain colours in a line of its own."""
    layers, at = [], 0.0
    for entry in entries:
        data = inline([{"text": entry.text}])
        layers.append(_draw_symbol(alt.Chart(data), entry).encode(x=alt.value(at + 8), y=alt.value(8)))
        words = alt.Chart(data).mark_text(align="left", baseline="middle", color=MUTED, aria=False)
        layers.append(words.encode(x=alt.value(at + 18), y=alt.value(8), text="text:N"))
        at += 42 + _LETTER * len(entry.text)
    return alt.layer(*layers).properties(width=at, height=16)


def _draw_symbol(chart: Any, entry: LegendEntry) -> Any:
    if entry.shape == "tick":
        return chart.mark_tick(color=entry.colour, thickness=2.5, size=14, orient="vertical", aria=False)
    if entry.shape in {"line", "dash"}:
        return chart.mark_point(shape="stroke", stroke=entry.colour, strokeWidth=2.5, size=150, aria=False)
    if entry.shape == "ring":
        return chart.mark_point(filled=False, stroke=entry.colour, strokeWidth=1.5, size=55, aria=False)
    shape = "circle" if entry.shape == "circle" else "square"
    return chart.mark_point(shape=shape, filled=True, fill=entry.colour, size=70, opacity=1, aria=False)


def specify(chart: Any, background: str = "transparent", *, fit: bool = False) -> dict[str, Any]:
    """Return a chart as Vega-Lite with the common look; to fit, its axes take their room from its width."""
    spec: dict[str, Any] = make_visible_within(chart.to_dict(validate=False))
    spec |= {"background": background, "padding": 3, "config": _LOOK}
    if fit and not {"vconcat", "hconcat", "concat"} & spec.keys():
        spec["autosize"] = {"type": "fit-x", "contains": "padding"}
    return spec


def to_svg(chart: Any, *, fit: bool = False, background: str = "transparent") -> str:
    """Return a chart as SVG, without network."""
    import vl_convert

    svg: str = vl_convert.vegalite_to_svg(specify(chart, background, fit=fit), vl_version=_VERSION)
    return svg


def to_png(chart: Any, scale: float = _PICTURE_SCALE) -> bytes:
    """Return a chart as PNG on white, without network."""
    import vl_convert

    return _repack(vl_convert.vegalite_to_png(specify(chart, "white"), vl_version=_VERSION, scale=scale))


def to_pdf(chart: Any) -> bytes:
    """Return a chart as PDF on white, without network."""
    import vl_convert

    pdf: bytes = vl_convert.vegalite_to_pdf(specify(chart, "white"), vl_version=_VERSION)
    return pdf


def to_html(chart: Any) -> str:
    """Return a chart as a page that shows details under the pointer and loads nothing: all scripts are in it."""
    import vl_convert

    # What is drawn is the owner's: nothing on the page may offer to send it to an editor elsewhere, or could.
    offers = {"export": True, "source": False, "compiled": False, "editor": False}
    spec = specify(chart, "white") | {"usermeta": {"embedOptions": {"actions": offers}}}
    page: str = vl_convert.vegalite_to_html(spec, vl_version=_VERSION, bundle=True)
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return page.replace("<head>", f"<head>{policy}", 1)


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure or a chart as HTML, PNG, SVG or PDF, whichever the name of the file ends in.

    Examples
    --------
    >>> save_figure(alt.Chart(), "map.gif")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: save_figure: a file name must end in .html, .pdf, .png or .svg, got '.gif'.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix.removeprefix(".") not in FORMATS:
        raise ParameterError(f"save_figure: a file name must end in .html, .pdf, .png or .svg, got {suffix!r}.")
    chart = figure.chart() if isinstance(figure, Figure) else figure
    if suffix == ".svg":
        target.write_text(to_svg(chart, background="white"), encoding="utf-8")
    elif suffix == ".html":
        target.write_text(to_html(chart), encoding="utf-8")
    else:
        target.write_bytes(to_png(chart) if suffix == ".png" else to_pdf(chart))


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
