"""Publishing in partitions from the command line, and what becomes of it when it is killed."""

import json
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest
from tests.cli.conftest import CODE

METHOD = ["--kind", "trajectories", "--method", "seqanon", "-p", "k=5", "-p", "m=2"]
LOCAL = ["--engine", "local", "--partition-size", "40", "--cores", "1"]


def files(folder):
    return {str(file.relative_to(folder)): file.read_bytes() for file in sorted(folder.rglob("*")) if file.is_file()}


@pytest.fixture
def secret(tmp_path):
    (tmp_path / "secret.hex").write_text("01" * 32 + "\n")
    return "secret.hex"


def test_partitions_are_published_checked_attacked_and_measured(sfumato, checkins, tmp_path):
    done = sfumato("anonymize", checkins, *METHOD, "--out", "out", *LOCAL, "--json").json
    assert (done["parts"], done["published"], done["withheld"]) == (3, 120, 0)
    assert sfumato("verify", "out", "--json").json["outcome"] == "holds"
    assert sfumato("verify", "out", "--original", checkins, "--json").json["outcome"] == "holds"
    found = sfumato("attack", "out", "--original", checkins, "-m", "2", "--json").json
    assert found["people"] == 120
    assert found["smallest_anonymity_set"] >= 5
    assert sfumato("measure", "out", "--original", checkins, "--json").json["measures"]
    assert sfumato("verify", "out/release/data/part-00001", "--json").json["outcome"] == "holds"
    published = b"".join(files(tmp_path / "out" / "release").values())
    assert b"canary" not in published
    told = json.loads((tmp_path / "out" / "release" / "release.json").read_text())
    assert [partition["name"] for partition in told["parts_of_people"]] == ["part-00000", "part-00001", "part-00002"]
    assert told["method_note"] == done["method_note"] and told["method_note"] in (
        (tmp_path / "out" / "release" / "README.md").read_text()
    )


def test_a_stray_partition_is_told_by_the_exit_code(sfumato, checkins, tmp_path):
    sfumato("anonymize", checkins, *METHOD, "--out", "out", *LOCAL, "--json")
    data = tmp_path / "out" / "release" / "data"
    (data / "part-00009").mkdir()
    assert "data/part-00009" in sfumato("verify", "out", expect=3).stdout
    (data / "part-00009").rmdir()
    (data / "part-00002" / "data.csv").unlink()
    sfumato("verify", "out", expect=1)


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--partition-size", "40"], "applies only with an engine"),
        (["--engine", "lokal"], "--engine must be local or spark"),
        (["--engine", "local", "--master", "local[2]"], "--master does not apply"),
        (["--engine", "local", "--partition-size", "9"], "--partition-size must be a whole number of at least 10"),
    ],
)
def test_what_does_not_fit_is_refused_and_nothing_is_left(words, told, sfumato, checkins, tmp_path):
    done = sfumato("anonymize", checkins, *METHOD, "--out", "out", *words, expect=2)
    assert told in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_policy_publishes_in_partitions(sfumato, checkins, tmp_path):
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "checkins.csv"\nkind = "trajectories"\n'
        '[method]\nname = "seqanon"\nk = 5\nm = 2\n'
        '[release]\nout = "out"\nengine = "local"\npartition_size = 60\ncores = 1\n'
    )
    done = sfumato("run", "policy.toml", "--json").json
    assert (done["anonymize"]["parts"], done["verify"]["outcome"]) == (2, "holds")


def test_a_policy_with_many_people_says_what_it_leaves_out(checkins, tmp_path, monkeypatch, capsys):
    from sfumato.cli.output import Output
    from sfumato.cli.publish import run_policy
    from sfumato.engines import publish

    monkeypatch.setattr(publish, "REPORTED", 100)
    monkeypatch.setattr("sfumato.api.calls.read", None)
    (tmp_path / "policy.toml").write_text(
        '[data]\npath = "checkins.csv"\nkind = "trajectories"\n'
        '[method]\nname = "seqanon"\nk = 5\nm = 2\n'
        '[release]\nout = "out"\nengine = "local"\npartition_size = 60\ncores = 1\n'
    )
    run_policy(Output(as_json=True), tmp_path / "policy.toml", force=False)
    done = json.loads(capsys.readouterr().out)
    assert (done["anonymize"]["parts"], done["verify"]["outcome"]) == (2, "holds")
    assert "more than 100 records" in done["left_out"]
    assert "attack" not in done and "measure" not in done
    assert not (tmp_path / "out" / "owner" / "report.html").exists()


@pytest.mark.parametrize("words", [[], ["--engine", "local"]])
def test_places_that_only_spark_reads_are_refused_without_it(words, sfumato, tmp_path):
    done = sfumato("anonymize", "hdfs://host/data", *METHOD, "--out", "out", *words, expect=2)
    assert "--engine spark" in done.stderr
    assert not (tmp_path / "out").exists()


def test_a_release_in_partitions_is_reported_exported_and_measured_as_one_but_not_applied(sfumato, checkins, tmp_path):
    sfumato("anonymize", checkins, *METHOD, "--out", "out", *LOCAL, "--json")
    assert "The partitions" in (tmp_path / "out" / "owner" / "report.html").read_text()
    assert "apply: out is a partitioned release" in sfumato("apply", "out", checkins, "--out", "o2", expect=2).stderr
    sfumato("export", "out", "--out", "visits.csv")
    assert (tmp_path / "visits.csv").read_text().startswith("part,person,")
    found = sfumato("measure", "out", "--original", checkins, "--json").json["measures"]
    assert {score["parts"] for score in found} == {3}
    sfumato("anonymize", checkins, *METHOD, "--out", "bare", *LOCAL, "--no-report", "--json")
    assert not (tmp_path / "bare" / "owner" / "report.html").exists()


def test_no_process_outlives_the_one_that_started_it(tmp_path):
    code = "import time; from sfumato.engines.local import _Worker; w = _Worker(); print(w.run_job(abs, -1))"
    code += "; print(w._process.pid, flush=True); w.run_job(time.sleep, 60)"
    process = subprocess.Popen([sys.executable, "-c", code], stdout=subprocess.PIPE, text=True)
    assert process.stdout.readline() == "1\n"
    worker = int(process.stdout.readline())
    process.kill()
    process.wait()
    process.stdout.close()
    for _ in range(600):
        if _is_dead(Path(f"/proc/{worker}/stat")):
            return
        time.sleep(0.1)
    raise AssertionError("the process still sleeps")


def _is_dead(told):
    """Tell whether a process is gone, or only waits to be buried."""
    try:
        return told.read_text().split()[2] == "Z"
    except OSError:
        return True


@pytest.mark.slow
def test_a_run_that_is_killed_goes_on(sfumato, checkins, secret, tmp_path):
    words = ["anonymize", checkins, *METHOD, "--secret", secret, *LOCAL]
    sfumato(*words, "--out", "whole", "--json")
    process = subprocess.Popen(
        [sys.executable, "-c", CODE, *map(str, words), "--out", "out"],
        cwd=tmp_path,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
    )
    while process.poll() is None and not list(tmp_path.glob("out/.parts-*/part-00000")):
        time.sleep(0.005)
    process.send_signal(signal.SIGKILL)
    process.wait()
    if not (tmp_path / "out" / "release").exists():
        done = sfumato(*words, "--out", "out", "--json").json
        assert done["counted"]["parts_from_before"] >= 1
    assert files(tmp_path / "out" / "release") == files(tmp_path / "whole" / "release")
    assert sorted(path.name for path in (tmp_path / "out").iterdir()) == ["owner", "release"]
