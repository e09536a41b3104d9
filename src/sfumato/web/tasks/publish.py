"""Releases made: a method run on data, or a recoding applied to a later batch; written, verified and judged."""

from __future__ import annotations

import contextlib
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato import plugins
from sfumato._kernels.compilation import notice_compilation
from sfumato.api import calls
from sfumato.base.method import Method
from sfumato.data.dataset import Dataset
from sfumato.engines.local import Local
from sfumato.engines.publish import publish_in_partitions
from sfumato.exceptions import ReleaseWarning
from sfumato.params import build
from sfumato.release.partitioned import DividedRelease
from sfumato.release.release import Release, Result
from sfumato.release.run import Progress, Run
from sfumato.release.suppression import MAX_SUPPRESSED_RECORDS
from sfumato.web.policies import write_policy
from sfumato.web.project import Project
from sfumato.web.tasks.inspect import read_data, require_recipe
from sfumato.web.tasks.verify import attack_release, list_scores, read_as_released

__all__ = ["apply", "export", "publish"]

Demand = dict[str, Any]
"""What is asked of a release besides its method."""
Made = tuple[Path, dict[str, Any], Callable[[], Dataset] | None]
"""Where a release lies, what is shown of it, and a function that reads its original if memory allows."""


def publish(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:
    """Anonymise data, whole or partitioned, write and verify the release, and leave the policy that makes it again."""
    data = arguments["files"]["data"][0]
    recipe = require_recipe(project, data)
    method = build(plugins.find_method(arguments["method"], recipe.kind), arguments["parameters"])
    demand = {
        "max_suppressed_records": float(arguments.get("max_suppressed_records", MAX_SUPPRESSED_RECORDS)),
        "protect": arguments.get("protect", "records"),
    }
    make = _publish_in_partitions if arguments.get("engine") else _publish_undivided
    with notice_compilation(lambda: progress("compiling, a minute the first time", 0, 0)):
        out, outcome, original = make(project, arguments, method, demand, folder, progress)
    policy = project.free("policies", out.name, ".toml")
    release = {"out": out, **demand}
    release |= {"engine": arguments.get("engine") or None, "partition_size": arguments.get("part_size") or None}
    write_policy(project, policy, data, arguments["method"], method.parameters(), release)
    return {**outcome, **_judge(out, original, progress), "policy": policy.name}


def _publish_undivided(
    project: Project,
    arguments: dict[str, Any],
    method: Method,
    demand: Demand,
    folder: Path,  # noqa: ARG001 (nothing is left for another try)
    progress: Progress,
) -> Made:
    """Publish all records at once."""
    progress("reading", 0, 0)
    dataset, _ = read_data(project, arguments["files"]["data"][0])
    run = Run(progress=progress, engine=Local())
    progress("anonymising", 0, 0)
    result = calls.anonymize(dataset, method, run=run, **demand)
    out = project.free("releases", arguments["out"])
    notes = [str(note) for note in (*dataset.notes, *run.notes)]
    return out, _write(result, out, progress) | {"notes": notes}, lambda: dataset


def _publish_in_partitions(
    project: Project, arguments: dict[str, Any], method: Method, demand: Demand, folder: Path, progress: Progress
) -> Made:
    """Publish in partitions of those who are alike; a run that was stopped leaves the ready ones to the next try."""
    data = arguments["files"]["data"][0]
    recipe, temporary = require_recipe(project, data), _find_job_folder(project, folder.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)
        made = publish_in_partitions(
            project.find("data", data),
            method,
            temporary,
            kind=recipe.kind,
            reading=recipe.options,
            partition_size=arguments.get("part_size"),
            engine=Local(),
            reports=True,
            progress=progress,
            **demand,
        )
    out = project.free("releases", arguments["out"])
    temporary.rename(out)
    whole = [f"The file was read whole, because {made.read_whole}."] if made.read_whole else []
    outcome = _describe(made.release, out) | {
        "verdict": made.verdict.to_dict(),
        "seconds": {phase: round(seconds, 3) for phase, seconds in made.seconds.items()},
        "warnings": list(made.warnings),
        "doubts": [str(doubt) for doubt in made.original.doubts],
        "notes": [*(str(note) for note in (*made.original.notes, *made.notes)), *whole],
        "parts": len(made.release.partitions),
    }
    # Attacks and measures need everybody in memory, as the report does.
    reported = (out / "owner" / "report.html").is_file()
    return out, outcome, (lambda: read_data(project, data)[0]) if reported else None


def _find_job_folder(project: Project, job: str) -> Path:
    """Return where a job collects its partitions; what forgotten jobs have left is removed."""
    for left in project.hidden("parts").iterdir():
        if not (project.hidden("jobs") / left.name).is_dir():
            shutil.rmtree(left, ignore_errors=True)
    return project.hidden("parts") / job


def apply(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Publish a later batch with the recoding of an earlier release."""
    earlier = project.find("releases", arguments["files"]["releases"][0])
    out = project.free("releases", arguments["out"])
    progress("reading", 0, 0)
    batch = read_as_released(project, earlier, arguments["files"]["data"][0], batch=True)
    progress("applying the recoding", 0, 0)
    result = calls.apply(earlier, batch, unknown=arguments["unknown"], run=Run(progress=progress, engine=Local()))
    return {
        **_write(result, out, progress),
        **_judge(out, lambda: batch, progress),
        "notes": [str(note) for note in batch.notes],
        "policy": "",
    }


def export(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Write the records of a release in the layout and format that another tool reads."""
    release = project.find("releases", arguments["files"]["releases"][0])
    path = project.free("exports", f"{release.name}-{arguments['layout']}", f".{arguments['format']}")
    progress("writing", 0, 0)
    calls.export(release, path, layout=arguments["layout"], format=arguments["format"])
    return {"name": path.name}


def _write(result: Result, out: Path, progress: Progress) -> dict[str, Any]:
    progress("writing, verifying and reporting", 0, 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReleaseWarning)
        verdict = calls.write(result, out)
    original = result.owner_record.original
    return _describe(result.release, out) | {
        "verdict": verdict.to_dict(),
        "seconds": {phase: round(seconds, 3) for phase, seconds in result.owner_record.seconds.items()},
        "warnings": [str(warning.message) for warning in caught if issubclass(warning.category, ReleaseWarning)],
        "doubts": [] if original is None else [str(doubt) for doubt in original.doubts],
        "parts": 0,
    }


def _describe(release: Release | DividedRelease, out: Path) -> dict[str, Any]:
    return {
        "name": out.name,
        "published": release.unit.count(len(release)),
        "withheld": sum(release.suppressed_records.values()),
        "withheld_by_reason": dict(release.suppressed_records),
        "guarantee": str(release.guarantee),
        "statement": release.guarantee.statement(release.unit),
        "method_note": release.method_note,
    }


def _judge(out: Path, original: Callable[[], Dataset] | None, progress: Progress) -> dict[str, Any]:
    """Attack and measure what was published; the release is there whatever becomes of this."""
    judgement: dict[str, Any] = {"risk": {}, "scores": []}
    if original is None:
        return judgement
    with contextlib.suppress(KeyboardInterrupt):
        dataset = original()
        progress("attacking the release", 0, 0)
        judgement["risk"] = attack_release(out, dataset)
        progress("measuring the release", 0, 0)
        judgement["scores"] = list_scores(calls.measure(out, dataset), dataset)
    return judgement
