"""Every sentence in the source, found without running it.

Texts that are put together from parts in one expression are one sentence, with ``{}`` for every part that is computed.
In which module a sentence stands is not said, so that moving code changes nothing here.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Iterable, Iterator
from pathlib import Path

from tests.contracts.internals import PACKAGE

_WORD = re.compile(r"(?<![\w{<.\\-])[A-Za-z][a-z']*(?![\w}>\\(=])")
_INLINE = re.compile(r"</?(?:a|b|br|code|em|i|small|span|strong|sub|sup)\b[^<>]*>")
_MARKUP = re.compile(r"</?[a-z][a-z0-9]*\b[^<>]*>|<[a-z][a-z0-9]*\s[^<>]*$|^[^<>]*=\"[^<>]*>")
"""Tags, also those whose end or beginning is computed."""
_CODE = re.compile(
    r"\(\?|\\[bdswWS]|\[\^"  # patterns
    r"|^\s*@(?:media|prefix|keyframes)|[;{]\s*[a-z-]+:\s*[^{};]+;|^\s*[.#:]?[\w-]+ ?\{+\s*[\w-]+:|\b(?:px|rem);|var\(--"
    r"|\b(?:SELECT|INSERT|CONSTRUCT|PRAGMA|FILTER|VALUES)\b.*[?{(*]|^PREFIX "
    r"|\(event\)|=>|^import \w+ as |^from [\w.]+ import "
)
"""Patterns, style sheets, queries and scripts."""


def list_messages(folder: Path = PACKAGE) -> list[str]:
    """Return the sentences in all modules of a folder, each once."""
    sentences = {text for path in folder.rglob("*.py") for text in find_sentences(path.read_text(encoding="utf-8"))}
    return sorted({text.strip().replace("\n", "\\n") for text in sentences})


def find_sentences(source: str) -> Iterator[str]:
    """Yield every text of a module that reads like a sentence and is not a docstring.

    Examples
    --------
    >>> list(find_sentences('raise E(f"{name}: there is no " f"column {x!r}." + more)'))
    ['{}: there is no column {}.{}']
    """
    yield from (text for _, text in find_located(source))


def find_located(source: str) -> Iterator[tuple[int, str]]:
    """Yield the same texts, each with its line."""
    nodes = list(ast.walk(ast.parse(source)))
    parts = {id(node.value) for node in nodes if isinstance(node, ast.Expr)}
    for node in nodes:
        if id(node) in parts:
            continue
        text = _join(node)
        if text is None:
            continue
        parts |= {id(part) for part in _list_parts(node)}
        yield from ((node.lineno, piece) for piece in _split_markup(text) if is_sentence(piece))


def _join(node: ast.AST) -> str | None:
    """Return the text of an expression with ``{}`` for what is computed; None where it is no text."""
    if isinstance(node, ast.Constant):
        return node.value if isinstance(node.value, str) else None
    if isinstance(node, ast.JoinedStr):
        return "".join(_join(part) or "{}" if isinstance(part, ast.Constant) else "{}" for part in node.values)
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        left, right = _join(node.left), _join(node.right)
        return None if left is None and right is None else f"{_or_gap(left)}{_or_gap(right)}"
    return None


def _or_gap(text: str | None) -> str:
    return "{}" if text is None else text


def _list_parts(node: ast.AST) -> Iterable[ast.AST]:
    """Return the texts that a longer text is made of; what is computed in between may hold sentences of its own."""
    if isinstance(node, ast.JoinedStr):
        return [part for part in node.values if isinstance(part, ast.Constant)]
    if isinstance(node, ast.BinOp) and isinstance(node.op, ast.Add):
        sides = [side for side in (node.left, node.right) if _join(side) is not None]
        return [*sides, *(part for side in sides for part in _list_parts(side))]
    return []


def _split_markup(text: str) -> list[str]:
    """Return the texts between tags; tags within a sentence go."""
    return [piece.strip(" \n") for piece in _MARKUP.split(_INLINE.sub("", text))] if "<" in text else [text]


def is_sentence(text: str) -> bool:
    """Tell a text for people from patterns, styles, markup, queries and names.

    Examples
    --------
    >>> is_sentence("there is no column {}."), is_sentence(r"^(?:a b|\\s+c d)"), is_sentence("font-size: 12px; top: 0;")
    (True, False, False)
    """
    return " " in text.strip() and not _CODE.search(text) and len(_WORD.findall(text)) > 1
