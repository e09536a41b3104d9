"""Writes the notebooks from the guide: ``python docs/notebooks.py``.

Every page of the guide that has Python on it becomes a notebook of the same name: text as text, Python as code,
and what is typed into a terminal as a line that runs it there. Cells have no outputs: whoever opens a notebook runs it.
"""

from __future__ import annotations

import json
import re
from pathlib import Path
from typing import Any

GUIDE = Path(__file__).parent / "guide"
NOTEBOOKS = Path(__file__).parent / "notebooks"
BLOCK = re.compile(r"^```(python|console)\n(.*?)^```\n?", re.MULTILINE | re.DOTALL)
LINK = re.compile(r"\]\((?!https?:|#)([^)\s]+)\)")
CHECKINS = "$ sfumato generate trajectories --size 2000 --seed 1 --out checkins.csv\n"


def list_pages() -> list[Path]:
    """Return the pages of the guide that have Python on them and run on their own."""
    pages = sorted(GUIDE.glob("*.md"))
    return [page for page in pages if "```python\n" in page.read_text(encoding="utf-8") and page.stem not in LIBRARY]


LIBRARY = {"adding-a-method"}
"""Pages whose Python belongs into the source of Sfumato, not into a notebook."""


def make_notebook(page: Path) -> dict[str, Any]:
    """Return a page of the guide as a notebook."""
    text = page.read_text(encoding="utf-8")
    cells: list[dict[str, Any]] = []
    if "checkins.csv" in text and "generate trajectories" not in text:
        cells.append(make_cell("code", format_commands(CHECKINS), len(cells)))
    at = 0
    for block in BLOCK.finditer(text):
        cells += make_text(text[at : block.start()], len(cells))
        code = block[2] if block[1] == "python" else format_commands(block[2])
        if code.strip():
            cells.append(make_cell("code", code, len(cells)))
        at = block.end()
    cells += make_text(text[at:], len(cells))
    kernel = {"display_name": "Python 3", "language": "python", "name": "python3"}
    return {
        "cells": cells,
        "metadata": {"kernelspec": kernel, "language_info": {"name": "python"}},
        "nbformat": 4,
        "nbformat_minor": 5,
    }


def format_commands(body: str) -> str:
    """Return the commands of a terminal as lines of a notebook; what they print is not part of it."""
    lines = [line.removeprefix("$ ") for line in body.splitlines() if line.startswith("$ sfumato")]
    return "\n".join(f"!{line}" for line in lines)


def make_text(text: str, number: int) -> list[dict[str, Any]]:
    """Return text as a cell, none where there is none; links lead to the guide."""
    shown = LINK.sub(r"](../guide/\1)", text.strip())
    return [make_cell("markdown", shown, number)] if shown else []


def make_cell(kind: str, source: str, number: int) -> dict[str, Any]:
    """Return a cell without outputs."""
    cell: dict[str, Any] = {"cell_type": kind, "id": f"cell-{number}", "metadata": {}}
    if kind == "code":
        cell |= {"execution_count": None, "outputs": []}
    return cell | {"source": source.strip().splitlines(keepends=True)}


def render_notebook(page: Path) -> str:
    """Return the text of the notebook of a page."""
    return json.dumps(make_notebook(page), indent=1, ensure_ascii=False) + "\n"


def main() -> None:
    """Write all notebooks."""
    NOTEBOOKS.mkdir(exist_ok=True)
    for page in list_pages():
        (NOTEBOOKS / f"{page.stem}.ipynb").write_text(render_notebook(page), encoding="utf-8")


if __name__ == "__main__":
    main()
