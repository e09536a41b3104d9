"""How likely every member of a generalised value is the one that the value hides."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn

__all__ = ["MemberWeights", "Places", "weigh_left", "weigh_members"]

Ints = npt.NDArray[np.int64]
Floats = npt.NDArray[np.float64]

_RARER = -0.25
"""Of the exponents 0, -1/4, -1/3, -1/2 and -3/4 the one that was better than counting only exact items on each of seven
public and generated sets. Derived trees unite items that are about as frequent and want -1/2, others want 0."""


class Places(NamedTuple):
    """Where each of some codes stands.

    Examples
    --------
    >>> places = Places.of(np.array([1, 0, 1]), 2)
    >>> places.list_all([1, 0]).tolist(), places.count_places(np.array([1, 0])).tolist()
    ([0, 2, 1], [2, 1])
    """

    order: Ints
    bounds: Ints

    @classmethod
    def of(cls, codes: npt.NDArray[np.integer[Any]], number: int) -> Places:
        """Sort the places of codes from 0 to a number."""
        bounds = np.append(0, np.cumsum(np.bincount(codes, minlength=number)))
        # Codes of few bits are sorted in two passes, which is many times faster.
        return cls(np.argsort(codes.astype(np.min_scalar_type(number)), kind="stable"), bounds)

    def count_places(self, codes: Ints) -> Ints:
        """Return at how many places each of some codes stands."""
        return self.bounds[codes + 1] - self.bounds[codes]

    def list_all(self, codes: Iterable[int]) -> Ints:
        """Return the places of some codes, code after code."""
        parts = [self.order[self.bounds[code] : self.bounds[code + 1]] for code in codes]
        return np.concatenate([np.empty(0, np.int64), *parts])


class MemberWeights(NamedTuple):
    """The members of all values in cells, value after value, each with its weight in that value.

    Attributes
    ----------
    items
        Position of every member among all, in alphabetical order.
    item, value, weight
        Member, value and weight of every cell.
    starts, sizes, totals
        First cell of every value, number of its members, and the sum of their weights.
    cells
        The cells of every item.
    """

    items: dict[str, int]
    item: Ints
    value: Ints
    weight: Floats
    starts: Ints
    sizes: Ints
    totals: Floats
    cells: Places


def weigh_members(history: ListColumn, members: Mapping[str, tuple[str, ...]]) -> MemberWeights:
    """Weigh the members of every value by how often finer values publish them.

    Where items are generalised record by record, those that are often published exactly, or within a smaller value, are
    less often hidden in a larger one. The weight of a member that finer values publish in e records is
    1 / (1 + e)^(1/4). A finer value with several members counts for each of them with its share.

    Examples
    --------
    >>> records = ListColumn.from_lists([["{a|b|c}"], *[["{a|b}"]] * 30, *[["c"]] * 80])
    >>> found = weigh_members(records, {"{a|b|c}": ("a", "b", "c"), "{a|b}": ("a", "b")})
    >>> coarse = found.value == records.labels.index("{a|b|c}")
    >>> found.items, found.weight[coarse].round(3).tolist()
    ({'a': 0, 'b': 1, 'c': 2}, [0.5, 0.5, 0.333])
    """
    meanings = [members.get(label, (label,)) for label in history.labels]
    items = {label: code for code, label in enumerate(sorted({member for group in meanings for member in group}))}
    item = np.array([items[member] for group in meanings for member in group], dtype=np.int64)
    sizes = np.array([len(group) for group in meanings], dtype=np.int64)
    value = np.repeat(np.arange(len(sizes)), sizes)
    counts = np.bincount(history.codes, minlength=len(sizes))
    weight, totals, finer = np.ones(len(item)), np.ones(len(sizes)), np.zeros(len(items))
    by_size = Places.of(sizes[value], int(sizes.max(initial=0)) + 1)
    for size in np.unique(sizes).tolist():  # the finest first
        cells = by_size.list_all([size])
        own, member = value[cells], item[cells]
        weight[cells] = (1.0 + finer[member]) ** _RARER
        totals[own] = np.bincount(own, weight[cells], minlength=len(sizes))[own]
        finer += np.bincount(member, counts[own] * weight[cells] / totals[own], minlength=len(items))
    starts = np.cumsum(sizes) - sizes
    return MemberWeights(items, item, value, weight, starts, sizes, totals, Places.of(item, len(items)))


def weigh_left(history: ListColumn, tokens: Places, weights: MemberWeights) -> Floats:
    """Return for every token of a history the weight of the members that finer values of its record leave.

    A value beside finer ones of its own members says that something else was there: these members do not share it.
    Values of a record should be nested or have no member in common.

    Examples
    --------
    >>> records = ListColumn.from_lists([["a", "{a|b|c}"], ["b"]])
    >>> found = weigh_members(records, {"{a|b|c}": ("a", "b", "c")})
    >>> tokens = Places.of(records.codes, len(records.labels))
    >>> found.totals.round(2).tolist(), weigh_left(records, tokens, found).round(2).tolist()
    ([1.0, 2.68, 1.0], [1.0, 1.84, 1.0])
    """
    rows, left = history.row_of_token, weights.totals[history.codes]
    taken_out = np.zeros(len(left), dtype=bool)
    token_of = np.full(len(history), -1, dtype=np.int64)
    wide = np.flatnonzero(weights.sizes > 1)
    for value in wide[np.argsort(weights.sizes[wide], kind="stable")]:
        finer, shares = _find_finer(weights, value)
        if not len(finer):
            continue
        coarse, fine = tokens.list_all([value]), tokens.list_all(finer)
        token_of[rows[coarse]] = coarse
        beside = token_of[rows[fine]]
        token_of[rows[coarse]] = -1
        # What is within a value that is itself within this one is taken out with that one.
        new = np.flatnonzero(beside >= 0)
        new = new[~taken_out[fine[new]]]
        np.subtract.at(left, beside[new], np.repeat(shares, tokens.count_places(finer))[new])
        taken_out[fine[new]] = True
    return left


def _find_finer(weights: MemberWeights, value: int) -> tuple[Ints, Floats]:
    """Return the values within another one, and what their members weigh in that one."""
    own = weights.starts[value] + np.arange(weights.sizes[value])
    cells = weights.cells.list_all(weights.item[own])
    here = np.zeros(len(weights.items))
    here[weights.item[own]] = weights.weight[own]
    finer, which, held = np.unique(weights.value[cells], return_inverse=True, return_counts=True)
    inside = (held == weights.sizes[finer]) & (held < len(own))
    return finer[inside], np.bincount(which, here[weights.item[cells]])[inside]
