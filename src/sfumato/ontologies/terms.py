"""Names of things as people write them: prefixes, patterns of three terms, and how a term is shown."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import NamedTuple, TypeAlias

from pyoxigraph import BlankNode, Literal, NamedNode, Quad, Triple, Variable

from sfumato.exceptions import ParameterError

__all__ = ["COMMON", "Node", "Pattern", "Prefixes", "Term", "shorten_text", "substitute"]

Node: TypeAlias = NamedNode | BlankNode
Term: TypeAlias = NamedNode | BlankNode | Literal | Triple

COMMON = {
    "rdf": "http://www.w3.org/1999/02/22-rdf-syntax-ns#",
    "rdfs": "http://www.w3.org/2000/01/rdf-schema#",
    "owl": "http://www.w3.org/2002/07/owl#",
    "skos": "http://www.w3.org/2004/02/skos/core#",
    "xsd": "http://www.w3.org/2001/XMLSchema#",
    "dwc": "http://rs.tdwg.org/dwc/terms/",
}
"""Prefixes that need not be declared."""

_TOKEN = re.compile(r'\?\w+|_:\w+|<[^<>"{}|^`\\\x00-\x20]*>|"(?:[^"\\]|\\.)*"(?:@[A-Za-z-]+)?|[\w.-]*:[^\s;,]*|a\b|\S+')
_QUOTED = re.compile(r'"((?:[^"\\]|\\.)*)"(?:@([A-Za-z-]+))?', re.DOTALL)
_FORBIDDEN = re.compile(r'[\x00-\x20<>"{}|\\^`]')
_SHOWN = 120


class Pattern(NamedTuple):
    """Three terms, of which some may be variables or blank nodes still to be made."""

    subject: Term | Variable
    predicate: Term | Variable
    object: Term | Variable


class Prefixes:
    """Short names of namespaces, for reading and for showing terms.

    Examples
    --------
    >>> prefixes = Prefixes({"eco": "http://eco.org/"})
    >>> prefixes.expand("eco:fish").value, prefixes.show(NamedNode("http://eco.org/fish"))
    ('http://eco.org/fish', 'eco:fish')
    >>> prefixes.expand("ecco:fish")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: 'ecco:fish': the prefix 'ecco' is unknown. Prefixes: eco, rdf, rdfs, owl, skos,
    xsd, dwc.
    """

    def __init__(self, given: Mapping[str, str] | None = None) -> None:
        self.namespaces = {**(given or {}), **{name: iri for name, iri in COMMON.items() if name not in (given or {})}}

    def expand(self, text: str) -> NamedNode:
        """Return the IRI that a text stands for: ``prefix:name``, ``<iri>``, or an IRI as it is."""
        bare = text.strip()
        if bare.startswith("<") and bare.endswith(">"):
            return self._make(bare[1:-1], text)
        prefix, colon, name = bare.partition(":")
        if colon and prefix in self.namespaces:
            return self._make(self.namespaces[prefix] + name, text)
        if colon and (name.startswith("//") or prefix == "urn"):
            return self._make(bare, text)
        if not colon:
            raise ParameterError(f"{shorten_text(text)!r} is not a name.", hint="Write prefix:name or <iri>.")
        prefixes = ", ".join(self.namespaces)
        raise ParameterError(
            f"{shorten_text(text)!r}: the prefix {shorten_text(prefix)!r} is unknown.", hint=f"Prefixes: {prefixes}."
        )

    def _make(self, iri: str, text: str) -> NamedNode:
        if _FORBIDDEN.search(iri):
            raise ParameterError(f"{shorten_text(text)!r} is not an IRI: it has spaces, quotes or brackets.")
        try:
            return NamedNode(iri)
        except ValueError:
            raise ParameterError(f"{shorten_text(text)!r} is not an IRI.", hint="Write http://... or urn:...") from None

    def parse_pattern(self, text: str) -> Pattern:
        """Return the pattern that three words stand for, such as ``?x eco:eats ?y`` or ``_:name rdfs:label ?text``.

        Examples
        --------
        >>> Prefixes().parse_pattern("?x a skos:Concept").predicate.value
        'http://www.w3.org/1999/02/22-rdf-syntax-ns#type'
        """
        words = _TOKEN.findall(text.strip().removesuffix(" ."))
        if len(words) != 3:
            raise ParameterError(f"{shorten_text(text)!r}: a pattern must have three terms, got {len(words)}.")
        return Pattern(*map(self.parse_term, words))

    def parse_term(self, word: str) -> Term | Variable:
        """Return the term that a word stands for."""
        if word.startswith("?"):
            return Variable(word[1:])
        if word.startswith("_:"):
            return BlankNode(word[2:])
        if word == "a":
            return NamedNode(COMMON["rdf"] + "type")
        if (match := _QUOTED.fullmatch(word)) is not None:
            text = re.sub(r"\\(.)", r"\1", match[1])
            return Literal(text, language=match[2]) if match[2] else Literal(text)
        return self.expand(word)

    def show(self, term: object) -> str:
        """Return a term for people: short where a prefix is known, without type or quotes where it is a text."""
        if isinstance(term, NamedNode):
            for prefix, namespace in self.namespaces.items():
                rest = term.value.removeprefix(namespace)
                if rest != term.value and re.fullmatch(r"[\w.:-]*", rest):
                    return f"{prefix}:{rest}"
            return f"<{term.value}>"
        if isinstance(term, Literal):
            return shorten_text(f"{term.value}@{term.language}" if term.language else term.value)
        return "" if term is None else shorten_text(str(term))

    def declare(self, query: str) -> str:
        """Return a query with the prefixes that it does not declare itself."""
        own = {prefix.lower() for prefix in re.findall(r"(?i)\bprefix\s+([\w.-]*):", query)}
        lines = [f"PREFIX {name}: <{iri}>" for name, iri in self.namespaces.items() if name.lower() not in own]
        # On one line, so that a complaint about a line of the query is about the line that people see.
        return " ".join(lines) + " " + query


def shorten_text(text: str, most: int = _SHOWN) -> str:
    """Return a text cut short where it is too long to be read in a line.

    Examples
    --------
    >>> shorten_text("yellowfin tuna", 9)
    'yellowfin…'
    """
    return text if len(text) <= most else text[:most] + "…"


def substitute(pattern: Pattern, solution: Mapping[str, Term], fresh: Mapping[str, BlankNode]) -> Quad | None:
    """Return a pattern with its variables bound; None where what is bound cannot stand there."""
    bound: list[Term] = []
    for term in pattern:
        if isinstance(term, Variable):
            bound.append(solution[term.value])
        elif isinstance(term, BlankNode):
            bound.append(fresh[term.value])
        else:
            bound.append(term)
    subject, predicate, value = bound
    if isinstance(subject, Literal | Triple) or not isinstance(predicate, NamedNode):
        return None
    return Quad(subject, predicate, value)
