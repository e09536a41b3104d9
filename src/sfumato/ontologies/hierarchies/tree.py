"""One parent for every thing: from relations that may lead anywhere to a tree."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Mapping
from typing import TYPE_CHECKING, NamedTuple

from pyoxigraph import Literal, NamedNode

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.messages import Message, option
from sfumato.ontologies.warehouse import Warehouse

if TYPE_CHECKING:
    from sfumato.ontologies.hierarchies import Wanted

__all__ = ["Tree", "choose_parents", "choose_tree", "find_cycle"]

PARENTS = ("refuse", "first", "deepest")
OUTSIDE = ("drop", "refuse")
_SHOWN = 20

Above = Mapping[NamedNode, list[NamedNode]]


class Tree(NamedTuple):
    """The parent of every node, None for one on top.

    ``several`` has for nodes with several parents all of them, the chosen one first; ``outside`` what belongs to
    something but not to the root; ``nameless`` how many relations lead to something without a name; ``is_forest`` says
    that several nodes may be on top.
    """

    parent: dict[NamedNode, NamedNode | None]
    several: dict[NamedNode, list[NamedNode]]
    outside: list[NamedNode]
    nameless: int
    is_forest: bool


def choose_tree(warehouse: Warehouse, wanted: Wanted) -> Tree:
    """Return the tree below a root, with one parent for every node as the wish says."""
    _check_choice("parents", wanted.parents, PARENTS)
    _check_choice("outside", wanted.outside, OUTSIDE)
    if not (wanted.up or wanted.down):
        raise ParameterError(
            "A hierarchy needs a relation.",
            option="up",
            hint=Message("For example: ", option("up", ["skos:broader"]), " or ", option("down", ["skos:narrower"])),
        )
    above, nameless = _read_relations(warehouse, wanted)
    if not above:
        raise SchemaError(
            f"No source has the relation {' or '.join((*wanted.up, *wanted.down))}.",
            option="up" if wanted.up else "down",
        )
    show = warehouse.prefixes.show
    root = None if wanted.root is None else warehouse.classes.find(warehouse.prefixes.expand(wanted.root))
    everything = list(dict.fromkeys([*above, *(high for highs in above.values() for high in highs)]))
    if root is not None and root not in set(everything):
        raise SchemaError(
            f"Nothing is below the root {show(root)}.",
            hint=Message("Check ", option("root"), ", ", option("up"), " and ", option("down"), "."),
        )
    inside = _list_descendants(
        above, [root] if root is not None else [node for node in everything if not above.get(node)]
    )
    parents = {node: [high for high in above.get(node, []) if high in inside] for node in inside}
    cycle = find_cycle(parents) or ([] if root is not None else find_cycle(above))
    if cycle:
        named = ", ".join(map(show, cycle[:_SHOWN])) + (", ..." if len(cycle) > _SHOWN else "")
        raise SchemaError(
            f"The relations have a cycle: {named}.",
            hint=Message("Correct the source, or use fewer of ", option("up"), " and ", option("down"), "."),
        )
    outside = [node for node in everything if node not in inside]
    if outside and wanted.outside == "refuse":
        raise SchemaError(
            f"Things outside the root: {len(outside):,}, such as {show(outside[0])}.",
            hint=Message("Choose another ", option("root"), ", or leave them out: ", option("outside", "drop"), "."),
        )
    parent, several = choose_parents(parents, wanted.parents)
    if several and wanted.parents == "refuse":
        node = next(iter(several))
        raise SchemaError(
            f"Things with several parents: {len(several):,}, such as {show(node)}: "
            f"{', '.join(map(show, several[node][:_SHOWN]))}.",
            hint=Message("Choose one: ", option("parents", "first"), " or ", option("parents", "deepest"), "."),
        )
    return Tree(parent, several, outside, nameless, root is None)


def _check_choice(name: str, given: str, choices: tuple[str, ...]) -> None:
    if given not in choices:
        near = difflib.get_close_matches(given, choices, n=1)
        hint = f" Did you mean {near[0]!r}?" if near else ""
        raise ParameterError(Message(option(name), f" must be one of {', '.join(choices)}, got {given!r}.{hint}"))


def _read_relations(warehouse: Warehouse, wanted: Wanted) -> tuple[dict[NamedNode, list[NamedNode]], int]:
    """Return what each thing belongs to, in the order of relations, sources and names."""
    above: dict[NamedNode, dict[NamedNode, None]] = {}
    nameless = 0
    for name, leads_up in [*((name, True) for name in wanted.up), *((name, False) for name in wanted.down)]:
        relation = warehouse.prefixes.expand(name)
        for own in warehouse.graphs_by_source():
            pairs = []
            for graph in own:
                for quad in warehouse.store.quads_for_pattern(None, relation, None, graph):
                    if isinstance(quad.subject, NamedNode) and isinstance(quad.object, NamedNode):
                        pairs.append((quad.subject, quad.object) if leads_up else (quad.object, quad.subject))
                    else:
                        nameless += not isinstance(quad.object, Literal)
            for low, high in sorted(pairs, key=lambda pair: (pair[0].value, pair[1].value)):
                above.setdefault(low, {})[high] = None
    return {low: list(highs) for low, highs in above.items()}, nameless


def _list_descendants(above: Above, tops: Iterable[NamedNode]) -> dict[NamedNode, None]:
    below: dict[NamedNode, list[NamedNode]] = {}
    for low, highs in above.items():
        for high in highs:
            below.setdefault(high, []).append(low)
    seen = dict.fromkeys(tops)
    waiting = list(seen)
    while waiting:
        for low in below.get(waiting.pop(), ()):
            if low not in seen:
                seen[low] = None
                waiting.append(low)
    return seen


def find_cycle(above: Above) -> list[NamedNode]:
    """Return the members of a circle, if there is one: each belongs to the next, and the last to the first.

    Examples
    --------
    >>> a, b, c = map(NamedNode, ("urn:a", "urn:b", "urn:c"))
    >>> [node.value for node in find_cycle({a: [b], b: [c], c: [b]})]
    ['urn:b', 'urn:c']
    """
    done: set[NamedNode] = set()
    for start in above:
        path: dict[NamedNode, int] = {}
        waiting: list[tuple[NamedNode, bool]] = [(start, False)]
        while waiting:
            node, is_left = waiting.pop()
            if is_left:
                done.add(node)
                del path[node]
            elif node in path:
                members = list(path)
                return members[path[node] :]
            elif node not in done:
                path[node] = len(path)
                waiting.append((node, True))
                waiting += [(high, False) for high in above.get(node, ())]
    return []


def choose_parents(
    above: Above, choice: str
) -> tuple[dict[NamedNode, NamedNode | None], dict[NamedNode, list[NamedNode]]]:
    """Return one parent for every node, and those that had several with the chosen one first.

    Examples
    --------
    >>> top, fish, tuna = map(NamedNode, ("urn:top", "urn:fish", "urn:tuna"))
    >>> graph = {top: [], fish: [top], tuna: [top, fish]}
    >>> choose_parents(graph, "first")[0][tuna].value, choose_parents(graph, "deepest")[0][tuna].value
    ('urn:top', 'urn:fish')
    """
    depth = _measure_depth(above) if choice == "deepest" else {}
    parent: dict[NamedNode, NamedNode | None] = {}
    several = {}
    for node, highs in above.items():
        # Sorting is stable: of equally deep ones the first stays first.
        ordered = sorted(highs, key=lambda high: -depth[high]) if depth else list(highs)
        parent[node] = ordered[0] if ordered else None
        if len(ordered) > 1:
            several[node] = ordered
    return parent, several


def _measure_depth(above: Above) -> dict[NamedNode, int]:
    """Return the longest way from each node to a top; there are no circles."""
    depth: dict[NamedNode, int] = {}
    for start in above:
        waiting = [start]
        while waiting:
            node = waiting[-1]
            missing = [high for high in above.get(node, ()) if high not in depth]
            if missing:
                waiting += missing
            else:
                depth[node] = 1 + max((depth[high] for high in above.get(node, ())), default=-1)
                waiting.pop()
    return depth
