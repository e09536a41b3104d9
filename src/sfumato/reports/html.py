"""Pieces of HTML: tables and plots, everything that comes from outside escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import TYPE_CHECKING

from sfumato.escape import escape_html as escape

if TYPE_CHECKING:
    from sfumato.reports.figure import Figure
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.reports.figure import Figure

__all__ = [
    "Figures",
    "draw_figure",
    "make_scrollable",
    "make_table",
    "raise_powers",
    "shorten",
]


def raise_powers(text: str) -> str:
    """Escape a text and set ``k^m`` as a power.

    Examples
    --------
    >>> raise_powers("(k,l)^m-anonymity")
    '(k,l)<sup>m</sup>-anonymity'
    """
    return re.sub(r"\^(\w+)", r"<sup>\1</sup>", escape(text))


def shorten(label: str, longest: int) -> str:
    """Cut a label that is too long to be read.

    Examples
    --------
    >>> shorten("Restaurant", 6)
    'Resta…'
    """
    return label if len(label) <= longest else label[: longest - 1] + "…"


def make_table(head: Sequence[str], rows: Iterable[Sequence[str]], *, caption: str = "", narrow: bool = False) -> str:
    """Make a table of texts: the first column names the row, the others hold numbers.

    Examples
    --------
    >>> make_table([], [["<b>", "1"]])
    "<table><tbody><tr><th scope='row'>&lt;b&gt;</th><td class='number'>1</td></tr></tbody></table>"
    """
    body = "".join(
        f"<tr><th scope='row'>{escape(row[0])}</th>"
        + "".join(f"<td class='number'>{escape(cell)}</td>" for cell in row[1:])
        + "</tr>"
        for row in rows
    )
    titles = "".join(
        f"<th scope='col'{' class=number' * bool(column)}>{escape(title)}</th>" for column, title in enumerate(head)
    )
    return (
        f"<table{' class=narrow' * narrow}>"
        + (f"<caption>{escape(caption)}</caption>" if caption else "")
        + (f"<thead><tr>{titles}</tr></thead>" if head else "")
        + f"<tbody>{body}</tbody></table>"
    )


def make_scrollable(label: str, table: str) -> str:
    """Let a table be moved sideways where it is wider than the screen, by the keyboard, too.

    Examples
    --------
    >>> make_scrollable("Ages", "<table></table>")
    "<div class='scroll' tabindex='0' role='region' aria-label='Ages'><table></table></div>"
    """
    return f"<div class='scroll' tabindex='0' role='region' aria-label='{escape(label)}'>{table}</div>"


def draw_figure(name: str, figure: Figure, caption: str) -> str:
    """Draw a figure into the page, with a title for those who cannot see it and its numbers below.

    Examples
    --------
    >>> import altair
    >>> from sfumato.reports.figure import Figure
    >>> dot = altair.Chart(altair.Data(values=[{}])).mark_point()
    >>> "<title id='dot-1-title'>A dot</title>" in draw_figure("dot", Figure("A dot", "One.", [dot]), "One dot.")
    True
    """
    from sfumato.reports.figure import to_svg

    number = len(figure.panels)
    drawn = []
    for at, panel in enumerate(figure.panels, start=1):
        title = figure.title if number == 1 else f"{figure.title} ({at} of {number})"
        drawn.append(_make_accessible(to_svg(panel, fit=True), f"{name}-{at}", title, figure.description))
    full_caption = " ".join([caption, *figure.notes])
    numbers = ""
    if figure.rows:
        table = make_table(figure.head, figure.rows, narrow=True)
        below = make_scrollable(f"Numbers of {figure.title}", table)
        numbers = f"<details><summary>Numbers behind this plot</summary>{below}</details>"
    legend = "".join(
        f"<li>{_draw_symbol(entry.shape, entry.colour)}{escape(entry.text)}</li>" for entry in figure.legend
    )
    return (
        f"<figure>{f'<ul class=legend>{legend}</ul>' if legend else ''}<div class='panels'>{''.join(drawn)}</div>"
        f"<figcaption>{escape(full_caption)}</figcaption></figure>{numbers}"
    )


_SYMBOLS = {
    "square": "<rect x='1' y='1' width='10' height='10' fill=\"{0}\"/>",
    "circle": "<circle cx='6' cy='6' r='4' fill=\"{0}\"/>",
    "ring": "<circle cx='6' cy='6' r='4' fill='none' stroke-width='1.5' stroke=\"{0}\"/>",
    "tick": "<path d='M6 0v12' stroke-width='2.5' stroke=\"{0}\"/>",
    "line": "<path d='M0 6h12' stroke-width='2' stroke=\"{0}\"/>",
    "dash": "<path d='M0 6h12' stroke-width='2' stroke-dasharray='3 2' stroke=\"{0}\"/>",
}


def _draw_symbol(shape: str, colour: str) -> str:
    drawn = _SYMBOLS[shape].format(colour)
    return f"<svg class='symbol' width='12' height='12' viewBox='0 0 12 12' aria-hidden='true'>{drawn}</svg>"


def _make_accessible(svg: str, name: str, title: str, description: str) -> str:
    """Name the plot for screen readers, and make its ids differ from those of other plots on the page."""
    svg = re.sub(r'(\bid="|url\(#)', rf"\g<1>{name}-", svg)
    opening, rest = svg.split(">", 1)
    return (
        f"{opening} role='img' aria-labelledby='{name}-title {name}-desc'>"
        f"<title id='{name}-title'>{escape(title)}</title>"
        f"<desc id='{name}-desc'>{escape(description)}</desc>{rest}"
    )


class Figures(dict[str, "Figure"]):
    """Figures by name, which a notebook shows as pictures.

    Examples
    --------
    >>> import altair
    >>> from sfumato.reports.figure import Figure
    >>> dot = altair.Chart(altair.Data(values=[{}])).mark_point()
    >>> list(Figures({"dot": Figure("A dot", "One dot.", [dot])}))
    ['dot']
    """

    def _repr_html_(self) -> str:
        return "".join(draw_figure(name, figure, figure.title) for name, figure in self.items())
