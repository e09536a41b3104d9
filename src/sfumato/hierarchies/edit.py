"""Edits of hierarchies; each returns a new hierarchy or is refused."""

from __future__ import annotations

from sfumato.exceptions import ParameterError
from sfumato.hierarchies.hierarchy import Hierarchy

__all__ = ["add_node", "delete_node", "move_node", "rename_node"]


def _parents(tree: Hierarchy) -> dict[str, str | None]:
    """Return the label above every label, the order of leaves kept."""
    above = [None if at < 0 else tree.labels[at] for at in tree.parent.tolist()]
    return dict(zip(tree.labels, above, strict=True))


def _rebuild_tree(tree: Hierarchy, parents: dict[str, str | None]) -> Hierarchy:
    return Hierarchy.from_parents(parents, kind=tree.kind, type=tree.type)


def _require(tree: Hierarchy, label: str, owner: str) -> None:
    if label not in tree.labels:
        raise ParameterError(f"{owner}: the hierarchy has no node {label!r}.")


def _refuse(tree: Hierarchy, label: str, owner: str) -> None:
    if not label:
        raise ParameterError(f"{owner}: a node must have a label.")
    if label in tree.labels:
        raise ParameterError(f"{owner}: there is already a node {label!r}.", hint="Choose another label.")


def rename_node(tree: Hierarchy, old: str, new: str) -> Hierarchy:
    """Give a node another label.

    Examples
    --------
    >>> tree = Hierarchy.from_parents({"tea": "drinks", "wine": "drinks", "drinks": "*"})
    >>> rename_node(tree, "drinks", "to drink").ancestors("tea")
    ('to drink', '*')
    """
    _require(tree, old, "rename")
    _refuse(tree, new, "rename")
    named = {old: new}
    return _rebuild_tree(
        tree, {named.get(c, c): None if p is None else named.get(p, p) for c, p in _parents(tree).items()}
    )


def move_node(tree: Hierarchy, label: str, parent: str) -> Hierarchy:
    """Put a node, with everything below it, under another one.

    Examples
    --------
    >>> tree = Hierarchy.from_parents({"tea": "drinks", "wine": "drinks", "nuts": "food", "drinks": "*", "food": "*"})
    >>> move_node(tree, "tea", "food").ancestors("tea")
    ('food', '*')
    >>> move_node(tree, "drinks", "tea")
    Traceback (most recent call last):
        ...
    sfumato.exceptions.ParameterError: move: 'tea' is below 'drinks', and a node cannot be below itself.
    """
    _require(tree, label, "move")
    _require(tree, parent, "move")
    parents = _parents(tree)
    if parents[label] is None:
        raise ParameterError("move: the root cannot be moved below another node.")
    if label == parent or label in tree.ancestors(parent):
        raise ParameterError(f"move: {parent!r} is below {label!r}, and a node cannot be below itself.")
    _refuse_leaf(tree, parent, "move")
    old = parents[label]
    parents[label] = parent
    if old is not None and old not in parents.values():
        raise ParameterError(
            f"move: nothing would be left below {old!r}, and it would become a value.", hint="Delete it first."
        )
    return _rebuild_tree(tree, parents)


def _refuse_leaf(tree: Hierarchy, label: str, owner: str) -> None:
    if label in tree.leaf_labels:
        raise ParameterError(f"{owner}: {label!r} is a value and cannot have nodes below it.")


def add_node(tree: Hierarchy, label: str, parent: str) -> Hierarchy:
    """Add a value below a node.

    Examples
    --------
    >>> tree = Hierarchy.from_parents({"tea": "drinks", "wine": "drinks", "drinks": "*"})
    >>> add_node(tree, "milk", "drinks").members("drinks")
    ('tea', 'wine', 'milk')
    """
    _refuse(tree, label, "add")
    _require(tree, parent, "add")
    _refuse_leaf(tree, parent, "add")
    return _rebuild_tree(tree, {**_parents(tree), label: parent})


def delete_node(tree: Hierarchy, label: str) -> Hierarchy:
    """Take a node out; what lies below it goes to the node above.

    Examples
    --------
    >>> tree = Hierarchy.from_parents({"tea": "drinks", "wine": "drinks", "drinks": "*", "nuts": "*"})
    >>> delete_node(tree, "drinks").ancestors("tea")
    ('*',)
    """
    _require(tree, label, "delete")
    parents = _parents(tree)
    above = parents.pop(label)
    if above is None:
        raise ParameterError("delete: the root cannot be deleted.", hint="Rename it.")
    left = {child: above if parent == label else parent for child, parent in parents.items()}
    if above not in left.values():
        raise ParameterError(
            f"delete: nothing would be left below {above!r}, and it would become a value.", hint="Delete it instead."
        )
    return _rebuild_tree(tree, left)
