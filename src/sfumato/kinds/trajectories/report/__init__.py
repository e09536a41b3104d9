"""The owner's report on trajectories: which places are published how, on a map."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from sfumato.attacks.risk import Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.escape import escape_html as escape
from sfumato.kinds.trajectories.report import maps
from sfumato.kinds.trajectories.report.maps import MapPanel
from sfumato.kinds.trajectories.report.plots import count_sizes, draw_sizes, draw_visits
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports import page
from sfumato.reports.figure import inline
from sfumato.reports.html import draw_figure, make_table, shorten
from sfumato.reports.numbers import show_count, show_share
from sfumato.reports.partitioned import Divided, count_members, count_values
from sfumato.reports.plots import (
    PANEL_WIDTH,
    Figure,
    draw_risk_curve,
    draw_sets,
    save_figure,
)
from sfumato.reports.values import draw_frequencies, expect_counts

__all__ = ["count_partition", "draw_partitions", "figures", "picture", "render", "show_partitions"]


def count_partition(comparison: Comparison) -> PartialSums:
    """Count in a partition what the figures need."""
    return {
        "visits": np.bincount(comparison.history.codes, minlength=len(comparison.history.labels)),
        "expected": expect_counts(comparison),
        "before": [comparison.history.lengths.astype(np.int32)],
        "after": [comparison.published.lengths.astype(np.int32)],
        "values": count_values(comparison),
    }


def draw_partitions(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all partitions together."""
    counts, labels = seen.counts, seen.full_original.original.view_history().labels
    return {
        "group-sizes": draw_sizes(count_sizes(*count_members(counts["values"]))),
        "places": draw_frequencies(labels, counts["visits"], counts["expected"], "places", counted="visits"),
        "lengths": draw_visits(np.concatenate(counts["before"]), np.concatenate(counts["after"]), seen.release.unit),
    }


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
    remaining: Remaining = NOTHING,
    curve: Sequence[tuple[Risk, Risk]] = (),
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
    curve
        What attackers reach who know fewer places.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.attacks import risk_of_original
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 0)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> risk = risk_of_original(data, 2)
    >>> render(Comparison(data, release), risk, risk, [])[:15]
    '<!DOCTYPE html>'
    """
    drawn = figures(comparison, before, after, curve)
    tiles, judgement = _tiles(comparison, before, after), page.judge(comparison, after, remaining)
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, "it names places", tiles, judgement, remaining),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn),
            _map(comparison, drawn.get("map")),
            _groups(comparison, drawn["group-sizes"]),
            _visits(drawn["places"], drawn["lengths"]),
            page.write_utility(scores, comparison.release.unit),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(
    comparison: Comparison, before: Risk, after: Risk, curve: Sequence[tuple[Risk, Risk]] = ()
) -> dict[str, Figure]:
    """Return the figures by name.

    ``map`` is there when the data have coordinates, ``risk-curve`` when attackers who know less were run.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.attacks import risk_of_original
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 0)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> risk = risk_of_original(data, 2)
    >>> list(figures(Comparison(data, release), risk, risk))
    ['anonymity-sets', 'map', 'group-sizes', 'places', 'lengths']
    """
    drawn = {"anonymity-sets": draw_sets(before, after, comparison.release.guarantee)}
    if curve:
        drawn["risk-curve"] = draw_risk_curve(curve, "Places known")
    if maps.find_obstacle(comparison) is None:
        panels, notes = maps.draw_panels(comparison, PANEL_WIDTH)
        drawn["map"] = _draw_map(panels, notes)
    drawn["group-sizes"] = draw_sizes(count_sizes(comparison.sizes, page.count_uses(comparison)))
    visits = np.bincount(comparison.history.codes, minlength=len(comparison.history.labels))
    expected = expect_counts(comparison)
    drawn["places"] = draw_frequencies(comparison.history.labels, visits, expected, "places", counted="visits")
    drawn["lengths"] = draw_visits(comparison.history.lengths, comparison.published.lengths, comparison.release.unit)
    return drawn


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save the map and the anonymity sets side by side, about 1,400 pixels wide as PNG.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.trajectories.attacks import risk_of_original
    >>> data = sf.Dataset.of("trajectories", [["a", "b"], ["a", "b"]], {"a": (0, 0), "b": (1, 0)})
    >>> release = sf.anonymize(data, sf.methods.SeqAnon(k=2, m=2), secret=bytes(32)).release
    >>> risk = risk_of_original(data, 2)
    >>> picture(Comparison(data, release), risk, risk, "README.gif")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: A file name of a figure must end in .html, .pdf, .png or .svg, got '.gif'.
    """
    guarantee = comparison.release.guarantee
    if maps.find_obstacle(comparison) is not None:
        save_figure(draw_sets(before, after, guarantee, 400, 120), path)
        return
    panels, _ = maps.draw_panels(comparison, _PICTURE_PANEL_WIDTH)
    height = max(80, round((panels[0].height - 100) / 2))
    sets = alt.vconcat(*draw_sets(before, after, guarantee, 230, height).panels)
    save_figure(alt.hconcat(*map(_draw_panel, panels), sets, spacing=32), path)


def _tiles(comparison: Comparison, before: Risk, after: Risk) -> list[tuple[str, str]]:
    exact = int(((page.count_uses(comparison) > 0) & ~comparison.generalised).sum())
    places = show_count(len(comparison.history.labels))
    return [*page.show_change(comparison, before, after), (show_count(exact), f"of {places} places published exactly")]


def _account(comparison: Comparison) -> str:
    """Account for every record, place and visit."""
    release = comparison.release
    used = page.count_uses(comparison) > 0
    generalised = used & comparison.generalised
    rows = [
        ("Visits in the original", len(comparison.history.codes)),
        ("Visits published", len(comparison.published.codes)),
        ("Places in the original", len(comparison.history.labels)),
        ("Places published exactly", int((used & ~comparison.generalised).sum())),
        ("Generalised places published", int(generalised.sum())),
        ("Places removed from all records", len(release.suppressed())),
    ]
    sensitive = comparison.original.schema.sensitive
    named = ", ".join(escape(shorten(place, _SHOWN_LENGTH)) for place in sensitive[:_SHOWN_PLACES])
    more = f" and {show_count(len(sensitive) - _SHOWN_PLACES)} more" if len(sensitive) > _SHOWN_PLACES else ""
    paragraph = f"<p>Sensitive places, published unchanged: {named}{more}.</p>" if sensitive else ""
    return page.account_for(comparison, rows) + paragraph


def _map(comparison: Comparison, plot: Figure | None) -> str:
    if plot is None:
        content = f"<p>{escape(maps.find_obstacle(comparison) or '')}</p>"
    else:
        content = draw_figure("map", plot, "Both maps show the same area at the same scale.")
    return f"<section><h2>Places before and after</h2>\n{content}</section>"


def _visits(places: Figure, lengths: Figure) -> str:
    caption = "Number of visits to a place, in the original and in the release."
    drawn = draw_figure("places", places, caption)
    long = draw_figure("lengths", lengths, "Number of visits of records; removed places make records shorter.")
    return f"<section><h2>Visits before and after</h2>\n{drawn}\n<h3>Lengths</h3>\n{long}</section>"


def _groups(comparison: Comparison, plot: Figure) -> str:
    caption = "A published place that stands for several means exactly one of them."
    listed = page.list_generalised(comparison, "generalised places", ("Places", "Visits"))
    if not listed:
        return (
            "<section><h2>Generalised places</h2>\n<p>Nothing is generalised: every place in the release is "
            "published exactly.</p></section>"
        )
    drawn = draw_figure("group-sizes", plot, caption)
    return f"<section><h2>Generalised places</h2>\n{drawn}\n{listed}{_fineness(comparison)}</section>"


def show_partitions(drawn: Mapping[str, Figure], seen: Divided) -> list[str]:  # noqa: ARG001
    """Return the sections on places and visits of a release in partitions."""
    caption = (
        "A published place that stands for several means exactly one of them. Every partition generalises on "
        "its own; places with the same members are counted as one."
    )
    sizes = draw_figure("group-sizes", drawn["group-sizes"], caption)
    return [
        f"<section><h2>Generalised places</h2>\n{sizes}</section>",
        _visits(drawn["places"], drawn["lengths"]),
    ]


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
    caption = "A place may be exact in some records and generalised in others; these are the shares of its visits."
    return f"\n<h3>Generalisation of the most visited places</h3>\n{make_table(head, rows, caption=caption)}"


def _draw_panel(panel: MapPanel) -> Any:
    """Draw shapes and texts where the panel has them, in pixels."""
    shapes = (
        alt.Chart(inline(panel.shapes))
        .mark_geoshape(strokeCap="round", strokeJoin="round", aria=False)
        .project(type="identity", scale=1, translate=[0, 0])
        .encode(
            fill=alt.Fill("properties.fill:N", scale=None, legend=None),
            fillOpacity=alt.FillOpacity("properties.opacity:N", scale=None, legend=None),
            stroke=alt.Stroke("properties.stroke:N", scale=None, legend=None),
            strokeWidth=alt.StrokeWidth("properties.width:N", scale=None, legend=None),
        )
    )
    texts = (
        alt.Chart(inline(panel.texts))
        .mark_text(align="left", baseline="middle", aria=False)
        .encode(
            x=alt.X("x:Q", axis=None, scale=alt.Scale(domain=[0, panel.width])),
            y=alt.Y("y:Q", axis=None, scale=alt.Scale(domain=[panel.height, 0])),
            text="text:N",
            color=alt.Color("colour:N", scale=None, legend=None),
        )
    )
    title = alt.Title(panel.title, subtitle=panel.subtitle)
    return alt.layer(shapes, texts).properties(width=panel.width, height=panel.height, title=title)


def _draw_map(panels: list[MapPanel], notes: tuple[str, ...]) -> Figure:
    titles = ". ".join(f"{panel.title} ({panel.subtitle})" for panel in panels)
    return Figure(
        title="Places before and after",
        description=f"{titles}. Both maps have the same scale.",
        panels=[_draw_panel(panel) for panel in panels],
        notes=notes,
    )
