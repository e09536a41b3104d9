"""What the cells of a published column cost, each compared with the whole column."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.kinds.table.dataset import MISSING, Attribute
from sfumato.kinds.table.decode import Cells

__all__ = ["PublishedAttribute", "count_values"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class PublishedAttribute:
    """A column of the original beside the cells it is published as.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> from sfumato.kinds.table.comparison import TableComparison
    >>> data = sf.Dataset.of("table", [("a",), ("b",), ("c",), ("c",), ("d",), ("d",)], ("city",))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> city = Comparison(data, release).view(TableComparison).columns[0]
    >>> list(zip(city.cells.cells, city.losses.tolist(), city.amounts.tolist()))
    [(['a', 'b'], 0.5, 2), (['c'], 0.0, 2), (['d'], 0.0, 2)]
    """

    attribute: Attribute
    cells: Cells
    counts: Ints | None = None
    """Number of records of the whole original with each value, where these are those of a part."""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.attribute.name

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing somewhere in the whole original."""
        return bool(self.frequencies[-1])

    @cached_property
    def suppressed(self) -> Flags:
        """Which cells may be anything."""
        return np.array([cell is None for cell in self.cells.cells], dtype=bool)

    @cached_property
    def amounts(self) -> Ints:
        """Number of records with each cell."""
        return np.bincount(self.cells.index, minlength=len(self.cells.cells)).astype(np.int64)

    @cached_property
    def losses(self) -> Floats:
        """NCP of every cell: 0 where it is exact or missing, 1 where it may be anything, else its share of the column.

        The share is that of the distance between the smallest and the largest value, of the leaves of the hierarchy, or
        of the values there are.
        """
        if self.cells.form.cell == "interval":
            return self._interval_losses()
        width = max(self.width, 1)
        sizes = self.meanings.lengths.astype(np.float64)
        return np.where(self.suppressed, 1.0, np.where(sizes > 1, np.minimum(sizes / width, 1.0), 0.0))

    def _interval_losses(self) -> Floats:
        low, high, missing, suppressed = self.cells.bounds
        axis = self.attribute.axis
        span = float(axis[-1] - axis[0]) if axis is not None and len(axis) else 0.0
        length = (high - low).astype(np.float64)
        # A column of one value has no extent: whatever is wider than that value is all there is.
        share = np.minimum(length / span, 1.0) if span > 0 else (length > 0).astype(np.float64)
        return np.asarray(np.where(suppressed, 1.0, np.where(missing, 0.0, share)))

    @property
    def width(self) -> int:
        """Number of labels a suppressed cell may stand for: the leaves of the hierarchy, or the values there are."""
        return len(self._every)

    @property
    def _every(self) -> tuple[str, ...]:
        tree = self.attribute.hierarchy
        by_tree = self.cells.form.cell == "category" and tree is not None and tree.kind == "labels"
        return tree.leaf_labels if by_tree and tree is not None else self.attribute.labels

    @cached_property
    def meanings(self) -> ListColumn:
        """Labels that every cell of a column of labels may stand for; a suppressed one any but a missing value."""
        every = self._every
        shown = [self._labels(cell) for cell in self.cells.cells]
        others = sorted({label for labels in shown if labels is not None for label in labels} - set(every))
        code_of = {label: code for code, label in enumerate((*every, *others))}
        whole = np.arange(len(every))
        rows = [whole if labels is None else np.array([code_of[label] for label in labels]) for labels in shown]
        offsets = np.concatenate([[0], np.cumsum([len(row) for row in rows])]).astype(np.int64)
        codes = np.concatenate([np.empty(0), *rows]).astype(np.int32)
        return ListColumn(offsets, codes, tuple(code_of))

    def _labels(self, cell: Any) -> Sequence[str] | None:
        if cell is None or isinstance(cell, list):
            return cell
        return self.cells.members.get(cell, (cell,)) if isinstance(cell, str) else (str(cell),)

    @cached_property
    def exact(self) -> Flags:
        """Which cells are one value, or a missing one."""
        return np.asarray((self.losses == 0) & ~self.suppressed)

    @cached_property
    def levels(self) -> Floats:
        """How far up its hierarchy every cell is: 0 at the leaves, 1 at the root; its NCP where there are no levels."""
        tree = self.attribute.hierarchy
        if self.cells.form.cell != "category" or tree is None or tree.kind != "labels" or not tree.height:
            return self.losses
        place = {label: node for node, label in enumerate(tree.labels)}
        leaves, heights = len(tree.leaf_labels), self.losses.copy()
        for at, cell in enumerate(self.cells.cells):
            node = place.get(cell, -1) if cell is not None else -1
            if 0 <= node < leaves:
                heights[at] = 0.0
            elif node >= leaves:
                heights[at] = 1 - float(tree.depth[node]) / tree.height
        return heights

    @cached_property
    def frequencies(self) -> Ints:
        """Number of records of the whole original with each value; the last is that of missing ones."""
        return count_values(self.attribute) if self.counts is None else self.counts

    @cached_property
    def masses(self) -> Ints:
        """Number of original records whose value every cell may stand for."""
        counts, total = self.frequencies, int(self.frequencies.sum())
        if self.cells.form.cell == "interval":
            low, high, missing, suppressed = self.cells.bounds
            axis = self.attribute.axis if self.attribute.axis is not None else np.empty(0)
            below = np.concatenate([[0], np.cumsum(counts[:-1])])
            inside = below[np.searchsorted(axis, high, "right")] - below[np.searchsorted(axis, low, "left")]
            return np.asarray(np.where(suppressed, total, np.where(missing, counts[-1], inside)), dtype=np.int64)
        meanings = self.meanings
        count_of = dict(zip((*self.attribute.labels, MISSING), counts.tolist(), strict=True))
        weights = np.array([count_of.get(label, 0) for label in meanings.labels], dtype=np.float64)
        inside = np.bincount(meanings.row_of_token, weights[meanings.codes], minlength=len(meanings))
        return np.where(self.suppressed, total, inside).astype(np.int64)


def count_values(attribute: Attribute) -> Ints:
    """Return how many records have each value of a column; the last is the number of missing ones.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.kinds.table.dataset import attribute_of
    >>> data = sf.Dataset.of("table", [("a",), ("b",), ("b",), (None,)], ("city",))
    >>> count_values(attribute_of(data, "city")).tolist()
    [1, 2, 1]
    """
    codes, width = attribute.codes, len(attribute.labels) + 1
    return np.bincount(np.where(codes < 0, width - 1, codes), minlength=width).astype(np.int64)
