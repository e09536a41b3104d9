"""Hierarchies: trees of labels or ranges that values are generalised to."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterable, Mapping, Sequence
from functools import cached_property
from typing import Literal, TypeAlias

import numpy as np
import numpy.typing as npt

from sfumato.escape import make_visible
from sfumato.exceptions import ParameterError, SchemaError
from sfumato.hierarchies.build import TreeBuilder, name_rows, select_shown
from sfumato.hierarchies.ranges import RANGE_TYPES, as_axis, drop_single_children, fit_bounds, format_bounds
from sfumato.messages import Message, MethodName

__all__ = ["Hierarchy"]

Ints: TypeAlias = npt.NDArray[np.int32]
Longs: TypeAlias = npt.NDArray[np.int64]
Pairs: TypeAlias = Mapping[str, str | None] | Iterable[tuple[str, str | None]]

_TYPES = ("string", *RANGE_TYPES)
_SHOWN_NODES = 12


@dataclasses.dataclass(frozen=True, eq=False, repr=False)
class Hierarchy:
    """A tree of labels; lowest common ancestors and leaf counts take constant time.

    Build one with :meth:`from_parents`, :meth:`from_paths` or :meth:`from_codes`. Nodes are numbers: first
    the leaves from left to right, then the inner nodes, each with a higher number than all below it, the
    root last. The leaves below a node are ``first_leaf[node]`` up to ``first_leaf[node] + leaves[node]``.
    Arrays are read-only.

    Parameters
    ----------
    labels
        Text of every node; no two nodes share one.
    parent
        Node above each node, -1 for the root.
    leaves
        Number of leaves below each node, 1 for a leaf.
    depth
        Steps from the root.
    first_leaf
        Leftmost leaf below each node.
    kind
        ``labels``, or ``ranges`` where every label is ``lower,upper``.
    type
        What leaves are: ``string``, ``int``, ``decimal`` or ``date``. For labels only Amnesia files
        give it, and comparisons of hierarchies ignore it.
    lower, upper
        Bounds of every node where kind is ``ranges`` (dates as days since 1970), else empty. A range
        holds its lower but not its upper bound; the last one holds both.

    Examples
    --------
    >>> places = Hierarchy.from_parents(
    ...     {"a": "Restaurants", "c": "Restaurants", "e": "Restaurants", "b": "Coffee", "d": "Coffee",
    ...      "Restaurants": "*", "Coffee": "*"})
    >>> places
    Hierarchy below *: 5 of 8 nodes are leaves, height 2
    *
      Restaurants
        a
        c
        e
      Coffee
        b
        d
    >>> places.labels[places.lca("a", "c", "e")], places.leaf_count(places.lca("a", "c", "e"))
    ('Restaurants', 3)
    >>> places.leaf_count(places.lca("a", "d"))
    5
    """

    labels: tuple[str, ...]
    parent: Ints
    leaves: Longs
    depth: Ints
    first_leaf: Ints
    kind: Literal["labels", "ranges"]
    type: str
    lower: npt.NDArray[np.generic]
    upper: npt.NDArray[np.generic]

    @classmethod
    def from_parents(
        cls,
        pairs: Pairs,
        *,
        root: str | None = None,
        kind: Literal["labels", "ranges"] = "labels",
        type: str = "string",
        lines: Sequence[int] | None = None,
        owner: str = "Hierarchy",
    ) -> Hierarchy:
        """Build from the parent of every label; a root may be left out or have the parent None.

        Parameters
        ----------
        pairs
            Mapping of child to parent, or (child, parent) pairs.
        root
            Label of an artificial root to put above several roots; without it they are an error.
        kind, type
            As in :class:`Hierarchy`.
        lines
            Line of each pair in a file, for error messages; its position if not given.
        owner
            The beginning of error messages.

        Examples
        --------
        >>> ages = Hierarchy.from_parents({"0,5": "0,10", "5,10": "0,10"}, kind="ranges", type="int")
        >>> [ages.labels[leaf] for leaf in ages.leaf_of_value([0, 5, 10])]
        ['0,5', '5,10', '5,10']
        """
        given = pairs.items() if isinstance(pairs, Mapping) else pairs
        return cls._build(TreeBuilder.from_pairs(given, owner, lines), root, kind, type)

    @classmethod
    def from_paths(
        cls,
        paths: Iterable[Sequence[str]],
        *,
        root: str | None = None,
        kind: Literal["labels", "ranges"] = "labels",
        type: str = "string",
        lines: Sequence[int] | None = None,
        owner: str = "Hierarchy",
    ) -> Hierarchy:
        """Build from one path per leaf, leaf first and root last; parameters as in :meth:`from_parents`.

        Paths may have different lengths. A value that repeats on its way up, and an empty one, is no
        level of its own. An inner node with the label of a leaf, with others below it, becomes
        ``label (group)``, so that every label has one meaning.

        Examples
        --------
        >>> Hierarchy.from_paths([("80331", "803**", "*"), ("80333", "803**", "*"), ("0", "0", "*")])
        Hierarchy below *: 3 of 5 nodes are leaves, height 2
        *
          803**
            80331
            80333
          0
        """
        return cls._build(TreeBuilder.from_paths(paths, owner, lines), root, kind, type)

    @classmethod
    def from_codes(cls, labels: Sequence[str], parent: npt.ArrayLike, *, owner: str = "Hierarchy") -> Hierarchy:
        """Build from labels and the position of each one's parent, -1 for the root, in any order.

        Examples
        --------
        >>> Hierarchy.from_codes(["*", "b", "a"], [-1, 0, 0]).labels
        ('b', 'a', '*')
        """
        above = np.asarray(parent)
        if above.shape != (len(labels),) or (len(labels) and not -1 <= above.min() <= above.max() < len(labels)):
            raise ParameterError(
                f"{owner}: parent must have -1 or the position of a label, for each label.", option="parent"
            )
        pairs = [(label, labels[code] if code >= 0 else None) for label, code in zip(labels, above, strict=True)]
        return cls._build(TreeBuilder.from_pairs(pairs, owner), None, "labels", "string")

    @classmethod
    def _build(cls, builder: TreeBuilder, root: str | None, kind: Literal["labels", "ranges"], type: str) -> Hierarchy:
        if kind not in {"labels", "ranges"}:
            raise ParameterError(f"{builder.owner}: kind must be labels or ranges, got {kind!r}.", option="kind")
        if type not in (RANGE_TYPES if kind == "ranges" else _TYPES):
            choices = ", ".join(RANGE_TYPES if kind == "ranges" else _TYPES)
            raise ParameterError(
                f"{builder.owner}: type of {kind} must be one of {choices}, got {type!r}.", option="type"
            )
        top = builder.resolve_root(root)
        labels = builder.labels
        axis = np.empty((0, 2))
        if kind == "ranges":
            builder, top = drop_single_children(builder, type), 0
            fitted = fit_bounds(builder, builder.walk(top), type)
            labels = [format_bounds(bounds, type) for bounds in fitted]
            axis = np.array(fitted, dtype=np.float64 if type == "decimal" else np.int64)
        nodes = builder.number(builder.walk(top))
        bounds = axis[nodes.given] if kind == "ranges" else axis
        arrays = (nodes.parent, nodes.leaves, nodes.depth, nodes.first_leaf)
        lower, upper = np.ascontiguousarray(bounds[:, 0]), np.ascontiguousarray(bounds[:, 1])
        for array in (*arrays, lower, upper):
            array.flags.writeable = False
        return cls(tuple(labels[code] for code in nodes.given), *arrays, kind, type, lower, upper)

    def __len__(self) -> int:
        return len(self.labels)

    def __eq__(self, other: object) -> bool:
        """Return whether both are the same tree, in any order of children."""
        if not isinstance(other, Hierarchy):
            return NotImplemented
        return self._structure == other._structure

    def __hash__(self) -> int:
        return hash(self._structure)

    def __repr__(self) -> str:
        order = np.argsort(self._position, kind="stable")[:_SHOWN_NODES]
        lines = [f"{'  ' * int(self.depth[node])}{make_visible(self.labels[node])}" for node in order]
        more = [f"... and {len(self) - _SHOWN_NODES:,} more nodes"] if len(self) > _SHOWN_NODES else []
        counts = f"{len(self.leaf_labels):,} of {len(self):,} nodes are leaves, height {self.height}"
        return "\n".join([f"Hierarchy below {make_visible(self.labels[-1])}: {counts}", *lines, *more])

    @property
    def height(self) -> int:
        """Steps from the root to the deepest leaf."""
        return int(self.depth.max())

    @property
    def leaf_labels(self) -> tuple[str, ...]:
        """Labels of the leaves, from left to right; leaf ``i`` is node ``i``."""
        return self.labels[: int(self.leaves[-1])]

    def node(self, label: str) -> int:
        """Return the node with a label, a leaf or an inner node."""
        number = self._nodes.get(label)
        if number is None:
            raise SchemaError("Hierarchy: no node has this label.", hint="The attribute labels lists them.")
        return number

    def leaf(self, label: str) -> int:
        """Return the leaf with a label."""
        node = self.node(label)
        if node >= len(self.leaf_labels):
            raise SchemaError("Hierarchy: this is the label of an inner node.", hint="Give one of leaf_labels.")
        return node

    def lca(self, *nodes: int | str) -> int:
        """Return the lowest common ancestor of nodes, given by number or label."""
        if not nodes:
            raise ParameterError("Hierarchy.lca needs at least one node.")
        places = [int(self._position[self._resolve(node)]) for node in nodes]
        low, high = min(places), max(places)
        if low == high:
            return int(self._node_at[low])
        level = (high - low).bit_length() - 1
        row = self._table[level]
        return int(self._node_at[min(row[low + 1], row[high - (1 << level) + 1])])

    def lca_many(self, a: npt.ArrayLike, b: npt.ArrayLike) -> Ints:
        """Return the lowest common ancestors of pairs of nodes, element by element.

        Examples
        --------
        >>> tree = Hierarchy.from_paths([("a", "A", "*"), ("b", "A", "*"), ("c", "*")])
        >>> [tree.labels[node] for node in tree.lca_many([0, 0, 1], [0, 1, 2])]
        ['a', 'A', '*']
        """
        left, right = self._position[np.asarray(a)], self._position[np.asarray(b)]
        low, high = np.minimum(left, right), np.maximum(left, right)
        same = low == high
        level = np.frexp(np.maximum(high - low, 1).astype(np.float64))[1] - 1
        begin = np.where(same, low, low + 1)
        end = np.where(same, low, high - (1 << level.astype(np.int64)) + 1)
        met = np.minimum(self._table[level, begin], self._table[level, end])
        ancestors: Ints = self._node_at[np.where(same, low, met)]
        return ancestors

    def leaf_count(self, node: int | str) -> int:
        """Return how many leaves lie below a node; a leaf counts itself."""
        return int(self.leaves[self._resolve(node)])

    def ancestors(self, label: str) -> tuple[str, ...]:
        """Return the labels above a label, from its parent to the root."""
        labels, node = [], self.node(label)
        while (node := int(self.parent[node])) >= 0:
            labels.append(self.labels[node])
        return tuple(labels)

    def children(self, label: str) -> tuple[str, ...]:
        """Return the labels right below a label, from left to right."""
        below = np.flatnonzero(self.parent == self.node(label))
        return tuple(self.labels[node] for node in below[np.argsort(self._position[below])])

    def members(self, label: str) -> tuple[str, ...]:
        """Return the labels of all leaves below a label, from left to right."""
        node = self.node(label)
        first = int(self.first_leaf[node])
        return self.labels[first : first + int(self.leaves[node])]

    def paths(self) -> list[tuple[str, ...]]:
        """Return one path per leaf, leaf first and root last."""
        return [(label, *self.ancestors(label)) for label in self.leaf_labels]

    def pairs(self) -> list[tuple[str, str | None]]:
        """Return (child, parent) of every node, each after its parent, the root's parent being None."""
        return [
            (self.labels[node], self.labels[self.parent[node]] if self.parent[node] >= 0 else None)
            for node in self._node_at
        ]

    def require(self, labels: Iterable[str], owner: str | MethodName, rows: Sequence[int] | None = None) -> Ints:
        """Return the leaf of every label; labels that are no leaf are refused by their rows.

        Examples
        --------
        >>> tree = Hierarchy.from_paths([("a", "*"), ("b", "*")])
        >>> tree.require(["b", "a", "b"], "SD-SeqAnon").tolist()
        [1, 0, 1]
        >>> tree.require(["b", "x", "x"], "SD-SeqAnon")
        Traceback (most recent call last):
            ...
        sfumato.exceptions.SchemaError: SD-SeqAnon: 1 value is not a leaf of its hierarchy (rows 2, 3).
        Add it to the hierarchy, or correct the data.
        """
        wanted = list(labels)
        total = len(self.leaf_labels)
        codes = np.array([self._nodes.get(label, total) for label in wanted], dtype=np.int32)
        missing = np.flatnonzero(codes >= total)
        if len(missing):
            count = len({wanted[position] for position in missing})
            at = (missing + 1 if rows is None else np.asarray(rows)[missing]).tolist()
            subject = "1 value is not a leaf" if count == 1 else f"{count:,} distinct values are not leaves"
            raise SchemaError(
                Message(owner, f": {subject} of {'its' if count == 1 else 'their'} hierarchy ({name_rows(at)})."),
                rows=select_shown(at),
                hint=f"Add {'it' if count == 1 else 'them'} to the hierarchy, or correct the data.",
            )
        return codes

    def leaf_of_value(self, values: npt.ArrayLike, owner: str = "Hierarchy", rows: Sequence[int] | None = None) -> Ints:
        """Return the leaf whose range holds each value: numbers, or dates where type is ``date``.

        Examples
        --------
        >>> days = Hierarchy.from_parents({"2024,2024": None}, kind="ranges", type="date")
        >>> days.labels
        ('2024-01-01,2024-12-31',)
        >>> days.leaf_of_value(["2024-02-29"]).tolist()
        [0]
        """
        if self.kind != "ranges":
            raise SchemaError(Message(owner, ": the hierarchy is of labels, not of ranges."), hint="Use require.")
        axis = as_axis(values, self.type, owner)
        total = len(self.leaf_labels)
        outside = ~((axis >= self.lower[0]) & (axis <= self.upper[total - 1]))
        if outside.any():
            beyond = np.flatnonzero(outside)
            at = (beyond + 1 if rows is None else np.asarray(rows)[beyond]).tolist()
            subject = "1 value is" if len(at) == 1 else f"{len(at):,} values are"
            raise SchemaError(
                Message(owner, f": {subject} outside of the ranges of the hierarchy ({name_rows(at)})."),
                rows=select_shown(at),
                hint="Widen the hierarchy, or correct the data.",
            )
        return (np.searchsorted(self.lower[:total], axis, side="right") - 1).astype(np.int32)

    def _resolve(self, node: int | str) -> int:
        if isinstance(node, str):
            return self.node(node)
        if not 0 <= node < len(self):
            raise ParameterError(f"Hierarchy: a node must be a number from 0 to {len(self) - 1:,}, got {node}.")
        return int(node)

    @cached_property
    def _nodes(self) -> dict[str, int]:
        return {label: node for node, label in enumerate(self.labels)}

    @cached_property
    def _structure(self) -> tuple[str, str, frozenset[tuple[str, str | None]]]:
        return self.kind, self.type if self.kind == "ranges" else "", frozenset(self.pairs())

    @cached_property
    def _node_at(self) -> Ints:
        """Node at each place of the preorder: a parent shares its first leaf but lies less deep."""
        return np.lexsort((self.depth, self.first_leaf)).astype(np.int32)

    @cached_property
    def _position(self) -> Longs:
        position = np.empty(len(self), dtype=np.int64)
        position[self._node_at] = np.arange(len(self))
        return position

    @cached_property
    def _table(self) -> Ints:
        """Smallest parent, as place in the preorder, over every run whose length is a power of two.

        Between two places of the preorder the walk comes back up to their lowest common ancestor and no
        higher, so the smallest parent met on the way is that ancestor.
        """
        above = self.parent[self._node_at]
        lowest = np.where(above >= 0, self._position[above], 0).astype(np.int32)
        rows = [lowest]
        while 2 << (len(rows) - 1) < len(self):
            step = 1 << (len(rows) - 1)
            wider = rows[-1].copy()
            np.minimum(wider[:-step], rows[-1][step:], out=wider[:-step])
            rows.append(wider)
        return np.stack(rows)
