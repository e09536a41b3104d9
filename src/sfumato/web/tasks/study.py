"""Studies: methods side by side over a parameter that varies, with plots that grow as cells finish."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

from sfumato.release.run import Progress
from sfumato.reports.numbers import show_share
from sfumato.studies import run_plan
from sfumato.studies.folder import TrialFolder
from sfumato.studies.plan import Plan, plan_study
from sfumato.studies.plots import list_figures
from sfumato.studies.results import StudyResult
from sfumato.studies.study_file import read_study
from sfumato.web.project import Project, replace_text

__all__ = ["FIGURES", "study"]

FIGURES = "figures.json"
"""What is drawn so far, in the folder of the job."""
_OFTEN = 3.0
"""Seconds between two drawings."""
_MOST = 12
_WIDTH = 440
"""Pixels across a plot: on small screens it shrinks, and must stay readable."""
_TABLES = ("results.csv", "results.parquet", "answers.csv", "answers.parquet")


def study(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:
    """Run a study file into the folder of its name; what is finished there is not run again."""
    path = project.find("studies", arguments["files"]["studies"][0])
    out = path.with_suffix("")
    progress("reading the study", 0, 0)
    plan = plan_study(read_study(path))
    last = 0.0

    def show(done: int, total: int) -> None:
        nonlocal last
        progress("cells", done, total)
        if time.monotonic() - last > _OFTEN and done < total:
            _draw(_find_finished(plan, out), folder)
            last = time.monotonic()

    progress("cells", 0, len(plan.trials))
    result = run_plan(plan, out, progress=show, retry=bool(arguments.get("retry")))
    _draw(result, folder)
    tables = [name for name in _TABLES if (out / name).is_file()]
    outcome = {"folder": out.name, "tables": tables, "counts": result.count(), "cells": len(plan.trials)}
    return {**outcome, "rows": list_rows(result)}


def list_rows(result: StudyResult) -> list[list[Any]]:
    """Return what became of every cell: method, values, status, success of attackers, seconds, and why not."""
    rows = []
    for trial, outcome in result.trials:
        values = ", ".join(f"{name}={trial.parameters.get(name)}" for name in trial.varying) or "-"
        success = outcome.risk.get("after", {}).get("success")
        seconds = sum(outcome.seconds.values()) if outcome.seconds else None
        shown = None if success is None else show_share(success)
        rows.append([trial.name, values, outcome.status, shown, seconds, outcome.reason or ""])
    return rows


def _find_finished(plan: Plan, out: Path) -> StudyResult:
    trial_folder, digest = TrialFolder(out), plan.job.digest
    outcomes = [(trial, trial_folder.load(trial.key(digest))) for trial in plan.trials]
    return StudyResult(tuple((trial, outcome) for trial, outcome in outcomes if outcome is not None), {})


def _draw(result: StudyResult, folder: Path) -> None:
    """Draw what there is; numbers behind every plot stay beside it."""
    from sfumato.reports.figure import to_svg

    drawn = [
        {"title": figure.title, "caption": figure.caption, "svg": to_svg(figure.draw(_WIDTH))}
        | {"head": list(figure.head), "rows": [list(row) for row in figure.rows]}
        for figure in list_figures(result)[:_MOST]
    ]
    replace_text(folder / FIGURES, json.dumps({"figures": drawn, "rows": list_rows(result)}, ensure_ascii=False))
