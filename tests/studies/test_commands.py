"""Studies on the command line."""

import json
import os
import signal
import subprocess
import sys
import time

import pyarrow.parquet as pq
import pytest
from tests.console import run_command

from sfumato.studies.results import read_results

CODE = "from sfumato.cli import main; main()"
HEARING = "import signal; signal.signal(signal.SIGINT, signal.default_int_handler); "
"""Whoever starts the tests in the background has Ctrl-C ignored, and so would the process that is to hear it."""
STUDY = """
[data]
kind = "sets"
generate = { size = 120, seed = 1, items = 20, mean_length = 3.0 }
[[method]]
name = "apriori"
m = 2
[vary]
k = [2, 5, 500]
[study]
measures = ["item-loss"]
"""
SECOND = '[[method]]\nname = "local-km"\nm = 2\n'


def run(folder, *words, expect=0):
    done = run_command(words, folder)
    assert done.returncode == expect, f"{words}\n{done.stdout}\n{done.stderr}"
    return done


@pytest.fixture
def study(tmp_path):
    path = tmp_path / "study.toml"
    path.write_text(STUDY)
    return path


def test_evaluate_then_compare_in_the_same_folder(tmp_path, study):
    found = json.loads(run(tmp_path, "evaluate", study, "--out", "out", "--json").stdout)
    assert found["by_status"] == {"done": 2, "refused": 1}
    assert "k must be at most" in found["not_done"][0]["reason"]
    trials = {path: path.stat().st_mtime_ns for path in (tmp_path / "out" / "cells").iterdir()}
    refused = run(tmp_path, "compare", study, "--out", "out", expect=2)
    assert "Run: sfumato evaluate" in refused.stderr
    study.write_text(STUDY.replace("[vary]", f"{SECOND}[vary]"))
    assert "Run: sfumato compare" in run(tmp_path, "evaluate", study, "--out", "out", expect=2).stderr
    shown = run(tmp_path, "compare", study, "--out", "out").stdout
    assert "local-km" in shown
    assert "study.html" in shown
    assert {path: path.stat().st_mtime_ns for path in trials} == trials
    table = pq.read_table(tmp_path / "out" / "results.parquet")
    assert table.num_rows == 6
    assert table.equals(read_results(tmp_path / "out").table)
    assert (tmp_path / "out" / "study.html").stat().st_size > 100_000
    assert run(tmp_path, "compare", study, "--out", "out", "--quiet").stdout == ""
    drawn = json.loads(run(tmp_path, "plot", "out", "--out", "plots", "--as", "svg", "--json").stdout)
    assert all((tmp_path / path).is_file() for path in drawn["plots"])


def test_bad_files_and_folders_change_nothing(tmp_path, study):
    study.write_text(STUDY.replace("apriori", "aprioir"))
    refused = run(tmp_path, "evaluate", study, "--out", "out", expect=2)
    assert "line 6" in refused.stderr
    study.write_text(STUDY.replace("seed = 1", "seed = 1, mean_length = 99.0").replace(", mean_length = 3.0", ""))
    assert "mean_length" in run(tmp_path, "evaluate", study, "--out", "out", expect=2).stderr
    assert [path.name for path in tmp_path.iterdir()] == ["study.toml"]
    assert "not the folder of a study" in run(tmp_path, "plot", ".", "--out", "plots", expect=2).stderr
    study.write_text(STUDY)
    assert "is a file" in run(tmp_path, "evaluate", study, "--out", study, expect=2).stderr
    assert study.read_text() == STUDY


@pytest.mark.slow
def test_ctrl_c_keeps_what_is_finished_and_exits_with_130(tmp_path, study):
    study.write_text(STUDY.replace("[study]", "[study]\nrepetitions = 300"))
    process = subprocess.Popen(
        [sys.executable, "-c", HEARING + CODE, "evaluate", str(study), "--out", "out"],
        cwd=tmp_path, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True, env={**os.environ},
    )  # fmt: skip
    out = tmp_path / "out"
    while len(list(out.glob("cells/[!.]*.json"))) < 3:
        assert process.poll() is None
        time.sleep(0.05)
    process.send_signal(signal.SIGINT)
    _, told = process.communicate(timeout=300)
    assert process.returncode == 130, told
    assert "cells are finished and kept" in told
    finished = len(list(out.glob("cells/[!.]*.json")))
    assert 3 <= finished < 900
    result = read_results(out)
    assert abs(len(result.trials) - finished) <= 1
    assert "not run yet" in (out / "study.html").read_text()
    assert not (out / ".work").exists()
