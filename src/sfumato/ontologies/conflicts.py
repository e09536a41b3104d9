"""Errors that appear only when sources meet: two values for one thing, one code for two things, doubtful links.

References
----------
Tzitzikas et al., section 4.6: placed together, consistency problems, duplicates and wrong values are found.
"""

from __future__ import annotations

from typing import Any, NamedTuple

from pyoxigraph import BlankNode, NamedNode

from sfumato.ontologies import graphs
from sfumato.ontologies.warehouse import Warehouse

__all__ = ["Conflict", "find_conflicts"]


class Conflict(NamedTuple):
    """Something that cannot all be true: what, of which property, about which thing or code, who says which value."""

    what: str
    property: NamedNode | None
    about: Any
    values: tuple[tuple[Any, tuple[str, ...]], ...]


def find_conflicts(warehouse: Warehouse) -> list[Conflict]:
    """Return what contradicts: of properties that have one value, of keys, and of classes of equal things."""
    checks = warehouse.definition.checks
    conflicts = []
    for name in checks.single:
        property = warehouse.prefixes.expand(name)
        by_thing = _collect(warehouse, property, by_value=False)
        conflicts += [
            _conflict("two values", thing, statements, property)
            for thing, statements in by_thing.items()
            if len(statements) > 1
        ]
    for name in checks.key:
        property = warehouse.prefixes.expand(name)
        by_code = _collect(warehouse, property, by_value=True)
        conflicts += [
            _conflict("one code for two things", code, statements, property)
            for code, statements in by_code.items()
            if len(statements) > 1
        ]
    return conflicts + _find_doubtful(warehouse)


def _conflict(what: str, about: Any, statements: dict[Any, list[str]], property: NamedNode) -> Conflict:
    values = tuple(
        (value, tuple(sources)) for value, sources in sorted(statements.items(), key=lambda pair: str(pair[0]))
    )
    return Conflict(what, property, about, values)


def _collect(warehouse: Warehouse, property: NamedNode, *, by_value: bool) -> dict[Any, dict[Any, list[str]]]:
    """Return who says which values of a property about which things, or the other way round; texts count as such."""
    statements: dict[Any, dict[Any, list[str]]] = {}
    for source in warehouse.sources:
        for graph in graphs.whole(source):
            for quad in warehouse.store.quads_for_pattern(None, property, None, graph):
                if isinstance(quad.subject, BlankNode):
                    continue
                thing = warehouse.classes.find(quad.subject) if isinstance(quad.subject, NamedNode) else quad.subject
                value: Any = quad.object
                value = (
                    warehouse.classes.find(value) if isinstance(value, NamedNode) else getattr(value, "value", value)
                )
                key, entry = (value, thing) if by_value else (thing, value)
                sources = statements.setdefault(key, {}).setdefault(entry, [])
                if source not in sources:
                    sources.append(source)
    return statements


def _find_doubtful(warehouse: Warehouse) -> list[Conflict]:
    """Return classes in which a source has several things: it keeps them apart, and links say they are the same."""
    belongs: dict[NamedNode, list[str]] = {}
    for link in warehouse.links:
        for thing, source in ((link.a, link.a_source), (link.b, link.b_source)):
            if not link.rule.startswith("stated by ") and source not in belongs.setdefault(thing, []):
                belongs[thing].append(source)
    doubtful = []
    for same in warehouse.classes.groups():
        sources = [source for thing in same for source in belongs.get(thing, [])]
        if len(set(sources)) < len(sources):
            values = tuple((thing, tuple(belongs.get(thing, []))) for thing in same)
            doubtful.append(Conflict("several things of one source are linked", None, same[0], values))
    return doubtful
