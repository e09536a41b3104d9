"""A tree out of a warehouse, as a hierarchy that methods read, with a report of what was decided on the way."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple

from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.messages import Message, option
from sfumato.ontologies.hierarchies.labels import Labels, name_nodes
from sfumato.ontologies.hierarchies.tree import Tree, choose_tree
from sfumato.ontologies.hierarchies.values import Placing, place_values
from sfumato.ontologies.warehouse import Warehouse

__all__ = ["Export", "Wanted", "export_hierarchy"]

_EVERYTHING = "*"


class Wanted(NamedTuple):
    """What tree to take.

    Parameters
    ----------
    up, down
        Relations that lead from a thing to what it belongs to, and the other way; the first counts most.
    root
        The thing on top; without it all things that belong to nothing stand below ``*``.
    labels, languages
        Properties with texts for people, and languages, the first counts most; a text without a language comes after
        them.
    codes
        Properties with codes that data may have in the place of labels.
    parents
        What becomes of things with several parents: ``refuse`` them all, take the ``first`` by the order of relations,
        sources and names, or the ``deepest``, the one farthest from the root.
    outside
        What becomes of things that belong to something but not to the root: ``drop`` or ``refuse``.
    apply
        Steps done to values, labels and codes before they are compared.
    unplaced
        Name of a node below the root for values that have none; without it they are left out, and listed.
    """

    up: tuple[str, ...] = ()
    down: tuple[str, ...] = ()
    root: str | None = None
    labels: tuple[str, ...] = ("skos:prefLabel", "rdfs:label")
    languages: tuple[str, ...] = ()
    codes: tuple[str, ...] = ()
    parents: str = "refuse"
    outside: str = "drop"
    apply: tuple[str, ...] = ()
    unplaced: str | None = None


class Export(NamedTuple):
    """A hierarchy, and what was merged, dropped or ambiguous on the way to it."""

    hierarchy: Hierarchy
    report: dict[str, Any]


def export_hierarchy(warehouse: Warehouse, wanted: Wanted, values: Mapping[str, int] | None = None) -> Export:
    """Return the tree as a hierarchy, over the values of a dataset if there are some.

    Parameters
    ----------
    warehouse
        The warehouse.
    wanted
        What tree to take.
    values
        Values of a dataset, with the number of records that have each. A value becomes a leaf where a label or code is
        equal to it; nodes without any value below them are left out. A value that fits no node, or several, is listed.
    """
    tree = choose_tree(warehouse, wanted)
    labels = name_nodes(warehouse, wanted, tree)
    report: dict[str, Any] = {
        "nodes": len(tree.parent),
        "merged": [
            {"node": labels.names[node], "things": [warehouse.prefixes.show(thing) for thing in same]}
            for same in warehouse.classes.groups()
            if (node := same[0]) in tree.parent
        ],
        "several_parents": [
            {
                "node": labels.names[node],
                "chosen": labels.names[parents[0]],
                "left": [labels.names[p] for p in parents[1:]],
            }
            for node, parents in tree.several.items()
        ],
        "outside": [warehouse.prefixes.show(node) for node in tree.outside],
        "without_name": tree.nameless,
        **labels.report(warehouse.prefixes),
    }
    if values is None:
        return Export(_build(_list_paths(tree, labels)), report)
    placing = place_values(warehouse, wanted, tree, labels, values)
    report |= placing.report(values)
    return Export(_build(_list_value_paths(tree, labels, placing, wanted, report)), report)


def _build(paths: list[list[str]]) -> Hierarchy:
    if not paths:
        raise SchemaError(
            "The hierarchy has no values.",
            hint=Message("Check ", option("root"), ", ", option("up"), " and ", option("down"), "."),
        )
    return Hierarchy.from_paths(paths, owner="hierarchy")


def _climb(tree: Tree, labels: Labels, node: Any) -> list[str]:
    path = [labels.names[node]]
    while (node := tree.parent[node]) is not None:
        path.append(labels.names[node])
    return [*path, _EVERYTHING] if tree.is_forest else path


def _list_paths(tree: Tree, labels: Labels) -> list[list[str]]:
    inner = set(tree.parent.values())
    return [_climb(tree, labels, node) for node in tree.parent if node not in inner]


def _list_value_paths(
    tree: Tree, labels: Labels, placing: Placing, wanted: Wanted, report: dict[str, Any]
) -> list[list[str]]:
    """Return a path for every value: above it its node, unless the node stands for that value alone."""
    used = {above for node in placing.nodes for above in _climb(tree, labels, node)[1:]}
    paths = []
    for node, own in placing.nodes.items():
        path = _climb(tree, labels, node)
        alone = len(own) == 1 and path[0] not in used
        paths += [[value, *(path[1:] if alone else path)] for value in own]
    root = next((path[-1] for path in paths), _EVERYTHING)
    if wanted.unplaced is not None:
        if wanted.unplaced in set(labels.names.values()):
            raise ParameterError(
                Message(option("unplaced"), f": {wanted.unplaced!r} is already a node."), hint="Choose another name."
            )
        paths += [[value, wanted.unplaced, root] for value in (*placing.unplaced, *placing.ambiguous)]
    report["unused_nodes"] = len(tree.parent) - len(set(placing.nodes) | _list_above(tree, placing))
    return paths


def _list_above(tree: Tree, placing: Placing) -> set[Any]:
    above = set()
    for node in placing.nodes:
        high = tree.parent[node]
        while high is not None:
            above.add(high)
            high = tree.parent[high]
    return above
