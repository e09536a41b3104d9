"""The owner's report on a table with sets: what became of the columns, of the items, and of the classes."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import altair as alt
import numpy as np

from sfumato.attacks.risk import Risk
from sfumato.base.guarantee import Guarantee
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.data.record_unit import PERSON, RecordUnit
from sfumato.kinds.rt.comparison import RtComparison
from sfumato.kinds.sets.report.plots import draw_value_sizes, draw_values
from sfumato.kinds.table.report import show_classes, show_columns
from sfumato.kinds.table.report.plots import ColumnSummaries, draw_classes, draw_columns, draw_generalised
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.grouping import merge_grouped
from sfumato.metrics.metric import Score
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports import page
from sfumato.reports.html import draw_figure
from sfumato.reports.numbers import show_amount, show_count, show_share
from sfumato.reports.partitioned import Divided, count_members, count_values
from sfumato.reports.plots import Figure, draw_risk_curve, draw_sets, save_figure
from sfumato.reports.text import ALWAYS, ReportWords
from sfumato.reports.values import draw_frequencies, expect_counts

__all__ = [
    "REPORT_WORDS",
    "count_partition",
    "describe_attacker",
    "draw_partitions",
    "figures",
    "list_limits",
    "picture",
    "render",
    "show_partitions",
]

_SHARE = (
    "Largest share of matching records with one sensitive item",
    "{share} of matching records have the same sensitive item; at most {allowed} are guaranteed.",
    "At most {share} of matching records have the same sensitive item ({allowed} guaranteed).",
)


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
    """Return the owner's report as one HTML page."""
    drawn = figures(comparison, before, after, curve)
    tiles, judgement = _tiles(comparison, before, after), page.judge(comparison, after, remaining)
    secret = "it names items and shows distributions of values"
    return page.write_page(
        comparison,
        [
            page.write_header(comparison, secret, tiles, judgement, remaining),
            page.write_published(comparison, _account(comparison)),
            page.write_risk(comparison, before, after, drawn),
            show_columns(drawn),
            _items(comparison, drawn["group-sizes"], drawn["items"]),
            show_classes(drawn["classes"]),
            page.write_utility(scores, comparison.release.unit),
            page.write_facts(comparison, facts or {}),
        ],
    )


def figures(
    comparison: Comparison, before: Risk, after: Risk, curve: Sequence[tuple[Risk, Risk]] = ()
) -> dict[str, Figure]:
    """Return the plots by name."""
    table = comparison.view(RtComparison).table
    labels = comparison.history.labels
    counts = np.bincount(comparison.history.codes, minlength=len(labels))
    drawn = {"anonymity-sets": draw_sets(before, after, comparison.release.guarantee)}
    if curve:
        drawn["risk-curve"] = draw_risk_curve(curve, "Items known")
    return drawn | {
        "classes": draw_classes(table.published.sizes, comparison.release.guarantee),
        **draw_columns(ColumnSummaries.of(table)),
        "group-sizes": draw_values(comparison),
        "items": draw_frequencies(labels, counts, expect_counts(comparison), "items", counted="records"),
    }


def picture(comparison: Comparison, before: Risk, after: Risk, path: str | Path) -> None:
    """Save what became of columns and the anonymity sets side by side, about 1,400 pixels wide as PNG."""
    generalised = draw_generalised(ColumnSummaries.of(comparison.view(RtComparison).table)).chart()
    sets = alt.vconcat(*draw_sets(before, after, comparison.release.guarantee, 270, 130).panels)
    save_figure(alt.hconcat(generalised, sets, spacing=40), path)


def count_partition(comparison: Comparison) -> PartialSums:
    """Count in a partition of a release what the figures need."""
    table = comparison.view(RtComparison).table
    return {
        "fates": ColumnSummaries.of(table),
        "classes": [table.classes],
        "values": count_values(comparison),
        "items": np.bincount(comparison.history.codes, minlength=len(comparison.history.labels)),
        "expected": expect_counts(comparison),
    }


def draw_partitions(seen: Divided) -> dict[str, Figure]:
    """Draw the figures of all partitions of a release together."""
    counts, labels = seen.counts, seen.full_original.original.view_history().labels
    return {
        "classes": draw_classes(merge_grouped(counts["classes"])["records"], seen.release.guarantee),
        **draw_columns(counts["fates"]),
        "group-sizes": draw_value_sizes(*count_members(counts["values"])),
        "items": draw_frequencies(labels, counts["items"], counts["expected"], "items", counted="records"),
    }


def show_partitions(drawn: Mapping[str, Figure], seen: Divided) -> list[str]:  # noqa: ARG001
    """Return the sections on columns, items and classes of a release in partitions."""
    caption = (
        "A published value that stands for several items means at least one of them. Every group of every "
        "partition generalises items on its own; values with the same members are counted as one."
    )
    items_caption = "Number of records that have an item, in the original and in the release."
    return [
        show_columns(drawn),
        f"<section><h2>Generalised items</h2>\n{draw_figure('group-sizes', drawn['group-sizes'], caption)}\n"
        f"<h3>Items before and after</h3>\n{draw_figure('items', drawn['items'], items_caption)}</section>",
        show_classes(drawn["classes"]),
    ]


def _tiles(comparison: Comparison, before: Risk, after: Risk) -> list[tuple[str, str]]:
    view = comparison.view(RtComparison)
    loss = view.table.average(view.table.record_losses)
    used = np.unique(comparison.published.codes)
    exact = int((view.sizes[used] == 1).sum())
    return [
        *page.show_change(comparison, before, after),
        (show_share(loss), "of its column covered by an average cell (NCP)"),
        (show_count(exact), f"of {show_count(len(view.items))} items published exactly somewhere"),
    ]


def _account(comparison: Comparison) -> str:
    view = comparison.view(RtComparison)
    table, sizes = view.table, view.table.published.sizes
    used = np.unique(comparison.published.codes)
    exact = int((view.sizes[used] == 1).sum())
    return page.account_for(
        comparison,
        [
            ("Quasi-identifiers", len(table.columns)),
            ("Combinations of their values in the original", len(table.original_classes)),
            ("Groups published", len(sizes)),
            ("Smallest group", int(sizes.min(initial=table.records))),
            ("Largest group", int(sizes.max(initial=0))),
            ("Items in the original", len(view.items)),
            ("Sensitive items, published unchanged", len(view.sensitive)),
            ("Occurrences of items in the original", len(comparison.history.codes)),
            ("Values of items published in records", len(comparison.published.codes)),
            ("Items published exactly in some group", exact),
            ("Generalised items published", len(used) - exact),
        ],
    )


def _items(comparison: Comparison, sizes: Figure, items: Figure) -> str:
    items_caption = "Number of records that have an item, in the original and in the release."
    frequencies = f"<h3>Items before and after</h3>\n{draw_figure('items', items, items_caption)}"
    listed = page.list_generalised(comparison, "generalised items", ("Items", "Records"))
    if not listed:
        drawn = "<p>Every item in the release is published exactly.</p>"
    else:
        caption = (
            "A published value that stands for several items means at least one of them. Every group "
            "generalises items on its own, so an item may be published in several ways."
        )
        drawn = f"{draw_figure('group-sizes', sizes, caption)}\n{listed}"
    return f"<section><h2>Generalised items</h2>\n{drawn}\n{frequencies}</section>"


def describe_attacker(m: int | None, unit: RecordUnit = PERSON) -> str:
    """Describe who the risk is computed for, as the subject of a sentence.

    Examples
    --------
    >>> describe_attacker(2)
    'someone who knows all quasi-identifiers of a person and up to 2 items'
    """
    if not m:
        return f"someone who knows all quasi-identifiers of {unit.record_of_person}"
    items = show_amount(m, "item", "items")
    return f"someone who knows all quasi-identifiers of {unit.record_of_person} and {'up to ' * (m > 1)}{items}"


def list_limits(guarantee: Guarantee) -> list[tuple[str, str]]:
    """List what a guarantee about attributes and items does not cover.

    Examples
    --------
    >>> from sfumato.kinds.rt.guarantees import KKmAnonymity
    >>> [lead for lead, _ in list_limits(KKmAnonymity(k=5, m=2))][:2]
    ['More than 2 items.', 'Other columns.']
    """
    m, l = getattr(guarantee, "m", 1), getattr(guarantee, "l", 1)
    items = show_amount(m, "item", "items")
    limits = [
        (
            f"More than {items}.",
            f"Someone who knows more than {items} of {{whose}}, a sensitive item, or that an item is "
            "absent, may match a single record.",
        ),
        (
            "Other columns.",
            "The guarantee covers the quasi-identifiers it names. Sensitive and plain columns are "
            "published unchanged; someone who knows one of {whose} may match a single record.",
        ),
    ]
    if l < 2:
        limits.append(
            (
                "What all matching records share.",
                "If all matching records have the same other item or sensitive value, the {one} has it, "
                "too. Diversity (l) limits this for sensitive items.",
            )
        )
    limits.append(
        (
            "Presence in the data.",
            "The release does not hide that a person is in the data, and exact values are true of someone.",
        )
    )
    return [*limits, ALWAYS[1]]


REPORT_WORDS = ReportWords(share=_SHARE, describe_attacker=describe_attacker, list_limits=list_limits)
