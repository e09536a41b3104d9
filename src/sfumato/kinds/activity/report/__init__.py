"""The owner's report on activity data: days before and after, who is away, and how large classes are."""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Finding, Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.escape import escape_html as escape
from sfumato.kinds.activity.comparison import ActivityComparison
from sfumato.kinds.activity.decode import PublishedClasses
from sfumato.kinds.activity.report import days
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports import page
from sfumato.reports.answers import draw_answers, write_answers
from sfumato.reports.html import draw_figure, shorten
from sfumato.reports.numbers import choose_edges, show_bin, show_count, show_number, show_share
from sfumato.reports.partitioned import Divided
from sfumato.reports.plots import (
    BEFORE_AND_AFTER,
    Figure,
    draw_bars,
    draw_risk_curve,
    draw_sets,
    draw_twin_bars,
    save_figure,
)
from sfumato.reports.values import choose_ranks

__all__ = ["count_partition", "draw_partitions", "figures", "picture", "render", "show_partitions"]

Floats = npt.NDArray[np.float64]
Longs = npt.NDArray[np.int64]

_SHOWN_LENGTH = 40
_MOST_BARS = 7


def render(
    comparison: Comparison,
    before: Risk,
    after: Risk,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
    remaining: Remaining = NOTHING,
    stronger: Sequence[Finding] = (),
    curve: Sequence[tuple[Risk, Risk]] = (),
) -> str:
    """Return the owner's report as one HTML page."""
    drawn = figures(comparison, before, after, curve)
    secret, judgement = "it shows individual days", page.judge(comparison, after, remaining)
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, secret, _tiles(comparison, before, after, scores), judgement, remaining),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn),
            _sensitive(comparison, after),
            *(_following(finding) for finding in stronger),
            _days(comparison, drawn.get("days")),
            _classes(drawn["class-sizes"], comparison.release.unit),
            _durations(drawn.get("durations")),
            write_answers(drawn.get("answers")),
            page.write_utility(scores, comparison.release.unit),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(
    comparison: Comparison, before: Risk, after: Risk, curve: Sequence[tuple[Risk, Risk]] = ()
) -> dict[str, Figure]:
    """Return the plots by name; ``days`` is there when it is known who is in which class."""
    drawn = {"anonymity-sets": draw_sets(before, after, comparison.release.guarantee)}
    if curve:
        drawn["risk-curve"] = draw_risk_curve(curve, "Times known")
    if days.find_obstacle(comparison) is None:
        view = comparison.view(ActivityComparison)
        window, classes = days.choose_window(view), days.choose_classes(view)
        drawn["days"] = days.draw_days(view, classes, window, unit=comparison.release.unit)
        drawn["durations"] = _draw_durations(comparison)
    drawn["class-sizes"] = _draw_sizes(comparison)
    answers = draw_answers(comparison)
    return drawn if answers is None else drawn | {"answers": answers}


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save the day of a class and the anonymity sets side by side, about 1,400 pixels wide as PNG."""
    guarantee = comparison.release.guarantee
    if days.find_obstacle(comparison) is not None:
        save_figure(draw_sets(before, after, guarantee, 400, 120), path)
        return
    view = comparison.view(ActivityComparison)
    window = days.choose_window(view)
    telling = days.choose_telling(view, days.choose_classes(view), window)
    drawn = days.draw_days(view, telling, window, 640, unit=comparison.release.unit)
    sets = alt.vconcat(*draw_sets(before, after, guarantee, 270, 90).panels)
    save_figure(alt.hconcat(drawn.chart(), sets, spacing=40), path)


def count_partition(comparison: Comparison) -> PartialSums:
    """Count in a partition of a release what the figures need."""
    view = comparison.view(ActivityComparison)
    return {
        "before": np.bincount(view.codes.ravel(), minlength=len(view.labels)).astype(np.float64),
        "after": view.sizes @ view.class_totals,
        "sizes": [view.sizes],
    }


def draw_partitions(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all partitions of a release together."""
    counts, labels = seen.counts, seen.full_original.original.view_history().labels
    return {
        "class-sizes": _draw_classes(np.concatenate(counts["sizes"]), seen.release),
        "durations": _draw_shares(labels, counts["before"], counts["after"]),
    }


def show_partitions(drawn: Mapping[str, Figure], seen: Divided) -> list[str]:
    """Return the sections on following someone, on what is sensitive, on classes and on durations."""
    return [
        _sensitive(seen, seen.after),
        *(_following(finding) for finding in seen.stronger),
        _classes(drawn["class-sizes"], seen.release.unit),
        _durations(drawn["durations"]),
    ]


def _tiles(comparison: Comparison, before: Risk, after: Risk, scores: Sequence[Score]) -> list[tuple[str, str]]:
    tiles = page.show_change(comparison, before, after)
    difference = next((score.value for score in scores if score.name == "relative-difference"), None)
    if difference is not None:
        tiles = [*tiles, (escape(show_number(round(difference, 3))), "relative difference of daily durations")]
    return tiles


def _account(comparison: Comparison) -> str:
    view, unit = comparison.view(ActivityComparison), comparison.release.unit
    did = "did" if unit == PERSON else "was spent on"
    body = page.account_for(
        comparison,
        [
            (f"Slots of every {comparison.release.unit.one}", view.slots),
            ("Published intervals", len(view.intervals)),
            ("Activities in the original", int(view.occurring.sum())),
            ("Classes published", len(view.sizes)),
            ("Smallest class", int(view.sizes.min(initial=len(comparison.release)))),
        ],
    )
    return body + (
        "<p>The release has, for each class and interval, the share of time that its "
        f"{unit.many} spent on each activity, never what a single {unit.one} {did}.</p>"
        f"{_describe_unknown(comparison)}"
    )


def _describe_unknown(comparison: Comparison) -> str:
    """Say of how many intervals of classes nothing is published, where some time is unknown."""
    guarantee: Any = comparison.release.guarantee
    gap = getattr(guarantee, "gap", None)
    if gap is None:
        return ""
    hidden = PublishedClasses.of(comparison.release).find_hidden(gap)
    return (
        f"<p>Part of the time is unknown. {show_count(int(hidden.sum()))} of {show_count(hidden.size)} intervals of "
        f"classes are suppressed, because fewer than {guarantee.k} {comparison.release.unit.many} of the "
        "class were "
        "observed all the time, "
        "or too few for the guaranteed share. A larger <code>size</code> suppresses fewer.</p>"
    )


def _following(finding: Finding) -> str:
    """Say how far people can be followed from one known slot, and what helps."""
    body = "".join(f"<p>{escape(text)}</p>" for text in finding.remaining.warnings)
    if body:
        body = f"<blockquote class=warning><p><b>A person can be followed.</b></p>{body}</blockquote>"
    else:
        share = show_share(finding.to_dict()["followed_share"])
        body = (
            "<p>Someone who knows one slot in which a person's activity is unique in its class learns more about the "
            f"time before or after it in only {share} of the cases.</p>"
        )
    return f"<section><h2>Following a person</h2>\n{body}</section>"


def _sensitive(comparison: Comparison | Divided, after: Risk) -> str:
    """Say which activities are sensitive, what is guaranteed about them and what was found."""
    labels = comparison.original.schema.sensitive
    if not labels:
        return ""
    named = ", ".join(escape(shorten(label, _SHOWN_LENGTH)) for label in labels)
    guarantee, share = comparison.release.guarantee, after.max_sensitive_share
    epsilon, delta = getattr(guarantee, "epsilon", None), getattr(guarantee, "delta", None)
    body, many = f"<p>Sensitive: {named}.</p>", comparison.release.unit.many
    if epsilon is None or share is None:
        body += f"<p>The guarantee does not limit how many {many} of a class have one at the same time.</p>"
    else:
        allowed = float(Fraction(str(epsilon)))
        holds = share <= allowed + 1e-12
        largest, limit, time = show_share(share), show_share(allowed), escape(str(delta))
        text = (
            f"At most {largest} of the {many} of any class have the same sensitive activity throughout the "
            f"same {time} ({limit} guaranteed)."
            if holds
            else f"<b>Do not publish this release: in a class {largest} of the {many} have the same sensitive "
            f"activity throughout the same {time}; at most {limit} are guaranteed.</b>"
        )
        body += f"<blockquote{' class=warning' * (not holds)}><p>{text}</p></blockquote>"
    return f"<section><h2>Sensitive activities</h2>\n{body}</section>"


def _durations(plot: Figure | None) -> str:
    if plot is None:
        return ""
    caption = "Share of all time spent on an activity, in the original and in the release."
    return f"<section><h2>Activities before and after</h2>\n{draw_figure('durations', plot, caption)}</section>"


def _draw_durations(comparison: Comparison) -> Figure:
    """Draw the share of time spent on each activity, before and after, and how far off the release is."""
    counted = count_partition(comparison)
    return _draw_shares(comparison.history.labels, counted["before"], counted["after"])


def _draw_shares(labels: Sequence[str], slots: Floats, spent: Floats) -> Figure:
    before, after = slots / max(float(slots.sum()), 1.0), spent / max(float(spent.sum()), 1.0)
    chosen = choose_ranks(before)
    rows = [(labels[at], float(before[at]), float(after[at])) for at in chosen.tolist()]
    errors = [(name, abs(now - was) / was, show_share(abs(now - was) / was)) for name, was, now in rows]
    return Figure(
        title="Time spent on activities, before and after",
        description="Bars with the share of time of each activity before and after, and its relative error.",
        panels=[
            draw_twin_bars(rows, "Share of the time", None, shares=True),
            draw_bars(errors, "Relative error", ""),
        ],
        legend=BEFORE_AND_AFTER,
        notes=[f"{show_count(len(rows))} of {show_count(int((before > 0).sum()))} activities are shown."],
        head=["Activity", "Before", "After", "Relative error"],
        rows=[
            [name, show_share(was), show_share(now), text]
            for (name, was, now), (_, _, text) in zip(rows, errors, strict=True)
        ],
    )


def _days(comparison: Comparison, plot: Figure | None) -> str:
    if plot is None:
        body = f"<p>{escape(days.find_obstacle(comparison) or '')}</p>"
    else:
        caption = (
            f"Each class is drawn twice. Above: a line for each {comparison.release.unit.one}, coloured by "
            "activity. Below: the published share of time by activity."
        )
        body = draw_figure("days", plot, caption)
    return f"<section><h2>A day before and after</h2>\n{body}</section>"


def _classes(plot: Figure, unit: RecordUnit) -> str:
    caption = (
        f"{unit.many.capitalize()} of a class are published together: someone who finds the class of "
        f"{unit.record_of_person} cannot tell which one it is."
    )
    return f"<section><h2>Classes</h2>\n{draw_figure('class-sizes', plot, caption)}</section>"


def _draw_sizes(comparison: Comparison) -> Figure:
    """Draw how many classes, and how many people in them, there are of each size."""
    return _draw_classes(comparison.view(ActivityComparison).sizes, comparison.release)


def _draw_classes(sizes: Longs, release: Any) -> Figure:
    many = release.unit.many.capitalize()
    edges = choose_edges(int(sizes.max(initial=1)), getattr(release.guarantee, "k", None))
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
            f"{many} in a class",
        )
        for title, counts in (("Classes", classes), (f"{many} in them", people))
    ]
    return Figure(
        title="Sizes of classes",
        description=f"Two bar charts: classes, and {many.lower()} in them, by the size of the class.",
        panels=views,
        head=[f"{many} in a class", "Classes", many],
        rows=[
            [name, show_count(int(count)), show_count(int(size))]
            for name, count, size in zip(bins, classes, people, strict=True)
        ],
    )
