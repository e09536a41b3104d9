"""Commands on workloads: COUNT queries for measuring, drawn, shown and edited."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import Json, with_read_options
from sfumato.cli.output import Output
from sfumato.exceptions import ParameterError

__all__ = ["app"]

app = typer.Typer(help="Draw, show and edit COUNT queries for measures.", no_args_is_help=True)

Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]
File = Annotated[Path, typer.Argument(help="File with one query per line.")]


@app.command()
@with_read_options
def generate(
    data: Annotated[Path, typer.Argument(help="Data file, or folder of data files.")],
    kind: Annotated[str, typer.Option(help="Kind of data, such as trajectories.")],
    out: Annotated[Path, typer.Option(help="File to write, one query per line.")],
    read_options: dict[str, Any],
    count: Annotated[int, typer.Option(help="Number of queries; fewer if the data have fewer.", min=1)] = 100,
    seed: Annotated[int, typer.Option(help="Random seed.")] = 0,
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Draw COUNT queries from the data, for 'sfumato measure --workload'."""
    from sfumato.api import calls
    from sfumato.cli.publish import check_file

    check_file(out, force=force)
    drawn = calls.draw_workload(calls.read(data, kind, **read_options), count, seed)
    out.write_text(drawn.to_csv(), encoding="utf-8")
    output = Output(as_json=as_json)
    output.print_line(
        f"Wrote {len(drawn):,} queries to {out}. They hold values of the data; protect them like the data."
    )
    output.finish({"queries": len(drawn), "out": str(out)})


@app.command()
def show(file: File, as_json: Json = False) -> None:
    """Show queries with their numbers and lengths."""
    from sfumato.cli.publish import read_workload
    from sfumato.metrics.workload import Workload

    queries = read_workload(file).queries
    out = Output(as_json=as_json)
    texts = [Workload((query,)).to_csv().rstrip("\n") for query in queries]
    rows = [(number, text, len(query)) for number, (text, query) in enumerate(zip(texts, queries, strict=True), 1)]
    out.table(f"{len(queries):,} queries", ["number", "query", "length"], rows)
    out.finish({"queries": [list(query) for query in queries]})


@app.command()
def edit(
    file: File,
    out: Annotated[Path, typer.Option(help="File to write; the same file with --force.")],
    add: Annotated[list[str], typer.Option(help="Query to add: 'cafe > office'. Repeatable.")] = [],  # noqa: B006
    drop: Annotated[list[str], typer.Option(help="Number of a query to drop, or first-last: 3, 7-9. Repeatable.")] = [],  # noqa: B006
    only: Annotated[list[str], typer.Option("--filter", help="Keep queries that contain this text. Repeatable.")] = [],  # noqa: B006
    parts: Annotated[str, typer.Option(help="Keep queries of this length: 1 or 1-2.")] = "",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Drop, filter and add queries, in this order."""
    from sfumato.cli.publish import check_file, read_workload
    from sfumato.metrics.workload import Workload

    check_file(out, force=force)
    queries = read_workload(file).queries
    gone = {number for text in drop for number in _read_numbers(text, len(queries), "--drop")}
    selected = [query for number, query in enumerate(queries, start=1) if number not in gone]
    selected = [query for query in selected if all(any(text in part for part in query) for text in only)]
    if parts:
        sizes = set(_read_numbers(parts, max(map(len, queries)), "--parts"))
        selected = [query for query in selected if len(query) in sizes]
    selected += [query for text in add for query in Workload.from_csv(text).queries]
    left = tuple(dict.fromkeys(selected))
    if not left:
        raise ParameterError("No query is left.", hint="Use fewer of --drop, --filter and --parts.")
    out.write_text(Workload(left).to_csv(), encoding="utf-8")
    output = Output(as_json=as_json)
    output.print_line(f"Wrote {len(left):,} queries ({len(queries):,} before) to {out}.")
    output.finish({"before": len(queries), "queries": len(left), "out": str(out)})


def _read_numbers(text: str, most: int, option: str) -> range:
    """Read ``3`` or ``7-9``."""
    low, dash, high = text.partition("-")
    try:
        numbers = range(int(low), int(high if dash else low) + 1)
    except ValueError:
        raise ParameterError(
            f"{option} must be a number such as 3, or a range such as 7-9, got {text!r}.", option=option
        ) from None
    if not numbers or numbers[0] < 1 or (option == "--drop" and numbers[-1] > most):
        raise ParameterError(f"{option} must be from 1 to {most}, the smaller number first.", option=option)
    return numbers
