"""Transformation rules: split a text, put a node in between, derive a relation.

A rule looks for a pattern in what one source says and adds statements beside it; what the source says stays as it is.

References
----------
Tzitzikas et al., section 4.5, Table 1. Its third rule concludes that x is a competitor of z where x and y both prey on
z; the competitor meant is y.
"""

from __future__ import annotations

import hashlib
import re
from collections.abc import Mapping
from typing import NamedTuple

from pyoxigraph import BlankNode, Literal, Quad, Store, Variable

from sfumato.ontologies import graphs
from sfumato.ontologies.definition import RuleSection
from sfumato.ontologies.terms import Pattern, Prefixes, Term, substitute

__all__ = ["Rule"]


class Rule(NamedTuple):
    """A transformation, ready to be applied.

    Parameters
    ----------
    name, source
        Its name, and the source it is for; None for every source, each by itself.
    where, different
        Patterns that are all found, and two variables that are not the same thing.
    of, pattern
        The variable whose text is split, and how: named groups become variables. A text that does not fit is left.
    add
        Patterns to add. Blank nodes in them are new for every solution, and the same for the same solution next time.

    Examples
    --------
    >>> from pyoxigraph import RdfFormat
    >>> rule = Rule.read(RuleSection(name="author", where=["?x <urn:by> ?text"], of="?text",
    ...     pattern="(?P<who>.+), (?P<year>[0-9]{4})", add=["?x <urn:named> _:n", "_:n <urn:year> ?year"]), Prefixes())
    >>> store = Store()
    >>> store.load(b'<urn:tuna> <urn:by> "Bonnaterre, 1788", "unknown" .', format=RdfFormat.TURTLE,
    ...            to_graph=graphs.stated("worms"))
    >>> new, left = rule.apply(store, "worms")
    >>> [quad.object.value for quad in new if quad.predicate.value == "urn:year"], left
    (['1788'], 1)
    """

    name: str
    source: str | None
    where: tuple[Pattern, ...]
    add: tuple[Pattern, ...]
    different: tuple[str, ...] = ()
    of: str | None = None
    pattern: re.Pattern[str] | None = None

    @classmethod
    def read(cls, section: RuleSection, prefixes: Prefixes) -> Rule:
        """Return the rule that a section of the file describes."""
        return cls(
            section.name,
            section.source,
            tuple(map(prefixes.parse_pattern, section.where)),
            tuple(map(prefixes.parse_pattern, section.add)),
            tuple(section.different),
            section.of and section.of.removeprefix("?"),
            None if section.pattern is None else re.compile(section.pattern),
        )

    def apply(self, store: Store, source: str) -> tuple[list[Quad], int]:
        """Return the statements that are new, and how many texts could not be split."""
        named = [term.value for pattern in self.where for term in pattern if isinstance(term, Variable)]
        variables = sorted(set(named))
        clauses = " . ".join(" ".join(map(str, pattern)) for pattern in self.where)
        unlike = f" FILTER({self.different[0]} != {self.different[1]})" if self.different else ""
        wanted = " ".join(f"?{name}" for name in variables)
        query = f"SELECT DISTINCT {wanted} WHERE {{ {clauses}{unlike} }}"
        new: dict[Quad, None] = {}
        left = 0
        for row in graphs.select(store, query, graphs.whole(source)):
            solution: dict[str, Term] = dict(zip(variables, row, strict=True))  # type: ignore[arg-type]
            parts = self._split(solution)
            if parts is None:
                left += 1
                continue
            for quad in self._fill(solution | parts):
                if not any(_is_stored(store, quad, graph) for graph in graphs.whole(source)):
                    new[quad] = None
        return list(new), left

    def _split(self, solution: Mapping[str, Term]) -> dict[str, Term] | None:
        if self.of is None or self.pattern is None:
            return {}
        value = solution[self.of]
        match = self.pattern.fullmatch(value.value.strip()) if isinstance(value, Literal) else None
        if match is None:
            return None
        return {name: Literal(text.strip()) for name, text in match.groupdict(default="").items()}

    def _fill(self, solution: Mapping[str, Term]) -> list[Quad]:
        key = "\n".join([self.name, *(f"{name} {term}" for name, term in sorted(solution.items()))])
        fresh = {
            term.value: BlankNode(hashlib.sha256(f"{key}\n{term.value}".encode()).hexdigest()[:32])
            for pattern in self.add
            for term in pattern
            if isinstance(term, BlankNode)
        }
        filled = (substitute(pattern, solution, fresh) for pattern in self.add)
        return [quad for quad in filled if quad is not None]


def _is_stored(store: Store, quad: Quad, graph: object) -> bool:
    return Quad(quad.subject, quad.predicate, quad.object, graph) in store  # type: ignore[arg-type]
