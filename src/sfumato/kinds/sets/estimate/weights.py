"""How likely every member of a generalised value is the one that the value hides."""

from __future__ import annotations

import dataclasses
from collections.abc import Mapping
from functools import cached_property
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sfumato.core.ragged import Ragged

__all__ = ["MemberWeights", "Tokens", "weigh_left", "weigh_members"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RARER = -0.25
"""Of the exponents 0, -1/4, -1/3, -1/2 and -3/4 the one that was better than counting only exact items on each of seven
public and generated sets. Derived trees unite items that are about as frequent and want -1/2, others want 0."""


@dataclasses.dataclass(frozen=True, eq=False)
class MemberWeights:
    """The members of all values, value after value, each with its weight in that value.

    Parameters
    ----------
    items
        Labels of all members, in alphabetical order.
    starts
        The members of value v are cells ``starts[v]`` to ``starts[v + 1]``.
    item, weight
        Member of every cell, a position in ``items``, and its weight.
    """

    items: tuple[str, ...]
    starts: Ints
    item: Ints
    weight: Floats

    @property
    def sizes(self) -> Ints:
        """Number of members of every value."""
        return np.diff(self.starts)

    @cached_property
    def value(self) -> Ints:
        """Value of every cell."""
        return np.repeat(np.arange(len(self.starts) - 1), self.sizes)

    @cached_property
    def totals(self) -> Floats:
        """Sum of the weights of every value."""
        return np.bincount(self.value, self.weight, minlength=len(self.starts) - 1).astype(np.float64)

    @cached_property
    def code_of(self) -> dict[str, int]:
        """Position of every item."""
        return {item: code for code, item in enumerate(self.items)}

    def list_cells(self, items: Ints) -> Ints:
        """Return all cells of some items."""
        ends = self._bounds
        return np.concatenate([np.empty(0, np.int64), *(self._by_item[ends[i] : ends[i + 1]] for i in items)])

    @cached_property
    def _by_item(self) -> Ints:
        return np.argsort(self.item, kind="stable")

    @cached_property
    def _bounds(self) -> Ints:
        return np.searchsorted(self.item[self._by_item], np.arange(len(self.items) + 1))


@dataclasses.dataclass(frozen=True, eq=False)
class Tokens:
    """The tokens of a history by what they say.

    Examples
    --------
    >>> tokens = Tokens.of(Ragged.from_lists([["b", "a"], ["b"]]))
    >>> [tokens.list_all(np.array([value])).tolist() for value in range(2)]
    [[0, 2], [1]]
    """

    order: Ints
    bounds: Ints

    @classmethod
    def of(cls, history: Ragged) -> Tokens:
        """Sort the tokens of a history."""
        # Numbers of few bits are sorted in two passes, which is many times faster.
        codes = history.codes.astype(np.min_scalar_type(len(history.labels)))
        counts = np.bincount(history.codes, minlength=len(history.labels))
        return cls(np.argsort(codes, kind="stable"), np.append(0, np.cumsum(counts)))

    def count(self, values: Ints) -> Ints:
        """Return how many tokens each of some values has."""
        return self.bounds[values + 1] - self.bounds[values]

    def list_all(self, values: Ints) -> Ints:
        """Return the tokens of some values, value after value."""
        parts = [self.order[self.bounds[value] : self.bounds[value + 1]] for value in values.tolist()]
        return np.concatenate([np.empty(0, np.int64), *parts])


def weigh_members(history: Ragged, members: Mapping[str, tuple[str, ...]]) -> MemberWeights:
    """Weigh the members of every value by how often finer values publish them.

    Where items are generalised record by record, those that are often published exactly, or within a smaller value, are
    less often hidden in a larger one. The weight of a member that finer values publish in e records is
    1 / (1 + e)^(1/4). A finer value with several members counts for each of them with its share.

    Examples
    --------
    >>> records = Ragged.from_lists([["{a|b|c}"], *[["{a|b}"]] * 30, *[["c"]] * 80])
    >>> found = weigh_members(records, {"{a|b|c}": ("a", "b", "c"), "{a|b}": ("a", "b")})
    >>> coarse = records.labels.index("{a|b|c}")
    >>> found.items, found.weight[found.starts[coarse] : found.starts[coarse + 1]].round(3).tolist()
    (('a', 'b', 'c'), [0.5, 0.5, 0.333])
    """
    meanings = [members.get(label, (label,)) for label in history.labels]
    items = tuple(sorted({member for meaning in meanings for member in meaning}))
    code_of = {label: code for code, label in enumerate(items)}
    sizes = np.array([len(meaning) for meaning in meanings], dtype=np.int64)
    starts = np.append(0, np.cumsum(sizes))
    item = np.array([code_of[member] for meaning in meanings for member in meaning], dtype=np.int64)
    size_of_cell, value = np.repeat(sizes, sizes), np.repeat(np.arange(len(sizes)), sizes)
    counts = np.bincount(history.codes, minlength=len(sizes)).astype(np.float64)
    order = np.argsort(size_of_cell, kind="stable")
    ends = np.append(np.flatnonzero(np.diff(size_of_cell[order], prepend=-1)), len(order))
    weight, finer = np.ones(len(item)), np.zeros(len(items))
    for begin, end in pairwise(ends.tolist()):  # the values of one size, from the finest
        cells = order[begin:end]
        weight[cells] = (1.0 + finer[item[cells]]) ** _RARER
        totals = np.bincount(value[cells], weight[cells], minlength=len(sizes))
        finer += np.bincount(
            item[cells], (counts / np.where(totals > 0, totals, 1))[value[cells]] * weight[cells], len(items)
        )
    return MemberWeights(items, starts, item, weight)


def weigh_left(history: Ragged, tokens: Tokens, weights: MemberWeights) -> Floats:
    """Return for every token of a history the weight of the members that finer values of its record leave.

    A value beside finer ones of its own members says that something else was there: these members do not share it.
    Values of a record should be nested or have no member in common.

    Examples
    --------
    >>> records = Ragged.from_lists([["a", "{a|b|c}"], ["b"]])
    >>> found = weigh_members(records, {"{a|b|c}": ("a", "b", "c")})
    >>> found.totals.round(2).tolist(), weigh_left(records, Tokens.of(records), found).round(2).tolist()
    ([1.0, 2.68, 1.0], [1.0, 1.84, 1.0])
    """
    rows, left = history.row_of_token, weights.totals[history.codes]
    taken_out = np.zeros(len(left), dtype=bool)
    token_of = np.full(len(history), -1, dtype=np.int64)
    for value in np.argsort(weights.sizes, kind="stable"):
        finer, shares = _find_finer(weights, value)
        if not len(finer):
            continue
        coarse, fine = tokens.list_all(np.array([value])), tokens.list_all(finer)
        token_of[rows[coarse]] = coarse
        beside = token_of[rows[fine]]
        token_of[rows[coarse]] = -1
        # What is within a value that is itself within this one is taken out with that one.
        new = np.flatnonzero(beside >= 0)
        new = new[~taken_out[fine[new]]]
        np.subtract.at(left, beside[new], np.repeat(shares, tokens.count(finer))[new])
        taken_out[fine[new]] = True
    return left


def _find_finer(weights: MemberWeights, value: int) -> tuple[Ints, Floats]:
    """Return the values within another one, and what their members weigh in that one."""
    own = np.arange(weights.starts[value], weights.starts[value + 1])
    if len(own) == 1:
        return np.empty(0, np.int64), np.empty(0)
    cells = weights.list_cells(weights.item[own])
    here = np.zeros(len(weights.items))
    here[weights.item[own]] = weights.weight[own]
    finer, which, held = np.unique(weights.value[cells], return_inverse=True, return_counts=True)
    inside = (held == weights.sizes[finer]) & (held < len(own))
    return finer[inside], np.bincount(which, here[weights.item[cells]])[inside]
