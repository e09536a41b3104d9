"""How many records hold each of some sets, without counting all the sets there are.

A record of n items has n(n-1)/2 pairs, so that a few long records make a table of all pairs dear. Where few sets are
asked for, the records with each item are kept as bits; those of a set are intersected, or looked up one by one for the
records with its rarest item. A table is made only once that has cost more than the table would. All of these count
exactly. Plain NumPy, for verifiers, attackers and measures.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from math import comb
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import lookup, support
from sfumato.data.lists import ListColumn
from sfumato.progress import track

__all__ = ["KindSupport", "SetSupport", "count_sets", "digits", "join_digits"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint64]

_ROWS = 1 << 16  # records whose bits are kept at once
_CELLS = 1 << 21  # words intersected at once
_BITS = 1 << 24  # words of the bits of all kinds that are kept at once
_WORDS_PER_SET = 64.0  # counting one set in a table costs about as much as intersecting so many words
_WORDS_PER_RECORD = 5.0  # and so does looking up one record


class SetSupport:
    """Records that can be asked how many of them hold a set.

    Parameters
    ----------
    records
        Sets of codes: every code once, ascending.

    Examples
    --------
    >>> asked = SetSupport(ListColumn.from_lists([["a", "b"], ["a", "b", "c"], ["c"]]))
    >>> asked.count([np.array([0, 0]), np.array([1, 2])]).tolist()
    [2, 1]
    >>> [(sets.tolist(), rows.tolist()) for sets, rows in asked.holders([np.array([0, 0]), np.array([1, 2])])]
    [([0, 0, 1], [0, 1, 1])]
    """

    def __init__(self, records: ListColumn) -> None:
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
            rarest = np.min([self._singles[column] for column in columns], axis=0)
            cost = np.minimum(rarest * _WORDS_PER_RECORD, len(self.records) / 64).sum()
            self._spent[size] = self._spent.get(size, 0.0) + float(cost)
            if self._spent[size] < _WORDS_PER_SET * sets or size * np.log2(self._base) > 62:
                return self._count_records(columns)
            self._tables[size] = support(self.records, size)
        return lookup(*self._tables[size], join_digits(columns, self._base))

    def _count_records(self, columns: list[Ints]) -> Ints:
        """Count records without a table."""
        used, which = np.unique(np.stack(columns), return_inverse=True)
        which = which.reshape(len(columns), -1)
        is_used = np.zeros(self._base, dtype=bool)
        is_used[used] = True
        records = self._of_several.keep(is_used[self._of_several.codes])
        records = records.take(np.flatnonzero(records.lengths >= len(columns)))
        counts = np.zeros(which.shape[1], dtype=np.int64)
        for first in track("compare records", range(0, len(records), _ROWS)):
            counts += _count_in(_Portion.of(records, used, first), which)
        return counts

    @cached_property
    def _of_several(self) -> ListColumn:
        """The records that hold more than one code; of subrecords few do."""
        return self.records.take(np.flatnonzero(self.records.lengths > 1))

    def holders(self, columns: list[Ints]) -> Iterator[tuple[Ints, Ints]]:
        """Yield (set, record) for every record that holds a set, in portions."""
        used, which = np.unique(np.stack(columns), return_inverse=True)
        for first in track("compare records", range(0, len(self.records), _ROWS)):
            bits = _Portion.of(self.records, used, first).bits()
            for begin, both in _meet(bits, which.reshape(len(columns), -1)):
                eights = both.view(np.uint8)
                which_eight, at = np.nonzero(eights)
                position, bit = np.nonzero(np.unpackbits(eights[which_eight, at][:, None], axis=1, bitorder="little"))
                yield begin + which_eight[position], first + 8 * at[position] + bit


class KindSupport:
    """Records that can be asked how many of them have, for each kind of item of a set, a value that stands for it.

    Values may overlap and lie within each other. The records with a value that stands for a kind are kept as bits,
    those of all its values united, and the bits of a set's kinds are intersected: a record counts once, whichever of
    its values it matches by.

    Parameters
    ----------
    records
        Sets of values.
    kinds, values
        Every kind with every value that stands for it, ascending.

    Examples
    --------
    Value 0 stands for kinds 0 and 1, value 1 for kind 1 only.

    >>> records = ListColumn.from_lists([["A"], ["b"], ["A", "b"]])
    >>> asked = KindSupport(records, np.array([0, 1, 1]), np.array([0, 0, 1]))
    >>> asked.count([np.array([0, 1])]).tolist(), asked.count([np.array([0]), np.array([1])]).tolist()
    ([2, 3], [2])
    """

    def __init__(self, records: ListColumn, kinds: Ints, values: Ints) -> None:
        self.records, self._kinds, self._values = records, kinds, values

    def count(self, columns: list[Ints]) -> Ints:
        """Count the records that match each set, given by its different kinds: one array per position."""
        used, which = np.unique(np.stack(columns), return_inverse=True)
        which = which.reshape(len(columns), -1)
        counts = np.zeros(which.shape[1], dtype=np.int64)
        step = max(1, min(_ROWS, _BITS // max(len(used), 1) * 64) // 64 * 64)
        for first in track("compare records", range(0, len(self.records), step)):
            for begin, both in _meet(self._bits(used, first, step), which):
                counts[begin : begin + len(both)] += _count_bits(both)
        return counts

    def _bits(self, used: Ints, first: int, step: int) -> Words:
        """Return a row of bits for every kind used, of the records from one on."""
        begins = np.searchsorted(self._kinds, used)
        lengths = np.searchsorted(self._kinds, used, side="right") - begins
        pair = np.repeat(begins - (np.cumsum(lengths) - lengths), lengths) + np.arange(lengths.sum())
        values, row = np.unique(self._values[pair], return_inverse=True)
        records = self.records.take(np.arange(first, min(first + step, len(self.records))))
        of_value = _Portion.of(records, values, 0).bits()
        bits = np.zeros((len(used), of_value.shape[1]), dtype=np.uint64)
        at = np.cumsum(lengths) - lengths
        for turn in range(int(lengths.max(initial=0))):
            left = np.flatnonzero(lengths > turn)
            bits[left] |= of_value[row[at[left] + turn]]
        return bits


class _Portion(NamedTuple):
    """Which of some neighbouring records hold each of the codes asked about."""

    code: Ints
    """Number of a code among those asked about, ascending."""
    record: Ints
    """A record with it, ascending for each code."""
    begins: Ints
    """Where the records of each code begin."""
    words: int
    """Length of a row of bits, one for each record."""

    @classmethod
    def of(cls, records: ListColumn, used: Ints, first: int) -> _Portion:
        """Take a portion from a record on, and look for the codes used."""
        end = min(first + _ROWS, len(records))
        offsets = records.offsets[first : end + 1]
        codes = records.codes[offsets[0] : offsets[-1]]
        record = np.repeat(np.arange(end - first), np.diff(offsets))
        number = np.full(max(len(records.labels), 1), -1, dtype=np.int64)
        number[used] = np.arange(len(used))
        is_used = number[codes] >= 0
        code, record = number[codes[is_used]], record[is_used]
        # Short numbers are sorted digit by digit, which is far faster.
        order = np.argsort(code.astype(np.uint16) if len(used) < 1 << 16 else code, kind="stable")
        begins = np.concatenate([[0], np.cumsum(np.bincount(code, minlength=len(used)))]).astype(np.int64)
        return cls(code[order], record[order], begins, -(-(end - first) // 64))

    def bits(self) -> Words:
        """Return a row of bits for every code."""
        codes = len(self.begins) - 1
        place = self.code * self.words * 8 + self.record // 8
        packed = np.zeros(codes * self.words * 8, dtype=np.uint8)
        begins = np.flatnonzero(np.diff(place, prepend=-1))
        if len(begins):
            packed[place[begins]] = np.add.reduceat((1 << (self.record % 8)).astype(np.uint8), begins, dtype=np.uint8)
        return packed.view(np.uint64).reshape(codes, self.words)


def _count_in(portion: _Portion, which: Ints) -> Ints:
    """Count the records of a portion that hold each set; a set is a column of numbers of codes."""
    times = np.diff(portion.begins)
    rarest_first = np.take_along_axis(which, np.argsort(times[which], axis=0), axis=0)
    cost = times[rarest_first[0]] * _WORDS_PER_RECORD
    if cost.sum() < len(times) * portion.words:
        return _count_rarest_first(portion, None, rarest_first)
    few = cost < portion.words
    counts = np.zeros(which.shape[1], dtype=np.int64)
    bits = portion.bits()
    others = np.flatnonzero(~few)
    for begin, both in _meet(bits, which[:, others]):
        counts[others[begin : begin + len(both)]] = _count_bits(both)
    counts[few] = _count_rarest_first(portion, bits, rarest_first[:, few])
    return counts


def _meet(bits: Words, which: Ints) -> Iterator[tuple[int, Words]]:
    """Yield (first set, bits of the records that hold each set), in portions; a set is a column of rows of bits."""
    step = max(1, _CELLS // max(bits.shape[1], 1))
    for begin in range(0, which.shape[1], step):
        part = which[:, begin : begin + step]
        both = bits[part[0]]
        for column in part[1:]:
            both &= bits[column]
        yield begin, both


def _count_rarest_first(portion: _Portion, bits: Words | None, which: Ints) -> Ints:
    """Count the records that hold each set, a column with its rarest code first, one record with that at a time.

    Without bits, which would be mostly empty, other codes are searched for.
    """
    counts = np.zeros(which.shape[1], dtype=np.int64)
    lengths = np.diff(portion.begins)[which[0]]
    filled = np.cumsum(lengths)
    width = portion.words * 64
    has = _search_pairs(portion) if bits is None else _test_bits(bits)
    begin = 0
    while begin < len(lengths):
        taken = filled[begin - 1] if begin else 0
        end = max(begin + 1, int(np.searchsorted(filled, taken + _CELLS // 8, side="right")))
        of_set = np.repeat(np.arange(end - begin), lengths[begin:end])
        starts = portion.begins[which[0, begin:end]] - (filled[begin:end] - lengths[begin:end] - taken)
        record = portion.record[starts[of_set] + np.arange(len(of_set))]
        there = np.ones(len(record), dtype=bool)
        for column in which[1:, begin:end]:
            there &= has((column * width)[of_set] + record)
        counts[begin:end] = np.bincount(of_set[there], minlength=end - begin)
        begin = end
    return counts


def _search_pairs(portion: _Portion) -> Callable[[Ints], Flags]:
    """Return what tells of pairs of a code and a record, as numbers, whether they are there."""
    pairs = portion.code * portion.words * 64 + portion.record
    return lambda wanted: pairs[np.searchsorted(pairs, wanted).clip(max=len(pairs) - 1)] == wanted


def _test_bits(bits: Words) -> Callable[[Ints], Flags]:
    """Do what :func:`_search_pairs` does, with bits."""
    eights = bits.view(np.uint8).ravel()
    return lambda wanted: eights[wanted >> 3] >> (wanted & 7).astype(np.uint8) & 1 == 1


def count_sets(records: ListColumn, size: int) -> int:
    """Return how many sets of a size all records have together, each counted as often as records hold it.

    Examples
    --------
    >>> count_sets(ListColumn.from_lists([["a", "b", "c"], ["a", "b"]]), 2)
    4
    """
    lengths, times = np.unique(records.lengths, return_counts=True)
    return sum(comb(int(n), size) * int(t) for n, t in zip(lengths, times, strict=True))


def _count_bits(words: Words) -> Ints:
    """Return the number of bits set in every row."""
    if hasattr(np, "bitwise_count"):
        return np.asarray(np.bitwise_count(words).sum(axis=1, dtype=np.int64))
    return np.asarray(np.unpackbits(words.view(np.uint8), axis=1).sum(axis=1, dtype=np.int64))


def digits(keys: Ints, size: int, base: int) -> list[Ints]:
    """Return the codes of keys, first to last.

    Examples
    --------
    >>> [column.tolist() for column in digits(np.array([12, 7]), 2, base=10)]
    [[1, 0], [2, 7]]
    """
    return [keys // base**power % base for power in range(size - 1, -1, -1)]


def join_digits(columns: Sequence[Ints], base: int) -> Ints:
    """Return the keys that :func:`digits` takes apart.

    Examples
    --------
    >>> join_digits([np.array([1, 0]), np.array([2, 7])], base=10).tolist()
    [12, 7]
    """
    keys = np.zeros(len(columns[0]), dtype=np.int64)
    for column in columns:
        keys = keys * base + column
    return keys
