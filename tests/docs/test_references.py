"""What texts point at is there: files named in guides and notes, and modules named in docstrings."""

from __future__ import annotations

import re
from pathlib import Path

import pytest

import sfumato

SOURCE = Path(sfumato.__file__).parent
ROOT = SOURCE.parent.parent
TEXTS = sorted(
    path
    for folder in (ROOT, ROOT / "docs", SOURCE / "kinds")
    for path in (folder.glob("*.md") if folder == ROOT else folder.rglob("*.md"))
    if "reference" not in path.parts
)
FILE = re.compile(
    r"`((?:tests|src|benchmarks|docs)/[\w./-]*\w|(?:_kernels|api|attacks|base|checks|cli|data|engines|exports|formats|generators|hierarchies|kinds|metrics|ontologies|queries|readers|release|reports|studies|verification|web)/[\w./-]*\.py)`"
)
LINK = re.compile(r"\]\((?!https?:|#|mailto:)([^)\s#]+)")
MODULE = re.compile(r"\bsfumato((?:\.[a-z_][a-z_0-9]*)+)")


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: str(path.relative_to(ROOT)))
def test_files_that_a_text_names_are_there(path):
    text = path.read_text("utf-8")
    named = [name for name in FILE.findall(text) if path.name != "CHANGELOG.md"]
    missing = [name for name in named if not (ROOT / name).exists() and not (SOURCE / name).exists()]
    assert missing == []
    assert [link for link in LINK.findall(text) if not (path.parent / link).exists() and "reference/" not in link] == []


def test_modules_that_docstrings_name_are_there():
    lost = set()
    for path in SOURCE.rglob("*.py"):
        for name in MODULE.findall(path.read_text("utf-8")):
            parts = name.split(".")
            whole = SOURCE.joinpath(*parts)
            above = SOURCE.joinpath(*parts[:-1])
            is_module = whole.is_dir() or whole.with_suffix(".py").exists()
            is_name = above.with_suffix(".py").exists() or (above / "__init__.py").exists()
            if not is_module and not is_name:
                lost.add(f"{path.relative_to(SOURCE)}: {name}")
    assert sorted(lost) == []
