"""What can be known about ordered histories: distinct subsequences and how many rows contain them.

Plain NumPy, for verifiers, attackers and measures. Methods have their own counting in ``kernels``; the
two share nothing, so that one checks the other.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
import numpy.typing as npt

from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError

__all__ = [
    "check_key_width",
    "count_distinct",
    "countable_sizes",
    "decode_key",
    "distinct_subsequences",
    "is_among",
    "lookup",
    "support",
]

Ints = npt.NDArray[np.int64]

_BUDGET = 4_000_000
_DENSE = 1 << 24
_MOST, _MAX_PER_RECORD = 10**11, 2 * 10**8
"""Sequences that can be counted: in all, for time; of one record, where all of them differ, for memory."""


def countable_sizes(histories: ListColumn, m: int) -> range:
    """Return the sizes of what can be known of up to m values: 1 to m, or to as many as the longest row has.

    Rows that hold more sequences of such a size than can be counted are refused before any is.

    Examples
    --------
    >>> long = ListColumn(np.array([0, 300]), np.arange(300, dtype=np.int32), tuple(map(str, range(300))))
    >>> countable_sizes(long, 3)
    range(1, 4)
    >>> countable_sizes(long, 9)
    Traceback (most recent call last):
    sfumato.exceptions.ParameterError: m=9: record 1 has 300 values, which hold 4.8e+16 sequences of 9, more than ...
    """
    lengths, times = np.unique(histories.lengths, return_counts=True)
    sizes = range(1, min(m, int(lengths.max(initial=0))) + 1)
    for size in reversed(sizes):
        ways = [comb(int(length), size) for length in lengths]
        if max(ways) <= _MAX_PER_RECORD and sum(way * int(n) for way, n in zip(ways, times, strict=True)) <= _MOST:
            continue
        counts = count_distinct(histories, size)
        most, total = int(np.argmax(counts)), float(counts.sum())
        if counts[most] > _MAX_PER_RECORD:
            length = histories.lengths[most]
            hold = f"record {most + 1} has {length} values, which hold {counts[most]:.2g} sequences of {size}"
        elif total > _MOST:
            hold = f"the records hold {total:.2g} sequences of {size} values"
        else:
            continue
        raise ParameterError(
            f"m={m}: {hold}, more than can be counted. Use a smaller m, split records into shorter ones, or leave the "
            "longest out."
        )
    return sizes


def count_distinct(histories: ListColumn, size: int) -> npt.NDArray[np.float64]:
    """Return how many distinct subsequences of a size every row has, without listing them.

    Those whose leftmost embedding ends at position q go on from one that ends where the value of q was last, or
    later: sums over stretches of positions.

    Examples
    --------
    >>> count_distinct(ListColumn.from_lists([["a", "b", "a"], ["a", "a"]]), 2).tolist()
    [3.0, 1.0]
    """
    rows = histories.row_of_token
    before = _previous_equal(rows, histories.codes.astype(np.int64), max(len(histories.labels), 1))
    since = np.where(before < 0, histories.offsets[:-1][rows], before)
    ending = (before < 0).astype(np.float64)
    for _ in range(size - 1):
        so_far = np.concatenate([[0.0], np.cumsum(ending)])
        ending = so_far[:-1] - so_far[since]
    return np.bincount(rows, ending, minlength=len(histories)).astype(np.float64)


def check_key_width(size: int, base: int) -> None:
    """Refuse sequences of so many values whose keys, digits to a base, do not fit into a whole number of 64 bits.

    Examples
    --------
    >>> check_key_width(6, 1000)
    >>> check_key_width(7, 1000)
    Traceback (most recent call last):
    sfumato.exceptions.ParameterError: sequences of 7 out of 1,000 values are too many to tell apart; use a smaller ...
    """
    if size * float(np.log2(max(base, 2))) > 62:
        raise ParameterError(
            f"sequences of {size} out of {base:,} values are too many to tell apart; use a smaller m or fewer values."
        )


def distinct_subsequences(histories: ListColumn, size: int, budget: int = _BUDGET) -> Iterator[tuple[Ints, Ints]]:
    """Yield (rows, keys): every distinct subsequence of a size of every row exactly once, in portions.

    A subsequence is found at its leftmost embedding only: after position p the next position q is one
    whose value did not occur between p and q. So nothing is found twice and nothing needs removing. The
    key of a sequence is its codes read as digits to the base of the number of labels.

    Examples
    --------
    >>> data = ListColumn.from_lists([["a", "b", "a"]])
    >>> [(r.tolist(), k.tolist()) for r, k in distinct_subsequences(data, 2)]
    [([0, 0, 0], [1, 0, 2])]
    """
    base = max(len(histories.labels), 1)
    check_key_width(size, base)
    codes = histories.codes.astype(np.int64)
    rows = histories.row_of_token
    before = np.full(len(codes), -1, np.int64) if histories.is_ascending else _previous_equal(rows, codes, base)
    ends = histories.offsets[1:][rows] if len(rows) else rows
    first = np.flatnonzero(before < 0)
    yield from _extend(first, codes[first], size - 1, codes, before, ends, rows, base, budget)


def _previous_equal(rows: Ints, codes: Ints, base: int) -> Ints:
    """Return, for every entry, the index of the previous entry of its row with the same code, or -1."""
    keys = rows * base + codes
    order = np.argsort(keys, kind="stable")
    before = np.full(len(codes), -1, dtype=np.int64)
    same = keys[order[1:]] == keys[order[:-1]]
    before[order[1:][same]] = order[:-1][same]
    return before


def _extend(
    at: Ints, keys: Ints, more: int, codes: Ints, before: Ints, ends: Ints, rows: Ints, base: int, budget: int
) -> Iterator[tuple[Ints, Ints]]:
    if more == 0:
        if len(at):
            yield rows[at], keys
        return
    lengths = ends[at] - at - 1
    start = 0
    filled = np.cumsum(lengths)
    while start < len(at):
        taken = filled[start - 1] if start else 0
        stop = max(start + 1, int(np.searchsorted(filled, taken + budget, side="right")))
        counts = lengths[start:stop]
        origin = np.repeat(at[start:stop], counts)
        step = np.arange(len(origin)) - np.repeat(np.cumsum(counts) - counts, counts)
        following = origin + 1 + step
        leftmost = before[following] <= origin
        following = following[leftmost]
        longer = np.repeat(keys[start:stop], counts)[leftmost] * base + codes[following]
        yield from _extend(following, longer, more - 1, codes, before, ends, rows, base, budget)
        start = stop


def support(histories: ListColumn, size: int) -> tuple[Ints, Ints]:
    """Return the keys of all subsequences of a size that occur, ascending, and how many rows contain each.

    Examples
    --------
    >>> keys, counts = support(ListColumn.from_lists([["a", "b"], ["a", "b", "a"]]), 2)
    >>> keys.tolist(), counts.tolist()
    ([0, 1, 2], [1, 2, 1])
    """
    base = max(len(histories.labels), 1)
    if base**size <= _DENSE:
        dense = np.zeros(base**size, dtype=np.int64)
        for _, keys in distinct_subsequences(histories, size):
            dense += np.bincount(keys, minlength=len(dense))
        occurring = np.flatnonzero(dense)
        return occurring, dense[occurring]
    keys_so_far, counts_so_far = np.empty(0, np.int64), np.empty(0, np.int64)
    waiting: list[Ints] = []
    for _, keys in distinct_subsequences(histories, size):
        waiting.append(keys)
        if sum(map(len, waiting)) > 4 * _BUDGET:
            keys_so_far, counts_so_far = _add_up(keys_so_far, counts_so_far, waiting)
            waiting = []
    return _add_up(keys_so_far, counts_so_far, waiting)


def _add_up(keys: Ints, counts: Ints, waiting: list[Ints]) -> tuple[Ints, Ints]:
    if not waiting:
        return keys, counts
    new_keys, new_counts = np.unique(np.concatenate(waiting), return_counts=True)
    if not len(keys):
        return new_keys, new_counts.astype(np.int64)
    both = np.concatenate([keys, new_keys])
    # Two ascending runs: a stable sort merges them.
    order = np.argsort(both, kind="stable")
    both = both[order]
    begins = np.flatnonzero(np.diff(both, prepend=-1))
    return both[begins], np.add.reduceat(np.concatenate([counts, new_counts])[order], begins)


def lookup(keys: Ints, counts: Ints, wanted: Ints) -> Ints:
    """Return the count of each wanted key, 0 where it does not occur.

    Examples
    --------
    >>> lookup(np.array([2, 5]), np.array([7, 9]), np.array([5, 3])).tolist()
    [9, 0]
    """
    if not len(keys):
        return np.zeros(len(wanted), np.int64)
    at = np.minimum(np.searchsorted(keys, wanted), len(keys) - 1)
    return np.where(keys[at] == wanted, counts[at], 0)


def is_among(numbers: Ints, ascending: Ints) -> npt.NDArray[np.bool_]:
    """Mark the numbers that are among ascending ones.

    Examples
    --------
    >>> is_among(np.array([7, 3, 7]), np.array([2, 7])).tolist()
    [True, False, True]
    """
    if not len(ascending):
        return np.zeros(len(numbers), dtype=bool)
    at = np.minimum(np.searchsorted(ascending, numbers), len(ascending) - 1)
    return np.asarray(ascending[at] == numbers)


def decode_key(key: int, size: int, labels: tuple[str, ...]) -> tuple[str, ...]:
    """Return the labels of a key.

    Examples
    --------
    >>> decode_key(1, 2, ("a", "b"))
    ('a', 'b')
    """
    decoded = []
    for _ in range(size):
        key, code = divmod(key, len(labels))
        decoded.append(labels[code])
    return tuple(reversed(decoded))
