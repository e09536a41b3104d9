"""How many published records match what an attacker knows: some of a person's items, as a set.

A generalised value stands for at least one of its members, so a record matches the known items if each of them is a
member of one of its values; one value may account for several items. Items removed everywhere say nothing. Items
that belong to the same published values cannot be distinguished in the release: they are one *kind* of item, and sets
of kinds are counted. Values may overlap and lie within each other. Plain NumPy: it shares nothing with the methods.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import pairwise

import numpy as np
import numpy.typing as npt

from sfumato.checks.subsequences import countable_sizes, support
from sfumato.data.dataset import Dataset
from sfumato.data.lists import ListColumn
from sfumato.kinds.sets.knowledge.search import ItemSets, best_knowledge
from sfumato.kinds.sets.knowledge.set_support import KindSupport, SetSupport, count_sets, digits
from sfumato.release.release import Release

__all__ = ["ItemRecords"]

Ints = npt.NDArray[np.int64]
Flags = npt.NDArray[np.bool_]

_EXACT = 2_000_000


class ItemRecords:
    """Published records of generalised items.

    Parameters
    ----------
    published
        Records as sets of published values.
    members
        Items of every generalised value; other values are the item of that name.
    suppressed
        Items removed everywhere.
    original
        The people whose items are known.

    Examples
    --------
    >>> people = ListColumn.from_lists([["a", "b", "c"], ["c", "d"]])
    >>> records = ItemRecords(ListColumn.from_lists([["P", "c"], ["P"]]), {"P": ["a", "b"]}, ["d"], people)
    >>> records.known_items.lists(), records.not_published.tolist()
    ([['0', '1'], ['1']], [False, True])
    >>> records.count(np.array([1]), size=2).tolist(), records.matching_rows((0,)).tolist()
    ([1], [0, 1])
    """

    def __init__(
        self,
        published: ListColumn,
        members: Mapping[str, Sequence[str]],
        suppressed: Sequence[str],
        original: ListColumn,
    ) -> None:
        self.published = published.distinct()
        kind, self._kinds, self._values = _number_kinds(self.published, members, suppressed, original.labels)
        self._base = int(kind.max(initial=0)) + 1
        covered = original.keep(kind[original.codes] >= 0)
        names = tuple(map(str, range(self._base)))
        self.known_items = ListColumn(covered.offsets, kind[covered.codes].astype(np.int32), names).distinct()
        self.not_published = (covered.lengths < original.lengths) | (original.lengths == 0)
        self.missing = np.zeros(len(original), dtype=bool)
        self._kind_counts = np.bincount(self._kinds, minlength=self._base)
        self._value_of = np.full(self._base, -1, dtype=np.int64)
        self._value_of[self._kinds] = self._values
        self._by_value = SetSupport(self.published)
        self._by_kind = KindSupport(self.published, self._kinds, self._values)

    @classmethod
    def of(cls, release: Release, original: Dataset) -> ItemRecords:
        """Read the records of a release."""
        return cls(release.history(), release.members(), release.suppressed(), original.history())

    @classmethod
    def of_original(cls, dataset: Dataset) -> ItemRecords:
        """Take the data as if they were published unchanged."""
        return cls(dataset.history(), {}, (), dataset.history())

    def __len__(self) -> int:
        return len(self.published)

    @property
    def _is_global(self) -> bool:
        """Whether every kind of item is published as one value, the same everywhere."""
        return bool(self._kind_counts.max(initial=0) <= 1)

    def count(self, keys: Ints, size: int) -> Ints:
        """Count the records that match each set of kinds."""
        kinds = digits(keys, size, self._base)
        if not self._is_global:
            return self._by_kind.count(kinds)
        # Different kinds are different values here, but those that nobody has are none.
        values = np.sort(np.stack([self._value_of[column] for column in kinds]), axis=0)
        there = np.flatnonzero(values[0] >= 0)
        counts = np.zeros(len(keys), dtype=np.int64)
        if len(there):
            counts[there] = self._by_value.count(list(values[:, there]))
        return counts

    def least_knowledge(self, m: int, rows: Ints | None = None, enough: int = 1) -> ItemSets:
        """Find the fewest records that any set of at most m items matches, and the people whom no record matches.

        Where every kind of item is published as one value, what matches a set of items is what has the set of their
        values, and someone who is published as a record matches at least what that record's sets of values match. So
        the sets of the published records are counted once, and only people who are published as no record are looked at
        one by one. ``smallest`` is then the least over all of these people, the same for each; its minimum is exact.

        Where kinds have several values, everybody is looked at as by :func:`best_knowledge`, as long as there are not
        too many sets. Where there are, and it is known which record is whose (``rows``), the records of people all of
        whose items have a value in their own record are not: what they are known by is a set of at most m values of
        that record, and someone who has these values matches. ``smallest`` is then a number that is not too large;
        where it is below ``enough``, everybody is looked at after all.
        """
        if self._is_global:
            is_published, complete = self._mark_published()
            return best_knowledge(self, m) if is_published is None else self._add_published(m, is_published & complete)
        sets = sum(count_sets(self.known_items, size) for size in range(1, m + 1))
        if rows is None or sets <= _EXACT:
            return best_knowledge(self, m)
        outcome = self._add_published(m, self._mark_covered(np.asarray(rows, dtype=np.int64)))
        return (
            outcome if outcome.smallest[outcome.smallest > 0].min(initial=enough) >= enough else best_knowledge(self, m)
        )

    def _mark_published(self) -> tuple[Flags | None, Flags]:
        """Mark people whose values are a record, None where a record is nobody's; and those with a value for all."""
        valued = self.known_items.keep(self._value_of[self.known_items.codes] >= 0)
        images = ListColumn(
            valued.offsets, self._value_of[valued.codes].astype(np.int32), self.published.labels
        ).distinct()
        published, people = set(_images_of(self.published)), _images_of(images)
        complete = valued.lengths == self.known_items.lengths
        if not published.issubset(people):
            return None, complete
        return np.fromiter((image in published for image in people), dtype=bool, count=len(images)), complete

    def _mark_covered(self, rows: Ints) -> Flags:
        """Mark the people all of whose items have a value in their own record."""
        own = self.known_items.take(rows)
        lengths = self._kind_counts[own.codes]
        start = (np.cumsum(self._kind_counts) - self._kind_counts)[own.codes]
        token = np.repeat(np.arange(len(own.codes)), lengths)
        value = self._values[start[token] + np.arange(len(token)) - np.repeat(np.cumsum(lengths) - lengths, lengths)]
        base = max(len(self.published.labels), 1)
        there = np.sort(self.published.row_of_token * base + self.published.codes)
        wanted = own.row_of_token[token] * base + value
        hit = there[np.searchsorted(there, wanted).clip(max=max(len(there) - 1, 0))] == wanted
        is_present = np.zeros(len(own.codes), dtype=bool)
        is_present[token[hit]] = True
        complete = np.zeros(len(self.known_items), dtype=bool)
        complete[rows] = np.bincount(own.row_of_token, weights=~is_present, minlength=len(rows)) == 0
        return complete

    def _add_published(self, m: int, proved: Flags) -> ItemSets:
        """Count the sets of values of published records for some people, and look at the others one by one."""
        outcome = best_knowledge(self, m, np.flatnonzero(~proved))
        smallest, unmatched = np.full(len(proved), len(self), dtype=np.int64), self.missing.copy()
        rarest: tuple[int, ...] = ()
        lowest, tried = len(self), outcome.tried
        kind_of = np.zeros(len(self.published.labels), dtype=np.int64)
        kind_of[self._values] = self._kinds
        for size in countable_sizes(self.published, m):
            keys, counts = support(self.published, size)
            tried += len(keys)
            low = int(np.argmin(counts))
            if counts[low] < lowest:
                lowest = int(counts[low])
                values = digits(keys[low : low + 1], size, max(len(self.published.labels), 1))
                rarest = tuple(sorted(int(kind_of[value[0]]) for value in values))
        smallest[proved] = lowest
        smallest[~proved], unmatched[~proved] = outcome.smallest, outcome.unmatched
        if outcome.smallest[outcome.smallest > 0].min(initial=lowest) < lowest:
            rarest = outcome.rarest
        return ItemSets(smallest, unmatched, rarest, tried)

    def matching_rows(self, kinds: Sequence[int]) -> Ints:
        """Return the published rows that match a set of kinds."""
        left = np.ones(len(self.published), dtype=bool)
        for kind in kinds:
            holders = self._values[self._kinds == kind]
            hit = np.zeros(len(left), dtype=bool)
            hit[self.published.row_of_token[np.isin(self.published.codes, holders)]] = True
            left &= hit
        return np.flatnonzero(left)


def _images_of(records: ListColumn) -> list[bytes]:
    """Return every row's codes as bytes, to find equal rows."""
    data = records.codes.astype(np.int32).tobytes()
    bounds = (records.offsets * 4).tolist()
    return [data[a:b] for a, b in pairwise(bounds)]


def _number_kinds(
    published: ListColumn, members: Mapping[str, Sequence[str]], suppressed: Sequence[str], labels: Sequence[str]
) -> tuple[Ints, Ints, Ints]:
    """Number items by the published values that stand for them, -1 for those that were removed everywhere.

    Also return every kind with every value that stands for it, ascending.
    """
    code = {label: i for i, label in enumerate(labels)}
    holders: dict[int, list[int]] = {}
    for value in np.flatnonzero(np.bincount(published.codes)).tolist():
        for member in set(members.get(published.labels[value], (published.labels[value],))):
            if member in code:
                holders.setdefault(code[member], []).append(value)
    gone = set(suppressed)
    number: dict[tuple[int, ...], int] = {}
    kind = np.full(len(labels), -1, dtype=np.int64)
    for item, label in enumerate(labels):
        # Listed as removed, yet published: an attacker would look for it.
        if item in holders or label not in gone:
            kind[item] = number.setdefault(tuple(holders.get(item, ())), len(number))
    pairs = [(which, value) for values, which in number.items() for value in values]
    both = np.array(pairs, dtype=np.int64).reshape(-1, 2)
    return kind, both[:, 0], both[:, 1]
