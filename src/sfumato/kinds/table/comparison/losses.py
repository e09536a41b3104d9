"""What the cells of a published column cost, each compared with the whole column."""

from __future__ import annotations

import dataclasses
from functools import cached_property
from typing import Any

import numpy as np
import numpy.typing as npt

from sfumato.data.coded import Coded, ValueSets
from sfumato.data.lists import ListColumn
from sfumato.kinds.table.dataset import Attribute

__all__ = ["ComparedColumn", "count_values"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]
Flags = npt.NDArray[np.bool_]


@dataclasses.dataclass(frozen=True, eq=False)
class ComparedColumn:
    """A column of the original beside what it is published as.

    Examples
    --------
    >>> import sfumato as sf
    >>> from sfumato.metrics.comparison import Comparison
    >>> from sfumato.kinds.table.comparison import TableComparison
    >>> data = sf.Dataset.of("table", [("a",), ("b",), ("c",), ("c",), ("d",), ("d",)], ("city",))
    >>> release = sf.anonymize(data, sf.methods.Mondrian(k=2), secret=bytes(32)).release
    >>> city = Comparison(data, release).view(TableComparison).columns[0]
    >>> list(zip(city.values.texts.to_pylist(), city.losses.tolist(), city.amounts.tolist()))
    [('{a|b}', 0.5, 2), ('{c}', 0.0, 2), ('{d}', 0.0, 2)]
    """

    attribute: Attribute
    published: Coded
    counts: Ints | None = None
    """Number of records of the whole original with each value, where these are those of a part."""

    @property
    def name(self) -> str:
        """Name of the column."""
        return self.attribute.name

    @property
    def values(self) -> ValueSets:
        """What the different cells may be."""
        return self.published.values

    @cached_property
    def texts(self) -> list[str]:
        """The different cells as they stand in the files."""
        return [] if self.values.texts is None else self.values.texts.to_pylist()

    @property
    def codes(self) -> Ints:
        """Cell of every published record."""
        return self.published.codes

    @property
    def is_numeric(self) -> bool:
        """Whether cells are ranges on an axis."""
        return self.values.low is not None

    @property
    def has_missing(self) -> bool:
        """Whether a value is missing somewhere in the whole original."""
        return bool(self.frequencies[-1])

    @cached_property
    def amounts(self) -> Ints:
        """Number of records with each cell."""
        return np.bincount(self.codes, minlength=len(self.values)).astype(np.int64)

    @cached_property
    def ranges(self) -> tuple[npt.NDArray[Any], npt.NDArray[Any]]:
        """Bounds of all cells; a suppressed one is as wide as the column."""
        low, high = self.values.bounds
        axis, hidden = self.attribute.axis, self.values.suppressed
        if axis is None or not len(axis):
            return low, high
        return np.where(hidden, axis[0], low), np.where(hidden, axis[-1], high)

    @cached_property
    def losses(self) -> Floats:
        """NCP of every cell: 0 where it is exact or missing, 1 where it may be anything, else its share of the column.

        The share is that of the distance between the smallest and the largest value, of the leaves of the hierarchy, or
        of the values there are.
        """
        if self.is_numeric:
            share = np.where(self.values.missing, 0.0, self._share_span())
        else:
            sizes = self.values.sizes.astype(np.float64)
            share = np.where(sizes > 1, np.minimum(sizes / max(self.width, 1), 1.0), 0.0)
        return np.where(self.values.suppressed, 1.0, share)

    def _share_span(self) -> Floats:
        low, high = self.values.bounds
        axis = self.attribute.axis
        span = float(axis[-1] - axis[0]) if axis is not None and len(axis) else 0.0
        length = (high - low).astype(np.float64)
        # A column of one value has no extent: whatever is wider than that value is all there is.
        return np.minimum(length / span, 1.0) if span > 0 else (length > 0).astype(np.float64)

    @property
    def width(self) -> int:
        """Number of labels a suppressed cell may stand for: the leaves of the hierarchy, or the values there are."""
        return len(self._every)

    @property
    def _every(self) -> tuple[str, ...]:
        tree = self.attribute.hierarchy
        is_tree = bool(self.values.names) and self.published.role == "quasi-identifier"
        return tree.leaf_labels if is_tree and tree is not None and tree.kind == "labels" else self.attribute.labels

    @cached_property
    def meanings(self) -> ListColumn:
        """Labels that every cell of a column of labels may stand for; a suppressed one any but a missing value."""
        every = self._every
        labels = (*every, *sorted({*self.values.labels} - {*every}))
        code_of = {label: code for code, label in enumerate(labels)}
        sizes = np.where(self.values.suppressed, len(every), self.values.sizes)
        offsets = np.concatenate([[0], np.cumsum(sizes)]).astype(np.int64)
        codes = np.zeros(int(offsets[-1]), np.int32)
        is_listed = np.repeat(~self.values.suppressed, sizes)
        listed = np.array([code_of[label] for label in self.values.labels], dtype=np.int32)
        codes[is_listed] = listed[self.values.members]
        codes[~is_listed] = np.tile(np.arange(len(every)), int(self.values.suppressed.sum()))
        return ListColumn(offsets, codes, labels)

    @cached_property
    def exact(self) -> Flags:
        """Which cells are one value, or a missing one."""
        return np.asarray((self.losses == 0) & ~self.values.suppressed)

    @cached_property
    def levels(self) -> Floats:
        """How far up its hierarchy every cell is: 0 at the leaves, 1 at the root; its NCP where there are no levels."""
        tree = self.attribute.hierarchy
        if not self.values.names or tree is None or tree.kind != "labels" or not tree.height:
            return self.losses
        place = {label: node for node, label in enumerate(tree.labels)}
        nodes = np.array([place.get(name, -1) for name in self.values.names], dtype=np.int64)
        heights = np.where(nodes < len(tree.leaf_labels), 0.0, 1 - np.asarray(tree.depth)[nodes] / tree.height)
        return np.where((nodes < 0) | self.values.suppressed, self.losses, heights)

    @cached_property
    def frequencies(self) -> Ints:
        """Number of records of the whole original with each value; the last is that of missing ones."""
        return count_values(self.attribute) if self.counts is None else self.counts

    @cached_property
    def masses(self) -> Ints:
        """Number of original records whose value every cell may stand for."""
        counts, values = self.frequencies, self.values
        if self.is_numeric:
            low, high = values.bounds
            axis = self.attribute.axis if self.attribute.axis is not None else np.empty(0)
            below = np.concatenate([[0], np.cumsum(counts[:-1])])
            inside = below[np.searchsorted(axis, high, "right")] - below[np.searchsorted(axis, low, "left")]
            inside = np.where(values.missing, counts[-1], inside)
        else:
            count_of = dict(zip(self.attribute.value_sets.labels, counts.tolist(), strict=True))
            weights = np.array([count_of.get(label, 0) for label in values.labels], dtype=np.float64)
            inside = np.bincount(values.entry_of_member, weights[values.members], minlength=len(values))
        return np.where(values.suppressed, int(counts.sum()), inside).astype(np.int64)


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
