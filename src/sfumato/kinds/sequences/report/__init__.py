"""The owner's report on timed event sequences: for whom it is safe, and what became of the times."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt
import numpy as np

from sfumato.attacks.risk import Finding, Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.data.record_unit import RecordUnit
from sfumato.escape import escape_html as escape
from sfumato.kinds.sequences.comparison import SequenceComparison
from sfumato.kinds.sequences.report import lengths, timelines
from sfumato.kinds.sequences.report.times import count_times, draw_steps, draw_times
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.metrics.partial_sums import Facts, PartialSums
from sfumato.reports import page
from sfumato.reports.answers import draw_answers, write_answers
from sfumato.reports.html import draw_figure, make_table, shorten
from sfumato.reports.numbers import show_amount, show_count, show_share
from sfumato.reports.partitioned import Divided
from sfumato.reports.plots import Figure, draw_sets, save_figure

__all__ = ["count_partition", "draw_partitions", "figures", "judge_partitions", "picture", "render", "show_partitions"]

_SHOWN_EVENTS = 12
_SHOWN_LENGTH = 40


def render(
    comparison: Comparison,
    before: Risk,
    after: Risk,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
    remaining: Remaining = NOTHING,
    stronger: Sequence[Finding] = (),
) -> str:
    """Return the owner's report as one HTML page."""
    drawn, judged = figures(comparison, before, after), _judge(comparison, after, remaining)
    secret = "it names events and shows their times"
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, secret, _tiles(comparison, before, after), judged, remaining),
            _receiver(comparison),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn),
            *(_neighbours(finding.to_dict(), comparison.release.unit) for finding in stronger),
            _show_timelines(comparison, drawn.get("timeline")),
            _groups(comparison, drawn["group-sizes"]),
            _times(drawn.get("times")),
            write_answers(drawn.get("answers")),
            page.write_utility(scores, comparison.release.unit),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(comparison: Comparison, before: Risk, after: Risk) -> dict[str, Figure]:
    """Return the plots by name; ``timeline`` is there when it is known who became whom."""
    drawn = {"anonymity-sets": draw_sets(before, after, comparison.release.guarantee)}
    if timelines.find_obstacle(comparison) is None:
        drawn["timeline"] = timelines.draw_timelines(comparison, timelines.choose_timelines(comparison))
    drawn["group-sizes"] = lengths.draw_lengths(comparison)
    optional_plots = {"times": draw_times(comparison), "answers": draw_answers(comparison)}
    return drawn | {name: figure for name, figure in optional_plots.items() if figure is not None}


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save a timeline of three groups and the anonymity sets side by side, about 1,400 pixels wide as PNG."""
    guarantee = comparison.release.guarantee
    if timelines.find_obstacle(comparison) is not None:
        save_figure(draw_sets(before, after, guarantee, 400, 120), path)
        return
    drawn = timelines.draw_timelines(comparison, timelines.choose_timelines(comparison, 3), 640)
    sets = alt.vconcat(*draw_sets(before, after, guarantee, 270, 130).panels)
    save_figure(alt.hconcat(dataclasses.replace(drawn, columns=1).chart(), sets, spacing=40), path)


def _judge(comparison: Comparison, after: Risk, remaining: Remaining) -> page.Judgement:
    """Judge the release, and say that it is for one receiver where other events are published."""
    judged = page.judge(comparison, after, remaining)
    events, _ = comparison.view(SequenceComparison).others
    return _warn_of_others(judged, len(events.codes))


def judge_partitions(judged: page.Judgement, seen: Divided) -> page.Judgement:
    """Judge a release in partitions in the same way."""
    return _warn_of_others(judged, seen.counts["others"])


def _warn_of_others(judged: page.Judgement, others: int) -> page.Judgement:
    if judged.level == "broken" or not others:
        return judged
    return page.Judgement("careful", f"{judged.text} It holds for one receiver only; see below.")


def count_partition(comparison: Comparison) -> PartialSums:
    """Count in a partition of a release what the figures need."""
    view = comparison.view(SequenceComparison)
    events, _ = view.others
    edges, before, after = count_times(comparison)
    return {
        "others": len(events.codes),
        "exposed": _count_exposed(comparison) if len(events.codes) else 0,
        "monitored": set(_list_monitored(comparison)),
        "edges": Facts(edges=edges),
        "before": before,
        "after": after,
    }


def draw_partitions(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all partitions of a release together."""
    counts = seen.counts
    if not counts["before"].any():
        return {}
    edges, time_unit = counts["edges"]["edges"], seen.full_original.original.time_unit
    return {"times": draw_steps(edges, counts["before"], counts["after"], time_unit)}


def show_partitions(drawn: Mapping[str, Figure], seen: Divided) -> list[str]:
    """Return the sections on receivers and times of a release in partitions."""
    counts, others = seen.counts, "no other of its partition"
    explained = _explain_exposure(seen, counts["exposed"], others) if counts["others"] else ""
    return [
        _describe_receivers(sorted(counts["monitored"]), explained),
        *(_neighbours(finding.to_dict(), seen.release.unit) for finding in seen.stronger),
        _times(drawn.get("times")),
    ]


def _tiles(comparison: Comparison, before: Risk, after: Risk) -> list[tuple[str, str]]:
    interval_lengths = comparison.view(SequenceComparison).covers.lengths
    typical = (
        lengths.show_length(float(np.median(interval_lengths)), comparison.original.time_unit)
        if len(interval_lengths)
        else "–"
    )
    return [*page.show_change(comparison, before, after), (escape(typical), "typical length of an interval")]


def _neighbours(finding: Mapping[str, Any], unit: RecordUnit) -> str:
    """Write what the receiver reaches who looks at the events next to the monitored ones."""
    ways = {
        "by_next": "Picks the record whose next other event comes soonest",
        "by_previous": "Picks the record whose last other event is nearest before",
        "by_nearest": "Picks the record with the nearest other event before or after",
        "by_likelihood": "Picks the likeliest record by distances learnt from the release",
        "by_guessing": "Picks a matching record at random",
    }
    rows = [(text, show_share(finding[name])) for name, text in ways.items() if name in finding]
    sample, many = "", unit.many
    head = ["Attacker", f"{many.capitalize()} found"]
    people = finding[many.replace(" ", "_")]
    if finding["attacked"] < people:
        error = show_share(2 * finding["sampling_error"])
        sample = f" {show_count(finding['attacked'])} of them were sampled; the shares are accurate to about {error}."
    judged = (
        _shout(finding["warnings"])
        if finding["warnings"]
        else f"<blockquote><p>This receiver finds no more {many} than the guarantee suggests "
        f"({show_share(finding['promised'])}).</p></blockquote>"
    )
    return (
        "<section><h2>If the receiver also uses other events</h2>\n<p>The receiver knows when the monitored events "
        "happened and picks one of the matching records by its other events. Attacked: "
        f"{show_count(people)} {many} with monitored events.{sample}</p>\n"
        f"{judged}\n{make_table(head, rows, narrow=True)}</section>"
    )


def _shout(texts: Sequence[str]) -> str:
    paragraphs = "".join(f"<p><b>{escape(text)}</b></p>" for text in texts)
    return f"<blockquote class='warning'>{paragraphs}</blockquote>"


def _receiver(comparison: Comparison) -> str:
    """Say for whom the release is safe, and what giving it to others would do."""
    events, _ = comparison.view(SequenceComparison).others
    explained = _explain_exposure(comparison, _count_exposed(comparison)) if len(events.codes) else ""
    return _describe_receivers(_list_monitored(comparison), explained)


def _list_monitored(comparison: Comparison) -> list[str]:
    is_monitored = comparison.view(SequenceComparison).is_monitored
    return [label for label, mine in zip(comparison.places, is_monitored, strict=True) if mine]


def _describe_receivers(monitored: Sequence[str], explained: str) -> str:
    """Say for whom a release is safe; what other events give away is explained where there are some."""
    named = ", ".join(shorten(label, _SHOWN_LENGTH) for label in sorted(monitored)[:_SHOWN_EVENTS])
    more = f" and {show_count(len(monitored) - _SHOWN_EVENTS)} more" if len(monitored) > _SHOWN_EVENTS else ""
    listed = f"<p>Monitored: {escape(named + more)}.</p>" if named else "<p>No event is monitored.</p>"
    if not explained:
        body = (
            "<blockquote><p><b>Safe for every receiver who knows monitored events: no other events are published.</b>"
            f"</p></blockquote>\n{listed}"
        )
    else:
        body = (
            "<blockquote class='warning'><p><b>Safe for one receiver only: the one who knows when the monitored events "
            "happened and nothing else. Give it to no one else, and do not publish it openly.</b></p>"
            f"</blockquote>\n{listed}\n<p>{escape(explained)}</p>\n"
            "<p>For another receiver, make a release in which that receiver’s events are monitored. For receivers who "
            "may collude, make one in which the events of all of them are monitored.</p>"
        )
    return f"<section><h2>For whom this release is safe</h2>\n{body}</section>"


def _count_exposed(comparison: Comparison) -> int:
    """Count the records that hold an event at a time at which no other has it."""
    events, times = comparison.view(SequenceComparison).others
    rows = events.row_of_token
    order = np.lexsort((rows, times, events.codes))
    changes = np.diff(events.codes[order], prepend=-1) != 0
    changes[1:] |= np.diff(times[order]) != 0
    moment = np.cumsum(changes) - 1
    first_of_person = changes.copy()
    first_of_person[1:] |= np.diff(rows[order]) != 0
    people = np.bincount(moment, first_of_person)
    return len(np.unique(rows[order][people[moment] == 1]))


def _explain_exposure(comparison: Comparison | Divided, exposed: int, others: str = "no other") -> str:
    """Say how many records one exactly timed event gives away."""
    share = show_share(exposed / max(len(comparison.release), 1))
    blur = getattr(comparison.release.guarantee, "blur", None)
    subject = "All other events" if blur is None else "Other events further than the blur from monitored intervals"
    return (
        f"{subject} keep their exact times. {share} of the published {comparison.release.unit.records} "
        f"have an event at a time at which {others} has it: someone who knows this one event finds the "
        f"{comparison.release.unit.record} and all other events in it."
    )


def _account(comparison: Comparison) -> str:
    view = comparison.view(SequenceComparison)
    monitored = int(view.monitored_entries.sum())
    events, _ = view.others
    blurred = [("Intervals published for blurred other events", len(view.blurred.lows))]
    return page.account_for(
        comparison,
        [
            ("Monitored events in the original", monitored),
            ("Intervals published in their place", len(view.covers.lows)),
            ("Other events in the original", len(view.times) - monitored),
            ("Other events published, with exact times", len(events.codes)),
            *(blurred if getattr(comparison.release.guarantee, "blur", None) is not None else []),
            ("Kinds of events in the original", len(comparison.history.labels)),
            ("Groups of records with the same intervals", len(view.group_covers)),
            ("Published records without monitored events", int((np.diff(view.covers.offsets) == 0).sum())),
        ],
    )


def _show_timelines(comparison: Comparison, plot: Figure | None) -> str:
    if plot is None:
        body = f"<p>{escape(timelines.find_obstacle(comparison) or '')}</p>"
    else:
        caption = (
            "Each strip is a group with its own time axis. Above: dots for the monitored events, a line "
            f"for each {comparison.release.unit.one}. Below: the intervals published for the whole group; "
            "at least one event happened in each."
        )
        body = draw_figure("timeline", plot, caption)
    return f"<section><h2>Monitored events before and after</h2>\n{body}</section>"


def _times(plot: Figure | None) -> str:
    if plot is None:
        return ""
    caption = "Times of monitored events, and published intervals spread evenly over their time."
    return f"<section><h2>Times before and after</h2>\n{draw_figure('times', plot, caption)}</section>"


def _groups(comparison: Comparison, plot: Figure) -> str:
    caption = (
        "Records of a group have the same intervals; the receiver cannot tell them apart. The number of "
        "events in an interval is not published."
    )
    without = int((np.diff(comparison.view(SequenceComparison).covers.offsets) == 0).sum())
    if without:
        unit = comparison.release.unit
        singular, many = (f"{noun} without monitored events" for noun in (unit.one, unit.many))
        caption += f" {show_amount(without, f'{singular} is', f'{many} are')} a group of their own, not in the plot."
    listed = page.list_generalised(comparison, "published categories", ("Events", "Intervals"))
    return f"<section><h2>Groups and intervals</h2>\n{draw_figure('group-sizes', plot, caption)}\n{listed}</section>"
