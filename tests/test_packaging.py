"""A wheel, installed where nothing is but what it asks for, runs the demo.

The environment is made of what is installed here: the wheel says which distributions it needs, and only they and what
they need in turn are linked into an empty environment. So it needs no network, and a library that is imported but
not declared is missing there.
"""

from __future__ import annotations

import importlib.metadata
import json
import os
import shutil
import subprocess
import sys
import venv
import zipfile
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

pytestmark = pytest.mark.slow
ROOT = Path(__file__).parent.parent
PARTS = ("pyproject.toml", "README.md", "LICENSE")
OLDEST_BUILDER = Version("77")
"""As pyproject.toml asks for; with an older one, pip fetches it."""


def build_wheel(folder: Path) -> Path:
    """Build a wheel from a copy of the source, so that the tree stays as it is."""
    source = folder / "source"
    shutil.copytree(ROOT / "src", source / "src", ignore=shutil.ignore_patterns("__pycache__", "*.egg-info"))
    for name in PARTS:
        shutil.copyfile(ROOT / name, source / name)
    command = [sys.executable, "-m", "pip", "wheel", "--quiet", "--no-deps", "--wheel-dir", str(folder), str(source)]
    if Version(importlib.metadata.version("setuptools")) >= OLDEST_BUILDER:
        command += ["--no-build-isolation", "--no-index"]
    subprocess.run(command, check=True, capture_output=True)
    return next(folder.glob("*.whl"))


def list_needed(wheel: Path) -> set[str]:
    """Return the distributions that a wheel needs, and those that they need."""
    with zipfile.ZipFile(wheel) as archive:
        metadata = next(name for name in archive.namelist() if name.endswith(".dist-info/METADATA"))
        lines = archive.read(metadata).decode().splitlines()
    waiting = [line.removeprefix("Requires-Dist: ") for line in lines if line.startswith("Requires-Dist: ")]
    found: set[str] = set()
    while waiting:
        needed = Requirement(waiting.pop())
        if needed.name in found or (needed.marker is not None and not needed.marker.evaluate({"extra": ""})):
            continue
        assert Version(importlib.metadata.version(needed.name)) in needed.specifier
        found.add(needed.name)
        waiting += importlib.metadata.requires(needed.name) or []
    return found


def link_distribution(name: str, packages: Path) -> None:
    for file in importlib.metadata.files(name) or ():
        top = file.parts[0]
        if top not in {"..", "__pycache__"} and not (packages / top).exists():
            (packages / top).symlink_to(Path(str(file.locate())).parents[len(file.parts) - 1].resolve() / top)


@pytest.fixture(scope="module")
def environment(tmp_path_factory) -> Path:
    folder = tmp_path_factory.mktemp("packaging")
    wheel = build_wheel(folder)
    venv.create(folder / "empty", with_pip=False)
    packages = next((folder / "empty" / "lib").glob("python*/site-packages"))
    for name in list_needed(wheel):
        link_distribution(name, packages)
    python = folder / "empty" / "bin" / "python"
    command = [sys.executable, "-m", "pip", "--python", str(python), "install", "--quiet", "--no-deps", "--no-index"]
    # A tree on the path would be taken for an installed one.
    bare = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    subprocess.run([*command, str(wheel)], check=True, capture_output=True, env=bare)
    return folder / "empty"


def run(environment: Path, folder: Path, *arguments: str) -> subprocess.CompletedProcess[str]:
    program = environment / "bin" / arguments[0]
    return subprocess.run(
        [str(program), *arguments[1:]], cwd=folder, env={"PATH": ""}, capture_output=True, text=True, check=False
    )


def test_the_wheel_runs_the_demo_in_an_empty_environment(environment, tmp_path):
    done = run(environment, tmp_path, "sfumato", "demo", "--json")
    assert done.returncode == 0, done.stderr
    found = json.loads(done.stdout)
    assert found["verify"]["outcome"] == "holds"
    assert (tmp_path / "sfumato-demo" / "owner" / "report.html").is_file()


def test_extras_are_not_there_and_are_named_where_they_are_needed(environment, tmp_path):
    code = (
        "import importlib.util, sfumato as sf;"
        "print([name for name in ('polars', 'pandas', 'sklearn') if importlib.util.find_spec(name)]);"
        "data = sf.Dataset.of('sets', [['wine'], ['wine']]);"
        "release = sf.anonymize(data, sf.methods.Pcta(k=2, m=1)).release;"
        "assert sf.verify(release);"
        "release.to_polars()"
    )
    done = run(environment, tmp_path, "python", "-c", code)
    assert done.stdout.strip() == "[]", done.stderr
    assert done.stderr.strip().endswith("polars is not installed. Install it: pip install polars.")
