"""A figure: one or more Altair charts side by side, a legend, and the numbers behind them; as SVG, PNG, PDF or HTML."""

from __future__ import annotations

import dataclasses
import itertools
import json
import zlib
from collections.abc import Sequence
from pathlib import Path
from typing import Any, ClassVar

import altair as alt

from sfumato.escape import make_visible_within
from sfumato.exceptions import ParameterError
from sfumato.reports.legend import LegendEntry, draw_legend, let_legend_filter
from sfumato.reports.palette import FONT, GRID, INK, MUTED

__all__ = ["FORMATS", "Figure", "LegendEntry", "inline", "save_figure", "to_html", "to_pdf", "to_png", "to_svg"]

FORMATS = ("html", "pdf", "png", "svg")
"""What a figure can be saved as."""

_VERSION = ".".join(alt.SCHEMA_VERSION.lstrip("v").split(".")[:2])
_PICTURE_SCALE = 1.2
_POLICY = "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval'; style-src 'unsafe-inline'; img-src data: blob:"
_CHART_CONFIG: dict[str, Any] = {
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
        return alt.vconcat(draw_legend(self.legend), both, spacing=8).resolve_scale(color="independent")

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


def specify(chart: Any, background: str = "transparent", *, fit: bool = False) -> dict[str, Any]:
    """Return a chart as Vega-Lite with the common look; to fit, its axes take their room from its width."""
    spec: dict[str, Any] = make_visible_within(chart.to_dict(validate=False))
    spec |= {"background": background, "padding": 3, "config": _CHART_CONFIG}
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


def to_html(chart: Any, legend: Sequence[LegendEntry] = ()) -> str:
    """Return a chart as a page that shows details under the pointer and loads nothing: all scripts are in it.

    A click on an entry of the legend shows only what has its colour.
    """
    import vl_convert

    # What is drawn is the owner's: nothing on the page may offer to send it to an editor elsewhere, or could.
    offers = {"export": True, "source": False, "compiled": False, "editor": False}
    spec = let_legend_filter(specify(chart, "white"), legend) | {"usermeta": {"embedOptions": {"actions": offers}}}
    # A label that ends the script it stands in would begin one of its own: "<" gets there as an escape.
    text = json.dumps(spec)
    mark = next(mark for number in itertools.count() if (mark := f"less-than-{number}-") not in text)
    page: str = vl_convert.vegalite_to_html(text.replace("<", mark), vl_version=_VERSION, bundle=True)
    page = page.replace(mark, "\\u003c")
    policy = f'<meta http-equiv="Content-Security-Policy" content="{_POLICY}">'
    return page.replace("<head>", f"<head>{policy}", 1)


def save_figure(figure: Any, path: str | Path) -> None:
    """Write a figure or a chart as HTML, PNG, SVG or PDF, whichever the name of the file ends in.

    Examples
    --------
    >>> save_figure(alt.Chart(), "map.gif")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: A file name of a figure must end in .html, .pdf, .png or .svg, got '.gif'.
    """
    target = Path(path)
    suffix = target.suffix.lower()
    if suffix.removeprefix(".") not in FORMATS:
        raise ParameterError(f"A file name of a figure must end in .html, .pdf, .png or .svg, got {suffix!r}.")
    chart = figure.chart() if isinstance(figure, Figure) else figure
    if suffix == ".svg":
        target.write_text(to_svg(chart, background="white"), encoding="utf-8")
    elif suffix == ".html":
        legend = figure.legend if isinstance(figure, Figure) else ()
        target.write_text(to_html(chart, legend), encoding="utf-8")
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
    new_chunks = [(name, data) for name, data in chunks if name not in (b"IDAT", b"IEND")]
    new_chunks += [(b"IDAT", zlib.compress(pixels, 9)), (b"IEND", b"")]
    return head + b"".join(
        len(data).to_bytes(4) + name + data + zlib.crc32(name + data).to_bytes(4) for name, data in new_chunks
    )
