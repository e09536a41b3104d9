"""Pieces of HTML: tables and plots, everything that comes from outside escaped."""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from typing import Any

from sfumato.core.visible import escape_html as escape
from sfumato.core.visible import make_visible_within

__all__ = ["draw_figure", "make_table", "raise_powers", "shorten"]


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


def draw_figure(name: str, spec: dict[str, Any], caption: str) -> str:
    """Draw a plot into the page, with a title for those who cannot see it and its numbers below.

    Examples
    --------
    >>> spec = {"data": {"values": [{}]}, "mark": "point", "usermeta": {"title": "A dot"}}
    >>> "<title id='dot-title'>A dot</title>" in draw_figure("dot", spec, "One dot.")
    True
    """
    import vl_convert

    spec = make_visible_within(spec)
    facts = spec.get("usermeta", {})
    svg = _make_accessible(vl_convert.vegalite_to_svg(spec), name, facts)
    told = " ".join([caption, *facts.get("notes", [])])
    numbers = ""
    if facts.get("rows"):
        table = make_table(facts["head"], facts["rows"], narrow=True)
        numbers = f"<details><summary>Numbers behind this plot</summary><div class='scroll'>{table}</div></details>"
    return f"<figure>{svg}<figcaption>{escape(told)}</figcaption></figure>{numbers}"


def _make_accessible(svg: str, name: str, facts: dict[str, Any]) -> str:
    """Name the plot for screen readers, and make its ids differ from those of other plots on the page."""
    svg = re.sub(r'(\bid="|url\(#)', rf"\g<1>{name}-", svg)
    opening, rest = svg.split(">", 1)
    labels = f"{name}-title {name}-desc"
    return (
        f"{opening} role='img' aria-labelledby='{labels}'>"
        f"<title id='{name}-title'>{escape(facts.get('title', name))}</title>"
        f"<desc id='{name}-desc'>{escape(facts.get('description', ''))}</desc>{rest}"
    )
