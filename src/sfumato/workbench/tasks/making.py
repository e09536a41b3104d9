"""Releases made: a method run on data, or a recoding applied to a later batch; written, verified and judged."""

from __future__ import annotations

import contextlib
import shutil
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from sfumato import pipeline, plugins
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ReleaseWarning
from sfumato.core.method import Method
from sfumato.core.params import build
from sfumato.core.publishing.withholding import WITHHOLD_AT_MOST
from sfumato.core.release import Release, Result
from sfumato.core.run import Progress, Run
from sfumato.division import publish_in_parts
from sfumato.engines.local import Local
from sfumato.io.releases.divided import DividedRelease
from sfumato.kernels.compilation import notice_compilation
from sfumato.workbench.policies import write_policy
from sfumato.workbench.project import Project
from sfumato.workbench.tasks.judging import attack_release, list_scores, read_as_released
from sfumato.workbench.tasks.looking import read_data, require_recipe

__all__ = ["apply", "export", "publish"]

Demand = dict[str, Any]
"""What is asked of a release besides its method."""
Made = tuple[Path, dict[str, Any], Callable[[], Dataset] | None]
"""Where a release lies, what is told of it, and what brings its original where there is memory for that."""


def publish(project: Project, asked: dict[str, Any], folder: Path, tell: Progress) -> dict[str, Any]:
    """Anonymise data, whole or in parts, write and verify the release, and leave the policy that makes it again."""
    data = asked["files"]["data"][0]
    recipe = require_recipe(project, data)
    method = build(plugins.find_method(asked["method"], recipe.kind), asked["parameters"])
    limit, count = float(asked.get("withhold_at_most", WITHHOLD_AT_MOST)), asked.get("count", "records")
    make = _publish_in_parts if asked.get("engine") else _publish_whole
    with notice_compilation(lambda: tell("compiling, a minute the first time", 0, 0)):
        out, told, original = make(project, asked, method, {"count": count, "withhold_at_most": limit}, folder, tell)
    policy = project.free("policies", out.name, ".toml")
    release = {"out": out, "withhold_at_most": limit, "count": count}
    release |= {name: asked.get(name) or None for name in ("engine", "part_size")}
    write_policy(project, policy, data, asked["method"], method.parameters(), release)
    return {**told, **_judge(out, original, tell), "policy": policy.name}


def _publish_whole(
    project: Project,
    asked: dict[str, Any],
    method: Method,
    demand: Demand,
    folder: Path,  # noqa: ARG001 (nothing is left for another try)
    tell: Progress,
) -> Made:
    """Publish all records at once."""
    tell("reading", 0, 0)
    dataset, _ = read_data(project, asked["files"]["data"][0])
    run = Run(progress=tell, engine=Local())
    tell("anonymising", 0, 0)
    result = pipeline.anonymize(dataset, method, run=run, **demand)
    out = project.free("releases", asked["out"])
    return out, _write(result, out, tell) | {"notes": [*dataset.notes, *run.notes]}, lambda: dataset


def _publish_in_parts(
    project: Project, asked: dict[str, Any], method: Method, demand: Demand, folder: Path, tell: Progress
) -> Made:
    """Publish in parts of those who are alike; a run that was stopped leaves those that are ready to the next try."""
    data = asked["files"]["data"][0]
    recipe, aside = require_recipe(project, data), _find_room(project, folder.name)
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ReleaseWarning)
        made = publish_in_parts(
            project.find("data", data),
            method,
            aside,
            kind=recipe.kind,
            reading=recipe.options,
            part_size=asked.get("part_size"),
            engine=Local(),
            reports=True,
            progress=tell,
            **demand,
        )
    out = project.free("releases", asked["out"])
    aside.rename(out)
    whole = [f"The file was read whole, because {made.read_whole}."] if made.read_whole else []
    told = _describe(made.release, out) | {
        "verdict": made.verdict.to_dict(),
        "seconds": {phase: round(seconds, 3) for phase, seconds in made.seconds.items()},
        "warnings": list(made.warnings),
        "doubts": list(made.original.doubts),
        "notes": [*made.original.notes, *made.notes, *whole],
        "parts": len(made.release.parts),
    }
    # Attacks and measures need everybody in memory, as the report does.
    reported = (out / "owner" / "report.html").is_file()
    return out, told, (lambda: read_data(project, data)[0]) if reported else None


def _find_room(project: Project, job: str) -> Path:
    """Return where a job collects its parts; what forgotten jobs have left is removed."""
    for left in project.hidden("parts").iterdir():
        if not (project.hidden("jobs") / left.name).is_dir():
            shutil.rmtree(left, ignore_errors=True)
    return project.hidden("parts") / job


def apply(project: Project, asked: dict[str, Any], folder: Path, tell: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Publish a later batch with the recoding of an earlier release."""
    earlier = project.find("releases", asked["files"]["releases"][0])
    out = project.free("releases", asked["out"])
    tell("reading", 0, 0)
    batch = read_as_released(project, earlier, asked["files"]["data"][0], batch=True)
    tell("applying the recoding", 0, 0)
    result = pipeline.apply(earlier, batch, unknown=asked["unknown"], run=Run(progress=tell, engine=Local()))
    return {**_write(result, out, tell), **_judge(out, lambda: batch, tell), "notes": list(batch.notes), "policy": ""}


def export(project: Project, asked: dict[str, Any], folder: Path, tell: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Write the records of a release in the layout and format that another tool reads."""
    release = project.find("releases", asked["files"]["releases"][0])
    path = project.free("exports", f"{release.name}-{asked['layout']}", f".{asked['format']}")
    tell("writing", 0, 0)
    pipeline.export(release, path, layout=asked["layout"], format=asked["format"])
    return {"name": path.name}


def _write(result: Result, out: Path, tell: Progress) -> dict[str, Any]:
    tell("writing, verifying and reporting", 0, 0)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always", ReleaseWarning)
        verdict = pipeline.write(result, out)
    return _describe(result.release, out) | {
        "verdict": verdict.to_dict(),
        "seconds": {phase: round(seconds, 3) for phase, seconds in result.trace.seconds.items()},
        "warnings": [str(each.message) for each in caught if issubclass(each.category, ReleaseWarning)],
        "doubts": [] if result.trace.original is None else list(result.trace.original.doubts),
        "parts": 0,
    }


def _describe(release: Release | DividedRelease, out: Path) -> dict[str, Any]:
    return {
        "name": out.name,
        "published": release.unit.count(len(release)),
        "withheld": sum(release.withheld.values()),
        "withheld_by_reason": dict(release.withheld),
        "guarantee": str(release.guarantee),
        "statement": release.guarantee.statement(release.unit),
        "method_note": release.method_note,
    }


def _judge(out: Path, original: Callable[[], Dataset] | None, tell: Progress) -> dict[str, Any]:
    """Attack and measure what was published; the release is there whatever becomes of this."""
    found: dict[str, Any] = {"risk": {}, "scores": []}
    if original is None:
        return found
    with contextlib.suppress(KeyboardInterrupt):
        dataset = original()
        tell("attacking the release", 0, 0)
        found["risk"] = attack_release(out, dataset)
        tell("measuring the release", 0, 0)
        found["scores"] = list_scores(pipeline.measure(out, dataset), dataset)
    return found
