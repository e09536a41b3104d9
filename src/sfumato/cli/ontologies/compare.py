"""Commands that compare sources: what they have in common, and which questions they answer."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import Output, show_work
from sfumato.exceptions import ParameterError

__all__ = ["connectivity", "test"]

Dir = Annotated[Path, typer.Argument(help="Folder of a warehouse.")]
_SHOWN = 20


def connectivity(
    directory: Dir,
    plot: Annotated[Path | None, typer.Option(help="Plot to write: .html, .png, .svg or .pdf.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing plot.")] = False,
    as_json: Json = False,
) -> None:
    """Measure connectivity: what sources share, what each adds, and what contradicts."""
    from sfumato.cli.publish import check_file
    from sfumato.ontologies.conflicts import find_conflicts
    from sfumato.ontologies.connectivity import measure_connectivity
    from sfumato.ontologies.warehouse import Warehouse

    output = Output(as_json=as_json)
    if plot is not None:
        check_file(plot, force=force)
    with Warehouse(directory) as warehouse, show_work("measure"):
        measurement = measure_connectivity(warehouse)
        show = warehouse.prefixes.show
        conflicts: list[dict[str, Any]] = [
            {
                "what": conflict.what,
                "property": show(conflict.property),
                "about": show(conflict.about),
                "values": {show(value): list(by) for value, by in conflict.values},
            }
            for conflict in find_conflicts(warehouse)
        ]
    _show_connectivity(output, measurement)
    output.table(
        "Contradictions between sources",
        ["what", "property", "about", "values"],
        [
            (
                c["what"],
                c["property"],
                c["about"],
                "; ".join(f"{value} ({', '.join(by)})" for value, by in c["values"].items()),
            )
            for c in conflicts[:_SHOWN]
        ],
    )
    if len(conflicts) > _SHOWN:
        output.print_line(f"{len(conflicts) - _SHOWN:,} more are not shown. Print all with --json.")
    if plot is not None:
        from sfumato.ontologies.plots import draw_connectivity
        from sfumato.reports.figure import save_figure

        save_figure(draw_connectivity(measurement), plot)
        output.print_line(f"Drew {plot}.")
    output.finish(_plain(measurement) | {"conflicts": conflicts})


def test(directory: Dir, as_json: Json = False) -> None:
    """Run competence queries: are the answers as expected, and which sources suffice?

    Exit codes: 0 all as expected, 1 some differ.
    """
    from sfumato.ontologies.competence import run_suite
    from sfumato.ontologies.warehouse import Warehouse

    output = Output(as_json=as_json)
    with Warehouse(directory) as warehouse, show_work("query"):
        outcomes = run_suite(warehouse)
        sources = warehouse.sources
    if not outcomes:
        raise ParameterError(
            f"{directory} has no competence queries.", hint="Add [[competence]] to the file of the warehouse."
        )
    output.table(
        "Questions that single sources answer\nall: every expected row; 2 of 5: some of them; empty: none",
        ["question", "warehouse", *sources],
        [
            (
                outcome.name,
                "yes" if outcome.passed else "no",
                *(outcome.describe_coverage(source) for source in sources),
            )
            for outcome in outcomes
        ],
    )
    output.table(
        "Rows lost without a source",
        ["question", "rows", *sources],
        [(outcome.name, outcome.rows, *(outcome.lost[source] or "" for source in sources)) for outcome in outcomes],
    )
    for outcome in outcomes:
        for rows, what in ((outcome.missing, "is missing"), (outcome.unexpected, "was not expected")):
            for row in rows[:_SHOWN]:
                output.print_line(f"{outcome.name}: {what}: {', '.join(row)}")
    passed = sum(outcome.passed for outcome in outcomes)
    output.print_line(f"{passed} of {len(outcomes)} questions are answered as expected.")
    output.finish(
        {
            "passed": passed == len(outcomes),
            "questions": [outcome._asdict() | {"passed": outcome.passed} for outcome in outcomes],
        }
    )
    if passed < len(outcomes):
        raise typer.Exit(1)


def _show_connectivity(output: Output, measurement: Any) -> None:
    for what in ("things", "statements", "properties"):
        output.table(
            f"{what.capitalize()} of two sources, before and after links",
            ["sources", "common before", "common after", "only first", "only second"],
            [
                (
                    f"{a} and {b}",
                    measurement.before[a, b][what].common,
                    shared[what].common,
                    shared[what].only_a,
                    shared[what].only_b,
                )
                for (a, b), shared in measurement.after.items()
            ],
        )
    output.table(
        "Contribution of each source, after links; only: lost without it",
        ["source", "things", "only", "statements", "only", "properties", "only", "links lost"],
        list(measurement.contributions),
    )
    output.table(
        "Things by number of sources",
        ["sources", "things"],
        list(measurement.about_common.items()),
    )


def _plain(measurement: Any) -> dict[str, Any]:
    return {
        when: [
            {"sources": list(pair), **{what: shared._asdict() for what, shared in by.items()}}
            for pair, by in getattr(measurement, when).items()
        ]
        for when in ("before", "after")
    } | {
        "contributions": [contribution._asdict() for contribution in measurement.contributions],
        "sources_per_thing": measurement.about_common,
    }
