"""The first second: what a command loads before it answers, and what it says about compiling."""

from __future__ import annotations

import subprocess
import sys

LOADED = """
import sys
from sfumato.cli import run
code = run({words!r})
print(*sorted({{"numpy", "pyarrow", "numba", "pandas", "scipy.linalg", "altair"}} & set(sys.modules)), file=sys.stderr)
sys.exit(code)
"""


def list_loaded(*words, cwd=None):
    done = subprocess.run(
        [sys.executable, "-c", LOADED.format(words=list(map(str, words)))],
        capture_output=True,
        text=True,
        check=True,
        cwd=cwd,
    )
    return set(done.stderr.split("\n")[-2].split())


def test_help_loads_no_arrays():
    assert list_loaded("--help") == set()
    assert list_loaded("anonymize", "--help") == set()


def test_looking_at_data_loads_neither_numba_nor_pandas(checkins, tmp_path):
    assert not list_loaded("inspect", checkins, "--kind", "trajectories") & {"numba", "pandas", "altair"}
    publish = ["anonymize", checkins, "--kind", "trajectories", "--method", "seqanon", "-p", "k=2", "-p", "m=1"]
    loaded = list_loaded(*publish, "--out", tmp_path / "o", "--no-report")
    assert "numba" in loaded and not loaded & {"scipy.linalg", "pandas", "altair"}
    assert not list_loaded("verify", tmp_path / "o") & {"numba", "pandas", "altair"}


def test_compiling_ahead_leaves_nothing_to_be_announced(sfumato, tmp_path):
    first = sfumato("compile", "--kind", "timeline", "--json").json
    assert {name.split("/")[1] for name in (*first["compiled"], *first["ready"])} >= {"essa", "odesa"}
    again = sfumato("compile", "--kind", "timeline", "--json")
    assert again.json["compiled"] == [] and "compiling" not in again.stderr
    sfumato("generate", "timeline", "--size", "40", "--seed", "1", "--out", "events.csv")
    told = sfumato("start", "events.csv", "--kind", "timeline", "--yes", "--json", expect=2).json["error"]
    assert "--sensitive" in told
    assert sfumato("compile", "--kind", "tmeline", expect=2).stderr.startswith("sfumato: --kind must be one of")
