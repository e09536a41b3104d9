"""The command that explores data: risk, costs, choices, and a policy."""

from __future__ import annotations

from pathlib import Path
from typing import Annotated, Any

import typer

from sfumato.cli.options import Json, with_read_options
from sfumato.cli.output import Output, show_progress
from sfumato.cli.risk import show_by_knowledge

__all__ = ["explore"]


@with_read_options
def explore(
    data: Annotated[Path, typer.Argument(help="File with the data, or a folder of them.")],
    kind: Annotated[str, typer.Option(help="Kind of data, such as trajectories.")],
    out: Annotated[Path, typer.Option(help="Folder for explore.html, policy.toml and the table of results.")],
    read_options: dict[str, Any],
    seconds: Annotated[float, typer.Option(help="Time to spend on trying candidates.", min=1)] = 150.0,
    people: Annotated[
        int | None, typer.Option(help="Records to try on; as many as are quick if not given.", min=2)
    ] = None,
    method: Annotated[list[str], typer.Option(help="Method to try; all that fit if not given. Repeatable.")] = [],  # noqa: B006
    measure: Annotated[str, typer.Option(help="Measure of loss; that of the kind of data if not given.")] = "",
    workers: Annotated[
        int | None, typer.Option(help="Processes at work at a time; as many as cores if not given.", min=1, max=1024)
    ] = None,
    seed: Annotated[int, typer.Option(help="Draws the sample; same seed, same choices.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an exploration that is there.")] = False,
    as_json: Json = False,
) -> None:
    """Say what the risk is, what each promise costs and what to choose, and write a policy for it."""
    from sfumato.studies.explore import explore as explore_data

    output = Output(as_json=as_json)
    with show_progress() as progress:
        exploration = explore_data(
            data,
            kind,
            out=out,
            seconds=seconds,
            people=people,
            methods=method,
            measure=measure,
            workers=workers,
            seed=seed,
            force=force,
            progress=lambda done, total: progress("candidates", done, total),
            **read_options,
        )
    show_by_knowledge(output, "How identifying the data are as they stand", exploration.before)
    output.table(
        f"What each promise costs ({exploration.measure[0]}: less is better)",
        ["promise", "cheapest", "loss", "success before", "success after", "withheld"],
        [
            (c["promise"], c["cheapest"], c["loss"], c["risk_before"], c["risk_after"], c["withheld"])
            for c in exploration.costs()
        ],
    )
    for sentence in exploration.sentences:
        output.print_line(sentence)
    if exploration.policy:
        output.print_line(
            f"Look at {out / 'explore.html'}; 'sfumato run {out / 'policy.toml'}' publishes with the choice."
        )
    output.finish(
        exploration.to_dict() | {"out": str(out), "policy": str(out / "policy.toml") if exploration.policy else None}
    )
