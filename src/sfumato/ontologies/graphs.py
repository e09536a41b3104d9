"""The graphs of a warehouse: what each source says, what follows from it, what is linked, and all of it merged."""

from __future__ import annotations

import hashlib
import itertools
from collections.abc import Iterable, Iterator, Sequence

from pyoxigraph import NamedNode, Quad, Store

__all__ = [
    "NAMED",
    "NAMES",
    "ONTOLOGY",
    "add_to_graph",
    "count",
    "inferred",
    "links",
    "merged",
    "renew_graph",
    "repeated",
    "replace_graph",
    "select",
    "stated",
    "whole",
]

_BASE = "urn:sfumato:"
_FEW = 20_000
ONTOLOGY = NamedNode(f"{_BASE}ontology")
"""The top-level ontology."""
NAMES = NamedNode(f"{_BASE}names")
"""The name that each thing with several has in answers."""
NAMED = NamedNode(f"{_BASE}named")


def stated(source: str) -> NamedNode:
    """Return the graph of what a source says itself."""
    return NamedNode(f"{_BASE}source:{source}")


def inferred(source: str) -> NamedNode:
    """Return the graph of what follows from what a source says."""
    return NamedNode(f"{_BASE}inferred:{source}")


def merged(source: str) -> NamedNode:
    """Return the graph of both, with one name for all that are the same, without what an earlier source says, too.

    A store that asks several graphs at once would count what two of them hold twice; these have nothing in common.
    """
    return NamedNode(f"{_BASE}merged:{source}")


def repeated(source: str) -> NamedNode:
    """Return the graph of what an earlier source says, too, with one name for all that are the same."""
    return NamedNode(f"{_BASE}repeated:{source}")


def links(rule: str) -> NamedNode:
    """Return the graph of what a matching rule links."""
    return NamedNode(f"{_BASE}links:{rule}")


def whole(source: str) -> list[NamedNode]:
    """Return the graphs that hold what a source says and what follows.

    Examples
    --------
    >>> [graph.value for graph in whole("flod")]
    ['urn:sfumato:source:flod', 'urn:sfumato:inferred:flod']
    """
    return [stated(source), inferred(source)]


def add_to_graph(store: Store, graph: NamedNode, statements: Iterable[Quad]) -> int:
    """Add statements to a graph and return how many there were."""
    count = 0

    def move() -> Iterator[Quad]:
        nonlocal count
        for quad in statements:
            count += 1
            yield Quad(quad.subject, quad.predicate, quad.object, graph)

    moved = move()
    first = list(itertools.islice(moved, _FEW))
    # Many are written to files of their own, which takes a moment however few they are.
    if len(first) < _FEW:
        store.extend(first)
    else:
        store.bulk_extend(itertools.chain(first, moved))
    return count


def count(store: Store, graph: NamedNode) -> int:
    """Return how many statements a graph holds."""
    ((total,),) = select(store, "SELECT (COUNT(*) AS ?n) { ?s ?p ?o }", [graph])
    return int(total.value)  # type: ignore[attr-defined]


def replace_graph(store: Store, graph: NamedNode, statements: Iterable[Quad]) -> int:
    """Put statements in the place of all that a graph holds."""
    store.remove_graph(graph)
    store.add_graph(graph)
    return add_to_graph(store, graph, statements)


def renew_graph(store: Store, graph: NamedNode, statements: Iterable[Quad]) -> None:
    """Make a graph hold these statements and no others, where most of them are often there already.

    Only what differs is written: to take a statement out and to put it in again costs several times what it costs to
    find that it is there. The terms must come out of the store. It writes some of them in its own way, such as ``01``
    as ``1`` where an integer is meant, so that what comes from a file could not be distinguished from what is to be
    deleted.

    Examples
    --------
    >>> store, graph = Store(), stated("a")
    >>> x, y, z = (Quad(NamedNode("urn:x"), NamedNode("urn:p"), NamedNode(f"urn:{name}")) for name in "xyz")
    >>> renew_graph(store, graph, [x, y])
    >>> renew_graph(store, graph, [z, y])
    >>> sorted(quad.object.value for quad in store)
    ['urn:y', 'urn:z']
    """
    if next(iter(store.quads_for_pattern(None, None, None, graph)), None) is None:
        replace_graph(store, graph, statements)
        return
    wanted: set[bytes] = set()

    def find_new() -> Iterator[Quad]:
        for quad in statements:
            moved = Quad(quad.subject, quad.predicate, quad.object, graph)
            wanted.add(_digest(moved))
            if moved not in store:
                yield moved

    add_to_graph(store, graph, find_new())
    for quad in store.quads_for_pattern(None, None, None, graph):
        if _digest(quad) not in wanted:
            store.remove(quad)


def _digest(quad: Quad) -> bytes:
    """Return a short stand-in for a statement, so that many fit into memory."""
    return hashlib.blake2b(str(quad).encode(), digest_size=16).digest()


def select(store: Store, query: str, graphs: Sequence[NamedNode]) -> list[tuple[object, ...]]:
    """Return the rows of a query over some graphs.

    Examples
    --------
    >>> store = Store()
    >>> _ = add_to_graph(store, stated("a"), [Quad(NamedNode("urn:x"), NamedNode("urn:p"), NamedNode("urn:y"))])
    >>> select(store, "SELECT ?o { ?s ?p ?o }", [stated("a")])
    [(<NamedNode value=urn:y>,)]
    """
    solutions = store.query(query, default_graph=list(graphs))
    width = len(solutions.variables)  # type: ignore[union-attr]
    return [tuple(row[i] for i in range(width)) for row in solutions]  # type: ignore[union-attr]
