"""Names that stand for several values: the nodes of hierarchies."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from typing import Any

from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.queries.published_view import Attribute, Columns, Names, PublishedView

__all__ = ["add_categories", "list_categories"]


def list_categories(hierarchy: Hierarchy | None) -> dict[str, tuple[str, ...]]:
    """Return the leaves below every inner node of a hierarchy, by its label; nothing where there is none.

    Examples
    --------
    >>> list_categories(Hierarchy.from_parents({"cafe": "drinks", "bar": "drinks"}))
    {'drinks': ('cafe', 'bar')}
    """
    if hierarchy is None or hierarchy.kind != "labels":
        return {}
    leaves = hierarchy.leaf_labels
    return {
        hierarchy.labels[node]: leaves[hierarchy.first_leaf[node] : hierarchy.first_leaf[node] + hierarchy.leaves[node]]
        for node in range(len(leaves), len(hierarchy.labels))
    }


def add_categories(view: PublishedView, hierarchies: Mapping[str, Hierarchy]) -> PublishedView:
    """Let the nodes of hierarchies be names, too: those of an attribute of the same name, or else of the events."""
    for column, hierarchy in hierarchies.items():
        if column in view.attributes:
            view = dataclasses.replace(view, attributes=_name_categories(view.attributes, column, hierarchy))
        elif view.history is not None:
            view = dataclasses.replace(view, history=_name(view.history, hierarchy))
    return view


def _name_categories(attributes: Mapping[str, Attribute], column: str, hierarchy: Hierarchy) -> Mapping[str, Attribute]:
    return Columns(
        tuple(attributes), lambda name: _name(attributes[name], hierarchy) if name == column else attributes[name]
    )


def _name(named: Any, hierarchy: Hierarchy) -> Any:
    names: Names = named.names
    return dataclasses.replace(named, names=Names(names.labels, {**names.categories, **list_categories(hierarchy)}))
