"""Releases judged: verified, attacked, measured, laid beside each other."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sfumato import plugins
from sfumato.api import attack as assessment
from sfumato.api import calls
from sfumato.data.dataset import Dataset
from sfumato.engines.local import Local
from sfumato.engines.verify import verify_file
from sfumato.exceptions import SchemaError
from sfumato.metrics.metric import Score
from sfumato.metrics.workload import Workload
from sfumato.release import owner, storage
from sfumato.release.locate import is_divided, read_divided_from
from sfumato.release.run import Progress
from sfumato.reports.text import fill_in
from sfumato.web.project import Project
from sfumato.web.tasks.inspect import read_data

__all__ = ["attack", "attack_release", "list_scores", "measure", "read_as_released", "together", "verify"]


def verify(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Check the published files against their claim; with the original, also what an attacker could match."""
    release = project.find("releases", arguments["files"]["releases"][0])
    given = arguments["files"].get("data", [])
    if given and is_divided(release):
        file = project.find("data", given[0])
        verdict = verify_file(release, file, engine=Local(), progress=progress)
        if verdict is not None:
            return {"verdict": verdict.to_dict(), "with_original": True}
    original = _read_original(project, release, arguments, progress)
    progress("verifying", 0, 0)
    return {"verdict": calls.verify(release, original).to_dict(), "with_original": original is not None}


def attack(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Attack a release with the knowledge it is about, with less, and with more."""
    release = project.find("releases", arguments["files"]["releases"][0])
    original = _require(_read_original(project, release, arguments, progress))
    progress("attacking", 0, 0)
    return {"risk": attack_release(release, original, int(arguments.get("m", 2)))}


def measure(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Measure what a release is still good for, with queries of one's own if there are any."""
    release = project.find("releases", arguments["files"]["releases"][0])
    original = _require(_read_original(project, release, arguments, progress))
    queries = arguments["files"].get("workloads", [])
    workload = Workload.from_csv(project.find("workloads", queries[0]).read_text("utf-8")) if queries else None
    progress("measuring", 0, 0)
    scores = assessment.measure(release, original, workload=workload)
    return {"scores": list_scores(scores, original), "remaining": scores.remaining.to_dict()}


def together(project: Project, arguments: dict[str, Any], folder: Path, progress: Progress) -> dict[str, Any]:  # noqa: ARG001
    """Compare two releases: the risk of both together, and their measures."""
    first, second = (project.find("releases", name) for name in arguments["files"]["releases"])
    original = _read_original(project, first, arguments, progress)
    progress("laying them beside each other", 0, 0)
    outcome: dict[str, Any] = {"together": assessment.attack_together(first, second, original).to_dict(), "scores": []}
    if original is not None:
        progress("measuring both", 0, 0)
        outcome["scores"] = [
            list_scores(assessment.measure(release, original), original) for release in (first, second)
        ]
    return outcome


def attack_release(release: Path, original: Dataset, m: int = 2) -> dict[str, Any]:
    """Return what attackers reach before and after, and those who do more than the guarantee is about."""
    by_knowledge = assessment.attack_rising(release, original, m)
    stronger = assessment.attack_beyond(release, original)
    return {
        "before": [finding.to_dict() for finding in by_knowledge["before"]],
        "after": [finding.to_dict() for finding in by_knowledge["after"]],
        "beyond": [finding.to_dict() for finding in stronger],
        "remaining": assessment.sum_up_attacks(release, original, by_knowledge["after"][-1], stronger).to_dict(),
    }


def list_scores(scores: Iterable[Score], original: Dataset) -> list[dict[str, Any]]:
    """Return what measures found, with what their numbers mean."""
    return [
        {
            "name": score.name,
            "title": score.title or score.name,
            "value": score.value,
            "unit": score.unit,
            "better": score.better,
            "explanation": fill_in(score.explanation, original.unit),
        }
        for score in scores
    ]


def read_as_released(project: Project, release: Path, data: str, *, batch: bool = False) -> Dataset:
    """Read data the way the original of a release was read; a later batch, without what need not hold in it."""
    path = project.find("data", data)
    kind = read_divided_from(release).kind if is_divided(release) else storage.read_release(release).kind
    read_options = owner.read_owner_record(release).get("reading", {})
    if not isinstance(read_options, dict) or not read_options:
        return read_data(project, data)[0]
    left_out = {"kind"}
    if batch:
        left_out |= {"constraints", "hierarchies"} | ({"sensitive"} if plugins.find_kind(kind).columns else set())
    return calls.read(path, kind, **{name: value for name, value in read_options.items() if name not in left_out})


def _read_original(project: Project, release: Path, arguments: dict[str, Any], progress: Progress) -> Dataset | None:
    given = arguments["files"].get("data", [])
    if not given:
        return None
    progress("reading the original", 0, 0)
    return read_as_released(project, release, given[0])


def _require(original: Dataset | None) -> Dataset:
    if original is None:
        raise SchemaError("Attacks and measures need the original.", hint="Choose the data of the release.")
    return original
