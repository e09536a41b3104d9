"""The command that takes a hierarchy out of a warehouse."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Json, with_read_options
from sfumato.cli.output import Output, show_work
from sfumato.exceptions import ParameterError

if TYPE_CHECKING:
    from sfumato.ontologies.hierarchies import Export

__all__ = ["hierarchy"]

Dir = Annotated[Path, typer.Argument(help="Folder of a warehouse.")]


@with_read_options
def hierarchy(
    directory: Dir,
    out: Annotated[Path, typer.Option(help="File for the hierarchy; a report is written beside it.")],
    read_options: dict[str, Any],
    up: Annotated[
        list[str], typer.Option(help="Relation from a thing to what it belongs to: skos:broader. Repeatable.")
    ] = [],  # noqa: B006
    down: Annotated[list[str], typer.Option(help="Relation the other way: skos:narrower. Repeatable.")] = [],  # noqa: B006
    root: Annotated[str, typer.Option(help="Thing on top; all that belong to nothing, below *, if not given.")] = "",
    label: Annotated[
        list[str], typer.Option(help="Property with labels; skos:prefLabel and rdfs:label if none. Repeatable.")
    ] = [],  # noqa: B006
    language: Annotated[list[str], typer.Option(help="Language of labels, the first counts most. Repeatable.")] = [],  # noqa: B006
    code: Annotated[
        list[str], typer.Option(help="Property with codes that data may have: skos:notation. Repeatable.")
    ] = [],  # noqa: B006
    parents: Annotated[str, typer.Option(help="Things with several parents: refuse, first or deepest.")] = "refuse",
    outside: Annotated[str, typer.Option(help="Things that do not belong to the root: drop or refuse.")] = "drop",
    values: Annotated[
        Path | None, typer.Option(help="Data whose values are to be the leaves; goes with --kind and --of.")
    ] = None,
    kind: Annotated[str, typer.Option(help="Kind of the data.")] = "",
    of: Annotated[str, typer.Option(help="Whose values: a column of a table, or place, event or item.")] = "",
    apply: Annotated[
        list[str], typer.Option(help="Step done to values and labels before comparing: lower, integer, ... Repeatable.")
    ] = [],  # noqa: B006
    unplaced: Annotated[
        str, typer.Option(help="Node to make below the root for values that have none; else they are left out.")
    ] = "",
    written: Annotated[
        str, typer.Option("--as", help="Format to write: arx, indented, parent-child or amnesia.")
    ] = "arx",
    force: Annotated[bool, typer.Option("--force", help="Replace a file that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Take a tree out of a warehouse as a hierarchy that methods read; with --values, over the values of data."""
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
    with Warehouse(directory) as warehouse, show_work("take out the tree"):
        export = export_hierarchy(warehouse, wanted, counted)
    write_hierarchy(export.hierarchy, out, written)
    beside.write_text(json.dumps(export.report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    _show_export(output, export, out, beside, unplaced)
    output.finish({**export.report, "out": str(out), "report": str(beside)})


def _count(values: Path, kind: str, of: str, read_options: dict[str, Any]) -> dict[str, int]:
    from sfumato.api import calls
    from sfumato.ontologies.hierarchies.values import count_values

    if not kind or not of:
        raise ParameterError("--values: say what the data are (--kind) and whose values are meant (--of).")
    with show_work("read"):
        return count_values(calls.read(values, kind, **read_options), of)


def _list_languages(counts: dict[str, int]) -> str:
    """Say how many nodes have a label of which language."""
    return ", ".join(f"{language or 'none'} ({count:,})" for language, count in counts.items())


def _show_export(output: Output, export: Export, out: Path, beside: Path, unplaced: str) -> None:
    """Say how large the tree is, and everything that a reader would not expect of it."""
    tree, report = export.hierarchy, export.report
    output.print_line(
        f"Wrote {len(tree.leaf_labels):,} values, {len(tree.labels):,} nodes, height {tree.height} to {out}."
    )
    output.facts(
        "What was decided on the way",
        {
            "nodes that several sources have": len(report["merged"]),
            "things with several parents": len(report["several_parents"]),
            "things outside of the tree": len(report["outside"]),
            "relations to something without a name": report["without_name"],
            "languages of labels": _list_languages(report["languages"]),
            "further labels of these languages": report["labels_left"],
            "nodes without a label": len(report["without_label"]),
            "labels that several nodes have": len(report["same_label"]),
            "nodes without a value": report.get("unused_nodes"),
        },
    )
    output.print_line(f"They are listed in {beside}, for the owner only.")
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
