"""Partitioned releases in the workbench: made, stopped and taken up again, shown, judged, or refused."""

from __future__ import annotations

import json

import pytest
from tests.web.filling import do
from tests.web.running import wait_for

import sfumato as sf
from sfumato import plugins
from sfumato.policy import read_policy
from sfumato.release.locate import is_divided
from sfumato.web.jobs import Jobs
from sfumato.web.policies import Recipe, write_recipe
from sfumato.web.project import Project


@pytest.fixture
def one_core(monkeypatch):
    """Have partitions made in this process."""
    monkeypatch.setattr("os.cpu_count", lambda: 1)


def test_a_release_in_partitions_is_made_shown_and_judged(walk, one_core):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sets")["name"]
        await user.open(f"/anonymise/{name}?method=apriori")
        await user.should_not_see("These are many")
        fill("k", "3")
        fill("In partitions", "true")
        fill("In a partition at most", "80")
        user.find(marker="anonymise").click()
        await user.should_see("the guarantee holds")
        await user.should_see("The guarantee holds for every partition")
        await user.should_see("Risk before and after")
        await user.should_see("Utility")
        await user.should_see("The release shows its first partition.")
        await user.should_see("release/data/part-00002/data.csv")
        out = workspace.project.area("releases") / "sets-example-apriori"
        assert is_divided(out) and sf.verify(out) and (out / "owner" / "report.html").is_file()
        assert not any(workspace.project.hidden("parts").iterdir())
        policy = read_policy(workspace.project.area("policies") / "sets-example-apriori.toml")
        assert (policy.release.engine, policy.release.partition_size) == ("local", 80)
        page = "/releases/sets-example-apriori"
        await user.open(page)
        await user.should_see("part-00001")
        await user.should_see("there is no recoding for other data")
        await user.should_not_see("Publish the batch")
        for do_it, seen in (
            ("verify", "the guarantee holds"),
            ("attack", "After"),
            ("measure", "Utility"),
        ):
            await user.open(f"{page}?do={do_it}&data={name}")
            await user.should_see(seen)
            await user.should_not_see("Try again")
        await user.open(f"{page}?data={name}")
        user.find(marker="run-query").click()
        await user.should_see("Answers")

    walk(steps)


def test_a_release_in_partitions_is_exported_and_laid_beside_one_made_whole(walk, one_core):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sets")["name"]
        asked = {"files": {"data": [name]}, "method": "apriori", "parameters": {"k": 3, "m": 2}}
        do(workspace.jobs, "publish", **asked, out="parts", engine="local", part_size=80)
        do(workspace.jobs, "publish", **asked, out="whole")
        await user.open(f"/releases/parts?do=together&data={name}&with_=whole")
        await user.should_see("Attacker with both releases")
        await user.should_see("Measures of both")
        await user.open("/releases/parts")
        await user.should_see("with a column that names the partition")
        fill("Format", "long.spmf")
        user.find(marker="export").click()
        await user.should_see("Choose one of the listed formats")
        fill("Format", "wide.jsonl")
        user.find(marker="export").click()
        await user.should_see("Download parts-wide.jsonl")
        lines = (workspace.project.area("exports") / "parts-wide.jsonl").read_text().splitlines()
        assert {json.loads(line)["part"] for line in lines} == {"part-00000", "part-00001", "part-00002"}
        await user.open("/releases")
        await user.should_see("parts")

    walk(steps)


def test_sizes_that_make_no_partitions_are_refused_with_a_sentence(walk, one_core):
    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sets")["name"]
        for chosen, size, told in (
            ("true", "5", "at least 10"),
            ("true", "2.5", "must be a whole number"),
            ("false", "100", "applies only with"),
        ):
            await user.open(f"/anonymise/{name}?method=apriori")
            fill("k", "5")
            fill("In partitions", chosen)
            fill("In a partition at most", size)
            user.find(marker="anonymise").click()
            await user.should_see(told)
        assert workspace.project.list("releases") == []

    walk(steps)


def test_data_with_an_order_in_time_are_not_offered_in_partitions(walk):
    async def steps(user, workspace, fill):
        for kind in ("timeline", "snapshots"):
            name = do(workspace.jobs, "example", kind=kind)["name"]
            await user.open(f"/anonymise/{name}")
            await user.should_see("Name of the release")
            await user.should_not_see("In partitions")

    walk(steps)


def test_many_records_are_told_that_partitions_are_worth_it(walk, monkeypatch):
    monkeypatch.setattr(plugins.find_kind("sets").sort_key.load(), "PARTITION_SIZE", 100)

    async def steps(user, workspace, fill):
        name = do(workspace.jobs, "example", kind="sets")["name"]
        await user.open(f"/anonymise/{name}")
        await user.should_see("Partitions of at most 100 need less memory")

    walk(steps)


@pytest.mark.slow
def test_a_stopped_run_in_partitions_leaves_no_release_and_goes_on_when_tried_again(tmp_path):
    project = Project.open(tmp_path / "project")
    rows = "".join(f"{at},{20 + at % 60},{at % 7}\n" for at in range(1200))
    (project.area("data") / "people.csv").write_text("nr,age,size\n" + rows)
    options = {"quasi": ["age", "size"], "identifier": ["nr"]}
    write_recipe(project, "people.csv", Recipe("table", options, "mondrian", {"k": 2}))
    jobs = Jobs(project)
    asked = {"method": "mondrian", "parameters": {"k": 2}, "out": "mine", "engine": "local", "part_size": 10}
    job = jobs.request("publish", fresh=True, files={"data": ["people.csv"]}, **asked)
    wait_for(lambda: (job.phase == "parts" and job.done > 0) or job.is_over)
    assert job.phase == "parts" and job.total == 120 and "left for this step" in _describe_early(job)
    jobs.stop(job)
    wait_for(lambda: job.is_over)
    assert job.state == "stopped" and "Nothing was published" in job.error
    assert project.list("releases") == project.list("policies") == []
    job = jobs.again(job)
    wait_for(lambda: job.is_over, 300)
    assert job.state == "done", job.error
    out = project.area("releases") / "mine"
    assert sf.verify(out)
    counted = json.loads((out / "owner" / "trace.json").read_text())["counters"]
    assert counted["parts"] == 120 and counted["parts_from_before"] > 0
    assert not any(project.hidden("parts").iterdir())
    jobs.close()


def _describe_early(job):
    """Return what a job would say once enough of it is done for a guess."""
    done, job.done = job.done, max(job.done, job.total // 10)
    try:
        return job.describe_progress()
    finally:
        job.done = done


def test_what_forgotten_jobs_left_is_removed(walk, one_core):
    async def steps(user, workspace, fill):
        left = workspace.project.hidden("parts") / "0123abcd"
        (left / ".parts-x").mkdir(parents=True)
        name = do(workspace.jobs, "example", kind="sets")["name"]
        asked = {"method": "apriori", "parameters": {"k": 3, "m": 1}, "out": "mine"}
        do(workspace.jobs, "publish", files={"data": [name]}, **asked, engine="local", part_size=80)
        assert not left.exists()

    walk(steps)
