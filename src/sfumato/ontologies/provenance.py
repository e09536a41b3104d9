"""Who says so: for a value, for a statement, and for a row of an answer.

A set of sources *suffices* for a row if they alone, with the links of the warehouse, give it. A source contributes to a
row if it is in a smallest set that suffices: one from which no source can be left out. So a row that two sources give
each by itself names both, as alternatives, and one that needs a piece of each names both together. A row that needs no
source rests on the ontology, or on no statement at all, as the answer to a question that nothing is said about.

References
----------
Tzitzikas et al., section 4.7: (a) who assigned a name or code is part of the model, and put there by transformation
rules; (b) values, (c) statements and (d) answers are here.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Sequence
from typing import Any, NamedTuple

from pyoxigraph import Literal, NamedNode

from sfumato.exceptions import ParameterError
from sfumato.messages import Message, option
from sfumato.ontologies import graphs
from sfumato.ontologies.linking import Link
from sfumato.ontologies.warehouse import Answer, Warehouse

__all__ = ["Explained", "Statement", "explain", "find_mentions", "find_statements", "list_reasons"]

_MOST_FREE = 8
"""Sources that may or may not be needed, beyond which not every set of them is tried."""


class Explained(NamedTuple):
    """An answer; for every row the smallest sets of sources that suffice for it, and whether it rests on a statement.

    ``complete`` is whether all sets were tried.
    """

    answer: Answer
    sufficient: tuple[tuple[tuple[str, ...], ...], ...]
    grounded: tuple[bool, ...]
    complete: bool

    @property
    def sources(self) -> list[str]:
        """Every source that contributes to the answer."""
        return list(dict.fromkeys(name for sets in self.sufficient for names in sets for name in names))


class Statement(NamedTuple):
    """A statement with who says it; ``inferred`` where it follows from what the source says."""

    subject: Any
    property: Any
    value: Any
    source: str
    inferred: bool


def explain(warehouse: Warehouse, query: str) -> Explained:
    """Answer a query and say for every row which sources contribute to it."""
    answer = warehouse.ask(query)
    sources = warehouse.sources
    nothing = frozenset(_freeze(warehouse.ask_nothing(query).rows))
    grounded = tuple(row not in nothing for row in _freeze(answer.rows))
    if not warehouse.can_divide(query):
        return Explained(answer, ((tuple(sources),),) * len(answer.rows), grounded, complete=False)
    rows_by_sources: dict[tuple[str, ...], frozenset[tuple[Any, ...]]] = {}

    def give(names: Iterable[str]) -> frozenset[tuple[Any, ...]]:
        chosen = set(names)
        key = tuple(name for name in sources if name in chosen)
        if key not in rows_by_sources:
            rows_by_sources[key] = frozenset(_freeze(warehouse.ask(query, key).rows))
        return rows_by_sources[key]

    needed: dict[tuple[Any, ...], list[str]] = {row: [] for row in _freeze(answer.rows)}
    for name in sources:
        rest = give(other for other in sources if other != name)
        for row, names in needed.items():
            if row not in rest:
                names.append(name)
    explained: dict[tuple[Any, ...], tuple[tuple[str, ...], ...]] = {}
    complete = True
    for row, names in needed.items():
        free = [name for name in sources if name not in names]
        if row in give(names):
            explained[row] = (tuple(names),)
        elif len(free) > _MOST_FREE:
            explained[row], complete = (tuple(sources),), False
        else:
            explained[row] = _find_smallest(row, names, free, give)
    return Explained(answer, tuple(explained[row] for row in _freeze(answer.rows)), grounded, complete)


def _find_smallest(
    row: tuple[Any, ...], needed: Sequence[str], free: Sequence[str], give: Any
) -> tuple[tuple[str, ...], ...]:
    """Try sets from the smallest on; one that holds a set that suffices is not among the smallest."""
    smallest: list[set[str]] = []
    for size in range(1, len(free) + 1):
        for more in itertools.combinations(free, size):
            names = {*needed, *more}
            if not any(smaller <= names for smaller in smallest) and row in give(names):
                smallest.append(names)
    order = [*needed, *free]
    return tuple(tuple(name for name in order if name in names) for names in smallest)


def _freeze(rows: Iterable[tuple[Any, ...]]) -> list[tuple[Any, ...]]:
    return [tuple(str(value) for value in row) for row in rows]


def find_statements(
    warehouse: Warehouse, subject: str | None = None, property: str | None = None, value: str | None = None
) -> list[Statement]:
    """Return the statements about a thing, with a property or a value, under any name that a thing has.

    Parameters
    ----------
    warehouse
        The warehouse.
    subject, property
        Names, such as ``eco:tuna``; at least one of all three.
    value
        A name, or a text as it stands in a source, in whatever language.
    """
    if subject is None and property is None and value is None:
        raise ParameterError(
            Message("Provenance needs ", option("thing"), ", ", option("property"), " or ", option("value"), "."),
            hint=Message("For example: ", option("thing", "eco:tuna")),
        )
    prefixes = warehouse.prefixes
    things = None if subject is None else _all_names(warehouse, prefixes.expand(subject))
    predicate = None if property is None else prefixes.expand(property)
    values = None if value is None else _list_values(warehouse, value)
    statements = []
    for source in warehouse.sources:
        for graph, is_inferred in ((graphs.stated(source), False), (graphs.inferred(source), True)):
            for thing in things or [None]:  # type: ignore[list-item]
                for quad in warehouse.store.quads_for_pattern(thing, predicate, None, graph):
                    if values is None or quad.object in values or _text(quad.object) == value:
                        statements.append(Statement(quad.subject, quad.predicate, quad.object, source, is_inferred))
    return statements


def find_mentions(warehouse: Warehouse, value: str) -> dict[str, int]:
    """Return how often each source has a text or a thing, as subject or as value; only sources that have it."""
    values = _list_values(warehouse, value)
    counts = dict.fromkeys(warehouse.sources, 0)
    for source in warehouse.sources:
        graph = graphs.stated(source)
        for thing in values:
            counts[source] += sum(1 for _ in warehouse.store.quads_for_pattern(thing, None, None, graph))
        for quad in warehouse.store.quads_for_pattern(None, None, None, graph):
            counts[source] += quad.object in values or _text(quad.object) == value
    return {source: count for source, count in counts.items() if count}


def list_reasons(warehouse: Warehouse, thing: NamedNode) -> list[Link]:
    """Return the links that make a thing the same as others, with the rule of each."""
    names = set(_all_names(warehouse, thing))
    return [link for link in warehouse.links if link.a in names]


def _all_names(warehouse: Warehouse, thing: NamedNode) -> list[NamedNode]:
    name = warehouse.classes.find(thing)
    return [name, *(other for other, first in warehouse.classes.names.items() if first == name and other != name)]


def _list_values(warehouse: Warehouse, value: str) -> list[NamedNode]:
    try:
        return _all_names(warehouse, warehouse.prefixes.expand(value))
    except ParameterError:
        return []


def _text(term: object) -> str | None:
    return term.value if isinstance(term, Literal) else None
