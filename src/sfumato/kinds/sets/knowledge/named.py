"""How many published records match what is known of named itemsets: some of their items."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import numpy.typing as npt

from sfumato.core.dataset import Dataset
from sfumato.core.ragged import Ragged
from sfumato.core.release import Release
from sfumato.kinds.sets.knowledge.search import ItemSets

__all__ = ["NamedItems"]

Ints = npt.NDArray[np.int64]


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
    >>> records = NamedItems(Ragged.from_lists([["P", "c"], ["P"], ["c"]]), {"P": ["a", "b"]})
    >>> records.rows_with("a").tolist(), records.rows_with("z"), records.smallest(["a", "b", "c", "z"], 2)
    ([0, 1], None, (1, ('P', 'c')))
    """

    def __init__(self, published: Ragged, members: Mapping[str, Sequence[str]]) -> None:
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

    def count(self, items: Sequence[str]) -> int:
        """Count the records that match all items; items that are published nowhere tell nothing."""
        left: Ints | None = None
        for values in {tuple(self._holders[item]) for item in items if item in self._holders}:
            rows = self._rows_of(values)
            left = rows if left is None else np.intersect1d(left, rows, assume_unique=True)
        return len(self) if left is None else len(left)

    def smallest(self, items: Sequence[str], k: int) -> tuple[int, tuple[str, ...]]:
        """Return the fewest records, but at least one, that match some of the items, and the values they share.

        The search is over sets of values; it ends early where all of the items still match k records.
        """
        kinds = sorted({tuple(self._holders[item]) for item in items if item in self._holders})
        rows = [self._rows_of(values) for values in kinds]
        best: tuple[int, tuple[str, ...]] = (len(self), ())

        def look(at: int, left: Ints, chosen: tuple[int, ...]) -> None:
            nonlocal best
            if chosen and 0 < len(left) < best[0]:
                best = (len(left), tuple(self._labels[value] for i in chosen for value in kinds[i]))
            everything = left
            for other in rows[at:]:
                everything = np.intersect1d(everything, other, assume_unique=True)
            if len(everything) >= k:
                # More items never match more records: the rest cannot go below this.
                if len(everything) < best[0]:
                    taken = (*chosen, *range(at, len(kinds)))
                    best = (len(everything), tuple(self._labels[value] for i in taken for value in kinds[i]))
                return
            for more in range(at, len(kinds)):
                narrower = np.intersect1d(left, rows[more], assume_unique=True)
                if len(narrower):
                    look(more + 1, narrower, (*chosen, more))

        if kinds:
            look(0, np.arange(len(self)), ())
        return best

    def narrowest(self, items: Sequence[str]) -> Iterator[Ints]:
        """Yield the records that match some of the items, at least one each, without those that match fewer items.

        Whoever knows fewer items is faced with the same records and more; some records are yielded more than once.

        Examples
        --------
        >>> records = NamedItems(Ragged.from_lists([["P", "c"], ["P"], ["d"]]), {"P": ["a", "b"]})
        >>> [rows.tolist() for rows in records.narrowest(["a", "c", "d"])]
        [[0], [0], [2]]
        """
        kinds = sorted({tuple(self._holders[item]) for item in items if item in self._holders})
        rows = [self._rows_of(values) for values in kinds]

        def look(at: int, left: Ints, *, chosen: bool) -> Iterator[Ints]:
            everything = left
            for other in rows[at:]:
                everything = np.intersect1d(everything, other, assume_unique=True)
            if len(everything) and (chosen or at < len(rows)):
                yield everything
                return
            wider = [np.intersect1d(left, other, assume_unique=True) for other in rows[at:]]
            if chosen and not any(map(len, wider)):
                yield left
            for more, narrower in enumerate(wider, start=at):
                if len(narrower):
                    yield from look(more + 1, narrower, chosen=True)

        yield from look(0, np.arange(len(self)), chosen=False)

    def attack(self, original: Dataset, itemsets: Sequence[Sequence[str]]) -> ItemSets:
        """Find, for every person, the named itemset of which all the person's items are matched by fewest records.

        Examples
        --------
        >>> records = NamedItems(Ragged.from_lists([["P", "c"], ["P"], ["c"]]), {"P": ["a", "b"]})
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
            told = [item for item in itemset if item in self._holders]
            has = np.zeros((len(told), len(histories)), dtype=bool)
            for which, item in enumerate(told):
                rows = people.rows_with(item)
                if rows is not None:
                    has[which, rows] = True
            concerned = np.flatnonzero(has.any(axis=0)) if told else np.empty(0, np.int64)
            patterns, which_pattern = np.unique(has[:, concerned].T, axis=0, return_inverse=True)
            for number, pattern in enumerate(patterns):
                matches = self.count([told[i] for i in np.flatnonzero(pattern)])
                who = concerned[which_pattern.ravel() == number]
                if matches:
                    smallest[who] = np.minimum(smallest[who], matches)
                else:
                    unmatched[who] = True
                tried += 1
        return ItemSets(smallest, unmatched, (), tried)
