"""The most frequent itemsets of ragged rows of distinct items, also over several levels of a hierarchy.

Itemsets are ranked by support, then by size (smaller first), then by their items in ascending order. An itemset
ranks behind each of its subsets, so what is not among the best so far never has to be extended.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato.kinds.sets._kernels.cluster_terms import count_bits

__all__ = ["Itemsets", "top_itemsets"]

Ints = NDArray[np.int64]
Codes = NDArray[np.int32]

# What intersecting a word of bits costs, if reading an entry of a row costs one.
_WORD_COST = 0.25


class Itemsets(NamedTuple):
    """Itemsets as ragged rows of item codes, with the number of rows that contain each.

    Examples
    --------
    >>> Itemsets(np.array([0, 1, 3]), np.array([7, 7, 9]), np.array([5, 4])).supports.tolist()
    [5, 4]
    """

    offsets: Ints
    items: Codes
    supports: Ints


class _Rows(NamedTuple):
    """Rows of items, the rows of every item, and the span of every item in its hierarchy."""

    offsets: Ints
    codes: Codes
    holder_offsets: Ints
    holders: Codes
    first: Ints
    last: Ints


def top_itemsets(
    offsets: Ints, codes: Codes, count: int, spans: tuple[Ints, Ints] | None = None, width: int = 0
) -> Itemsets:
    """Find the `count` best itemsets that occur: by support, then size, then items.

    The ranking leaves no ties: of itemsets with the support of the last place, the smaller ones and then those with
    lower codes are taken. Number the items by their labels and the result is the same everywhere.

    Parameters
    ----------
    offsets, codes
        Row r holds ``codes[offsets[r]:offsets[r + 1]]``, distinct and in ascending order.
    count
        Number of itemsets wanted; there are fewer where fewer occur.
    spans
        First and last leaf below every item, where items are nodes of a hierarchy and rows hold the ancestors of
        their items. Itemsets with an item and its own ancestor are left out.
    width
        Number of items; by default one more than the highest code.

    Examples
    --------
    >>> offsets, codes = np.array([0, 2, 4, 5]), np.array([0, 1, 0, 1, 1], dtype=np.int32)
    >>> found = top_itemsets(offsets, codes, 3)
    >>> [items.tolist() for items in np.split(found.items, found.offsets[1:-1])], found.supports.tolist()
    ([[1], [0], [0, 1]], [3, 2, 2])
    """
    width = max(width, int(codes.max(initial=-1)) + 1)
    items, supports = _best_items(np.bincount(codes, minlength=width), count)
    if not len(items):
        return Itemsets(np.zeros(1, dtype=np.int64), np.empty(0, dtype=np.int32), np.empty(0, dtype=np.int64))
    first, last = (np.arange(width), np.arange(width)) if spans is None else spans
    rows = _select_items(offsets, codes, items, first, last)
    levels, level_supports = [np.arange(len(items), dtype=np.int32)[:, None]], [supports]
    while len(levels[-1]):
        floor = int(np.concatenate(level_supports).min()) + 1 if sum(map(len, level_supports)) >= count else 1
        parents, extensions, counts = _extend(rows, levels[-1], floor)
        levels.append(np.column_stack([levels[-1][parents], extensions]))
        level_supports.append(counts)
        levels, level_supports = _keep_best(levels, level_supports, count)
        # Every item of a larger itemset is in one of the itemsets just found.
        rows = _drop_rare(rows, levels[-1])
    return _collect(levels, level_supports, items.astype(np.int32))


def _best_items(supports: Ints, count: int) -> tuple[Ints, Ints]:
    """Return the best single items in ascending order, with their supports."""
    best = np.argsort(-supports, kind="stable")[:count]
    items = np.sort(best[supports[best] > 0])
    return items, supports[items].astype(np.int64)


def _select_items(offsets: Ints, codes: Codes, items: Ints, first: Ints, last: Ints) -> _Rows:
    """Return the rows with only the given items left in them, renumbered in the given order."""
    number = np.full(max(int(codes.max(initial=-1)) + 1, int(items.max(initial=-1)) + 1), -1, dtype=np.int32)
    number[items] = np.arange(len(items), dtype=np.int32)
    renumbered = number[codes]
    is_used = renumbered >= 0
    counts = np.concatenate([[0], np.cumsum(is_used)]).astype(np.int64)
    return _index(counts[offsets], renumbered[is_used], first[items], last[items])


def _index(offsets: Ints, codes: Codes, first: Ints, last: Ints) -> _Rows:
    """Add the rows of every item."""
    row = np.repeat(np.arange(len(offsets) - 1, dtype=np.int32), np.diff(offsets))
    holders = row[np.argsort(codes, kind="stable")]
    starts = np.concatenate([[0], np.cumsum(np.bincount(codes, minlength=len(first)))]).astype(np.int64)
    return _Rows(offsets, codes, starts, holders, first.astype(np.int64), last.astype(np.int64))


def _drop_rare(rows: _Rows, sets: NDArray[np.int32]) -> _Rows:
    """Take out of the rows the items that are in none of the itemsets."""
    used = np.zeros(len(rows.first), dtype=bool)
    used[sets.ravel()] = True
    is_used = used[rows.codes]
    counts = np.concatenate([[0], np.cumsum(is_used)]).astype(np.int64)
    return _index(counts[rows.offsets], rows.codes[is_used], rows.first, rows.last)


def _keep_best(
    levels: list[NDArray[np.int32]], level_supports: list[Ints], count: int
) -> tuple[list[NDArray[np.int32]], list[Ints]]:
    """Keep the best itemsets of all sizes; those of a size are in ascending order of their items."""
    supports = np.concatenate(level_supports)
    is_best = np.zeros(len(supports), dtype=bool)
    is_best[np.argsort(-supports, kind="stable")[:count]] = True
    parts = np.split(is_best, np.cumsum([len(part) for part in level_supports])[:-1])
    pairs = list(zip(levels, level_supports, parts, strict=True))
    return [level[part] for level, _, part in pairs], [supports[part] for _, supports, part in pairs]


def _collect(levels: list[NDArray[np.int32]], level_supports: list[Ints], items: Codes) -> Itemsets:
    """Return all itemsets, best first."""
    supports = np.concatenate(level_supports)
    sizes = np.repeat([level.shape[1] for level in levels], [len(level) for level in levels])
    starts = np.cumsum(sizes) - sizes
    order = np.argsort(-supports, kind="stable")
    lengths = sizes[order]
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int64)
    flat = np.concatenate([level.ravel() for level in levels])
    within = np.arange(offsets[-1]) - np.repeat(offsets[:-1], lengths)
    return Itemsets(offsets, items[flat[np.repeat(starts[order], lengths) + within]], supports[order])


def _extend(rows: _Rows, sets: NDArray[np.int32], floor: int) -> tuple[Ints, Codes, Ints]:
    """Return all extensions of itemsets that reach the floor: their itemset, item and support.

    Where items are in many rows, sets of rows are kept as bits and intersected; else rows are read one by one.
    """
    supports = np.diff(rows.holder_offsets)
    reading = float(supports[sets].min(axis=1).sum()) * len(rows.codes) / max(len(rows.offsets) - 1, 1)
    items = np.flatnonzero(supports)
    higher = len(items) - np.searchsorted(items, sets[:, -1], side="right")
    words = (len(rows.offsets) + 62) // 64
    extensions: tuple[Ints, Codes, Ints]
    if _WORD_COST * float(higher.sum()) * words > reading:
        extensions = _count_extensions(rows, sets, floor)
        return extensions
    bits = np.zeros((len(supports), words), dtype=np.uint64)
    _set_bits(rows, bits)
    extensions = _intersect_extensions(rows, bits, sets, floor)
    return extensions


@njit(cache=True, nogil=True)
def _set_bits(rows: _Rows, bits: NDArray[np.uint64]) -> None:
    """Mark the rows of every item."""
    for item in range(len(bits)):
        for place in range(rows.holder_offsets[item], rows.holder_offsets[item + 1]):
            row = rows.holders[place]
            bits[item, row >> 6] |= np.uint64(1) << np.uint64(row & 63)


@njit(cache=True, nogil=True)
def _intersect_extensions(
    rows: _Rows, bits: NDArray[np.uint64], sets: NDArray[np.int32], floor: int
) -> tuple[Ints, Codes, Ints]:
    """Do what :func:`_count_extensions` does with sets of rows as bits."""
    width, words = bits.shape
    parents = np.empty(1024, dtype=np.int64)
    extensions = np.empty(1024, dtype=np.int32)
    supports = np.empty(1024, dtype=np.int64)
    common = np.empty(words, dtype=np.uint64)
    count = 0
    for number in range(len(sets)):
        chosen = sets[number]
        common[:] = bits[chosen[0]]
        for item in chosen[1:]:
            for word in range(words):
                common[word] &= bits[item, word]
        for item in range(chosen[-1] + 1, width):
            if rows.holder_offsets[item + 1] - rows.holder_offsets[item] < floor or _is_related(rows, chosen, item):
                continue
            support = 0
            for word in range(words):
                support += count_bits(common[word] & bits[item, word])
            if support >= floor:
                if count == len(parents):
                    parents = np.concatenate((parents, np.empty_like(parents)))
                    extensions = np.concatenate((extensions, np.empty_like(extensions)))
                    supports = np.concatenate((supports, np.empty_like(supports)))
                parents[count] = number
                extensions[count] = item
                supports[count] = support
                count += 1
    return parents[:count].copy(), extensions[:count].copy(), supports[:count].copy()


@njit(cache=True, nogil=True)
def _count_extensions(rows: _Rows, sets: NDArray[np.int32], floor: int) -> tuple[Ints, Codes, Ints]:
    """Count, for every itemset and every higher item, the rows that have both.

    Of every itemset only the rows of its rarest item are read. Returned are the position of the itemset, the item
    and the count, where the count reaches the floor.
    """
    width = len(rows.first)
    counts = np.zeros(width, dtype=np.int64)
    parents = np.empty(1024, dtype=np.int64)
    extensions = np.empty(1024, dtype=np.int32)
    supports = np.empty(1024, dtype=np.int64)
    count = 0
    for number in range(len(sets)):
        chosen = sets[number]
        size = len(chosen)
        rarest = chosen[0]
        for item in chosen:
            mine = rows.holder_offsets[item + 1] - rows.holder_offsets[item]
            if mine < rows.holder_offsets[rarest + 1] - rows.holder_offsets[rarest]:
                rarest = item
        for place in range(rows.holder_offsets[rarest], rows.holder_offsets[rarest + 1]):
            row = rows.holders[place]
            at = rows.offsets[row]
            end = rows.offsets[row + 1]
            met = 0
            while at < end and met < size and rows.codes[at] <= chosen[met]:
                if rows.codes[at] == chosen[met]:
                    met += 1
                at += 1
            if met == size:
                while at < end:
                    counts[rows.codes[at]] += 1
                    at += 1
        for item in range(chosen[size - 1] + 1, width):
            support = counts[item]
            if support >= floor and not _is_related(rows, chosen, item):
                if count == len(parents):
                    parents = np.concatenate((parents, np.empty_like(parents)))
                    extensions = np.concatenate((extensions, np.empty_like(extensions)))
                    supports = np.concatenate((supports, np.empty_like(supports)))
                parents[count] = number
                extensions[count] = item
                supports[count] = support
                count += 1
            counts[item] = 0
    return parents[:count].copy(), extensions[:count].copy(), supports[:count].copy()


@njit(cache=True, nogil=True)
def _is_related(rows: _Rows, chosen: NDArray[np.int32], item: int) -> bool:
    """Tell whether an item is an ancestor or a descendant of one of the chosen."""
    for other in chosen:
        inside = rows.first[other] <= rows.first[item] and rows.last[item] <= rows.last[other]
        outside = rows.first[item] <= rows.first[other] and rows.last[other] <= rows.last[item]
        if inside or outside:
            return True
    return False
