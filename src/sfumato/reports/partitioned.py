"""The owner's report on a partitioned release: what was counted in every partition, for all of them together."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING, Any

import numpy as np
import numpy.typing as npt

from sfumato.attacks.risk import Finding, Risk
from sfumato.base.remaining import NOTHING, Remaining
from sfumato.data.dataset import Dataset
from sfumato.data.kind import find_kind, require
from sfumato.metrics.comparison import Comparison
from sfumato.metrics.full_original import FullOriginal
from sfumato.metrics.metric import Scores
from sfumato.metrics.partial_sums import PartialSums
from sfumato.reports import page
from sfumato.reports.html import draw_figure, make_table
from sfumato.reports.numbers import choose_edges, show_bin, show_count, show_number, show_share

if TYPE_CHECKING:
    from sfumato.reports.figure import Figure

__all__ = ["Divided", "count_members", "count_values", "draw_divided", "render_divided"]

Ints = npt.NDArray[np.int64]


@dataclasses.dataclass(frozen=True, eq=False)
class Divided:
    """What is known of a partitioned release: its original, what attackers and measures found, and counts for figures.

    Parameters
    ----------
    full_original
        The original of all partitions.
    release
        What it says of all partitions together.
    before, after, curve, stronger
        What attackers reach, as for a release in one piece.
    scores
        What it is still good for.
    counts
        What the report of the kind counted in all partitions.

    Examples
    --------
    >>> Divided(FullOriginal(Dataset.of("sets", [["wine"]])), None, None, None).rows is None
    True
    """

    full_original: FullOriginal
    release: Any
    before: Risk
    after: Risk
    curve: Sequence[tuple[Risk, Risk]] = ()
    stronger: Sequence[Finding] = ()
    scores: Scores = dataclasses.field(default_factory=Scores)
    counts: PartialSums = dataclasses.field(default_factory=dict)

    rows = None
    """Who became which record lies with every partition."""

    @property
    def original(self) -> Dataset:
        """The original of all partitions."""
        return self.full_original.original


def count_values(comparison: Comparison) -> dict[Any, int]:
    """Count how often every value is published: by its label, and by its members where it has several."""
    uses = page.count_uses(comparison).tolist()
    return {key: count for key, count in zip(comparison.keys, uses, strict=True) if count}


def count_members(values: Mapping[Any, int]) -> tuple[Ints, Ints]:
    """Return how many members every value has, and how often it is published.

    Examples
    --------
    >>> [column.tolist() for column in count_members({("a", ()): 4, ("{b|c}", (1, 2)): 3})]
    [[1, 2], [4, 3]]
    """
    sizes = np.array([max(len(members), 1) for _, members in values], dtype=np.int64)
    return sizes, np.array(list(values.values()), dtype=np.int64)


def draw_divided(seen: Divided) -> dict[str, Figure]:
    """Return the figures of the report on a release in partitions, by name."""
    from sfumato.reports.plots import draw_risk_curve, draw_sets

    drawn = {"anonymity-sets": draw_sets(seen.before, seen.after, seen.release.guarantee)}
    if seen.curve:
        drawn["risk-curve"] = draw_risk_curve(seen.curve, "Pieces of knowledge")
    figures = require(find_kind(seen.release.kind).partitions_report).draw_partitions(seen)
    return {**drawn, "parts": _draw_sizes(seen), **figures}


def _draw_sizes(seen: Divided) -> Figure:
    from sfumato.reports.plots import Figure, draw_bars

    sizes = np.array([partition.records_in for partition in seen.release.partitions])
    unit = seen.release.unit
    edges = choose_edges(int(sizes.max(initial=1)), None)
    counts, _ = np.histogram(sizes, edges)
    first = int((counts > 0).argmax()) if counts.any() else 0
    bars = [
        (show_bin(low, high), int(count), show_count(int(count)))
        for low, high, count in zip(edges[:-1], edges[1:], counts.tolist(), strict=True)
    ][first:]
    return Figure(
        title="Sizes of partitions",
        description=f"Bars with the number of partitions by how many {unit.many} they have.",
        panels=[draw_bars(bars, "Partitions", f"{unit.many.capitalize()} in the partition")],
        head=[f"{unit.many.capitalize()} in the partition", "Partitions"],
        rows=[[name, text] for name, _, text in bars],
    )


def render_divided(seen: Divided, facts: Mapping[str, str] | None = None, remaining: Remaining = NOTHING) -> str:
    """Return the owner's report on a partitioned release as one HTML page that needs no network and runs no scripts."""
    drawn, spec = draw_divided(seen), find_kind(seen.release.kind)
    judged = page.judge(seen, seen.after, remaining)
    if spec.judge_partitions is not None:
        judged = spec.judge_partitions.load()(judged, seen)
    number = len(seen.release.partitions)
    tiles = [
        *page.show_change(seen, seen.before, seen.after),
        (show_count(number), "partition" if number == 1 else "partitions"),
    ]
    secret = "it names values and shows their distributions"
    return page.write_page(
        seen,
        [
            page.write_header(seen, secret, tiles, judged, remaining),
            page.write_published(seen, page.account_for(seen, [("Partitions", number)])),
            _write_partitions(seen, drawn["parts"]),
            page.write_risk(seen, seen.before, seen.after, drawn) + _describe_attacker(seen),
            *require(spec.partitions_report).show_partitions(drawn, seen),
            page.write_utility(seen.scores, seen.release.unit),
            page.write_facts(seen, facts or {}),
        ],
    )


def _describe_attacker(seen: Divided) -> str:
    return (
        f"<p class='muted'>The attacker knows the partition of the {seen.release.unit.one} and counts the records "
        "of that partition. Someone who does not know the partition matches more records.</p>"
    )


def _write_partitions(seen: Divided, plot: Figure) -> str:
    """Write how many partitions there are, how large they are, and how much they differ in what they lose."""
    release, unit = seen.release, seen.release.unit
    sizes = np.array([partition.records_in for partition in release.partitions])
    shares = np.array([partition.published / max(partition.records_in, 1) for partition in release.partitions])
    rows = [
        ("Fewest in a partition", show_count(int(sizes.min(initial=release.records_in)))),
        ("In the partition in the middle", show_count(int(np.median(sizes)) if len(sizes) else 0)),
        ("Most in a partition", show_count(int(sizes.max(initial=0)))),
        ("Smallest share of a partition that is published", show_share(float(shares.min(initial=1.0)))),
    ]
    intro = (
        f"{unit.many.capitalize()} that are similar are published together. Every partition is a release of its own "
        "with its own generalisation and keeps the guarantee, and so do all partitions together."
    )
    alone = [
        (score.title or score.name, *(show_number(value) for value in (score.value, *ends)))
        for score in seen.scores
        if (ends := [score.details[end] for end in ("least", "most") if end in score.details])
    ]
    head = ["Measure", "All partitions", "Least of a partition", "Most of a partition"]
    caption = "What measures find in all partitions together, and in the partitions alone, each with its own people"
    differ = f"<h3>How much partitions differ</h3>\n{make_table(head, alone, caption=caption)}" if alone else ""
    drawn = draw_figure("parts", plot, f"Number of partitions by number of {unit.many}.")
    table = make_table([], rows, narrow=True)
    return f"<section><h2>The partitions</h2>\n<p>{intro}</p>\n{table}\n{drawn}\n{differ}</section>"
