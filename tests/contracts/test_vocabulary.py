"""Identifiers are words of the field: those of ``docs/glossary.toml`` that are private are not among them."""

from __future__ import annotations

import ast
import re
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SOURCE = ROOT / "src"
GLOSSARY = tomllib.loads((ROOT / "docs" / "glossary.toml").read_text(encoding="utf-8"))
FILES = sorted(SOURCE.rglob("*.py"))


def split_words(name: str) -> set[str]:
    """Return the words of an identifier.

    >>> sorted(split_words("_find_LastRow2"))
    ['find', 'last', 'row']
    """
    return {word.lower() for word in re.findall(r"[A-Z]+(?=[A-Z][a-z])|[A-Z]?[a-z]+|[A-Z]+", name)}


def list_identifiers(tree: ast.AST) -> Iterator[tuple[str, int, bool]]:
    """Yield names with their lines, and whether they name a variable, a parameter or a field."""
    for node in ast.walk(tree):
        line = getattr(node, "lineno", 0)
        if isinstance(node, ast.Name):
            yield node.id, line, isinstance(node.ctx, ast.Store)
        elif isinstance(node, ast.arg):
            yield node.arg, line, True
        elif isinstance(node, ast.Attribute):
            yield node.attr, line, False
        elif isinstance(node, ast.FunctionDef | ast.AsyncFunctionDef | ast.ClassDef):
            yield node.name, line, True
        elif isinstance(node, ast.keyword) and node.arg is not None:
            yield node.arg, line, False


def list_faults(source: str) -> list[str]:
    """Return what is wrong with the names of a source text."""
    words, exceptions, vague = GLOSSARY["words"], GLOSSARY["exceptions"], GLOSSARY["variables"]
    faults = []
    for name, line, is_bound in list_identifiers(ast.parse(source)):
        for word in sorted(split_words(name) & set(words)):
            if name not in exceptions.get(word, ()):
                faults.append(f"line {line}: {name} has the word {word}; write {words[word]}")
        if is_bound and name.strip("_") in vague["names"] and name not in vague["exceptions"]:
            faults.append(f"line {line}: {name} does not say what it holds")
    return faults


@pytest.mark.parametrize("path", FILES, ids=lambda path: str(path.relative_to(SOURCE)))
def test_identifiers_are_words_of_the_field(path):
    assert list_faults(path.read_text(encoding="utf-8")) == []


def test_modules_are_called_by_words_of_the_field():
    named = {path: split_words(path.stem) & set(GLOSSARY["words"]) for path in FILES}
    assert {str(path): words for path, words in named.items() if words} == {}


def test_private_words_and_vague_names_are_reported():
    assert list_faults("def spell_cell(found): return found.told") == [
        "line 1: spell_cell has the word spell; write format, encode, render",
        "line 1: found has the word found; write what it is: rows, matches, result",
        "line 1: found does not say what it holds",
        "line 1: told has the word told; write described, reported, published",
        "line 1: found has the word found; write what it is: rows, matches, result",
    ]
    assert list_faults("for each in rows: FileNotFoundError(each)") == ["line 1: each does not say what it holds"]


def test_names_that_may_stay_are_in_use():
    names = {name for path in FILES for name, _, _ in list_identifiers(ast.parse(path.read_text(encoding="utf-8")))}
    listed = {name for exceptions in GLOSSARY["exceptions"].values() for name in exceptions}
    assert listed - names == set()


def test_new_names_are_those_of_the_source():
    modules = {path.relative_to(SOURCE / "sfumato").with_suffix("").as_posix().replace("/", ".") for path in FILES}
    modules |= {module.removesuffix(".__init__") for module in modules}
    assert set(GLOSSARY["modules"].values()) - modules == set()
    assert not set(GLOSSARY["words"]) & {word for name in GLOSSARY["modules"].values() for word in split_words(name)}
