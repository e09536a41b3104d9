"""Sentences that people read, found in the source with file and line, and what is wrong with them."""

from __future__ import annotations

import ast
import functools
import re
import tomllib
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from tests.contracts.internals import PACKAGE
from tests.contracts.messages import find_located

_GLOSSARY = Path(__file__).parents[2] / "docs" / "glossary.toml"
_MOST_WORDS = 20
_SHOWN = 60
_ERRORS = re.compile(r"(?:Error|Warning)$|^fail$|^_?refuse\w*$")
_TEXTS = {
    *("Message", "Note", "Possibility", "Param", "Option", "Argument", "Typer", "Field", "Help"),
    *("add_text", "press", "more", "link", "print_line", "print_note", "warn", "table", "facts", "prompt", "confirm"),
    *("_file", "_records", "_places", "_columns"),
}
"""Calls whose texts people read, besides those of errors."""
_KEYWORDS = {"help", "hint", "summary", "details", "template", "wording", "remedy", "message", "label", "unsettled"}
_ATTRIBUTES = {"summary", "optimises", "explanation", "title", "description", "help"}
"""Attributes of classes that help and pages show."""
_PART = {"option", "parameter", "call", "MethodName", "Setting", "Settings", "write_option"}
_PLACEHOLDER = re.compile(r"\{\w+\}")
_END = re.compile(r"(?<=[.!?:])\s+|\n")
_WORD = re.compile(r"(?<![\w{])(?:\{\}|[A-Za-z][\w'-]*)")


class Sentence(NamedTuple):
    """A text for people, and where it stands."""

    line: int
    text: str
    is_message: bool


class Fault(NamedTuple):
    """What is wrong with a sentence, and where."""

    file: str
    line: int
    reason: str
    text: str

    def __str__(self) -> str:
        return f"{self.file}, line {self.line}: {self.reason}: {self.text[:_SHOWN]!r}"


def list_faults(files: Iterable[Path], exceptions: Sequence[str] = ()) -> list[Fault]:
    """Return what is wrong in files; sentences with one of the exceptions in them pass."""
    return [fault for file in sorted(files) for fault in _check_file(file, exceptions)]


def _check_file(file: Path, exceptions: Sequence[str]) -> Iterator[Fault]:
    name = str(file.relative_to(PACKAGE)) if file.is_relative_to(PACKAGE) else file.name
    for sentence in find_texts(file.read_text(encoding="utf-8"), is_help=name.startswith("cli/")):
        if any(exception in sentence.text for exception in exceptions):
            continue
        for reason in explain_faults(sentence.text, is_message=sentence.is_message):
            yield Fault(name, sentence.line, reason, sentence.text)


def explain_faults(text: str, *, is_message: bool = True) -> Iterator[str]:
    """Yield what is wrong with a text: forbidden words, and in messages sentences that are too long.

    Examples
    --------
    >>> list(explain_faults("Whoever knows the place finds the record."))
    ['"Whoever"; write someone who, an attacker who']
    >>> list(explain_faults("The file is empty."))
    []
    """
    # What is filled in is called by a name of the code.
    text = _PLACEHOLDER.sub("{}", text)
    for pattern, better in _read_phrases():
        match = pattern.search(text)
        if match is not None:
            yield f'"{match[0].strip()}"; write {better}'
    for sentence in _END.split(text) if is_message else ():
        count = len(_WORD.findall(sentence))
        if count > _MOST_WORDS:
            yield f"{count} words in a sentence"


@functools.cache
def _read_phrases() -> tuple[tuple[re.Pattern[str], str], ...]:
    phrases = tomllib.loads(_GLOSSARY.read_text(encoding="utf-8"))["sentences"]
    return tuple((re.compile(rf"(?<![\w-])(?:{phrase})", re.IGNORECASE), better) for phrase, better in phrases.items())


def find_texts(source: str, *, is_help: bool = False) -> Iterator[Sentence]:
    """Yield the texts of errors, hints, help and summaries of a module, and all others that read like sentences.

    With `is_help`, docstrings of commands are among them.

    Examples
    --------
    >>> [sentence.text for sentence in find_texts('raise SchemaError(f"{file}: " "is empty.", hint="Write " + x)')]
    ['{}: is empty.', 'Write {}']
    """
    tree, seen = ast.parse(source), set()
    for sentence in _find_in_positions(tree, is_help=is_help):
        seen.add(sentence.text)
        yield sentence
    yield from (Sentence(line, text, False) for line, text in find_located(source) if text not in seen)


def _find_in_positions(tree: ast.AST, *, is_help: bool) -> Iterator[Sentence]:
    for node in ast.walk(tree):
        if isinstance(node, ast.Call):
            yield from _list_of_call(node)
        elif isinstance(node, ast.Assign | ast.AnnAssign):
            yield from _list_of_attribute(node)
        elif is_help and isinstance(node, ast.FunctionDef) and _is_command(node) and ast.get_docstring(node):
            yield Sentence(node.lineno, ast.get_docstring(node) or "", False)


def _is_command(node: ast.FunctionDef) -> bool:
    return any(argument.arg == "as_json" for argument in (*node.args.args, *node.args.kwonlyargs))


def _list_of_call(node: ast.Call) -> Iterator[Sentence]:
    name = _name(node.func)
    is_error = bool(_ERRORS.search(name))
    if is_error or name in _TEXTS:
        # The texts of a message are one, whatever stands between them.
        joined = "".join(_join(argument) for argument in node.args) if name == "Message" else None
        texts = [joined] if joined is not None else [_join(argument) for argument in node.args if _is_text(argument)]
        yield from (Sentence(node.lineno, text, is_error or name == "Message") for text in texts if _reads(text))
    for keyword in node.keywords:
        if keyword.arg in _KEYWORDS and _is_text(keyword.value):
            text = _join(keyword.value)
            if _reads(text):
                yield Sentence(keyword.value.lineno, text, is_error and keyword.arg == "hint")


def _list_of_attribute(node: ast.Assign | ast.AnnAssign) -> Iterator[Sentence]:
    targets = node.targets if isinstance(node, ast.Assign) else [node.target]
    named = any(isinstance(target, ast.Name) and target.id in _ATTRIBUTES for target in targets)
    if named and node.value is not None and _is_text(node.value) and _reads(_join(node.value)):
        yield Sentence(node.lineno, _join(node.value), False)


def _name(function: ast.expr) -> str:
    return function.attr if isinstance(function, ast.Attribute) else getattr(function, "id", "")


def _is_text(node: ast.AST) -> bool:
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _is_text(node.left) or _is_text(node.right)
    return isinstance(node, ast.JoinedStr) or (isinstance(node, ast.Constant) and isinstance(node.value, str))


def _join(node: ast.AST) -> str:
    """Return a text with ``{}`` for what is computed."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else "{}"
    if isinstance(node, ast.JoinedStr):
        return "".join(map(_join, node.values))
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        return _join(node.left) + _join(node.right)
    return "{}"


def _reads(text: str) -> bool:
    return " " in text.strip()
