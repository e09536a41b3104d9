"""Cells fail without taking the study down, and finished cells are never run again."""

import dataclasses
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.studies.traps import CRASH, FAULT, GROW, HANG, Trapped

import sfumato as sf
from sfumato.exceptions import SchemaError, SfumatoError
from sfumato.params import build
from sfumato.studies import run_plan
from sfumato.studies.plan import Plan
from sfumato.studies.run import Limits, run_trials
from sfumato.studies.source import FileSource
from sfumato.studies.trials import Job, Trial

UNTIMED = ("seconds", "peak_memory")


def make_trials(*ks, method="mondrian", **more):
    kind = {"mondrian": sf.methods.Mondrian, "cluster": sf.methods.Cluster}[method]
    return [Trial(method, build(kind, {"k": k, **more}).parameters(), 1, "", ("k",)) for k in ks]


def job_of(log="", **more):
    return Job(Trapped(log=str(log)), measures=("ncp",), **more)


def untimed(table):
    return table.drop_columns([name for name in table.column_names if name.startswith(UNTIMED)]).to_pylist()


def test_every_failure_is_a_row_and_the_study_goes_on(tmp_path):
    trials = make_trials(2, CRASH, HANG, FAULT, 61, 5)
    plan = Plan(tuple(trials), job_of(), "table", Limits(seconds=20))
    result = run_plan(plan, tmp_path / "out", workers=2)
    assert [outcome.status for _, outcome in result.trials] == [
        "done",
        "crashed",
        "overlong",
        "crashed",
        "refused",
        "done",
    ]
    reasons = [outcome.reason for _, outcome in result.trials]
    assert "SIGSEGV" in reasons[1]
    assert "20 seconds" in reasons[2]
    assert "RuntimeError" in reasons[3]
    assert "k must be at most" in reasons[4]
    assert "Ann" not in "".join(reasons)
    assert result.table.num_rows == 6
    assert not (tmp_path / "out" / ".work").exists()


def test_an_infeasible_cell_is_a_row(tmp_path):
    rows = [(1, "30", "flu"), (1, "40", "cold"), (1, "50", "flu")]
    snapshots = sf.Dataset.of("snapshots", rows, ("age",), "ill")
    result = sf.study(snapshots, [sf.methods.Reposition(l=2, window=1)], workers=1)
    (row,) = result.table.to_pylist()
    assert row["status"] == "infeasible"
    assert "33.3 %" in row["reason"]
    assert row["value"] is None


@pytest.mark.slow
@pytest.mark.skipif(sys.platform != "linux", reason="memory of other processes is read as on Linux")
def test_a_cell_that_takes_too_much_memory_is_a_row(tmp_path):
    plan = Plan(tuple(make_trials(GROW, 2)), job_of(), "table", Limits(seconds=60, memory=2_000_000_000))
    result = run_plan(plan, tmp_path / "out", workers=1)
    assert [outcome.status for _, outcome in result.trials] == ["out of memory", "done"]
    assert "2,000 MB" in result.trials[0][1].reason


def test_finished_cells_are_not_run_again(tmp_path):
    log = tmp_path / "log"
    run_plan(Plan(tuple(make_trials(2, 3)), job_of(log), "table"), tmp_path / "out", workers=1)
    once = log.read_text().split()
    assert set(once) == {"2", "3"}
    again = make_trials(2, 3) + make_trials(4) + make_trials(2, method="cluster")
    result = run_plan(Plan(tuple(again), job_of(log), "table"), tmp_path / "out", workers=1)
    assert result.count() == {"done": 4}
    assert set(log.read_text().split()[len(once) :]) == {"4"}


@pytest.mark.slow
def test_failures_stay_until_the_limit_is_raised_or_a_retry_is_asked_for(tmp_path):
    log, out = tmp_path / "log", tmp_path / "out"
    crash = Plan(tuple(make_trials(CRASH)), job_of(log), "table")
    for retry, times in ((False, 1), (False, 1), (True, 2)):
        run_plan(crash, out, workers=1, retry=retry)
        assert log.read_text().split() == [str(CRASH)] * times
    for seconds, retry, runs in ((0.2, False, True), (0.2, False, False), (0.1, False, False), (0.3, False, True)):
        plan = Plan(tuple(make_trials(HANG)), job_of(log), "table", Limits(seconds=seconds))
        before = [path.stat().st_mtime_ns for path in (out / "cells").iterdir()]
        (_, outcome), *_ = run_plan(plan, out, workers=1, retry=retry).trials
        assert outcome.status == "overlong"
        assert ([path.stat().st_mtime_ns for path in (out / "cells").iterdir()] != before) == runs


@pytest.mark.slow
def test_a_damaged_cell_is_run_again(tmp_path):
    plan = Plan(tuple(make_trials(2)), job_of(), "table")
    before = run_plan(plan, tmp_path, workers=1)
    (file,) = (tmp_path / "cells").iterdir()
    file.write_bytes(file.read_bytes()[:50])
    after = run_plan(plan, tmp_path, workers=1)
    assert untimed(before.table) == untimed(after.table)


@pytest.mark.slow
def test_the_same_table_in_any_number_of_processes(tmp_path):
    trials = [dataclasses.replace(trial, repetition=turn) for turn in (1, 2) for trial in make_trials(2, 3, 5, 8)]
    plan = Plan(tuple(trials), job_of(), "table")
    one = run_plan(plan, tmp_path / "one", workers=1)
    three = run_plan(plan, tmp_path / "three", workers=3)
    assert untimed(one.table) == untimed(three.table)


KILLED = """
import sys
from pathlib import Path
from sfumato.studies import run_plan
from tests.studies.test_runner import plan_slow
run_plan(plan_slow(), Path(sys.argv[1]), workers=2)
"""


def plan_slow():
    turns = [dataclasses.replace(trial, repetition=turn) for turn in range(1, 7) for trial in make_trials(23, 5)]
    return Plan(tuple(turns), job_of(), "table")


def start_slow(out):
    return subprocess.Popen([sys.executable, "-c", KILLED, str(out)], env={**os.environ, "PYTHONPATH": paths()})


def paths():
    return os.pathsep.join(path or str(Path.cwd()) for path in sys.path)


def wait_for_cells(out, count):
    for _ in range(600):
        if len(list((out / "cells").glob("[!.]*.json"))) >= count:
            return
        time.sleep(0.1)
    raise AssertionError("no cells were finished")


@pytest.mark.slow
def test_killed_and_resumed_gives_the_table_of_an_undisturbed_study(tmp_path):
    whole = run_plan(plan_slow(), tmp_path / "whole", workers=2)
    out = tmp_path / "killed"
    for count in (2, 5):
        process = start_slow(out)
        wait_for_cells(out, count)
        process.send_signal(signal.SIGKILL)
        process.wait()
        assert not (out / "results.csv").exists()
    kept = {path: path.stat().st_mtime_ns for path in (out / "cells").glob("[!.]*.json")}
    assert len(kept) >= 5
    resumed = run_plan(plan_slow(), out, workers=2)
    assert untimed(resumed.table) == untimed(whole.table)
    assert {path: path.stat().st_mtime_ns for path in kept} == kept
    assert sorted(path.name for path in out.iterdir() if path.name[0] == ".") == []


@pytest.mark.slow
def test_stopping_to_listen_ends_the_workers_and_keeps_what_is_finished(tmp_path):
    running = run_trials(plan_slow().trials, job_of(), tmp_path, workers=2)
    next(running)
    running.close()
    assert list((tmp_path / "cells").glob("*.json"))
    assert not (tmp_path / ".work").exists()


def test_data_that_cannot_be_read_leave_the_disk_as_it_was(tmp_path):
    (tmp_path / "bad.csv").write_text("what\n1\n")
    job = Job(FileSource(str(tmp_path / "bad.csv"), "sets"))
    with pytest.raises(SchemaError, match="column"):
        run_plan(Plan(tuple(make_trials(2)), job, "table"), tmp_path / "out", workers=1)
    assert not (tmp_path / "out").exists()


@pytest.mark.slow
def test_folders_of_others_are_refused(tmp_path):
    plan = Plan(tuple(make_trials(2)), job_of(), "table")
    (tmp_path / "mine").mkdir()
    (tmp_path / "mine" / "letter.txt").write_text("dear")
    with pytest.raises(SfumatoError, match="not the folder of a study"):
        run_plan(plan, tmp_path / "mine", force=True)
    run_plan(plan, tmp_path / "out", workers=1)
    other = dataclasses.replace(plan, job=Job(Trapped(size=50), measures=("ncp",)))
    with pytest.raises(SfumatoError, match="other data"):
        run_plan(other, tmp_path / "out")
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 1
    run_plan(other, tmp_path / "out", workers=1, resume=True)
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 2
    run_plan(plan, tmp_path / "out", workers=1, force=True)
    assert len(list((tmp_path / "out" / "cells").iterdir())) == 1
