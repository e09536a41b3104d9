"""Renames what the glossary renamed, in Python code that was written for Sfumato 0.2.

``python docs/rename.py FILE_OR_FOLDER...`` rewrites files, ``--check`` only lists what would change. Modules, and names
that became one other name, are rewritten where they stand as names: not in strings, and not in comments. Names that
became several are listed with file and line, for somebody to choose.
"""

from __future__ import annotations

import argparse
import io
import re
import sys
import tokenize
import tomllib
from collections.abc import Iterator, Mapping
from pathlib import Path

GLOSSARY = Path(__file__).with_name("glossary.toml")
MODULE = re.compile(r"\bsfumato((?:\.[A-Za-z_]\w*)+)")
KIND = re.compile(r"kinds\.(\w+)\.(\w+)(.*)")


def rename_module(name: str, glossary: Mapping[str, Mapping[str, str]]) -> str:
    """Return what a module, or something in it, is called now; names go without ``sfumato.``.

    >>> glossary = {"modules": {"core.unit": "data.record_unit"}, "components": {"verifiers": "verify"}}
    >>> rename_module("core.unit.PERSON", glossary), rename_module("kinds.sets.verifiers.km_items", glossary)
    ('data.record_unit.PERSON', 'kinds.sets.verify.km_items')
    """
    parts = name.split(".")
    for size in range(len(parts), 0, -1):
        renamed = glossary["modules"].get(".".join(parts[:size]))
        if renamed is not None:
            return ".".join([renamed, *parts[size:]])
    component = KIND.fullmatch(name)
    if component is None:
        return name
    return f"kinds.{component[1]}.{glossary['components'].get(component[2], component[2])}{component[3]}"


def rename_text(text: str, glossary: Mapping[str, Mapping[str, str]]) -> tuple[str, list[tuple[int, str]]]:
    """Return a source text with the names of today, and names to choose for, each with its line."""
    text = MODULE.sub(lambda match: f"sfumato.{rename_module(match[1][1:], glossary)}", text)
    lines, choices = text.splitlines(keepends=True), []
    for token in reversed(list(tokenize.generate_tokens(io.StringIO(text).readline))):
        names = glossary["names"].get(token.string) if token.type == tokenize.NAME else None
        if isinstance(names, str):
            row, start = token.start
            lines[row - 1] = f"{lines[row - 1][:start]}{names}{lines[row - 1][token.end[1] :]}"
        elif names is not None:
            choices.append((token.start[0], f"{token.string}: one of {', '.join(names)}"))
    return "".join(lines), choices[::-1]


def list_files(paths: list[Path]) -> Iterator[Path]:
    """Yield the Python files of files and folders."""
    for path in paths:
        yield from sorted(path.rglob("*.py")) if path.is_dir() else [path]


def main() -> int:
    """Rename in files, or check them; return an exit code."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("paths", nargs="+", type=Path)
    parser.add_argument("--check", action="store_true", help="change nothing; exit code 1 if something would change")
    given = parser.parse_args()
    glossary = tomllib.loads(GLOSSARY.read_text(encoding="utf-8"))
    changed = 0
    for path in list_files(given.paths):
        before = path.read_text(encoding="utf-8")
        after, choices = rename_text(before, glossary)
        for line, choice in choices:
            print(f"{path}:{line}: {choice}")
        if after != before:
            changed += 1
            print(f"{path}: {'would change' if given.check else 'renamed'}")
            if not given.check:
                path.write_text(after, encoding="utf-8")
    return int(given.check and changed > 0)


if __name__ == "__main__":
    sys.exit(main())
