"""The owner's report on a timeline: how frequent sensitive events look before and after, and what was deleted."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.base.remaining import NOTHING, Remaining
from sfumato.escape import escape_html as escape
from sfumato.kinds.timeline.attacks import Exposure, expose
from sfumato.kinds.timeline.comparison import TimelineComparison
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.reports import page
from sfumato.reports.answers import draw_answers, write_answers
from sfumato.reports.figure import inline
from sfumato.reports.html import draw_figure, make_table, shorten
from sfumato.reports.numbers import show_amount, show_count, show_share
from sfumato.reports.palette import AFTER, BEFORE, INK
from sfumato.reports.plots import PANEL_WIDTH, Figure, LegendEntry, save_figure, share_axis
from sfumato.reports.text import ReportWords
from sfumato.reports.times import show_time, time_field, to_axis
from sfumato.reports.values import draw_frequencies

__all__ = ["REPORT_WORDS", "figures", "picture", "render"]

_COUNTERS = {
    "rounds": "Rounds of deletion until the guarantee held",
    "proved_optimal": "Proved that no other deletions change less (1: yes)",
    "saved_permille_of_essa": "Change saved compared to the fast method ESSA, in thousandths",
    "gap_permille_at_most": "Largest possible excess over the least change, in thousandths",
}
"""What methods count, in plain words."""

Floats = npt.NDArray[np.float64]
Ints = npt.NDArray[np.int64]

_SHOWN_EVENTS = 12
_DRAWN_EVENTS = 4
_SHOWN_LENGTH = 40
_STEPS = 120
_BARS = 40

_LIMITS = (
    (
        "Parts that begin later.",
        "The guarantee is about prefixes. A sensitive event may be frequent in a day, a week or any other "
        "part of the timeline that begins later.",
    ),
    (
        "Knowledge of true counts.",
        "Occurrences are only deleted. Someone who knows how often a sensitive event really occurred sees "
        "the difference.",
    ),
    (
        "Several events together.",
        "Each sensitive event is below the threshold on its own. Together they may reach it.",
    ),
    (
        "People.",
        "A timeline counts events, not people. If an occurrence can be traced to a person, the release "
        "does not hide it.",
    ),
)


def render(
    comparison: Comparison,
    before: Exposure,
    after: Exposure,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
    remaining: Remaining = NOTHING,
) -> str:
    """Return the owner's report as one HTML page."""
    timelines = TimelineComparison(comparison)
    drawn, judged = figures(comparison, before, after), _judge(timelines).warn(remaining)
    secret = "it names sensitive events and shows how many were deleted and when"
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, secret, _tiles(timelines, before, after), judged, remaining),
            _published(timelines),
            _risk(timelines, drawn["prefix-frequencies"]),
            _deletions(timelines, drawn["deletions"], drawn["events"]),
            write_answers(drawn.get("answers")),
            page.write_utility(scores),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(comparison: Comparison, before: Exposure, after: Exposure) -> dict[str, Figure]:  # noqa: ARG001
    """Return the plots by name: how frequent events look in the prefixes, how many were deleted when, and of which."""
    timelines = TimelineComparison(comparison)
    labels = timelines.before.labels
    had, left = (
        np.bincount(timelines.before.codes, c, minlength=len(labels)) for c in (timelines.before.counts, timelines.left)
    )
    answers = draw_answers(comparison)
    return {
        **({} if answers is None else {"answers": answers}),
        "prefix-frequencies": _draw_frequencies(timelines, _DRAWN_EVENTS),
        "deletions": _draw_deletions(timelines),
        "events": draw_frequencies(labels, had, left, "events", counted="occurrences", divided=False),
    }


def picture(comparison: Comparison, before: Exposure, after: Exposure, path: str | Path) -> None:  # noqa: ARG001
    """Save the frequencies of one event and the deletions side by side, about 1,400 pixels wide as PNG."""
    timelines = TimelineComparison(comparison)
    drawn = [_draw_frequencies(timelines, 1).chart(), _draw_deletions(timelines).chart()]
    save_figure(alt.hconcat(*drawn, spacing=40), path)


def _judge(timelines: TimelineComparison) -> page.Judgement:
    left = expose(timelines.after, timelines.comparison.original.schema.sensitive, timelines.delta)
    if left.exposed_events:
        return page.Judgement(
            "broken", "Do not publish this release: a sensitive event reaches the threshold in a published prefix."
        )
    return page.Judgement(
        "holds",
        "The guarantee holds: up to any time, every sensitive event is below the threshold "
        f"({show_share(float(timelines.delta or 1))}) of the published occurrences.",
    )


def _tiles(timelines: TimelineComparison, before: Exposure, after: Exposure) -> list[tuple[str, str]]:
    was, now = show_share(float(before.largest)), show_share(float(after.largest))
    gone = int(timelines.removed.sum())
    release = timelines.comparison.release
    return [
        (show_count(len(release)), f"of {show_count(release.records_in)} time points published"),
        (
            f"<i class='was'>{was}</i> → <i class='is'>{now}</i>",
            "largest share of a sensitive event from the start to any time",
        ),
        (show_count(gone), f"of {show_count(int(timelines.totals.sum()))} occurrences deleted"),
    ]


def _published(timelines: TimelineComparison) -> str:
    left = len(np.unique(timelines.after.codes))
    account = page.account_for(
        timelines.comparison,
        [
            ("Occurrences in the original", int(timelines.totals.sum())),
            ("Occurrences published", int(timelines.after.counts.sum())),
            ("Kinds of events in the original", len(np.unique(timelines.before.codes))),
            ("Kinds of events published", left),
        ],
    )
    limits = "".join(f"<li><b>{escape(lead)}</b> {escape(text)}</li>" for lead, text in _LIMITS)
    return (
        f"<section><h2>What was published</h2>\n{account}\n<p>{escape(_name_sensitive(timelines))}</p>\n"
        f"{page.render_guarantee(timelines.comparison.release)}"
        f"<h3>What it does not protect against</h3>\n<ul class='limits'>{limits}</ul></section>"
    )


def _name_sensitive(timelines: TimelineComparison) -> str:
    sensitive = timelines.comparison.original.schema.sensitive
    named = ", ".join(shorten(event, _SHOWN_LENGTH) for event in sensitive[:_SHOWN_EVENTS])
    more = f" and {show_count(len(sensitive) - _SHOWN_EVENTS)} more" if len(sensitive) > _SHOWN_EVENTS else ""
    hidden = getattr(timelines.comparison.release.guarantee, "cover", 1) > 1
    remark = " The release does not say which of the events it names are sensitive." if hidden else ""
    return f"Sensitive: {named}{more}.{remark}"


def _risk(timelines: TimelineComparison, plot: Figure) -> str:
    """Write what an observer of prefixes sees before and after."""
    sensitive = timelines.comparison.original.schema.sensitive
    exposures = [expose(timeline, sensitive, timelines.delta) for timeline in (timelines.before, timelines.after)]
    rows = [
        (
            "Sensitive events that reach the threshold at some time",
            *(show_count(e.exposed_events) for e in exposures),
        ),
        ("Times at which one does, summed over the events", *(show_count(e.exposed_prefixes) for e in exposures)),
        (
            "Largest share of a sensitive event in a prefix (from the start to some time)",
            *(show_share(float(e.largest)) for e in exposures),
        ),
    ]
    safe = exposures[1].exposed_events == 0
    judged = (
        "No sensitive event reaches the threshold in any published prefix, as guaranteed."
        if safe
        else "A sensitive event reaches the threshold in a published prefix: the guarantee is broken."
    )
    caption = (
        "Share of all occurrences up to each time, for the most frequent sensitive events. The dashed line "
        "is the threshold, which no published prefix reaches."
    )
    return (
        "<section><h2>Risk before and after</h2>\n<p>The attacker sees the timeline up to some time, and considers an "
        "event frequent if it reaches the threshold of all occurrences until then.</p>\n"
        f"<p><b>{judged}</b></p>\n{make_table(['', 'Before', 'After'], rows)}\n"
        f"{draw_figure('prefix-frequencies', plot, caption)}</section>"
    )


def _most_frequent(timelines: TimelineComparison, number: int) -> list[str]:
    exposure = expose(timelines.before, timelines.comparison.original.schema.sensitive, None)
    return sorted(exposure.peaks, key=lambda event: (-exposure.peaks[event].frequency, event))[:number]


def _draw_frequencies(timelines: TimelineComparison, number: int) -> Figure:
    """Draw the relative frequency of some events in the prefixes, before and after."""
    events = _most_frequent(timelines, number)
    code = timelines.before.code_of()
    ends = np.unique(np.linspace(0, len(timelines.before) - 1, _STEPS).astype(np.int64))
    panels, rows = [], []
    for event in events:
        shares = {
            "before": _shares(timelines, timelines.before.counts, code[event], ends, timelines.original_lengths),
            "after": _shares(timelines, timelines.left, code[event], ends, timelines.lengths),
        }
        rows.append([shorten(event, _SHOWN_LENGTH), *(show_share(float(line.max())) for line in shares.values())])
        panels.append(_draw_lines(timelines, ends, shares, shorten(event, _SHOWN_LENGTH)))
    return Figure(
        title="Share of sensitive events up to each time, before and after",
        description="For each event two lines, before and after deletion, and a horizontal line at the threshold.",
        panels=panels,
        legend=(
            LegendEntry("line", BEFORE, "before"),
            LegendEntry("line", AFTER, "after"),
            LegendEntry("dash", INK, f"threshold ({show_share(float(timelines.delta or 1))})"),
        ),
        notes=[f"{show_amount(len(events), 'event is', 'events are')} shown."],
        head=["Event", "Largest drawn before", "Largest drawn after"],
        rows=rows,
    )


def _shares(timelines: TimelineComparison, counts: Ints, code: int, ends: Ints, lengths: Ints) -> Floats:
    own = np.where(timelines.before.codes == code, counts, 0)
    sums = np.concatenate([[0], np.cumsum(own)])[timelines.before.offsets[ends + 1]]
    return np.asarray(sums / np.maximum(lengths[ends], 1), dtype=np.float64)


def _draw_lines(timelines: TimelineComparison, ends: Ints, shares: dict[str, Floats], title: str) -> Any:
    time_unit = timelines.comparison.original.time_unit
    times = timelines.before.times
    values = [
        {"when": when, "time": to_axis(int(times[end]), time_unit), "share": float(share)}
        | {"told": f"{show_time(int(times[end]), time_unit)}, {when}: {show_share(float(share))}"}
        for when, line in shares.items()
        for end, share in zip(ends, line, strict=True)
    ]
    domain = (to_axis(int(times[0]), time_unit), to_axis(int(times[-1]), time_unit))
    colours = alt.Scale(domain=["before", "after"], range=[BEFORE, AFTER])
    lines = (
        alt.Chart(inline(values))
        .mark_line(interpolate="step-after", strokeWidth=1.6, aria=False)
        .encode(
            x=time_field("time", time_unit, domain),
            y=alt.Y("share:Q").axis(share_axis("Share so far", tickCount=4)),
            color=alt.Color("when:N", scale=colours, legend=None),
            tooltip="told:N",
        )
    )
    threshold = alt.Chart(inline([{"delta": float(timelines.delta or Fraction(1))}])).encode(y="delta:Q")
    rule = threshold.mark_rule(color=INK, strokeDash=[4, 3], aria=False)
    return alt.layer(lines, rule).properties(width=PANEL_WIDTH, height=120, title=title)


def _draw_deletions(timelines: TimelineComparison) -> Figure:
    """Draw how many occurrences were deleted and kept, over equally long stretches of time points."""
    count, time_unit = min(_BARS, len(timelines.before)), timelines.comparison.original.time_unit
    stretch = np.arange(len(timelines.before)) * count // max(len(timelines.before), 1)
    gone = np.bincount(stretch, timelines.removed_by_point, minlength=count)
    total = np.bincount(stretch, timelines.totals, minlength=count)
    first = np.searchsorted(stretch, np.arange(count))
    starts = [int(timelines.before.times[at]) for at in first]
    ends = [*starts[1:], int(timelines.before.times[-1]) + 1] if count else []
    values = [
        {"from": to_axis(start, time_unit), "to": to_axis(end, time_unit), "low": float(low), "high": float(high)}
        | {"colour": colour, "told": f"from {show_time(start, time_unit)}: {show_count(int(high - low))} {what}"}
        for what, colour, low_of, high_of in (("deleted", BEFORE, 0 * gone, gone), ("published", AFTER, gone, total))
        for start, end, low, high in zip(starts, ends, low_of, high_of, strict=True)
    ]
    domain = (to_axis(starts[0], time_unit), to_axis(ends[-1], time_unit)) if count else (0, 1)
    bars = (
        alt.Chart(inline(values))
        .mark_rect(xOffset=0.5, x2Offset=-0.5, aria=False)
        .encode(
            x=time_field("from", time_unit, domain),
            x2="to",
            y=alt.Y("low:Q").axis(alt.Axis(title="Occurrences", tickCount=4, domain=False, ticks=False, format=",d")),
            y2="high",
            color=alt.Color("colour:N", scale=None, legend=None),
            tooltip="told:N",
        )
        .properties(width=PANEL_WIDTH, height=130, title="Occurrences over time")
    )
    return Figure(
        title="Occurrences published and deleted over time",
        description="Stacked bars over parts of the timeline with the same number of time points.",
        panels=[bars],
        legend=(LegendEntry("square", AFTER, "published"), LegendEntry("square", BEFORE, "deleted")),
        notes=[f"{show_amount(count, 'stretch', 'stretches')} with the same number of time points."],
        head=["From", "Occurrences", "Deleted"],
        rows=[
            [show_time(starts[i], time_unit), show_count(int(total[i])), show_count(int(gone[i]))] for i in range(count)
        ],
    )


def _deletions(timelines: TimelineComparison, plot: Figure, events: Figure) -> str:
    """List what was deleted of the events that lost most."""
    places = timelines.before.codes[timelines.removed > 0]
    gone = np.bincount(timelines.before.codes, timelines.removed, minlength=len(timelines.before.labels)).astype(
        np.int64
    )
    had = np.bincount(timelines.before.codes, timelines.before.counts, minlength=len(timelines.before.labels)).astype(
        np.int64
    )
    order = sorted(np.unique(places).tolist(), key=lambda code: (-int(gone[code]), timelines.before.labels[code]))
    rows = [
        (
            shorten(timelines.before.labels[code], _SHOWN_LENGTH),
            show_count(int(had[code])),
            show_count(int(gone[code])),
            show_share(gone[code] / had[code]),
        )
        for code in order[:_SHOWN_EVENTS]
    ]
    table = make_table(["Event", "Occurrences", "Deleted", "Share"], rows) if rows else "<p>Nothing was deleted.</p>"
    caption = "Deletions are distributed so that the probabilities of all events change as little as possible."
    return (
        f"<section><h2>What was deleted</h2>\n{draw_figure('deletions', plot, caption)}\n"
        f"<h3>The events that lost most</h3>\n{table}\n<h3>Events before and after</h3>\n"
        f"{draw_figure('events', events, 'Occurrences of events, in the original and in the release.')}</section>"
    )


REPORT_WORDS = ReportWords(counters=_COUNTERS)
