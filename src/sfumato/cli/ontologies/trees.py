"""The command that takes a hierarchy out of a warehouse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Json, with_read_options
from sfumato.cli.output import Output, show_work
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option

if TYPE_CHECKING:
    from sfumato.ontologies.hierarchies import Export

__all__ = ["hierarchy"]

Dir = Annotated[Path, typer.Argument(help="Folder of a warehouse.")]


@with_read_options
def hierarchy(
    directory: Dir,
    out: Annotated[Path, typer.Option(help="File for the hierarchy; a report is written beside it.")],
    read_options: dict[str, Any],
    up: Annotated[list[str], typer.Option(help="Relation to the broader thing: skos:broader. Repeatable.")] = [],  # noqa: B006
    down: Annotated[list[str], typer.Option(help="Relation to the narrower thing: skos:narrower. Repeatable.")] = [],  # noqa: B006
    root: Annotated[str, typer.Option(help="Root; if not given, * above all things without a broader one.")] = "",
    label: Annotated[
        list[str], typer.Option(help="Property with labels; skos:prefLabel and rdfs:label if none. Repeatable.")
    ] = [],  # noqa: B006
    language: Annotated[list[str], typer.Option(help="Language of labels, in order of preference. Repeatable.")] = [],  # noqa: B006
    code: Annotated[list[str], typer.Option(help="Property with codes: skos:notation. Repeatable.")] = [],  # noqa: B006
    parents: Annotated[str, typer.Option(help="Things with several parents: refuse, first or deepest.")] = "refuse",
    outside: Annotated[str, typer.Option(help="Things outside the root: drop or refuse.")] = "drop",
    values: Annotated[
        Path | None, typer.Option(help="Data with the values of the leaves; needs --kind and --of.")
    ] = None,
    kind: Annotated[str, typer.Option(help="Kind of the data.")] = "",
    of: Annotated[str, typer.Option(help="Attribute: a column of a table, or place, event or item.")] = "",
    apply: Annotated[
        list[str], typer.Option(help="Step before values and labels are compared: lower, integer, ... Repeatable.")
    ] = [],  # noqa: B006
    unplaced: Annotated[
        str, typer.Option(help="Node for values that fit no other; if not given, they are left out.")
    ] = "",
    written: Annotated[
        str, typer.Option("--as", help="Format to write: arx, indented, parent-child or amnesia.")
    ] = "arx",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: Json = False,
) -> None:
    """Export a hierarchy from a warehouse; with --values, over the values of data."""
    from sfumato.cli.publish import check_file
    from sfumato.ontologies.hierarchies import Wanted, export_hierarchy
    from sfumato.ontologies.warehouse import Warehouse
    from sfumato.readers.hierarchies import write_hierarchy

    output = Output(as_json=as_json)
    beside = out.with_name(f"{out.name}.report.json")
    check_file(out, force=force)
    wanted = Wanted(
        up=tuple(up),
        down=tuple(down),
        root=root or None,
        labels=tuple(label) or Wanted().labels,
        languages=tuple(language),
        codes=tuple(code),
        parents=parents,
        outside=outside,
        apply=tuple(apply),
        unplaced=unplaced or None,
    )
    counted = None if values is None else _count(values, kind, of, read_options)
    with Warehouse(directory) as warehouse, show_work("export"):
        export = export_hierarchy(warehouse, wanted, counted)
    write_hierarchy(export.hierarchy, out, written)
    beside.write_text(json.dumps(export.report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    _show_export(output, export, out, beside, unplaced)
    output.finish({**export.report, "out": str(out), "report": str(beside)})


def _count(values: Path, kind: str, of: str, read_options: dict[str, Any]) -> dict[str, int]:
    from sfumato.api import calls
    from sfumato.ontologies.hierarchies.values import count_values

    if not kind or not of:
        raise ParameterError(
            Message(option("values"), " needs ", option("kind"), " and ", option("of"), "."),
            hint=Message("For example: ", option("kind", "table"), " ", option("of", "species")),
        )
    with show_work("read"):
        return count_values(calls.read(values, kind, **read_options), of)


def _list_languages(counts: dict[str, int]) -> str:
    """Return how many nodes have a label of each language."""
    return ", ".join(f"{language or 'none'} ({count:,})" for language, count in counts.items())


def _show_export(output: Output, export: Export, out: Path, beside: Path, unplaced: str) -> None:
    """Print the size of the tree, and what a reader may not expect."""
    tree, report = export.hierarchy, export.report
    output.print_line(
        f"Wrote {len(tree.leaf_labels):,} values, {len(tree.labels):,} nodes, height {tree.height} to {out}."
    )
    output.facts(
        "Decisions",
        {
            "nodes that several sources have": len(report["merged"]),
            "things with several parents": len(report["several_parents"]),
            "things outside the tree": len(report["outside"]),
            "relations to something without a name": report["without_name"],
            "languages of labels": _list_languages(report["languages"]),
            "further labels of these languages": report["labels_left"],
            "nodes without a label": len(report["without_label"]),
            "labels that several nodes have": len(report["same_label"]),
            "nodes without a value": report.get("unused_nodes"),
        },
    )
    output.print_line(f"Details, for the owner only: {beside}.")
    if "values" not in report:
        return
    output.print_line(f"{report['placed']:,} of {report['values']:,} values have a node.")
    for name, what in (("unplaced", "fit no node"), ("ambiguous", "fit several nodes")):
        if report[name]:
            records = sum(entry["records"] for entry in report[name])
            where = f"put below {unplaced!r}" if unplaced else "not in the hierarchy"
            output.warn(
                [
                    f"{len(report[name]):,} values {what} and are {where}; records that have one, summed over values: "
                    f"{records:,}."
                ]
            )
