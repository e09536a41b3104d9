"""The page that sets what was measured beside what the papers print."""

from __future__ import annotations

import csv
import tomllib
from collections.abc import Sequence
from pathlib import Path

__all__ = ["write_page"]

WORDS = Path(__file__).with_suffix("").with_name("papers.toml")
"""What the papers print, and a sentence on each difference."""


def write_page(results: Path) -> str:
    """Return the page, with every section that something was measured for."""
    words = tomllib.loads(WORDS.read_text(encoding="utf-8"))
    parts = [words["introduction"]]
    for section in words["section"]:
        path = results / f"papers-{section['part']}.csv"
        if section["part"] and not path.exists():
            continue
        parts.append(f"## {section['title']}\n\n{section['about']}")
        if section["part"]:
            with path.open(newline="", encoding="utf-8") as file:
                parts.append(f"Ours:\n\n{_table(list(csv.reader(file)))}")
        if section["printed"]:
            parts.append(f"Printed in the paper:\n\n{_table(section['printed'])}")
        parts.append("\n".join(f"- {sentence}" for sentence in section["differences"]))
    return "\n\n".join(part.strip() for part in parts) + "\n"


def _table(rows: Sequence[Sequence[str]]) -> str:
    lines = ["| " + " | ".join(row) + " |" for row in rows]
    return "\n".join([lines[0], "|" + " --- |" * len(rows[0]), *lines[1:]])
