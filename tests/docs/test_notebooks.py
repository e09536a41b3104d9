"""The notebooks are the guide, and the one about data frames runs without touching the disk."""

from __future__ import annotations

import importlib.util
import json
import os
import sys
from pathlib import Path

import pytest
from tests.docs.test_snippets import BLOCK, PAGES

ROOT = Path(__file__).parent.parent.parent
FOLDER = ROOT / "docs" / "notebooks"


def load_script():
    spec = importlib.util.spec_from_file_location("notebooks", ROOT / "docs" / "notebooks.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


SCRIPT = load_script()


def code_of(name: str) -> list[str]:
    cells = json.loads((FOLDER / f"{name}.ipynb").read_text(encoding="utf-8"))["cells"]
    return ["".join(cell["source"]) for cell in cells if cell["cell_type"] == "code"]


@pytest.mark.parametrize("page", SCRIPT.list_pages(), ids=lambda page: page.stem)
def test_a_notebook_is_its_page(page):
    """What test_snippets runs of a page is what the notebook runs."""
    file = FOLDER / f"{page.stem}.ipynb"
    written = file.read_text(encoding="utf-8") if file.exists() else ""
    assert written == SCRIPT.render_notebook(page), "the page has changed: run python docs/notebooks.py"
    assert page in PAGES
    shown = "\n".join(code_of(page.stem))
    for language, body in BLOCK.findall(page.read_text(encoding="utf-8")):
        if language == "python":
            assert body.strip() in shown
        elif language == "console":
            assert all(f"!{line[2:]}" in shown for line in body.splitlines() if line.startswith("$ sfumato"))


def test_there_are_no_other_notebooks():
    assert sorted(path.stem for path in FOLDER.iterdir()) == sorted(page.stem for page in SCRIPT.list_pages())


WRITTEN: list[str] = []
WATCHING: list[bool] = []
WRITING = os.O_WRONLY | os.O_RDWR | os.O_CREAT


def watch(event: str, arguments: tuple) -> None:
    """Note files that are opened for writing; an audit hook stays for good, so that it listens only when asked to."""
    if not WATCHING or event not in {"open", "os.mkdir", "os.rename"}:
        return
    path, *more = arguments
    opened_to_read = event == "open" and not (isinstance(more[1], int) and more[1] & WRITING)
    # Where kernels and modules are kept is no business of the data.
    kept = "__pycache__" in str(path) or str(path).startswith(os.environ.get("NUMBA_CACHE_DIR", os.devnull))
    if not opened_to_read and not kept and str(path) != os.devnull:
        WRITTEN.append(f"{event} {path}")


def test_from_pandas_to_pandas_without_touching_the_disk(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    sys.addaudithook(watch)
    names: dict = {}
    WATCHING.append(True)
    try:
        for code in code_of("frames"):
            exec(compile(code, "frames.ipynb", "exec"), names)
        shown = [
            names[name]._repr_html_() for name in ("data", "result", "verdict", "risk", "beyond", "scores", "plots")
        ]
    finally:
        WATCHING.clear()
    assert WRITTEN == []
    assert list(tmp_path.iterdir()) == []
    assert names["verdict"].outcome == "holds" and "<svg" in shown[-1]
    assert type(names["long"]).__module__.startswith("pandas")
