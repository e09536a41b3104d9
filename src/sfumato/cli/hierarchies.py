"""Commands on hierarchies: derive, show, convert and edit them without an editor."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import Json, parse_pairs, with_read_options
from sfumato.cli.output import Output
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option

__all__ = ["app"]

app = typer.Typer(help="Derive, show, convert and edit hierarchies.", no_args_is_help=True)

File = Annotated[Path, typer.Argument(help="File with a hierarchy, in any supported format.")]
Out = Annotated[Path, typer.Option(help="File to write.")]
Format = Annotated[str, typer.Option("--as", help="Format to write: arx, indented, parent-child or amnesia.")]
Force = Annotated[bool, typer.Option("--force", help="Replace an existing file.")]


@app.command()
@with_read_options
def derive(
    data: Annotated[Path, typer.Argument(help="Data file, or folder of data files.")],
    kind: Annotated[str, typer.Option(help="Kind of data, such as trajectories.")],
    of: Annotated[str, typer.Option(help="Attribute: a column of a table, or place, event or item.")],
    rule: Annotated[str, typer.Option(help="Rule: fanout:10, popular:2, width:8, frequency:8, calendar, mask, ...")],
    out: Out,
    read_options: dict[str, Any],
    written: Format = "arx",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Derive a hierarchy from data by a rule and write it to a file."""
    from sfumato.api import calls
    from sfumato.cli.publish import check_file
    from sfumato.readers.hierarchies import write_hierarchy

    check_file(out, force=force)
    options = {**read_options, "hierarchies": {**read_options.get("hierarchies", {}), of: rule}}
    dataset = calls.read(data, kind, **options)
    tree = dataset.hierarchies.get(of)
    if tree is None:
        available = ", ".join(dataset.hierarchies) or "none"
        raise ParameterError(
            Message(option("of"), f": the data have no hierarchy of {of!r}."),
            column=of,
            hint=f"Hierarchies: {available}.",
        )
    write_hierarchy(tree, out, written)
    _report_tree(Output(as_json=as_json), tree, out)


@app.command()
def show(file: File, as_json: Json = False) -> None:
    """Show a hierarchy as an indented tree."""
    from sfumato.hierarchies.files import FORMATTERS
    from sfumato.readers.hierarchies import read_hierarchy

    tree = read_hierarchy(file)
    output = Output(as_json=as_json)
    for line in FORMATTERS["indented"](tree, file.stem):
        output.print_line(line)
    output.print_line(_describe(tree))
    output.finish({**_count(tree), "parents": _list_parents(tree)})


@app.command()
def convert(file: File, out: Out, written: Format = "arx", force: Force = False, as_json: Json = False) -> None:
    """Write a hierarchy in another format."""
    from sfumato.cli.publish import check_file
    from sfumato.readers.hierarchies import read_hierarchy, write_hierarchy

    check_file(out, force=force)
    tree = read_hierarchy(file)
    write_hierarchy(tree, out, written)
    _report_tree(Output(as_json=as_json), tree, out)


@app.command()
def edit(
    file: File,
    out: Out,
    rename: Annotated[list[str], typer.Option(help="Rename a node: OLD=NEW. Repeatable.")] = [],  # noqa: B006
    add: Annotated[list[str], typer.Option(help="Add a value below a node: VALUE=NODE. Repeatable.")] = [],  # noqa: B006
    move: Annotated[list[str], typer.Option(help="Move a node below another: NODE=PARENT. Repeatable.")] = [],  # noqa: B006
    delete: Annotated[list[str], typer.Option(help="Delete a node; its children move to its parent. Repeatable.")] = [],  # noqa: B006
    written: Format = "arx",
    force: Force = False,
    as_json: Json = False,
) -> None:
    """Rename, add, move and delete nodes of a hierarchy, in this order."""
    from sfumato.cli.publish import check_file
    from sfumato.hierarchies import edit
    from sfumato.readers.hierarchies import read_hierarchy, write_hierarchy

    check_file(out, force=force)
    tree = read_hierarchy(file)
    if not (rename or add or move or delete):
        raise ParameterError(
            "hierarchy edit needs --rename, --add, --move or --delete.", hint="For example: --rename OLD=NEW"
        )
    if tree.kind == "ranges":
        raise ParameterError(
            f"{file} is a hierarchy of ranges and cannot be edited.",
            hint="Derive it with another rule: sfumato hierarchy derive",
        )
    for old, new in parse_pairs(rename, "--rename").items():
        tree = edit.rename_node(tree, old, new)
    for value, node in parse_pairs(add, "--add").items():
        tree = edit.add_node(tree, value, node)
    for node, parent in parse_pairs(move, "--move").items():
        tree = edit.move_node(tree, node, parent)
    for node in delete:
        tree = edit.delete_node(tree, node)
    write_hierarchy(tree, out, written)
    _report_tree(Output(as_json=as_json), tree, out)


def _count(tree: Any) -> dict[str, int]:
    return {"values": len(tree.leaf_labels), "nodes": len(tree.labels), "height": int(tree.height)}


def _describe(tree: Any) -> str:
    counts = _count(tree)
    return f"{counts['values']:,} values, {counts['nodes']:,} nodes, height {counts['height']}."


def _list_parents(tree: Any) -> dict[str, str | None]:
    return {
        label: None if at < 0 else tree.labels[at] for label, at in zip(tree.labels, tree.parent.tolist(), strict=True)
    }


def _report_tree(output: Output, tree: Any, out: Path) -> None:
    output.print_line(f"Wrote {_describe(tree)[:-1]} to {out}.")
    output.finish({**_count(tree), "out": str(out)})
