"""Commands on warehouses: build them from ontologies, ask them, and take hierarchies out of them."""

from __future__ import annotations

import json
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Json, with_reading
from sfumato.cli.output import Output, show_work
from sfumato.core.errors import ParameterError

if TYPE_CHECKING:
    from sfumato.warehouse.hierarchies import Export

__all__ = ["app"]

app = typer.Typer(
    help="Hierarchies from ontologies: several sources about the same things in one store.", no_args_is_help=True
)

Dir = Annotated[Path, typer.Argument(help="Folder of a warehouse.")]
_SHOWN = 20


@app.command()
def build(
    file: Annotated[Path, typer.Argument(help="File that says what the warehouse is made of (TOML).")],
    out: Annotated[Path, typer.Option(help="Folder for the warehouse; one that is there is replaced when all is done.")],
    as_json: Json = False,
) -> None:
    """Read sources into a store, infer what mappings and rules give, and link what is the same."""
    from sfumato.warehouse.building import build as build_warehouse

    told = Output(as_json=as_json)
    with show_work("build"):
        found = build_warehouse(file, out)
    _show_contents(told, found)
    told.say(f"Built {out}. Try: sfumato warehouse connectivity {out}")
    told.finish({**found, "out": str(out)})


@app.command()
def refresh(
    directory: Dir,
    source: Annotated[
        list[str], typer.Option(help="Source to read again; those whose files have changed if none. Repeatable.")
    ] = [],  # noqa: B006
    file: Annotated[
        Path | None, typer.Option(help="File that describes the warehouse, where it is no longer where it was.")
    ] = None,
    as_json: Json = False,
) -> None:
    """Read sources again: only their graphs, what follows from them and links that rest on them change."""
    from sfumato.warehouse.building import refresh as refresh_warehouse

    told = Output(as_json=as_json)
    with show_work("refresh"):
        found = refresh_warehouse(directory, source, file)
    if found["refreshed"]:
        _show_contents(told, found)
        told.say(f"Read again: {', '.join(found['refreshed'])}.")
    else:
        told.say("No file of a source has changed; nothing was read again.")
    told.finish({**found, "out": str(directory)})


@app.command()
def query(
    directory: Dir,
    query: Annotated[str, typer.Argument(help="SPARQL query (SELECT or ASK); @FILE for one in a file.")],
    as_json: Json = False,
) -> None:
    """Answer a query, and say for every row which sources contribute to it.

    Any name of a thing may be used; the answer has the name of its first source.
    """
    from sfumato.warehouse.provenance import explain
    from sfumato.warehouse.warehouse import Warehouse

    told = Output(as_json=as_json)
    with Warehouse(directory) as warehouse:
        text = warehouse.read_query(Path(query[1:])) if query.startswith("@") else query
        with show_work("answer"):
            found = explain(warehouse, text)
        show = warehouse.prefixes.show
        rows = [tuple(map(show, row)) for row in found.answer.rows]
    sources = [" or ".join(" + ".join(names) or "the ontology" for names in sets) for sets in found.sufficient]
    told.table("Answer", [*found.answer.columns, "sources"], [(*row, by) for row, by in zip(rows, sources, strict=True)])
    told.say(f"{len(rows):,} rows. Sources that contribute: {', '.join(found.sources) or 'none'}.")
    if not found.complete:
        told.say("There are too many sources to try all sets of them: rows that name all of them may need fewer.")
    told.finish(
        {
            "columns": found.answer.columns,
            "rows": rows,
            "sufficient": found.sufficient,
            "sources": found.sources,
            "complete": found.complete,
        }
    )


@app.command()
def provenance(
    directory: Dir,
    thing: Annotated[str, typer.Option(help="A thing, by any of its names: prefix:name or an IRI.")] = "",
    property: Annotated[str, typer.Option(help="A property.")] = "",
    value: Annotated[str, typer.Option(help="A text as it stands in a source, or a thing.")] = "",
    as_json: Json = False,
) -> None:
    """Say who says so: the sources of statements about a thing, with a property or a value, and why things are one."""
    from sfumato.warehouse.provenance import find_mentions, find_statements, list_reasons
    from sfumato.warehouse.warehouse import Warehouse

    told = Output(as_json=as_json)
    with Warehouse(directory) as warehouse:
        show = warehouse.prefixes.show
        found = find_statements(warehouse, thing or None, property or None, value or None)
        mentions = find_mentions(warehouse, value) if value else {}
        reasons = list_reasons(warehouse, warehouse.prefixes.expand(thing)) if thing else []
        rows = [
            (show(said.subject), show(said.property), show(said.value), said.source, "follows" if said.inferred else "says")
            for said in found
        ]
        links = [(show(link.a), show(link.b), link.rule) for link in reasons]
    told.table("Who says so", ["thing", "property", "value", "source", "how"], rows)
    if links:
        told.table("Why these are one thing", ["thing", "same as", "rule"], links)
    if mentions:
        told.facts("How often sources have the value", mentions)
    told.finish(
        {
            "statements": [
                dict(zip(("thing", "property", "value", "source", "how"), row, strict=True)) for row in rows
            ],
            "links": [dict(zip(("thing", "same_as", "rule"), row, strict=True)) for row in links],
            "mentions": mentions,
        }
    )


@app.command()
def connectivity(
    directory: Dir,
    plot: Annotated[Path | None, typer.Option(help="File to draw it into: .html, .png, .svg or .pdf.")] = None,
    force: Annotated[bool, typer.Option("--force", help="Replace a plot that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Say what sources have in common before and after links, what each adds, and what contradicts."""
    from sfumato.cli.publishing import check_file
    from sfumato.warehouse.conflicts import find_conflicts
    from sfumato.warehouse.connectivity import measure_connectivity
    from sfumato.warehouse.warehouse import Warehouse

    told = Output(as_json=as_json)
    if plot is not None:
        check_file(plot, force=force)
    with Warehouse(directory) as warehouse, show_work("measure"):
        found = measure_connectivity(warehouse)
        show = warehouse.prefixes.show
        conflicts = [
            {
                "what": conflict.what,
                "property": show(conflict.property),
                "about": show(conflict.about),
                "values": {show(value): list(by) for value, by in conflict.values},
            }
            for conflict in find_conflicts(warehouse)
        ]
    _show_connectivity(told, found)
    told.table(
        "What contradicts when sources meet",
        ["what", "property", "about", "values"],
        [
            (c["what"], c["property"], c["about"], "; ".join(f"{value} ({', '.join(by)})" for value, by in c["values"].items()))
            for c in conflicts[:_SHOWN]
        ],
    )
    if len(conflicts) > _SHOWN:
        told.say(f"{len(conflicts) - _SHOWN:,} more are in the output of --json.")
    if plot is not None:
        from sfumato.report.figure import save_figure
        from sfumato.warehouse.plots import draw_connectivity

        save_figure(draw_connectivity(found), plot)
        told.say(f"Drew {plot}.")
    told.finish(_plain(found) | {"conflicts": conflicts})


@app.command()
def test(directory: Dir, as_json: Json = False) -> None:
    """Run the competence queries: are they answered as expected, and which sources could answer them alone?

    Exit code 0: all are answered as expected, 1: some are not.
    """
    from sfumato.warehouse.competence import run_suite
    from sfumato.warehouse.warehouse import Warehouse

    told = Output(as_json=as_json)
    with Warehouse(directory) as warehouse, show_work("ask"):
        outcomes = run_suite(warehouse)
        sources = warehouse.sources
    if not outcomes:
        raise ParameterError(f"{directory}: the file of this warehouse has no [[competence]] to run.")
    told.table(
        "Which sources alone answer which question\nall: every expected row; 2 of 5: some of them; empty: none",
        ["question", "warehouse", *sources],
        [
            (found.name, "yes" if found.passed else "NO", *(found.tell_alone(source) for source in sources))
            for found in outcomes
        ],
    )
    told.table(
        "Rows that are lost without a source",
        ["question", "rows", *sources],
        [(found.name, found.rows, *(found.lost[source] or "" for source in sources)) for found in outcomes],
    )
    for found in outcomes:
        for rows, what in ((found.missing, "is missing"), (found.unexpected, "was not expected")):
            for row in rows[:_SHOWN]:
                told.say(f"{found.name}: {what}: {', '.join(row)}")
    passed = sum(found.passed for found in outcomes)
    told.say(f"{passed} of {len(outcomes)} questions are answered as expected.")
    told.finish({"passed": passed == len(outcomes), "questions": [found._asdict() | {"passed": found.passed} for found in outcomes]})
    if passed < len(outcomes):
        raise typer.Exit(1)


@app.command()
@with_reading
def hierarchy(
    directory: Dir,
    out: Annotated[Path, typer.Option(help="File for the hierarchy; a report is written beside it.")],
    reading: dict[str, Any],
    up: Annotated[
        list[str], typer.Option(help="Relation from a thing to what it belongs to: skos:broader. Repeatable.")
    ] = [],  # noqa: B006
    down: Annotated[
        list[str], typer.Option(help="Relation the other way: skos:narrower. Repeatable.")
    ] = [],  # noqa: B006
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
    from sfumato.cli.publishing import check_file
    from sfumato.io.hierarchies import write_hierarchy
    from sfumato.warehouse.hierarchies import Wanted, export_hierarchy
    from sfumato.warehouse.warehouse import Warehouse

    told = Output(as_json=as_json)
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
    counted = None if values is None else _count(values, kind, of, reading)
    with Warehouse(directory) as warehouse, show_work("take out the tree"):
        found = export_hierarchy(warehouse, wanted, counted)
    write_hierarchy(found.hierarchy, out, written)
    beside.write_text(json.dumps(found.report, ensure_ascii=False, indent=1) + "\n", encoding="utf-8")
    _show_export(told, found, out, beside, unplaced)
    told.finish({**found.report, "out": str(out), "report": str(beside)})


def _count(values: Path, kind: str, of: str, reading: dict[str, Any]) -> dict[str, int]:
    from sfumato import pipeline
    from sfumato.warehouse.hierarchies.values import count_values

    if not kind or not of:
        raise ParameterError("--values: say what the data are (--kind) and whose values are meant (--of).")
    with show_work("read"):
        return count_values(pipeline.read(values, kind, **reading), of)


def _show_contents(told: Output, found: dict[str, Any]) -> None:
    told.table(
        found["title"] or "Sources",
        ["source", "says", "follows"],
        [(name, count, found["inferred"][name]["statements"]) for name, count in found["sources"].items()],
    )
    rules: dict[str, list[int]] = {}
    for inferred in found["inferred"].values():
        for name, count in inferred["by_rule"].items():
            entry = rules.setdefault(name, [0, 0])
            entry[0] += count
            entry[1] += inferred["not_split"][name]
    if rules:
        told.table(
            "Transformation rules", ["rule", "statements", "texts that do not fit"], [(n, *both) for n, both in rules.items()]
        )
    if found["matched"]:
        told.table(
            "Matching rules",
            ["rule", "between", "links", "values of several things"],
            [(n, " and ".join(m["between"]), m["links"], m["ambiguous"]) for n, m in found["matched"].items()],
        )
    told.say(f"{found['linked_things']:,} things are linked to {found['classes']:,}.")


def _show_connectivity(told: Output, found: Any) -> None:
    for what in ("things", "statements", "properties"):
        told.table(
            f"{what.capitalize()} of two sources, before and after links",
            ["sources", "common before", "common after", "only first", "only second"],
            [
                (f"{a} and {b}", found.before[a, b][what].common, shared[what].common, shared[what].only_a, shared[what].only_b)
                for (a, b), shared in found.after.items()
            ],
        )
    told.table(
        "What each source adds, after links; only: what is lost without it",
        ["source", "things", "only", "statements", "only", "properties", "only", "links lost"],
        list(found.contributions),
    )
    told.table("Things by how many sources say something about them", ["sources", "things"], list(found.about_common.items()))


def _plain(found: Any) -> dict[str, Any]:
    return {
        when: [
            {"sources": list(pair), **{what: shared._asdict() for what, shared in by.items()}}
            for pair, by in getattr(found, when).items()
        ]
        for when in ("before", "after")
    } | {
        "contributions": [contribution._asdict() for contribution in found.contributions],
        "sources_per_thing": found.about_common,
    }


def _show_export(told: Output, found: Export, out: Path, beside: Path, unplaced: str) -> None:
    """Say how large the tree is, and everything that a reader would not expect of it."""
    tree, report = found.hierarchy, found.report
    told.say(f"Wrote {len(tree.leaf_labels):,} values, {len(tree.labels):,} nodes, height {tree.height} to {out}.")
    told.facts(
        "What was decided on the way",
        {
            "nodes that several sources have": len(report["merged"]),
            "things with several parents": len(report["several_parents"]),
            "things outside of the tree": len(report["outside"]),
            "relations to something without a name": report["without_name"],
            "labels that were left": report["labels_left"],
            "nodes without a label": len(report["without_label"]),
            "labels that several nodes have": len(report["same_label"]),
            "nodes without a value": report.get("unused_nodes"),
        },
    )
    told.say(f"They are listed in {beside}, for the owner only.")
    if "values" not in report:
        return
    told.say(f"{report['placed']:,} of {report['values']:,} values have a node.")
    for name, what in (("unplaced", "fit no node"), ("ambiguous", "fit several nodes")):
        if report[name]:
            records = sum(entry["records"] for entry in report[name])
            put = f"put below {unplaced!r}" if unplaced else "not in the hierarchy"
            told.warn([f"{len(report[name]):,} values {what} and are {put}; records that have one, summed over values: {records:,}."])
