"""Commands on warehouses: build them from ontologies, ask them, and take hierarchies out of them."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.ontologies.compare import connectivity, test
from sfumato.cli.ontologies.trees import hierarchy
from sfumato.cli.options import Json
from sfumato.cli.output import Output, show_work

__all__ = ["app"]

app = typer.Typer(help="Build warehouses of ontologies, query them and export hierarchies.", no_args_is_help=True)

Dir = Annotated[Path, typer.Argument(help="Folder of a warehouse.")]


@app.command()
def build(
    file: Annotated[Path, typer.Argument(help="File that defines the warehouse (TOML).")],
    out: Annotated[Path, typer.Option(help="Folder for the warehouse; replaces an existing one at the end.")],
    as_json: Json = False,
) -> None:
    """Build a warehouse: read sources, apply rules and link equal things."""
    from sfumato.ontologies.building import build as build_warehouse

    output = Output(as_json=as_json)
    with show_work("build"):
        facts = build_warehouse(file, out)
    _show_contents(output, facts)
    output.print_line(f"Built {out}. Try: sfumato warehouse connectivity {out}")
    output.finish({**facts, "out": str(out)})


@app.command()
def refresh(
    directory: Dir,
    source: Annotated[
        list[str], typer.Option(help="Source to read again; those with changed files if not given. Repeatable.")
    ] = [],  # noqa: B006
    file: Annotated[Path | None, typer.Option(help="File that defines the warehouse, if it was moved.")] = None,
    as_json: Json = False,
) -> None:
    """Read changed sources again, and update what follows from them."""
    from sfumato.ontologies.building import refresh as refresh_warehouse

    output = Output(as_json=as_json)
    with show_work("refresh"):
        facts = refresh_warehouse(directory, source, file)
    if facts["refreshed"]:
        _show_contents(output, facts)
        output.print_line(f"Read again: {', '.join(facts['refreshed'])}.")
    else:
        output.print_line("No source has changed; nothing was read again.")
    output.finish({**facts, "out": str(directory)})


@app.command()
def query(
    directory: Dir,
    query: Annotated[str, typer.Argument(help="SPARQL query (SELECT or ASK); @FILE for one in a file.")],
    as_json: Json = False,
) -> None:
    """Run a SPARQL query, with the sources of every row.

    A thing may have any of its names; answers have the name of its first source.
    """
    from sfumato.ontologies.provenance import explain
    from sfumato.ontologies.warehouse import Warehouse

    output = Output(as_json=as_json)
    with Warehouse(directory) as warehouse:
        text = warehouse.read_query(Path(query[1:])) if query.startswith("@") else query
        with show_work("answer"):
            explanation = explain(warehouse, text)
        show = warehouse.prefixes.show
        rows = [tuple(map(show, row)) for row in explanation.answer.rows]
    sources = [
        " or ".join(" + ".join(names) or ("the ontology" if grounded else "-") for names in sets)
        for sets, grounded in zip(explanation.sufficient, explanation.grounded, strict=True)
    ]
    output.table(
        "Answer", [*explanation.answer.columns, "sources"], [(*row, by) for row, by in zip(rows, sources, strict=True)]
    )
    output.print_line(f"{len(rows):,} rows. Sources that contribute: {', '.join(explanation.sources) or 'none'}.")
    if not explanation.complete:
        output.print_line("Too many sources to try all combinations: rows that name all of them may need fewer.")
    output.finish(
        {
            "columns": explanation.answer.columns,
            "rows": rows,
            "sufficient": explanation.sufficient,
            "grounded": explanation.grounded,
            "sources": explanation.sources,
            "complete": explanation.complete,
        }
    )


@app.command()
def provenance(
    directory: Dir,
    thing: Annotated[str, typer.Option(help="Thing: prefix:name or an IRI.")] = "",
    property: Annotated[str, typer.Option(help="Property: prefix:name or an IRI.")] = "",
    value: Annotated[str, typer.Option(help="Value: a text of a source, or a thing.")] = "",
    as_json: Json = False,
) -> None:
    """Show the sources of statements about a thing, property or value, and why things are linked."""
    from sfumato.ontologies.provenance import find_mentions, find_statements, list_reasons
    from sfumato.ontologies.warehouse import Warehouse

    output = Output(as_json=as_json)
    with Warehouse(directory) as warehouse:
        show = warehouse.prefixes.show
        statements = find_statements(warehouse, thing or None, property or None, value or None)
        mentions = find_mentions(warehouse, value) if value else {}
        reasons = list_reasons(warehouse, warehouse.prefixes.expand(thing)) if thing else []
        rows = [
            (
                show(statement.subject),
                show(statement.property),
                show(statement.value),
                statement.source,
                "follows" if statement.inferred else "says",
            )
            for statement in statements
        ]
        links = [(show(link.a), show(link.b), link.rule) for link in reasons]
    output.table("Statements", ["thing", "property", "value", "source", "how"], rows)
    if links:
        output.table("Links", ["thing", "same as", "rule"], links)
    if mentions:
        output.table("Occurrences of the value", ["source", "count"], list(mentions.items()))
    output.finish(
        {
            "statements": [
                dict(zip(("thing", "property", "value", "source", "how"), row, strict=True)) for row in rows
            ],
            "links": [dict(zip(("thing", "same_as", "rule"), row, strict=True)) for row in links],
            "mentions": mentions,
        }
    )


for _command in (connectivity, test, hierarchy):
    app.command()(_command)


def _show_contents(output: Output, facts: dict[str, Any]) -> None:
    output.table(
        facts["title"] or "Sources",
        ["source", "statements", "inferred"],
        [(name, count, facts["inferred"][name]["statements"]) for name, count in facts["sources"].items()],
    )
    rules: dict[str, list[int]] = {}
    for inferred in facts["inferred"].values():
        for name, count in inferred["by_rule"].items():
            entry = rules.setdefault(name, [0, 0])
            entry[0] += count
            entry[1] += inferred["not_split"][name]
    if rules:
        output.table(
            "Transformation rules",
            ["rule", "statements", "texts that do not fit"],
            [(n, *both) for n, both in rules.items()],
        )
    if facts["matched"]:
        output.table(
            "Matching rules",
            ["rule", "between", "links", "values of several things"],
            [(n, " and ".join(m["between"]), m["links"], m["ambiguous"]) for n, m in facts["matched"].items()],
        )
    if facts["classes"]:
        output.print_line(
            f"{facts['linked_things']:,} names denote {facts['classes']:,} things that several sources have."
        )
    if facts["ontology_unused"]:
        output.warn(
            [
                f"{facts['ontology_unused']:,} statements of the ontology about unnamed classes are not used. "
                "Define classes by restriction in the file: [[mapping.restriction]]."
            ]
        )
