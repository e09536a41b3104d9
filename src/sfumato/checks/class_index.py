"""Which published classes hold all that is known of somebody: asked of many people at a time.

A class holds ranges of numbers, and sets of labels as bits. A case is what is known of some people: a number for every
range, and labels, the *facts*. Few cases and classes are compared one by one in plain NumPy; for more there is a tree
over the classes, compiled. It shares nothing with the methods.
"""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence
from functools import cached_property
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.checks.compiled import is_compiled_for
from sfumato.data.lists import distinct

__all__ = ["ClassIndex", "HeldLabels", "LabelIndex"]

Ints = npt.NDArray[np.int64]
Bytes = npt.NDArray[np.uint8]
Flags = npt.NDArray[np.bool_]

_BYTES = 1 << 22
"""Bytes with eight pairs of a case and a class each that are compared in one go."""
_LEAF, _LEAF_OF_LABELS = 8, 63
"""Classes in a leaf of the tree; labels of so many are compared at once, as bits of a word."""


class HeldLabels(NamedTuple):
    """Which labels the cells of a column hold; labels are numbers.

    Attributes
    ----------
    low, high
        The first and the last label of every cell.
    holds
        Which labels every cell holds, one row per cell; None where cells hold all from their first to their last.

    Examples
    --------
    >>> HeldLabels.of(np.array([[True, True, False], [False, True, True]]))
    HeldLabels(low=array([0, 1]), high=array([1, 2]), holds=None)
    """

    low: Ints
    high: Ints
    holds: Flags | None = None

    @classmethod
    def of(cls, holds: Flags) -> HeldLabels:
        """Find out whether cells hold labels that follow each other."""
        low = holds.argmax(axis=1)
        high = holds.shape[1] - 1 - holds[:, ::-1].argmax(axis=1)
        in_a_row = np.count_nonzero(holds, axis=1) == high - low + 1
        return cls(low, high, None if in_a_row.all() else holds)

    def contain(self, cells: Ints, labels: Ints) -> Flags:
        """Tell whether cells hold labels, pair by pair."""
        if self.holds is not None:
            return self.holds[cells, labels]
        return np.asarray((self.low[cells] <= labels) & (labels <= self.high[cells]))


@dataclasses.dataclass(frozen=True, eq=False)
class ClassIndex:
    """Published classes that can be asked which of them hold all of something.

    Attributes
    ----------
    low, high
        Ends of the ranges of every class, both included: one row per class.
    masks
        Labels of every class as bits, eight a byte, the lowest first.
    centres
        Where every class lies: what the tree is cut by.

    Examples
    --------
    >>> low, high = np.array([[0], [5], [9]]), np.array([[4], [9], [9]])
    >>> index = ClassIndex(low, high, np.array([[1], [3], [2]], np.uint8), low.astype(float))
    >>> offsets, classes = index.find(np.array([[9], [3]]), np.array([0, 1, 2]), np.array([1, 0]))
    >>> offsets.tolist(), classes.tolist()
    ([0, 2, 3], [1, 2, 0])
    """

    low: Ints
    high: Ints
    masks: Bytes
    centres: npt.NDArray[np.float64]

    def find(self, values: Ints, offsets: Ints, facts: Ints, comparisons: int | None = None) -> tuple[Ints, Ints]:
        """Find the classes that hold a case, for every case: where those of each begin, and the classes.

        Parameters
        ----------
        values
            A number for every range, one row per case.
        offsets, facts
            Bits that must be set: those of a case are ``facts[offsets[case] : offsets[case + 1]]``.
        comparisons
            How many are made in all, eight at once counting as one, where these cases are some of many.
        """
        if comparisons is None:
            different = sum(len(distinct(column)) for column in values.T)
            comparisons = len(self.low) * (different + (values.size + len(facts)) // 8)
        if is_compiled_for(comparisons):
            from sfumato.checks._kernels.class_tree import find_classes

            matches: tuple[Ints, Ints] = find_classes(np.ascontiguousarray(values), offsets, facts, *self._tree)
            return matches
        return self._compare(values, offsets, facts)

    def _compare(self, values: Ints, offsets: Ints, facts: Ints) -> tuple[Ints, Ints]:
        """Compare all cases with all classes, eight at once as the bits of a byte, some cases at a time."""
        lengths, classes = np.diff(offsets), len(self.low)
        labels = np.packbits(np.unpackbits(self.masks, axis=1, bitorder="little").T, axis=1)
        width = -(-classes // 8)
        step = max(1, _BYTES // max(width, 1))
        counts, parts = [np.zeros(1, np.int64)], [np.zeros(0, np.int64)]
        for begin in range(0, len(lengths), step):
            rows = np.arange(begin, min(begin + step, len(lengths)))
            holds = np.broadcast_to(np.packbits(np.ones(classes, dtype=bool)), (len(rows), width)).copy()
            for low, high, value in zip(self.low.T, self.high.T, values[rows].T, strict=True):
                different, which = np.unique(value, return_inverse=True)
                inside = (low <= different[:, None]) & (different[:, None] <= high)
                holds &= np.packbits(inside, axis=1)[which.reshape(-1)]
            for at in range(int(lengths[rows].max(initial=0))):
                longer = np.flatnonzero(lengths[rows] > at)
                holds[longer] &= labels[facts[offsets[rows[longer]] + at]]
            row, byte = np.divmod(np.flatnonzero(holds), max(width, 1))
            which, bit = np.nonzero(np.unpackbits(holds[row, byte][:, None], axis=1))
            counts.append(np.bincount(row[which], minlength=len(rows)))
            parts.append(8 * byte[which] + bit)
        return np.cumsum(np.concatenate(counts)), np.concatenate(parts)

    @cached_property
    def _tree(self) -> tuple[Any, ...]:
        from sfumato.checks._kernels.class_tree import build_tree

        # What differs by as much as it can in every column is as far apart.
        span = np.ptp(self.centres, axis=0) if len(self.centres) else 1.0
        arrays = (self.low, self.high, self.masks, self.centres / np.where(span > 0, span, 1.0))
        leaf = _LEAF_OF_LABELS if self.masks.shape[1] else _LEAF
        tree: tuple[Any, ...] = build_tree(*map(np.ascontiguousarray, arrays), leaf)
        return tree


@dataclasses.dataclass(frozen=True, eq=False)
class LabelIndex:
    """Classes whose cells hold labels of columns: which of them hold a label of every column.

    Examples
    --------
    >>> column = HeldLabels.of(np.array([[True, True, False], [False, True, True]]))
    >>> offsets, classes = LabelIndex.of([(column, np.array([0, 0, 1]))], 3).find(np.array([[1], [2]]))
    >>> offsets.tolist(), classes.tolist()
    ([0, 3, 4], [0, 1, 2, 2])
    """

    index: ClassIndex
    ranges: list[int]
    sets: list[int]
    begins: Ints

    @classmethod
    def of(cls, columns: Sequence[tuple[HeldLabels, Ints]], classes: int) -> LabelIndex:
        """Index so many classes by their columns: what cells hold, and the cell of every class."""
        ranges = [at for at, (labels, _) in enumerate(columns) if labels.holds is None]
        sets = [at for at, (labels, _) in enumerate(columns) if labels.holds is not None]
        low, high = np.zeros((2, classes, len(columns)), np.int64)
        masks = [np.zeros((classes, 0), np.uint8)]
        for at, (labels, cells) in enumerate(columns):
            low[:, at], high[:, at] = labels.low[cells], labels.high[cells]
            if labels.holds is not None:
                masks.append(np.packbits(labels.holds, axis=1, bitorder="little")[cells])
        begins = 8 * np.cumsum([part.shape[1] for part in masks])[:-1]
        index = ClassIndex(low[:, ranges], high[:, ranges], np.concatenate(masks, axis=1), (low + high) / 2)
        return cls(index, ranges, sets, begins)

    def find(self, labels: Ints) -> tuple[Ints, Ints]:
        """Find the classes that hold all labels of a case, one row per case and a label of every column."""
        offsets = np.arange(len(labels) + 1) * len(self.sets)
        return self.index.find(labels[:, self.ranges], offsets, (labels[:, self.sets] + self.begins).reshape(-1))
