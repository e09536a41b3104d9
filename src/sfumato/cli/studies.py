"""Commands for studies: run them, and export their plots."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any

import typer

from sfumato.cli.options import Json
from sfumato.cli.output import STOPPED, Output, fail, show_progress
from sfumato.cli.values import write_value
from sfumato.exceptions import ParameterError

if TYPE_CHECKING:
    from sfumato.studies.results import StudyResult

__all__ = ["compare", "evaluate", "plot_study"]

File = Annotated[Path, typer.Argument(help="Study file (TOML).")]
Out = Annotated[Path, typer.Option(help="Folder of the study; finished trials in it are not run again.")]
Resume = Annotated[bool, typer.Option("--resume", help="Continue in a folder with a study of other data.")]
Force = Annotated[bool, typer.Option("--force", help="Start over: delete finished trials in the folder.")]
Retry = Annotated[bool, typer.Option("--retry", help="Run failed trials again: crashed, too slow or out of memory.")]
Workers = Annotated[int | None, typer.Option(help="Number of processes; one per core if not given.", min=1, max=1024)]
Quiet = Annotated[bool, typer.Option("--quiet", help="Print neither progress nor tables.")]


def evaluate(
    study: File,
    out: Out,
    resume: Resume = False,
    force: Force = False,
    retry: Retry = False,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run a study of one method over varying parameters: risk, utility and time."""
    _run(study, out, resume, force, retry, workers, quiet, as_json, several=False)


def compare(
    study: File,
    out: Out,
    resume: Resume = False,
    force: Force = False,
    retry: Retry = False,
    workers: Workers = None,
    quiet: Quiet = False,
    as_json: Json = False,
) -> None:
    """Run a study of several methods over varying parameters."""
    _run(study, out, resume, force, retry, workers, quiet, as_json, several=True)


def plot_study(directory: Path, out: Path, form: str, *, force: bool) -> list[Path]:
    """Write every plot of a study into a folder."""
    from sfumato.studies.plots import save_plots
    from sfumato.studies.results import read_results

    return save_plots(read_results(directory), out, form, force=force)


def _run(
    path: Path,
    out: Path,
    resume: bool,
    force: bool,
    retry: bool,
    workers: int | None,
    quiet: bool,
    as_json: bool,
    *,
    several: bool,
) -> None:
    from sfumato.studies import run_plan
    from sfumato.studies.plan import plan_study
    from sfumato.studies.study_file import read_study

    study = read_study(path)
    if several != (len(study.method) > 1):
        other, count = ("evaluate", "one method") if several else ("compare", f"{len(study.method)} methods")
        raise ParameterError(f"{path} has {count}.", hint=f"Run: sfumato {other} {path} --out {out}")
    plan = plan_study(study)
    done = 0
    try:
        with show_progress(shown=not quiet) as progress:

            def count_cells(finished: int, total: int) -> None:
                nonlocal done
                done = finished
                progress("trials", finished, total)

            progress("trials", 0, len(plan.trials))
            result = run_plan(plan, out, resume=resume, force=force, retry=retry, workers=workers, progress=count_cells)
    except KeyboardInterrupt:
        note = f"{done} of {len(plan.trials)} trials are finished and kept in {out}. Run the same command to continue."
        fail(f"Stopped. {note}", STOPPED)
    _show(Output(as_json=as_json or quiet), result, out, printed=as_json)


def _show(output: Output, result: StudyResult, out: Path, *, printed: bool) -> None:
    rows = [
        (
            trial.name,
            _write_values(trial) or "-",
            trial.repetition,
            outcome.status,
            outcome.risk.get("after", {}).get("success"),
            sum(outcome.seconds.values()) if outcome.seconds else None,
        )
        for trial, outcome in result.trials
    ]
    output.table("Trials", ["method", "values", "repetition", "status", "attacker's success after", "seconds"], rows)
    for trial, outcome in result.failures():
        output.print_line(f"{trial.name} {_write_values(trial)}: {outcome.status}: {outcome.reason}")
    output.print_line(f"Open {out / 'study.html'}. All numbers are in {out / 'results.parquet'} and results.csv.")
    summary: dict[str, Any] = {
        "cells": len(result.trials),
        "by_status": result.count(),
        "not_done": [
            {"method": trial.name, **_values(trial), "status": outcome.status, "reason": outcome.reason}
            for trial, outcome in result.failures()
        ],
        "out": str(out),
    }
    if printed:
        output.finish(summary)


def _write_values(trial: Any) -> str:
    return ", ".join(f"{name}={write_value(trial.parameters.get(name))}" for name in trial.varying)


def _values(trial: Any) -> dict[str, Any]:
    return {"parameters": {name: trial.parameters.get(name) for name in trial.varying}, "repetition": trial.repetition}
