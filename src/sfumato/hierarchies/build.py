"""Labels with their parents, before they are checked to form one tree."""

from __future__ import annotations

import dataclasses
import itertools
from collections.abc import Iterable, Sequence
from typing import NamedTuple, NoReturn

import numpy as np
import numpy.typing as npt

from sfumato.exceptions import SchemaError
from sfumato.messages import Message, option

__all__ = ["Numbering", "TreeBuilder", "name_rows", "select_shown"]

LONGEST_LABEL = 10_000
SHOWN_ROWS = 5


def select_shown(rows: Iterable[int]) -> tuple[int, ...]:
    """Return the first rows, at most five: enough to find the fault, too few to fill a log.

    Examples
    --------
    >>> select_shown([7, 3, 7])
    (3, 7)
    """
    return tuple(map(int, sorted(set(rows))[:SHOWN_ROWS]))


def name_rows(rows: Iterable[int], unit: str = "row") -> str:
    """Return the first rows as text, at most five.

    Examples
    --------
    >>> name_rows([7, 3]), name_rows([4], "line"), name_rows(range(1, 9))
    ('rows 3, 7', 'line 4', 'rows 1, 2, 3, 4, 5, ...')
    """
    distinct = set(rows)
    shown = ", ".join(map(str, select_shown(distinct)))
    return f"{unit}{'s' * (len(distinct) > 1)} {shown}{', ...' * (len(distinct) > SHOWN_ROWS)}"


class Numbering(NamedTuple):
    """A tree with its leaves numbered first, from left to right, then its inner nodes, the root last."""

    given: npt.NDArray[np.int64]
    parent: npt.NDArray[np.int32]
    leaves: npt.NDArray[np.int64]
    depth: npt.NDArray[np.int32]
    first_leaf: npt.NDArray[np.int32]


@dataclasses.dataclass
class TreeBuilder:
    """Parents of labels, with the rows that gave them; errors name rows, never labels.

    Examples
    --------
    >>> builder = TreeBuilder.from_pairs([("a", "A"), ("b", "A")], "cities.csv")
    >>> builder.labels, builder.parent, builder.children
    (['a', 'A', 'b'], [1, -1, 1], [[], [0, 2], []])
    >>> builder.resolve_root(None)
    1
    """

    owner: str
    unit: str = "row"
    labels: list[str] = dataclasses.field(default_factory=list)
    parent: list[int] = dataclasses.field(default_factory=list)
    children: list[list[int]] = dataclasses.field(default_factory=list)
    rows: list[int] = dataclasses.field(default_factory=list)
    codes: dict[str, int] = dataclasses.field(default_factory=dict)

    @classmethod
    def from_pairs(
        cls, pairs: Iterable[tuple[str, str | None]], owner: str, lines: Sequence[int] | None = None
    ) -> TreeBuilder:
        """Collect (child, parent) pairs; a parent of None or ``""`` declares a root."""
        builder = cls(owner, "row" if lines is None else "line")
        given: dict[int, int] = {}
        for position, (child, parent) in enumerate(pairs):
            row = position + 1 if lines is None else lines[position]
            code = builder._code(child, row)
            above = builder._code(parent, row) if parent else -1
            if code in given:
                builder._refuse_second_mention(code, above, given[code], row)
            given[code] = row
            builder.rows[code] = row
            builder._attach(code, above, row)
        return builder

    @classmethod
    def from_paths(cls, paths: Iterable[Sequence[str]], owner: str, lines: Sequence[int] | None = None) -> TreeBuilder:
        """Collect paths from a leaf up to the root; a value that repeats on its way up is one node."""
        builder = cls(owner, "row" if lines is None else "line")
        rows = [[cell for cell in path if cell] if path and path[0] else [] for path in paths]
        numbers = list(lines) if lines is not None else list(range(1, len(rows) + 1))
        builder._refuse_bad_leaves(rows, numbers)
        groups = _name_groups(rows)
        for path, row in zip(rows, numbers, strict=True):
            nodes = _collapse(path, groups)
            if len(set(nodes)) < len(nodes):
                builder._refuse_circle([row])
            codes = [builder._code(label, row) for label in nodes]
            for code, above in itertools.pairwise(codes):
                if builder.parent[code] == -1:
                    builder.rows[code] = row
                    builder._attach(code, above, row)
                elif builder.parent[code] != above:
                    builder._refuse_second_mention(code, above, builder.rows[code], row)
        return builder

    def resolve_root(self, root: str | None) -> int:
        """Return the one root, adding an artificial one when it is asked for and needed."""
        if not self.labels:
            self.complain("a hierarchy needs at least one label, found none.", hint="Give one label per row.")
        roots = [code for code, above in enumerate(self.parent) if above == -1]
        if not roots:
            self._refuse_circle(self.rows)
        if len(roots) == 1:
            return roots[0]
        if root is None:
            rows = [self.rows[code] for code in roots]
            self.complain(
                f"one root is needed, found {len(roots):,} labels without a parent ({name_rows(rows, self.unit)}).",
                rows,
                Message("Put them under one label, or add a root above them: ", option("hierarchy_root", "*"), "."),
            )
        if root in self.codes:
            self.complain("the label of the artificial root is already used.", hint="Choose another label.")
        added = self._code(root, 0)
        for code in roots:
            self._attach(code, added, self.rows[code])
        return added

    def walk(self, root: int) -> list[int]:
        """Return every node in preorder from the root, refusing what the root does not reach."""
        order, pending = [], [root]
        while pending:
            code = pending.pop()
            order.append(code)
            pending.extend(reversed(self.children[code]))
        if len(order) < len(self.labels):
            reached = set(order)
            self._refuse_circle(row for code, row in enumerate(self.rows) if code not in reached)
        return order

    def number(self, order: list[int]) -> Numbering:
        """Number the nodes of a preorder so that leaves below a node, and nodes above one, are in a row."""
        total = len(order)
        place = np.empty(total, dtype=np.int64)
        place[order] = np.arange(total)
        above = np.array(self.parent, dtype=np.int64)[order]
        above[1:] = place[above[1:]]
        depth, size, ups = [0] * total, [1] * total, above.tolist()
        for position in range(1, total):
            depth[position] = depth[ups[position]] + 1
        for position in range(total - 1, 0, -1):
            size[ups[position]] += size[position]
        is_leaf = np.array(size) == 1
        before = np.concatenate([[0], np.cumsum(is_leaf)])
        leaves = before[np.arange(total) + np.array(size)] - before[:-1]
        sequence = np.concatenate([np.flatnonzero(is_leaf), np.flatnonzero(~is_leaf)[::-1]])
        node = np.empty(total, dtype=np.int64)
        node[sequence] = np.arange(total)
        return Numbering(
            given=np.array(order, dtype=np.int64)[sequence],
            parent=np.concatenate([[-1], node[above[1:]]])[sequence].astype(np.int32),
            leaves=leaves[sequence].astype(np.int64),
            depth=np.array(depth, dtype=np.int32)[sequence],
            first_leaf=before[:-1][sequence].astype(np.int32),
        )

    def name_nodes(self, codes: Iterable[int]) -> str:
        """Return the rows that gave these nodes as text."""
        return name_rows((self.rows[code] for code in codes), self.unit)

    def complain(self, fault: str, rows: Iterable[int] = (), hint: str = "") -> NoReturn:
        """Raise a SchemaError that names the file, or the function that was called."""
        raise SchemaError(f"{self.owner}: {fault}", rows=select_shown(rows), hint=hint)

    def _code(self, label: str, row: int) -> int:
        code = self.codes.get(label)
        if code is not None:
            return code
        self._refuse_bad_label(label, row)
        self.codes[label] = len(self.labels)
        self.labels.append(label)
        self.parent.append(-1)
        self.children.append([])
        self.rows.append(row)
        return len(self.labels) - 1

    def _attach(self, code: int, above: int, row: int) -> None:
        if above == -1:
            return
        if above == code:
            self._refuse_circle([row])
        self.parent[code] = above
        self.children[above].append(code)

    def _refuse_bad_label(self, label: str, row: int) -> None:
        where = name_rows([row], self.unit)
        if not isinstance(label, str) or not label:
            self.complain(f"a label must be text of at least one character, {where} has none.", [row], "Fill it in.")
        if len(label) > LONGEST_LABEL:
            self.complain(
                f"a label may have at most {LONGEST_LABEL:,} characters, {where} has more.", [row], "Shorten it."
            )
        if "\n" in label or "\r" in label:
            self.complain(f"a label must be on one line, {where} has a line break in it.", [row], "Remove it.")
        try:
            label.encode()
        except UnicodeEncodeError:
            self.complain(f"a label must be Unicode text, {where} has half a surrogate pair.", [row], "Remove it.")

    def _refuse_bad_leaves(self, rows: list[list[str]], numbers: list[int]) -> None:
        seen: dict[str, int] = {}
        for path, row in zip(rows, numbers, strict=True):
            if not path:
                where = name_rows([row], self.unit)
                self.complain(f"a row must start with its leaf, {where} starts empty.", [row], "Fill it in.")
            if path[0] in seen:
                both = [seen[path[0]], row]
                where = name_rows(both, self.unit)
                self.complain(f"a leaf must have one row, {where} start with the same leaf.", both, "Keep one of them.")
            seen[path[0]] = row

    def _refuse_second_mention(self, code: int, above: int, first: int, second: int) -> NoReturn:
        both = [first, second]
        where = name_rows(both, self.unit)
        if self.parent[code] == above:
            self.complain(f"a label must be listed once, {where} list the same one.", both, "Remove one of them.")
        self.complain(
            f"a label must have one parent, {where} put the same label under two.",
            both,
            "Keep one of them, or rename one of the labels.",
        )

    def _refuse_circle(self, rows: Iterable[int]) -> NoReturn:
        cycle = list(rows)
        self.complain(
            f"every label must lead up to the root, but {name_rows(cycle, self.unit)} form a cycle.",
            cycle,
            "Give one of these labels a parent nearer the root.",
        )


def _leading_run(path: list[str]) -> int:
    run = 1
    while run < len(path) and path[run] == path[0]:
        run += 1
    return run


def _name_groups(rows: list[list[str]]) -> dict[str, str]:
    """Rename inner nodes called like a leaf: a published value must not mean two things."""
    inner = {cell for path in rows for cell in path[_leading_run(path) :]}
    taken = inner | {path[0] for path in rows}
    groups: dict[str, str] = {}
    for path in rows:
        if path[0] in inner:
            name, count = f"{path[0]} (group)", 1
            while name in taken:
                count += 1
                name = f"{path[0]} (group {count})"
            taken.add(name)
            groups[path[0]] = name
    return groups


def _collapse(path: list[str], groups: dict[str, str]) -> list[str]:
    """Return the leaf and the distinct nodes above it."""
    leaf = path[0]
    above = path[1:] if leaf in groups else path[_leading_run(path) :]
    nodes = [leaf]
    for cell in above:
        name = groups.get(cell, cell)
        if name != nodes[-1]:
            nodes.append(name)
    return nodes
