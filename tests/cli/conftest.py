"""Commands as a user runs them: in this process where nothing but the words matters, else in one of their own."""

import json
import subprocess
import sys

import pytest
from tests.console import run_command

CODE = "from sfumato.cli import main; main()"


@pytest.fixture
def sfumato(tmp_path):
    """Run a command in an empty folder; returns the finished command, with its JSON if it has one.

    With options of `subprocess.run`, such as ``input``, or with ``own_process``, an interpreter is started for it.
    """

    def run(*words, expect=0, own_process=False, **options):
        if own_process or options:
            done = subprocess.run(
                [sys.executable, "-c", CODE, *map(str, words)],
                cwd=tmp_path,
                capture_output=True,
                text=True,
                check=False,
                timeout=300,
                **options,
            )
        else:
            done = run_command(words, tmp_path)
        assert done.returncode == expect, f"{words}\n{done.stdout}\n{done.stderr}"
        done.json = json.loads(done.stdout) if "--json" in words else None
        return done

    return run


@pytest.fixture
def checkins(tmp_path):
    """A small file of check-ins whose person ids would be noticed anywhere."""
    import numpy as np

    rng = np.random.default_rng(4)
    lines = ["person,time,place,x,y"]
    for person in range(120):
        for step in range(rng.integers(2, 6)):
            place = int(rng.integers(0, 15) * rng.random())
            lines.append(f"canary-{person:04},2024-03-04T{8 + step:02}:00:00,spot{place},{place % 4},{place // 4}")
    path = tmp_path / "checkins.csv"
    path.write_text("\n".join(lines) + "\n")
    return path
