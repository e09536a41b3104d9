"""Jobs in processes of their own: they end when they are stopped, when they die and when the server does."""

from __future__ import annotations

import json
import os
import signal
import socket
import subprocess
import sys
from pathlib import Path

import pytest
from tests.web.running import names_in, serving, wait_for

from sfumato.exceptions import SfumatoError
from sfumato.web.jobs import Job, Jobs
from sfumato.web.policies import Recipe, write_recipe
from sfumato.web.project import AREAS, Project
from sfumato.web.server import serve


@pytest.fixture
def project(tmp_path):
    return Project.open(tmp_path / "project")


def _is_alive(pid):
    try:
        os.kill(pid, 0)
    except ProcessLookupError:
        return False
    return Path(f"/proc/{pid}/stat").read_text().rsplit(")", 1)[1].split()[0] != "Z"


def test_the_same_question_is_asked_once_and_remembered(project):
    jobs = Jobs(project)
    example = jobs.request("example", fresh=True, kind="table")
    wait_for(lambda: example.is_over)
    asked = {"files": {"data": [example.outcome["name"]]}, "m": 1}
    first = jobs.request("risk", **asked)
    assert jobs.request("risk", **asked) is first
    wait_for(lambda: first.is_over)
    assert first.state == "done" and first.outcome["risk"]
    later = Jobs(project).request("risk", **asked)
    assert later.state == "done" and later.outcome == first.outcome
    os.utime(project.policy_of(example.outcome["name"]), (1, 1))
    assert jobs.request("risk", **asked) is not first
    jobs.close()


def test_a_killed_job_is_a_sentence_and_others_go_on(project):
    jobs = Jobs(project, max_running=1)
    job, other = (jobs.request("example", fresh=True, kind=kind) for kind in ("table", "sets"))
    assert other.state == "waiting"
    os.kill(job.process.pid, signal.SIGKILL)
    wait_for(lambda: job.is_over and other.is_over)
    assert job.state == "failed" and "memory" in job.error and other.state == "done"
    assert project.list("data") == ["sets-example.csv"]
    jobs.close()


def test_a_stopped_job_leaves_nothing(project):
    jobs = Jobs(project)
    job = jobs.request("example", fresh=True, kind="rt")
    pid = job.process.pid
    jobs.stop(job)
    wait_for(lambda: job.is_over)
    assert job.state == "stopped" and "Nothing was published" in job.error
    assert not _is_alive(pid)
    assert project.list("data") == [] and not list(project.hidden("incoming").iterdir())
    jobs.close()


def test_closing_ends_everything(project):
    jobs = Jobs(project)
    begun = [jobs.request("example", fresh=True, kind="table") for _ in range(4)]
    pids = [job.process.pid for job in begun if job.process is not None]
    jobs.close()
    wait_for(lambda: all(job.is_over for job in begun))
    assert not any(map(_is_alive, pids))
    with pytest.raises(SfumatoError, match="shutting down"):
        jobs.request("example", fresh=True, kind="sets")


def test_a_job_is_stopped_also_where_ctrl_c_is_ignored(project):
    """As it is by whoever starts the server in the background."""
    before = signal.signal(signal.SIGINT, signal.SIG_IGN)
    try:
        jobs = Jobs(project)
        job = jobs.request("example", fresh=True, kind="rt")
        jobs.stop(job)
        wait_for(lambda: job.is_over)
    finally:
        signal.signal(signal.SIGINT, before)
    assert job.state == "stopped"
    jobs.close()


@pytest.mark.slow
def test_closing_in_the_middle_of_a_run_leaves_no_half_release(project):
    jobs = Jobs(project)
    example = jobs.request("example", fresh=True, kind="trajectories")
    wait_for(lambda: example.is_over)
    asked = {"method": "seqanon", "parameters": {"k": 5, "m": 2}, "out": "mine"}
    job = jobs.request("publish", fresh=True, files={"data": [example.outcome["name"]]}, **asked)
    wait_for(lambda: job.phase not in {"", "loading the program", "reading"})
    jobs.close()
    wait_for(lambda: job.is_over)
    assert job.state == "stopped" and list(project.area("releases").iterdir()) == []
    assert list(project.area("policies").iterdir()) == []


def test_jobs_let_pages_go_first(project):
    jobs = Jobs(project)
    job = jobs.request("example", fresh=True, kind="table")
    pid = job.process.pid
    wait_for(lambda: job.phase)
    assert os.getpriority(os.PRIO_PROCESS, pid) > os.getpriority(os.PRIO_PROCESS, 0) or job.is_over
    jobs.close()


def test_a_job_says_how_long_it_may_take(tmp_path, monkeypatch):
    job, now = Job("x", "publish", {}, tmp_path), [0.0]
    monkeypatch.setattr("time.monotonic", lambda: now[0])
    assert job.describe_progress() == "Waiting for another job to end."
    job.state, job.began = "running", 0.0
    job.read_progress(b'{"phase": "merging", "done": 0, "total": 100}')
    now[0] = 10.0
    job.read_progress(b'{"phase": "merging", "done": 25, "total": 100}')
    job.read_progress(b"not a report")
    assert job.share == 0.25 and "about 30 s left for this step" in job.describe_progress()


def test_a_new_hierarchy_asks_nothing_again_until_it_is_used(project):
    (project.area("data") / "baskets.csv").write_text("person,item\n1,a\n2,b\n")
    tree = project.area("hierarchies") / "tree.csv"
    recipe = Recipe("sets", {"columns": {"person": "person", "item": "item"}}, "apriori", {"k": 2, "m": 1})
    write_recipe(project, "baskets.csv", recipe)
    jobs = Jobs(project, max_running=0)
    asked = {"files": {"data": ["baskets.csv"]}, "m": 1}
    first = jobs.request("risk", **asked)
    tree.write_text("a;all\nb;all\n")
    assert jobs.request("risk", **asked) is first
    options = {**recipe.options, "hierarchies": {"item": "tree.csv"}}
    write_recipe(project, "baskets.csv", Recipe("sets", options, "apriori", {"k": 2, "m": 1}))
    used = jobs.request("risk", **asked)
    tree.write_text("a;any;all\nb;any;all\n")
    assert used is not first and jobs.request("risk", **asked) is not used
    jobs.close()


def test_a_file_is_looked_at_once_though_looking_settles_how_it_is_read(project):
    (project.area("data") / "visits.csv").write_text(
        "person,place\n" + "".join(f"{at},{'ab'[at % 2]}\n" for at in range(9))
    )
    jobs = Jobs(project)
    asked = {"files": {"data": ["visits.csv"]}, "kind": ""}
    first = jobs.request("look", **asked)
    wait_for(lambda: first.is_over and first.process is None)
    assert first.state == "done" and project.policy_of("visits.csv").is_file()
    assert jobs.request("look", **asked) is first
    os.utime(project.policy_of("visits.csv"), (1, 1))
    assert jobs.request("look", **asked) is not first
    jobs.close()


@pytest.mark.slow
def test_a_job_ends_with_a_server_that_was_killed(project, tmp_path):
    folder = tmp_path / "job"
    folder.mkdir()
    told = {"task": "example", "arguments": {"kind": "table"}, "project": str(project.folder)}
    (folder / "job.json").write_text(json.dumps(told))
    command = [sys.executable, "-m", "sfumato.web.worker"]
    worker = subprocess.Popen(command, stdin=subprocess.PIPE, stdout=subprocess.PIPE)
    worker.stdin.write(f"{folder}\n".encode())
    worker.stdin.flush()
    assert b"phase" in worker.stdout.readline()
    worker.stdin.close()  # what the system does when the server is gone
    assert worker.wait(30) in {0, 1}
    worker.stdout.close()


def test_a_process_that_waits_is_taken_and_ends_with_the_server(project):
    jobs = Jobs(project, warm=True)
    spare = jobs._spare
    job = jobs.request("example", fresh=True, kind="timeline")
    assert job.process is spare
    wait_for(lambda: job.is_over and jobs._spare is not None)
    assert job.state == "done"
    waiting = jobs._spare.pid
    jobs.close()
    wait_for(lambda: not _is_alive(waiting))


@pytest.mark.slow
def test_old_jobs_are_forgotten(project, monkeypatch):
    monkeypatch.setattr("sfumato.web.jobs._MAX_FINISHED", 1)
    jobs = Jobs(project)
    first, second = (jobs.request("example", fresh=True, kind=kind) for kind in ("timeline", "sets"))
    wait_for(lambda: first.is_over and second.is_over)
    third = jobs.request("example", fresh=True, kind="table")
    wait_for(lambda: third.is_over)
    assert third.state == "done" and sum(job.folder.exists() for job in (first, second)) == 1
    jobs.close()


@pytest.mark.slow
def test_nothing_outlives_a_server_that_was_killed(tmp_path):
    with serving(tmp_path / "project") as running:
        (tmp_path / "project" / "data" / "visits.csv").write_text("person,place\n1,a\n2,b\n")
        running.request("/data/visits.csv")
        pid = running.process.pid
        lists = [path.read_text().split() for path in Path(f"/proc/{pid}/task").glob("*/children")]
        children = [int(child) for listed in lists for child in listed]
        assert children and all(map(_is_alive, children))
        running.process.kill()
        wait_for(lambda: not any(map(_is_alive, children)))


def test_a_server_that_is_stopped_ends_well(tmp_path):
    with serving(tmp_path / "project") as running:
        running.process.send_signal(signal.SIGTERM)
        assert running.process.wait(30) == 0


def test_a_taken_port_is_a_sentence_and_begins_no_project(tmp_path):
    with socket.create_server(("127.0.0.1", 0)) as taken, pytest.raises(SfumatoError, match="cannot listen"):
        serve(tmp_path / "project", port=taken.getsockname()[1])
    assert names_in(tmp_path) == []


def test_questions_about_strange_files_are_refused(project):
    jobs = Jobs(project)
    for name in ("../secret", "none.csv", "/etc/passwd"):
        with pytest.raises(SfumatoError, match="no such file"):
            jobs.request("look", files={"data": [name]})
    with pytest.raises(SfumatoError, match="does not exist"):
        jobs.find("../jobs")
    jobs.close()


def test_a_project_is_begun_only_where_nothing_else_lies(tmp_path):
    (tmp_path / "thesis.txt").write_text("mine")
    with pytest.raises(SfumatoError, match="not empty and not a project"):
        Project.open(tmp_path)
    assert names_in(tmp_path) == ["thesis.txt"]
    assert names_in(Project.open(tmp_path / "new").folder) == sorted([".workbench", *AREAS])


def test_forgotten_jobs_leave_nothing_in_memory(project, monkeypatch):
    """A job that answers two questions is forgotten under both."""
    monkeypatch.setattr("sfumato.web.jobs._MAX_FINISHED", 2)
    jobs = Jobs(project)
    for at in range(6):
        folder = project.hidden("jobs") / f"job{at}"
        folder.mkdir()
        (folder / "job.json").write_text('{"task": "look", "arguments": {}}')
        (folder / "outcome.json").write_text('{"outcome": {}}')
        os.utime(folder, (at + 1, at + 1))
        jobs._jobs[f"other{at}"] = jobs.find(f"job{at}")
    jobs._forget()
    assert sorted(jobs._jobs) == ["job4", "job5", "other4", "other5"]
