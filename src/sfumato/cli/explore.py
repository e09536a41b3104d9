"""The command that compares guarantees on data and writes a policy."""

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
    data: Annotated[Path, typer.Argument(help="Data file, or folder of data files.")],
    kind: Annotated[str, typer.Option(help="Kind of data, such as trajectories.")],
    out: Annotated[Path, typer.Option(help="Folder for explore.html, policy.toml and the table of results.")],
    read_options: dict[str, Any],
    seconds: Annotated[float, typer.Option(help="Time for trying candidates.", min=1)] = 150.0,
    people: Annotated[
        int | None, typer.Option(help="Sample size in records; chosen for speed if not given.", min=2)
    ] = None,
    method: Annotated[list[str], typer.Option(help="Method to try; all suitable ones if not given. Repeatable.")] = [],  # noqa: B006
    measure: Annotated[str, typer.Option(help="Measure of loss; by the kind of data if not given.")] = "",
    workers: Annotated[
        int | None, typer.Option(help="Number of processes; one per core if not given.", min=1, max=1024)
    ] = None,
    seed: Annotated[int, typer.Option(help="Random seed of the sample.")] = 0,
    force: Annotated[bool, typer.Option("--force", help="Replace an existing exploration.")] = False,
    as_json: Json = False,
) -> None:
    """Compare guarantees on data: risk, loss and time; write a policy for the best."""
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
    show_by_knowledge(output, "Risk by knowledge", exploration.before)
    output.table(
        f"Loss by guarantee ({exploration.measure[0]}, lower is better)",
        ["guarantee", "best method", "loss", "attacker's success before", "after", "suppressed records"],
        [
            (c["promise"], c["cheapest"], c["loss"], c["risk_before"], c["risk_after"], c["withheld"])
            for c in exploration.costs()
        ],
    )
    for sentence in exploration.sentences:
        output.print_line(sentence)
    if exploration.policy:
        output.print_line(
            f"Open {out / 'explore.html'}. Publish with the chosen method: sfumato run {out / 'policy.toml'}"
        )
    output.finish(
        exploration.to_dict() | {"out": str(out), "policy": str(out / "policy.toml") if exploration.policy else None}
    )
