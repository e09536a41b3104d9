"""The owner's report on snapshots: how skewed they were, how late records are, what can be inferred."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import altair as alt
import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Risk
from sfumato.base.guarantee import Guarantee
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.escape import escape_html as escape
from sfumato.kinds.snapshots.comparison import SnapshotComparison
from sfumato.kinds.snapshots.knowledge.record_delays import RecordDelays
from sfumato.kinds.snapshots.report import plots
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.metric import Score
from sfumato.reports import page
from sfumato.reports.answers import draw_answers, write_answers
from sfumato.reports.html import draw_figure, make_table
from sfumato.reports.numbers import show_count, show_share
from sfumato.reports.plots import Figure, save_figure

__all__ = ["figures", "picture", "render"]

Floats = npt.NDArray[np.float64]

_DELAYS = {
    "paper": (
        "Inference from delays.",
        "Someone who knows when a record arose and finds it late or missing can infer that its value was "
        "too frequent at that time; see below. The guarantee does not cover this; delays=hidden spreads "
        "delays evenly over values.",
    ),
    "hidden": (
        "Knowledge of frequencies.",
        "Someone who knows the frequencies of values in a snapshot guesses a frequent one correctly as "
        "often as it occurred. Which records came on time can reveal these frequencies.",
    ),
}
_LISTED_DAYS = 30
_LIMITS = (
    (
        "The same person in several snapshots.",
        "Each snapshot keeps the guarantee on its own. Groups of the same person at different times can be compared.",
    ),
    (
        "Presence in the data.",
        "Attributes are published exactly. Someone who knows them finds the record and learns that the "
        "person is in the data.",
    ),
)


def render(
    comparison: Comparison,
    before: Risk,
    after: Risk,
    scores: Sequence[Score],
    *,
    facts: Mapping[str, str] | None = None,
    remaining: Remaining = NOTHING,
) -> str:
    """Return the owner's report as one HTML page."""
    drawn = figures(comparison, before, after)
    queries = next((score for score in scores if score.name == "window-queries"), None)
    return page.write_page(
        comparison,
        [
            page.write_header(
                comparison,
                "it names sensitive values",
                _tiles(comparison, before, after),
                _judge(comparison, after).warn(remaining),
                remaining,
            ),
            _published(comparison),
            _risk(comparison.release.guarantee, before, after),
            _skew(drawn["shares"]),
            _delays(drawn.get("delays")),
            _values(drawn["over-time"], drawn["values"]),
            _late_and_missing(comparison, after),
            _queries(queries),
            write_answers(drawn.get("answers")),
            page.write_utility(scores),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(comparison: Comparison, before: Risk, after: Risk) -> dict[str, Figure]:  # noqa: ARG001
    """Return the plots by name; ``delays`` is there when it is known who became whom."""
    view = SnapshotComparison(comparison)
    drawn = {"shares": plots.draw_shares(view, comparison.release.guarantee)}
    if comparison.rows is not None:
        drawn["delays"] = plots.draw_delays(view)
    drawn["over-time"] = plots.draw_over_time(view)
    drawn["values"] = plots.draw_values(view)
    answers = draw_answers(comparison)
    return drawn if answers is None else drawn | {"answers": answers}


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save the plots side by side, about 1,400 pixels wide as PNG."""
    drawn = figures(comparison, before, after)
    chosen = [drawn[name].chart() for name in ("shares", "delays") if name in drawn]
    save_figure(alt.hconcat(*chosen, spacing=40), path)


def _judge(comparison: Comparison, after: Risk) -> page.Judgement:
    guarantee = comparison.release.guarantee
    l, share = getattr(guarantee, "l", 1), after.max_sensitive_share or 0.0
    if guarantee.name != "l-diversity":
        return page.Judgement("broken", "Do not publish this release: it shows the sensitive value of each record.")
    if share > 1 / l + 1e-9:
        return page.Judgement("broken", "Do not publish this release: the attack breaks the guarantee.")
    text = (
        f"The guarantee holds: no sensitive value has more than {show_share(share)} of a group (1 in {l} guaranteed)."
    )
    if after.max_success > 1 / l + 1e-9:
        more = " But someone who sees that a record is late or missing can infer more; see late and missing records."
        return page.Judgement("careful", text + more)
    return page.Judgement("holds", text)


def _tiles(comparison: Comparison, before: Risk, after: Risk) -> list[tuple[str, str]]:
    release = comparison.release
    was, now = (show_share(risk.max_success) for risk in (before, after))
    tiles = [
        (show_count(len(release)), f"of {show_count(release.records_in)} records published"),
        (
            f"<i class='was'>{escape(was)}</i> → <i class='is'>{escape(now)}</i>",
            "highest probability of a sensitive value for a person, including late and missing records",
        ),
    ]
    if comparison.rows is not None:
        delays = SnapshotComparison(comparison).delays
        late = show_share(float((delays > 0).mean())) if len(delays) else "–"
        tiles.append((escape(late), "of published records are late"))
    return tiles


def _published(comparison: Comparison) -> str:
    view = SnapshotComparison(comparison)
    guarantee = comparison.release.guarantee
    account = page.account_for(
        comparison,
        [
            ("Snapshots with records in the original", len(np.unique(view.times))),
            ("Snapshots published", len(np.unique(view.published.times))),
            ("Groups published", len(view.published.group_time)),
            ("Sensitive values in the original", len(view.values)),
        ],
    )
    caveats = (_DELAYS[getattr(guarantee, "delays", "paper")], *_LIMITS)
    limits = "".join(f"<li><b>{escape(lead)}</b> {escape(text)}</li>" for lead, text in caveats)
    return (
        f"<section><h2>What was published</h2>\n{account}\n{page.describe_people(comparison)}"
        f"{page.render_guarantee(comparison.release)}"
        f"<h3>What it does not protect against</h3>\n<ul class='limits'>{limits}</ul></section>"
    )


def _risk(guarantee: Guarantee, before: Risk, after: Risk) -> str:
    l = getattr(guarantee, "l", 1)
    share = after.max_sensitive_share or 0.0
    rows = [
        (
            "Probability of the likeliest value, average person",
            show_share(before.mean_success),
            show_share(after.mean_success),
        ),
        (
            "Probability of the likeliest value, worst case",
            show_share(before.max_success),
            show_share(after.max_success),
        ),
        (
            "Smallest number of records that may have the value",
            show_count(before.smallest_anonymity_set),
            show_count(after.smallest_anonymity_set),
        ),
    ]
    if guarantee.name != "l-diversity":
        conclusion = _warn("The release shows the sensitive value of each record. Do not publish it.")
    elif share <= 1 / l + 1e-9 < after.max_success:
        conclusion = (
            f"<blockquote class='warning'><p>In the groups no value has more than {show_share(share)} "
            f"({show_share(1 / l)} guaranteed). <b>Someone who sees that a record is late or missing is right for up "
            "to "
            f"{show_share(after.max_success)} of these records</b>; see <i>Late and missing records</i>."
            "</p></blockquote>"
        )
    elif share <= 1 / l + 1e-9:
        conclusion = (
            f"<blockquote><p>The attack confirms the guarantee: no value is likelier than {show_share(share)} for a "
            f"person ({show_share(1 / l)} guaranteed).</p></blockquote>"
        )
    else:
        conclusion = _warn("Do not publish this release: the attack breaks the guarantee.")
    return (
        "<section><h2>Risk before and after</h2>\n<p>The attacker knows all attributes of a person and when the record "
        "arose, has the release, and wants the sensitive value. Before: the original.</p>\n"
        f"{conclusion}\n{make_table(['', 'Before', 'After'], rows, narrow=True)}</section>"
    )


def _warn(text: str) -> str:
    return f"<blockquote class='warning'><p><b>{escape(text)}</b></p></blockquote>"


def _values(over_time: Figure, values: Figure) -> str:
    times = "Times at which records arose and at which they are published."
    caption = "Number of records with a value, in the original and in the release. The difference was suppressed."
    return (
        f"<section><h2>Records and values before and after</h2>\n{draw_figure('over-time', over_time, times)}\n"
        f"{draw_figure('values', values, caption)}</section>"
    )


def _skew(plot: Figure) -> str:
    caption = (
        "For every snapshot, the share of its most frequent sensitive value. A snapshot right of the "
        "dashed line cannot be published: some of its records are delayed or suppressed."
    )
    return f"<section><h2>Skew before and after</h2>\n{draw_figure('shares', plot, caption)}</section>"


def _delays(plot: Figure | None) -> str:
    if plot is None:
        return ""
    caption = "Records are published in their own snapshot or later, never earlier; suppressed records count as never."
    return f"<section><h2>Delays</h2>\n{draw_figure('delays', plot, caption)}</section>"


def _late_and_missing(comparison: Comparison, after: Risk) -> str:
    """Say what being late or missing tells, and in which snapshots frequencies tell more than is guaranteed."""
    fates: dict[str, dict[str, float]] | None = getattr(after, "fates", None)
    if fates is None or comparison.rows is None:
        return ""
    rows = [
        [
            state.replace("_", " ").capitalize(),
            show_count(int(rates["people"])),
            show_share(rates["right"]),
            show_share(rates["right_knowing_frequencies"]),
        ]
        for state, rates in fates.items()
    ]
    head = ["The record is", "Records", "Right, with the release", "Right, knowing each snapshot's frequencies"]
    return (
        "<section><h2>Late and missing records</h2>\n<p>The attacker knows attributes and time of a person, recognises "
        "the record, sees whether it is on time, late or missing, and guesses the value.</p>\n"
        f"{make_table(head, rows, narrow=True)}\n{_exceeded(comparison)}</section>"
    )


def _exceeded(comparison: Comparison) -> str:
    """List the snapshots in which one value was above 1/l."""
    assert comparison.rows is not None
    l = getattr(comparison.release.guarantee, "l", 1)
    fates = RecordDelays.of(comparison.release, comparison.original, comparison.rows)
    days = fates.exceeded(l)
    sentence = (
        f"In {show_count(len(days))} of {show_count(len(fates.times))} snapshots more than 1 in {l} "
        "records had the same value. Someone who knows that guesses it correctly as often there, whatever "
        "is published."
    )
    if not len(days):
        return f"<p>{escape(sentence)}</p>"
    keys, counts = fates.count_values()
    most = np.zeros(len(fates.times), dtype=np.int64)
    np.maximum.at(most, keys // max(len(fates.labels), 1), counts)
    unit = comparison.original.time_unit.unit
    rows = [
        [
            plots.name_snapshot(int(fates.times[at]), unit),
            show_count(int(fates.sizes[at])),
            show_share(float(most[at] / fates.sizes[at])),
        ]
        for at in days[:_LISTED_DAYS].tolist()
    ]
    more = f" The first {_LISTED_DAYS} are listed." if len(days) > _LISTED_DAYS else ""
    table = make_table(["Snapshot", "Records", "Largest share of a value"], rows, narrow=True)
    return f"<p>{escape(sentence + more)}</p><details><summary>These snapshots</summary>{table}</details>"


def _queries(score: Score | None) -> str:
    """List the error of window queries by length, beside what the alternatives would give."""
    if score is None:
        return ""
    lengths = [int(name.removeprefix("length_")) for name in score.details if name.startswith("length_")]
    rows = [
        [
            show_count(length),
            *(show_share(score.details[f"{name}length_{length}"]) for name in ("", "suppression_", "merging_")),
        ]
        for length in lengths
    ]
    head = ["Snapshots in the window", "This release", "Suppression alone", "Merged snapshots"]
    return (
        "<section><h2>Counts over time</h2>\n<p>Average relative error of the number of records with a value in a "
        "window of time, compared to making each snapshot eligible by suppression alone or by merging it with the "
        f"following ones.</p>\n{make_table(head, rows, narrow=True)}</section>"
    )
