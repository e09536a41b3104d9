"""Reading the text of a SPARQL query: its words, where it is broken, and what a warehouse does not do."""

from __future__ import annotations

import re

from sfumato.exceptions import ParameterError

__all__ = ["TOKEN", "explain_fault", "refuse_elsewhere"]

TOKEN = re.compile(
    r"""(?P<skip>"{3}.*?"{3}|'{3}.*?'{3}|"(?:[^"\\\n]|\\.)*"|'(?:[^'\\\n]|\\.)*'|\#[^\n]*|\b(?:PREFIX\s+[\w.-]*:|BASE)\s*<[^>]*>)"""
    r"""|<(?P<iri>[^<>"{}|^`\\\s]*)>|(?P<prefix>[\w.-]*):(?P<name>(?:[\w%.:-]|\\.)*(?:[\w%:-]|\\.))""",
    re.DOTALL | re.IGNORECASE,
)
"""Texts and remarks, which are to be skipped, and the names of things."""

_ESCAPED = re.compile(r"\\u([0-9A-Fa-f]{4})|\\U([0-9A-Fa-f]{8})")
_SERVICE = re.compile(r"(?<![\w?$:/#%=@-])[\w-]*service", re.IGNORECASE)
_GRAPHS = re.compile(r"(?<![\w?$:-])(GRAPH|FROM)(?![\w:-])", re.IGNORECASE)


def refuse_elsewhere(query: str) -> None:
    """Raise :class:`ParameterError` for a query that asks another server, or that chooses graphs by itself.

    What a text or a remark is depends on all that is before it, so that a query can be written in which a server is
    asked where a remark seems to be. The word is therefore refused wherever it is not part of a name.

    Examples
    --------
    >>> refuse_elsewhere("SELECT ?service { ?service a ex:service, <http://example.org/service> }")
    >>> refuse_elsewhere("SELECT ?x { SERVICE <http://example.org/> { ?x ?p ?o } }")  # doctest: +ELLIPSIS
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: query: SERVICE is not supported: a warehouse queries no other servers. ...
    """
    plain = _ESCAPED.sub(lambda match: _decode_escape(match[1] or match[2]), query)
    if _SERVICE.search(query) or _SERVICE.search(plain):
        raise ParameterError(
            "query: SERVICE is not supported: a warehouse queries no other servers.",
            option="query",
            hint="In a pattern of text, write [s]ervice.",
        )
    match = _GRAPHS.search(TOKEN.sub(" ", query))
    if match is not None:
        raise ParameterError(
            f"query: {match[1].upper()} is not supported: all sources answer together.",
            option="query",
            hint="Leave it out. The answer names the sources of every row.",
        )


def _decode_escape(digits: str) -> str:
    number = int(digits, 16)
    return chr(number) if number < 0x110000 else ""


def explain_fault(message: str, query: str) -> str:
    """Return where a query is not SPARQL: the line and its text."""
    at = re.match(r"error at (\d+):(\d+): (?:expected (?:one of )?)?(.*)", message, re.DOTALL)
    if at is None:
        return f"not SPARQL ({message.splitlines()[0][:200]})."
    if "Prefix not found" in message:
        return f"not SPARQL, line {at[1]}: a prefix is not declared."
    lines = query.splitlines()
    line = lines[int(at[1]) - 1].strip() if int(at[1]) <= len(lines) else ""
    return f"not SPARQL, line {at[1]}: {line[:80]!r}."
