"""What the values of a column can be generalised to, step by step, the same for all records."""

from __future__ import annotations

import dataclasses
from functools import cached_property

import numpy as np
import numpy.typing as npt

from sfumato.hierarchies.derive import calendar, equal_width
from sfumato.hierarchies.hierarchy import Hierarchy
from sfumato.kinds.table.dataset import Attribute
from sfumato.release.recoding import ColumnCells

__all__ = ["LevelTree"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RANGES = 16
"""Number of ranges that numbers without a hierarchy begin with; two and two of them are joined from level to level."""

_TYPES = {"integer": "int", "decimal": "decimal", "date": "date"}


@dataclasses.dataclass(frozen=True, eq=False)
class LevelTree:
    """The tree above the values of a column: values as they are, what they are generalised to, and nothing at all.

    Level 0 is every value as it is. On level h, whatever lies deeper in the tree than its height less h is published as
    the node above it at that depth; on the highest level nothing is published. A missing value is a leaf of its own
    right below the root. Where numbers have no hierarchy, they get ranges of equal width, and dates get the calendar.

    Attributes
    ----------
    attribute
        The column.
    parent
        Node above each node, -1 above the root.
    leaf
        Node of every value as it is, that of the missing value last.
    price
        NCP of every node.
    first
        Number of the first node that stands in ``tree``; the nodes before it are values.
    tree
        The hierarchy the nodes come from, if there is one.

    Examples
    --------
    >>> from sfumato.data.dataset import Dataset
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> europe = Hierarchy.from_paths([("Bern", "Europe", "*"), ("Rome", "Europe", "*"), ("Lima", "America", "*")])
    >>> data = Dataset.of("table", [("Rome",), ("Lima",), (None,)], ("city",), hierarchies={"city": europe})
    >>> level_tree = LevelTree.of(attribute_of(data, "city"))
    >>> level_tree.height, [[level_tree.name(node) for node in level] for level in level_tree.levels.tolist()]
    (2, [['Rome', 'Lima', ''], ['Europe', 'America', ''], ['*', '*', '*']])
    """

    attribute: Attribute
    parent: Ints
    leaf: Ints
    price: Floats
    first: int = 0
    tree: Hierarchy | None = None

    @classmethod
    def of(cls, attribute: Attribute) -> LevelTree:
        """Build the tree of a column from its hierarchy, or from its values."""
        hierarchy = attribute.hierarchy
        if hierarchy is not None and hierarchy.kind == "labels":
            return cls._of_labels(attribute, hierarchy)
        if attribute.axis is not None and len(attribute.labels):
            if hierarchy is None:
                hierarchy = _derive(attribute)
            return cls._of_ranges(attribute, hierarchy)
        values = len(attribute.labels)
        parent = np.append(np.full(values, values), [-1, values])
        price = np.append(np.zeros(values), [1.0, 0.0])
        return cls(attribute, parent, np.append(np.arange(values), values + 1), price, values)

    @classmethod
    def _of_labels(cls, attribute: Attribute, hierarchy: Hierarchy) -> LevelTree:
        total = len(hierarchy)
        # A node above a single leaf says as much as the leaf.
        price = np.where(hierarchy.leaves == 1, 0.0, hierarchy.leaves / hierarchy.leaves[-1])
        price[-1] = 1.0
        parent = hierarchy.parent.astype(np.int64)
        root = total - 1
        if total == 1:  # a tree of one label: nothing is above it but to say nothing
            parent, price, root = np.array([1, -1]), np.array([0.0, 1.0]), 1
        leaf = np.zeros(0, np.int32) if attribute.leaf is None else attribute.leaf
        return cls(attribute, np.append(parent, root), np.append(leaf, root + 1), np.append(price, 0.0), 0, hierarchy)

    @classmethod
    def _of_ranges(cls, attribute: Attribute, hierarchy: Hierarchy) -> LevelTree:
        axis = np.empty(0) if attribute.axis is None else attribute.axis
        given = attribute.labels if attribute.scale == "date" else axis
        leaf = hierarchy.leaf_of_value(given, f"column {attribute.name!r}").astype(np.int64)
        values, root = len(leaf), len(leaf) + len(hierarchy) - 1
        # Where no range holds two values, the finest ranges would hide nothing and are left out.
        above = leaf if len(np.unique(leaf)) < values else hierarchy.parent[leaf].astype(np.int64)
        above = np.where(above < 0, len(hierarchy) - 1, above)
        inner = np.where(hierarchy.parent < 0, -1, hierarchy.parent + values)
        parent = np.concatenate([above + values, inner, [root]]).astype(np.int64)
        low, high = _close(hierarchy, attribute.scale)
        seen = axis[np.unique(attribute.codes[attribute.codes >= 0])]
        # Halves, because the distance between two large numbers may be beyond the largest.
        span = float(seen[-1]) / 2 - float(seen[0]) / 2 if len(seen) else 0.0
        wide = high.astype(np.float64) / 2 - low.astype(np.float64) / 2
        share = np.minimum(wide / span, 1.0) if span > 0 else (wide > 0).astype(np.float64)
        share[-1] = 1.0
        price = np.concatenate([np.zeros(values), share, [0.0]])
        return cls(attribute, parent, np.append(np.arange(values), root + 1), price, values, hierarchy)

    @property
    def root(self) -> int:
        """The node that says nothing; the missing value comes right after it."""
        return len(self.parent) - 2

    @cached_property
    def depth(self) -> Ints:
        """Steps from the root, of every node."""
        depth = np.zeros(len(self.parent), np.int64)
        at = self.parent.copy()
        while (at >= 0).any():
            depth += at >= 0
            at = np.where(at >= 0, self.parent[at], -1)
        return depth

    @property
    def height(self) -> int:
        """The highest level."""
        return max(int(self.depth[self.leaf].max(initial=1)), 1)

    @cached_property
    def levels(self) -> Ints:
        """Node of every value on every level."""
        rows = [self.leaf]
        for level in range(1, self.height + 1):
            above = rows[-1]
            rows.append(np.where(self.depth[above] > self.height - level, self.parent[above], above))
        return np.stack(rows)

    def name(self, node: int) -> str:
        """Name a node; the root is ``*`` and the missing value is empty."""
        if node >= self.root:
            return "*" if node == self.root else ""
        if node < self.first:
            return self.attribute.labels[node]
        return self.tree.labels[node - self.first] if self.tree is not None else ""

    def cells(self, cut: Ints) -> ColumnCells:
        """Return what values are published as, given the node of every value, that of the missing one last.

        Nodes of the tree that no value lies below are not in the cut; a later batch may have values there. They are
        covered by the highest nodes that do not reach into the cut.
        """
        name = self.attribute.name
        form = self.attribute.axis is not None and (self.tree is None or self.tree.kind == "ranges")
        kind = "interval" if form else "set" if self.tree is None else "category"
        if (cut[:-1] == self.root).any() or cut[-1] == self.root:
            return ColumnCells(name, kind, hides_all=True)
        if self.tree is None:
            return ColumnCells(name, kind, labels=tuple((label, (label,)) for label in self.attribute.labels))
        covering = self._cover(np.unique(cut[:-1]))
        if kind == "interval":
            return ColumnCells(name, kind, ranges=self._list_ranges(covering, set(cut[:-1].tolist())))
        below = [(self.tree.labels[node], self.tree.members(self.tree.labels[node])) for node in covering]
        # A node above a single leaf says as much as the leaf, and must not look as if it said less.
        labels = tuple((members[0] if len(members) == 1 else label, members) for label, members in below)
        return ColumnCells(name, kind, labels=labels)

    def _cover(self, used: Ints) -> list[int]:
        """Return nodes of the tree that hold every leaf once: those used, and the highest that hold none of them."""
        tree = self.tree
        assert tree is not None
        nodes = np.unique(np.where(used < self.first, self._holder(used), used - self.first))
        reached = np.zeros(len(tree), dtype=bool)
        for node in nodes.tolist():
            while node >= 0 and not reached[node]:
                reached[node] = True
                node = int(tree.parent[node])
        chosen = np.zeros(len(tree), dtype=bool)
        chosen[nodes] = True
        inside = chosen.copy()
        for node in range(len(tree) - 1, -1, -1):  # parents have higher numbers
            above = int(tree.parent[node])
            if above >= 0 and inside[above]:
                inside[node] = True
            elif not reached[node] and (above < 0 or reached[above]):
                chosen[node] = inside[node] = True
        return sorted(np.flatnonzero(chosen).tolist(), key=lambda node: int(tree.first_leaf[node]))

    def _holder(self, used: Ints) -> Ints:
        """Return the leaf of the tree that holds each value, as a number of the tree."""
        if self.tree is None or self.first == 0:
            return used
        given = self.attribute.labels if self.attribute.scale == "date" else self.attribute.axis
        assert given is not None
        leaf = self.tree.leaf_of_value(given, f"column {self.attribute.name!r}").astype(np.int64)
        return np.asarray(leaf[np.minimum(used, self.first - 1)])

    def _list_ranges(self, covering: list[int], used: set[int]) -> tuple[tuple[float, float, bool], ...]:
        """Return the ranges of nodes; where values below a node are published unchanged, it is marked as exact."""
        assert self.tree is not None
        low, high = _close(self.tree, self.attribute.scale)
        values = np.array([node for node in used if node < self.first], np.int64)
        exact = set(self._holder(values).tolist())
        every = len(values) == len(used)
        return tuple((low[n].item(), high[n].item(), every or n in exact) for n in covering)


def _derive(attribute: Attribute) -> Hierarchy:
    """Return ranges for a column of numbers or dates that has no hierarchy."""
    if attribute.scale == "date":
        return calendar(attribute.labels)
    assert attribute.axis is not None
    return equal_width(attribute.axis, _RANGES, _TYPES[attribute.scale])


def _close(hierarchy: Hierarchy, scale: str) -> tuple[npt.NDArray[np.generic], npt.NDArray[np.generic]]:
    """Return first and last value of every node; only the last range holds its upper bound."""
    if scale == "decimal":
        return hierarchy.lower.astype(np.float64), hierarchy.upper.astype(np.float64)
    last = hierarchy.first_leaf + hierarchy.leaves == hierarchy.leaves[-1]
    lower, beyond, upper = hierarchy.lower, hierarchy.upper, hierarchy.upper
    if hierarchy.type == "decimal":  # whole numbers may have ranges of decimals
        lower, beyond, upper = np.ceil(lower), np.ceil(upper), np.floor(upper)
    return lower.astype(np.int64), np.where(last, upper.astype(np.int64), beyond.astype(np.int64) - 1)
