"""How many records hold each of some sets, without counting all the sets there are.

A record of n items has n(n-1)/2 pairs, so that a few long records make a table of all pairs dear. Where few sets are
asked for, the records with each item are kept as bits and intersected; a table is made only once that has cost more
than the table would. Both count exactly. Plain NumPy, for verifiers, attackers and measures.
"""

from __future__ import annotations

from collections.abc import Iterator
from math import comb

import numpy as np
import numpy.typing as npt

from sfumato.checking.subsequences import lookup, support
from sfumato.core.ragged import Ragged

__all__ = ["SetSupport", "count_sets"]

Ints = npt.NDArray[np.int64]
Words = npt.NDArray[np.uint64]

_ROWS = 1 << 16  # records whose bits are kept at once
_CELLS = 1 << 21  # words intersected at once
_WORDS_PER_SET = 64.0  # counting one set in a table costs about as much as intersecting so many words


class SetSupport:
    """Records that can be asked how many of them hold a set.

    Parameters
    ----------
    records
        Sets of codes: every code once, ascending.

    Examples
    --------
    >>> asked = SetSupport(Ragged.from_lists([["a", "b"], ["a", "b", "c"], ["c"]]))
    >>> asked.count([np.array([0, 0]), np.array([1, 2])]).tolist()
    [2, 1]
    >>> [(sets.tolist(), rows.tolist()) for sets, rows in asked.holders([np.array([0, 0]), np.array([1, 2])])]
    [([0, 0, 1], [0, 1, 1])]
    """

    def __init__(self, records: Ragged) -> None:
        self.records = records
        self._base = max(len(records.labels), 1)
        self._singles = np.bincount(records.codes, minlength=self._base).astype(np.int64)
        self._tables: dict[int, tuple[Ints, Ints]] = {}
        self._spent: dict[int, float] = {}

    def count(self, columns: list[Ints]) -> Ints:
        """Count the records with each set, given by its different codes, ascending: one array per position."""
        size = len(columns)
        if size == 1:
            return self._singles[columns[0]]
        if size not in self._tables:
            sets = count_sets(self.records, size)
            cost = len(columns[0]) * len(self.records) / 64
            self._spent[size] = self._spent.get(size, 0.0) + cost
            if self._spent[size] < _WORDS_PER_SET * sets or size * np.log2(self._base) > 62:
                return self._intersect(columns)
            self._tables[size] = support(self.records, size)
        key = np.zeros(len(columns[0]), dtype=np.int64)
        for column in columns:
            key = key * self._base + column
        return lookup(*self._tables[size], key)

    def _intersect(self, columns: list[Ints]) -> Ints:
        counts = np.zeros(len(columns[0]), dtype=np.int64)
        for _, begin, both in self._meet(columns):
            counts[begin : begin + len(both)] += _count_bits(both)
        return counts

    def holders(self, columns: list[Ints]) -> Iterator[tuple[Ints, Ints]]:
        """Yield (set, record) for every record that holds a set, in portions."""
        for first, begin, both in self._meet(columns):
            eights = both.view(np.uint8)
            which, at = np.nonzero(eights)
            found, bit = np.nonzero(np.unpackbits(eights[which, at][:, None], axis=1, bitorder="little"))
            yield begin + which[found], first + 8 * at[found] + bit

    def _meet(self, columns: list[Ints]) -> Iterator[tuple[int, int, Words]]:
        """Yield (first record, first set, bits of the records that hold each set), in portions of both."""
        used, which = np.unique(np.stack(columns), return_inverse=True)
        which = which.reshape(len(columns), -1)
        for first in range(0, len(self.records), _ROWS):
            bits = self._bits(used, first, min(first + _ROWS, len(self.records)))
            step = max(1, _CELLS // max(bits.shape[1], 1))
            for begin in range(0, which.shape[1], step):
                part = which[:, begin : begin + step]
                both = bits[part[0]]
                for column in part[1:]:
                    both &= bits[column]
                yield first, begin, both

    def _bits(self, used: Ints, first: int, end: int) -> Words:
        """Return a row of bits for every code used: which of the records from first to end hold it."""
        offsets = self.records.offsets[first : end + 1]
        codes = self.records.codes[offsets[0] : offsets[-1]]
        row = np.repeat(np.arange(end - first), np.diff(offsets))
        at = np.full(self._base, -1, dtype=np.int64)
        at[used] = np.arange(len(used))
        kept = at[codes] >= 0
        words = -(-(end - first) // 64)
        place = at[codes[kept]] * words * 8 + row[kept] // 8
        order = np.argsort(place, kind="stable")
        place, bit = place[order], (1 << (row[kept] % 8)).astype(np.uint8)[order]
        packed = np.zeros(len(used) * words * 8, dtype=np.uint8)
        begins = np.flatnonzero(np.diff(place, prepend=-1))
        if len(begins):
            packed[place[begins]] = np.add.reduceat(bit, begins, dtype=np.uint8)
        return packed.view(np.uint64).reshape(len(used), words)


def count_sets(records: Ragged, size: int) -> int:
    """Return how many sets of a size all records have together, each counted as often as records hold it.

    Examples
    --------
    >>> count_sets(Ragged.from_lists([["a", "b", "c"], ["a", "b"]]), 2)
    4
    """
    lengths, times = np.unique(records.lengths, return_counts=True)
    return sum(comb(int(n), size) * int(t) for n, t in zip(lengths, times, strict=True))


def _count_bits(words: Words) -> Ints:
    """Return the number of bits set in every row."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.int64))
    return np.asarray(np.unpackbits(words.view(np.uint8), axis=1).sum(axis=1, dtype=np.int64))
