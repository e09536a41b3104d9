"""Projects with something on every page: data, hierarchies, queries, releases; work is done where it stands."""

from __future__ import annotations

import dataclasses
import json
import shutil
from collections.abc import Iterable
from pathlib import Path
from typing import Any

from sfumato import plugins
from sfumato.api import calls
from sfumato.exports import write_table
from sfumato.readers.constraints import format_groups
from sfumato.web.jobs import Job, Jobs
from sfumato.web.pages.compare import _write_study
from sfumato.web.pages.parts import Workspace
from sfumato.web.policies import read_recipe, write_recipe
from sfumato.web.project import Project
from sfumato.web.tasks import find_task
from sfumato.web.worker import _plain, explain_error

_OVER = {"trajectories": "place", "sets": "item", "sequences": "event"}
"""What a hierarchy is derived over where it is not a column."""
_FEW = {"activity": 12}
"""Records of examples whose methods would take long on more."""

_CONSTRAINED = {"trajectories"}
"""Kinds whose examples are read with constraints."""


class JobsAtOnce(Jobs):
    """Does the work where it stands, and leaves what it found where servers look for it."""

    def _begin(self, job: Job) -> Job:
        shutil.rmtree(job.folder, ignore_errors=True)
        job.folder.mkdir(parents=True)
        self._jobs[job.key] = job
        try:
            outcome = find_task(job.task)(self._project, job.arguments, job.folder, lambda *_: None)
            told: dict[str, Any] = {"outcome": outcome}
        except Exception as error:
            told = explain_error(error)
        asked = {"task": job.task, "arguments": job.arguments, "project": str(self._project.folder)}
        (job.folder / "job.json").write_text(json.dumps(asked))
        (job.folder / "outcome.json").write_text(json.dumps(told, default=_plain))
        self._conclude(job, 0)
        return job


def do(jobs: Jobs, task: str, *, fresh: bool = True, **asked: Any) -> dict[str, Any]:
    """Do a piece of work that must not fail, and return what it found."""
    job = jobs.request(task, fresh=fresh, **asked)
    assert job.state == "done", f"{task}: {job.error}"
    return job.outcome


def fill(folder: Path, kinds: Iterable[str]) -> Project:
    """Begin a project with an example of every kind, looked at, attacked and published."""
    project = Project.open(folder)
    jobs = JobsAtOnce(project)
    for kind in kinds:
        name = _take_example(project, jobs, kind)
        if kind in _CONSTRAINED:
            _use_constraints(project, jobs, name)
        recipe, files = read_recipe(project, name), {"data": [name]}
        assert recipe is not None
        do(jobs, "look", fresh=False, files=files, kind="")
        do(jobs, "risk", fresh=False, files=files, m=2)
        of = _OVER.get(kind) or next(iter(recipe.options.get("quasi", ())), None)
        if of is not None and kind != "snapshots":
            do(jobs, "derive", files=files, of=of, rule="fanout:10")
        do(jobs, "queries", files=files, count=100, seed=0)
        asked = {"method": recipe.method, "parameters": dict(recipe.parameters), "out": f"{kind}-release"}
        do(jobs, "publish", files=files, **asked)
    return project


def _take_example(project: Project, jobs: Jobs, kind: str) -> str:
    if kind not in _FEW:
        return str(do(jobs, "example", kind=kind)["name"])
    path = project.area("data") / f"{kind}-example.csv"
    write_table(plugins.find_kind(kind).generator.load().generate(_FEW[kind], 1), path)
    do(jobs, "look", files={"data": [path.name]}, kind=kind)
    return path.name


def _use_constraints(project: Project, jobs: Jobs, name: str) -> None:
    """Have data read with utility constraints over all of their values, and over one that they do not have."""
    recipe = read_recipe(project, name)
    assert recipe is not None
    labels = sorted(calls.read(project.find("data", name), recipe.kind, **recipe.options).history().labels)
    path = project.area("constraints") / f"{recipe.kind}-utility.txt"
    path.write_text(format_groups([labels[:3], labels[3:5], [*labels[5:], f"{labels[5]} Annex"]]), encoding="utf-8")
    options = {**recipe.options, "constraints": {"utility": str(path)}}
    write_recipe(project, name, dataclasses.replace(recipe, options=options))
    do(jobs, "constraints", fresh=False, files={"constraints": [path.name], "data": [name]}, sort="utility")


def add_study(project: Project, name: str, methods: list[str], values: tuple[int, ...] = (2, 5, 10)) -> None:
    """Run a study of methods on a file of the project, as the page would."""
    recipe = read_recipe(project, name)
    assert recipe is not None
    workspace = Workspace(project, JobsAtOnce(project))
    asked = {"varies": "k", "values": list(values), "methods": methods, "study": {"timeout": 300.0}}
    path = _write_study(workspace, name, recipe, "costs-of-k", asked)
    do(workspace.jobs, "study", fresh=False, files={"studies": [path.name], "data": [name]})


def add_release_in_partitions(project: Project, name: str, partition_size: int) -> None:
    """Publish a file of the project in partitions."""
    recipe = read_recipe(project, name)
    assert recipe is not None
    asked = {"method": recipe.method, "parameters": dict(recipe.parameters), "out": f"{recipe.kind}-parts"}
    do(JobsAtOnce(project), "publish", files={"data": [name]}, engine="local", part_size=partition_size, **asked)


def list_pages(project: Project) -> list[str]:
    """Return every page of a project that was filled: those about nothing yet, and those of each kind of data."""
    pages = ["/data", "/risk", "/hierarchies", "/queries", "/anonymise", "/compare", "/releases"]
    for name in project.list("data"):
        pages += [f"/{page}/{name}" for page in ("data", "risk", "hierarchies", "queries", "anonymise", "compare")]
    pages += [f"/hierarchy/{name}" for name in project.list("hierarchies")]
    pages += [f"/constraints/{name}" for name in project.list("constraints")]
    pages += [f"/workload/{name}" for name in project.list("workloads")]
    pages += [f"/study/{name}" for name in project.list("studies") if name.endswith(".toml")]
    pages += [f"/releases/{name}" for name in project.list("releases")]
    asked = sorted(project.hidden("jobs").glob("*/job.json"))
    return pages + [f"/run/{path.parent.name}" for path in asked if '"task": "publish"' in path.read_text("utf-8")]


def list_pages_of(project: Project, kind: str) -> list[str]:
    """Return the pages of a project that was filled which are about data of one kind."""
    data, found = f"{kind}-example.csv", []
    for path in list_pages(project):
        name = path.rpartition("/")[2]
        if path.startswith("/run/"):
            about = f'"{data}"' in (project.hidden("jobs") / name / "job.json").read_text("utf-8")
        elif path.startswith("/study/"):
            about = f'"../data/{data}"' in project.find("studies", name).read_text("utf-8")
        else:
            about = name.startswith(f"{kind}-")
        found += [path] if about else []
    return found
