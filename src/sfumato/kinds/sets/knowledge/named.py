"""How many published records match what is known of named itemsets: some of their items."""

from __future__ import annotations

import dataclasses
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.exceptions import ParameterError
from sfumato.kinds.sets.knowledge.search import ItemSets
from sfumato.release.release import Release

__all__ = ["NamedItems"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]
Words = npt.NDArray[np.uint8]

_BATCH_CELLS = 1 << 22
_MOST_PAIRS = 10**10
"""Pairs of combinations of items that are compared at most: half a minute."""


class NamedItems:
    """Published records that can be asked about single items.

    Parameters
    ----------
    published
        Records as sets of published values.
    members
        Items of every generalised value; other values are the item of that name.

    Examples
    --------
    >>> records = NamedItems(ListColumn.from_lists([["P", "c"], ["P"], ["c"]]), {"P": ["a", "b"]})
    >>> records.rows_with("a").tolist(), records.rows_with("z"), records.smallest(["a", "b", "c", "z"])
    ([0, 1], None, (1, ('P', 'c')))
    """

    def __init__(self, published: ListColumn, members: Mapping[str, Sequence[str]]) -> None:
        records = published.distinct()
        self._records = len(records)
        order = np.argsort(records.codes, kind="stable")
        self._rows = records.row_of_token[order]
        self._ends = np.searchsorted(records.codes[order], np.arange(len(records.labels) + 1))
        self._labels = records.labels
        self._holders: dict[str, list[int]] = {}
        for value in np.flatnonzero(np.diff(self._ends)).tolist():
            for member in members.get(records.labels[value], (records.labels[value],)):
                self._holders.setdefault(member, []).append(value)

    @classmethod
    def of(cls, release: Release) -> NamedItems:
        """Read the records of a release."""
        return cls(release.history(), release.members())

    def __len__(self) -> int:
        return self._records

    def rows_with(self, item: str) -> Ints | None:
        """Return the records that have a value standing for an item; None if no record has."""
        if item not in self._holders:
            return None
        return self._rows_of(tuple(self._holders[item]))

    def _rows_of(self, values: tuple[int, ...]) -> Ints:
        rows = [self._rows[self._ends[value] : self._ends[value + 1]] for value in values]
        return rows[0] if len(rows) == 1 else np.unique(np.concatenate(rows))

    def _combine(self, items: Sequence[str]) -> _Combinations:
        """Return which of the items records match together. Items of the same values cannot be distinguished."""
        kinds = sorted({tuple(self._holders[item]) for item in items if item in self._holders})
        has = np.zeros((len(self), len(kinds)), dtype=bool)
        for kind, values in enumerate(kinds):
            has[self._rows_of(values), kind] = True
        words, of_record, counts = np.unique(_pack(has), axis=0, return_inverse=True, return_counts=True)
        return _Combinations(kinds, words, of_record.reshape(-1), counts.astype(np.int64))

    def smallest(self, items: Sequence[str]) -> tuple[int, tuple[str, ...]]:
        """Return the fewest records, but at least one, that match some of the items, and the values they share.

        Someone who knows more items is left with fewer records, until no record matches. So the fewest are those with
        one of the largest combinations of the items: combinations that occur, while none that holds more does.
        """
        combinations = self._combine(items)
        largest = combinations.find_largest(len(items))
        smallest = int(combinations.counts[largest].min(initial=len(self)))
        if smallest == len(self):
            return smallest, ()
        # Of combinations that are as rare, the first; of its items, no more than it takes.
        rarest = max(
            combinations.words[at].tobytes() for at in largest[combinations.counts[largest] == smallest].tolist()
        )
        indices = np.flatnonzero(np.unpackbits(np.frombuffer(rarest, np.uint8))).tolist()
        left, taken = np.arange(len(self)), 0
        while len(left) > smallest:
            left = np.intersect1d(left, self._rows_of(combinations.kinds[indices[taken]]), assume_unique=True)
            taken += 1
        return smallest, tuple(self._labels[value] for kind in indices[:taken] for value in combinations.kinds[kind])

    def narrowest(self, items: Sequence[str]) -> Iterator[Ints]:
        """Yield the records that match some of the items, at least one each, without those that match fewer items.

        Someone who knows fewer items is faced with the same records and more.

        Examples
        --------
        >>> records = NamedItems(ListColumn.from_lists([["P", "c"], ["P"], ["d"]]), {"P": ["a", "b"]})
        >>> [rows.tolist() for rows in records.narrowest(["a", "c", "d"])]
        [[2], [0]]
        """
        combinations = self._combine(items)
        for combination in combinations.find_largest(len(items)).tolist():
            yield np.flatnonzero(combinations.of_record == combination)

    def attack(self, original: Dataset, itemsets: Sequence[Sequence[str]]) -> ItemSets:
        """Find, for every person, the named itemset of which all the person's items are matched by fewest records.

        Examples
        --------
        >>> records = NamedItems(ListColumn.from_lists([["P", "c"], ["P"], ["c"]]), {"P": ["a", "b"]})
        >>> people = Dataset.of("sets", [["a", "c"], ["b"], ["c"]])
        >>> records.attack(people, [("a", "c"), ("b",)]).smallest.tolist()
        [1, 2, 2]
        """
        histories = original.history()
        people = NamedItems(histories, {})
        smallest = np.full(len(histories), len(self), dtype=np.int64)
        unmatched = np.zeros(len(histories), dtype=bool)
        tried = 0
        for itemset in itemsets:
            items = [item for item in itemset if item in self._holders]
            has = np.zeros((len(items), len(histories)), dtype=bool)
            for which, item in enumerate(items):
                rows = people.rows_with(item)
                if rows is not None:
                    has[which, rows] = True
            concerned = np.flatnonzero(has.any(axis=0)) if items else np.empty(0, np.int64)
            patterns, of_person = np.unique(has[:, concerned].T, axis=0, return_inverse=True)
            matches = self._count(items, patterns)[of_person.reshape(-1)]
            smallest[concerned] = np.where(matches > 0, np.minimum(smallest[concerned], matches), smallest[concerned])
            unmatched[concerned[matches == 0]] = True
            tried += len(patterns)
        return ItemSets(smallest, unmatched, (), tried)

    def _count(self, items: Sequence[str], patterns: Flags) -> Ints:
        """Count the records that match each set of some items, a row of marks each."""
        combinations = self._combine(items)
        number = {kind: at for at, kind in enumerate(combinations.kinds)}
        wanted = np.zeros((len(patterns), len(number)), dtype=bool)
        for at, item in enumerate(items):
            wanted[:, number[tuple(self._holders[item])]] |= patterns[:, at]
        return combinations.count(_pack(wanted), len(items))


@dataclasses.dataclass(frozen=True, eq=False)
class _Combinations:
    """The combinations of some items that records match.

    Parameters
    ----------
    kinds
        Values that stand for each item; items of the same values are one.
    words
        Of every combination: a bit for each of the items, the first one highest.
    of_record, counts
        Combination of every record, and records of every combination.
    """

    kinds: list[tuple[int, ...]]
    words: Words
    of_record: Ints
    counts: Ints

    def find_largest(self, items: int) -> Ints:
        """Return the combinations that no other one holds; that of no item is none."""
        sizes = np.unpackbits(self.words, axis=1).sum(axis=1)
        largest, compared = np.empty(0, np.int64), 0
        for size in np.unique(sizes[sizes > 0])[::-1].tolist():
            same_size = np.flatnonzero(sizes == size)
            compared += len(same_size) * len(largest)
            _check_work(compared, items, len(self.words))
            held = [
                _compare(part, self.words[largest]).any(axis=1) for part in _cut(self.words[same_size], len(largest))
            ]
            largest = np.append(largest, same_size[~np.concatenate(held)])
        return np.sort(largest)

    def count(self, wanted: Words, items: int) -> Ints:
        """Count the records with all that is wanted, for every combination that is."""
        _check_work(len(wanted) * len(self.words), items, len(self.words))
        counts = [_compare(part, self.words) @ self.counts for part in _cut(wanted, len(self.words))]
        return np.concatenate(counts) if counts else np.empty(0, np.int64)


def _pack(marks: Flags) -> Words:
    """Return rows of marks as bits."""
    return np.packbits(marks, axis=1)


def _compare(combinations: Words, others: Words) -> Flags:
    """Return which of some combinations lie in which others."""
    inside = np.ones((len(combinations), len(others)), dtype=bool)
    for mine, theirs in zip(combinations.T, others.T, strict=True):
        inside &= (mine[:, None] & ~theirs) == 0
    return inside


def _cut(words: Words, others: int) -> Iterator[Words]:
    """Cut combinations into portions, so that those compared at once are not too many."""
    step = max(1, _BATCH_CELLS // max(others, 1))
    for first in range(0, len(words), step):
        yield words[first : first + step]


def _check_work(pairs: int, items: int, combinations: int) -> None:
    """Refuse to compare very many combinations."""
    if pairs > _MOST_PAIRS:
        raise ParameterError(
            f"The {items} items of a named itemset occur together in {combinations:,} ways, too many to compare.",
            option="constraints",
            hint="Name smaller itemsets, or publish fewer records at a time.",
        )
