"""Turtle, N-Triples, RDF/XML and JSON-LD, with the line at which a file is broken."""

from __future__ import annotations

import io
import re
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from pyoxigraph import DefaultGraph, Quad, RdfFormat, parse

from sfumato.exceptions import SchemaError
from sfumato.formats.json_text import DEEPEST
from sfumato.formats.limits import check_expansion
from sfumato.readers.files import load

__all__ = ["read_rdf"]

_FORMATS = {
    "turtle": RdfFormat.TURTLE,
    "n-triples": RdfFormat.N_TRIPLES,
    "rdf-xml": RdfFormat.RDF_XML,
    "json-ld": RdfFormat.JSON_LD,
}
_ENTITY = re.compile(rb"<!ENTITY\s+(%\s+)?([\w.:-]+)\s+(SYSTEM|PUBLIC|\"[^\"]*\"|'[^']*')", re.IGNORECASE)
_BRACKET = re.compile(rb'"(?:[^"\\]|\\.)*+"?|[\[\]{}]', re.DOTALL)
_CAUSE = re.compile(r"^Parser error at line \d+ (?:column \d+|between columns? \d+ and columns? \d+|[^:]*): ")


class _Lines(io.RawIOBase):
    """Hands out a file line by line, and so knows at which one its reader is."""

    def __init__(self, data: bytes) -> None:
        self._file = io.BytesIO(data)
        self.line = 0

    def readable(self) -> bool:
        return True

    def read(self, size: int = -1) -> bytes:
        self.line += 1
        return self._file.readline(size)


def read_rdf(path: Path, format: str) -> Iterator[Quad]:
    """Yield the statements of a file; a broken one names its line.

    Examples
    --------
    >>> import tempfile
    >>> file = Path(tempfile.mkdtemp()) / "flod.ttl"
    >>> _ = file.write_text("<http://a> <http://b> 'c' .\\n<http://a b> <http://c> 1 .\\n")
    >>> list(read_rdf(file, "turtle"))
    Traceback (most recent call last):
        ...
    sfumato.exceptions.SchemaError: flod.ttl, line 2: not Turtle (Invalid IRI code point ' ').
    """
    data = load(path)
    if format == "rdf-xml":
        _check_entities(path.name, data)
    if format == "json-ld":
        _check_depth(path.name, data)
    # A parser of XML says no line, so that its lines are counted as it takes them; the others know better.
    source: Any = _Lines(data) if format == "rdf-xml" else io.BytesIO(data)
    named = SchemaError(f"{path.name} has named graphs, but a source is one graph.", hint="Save it without them.")
    try:
        for quad in parse(source, _FORMATS[format], base_iri=f"urn:sfumato:file:{_escape(path.stem)}"):
            if not isinstance(quad.graph_name, DefaultGraph):
                raise named
            yield quad
    except SyntaxError as error:
        line = error.lineno or (source.line if isinstance(source, _Lines) else None)
        raise SchemaError(_explain(path.name, format, line, str(error.msg))) from None


def _escape(text: str) -> str:
    return re.sub(r"[^\w.-]", "_", text, flags=re.ASCII)


def _explain(name: str, format: str, line: int | None, message: str) -> str:
    if "LoadDocumentCallback" in message:
        return f"{name}: asks for a context that lies elsewhere. Put the context into the file."
    format_name = {"turtle": "Turtle", "n-triples": "N-Triples", "rdf-xml": "RDF/XML", "json-ld": "JSON-LD"}[format]
    where = f"{name}, line {line}" if line else name
    cause = _CAUSE.sub("", message).strip().rstrip(".")[:200]
    hint = " Save the file as UTF-8." if "utf-8" in cause.lower() else ""
    return f"{where}: not {format_name} ({cause}).{hint}"


def _check_entities(name: str, data: bytes) -> None:
    """Refuse entities that stand for files or for one another, and those that unpack to more than a file may."""
    added = 0
    for match in _ENTITY.finditer(data):
        line = data[: match.start()].count(b"\n") + 1
        entity, value = match[2], match[3]
        if match[1] or value.upper() in (b"SYSTEM", b"PUBLIC") or re.search(rb"&(?!#|amp;|lt;|gt;|quot;|apos;)", value):
            raise SchemaError(
                f"{name}, line {line}: an entity refers to a file or to other entities.", hint="Remove it."
            )
        added += data.count(b"&" + entity + b";") * len(value)
    check_expansion(name, len(data), len(data) + added if added else 0)


def _check_depth(name: str, data: bytes) -> None:
    """Refuse brackets that lie so deep in one another that a parser would run out of stack."""
    depth = 0
    for token in _BRACKET.finditer(data):
        first = token[0][:1]
        depth += (first in b"[{") - (first in b"]}")
        if depth > DEEPEST:
            line = data[: token.start()].count(b"\n") + 1
            raise SchemaError(f"{name}, line {line}: lists and objects are nested more than {DEEPEST} deep.")
