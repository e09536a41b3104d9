"""Measure the trade-off curves of the guide: ``python docs/curves.py [KIND ...]``.

The study of every kind in ``examples/studies`` is run (what is finished in ``build/studies`` is not run again), and
what it found is kept in ``docs/curves``: the numbers as CSV, the plots as SVG. The table of the guide page of the kind
is written from the numbers, between two marks.
"""

from __future__ import annotations

import csv
import dataclasses
import re
import sys
import textwrap
from collections.abc import Sequence
from pathlib import Path
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from sfumato.studies.results import StudyResult
    from sfumato.studies.summary import Measure

DOCS = Path(__file__).parent
ROOT = DOCS.parent
CURVES = DOCS / "curves"
RISK = "risk"
FIELDS = ("label", "parameter", "at", "figure", "title", "is_share", "value")
BLOCK = re.compile(r"(<!-- measured by docs/curves.py -->\n).*?(<!-- end -->)", re.DOTALL)
WIDTH = 320
LETTERS = 44

SHOWN = {
    "activity": ("relative-difference", RISK),
    "rt": ("ncp", "utility-loss", RISK),
    "sequences": ("interval-loss", RISK),
    "sets": ("top-itemsets", "item-queries", RISK),
    "snapshots": ("average-relative-error", "publication-delay", RISK),
    "table": ("ncp", RISK),
    "timeline": ("deleted-share", "sanitisation-error", RISK),
    "trajectories": ("distance", RISK),
}
"""The measures that the page of a kind shows; the first stands in its table, with the risk."""


@dataclasses.dataclass(frozen=True)
class Row:
    """One number of a study: the mean over its repetitions; an empty value where there is none."""

    label: str
    parameter: str
    at: str
    figure: str
    title: str
    is_share: bool
    value: float | None


def read_rows(kind: str) -> list[Row]:
    """Return the numbers that were kept of a kind's study."""
    with (CURVES / f"{kind}.csv").open(encoding="utf-8", newline="") as file:
        return [
            Row(
                **{
                    **line,
                    "is_share": line["is_share"] == "yes",
                    "value": float(line["value"]) if line["value"] else None,
                }
            )
            for line in csv.DictReader(file)
        ]


def write_rows(kind: str, rows: Sequence[Row]) -> None:
    """Keep the numbers of a kind's study."""
    with (CURVES / f"{kind}.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(FIELDS)
        for row in rows:
            value = "" if row.value is None else f"{row.value:.5g}"
            writer.writerow(
                (row.label, row.parameter, row.at, row.figure, row.title, "yes" if row.is_share else "no", value)
            )


def collect_rows(kind: str, result: StudyResult) -> list[Row]:
    """Return the numbers of a study that its page shows."""
    from sfumato.studies.summary import describe_success, list_measures, list_points

    points = list_points(result)
    measures = {measure.name: measure for measure in list_measures(result)}
    success = describe_success(points)[0]
    rows = []
    for figure in SHOWN[kind]:
        title, is_share = (success, True) if figure == RISK else describe(measures[figure])
        before = max((found.mean for point in points if (found := point.risk("before"))), default=None)
        if figure == RISK:
            rows.append(Row("published as they are", points[0].along, "", RISK, title, is_share, before))
        for point in points:
            spread = point.risk("after") if figure == RISK else point.measured(figure)
            mean = None if spread is None else spread.mean
            rows.append(Row(point.line, point.along, str(point.at), figure, title, is_share, mean))
    return rows


def describe(measure: Measure) -> tuple[str, bool]:
    """Return what a measure is called, with its unit where it has one, and whether it is a share."""
    named = measure.unit and not measure.is_share
    return f"{measure.title} ({measure.unit})" if named else measure.title, measure.is_share


def format_value(row: Row | None) -> str:
    """Return a number as the page shows it."""
    if row is None or row.value is None:
        return "-"
    if not row.is_share:
        return f"{float(f'{row.value:.3g}'):,g}"
    return f"{100 * row.value:.0f}\u00a0%" if row.value >= 0.0995 else f"{100 * row.value:.1f}\u00a0%"


def render_block(kind: str, rows: Sequence[Row]) -> str:
    """Return pictures and table of a page."""
    shown = SHOWN[kind]
    titles = {row.figure: row.title for row in rows}
    found = {(row.label, row.at, row.figure): row for row in rows}
    values = list(dict.fromkeys(row.at for row in rows if row.at))
    parameter = rows[0].parameter
    before = next(row for row in rows if row.figure == RISK and not row.at)
    heads = " | ".join(f"{parameter} = {at}" for at in values)
    lines = [f"![{titles[figure]} as {parameter} varies](../curves/{kind}-{figure}.svg)" for figure in shown]
    lines += ["", f"{titles[shown[0]]}, in brackets the {lower(titles[RISK])}:", "", f"| method | {heads} |"]
    lines += [f"| --- |{' --- |' * len(values)}"]
    for label in dict.fromkeys(row.label for row in rows if row.at):
        cells = [
            f"{format_value(found.get((label, at, shown[0])))} ({format_value(found.get((label, at, RISK)))})"
            for at in values
        ]
        lines.append(f"| {label} | {' | '.join(cells).replace('- (-)', '-')} |")
    study = f"[`examples/studies/{kind}.toml`](../../examples/studies/{kind}.toml)"
    lines += ["", f"{titles[RISK]} in the original: {format_value(before)}."]
    lines += [f"Measured by {study}; `make curves` measures it again."]
    return "\n".join(lines) + "\n"


def lower(title: str) -> str:
    """Return a title as it stands inside a sentence; abbreviations stay."""
    return title if title[:2].isupper() else title[:1].lower() + title[1:]


def draw(kind: str, result: StudyResult) -> None:
    """Draw the curves of a kind."""
    from sfumato.reports.figure import to_svg
    from sfumato.studies.plots import list_figures

    figures = {figure.name: figure for figure in list_figures(result)}
    for shown in SHOWN[kind]:
        wanted = "risk-success" if shown == RISK else f"measure-{shown}"
        figure = next(figures[name] for name in figures if name.startswith(wanted))
        chart = figure.draw(WIDTH).properties(title=textwrap.wrap(figure.title, LETTERS))
        (CURVES / f"{kind}-{shown}.svg").write_text(to_svg(chart, background="white") + "\n", encoding="utf-8")


def mend_page(kind: str, rows: Sequence[Row]) -> None:
    """Put the block of a kind into its page."""
    page = DOCS / "guide" / f"{kind}.md"
    text = page.read_text(encoding="utf-8")
    block = render_block(kind, rows).replace("\\", r"\\")
    page.write_text(BLOCK.sub(rf"\g<1>{block}\g<2>", text), encoding="utf-8")


def main() -> None:
    """Measure, draw and write what is asked for, or everything."""
    import sfumato as sf

    CURVES.mkdir(exist_ok=True)
    for kind in sys.argv[1:] or SHOWN:
        result = sf.study(
            ROOT / "examples" / "studies" / f"{kind}.toml", out=ROOT / "build" / "studies" / kind, retry=True
        )
        rows = collect_rows(kind, result)
        write_rows(kind, rows)
        draw(kind, result)
        mend_page(kind, rows)
        print(f"{kind}: {result!r}")


if __name__ == "__main__":
    main()
