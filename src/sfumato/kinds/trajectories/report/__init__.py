"""The owner's report on trajectories: which places are published how, on a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.checking.risk import Risk
from sfumato.core.measuring.comparison import Comparison
from sfumato.core.measuring.metric import Score
from sfumato.core.visible import escape_html as escape
from sfumato.kinds.trajectories.report import maps
from sfumato.kinds.trajectories.report.maps import MapPanel
from sfumato.report import page
from sfumato.report.markup import draw_figure, make_table, shorten
from sfumato.report.numerals import show_bin, show_count, show_share
from sfumato.report.plots import PANEL_WIDTH, choose_edges, draw_bars, draw_sets, finish_figure, save_figure

__all__ = ["figures", "picture", "render"]

Spec = dict[str, Any]

_SHOWN_PLACES = 10
_SHOWN_LENGTH = 40
_PICTURE_PANEL_WIDTH = 400


def render(
    comparison: Comparison,
    before: Risk,
    after: Risk,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
) -> str:
    """Return the owner's report as one HTML page that needs no network and runs no scripts.

    Parameters
    ----------
    comparison
        The original and its release.
    before, after
        What an attacker reaches with the original data and with the release.
    scores
        What the release is still good for.
    facts
        Further facts by name, such as phase times and counters.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.attacker import risk_of_original
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 0)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> risk = risk_of_original(data, 2)
    >>> render(Comparison(data, release), risk, risk, [])[:15]
    '<!DOCTYPE html>'
    """
    drawn = figures(comparison, before, after)
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, "it names places", _tiles(comparison, before, after)),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn["anonymity-sets"]),
            _map(comparison, drawn.get("map")),
            _groups(comparison, drawn["group-sizes"]),
            page.write_utility(scores, comparison.release.unit),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(comparison: Comparison, before: Risk, after: Risk) -> dict[str, Spec]:
    """Return the plots by name as Vega-Lite specifications.

    ``map`` is there when the data have coordinates. The title of a plot, what it leaves out and the numbers
    in it are under ``usermeta``.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.attacker import risk_of_original
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 0)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> risk = risk_of_original(data, 2)
    >>> list(figures(Comparison(data, release), risk, risk))
    ['anonymity-sets', 'map', 'group-sizes']
    """
    sizes = _count_sizes(comparison)
    drawn = {"anonymity-sets": finish_figure(*draw_sets(before, after, comparison.release.guarantee))}
    if maps.find_obstacle(comparison) is None:
        panels, notes = maps.draw_panels(comparison, PANEL_WIDTH)
        drawn["map"] = finish_figure(_map_view(panels), _map_facts(panels, notes))
    drawn["group-sizes"] = finish_figure(_sizes_view(sizes), _sizes_facts(sizes))
    return drawn


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save the map and the anonymity sets side by side, about 1,400 pixels wide as PNG.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.attacker import risk_of_original
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 0)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> risk = risk_of_original(data, 2)
    >>> picture(Comparison(data, release), risk, risk, "README.gif")
    Traceback (most recent call last):
        ...
    sfumato.core.errors.ParameterError: save_figure: a file name must end in .pdf, .png or .svg, got '.gif'.
    """
    guarantee = comparison.release.guarantee
    if maps.find_obstacle(comparison) is not None:
        save_figure(finish_figure(draw_sets(before, after, guarantee, 800, 120)[0], {}), path)
        return
    panels, _ = maps.draw_panels(comparison, _PICTURE_PANEL_WIDTH)
    height = max(80, round((panels[0].height - 100) / 2))
    views = [_map_view(panels), draw_sets(before, after, guarantee, 270, height)[0]]
    save_figure(finish_figure({"hconcat": views, "spacing": 32}, {}), path)


def _tiles(comparison: Comparison, before: Risk, after: Risk) -> list[tuple[str, str]]:
    exact = int(((page.count_visits(comparison) > 0) & ~comparison.generalised).sum())
    places = show_count(len(comparison.history.labels))
    return [*page.show_change(comparison, before, after), (show_count(exact), f"of {places} places published exactly")]


def _account(comparison: Comparison) -> str:
    """Account for every record, place and visit."""
    release = comparison.release
    used = page.count_visits(comparison) > 0
    generalised = used & comparison.generalised
    rows = [
        ("Visits in the original data", len(comparison.history.codes)),
        ("Visits published", len(comparison.published.codes)),
        ("Places in the original data", len(comparison.history.labels)),
        ("Places published exactly", int((used & ~comparison.generalised).sum())),
        ("Generalised places published", int(generalised.sum())),
        ("Places removed from all records", len(release.suppressed())),
    ]
    sensitive = comparison.original.schema.sensitive
    named = ", ".join(escape(shorten(place, _SHOWN_LENGTH)) for place in sensitive[:_SHOWN_PLACES])
    more = f" and {show_count(len(sensitive) - _SHOWN_PLACES)} more" if len(sensitive) > _SHOWN_PLACES else ""
    told = f"<p>Sensitive places, published as they are: {named}{more}.</p>" if sensitive else ""
    return page.account_for(comparison, rows) + told


def _map(comparison: Comparison, plot: dict[str, Any] | None) -> str:
    if plot is None:
        told = f"<p>{escape(maps.find_obstacle(comparison) or '')}</p>"
    else:
        told = draw_figure("map", plot, "Both maps show the same ground at the same scale.")
    return f"<section><h2>Places before and after</h2>\n{told}</section>"


def _groups(comparison: Comparison, plot: dict[str, Any]) -> str:
    caption = "A published place that stands for several means: exactly one of these."
    listed = page.list_generalised(comparison, "generalised places", ("Places", "Visits"))
    if not listed:
        return (
            "<section><h2>Generalised places</h2>\n<p>Nothing is generalised: every place in the release is "
            "published exactly.</p></section>"
        )
    drawn = draw_figure("group-sizes", plot, caption)
    return f"<section><h2>Generalised places</h2>\n{drawn}\n{listed}{_fineness(comparison)}</section>"


def _fineness(comparison: Comparison) -> str:
    """Say of the most visited places how finely their visits are published; nothing where that is one way for all."""
    if comparison.is_global or comparison.obstacle:
        return ""
    published = comparison.published_values >= 0
    place = comparison.originals.codes[published]
    size = comparison.sizes[comparison.published_values[published]]
    visits = np.bincount(place, minlength=len(comparison.history.labels))
    most = np.argsort(-visits, kind="stable")[:_SHOWN_PLACES]
    rows = []
    for code in most[visits[most] > 0].tolist():
        shares = np.histogram(size[place == code], [1, 2, 6, 21, np.inf])[0] / visits[code]
        label = shorten(comparison.history.labels[code], _SHOWN_LENGTH)
        rows.append((label, show_count(int(visits[code])), *(show_share(float(share)) for share in shares)))
    head = ["Place", "Visits", "Exact", "One of 2 to 5", "One of 6 to 20", "One of more"]
    told = "A place is published finely in some records and coarsely in others: these are the shares of its visits."
    return f"\n<h3>How finely the most visited places are published</h3>\n{make_table(head, rows, caption=told)}"


def _map_view(panels: list[MapPanel]) -> Spec:
    return {"hconcat": [_panel_view(panel) for panel in panels], "spacing": 24}


def _panel_view(panel: MapPanel) -> Spec:
    """Draw shapes and texts where the panel has them, in pixels."""
    styles = {"fill": "fill", "fillOpacity": "opacity", "stroke": "stroke", "strokeWidth": "width"}
    shapes = {
        "data": {"values": panel.shapes},
        "mark": {"type": "geoshape", "strokeCap": "round", "strokeJoin": "round", "aria": False},
        "projection": {"type": "identity", "scale": 1, "translate": [0, 0]},
        "encoding": {
            channel: {"field": f"properties.{name}", "type": "nominal", "scale": None}
            for channel, name in styles.items()
        },
    }
    texts = {
        "data": {"values": panel.texts},
        "mark": {"type": "text", "align": "left", "baseline": "middle", "aria": False},
        "encoding": {
            "x": {"field": "x", "type": "quantitative", "axis": None, "scale": {"domain": [0, panel.width]}},
            "y": {"field": "y", "type": "quantitative", "axis": None, "scale": {"domain": [panel.height, 0]}},
            "text": {"field": "text"},
            "color": {"field": "colour", "type": "nominal", "scale": None},
        },
    }
    title = {"text": panel.title, "subtitle": panel.subtitle}
    return {"width": panel.width, "height": panel.height, "title": title, "layer": [shapes, texts]}


def _map_facts(panels: list[MapPanel], notes: tuple[str, ...]) -> dict[str, Any]:
    return {
        "title": "Places before and after",
        "description": ". ".join(f"{panel.title} ({panel.subtitle})" for panel in panels)
        + ". Both maps have the same scale.",
        "notes": list(notes),
    }


def _count_sizes(comparison: Comparison) -> list[dict[str, Any]]:
    """Return published places and visits per bin of sizes."""
    visits = np.bincount(comparison.published.codes, minlength=len(comparison.sizes))
    sizes, visits = comparison.sizes[visits > 0], visits[visits > 0]
    most = int(sizes.max(initial=1))
    # Up to 8 places each size has a bar; beyond, sizes 3 to 5, 6 to 10, 11 to 20 and so on share one.
    edges = list(range(1, most + 2)) if most <= 8 else [1, *(e + 1 for e in choose_edges(most, None) if e != 3)]
    places, _ = np.histogram(sizes, edges)
    entries, _ = np.histogram(sizes, edges, weights=visits)
    total = max(int(visits.sum()), 1)
    return [
        {
            "size": "1 (exact)" if first == 1 else show_bin(first, end),
            "places": count,
            "visits": int(seen),
            "share": seen / total,
        }
        for first, end, count, seen in zip(edges[:-1], edges[1:], places.tolist(), entries.tolist(), strict=True)
    ]


def _sizes_view(rows: list[dict[str, Any]]) -> Spec:
    """Draw how many published places there are of each size, and how many visits fall on them."""
    axis = "Places a published place stands for"
    places = [(row["size"], row["places"], show_count(row["places"])) for row in rows]
    visits = [(row["size"], row["share"], show_share(row["share"])) for row in rows]
    views = [draw_bars(places, "Published places", axis), draw_bars(visits, "Visits published as them", axis)]
    return {"hconcat": views, "spacing": 24}


def _sizes_facts(rows: list[dict[str, Any]]) -> dict[str, Any]:
    return {
        "title": "Sizes of published places",
        "description": "Two bar charts: published places, and visits published as them, by how many original "
        "places each stands for.",
        "head": ["Places it stands for", "Published places", "Visits", "Share of visits"],
        "rows": [
            [row["size"], show_count(row["places"]), show_count(row["visits"]), show_share(row["share"])]
            for row in rows
        ],
    }
