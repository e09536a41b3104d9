"""The owner's report on a table: what became of every column, of the classes, and of what goes together."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import altair as alt

from sfumato.attacks.risk import Finding, Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.escape import escape_html as escape
from sfumato.kinds.table.comparison import TableComparison
from sfumato.kinds.table.metrics.prediction import Prediction
from sfumato.kinds.table.report.plots import ColumnSummaries, draw_classes, draw_columns, draw_generalised, draw_pairs
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.grouping import merge_grouped
from sfumato.metrics.metric import Score
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports import page
from sfumato.reports.html import draw_figure, make_table
from sfumato.reports.numbers import show_number, show_share
from sfumato.reports.partitioned import Divided
from sfumato.reports.plots import Figure, draw_risk_curve, draw_sets, save_figure

__all__ = [
    "count_partition",
    "draw_partitions",
    "figures",
    "picture",
    "render",
    "show_classes",
    "show_columns",
    "show_partitions",
]

_FIGURES = (
    ("highest", "Highest risk"),
    ("average", "Average risk"),
    ("at_risk", "Share above 1/k"),
    ("unique", "Share that is unique"),
)


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
    secret, judgement = "it shows distributions of values", page.judge(comparison, after, remaining)
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, secret, _tiles(comparison, before, after), judgement, remaining),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn) + _attackers(after),
            _render_stronger(stronger, after),
            show_columns(drawn),
            show_classes(drawn["classes"]),
            _pairs(drawn.get("pairs")),
            page.write_utility(scores, comparison.release.unit) + _not_measured(),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(
    comparison: Comparison, before: Risk, after: Risk, curve: Sequence[tuple[Risk, Risk]] = ()
) -> dict[str, Figure]:
    """Return the plots by name; ``pairs`` is there when there are two columns to be compared."""
    view = comparison.view(TableComparison)
    drawn = {"anonymity-sets": draw_sets(before, after, comparison.release.guarantee)}
    if curve:
        drawn["risk-curve"] = draw_risk_curve(curve, "Quasi-identifiers known")
    drawn["classes"] = draw_classes(view.published.sizes, comparison.release.guarantee)
    if view.columns:
        drawn |= draw_columns(ColumnSummaries.of(view))
    if len(view.by_name) > 1:
        drawn["pairs"] = draw_pairs(view)
    return drawn


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save what became of columns and the anonymity sets side by side, about 1,400 pixels wide as PNG."""
    generalised = draw_generalised(ColumnSummaries.of(comparison.view(TableComparison))).chart()
    sets = alt.vconcat(*draw_sets(before, after, comparison.release.guarantee, 270, 130).panels)
    save_figure(alt.hconcat(generalised, sets, spacing=40), path)


def count_partition(comparison: Comparison) -> PartialSums:
    """Count in a partition of a release what the figures need."""
    view = comparison.view(TableComparison)
    return {"fates": ColumnSummaries.of(view), "classes": [view.classes]}


def draw_partitions(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all partitions of a release together."""
    summaries, sizes = seen.counts["fates"], merge_grouped(seen.counts["classes"])["records"]
    columns = draw_columns(summaries) if summaries.columns else {}
    return {"classes": draw_classes(sizes, seen.release.guarantee), **columns}


def show_partitions(drawn: Mapping[str, Figure], seen: Divided) -> list[str]:
    """Return the sections on what goes beyond the guarantee, on columns and on classes of a release in partitions."""
    return [_render_stronger(seen.stronger, seen.after), show_columns(drawn), show_classes(drawn["classes"])]


def _tiles(comparison: Comparison, before: Risk, after: Risk) -> list[tuple[str, str]]:
    view = comparison.view(TableComparison)
    loss = view.average(view.record_losses)
    return [
        *page.show_change(comparison, before, after),
        (show_share(loss), "of its column covered by an average cell (NCP)"),
    ]


def _account(comparison: Comparison) -> str:
    view = comparison.view(TableComparison)
    sizes = view.published.sizes
    return page.account_for(
        comparison,
        [
            ("Quasi-identifiers", len(view.columns)),
            ("Combinations of their values in the original", len(view.original_classes)),
            ("Groups published", len(sizes)),
            ("Smallest group", int(sizes.min(initial=view.records))),
            ("Largest group", int(sizes.max(initial=0))),
            ("Cells published exactly", sum(int(c.amounts[c.exact].sum()) for c in view.columns)),
            ("Cells generalised", sum(int(c.amounts[~c.exact & ~c.values.suppressed].sum()) for c in view.columns)),
            ("Cells suppressed", sum(int(c.amounts[c.values.suppressed].sum()) for c in view.columns)),
        ],
    )


def _attackers(after: Risk) -> str:
    """Show the figures that statistical offices use, where the attacker computed them."""
    attackers: dict[str, dict[str, Any]] = {
        name: measures for name in ("prosecutor", "journalist") if (measures := getattr(after, name, None)) is not None
    }
    if not attackers:
        return ""
    rows = [
        [title, *(show_share(measures.get(figure)) for measures in attackers.values())] for figure, title in _FIGURES
    ]
    table = make_table(["", *(name.capitalize() for name in attackers)], rows, narrow=True)
    marketer = getattr(after, "marketer", None)
    notes = [str(measures["note"]) for measures in attackers.values() if "note" in measures]
    if marketer is not None:
        notes.append(f"Marketer: {show_share(marketer)} of links are correct on average.")
    unit = after.unit
    return (
        f"<section><h3>Prosecutor, journalist, marketer</h3>\n<p>The prosecutor knows that the {unit.one} is in the "
        "data; the journalist does not, and picks from a population; the marketer links all records and accepts "
        f"errors. After:</p>\n{table}\n<p class='muted'>{escape(' '.join(notes))}</p></section>"
    )


def _render_stronger(stronger: Sequence[Finding], after: Risk) -> str:
    """List what attackers reach who know more than the guarantee covers."""
    if not stronger:
        return ""
    left_out, rows = {"knowledge", "warnings", after.unit.many.replace(" ", "_")}, []
    for name, value in ((n, v) for finding in stronger for n, v in finding.to_dict().items() if n not in left_out):
        parts = value if isinstance(value, Mapping) else {"": value}
        rows += [[_format_label(f"{name} {part}"), show_number(number)] for part, number in parts.items()]
    table = make_table(["", after.unit.many.capitalize()], rows, narrow=True)
    return (
        "<section><h2>Beyond the guarantee</h2>\n<p>The guarantee covers quasi-identifiers. Someone who also knows "
        "columns that are published unchanged, or who matches only records with the same sensitive value, learns "
        "more.</p>\n"
        f"{table}</section>"
    )


def _format_label(name: str) -> str:
    return " ".join(name.replace("_", " ").split()).capitalize()


def show_columns(drawn: Mapping[str, Figure]) -> str:
    """Show how far the columns are generalised, and their values before and after."""
    if "generalised" not in drawn:
        return ""
    generalised = draw_figure(
        "generalised",
        drawn["generalised"],
        "Cells of every quasi-identifier by how far they are generalised, and the average share of its "
        "column that a cell may stand for (NCP).",
    )
    marginals = draw_figure(
        "marginals",
        drawn["marginals"],
        "Before: original values. After: published cells, each spread evenly over the values it may stand "
        "for. Shares are of the original and of the published records.",
    )
    errors = draw_figure(
        "errors", drawn["errors"], "Error of the number of records with a value, as a share of the true number."
    )
    return (
        f"<section><h2>Columns before and after</h2>\n{generalised}\n<h3>Values before and after</h3>\n{marginals}\n"
        f"<h3>Values with the largest errors</h3>\n{errors}</section>"
    )


def show_classes(plot: Figure) -> str:
    """Show how large the classes are."""
    caption = "A group is all published records that are equal in all quasi-identifiers."
    return f"<section><h2>Sizes of groups</h2>\n{draw_figure('classes', plot, caption)}</section>"


def _pairs(plot: Figure | None) -> str:
    if plot is None:
        return ""
    caption = (
        "Association of two columns: Cramér’s V of their bins, from 0 (none) to 1 (one determines the "
        "other). Associations that are paler after than before are weaker in the release."
    )
    return f"<section><h2>What goes together</h2>\n{draw_figure('pairs', plot, caption)}</section>"


def _not_measured() -> str:
    reason = Prediction().lacks()
    return f"<p class='muted'>{Prediction.title}: {reason}</p>" if reason else ""
