"""Counts of the itemsets of rows whose codes are united step by step.

When code x is united with y, every row that held x holds y from then on, once. Only those rows are touched: the
itemsets with y that they did not hold before are counted, and itemsets with x are never asked for again, so nothing
has to be subtracted.
"""

from typing import NamedTuple

import numpy as np
from numba import njit
from numpy.typing import NDArray

from sfumato._kernels.counter import LARGEST_KEY, Counter, add_keys, list_entries, new_counter, read_key
from sfumato.kinds.sets._kernels.baskets import Baskets, find_code, remove_at, replace_at

__all__ = ["ItemsetCounts", "count_itemsets", "list_rare", "read_support", "unite_codes"]

_BUFFER = 8192
_BLOCK = 8192
MAX_ITEMSETS = 1 << 27
"""The most itemsets that are counted side by side; their counts take about four gigabytes."""


class ItemsetCounts(NamedTuple):
    """Counts of all itemsets of one size.

    Attributes
    ----------
    size
        Number of codes of an itemset.
    base
        An itemset is the number whose digits to this base are its ascending codes.
    counter
        Counts by that number; unused for size 1, which :attr:`Baskets.support` counts.
    """

    size: int
    base: int
    counter: Counter


def count_itemsets(baskets: Baskets, size: int) -> ItemsetCounts:
    """Count how many rows hold each itemset of a size.

    Raises
    ------
    ValueError
        If there are more possible itemsets than 62 bits can number, or more to count than memory should hold.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.baskets import fill_baskets
    >>> baskets = fill_baskets(np.array([0, 2, 5]), np.array([0, 1, 0, 1, 2], np.int32), np.arange(3), 3)
    >>> itemset_counts = count_itemsets(baskets, 2)
    >>> read_support(baskets, itemset_counts, np.array([0, 1])), read_support(baskets, itemset_counts, np.array([1, 2]))
    (2, 1)
    """
    base = max(baskets.forward.size, 2)
    if base**size - 1 > LARGEST_KEY:
        raise ValueError(f"{baskets.forward.size} items have too many combinations of {size}; choose a smaller m.")
    lengths = baskets.lengths.astype(np.float64)
    expected = 1.0 if size == 1 else float(np.prod([lengths - i for i in range(size)], axis=0).clip(0).sum())
    counter = new_counter(base**size, expected)
    for begin in range(0, 0 if size == 1 else baskets.lengths.size, _BLOCK):
        counter = _count_rows(baskets, begin, begin + _BLOCK, ItemsetCounts(size, base, counter), MAX_ITEMSETS)
        if counter.used[0] > MAX_ITEMSETS:
            raise ValueError(
                f"the records hold more than {MAX_ITEMSETS:,} different combinations of {size} items; "
                "choose a smaller m."
            )
    return ItemsetCounts(size, base, counter)


@njit(cache=True, nogil=True)
def _advance(pick: NDArray[np.int64], limit: int) -> bool:
    """Go on to the next combination of ascending positions below `limit`; False after the last."""
    size = pick.size
    at = size - 1
    while at >= 0 and pick[at] == limit - size + at:
        at -= 1
    if at < 0:
        return False
    pick[at] += 1
    for after in range(at + 1, size):
        pick[after] = pick[after - 1] + 1
    return True


@njit(cache=True, nogil=True)
def _count_rows(baskets: Baskets, begin: int, end: int, itemset_counts: ItemsetCounts, limit: int) -> Counter:
    """Count the itemsets of some rows; stop when more than `limit` different ones have been found."""
    size, base, counter = itemset_counts.size, itemset_counts.base, itemset_counts.counter
    keys = np.empty(_BUFFER, np.int64)
    filled = 0
    pick = np.empty(size, np.int64)
    for row in range(begin, min(end, baskets.lengths.size)):
        length = baskets.lengths[row]
        if length < size or counter.used[0] > limit:
            continue
        codes = baskets.codes[baskets.offsets[row] : baskets.offsets[row] + length]
        for at in range(size):
            pick[at] = at
        more = True
        while more and counter.used[0] <= limit:
            key = np.int64(0)  # codes are narrower
            for at in range(size):
                key = key * base + codes[pick[at]]
            if filled == _BUFFER:
                counter = add_keys(counter, keys, filled, 1)
                filled = 0
            keys[filled] = key
            filled += 1
            more = _advance(pick, length)
    counted: Counter = add_keys(counter, keys, filled, 1)
    return counted


@njit(cache=True, nogil=True)
def _count_with(baskets: Baskets, itemset_counts: ItemsetCounts, row: int, code: int) -> Counter:
    """Count the itemsets of a row that hold `code`, which the row holds."""
    size, base, counter = itemset_counts.size, itemset_counts.base, itemset_counts.counter
    length = baskets.lengths[row] - 1
    if size == 1 or length < size - 1:
        return counter
    others = np.empty(length, np.int64)
    write = 0
    for at in range(baskets.offsets[row], baskets.offsets[row] + length + 1):
        if baskets.codes[at] != code:
            others[write] = baskets.codes[at]
            write += 1
    keys = np.empty(min(_BUFFER, _count_combinations(length, size - 1)), np.int64)
    filled = 0
    pick = np.arange(size - 1)
    more = True
    while more:
        key, placed = 0, False
        for at in range(size - 1):
            other = others[pick[at]]
            if not placed and code < other:
                key = key * base + code
                placed = True
            key = key * base + other
        if not placed:
            key = key * base + code
        if filled == keys.size:
            counter = add_keys(counter, keys, filled, 1)
            filled = 0
        keys[filled] = key
        filled += 1
        more = _advance(pick, length)
    counted: Counter = add_keys(counter, keys, filled, 1)
    return counted


@njit(cache=True, nogil=True)
def _count_combinations(number: int, size: int) -> int:
    """Number of combinations, or a large number where it would not fit a buffer anyway."""
    count = 1
    for i in range(size):
        count = count * (number - i) // (i + 1)
        if count > _BUFFER:
            return _BUFFER
    return max(count, 1)


@njit(cache=True, nogil=True)
def unite_codes(baskets: Baskets, itemset_counts: ItemsetCounts, gone: int, survivor: int) -> ItemsetCounts:
    """Unite code `gone` under code `survivor`, and count the itemsets that appear; go on with the tally returned.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.baskets import fill_baskets
    >>> baskets = fill_baskets(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), np.arange(3), 3)
    >>> itemset_counts = unite_codes(baskets, count_itemsets(baskets, 2), 2, 0)
    >>> read_support(baskets, itemset_counts, np.array([0, 1])), baskets.forward.tolist()
    (2, [0, 1, 0])
    """
    counter = itemset_counts.counter
    member = gone
    while True:
        for i in range(baskets.holder_offsets[member], baskets.holder_offsets[member + 1]):
            row = baskets.holders[i]
            at = find_code(baskets, row, gone)
            if at < 0:
                continue  # another member brought this row here before
            if find_code(baskets, row, survivor) >= 0:
                remove_at(baskets, row, at)
                continue
            replace_at(baskets, row, at, survivor)
            baskets.support[survivor] += 1
            counter = _count_with(
                baskets, ItemsetCounts(itemset_counts.size, itemset_counts.base, counter), row, survivor
            )
        baskets.forward[member] = survivor
        if baskets.next_member[member] < 0:
            break
        member = baskets.next_member[member]
    baskets.support[gone] = 0
    baskets.next_member[member] = baskets.next_member[survivor]
    baskets.next_member[survivor] = gone
    return ItemsetCounts(itemset_counts.size, itemset_counts.base, counter)


@njit(cache=True, nogil=True)
def read_support(baskets: Baskets, itemset_counts: ItemsetCounts, itemset: NDArray[np.int64]) -> int:
    """Read how many rows hold an itemset of the size that was counted."""
    if itemset_counts.size == 1:
        return int(baskets.support[itemset[0]])
    key = 0
    for i in range(itemset_counts.size):
        key = key * itemset_counts.base + itemset[i]
    return int(read_key(itemset_counts.counter, key))


def list_rare(baskets: Baskets, itemset_counts: ItemsetCounts, k: int) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """List the itemsets that some rows hold, but fewer than k, one per line, and their supports.

    Rarest first, equally rare ones in ascending order of their codes.

    Examples
    --------
    >>> from sfumato.kinds.sets._kernels.baskets import fill_baskets
    >>> baskets = fill_baskets(np.array([0, 2, 4]), np.array([0, 1, 1, 2], np.int32), np.arange(3), 3)
    >>> [found.tolist() for found in list_rare(baskets, count_itemsets(baskets, 2), 2)]
    [[[0, 1], [1, 2]], [1, 1]]
    """
    if itemset_counts.size == 1:
        keys = np.flatnonzero((baskets.support > 0) & (baskets.support < k)).astype(np.int64)
        counts = baskets.support[keys]
    else:
        keys, counts = list_entries(itemset_counts.counter, k)
    order = np.lexsort((keys, counts))
    keys = keys[order]
    itemsets = np.empty((keys.size, itemset_counts.size), np.int64)
    for digit in range(itemset_counts.size - 1, -1, -1):
        keys, itemsets[:, digit] = np.divmod(keys, itemset_counts.base)
    return itemsets, counts[order]
