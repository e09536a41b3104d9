"""Makers and checkers never meet; what both call is on a list short enough to be read.

A verifier that asks the maker's own function whether the maker was right proves nothing. Import contracts keep the
components apart. What is left is the common ground, the nouns (``NOUNS``) and each kind's ``dataset``: ``wall.csv``
names every function of the two, and every method or property of a class of a ``dataset``, that both sides use, with the
reason why that is no circle. A new entry here is to be reviewed, not to be added.
"""

from __future__ import annotations

import ast
import csv
import subprocess
import sys
from pathlib import Path

import pytest

import sfumato
from sfumato.data.kind import all_kinds

SOURCE = Path(sfumato.__file__).parent
MAKERS = ("methods", "encode", "_kernels")
NOUNS = ("base", "data", "escape", "exceptions", "hierarchies", "params", "release")
COMMON = tuple(f"sfumato.{package}" for package in NOUNS)
CHECKERS = ("verify", "attacks", "query_bounds", "knowledge", "decode")


def files_of(kind: str, rooms: tuple[str, ...]) -> list[Path]:
    found = [path for room in rooms for path in (SOURCE / "kinds" / kind).glob(f"{room}/**/*.py")]
    return found + [path for room in rooms if (path := SOURCE / "kinds" / kind / f"{room}.py").exists()]


def path_of(module: str) -> Path:
    base = SOURCE.parent / Path(*module.split("."))
    return base / "__init__.py" if base.is_dir() else base.with_suffix(".py")


def uses(files: list[Path], kind: str) -> tuple[set[tuple[str, str]], set[str]]:
    """Return what files import from the common ground (module and name), and every attribute they ask for."""
    imported, attributes = set(), set()
    for path in files:
        for node in ast.walk(ast.parse(path.read_text("utf-8"))):
            if isinstance(node, ast.ImportFrom) and node.module:
                common = node.module.startswith((*COMMON, f"sfumato.kinds.{kind}.dataset"))
                imported |= {(node.module, name.name) for name in node.names if common}
            elif isinstance(node, ast.Attribute):
                attributes.add(node.attr)
    return imported, attributes


def members(module: str, name: str) -> list[str] | None:
    """Return methods and properties of a class, nothing of a function, and None of anything else."""
    for node in ast.parse(path_of(module).read_text("utf-8")).body:
        if isinstance(node, ast.ClassDef) and node.name == name:
            return [part.name for part in node.body if isinstance(part, ast.FunctionDef) and part.name[:2] != "__"]
        if isinstance(node, ast.FunctionDef) and node.name == name:
            return []
    return None


def both_sides() -> set[str]:
    """Return the functions of the common ground that makers and checkers of some kind both use."""
    found = set()
    shared = ("checks", "verification", "attacks")
    checking = sorted(path for package in shared for path in (SOURCE / package).glob("*.py"))
    for kind in all_kinds():
        made, asked_by_makers = uses(files_of(kind, MAKERS), kind)
        checked, asked_by_checkers = uses([*files_of(kind, CHECKERS), *checking], kind)
        for module, name in made & checked:
            inside = members(module, name)
            short = module.removeprefix("sfumato.")
            if inside == []:
                found.add(f"{short}.{name}")
            elif inside is not None and module.startswith("sfumato.kinds"):
                found |= {f"{short}.{name}.{part}" for part in {*inside} & asked_by_makers & asked_by_checkers}
            elif inside is not None:
                found.add(f"{short}.{name}")
    return found


def test_what_both_sides_call_is_on_the_reviewed_list():
    with (Path(__file__).parent / "wall.csv").open(encoding="utf-8", newline="") as file:
        listed = {row["function"]: row["reason"] for row in csv.DictReader(file)}
    found = both_sides()
    assert sorted(found - set(listed)) == [], "both makers and checkers call these: let each count for itself"
    assert sorted(set(listed) - found) == [], "nobody calls these on both sides any longer: take them off the list"
    assert all(listed.values())


def _break(root: Path, file: str, line: str) -> str:
    """Add a line to a copy of the source and return what the contracts say."""
    path = root / "sfumato" / file
    path.parent.mkdir(parents=True, exist_ok=True)
    text = path.read_text("utf-8") if path.exists() else ""
    path.write_text(f"{text}\n{line}\n", encoding="utf-8")
    code = "import sys; from importlinter.cli import lint_imports_command; lint_imports_command()"
    done = subprocess.run(
        [sys.executable, "-c", code, "--no-cache", "--config", str(root / "pyproject.toml")],
        cwd=root,
        env={"PYTHONPATH": str(root), "PATH": ""},
        capture_output=True,
        text=True,
        check=False,
    )
    path.write_text(text, encoding="utf-8")
    return done.stdout


@pytest.mark.parametrize(
    ("file", "line", "broken"),
    [
        ("kinds/sets/knowledge/__init__.py", "import sfumato.kinds.sets._kernels", "checkers know nothing of makers"),
        ("kinds/sets/attic/__init__.py", "", "The components of a kind"),
        ("checks/cache.py", "import numba", "checkers know nothing of makers"),
        ("checks/_kernels/class_tree.py", "import sfumato._kernels.gray", "checkers know nothing of makers"),
        ("kinds/sets/encode.py", "import sfumato.checks.class_index", "makers know nothing of checkers"),
        ("reports/__init__.py", "import sfumato.checks._kernels.class_tree", "Only what checkers count with"),
    ],
)
def test_a_breach_breaks_a_contract(tmp_path, file, line, broken):
    pytest.importorskip("importlinter")
    import shutil

    shutil.copytree(SOURCE, tmp_path / "sfumato", ignore=shutil.ignore_patterns("__pycache__"))
    config = SOURCE.parent.parent / "pyproject.toml"
    shutil.copy(config, tmp_path)
    said = [text for text in _break(tmp_path, file, line).splitlines() if "BROKEN" in text]
    assert len(said) == 1
    assert broken in said[0]
