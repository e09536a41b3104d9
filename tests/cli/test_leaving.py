"""How a command leaves: with the right exit code, whoever stops listening, and with what the system said."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from sfumato.cli import _describe_fault, run

CODE = "from sfumato.cli import main; main()"


def start(*words, **options):
    return subprocess.run([sys.executable, "-c", CODE, *words], capture_output=True, check=False, **options)


def test_a_reader_that_leaves_does_not_change_the_exit_code(tmp_path, monkeypatch):
    (tmp_path / "data.csv").write_text("person,item\n" + "".join(f"p{i},a\n" for i in range(6)))
    monkeypatch.chdir(tmp_path)
    words = ["anonymize", "data.csv", "--kind", "sets", "--method", "disassociation", "-p", "k=2", "-p", "m=1"]
    assert run([*words, "--no-report", "--out", "out"]) == 0
    reading, writing = os.pipe()
    os.close(reading)
    with os.fdopen(writing, "wb") as nobody:
        for words, code in ((["verify", "out"], 0), (["verify", "nowhere"], 2), (["methods"], 0)):
            done = subprocess.run(
                [sys.executable, "-c", CODE, *words], stdout=nobody, stderr=subprocess.PIPE, check=False
            )
            assert done.returncode == code, done.stderr
            assert b"pipe" not in done.stderr.lower()


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="needs a device that is full")
def test_a_full_disk_is_called_one():
    with Path("/dev/full").open("wb") as full:
        done = subprocess.run([sys.executable, "-c", CODE, "methods"], stdout=full, stderr=subprocess.PIPE, check=False)
    assert done.returncode == 2
    assert b"No space left on device" in done.stderr


@pytest.mark.parametrize(
    "error",
    [
        OSError(28, "No space left on device"),
        OSError("No space left on device (os error 28): person-7"),
        OSError("[Errno 28] Error writing bytes to file. Detail: [errno 28] No space left on device"),
    ],
)
def test_faults_of_the_system_are_named_and_values_are_not(error):
    told = _describe_fault(error)
    assert "No space left on device" in told and "person-7" not in told


def test_a_release_that_does_not_fit_on_the_disk_is_not_left(tmp_path, monkeypatch, capfd):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "data.csv").write_text("person,item\n" + "".join(f"p{i},a\n" for i in range(6)))

    def write(*_):
        raise OSError("IO error: No space left on device (os error 28)")

    monkeypatch.setattr("sfumato.release.storage.write_release", write)
    words = ["anonymize", "data.csv", "--kind", "sets", "--method", "disassociation", "-p", "k=2", "-p", "m=1"]
    assert run([*words, "--out", "out"]) == 2
    assert "No space left on device" in capfd.readouterr().err
    assert [path.name for path in tmp_path.iterdir()] == ["data.csv"]


def test_too_little_memory_is_an_answer(monkeypatch, tmp_path, capfd):
    (tmp_path / "data.csv").write_text("person,item\na,b\n")

    def read(*_, **__):
        raise MemoryError

    monkeypatch.setattr("sfumato.api.calls.read", read)
    assert run(["inspect", str(tmp_path / "data.csv"), "--kind", "sets"]) == 2
    assert "not enough memory" in capfd.readouterr().err


def test_a_refused_file_never_ends_with_an_abort(tmp_path):
    """Threads of Arrow outlive the reading; the interpreter is not taken down around them."""
    rows = "".join(f"p{i % 50},{i},{i},place{i % 7}\n" for i in range(60_000))
    (tmp_path / "data.csv").write_text("person,time,date_time,place\n" + rows)
    codes = {start("inspect", str(tmp_path / "data.csv"), "--kind", "trajectories").returncode for _ in range(3)}
    assert codes == {2}
