"""The command that edits a table by recorded steps."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import Output
from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option

__all__ = ["edit"]

_Steps = list[str]


def edit(
    data: Annotated[Path, typer.Argument(help="Table: CSV, Parquet or JSON lines.")],
    out: Annotated[Path, typer.Option(help="File to write: .csv, .parquet or .jsonl; steps are recorded beside it.")],
    steps: Annotated[Path | None, typer.Option(help="File with steps to replay first (TOML).")] = None,
    step: Annotated[_Steps, typer.Option(help="Step such as 'rename venue=place'. Repeatable, in this order.")] = [],  # noqa: B006
    rename: Annotated[_Steps, typer.Option(help="Rename a column: OLD=NEW. Repeatable.")] = [],  # noqa: B006
    replace: Annotated[_Steps, typer.Option(help="Replace a value: COLUMN:OLD=NEW. Repeatable.")] = [],  # noqa: B006
    recode: Annotated[
        _Steps, typer.Option(help="Replace values by a file: COLUMN=FILE, old and new value per line. Repeatable.")
    ] = [],  # noqa: B006
    filter: Annotated[
        _Steps, typer.Option(help="Keep rows: COLUMN=VALUE, =LOW..HIGH, =A|B or !=VALUE. Repeatable.")
    ] = [],  # noqa: B006
    drop: Annotated[_Steps, typer.Option(help="Drop a column. Repeatable.")] = [],  # noqa: B006
    delimiter: Annotated[str, typer.Option(help="Delimiter of a CSV file; detected if not given.")] = "",
    encoding: Annotated[str, typer.Option(help="Encoding of a text file, if it is not UTF-8.")] = "",
    header: Annotated[str, typer.Option(help="Column names of a CSV file without a header, comma-separated.")] = "",
    force: Annotated[bool, typer.Option("--force", help="Replace an existing file.")] = False,
    as_json: Json = False,
) -> None:
    """Edit a table by recorded steps that can be replayed.

    Order: steps of a file, then --step, --rename, --replace, --recode, --filter and --drop.
    """
    from sfumato.api.edits import write_edited
    from sfumato.cli.publish import check_file
    from sfumato.readers.transform import read_steps

    named = {"rename": rename, "replace": replace, "recode": recode, "filter": filter, "drop": drop}
    listed = [*(read_steps(steps) if steps is not None else ()), *step]
    listed += [f"{name} {text}" for name, texts in named.items() for text in texts]
    if not listed:
        raise ParameterError(
            "edit needs a step, such as --rename or --steps.",
            option="step",
            hint=Message("For example: ", option("rename", "venue=place")),
        )
    check_file(out, force=force)
    changes = write_edited(
        data,
        out,
        listed,
        delimiter=delimiter or None,
        encoding=encoding or None,
        header=tuple(name.strip() for name in header.split(",")) if header else (),
    )
    output = Output(as_json=as_json)
    for line in changes:
        output.print_line(line)
    output.print_line(f"Wrote {out}, and its steps to {out}.steps.toml.")
    output.finish({"out": str(out), "steps": changes})
