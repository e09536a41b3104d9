"""What follows from mappings: subclasses, subproperties, equivalent classes and classes by restriction, and no more.

What follows is materialised beside what a source says, in a graph of its own, together with what transformation rules
add. Both go on until nothing new follows, because a rule may look for what a mapping gives, and the other way round.

References
----------
Tzitzikas et al., sections 4.3 and 4.5. A class by restriction is read as in Figure 11: whatever is of a class and has a
property with a value of another class belongs to it; nothing is concluded from belonging to it.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import NamedTuple

from pyoxigraph import NamedNode, Quad, Store

from sfumato.exceptions import ParameterError
from sfumato.ontologies import graphs
from sfumato.ontologies.definition import Definition
from sfumato.ontologies.terms import COMMON, Prefixes
from sfumato.ontologies.transformation import Rule

__all__ = ["Inference", "Restriction", "Schema", "count_nameless", "infer", "read_schema"]

_MOST_ROUNDS = 100
_TYPE = NamedNode(COMMON["rdf"] + "type")
_SUBCLASS = NamedNode(COMMON["rdfs"] + "subClassOf")
_SUBPROPERTY = NamedNode(COMMON["rdfs"] + "subPropertyOf")
_EQUIVALENT = NamedNode(COMMON["owl"] + "equivalentClass")


class Restriction(NamedTuple):
    """Whatever is ``of`` a class and has a ``property`` with a value of the class ``some`` is of that it ``makes``."""

    makes: NamedNode
    of: NamedNode
    property: NamedNode
    some: NamedNode


class Schema(NamedTuple):
    """All classes and properties above each one, however far, and the restrictions."""

    classes: Mapping[NamedNode, tuple[NamedNode, ...]]
    properties: Mapping[NamedNode, tuple[NamedNode, ...]]
    restrictions: tuple[Restriction, ...] = ()


class Inference(NamedTuple):
    """What was inferred of a source: how many statements, and by which rule how many, and how many texts it left."""

    statements: int
    by_rule: dict[str, int]
    not_split: dict[str, int]


def read_schema(definition: Definition, ontology: Iterable[Quad]) -> Schema:
    """Return what the file maps and what the top-level ontology says about its own classes and properties.

    Examples
    --------
    >>> given = {"subclass": [("a:fish", "a:animal"), ("a:animal", "a:thing")], "equivalent": [("a:thing", "b:thing")]}
    >>> found = read_schema(Definition(prefixes={"a": "urn:a:", "b": "urn:b:"}, mapping=given,
    ...                                source=[{"name": "s", "file": "s.ttl"}]), [])
    >>> [above.value for above in found.classes[NamedNode("urn:a:fish")]]
    ['urn:a:animal', 'urn:a:thing', 'urn:b:thing']
    """
    prefixes, mapping = definition.find_prefixes(), definition.mapping
    stated = {predicate: [] for predicate in (_SUBCLASS, _SUBPROPERTY, _EQUIVALENT)}  # type: dict[NamedNode, list[tuple[NamedNode, NamedNode]]]
    for quad in ontology:
        if quad.predicate in stated and isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode):
            stated[quad.predicate].append((quad.subject, quad.object))
    equivalent = stated[_EQUIVALENT] + _expand(mapping.equivalent, prefixes)
    classes = stated[_SUBCLASS] + _expand(mapping.subclass, prefixes) + equivalent
    classes += [(above, below) for below, above in equivalent]
    restrictions = tuple(
        Restriction(*map(prefixes.expand, (restriction.class_, restriction.of, restriction.property, restriction.some)))
        for restriction in mapping.restriction
    )
    properties = stated[_SUBPROPERTY] + _expand(mapping.subproperty, prefixes)
    return Schema(_close(classes), _close(properties), restrictions)


def count_nameless(ontology: Iterable[Quad]) -> int:
    """Count what an ontology says about classes without a name, such as restrictions: nothing is inferred from it."""
    used = (_SUBCLASS, _SUBPROPERTY, _EQUIVALENT)
    named = (
        isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode)
        for quad in ontology
        if quad.predicate in used
    )
    return sum(not both for both in named)


def _expand(pairs: Iterable[tuple[str, str]], prefixes: Prefixes) -> list[tuple[NamedNode, NamedNode]]:
    return [(prefixes.expand(below), prefixes.expand(above)) for below, above in pairs]


def _close(pairs: Iterable[tuple[NamedNode, NamedNode]]) -> dict[NamedNode, tuple[NamedNode, ...]]:
    """Return all that is above each, however far, in the order in which it is reached."""
    above: dict[NamedNode, list[NamedNode]] = {}
    for low, high in pairs:
        above.setdefault(low, []).append(high)
    closed = {}
    for low in above:
        seen, waiting = {low: None}, [low]
        while waiting:
            for high in above.get(waiting.pop(0), ()):
                if high not in seen:
                    seen[high] = None
                    waiting.append(high)
        closed[low] = tuple(seen)[1:]
    return closed


def infer(store: Store, source: str, schema: Schema, rules: Iterable[Rule]) -> Inference:
    """Materialise all that follows from what a source says, into its graph of what is inferred."""
    store.remove_graph(graphs.inferred(source))
    store.add_graph(graphs.inferred(source))
    own = [rule for rule in rules if rule.source in (None, source)]
    by_rule = dict.fromkeys((rule.name for rule in own), 0)
    not_split = dict(by_rule)
    total = 0
    # What is above is known however far: without restrictions one round has it all, unless a property is a type.
    is_single_pass = not schema.restrictions and not any(_TYPE in aboves for aboves in schema.properties.values())
    for _ in range(_MOST_ROUNDS):
        added = _infer_pass(store, source, schema)
        for rule in own:
            new, left = rule.apply(store, source)
            by_rule[rule.name] += len(new)
            not_split[rule.name] = left
            added += graphs.add_to_graph(store, graphs.inferred(source), new)
        total += added
        if not added or (is_single_pass and not own):
            return Inference(total, by_rule, not_split)
    raise ParameterError(
        f"Source {source}: inference does not end, because a rule applies to what it adds.",
        option="rule",
        hint=f"Rules: {', '.join(by_rule)}.",
    )


def _infer_pass(store: Store, source: str, schema: Schema) -> int:
    """Add what follows in one step from properties, from classes and from restrictions."""
    added = 0
    for below, aboves in schema.properties.items():
        for above in aboves:
            added += _construct(store, source, f"?s {above} ?o", f"?s {below} ?o")
    for below, aboves in schema.classes.items():
        for above in aboves:
            added += _construct(store, source, f"?s {_TYPE} {above}", f"?s {_TYPE} {below}")
    for restriction in schema.restrictions:
        where = f"?s {_TYPE} {restriction.of} . ?s {restriction.property} ?o . ?o {_TYPE} {restriction.some}"
        added += _construct(store, source, f"?s {_TYPE} {restriction.makes}", where)
    return added


def _construct(store: Store, source: str, made: str, where: str) -> int:
    query = f"CONSTRUCT {{ {made} }} WHERE {{ {where} FILTER NOT EXISTS {{ {made} }} }}"
    triples = store.query(query, default_graph=[*graphs.whole(source)])
    new = dict.fromkeys(Quad(triple.subject, triple.predicate, triple.object) for triple in triples)  # type: ignore[union-attr]
    return graphs.add_to_graph(store, graphs.inferred(source), new) if new else 0
