"""Things that are the same: links that matching rules make, and classes of equal things.

References
----------
Tzitzikas et al., section 4.5, Table 2, and section 4.6 for equivalences that follow from others.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyoxigraph import Literal, NamedNode, Quad, Store

from sfumato.ontologies import graphs
from sfumato.ontologies.definition import Definition, MatchSection, SideSection
from sfumato.ontologies.expressions import apply_steps
from sfumato.ontologies.terms import COMMON, Prefixes

__all__ = ["SAME", "Classes", "Link", "Matching", "find_links", "list_links", "match_things"]

SAME = NamedNode(COMMON["owl"] + "sameAs")
_TYPE = NamedNode(COMMON["rdf"] + "type")


class Link(NamedTuple):
    """Two things that are the same, and who says so: a rule, or a source that states it."""

    a: NamedNode
    b: NamedNode
    rule: str
    a_source: str
    b_source: str


class Matching(NamedTuple):
    """What a rule found: pairs, and how many values stand for several things of one source."""

    pairs: list[tuple[NamedNode, NamedNode]]
    ambiguous: int


def match_things(left: Mapping[str, Iterable[NamedNode]], right: Mapping[str, Iterable[NamedNode]]) -> Matching:
    """Return pairs that make the same classes as all pairs of things whose values are equal, and no more than needed.

    Examples
    --------
    >>> tuna, copy, other = NamedNode("urn:a"), NamedNode("urn:a2"), NamedNode("urn:b")
    >>> found = match_things({"tuna": [tuna, copy], "shark": [other]}, {"tuna": [other]})
    >>> [(a.value, b.value) for a, b in found.pairs], found.ambiguous
    ([('urn:a', 'urn:b'), ('urn:a2', 'urn:b')], 1)
    """
    pairs: dict[tuple[NamedNode, NamedNode], None] = {}
    ambiguous = 0
    for key in left.keys() & right.keys():
        ours = sorted(set(left[key]), key=lambda thing: thing.value)
        theirs = sorted(set(right[key]), key=lambda thing: thing.value)
        ambiguous += len(ours) > 1 or len(theirs) > 1
        spanning = [(ours[0], thing) for thing in theirs] + [(thing, theirs[0]) for thing in ours[1:]]
        pairs.update(dict.fromkeys(pair for pair in spanning if pair[0] != pair[1]))
    return Matching(sorted(pairs, key=lambda pair: (pair[0].value, pair[1].value)), ambiguous)


def find_links(store: Store, match: MatchSection, prefixes: Prefixes) -> Matching:
    """Return what a rule links between two sources."""
    return match_things(*(_collect(store, side, prefixes) for side in (match.a, match.b)))


def _collect(store: Store, side: SideSection, prefixes: Prefixes) -> dict[str, list[NamedNode]]:
    """Return the things of a source by what is compared; things without an IRI, and empty texts, are left out."""
    kind = "" if side.class_ is None else f"?x {_TYPE} {prefixes.expand(side.class_)} ."
    if side.value == "iri":
        query = f"SELECT DISTINCT ?x ?x {{ {kind or '?x ?p ?o'} }}".replace("?x ?x", "?x", 1)
    else:
        query = f"SELECT DISTINCT ?x ?v {{ {kind} ?x {prefixes.expand(side.value)} ?v }}"
    steps = side.steps
    things: dict[str, list[NamedNode]] = {}
    for thing, *rest in graphs.select(store, query, graphs.whole(side.source)):
        value = rest[0] if rest else thing
        if not isinstance(thing, NamedNode) or not isinstance(value, NamedNode | Literal):
            continue
        if side.language is not None and not _speaks(value, side.language):
            continue
        key = apply_steps(value.value, steps)
        if key:
            things.setdefault(key, []).append(thing)
    return things


def _speaks(value: object, language: str) -> bool:
    tag = (value.language or "").lower() if isinstance(value, Literal) else ""
    return tag == language.lower() or tag.startswith(f"{language.lower()}-")


def list_links(store: Store, definition: Definition) -> list[Link]:
    """Return every link of a warehouse with who made it: rules in their order, then sources that state some."""
    links = []
    for match in definition.match:
        for quad in store.quads_for_pattern(None, SAME, None, graphs.links(match.name)):
            links.append(Link(quad.subject, quad.object, match.name, match.a.source, match.b.source))  # type: ignore[arg-type]
    for source in definition.names:
        for quad in store.quads_for_pattern(None, SAME, None, graphs.stated(source)):
            if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode):
                links.append(Link(quad.subject, quad.object, f"stated by {source}", source, source))
    return links


class Classes:
    """Classes of things that are the same, by union-find; each has one name, that of its first source.

    Examples
    --------
    >>> a, b, c = map(NamedNode, ("urn:a", "urn:b", "urn:c"))
    >>> classes = Classes([Link(b, c, "by code", "flod", "worms"), Link(a, b, "by name", "eco", "flod")],
    ...                   ["eco", "flod", "worms"])
    >>> classes.find(c).value, [[thing.value for thing in same] for same in classes.groups()]
    ('urn:a', [['urn:a', 'urn:b', 'urn:c']])
    """

    def __init__(self, links: Iterable[Link], sources: list[str]) -> None:
        self._above: dict[NamedNode, NamedNode] = {}
        rank: dict[NamedNode, int] = {}
        for link in links:
            for thing, source in ((link.a, link.a_source), (link.b, link.b_source)):
                rank[thing] = min(rank.get(thing, len(sources)), sources.index(source))
            self._join(link.a, link.b)
        groups: dict[NamedNode, list[NamedNode]] = {}
        for thing in self._above:
            groups.setdefault(self._root(thing), []).append(thing)
        self._groups = [sorted(same, key=lambda thing: (rank[thing], thing.value)) for same in groups.values()]
        self._groups.sort(key=lambda same: same[0].value)
        self.names = {thing: same[0] for same in self._groups for thing in same}

    def _root(self, thing: NamedNode) -> NamedNode:
        above = self._above
        while above[thing] != thing:
            above[thing] = above[above[thing]]
            thing = above[thing]
        return thing

    def _join(self, a: NamedNode, b: NamedNode) -> None:
        for thing in (a, b):
            self._above.setdefault(thing, thing)
        self._above[self._root(a)] = self._root(b)

    def find(self, thing: NamedNode) -> NamedNode:
        """Return the name of the class that a thing is in: its own, where it is alone."""
        return self.names.get(thing, thing)

    def groups(self) -> list[list[NamedNode]]:
        """Return the classes, each with its name first."""
        return self._groups

    def rename(self, quad: Quad) -> Quad:
        """Return a statement with the names of classes in the place of their members."""
        subject, value = quad.subject, quad.object
        return Quad(
            self.names.get(subject, subject) if isinstance(subject, NamedNode) else subject,
            quad.predicate,
            self.names.get(value, value) if isinstance(value, NamedNode) else value,
        )
