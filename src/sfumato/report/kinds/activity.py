"""The owner's report on activity data: days before and after, who is away, and how large classes are."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import numpy as np

from sfumato.core.activity import PublishedClasses
from sfumato.core.comparison import Comparison
from sfumato.core.metric import Score
from sfumato.core.risk import Risk
from sfumato.core.visible import escape_html as escape
from sfumato.report import days, page
from sfumato.report.markup import draw_figure, shorten
from sfumato.report.numerals import show_amount, show_bin, show_count, show_number, show_share
from sfumato.report.plots import choose_edges, draw_bars, draw_sets, finish_figure, save_figure

__all__ = ["figures", "picture", "render"]

_SHOWN_LENGTH = 40
_MOST_BARS = 7


def render(
    comparison: Comparison,
    before: Risk,
    after: Risk,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
) -> str:
    """Return the owner's report as one HTML page; see :func:`sfumato.report.page.render`."""
    drawn = figures(comparison, before, after)
    return page.write_page(
        comparison,
        [
            page.write_header(
                comparison, "it shows what single people did on a day", _tiles(comparison, before, after, scores)
            ),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn["anonymity-sets"]),
            _sensitive(comparison, after),
            _following(comparison, after),
            _days(comparison, drawn.get("days")),
            _classes(drawn["class-sizes"]),
            page.write_utility(scores),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(comparison: Comparison, before: Risk, after: Risk) -> dict[str, dict[str, Any]]:
    """Return the plots by name; ``days`` is there when it is known who is in which class."""
    drawn = {"anonymity-sets": finish_figure(*draw_sets(before, after, comparison.release.guarantee))}
    if days.find_obstacle(comparison) is None:
        found = comparison.activity
        window, classes = days.choose_window(found), days.choose_classes(found)
        head, rows = days.list_shares(found, classes, window)
        facts = {
            "title": "The day of some classes, before and after",
            "description": "For each class: a line of coloured stretches for each person, and below them the shares of "
            "the class by activity, stacked over the same hours.",
            "notes": [f"{show_count(len(classes))} of {show_count(len(found.sizes))} classes are shown."],
            "head": head,
            "rows": rows,
        }
        drawn["days"] = finish_figure(days.draw_days(found, classes, window), facts)
    drawn["class-sizes"] = finish_figure(*_draw_sizes(comparison))
    return drawn


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save the day of a class and the anonymity sets side by side, about 1,400 pixels wide as PNG."""
    guarantee = comparison.release.guarantee
    if days.find_obstacle(comparison) is not None:
        save_figure(finish_figure(draw_sets(before, after, guarantee, 800, 120)[0], {}), path)
        return
    found = comparison.activity
    window = days.choose_window(found)
    telling = days.choose_telling(found, days.choose_classes(found), window)
    drawn = days.draw_days(found, telling, window, 740)
    sets, _ = draw_sets(before, after, guarantee, 270, 90)
    save_figure(finish_figure({"hconcat": [drawn, sets], "spacing": 40}, {}), path)


def _tiles(comparison: Comparison, before: Risk, after: Risk, scores: Sequence[Score]) -> list[tuple[str, str]]:
    tiles = page.show_change(comparison, before, after)
    kept = next((score.value for score in scores if score.name == "relative-difference"), None)
    if kept is not None:
        tiles = [*tiles, (escape(show_number(round(kept, 3))), "relative difference of daily durations")]
    return tiles


def _account(comparison: Comparison) -> str:
    found = comparison.activity
    told = page.account_for(
        comparison,
        [
            ("Slots of every person", found.slots),
            ("Published intervals", len(found.intervals)),
            ("Activities in the original data", int(found.occurring.sum())),
            ("Classes published", len(found.sizes)),
            ("Smallest class", int(found.sizes.min(initial=len(comparison.release)))),
        ],
    )
    return told + (
        "<p>Published is, for each class and interval, the share of time that its people spent on each activity; never "
        "what a single person did.</p>"
        f"{_say_unknown(comparison)}"
    )


def _say_unknown(comparison: Comparison) -> str:
    """Say of how many intervals of classes nothing is published, where some time is unknown."""
    claim: Any = comparison.release.guarantee
    gap = getattr(claim, "gap", None)
    if gap is None:
        return ""
    hidden = PublishedClasses.of(comparison.release).unknown(gap)
    return (
        f"<p>Part of the time is unknown. Of {show_count(int(hidden.sum()))} of {show_count(hidden.size)} intervals of "
        f"classes nothing is published, because fewer than {claim.k} people of the class were observed all the time, "
        "or too few for the share that is promised. Larger groups (<code>size</code>) lose fewer.</p>"
    )


def _following(comparison: Comparison, after: Risk) -> str:
    """Say how far a person can be followed from one known slot, and what helps."""
    slots = getattr(after, "followed_slots", None)
    share = getattr(after, "followed_share", None)
    if slots is None or share is None:
        return ""
    unit = comparison.original.clock.unit or "slot"
    stops = getattr(after, "following_stops_at", None)
    length = getattr(comparison.release.guarantee, "slot", 1)
    if stops == length:
        told = (
            "Somebody who knows one slot in which nobody else of the class does what a person does learns next to "
            f"nothing about the slots before and after it: something in {show_share(share)} of the cases."
        )
    else:
        remedy = (
            "Longer intervals did not help either."
            if stops is None
            else f"This stops if intervals of {show_amount(stops, unit, f'{unit}s')} are published "
            "(<code>interval</code> or <code>aggregate</code>)."
        )
        told = (
            "<b>People can be followed.</b> Somebody who knows one slot in which nobody else of the class does what a "
            f"person does gets, in the median, {show_amount(round(slots), f'{unit}', f'{unit}s')} more right, before "
            f"and after it, 99 times of 100; in {show_share(share)} of the cases at least one more interval. {remedy}"
        )
    warned = " class=warning" * (stops != length)
    return f"<section><h2>Following people</h2>\n<blockquote{warned}><p>{told}</p></blockquote></section>"


def _sensitive(comparison: Comparison, after: Risk) -> str:
    """Say which activities are sensitive, what is promised about them and what was found."""
    labels = comparison.original.schema.sensitive
    if not labels:
        return ""
    named = ", ".join(escape(shorten(label, _SHOWN_LENGTH)) for label in labels)
    guarantee, share = comparison.release.guarantee, after.max_sensitive_share
    epsilon, delta = getattr(guarantee, "epsilon", None), getattr(guarantee, "delta", None)
    told = f"<p>Sensitive: {named}.</p>"
    if epsilon is None or share is None:
        told += "<p>Nothing is promised about how many people of a class do it at the same time.</p>"
    else:
        allowed = float(Fraction(str(epsilon)))
        holds = share <= allowed + 1e-12
        found, limit, time = show_share(share), show_share(allowed), escape(str(delta))
        text = (
            f"In no class do more than {found} of the people do a sensitive activity throughout the same {time} "
            f"({limit} promised)."
            if holds
            else f"<b>Do not publish this release: in a class {found} of the people do a sensitive activity throughout "
            f"the same {time}; at most {limit} are promised.</b>"
        )
        told += f"<blockquote{' class=warning' * (not holds)}><p>{text}</p></blockquote>"
    return f"<section><h2>Sensitive activities</h2>\n{told}</section>"


def _days(comparison: Comparison, plot: dict[str, Any] | None) -> str:
    if plot is None:
        told = f"<p>{escape(days.find_obstacle(comparison) or '')}</p>"
    else:
        caption = (
            "Each class twice. Above, a line for each person, coloured by what the person did. Below, what is "
            "published of the class: the share of its people’s time by activity."
        )
        told = draw_figure("days", plot, caption)
    return f"<section><h2>A day before and after</h2>\n{told}</section>"


def _classes(plot: dict[str, Any]) -> str:
    caption = "People of a class are published as one: whoever finds the class of a person cannot tell who it is in it."
    return f"<section><h2>Classes</h2>\n{draw_figure('class-sizes', plot, caption)}</section>"


def _draw_sizes(comparison: Comparison) -> tuple[dict[str, Any], dict[str, Any]]:
    """Draw how many classes, and how many people in them, there are of each size."""
    sizes = comparison.activity.sizes
    edges = choose_edges(int(sizes.max(initial=1)), getattr(comparison.release.guarantee, "k", None))
    begin = int(np.searchsorted(edges, sizes.min(initial=edges[-2]), side="right")) - 1
    edges = edges[begin:]
    if len(edges) > _MOST_BARS + 1:
        edges = [edges[0], *(edge for edge in edges[1:-1] if str(edge).strip("0") == "1"), edges[-1]]
    classes, _ = np.histogram(sizes, edges)
    people, _ = np.histogram(sizes, edges, weights=sizes)
    bins = [show_bin(first, end) for first, end in itertools.pairwise(edges)]
    views = [
        draw_bars(
            [(name, int(count), show_count(int(count))) for name, count in zip(bins, counts, strict=True)],
            title,
            "People in a class",
        )
        for title, counts in (("Classes", classes), ("People in them", people))
    ]
    facts = {
        "title": "Sizes of classes",
        "description": "Two bar charts: classes, and the people in them, by the number of people in a class.",
        "head": ["People in a class", "Classes", "People"],
        "rows": [
            [name, show_count(int(count)), show_count(int(crowd))]
            for name, count, crowd in zip(bins, classes, people, strict=True)
        ],
    }
    return {"hconcat": views, "spacing": 24}, facts
