"""The pages as a simulated user sees them, on every kind of data; jobs run at once, in this process."""

from __future__ import annotations

import asyncio

import pytest
from nicegui import ui
from nicegui.testing.user_simulation import user_simulation
from tests.web.filling import JobsAtOnce

from sfumato import plugins
from sfumato.base.guarantee import NOTE_LABEL
from sfumato.web.pages import register_pages
from sfumato.web.pages.parts import Workspace
from sfumato.web.policies import read_recipe
from sfumato.web.project import Project


def _walk(folder, steps):
    """Let a simulated user take steps on a project."""

    async def walk():
        async with user_simulation() as user:
            project = Project.open(folder)
            workspace = Workspace(project, JobsAtOnce(project))
            register_pages(workspace)
            await steps(user, workspace)

    asyncio.run(walk())


@pytest.mark.parametrize("kind", [kind for kind in plugins.all_kinds() if kind != "activity"])
def test_data_risk_and_forms_of_every_kind(tmp_path, kind):
    async def steps(user, workspace):
        await user.open("/")
        await user.should_see(f"Load example: {kind}")
        job = workspace.jobs.request("example", fresh=True, kind=kind)
        assert job.state == "done", job.error
        name = job.outcome["name"]
        await user.open(f"/data/{name}")
        await user.should_see("Distributions")
        await user.should_see("Check the configuration")
        user.find("Apply these column roles").click()
        await user.should_see("Apply these column roles")
        before = read_recipe(workspace.project, name)
        assert before is not None and before.kind == kind
        await user.open(f"/risk/{name}")
        await user.should_see("Risk")
        await user.should_not_see("Try again")
        for method in plugins.methods_for(kind):
            await user.open(f"/anonymise/{name}?method={method}")
            await user.should_see("Name of the release")
            await user.should_not_see("Request failed")
        for path in ("compare", "hierarchies", "queries"):
            await user.open(f"/{path}/{name}")
            await user.should_not_see("Request failed")

    _walk(tmp_path / "project", steps)


def test_reading_as_the_form_says_changes_nothing(tmp_path):
    """The form takes what was guessed, and gives it back."""

    async def steps(user, workspace):
        for kind in ("table", "snapshots", "sequences"):
            name = workspace.jobs.request("example", fresh=True, kind=kind).outcome["name"]
            before = read_recipe(workspace.project, name)
            await user.open(f"/data/{name}")
            user.find("Apply these column roles").click()
            await user.should_see("Check the configuration")
            assert read_recipe(workspace.project, name).options == before.options

    _walk(tmp_path / "project", steps)


def test_from_data_to_a_verified_release_and_beside_another(tmp_path):
    async def steps(user, workspace):
        name = workspace.jobs.request("example", fresh=True, kind="table").outcome["name"]
        for _ in range(2):
            await user.open(f"/anonymise/{name}")
            user.find(marker="anonymise").click()
            await user.should_see("the guarantee holds")
            await user.should_see(f"{NOTE_LABEL}: Groups depend on sensitive values.")
            await user.should_see("Risk before and after")
            await user.should_see("not for publishing")
        assert workspace.project.list("releases") == ["table-example-mondrian", "table-example-mondrian-2"]
        assert "table-example-mondrian.toml" in workspace.project.list("policies")
        first, second = workspace.project.list("releases")
        await user.open(f"/releases/{first}")
        await user.should_see("What remains possible")
        await user.should_see("Uniqueness for someone who knows more than the guarantee covers was not tested.")
        await user.open(f"/releases/{first}?do=verify&data={name}")
        shown = " ".join(element.content for element in user.find(ui.html).elements)
        assert NOTE_LABEL in shown and "Groups depend on sensitive values." in shown
        await user.should_see("the guarantee holds")
        await user.open(f"/releases/{first}?do=measure&data={name}")
        await user.should_see("Utility")
        await user.open(f"/releases/{first}?do=attack&data={name}")
        await user.should_see("After")
        await user.should_see("What remains possible")
        await user.open(f"/releases/{first}?do=together&data={name}&with_={second}")
        await user.should_not_see("Try again")
        await user.open(f"/releases/{first}?data={name}")
        user.find(marker="run-query").click()
        await user.should_see("Answers")
        await user.should_see("truth")

    _walk(tmp_path / "project", steps)


def test_an_infeasible_request_is_a_sentence(tmp_path):
    async def steps(user, workspace):
        name = workspace.jobs.request("example", fresh=True, kind="table").outcome["name"]
        asked = {"files": {"data": [name]}, "method": "mondrian", "parameters": {"k": 5000}, "out": "x"}
        job = workspace.jobs.request("publish", fresh=True, **asked)
        await user.open(f"/run/{job.key}")
        await user.should_see('"k" must be at most the number of people')
        await user.should_see("Try again")
        assert workspace.project.list("releases") == []

    _walk(tmp_path / "project", steps)


def test_a_file_that_nothing_fits_can_still_be_told_apart(tmp_path):
    """Who says how it is read is told what was wrong, and can try again."""

    async def steps(user, workspace):
        (workspace.project.area("data") / "odd.csv").write_text("a,b\n1,x\n2,y\n")
        await user.open("/data/odd.csv?kind=rt")
        await user.should_see("Configure columns")
        user.find(marker="apply-these-column-roles").click()
        await user.should_see("holds the items")
        recipe = read_recipe(workspace.project, "odd.csv")
        assert recipe.kind == "rt" and recipe.method == plugins.find_kind("rt").recommended[0]
        await user.should_see("Configure columns")

    _walk(tmp_path / "project", steps)


def test_steps_are_recorded_and_taken_back(tmp_path):
    async def steps(user, workspace):
        name = workspace.jobs.request("example", fresh=True, kind="sets").outcome["name"]
        original = (tmp_path / "project" / "data" / name).read_bytes()
        from sfumato.web.pages.data import _add_steps

        await user.open(f"/data/{name}")
        with user:
            _add_steps(workspace, name, read_recipe(workspace.project, name), ["filter person!=p1"])
        assert read_recipe(workspace.project, name).options["steps"] == ["filter person!=p1"]
        await user.open(f"/data/{name}")
        await user.should_see("filter person!=p1")
        user.find("Undo the last step").click()
        await user.should_not_see("Undo the last step")
        assert "steps" not in read_recipe(workspace.project, name).options
        assert (tmp_path / "project" / "data" / name).read_bytes() == original

    _walk(tmp_path / "project", steps)


def test_a_hierarchy_is_derived_edited_and_used(tmp_path):
    async def steps(user, workspace):
        data = workspace.jobs.request("example", fresh=True, kind="sets").outcome["name"]
        job = workspace.jobs.request("derive", fresh=True, files={"data": [data]}, of="item", rule="fanout:20")
        assert job.state == "done", job.error
        await user.open(f"/hierarchy/{job.outcome['name']}")
        await user.should_see("nodes, height")
        await user.should_see("Rename")
        drawn = workspace.jobs.request("queries", fresh=True, files={"data": [data]}, count=10, seed=0)
        await user.open(f"/workload/{drawn.outcome['name']}")
        await user.should_see("10 queries")
        await user.open("/hierarchies")
        await user.should_see(job.outcome["name"])

    _walk(tmp_path / "project", steps)


def test_unknown_names_are_sentences(tmp_path):
    async def steps(user, workspace):
        for path in ("/data/none.csv", "/risk/none.csv", "/run/none", "/study/none.toml", "/releases/none"):
            await user.open(path)
            await user.should_see("Request failed" if not path.startswith("/risk") else "no such file")

    _walk(tmp_path / "project", steps)
