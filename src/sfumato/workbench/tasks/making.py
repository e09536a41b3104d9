"""Releases made: a method run on data, or a recoding applied to a later batch; written, verified and judged."""

from __future__ import annotations

import contextlib
import warnings
from pathlib import Path
from typing import Any

from sfumato import pipeline, registry
from sfumato.core.dataset import Dataset
from sfumato.core.errors import ReleaseWarning
from sfumato.core.params import build
from sfumato.core.publishing.withholding import WITHHOLD_AT_MOST
from sfumato.core.release import Result
from sfumato.core.run import Progress, Run
from sfumato.engines.local import Local
from sfumato.kernels.compilation import notice_compilation
from sfumato.workbench.policies import write_policy
from sfumato.workbench.project import Project
from sfumato.workbench.tasks.judging import attack_release, list_scores, read_as_released
from sfumato.workbench.tasks.looking import read_data

__all__ = ["apply", "export", "publish"]


def publish(project: Project, asked: dict[str, Any], folder: Path, tell: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Anonymise data, write and verify the release, and leave the policy that makes it again."""
    data = asked["files"]["data"][0]
    out = project.free("releases", asked["out"])
    tell("reading", 0, 0)
    dataset, recipe = read_data(project, data)
    method = build(registry.find(asked["method"], recipe.kind), asked["parameters"])
    limit = float(asked.get("withhold_at_most", WITHHOLD_AT_MOST))
    run = Run(progress=tell, engine=Local())
    tell("anonymising", 0, 0)
    with notice_compilation(lambda: tell("compiling, a minute the first time", 0, 0)):
        result = pipeline.anonymize(
            dataset, method, run=run, count=asked.get("count", "records"), withhold_at_most=limit
        )
        told = _write(result, out, tell)
    policy = project.free("policies", out.name, ".toml")
    release = {"out": out, "withhold_at_most": limit, "count": asked.get("count", "records")}
    write_policy(project, policy, data, asked["method"], method.parameters(), release)
    return {**told, **_judge(out, dataset, tell), "notes": [*dataset.notes, *run.notes], "policy": policy.name}


def apply(project: Project, asked: dict[str, Any], folder: Path, tell: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Publish a later batch with the recoding of an earlier release."""
    earlier = project.find("releases", asked["files"]["releases"][0])
    out = project.free("releases", asked["out"])
    tell("reading", 0, 0)
    batch = read_as_released(project, earlier, asked["files"]["data"][0], batch=True)
    tell("applying the recoding", 0, 0)
    result = pipeline.apply(earlier, batch, unknown=asked["unknown"], run=Run(progress=tell, engine=Local()))
    return {**_write(result, out, tell), **_judge(out, batch, tell), "notes": list(batch.notes), "policy": ""}


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
    release = result.release
    return {
        "name": out.name,
        "published": release.unit.count(len(release)),
        "withheld": sum(release.withheld.values()),
        "withheld_by_reason": dict(release.withheld),
        "guarantee": str(release.guarantee),
        "statement": release.guarantee.statement(release.unit),
        "verdict": verdict.to_dict(),
        "seconds": {phase: round(seconds, 3) for phase, seconds in result.trace.seconds.items()},
        "warnings": [str(each.message) for each in caught if issubclass(each.category, ReleaseWarning)],
    }


def _judge(out: Path, dataset: Dataset, tell: Progress) -> dict[str, Any]:
    """Attack and measure what was published; the release is there whatever becomes of this."""
    found: dict[str, Any] = {"risk": {}, "scores": []}
    with contextlib.suppress(KeyboardInterrupt):
        tell("attacking the release", 0, 0)
        found["risk"] = attack_release(out, dataset)
        tell("measuring the release", 0, 0)
        found["scores"] = list_scores(out, dataset)
    return found
