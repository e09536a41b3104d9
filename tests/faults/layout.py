"""Where checking code, its tests and what a copy of the tree needs are found: all paths, in one place.

A ``*`` in a pattern of ``CHECKED`` stands for the kind of data. Code that matches a pattern without one is shared.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from pathlib import Path

SOURCE = "src"
PACKAGE = "sfumato"

CHECKED = (
    "src/sfumato/kinds/*/verify",
    "src/sfumato/kinds/*/decode.py",
    "src/sfumato/kinds/*/knowledge",
    "src/sfumato/kinds/*/knowledge.py",
    "src/sfumato/checks",
    "src/sfumato/verification",
    "src/sfumato/attacks",
    "src/sfumato/base/verdict.py",
    "src/sfumato/api/verify.py",
    "src/sfumato/release/inventory.py",
)
"""Folders and files in which faults are planted."""

GUARANTEES = "src/sfumato/kinds/{kind}/guarantees.py"
"""One module per guarantee, named after it: damaged releases are called by these names."""

DAMAGES = "tests/damage"
KIND_TESTS = "tests/kinds/{kind}"
KIND_FIRST = ("verify", "knowledge", "test_verify*.py", "test_knowledge*.py", "test_decode*.py")
"""Below the tests of a kind, what is most likely to catch a fault."""
CONTRACT_TESTS = ("tests/checks", "tests/verification", "tests/attacks", "tests/contracts/kinds")
SHARED_TESTS = ("tests/checks", "tests/verification", "tests/attacks", "tests/base")
FILES_TESTS = ("tests/release",)
DIVIDED_TESTS = ("tests/test_partitioned.py",)
"""Partitioned releases, which shared code checks one partition after another."""
LAST_TESTS = ("tests/golden",)
"""Run last, where they exist."""
WITHOUT_WHOLE_SUITE = ("tests/engines", "tests/faults")
"""What the whole suite leaves out: engines need Java, and these tests plant faults themselves."""

NOT_COPIED = (
    *(".git", ".venv", "__pycache__", "*.egg-info", "build", "dist", "site", "node_modules", "results", "reports"),
    *(".pytest_cache", ".mypy_cache", ".ruff_cache", ".import_linter_cache", ".hypothesis", "sfumato-demo"),
)


def list_checked_files(tree: Path) -> Iterator[tuple[str, str]]:
    """Yield the files of checking code, and the kind of data that each is about; empty where it is shared."""
    for pattern in CHECKED:
        for place in sorted(tree.glob(pattern)):
            for path in sorted(place.rglob("*.py")) if place.is_dir() else [place]:
                yield path.relative_to(tree).as_posix(), find_kind(path.relative_to(tree).as_posix())


def find_kind(file: str) -> str:
    """Return the kind of data that a file is about; empty where its code is shared.

    >>> find_kind("src/sfumato/kinds/sets/verify/structure.py"), find_kind("src/sfumato/attacks/risk.py")
    ('sets', '')
    """
    return _match(file)[0]


def find_group(file: str) -> str:
    """Return what a file is counted with: its kind, or the pattern of shared code.

    >>> find_group("src/sfumato/kinds/sets/verify/structure.py"), find_group("src/sfumato/attacks/risk.py")
    ('sets', 'src/sfumato/attacks')
    """
    kind, pattern = _match(file)
    return kind or pattern


def _match(file: str) -> tuple[str, str]:
    """Return the kind that a file is about, and the pattern that it matches."""
    for pattern in CHECKED:
        match = re.fullmatch(re.escape(pattern).replace(r"\*", "([^/]+)") + "(/.*)?", file)
        if match is not None:
            return (match[1] if "*" in pattern else ""), pattern
    return "", ""


def list_kinds(tree: Path) -> list[str]:
    """Return the kinds of data that have checking code."""
    return sorted({kind for _, kind in list_checked_files(tree)} - {""})


def list_guarantees(tree: Path, kind: str) -> list[str]:
    """Return the names of the guarantees of a kind."""
    path = tree / GUARANTEES.format(kind=kind)
    text = path.read_text(encoding="utf-8") if path.exists() else ""
    return sorted(re.findall(r'^    name: ClassVar\[str\] = "(.*)"$', text, re.MULTILINE))
